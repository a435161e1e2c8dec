//! SPEC §2: the gates of the host, and the envelope of their answers.

use serde_json::{Value, json};
use xivmcp_client::ipc::{IpcError, IpcTransport};
use xivmcp_mock_host::Answer;

use crate::support::{NO_ARGS, Raw, Stage, acting, names, reading};

/// A plugin with a running call, an open approval and a job: everything that a gate can be asked about.
fn busy(host: &Stage) -> (Raw, String, String, String) {
    let raw = host.raw("Raw");
    raw.register(acting("raw_go", &["game_ui"]));
    raw.replies(r#"{"pending":true}"#);
    host.player().enable(&raw.plugin);
    let call = host.assistant().call("raw_go", NO_ARGS).id().to_owned();
    host.player().answer(Answer::Once);
    let request = json!({"capability": "game_ui", "summary": "Go."});
    let approval = raw.ok("RequestApproval", &[json!(call), request])["approvalId"].as_str().unwrap().to_owned();
    let steps = json!({"name": "Wait", "steps": [{"tool": "wait", "args": {"seconds": 1000}}]});
    let job = raw.ok("StartJob", &[raw.name(), steps])["job"]["id"].as_str().unwrap().to_owned();
    (raw, call, approval, job)
}

fn end(raw: &Raw, call: &str, job: &str) {
    raw.complete(call, "");
    raw.ok("CancelJob", &[json!(job)]);
}

// §2
#[test]
fn the_version_is_2_and_the_host_is_ready_while_it_is_loaded() {
    let host = Stage::new();
    let raw = host.raw("Raw");
    assert_eq!((raw.plugin.gate("ApiVersion", &[]), raw.plugin.gate("IsReady", &[])), (json!(2), json!(true)));
    host.dalamud().unload_host();
    for gate in ["ApiVersion", "IsReady", "ListCapabilities"] {
        assert_eq!(raw.plugin.try_gate(gate, &[]), Err(IpcError::NotReady { gate: format!("XivMcp.{gate}") }));
    }
    host.dalamud().load_host();
    assert_eq!(raw.plugin.gate("IsReady", &[]), true);
}

// §2, §4
#[test]
fn the_capabilities_are_listed_in_their_order_with_risk_and_default() {
    let host = Stage::new();
    let reply = host.raw("Raw").ok("ListCapabilities", &[]);
    let rows: Vec<[&str; 3]> = reply["capabilities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            assert!(!entry["title"].as_str().unwrap().is_empty() && !entry["description"].as_str().unwrap().is_empty());
            ["id", "risk", "default"].map(|field| entry[field].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        rows,
        [
            ["read_game", "low", "allow"],
            ["game_ui", "medium", "ask"],
            ["move_character", "medium", "ask"],
            ["combat", "high", "ask"],
            ["move_items", "medium", "ask"],
            ["spend_gil", "high", "ask"],
            ["spend_currency", "high", "ask"],
            ["trade_items", "high", "ask"],
            ["discard_items", "critical", "ask"],
            ["chat_send", "high", "ask"],
            ["login", "high", "ask"],
            ["edit_settings", "high", "ask"],
            ["network", "medium", "ask"],
        ]
    );
}

// R-ENV-1
#[test]
fn an_answer_carries_the_fields_of_its_gate() {
    let host = Stage::new();
    let (raw, call, approval, job) = busy(&host);
    let owner = raw.name();
    let (call_id, job_id) = (json!(call), json!(job));
    let cases: Vec<(&str, Vec<Value>, &[&str])> = vec![
        ("ListCapabilities", vec![], &["capabilities"]),
        (
            "RegisterTool",
            vec![owner.clone(), acting("raw_go", &["game_ui"])],
            &["name", "enabled", "awaitingConsent", "state", "capabilities"],
        ),
        ("UnregisterTool", vec![owner.clone(), json!("raw_none")], &["removed"]),
        ("GetStatus", vec![owner.clone()], &["state", "canRun", "tools", "capabilities", "dependencies"]),
        ("DeclareDependencies", vec![owner.clone(), json!({"tools": []})], &["dependencies"]),
        (
            "CheckPermission",
            vec![owner.clone(), json!("combat")],
            &["capability", "mode", "enabled", "suspended", "state"],
        ),
        (
            "RequestApproval",
            vec![call_id.clone(), json!({"capability": "combat", "summary": "x"})],
            &["approvalId", "state"],
        ),
        ("GetApproval", vec![json!(approval)], &["approvalId", "state"]),
        ("ReportProgress", vec![call_id.clone(), json!("half")], &[]),
        ("GetJob", vec![job_id.clone()], &["job"]),
        ("ListJobs", vec![owner.clone()], &["jobs"]),
        ("PauseJob", vec![job_id.clone()], &[]),
        ("ResumeJob", vec![job_id.clone()], &[]),
        ("CompleteCall", vec![call_id.clone(), json!("1")], &["accepted"]),
        ("CancelJob", vec![job_id.clone()], &[]),
        ("UnregisterAll", vec![owner.clone()], &["removed"]),
    ];
    for (gate, arguments, fields) in cases {
        let reply = raw.ok(gate, &arguments);
        for field in fields {
            assert!(reply.get(field).is_some_and(|value| !value.is_null()), "{gate}: `{field}` in {reply}");
        }
    }
}

// R-ENV-2
#[test]
fn unregister_all_gives_the_count_and_forgets_the_dependencies_too() {
    let host = Stage::new();
    let raw = host.raw("Raw");
    raw.register(reading("raw_a"));
    raw.register(reading("raw_b"));
    raw.ok("DeclareDependencies", &[raw.name(), json!({"tools": [{"tool": "navigate_to"}]})]);
    assert_eq!(raw.ok("UnregisterAll", &[raw.name()])["removed"], 2);
    let status = raw.status();
    assert_eq!((&status["tools"], &status["dependencies"]), (&json!([]), &json!([])));
    assert_eq!(raw.ok("UnregisterAll", &[raw.name()])["removed"], 0);
}

// R-ENV-2, R-ENV-4
#[test]
fn a_refusal_names_the_field_and_its_value_and_changes_nothing() {
    let host = Stage::new();
    let (raw, call, _, job) = busy(&host);
    let before = (raw.status(), raw.ok("GetJob", &[json!(job)]));
    let owner = || raw.name();
    let of_call = [&*call];
    let cases: Vec<(&str, Vec<Value>, &[&str])> = vec![
        ("RegisterTool", vec![owner(), json!("")], &[]),
        ("RegisterTool", vec![owner(), json!("[1]")], &["[1]"]),
        ("RegisterTool", vec![owner(), json!({"name": "No Name", "description": "d"})], &["name", "No Name"]),
        ("RequestApproval", vec![json!(call), json!({"summary": "s"})], &["capability"]),
        ("RequestApproval", vec![json!(call), json!({"capability": "game_ui"})], &["summary"]),
        ("RequestApproval", vec![json!(call), json!({"capability": 7, "summary": "s"})], &["capability", "7"]),
        ("RequestApproval", vec![json!("feed"), json!({"capability": "game_ui", "summary": "s"})], &["feed"]),
        ("GetApproval", vec![json!("beef")], &["beef"]),
        ("CompleteCall", vec![json!("feed"), json!("1")], &["feed"]),
        ("CompleteCall", vec![json!(call), json!("{no")], &of_call),
        ("FailCall", vec![json!("feed"), json!("no")], &["feed"]),
        ("ReportProgress", vec![json!("feed"), json!("no")], &["feed"]),
        ("StartJob", vec![owner(), json!({"steps": [{"tool": "wait"}]})], &["name"]),
        ("StartJob", vec![owner(), json!({"name": "Job", "steps": []})], &["steps"]),
        ("StartJob", vec![owner(), json!({"name": "Job", "steps": [{}]})], &["tool"]),
        ("StartJob", vec![owner(), json!({"name": "Job", "steps": [{"tool": "raw_none"}]})], &["raw_none"]),
        ("GetJob", vec![json!("deadbeef")], &["deadbeef"]),
        ("PauseJob", vec![json!("deadbeef")], &["deadbeef"]),
        ("ResumeJob", vec![json!("deadbeef")], &["deadbeef"]),
        ("CancelJob", vec![json!("deadbeef")], &["deadbeef"]),
        ("DeclareDependencies", vec![owner(), json!({"tools": [{"tool": "no"}]})], &["tool", "no"]),
    ];
    for (gate, arguments, parts) in cases {
        names(&raw.refused(gate, &arguments), parts);
        assert_eq!((raw.status(), raw.ok("GetJob", &[json!(job)])), before, "after {gate} {arguments:?}");
    }
    end(&raw, &call, &job);
    // The state that forbids it.
    names(&raw.refused("PauseJob", &[json!(job)]), &["cancelled"]);
    names(&raw.refused("ResumeJob", &[json!(job)]), &["cancelled"]);
}

// R-ENV-3
#[test]
fn unknown_fields_in_a_request_are_ignored() {
    let host = Stage::new();
    let (raw, call, _, job) = busy(&host);
    let with_more = |mut value: Value| {
        value["nonsense"] = json!({"deep": [1]});
        value
    };
    let owner = || raw.name();
    raw.ok("RegisterTool", &[owner(), with_more(acting("raw_go", &["game_ui"]))]);
    raw.ok("RequestApproval", &[json!(call), with_more(json!({"capability": "game_ui", "summary": "s"}))]);
    raw.ok("DeclareDependencies", &[owner(), with_more(json!({"tools": [with_more(json!({"tool": "navigate_to"}))]}))]);
    let steps = json!({"name": "More", "steps": [with_more(json!({"tool": "wait", "args": {"seconds": 0}}))]});
    let more = raw.ok("StartJob", &[owner(), with_more(steps)])["job"]["id"].clone();
    raw.ok("CancelJob", &[more]);
    end(&raw, &call, &job);
}

// §2
#[test]
fn gate_names_are_exact() {
    let host = Stage::new();
    let transport = host.raw("Raw").plugin.transport();
    for gate in ["XivMcp.isready", "xivmcp.IsReady", "XivMcp.IsReady ", "IsReady", "XivMcp.Ready"] {
        let reply = transport.call_function(gate, &[], xivmcp_client::ipc::IpcType::Bool);
        assert_eq!(reply, Err(IpcError::NotReady { gate: gate.to_owned() }));
    }
}
