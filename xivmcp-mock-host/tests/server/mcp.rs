//! tools/list and tools/call, sessions, and how a call is cancelled.

use serde_json::json;
use xivmcp_client::XivMcpClient;
use xivmcp_mock_host::server::Options;
use xivmcp_mock_host::{Answer, AuditEntry, ReportedEnd};

use crate::http::{App, hang_up, read_until, rest};
use crate::{said, serve_plugin};

#[test]
fn an_app_finds_the_tools_and_calls_one() {
    let server = serve_plugin(Options::new());
    let app = App::initialized(&server, "tester");
    let tools = app.tools();
    let ping = tools.iter().find(|tool| tool["name"] == "myplugin_ping").expect("the plugin's tool");
    assert!(ping["description"].as_str().unwrap().starts_with("[From the plugin MyPlugin"), "{ping}");
    assert_eq!(ping["annotations"], json!({ "readOnlyHint": true, "destructiveHint": false, "openWorldHint": false }));
    assert_eq!(ping["inputSchema"]["type"], "object");
    for tool in ["start_job", "list_jobs", "get_job", "update_job", "pause_job", "resume_job", "cancel_job", "wait"] {
        assert!(tools.iter().any(|listed| listed["name"] == tool), "{tool}");
    }

    let answer = app.call("myplugin_ping", &json!({}));
    assert_eq!(answer["result"]["content"].as_array().unwrap().len(), 1);
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("from the plugin MyPlugin"));
    assert_eq!(said(&answer), "pong");
    assert_eq!(answer["result"]["isError"], false);
    assert!(answer["result"].get("structuredContent").is_none());
    assert_eq!(server.host().audit()[0].caller, "assistant:tester");
    assert_eq!(server.stop(), [""; 0]);
}

// R-CALL-5
#[test]
fn arguments_reach_the_tool_byte_for_byte() {
    let server = serve_plugin(Options::new());
    let sent = r#"{"z":1.50,"a":[1e2, 12345678901234567890123],"ü":"\u00fc"}"#;
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"myplugin_echo","arguments":{sent}}}}}"#
    );
    for app in [App::initialized(&server, "tester"), App::without_session(&server)] {
        assert_eq!(said(&app.post_text(&body).message()), sent);
    }
}

#[test]
fn what_goes_wrong_is_a_result_that_the_assistant_can_read_but_an_unknown_tool_is_an_error_of_mcp() {
    let server = serve_plugin(Options::new());
    let app = App::initialized(&server, "tester");
    let failed = app.call("myplugin_fail", &json!({}));
    assert_eq!(failed["result"]["isError"], true);
    assert_eq!(failed["result"]["content"][0]["text"], "the bags are full");
    server.host().player().keep_disabled("MyPlugin");
    let refused = app.call("myplugin_ping", &json!({}));
    assert_eq!(refused["result"]["isError"], true);
    assert!(refused["result"]["content"][0]["text"].as_str().unwrap().contains("MyPlugin"), "{refused}");
    let unknown = app.call("no_such_tool", &json!({}));
    assert_eq!(unknown["error"]["code"], -32602);
    assert!(unknown["error"]["message"].as_str().unwrap().contains("no_such_tool"), "{unknown}");
}

// R-CALL-11
#[test]
fn a_long_result_is_cut() {
    let server = serve_plugin(Options::new());
    let answer = App::initialized(&server, "tester").call("myplugin_long", &json!({}));
    assert_eq!(said(&answer).matches('x').count(), 30_000);
}

#[test]
fn a_request_without_a_session_is_served_and_one_with_an_unknown_session_is_told_to_initialize() {
    let server = serve_plugin(Options::new());
    let answer = App::without_session(&server).call("myplugin_ping", &json!({}));
    assert_eq!(said(&answer), "pong");
    assert_eq!(server.host().audit()[0].caller, "assistant");
    let app = App::with_session(&server, "of-yesterday");
    let answer = app.post(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
    assert_eq!(answer.status, 404);
}

#[test]
fn apps_are_told_that_a_plugin_has_come() {
    let server = serve_plugin(Options::new());
    let app = App::initialized(&server, "tester");
    let mut notifications = app.listen();
    read_until(&mut notifications, "\r\n\r\n");
    let other = server.host().load("Other", |client: &XivMcpClient| {
        let definition = xivmcp_client::McpToolDefinition::new("other_ping", "Answers.").read_only(true);
        client.add_tool(definition, || Ok("pong"))
    });
    server.host().player().enable(&other);
    read_until(&mut notifications, "notifications/tools/list_changed");
    assert!(app.tools().iter().any(|tool| tool["name"] == "other_ping"));
}

/// The lifecycle without sessions: every request says who it is, and a subscription is a request.
#[test]
fn apps_of_the_newer_lifecycle_subscribe_to_changes() {
    let server = serve_plugin(Options::new());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "newer", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let ask = |method: &str, name: &str, mut params: serde_json::Value| {
        params["_meta"] = meta.clone();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let bearer = format!("Bearer {}", server.token().unwrap());
        let mut headers = vec![
            ("Authorization", &*bearer),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
            ("Mcp-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
        ];
        if !name.is_empty() {
            headers.push(("Mcp-Name", name));
        }
        crate::http::open(&server, crate::http::request(&server, "POST", "/mcp", &headers, &body).as_bytes())
    };
    let discovered = rest(ask("server/discover", "", json!({}))).message();
    assert!(discovered["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")));
    let called = ask("tools/call", "myplugin_ping", json!({ "name": "myplugin_ping", "arguments": {} }));
    assert_eq!(said(&rest(called).message()), "pong");
    assert_eq!(server.host().audit()[0].caller, "assistant:newer");

    let mut changes = ask("subscriptions/listen", "", json!({ "notifications": { "toolsListChanged": true } }));
    read_until(&mut changes, "notifications/subscriptions/acknowledged");
    server.host().player().keep_disabled("MyPlugin");
    read_until(&mut changes, "notifications/tools/list_changed");
}

fn hanging(server: &xivmcp_mock_host::server::Server) -> Option<AuditEntry> {
    server.host().audit().into_iter().find(|entry| entry.tool == "myplugin_hang")
}

/// Whether the plugin has got its call.
fn runs(server: &xivmcp_mock_host::server::Server) -> bool {
    let invokes = server.host().traffic().iter().filter(|entry| entry.gate.ends_with(".Invoke")).count();
    invokes > server.host().audit().iter().filter(|entry| entry.outcome.is_some()).count()
}

// R-CALL-9
#[test]
fn an_app_that_cancels_cancels_its_call() {
    let server = serve_plugin(Options::new());
    let app = App::initialized(&server, "tester");
    let _call = app.begin(21, "tools/call", &json!({ "name": "myplugin_hang", "arguments": {} }));
    server.host().wait_until(|| runs(&server));
    let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 21 } });
    assert_eq!(app.post(&cancelled).status, 202);
    server.host().wait_until(|| hanging(&server).is_some());
    assert_eq!(hanging(&server).unwrap().outcome, Some(ReportedEnd::Cancelled));
}

// R-CALL-9
#[test]
fn an_app_that_hangs_up_cancels_its_call() {
    let server = serve_plugin(Options::new());
    for app in [App::initialized(&server, "tester"), App::without_session(&server)] {
        let call = app.begin(1, "tools/call", &json!({ "name": "myplugin_hang", "arguments": {} }));
        server.host().wait_until(|| runs(&server));
        hang_up(&call);
        server.host().wait_until(|| server.host().pending().calls == 0);
        assert_eq!(hanging(&server).unwrap().outcome, Some(ReportedEnd::Cancelled));
    }
}

// R-CALL-9
#[test]
fn an_app_cancels_calls_of_its_own_session_only() {
    let server = serve_plugin(Options::new());
    let (one, other) = (App::initialized(&server, "one"), App::initialized(&server, "other"));
    let _call = one.begin(21, "tools/call", &json!({ "name": "myplugin_hang", "arguments": {} }));
    server.host().wait_until(|| runs(&server));
    let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 21 } });
    assert_eq!(other.post(&cancelled).status, 202);
    // Whatever the notification did is done before this is answered.
    assert_eq!(said(&other.call("myplugin_ping", &json!({}))), "pong");
    assert_eq!(server.host().pending().calls, 1);
    assert_eq!(one.post(&cancelled).status, 202);
    server.host().wait_until(|| server.host().pending().calls == 0);
}

// R-CALL-9
#[test]
fn a_session_that_ends_cancels_its_calls() {
    let server = serve_plugin(Options::new());
    let app = App::initialized(&server, "tester");
    let call = app.begin(1, "tools/call", &json!({ "name": "myplugin_hang", "arguments": {} }));
    server.host().wait_until(|| runs(&server));
    assert_eq!(app.end().status, 204);
    server.host().wait_until(|| hanging(&server).is_some());
    assert_eq!(hanging(&server).unwrap().outcome, Some(ReportedEnd::Cancelled));
    assert!(!rest(call).body.contains("jsonrpc"), "who has cancelled gets no answer");
    assert_eq!(app.post(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })).status, 404);
}

/// What nearly every app sends has a short way through the endpoint. What is right but unusual has a longer one.
#[test]
fn an_unusual_call_is_answered_like_a_usual_one() {
    let server = serve_plugin(Options::new());
    let app = App::initialized(&server, "tester");
    let body = |meta: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":"x","method":"tools/call",
                 "params":{{"name":"myplugin_echo","arguments":{{"z":1.50,"a":[]}}{meta}}}}}"#
        )
    };
    let usual = app.post_text(&body("")).message();
    assert_eq!(said(&usual), r#"{"z":1.50,"a":[]}"#);
    let own_meta = r#","_meta":{"example.com/trace":"7"}"#;
    assert_eq!(app.post_text(&body(own_meta)).message(), usual);
    for header in [
        ("Content-Type", "application/json; charset=utf-8"),
        ("Accept", "application/json;q=0.9, text/event-stream;q=0.8"),
        ("Mcp-Protocol-Version", "2025-03-26"),
    ] {
        assert_eq!(app.post_with(&[header], &body("")).message(), usual, "{header:?}");
    }
    let audit = server.host().audit();
    assert!(audit.iter().all(|entry| entry.caller == "assistant:tester"), "{audit:?}");
    for (header, status) in [
        (("Content-Type", "text/plain"), 415),
        (("Accept", "application/json"), 406),
        (("Mcp-Protocol-Version", "1999-01-01"), 400),
    ] {
        assert_eq!(app.post_with(&[header], &body("")).status, status, "{header:?}");
    }
}

#[test]
fn a_call_that_takes_long_is_answered_on_a_stream_that_is_open_before() {
    let server = serve_plugin(Options::new());
    server.host().player().set_mode("MyPlugin", "game_ui", "ask");
    let app = App::initialized(&server, "tester");
    let mut call = app.begin(1, "tools/call", &json!({ "name": "myplugin_hang", "arguments": {} }));
    let head = read_until(&mut call, "\r\n\r\n");
    assert!(head.contains("text/event-stream"), "{head}");
    let host = server.host();
    host.wait_until(|| host.player().questions().len() == 1);
    host.player().answer(Answer::Denied);
    read_until(&mut call, "\"isError\":true");
}

// R-CALL-9
#[test]
fn a_call_that_waits_for_the_player_is_cancelled_too() {
    let server = serve_plugin(Options::new());
    server.host().player().set_mode("MyPlugin", "game_ui", "ask");
    let app = App::initialized(&server, "tester");
    let call = app.begin(1, "tools/call", &json!({ "name": "myplugin_hang", "arguments": {} }));
    server.host().wait_until(|| server.host().player().questions().len() == 1);
    hang_up(&call);
    server.host().wait_until(|| server.host().player().questions().is_empty());
    assert_eq!(server.host().pending().calls, 0);
}

#[test]
fn everything_can_be_enabled_and_answered_by_itself() {
    let server = serve_plugin(Options::new().enable_all().answer(Answer::Denied));
    let host = server.host();
    host.load("Later", |client: &XivMcpClient| {
        let acts = xivmcp_client::McpToolDefinition::new("later_go", "Goes.");
        client.add_tool(acts.capabilities([xivmcp_client::McpCapabilities::Combat]), || Ok("gone"))
    });
    let app = App::initialized(&server, "tester");
    host.wait_until(|| host.assistant().tool("later_go").is_some());
    assert_eq!(app.call("later_go", &json!({}))["result"]["isError"], true);
    assert_eq!(host.player().asked().len(), 1);
}
