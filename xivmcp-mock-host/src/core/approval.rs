//! Approvals during a call (SPEC §7).

use xivmcp_protocol::{ApprovalRequest, ApprovalState, CallId, Capability, HostError, PermissionMode, cut_utf16};

use super::Core;
use super::audit::{AuditEntry, AuditKind, Decision};
use super::call::{Asker, Call, Target, unknown_call};
use super::question::{About, Answer};
use super::time::Time;

/// An approval whose answer was not read to its end.
#[derive(Debug)]
pub(super) struct Approval {
    call: CallId,
    target: Target,
    asker: Asker,
    in_job: bool,
    capability: Capability,
    summary: String,
    asked: Time,
    /// The question, while the player is asked.
    question: Option<u64>,
    state: ApprovalState,
}

impl Core {
    /// `RequestApproval`: gives the approval's id and where it stands.
    pub(super) fn request_approval(
        &mut self,
        now: Time,
        call_id: &str,
        json: &str,
    ) -> Result<(String, ApprovalState), HostError> {
        let call = self.calls.by_id.get(call_id).filter(|call| call.is_known_to_plugin());
        let call = call.ok_or_else(|| unknown_call(call_id))?;
        if let Some(state) = call.not_running() {
            return Err(HostError::new(format!(
                "call {call_id} is {state}: an approval can only be asked for while the call runs"
            )));
        }
        let request = ApprovalRequest::parse(json).map_err(|error| HostError::new(error.to_string()))?;
        let approval = Approval {
            call: CallId::new(call_id),
            target: call.target.clone(),
            asker: call.asker.clone(),
            in_job: call.step.is_some(),
            capability: request.capability().clone(),
            summary: request.summary().to_owned(),
            asked: now,
            question: None,
            state: ApprovalState::Denied,
        };
        let decision = if call.is_cancelled() { Some(Decision::Denied) } else { self.approval_by_setting(&approval) };
        let id = self.ids.approval();
        let state = self.add_approval(now, id.clone(), approval, decision);
        Ok((id, state))
    }

    /// What the settings say about an approval (R-APP-2, R-APP-3); nothing if the player is to be asked.
    fn approval_by_setting(&self, approval: &Approval) -> Option<Decision> {
        let (target, asked) = (&approval.target, &approval.capability);
        if !target.capabilities().contains(asked) {
            return Some(Decision::Refused);
        }
        let owner_key = target.owner_key();
        match self.policies.get(&owner_key).approval_mode(target.name(), target.capabilities(), asked) {
            PermissionMode::Allow => Some(Decision::Allowed),
            PermissionMode::Ask if target.is_critical() => None,
            PermissionMode::Ask => self
                .session
                .covers(&approval.asker, &owner_key, target.name(), Some(asked), true)
                .then_some(Decision::ApprovedSession),
            _ => Some(Decision::Blocked),
        }
    }

    fn add_approval(
        &mut self,
        now: Time,
        id: String,
        mut approval: Approval,
        decision: Option<Decision>,
    ) -> ApprovalState {
        match decision {
            Some(decision) => {
                approval.state = state_of(decision);
                self.audit_approval(&approval, decision);
            }
            None => {
                let question = self.open_question(
                    now,
                    &approval.call,
                    &approval.target,
                    vec![approval.capability.as_str().to_owned()],
                    Some(approval.summary.clone()),
                    &approval.asker,
                    About::Approval(id.clone()),
                );
                approval.question = Some(question);
                approval.state = ApprovalState::Pending;
            }
        }
        if let Some(call) = self.calls.by_id.get_mut(&approval.call) {
            call.approvals.push(id.clone());
        }
        let state = approval.state.clone();
        self.approvals.insert(id, approval);
        state
    }

    /// `GetApproval`: an answer is handed out once (R-APP-4).
    pub(super) fn get_approval(&mut self, id: &str) -> Result<ApprovalState, HostError> {
        let approval = self.approvals.get(id).ok_or_else(|| {
            HostError::new(format!(
                "there is no approval \"{}\": its answer was read already, its call has ended, or it never was",
                cut_utf16(id, 100)
            ))
        })?;
        let state = approval.state.clone();
        if state != ApprovalState::Pending
            && let Some(read) = self.approvals.remove(id)
            && let Some(call) = self.calls.by_id.get_mut(&read.call)
        {
            call.approvals.retain(|of_call| of_call != id);
        }
        Ok(state)
    }

    /// The player has answered, or nobody has.
    pub(super) fn approval_answered(&mut self, id: &str, answer: Option<Answer>) {
        let Some(mut approval) = self.approvals.remove(id) else { return };
        approval.question = None;
        let decision = match answer {
            None | Some(Answer::Denied) => Decision::Denied,
            // What the player changed while the question was open counts too.
            Some(answer) => match self.approval_by_setting(&approval) {
                Some(Decision::Blocked) => Decision::Blocked,
                _ => self.remember_answer(&approval.target, &approval.asker, Some(&approval.capability), answer),
            },
        };
        approval.state = state_of(decision);
        self.audit_approval(&approval, decision);
        self.approvals.insert(id.to_owned(), approval);
    }

    /// The call is cancelled: what is still open in it is denied (R-APP-5).
    pub(super) fn deny_open_approvals(&mut self, call: &CallId) {
        for id in self.calls.by_id.get(call).map(|call| call.approvals.clone()).unwrap_or_default() {
            if let Some(question) = self.approvals.get(&id).and_then(|approval| approval.question) {
                self.close_question(question);
                self.approval_answered(&id, None);
            }
        }
    }

    /// The call has ended: its approvals are forgotten (R-APP-4), open ones denied.
    pub(super) fn forget_approvals(&mut self, ended: &Call) {
        for id in &ended.approvals {
            let Some(approval) = self.approvals.remove(id) else { continue };
            if let Some(question) = approval.question {
                self.close_question(question);
                self.audit_approval(&approval, Decision::Denied);
            }
        }
    }

    fn audit_approval(&mut self, approval: &Approval, decision: Decision) {
        self.audit.add(AuditEntry {
            time: approval.asked,
            plugin: self.owner_spelling(&approval.target),
            tool: approval.target.name().to_owned(),
            kind: AuditKind::Approval,
            caller: approval.asker.to_string(),
            args: None,
            capabilities: vec![approval.capability.as_str().to_owned()],
            decision,
            outcome: None,
            error: None,
            duration_ms: None,
            in_job: approval.in_job,
            effects: Vec::new(),
            flagged: decision == Decision::Refused,
            suspended: false,
            summary: Some(approval.summary.clone()),
        });
    }
}

fn state_of(decision: Decision) -> ApprovalState {
    match decision {
        Decision::Allowed | Decision::Approved | Decision::ApprovedSession | Decision::ApprovedAlways => {
            ApprovalState::Approved
        }
        Decision::Denied | Decision::Blocked | Decision::Refused => ApprovalState::Denied,
    }
}
