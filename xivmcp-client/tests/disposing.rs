//! Ending a client: on each thread, from inside each kind of code, and with handlers that do not end.

mod support;

use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use support::{End, Host, LONG, reading};
use xivmcp_client::{
    AddToolError, ClientError, ClientHandle, DisposeReport, McpCall, McpDependency, McpPluginState, PendingCounts,
    XivMcpClient,
};

fn one() -> Result<u32, xivmcp_client::McpToolError> {
    Ok(1)
}

fn with_limit(host: &Arc<Host>, limit: Duration) -> XivMcpClient {
    XivMcpClient::builder(host.clone()).dispose_limit(limit).connect().unwrap()
}

// R-CLI-11
#[test]
fn dispose_cancels_unregisters_takes_the_gates_away_and_waits() {
    let host = Host::new();
    let client = with_limit(&host, LONG);
    client
        .add_long_running_tool(reading("waits_long"), async |call: McpCall| {
            Ok(call.sleep(Duration::from_secs(3600)).await?)
        })
        .unwrap();
    host.start("1", "waits_long");
    host.heard();
    assert!(client.dispose().is_clean());
    assert_eq!(host.ends("1"), [End::Failed("The call was cancelled.".to_owned())]);
    assert!(host.heard().contains(&"UnregisterAll MyPlugin".to_owned()));
    assert!(host.provided().is_empty() && host.tools().is_empty());
    assert_eq!(client.pending(), PendingCounts::default());
    assert_eq!(client.dispose(), DisposeReport::default());
    assert!(host.heard().is_empty(), "twice is once");
}

// R-CLI-11
#[test]
fn after_dispose_methods_say_so() {
    let host = Host::new();
    let client = host.client();
    let handle = client.handle();
    drop(client);
    assert!(handle.is_disposed());
    assert!(!handle.is_available());
    assert!(!handle.remove_tool("tool_a"));
    assert!(matches!(handle.add_tool(reading("tool_a"), one), Err(AddToolError::Disposed { .. })));
    assert_eq!(handle.uses_tools([McpDependency::built_in("wait")]), Err(ClientError::Disposed));
    assert_eq!(handle.list_jobs(), Err(ClientError::Disposed));
    assert_eq!(handle.get_status().state, McpPluginState::Unavailable);
    assert_eq!(handle.pending(), PendingCounts::default());
}

// R-CLI-11
#[test]
fn on_the_framework_thread_dispose_runs_what_handlers_have_for_it() {
    let host = Host::new();
    let client = with_limit(&host, LONG);
    let log = Arc::new(Mutex::new(Vec::new()));
    let stopped = log.clone();
    let framework = thread::current().id();
    client
        .add_long_running_tool(reading("farms_zone"), async move |call: McpCall| {
            let stop = move |()| stopped.lock().unwrap().push(thread::current().id() == framework);
            let _farm = call.framework_guard(|| (), stop).await?;
            let waited = call.sleep(Duration::from_secs(3600)).await;
            // Cleaning up by hand, after the cancellation, on a worker.
            let place = call.on_framework_thread(move || thread::current().id() == framework).await?;
            assert!(place);
            Ok(waited?)
        })
        .unwrap();
    host.start("1", "farms_zone");
    assert!(client.dispose().is_clean());
    assert_eq!(*log.lock().unwrap(), [true]);
    assert_eq!(host.ends("1"), [End::Failed("The call was cancelled.".to_owned())]);
    assert_eq!(client.pending(), PendingCounts::default());
    host.update();
}

// R-CLI-11
#[test]
fn elsewhere_dispose_waits_while_the_frames_go_on() {
    let host = Host::new();
    let client = with_limit(&host, LONG);
    let stopped = Arc::new(AtomicBool::new(false));
    let stops = stopped.clone();
    client
        .add_long_running_tool(reading("farms_zone"), async move |call: McpCall| {
            let _farm = call.framework_guard(|| (), move |()| stops.store(true, Ordering::SeqCst)).await?;
            Ok(call.sleep(Duration::from_secs(3600)).await?)
        })
        .unwrap();
    host.start("1", "farms_zone");
    let disposing = thread::spawn(move || {
        let report = client.dispose();
        drop(client);
        report
    });
    host.wait_until("dispose", || disposing.is_finished());
    assert!(disposing.join().unwrap().is_clean());
    assert!(stopped.load(Ordering::SeqCst));
}

// R-CLI-11
#[test]
fn a_handler_that_does_not_end_is_given_up_and_named() {
    let host = Host::new();
    let client = with_limit(&host, Duration::from_millis(20));
    client.add_long_running_tool(reading("never_ends"), async || Ok(pending::<u8>().await)).unwrap();
    client.add_long_running_tool(reading("stuck_too"), async |_: McpCall| Ok(pending::<u8>().await)).unwrap();
    host.start("1", "stuck_too");
    host.start("2", "never_ends");
    let report = client.dispose();
    assert_eq!(report.given_up, ["never_ends", "stuck_too"]);
    let end = End::Failed("never_ends did not stop in time: its plugin is unloading.".to_owned());
    assert_eq!(host.ends("2"), [end]);
    assert_eq!(client.pending(), PendingCounts::default());
    drop(client);
    assert_eq!(host.end_count(), 2, "each call ends once");
}

#[test]
fn a_handler_that_floods_the_framework_thread_does_not_hold_dispose_for_ever() {
    let host = Host::new();
    let client = with_limit(&host, Duration::from_millis(50));
    client
        .add_long_running_tool(reading("floods_frames"), async |call: McpCall| -> support::Nothing {
            loop {
                call.on_framework_thread(|| ()).await?;
                call.run_until_cancelled(pending::<()>()).await.ok();
                call.blocking(|| ()).await.ok();
            }
        })
        .unwrap();
    host.start("1", "floods_frames");
    let before = Instant::now();
    let report = client.dispose();
    assert_eq!(report.given_up, ["floods_frames"]);
    assert!(before.elapsed() < LONG);
    // Its queue is closed: the next round ends it.
    drop(client);
    assert_eq!(host.end_count(), 1);
}

// R-CLI-11, R-CLI-12
#[test]
fn inside_a_quick_handler_dispose_does_not_wait_for_it() {
    let host = Host::new();
    let client = with_limit(&host, LONG);
    client
        .add_tool(reading("ends_client"), |call: McpCall| {
            let report = call.client().dispose();
            Ok(report.is_clean())
        })
        .unwrap();
    assert_eq!(host.invoke("1", "ends_client", "{}"), json!({ "result": true }));
    assert_eq!(client.pending(), PendingCounts::default());
}

// R-CLI-11, R-CLI-12
#[test]
fn inside_a_long_handler_dispose_waits_for_the_others_and_the_handler_ends_normally() {
    let host = Host::new();
    let client = with_limit(&host, LONG);
    client
        .add_long_running_tool(reading("ends_client"), async |call: McpCall| {
            call.sleep(Duration::from_millis(1)).await?;
            let clean = call.client().dispose().is_clean();
            let there = call.on_framework_thread(|| true).await?;
            Ok((clean, there))
        })
        .unwrap();
    client
        .add_long_running_tool(reading("waits_long"), async |call: McpCall| {
            Ok(call.sleep(Duration::from_secs(3600)).await?)
        })
        .unwrap();
    host.start("2", "waits_long");
    host.start("1", "ends_client");
    assert_eq!(host.end_of("1"), End::Completed("[true,true]".to_owned()));
    assert_eq!(host.ends("2"), [End::Failed("The call was cancelled.".to_owned())]);
    host.wait_until("the end", || client.pending() == PendingCounts::default());
}

// R-CLI-11, R-CLI-12
#[test]
fn the_owner_may_be_dropped_inside_its_own_handler_closure_and_blocking_work() {
    for place in ["handler", "frame", "blocking"] {
        let host = Host::new();
        let client = with_limit(&host, LONG);
        let owner = Arc::new(Mutex::new(None::<XivMcpClient>));
        let held = owner.clone();
        client
            .add_long_running_tool(reading("drops_owner"), async move |call: McpCall| {
                call.sleep(Duration::from_millis(1)).await?;
                let drop_owner = move || drop(held.lock().unwrap().take());
                match place {
                    "handler" => drop_owner(),
                    "frame" => call.on_framework_thread(drop_owner).await?,
                    _ => call.blocking(drop_owner).await?,
                }
                Ok(())
            })
            .unwrap();
        let handle = client.handle();
        *owner.lock().unwrap() = Some(client);
        let before = Instant::now();
        host.start("1", "drops_owner");
        host.wait_until("the drop", || handle.is_disposed() && handle.pending() == PendingCounts::default());
        assert!(before.elapsed() < LONG, "{place}");
        assert_eq!(host.ends("1").len(), 1, "{place}");
    }
}

// R-CLI-12
#[test]
fn the_callback_for_refusals_may_dispose() {
    let host = Host::new();
    host.script(|gate, _| (gate == "RegisterTool").then(|| xivmcp_client::protocol::envelope::error("no")));
    let own = Arc::new(Mutex::new(None::<ClientHandle>));
    let inside = own.clone();
    let client = XivMcpClient::builder(host.clone())
        .on_registration_failed(move |_| {
            let client = inside.lock().unwrap().clone().unwrap();
            assert!(client.dispose().is_clean());
        })
        .connect()
        .unwrap();
    *own.lock().unwrap() = Some(client.handle());
    client.add_tool(reading("tool_a"), one).unwrap();
    assert_eq!(host.heard().last().unwrap(), "UnregisterAll MyPlugin");
    assert_eq!(client.pending(), PendingCounts::default());
}

#[test]
fn where_the_frames_are_over_dispose_elsewhere_does_not_wait_for_them() {
    let host = Host::new();
    let client = with_limit(&host, LONG);
    let (told, tells) = mpsc::channel();
    client
        .add_long_running_tool(reading("needs_frames"), async move |call: McpCall| {
            call.sleep(Duration::from_millis(1)).await?;
            told.send(()).unwrap();
            let last = call.on_framework_thread(|| ()).await;
            Ok(last?)
        })
        .unwrap();
    host.start("1", "needs_frames");
    tells.recv_timeout(LONG).unwrap();
    host.refuse_closures();
    let report = thread::spawn(move || client.dispose()).join().unwrap();
    assert!(report.is_clean());
    assert_eq!(host.ends("1"), [End::Failed("The call was cancelled.".to_owned())]);
}

#[test]
fn where_the_frames_are_over_dispose_on_the_framework_thread_still_stops_safely() {
    let host = Host::new();
    let client = with_limit(&host, LONG);
    let stopped = Arc::new(AtomicBool::new(false));
    let stops = stopped.clone();
    client
        .add_long_running_tool(reading("farms_zone"), async move |call: McpCall| {
            let _farm = call.framework_guard(|| (), move |()| stops.store(true, Ordering::SeqCst)).await?;
            Ok(call.sleep(Duration::from_secs(3600)).await?)
        })
        .unwrap();
    host.start("1", "farms_zone");
    host.refuse_closures();
    assert!(client.dispose().is_clean());
    assert!(stopped.load(Ordering::SeqCst));
}

#[test]
fn a_client_that_its_own_handlers_hold_is_freed_all_the_same() {
    let host = Host::new();
    let client = host.client();
    let held = Arc::new(());
    let (weak, keep) = (Arc::downgrade(&held), held.clone());
    let handle = client.handle();
    client
        .add_tool(reading("holds_client"), move || {
            let _ = (&handle, &keep);
            Ok(1)
        })
        .unwrap();
    drop(held);
    assert!(weak.upgrade().is_some());
    drop(client);
    assert!(weak.upgrade().is_none());
}

// R-CLI-11, R-CLI-12
#[test]
fn whoever_adds_while_the_client_is_disposed_leaves_nothing_at_the_host() {
    for _ in 0..20 {
        let host = Host::new();
        let client = with_limit(&host, LONG);
        let started = Arc::new(std::sync::Barrier::new(5));
        let adders: Vec<_> = (0..4)
            .map(|number| {
                let (client, started) = (client.handle(), started.clone());
                thread::spawn(move || {
                    started.wait();
                    for round in 0..50 {
                        // Disposed at some point.
                        let _ = client.add_tool(reading(&format!("tool_{number}_{round}")), one);
                    }
                })
            })
            .collect();
        started.wait();
        assert!(client.dispose().is_clean());
        assert!(host.tools().is_empty(), "dispose waits for a registration that another thread makes");
        adders.into_iter().for_each(|adder| adder.join().unwrap());
        assert!(host.tools().is_empty());
        assert_eq!(client.pending(), PendingCounts::default());
    }
}

// R-CLI-11
#[test]
fn dispose_waits_for_the_thread_that_talks_to_the_host() {
    let host = Host::new();
    let client = with_limit(&host, LONG);
    let (reached, is_reached) = mpsc::channel();
    let (go, may_go) = mpsc::channel::<()>();
    let (reached, may_go) = (Mutex::new(reached), Mutex::new(may_go));
    host.script(move |gate, _| {
        if gate == "RegisterTool" {
            reached.lock().unwrap().send(()).unwrap();
            may_go.lock().unwrap().recv().unwrap();
        }
        None
    });
    let handle = client.handle();
    let adder = thread::spawn(move || handle.add_tool(reading("tool_a"), one).unwrap());
    is_reached.recv_timeout(LONG).unwrap();
    let watched = host.clone();
    let releaser = thread::spawn(move || {
        watched.wait_until("the gates to go", || watched.provided().is_empty());
        go.send(()).unwrap();
    });
    assert!(client.dispose().is_clean());
    assert_eq!(host.heard().last().unwrap(), "UnregisterAll MyPlugin");
    assert!(host.tools().is_empty());
    adder.join().unwrap();
    releaser.join().unwrap();
}

#[test]
fn dispose_with_thousands_of_calls_takes_no_square_of_their_number() {
    let host = Host::new();
    let client = with_limit(&host, LONG);
    client
        .add_long_running_tool(reading("waits_long"), async |call: McpCall| {
            Ok(call.sleep(Duration::from_secs(3600)).await?)
        })
        .unwrap();
    for id in 0..5000 {
        host.start(&id.to_string(), "waits_long");
    }
    assert!(client.dispose().is_clean());
    assert_eq!(host.end_count(), 5000);
}
