//! The plugin on the mock host: the same `start` as in the game.

use serde_json::json;
use xivmcp_mock_host::MockHost;

#[test]
fn an_assistant_gets_a_greeting() {
    let host = MockHost::simulated();
    let plugin = host.load_plugin("MyPlugin", my_plugin::start);
    host.player().enable(&plugin);
    let call = host.assistant().call("myplugin_greet", json!({"name": "Tataru"}));
    assert_eq!(call.expect_result(), json!({"greeting": "Hello, Tataru!"}));
}

#[test]
fn the_command_prints_where_the_plugin_stands() {
    let host = MockHost::simulated();
    let plugin = host.load_plugin("MyPlugin", my_plugin::start);
    host.player().enable(&plugin);
    host.dalamud().run_command("/myplugin");
    assert_eq!(host.dalamud().chat()[0].text, "XIV MCP: enabled");
}
