//! SPEC §2 to §5, as plugins see them through the gates.

use proptest::prelude::*;
use serde_json::{Value, json};
use xivmcp_protocol::{HostGate, PermissionMode};

use super::{Answer, Core, InstallChange, LintKind, Time};
use crate::core::testing::{Stage, says};

// SPEC §2
#[test]
fn the_host_says_its_version_and_whether_it_is_there() {
    let mut stage = Stage::new();
    assert_eq!((stage.core.api_version(), stage.core.is_ready()), (2, true));
    stage.unload_host();
    assert!(!stage.core.is_ready());
    stage.load_host();
    assert!(stage.core.is_ready());
}

// SPEC §4, the order
#[test]
fn capabilities_are_listed_in_their_order() {
    let mut stage = Stage::new();
    stage.install("Mine");
    let reply = stage.ok("Mine", HostGate::ListCapabilities, &[]);
    let ids: Vec<&str> =
        reply["capabilities"].as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap()).collect();
    assert_eq!(
        ids.join(" "),
        "read_game game_ui move_character combat move_items spend_gil spend_currency trade_items discard_items chat_send \
         login edit_settings network"
    );
    assert_eq!(reply["capabilities"][8]["risk"], "critical");
    assert_eq!(reply["capabilities"][0]["default"], "allow");
}

// R-OWN-1, R-OWN-2, R-OWN-3
#[test]
fn an_owner_is_an_installed_plugin_that_calls_for_itself() {
    let owner_gates = [
        (HostGate::RegisterTool, r#"{"name":"mine_go","description":"d","readOnly":true}"#),
        (HostGate::UnregisterTool, "mine_go"),
        (HostGate::UnregisterAll, ""),
        (HostGate::GetStatus, ""),
        (HostGate::DeclareDependencies, r#"{"tools":[]}"#),
        (HostGate::CheckPermission, "game_ui"),
        (HostGate::StartJob, r#"{"name":"n","steps":[{"tool":"wait"}]}"#),
    ];
    for (gate, arg) in owner_gates {
        let mut stage = Stage::new();
        stage.install("Mine");
        stage.install("Other");
        stage.enable("Mine");
        let cases: [(&str, &[&str]); 6] = [
            ("", &["owner"]),
            (" \t", &["owner", "blank"]),
            ("XivMcp", &["XIV MCP"]),
            ("xIVmCP", &["XIV MCP"]),
            ("Ghost", &["Ghost", "installed"]),
            ("Other", &["Other", "Mine"]),
        ];
        for (owner, parts) in cases {
            says(&stage.refused("Mine", gate, &[owner, arg]), parts);
        }
        says(
            &serde_json::from_str::<Value>(&stage.core.gate(stage.now, None, gate, &["Mine", arg])).unwrap()["error"]
                .to_string(),
            &["Mine", "known"],
        );
        stage.ok("Mine", gate, &["mINE", arg]);
    }
}

// R-OWN-1
#[test]
fn installed_is_enough_to_register_and_the_installed_spelling_counts() {
    let mut stage = Stage::new();
    let change = InstallChange { loaded: Some(false), ..InstallChange::default() };
    stage.core.dalamud_install(stage.now, "Mine", change).unwrap();
    stage.register("mine", "mine_go", &["game_ui"]);
    stage.enable("MINE");
    stage.core.dalamud_set_loaded(stage.now, "Mine", true).unwrap();
    assert_eq!(stage.core.assistant_tools(false)[0].plugin.as_deref(), Some("Mine"));
    stage.call("mine_go");
    stage.answer(Answer::Once);
    assert_eq!(stage.newest().plugin, "Mine");
    says(stage.newest().error.as_deref().unwrap(), &["Mine.XivMcp.Invoke"]);
}

// R-OWN-4
#[test]
fn a_plugin_that_unloads_loses_everything_but_its_policy() {
    let mut stage = Stage::with_tool(&["game_ui"]);
    stage.replies("mine_go", r#"{"pending":true}"#);
    let asking = stage.call("mine_go");
    stage.answer(Answer::Session);
    let running = stage.call("mine_go");
    stage.set_tool("Mine", "mine_ask", PermissionMode::Deny);
    stage.ok("Mine", HostGate::DeclareDependencies, &["Mine", r#"{"tools":[{"tool":"navigate_to"}]}"#]);
    stage.core.dalamud_set_loaded(stage.now, "Mine", false).unwrap();
    stage.settle();
    for call in [asking, running] {
        says(&stage.outcome(&call), &["error", "The Mine", "unloaded"]);
    }
    stage.assert_quiet();
    let status = stage.status("Mine");
    assert_eq!(
        (&status["state"], &status["tools"], &status["dependencies"]),
        (&json!("enabled"), &json!([]), &json!([]))
    );
    says(&stage.called("mine_go"), &["unknown"]);
    stage.core.dalamud_uninstall(stage.now, "Mine").unwrap();
    says(&stage.refused("Mine", HostGate::GetStatus, &["Mine"]), &["installed"]);
    stage.install("Mine");
    assert_eq!(stage.status("Mine")["state"], "enabled");
    stage.register("Mine", "mine_go", &["game_ui"]);
    assert_eq!(stage.status("Mine")["state"], "enabled", "the same again is no growth");
    assert_eq!(stage.called("mine_go"), "running", "the session answer is gone");
}

// R-DEF-5, R-DEF-7
#[test]
fn a_name_is_replaced_by_its_plugin_and_refused_to_others() {
    let mut stage = Stage::with_tool(&["game_ui"]);
    stage.install("Other");
    let definition = |name: &str| json!({"name": name, "description": "d", "readOnly": true}).to_string();
    says(
        &stage.refused("Other", HostGate::RegisterTool, &["Other", &definition("mine_go")]),
        &["mine_go", "another plugin"],
    );
    says(
        &stage.refused("Other", HostGate::RegisterTool, &["Other", &definition("navigate_to")]),
        &["navigate_to", "XIV MCP"],
    );
    let remove = |stage: &mut Stage, owner: &str, name: &str| {
        stage.ok(owner, HostGate::UnregisterTool, &[owner, name])["removed"].clone()
    };
    assert_eq!(remove(&mut stage, "Other", "mine_go"), false);
    assert_eq!(remove(&mut stage, "Mine", "mine_none"), false);
    stage.register("Mine", "mine_go", &["combat"]);
    assert_eq!(stage.status("Mine")["tools"].as_array().unwrap().len(), 1);
    assert_eq!(remove(&mut stage, "Mine", "mine_go"), true);
    stage.register("Mine", "mine_a", &[]);
    stage.register("Mine", "mine_b", &[]);
    assert_eq!(stage.ok("Mine", HostGate::UnregisterAll, &["Mine"])["removed"], 2);
    assert_eq!(stage.ok("Mine", HostGate::UnregisterAll, &["Mine"])["removed"], 0);
}

// R-DEF-4, R-DEF-6
#[test]
fn a_registration_tells_the_capabilities_own_modes_or_deny_while_disabled() {
    let mut stage = Stage::new();
    stage.install("Mine");
    let modes = |reply: &Value| reply["capabilities"].clone();
    let reply = stage.register("Mine", "mine_go", &["spend_gil", "read_game", "spend_gil", "game_ui"]);
    assert_eq!(
        modes(&reply),
        json!([{"id":"read_game","mode":"deny"},{"id":"spend_gil","mode":"deny"},{"id":"game_ui","mode":"deny"}])
    );
    assert_eq!(
        (&reply["name"], &reply["enabled"], &reply["state"]),
        (&json!("mine_go"), &json!(false), &json!("undecided"))
    );
    stage.enable("Mine");
    stage.set_capability("Mine", "discard_items", PermissionMode::Allow);
    stage.core.policies.get_mut("mine").suspended = Some("it cheated".to_owned());
    let reply = stage.register("Mine", "mine_new", &["discard_items"]);
    assert_eq!(modes(&reply), json!([{"id":"read_game","mode":"allow"},{"id":"discard_items","mode":"ask"}]));
    assert_eq!(
        (&reply["enabled"], &reply["awaitingConsent"], &reply["state"]),
        (&json!(true), &json!(true), &json!("suspended"))
    );
}

// R-DEF-1, R-DEF-2, R-DEF-3, R-ENV-4
#[test]
fn a_definition_is_refused_with_the_field_and_what_came() {
    let mut stage = Stage::new();
    stage.install("Mine");
    let cases: [(&str, &[&str]); 9] = [
        (r#"{"description":"d","readOnly":true}"#, &["name", "missing"]),
        (r#"{"name":"Mine_Go","description":"d","readOnly":true}"#, &["name", "Mine_Go"]),
        (r#"{"name":"mine_go","readOnly":true}"#, &["description", "missing"]),
        (r#"{"name":"mine_go","description":"d","readOnly":true,"inputSchema":[]}"#, &["inputSchema", "[]"]),
        (
            r#"{"name":"mine_go","description":"d","readOnly":true,"inputSchema":{"type":"array"}}"#,
            &["inputSchema", "array"],
        ),
        (r#"{"name":"mine_go","description":"d","readOnly":true,"destructive":true}"#, &["readOnly", "destructive"]),
        (r#"{"name":"mine_go","description":"d","readOnly":"true"}"#, &["capabilities", "readOnly"]),
        (r#"{"name":"mine_go","description":"d","capabilities":["fly"]}"#, &["capabilities", "fly", "spend_gil"]),
        (r#"{"name":"mine_go","description":"d","readOnly":true,"capabilities":["combat"]}"#, &["readOnly", "combat"]),
    ];
    for (definition, parts) in cases {
        says(&stage.refused("Mine", HostGate::RegisterTool, &["Mine", definition]), parts);
    }
    assert_eq!(stage.status("Mine")["tools"], json!([]));
}

// R-DEF-1, R-DEF-2
#[test]
fn a_description_is_trimmed_and_a_schema_kept_as_sent() {
    let mut stage = Stage::new();
    stage.install("Mine");
    stage.enable("Mine");
    for (schema, listed) in [
        ("null", r#"{"type":"object","properties":{}}"#),
        (r#"{"type": "object", "x": 1.50}"#, r#"{"type": "object", "x": 1.50}"#),
    ] {
        let definition =
            format!(r#"{{"name":"mine_look","description":" Looks. ","readOnly":true,"inputSchema":{schema}}}"#);
        stage.ok("Mine", HostGate::RegisterTool, &["Mine", &definition]);
        stage.enable("Mine");
        let tools = stage.core.assistant_tools(false);
        assert_eq!((tools[0].description.as_str(), tools[0].input_schema.get()), ("Looks.", listed));
    }
}

// R-ENV-3
#[test]
fn unknown_fields_in_a_request_are_ignored() {
    let mut stage = Stage::with_tool(&["spend_gil"]);
    stage.replies("mine_go", r#"{"pending":true,"hint":1}"#);
    let requests: [(HostGate, &str); 3] = [
        (HostGate::RegisterTool, r#"{"name":"mine_go","description":"d","capabilities":["spend_gil"],"hint":{}}"#),
        (HostGate::DeclareDependencies, r#"{"tools":[{"tool":"wait","hint":1}],"hint":1}"#),
        (HostGate::StartJob, r#"{"name":"n","steps":[{"tool":"mine_go","hint":1}],"hint":1}"#),
    ];
    for (gate, json) in requests {
        stage.ok("Mine", gate, &["Mine", json]);
    }
    stage.settle();
    stage.answer(Answer::Once);
    let call = stage.reached[0].1.clone();
    let approval = r#"{"capability":"spend_gil","summary":"s","hint":1}"#;
    stage.ok("Mine", HostGate::RequestApproval, &[call.as_str(), approval]);
}

// R-ENV-4
#[test]
fn an_error_names_what_it_is_about() {
    let mut stage = Stage::with_tool(&["game_ui"]);
    stage.core.policies.get_mut("mine").suspended = Some("it cheated".to_owned());
    let job = r#"{"name":"n","steps":[{"tool":"mine_go"}]}"#;
    let cases: [(HostGate, &[&str], &[&str]); 7] = [
        (HostGate::StartJob, &["Mine", job], &["The Mine", "suspended", "it cheated"]),
        (HostGate::GetJob, &["a1b2c3d4"], &["job", "a1b2c3d4"]),
        (HostGate::GetApproval, &["a1b2c3d4e5f6"], &["approval", "a1b2c3d4e5f6"]),
        (HostGate::CompleteCall, &["no such call", "1"], &["call", "no such call"]),
        (HostGate::ReportProgress, &["no such call", "1"], &["call", "no such call"]),
        (HostGate::GetStatus, &["Ghost"], &["owner", "Ghost"]),
        (HostGate::DeclareDependencies, &["Mine", r#"{"tools":{}}"#], &["tools", "{}"]),
    ];
    for (gate, args, parts) in cases {
        says(&stage.refused("Mine", gate, args), parts);
    }
}

// R-POL-1, R-POL-4
#[test]
fn the_status_tells_the_state_and_denies_everything_unless_enabled() {
    let mut stage = Stage::new();
    stage.install("Mine");
    stage.register("Mine", "mine_go", &["combat", "game_ui"]);
    stage.set_tool("Mine", "mine_go", PermissionMode::Allow);
    let check = |stage: &mut Stage, state: &str, mode: &str, read: &str| {
        let status = stage.status("Mine");
        assert_eq!(status["state"], state);
        assert_eq!(status["canRun"], state == "enabled");
        assert_eq!(status["tools"], json!([{"name":"mine_go","mode":mode,"own":true}]), "{state}");
        assert_eq!(status["capabilities"][0], json!({"id":"read_game","mode":read}), "{state}");
        assert_eq!(status["capabilities"].as_array().unwrap().len(), 3);
        assert_eq!(status["suspendReason"].is_null(), state != "suspended");
        let permission = stage.ok("Mine", HostGate::CheckPermission, &["Mine", "read_game"]);
        assert_eq!((&permission["mode"], &permission["state"]), (&json!(read), &json!(state)));
        assert_eq!(permission["suspended"], state == "suspended");
    };
    check(&mut stage, "undecided", "deny", "deny");
    stage.core.player_keep_disabled("Mine", None).unwrap();
    check(&mut stage, "kept_disabled", "deny", "deny");
    stage.enable("Mine");
    check(&mut stage, "enabled", "allow", "allow");
    stage.register("Mine", "mine_new", &[]);
    stage.ok("Mine", HostGate::UnregisterTool, &["Mine", "mine_new"]);
    check(&mut stage, "awaiting_consent", "deny", "deny");
    stage.core.policies.get_mut("mine").suspended = Some("it cheated".to_owned());
    check(&mut stage, "suspended", "deny", "deny");
    assert_eq!(stage.status("Mine")["suspendReason"], "it cheated");
}

// R-POL-2
#[test]
fn an_unknown_capability_is_deny() {
    let mut stage = Stage::with_tool(&["game_ui"]);
    for (capability, mode) in [("game_ui", "ask"), ("fly", "deny"), ("", "deny"), ("Game_UI", "deny")] {
        let reply = stage.ok("Mine", HostGate::CheckPermission, &["Mine", capability]);
        assert_eq!((&reply["capability"], &reply["mode"]), (&json!(capability), &json!(mode)));
    }
}

// R-POL-5: what was registered after the player looked waits for consent
#[test]
fn enabling_consents_to_what_the_player_was_shown() {
    let mut stage = Stage::new();
    stage.install("Mine");
    stage.register("Mine", "mine_go", &["game_ui"]);
    let shown = stage.core.player_shown("Mine");
    stage.register("Mine", "mine_new", &["spend_gil"]);
    stage.core.player_enable("Mine", Some(&shown)).unwrap();
    assert_eq!(stage.status("Mine")["state"], "awaiting_consent");
    stage.enable("Mine");
    assert_eq!(stage.status("Mine")["state"], "enabled");
}

// R-POL-6
#[test]
fn a_refused_registration_changes_nothing() {
    let mut stage = Stage::with_tool(&["game_ui"]);
    for definition in [
        r#"{"name":"navigate_to","description":"d","capabilities":["spend_gil"]}"#,
        r#"{"name":"mine_new","description":"d","capabilities":["fly"]}"#,
        r#"{"name":"mine_new","description":" ","readOnly":true}"#,
        "",
    ] {
        stage.refused("Mine", HostGate::RegisterTool, &["Mine", definition]);
        assert_eq!(stage.status("Mine")["state"], "enabled", "{definition}");
    }
    assert_eq!(stage.status("Mine")["tools"].as_array().unwrap().len(), 1);
}

#[test]
fn the_player_cannot_decide_about_what_is_not_there() {
    let mut stage = Stage::new();
    stage.install("Mine");
    says(&stage.core.player_enable("Ghost", None).unwrap_err().message, &["Ghost"]);
    says(&stage.core.player_set_capability("Mine", "fly", None).unwrap_err().message, &["fly"]);
    says(&stage.core.player_set_group_on("nothing", true).unwrap_err().message, &["nothing", "market"]);
    says(&stage.core.player_set_builtin("mine_go", None).unwrap_err().message, &["mine_go"]);
    says(&stage.core.dalamud_set_loaded(stage.now, "Ghost", true).unwrap_err().message, &["Ghost"]);
    says(&stage.core.dalamud_uninstall(stage.now, "Ghost").unwrap_err().message, &["Ghost"]);
    let wrong = InstallChange { version: Some("one".to_owned()), ..InstallChange::default() };
    says(&stage.core.dalamud_install(stage.now, "Mine", wrong).unwrap_err().message, &["one"]);
}

// what the host accepts in silence
#[test]
fn definitions_and_results_are_looked_at_for_the_author() {
    let mut stage = Stage::new();
    stage.install("Mine");
    let long = "x".repeat(1501);
    let definition = json!({
        "name": "go_there", "description": long, "readOnly": "yes", "capabilities": ["game_ui"], "hint": 1,
        "inputSchema": {"type": "object", "properties": {"minutes": {}}},
    });
    stage.ok("Mine", HostGate::RegisterTool, &["Mine", &definition.to_string()]);
    stage.settle();
    let kinds = |stage: &Stage| stage.lints.iter().map(|lint| lint.kind).collect::<Vec<_>>();
    assert_eq!(
        kinds(&stage),
        [LintKind::UnknownField, LintKind::FlagNoBoolean, LintKind::LongDescription, LintKind::ToolName]
    );
    stage.lints.clear();
    stage.enable("Mine");
    stage.set_tool("Mine", "go_there", PermissionMode::Allow);
    let reply = json!({"result": {"kill_count": "y".repeat(30_000)}}).to_string();
    stage.replies("go_there", &reply);
    stage.call_with("go_there", r#"{"minute":5}"#);
    assert_eq!(kinds(&stage), [LintKind::LongResult, LintKind::SnakeCaseResult, LintKind::UnknownArgument]);
    says(&stage.lints[2].to_string(), &["Mine", "go_there", "`minute`", "minutes"]);
    stage.lints.clear();
    stage.replies("go_there", r#"{"error":"there is no argument minute"}"#);
    stage.call_with("go_there", r#"{"minute":5}"#);
    assert_eq!(kinds(&stage), [], "what the plugin refuses was not dropped");
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        Just(String::new()),
        Just("Mine".to_owned()),
        Just("mine_go".to_owned()),
        Just("game_ui".to_owned()),
        Just("{}".to_owned()),
        Just("null".to_owned()),
        Just("[".repeat(2000)),
        Just(r#"{"name":"mine_x","description":"d","capabilities":[1]}"#.to_owned()),
        Just(r#"{"tools":[{"tool":5}]}"#.to_owned()),
        Just(r#"{"name":"j","steps":[{"tool":"mine_go","args":"x"},{}]}"#.to_owned()),
        Just("\u{0}\u{ffff}🦀".to_owned()),
    ]
}

proptest! {
    // R-ENV-1, R-ENV-2
    #[test]
    fn any_text_into_any_gate_gives_an_envelope_and_a_refusal_changes_nothing(
        gate in prop::sample::select(HostGate::ALL),
        args in prop::collection::vec(any_text(), 0..3),
        caller in prop_oneof![Just(Some("Mine")), Just(Some("Ghost")), Just(None)],
    ) {
        let mut stage = Stage::with_tool(&["game_ui"]);
        stage.core.take_effects();
        let before = everything(&mut stage.core);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let text = stage.core.gate(Time::SIMULATION_START, caller, gate, &args);
        let reply: Value = serde_json::from_str(&text).unwrap();
        match reply["ok"].as_bool() {
            Some(true) => prop_assert!(reply.get("error").is_none()),
            Some(false) => {
                prop_assert!(!reply["error"].as_str().unwrap().is_empty());
                prop_assert_eq!(everything(&mut stage.core), before);
            }
            None => prop_assert!(false, "no envelope: {text}"),
        }
    }
}

/// All of the state, but for the ids that were used up.
fn everything(core: &mut Core) -> String {
    let ids = std::mem::replace(&mut core.ids, super::Ids::new(0));
    let text = format!("{core:?}");
    core.ids = ids;
    text
}
