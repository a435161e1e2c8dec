//! What the verbs give, as JSON.

use serde_json::{Map, Value, json};
use xivmcp_protocol::JsonText;

use crate::core::{AuditEntry, AuditKind, Decision, ListedTool, Outcome, Question, ReportedEnd};

fn parsed(text: &JsonText) -> Value {
    serde_json::from_str(text.get()).unwrap_or_else(|_| text.get().into())
}

pub(super) fn outcome(outcome: Option<Outcome>) -> Value {
    match outcome {
        None => json!({"running": true}),
        Some(Outcome::Result(text)) => json!({"result": parsed(&text)}),
        Some(Outcome::Error(text) | Outcome::UnknownTool(text)) => json!({"error": text}),
        Some(Outcome::Cancelled) => json!({"cancelled": true}),
    }
}

pub(super) fn question(question: &Question) -> Value {
    let mut fields = Map::new();
    fields.insert("tool".to_owned(), question.tool.as_str().into());
    fields.insert("capabilities".to_owned(), json!(question.capabilities));
    if let Some(summary) = &question.summary {
        fields.insert("summary".to_owned(), summary.as_str().into());
    }
    fields.insert("caller".to_owned(), question.caller.as_str().into());
    Value::Object(fields)
}

pub(super) fn tool(tool: &ListedTool) -> Value {
    json!({
        "name": tool.name,
        "description": tool.description,
        "readOnly": tool.read_only,
        "destructive": tool.destructive,
        "inputSchema": parsed(&tool.input_schema),
    })
}

pub(super) fn audit(entry: &AuditEntry) -> Value {
    let kind = match entry.kind {
        AuditKind::Call => "call",
        AuditKind::Approval => "approval",
    };
    let decision = match entry.decision {
        Decision::Allowed => "allowed",
        Decision::Approved => "approved",
        Decision::ApprovedSession => "approved_session",
        Decision::ApprovedAlways => "approved_always",
        Decision::Denied => "denied",
        Decision::Blocked => "blocked",
        Decision::Refused => "refused",
    };
    let outcome = entry.outcome.map(|end| match end {
        ReportedEnd::Ok => "ok",
        ReportedEnd::Error => "error",
        ReportedEnd::Cancelled => "cancelled",
    });
    let effects: Vec<Value> =
        entry.effects.iter().map(|effect| json!({"effect": effect.effect, "detail": effect.detail})).collect();
    let all = json!({
        "time": entry.time.to_string(),
        "plugin": entry.plugin,
        "tool": entry.tool,
        "kind": kind,
        "caller": entry.caller,
        "args": entry.args,
        "capabilities": entry.capabilities,
        "decision": decision,
        "outcome": outcome,
        "error": entry.error,
        "durationMs": entry.duration_ms,
        "inJob": entry.in_job,
        "effects": effects,
        "flagged": entry.flagged,
        "suspended": entry.suspended,
        "summary": entry.summary,
    });
    match all {
        Value::Object(fields) => Value::Object(fields.into_iter().filter(|(_, value)| !value.is_null()).collect()),
        other => other,
    }
}
