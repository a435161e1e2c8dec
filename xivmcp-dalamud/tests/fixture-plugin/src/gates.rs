//! The fixture's gates. All texts, unless the name says otherwise:
//!
//! - `Echo.<type>`: gives back its one argument, for each type.
//! - `Join`: eight arguments of mixed types, as text.
//! - `Panic`, `Fail`, `WrongType`: what a function can do wrong.
//! - `Call` (gate, text): calls a function from text to text, and gives the result as text. `Act` and `Send` likewise.
//! - `CallOften` (gate, text, count): the same call many times; how long all of them took, in nanoseconds.
//! - `Service` (name, JSON): calls a service, and gives the result as text.
//! - `OnFramework`: waits for a framework closure: `ran on it`, `ran elsewhere` or `given up`.
//! - `Later` (action): queues a framework closure that sends `Ran`. `LaterPanics`: one that panics.
//! - `Progress` (action): a task that sends the message `Progress` three times.
//! - `Wait`: calls the service `wait`, where the host may hold it.
//! - `Log` (level, text), `Print` (action).
//! - `Session` (function): where the character is, as text.
//! - `Listen` (gate): subscribes to a message; what arrives is sent on as `Heard`.
//! - `CountUpdates` (action), `Updates` (function): an update handler, and how often it was called.

use std::hint::black_box;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Instant;

use xivmcp_client::PluginContext;
use xivmcp_client::ipc::{IpcError, IpcFunction, IpcGuard, IpcSignature, IpcType, IpcValue};
use xivmcp_client::services::LogLevel;

const TEXT: IpcType = IpcType::Text;

/// Provides all gates.
///
/// # Errors
///
/// That of the first gate that cannot be provided.
pub(crate) fn provide(context: &PluginContext) -> Result<Vec<IpcGuard>, IpcError> {
    let mut guards = Vec::new();
    let name = |gate: &str| format!("{}.{gate}", context.internal_name());
    let mut function = |gate: &str, parameters: &[IpcType], returns, function: IpcFunction| {
        let signature = IpcSignature::new(parameters, returns);
        context.transport.provide_function(&name(gate), &signature, function).map(|guard| guards.push(guard))
    };
    use IpcType::{Bool, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    for echoed in [Bool, I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, TEXT] {
        function(&format!("Echo.{echoed}"), &[echoed], echoed, Arc::new(|values| Ok(values[0].clone())))?;
    }
    let eight = [TEXT, Bool, I8, U16, I32, U64, F32, F64];
    function("Join", &eight, TEXT, Arc::new(|values| Ok(format!("{values:?}").into())))?;
    function("Panic", &[], TEXT, Arc::new(|_| panic!("the fixture panics")))?;
    let (fails, not_ready) = (name("Fail"), name("Elsewhere"));
    function(
        "Fail",
        &[TEXT],
        TEXT,
        Arc::new(move |values| match values[0].as_text() {
            Some("not ready") => Err(IpcError::NotReady { gate: not_ready.clone() }),
            message => Err(IpcError::Failed {
                gate: fails.clone(),
                kind: String::from("FixtureException"),
                message: message.unwrap_or_default().to_owned(),
            }),
        }),
    )?;
    function("WrongType", &[], TEXT, Arc::new(|_| Ok(IpcValue::I32(5))))?;

    let transport = Arc::clone(&context.transport);
    function(
        "Call",
        &[TEXT, TEXT],
        TEXT,
        Arc::new(move |values| {
            let result = transport.call_function(text(&values[0]), &values[1..], TEXT);
            Ok(format!("{result:?}").into())
        }),
    )?;
    let transport = Arc::clone(&context.transport);
    function(
        "CallOften",
        &[TEXT, TEXT, U32],
        U64,
        Arc::new(move |values| {
            let &IpcValue::U32(count) = &values[2] else { return Ok(0_u64.into()) };
            let started = Instant::now();
            for _ in 0..count {
                black_box(transport.call_function(text(&values[0]), black_box(&values[1..2]), TEXT)?);
            }
            Ok(u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX).into())
        }),
    )?;
    let transport = Arc::clone(&context.transport);
    function(
        "Act",
        &[TEXT, TEXT],
        TEXT,
        Arc::new(move |values| {
            let result = transport.call_action(text(&values[0]), &values[1..]);
            Ok(format!("{result:?}").into())
        }),
    )?;
    let transport = Arc::clone(&context.transport);
    function(
        "Send",
        &[TEXT, TEXT],
        TEXT,
        Arc::new(move |values| {
            let result = transport.send_message(text(&values[0]), &values[1..]);
            Ok(format!("{result:?}").into())
        }),
    )?;
    let services = Arc::clone(&context.services);
    function(
        "Service",
        &[TEXT, TEXT],
        TEXT,
        Arc::new(move |values| {
            let result = services.call_service(text(&values[0]), text(&values[1]));
            Ok(format!("{result:?}").into())
        }),
    )?;
    let services = Arc::clone(&context.services);
    function("Wait", &[], TEXT, Arc::new(move |_| Ok(services.call_service("wait", "{}").unwrap_or_default().into())))?;
    let services = Arc::clone(&context.services);
    function("Session", &[], TEXT, Arc::new(move |_| Ok(format!("{:?}", services.session()).into())))?;
    let transport = Arc::clone(&context.transport);
    function(
        "OnFramework",
        &[],
        TEXT,
        Arc::new(move |_| {
            let (sender, receiver) = mpsc::channel();
            let there = Arc::clone(&transport);
            transport.run_on_next_update(Box::new(move || {
                let _ = sender.send(there.is_framework_thread());
            }));
            Ok(match receiver.recv() {
                Ok(true) => "ran on it",
                Ok(false) => "ran elsewhere",
                Err(mpsc::RecvError) => "given up",
            }
            .into())
        }),
    )?;
    let updates = Arc::new(AtomicI32::new(0));
    let counted = Arc::clone(&updates);
    function("Updates", &[], I32, Arc::new(move |_| Ok(counted.load(Ordering::SeqCst).into())))?;

    guards.extend(actions(context, &updates)?);
    Ok(guards)
}

fn actions(context: &PluginContext, updates: &Arc<AtomicI32>) -> Result<Vec<IpcGuard>, IpcError> {
    let name = |gate: &str| format!("{}.{gate}", context.internal_name());
    let (transport, ran) = (Arc::clone(&context.transport), name("Ran"));
    let later = context.transport.provide_action(
        &name("Later"),
        &[],
        Arc::new(move |_| {
            let (sender, ran) = (Arc::clone(&transport), ran.clone());
            transport.run_on_next_update(Box::new(move || {
                let _ = sender.send_message(&ran, &[]);
            }));
            Ok(())
        }),
    )?;
    let transport = Arc::clone(&context.transport);
    let later_panics = context.transport.provide_action(
        &name("LaterPanics"),
        &[],
        Arc::new(move |_| {
            transport.run_on_next_update(Box::new(|| panic!("the closure panics")));
            Ok(())
        }),
    )?;
    let (task_context, gate) = (context.clone(), name("Progress"));
    let progress = context.transport.provide_action(
        &name("Progress"),
        &[],
        Arc::new(move |_| {
            let (context, gate) = (task_context.clone(), gate.clone());
            let runtime = Arc::clone(&context.runtime);
            runtime.spawn(Box::pin(async move {
                for step in 1..=3 {
                    let _ = context.transport.send_message(&gate, &[format!("step {step}").into()]);
                }
            }));
            Ok(())
        }),
    )?;
    let services = Arc::clone(&context.services);
    let write_log = context.transport.provide_action(
        &name("Log"),
        &[TEXT, TEXT],
        Arc::new(move |values| {
            let message = text(&values[1]);
            match text(&values[0]) {
                "tracing" => tracing::warn!(number = 7, "{message}"),
                "log" => log::error!("{message}"),
                "trace" => tracing::trace!("{message}"),
                _ => services.log(LogLevel::Verbose, message),
            }
            Ok(())
        }),
    )?;
    let services = Arc::clone(&context.services);
    let print = context.transport.provide_action(
        &name("Print"),
        &[TEXT],
        Arc::new(move |values| {
            services.print_chat(text(&values[0]));
            Ok(())
        }),
    )?;
    let heard = Arc::new(Mutex::new(Vec::<IpcGuard>::new()));
    let (transport, forward) = (Arc::clone(&context.transport), name("Heard"));
    let listen = context.transport.provide_action(
        &name("Listen"),
        &[TEXT],
        Arc::new(move |values| {
            let (sender, forward) = (Arc::clone(&transport), forward.clone());
            let guard = transport.subscribe(
                text(&values[0]),
                &[TEXT],
                Arc::new(move |message| match text(&message[0]) {
                    "panic" => panic!("the subscriber panics"),
                    _ => sender.send_message(&forward, message),
                }),
            )?;
            heard.lock().map(|mut heard| heard.push(guard)).unwrap_or_default();
            Ok(())
        }),
    )?;
    let (services, counter, kept) = (Arc::clone(&context.services), Arc::clone(updates), Mutex::new(Vec::new()));
    let count_updates = context.transport.provide_action(
        &name("CountUpdates"),
        &[],
        Arc::new(move |_| {
            let counter = Arc::clone(&counter);
            let guard = services.on_update(Arc::new(move || {
                let before = counter.fetch_add(1, Ordering::SeqCst);
                assert!(before != 2, "the third update panics");
            }));
            kept.lock().map(|mut kept| kept.push(guard)).unwrap_or_default();
            Ok(())
        }),
    )?;
    Ok(vec![later, later_panics, progress, write_log, print, listen, count_updates])
}

fn text(value: &IpcValue) -> &str {
    value.as_text().unwrap_or_default()
}
