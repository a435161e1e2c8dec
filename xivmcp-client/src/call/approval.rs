//! Asking the player during a call (R-CLI-9).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use xivmcp_protocol::{ApprovalAnswer, ApprovalReply, ApprovalRequest, ApprovalState, Capability, HostGate};

use super::McpCall;
use crate::error::ClientError;

/// How often the answer is asked for (R-TIME-3).
const POLL: Duration = Duration::from_millis(250);

impl McpCall {
    /// Asks the player whether the tool may do this now, and waits for the answer. `true`: it may.
    ///
    /// `capability` is one that the tool declares; for another one the answer is no at once, and the plugin's audit
    /// log says so. `summary` says what will happen, with numbers ("Repair for 3,200 gil"); the host cuts it at 200
    /// characters. No answer within 2 minutes is a no.
    ///
    /// # Errors
    ///
    /// [`ClientError::Cancelled`] when the call is cancelled meanwhile (`?` ends the call as cancelled),
    /// [`ClientError::Approval`] if the summary is blank, [`ClientError::Refused`] if the host does not take the question
    /// (the call has ended), and the other errors of a host that is not there any more.
    ///
    /// ```
    /// use xivmcp_client::{McpCall, McpCapabilities, McpToolError, TestCall};
    ///
    /// async fn repair(call: McpCall) -> Result<&'static str, McpToolError> {
    ///     if !call.request_approval(McpCapabilities::SpendGil, "Repair for 3,200 gil").await? {
    ///         return Ok("The player said no.");
    ///     }
    ///     Ok("Repaired.")
    /// }
    ///
    /// let test = TestCall::new("myplugin_repair").approves(McpCapabilities::SpendGil);
    /// assert_eq!(test.run(repair(test.call())), Ok("Repaired."));
    /// assert_eq!(test.approvals(), [(McpCapabilities::SpendGil, "Repair for 3,200 gil".to_owned())]);
    /// ```
    pub async fn request_approval(
        &self,
        capability: impl Into<Capability>,
        summary: impl AsRef<str>,
    ) -> Result<bool, ClientError> {
        self.check_cancelled()?;
        let client = &self.state.client;
        let request = ApprovalRequest::new(capability.into(), summary)?;
        // Texts always write; were it otherwise, the host would refuse the blank request and say so.
        let request = serde_json::to_string(&request).unwrap_or_default();
        let _waiting = Waiting::new(&client.approvals);
        let asked: ApprovalReply = client.ask(HostGate::RequestApproval, &[self.id(), &request])?;
        let mut state = asked.state;
        while state == ApprovalState::Pending {
            self.run_until_cancelled(self.time_out(POLL)).await?;
            state = client.ask::<ApprovalAnswer>(HostGate::GetApproval, &[&asked.approval_id])?.state;
        }
        if !state.is_known() {
            tracing::warn!(state = state.as_str(), "an answer that this client does not know counts as no");
        }
        Ok(state == ApprovalState::Approved)
    }
}

/// Counts an approval that is waited for.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
