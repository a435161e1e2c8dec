//! SPEC §3: owners.

use serde_json::json;
use xivmcp_client::PluginContext;
use xivmcp_client::ipc::{IpcError, IpcTransport, IpcType, IpcValue};

use crate::support::{NO_ARGS, Stage, acting, names, reading};

/// The gates that take an owner, with what else they need.
fn owner_gates() -> Vec<(&'static str, Vec<serde_json::Value>)> {
    vec![
        ("RegisterTool", vec![reading("my_tool")]),
        ("UnregisterTool", vec![json!("my_tool")]),
        ("UnregisterAll", vec![]),
        ("GetStatus", vec![]),
        ("DeclareDependencies", vec![json!({"tools": []})]),
        ("CheckPermission", vec![json!("game_ui")]),
    ]
}

fn with_owner(owner: &str, rest: &[serde_json::Value]) -> Vec<serde_json::Value> {
    [&[json!(owner)], rest].concat()
}

// R-OWN-1
#[test]
fn the_owner_is_compared_without_case_and_the_installed_spelling_counts() {
    let host = Stage::new();
    let raw = host.raw("MyPlugin");
    for owner in ["MyPlugin", "myplugin", "MYPLUGIN"] {
        for (gate, rest) in owner_gates() {
            raw.ok(gate, &with_owner(owner, &rest));
        }
    }
    raw.ok("RegisterTool", &[json!("mYpLuGiN"), reading("myplugin_look")]);
    raw.replies(r#"{"result":1}"#); // at MyPlugin.XivMcp.Invoke
    host.player().enable("MYPLUGIN");
    assert_eq!(host.assistant().tools()[0].plugin.as_deref(), Some("MyPlugin"));
    assert_eq!(host.assistant().call("myplugin_look", NO_ARGS).expect_result(), 1);
    assert_eq!(host.audit_of("MyPlugin")[0].plugin, "MyPlugin");
}

// R-OWN-1
#[test]
fn a_plugin_registers_from_its_constructor_before_it_counts_as_loaded() {
    let host = Stage::new();
    let plugin = host.load_plugin("MyPlugin", |context: PluginContext| {
        let arguments = ["MyPlugin".into(), reading("myplugin_look").to_string().into()];
        let reply = context.transport.call_function("XivMcp.RegisterTool", &arguments, IpcType::Text)?;
        Ok::<_, IpcError>(reply)
    });
    let reply: serde_json::Value =
        plugin.with(|reply: &IpcValue| serde_json::from_str(reply.as_text().unwrap()).unwrap());
    assert_eq!((&reply["ok"], &reply["name"]), (&json!(true), &json!("myplugin_look")));
    host.player().enable(&plugin);
    assert_eq!(host.assistant().tools().len(), 1);
}

// R-OWN-2
#[test]
fn blank_owners_unknown_plugins_and_xiv_mcp_itself_are_refused() {
    let host = Stage::new();
    let raw = host.raw("MyPlugin");
    for owner in
        ["", " ", "\t\n", "XivMcp", "xivmcp", "XIVMCP", "Nobody", "MyPlugin ", " MyPlugin", "MyPlugi", "MyPlugin2"]
    {
        for (gate, rest) in owner_gates() {
            let error = raw.refused(gate, &with_owner(owner, &rest));
            names(&error, &["owner", owner.trim()]);
        }
    }
    assert_eq!(raw.status()["tools"], json!([]));
    // It is there, and no plugin: another reason than that of a plugin that is not installed.
    for owner in ["XivMcp", "xivmcp"] {
        let error = raw.refused("GetStatus", &[json!(owner)]);
        assert!(error.contains("XIV MCP") && !error.contains("installed"), "{error}");
    }
}

// R-OWN-3
#[test]
fn another_plugins_name_is_refused_naming_both() {
    let host = Stage::new();
    let (mine, other) = (host.raw("MyPlugin"), host.raw("OtherPlugin"));
    other.register(reading("other_look"));
    for (gate, rest) in owner_gates() {
        for owner in ["OtherPlugin", "otherplugin"] {
            let error = mine.refused(gate, &with_owner(owner, &rest));
            names(&error, &["OtherPlugin", "MyPlugin"]);
        }
    }
    assert_eq!(other.status()["tools"].as_array().unwrap().len(), 1, "nothing was changed");
    names(&mine.refused("StartJob", &with_owner("OtherPlugin", &[json!({})])), &["OtherPlugin", "MyPlugin"]);
}

// R-OWN-4
#[test]
fn a_plugin_that_unloads_loses_all_but_its_policy() {
    let host = Stage::new();
    let raw = host.raw("MyPlugin");
    let register = || {
        raw.register(acting("myplugin_go", &["game_ui"]));
        raw.register(acting("myplugin_ask", &["combat"]));
    };
    register();
    raw.ok("DeclareDependencies", &[raw.name(), json!({"tools": [{"tool": "navigate_to"}]})]);
    raw.replies(r#"{"pending":true}"#);
    host.player().enable(&raw.plugin);
    host.player().set_tool_mode(&raw.plugin, "myplugin_ask", "allow");
    let call = host.assistant().call("myplugin_go", NO_ARGS);
    host.player().answer(xivmcp_mock_host::Answer::Session);
    let again = host.assistant().call("myplugin_go", NO_ARGS);
    call.expect_running();
    again.expect_running();
    assert_eq!(host.player().questions().len(), 0, "the session answer covers it");
    assert_eq!(raw.status()["dependencies"].as_array().unwrap().len(), 1);

    raw.plugin.unload();
    names(&call.expect_error(), &["MyPlugin"]);
    names(&again.expect_error(), &["MyPlugin"]);
    assert!(host.assistant().tools().is_empty());

    raw.plugin.reload();
    let status = raw.status();
    assert_eq!(
        (&status["state"], &status["tools"], &status["dependencies"]),
        (&json!("enabled"), &json!([]), &json!([]))
    );
    register();
    assert_eq!(raw.mode("myplugin_ask"), "allow", "the player's settings stay");
    raw.replies("");
    let call = host.assistant().call("myplugin_go", NO_ARGS);
    call.expect_running();
    assert_eq!(host.player().answer(xivmcp_mock_host::Answer::Once).tool, "myplugin_go", "it asks again");
    assert!(call.expect_result().is_null());
}

// R-OWN-4
#[test]
fn a_plugin_that_unloads_takes_no_other_plugins_tools_along() {
    let host = Stage::new();
    let (mine, other) = (host.raw("MyPlugin"), host.raw("OtherPlugin"));
    mine.register(reading("mine_look"));
    other.register(reading("other_look"));
    let old = mine.plugin.transport();
    mine.plugin.unload();
    assert_eq!(other.status()["tools"][0]["name"], "other_look");
    assert!(old.call_function("XivMcp.ApiVersion", &[], IpcType::I32).is_err(), "it reaches nothing any more");
}
