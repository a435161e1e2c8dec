//! SPEC §10: dependencies.

use serde_json::{Value, json};
use xivmcp_protocol::HostGate;

use super::InstallChange;
use crate::core::testing::{Stage, says};

fn declare(stage: &mut Stage, tools: &Value) -> Value {
    let json = json!({ "tools": tools }).to_string();
    stage.ok("Mine", HostGate::DeclareDependencies, &["Mine", &json])["dependencies"].clone()
}

fn stage() -> Stage {
    Stage::with_tool(&["game_ui"])
}

/// Where the only declared tool stands now.
fn now(stage: &mut Stage) -> Value {
    stage.status("Mine")["dependencies"][0].clone()
}

fn change(stage: &mut Stage, plugin: &str, version: Option<&str>, loaded: bool) {
    let change = InstallChange { name: None, version: version.map(str::to_owned), loaded: Some(loaded) };
    stage.core.dalamud_install(stage.now, plugin, change).unwrap();
}

fn announce() -> Value {
    json!([{
        "tool": "other_announce", "plugin": "OtherPlugin", "name": "Other Plugin", "repo": "https://example.com/r.json",
        "minVersion": "1.2",
    }])
}

// R-DEP-1, R-DEP-2
#[test]
fn a_declaration_replaces_the_previous_one_and_a_refused_one_leaves_it() {
    let mut stage = stage();
    assert_eq!(declare(&mut stage, &json!([{"tool": " get_character "}]))[0]["tool"], "get_character");
    for (tools, parts) in [
        (json!([{"tool": "get_charakter"}]), ["get_charakter", "no tool", "plugin"].as_slice()),
        (json!([{"tool": "get_character", "plugin": "X"}]), &["get_character", "plugin"]),
        (json!([{"tool": "wait"}, {"tool": "wait"}]), &["wait", "twice"]),
        (json!(5), &["tools", "5"]),
    ] {
        let json = json!({ "tools": tools }).to_string();
        says(&stage.refused("Mine", HostGate::DeclareDependencies, &["Mine", &json]), parts);
        assert_eq!(now(&mut stage)["tool"], "get_character");
    }
    assert_eq!(declare(&mut stage, &json!([{"tool": "wait"}])).as_array().unwrap().len(), 1);
    assert_eq!(now(&mut stage)["tool"], "wait");
    assert_eq!(declare(&mut stage, &json!([])), json!([]));
    declare(&mut stage, &json!([{"tool": "wait"}]));
    stage.ok("Mine", HostGate::UnregisterAll, &["Mine"]);
    assert_eq!(stage.status("Mine")["dependencies"], json!([]), "UnregisterAll forgets them too");
}

// R-DEP-4, R-DEP-6
#[test]
fn another_plugins_tool_is_checked_in_this_order_whenever_asked() {
    let mut stage = stage();
    declare(&mut stage, &announce());
    let expect = |stage: &mut Stage, state: &str, parts: &[&str], install: Value| {
        let found = now(stage);
        assert_eq!((&found["tool"], &found["plugin"]), (&json!("other_announce"), &json!("OtherPlugin")));
        assert_eq!(found["state"], state, "{found}");
        says(found["message"].as_str().unwrap(), parts);
        match install {
            Value::Null => assert_eq!(found["install"], json!([]), "{state}"),
            flags => {
                let entry = &found["install"][0];
                assert_eq!(json!([entry["installed"], entry["outdated"], entry["needed"]]), flags, "{state}");
                assert_eq!(
                    (&entry["name"], &entry["repo"]),
                    (&json!("Other Plugin"), &json!("https://example.com/r.json"))
                );
            }
        }
    };
    expect(&mut stage, "plugin_missing", &["Other Plugin"], json!([false, false, true]));
    change(&mut stage, "OtherPlugin", Some("1.1.9"), false);
    expect(&mut stage, "plugin_outdated", &["Other Plugin", "1.1.9", "1.2"], json!([true, true, true]));
    change(&mut stage, "OtherPlugin", Some("1.2.0"), false);
    expect(&mut stage, "plugin_not_loaded", &["Other Plugin"], json!([true, false, true]));
    change(&mut stage, "OtherPlugin", None, true);
    expect(&mut stage, "tool_missing", &["Other Plugin", "other_announce"], Value::Null);
    stage.register("Mine", "other_announce", &[]);
    expect(&mut stage, "tool_missing", &["Other Plugin"], Value::Null);
    stage.ok("Mine", HostGate::UnregisterTool, &["Mine", "other_announce"]);
    stage.register("OtherPlugin", "other_announce", &["chat_send"]);
    expect(&mut stage, "not_enabled", &["Other Plugin", "enabled"], Value::Null);
    stage.enable("OtherPlugin");
    expect(&mut stage, "ok", &["Ready."], Value::Null);
    stage.core.policies.get_mut("otherplugin").suspended = Some("it cheated".to_owned());
    expect(&mut stage, "not_enabled", &["suspended"], Value::Null);
    stage.core.dalamud_uninstall(stage.now, "OtherPlugin").unwrap();
    expect(&mut stage, "plugin_missing", &["Other Plugin"], json!([false, false, true]));
}

// R-DEP-3
#[test]
fn versions_compare_part_by_part_and_missing_parts_are_zero() {
    let mut stage = stage();
    declare(&mut stage, &announce());
    for (version, outdated) in
        [("1.2", false), ("1.2.0.0", false), ("1.2.0.1", false), ("1.10", false), ("1.1.99", true)]
    {
        change(&mut stage, "OtherPlugin", Some(version), true);
        assert_eq!(now(&mut stage)["state"] == "plugin_outdated", outdated, "{version}");
    }
}

// R-DEP-5
#[test]
fn a_host_tool_needs_some_plugins_and_only_misses_others() {
    let mut stage = stage();
    let dependencies = declare(&mut stage, &json!([{"tool": "get_character"}]));
    assert_eq!(
        dependencies,
        json!([{"tool":"get_character","plugin":null,"state":"ok","message":"Ready.","install":[]}])
    );

    declare(&mut stage, &json!([{"tool": "navigate_to"}]));
    let found = now(&mut stage);
    assert_eq!(found["state"], "ok");
    let message = found["message"].as_str().unwrap();
    assert!(message.starts_with("Ready."), "{message}");
    says(message, &["vnavmesh", "map flag", "Lifestream"]);
    let entry = &found["install"][0];
    assert_eq!(json!([entry["plugin"], entry["needed"], entry["installed"]]), json!(["vnavmesh", false, false]));
    says(entry["without"].as_str().unwrap(), &["map flag"]);
    stage.install("vnavmesh");
    change(&mut stage, "Lifestream", None, false);
    let found = now(&mut stage);
    assert_eq!((found["install"].as_array().unwrap().len(), &found["install"][0]["installed"]), (1, &json!(true)));
    change(&mut stage, "Lifestream", None, true);
    assert_eq!(now(&mut stage)["message"], "Ready.");

    declare(&mut stage, &json!([{"tool": "list_triad_npcs"}]));
    let found = now(&mut stage);
    assert_eq!((&found["state"], &found["install"][0]["needed"]), (&json!("needs_plugin"), &json!(true)));
    says(found["message"].as_str().unwrap(), &["Saucy", "TriadBuddy"]);
    stage.install("TriadBuddy");
    assert_eq!(now(&mut stage)["state"], "ok", "an alternative will do");
    assert_eq!(now(&mut stage)["install"], json!([]));
}

// R-DEP-5: helpers are named although the needed plugin is there
#[test]
fn a_tool_with_needed_plugins_and_helpers_lists_both() {
    let mut stage = stage();
    declare(&mut stage, &json!([{"tool": "go_ocean_fishing"}]));
    let found = now(&mut stage);
    assert_eq!(found["state"], "needs_plugin");
    assert_eq!(found["install"].as_array().unwrap().len(), 4);
    stage.install("AutoHook");
    let found = now(&mut stage);
    assert_eq!(found["state"], "ok");
    says(found["message"].as_str().unwrap(), &["Ready.", "vnavmesh", "Lifestream", "Distant Seas"]);
}

// R-DEP-7
#[test]
fn what_was_declared_and_is_not_ok_does_not_run() {
    let mut stage = stage();
    stage.replies("mine_go", r#"{"pending":true}"#);
    stage.set_tool("Mine", "mine_go", xivmcp_protocol::PermissionMode::Allow);
    change(&mut stage, "OtherPlugin", Some("1.0"), true);
    stage.register("OtherPlugin", "other_announce", &["chat_send"]);
    stage.enable("OtherPlugin");
    declare(&mut stage, &announce());
    let job = json!({"name": "n", "steps": [{"tool": "mine_go"}, {"tool": "other_announce"}]}).to_string();
    says(&stage.refused("Mine", HostGate::StartJob, &["Mine", &job]), &["Other Plugin", "1.0", "1.2"]);
    change(&mut stage, "OtherPlugin", Some("1.2"), true);
    let steps = json!([{"tool": "mine_go"}, {"tool": "other_announce"}]);
    let job = stage.start_job("Mine", &steps);
    change(&mut stage, "OtherPlugin", Some("1.1"), true);
    let call = stage.reached[0].1.clone();
    stage.ok("Mine", HostGate::CompleteCall, &[call.as_str(), "1"]);
    stage.settle();
    assert_eq!(stage.states(&job), "pending: done, failed");
    says(stage.job(&job)["steps"][1]["error"].as_str().unwrap(), &["Other Plugin", "1.1", "1.2"]);
    assert_eq!(stage.invokes(), 1);
}

// R-CALL-10
#[test]
fn declarations_go_with_the_host() {
    let mut stage = stage();
    declare(&mut stage, &json!([{"tool": "wait"}]));
    stage.unload_host();
    stage.load_host();
    assert_eq!(stage.status("Mine")["dependencies"], json!([]));
}
