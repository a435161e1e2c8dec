//! Reading is liberal, writing is exact: what is not known survives, what is absent stays absent.

use std::fmt::{Debug, Display};

use serde::{Serialize, de::DeserializeOwned};
use xivmcp_protocol::{
    ApprovalReply, ApprovalState, Capability, DependencyState, JobReply, JobState, ListCapabilitiesReply,
    PermissionMode, PermissionReply, PluginState, RegistrationReply, Reply, Risk, StatusReply, StepState,
    ToolDefinition, envelope,
};

/// A text that is not known comes back as it came; a known one is never held as an unknown one.
fn keeps_any_text<E>(known: &[E], is_known: impl Fn(&E) -> bool)
where
    E: for<'a> From<&'a str> + Serialize + DeserializeOwned + Display + Debug + PartialEq,
{
    for entry in known {
        let text = entry.to_string();
        assert_eq!(&E::from(text.as_str()), entry);
        assert!(is_known(&E::from(text.as_str())));
        assert_eq!(serde_json::from_str::<E>(&format!("\"{text}\"")).unwrap(), E::from(text.as_str()));
        assert!(!is_known(&E::from(text.to_uppercase().as_str())), "spelling counts: {text}");
    }
    for odd in ["", "brand_new", " ok", "🐤 \"quoted\"\n"] {
        let json = serde_json::to_string(odd).unwrap();
        let read: E = serde_json::from_str(&json).unwrap();
        assert!(!is_known(&read));
        assert_eq!(read, E::from(odd));
        assert_eq!(read.to_string(), odd);
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
    }
    for no_text in ["null", "7", "[]"] {
        assert!(serde_json::from_str::<E>(no_text).is_err());
    }
}

#[test]
fn an_id_state_or_mode_that_is_not_known_survives() {
    keeps_any_text(Capability::ALL, Capability::is_known);
    keeps_any_text(Risk::ALL, Risk::is_known);
    keeps_any_text(PermissionMode::ALL, PermissionMode::is_known);
    keeps_any_text(PluginState::ALL, PluginState::is_known);
    keeps_any_text(ApprovalState::ALL, ApprovalState::is_known);
    keeps_any_text(DependencyState::ALL, DependencyState::is_known);
    keeps_any_text(JobState::ALL, JobState::is_known);
    keeps_any_text(StepState::ALL, StepState::is_known);
}

fn unchanged<T: Serialize + DeserializeOwned>(json: &str) {
    let read = Reply::<T>::parse(json).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(envelope::ok(&read), json);
}

#[test]
fn replies_of_a_newer_host_survive() {
    unchanged::<RegistrationReply>(
        r#"{"ok":true,"name":"x","enabled":true,"awaitingConsent":true,"state":"on_probation","capabilities":[{"id":"time_travel","mode":"sometimes"}]}"#,
    );
    unchanged::<StatusReply>(
        r#"{"ok":true,"state":"on_probation","canRun":true,"suspendReason":"why not","tools":[{"name":"Not A Name!","mode":"sometimes","own":true}],"capabilities":[],"dependencies":[{"tool":"t","plugin":null,"state":"shaky","message":"m","install":[],"since":1}]}"#,
    );
    unchanged::<PermissionReply>(
        r#"{"ok":true,"capability":"time_travel","mode":"sometimes","enabled":true,"suspended":true,"state":"on_probation"}"#,
    );
    unchanged::<ApprovalReply>(r#"{"ok":true,"approvalId":"any text","state":"postponed"}"#);
    unchanged::<ListCapabilitiesReply>(
        r#"{"ok":true,"capabilities":[{"id":"time_travel","risk":"absurd","title":"T","description":"D","default":"sometimes"}]}"#,
    );
    unchanged::<JobReply>(
        r#"{"ok":true,"job":{"id":"any","name":"n","state":"napping","progress":"half","created":"then","updated":"now","mood":{"b":1,"c":[null]}}}"#,
    );
}

#[test]
fn a_status_with_nothing_but_its_state_is_read() {
    let status = Reply::<StatusReply>::parse(r#"{"ok":true,"state":"enabled"}"#).unwrap();
    assert_eq!(status.suspend_reason, None);
    assert!(status.tools.is_empty() && status.capabilities.is_empty() && status.dependencies.is_empty());
}

#[test]
fn what_is_absent_stays_absent_and_null_stays_null() {
    for json in [
        r#"{"name":"n","description":"d"}"#,
        r#"{"name":"n","description":"d","inputSchema":null}"#,
        r#"{"name":"n","description":"d","inputSchema":{ "type":"object" }}"#,
        r#"{"name":"n","description":"d","readOnly":true,"destructive":false}"#,
        r#"{"name":"n","description":"d","capabilities":[]}"#,
        r#"{"name":"n","description":"d","capabilities":["time_travel","combat","combat"]}"#,
    ] {
        let read: ToolDefinition = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
    }
    // `suspendReason` and `plugin` are null where they say nothing, never left out.
    let json = envelope::ok(&StatusReply::new(PluginState::Enabled));
    assert!(json.contains(r#""suspendReason":null"#), "{json}");
}

#[test]
fn unknown_fields_of_a_definition_are_ignored() {
    // R-ENV-3
    let read: ToolDefinition =
        serde_json::from_str(r#"{"icon":{"a":1},"name":"n","description":"d","Name":"N"}"#).unwrap();
    assert_eq!(read, ToolDefinition::new("n", "d"));
}
