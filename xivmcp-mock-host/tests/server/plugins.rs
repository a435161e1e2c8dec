//! What a plugin does wrong costs only its own call.

use serde_json::json;
use xivmcp_mock_host::server::Options;

use crate::http::{App, rest};
use crate::{said, serve_and_keep, serve_plugin};

#[test]
fn a_plugin_that_panics_costs_only_its_own_call() {
    let server = serve_plugin(Options::new());
    let app = App::initialized(&server, "tester");
    let answer = app.call("myplugin_panic", &json!({}));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("on purpose"), "{answer}");
    assert_eq!(said(&app.call("myplugin_ping", &json!({}))), "pong");
}

#[test]
fn calls_that_hang_delay_no_other() {
    let (server, plugin) = serve_and_keep(Options::new());
    let app = App::initialized(&server, "tester");
    let hanging: Vec<_> = (100..140)
        .map(|id| app.begin(id, "tools/call", &json!({ "name": "myplugin_hang", "arguments": {} })))
        .collect();
    server.host().wait_until(|| server.host().pending().calls == hanging.len());
    assert_eq!(said(&app.call("myplugin_ping", &json!({}))), "pong");
    assert!(!app.tools().is_empty());
    plugin.unload();
    for call in hanging {
        let answer = rest(call).message();
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
}

#[test]
fn stopping_the_server_ends_calls_that_hang() {
    let server = serve_plugin(Options::new());
    let app = App::initialized(&server, "tester");
    let _call = app.begin(1, "tools/call", &json!({ "name": "myplugin_hang", "arguments": {} }));
    server.host().wait_until(|| server.host().pending().calls == 1);
    assert_eq!(server.stop(), [""; 0]);
}
