//! What goes on: questions, jobs, calls, and the audit log.

use serde::Serialize;
use xivmcp_protocol::{Job, JsonText, StepState, cut_utf16};

use crate::core::audit::AuditEntry;
use crate::core::builtin::HOST;
use crate::core::call::Phase;
use crate::core::{ANSWER_LIMIT, Core};

/// Entries of the audit log that a page shows.
const AUDIT_ROWS: usize = 200;
/// Jobs that a page shows: the newest.
const JOBS: usize = 50;
/// How much of a step's result, or of arguments, a page shows.
const JSON_UNITS: usize = 8_000;

/// An open question.
#[derive(Debug, Serialize)]
pub(crate) struct QuestionCard {
    id: u64,
    plugin: String,
    title: String,
    tool: String,
    capabilities: Vec<String>,
    summary: Option<String>,
    caller: String,
    /// The arguments of the call, also where only one capability is asked for.
    args: String,
    /// Milliseconds since the Unix epoch, as all times here.
    since: i64,
    until: i64,
    /// *Session* and *always* count as *once*.
    critical: bool,
}

/// A job, with its steps and its log.
#[derive(Debug, Serialize)]
pub(crate) struct JobCard {
    #[serde(flatten)]
    job: Job,
    asker: String,
    steps: Vec<StepRow>,
    log: Vec<String>,
}

#[derive(Debug, Serialize)]
struct StepRow {
    id: String,
    tool: String,
    note: Option<String>,
    state: StepState,
    args: String,
    result: Option<String>,
    error: Option<String>,
    attempts: u32,
}

/// A call that an assistant started, and that runs.
#[derive(Debug, Serialize)]
pub(crate) struct CallRow {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) caller: String,
    pub(crate) args: String,
    pub(crate) since: i64,
    /// It waits for the player.
    pub(crate) asking: bool,
}

/// The newest entries of the audit log.
#[derive(Debug, Serialize)]
pub(crate) struct AuditPage {
    total: usize,
    flagged: usize,
    entries: Vec<AuditRow>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AuditRow {
    /// Counts from 1, the oldest.
    n: usize,
    time: i64,
    plugin: String,
    title: String,
    tool: String,
    kind: &'static str,
    caller: String,
    args: Option<String>,
    capabilities: Vec<String>,
    decision: &'static str,
    outcome: Option<&'static str>,
    error: Option<String>,
    duration_ms: Option<u64>,
    in_job: bool,
    effects: Vec<EffectRow>,
    flagged: bool,
    suspended: bool,
    summary: Option<String>,
}

#[derive(Debug, Serialize)]
struct EffectRow {
    effect: String,
    detail: String,
}

impl Core {
    /// The open questions, oldest first.
    pub(crate) fn window_questions(&self) -> Vec<QuestionCard> {
        let open = self.questions().into_iter();
        open.map(|question| {
            let call = self.calls.by_id.iter().find(|(id, _)| id.as_str() == question.call).map(|(_, call)| call);
            QuestionCard {
                id: question.id,
                title: self.window_title(&question.plugin),
                plugin: question.plugin,
                tool: question.tool,
                capabilities: question.capabilities,
                summary: question.summary,
                caller: question.caller,
                args: call.map(|call| cut_json(&call.args)).unwrap_or_default(),
                since: question.since.as_millis(),
                until: (question.since + ANSWER_LIMIT).as_millis(),
                critical: call.is_some_and(|call| call.target.is_critical()),
            }
        })
        .collect()
    }

    /// The newest jobs, newest first.
    pub(crate) fn window_jobs(&self) -> Vec<JobCard> {
        let ids = self.job_ids();
        let described = ids.iter().take(JOBS).filter_map(|id| Some((self.job(id)?, self.job_asker(id)?)));
        described
            .map(|(description, asker)| JobCard {
                job: description.job,
                asker,
                steps: description
                    .steps
                    .into_iter()
                    .map(|step| StepRow {
                        id: step.id,
                        tool: step.tool,
                        note: step.note,
                        state: step.state,
                        args: cut_json(&step.args),
                        result: step.result.as_ref().map(cut_json),
                        error: step.error,
                        attempts: step.attempts,
                    })
                    .collect(),
                log: description.log,
            })
            .collect()
    }

    /// The assistant's calls that run, oldest first; steps of jobs are none.
    pub(crate) fn window_calls(&self) -> Vec<CallRow> {
        let ids = self.calls.ids_where(|call| call.step.is_none() && call.asker.is_assistant());
        let known = ids.iter().filter_map(|id| Some((id, self.calls.by_id.get(id)?)));
        known
            .map(|(id, call)| CallRow {
                id: id.to_string(),
                tool: call.target.name().to_owned(),
                caller: call.asker.to_string(),
                args: cut_json(&call.args),
                since: call.asked.as_millis(),
                asking: matches!(call.phase, Phase::Asking(_)),
            })
            .collect()
    }

    /// The newest entries of the audit log, newest first.
    pub(crate) fn window_audit(&self) -> AuditPage {
        let total = self.audit.written();
        let flagged = self.audit(None).filter(|entry| entry.flagged).count();
        let entries = self.audit(None).take(AUDIT_ROWS).enumerate();
        AuditPage { total, flagged, entries: entries.map(|(at, entry)| self.window_entry(total - at, entry)).collect() }
    }

    fn window_entry(&self, n: usize, entry: &AuditEntry) -> AuditRow {
        AuditRow {
            n,
            time: entry.time.as_millis(),
            title: self.window_title(&entry.plugin),
            plugin: entry.plugin.clone(),
            tool: entry.tool.clone(),
            kind: entry.kind.as_str(),
            caller: entry.caller.clone(),
            args: entry.args.clone(),
            capabilities: entry.capabilities.clone(),
            decision: entry.decision.as_str(),
            outcome: entry.outcome.map(super::super::ReportedEnd::as_str),
            error: entry.error.clone(),
            duration_ms: entry.duration_ms,
            in_job: entry.in_job,
            effects: entry
                .effects
                .iter()
                .map(|effect| EffectRow { effect: effect.effect.clone(), detail: effect.detail.clone() })
                .collect(),
            flagged: entry.flagged,
            suspended: entry.suspended,
            summary: entry.summary.clone(),
        }
    }

    /// How the page calls a plugin, or the host itself.
    fn window_title(&self, plugin: &str) -> String {
        if plugin == HOST { "XIV MCP".to_owned() } else { self.plugins.display_name(plugin).to_owned() }
    }
}

fn cut_json(json: &JsonText) -> String {
    let text = json.get();
    let kept = cut_utf16(text, JSON_UNITS);
    if kept.len() == text.len() { text.to_owned() } else { format!("{kept}… (cut here)") }
}
