//! The committed schemas are those of the types, and what the types write keeps to them.

use std::{collections::BTreeSet, fs, path::PathBuf};

use serde_json::Value;
use xivmcp_protocol::{
    ApprovalAnswer, ApprovalReply, ApprovalRequest, ApprovalState, Capability, CapabilityMode, CompletionReply,
    DependenciesReply, DependencyDeclaration, DependencyState, DependencyStatus, HostGate, InvokeReply, Job,
    JobDescription, JobProgress, JobReply, JobRequest, JobState, JobStepRequest, JobsReply, JsonText,
    ListCapabilitiesReply, NoFields, PermissionMode, PermissionReply, PluginState, RegistrationReply, StatusReply,
    ToolDefinition, ToolDependency, ToolStatus, UnregisterAllReply, UnregisterToolReply, envelope, schemas,
};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("schemas")
}

#[test]
fn the_committed_schemas_are_those_of_the_types() {
    const HOW: &str = "run `cargo run -p xivmcp-protocol --example write_schemas` and commit what it writes";
    let committed: BTreeSet<String> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let payloads = schemas::all();
    let expected: BTreeSet<String> = payloads.iter().map(|payload| payload.file.to_owned()).collect();
    assert_eq!(committed, expected, "{HOW}");
    for payload in payloads {
        let text = fs::read_to_string(folder().join(payload.file)).unwrap();
        assert!(text.replace("\r\n", "\n") == payload.to_text(), "{} differs from its type: {HOW}", payload.file);
    }
}

#[test]
fn every_text_gate_has_a_schema_of_its_reply() {
    let files: BTreeSet<&str> = schemas::all().iter().map(|payload| payload.file).collect();
    for gate in HostGate::ALL {
        if gate.returns() != xivmcp_protocol::gate::GateReturn::Envelope {
            continue;
        }
        let mut file = String::new();
        for character in gate.name().trim_start_matches("XivMcp.").chars() {
            if character.is_uppercase() && !file.is_empty() {
                file.push('_');
            }
            file.push(character.to_ascii_lowercase());
        }
        file.push_str(".reply.json");
        assert!(files.contains(file.as_str()), "{file}");
    }
}

#[test]
fn no_description_speaks_rust() {
    for payload in schemas::all() {
        let text = payload.to_text();
        for mark in ["```", "[`", "](", "::"] {
            assert!(!text.contains(mark), "{} contains {mark}", payload.file);
        }
    }
}

/// One payload of each sort, as the types write it, with as many fields as it can have.
fn samples() -> Vec<(&'static str, String)> {
    fn text<T: serde::Serialize>(payload: &T) -> String {
        serde_json::to_string(payload).unwrap()
    }
    let mut status = StatusReply::new(PluginState::Enabled);
    status.tools.push(ToolStatus::new("abc", PermissionMode::Ask, true));
    status.capabilities.push(CapabilityMode::new(Capability::Combat, PermissionMode::Ask));
    status.dependencies.push(DependencyStatus::new("wait", None, DependencyState::Ok, "Ready."));
    let job = Job::new("0a1b2c3d", "n", JobState::Queued, JobProgress::new(0, 1), "then", "now");
    let tool = ToolDefinition::new("abc", "d").read_only(false).destructive(true).capabilities(["combat"]);
    let tool = tool.input_schema(JsonText::parse(r#"{"type":"object"}"#).unwrap());
    vec![
        ("list_capabilities.reply.json", envelope::ok(&ListCapabilitiesReply::known())),
        ("register_tool.definition.json", text(&tool)),
        ("register_tool.definition.json", text(&ToolDefinition::new("abc", "d"))),
        ("register_tool.reply.json", envelope::ok(&RegistrationReply::new("abc", PluginState::Enabled))),
        ("unregister_tool.reply.json", envelope::ok(&UnregisterToolReply::new(true))),
        ("unregister_all.reply.json", envelope::ok(&UnregisterAllReply::new(1))),
        ("get_status.reply.json", envelope::ok(&status)),
        (
            "declare_dependencies.declaration.json",
            text(&DependencyDeclaration::new([ToolDependency::from_plugin("abc", "P", "P", "official", "1.0")])),
        ),
        ("declare_dependencies.reply.json", envelope::ok(&DependenciesReply::new(status.dependencies.clone()))),
        (
            "check_permission.reply.json",
            envelope::ok(&PermissionReply::new(Capability::Combat, PermissionMode::Ask, PluginState::Enabled)),
        ),
        ("request_approval.request.json", text(&ApprovalRequest::new(Capability::Combat, "s").unwrap())),
        ("request_approval.reply.json", envelope::ok(&ApprovalReply::new("0a1b2c3d4e5f", ApprovalState::Pending))),
        ("get_approval.reply.json", envelope::ok(&ApprovalAnswer::new("0a1b2c3d4e5f", ApprovalState::Denied))),
        ("complete_call.reply.json", envelope::ok(&CompletionReply::new(true))),
        ("fail_call.reply.json", envelope::ok(&CompletionReply::new(false))),
        ("report_progress.reply.json", envelope::ok(&NoFields::default())),
        ("pause_job.reply.json", envelope::ok(&NoFields::default())),
        ("resume_job.reply.json", envelope::ok(&NoFields::default())),
        ("cancel_job.reply.json", envelope::ok(&NoFields::default())),
        ("start_job.job.json", text(&JobRequest::new("n", [JobStepRequest::new("abc")]))),
        ("start_job.reply.json", envelope::ok(&JobReply::new(job.clone()))),
        ("get_job.reply.json", envelope::ok(&JobReply::new(job.clone()))),
        ("list_jobs.reply.json", envelope::ok(&JobsReply::new([job.clone()]))),
        ("job_description.json", text(&JobDescription::new(job, []))),
        ("invoke.reply.json", text(&InvokeReply::Pending)),
        ("refusal.json", envelope::error("no")),
    ]
}

#[test]
fn what_the_types_write_keeps_to_the_schemas() {
    let schemas = schemas::all();
    let samples = samples();
    for payload in &schemas {
        assert!(samples.iter().any(|(file, _)| *file == payload.file), "{} has no sample", payload.file);
    }
    for (file, sample) in samples {
        let payload = schemas.iter().find(|payload| payload.file == file).unwrap();
        let value: Value = serde_json::from_str(&sample).unwrap();
        let faults = faults(payload.schema.as_value(), payload.schema.as_value(), &value, "$");
        assert!(faults.is_empty(), "{file}: {sample}\n{faults:#?}");
    }
}

/// What of the value breaks the schema: of JSON Schema, the words that these schemas use. Keys without a description count
/// as a fault, so that a field cannot be written and not be published.
fn faults(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    if let Some(name) = schema["$ref"].as_str() {
        let target = root.pointer(name.trim_start_matches('#')).unwrap_or_else(|| panic!("{name}"));
        return faults(root, target, value, at);
    }
    let mut found = Vec::new();
    if let Some(choices) = schema["oneOf"].as_array() {
        if choices.iter().filter(|choice| faults(root, choice, value, at).is_empty()).count() != 1 {
            found.push(format!("{at} is not one of the choices"));
        }
        return found;
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = match &schema["type"] {
        Value::String(only) => only == kind,
        Value::Array(several) => several.iter().any(|one| one == kind),
        _ => true,
    };
    if !fits || schema.get("const").is_some_and(|expected| expected != value) {
        found.push(format!("{at} is {value}"));
    }
    for (index, entry) in value.as_array().into_iter().flatten().enumerate() {
        found.extend(faults(root, &schema["items"], entry, &format!("{at}[{index}]")));
    }
    let Some(object) = value.as_object().filter(|_| schema.get("properties").is_some()) else { return found };
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !object.contains_key(name) {
            found.push(format!("{at}.{name} is missing"));
        }
    }
    for (name, entry) in object {
        match schema["properties"].get(name) {
            Some(property) => found.extend(faults(root, property, entry, &format!("{at}.{name}"))),
            None => found.push(format!("{at}.{name} is not described")),
        }
    }
    found
}
