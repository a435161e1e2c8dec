//! Hello MCP's library, the one that ships, in the live mock host.

use std::path::PathBuf;

use serde_json::json;
use xivmcp_dalamud::host::PluginLibrary;
use xivmcp_mock_host::{Answer, MockHost, Plugin};

fn library() -> PathBuf {
    PluginLibrary::find("hello-mcp").expect("a dev-dependency is built")
}

fn loaded() -> (MockHost, Plugin) {
    let host = MockHost::live();
    let plugin = host.load_library("HelloMcp", library());
    host.player().enable(&plugin);
    host.player().answer_all(Answer::Once);
    (host, plugin)
}

#[test]
fn the_library_that_ships_offers_its_tools() {
    let (host, plugin) = loaded();
    let tools: Vec<String> = host.assistant().tools().iter().map(|tool| tool.name.clone()).collect();
    assert!(tools.contains(&String::from("hellomcp_greet")), "{tools:?}");
    let greeting = host.assistant().call("hellomcp_greet", json!({"name": "クポ"})).expect_result();
    assert!(greeting.to_string().contains("クポ"), "{greeting}");
    let printed = host.assistant().call("hellomcp_print", json!({"text": "through the library"}));
    assert_eq!(printed.expect_result(), json!({"printed": "through the library"}));
    assert!(host.dalamud().chat().iter().any(|line| line.text.contains("through the library")));
    plugin.unload();
    host.finish();
}

#[test]
fn it_ends_with_a_call_in_flight_and_loads_again() {
    let (host, plugin) = loaded();
    let call = host.assistant().call("hellomcp_countdown", json!({"seconds": 600}));
    host.wait_until(|| host.dalamud().chat().iter().any(|line| line.text.contains("599")));
    plugin.unload();
    assert!(call.wait().error().is_some());
    assert!(host.assistant().tools().is_empty());
    plugin.reload();
    let _greeting = host.assistant().call("hellomcp_greet", json!({})).expect_result();
    host.finish();
}

#[test]
#[should_panic(expected = "use MockHost::live()")]
fn a_simulated_host_does_not_take_a_library() {
    let _ = MockHost::simulated().load_library("HelloMcp", library());
}

#[test]
#[should_panic(expected = "HelloMcp cannot be loaded: there is no library no/such/library.so")]
fn a_library_that_is_not_there_is_named() {
    let _ = MockHost::live().load_library("HelloMcp", "no/such/library.so");
}

#[test]
fn a_host_that_is_dropped_ends_the_library_with_a_call_in_flight() {
    for _ in 0..10 {
        let (host, _plugin) = loaded();
        let _call = host.assistant().call("hellomcp_countdown", json!({"seconds": 600}));
        drop(host);
    }
}
