//! How a server is to run.

use std::path::PathBuf;

use xivmcp_client::services::LogLevel;

use crate::Answer;

/// Options of [`serve`](super::serve). At first: port 37521, or another one if that is taken; a new token at each
/// start; the player decides everything.
///
/// ```
/// use xivmcp_mock_host::Answer;
/// use xivmcp_mock_host::server::Options;
///
/// let unattended = Options::new().port(0).enable_all().answer(Answer::Once);
/// # let _ = unattended;
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Options {
    pub(super) port: Option<u16>,
    pub(super) open: bool,
    pub(super) token: Option<String>,
    pub(super) enable_all: bool,
    pub(super) answer: Option<Answer>,
    pub(super) log: Option<LogLevel>,
    pub(super) state: Option<PathBuf>,
}

impl Options {
    /// The options at first.
    pub fn new() -> Self {
        Self::default()
    }

    /// Listens on this port of the loopback, and on no other; 0 takes any that is free.
    pub fn port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// Asks assistants for no token: every program on this machine may call tools. The player's window keeps its own.
    pub fn without_token(mut self) -> Self {
        self.open = true;
        self
    }

    /// The token that assistants must send, instead of a new one: their configuration then survives a restart.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Enables every plugin at once, also when it registers more later. One that the player keeps disabled stays so.
    pub fn enable_all(mut self) -> Self {
        self.enable_all = true;
        self
    }

    /// Answers every question so.
    pub fn answer(mut self, answer: Answer) -> Self {
        self.answer = Some(answer);
        self
    }

    /// Prints what happens on standard error: the plugins' log from this level on, the host's own log, findings, faults.
    pub fn log(mut self, level: LogLevel) -> Self {
        self.log = Some(level);
        self
    }

    /// Keeps the player's decisions and the jobs in this file, so that they survive a restart, as in the game. It is made
    /// if it is not there, and written whole or not at all. One host at a time.
    pub fn state(mut self, file: impl Into<PathBuf>) -> Self {
        self.state = Some(file.into());
        self
    }
}
