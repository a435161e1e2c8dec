//! Waiting in a simulation: time jumps only when nothing can run, and what nothing can end is reported.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::channel::oneshot;
use serde_json::json;
use xivmcp_client::{McpCall, McpCapabilities, McpToolDefinition, McpToolError, XivMcpClient};
use xivmcp_mock_host::{Answer, LintKind, MockHost};

use support::{cat, failure};

const HOUR: Duration = Duration::from_secs(3600);

#[test]
fn a_plain_test_waits_through_virtual_time() {
    let host = MockHost::simulated();
    cat(&host);
    let call = host.assistant().call("cat_nap", json!({}));
    call.expect_running();
    assert_eq!(host.elapsed(), Duration::ZERO);
    assert_eq!(call.expect_result(), "rested");
    assert_eq!(host.elapsed(), HOUR);
}

#[test]
fn any_executor_can_await_a_call() {
    let host = MockHost::simulated();
    cat(&host);
    let outcome = futures::executor::block_on(host.assistant().call("cat_nap", json!({})));
    assert_eq!(outcome.expect_result(), "rested");
    assert_eq!(host.elapsed(), HOUR);
}

#[tokio::test]
async fn a_tokio_test_can_await_a_call() {
    let host = MockHost::simulated();
    cat(&host);
    assert_eq!(host.assistant().call("cat_nap", json!({})).await.expect_result(), "rested");
    assert_eq!(host.elapsed(), HOUR);
}

#[tokio::test(start_paused = true)]
async fn a_tokio_test_with_paused_time_can_await_a_call_and_its_own_clock_stands_still() {
    let host = MockHost::simulated();
    cat(&host);
    let before = tokio::time::Instant::now();
    let call = host.assistant().call("cat_nap", json!({}));
    let outcome = tokio::time::timeout(Duration::from_secs(5), call).await.expect("tokio's time does not pass");
    assert_eq!(outcome.expect_result(), "rested");
    assert!(before.elapsed() < Duration::from_secs(5));
}

#[test]
fn calls_that_are_awaited_together_run_together() {
    let host = MockHost::simulated();
    cat(&host);
    let (first, second) = (host.assistant().call("cat_nap", ()), host.assistant().call("cat_nap", ()));
    let (first, second) = futures::executor::block_on(futures::future::join(first, second));
    assert_eq!((first.expect_result(), second.expect_result()), (json!("rested"), json!("rested")));
    assert_eq!(host.elapsed(), HOUR);
}

#[test]
fn what_else_the_test_awaits_runs_before_time_jumps() {
    let host = MockHost::simulated();
    let (sender, receiver) = oneshot::channel::<()>();
    let receiver = Arc::new(std::sync::Mutex::new(Some(receiver)));
    let plugin = host.load("Dog", move |client: &XivMcpClient| {
        let receiver = Arc::clone(&receiver);
        let wait = McpToolDefinition::new("dog_wait", "Waits.").capabilities([McpCapabilities::GameUi]);
        client.add_long_running_tool(wait, async move |call: McpCall| {
            let receiver = receiver.lock().unwrap().take().unwrap();
            futures::future::select(Box::pin(call.sleep(HOUR)), receiver).await;
            Ok(())
        })
    });
    host.player().enable(&plugin);
    host.player().answer_all(Answer::Once);
    let call = host.assistant().call("dog_wait", ());
    let other = async { sender.send(()).unwrap() };
    let _ = futures::executor::block_on(futures::future::join(call, other));
    assert_eq!(host.elapsed(), Duration::ZERO);
}

#[test]
fn a_wait_that_nothing_can_end_says_who_waits_for_what_since_when() {
    let host = MockHost::simulated();
    cat(&host);
    host.advance(Duration::from_secs(90));
    let call = host.assistant().call("cat_deaf", ());
    let text = failure(|| drop(call.wait()));
    assert!(text.contains("nothing can run and no timer is set"), "{text}");
    assert!(text.contains("of cat_deaf since 00:01:30.000"), "{text}");
    assert!(text.contains("a task of Cat waits to be woken (running since 00:01:30.000"), "{text}");
    assert!(text.contains("XivMcp.RegisterTool(Cat"), "the last traffic is there: {text}");
    let at_end = failure(|| host.finish());
    assert!(at_end.contains("a handler never ended"), "{at_end}");
}

#[test]
fn an_await_that_nothing_can_end_fails_instead_of_hanging() {
    let host = MockHost::simulated();
    cat(&host);
    let call = host.assistant().call("cat_deaf", ());
    let text = failure(|| drop(futures::executor::block_on(call)));
    assert!(text.contains("nothing can run and no timer is set"), "{text}");
    drop(failure(|| host.finish()));
}

#[test]
fn waiting_for_a_condition_lets_time_jump() {
    let host = MockHost::simulated();
    let plugin = cat(&host);
    host.player().answer_all(Answer::Once);
    let job = plugin
        .client()
        .start_job(xivmcp_client::McpJob::new("Rest").step(xivmcp_client::McpJobStep::new("cat_nap")))
        .unwrap();
    host.wait_until(|| host.job(&job).log().last_progress() == Some("30 min"));
    assert_eq!(host.elapsed(), HOUR / 2);
    host.player().cancel_job(&job);
    let text = failure(|| host.wait_until(|| false));
    assert!(text.contains("nothing can run"), "{text}");
}

#[test]
fn work_that_blocks_is_never_raced_by_virtual_time() {
    let host = MockHost::simulated();
    let plugin = host.load("Dog", |client: &XivMcpClient| {
        let dig = McpToolDefinition::new("dog_dig", "Digs.").capabilities([McpCapabilities::GameUi]);
        client.add_long_running_tool(dig, async |call: McpCall| {
            let dug = call.blocking(|| std::thread::sleep(Duration::from_millis(20))).await;
            dug?;
            Ok("dug")
        })
    });
    host.player().enable(&plugin);
    host.player().answer_all(Answer::Once);
    let call = host.assistant().call("dog_dig", ());
    assert_eq!(call.outcome().unwrap().expect_result(), "dug");
    assert_eq!(host.elapsed(), Duration::ZERO);
    assert!(host.lints().is_empty());
}

#[test]
fn a_wake_from_a_foreign_thread_is_accepted_and_reported() {
    let host = MockHost::simulated();
    let plugin = host.load("Dog", |client: &XivMcpClient| {
        let fetch = McpToolDefinition::new("dog_fetch", "Fetches.").capabilities([McpCapabilities::GameUi]);
        client.add_long_running_tool(fetch, async || {
            let (sender, receiver) = oneshot::channel();
            std::thread::spawn(move || sender.send("stick"));
            receiver.await.map_err(McpToolError::from)
        })
    });
    host.player().enable(&plugin);
    host.player().answer_all(Answer::Once);
    assert_eq!(host.assistant().call("dog_fetch", ()).expect_result(), "stick");
    // The thread may have been quicker than the first look; then nothing was woken.
    assert!(host.lints().iter().all(|lint| lint.kind == LintKind::ForeignThread && lint.plugin == "Dog"));
}

#[test]
fn what_happens_at_once_happens_in_the_order_of_the_seed() {
    let orders: std::collections::BTreeSet<Vec<usize>> = (0..20)
        .map(|seed| {
            let host = MockHost::simulated_with_seed(seed);
            let order = Arc::new(std::sync::Mutex::new(Vec::new()));
            let seen = Arc::clone(&order);
            let count = Arc::new(AtomicUsize::new(0));
            let plugin = host.load("Dog", move |client: &XivMcpClient| {
                let (seen, count) = (Arc::clone(&seen), Arc::clone(&count));
                let run = McpToolDefinition::new("dog_run", "Runs.").capabilities([McpCapabilities::GameUi]);
                client.add_long_running_tool(run, async move |call: McpCall| {
                    let number = count.fetch_add(1, Ordering::Relaxed);
                    call.sleep(Duration::from_secs(1)).await?;
                    seen.lock().unwrap().push(number);
                    Ok(())
                })
            });
            host.player().enable(&plugin);
            host.player().answer_all(Answer::Once);
            let assistant = host.assistant();
            let calls = host.at_once(|| [0, 1, 2, 3].map(|_| assistant.call("dog_run", ())));
            calls.iter().for_each(|call| drop(call.wait()));
            std::mem::take(&mut *order.lock().unwrap())
        })
        .collect();
    assert!(orders.len() > 5, "{orders:?}");
}

#[test]
fn an_hour_of_reports_every_quarter_of_a_second_is_quick() {
    let host = MockHost::simulated();
    let plugin = host.load("Dog", |client: &XivMcpClient| {
        let guard = McpToolDefinition::new("dog_guard", "Guards.").capabilities([McpCapabilities::GameUi]);
        client.add_long_running_tool(guard, async |call: McpCall| {
            for round in 0..14_400 {
                call.sleep(Duration::from_millis(250)).await?;
                call.progress(format!("round {round}"));
            }
            Ok(())
        })
    });
    host.player().enable(&plugin);
    host.player().answer_all(Answer::Once);
    let began = std::time::Instant::now();
    drop(host.assistant().call("dog_guard", ()).wait());
    assert_eq!(host.elapsed(), HOUR);
    // A generous bound: it takes a tenth of this in an unoptimised build.
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

fn napping_on_tokio(client: &XivMcpClient) -> Result<(), xivmcp_client::AddToolError> {
    let nap = McpToolDefinition::new("dog_nap", "Naps.").capabilities([McpCapabilities::GameUi]);
    client.add_long_running_tool(nap, async || {
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok("rested")
    })
}

#[tokio::test]
async fn a_handler_may_wait_for_what_the_tests_own_runtime_wakes() {
    let host = MockHost::simulated();
    let plugin = host.load("Dog", napping_on_tokio);
    host.player().enable(&plugin);
    host.player().answer_all(Answer::Once);
    assert_eq!(host.assistant().call("dog_nap", ()).await.expect_result(), "rested");
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_wait_for_paused_time() {
    let host = MockHost::simulated();
    let plugin = host.load("Dog", napping_on_tokio);
    host.player().enable(&plugin);
    host.player().answer_all(Answer::Once);
    assert_eq!(host.assistant().call("dog_nap", ()).await.expect_result(), "rested");
}

#[test]
fn hosts_and_calls_may_go_from_thread_to_thread() {
    fn may_go<T: Send + Sync>(_: &T) {}
    let host = MockHost::simulated();
    cat(&host);
    let call = host.assistant().call("cat_nap", ());
    may_go(&host);
    may_go(&call);
    let (host, outcome) = std::thread::spawn(move || (host, call.wait())).join().unwrap();
    assert_eq!(outcome.expect_result(), "rested");
    host.finish();
}

#[test]
fn a_failed_assertion_reads_like_this() {
    let host = MockHost::simulated();
    host.install("Dog").gate("IsReady", &[]);
    host.advance(Duration::from_millis(61_250));
    let text = failure(|| drop(host.assistant().call("get_inventory", ()).expect_error()));
    let expected = "\
the call of get_inventory (since 00:01:01.250)
  expected: an error
      came: the result {}

The last traffic at the gates (seed 0):
  00:00:00.000 Dog > XivMcp.IsReady() = true
";
    assert_eq!(text, expected);
}

#[test]
fn a_wait_that_never_ends_reads_like_this() {
    let host = MockHost::simulated();
    let text = failure(|| host.wait_until(|| false));
    let expected = "\
what the test waits for does not happen: nothing can run and no timer is set, so it will never be so (now 00:00:00.000). \
Who waits:
  (nobody)

The last traffic at the gates (seed 0):
  (none)
";
    assert_eq!(text, expected);
}
