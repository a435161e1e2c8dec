//! The JSON on XIV MCP's two pages for plugin authors reads into the types, and back without loss.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use xivmcp_protocol::{
    ApprovalAnswer, ApprovalReply, ApprovalRequest, ApprovalState, Capability, CheckedDeclaration, CheckedDefinition,
    CompletionReply, DependenciesReply, DependencyDeclaration, DependencyState, DependencyStatus, EnvelopeError,
    InvokeReply, JobReply, JobRequest, JobsReply, ListCapabilitiesReply, NoFields, PermissionReply, PluginState,
    RegistrationReply, Reply, StatusReply, ToolDefinition, UnregisterAllReply, UnregisterToolReply, envelope,
};

const DEFINITION: &str = r#"{
    "name": "myplugin_restock",
    "description": "Buys what your list is short of from the nearest vendor.",
    "inputSchema": { "type": "object", "properties": {} },
    "readOnly": false,
    "destructive": false,
    "capabilities": ["move_character", "game_ui", "spend_gil"]
}"#;

const DECLARATION: &str = r#"{
    "tools": [
        { "tool": "navigate_to" },
        {
            "tool": "otherplugin_announce",
            "plugin": "OtherPlugin",
            "name": "Other Plugin",
            "repo": "https://example.com/repo.json",
            "minVersion": "1.2.0"
        }
    ]
}"#;

const DEPENDENCY: &str = r#"{
    "tool": "navigate_to",
    "plugin": null,
    "state": "ok",
    "message": "Ready. Without vnavmesh: XIV MCP puts a flag on …",
    "install": [
        {
            "plugin": "vnavmesh", "name": "vnavmesh",
            "repo": "https://puni.sh/api/repository/veyn",
            "needed": false, "installed": false, "outdated": false,
            "reason": "Walks there for you.",
            "without": "XIV MCP puts a flag on your map and waits …"
        }
    ]
}"#;

/// Reads the text and writes it again; both must be the same JSON. Gives what was read.
fn back_and_forth<T: Serialize + DeserializeOwned>(json: &str) -> T {
    let read: T = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"));
    let expected: Value = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), expected);
    read
}

/// The same for a reply; here the text must come back byte for byte, so it is written without spaces.
fn reply<T: Serialize + DeserializeOwned>(json: &str) -> T {
    let read = Reply::<T>::parse(json).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(envelope::ok(&read), json);
    read
}

#[test]
fn the_tool_definition() {
    let sent: ToolDefinition = back_and_forth(DEFINITION);
    let checked = CheckedDefinition::parse(DEFINITION).unwrap();
    assert_eq!(sent.check().unwrap(), checked);
    assert_eq!(checked.input_schema().get(), r#"{ "type": "object", "properties": {} }"#);
    use Capability::{GameUi, MoveCharacter, ReadGame, SpendGil};
    assert_eq!(checked.capabilities(), [ReadGame, MoveCharacter, GameUi, SpendGil]);
}

#[test]
fn the_declaration_of_dependencies() {
    let sent: DependencyDeclaration = back_and_forth(DECLARATION);
    assert_eq!(DependencyDeclaration::parse(DECLARATION).unwrap(), sent);
    let checked = CheckedDeclaration::parse(DECLARATION, |tool| tool == "navigate_to").unwrap();
    assert_eq!(checked.tools.len(), 2);
    assert_eq!(checked.tools[1].plugin.as_ref().unwrap().min_version.to_string(), "1.2.0");
    assert_eq!(back_and_forth::<DependencyDeclaration>(r#"{"tools": []}"#).tools, []);
}

#[test]
fn where_a_dependency_stands() {
    let status: DependencyStatus = back_and_forth(DEPENDENCY);
    assert!(status.is_ok());
    assert_eq!(status.install[0].without.as_deref(), Some("XIV MCP puts a flag on your map and waits …"));
    for state in
        ["ok", "needs_plugin", "plugin_missing", "plugin_not_loaded", "plugin_outdated", "tool_missing", "not_enabled"]
    {
        assert!(DependencyState::from(state).is_known(), "{state}");
    }
}

#[test]
fn the_request_for_approval() {
    let json = r#"{"capability": "spend_gil", "summary": "Repair for 3,200 gil"}"#;
    assert_eq!(back_and_forth::<ApprovalRequest>(json), ApprovalRequest::parse(json).unwrap());
}

#[test]
fn the_replies_of_invoke() {
    assert_eq!(InvokeReply::read(r#"{"pending": true}"#), Ok(InvokeReply::Pending));
    assert_eq!(InvokeReply::read(r#"{"error": "…"}"#), Ok(InvokeReply::Error("…".to_owned())));
    let done = back_and_forth::<InvokeReply>(r#"{"result": {"killCount": 3}}"#);
    assert_eq!(done.to_json(), r#"{"result":{"killCount": 3}}"#);
}

#[test]
fn the_job() {
    back_and_forth::<JobRequest>(
        r#"{"name": "Restock", "steps": [
            {"id": "go", "tool": "navigate_to", "args": {"place": "Ul'dah"}, "note": "there"},
            {"tool": "myplugin_restock"}
        ]}"#,
    );
}

#[test]
fn the_envelopes() {
    assert_eq!(Reply::<NoFields>::parse(r#"{"ok": true}"#), Ok(NoFields::default()));
    let refused = Reply::<NoFields>::parse(r#"{"ok": false, "error": "…"}"#);
    assert!(matches!(refused, Err(EnvelopeError::Refused(error)) if error.message() == "…"));
}

#[test]
fn the_replies_with_the_fields_of_the_page() {
    reply::<ListCapabilitiesReply>(
        r#"{"ok":true,"capabilities":[{"id":"combat","risk":"high","title":"Fight","description":"Fights.","default":"ask"}]}"#,
    );
    reply::<RegistrationReply>(
        r#"{"ok":true,"name":"myplugin_restock","enabled":true,"awaitingConsent":false,"state":"enabled","capabilities":[{"id":"spend_gil","mode":"ask"}]}"#,
    );
    reply::<UnregisterToolReply>(r#"{"ok":true,"removed":true}"#);
    reply::<UnregisterAllReply>(r#"{"ok":true,"removed":2}"#);
    reply::<StatusReply>(
        r#"{"ok":true,"state":"suspended","canRun":false,"suspendReason":"…","tools":[{"name":"myplugin_restock","mode":"deny","own":true}],"capabilities":[{"id":"spend_gil","mode":"deny"}],"dependencies":[]}"#,
    );
    reply::<StatusReply>(
        r#"{"ok":true,"state":"enabled","canRun":true,"suspendReason":null,"tools":[],"capabilities":[],"dependencies":[{"tool":"navigate_to","plugin":null,"state":"ok","message":"Ready.","install":[]}]}"#,
    );
    reply::<DependenciesReply>(r#"{"ok":true,"dependencies":[]}"#);
    reply::<PermissionReply>(r#"{"ok":true,"mode":"allow","enabled":true,"suspended":false,"state":"enabled"}"#);
    reply::<ApprovalReply>(r#"{"ok":true,"approvalId":"0a1b2c3d4e5f","state":"pending"}"#);
    reply::<CompletionReply>(r#"{"ok":true,"accepted":true}"#);
    for state in ["pending", "approved", "denied"] {
        let answer = reply::<ApprovalAnswer>(&format!(r#"{{"ok":true,"state":"{state}"}}"#));
        assert_ne!(answer.state, ApprovalState::from(""));
        assert!(answer.state.is_known());
    }
    let job = r#"{"id":"0a1b2c3d","name":"Restock (My Plugin)","state":"queued","progress":"0/1","currentStep":{"id":"s1","tool":"myplugin_restock","state":"queued"},"created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:00:00Z"}"#;
    reply::<JobReply>(&format!(r#"{{"ok":true,"job":{job}}}"#));
    reply::<JobsReply>(&format!(r#"{{"ok":true,"jobs":[{job},{job}]}}"#));
    for state in ["undecided", "kept_disabled", "enabled", "awaiting_consent", "suspended"] {
        assert!(PluginState::from(state).is_known(), "{state}");
    }
}
