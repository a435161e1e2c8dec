//! Approvals during a call (SPEC §7).

open_enum! {
    /// Where a question to the player stands.
    ///
    /// ```
    /// use xivmcp_protocol::ApprovalState;
    ///
    /// assert_eq!(ApprovalState::from("denied"), ApprovalState::Denied);
    /// assert_eq!(ApprovalState::Pending.as_str(), "pending");
    /// ```
    pub enum ApprovalState {
        /// The player has not answered yet.
        Pending = "pending",
        /// The player, or a setting, said yes.
        Approved = "approved",
        /// The player, a setting, or two minutes without an answer said no.
        Denied = "denied",
    }
}
