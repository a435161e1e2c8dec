//! How a call's end is handed on: what it did to the game (SPEC §8), the audit log, lints, and then to the job or the
//! assistant.

use xivmcp_protocol::{CallId, JsonText, utf16_len};

use super::{Call, End, Phase, Target};
use crate::core::audit::{AuditEffect, AuditEntry, AuditKind, Decision, ReportedEnd, cut_args};
use crate::core::effect::Effect;
use crate::core::lint::{self, LintKind};
use crate::core::marks::RESULT_UNITS;
use crate::core::time::Time;
use crate::core::{Core, LONG_CALL, Outcome};

/// What a call did to the game, as the audit log says it.
#[derive(Debug, Default)]
struct Findings {
    effects: Vec<AuditEffect>,
    flagged: bool,
    suspended: bool,
}

impl Core {
    /// Ends a call, whatever its phase, and forgets it. `replied`: the end is what Invoke itself replied.
    pub(in crate::core) fn finish(&mut self, now: Time, id: &CallId, end: End, replied: bool) {
        let Some(mut call) = self.calls.by_id.remove(id) else { return };
        match call.phase {
            Phase::Asking(question) => {
                self.close_question(question);
                call.decision = Decision::Denied;
            }
            Phase::Working(timer) => self.timers.take_back(timer),
            Phase::Queued | Phase::Invoking | Phase::Pending | Phase::Ending => {}
        }
        if let Some(timer) = call.cancelled {
            self.timers.take_back(timer);
        }
        self.forget_approvals(&call);
        let end = final_end(&call, end, replied);
        let findings = self.compare_game(now, &mut call);
        if let (Target::Plugin(tool), End::Result(result)) = (&call.target, &end) {
            let tool = tool.clone();
            self.lint_result(&tool.owner, tool.name(), result);
            self.lint_arguments(&tool, call.args.get());
        }
        self.audit_call(now, &call, &end, findings);
        match call.step {
            Some(step) => self.step_ended(now, step, end),
            None => {
                let outcome = match end {
                    End::Result(result) => Outcome::Result(result),
                    End::Error(message) => Outcome::Error(message),
                    End::Cancelled => Outcome::Cancelled,
                };
                self.push(Effect::CallEnded { call: id.clone(), outcome });
            }
        }
    }

    /// Compares the game with how it was before the call; what no declared capability covers suspends (R-SIDE-2).
    fn compare_game(&mut self, now: Time, call: &mut Call) -> Findings {
        let (Some(before), Some(began)) = (call.before.take(), call.began) else { return Findings::default() };
        let effects = self.game.effects_since(&before);
        let undeclared: Vec<_> =
            effects.iter().filter(|effect| !effect.is_covered(call.target.capabilities())).collect();
        let mut findings = Findings { flagged: !undeclared.is_empty(), ..Findings::default() };
        if findings.flagged {
            let named: Vec<String> =
                undeclared.iter().map(|effect| format!("{} ({})", effect.effect, effect.detail)).collect();
            let mut reason =
                format!("its tool \"{}\" did what it had not declared: {}", call.target.name(), named.join(", "));
            if now.since(began) >= LONG_CALL {
                reason.push_str(". The call took 2 minutes or more, so it may have been the player");
            }
            self.suspend(&call.target.owner_key(), reason);
            findings.suspended = true;
        }
        findings.effects = effects
            .into_iter()
            .map(|effect| AuditEffect { effect: effect.effect.to_owned(), detail: effect.detail })
            .collect();
        findings
    }

    /// Suspends a plugin: its tools stay listed, its session answers go (R-SIDE-3).
    fn suspend(&mut self, key: &str, reason: String) {
        self.policies.get_mut(key).suspended = Some(reason);
        self.session.forget(key);
    }

    fn audit_call(&mut self, now: Time, call: &Call, end: &End, findings: Findings) {
        let allowed_read = matches!(call.target, Target::Builtin(_))
            && call.target.is_read_only()
            && call.decision == Decision::Allowed;
        if allowed_read {
            return;
        }
        let (outcome, error) = match end {
            End::Result(_) => (ReportedEnd::Ok, None),
            End::Error(message) => (ReportedEnd::Error, Some(message.clone())),
            End::Cancelled => (ReportedEnd::Cancelled, None),
        };
        self.audit.add(AuditEntry {
            time: call.asked,
            plugin: self.owner_spelling(&call.target),
            tool: call.target.name().to_owned(),
            kind: AuditKind::Call,
            caller: call.asker.to_string(),
            args: Some(cut_args(call.args.get())),
            capabilities: names(&call.target),
            decision: call.decision,
            outcome: call.began.map(|_| outcome),
            error,
            duration_ms: call.began.map(|began| u64::try_from(now.since(began).as_millis()).unwrap_or(u64::MAX)),
            in_job: call.step.is_some(),
            effects: findings.effects,
            flagged: findings.flagged,
            suspended: findings.suspended,
            summary: None,
        });
    }

    pub(in crate::core) fn owner_spelling(&self, target: &Target) -> String {
        self.plugins.spelling(target.owner()).to_owned()
    }

    fn lint_result(&mut self, owner: &str, tool: &str, result: &JsonText) {
        // A text never has more UTF-16 units than bytes: most results need no counting.
        let length = if result.get().len() > RESULT_UNITS { utf16_len(result.get()) } else { 0 };
        if length > RESULT_UNITS {
            let message = format!(
                "the result has {length} characters; the assistant gets the first {RESULT_UNITS}. Give less, or in pages"
            );
            self.lint(LintKind::LongResult, owner, tool, message);
        }
        if let Some(name) = lint::snake_case_name(result) {
            let message = format!("the result has a name in snake_case (`{name}`); other tools' are in camelCase");
            self.lint(LintKind::SnakeCaseResult, owner, tool, message);
        }
    }
}

/// A cancelled call ends as cancelled whatever comes (R-CALL-9), but for a step whose tool replied at once: what it did
/// is done (R-JOB-6).
fn final_end(call: &Call, end: End, replied: bool) -> End {
    match end {
        End::Result(result) if call.is_cancelled() && replied && call.step.is_some() => End::Result(result),
        _ if call.is_cancelled() => End::Cancelled,
        end => end,
    }
}

/// What a tool declared, as the audit log lists it.
pub(in crate::core) fn names(target: &Target) -> Vec<String> {
    target.capabilities().iter().map(|capability| capability.as_str().to_owned()).collect()
}
