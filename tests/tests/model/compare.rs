//! What can be seen of the host, against the model.

use serde_json::{Value, json};
use xivmcp_mock_host::{AuditEntry, Outcome, ReportedEnd};

use super::calls::{AuditLine, End, Game, plugin_name};
use super::jobs::StepState;
use super::ops::{CAPABILITIES, PLUGINS};
use super::stage::{Checked, Stage, same};

impl Stage {
    /// After each operation.
    pub(crate) fn compare(&self) -> Checked {
        for plugin in 0..2 {
            self.compare_status(plugin)?;
        }
        let listed: Vec<String> = self
            .host
            .assistant()
            .tools()
            .into_iter()
            .filter(|tool| tool.plugin.is_some())
            .map(|tool| tool.name)
            .collect();
        let shown = self.model.tools.iter().filter(|tool| {
            let policy = &self.model.policies[tool.owner];
            policy.enabled && !policy.awaiting
        });
        same("the tools that are listed", &listed, &shown.map(|tool| tool.name.clone()).collect())?;
        self.compare_questions()?;
        for (number, call) in &self.calls {
            let came = call.outcome().map(|outcome| match outcome {
                Outcome::Result(_) => "result",
                Outcome::Error(_) | Outcome::UnknownTool(_) => "error",
                Outcome::Cancelled => "cancelled",
                _ => "something new",
            });
            let due = self.model.ended.get(number).map(|end| match end {
                End::Result(_) => "result",
                End::Error => "error",
                End::Cancelled => "cancelled",
            });
            same(&format!("the end of call {number}"), &came, &due)?;
        }
        self.compare_jobs()?;
        let state = self.host.game().state();
        let game = Game { logged_in: state.logged_in, zone: state.zone, gil: state.gil };
        same("the game", &game, &self.model.game)?;
        self.compare_audit()
    }

    fn compare_status(&self, plugin: usize) -> Checked {
        let Some(status) = self.gate_is(plugin, "GetStatus", &[PLUGINS[plugin].into()], true)? else { return Ok(()) };
        let policy = &self.model.policies[plugin];
        let name = PLUGINS[plugin];
        same(&format!("the state of {name}"), &status["state"], &json!(policy.state()))?;
        same(&format!("canRun of {name}"), &status["canRun"], &json!(policy.can_run()))?;
        same("a suspendReason", &status["suspendReason"].is_string(), &(policy.state() == "suspended"))?;
        let tools: Vec<Value> = self
            .model
            .tools
            .iter()
            .filter(|tool| tool.owner == plugin)
            .map(|tool| {
                let mode = policy.told(policy.tool(tool)).as_str();
                json!({"name": tool.name, "mode": mode, "own": policy.tools.contains_key(&tool.name)})
            })
            .collect();
        same(&format!("the tools of {name}"), &status["tools"], &json!(tools))?;
        for capability in CAPABILITIES {
            let Some(reply) = self.gate_is(plugin, "CheckPermission", &[name.into(), capability.into()], true)? else {
                continue;
            };
            let mode = policy.told(policy.capability(capability)).as_str();
            same(&format!("the mode of {capability} for {name}"), &reply["mode"], &json!(mode))?;
        }
        Ok(())
    }

    fn compare_questions(&self) -> Checked {
        let asked = self.host.player().questions();
        let asked: Vec<_> =
            asked.into_iter().map(|open| (open.plugin, open.tool, open.caller, open.summary.is_some())).collect();
        let due = self.model.questions.iter().map(|question| {
            let call = &self.model.open[&question.call];
            let plugin = plugin_name(call.tool.owner);
            (plugin, call.tool.name.clone(), call.asker.word(), question.approval.is_some())
        });
        same("the open questions", &asked, &due.collect())
    }

    fn compare_jobs(&self) -> Checked {
        for (id, job) in self.jobs.iter().zip(&self.model.jobs) {
            let report = self.host.job(id);
            let states: Vec<String> = report.steps.iter().map(|step| format!("{} {}", step.id, step.state)).collect();
            let due = job.steps.iter().map(|step| {
                let state = match step.state {
                    StepState::Queued => "queued",
                    StepState::Running => "running",
                    StepState::Done => "done",
                    StepState::Failed => "failed",
                    StepState::Interrupted => "interrupted",
                    StepState::Skipped => "skipped",
                };
                format!("{} {state}", step.id)
            });
            same(&format!("the steps of job {id}"), &states, &due.collect())?;
            same(&format!("the state of job {id}"), &report.state(), &job.state)?;
            let progress = format!("{}/{}", job.current, job.steps.len());
            same("progress", &report.job.progress, &progress)?;
            if job.state == "pending" {
                let failed = job.steps.get(job.current).is_some_and(|step| step.state == StepState::Failed);
                same("a reason", &report.job.reason.is_some(), &failed)?;
            }
        }
        Ok(())
    }

    fn compare_audit(&self) -> Checked {
        // An entry is there when its call or approval is over.
        if !self.model.open.is_empty() {
            return Ok(());
        }
        let mut host: Vec<AuditLine> = self.host.audit().into_iter().map(line).collect();
        let mut model = self.model.audit.clone();
        host.sort();
        model.sort();
        same("the audit log", &host, &model)
    }
}

fn line(entry: AuditEntry) -> AuditLine {
    let outcome = entry.outcome.map_or("", ReportedEnd::as_str);
    let (kind, decision) = (entry.kind.as_str(), entry.decision.as_str());
    (entry.plugin, entry.tool, kind, entry.caller, decision, outcome, entry.flagged, entry.suspended, entry.in_job)
}
