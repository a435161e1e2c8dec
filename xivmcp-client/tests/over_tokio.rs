//! A client whose handlers run on a tokio runtime.
#![cfg(feature = "tokio")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use support::{End, Host, LONG, reading};
use xivmcp_client::runtime::TokioRuntime;
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
