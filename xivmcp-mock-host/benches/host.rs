//! What the simulated host costs. `cargo bench -p xivmcp-mock-host`. It fails if a call costs more than its budget, or if
//! something grows with what it must not grow with.
//!
//! Each figure is the minimum of many rounds; what is compared is measured turn by turn, so that a busy machine slows
//! both sides down.

use std::alloc::System;
use std::hint::black_box;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use xivmcp_client::{
    AddToolError, JsonText, McpCall, McpCapabilities, McpJob, McpJobStep, McpToolDefinition, XivMcpClient,
};
use xivmcp_mock_host::{Answer, MockHost};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// A call may cost so many times what parsing and serializing its arguments costs.
const CALL_BUDGET: f64 = 4.0;
/// What must stay flat may be so many times dearer where there is a hundred or a thousand times as much: that no longer
/// fits the caches, and the allocator has more to look through. Work per entry would show as a hundred or a thousand.
const FLAT: f64 = 5.0;
/// Heap bytes of a pending call: the host's state, the client's, the handler's future, and the record of the traffic.
const PENDING_BYTES: usize = 4_000;
/// How long an hour of virtual time may take in which a handler reports 14,400 times.
const HOUR: Duration = Duration::from_secs(2);

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Shop {
    seller: String,
    items: Vec<Item>,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Item {
    name: String,
    price: u32,
    hq: bool,
}

fn register(client: &XivMcpClient) -> Result<(), AddToolError> {
    let sum = McpToolDefinition::new("shop_sum", "Adds up the prices.").read_only(true);
    client.add_tool(sum, |shop: Shop| Ok(shop.items.iter().map(|item| u64::from(item.price)).sum::<u64>()))?;
    let echo = McpToolDefinition::new("shop_echo", "Gives back what it gets.").read_only(true);
    client.add_tool(echo, |shop: Shop| Ok(shop))?;
    client.add_tool(McpToolDefinition::new("shop_ping", "Answers.").read_only(true), || Ok("pong"))?;
    let wait = McpToolDefinition::new("shop_wait", "Waits for a day.").capabilities([McpCapabilities::GameUi]);
    client.add_long_running_tool(wait, async |call: McpCall| {
        call.sleep(Duration::from_secs(86_400)).await?;
        Ok(())
    })?;
    let report = McpToolDefinition::new("shop_report", "Reports for an hour.").capabilities([McpCapabilities::GameUi]);
    client.add_long_running_tool(report, async |call: McpCall| {
        for round in 0..14_400 {
            call.sleep(Duration::from_millis(250)).await?;
            call.progress(format!("round {round}"));
        }
        Ok(())
    })
}

fn shop(host: &MockHost) -> xivmcp_mock_host::Plugin {
    let plugin = host.load("Shop", register);
    host.player().enable(&plugin);
    host.player().answer_all(Answer::Once);
    plugin
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

/// The least of `rounds`, each the mean of `calls`.
fn least(rounds: u32, calls: u32, mut call: impl FnMut()) -> Duration {
    (0..rounds).map(|_| timed(|| (0..calls).for_each(|_| call())) / calls).min().unwrap_or_default()
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}

fn judge(failed: &mut bool, what: &str, ratio: f64, budget: f64) {
    let verdict = if ratio <= budget { "" } else { "  TOO MUCH" };
    *failed |= ratio > budget;
    println!("{what:<64}{ratio:>8.2} (at most {budget}){verdict}");
}

fn whole_call(failed: &mut bool) {
    let items: Vec<Item> =
        (0..20).map(|n| Item { name: format!("Archon Ring {n:03}"), price: 9000 - n, hq: n % 2 == 0 }).collect();
    let text = serde_json::to_string(&Shop { seller: "Gerolt".to_owned(), items }).expect("it is JSON");
    let args = JsonText::parse(text.clone()).expect("it is JSON");
    let host = MockHost::simulated();
    shop(&host);
    let budgets = [("shop_sum", "a number as result"), ("shop_echo", "as much as result")];
    for (tool, gives) in budgets {
        let (mut call, mut parse) = (Duration::MAX, Duration::MAX);
        for _ in 0..60 {
            call = call.min(least(1, 200, || {
                black_box(host.assistant().call_json(tool, args.clone()).outcome()).expect("it is over");
            }));
            parse = parse.min(least(1, 200, || {
                let value: Value = serde_json::from_str(black_box(&text)).expect("it is JSON");
                black_box(serde_json::to_string(&value).expect("it is JSON"));
            }));
        }
        let bytes = text.len();
        println!(
            "a whole call, {bytes} bytes of arguments, {gives}: {call:.2?}; one parse and one serialize: {parse:.2?}"
        );
        judge(failed, "  a call, in parses and serializes", ratio(call, parse), CALL_BUDGET);
    }
}

fn job(steps: usize) -> Duration {
    (0..5)
        .map(|_| {
            let host = MockHost::simulated();
            let plugin = shop(&host);
            // The record of the traffic is full first: what it takes to fill it is no cost of a step.
            (0..10_000).for_each(|_| drop(host.assistant().call("shop_ping", ())));
            let mut job = McpJob::new("Many");
            for _ in 0..steps {
                job.add(McpJobStep::new("shop_ping"));
            }
            let took = timed(|| {
                let job = plugin.client().start_job(job).expect("it starts");
                host.wait_until(|| true);
                assert_eq!(host.job(&job).state(), "completed");
            });
            took / u32::try_from(steps).expect("few steps")
        })
        .min()
        .unwrap_or_default()
}

fn among_tools(count: usize) -> (Duration, Duration) {
    let host = MockHost::simulated();
    let plugin = host.load("Shop", move |client: &XivMcpClient| {
        (0..count).try_for_each(|number| {
            let ping = McpToolDefinition::new(format!("shop_ping_{number}"), "Answers.").read_only(true);
            client.add_tool(ping, || Ok("pong"))
        })
    });
    host.player().enable(&plugin);
    let last = format!("shop_ping_{}", count - 1);
    let call = least(20, 100, || drop(black_box(host.assistant().call(&last, ()).outcome())));
    let list = least(5, 1, || drop(black_box(host.assistant().tools()))) / u32::try_from(count).expect("few tools");
    (call, list)
}

fn after_audit(entries: usize) -> Duration {
    let host = MockHost::simulated();
    shop(&host);
    for _ in 0..entries {
        host.assistant().call("shop_ping", ());
    }
    least(20, 100, || drop(black_box(host.assistant().call("shop_ping", ()).outcome())))
}

fn in_use(region: &Region<'_, System>) -> usize {
    let change = region.change();
    change.bytes_allocated.saturating_sub(change.bytes_deallocated)
}

fn pending(failed: &mut bool, count: usize) {
    let host = MockHost::simulated();
    shop(&host);
    host.assistant().call("shop_wait", ());
    let region = Region::new(ALLOCATOR);
    let took = timed(|| (0..count).for_each(|_| drop(host.assistant().call("shop_wait", ()))));
    let bytes = in_use(&region) / count;
    let each = took / u32::try_from(count).expect("few calls");
    let verdict = if bytes <= PENDING_BYTES { "" } else { "  TOO MUCH" };
    *failed |= bytes > PENDING_BYTES;
    println!(
        "{count} calls pending: {bytes} heap bytes each (at most {PENDING_BYTES}); {each:.2?} to start one{verdict}"
    );
    host.advance(Duration::from_secs(86_400));
    println!("  after their end {} bytes each: the audit log and the record", in_use(&region) / count);
}

fn main() {
    let mut failed = false;
    pending(&mut failed, 10_000);
    whole_call(&mut failed);

    let steps = [100, 1_000, 10_000].map(job);
    println!("a step of a job of 100, 1,000, 10,000 steps: {steps:.2?}");
    judge(&mut failed, "  10,000 steps against 100, per step", ratio(steps[2], steps[0]), FLAT);

    let tools = [10, 100, 1_000, 10_000].map(among_tools);
    let calls = tools.map(|(call, _)| call);
    println!("a call among 10, 100, 1,000, 10,000 tools: {calls:.2?}");
    judge(&mut failed, "  10,000 tools against 10, per call", ratio(calls[3], calls[0]), FLAT);
    let lists = tools.map(|(_, list)| list);
    judge(&mut failed, "  10,000 tools against 10, per tool listed", ratio(lists[3], lists[0]), FLAT);

    let audit = [1, 1_000, 100_000].map(after_audit);
    println!("a call after 1, 1,000, 100,000 entries of the audit log: {audit:.2?}");
    judge(&mut failed, "  100,000 entries against 1, per call", ratio(audit[2], audit[0]), FLAT);

    let host = MockHost::simulated();
    shop(&host);
    let took = timed(|| drop(host.assistant().call("shop_report", ()).wait()));
    println!("an hour with a report every 250 ms: {took:.2?} (at most {HOUR:?})");
    failed |= took > HOUR;

    if failed {
        eprintln!("something costs more than its budget");
        std::process::exit(1);
    }
}
