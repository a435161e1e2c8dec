//! How a call runs: start, question, Invoke and its reply, completion, progress, cancelling (R-CALL-2 to R-CALL-9).

use xivmcp_client::ipc::IpcError;
use xivmcp_protocol::call::{completed_result, failure_message};
use xivmcp_protocol::gate::{cancel_gate, invoke_gate};
use xivmcp_protocol::{CallId, HostError, InvokeReply, JsonText, cut_utf16};

use super::check::Verdict;
use super::{Asker, Call, End, Phase, StepRef, Target};
use crate::core::audit::Decision;
use crate::core::effect::Effect;
use crate::core::lint::LintKind;
use crate::core::question::{About, Answer};
use crate::core::time::Time;
use crate::core::timers::Due;
use crate::core::{CANCEL_LIMIT, Core, Outcome};

/// How much of a progress text is kept (R-JOB-10).
const PROGRESS_UNITS: usize = 300;

impl Core {
    /// Starts a call, of a plugin's or the host's own tool. Its end comes as [`Effect::CallEnded`], also if it is refused.
    pub(crate) fn assistant_call(&mut self, now: Time, client: Option<&str>, tool: &str, args: JsonText) -> CallId {
        let asker = Asker::Assistant(client.map(Into::into));
        let id = CallId::new(self.ids.call());
        let refused = if !self.is_running() {
            Some(Outcome::Error("XIV MCP is not loaded".to_owned()))
        } else {
            match self.target(tool) {
                None => Some(Outcome::UnknownTool(format!("There is no tool \"{tool}\""))),
                Some(target) => match self.busy(&target) {
                    Some(reason) => Some(Outcome::Error(reason)),
                    None => {
                        self.start_call(now, &id, target, asker, None, args);
                        None
                    }
                },
            }
        };
        if let Some(outcome) = refused {
            self.push(Effect::CallEnded { call: id.clone(), outcome });
        }
        id
    }

    /// The app gives up: the call is cancelled (R-CALL-9). Nothing happens if it has ended.
    pub(crate) fn assistant_give_up(&mut self, now: Time, call: &CallId) {
        self.cancel_call(now, call);
    }

    /// Checks a call and lets it run, or asks the player first. A call that is refused has ended when this returns.
    pub(in crate::core) fn start_call(
        &mut self,
        now: Time,
        id: &CallId,
        target: Target,
        asker: Asker,
        step: Option<StepRef>,
        args: JsonText,
    ) {
        let verdict = self.verdict(&target, &asker);
        let call = Call {
            order: self.calls.next_order(),
            target,
            asker,
            step,
            args,
            asked: now,
            phase: Phase::Queued,
            decision: Decision::Allowed,
            began: None,
            before: None,
            cancelled: None,
            end: None,
            approvals: Vec::new(),
        };
        self.calls.by_id.insert(id.clone(), call);
        match verdict {
            Verdict::Allowed => self.let_run(now, id, Decision::Allowed),
            Verdict::Covered => self.let_run(now, id, Decision::ApprovedSession),
            Verdict::Blocked(reason) => self.refuse_call(now, id, Decision::Blocked, reason),
            Verdict::Ask => self.ask_about_call(now, id),
        }
    }

    fn ask_about_call(&mut self, now: Time, id: &CallId) {
        let Some(call) = self.calls.by_id.get(id) else { return };
        let (target, asker) = (call.target.clone(), call.asker.clone());
        let question = self.open_question(now, id, &target, target.shown_capabilities(), None, &asker, About::Call);
        if let Some(call) = self.calls.by_id.get_mut(id) {
            call.phase = Phase::Asking(question);
        }
    }

    /// The player has answered the question about a whole call.
    pub(in crate::core) fn call_answered(&mut self, now: Time, id: &CallId, answer: Option<Answer>) {
        let Some(call) = self.calls.by_id.get_mut(id) else { return };
        call.phase = Phase::Queued; // the question is closed
        let (target, asker) = (call.target.clone(), call.asker.clone());
        let tool = target.name().to_owned();
        let Some(answer) = answer.filter(|answer| *answer != Answer::Denied) else {
            let how = if answer.is_none() { "did not answer within 2 minutes" } else { "said no" };
            let reason = format!("\"{tool}\" was not approved: the player {how}. Ask the player before you try again");
            return self.refuse_call(now, id, Decision::Denied, reason);
        };
        // What the player changed while the question was open counts too: a plugin that is disabled by now must not run.
        if self.target(&tool).is_none() {
            return self.refuse_call(now, id, Decision::Blocked, format!("There is no tool \"{tool}\" any more"));
        }
        if let Verdict::Blocked(reason) = self.verdict(&target, &asker) {
            return self.refuse_call(now, id, Decision::Blocked, reason);
        }
        let decision = self.remember_answer(&target, &asker, None, answer);
        self.let_run(now, id, decision);
    }

    fn refuse_call(&mut self, now: Time, id: &CallId, decision: Decision, reason: String) {
        if let Some(call) = self.calls.by_id.get_mut(id) {
            call.decision = decision;
        }
        self.finish(now, id, End::Error(reason), false);
    }

    fn let_run(&mut self, now: Time, id: &CallId, decision: Decision) {
        let Some(call) = self.calls.by_id.get_mut(id) else { return };
        call.decision = decision;
        call.phase = Phase::Queued;
        match call.target.clone() {
            Target::Plugin(tool) => {
                let effect = Effect::Invoke {
                    call: id.clone(),
                    owner: tool.owner.clone(),
                    tool: tool.name().to_owned(),
                    args: call.args.clone(),
                };
                self.push(effect);
            }
            Target::Builtin(tool) => {
                call.began = Some(now);
                let (args, asker) = (call.args.clone(), call.asker.clone());
                let (end, takes) = self.run_builtin(now, tool, &args, &asker);
                if takes.is_zero() {
                    return self.finish(now, id, end, false);
                }
                let timer = self.timers.set(now + takes, Due::BuiltinDone(id.clone()));
                if let Some(call) = self.calls.by_id.get_mut(id) {
                    call.phase = Phase::Working(timer);
                    call.end = Some(end);
                }
            }
        }
    }

    pub(in crate::core) fn builtin_done(&mut self, now: Time, id: &CallId) {
        if let Some(end) = self.calls.by_id.get_mut(id).and_then(|call| call.end.take()) {
            self.finish(now, id, end, false);
        }
    }

    /// Whether a call is still to be invoked. Called on the framework thread right before Invoke.
    pub(crate) fn begin_invoke(&mut self, now: Time, call: &CallId) -> bool {
        let Some(call) = self.calls.by_id.get_mut(call) else { return false };
        if call.phase != Phase::Queued || call.end.is_some() {
            return false;
        }
        call.phase = Phase::Invoking;
        call.began = Some(now);
        call.before = Some(Box::new(self.game.clone()));
        true
    }

    /// What Invoke gave. Does nothing if the call is not known any more.
    pub(crate) fn invoke_returned(&mut self, now: Time, call: &CallId, reply: Result<String, IpcError>) {
        let id = call;
        let Some(call) = self.calls.by_id.get_mut(id) else { return };
        if call.phase != Phase::Invoking {
            return;
        }
        let (owner, tool) = (call.target.owner().to_owned(), call.target.name().to_owned());
        let plugin = self.plugins.display_name(&owner);
        let end = match reply.map(|text| InvokeReply::read(&text)) {
            Ok(Ok(InvokeReply::Pending)) => match call.end.take() {
                Some(end) => return self.finish(now, id, end, false),
                None => {
                    call.phase = Phase::Pending;
                    return;
                }
            },
            Ok(Ok(InvokeReply::Result(result))) => End::Result(result),
            Ok(Ok(InvokeReply::Error(message))) => End::Error(message),
            Ok(Err(error)) => End::Error(format!("{plugin} {error}")),
            Err(IpcError::NotReady { .. }) => End::Error(format!(
                "\"{tool}\" of {plugin} cannot be called: the plugin does not provide the gate {}",
                invoke_gate(&owner)
            )),
            Err(IpcError::Failed { kind, message, .. }) => {
                End::Error(format!("\"{tool}\" of {plugin} failed: {kind}: {message}"))
            }
            Err(error) => End::Error(format!("\"{tool}\" of {plugin} failed: {error}")),
        };
        self.finish(now, id, end, true);
    }

    /// `CompleteCall` and `FailCall` (R-CALL-8). The first of them is accepted.
    fn end_call(
        &mut self,
        now: Time,
        id: &str,
        end: impl FnOnce() -> Result<End, HostError>,
    ) -> Result<bool, HostError> {
        let call =
            self.calls.by_id.get_mut(id).filter(|call| call.is_known_to_plugin()).ok_or_else(|| unknown_call(id))?;
        if call.end.is_some() {
            return Ok(false);
        }
        call.end = Some(end()?);
        if call.phase == Phase::Pending {
            call.phase = Phase::Ending;
            self.timers.set(now, Due::HandOn(CallId::new(id)));
        }
        Ok(true)
    }

    pub(in crate::core) fn complete_call(&mut self, now: Time, id: &str, result: &str) -> Result<bool, HostError> {
        self.end_call(now, id, || {
            let result = completed_result(result).map_err(|error| {
                HostError::new(format!("the result of call {id} is {error}; the call is still pending"))
            })?;
            Ok(End::Result(result))
        })
    }

    pub(in crate::core) fn fail_call(&mut self, now: Time, id: &str, message: &str) -> Result<bool, HostError> {
        self.end_call(now, id, || Ok(End::Error(failure_message(message).to_owned())))
    }

    /// `ReportProgress` (R-JOB-10): a line in the job's log, if the call is a step.
    pub(in crate::core) fn report_progress(&mut self, now: Time, id: &str, text: &str) -> Result<(), HostError> {
        let call = self.calls.by_id.get(id).filter(|call| call.is_known_to_plugin()).ok_or_else(|| unknown_call(id))?;
        if let (Some(step), false) = (call.step, text.trim().is_empty()) {
            let text = cut_utf16(text, PROGRESS_UNITS).to_owned();
            self.log_progress(now, step, &text);
        }
        Ok(())
    }

    pub(in crate::core) fn hand_on(&mut self, now: Time, id: &CallId) {
        if let Some(end) = self.calls.by_id.get_mut(id).and_then(|call| call.end.take()) {
            self.finish(now, id, end, false);
        }
    }

    /// Cancels a call (R-CALL-9). One that the plugin's code has not reached, or that is not a plugin's, ends at once.
    pub(in crate::core) fn cancel_call(&mut self, now: Time, id: &CallId) {
        let Some(call) = self.calls.by_id.get_mut(id) else { return };
        match call.phase {
            Phase::Asking(_) | Phase::Queued | Phase::Working(_) => self.finish(now, id, End::Cancelled, false),
            Phase::Invoking | Phase::Pending if call.cancelled.is_none() => {
                call.cancelled = Some(self.timers.set(now + CANCEL_LIMIT, Due::CancelExpired(id.clone())));
                let effect = Effect::Cancel { call: id.clone(), owner: call.target.owner().to_owned() };
                self.push(effect);
                self.deny_open_approvals(id);
            }
            Phase::Invoking | Phase::Pending | Phase::Ending => {}
        }
    }

    /// The plugin has not ended a cancelled call in time.
    pub(in crate::core) fn cancel_expired(&mut self, now: Time, id: &CallId) {
        let Some(call) = self.calls.by_id.get_mut(id) else { return };
        let (owner, tool) = (call.target.owner().to_owned(), call.target.name().to_owned());
        if call.phase == Phase::Invoking {
            call.end.get_or_insert(End::Cancelled); // handed on when Invoke has replied
        } else {
            self.finish(now, id, End::Cancelled, false);
        }
        self.lint(
            LintKind::IgnoredCancel,
            &owner,
            &tool,
            format!("call {id} went on for 2 minutes after Cancel; end it when its token fires"),
        );
    }

    /// Whether a call is still to be cancelled. Called on the framework thread right before Cancel.
    pub(crate) fn begin_cancel(&self, call: &CallId) -> bool {
        self.calls.by_id.get(call).is_some_and(|call| call.phase != Phase::Ending)
    }

    /// What Cancel gave: a missing gate or a failure is only logged (R-CALL-9).
    pub(crate) fn cancel_returned(&mut self, _now: Time, call: &CallId, reply: Result<(), IpcError>) {
        let Err(error) = reply else { return };
        let owner = self.calls.by_id.get(call).map(|call| call.target.owner().to_owned()).unwrap_or_default();
        let line = match error {
            IpcError::NotReady { .. } => {
                format!("Call {call} was cancelled, but {owner} does not provide the gate {}", cancel_gate(&owner))
            }
            error => format!("Call {call} was cancelled, and Cancel failed: {error}"),
        };
        self.push(Effect::Log(line));
    }
}

impl Call {
    /// Whether the plugin's code has the call's id: Invoke has begun (R-CALL-4).
    pub(in crate::core) fn is_known_to_plugin(&self) -> bool {
        matches!(self.phase, Phase::Invoking | Phase::Pending | Phase::Ending)
    }

    /// Why nothing can be asked for in the call any more, if so (R-APP-1).
    pub(in crate::core) fn not_running(&self) -> Option<&'static str> {
        match self.end {
            Some(End::Cancelled) => Some("cancelled"),
            Some(End::Error(_)) => Some("failed"),
            Some(End::Result(_)) => Some("completed"),
            None => None,
        }
    }

    /// Takes how the call has ended already, if it has; one that was only prepared (a host tool at work) has not.
    pub(in crate::core) fn take_end(&mut self) -> Option<End> {
        if matches!(self.phase, Phase::Working(_)) { None } else { self.end.take() }
    }

    /// Whether the called tool is that plugin's.
    pub(in crate::core) fn is_of(&self, owner_key: &str) -> bool {
        matches!(&self.target, Target::Plugin(tool) if tool.owner_key == owner_key)
    }

    pub(in crate::core) fn is_cancelled(&self) -> bool {
        self.cancelled.is_some()
    }
}

pub(in crate::core) fn unknown_call(id: &str) -> HostError {
    HostError::new(format!("there is no running call \"{}\": it has ended, or never was", cut_utf16(id, 100)))
}
