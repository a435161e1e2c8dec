//! How a server is to run.

use std::path::PathBuf;

use xivmcp_client::services::LogLevel;

use crate::Answer;

/// Options of [`serve`](super::serve). At first: port 37521, or another one if that is taken; a new token at each
/// start; the player decides everything.
///
/// ```
/// use xivmcp_client::{McpCapabilities, McpToolDefinition, XivMcpClient};
/// use xivmcp_mock_host::server::{Options, serve};
/// use xivmcp_mock_host::{Answer, MockHost};
///
/// // For a run that nobody watches: no plugin waits for consent, no call for an answer.
/// let host = MockHost::live();
/// host.load("MyPlugin", |client: &XivMcpClient| {
///     let wave = McpToolDefinition::new("myplugin_wave", "Waves.").capabilities([McpCapabilities::GameUi]);
///     client.add_tool(wave, || Ok("waved"))
/// });
/// let server = serve(host, &Options::new().port(0).enable_all().answer(Answer::Once))?;
/// let host = server.host();
/// host.wait_until(|| host.assistant().tool("myplugin_wave").is_some());
/// assert_eq!(host.assistant().call("myplugin_wave", ()).expect_result(), "waved");
/// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
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
    ///
    /// ```
    /// # use xivmcp_mock_host::MockHost;
    /// use xivmcp_mock_host::server::{Options, serve};
    ///
    /// let token = || -> Result<String, xivmcp_mock_host::server::ServeError> {
    ///     let server = serve(MockHost::live(), &Options::new().port(0))?;
    ///     Ok(server.token().unwrap_or_default().to_owned())
    /// };
    /// assert_ne!(token()?, token()?);                           // a new one at each start
    /// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Listens on this port of the loopback, and on no other; 0 takes any that is free.
    ///
    /// ```
    /// # use xivmcp_mock_host::MockHost;
    /// use xivmcp_mock_host::server::{Options, ServeError, serve};
    ///
    /// let server = serve(MockHost::live(), &Options::new().port(0))?;
    /// let port = server.mcp_url().split([':', '/']).nth(4).unwrap().parse().unwrap();
    /// let error = serve(MockHost::live(), &Options::new().port(port)).unwrap_err();
    /// assert!(matches!(error, ServeError::Port { port: taken, .. } if taken == port));
    /// # Ok::<(), ServeError>(())
    /// ```
    pub fn port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// Asks assistants for no token: every program on this machine may call tools. The player's window keeps its own.
    ///
    /// ```
    /// # use xivmcp_mock_host::MockHost;
    /// # use xivmcp_mock_host::server::{Options, serve};
    /// let server = serve(MockHost::live(), &Options::new().port(0).without_token())?;
    /// assert_eq!(server.token(), None);
    /// assert!(server.window_url().contains("token="));
    /// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
    /// ```
    pub fn without_token(mut self) -> Self {
        self.open = true;
        self
    }

    /// The token that assistants must send, instead of a new one: their configuration then survives a restart.
    ///
    /// ```
    /// # use xivmcp_mock_host::MockHost;
    /// # use xivmcp_mock_host::server::{Options, serve};
    /// let server = serve(MockHost::live(), &Options::new().port(0).token("0123456789abcdef"))?;
    /// assert!(server.how_to_connect().contains("Bearer 0123456789abcdef"));
    /// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
    /// ```
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Enables every plugin at once, also when it registers more later. One that the player keeps disabled stays so.
    ///
    /// ```
    /// # use xivmcp_mock_host::MockHost;
    /// # use xivmcp_mock_host::server::{Options, serve};
    /// let server = serve(MockHost::live(), &Options::new().port(0).enable_all())?;
    /// let host = server.host();
    /// let cat = host.stand_in("Cat");
    /// cat.offers(xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").read_only(true)).returns("purr");
    /// host.wait_until(|| host.assistant().tool("cat_purr").is_some()); // soon, without a player
    /// assert_eq!(host.assistant().call("cat_purr", ()).expect_result(), "purr");
    /// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
    /// ```
    pub fn enable_all(mut self) -> Self {
        self.enable_all = true;
        self
    }

    /// Answers every question so, as [`Player::answer_all`](crate::Player::answer_all) does.
    ///
    /// ```
    /// # use xivmcp_mock_host::{Answer, MockHost};
    /// # use xivmcp_mock_host::server::{Options, serve};
    /// let server = serve(MockHost::live(), &Options::new().port(0).answer(Answer::Once))?;
    /// server.host().player().set_builtin_mode("navigate_to", "ask");
    /// assert!(server.host().assistant().call("navigate_to", ()).wait().result().is_some());
    /// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
    /// ```
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
    ///
    /// ```
    /// # use xivmcp_mock_host::MockHost;
    /// use xivmcp_mock_host::server::{Options, serve};
    ///
    /// # let file = std::env::temp_dir().join(format!("xivmcp-state-example-{}.json", std::process::id()));
    /// let options = Options::new().port(0).state(&file);
    /// let server = serve(MockHost::live(), &options)?;
    /// server.host().player().set_builtin_mode("navigate_to", "allow");
    /// assert!(server.stop().is_empty());                        // the file is written
    ///
    /// let server = serve(MockHost::live(), &options)?;
    /// assert!(server.host().assistant().call("navigate_to", ()).wait().result().is_some());
    /// # drop(server);
    /// # std::fs::remove_file(&file).unwrap();
    /// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
    /// ```
    pub fn state(mut self, file: impl Into<PathBuf>) -> Self {
        self.state = Some(file.into());
        self
    }
}
