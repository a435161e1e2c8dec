//! JSON schemas of every payload, for authors who write their plugin in another language.
//!
//! The crate carries them as files too (`schemas/`); a test keeps those equal to what [`all`] gives. The files are named
//! after the gate: `<gate>.<what it takes>.json` and `<gate>.reply.json`.
//!
//! Schemas of requests say what the host accepts, those of replies what it writes, `ok` included. Every text gate may
//! instead reply what `refusal.json` describes.

use schemars::{JsonSchema, Schema, generate::SchemaSettings, json_schema, transform::RecursiveTransform};
use serde_json::{Value, json};

use crate::{
    approval::{ApprovalAnswer, ApprovalReply, ApprovalRequest},
    call::{CompletionReply, InvokeReply},
    capability::ListCapabilitiesReply,
    dependency::{DependenciesReply, DependencyDeclaration},
    envelope::NoFields,
    job::{JobDescription, JobReply, JobRequest, JobsReply},
    permission::PermissionReply,
    status::StatusReply,
    tool::{RegistrationReply, ToolDefinition, UnregisterAllReply, UnregisterToolReply},
};

/// The schema of one payload, and the name of its file.
///
/// ```
/// let refusal = xivmcp_protocol::schemas::all().into_iter().find(|schema| schema.file == "refusal.json").unwrap();
/// assert_eq!(refusal.schema.get("required"), Some(&serde_json::json!(["ok", "error"])));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PayloadSchema {
    /// The name of the file in `schemas/`.
    pub file: &'static str,
    /// The schema, draft 2020-12.
    pub schema: Schema,
}

impl PayloadSchema {
    /// The content of the file: the schema over several lines, its keys sorted, with a line break at the end.
    ///
    /// ```
    /// let schema = &xivmcp_protocol::schemas::all()[0];
    /// assert!(schema.to_text().ends_with("}\n"));
    /// ```
    #[must_use]
    pub fn to_text(&self) -> String {
        // Alternate formatting of a tree is its JSON over several lines.
        format!("{:#}\n", self.schema.as_value())
    }
}

/// The schemas of all payloads, sorted by file.
///
/// ```
/// let schemas = xivmcp_protocol::schemas::all();
/// assert!(schemas.iter().any(|schema| schema.file == "register_tool.definition.json"));
/// ```
#[must_use]
pub fn all() -> Vec<PayloadSchema> {
    let mut all = vec![
        reply::<ListCapabilitiesReply>("list_capabilities.reply.json"),
        request::<ToolDefinition>("register_tool.definition.json"),
        reply::<RegistrationReply>("register_tool.reply.json"),
        reply::<UnregisterToolReply>("unregister_tool.reply.json"),
        reply::<UnregisterAllReply>("unregister_all.reply.json"),
        reply::<StatusReply>("get_status.reply.json"),
        request::<DependencyDeclaration>("declare_dependencies.declaration.json"),
        reply::<DependenciesReply>("declare_dependencies.reply.json"),
        reply::<PermissionReply>("check_permission.reply.json"),
        request::<ApprovalRequest>("request_approval.request.json"),
        reply::<ApprovalReply>("request_approval.reply.json"),
        reply::<ApprovalAnswer>("get_approval.reply.json"),
        reply::<CompletionReply>("complete_call.reply.json"),
        reply::<CompletionReply>("fail_call.reply.json"),
        reply::<NoFields>("report_progress.reply.json"),
        request::<JobRequest>("start_job.job.json"),
        reply::<JobReply>("start_job.reply.json"),
        reply::<JobReply>("get_job.reply.json"),
        reply::<JobsReply>("list_jobs.reply.json"),
        reply::<NoFields>("pause_job.reply.json"),
        reply::<NoFields>("resume_job.reply.json"),
        reply::<NoFields>("cancel_job.reply.json"),
        bare::<JobDescription>("job_description.json"),
        request::<InvokeReply>("invoke.reply.json"),
        PayloadSchema { file: "refusal.json", schema: refusal() },
    ];
    all.sort_by_key(|payload| payload.file);
    all
}

/// What a plugin writes: what the host accepts counts.
fn request<T: JsonSchema>(file: &'static str) -> PayloadSchema {
    schema_of::<T>(file, SchemaSettings::draft2020_12().for_deserialize())
}

/// What the host writes.
fn bare<T: JsonSchema>(file: &'static str) -> PayloadSchema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    schema_of::<T>(file, settings.with_transform(RecursiveTransform(as_written)))
}

fn schema_of<T: JsonSchema>(file: &'static str, settings: SchemaSettings) -> PayloadSchema {
    let settings = settings.with_transform(RecursiveTransform(plain_description));
    PayloadSchema { file, schema: settings.into_generator().into_root_schema_for::<T>() }
}

/// Leaves of a Rust doc comment what every reader understands: its first paragraph, its links as words.
fn plain_description(schema: &mut Schema) {
    let Some(Value::String(text)) = schema.get_mut("description") else { return };
    let paragraph = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let paragraph = paragraph.split(" See [").next().unwrap_or_default(); // a pointer into the Rust documentation
    let mut plain = String::with_capacity(paragraph.len());
    let mut rest = paragraph;
    while let Some((before, after)) = rest.split_once("[`") {
        plain.push_str(before);
        let (word, after) = after.split_once("`]").unwrap_or((after, ""));
        plain.extend(["`", word, "`"]);
        rest = match after.strip_prefix('(').and_then(|target| target.split_once(')')) {
            Some((_, after)) => after,
            None => after,
        };
    }
    plain.push_str(rest);
    *text = plain;
}

/// Says what is written rather than what would be read: no defaults, and no `null` where a field is left out instead.
fn as_written(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    let required = object.get("required").cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = object.get_mut("properties") else { return };
    for (name, property) in properties {
        let Value::Object(property) = property else { continue };
        property.remove("default");
        if required.as_array().is_some_and(|names| names.iter().any(|other| other == name)) {
            continue;
        }
        if let Some(Value::Array(kinds)) = property.get("type") {
            let mut kinds = kinds.clone();
            kinds.retain(|kind| kind != "null");
            let only = if kinds.len() == 1 { kinds.remove(0) } else { Value::Array(kinds) };
            property.insert("type".to_owned(), only);
        }
        if let Some(Value::Array(choices)) = property.get("anyOf") {
            let others: Vec<_> =
                choices.iter().filter(|choice| **choice != json!({ "type": "null" })).cloned().collect();
            if let [Value::Object(only)] = others.as_slice() {
                property.remove("anyOf");
                property.extend(only.clone());
            }
        }
    }
}

/// What the host writes into an envelope: the payload's fields, and `ok`.
fn reply<T: JsonSchema>(file: &'static str) -> PayloadSchema {
    let mut payload = bare::<T>(file);
    let root = payload.schema.ensure_object();
    if let Value::Object(properties) = root.entry("properties").or_insert_with(|| json!({})) {
        properties.insert("ok".to_owned(), json!({ "const": true }));
    }
    if let Value::Array(required) = root.entry("required").or_insert_with(|| json!([])) {
        required.insert(0, json!("ok"));
    }
    payload
}

fn refusal() -> Schema {
    json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Refusal",
        "description": "What every text gate of the host may reply instead of its payload.",
        "type": "object",
        "required": ["ok", "error"],
        "properties": {
            "ok": { "const": false },
            "error": { "type": "string", "description": "A sentence that the plugin's developer can act on." },
        },
    })
}
