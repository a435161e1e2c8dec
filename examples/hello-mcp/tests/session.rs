//! The session that the example prints, pinned: what a newcomer sees first does not change unnoticed.

// The example's own modules: an example target cannot be linked to.
#[path = "../examples/session/play.rs"]
mod play;
#[path = "../examples/session/transcript.rs"]
mod transcript;

use transcript::Style;

/// To take over a wanted change: `UPDATE_SESSION=1 cargo test -p hello-mcp --test session`.
#[test]
fn the_session_is_told_as_it_always_was() {
    let (told, _) = play::session(Style::Plain);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/session.txt");
    if std::env::var_os("UPDATE_SESSION").is_some() {
        std::fs::write(path, &told).unwrap();
    }
    assert_eq!(told, std::fs::read_to_string(path).unwrap());
}

#[test]
fn no_line_is_wider_than_100_columns() {
    let (told, _) = play::session(Style::Plain);
    let wide: Vec<&str> = told.lines().filter(|line| line.chars().count() > 100).collect();
    assert!(wide.is_empty(), "{wide:#?}");
}

#[test]
fn colours_change_nothing_but_the_colour() {
    let (coloured, _) = play::session(Style::Coloured);
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    plain.push_str(rest);
    assert_eq!(plain, play::session(Style::Plain).0);
}
