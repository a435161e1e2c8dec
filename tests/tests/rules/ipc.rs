//! SPEC §1: the call gates of Dalamud.

use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::json;
use xivmcp_client::ipc::{IpcAction, IpcError, IpcFunction, IpcSignature, IpcTransport, IpcType, IpcValue};
use xivmcp_mock_host::MockHost;

use crate::support::Stage;

fn says(text: &'static str) -> IpcFunction {
    Arc::new(move |_| Ok(text.into()))
}

fn text_to_text() -> IpcSignature {
    IpcSignature::new([IpcType::Text], IpcType::Text)
}

fn nothing_to_text() -> IpcSignature {
    IpcSignature::new([], IpcType::Text)
}

// R-IPC-1
#[test]
fn one_name_holds_a_function_an_action_and_any_number_of_subscribers_and_case_matters() {
    let host = Stage::new();
    let (a, b) = (host.raw("PlugA"), host.raw("PlugB"));
    let (a, b) = (a.plugin.transport(), b.plugin.transport());
    let log: Arc<Mutex<Vec<&str>>> = Arc::default();
    let notes = |what: &'static str| -> IpcAction {
        let log = Arc::clone(&log);
        Arc::new(move |_| {
            log.lock().unwrap().push(what);
            Ok(())
        })
    };
    let _kept = (
        a.provide_function("Shared.Gate", &nothing_to_text(), says("function")).unwrap(),
        a.provide_action("Shared.Gate", &[], notes("action")).unwrap(),
        a.subscribe("Shared.Gate", &[], notes("first")).unwrap(),
        b.subscribe("Shared.Gate", &[], notes("second")).unwrap(),
        b.subscribe("Shared.Gate", &[], notes("third")).unwrap(),
    );
    assert_eq!(b.call_function("Shared.Gate", &[], IpcType::Text), Ok("function".into()));
    b.call_action("Shared.Gate", &[]).unwrap();
    a.send_message("Shared.Gate", &[]).unwrap();
    assert_eq!(*log.lock().unwrap(), ["action", "first", "second", "third"]);
    let other_case = b.call_function("shared.gate", &[], IpcType::Text);
    assert_eq!(other_case, Err(IpcError::NotReady { gate: "shared.gate".to_owned() }));
}

// R-IPC-2
#[test]
fn a_call_runs_on_the_callers_thread_and_an_absent_gate_is_not_ready() {
    let host = Stage::of(MockHost::live());
    let (a, b) = (host.raw("PlugA"), host.raw("PlugB"));
    let (a, b) = (a.plugin.transport(), b.plugin.transport());
    let on: Arc<Mutex<Vec<thread::ThreadId>>> = Arc::default();
    let seen = Arc::clone(&on);
    let function: IpcFunction = Arc::new(move |_| {
        seen.lock().unwrap().push(thread::current().id());
        Ok("here".into())
    });
    let _guard = a.provide_function("PlugA.Where", &nothing_to_text(), function).unwrap();
    let caller = thread::spawn(move || {
        b.call_function("PlugA.Where", &[], IpcType::Text).unwrap();
        assert_eq!(
            b.call_function("PlugA.Nowhere", &[], IpcType::Text),
            Err(IpcError::NotReady { gate: "PlugA.Nowhere".to_owned() })
        );
        // A function is no action.
        assert_eq!(b.call_action("PlugA.Where", &[]), Err(IpcError::NotReady { gate: "PlugA.Where".to_owned() }));
        thread::current().id()
    });
    let caller = caller.join().unwrap();
    assert_eq!(*on.lock().unwrap(), [caller]);
}

// R-IPC-3
#[test]
fn a_wrong_number_of_arguments_and_a_value_that_cannot_be_converted_fail() {
    let host = Stage::new();
    let raw = host.raw("PlugA");
    let transport = raw.plugin.transport();
    for given in [0, 1, 3] {
        let arguments = vec![IpcValue::from("PlugA"); given];
        let gate = "XivMcp.RegisterTool".to_owned();
        let error = transport.call_function(&gate, &arguments, IpcType::Text).unwrap_err();
        assert_eq!(error, IpcError::LengthMismatch { gate, given, expected: 2 });
    }
    let doubles: IpcFunction = Arc::new(|arguments| match arguments {
        [IpcValue::I32(number)] => Ok((number * 2).into()),
        other => panic!("got {other:?}"),
    });
    let _guard = transport.provide_function("PlugA.Double", &IpcSignature::new([IpcType::I32], IpcType::I32), doubles);
    assert_eq!(transport.call_function("PlugA.Double", &[21i32.into()], IpcType::I32), Ok(42i32.into()));
    let error = transport.call_function("PlugA.Double", &["many".into()], IpcType::I32).unwrap_err();
    assert!(matches!(&error, IpcError::TypeMismatch { gate, .. } if gate == "PlugA.Double"), "{error:?}");
}

// R-IPC-3
#[test]
fn a_string_gate_gets_strings_as_they_are() {
    let host = Stage::new();
    let raw = host.raw("PlugA");
    let transport = raw.plugin.transport();
    let echo: IpcFunction = Arc::new(|arguments| Ok(arguments[0].clone()));
    let _guard = transport.provide_function("PlugA.Echo", &text_to_text(), echo).unwrap();
    for text in ["", " ", "null", "\"quoted\"", "{\"a\": 1.0}", "1", "é\u{0}\u{1F600}\n"] {
        assert_eq!(transport.call_function("PlugA.Echo", &[text.into()], IpcType::Text), Ok(text.into()));
    }
}

// R-IPC-4
#[test]
fn providing_again_replaces_and_taking_away_what_is_not_there_is_no_error() {
    let host = Stage::new();
    let raw = host.raw("PlugA");
    let transport = raw.plugin.transport();
    let call = || transport.call_function("PlugA.Which", &[], IpcType::Text);
    let old = transport.provide_function("PlugA.Which", &nothing_to_text(), says("old")).unwrap();
    let new = transport.provide_function("PlugA.Which", &nothing_to_text(), says("new")).unwrap();
    assert_eq!(call(), Ok("new".into()));
    drop(new);
    assert!(matches!(call(), Err(IpcError::NotReady { .. })), "the one before does not come back");
    drop(old);
    assert!(matches!(call(), Err(IpcError::NotReady { .. })));
}

// R-IPC-5
#[test]
fn subscribers_are_called_in_their_order_and_one_that_fails_stops_those_after_it() {
    let host = Stage::new();
    let raws = ["PlugA", "PlugB", "PlugC"].map(|name| host.raw(name));
    let log: Arc<Mutex<Vec<usize>>> = Arc::default();
    let fails: Arc<Mutex<Option<usize>>> = Arc::default();
    let order = [2, 0, 1];
    let _guards: Vec<_> = order
        .into_iter()
        .map(|place| {
            let (log, fails) = (Arc::clone(&log), Arc::clone(&fails));
            let action: IpcAction = Arc::new(move |_| {
                log.lock().unwrap().push(place);
                match *fails.lock().unwrap() {
                    Some(failing) if failing == place => Err(IpcError::Failed {
                        gate: "Shared.News".to_owned(),
                        kind: "TestException".to_owned(),
                        message: "no".to_owned(),
                    }),
                    _ => Ok(()),
                }
            });
            raws[place].plugin.transport().subscribe("Shared.News", &[], action).unwrap()
        })
        .collect();
    let sender = raws[1].plugin.transport();
    sender.send_message("Shared.News", &[]).unwrap();
    assert_eq!(std::mem::take(&mut *log.lock().unwrap()), order);
    *fails.lock().unwrap() = Some(0);
    assert!(matches!(sender.send_message("Shared.News", &[]), Err(IpcError::Failed { .. })));
    assert_eq!(*log.lock().unwrap(), [2, 0]);
    assert_eq!(sender.send_message("Shared.Nobody", &[]), Ok(()), "a message without subscribers reaches nobody");
}

// R-IPC-6
#[test]
fn a_provider_learns_who_calls_and_a_message_carries_no_caller() {
    let host = Stage::new();
    let (a, b) = (host.raw("PlugA"), host.raw("PlugB"));
    let (a, b) = (a.plugin.transport(), b.plugin.transport());
    let heard: Arc<Mutex<Vec<Option<String>>>> = Arc::default();
    let (log, own) = (Arc::clone(&heard), a.clone());
    let action: IpcAction = Arc::new(move |_| {
        log.lock().unwrap().push(own.caller());
        Ok(())
    });
    let own = a.clone();
    let asks: IpcFunction = Arc::new(move |_| {
        let caller = own.caller().unwrap_or_default();
        own.send_message("PlugA.News", &[])?;
        assert_eq!(own.caller().as_deref(), Some(&*caller), "the caller is the same after the message");
        Ok(caller.into())
    });
    let _kept = (
        a.subscribe("PlugA.News", &[], action).unwrap(),
        a.provide_function("PlugA.Who", &nothing_to_text(), asks).unwrap(),
    );
    assert_eq!(b.call_function("PlugA.Who", &[], IpcType::Text), Ok("PlugB".into()));
    b.send_message("PlugA.News", &[]).unwrap();
    assert_eq!(*heard.lock().unwrap(), [None, None], "neither inside a call nor outside");
    assert_eq!(a.caller(), None);
}

// R-IPC-7
#[test]
fn calls_nest_and_a_provider_may_be_called_again_before_it_returns() {
    let host = Stage::new();
    let (a, b) = (host.raw("PlugA"), host.raw("PlugB"));
    let (a, b) = (a.plugin.transport(), b.plugin.transport());
    let own = a.clone();
    let down: IpcFunction = Arc::new(move |arguments| {
        let IpcValue::I32(depth) = arguments[0] else { panic!("a number") };
        if depth == 0 {
            return Ok(own.caller().unwrap_or_default().into());
        }
        own.call_function("PlugB.Through", &[(depth - 1).into()], IpcType::Text)
    });
    let own = b.clone();
    let through: IpcFunction = Arc::new(move |arguments| own.call_function("PlugA.Down", arguments, IpcType::Text));
    let signature = IpcSignature::new([IpcType::I32], IpcType::Text);
    let _kept = (
        a.provide_function("PlugA.Down", &signature, down).unwrap(),
        b.provide_function("PlugB.Through", &signature, through).unwrap(),
    );
    assert_eq!(a.call_function("PlugA.Down", &[8i32.into()], IpcType::Text), Ok("PlugB".into()));
    assert_eq!(a.call_function("PlugA.Down", &[0i32.into()], IpcType::Text), Ok("PlugA".into()));
}

// R-IPC-8
#[test]
fn any_thread_may_call_any_gate_at_any_time() {
    let host = Stage::of(MockHost::live());
    let raw = host.raw("PlugA");
    thread::scope(|scope| {
        for thread in 0..8 {
            let raw = &raw;
            scope.spawn(move || {
                for round in 0..20 {
                    let name = format!("pluga_{thread}_{round}");
                    raw.register(json!({"name": name, "description": "d", "readOnly": true}));
                    raw.status();
                    if round % 2 == 0 {
                        assert_eq!(raw.ok("UnregisterTool", &[raw.name(), json!(name)])["removed"], true);
                    }
                }
            });
        }
    });
    assert_eq!(raw.status()["tools"].as_array().unwrap().len(), 8 * 10);
    assert_eq!(raw.ok("UnregisterAll", &[raw.name()])["removed"], 80);
}
