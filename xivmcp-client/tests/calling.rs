//! Calls of tools: replies, ends, cancelling, and what a handler can do with its call.

mod support;

use std::future::pending;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::json;
use support::{End, Host, LONG, Nothing, reading};
use xivmcp_client::protocol::envelope;
use xivmcp_client::{Cancelled, ClientError, McpCall, McpCapabilities, PendingCounts, XivMcpClient};

#[derive(Debug, thiserror::Error)]
#[error("the bags are full")]
struct BagsFull;

const CANCELLED: &str = "The call was cancelled.";

fn failed(text: &str) -> End {
    End::Failed(text.to_owned())
}

fn nothing_is_pending(client: &XivMcpClient) {
    assert_eq!(client.pending(), PendingCounts::default());
}

// R-CLI-4, R-CLI-5
#[test]
fn a_quick_tool_replies_with_its_result_or_its_error() {
    let host = Host::new();
    let client = host.client();
    client.add_tool(reading("gives_map"), || Ok(json!({ "kill_count": 3 }))).unwrap();
    client.add_tool(reading("fails_text"), || Err::<(), _>("Say 'minutes'.".into())).unwrap();
    client.add_tool(reading("fails_error"), || Err::<(), _>(BagsFull.into())).unwrap();
    client
        .add_tool(reading("fails_boxed"), || -> Nothing {
            Err(Box::<dyn std::error::Error + Send + Sync>::from("no"))?
        })
        .unwrap();
    client.add_tool(reading("panics_now"), || -> Nothing { panic!("on purpose") }).unwrap();
    client
        .add_tool(reading("gives_up"), |call: McpCall| {
            call.cancellation().cancel();
            Ok(call.check_cancelled()?)
        })
        .unwrap();
    let reply = |tool| host.invoke("1", tool, "{}");
    assert_eq!(reply("gives_map"), json!({ "result": { "kill_count": 3 } }));
    assert_eq!(reply("fails_text"), json!({ "error": "Say 'minutes'." }));
    assert_eq!(reply("fails_error"), json!({ "error": "BagsFull: the bags are full" }));
    assert_eq!(reply("fails_boxed"), json!({ "error": "no" }));
    assert_eq!(reply("panics_now"), json!({ "error": "panics_now failed: its handler panicked: on purpose" }));
    assert_eq!(reply("gives_up"), json!({ "error": CANCELLED }));
    assert_eq!(host.end_count(), 0);
    nothing_is_pending(&client);
}

// R-CLI-4
#[test]
fn a_long_running_tool_starts_on_the_framework_thread_and_goes_on_elsewhere() {
    let host = Host::new();
    let client = host.client();
    let threads = Arc::new(Mutex::new(Vec::new()));
    let seen = threads.clone();
    client
        .add_long_running_tool(reading("goes_on"), async move |call: McpCall| {
            seen.lock().unwrap().push(thread::current().id());
            call.sleep(Duration::from_millis(1)).await?;
            seen.lock().unwrap().push(thread::current().id());
            Ok(1)
        })
        .unwrap();
    host.start("1", "goes_on");
    assert_eq!(*threads.lock().unwrap(), [thread::current().id()]);
    assert_eq!(host.end_of("1"), End::Completed("1".to_owned()));
    assert_ne!(threads.lock().unwrap()[1], thread::current().id());
    host.wait_until("the table to be empty", || client.pending() == PendingCounts::default());
}

// R-CLI-4, R-CLI-5
#[test]
fn a_handler_that_ends_at_once_has_completed_before_the_reply() {
    let host = Host::new();
    let client = host.client();
    client.add_long_running_tool(reading("ends_now"), async || Ok("done")).unwrap();
    client.add_long_running_tool(reading("fails_now"), async || Err::<(), _>(BagsFull.into())).unwrap();
    client.add_long_running_tool(reading("panics_now"), async || -> Nothing { panic!("on purpose") }).unwrap();
    host.start("1", "ends_now");
    host.start("2", "fails_now");
    host.start("3", "panics_now");
    assert_eq!(host.ends("1"), [End::Completed("\"done\"".to_owned())]);
    assert_eq!(host.ends("2"), [failed("BagsFull: the bags are full")]);
    assert_eq!(host.ends("3"), [failed("panics_now failed: its handler panicked: on purpose")]);
    nothing_is_pending(&client);
}

// R-CLI-4
#[test]
fn a_panic_costs_its_call_and_no_worker() {
    let host = Host::new();
    let client = host.client();
    client
        .add_long_running_tool(reading("panics_later"), async |call: McpCall| -> Nothing {
            call.sleep(Duration::from_millis(1)).await?;
            panic!("on purpose")
        })
        .unwrap();
    for id in ["1", "2", "3", "4", "5"] {
        host.start(id, "panics_later");
    }
    for id in ["1", "2", "3", "4", "5"] {
        assert_eq!(host.end_of(id), failed("panics_later failed: its handler panicked: on purpose"));
    }
}

#[test]
fn wrong_arguments_are_an_error_and_the_handler_does_not_run() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Farm {
        minutes: u32,
    }
    let host = Host::new();
    let client = host.client();
    client.add_long_running_tool(reading("farm_zone"), async |farm: Farm| Ok(farm.minutes)).unwrap();
    let reply = host.invoke("1", "farm_zone", r#"{"minutes": "many"}"#);
    assert!(reply["error"].as_str().unwrap().contains("minutes"), "{reply}");
    assert_eq!(host.end_count(), 0);
    assert_eq!(host.invoke("2", "farm_zone", r#"{"minutes": 5}"#), json!({ "pending": true }));
    assert_eq!(host.end_of("2"), End::Completed("5".to_owned()));
    nothing_is_pending(&client);
}

/// A tool that waits until it is cancelled.
fn waiting_tool(client: &XivMcpClient) {
    client
        .add_long_running_tool(reading("waits_long"), async |call: McpCall| {
            Ok(call.sleep(Duration::from_secs(3600)).await?)
        })
        .unwrap();
}

// R-CLI-6
#[test]
fn cancel_fires_the_token_of_that_call_only() {
    let host = Host::new();
    let client = host.client();
    waiting_tool(&client);
    host.start("1", "waits_long");
    host.start("2", "waits_long");
    host.cancel("unknown");
    host.cancel("1");
    assert_eq!(host.end_of("1"), failed(CANCELLED));
    host.wait_until("one call to be left", || client.pending().calls == 1);
    host.cancel("1");
    host.cancel("2");
    assert_eq!(host.end_of("2"), failed(CANCELLED));
    assert_eq!(host.end_count(), 2);
}

// R-CLI-6
#[test]
fn disposing_of_the_host_fires_all_tokens_and_later_ends_are_dropped_in_silence() {
    let host = Host::new();
    let client = host.client();
    waiting_tool(&client);
    host.start("1", "waits_long");
    host.start("2", "waits_long");
    // The gates go while the message is still on its way, so nobody hears the ends.
    let inner = Arc::downgrade(&host);
    host.script(move |gate, _| {
        if gate == "FailCall" {
            inner.upgrade().unwrap().gates_go();
        }
        None
    });
    host.unload();
    host.wait_until("the calls to be over", || client.pending() == PendingCounts::default());
    host.load();
    assert_eq!(host.tools(), ["waits_long"]);
}

// R-CLI-9
#[test]
fn progress_reaches_the_host_and_never_fails_the_handler() {
    let host = Host::new();
    let client = host.client();
    let kept = Arc::new(Mutex::new(None));
    let keep = kept.clone();
    client
        .add_long_running_tool(reading("tells_much"), async move |call: McpCall| {
            call.progress("one");
            call.progress(String::from("two"));
            *keep.lock().unwrap() = Some(call.clone());
            Ok(())
        })
        .unwrap();
    host.start("1", "tells_much");
    assert_eq!(host.progress(), [("1".to_owned(), "one".to_owned()), ("1".to_owned(), "two".to_owned())]);
    let call = kept.lock().unwrap().take().unwrap();
    call.progress("after the end");
    host.unload();
    call.progress("after the host");
    assert_eq!(host.progress().len(), 2);
}

/// Answers approvals with the given states, one after the other.
fn answers(host: &Host, states: &'static [&'static str]) -> Arc<AtomicUsize> {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    host.script(move |gate, _| {
        let next = || states[count.fetch_add(1, Ordering::SeqCst).min(states.len() - 1)];
        match gate {
            "RequestApproval" => Some(envelope::ok(&json!({ "approvalId": "0123456789ab", "state": next() }))),
            // The id need not come again.
            "GetApproval" => Some(envelope::ok(&json!({ "state": next() }))),
            _ => None,
        }
    });
    asked
}

fn asking_tool(client: &XivMcpClient) {
    client
        .add_long_running_tool(reading("asks_first"), async |call: McpCall| {
            Ok(call.request_approval(McpCapabilities::SpendGil, "Repair for 3,200 gil").await?)
        })
        .unwrap();
}

// R-CLI-9, R-TIME-3
#[test]
fn an_approval_is_asked_for_until_it_is_no_longer_pending() {
    let host = Host::new();
    let client = host.client();
    asking_tool(&client);
    let asked = answers(&host, &["pending", "pending", "approved"]);
    host.heard();
    let before = std::time::Instant::now();
    host.start("1", "asks_first");
    assert_eq!(client.pending().approvals, 1);
    assert_eq!(host.end_of("1"), End::Completed("true".to_owned()));
    assert!(before.elapsed() >= Duration::from_millis(500));
    assert_eq!(asked.load(Ordering::SeqCst), 3);
    let heard = host.heard();
    assert_eq!(
        heard[..2],
        [
            r#"RequestApproval 1 {"capability":"spend_gil","summary":"Repair for 3,200 gil"}"#,
            "GetApproval 0123456789ab"
        ]
    );
    for (state, end) in [("denied", "false"), ("postponed", "false")] {
        answers(&host, if state == "denied" { &["denied"] } else { &["postponed"] });
        host.start(state, "asks_first");
        assert_eq!(host.ends(state), [End::Completed(end.to_owned())]);
    }
    host.wait_until("nothing to be pending", || client.pending() == PendingCounts::default());
}

// R-CLI-9
#[test]
fn a_cancelled_call_stops_asking_and_a_refused_question_is_an_error() {
    let host = Host::new();
    let client = host.client();
    asking_tool(&client);
    answers(&host, &["pending"]);
    host.start("1", "asks_first");
    host.cancel("1");
    assert_eq!(host.end_of("1"), failed(CANCELLED));
    host.script(|gate, _| (gate == "RequestApproval").then(|| envelope::error("there is no call `2`")));
    host.start("2", "asks_first");
    assert_eq!(host.end_of("2"), failed("ClientError: there is no call `2`"));
    host.wait_until("nothing to be pending", || client.pending() == PendingCounts::default());
}

#[test]
fn a_blank_question_is_not_sent() {
    let test = xivmcp_client::TestCall::new("asks_first");
    let call = test.call();
    assert!(matches!(test.run(call.request_approval("combat", " ")), Err(ClientError::Approval(_))));
    assert!(test.approvals().is_empty());
}

#[test]
fn work_on_the_framework_thread_runs_there_and_at_once_if_it_is_that_already() {
    let host = Host::new();
    let client = host.client();
    let framework = thread::current().id();
    client
        .add_long_running_tool(reading("visits_game"), async move |call: McpCall| {
            let at_once = call.on_framework_thread(|| thread::current().id()).await?;
            call.sleep(Duration::from_millis(1)).await?;
            assert_ne!(thread::current().id(), framework);
            let later = call.on_framework_thread(|| thread::current().id()).await?;
            call.next_frame().await?;
            let blocking = call.blocking(|| thread::current().id()).await?;
            Ok([at_once == framework, later == framework, blocking != framework])
        })
        .unwrap();
    host.start("1", "visits_game");
    assert_eq!(host.end_of("1"), End::Completed("[true,true,true]".to_owned()));
}

#[test]
fn panics_in_framework_work_and_in_blocking_work_are_panics_of_the_handler() {
    let host = Host::new();
    let client = host.client();
    client
        .add_long_running_tool(reading("panics_there"), async |call: McpCall| {
            call.sleep(Duration::from_millis(1)).await?;
            Ok(call.on_framework_thread(|| -> u8 { panic!("in the frame") }).await?)
        })
        .unwrap();
    client
        .add_long_running_tool(reading("panics_blocking"), async |call: McpCall| {
            Ok(call.blocking(|| -> u8 { panic!("in the work") }).await?)
        })
        .unwrap();
    host.start("1", "panics_there");
    host.start("2", "panics_blocking");
    assert_eq!(host.end_of("1"), failed("panics_there failed: its handler panicked: in the frame"));
    assert_eq!(host.end_of("2"), failed("panics_blocking failed: its handler panicked: in the work"));
}

/// What a guard did, in order.
type Log = Arc<Mutex<Vec<String>>>;

/// A tool that holds a guard over `rest`.
fn guarded_tool<F>(
    host: &Arc<Host>,
    client: &XivMcpClient,
    rest: impl FnOnce(McpCall) -> F + Clone + Send + Sync + 'static,
) -> Log
where
    F: Future<Output = Nothing> + Send + 'static,
{
    let log = Log::default();
    let (kept, weak) = (log.clone(), Arc::downgrade(host));
    client
        .add_long_running_tool(reading("holds_guard"), move |call: McpCall| async move {
            call.sleep(Duration::from_millis(1)).await?;
            let (start, stop) = (kept.clone(), kept);
            let stops = move |kills: u32| {
                let ends = weak.upgrade().unwrap().end_count();
                stop.lock().unwrap().push(format!("stop {kills} on {:?} after {ends} ends", thread::current().id()));
            };
            let started = move || {
                start.lock().unwrap().push(format!("start on {:?}", thread::current().id()));
                0
            };
            let guard = call.framework_guard(started, stops).await?;
            guard.with(|kills| *kills += 3).await?;
            rest(call).await
        })
        .unwrap();
    log
}

fn start_and_stop() -> [String; 2] {
    let here = thread::current().id();
    [format!("start on {here:?}"), format!("stop 3 on {here:?} after 0 ends")]
}

#[test]
fn a_guard_stops_on_the_framework_thread_before_the_call_is_reported() {
    let host = Host::new();
    let client = host.client();
    let log = guarded_tool(&host, &client, async |_| Ok(()));
    host.start("1", "holds_guard");
    assert_eq!(host.end_of("1"), End::Completed("null".to_owned()));
    assert_eq!(*log.lock().unwrap(), start_and_stop());
}

#[test]
fn a_guard_stops_when_the_call_is_cancelled_and_when_the_handler_panics() {
    for panics in [false, true] {
        let host = Host::new();
        let client = host.client();
        let rests = Arc::new(AtomicBool::new(false));
        let resting = rests.clone();
        let log = guarded_tool(&host, &client, async move |call: McpCall| {
            resting.store(true, Ordering::SeqCst);
            assert!(!panics, "on purpose");
            Ok(call.sleep(Duration::from_secs(3600)).await?)
        });
        host.start("1", "holds_guard");
        if !panics {
            host.wait_until("the handler to rest", || rests.load(Ordering::SeqCst));
            host.cancel("1");
        }
        let expected = if panics { "holds_guard failed: its handler panicked: on purpose" } else { CANCELLED };
        assert_eq!(host.end_of("1"), failed(expected));
        assert_eq!(*log.lock().unwrap(), start_and_stop());
        host.wait_until("nothing to be pending", || client.pending() == PendingCounts::default());
    }
}

#[test]
fn a_call_that_is_cancelled_before_the_frame_starts_nothing() {
    let host = Host::new();
    let client = host.client();
    let log = guarded_tool(&host, &client, async |_| Ok(()));
    host.start("1", "holds_guard");
    // Not the host's waiting, which would let frames pass.
    let started = std::time::Instant::now();
    while client.pending().framework_closures == 0 {
        assert!(started.elapsed() < LONG);
        thread::yield_now();
    }
    host.cancel("1");
    assert_eq!(host.end_of("1"), failed(CANCELLED));
    assert!(log.lock().unwrap().is_empty());
}

#[test]
fn a_guard_can_be_stopped_early_and_used_from_inside_itself() {
    let test = xivmcp_client::TestCall::new("holds_guard");
    let call = test.call();
    let log = Log::default();
    let stopped = log.clone();
    test.run(async {
        let guard = call.framework_guard(|| 1, move |n| stopped.lock().unwrap().push(n.to_string())).await?;
        let shared = Arc::new(Mutex::new(Some(guard)));
        let guard = shared.lock().unwrap().take().unwrap();
        let n = guard
            .with(|n| {
                *n += 1;
                *n
            })
            .await?;
        assert_eq!(n, 2);
        guard.stop().await?;
        log.lock().unwrap().push("after".to_owned());
        Ok::<_, Cancelled>(())
    })
    .unwrap();
    assert_eq!(*log.lock().unwrap(), ["2", "after"]);
}

// R-CLI-12
#[test]
fn a_handler_may_add_remove_and_ask_from_inside() {
    let host = Host::new();
    let client = host.client();
    client
        .add_tool(reading("adds_tools"), |call: McpCall| {
            let client = call.client();
            client.add_tool(reading("new_tool"), || Ok(2)).unwrap();
            client.remove_tool("adds_tools");
            client.uses_tools([]).unwrap();
            Ok(client.is_available())
        })
        .unwrap();
    assert_eq!(host.invoke("1", "adds_tools", "{}"), json!({ "result": true }));
    assert_eq!(host.tools(), ["new_tool"]);
    assert_eq!(host.declared(), Some(json!({ "tools": [] })));
    assert_eq!(host.invoke("2", "new_tool", "{}"), json!({ "result": 2 }));
}

#[test]
fn replacing_or_removing_a_tool_leaves_its_running_calls_alone() {
    let host = Host::new();
    let client = host.client();
    let go = Arc::new(AtomicBool::new(false));
    let may_go = go.clone();
    client
        .add_long_running_tool(reading("changes_soon"), async move |call: McpCall| {
            while !may_go.load(Ordering::SeqCst) {
                call.next_frame().await?;
            }
            Ok("old")
        })
        .unwrap();
    host.start("1", "changes_soon");
    client.add_tool(reading("changes_soon"), || Ok("new")).unwrap();
    assert_eq!(host.invoke("2", "changes_soon", "{}"), json!({ "result": "new" }));
    client.remove_tool("changes_soon");
    go.store(true, Ordering::SeqCst);
    assert_eq!(host.end_of("1"), End::Completed("\"old\"".to_owned()));
}

#[test]
fn run_until_cancelled_drops_what_it_waits_for() {
    struct Dropped(Arc<AtomicBool>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let dropped = Arc::new(AtomicBool::new(false));
    let tells = Dropped(dropped.clone());
    let test = xivmcp_client::TestCall::new("waits_long").cancel_after(Duration::from_secs(1));
    let call = test.call();
    let waits = async move {
        let _tells = tells;
        pending::<()>().await;
    };
    assert_eq!(test.run(call.run_until_cancelled(waits)), Err(Cancelled::new()));
    assert!(dropped.load(Ordering::SeqCst));
}
