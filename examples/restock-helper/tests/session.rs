//! The session that the example prints, pinned.

#[path = "../examples/session/play.rs"]
mod play;
#[path = "../../hello-mcp/examples/session/transcript.rs"]
mod transcript;

use transcript::Style;

/// To take over a wanted change: `UPDATE_SESSION=1 cargo test -p restock-helper --test session`.
#[test]
fn the_session_is_told_as_it_always_was() {
    let told = play::session(Style::Plain);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/session.txt");
    if std::env::var_os("UPDATE_SESSION").is_some() {
        std::fs::write(path, &told).unwrap();
    }
    assert_eq!(told, std::fs::read_to_string(path).unwrap());
}

#[test]
fn colours_are_there_when_they_are_wanted() {
    assert!(play::session(Style::Coloured).contains("\x1b["));
}
