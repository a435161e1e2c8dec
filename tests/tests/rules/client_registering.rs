//! SPEC §11: connecting, tools, dependencies, status and requests, with the real client against this host.

use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use xivmcp_client::ipc::{IpcError, IpcTransport, IpcType, IpcValue};
use xivmcp_client::{
    AddToolError, ClientError, ClientHandle, DefinitionError, JobState, McpDependency, McpJob, McpJobStep,
    McpPermission, McpPluginState, McpToolDefinition, McpToolError, SchemaError, XivMcpClient,
};
use xivmcp_mock_host::{Answer, Plugin};

use crate::support::{NO_ARGS, Stage, acts, asked_by, load_built, names, reading, reads};

fn one() -> Result<u32, McpToolError> {
    Ok(1)
}

/// A plugin that writes down what was refused.
fn with_failures(host: &Stage, name: &str) -> (Plugin, ClientHandle, Arc<Mutex<Vec<String>>>) {
    let failed: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&failed);
    let (plugin, client) = load_built(
        host,
        name,
        move |builder| {
            let log = Arc::clone(&log);
            builder.on_registration_failed(move |failed| log.lock().unwrap().push(failed.to_string()))
        },
        |_, _| {},
    );
    (plugin, client, failed)
}

// R-CLI-1
#[test]
fn connecting_works_whether_or_not_the_host_is_there() {
    let host = Stage::new();
    host.dalamud().unload_host();
    let plugin = host.load("MyPlugin", |client: &XivMcpClient| client.add_tool(reads("myplugin_look"), one));
    let client = plugin.client();
    assert!(!client.is_available());
    // Its gates are there without the host.
    let other = host.raw("Other");
    let transport = other.plugin.transport();
    let arguments = ["0", "myplugin_look", "{}"].map(IpcValue::from);
    let invoke = |gate: &str| transport.call_function(gate, &arguments, IpcType::Text);
    assert_eq!(invoke("MyPlugin.XivMcp.Invoke"), Ok(r#"{"result":1}"#.into()));
    assert_eq!(transport.call_action("MyPlugin.XivMcp.Cancel", &["0".into()]), Ok(()));
    assert_eq!(host.dalamud().load_host(), ["MyPlugin"]);
    assert!(client.is_available());
    host.player().enable(&plugin);
    assert_eq!(host.assistant().call("myplugin_look", NO_ARGS).expect_result(), 1);
    assert_eq!(host.dalamud().unload_host(), ["MyPlugin"], "it hears Disposing too");
    host.dalamud().load_host();
    plugin.unload();
    assert!(matches!(invoke("MyPlugin.XivMcp.Invoke"), Err(IpcError::NotReady { .. })));
    let cancel = transport.call_action("MyPlugin.XivMcp.Cancel", &["0".into()]);
    assert!(matches!(cancel, Err(IpcError::NotReady { .. })));
    assert!(host.dalamud().unload_host().is_empty(), "and nobody listens");
}

// R-CLI-2
#[test]
fn tools_are_registered_now_and_again_on_ready_in_their_order_then_the_dependencies() {
    let host = Stage::new();
    let plugin = host.load("MyPlugin", |_: &XivMcpClient| Ok::<_, AddToolError>(()));
    let client = plugin.client();
    client.add_tool(reads("tool_c"), one).unwrap();
    client.uses_tools([McpDependency::built_in("navigate_to")]).unwrap();
    client.add_tool(reads("tool_a"), one).unwrap();
    client.add_tool(reads("tool_b"), one).unwrap();
    let deps = r#"DeclareDependencies {"tools":[{"tool":"navigate_to"}]}"#;
    let at_once = ["RegisterTool tool_c", deps, "RegisterTool tool_a", "RegisterTool tool_b"];
    assert_eq!(asked_by(&host, "MyPlugin"), at_once);

    // A name that is added again replaces the tool, in its place.
    client.add_tool(reads("tool_c"), || Ok(2)).unwrap();
    host.dalamud().unload_host();
    client.add_tool(reads("tool_d"), one).unwrap();
    let before = asked_by(&host, "MyPlugin").len();
    assert_eq!(before, 5, "nothing is asked of a host that is not there");
    host.dalamud().load_host();
    let again = ["RegisterTool tool_c", "RegisterTool tool_a", "RegisterTool tool_b", "RegisterTool tool_d", deps];
    assert_eq!(asked_by(&host, "MyPlugin")[before..], again);
    host.player().enable(&plugin);
    let listed: Vec<String> = host.assistant().tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(listed, ["tool_c", "tool_a", "tool_b", "tool_d"]);
    assert_eq!(host.assistant().call("tool_c", NO_ARGS).expect_result(), 2);
    assert_eq!(client.get_status().dependencies[0].tool, "navigate_to");
}

// R-CLI-13
#[test]
fn a_removed_tool_is_unregistered_and_forgotten_and_an_unknown_one_does_nothing() {
    let host = Stage::new();
    let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
        client.add_tool(reads("tool_a"), one)?;
        client.add_tool(reads("tool_b"), one)
    });
    let client = plugin.client();
    let before = asked_by(&host, "MyPlugin").len();
    assert!(!client.remove_tool("tool_x") && !client.remove_tool("") && !client.remove_tool("TOOL_A"));
    assert_eq!(asked_by(&host, "MyPlugin").len(), before);
    assert!(client.remove_tool("tool_a"));
    assert_eq!(asked_by(&host, "MyPlugin").last().unwrap(), "UnregisterTool tool_a");
    host.dalamud().unload_host();
    assert!(client.remove_tool("tool_b"));
    client.add_tool(reads("tool_c"), one).unwrap();
    host.dalamud().load_host();
    let tools: Vec<String> = client.get_status().tools.into_iter().map(|tool| tool.name).collect();
    assert_eq!(tools, ["tool_c"]);
}

#[derive(Deserialize, JsonSchema)]
struct Tree {
    children: Vec<Tree>,
}

// R-CLI-3
#[test]
fn what_can_be_known_without_the_host_is_an_error_of_the_method_and_nothing_is_kept() {
    let host = Stage::new();
    let (_plugin, client, failed) = with_failures(&host, "MyPlugin");
    let wrong = [
        reads("No Name"),
        McpToolDefinition::new("my_tool", " ").read_only(true),
        reads("my_tool").destructive(true),
        McpToolDefinition::new("my_tool", "d"),
        McpToolDefinition::new("my_tool", "d").capabilities(["fly"]),
        acts("my_tool").read_only(true),
        reads("my_tool").input_schema(xivmcp_client::JsonText::parse(r#"{"type":"string"}"#).unwrap()),
    ];
    for definition in wrong {
        let error = client.add_tool(definition.clone(), one).unwrap_err();
        assert!(matches!(&error, AddToolError::Definition { tool, .. } if *tool == definition.name), "{error:?}");
        names(&error.to_string(), &[&definition.name]);
        assert!(client.add_long_running_tool(definition, async || Ok(1)).is_err());
    }
    let error = client.add_tool(reads("my_tool"), |tree: Tree| Ok(tree.children.len())).unwrap_err();
    assert!(matches!(&error, AddToolError::Schema { error: SchemaError::Recursive { .. }, .. }), "{error:?}");
    for tools in [
        vec![McpDependency::built_in("No Name")],
        vec![McpDependency::built_in("wait"), McpDependency::built_in("wait")],
        vec![McpDependency::from_plugin("other_go", "No Name!", "Other", "official", "1.0")],
        vec![McpDependency::from_plugin("other_go", "Other", "Other", "http://example.com", "1.0")],
        vec![McpDependency::from_plugin("other_go", "Other", "Other", "official", "1")],
        (0..65)
            .map(|tool| McpDependency::from_plugin(format!("other_{tool}"), "Other", "O", "official", "1.0"))
            .collect(),
    ] {
        assert!(matches!(client.uses_tools(tools), Err(ClientError::Declaration(_))));
    }
    assert!(asked_by(&host, "MyPlugin").is_empty(), "nothing was sent");
    host.dalamud().unload_host();
    host.dalamud().load_host();
    assert!(asked_by(&host, "MyPlugin").is_empty(), "nothing was kept");
    assert!(failed.lock().unwrap().is_empty());
}

// R-CLI-3
#[test]
fn a_failed_replacement_leaves_the_tool_that_is_there() {
    let host = Stage::new();
    let plugin = host.load("MyPlugin", |client: &XivMcpClient| client.add_tool(reads("my_tool"), one));
    let error = plugin.client().add_tool(McpToolDefinition::new("my_tool", "d"), || Ok(2)).unwrap_err();
    assert!(matches!(error, AddToolError::Definition { error: DefinitionError::NoActingCapability { .. }, .. }));
    host.player().enable(&plugin);
    assert_eq!(host.assistant().call("my_tool", NO_ARGS).expect_result(), 1);
}

// R-CLI-3
#[test]
fn what_the_host_refuses_goes_to_the_callback_and_the_method_has_not_failed() {
    let host = Stage::new();
    let other = host.raw("Other");
    other.register(reading("other_look"));
    let (_plugin, client, failed) = with_failures(&host, "MyPlugin");
    client.add_tool(reads("other_look"), one).unwrap();
    client.add_tool(reads("navigate_to"), one).unwrap();
    client.uses_tools([McpDependency::built_in("navigate_too")]).unwrap();
    let expected = [
        format!("other_look: {}", other_words(&host, &reading("other_look"))),
        format!("navigate_to: {}", other_words(&host, &reading("navigate_to"))),
    ];
    assert_eq!(failed.lock().unwrap()[..2], expected, "the host's own words");
    let dependencies = failed.lock().unwrap()[2].clone();
    assert!(dependencies.starts_with("dependencies: "), "{dependencies}");
    names(&dependencies, &["navigate_too"]);
    // They are kept: the next host hears of them, and may see it otherwise.
    other.plugin.unload();
    host.dalamud().unload_host();
    host.dalamud().load_host();
    assert_eq!(client.get_status().tools[0].name, "other_look");
    assert_eq!(failed.lock().unwrap().len(), 5);
}

/// What the host says to a third plugin that registers this.
fn other_words(host: &Stage, definition: &serde_json::Value) -> String {
    let name = format!("Third{}", host.traffic().len());
    host.raw(&name).register_refused(definition.clone())
}

// R-CLI-3, R-CLI-12
#[test]
fn the_callback_may_add_a_tool_and_ask_the_client() {
    let host = Stage::new();
    host.raw("Other").register(reading("other_look"));
    let handle: Arc<Mutex<Option<ClientHandle>>> = Arc::default();
    let inside = Arc::clone(&handle);
    let (_plugin, client) = load_built(
        &host,
        "MyPlugin",
        move |builder| {
            let inside = Arc::clone(&inside);
            builder.on_registration_failed(move |_| {
                let client = inside.lock().unwrap().clone();
                let Some(client) = client else { return };
                client.add_tool(reads("my_look"), one).unwrap();
                assert!(client.is_available());
                client.remove_tool("other_look");
            })
        },
        |_, _| {},
    );
    *handle.lock().unwrap() = Some(client.clone());
    client.add_tool(reads("other_look"), one).unwrap();
    let tools: Vec<String> = client.get_status().tools.into_iter().map(|tool| tool.name).collect();
    assert_eq!(tools, ["my_look"]);
}

// R-CLI-7
#[test]
fn the_status_is_unavailable_and_empty_while_the_host_is_not_there() {
    let host = Stage::new();
    let plugin = host.load("MyPlugin", |client: &XivMcpClient| client.add_tool(acts("my_tool"), one));
    let client = plugin.client();
    let status = client.get_status();
    assert_eq!((&status.state, status.can_run(), status.tools.len()), (&McpPluginState::Undecided, false, 1));
    host.player().enable(&plugin);
    host.player().set_tool_mode(&plugin, "my_tool", "allow");
    let status = client.get_status();
    assert_eq!(
        (&status.state, status.can_run(), status.tool("my_tool")),
        (&McpPluginState::Enabled, true, Some(&McpPermission::Allow))
    );
    host.dalamud().unload_host();
    let status = client.get_status();
    assert_eq!((&status.state, status.can_run(), &status.suspend_reason), (&McpPluginState::Unavailable, false, &None));
    assert!(status.tools.is_empty() && status.capabilities.is_empty() && status.dependencies.is_empty());
    host.dalamud().load_host();
    assert_eq!(client.get_status().state, McpPluginState::Enabled);
}

// R-CLI-8
#[test]
fn requests_give_the_hosts_message_when_refused_and_not_ready_without_a_host() {
    let host = Stage::new();
    let plugin = host.load("MyPlugin", |client: &XivMcpClient| client.add_tool(acts("my_tool"), one));
    let client = plugin.client();
    assert_eq!(client.check_permission("combat"), Ok(McpPermission::Deny));
    let start = || client.start_job(McpJob::new("Job").step(McpJobStep::new("my_tool")));
    let refused = |error: ClientError, parts: &[&str]| match error {
        ClientError::Refused(refusal) => names(refusal.message(), parts),
        other => panic!("{other:?}"),
    };
    refused(start().unwrap_err(), &["enable"]);
    host.player().enable(&plugin);
    host.player().answer_all(Answer::Once);
    assert_eq!(client.check_permission("combat"), Ok(McpPermission::Ask));
    assert_eq!(client.check_permission("fly"), Ok(McpPermission::Deny));
    let unknown = McpJob::new("Job").step(McpJobStep::new("no_such_tool"));
    refused(client.start_job(unknown).unwrap_err(), &["no_such_tool"]);
    let job = start().unwrap();
    host.settle();
    assert_eq!(client.get_job(&job.id).unwrap().state, JobState::Completed);
    assert_eq!(client.list_jobs().unwrap().len(), 1);
    refused(client.pause_job(&job.id).unwrap_err(), &["completed"]);
    refused(client.resume_job(&job.id).unwrap_err(), &["completed"]);
    client.cancel_job(&job.id).unwrap();
    refused(client.get_job("nothing").unwrap_err(), &["nothing"]);
    refused(client.cancel_job("nothing").unwrap_err(), &["nothing"]);

    host.dalamud().unload_host();
    assert_eq!(client.check_permission("combat"), Err(ClientError::NotReady));
    assert_eq!(start().unwrap_err(), ClientError::NotReady);
    assert_eq!(client.get_job(&job.id).unwrap_err(), ClientError::NotReady);
    assert_eq!(client.list_jobs().unwrap_err(), ClientError::NotReady);
    for control in [ClientHandle::pause_job, ClientHandle::resume_job, ClientHandle::cancel_job] {
        assert_eq!(control(&client, &job.id), Err(ClientError::NotReady));
    }
    client.uses_tools([]).unwrap();
    host.dalamud().load_host();
}

// R-CLI-10
#[test]
fn arguments_of_job_steps_stay_as_the_author_wrote_them() {
    let host = Stage::new();
    let plugin = host.load("MyPlugin", |client: &XivMcpClient| client.add_tool(acts("my_tool"), one));
    host.player().enable(&plugin);
    host.player().answer_all(Answer::Once);
    host.player().set_group_write("game_navigation", "allow");
    #[derive(serde::Serialize)]
    struct Place {
        place_name: &'static str,
        nested_part: Vec<u8>,
    }
    let step = McpJobStep::new("navigate_to").args(Place { place_name: "Ul'dah", nested_part: vec![1] });
    plugin.client().start_job(McpJob::new("Go").step(step)).unwrap();
    host.settle();
    let args: serde_json::Value = serde_json::from_str(host.builtin("navigate_to").calls()[0].args.get()).unwrap();
    assert_eq!(args, json!({"place_name": "Ul'dah", "nested_part": [1]}));
}
