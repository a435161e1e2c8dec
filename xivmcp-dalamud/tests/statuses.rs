//! Over the loader: what crosses arrives as it is, and each way in which a call can fail is told apart.

mod support;

use std::sync::Arc;
use std::time::Duration;

use support::{Game, NAME};
use xivmcp_client::ipc::{IpcError, IpcSignature, IpcTransport, IpcType, IpcValue};
use xivmcp_client::services::{LogLevel, ServiceError, Session, SessionEvent};
use xivmcp_dalamud::host::LoadedPlugin;

const LIMIT: Duration = Duration::from_secs(20);

fn loaded() -> (Game, LoadedPlugin) {
    let game = Game::new("");
    let plugin = game.load().expect("the fixture loads");
    (game, plugin)
}

#[test]
fn every_type_goes_there_and_back() {
    let (game, _plugin) = loaded();
    let values: Vec<IpcValue> = vec![
        true.into(),
        i8::MIN.into(),
        u8::MAX.into(),
        i16::MIN.into(),
        u16::MAX.into(),
        i32::MIN.into(),
        u32::MAX.into(),
        i64::MIN.into(),
        u64::MAX.into(),
        f32::MIN_POSITIVE.into(),
        f64::NEG_INFINITY.into(),
        "エオルゼア".into(),
    ];
    for value in values {
        let echoed = value.ipc_type();
        let gate = format!("{NAME}.Echo.{echoed}");
        assert_eq!(game.call_function(&gate, std::slice::from_ref(&value), echoed).as_ref(), Ok(&value));
    }
    let eight = [
        "text".into(),
        false.into(),
        (-1_i8).into(),
        2_u16.into(),
        (-3_i32).into(),
        4_u64.into(),
        0.5_f32.into(),
        0.25_f64.into(),
    ];
    let joined = game.call_function(&format!("{NAME}.Join"), &eight, IpcType::Text).expect("it joins");
    assert_eq!(joined.as_text(), Some(&*format!("{eight:?}")));
}

#[test]
fn text_crosses_byte_for_byte_both_ways() {
    let (game, _plugin) = loaded();
    let seen = Arc::new(std::sync::Mutex::new(String::new()));
    let heard = Arc::clone(&seen);
    let _theirs = game
        .provide_function(
            "Other.Echo",
            &IpcSignature::new([IpcType::Text], IpcType::Text),
            Arc::new(move |values| {
                *heard.lock().expect("no panic here") = values[0].as_text().unwrap_or_default().to_owned();
                Ok(values[0].clone())
            }),
        )
        .expect("the test may provide");
    let long = "長".repeat(350_000);
    for text in ["", "日本語", "🐤🧑‍🌾", "a\0b\0", "\u{feff}\u{202e}x", &long] {
        assert_eq!(game.call("Echo.string", &[text]).as_deref(), Ok(text));
        let answer = game.call("Call", &["Other.Echo", text]).expect("the fixture tells");
        assert_eq!(answer, format!("{:?}", Ok::<_, ()>(IpcValue::from(text))));
        assert_eq!(*seen.lock().expect("no panic here"), text);
    }
}

#[test]
fn a_function_of_the_plugin_that_fails_is_told_by_type_and_text() {
    let (game, _plugin) = loaded();
    let failed = |kind: &str, message: &str, gate: &str| {
        Err(IpcError::Failed { gate: format!("{NAME}.{gate}"), kind: kind.to_owned(), message: message.to_owned() })
    };
    assert_eq!(game.call("Fail", &["no\u{0}pe"]), failed("FixtureException", "no\0pe", "Fail"));
    // What it could not reach itself is its own failure, and does not look as if it were not there.
    let not_there = "nobody provides the gate Fixture.Elsewhere: the plugin that owns it is not loaded";
    assert_eq!(game.call("Fail", &["not ready"]), failed("IpcNotReadyError", not_there, "Fail"));
    let Err(IpcError::TypeMismatch { place, given, expected, .. }) = game.call("WrongType", &[]) else {
        panic!("an integer is no text");
    };
    assert_eq!((&*place, given, expected), ("return value", IpcType::I32, IpcType::Text));
}

#[test]
fn a_panic_in_the_plugin_is_an_error_with_its_place_and_the_plugin_goes_on() {
    let (game, _plugin) = loaded();
    let Err(IpcError::Failed { kind, message, .. }) = game.call("Panic", &[]) else { panic!("it panics") };
    assert_eq!(kind, "panic");
    assert!(message.starts_with("the fixture panics (at ") && message.contains("gates.rs:"), "{message}");
    assert!(
        game.log_lines().iter().any(|(level, line)| *level == LogLevel::Error
            && line.starts_with("panicked at ")
            && line.contains("gates.rs:")
            && line.ends_with(": the fixture panics")),
        "{:?}",
        game.log_lines()
    );
    assert_eq!(game.call("Echo.string", &["still there"]).as_deref(), Ok("still there"));
}

#[test]
fn what_the_plugin_calls_fails_as_the_gate_does() {
    let (game, _plugin) = loaded();
    let text_to_int = IpcSignature::new([IpcType::Text], IpcType::I32);
    let none = IpcSignature::new([], IpcType::Text);
    let text = IpcSignature::new([IpcType::Text], IpcType::Text);
    let _guards = [
        game.provide_function("Other.Int", &text_to_int, Arc::new(|_| Ok(5_i32.into()))),
        game.provide_function("Other.None", &none, Arc::new(|_| Ok("".into()))),
        game.provide_function(
            "Other.Fails",
            &text,
            Arc::new(|_| {
                let kind = String::from("NullReferenceException");
                Err(IpcError::Failed { gate: String::from("Other.Fails"), kind, message: String::from("oh") })
            }),
        ),
        game.provide_function("Other.Panics", &text, Arc::new(|_| std::panic::resume_unwind(Box::new("theirs")))),
        game.provide_function(
            "Other.Mismatch",
            &text,
            Arc::new(|_| {
                Err(IpcError::Mismatch { gate: String::from("Other.Mismatch"), message: String::from("blew up") })
            }),
        ),
        game.provide_action("Other.Act", &[IpcType::Text], Arc::new(|_| Ok(()))),
    ];
    for (gate, error) in [
        ("Nobody", "NotReady { gate: \"Nobody\" }"),
        ("Other.None", "LengthMismatch { gate: \"Other.None\", given: 1, expected: 0 }"),
        ("Other.Int", "TypeMismatch { gate: \"Other.Int\", place: \"return value\", given: Text, expected: I32 }"),
        ("Other.Fails", "Failed { gate: \"Other.Fails\", kind: \"NullReferenceException\", message: \"oh\" }"),
        ("Other.Panics", "Failed { gate: \"Other.Panics\", kind: \"panic\", message: \"theirs\" }"),
        ("Other.Mismatch", "Mismatch { gate: \"Other.Mismatch\", message: \"blew up\" }"),
    ] {
        assert_eq!(game.call("Call", &[gate, "x"]), Ok(format!("Err({error})")));
    }
    assert_eq!(game.call("Act", &["Other.Act", "x"]).as_deref(), Ok("Ok(())"));
    assert_eq!(game.call("Act", &["Nobody", "x"]).as_deref(), Ok("Err(NotReady { gate: \"Nobody\" })"));
    assert_eq!(game.call("Send", &["Nobody", "x"]).as_deref(), Ok("Ok(())"));
}

#[test]
fn a_message_reaches_the_plugin_until_it_fails() {
    let (game, _plugin) = loaded();
    game.act("Listen", &["World.News"]).expect("it listens");
    game.send_message("World.News", &["a moogle, クポ".into()]).expect("the subscriber takes it");
    assert_eq!(game.messages().last().map(String::as_str), Some("Fixture.Heard(a moogle, クポ)"));
    // R-IPC-5: the sender gets the error.
    let error = game.send_message("World.News", &["panic".into()]).expect_err("the subscriber panics");
    assert!(matches!(error, IpcError::Failed { kind, .. } if kind == "panic"));
}

#[test]
fn the_log_has_what_was_logged_with_its_level() {
    let (game, _plugin) = loaded();
    for (way, level, line) in [
        ("tracing", LogLevel::Warning, "xivmcp_fixture_plugin::gates: 日本 number=7"),
        ("log", LogLevel::Error, "xivmcp_fixture_plugin::gates: 日本"),
        ("services", LogLevel::Verbose, "日本"),
    ] {
        game.act("Log", &[way, "日本"]).expect("it logs");
        assert_eq!(game.log_lines().last(), Some(&(level, line.to_owned())));
    }
    game.act("Log", &["trace", "too small to matter"]).expect("it logs");
    assert!(!game.logged("too small to matter"));
}

#[test]
fn the_game_s_services_work_through_the_boundary() {
    let (game, _plugin) = loaded();
    game.act("Print", &["hello, クポ"]).expect("it prints");
    game.type_command("/fixture", "  and more ");
    game.type_command("/fixture", "error");
    game.type_command("/fixture", "panic");
    assert_eq!(game.chat(), ["hello, クポ", "/fixture: and more", "(red) an error"]);
    assert!(game.logged("the command panics"));

    assert_eq!(game.call("Session", &[]), Ok(format!("{:?}", Some(Session::new(132, 54)))));
    for event in [
        SessionEvent::Login(Session::new(1, 2)),
        SessionEvent::TerritoryChanged(Session::new(3, 2)),
        SessionEvent::Logout,
    ] {
        game.session_event(event);
        assert_eq!(game.messages().last(), Some(&format!("Fixture.Session({event:?})")));
    }

    game.act("CountUpdates", &[]).expect("it counts");
    for _ in 0..5 {
        game.frame();
    }
    // The third panicked; the ones after it still came.
    assert_eq!(game.call_function("Fixture.Updates", &[], IpcType::I32), Ok(5_i32.into()));
    assert!(game.logged("the third update panics"));
}

#[test]
fn a_named_service_answers_or_says_why_not() {
    let (game, _plugin) = loaded();
    game.service("upper", |json| Ok(json.to_uppercase()));
    game.service("fails", |_| {
        Err(ServiceError::Failed {
            name: String::from("fails"),
            kind: String::from("KeyNotFoundException"),
            message: String::from("no such key"),
        })
    });
    game.service("panics", |_| std::panic::resume_unwind(Box::new("in the service")));
    for (name, answer) in [
        ("upper", r#"Ok("{\"A\":1}")"#),
        ("nobody", r#"Err(Unknown { name: "nobody" })"#),
        ("fails", r#"Err(Failed { name: "fails", kind: "KeyNotFoundException", message: "no such key" })"#),
        ("panics", r#"Err(Failed { name: "panics", kind: "panic", message: "in the service" })"#),
    ] {
        assert_eq!(game.call("Service", &[name, r#"{"a":1}"#]).as_deref(), Ok(answer));
    }
}

#[test]
fn framework_closures_run_there_and_later() {
    let (game, _plugin) = loaded();
    let waiting = std::thread::spawn({
        let game = game.clone();
        move || game.call("OnFramework", &[])
    });
    game.wait_for_closure();
    game.frame();
    assert_eq!(waiting.join().expect("no panic").as_deref(), Ok("ran on it"));

    // From the framework thread too it waits for the next frame.
    game.on_framework_thread(|| game.act("Later", &[])).expect("it queues");
    assert_eq!(game.messages(), [] as [String; 0]);
    game.frame();
    assert_eq!(game.messages(), ["Fixture.Ran()"]);

    game.act("LaterPanics", &[]).expect("it queues");
    game.act("Later", &[]).expect("it queues");
    game.frame();
    assert_eq!(game.messages(), ["Fixture.Ran()", "Fixture.Ran()"]);
    assert!(game.logged("the closure panics"));
}

#[test]
fn a_closure_that_can_never_run_is_given_up() {
    let (game, _plugin) = loaded();
    let waiting = std::thread::spawn({
        let game = game.clone();
        move || game.call("OnFramework", &[])
    });
    game.wait_for_closure();
    game.give_up_closures();
    assert_eq!(waiting.join().expect("no panic").as_deref(), Ok("given up"));
}

#[test]
fn tasks_report_from_their_threads() {
    let (game, mut plugin) = loaded();
    game.act("Progress", &[]).expect("it starts");
    let messages = game.wait_for_messages(3);
    assert_eq!(messages, ["Fixture.Progress(step 1)", "Fixture.Progress(step 2)", "Fixture.Progress(step 3)"]);
    plugin.stop(LIMIT).expect("nothing is left");
    assert_eq!(game.left_behind(), [] as [String; 0]);
}
