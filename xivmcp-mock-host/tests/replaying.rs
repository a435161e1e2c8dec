//! The scenario runner as SCENARIO.md describes it, and that no scenario brings it down.

use std::sync::mpsc;
use std::time::Duration;

use proptest::prelude::*;
use xivmcp_mock_host::scenario::Scenario;

/// A plugin with a tool that is enabled; what it answers comes behind it.
const ENABLED: &str = r#"{"install": "A", "name": "Plugin A"}
{"gate": "RegisterTool", "as": "A", "args": ["A", {"name": "a_read", "description": "x", "readOnly": true}], "expect": {"ok": true}}
{"player": "enable", "plugin": "A"}
"#;

fn mismatches(text: &str) -> Vec<String> {
    Scenario::parse(text).unwrap().play(|_| {}).iter().map(ToString::to_string).collect()
}

fn holds(text: &str) {
    assert_eq!(mismatches(&format!("{ENABLED}{text}")), [""; 0]);
}

/// Scenarios whose expectation must not hold; a runner that lets everything pass would hold them all.
fn differs(text: &str) {
    assert_ne!(mismatches(&format!("{ENABLED}{text}")), [""; 0], "this must not hold: {text}");
}

#[test]
fn a_bad_line_anywhere_says_its_number_and_the_reason() {
    let cases = [
        ("{\"advance\": \"1s\"}\r\n\r\n  # indented comment\r\n{\"advance\": 3}", 4, "`advance` must be text"),
        ("{\"job\": \"x\", \"expect\": 1", 1, "no JSON"),
        ("\n\n[1]", 3, "an object is needed"),
        ("{\"host\": \"reload\"}", 1, "unload, load"),
        ("{\"subscribe\": \"Gone\", \"as\": \"A\"}", 1, "Ready, Disposing"),
        ("{\"player\": \"answer\", \"with\": \"yes\"}", 1, "once, session, always, denied"),
        ("{\"assistant\": \"outcome\"}", 1, "`id` is missing"),
        ("{\"builtin\": \"wait\", \"takes\": \"soon\"}", 1, "30s"),
        ("{\"gate\": \"GetJob\", \"as\": \"A\", \"args\": \"x\"}", 1, "must be an array"),
        ("{\"job\": \"x\", \"expect\": {\"name\": \"/[/\"}}", 1, "no regular expression"),
        (
            "{\"job\": \"${later.job.id}\"}\n{\"advance\": \"1s\", \"save\": \"later\"}",
            1,
            "no step before saves `later`",
        ),
    ];
    for (text, line, reason) in cases {
        let bad = Scenario::parse(text).unwrap_err();
        assert_eq!(bad.line, line, "{text}: {bad}");
        assert!(bad.reason.contains(reason), "{text}: {bad}");
    }
}

#[test]
fn what_was_saved_is_put_in_alone_with_its_type_and_inside_a_text_as_text() {
    holds(
        r#"{"provide": "Invoke", "as": "A", "reply": {"result": {"list": [{"n": 7}], "text": "seven"}}}
{"assistant": "call", "tool": "a_read", "save": "o"}
{"provide": "Invoke", "as": "A", "reply": {"result": 1}}
{"calls": "A"}
{"assistant": "call", "tool": "a_read", "args": {"n": "${o.result.list.0.n}", "t": "n=${o.result.list.0.n} ${o.result.text}", "all": "${o.result.list}"}}
{"calls": "A", "expect": [{"args": {"n": 7, "t": "n=7 seven", "all": [{"n": 7}]}}]}"#,
    );
    let missing = r#"{"gate": "ApiVersion", "as": "A", "save": "v"}
{"job": "${v.nothing}"}"#;
    assert!(mismatches(missing)[0].starts_with("line 2:"), "{:?}", mismatches(missing));
}

#[test]
fn marks_match_as_the_format_says_and_doubled_ones_are_literals() {
    let reply = r#"{"provide": "Invoke", "as": "A", "reply": {"result": {"tilde": "~x", "slash": "/x/", "star": "*", "word": "Hello World", "null": null, "list": [1, 2], "no": false}}}
"#;
    let expecting = |expected: &str| {
        format!("{reply}{{\"assistant\": \"call\", \"tool\": \"a_read\", \"expect\": {{\"result\": {expected}}}}}")
    };
    let good = [
        r#"{"tilde": "~~x", "slash": "//x/", "star": "**"}"#,
        r#"{"word": "~WORLD", "null": null, "no": "*"}"#,
        r#"{"word": "/o W/"}"#,
        r#"{"null": {"$absent": true}, "other": {"$absent": true}}"#,
        r#"{"list": {"$has": 2}}"#,
        r#"{"list": [1, "*"]}"#,
        r#""*""#,
    ];
    for expected in good {
        holds(&expecting(expected));
    }
    let bad = [
        r#"{"tilde": "~~y"}"#,
        r#"{"word": "//o W/"}"#,
        r#"{"word": "**"}"#,
        r#"{"word": "hello world"}"#,
        r#"{"word": "/^World/"}"#,
        r#"{"null": "*"}"#,
        r#"{"other": "*"}"#,
        r#"{"no": {"$absent": true}}"#,
        r#"{"list": {"$has": 3}}"#,
        r#"{"list": [1]}"#,
        r#"{"list": [2, 1]}"#,
        r#"{"list": {"$has": [1, 2]}}"#,
        r#"{"list": {}}"#,
    ];
    for expected in bad {
        differs(&expecting(expected));
    }
}

#[test]
fn what_a_name_gives_is_expected_as_it_is_and_a_mark_before_it_is_a_mark() {
    let saved = |text: &str| {
        format!(
            "{}\n{}\n",
            format_args!("{{\"provide\": \"Invoke\", \"as\": \"A\", \"reply\": {{\"result\": {text}}}}}"),
            r#"{"assistant": "call", "tool": "a_read", "save": "o"}"#
        )
    };
    let answers = |text: &str, expected: &str| {
        format!(
            "{{\"provide\": \"Invoke\", \"as\": \"A\", \"reply\": {{\"result\": {text}}}}}\n\
             {{\"assistant\": \"call\", \"tool\": \"a_read\", \"expect\": {{\"result\": {expected}}}}}"
        )
    };
    for text in [r#""~x""#, r#""/x/""#, r#""*""#, r#"["~x", {"a": "**"}]"#] {
        holds(&format!("{}{}", saved(text), answers(text, r#""${o.result}""#)));
    }
    differs(&format!("{}{}", saved(r#""~x""#), answers(r#""a x""#, r#""${o.result}""#)));
    differs(&format!("{}{}", saved(r#""*""#), answers(r#""a""#, r#""${o.result}""#)));
    holds(&format!("{}{}", saved(r#""x""#), answers(r#""a x b""#, r#""~${o.result}""#)));
}

#[test]
fn every_mismatch_is_told_and_the_steps_behind_it_are_played() {
    let text = format!(
        "{ENABLED}{}",
        r#"{"gate": "ApiVersion", "as": "A", "expect": 3}
{"gate": "IsReady", "as": "A", "expect": false}
{"gate": "ApiVersion", "as": "A", "expect": 2}"#
    );
    let scenario = Scenario::parse(&text).unwrap();
    let mut played = Vec::new();
    let lines: Vec<usize> = scenario.play(|step| played.push(step.line)).iter().map(|wrong| wrong.line).collect();
    assert_eq!((played, lines), (vec![1, 2, 3, 4, 5, 6], vec![4, 5]));
}

#[test]
fn a_change_of_an_entry_keeps_what_is_not_given() {
    let text = r#"{"install": "B", "name": "Bee", "version": "2.0", "loaded": false}
{"install": "B", "version": "3.0"}
{"gate": "DeclareDependencies", "as": "A", "args": ["A", {"tools": [{"tool": "b_go", "plugin": "B", "name": "Bee", "repo": "official", "minVersion": "3.0"}]}], "expect": {"dependencies": [{"state": "plugin_not_loaded"}]}}
{"install": "B", "loaded": true}
{"gate": "GetStatus", "as": "A", "args": ["A"], "expect": {"dependencies": [{"state": "tool_missing"}]}}"#;
    holds(text);
}

#[test]
fn a_call_that_starts_itself_again_and_again_ends_with_a_mismatch() {
    let text = format!(
        "{ENABLED}{}",
        r#"{"provide": "Invoke", "as": "A", "reply": {"result": 1}, "during": [{"gate": "StartJob", "as": "A", "args": ["A", {"name": "J", "steps": [{"tool": "a_read"}]}]}]}
{"assistant": "call", "tool": "a_read", "expect": {"result": 1}}
{"gate": "ApiVersion", "as": "A", "expect": 2}"#
    );
    let found = mismatches(&text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("line 4: `during` was played"), "{found:?}");
}

/// Lines that do something together, whatever is done to them.
const LINES: &[&str] = &[
    r#"{"install": "A", "name": "Plugin A", "version": "1.0.0", "loaded": true}"#,
    r#"{"install": "A", "loaded": false}"#,
    r#"{"uninstall": "A"}"#,
    r#"{"gate": "RegisterTool", "as": "A", "args": ["A", {"name": "a_read", "description": "x", "readOnly": true}], "save": "s"}"#,
    r#"{"gate": "RegisterTool", "as": "A", "args": ["A", {"name": "a_act", "description": "x", "capabilities": ["spend_gil", "discard_items"]}]}"#,
    r#"{"gate": "StartJob", "as": "A", "args": ["A", {"name": "J", "steps": [{"tool": "a_read"}, {"tool": "a_act", "args": {"x": "{{s1.y}}"}}, {"tool": "wait", "args": {"seconds": 60}}]}], "save": "s"}"#,
    r#"{"gate": "PauseJob", "as": "A", "args": ["${s.job.id}"]}"#,
    r#"{"gate": "ResumeJob", "as": "A", "args": ["J"]}"#,
    r#"{"gate": "CancelJob", "as": "A", "args": ["J"]}"#,
    r#"{"gate": "CompleteCall", "as": "A", "args": ["${s.0.callId}", "1"]}"#,
    r#"{"provide": "Invoke", "as": "A", "reply": {"pending": true}}"#,
    r#"{"provide": "Invoke", "as": "A", "reply": {"result": {"y": 1}}, "during": [{"gate": "RequestApproval", "as": "A", "args": ["${callId}", {"capability": "spend_gil", "summary": "x"}], "save": "s"}]}"#,
    r#"{"provide": "Invoke", "as": "A", "fails": "x", "during": [{"gate": "StartJob", "as": "A", "args": ["A", {"name": "J", "steps": [{"tool": "a_read"}]}]}, {"gate": "ResumeJob", "as": "A", "args": ["J"]}]}"#,
    r#"{"provide": "Cancel", "as": "A", "during": [{"gate": "FailCall", "as": "A", "args": ["${callId}", "x"]}, {"gate": "ResumeJob", "as": "A", "args": ["J"]}]}"#,
    r#"{"unprovide": "Invoke", "as": "A"}"#,
    r#"{"player": "enable", "plugin": "A"}"#,
    r#"{"player": "keep_disabled", "plugin": "A"}"#,
    r#"{"player": "lift", "plugin": "A"}"#,
    r#"{"player": "set", "plugin": "A", "tool": "a_act", "mode": "allow"}"#,
    r#"{"player": "set", "plugin": "A", "capability": "read_game", "mode": "ask"}"#,
    r#"{"player": "set", "group": "jobs", "on": false}"#,
    r#"{"player": "answer", "with": "session"}"#,
    r#"{"player": "questions", "save": "s"}"#,
    r#"{"assistant": "tools", "all": true, "save": "s"}"#,
    r#"{"assistant": "call", "tool": "a_read", "args": {"x": 1}, "id": "c", "save": "s"}"#,
    r#"{"assistant": "call", "tool": "a_act", "id": "c"}"#,
    r#"{"assistant": "call", "tool": "wait", "args": {"seconds": 5}, "id": "c"}"#,
    r#"{"assistant": "give_up", "id": "c"}"#,
    r#"{"assistant": "outcome", "id": "c", "expect": {"result": {"$has": "/x/"}}}"#,
    r#"{"assistant": "update_job", "job": "J", "action": "retry", "resume": true}"#,
    r#"{"assistant": "update_job", "job": "J", "action": "replace_remaining", "steps": [{"tool": "a_read"}], "resume": true}"#,
    r#"{"builtin": "wait", "result": {"x": 1}, "takes": "30s"}"#,
    r#"{"game": {"gil": -100, "items": -1, "chat": 1, "currency": {"28": -5}, "zone": 130, "loggedIn": false}}"#,
    r#"{"job": "${s.job.id}", "expect": {"log": ["~x"]}}"#,
    r#"{"calls": "A", "save": "s"}"#,
    r#"{"audit": "A", "all": true}"#,
    r#"{"advance": "2m"}"#,
    r#"{"advance": "8d"}"#,
    r#"{"host": "unload"}"#,
    r#"{"host": "load"}"#,
    r#"{"subscribe": "Ready", "as": "A", "during": [{"gate": "UnregisterAll", "as": "A", "args": ["A"]}]}"#,
    r#"{"subscribe": "Disposing", "as": "A", "during": [{"gate": "CancelJob", "as": "A", "args": ["J"]}]}"#,
];

/// Pieces to put into lines.
const PIECES: &[&str] = &[
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "-1",
    "1e999",
    "99999999999999999999",
    "\\u0000",
    "\\ud800",
    "🦀",
    "${s}",
    "${s.",
    "${callId}",
    "{{s1.y}}",
    "*",
    "~",
    "/(/",
    "10000d",
    "XivMcp",
    "\"expect\": ",
    "#",
    "  ",
];

/// A line with something put in, taken out, or nothing done to it.
fn line() -> impl Strategy<Value = String> {
    let cut = (any::<prop::sample::Index>(), 0_usize..6, prop::option::of(prop::sample::select(PIECES)));
    (prop::sample::select(LINES), prop::option::weighted(0.2, cut)).prop_map(|(line, change)| {
        let Some((place, removed, piece)) = change else { return line.to_owned() };
        let characters: Vec<char> = line.chars().collect();
        let from = place.index(characters.len());
        let to = (from + removed).min(characters.len());
        let before = characters[..from].iter();
        let behind = characters[to..].iter();
        before.copied().chain(piece.unwrap_or_default().chars()).chain(behind.copied()).collect()
    })
}

/// Plays what can be played: the lines that are steps, each with the names that it may use.
fn play(lines: &[String]) -> Result<(), String> {
    let mut text = format!("{}\n{{\"gate\": \"ApiVersion\", \"as\": \"A\", \"save\": \"s\"}}\n", LINES[0]);
    for line in lines {
        let longer = format!("{text}{line}\n");
        match Scenario::parse(&longer) {
            Ok(_) => text = longer,
            Err(bad) if bad.reason.is_empty() => return Err(format!("no reason for {line}")),
            Err(_) => {}
        }
    }
    let scenario = Scenario::parse(&text).map_err(|bad| bad.to_string())?;
    let (done, ended) = mpsc::channel();
    std::thread::spawn(move || {
        let mut played = 0;
        let mismatches = scenario.play(|_| played += 1);
        let _ = done.send((played, scenario.len(), mismatches));
    });
    // Only what hangs waits so long.
    let (played, steps, mismatches) = ended
        .recv_timeout(Duration::from_secs(60))
        .map_err(|error| format!("{error}: it hangs or has panicked:\n{text}"))?;
    if played != steps {
        return Err(format!("{played} of {steps} steps were played:\n{text}"));
    }
    match mismatches
        .iter()
        .find(|mismatch| mismatch.message.contains("the host failed") || mismatch.message.contains("panicked"))
    {
        Some(failed) => Err(format!("{failed}\n{text}")),
        None => Ok(()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn nothing_about_a_scenario_brings_the_program_down(lines in prop::collection::vec(line(), 1..40)) {
        prop_assert_eq!(play(&lines), Ok(()));
    }

    #[test]
    fn any_text_is_a_scenario_or_has_a_bad_line(text in "(\\PC|\n|[{}\":,\\[\\]]){0,200}") {
        if let Err(bad) = Scenario::parse(&text) {
            prop_assert!(bad.line >= 1 && !bad.reason.is_empty());
        }
    }
}
