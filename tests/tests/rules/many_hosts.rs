//! Hosts share nothing: a thousand in one process, 32 at a time, each as if it were alone.

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;
use xivmcp_client::{AddToolError, McpCall, McpCapabilities, McpToolDefinition, XivMcpClient};
use xivmcp_mock_host::{Answer, MockHost};

use crate::support::Stage;

const HOSTS: usize = 1_000;

/// A session that depends on the seed; everything that can be seen of it.
fn session(seed: usize) -> String {
    let host = Stage::of(MockHost::simulated_with_seed(seed as u64));
    let name = format!("Plugin{seed}");
    let tools = 1 + seed % 3;
    let plugin = host.load(&name, move |client: &XivMcpClient| -> Result<(), AddToolError> {
        for tool in 0..tools {
            let definition = McpToolDefinition::new(format!("plugin{seed}_rest_{tool}"), "Rests.");
            let seconds = 1 + (seed * 7 + tool) % 50;
            client.add_long_running_tool(
                definition.capabilities([McpCapabilities::GameUi]),
                async move |call: McpCall| {
                    call.sleep(Duration::from_secs(seconds as u64)).await?;
                    call.progress("half");
                    if !call.request_approval(McpCapabilities::GameUi, format!("Rest {seconds} s more.")).await? {
                        return Ok(json!({"said": "no"}));
                    }
                    call.sleep(Duration::from_secs(seconds as u64)).await?;
                    Ok(json!({"rested": 2 * seconds}))
                },
            )?;
        }
        Ok(())
    });
    let mut seen = String::new();
    host.player().enable(&plugin);
    host.player().answer_all([Answer::Once, Answer::Session, Answer::Denied][seed % 3]);
    let calls: Vec<_> = host.at_once(|| {
        (0..tools)
            .map(|tool| host.assistant().call(&format!("plugin{seed}_rest_{tool}"), json!({"seed": seed})))
            .collect()
    });
    if seed.is_multiple_of(5) {
        host.advance(Duration::from_secs(2));
        calls[0].give_up();
    }
    for call in &calls {
        writeln!(seen, "{}: {}", call.id(), call.wait()).unwrap();
    }
    writeln!(seen, "{:?} {:?}\n{:?}", host.elapsed(), host.player().asked(), host.audit()).unwrap();
    for entry in host.traffic() {
        writeln!(seen, "{entry}").unwrap();
    }
    seen
}

// What one host does is no other's business.
#[test]
fn a_thousand_hosts_32_at_a_time_do_the_same_as_each_alone() {
    let alone: Vec<String> = (0..HOSTS).map(session).collect();
    assert_ne!(alone[0], alone[1]);
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= HOSTS {
                        break;
                    }
                    assert_eq!(session(seed), alone[seed], "the host with seed {seed}");
                }
            });
        }
    });
}
