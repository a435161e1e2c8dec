//! The rules of the gates (R-IPC), on the bus alone.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use xivmcp_client::ipc::{
    FrameworkClosure, IpcAction, IpcError, IpcFunction, IpcSignature, IpcTransport, IpcType, IpcValue,
};

use super::{Bus, Framework, MockTransport};

struct NoFramework;

impl Framework for NoFramework {
    fn run_on_next_update(&self, _owner: &Arc<str>, closure: FrameworkClosure) {
        drop(closure);
    }

    fn is_framework_thread(&self) -> bool {
        false
    }
}

struct World {
    bus: Arc<Bus>,
    panics: Arc<Mutex<Vec<String>>>,
}

impl World {
    fn new() -> Self {
        let panics: Arc<Mutex<Vec<String>>> = Arc::default();
        let told = Arc::clone(&panics);
        let bus = Bus::new(Box::new(|| Duration::ZERO), Box::new(move |text| told.lock().unwrap().push(text)));
        Self { bus, panics }
    }

    fn plugin(&self, name: &str) -> MockTransport {
        MockTransport::new(self.bus.connect(name), Arc::clone(&self.bus), Arc::new(NoFramework))
    }
}

fn giving(value: impl Into<IpcValue>) -> IpcFunction {
    let value = value.into();
    Arc::new(move |_| Ok(value.clone()))
}

fn noting(log: &Arc<Mutex<Vec<String>>>, text: &str) -> IpcAction {
    let (log, text) = (Arc::clone(log), text.to_owned());
    Arc::new(move |_| {
        log.lock().unwrap().push(text.clone());
        Ok(())
    })
}

// R-IPC-1
#[test]
fn a_gate_holds_a_function_an_action_and_subscribers_apart_and_names_compare_with_case() {
    let world = World::new();
    let (a, b) = (world.plugin("A"), world.plugin("B"));
    let log = Arc::default();
    let _function = a.provide_function("A.Gate", &IpcSignature::new([], IpcType::Text), giving("function")).unwrap();
    let _action = a.provide_action("A.Gate", &[], noting(&log, "action")).unwrap();
    let _subscriber = b.subscribe("A.Gate", &[], noting(&log, "message")).unwrap();
    assert_eq!(b.call_function("A.Gate", &[], IpcType::Text).unwrap(), "function".into());
    b.call_action("A.Gate", &[]).unwrap();
    a.send_message("A.Gate", &[]).unwrap();
    assert_eq!(*log.lock().unwrap(), ["action", "message"]);
    assert!(matches!(b.call_action("a.gate", &[]), Err(IpcError::NotReady { gate }) if gate == "a.gate"));
}

// R-IPC-2
#[test]
fn a_gate_without_a_function_or_an_action_is_not_ready_and_the_error_names_it() {
    let world = World::new();
    let a = world.plugin("A");
    let error = a.call_function("B.Nothing", &[], IpcType::Text).unwrap_err();
    assert_eq!(error, IpcError::NotReady { gate: "B.Nothing".to_owned() });
    let _function = a.provide_function("A.F", &IpcSignature::new([], IpcType::Text), giving("")).unwrap();
    assert!(matches!(a.call_action("A.F", &[]), Err(IpcError::NotReady { .. })));
}

// R-IPC-2
#[test]
fn a_call_runs_on_the_thread_of_the_caller() {
    let world = World::new();
    let a = world.plugin("A");
    let seen: Arc<Mutex<Vec<std::thread::ThreadId>>> = Arc::default();
    let note = Arc::clone(&seen);
    let action: IpcAction = Arc::new(move |_| {
        note.lock().unwrap().push(std::thread::current().id());
        Ok(())
    });
    let _action = a.provide_action("A.Act", &[], action).unwrap();
    a.call_action("A.Act", &[]).unwrap();
    let b = world.plugin("B");
    let other = std::thread::spawn(move || {
        b.call_action("A.Act", &[]).unwrap();
        std::thread::current().id()
    });
    let other = other.join().unwrap();
    assert_eq!(*seen.lock().unwrap(), [std::thread::current().id(), other]);
}

// R-IPC-3
#[test]
fn wrong_counts_and_types_fail_with_the_numbers_and_the_place() {
    let world = World::new();
    let a = world.plugin("A");
    let signature = IpcSignature::new([IpcType::Text, IpcType::U8], IpcType::I32);
    let _function = a.provide_function("A.F", &signature, giving(70_000)).unwrap();
    assert_eq!(
        a.call_function("A.F", &["x".into()], IpcType::I32).unwrap_err(),
        IpcError::LengthMismatch { gate: "A.F".to_owned(), given: 1, expected: 2 }
    );
    assert_eq!(
        a.call_function("A.F", &["x".into(), 300i32.into()], IpcType::I32).unwrap_err(),
        IpcError::TypeMismatch {
            gate: "A.F".to_owned(),
            place: "argument 2".to_owned(),
            given: IpcType::I32,
            expected: IpcType::U8
        }
    );
    assert_eq!(
        a.call_function("A.F", &["x".into(), 3i32.into()], IpcType::U16).unwrap_err(),
        IpcError::TypeMismatch {
            gate: "A.F".to_owned(),
            place: "return value".to_owned(),
            given: IpcType::I32,
            expected: IpcType::U16
        }
    );
    assert_eq!(a.call_function("A.F", &["x".into(), 3i32.into()], IpcType::U32).unwrap(), 70_000u32.into());
}

// R-IPC-3
#[test]
fn a_string_gate_gets_strings_as_they_are() {
    let world = World::new();
    let a = world.plugin("A");
    let echo: IpcFunction = Arc::new(|arguments| Ok(arguments[0].clone()));
    let _function = a.provide_function("A.Echo", &IpcSignature::new([IpcType::Text], IpcType::Text), echo).unwrap();
    for text in ["", " \0 ", "\"quoted\"", "キャラ 🐈", "{\"ok\": tru"] {
        assert_eq!(a.call_function("A.Echo", &[text.into()], IpcType::Text).unwrap(), text.into());
    }
}

// R-IPC-4
#[test]
fn providing_again_replaces_and_the_guard_of_the_replaced_one_takes_nothing_away() {
    let world = World::new();
    let a = world.plugin("A");
    let signature = IpcSignature::new([], IpcType::I32);
    let first = a.provide_function("A.F", &signature, giving(1)).unwrap();
    let second = a.provide_function("A.F", &signature, giving(2)).unwrap();
    drop(first);
    assert_eq!(a.call_function("A.F", &[], IpcType::I32).unwrap(), 2i32.into());
    drop(second);
    assert!(matches!(a.call_function("A.F", &[], IpcType::I32), Err(IpcError::NotReady { .. })));
}

// R-IPC-5
#[test]
fn a_failing_subscriber_stops_the_ones_after_it() {
    let world = World::new();
    let a = world.plugin("A");
    let log = Arc::default();
    let failing: IpcAction = Arc::new(|_| {
        Err(IpcError::Failed { gate: "A.M".to_owned(), kind: "Oops".to_owned(), message: "no".to_owned() })
    });
    let _first = a.subscribe("A.M", &[], noting(&log, "first")).unwrap();
    let _second = a.subscribe("A.M", &[], failing).unwrap();
    let _third = a.subscribe("A.M", &[], noting(&log, "third")).unwrap();
    assert!(matches!(a.send_message("A.M", &[]), Err(IpcError::Failed { kind, .. }) if kind == "Oops"));
    assert_eq!(*log.lock().unwrap(), ["first"]);
}

// R-IPC-6
#[test]
fn a_provider_learns_who_calls_and_a_message_has_no_caller() {
    let world = World::new();
    let (a, b) = (world.plugin("A"), world.plugin("B"));
    let inside = a.clone();
    let who: IpcFunction = Arc::new(move |_| Ok(inside.caller().unwrap_or_default().into()));
    let _who = a.provide_function("A.Who", &IpcSignature::new([], IpcType::Text), who).unwrap();
    let between = world.plugin("Between");
    let relay: IpcFunction = Arc::new(move |_| between.call_function("A.Who", &[], IpcType::Text));
    let _relay = a.provide_function("A.Relay", &IpcSignature::new([], IpcType::Text), relay).unwrap();
    assert_eq!(b.call_function("A.Who", &[], IpcType::Text).unwrap(), "B".into());
    assert_eq!(b.call_function("A.Relay", &[], IpcType::Text).unwrap(), "Between".into());

    let heard: Arc<Mutex<Vec<Option<String>>>> = Arc::default();
    let (note, listener) = (Arc::clone(&heard), a.clone());
    let subscriber: IpcAction = Arc::new(move |_| {
        note.lock().unwrap().push(listener.caller());
        Ok(())
    });
    let _listening = a.subscribe("B.M", &[], subscriber).unwrap();
    b.send_message("B.M", &[]).unwrap();
    assert_eq!(*heard.lock().unwrap(), [None]);
    assert_eq!(a.caller(), None);
}

// R-IPC-7
#[test]
fn a_provider_may_take_itself_away_call_others_and_be_called_again_before_it_returns() {
    let world = World::new();
    let a = world.plugin("A");
    let guard = Arc::new(Mutex::new(None));
    let (own_guard, inside, depth) = (Arc::clone(&guard), a.clone(), AtomicUsize::new(0));
    let function: IpcFunction = Arc::new(move |_| {
        if depth.fetch_add(1, Ordering::Relaxed) < 3 {
            return inside.call_function("A.F", &[], IpcType::I32);
        }
        drop(own_guard.lock().unwrap().take());
        assert!(matches!(inside.call_function("A.F", &[], IpcType::I32), Err(IpcError::NotReady { .. })));
        Ok(4i32.into())
    });
    *guard.lock().unwrap() = Some(a.provide_function("A.F", &IpcSignature::new([], IpcType::I32), function).unwrap());
    assert_eq!(a.call_function("A.F", &[], IpcType::I32).unwrap(), 4i32.into());
    assert_eq!(world.bus.traffic().all().iter().map(|entry| entry.depth).max(), Some(4));
}

// R-IPC-8
#[test]
fn any_thread_may_call_provide_and_take_away_at_any_time() {
    let world = World::new();
    std::thread::scope(|scope| {
        for number in 0..4 {
            let plugin = world.plugin(&format!("P{number}"));
            scope.spawn(move || {
                for _ in 0..200 {
                    let signature = IpcSignature::new([], IpcType::Text);
                    let inside = plugin.clone();
                    let who: IpcFunction = Arc::new(move |_| Ok(inside.caller().unwrap_or_default().into()));
                    let _own = plugin.provide_function(&format!("P{number}.F"), &signature, who.clone()).unwrap();
                    let _shared = plugin.provide_function("Shared.F", &signature, who).unwrap();
                    let own = plugin.call_function(&format!("P{number}.F"), &[], IpcType::Text).unwrap();
                    assert_eq!(own, format!("P{number}").into());
                    let _ = plugin.call_function("Shared.F", &[], IpcType::Text);
                }
            });
        }
    });
    assert!(!world.bus.has_function("Shared.F"));
    assert!(world.panics.lock().unwrap().is_empty());
}

#[test]
fn a_panic_at_a_gate_becomes_an_error_and_is_reported() {
    let world = World::new();
    let a = world.plugin("A");
    let function: IpcFunction = Arc::new(|_| panic!("the cat sat on it"));
    let _function = a.provide_function("A.F", &IpcSignature::new([], IpcType::I32), function).unwrap();
    let error = a.call_function("A.F", &[], IpcType::I32).unwrap_err();
    assert!(matches!(&error, IpcError::Failed { kind, message, .. } if kind == "panic" && message.contains("cat")));
    assert!(world.panics.lock().unwrap()[0].contains("A.F"));
    assert_eq!(a.caller(), None);
}

#[test]
fn a_closed_connection_reaches_nothing_and_what_it_left_is_named() {
    let world = World::new();
    let connection = world.bus.connect("A");
    let a = MockTransport::new(Arc::clone(&connection), Arc::clone(&world.bus), Arc::new(NoFramework));
    let kept = a.provide_action("A.Act", &[], noting(&Arc::default(), "")).unwrap();
    connection.close();
    assert_eq!(world.bus.release_owner(connection.number()), ["A.Act"]);
    drop(kept);
    assert!(matches!(a.call_action("A.Act", &[]), Err(IpcError::Closed { gate }) if gate == "A.Act"));
    let parameters = [IpcType::Text; 9];
    let b = world.plugin("B");
    let refused = b.provide_action("B.Act", &parameters, noting(&Arc::default(), ""));
    assert!(matches!(refused, Err(IpcError::Unsupported { reason, .. }) if reason.contains("at most 8")));
}
