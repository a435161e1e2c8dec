//! 10,000 pending calls: heap bytes for each, and nothing left when they are over.
#![allow(missing_docs, reason = "a program has no callers")]

mod support;

use std::alloc::System;
use std::time::Duration;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use xivmcp_client::ipc::IpcValue;
use xivmcp_client::{McpCall, McpToolDefinition};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const CALLS: usize = 10_000;
/// What a waiting call may take: its state, token, task, timer entry and the handler's own future.
const LIMIT: usize = 1_500;

fn in_use(region: &Region<'_, System>) -> usize {
    let change = region.change();
    change.bytes_allocated.saturating_sub(change.bytes_deallocated)
}

/// Waits until `done`, without a thread of its own.
fn wait_until(done: impl Fn() -> bool) {
    while !done() {
        std::thread::yield_now();
    }
}

fn main() {
    let (silent, client) = support::connect();
    client
        .add_long_running_tool(
            McpToolDefinition::new("myplugin_wait", "Waits.").read_only(true),
            async |call: McpCall| Ok(call.sleep(Duration::from_secs(3600)).await?),
        )
        .unwrap();
    let invoke = silent.invoke_gate();
    let start = |number: usize| {
        let values = [format!("{number:032x}").into(), "myplugin_wait".into(), IpcValue::from("{}")];
        invoke(&values).unwrap();
    };
    start(CALLS);

    let region = Region::new(ALLOCATOR);
    (0..CALLS).for_each(start);
    let bytes = in_use(&region) / CALLS;
    println!("{CALLS} pending calls: {bytes} heap bytes for each (limit {LIMIT})");
    assert!(bytes <= LIMIT, "{bytes} heap bytes for each pending call");

    let cancel = silent.cancel.lock().unwrap().clone().unwrap();
    for number in 0..=CALLS {
        cancel(&[format!("{number:032x}").into()]).unwrap();
    }
    wait_until(|| client.pending().calls == 0);
    let left = in_use(&region) / CALLS;
    println!("after their end: {left} bytes for each");
    assert!(left <= 200, "{left} bytes for each call stay behind");
}
