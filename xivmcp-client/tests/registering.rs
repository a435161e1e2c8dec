//! Connecting, tools, dependencies, status and jobs: what the client tells the host, and what it tells the author.

mod support;

use std::sync::{Arc, Mutex};

use serde_json::json;
use support::{Host, PLUGIN, reading};
use xivmcp_client::protocol::envelope;
use xivmcp_client::{
    AddToolError, ClientError, JobState, McpCapabilities, McpDependency, McpJob, McpJobStep, McpPermission,
    McpPluginState, McpToolDefinition, XivMcpClient,
};

fn one() -> Result<u32, xivmcp_client::McpToolError> {
    Ok(1)
}

fn failures(host: &Arc<Host>) -> (XivMcpClient, Arc<Mutex<Vec<String>>>) {
    let failed = Arc::new(Mutex::new(Vec::new()));
    let log = failed.clone();
    let client = XivMcpClient::builder(host.clone())
        .on_registration_failed(move |failed| log.lock().unwrap().push(failed.to_string()))
        .connect()
        .unwrap();
    (client, failed)
}

// R-CLI-1
#[test]
fn connecting_works_without_a_host_and_takes_everything_away_again() {
    let host = Host::new();
    host.gates_go();
    let client = host.client();
    let gates = ["MyPlugin.XivMcp.Cancel", "MyPlugin.XivMcp.Invoke", "XivMcp.Disposing", "XivMcp.Ready"];
    assert_eq!(host.provided(), gates);
    assert!(!client.is_available());
    drop(client);
    assert!(host.provided().is_empty());
}

// R-CLI-2
#[test]
fn a_tool_is_registered_at_once_and_all_again_in_their_order_when_a_host_loads() {
    let host = Host::new();
    let client = host.client();
    client.add_tool(reading("tool_b"), one).unwrap();
    client.add_tool(reading("tool_a"), one).unwrap();
    client.uses_tools([McpDependency::built_in("navigate_to")]).unwrap();
    client.add_tool(reading("tool_c"), one).unwrap();
    client.add_tool(reading("tool_b"), || Ok(2)).unwrap();
    assert_eq!(host.heard().len(), 5);
    assert_eq!(host.tools(), ["tool_b", "tool_a", "tool_c"]);

    host.unload();
    client.add_tool(reading("tool_d"), one).unwrap();
    host.load();
    let heard = host.heard();
    let names = ["tool_b", "tool_a", "tool_c", "tool_d"];
    for (heard, name) in heard.iter().zip(names) {
        assert!(heard.starts_with(&format!("RegisterTool {PLUGIN} {{\"name\":\"{name}\"")), "{heard}");
    }
    assert_eq!(heard[4], r#"DeclareDependencies MyPlugin {"tools":[{"tool":"navigate_to"}]}"#);
    assert_eq!(heard.len(), 5);
    assert_eq!(host.invoke("1", "tool_b", "{}"), json!({ "result": 2 }));
}

// R-CLI-2
#[test]
fn a_host_that_is_too_old_hears_nothing() {
    let host = Host::new();
    host.set_version(1);
    let client = host.client();
    client.add_tool(reading("tool_a"), one).unwrap();
    client.remove_tool("tool_a");
    assert!(host.heard().is_empty());
    assert!(!client.is_available());
    assert!(matches!(client.list_jobs(), Err(ClientError::TooOld { version: 1 })));
    host.set_version(3);
    assert!(client.is_available());
}

// R-CLI-13
#[test]
fn a_removed_tool_is_unregistered_and_an_unknown_one_does_nothing() {
    let host = Host::new();
    let client = host.client();
    client.add_tool(reading("tool_a"), one).unwrap();
    assert!(client.remove_tool("tool_a"));
    assert!(!client.remove_tool("tool_a"));
    assert_eq!(host.heard()[1..], ["UnregisterTool MyPlugin tool_a"]);
    host.load();
    assert!(host.tools().is_empty());
    let reply = host.invoke("1", "tool_a", "{}");
    assert_eq!(reply, json!({ "error": "This plugin has no tool named \"tool_a\"." }));
}

// R-CLI-3
#[test]
fn what_can_be_known_without_the_host_is_an_error_and_nothing_is_kept() {
    let host = Host::new();
    let client = host.client();
    let acting = McpToolDefinition::new("tool_a", "Acts.");
    assert!(matches!(client.add_tool(acting, one), Err(AddToolError::Definition { tool, .. }) if tool == "tool_a"));
    let error = client.add_tool(reading("Tool A"), one).unwrap_err();
    assert!(error.to_string().contains("\"Tool A\""), "{error}");
    let root = client.add_tool(reading("tool_a"), |_: String| Ok(1)).unwrap_err();
    assert!(matches!(root, AddToolError::Schema { .. }), "{root}");
    let double = [McpDependency::built_in("wait"), McpDependency::built_in("wait")];
    assert!(matches!(client.uses_tools(double), Err(ClientError::Declaration(_))));
    assert!(host.heard().is_empty());
    host.load();
    assert!(host.heard().is_empty());
}

// R-CLI-3
#[test]
fn a_schema_text_that_is_no_json_is_an_error_with_tool_and_place_and_nothing_is_kept() {
    let host = Host::new();
    let client = host.client();
    // It counts before a schema that could be derived.
    let broken = || reading("my_tool").input_schema_text("{\n  \"type\": object }");
    let error = client.add_tool(broken(), |_: serde_json::Map<String, serde_json::Value>| one()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the tool \"my_tool\" cannot be added: `inputSchema` is not valid JSON: expected value at line 2 column 11"
    );
    assert!(client.add_long_running_tool(broken(), async || one()).is_err());
    assert!(host.heard().is_empty() && host.tools().is_empty());
    // A text that is JSON is sent byte for byte.
    let text = r#"{ "type": "object", "maximum": 1.50 }"#;
    client.add_tool(broken().input_schema_text(text), one).unwrap();
    assert!(host.heard()[0].contains(text));
}

// R-CLI-3
#[test]
fn what_the_host_refuses_reaches_the_callback_which_may_use_the_client() {
    let host = Host::new();
    let (client, failed) = failures(&host);
    host.script(|gate, arguments| match gate {
        "RegisterTool" if arguments[1].contains("taken_tool") => Some(envelope::error("`taken_tool` is of XIV MCP.")),
        "DeclareDependencies" => Some(envelope::error("no such tool")),
        _ => None,
    });
    client.add_tool(reading("taken_tool"), one).unwrap();
    client.uses_tools([McpDependency::built_in("nothing")]).unwrap();
    assert_eq!(*failed.lock().unwrap(), ["taken_tool: `taken_tool` is of XIV MCP.", "dependencies: no such tool"]);

    // R-CLI-12: a callback that adds, removes and panics.
    let own = Arc::new(Mutex::new(None::<xivmcp_client::ClientHandle>));
    let inside = own.clone();
    let other = XivMcpClient::builder(host.clone())
        .on_registration_failed(move |_| {
            let client = inside.lock().unwrap().clone().unwrap();
            client.add_tool(reading("instead_tool"), one).unwrap();
            client.remove_tool("taken_tool");
            panic!("on purpose");
        })
        .connect()
        .unwrap();
    *own.lock().unwrap() = Some(other.handle());
    host.heard();
    other.add_tool(reading("taken_tool"), one).unwrap();
    let heard: Vec<String> = host.heard().iter().map(|line| line.split(",\"desc").next().unwrap().to_owned()).collect();
    assert_eq!(
        heard,
        [
            r#"RegisterTool MyPlugin {"name":"taken_tool""#,
            r#"RegisterTool MyPlugin {"name":"instead_tool""#,
            "UnregisterTool MyPlugin taken_tool",
        ]
    );
    assert_eq!(other.pending().registrations, 0);
}

// R-CLI-2, R-CLI-12: the host loads while a tool is being registered.
#[test]
fn a_ready_inside_a_registration_registers_everything_once_more() {
    let host = Host::new();
    let client = host.client();
    client.add_tool(reading("tool_a"), one).unwrap();
    let inner = Arc::downgrade(&host);
    let once = Mutex::new(true);
    host.script(move |gate, _| {
        if gate == "RegisterTool" && std::mem::take(&mut *once.lock().unwrap()) {
            inner.upgrade().unwrap().load();
        }
        None
    });
    client.add_tool(reading("tool_b"), one).unwrap();
    assert_eq!(host.tools(), ["tool_b", "tool_a"], "tool_b was under way when the host began anew");
    assert_eq!(client.pending().registrations, 0);
}

#[test]
fn a_host_that_goes_in_the_middle_hears_the_rest_when_it_is_back() {
    let host = Host::new();
    let client = host.client();
    for name in ["tool_a", "tool_b", "tool_c"] {
        client.add_tool(reading(name), one).unwrap();
    }
    let inner = Arc::downgrade(&host);
    host.script(move |gate, arguments| {
        if gate == "RegisterTool" && arguments[1].contains("tool_b") {
            inner.upgrade().unwrap().gates_go();
        }
        None
    });
    host.load();
    host.script(|_, _| None);
    assert_eq!(client.pending().registrations, 0);
    host.load();
    assert_eq!(host.tools(), ["tool_a", "tool_b", "tool_c"]);
}

// R-CLI-2
#[test]
fn a_registration_that_an_older_host_missed_throws_away_nothing_for_the_new_one() {
    let host = Host::new();
    let client = host.client();
    for name in ["tool_a", "tool_b"] {
        client.add_tool(reading(name), one).unwrap();
    }
    let inner = Arc::downgrade(&host);
    host.interrupt_registration(move || inner.upgrade().unwrap().load());
    client.add_tool(reading("tool_c"), one).unwrap();
    assert_eq!(host.tools(), ["tool_a", "tool_b", "tool_c"]);
}

// R-CLI-7
#[test]
fn the_status_is_unavailable_without_a_host_and_careful_about_what_it_does_not_know() {
    let host = Host::new();
    let client = host.client();
    host.script(|gate, _| {
        (gate == "GetStatus").then(|| {
            envelope::ok(&json!({
                "state": "enabled", "canRun": true, "suspendReason": null, "new": 1,
                "tools": [{ "name": "tool_a", "mode": "perhaps", "own": false }],
                "capabilities": [{ "id": "time_travel", "mode": "ask" }],
                "dependencies": [{ "tool": "wait", "plugin": null, "state": "ok", "message": "Ready.", "install": [] }],
            }))
        })
    });
    let status = client.get_status();
    assert!(status.can_run());
    assert_eq!(status.tool("tool_a"), Some(&McpPermission::Deny));
    assert_eq!(status.capability(&McpCapabilities::from("time_travel")), Some(&McpPermission::Ask));
    assert!(status.dependencies[0].is_ok());

    host.script(|gate, _| (gate == "GetStatus").then(|| envelope::ok(&json!({ "state": "confused" }))));
    assert_eq!(client.get_status().state, McpPluginState::Unavailable);
    host.script(|_, _| Some("no JSON".to_owned()));
    assert_eq!(client.get_status().state, McpPluginState::Unavailable);
    host.set_version(1);
    assert_eq!(client.get_status().state, McpPluginState::Unavailable);
    host.unload();
    assert_eq!(client.get_status().state, McpPluginState::Unavailable);
    assert!(client.get_status().tools.is_empty());
}

// R-CLI-8
#[test]
fn requests_give_the_hosts_message_or_not_ready_or_what_was_no_reply() {
    let host = Host::new();
    let client = host.client();
    host.script(|gate, arguments| {
        let job = json!({ "id": "0123abcd", "name": "Farm [My Plugin]", "state": "sleeping", "progress": "0/1",
            "created": "2026-01-01T00:00:00Z", "updated": "2026-01-01T00:00:00Z", "mood": "good" });
        Some(match gate {
            "CheckPermission" => {
                envelope::ok(&json!({ "capability": arguments[1], "mode": "odd", "state": "enabled" }))
            }
            "GetJob" => envelope::ok(&json!({ "job": job })),
            "ListJobs" => envelope::ok(&json!({ "jobs": [job] })),
            "StartJob" => envelope::error("`myplugin_none` is no tool."),
            "PauseJob" => "[]".to_owned(),
            _ => envelope::ok(&json!({})),
        })
    });
    assert_eq!(client.check_permission(McpCapabilities::Combat), Ok(McpPermission::Deny));
    let job = client.get_job("0123abcd").unwrap();
    assert_eq!((job.state, &job.extra["mood"]), (JobState::from("sleeping"), &json!("good")));
    assert_eq!(client.list_jobs().unwrap().len(), 1);
    let start = McpJob::new("Farm").step(McpJobStep::new("myplugin_none"));
    assert!(
        matches!(client.start_job(&start), Err(ClientError::Refused(no)) if no.message() == "`myplugin_none` is no tool.")
    );
    assert!(matches!(client.pause_job("0123abcd"), Err(ClientError::Malformed(_))));
    assert_eq!(client.resume_job("0123abcd"), Ok(()));
    assert_eq!(client.cancel_job("0123abcd"), Ok(()));
    assert_eq!(host.heard()[6..], ["CancelJob 0123abcd"]);
    host.unload();
    assert_eq!(client.check_permission("combat"), Err(ClientError::NotReady));
    assert_eq!(client.start_job(&start), Err(ClientError::NotReady));
    assert_eq!(client.cancel_job("0123abcd"), Err(ClientError::NotReady));
}

#[test]
fn a_job_that_is_wrong_in_itself_is_not_sent() {
    let host = Host::new();
    let client = host.client();
    assert!(matches!(client.start_job(McpJob::new("Empty")), Err(ClientError::Job(_))));
    assert!(host.heard().is_empty());
}

// R-CLI-10: arguments of job steps stay exactly as they are.
#[test]
fn arguments_of_steps_keep_their_names() {
    let host = Host::new();
    let client = host.client();
    let job =
        McpJob::new("Go").step(McpJobStep::new("navigate_to").args(json!({ "place_name": "Gridania" })).note("n"));
    client.start_job(&job).unwrap_err();
    let sent = r#"StartJob MyPlugin {"name":"Go","steps":[{"tool":"navigate_to","args":{"place_name":"Gridania"},"note":"n"}]}"#;
    assert_eq!(host.heard(), [sent]);
}
