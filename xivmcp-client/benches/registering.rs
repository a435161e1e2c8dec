//! Registering 1,000 and 10,000 tools, at once and again on Ready: linear in their number.
//!
//! Linear means that the tenth thousand costs what the first does. Each thousand is timed by itself, the minimum of
//! several runs, so that what else the machine does falls out.
#![allow(missing_docs, reason = "a program has no callers")]

mod support;

use std::time::Duration;

use xivmcp_client::McpToolDefinition;

const RUNS: usize = 15;
/// The tenth thousand may take this many times as long as the first: larger tables miss the caches. A quadratic way
/// would take 19 times as long.
const LIMIT: f64 = 4.0;

/// How long each thousand took: when they were added, and on Ready.
fn register() -> [Vec<Duration>; 2] {
    let (silent, client) = support::connect();
    silent.begin();
    for number in 0..10_000 {
        let definition = McpToolDefinition::new(format!("tool_{number}"), "Reads something.").read_only(true);
        client.add_tool(definition, || Ok(1)).unwrap();
    }
    let added = silent.thousands();
    let ready = silent.ready.lock().unwrap().clone().unwrap();
    silent.begin();
    ready(&[]).unwrap();
    [added, silent.thousands()]
}

fn main() {
    let mut best = register();
    for _ in 1..RUNS {
        for (best, new) in best.iter_mut().zip(register()) {
            assert_eq!(best.len(), 10);
            for (best, new) in best.iter_mut().zip(new) {
                *best = new.min(*best);
            }
        }
    }
    for (what, thousands) in ["adding", "again on Ready"].into_iter().zip(&best) {
        let ratio = thousands[9].as_secs_f64() / thousands[0].as_secs_f64();
        println!(
            "{what}: the first thousand {:?}, ten thousand {:?}, the tenth by the first {ratio:.1} (limit {LIMIT})",
            thousands[0],
            thousands.iter().sum::<Duration>(),
        );
        assert!(ratio <= LIMIT, "{what}: the tenth thousand takes {ratio:.1} times as long as the first");
    }
}
