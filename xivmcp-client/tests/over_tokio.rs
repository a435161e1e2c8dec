//! A client whose handlers run on a tokio runtime.
#![cfg(feature = "tokio")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use support::{End, Host, LONG, reading};
use xivmcp_client::runtime::{Runtime, TokioRuntime};
use xivmcp_client::{McpCall, PendingCounts, XivMcpClient};

// R-CLI-4
#[test]
fn tokios_timers_work_from_the_first_poll_on_the_framework_thread() {
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap();
    let host = Host::new();
    let runtime = Arc::new(TokioRuntime::new(tokio.handle().clone()));
    let client = XivMcpClient::builder(host.clone()).runtime(runtime).dispose_limit(LONG).connect().unwrap();
    client
        .add_long_running_tool(reading("uses_tokio"), async |call: McpCall| {
            tokio::time::sleep(Duration::from_millis(1)).await;
            let there = call.on_framework_thread(|| 1).await?;
            Ok(there + call.blocking(|| 1).await?)
        })
        .unwrap();
    client.add_tool(reading("spawns_task"), || Ok(tokio::spawn(async {}).id().to_string().is_empty())).unwrap();
    client
        .add_long_running_tool(reading("waits_long"), async |call: McpCall| {
            Ok(call.sleep(Duration::from_secs(3600)).await?)
        })
        .unwrap();
    host.start("1", "uses_tokio");
    assert_eq!(host.end_of("1"), End::Completed("2".to_owned()));
    assert_eq!(host.invoke("2", "spawns_task", "{}"), serde_json::json!({ "result": false }));
    host.start("3", "waits_long");
    assert!(client.dispose().is_clean());
    assert_eq!(client.pending(), PendingCounts::default());

    // A runtime that has gone takes its tasks with it, and their calls end.
    let client = XivMcpClient::builder(host.clone())
        .runtime(Arc::new(TokioRuntime::new(tokio.handle().clone())))
        .connect()
        .unwrap();
    client
        .add_long_running_tool(reading("waits_long"), async |call: McpCall| {
            Ok(call.sleep(Duration::from_secs(3600)).await?)
        })
        .unwrap();
    host.start("4", "waits_long");
    drop(tokio);
    assert_eq!(host.end_of("4"), End::Failed("waits_long was stopped: its plugin is unloading.".to_owned()));
    host.wait_until("the end", || client.pending() == PendingCounts::default());
    assert!(client.dispose().is_clean());
}

/// Waits for a task on another thread, and gives whether that worked.
fn waits(runtime: &dyn Runtime) -> bool {
    let (done, is_done) = futures::channel::oneshot::channel();
    runtime.spawn(Box::pin(async move { done.send(()).unwrap() }));
    runtime.block_on(std::pin::pin!(async { is_done.await.unwrap() }), LONG)
}

fn multi_threaded() -> (tokio::runtime::Runtime, Arc<TokioRuntime>) {
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap();
    let runtime = Arc::new(TokioRuntime::new(tokio.handle().clone()));
    (tokio, runtime)
}

#[test]
fn waiting_inside_another_runtime_that_has_one_thread_is_no_panic() {
    let (tokio, runtime) = multi_threaded();
    let current = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    current.block_on(async {
        assert!(waits(&*runtime));
        // As for a handler, which the client runs inside `enter`.
        let mut waited = false;
        runtime.enter(&mut || waited = waits(&*runtime));
        assert!(waited);
        let _entered = tokio.handle().enter();
        assert!(waits(&*runtime), "somebody else entered it");
    });
    let local = tokio::task::LocalSet::new();
    local.block_on(&tokio, async { assert!(waits(&*runtime)) });
}

#[test]
fn a_panic_of_what_is_waited_for_is_passed_on_by_a_worker() {
    let (tokio, runtime) = multi_threaded();
    let own = runtime.clone();
    let waiting = tokio.spawn(async move { own.block_on(std::pin::pin!(async { panic!("on purpose") }), LONG) });
    let panic = tokio.block_on(waiting).unwrap_err().into_panic();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"on purpose"));
}

// R-CLI-11
#[test]
fn inside_a_current_thread_runtime_a_handler_may_dispose() {
    let (_tokio, runtime) = multi_threaded();
    let current = tokio::runtime::Builder::new_current_thread().build().unwrap();
    current.block_on(async {
        let host = Host::new();
        let client = XivMcpClient::builder(host.clone()).runtime(runtime).dispose_limit(LONG).connect().unwrap();
        client
            .add_long_running_tool(reading("waits_long"), async |call: McpCall| {
                Ok(call.sleep(Duration::from_secs(3600)).await?)
            })
            .unwrap();
        client.add_tool(reading("disposes"), |call: McpCall| Ok(call.client().dispose().is_clean())).unwrap();
        host.start("1", "waits_long");
        assert_eq!(host.invoke("2", "disposes", "{}"), serde_json::json!({ "result": true }));
        assert_eq!(host.ends("1"), [End::Failed("The call was cancelled.".to_owned())]);
        assert_eq!(client.pending(), PendingCounts::default());
    });
}
