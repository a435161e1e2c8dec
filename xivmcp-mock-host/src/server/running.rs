//! A server that runs: started, told about, and stopped.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use super::changes::Changes;
use super::options::Options;
use super::state_file::StateFile;
use super::token::Token;
use super::{Hosted, ServerState, console, endpoint, interrupt, listener, router};
use crate::MockHost;
use crate::core::Core;
use crate::driver::Change;

/// XIV MCP's own port.
const USUAL_PORT: u16 = 37521;
/// Threads that answer requests. They only pass on: plugins run on their own threads and on the framework thread.
const THREADS: usize = 2;
/// How long requests that are being answered get when the server stops.
const STOP_TIME: Duration = Duration::from_millis(500);

/// Why a server cannot start, see [`serve`].
///
/// ```
/// use xivmcp_mock_host::MockHost;
/// use xivmcp_mock_host::server::{Options, ServeError, serve};
///
/// let error = serve(MockHost::simulated(), &Options::new()).unwrap_err();
/// assert!(matches!(error, ServeError::Host { .. }));        // nobody waits for virtual time
/// assert!(error.to_string().contains("MockHost::live()"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The port cannot be listened on.
    #[error("port {port} on 127.0.0.1 cannot be used ({source}): choose another one, or 0 for any that is free")]
    Port {
        /// The port.
        port: u16,
        /// What the system says.
        source: std::io::Error,
    },
    /// The state file cannot be used.
    #[error("the state in {} cannot be used ({reason}): mend it, remove it, or name another file", path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The system gives no threads, or no random numbers.
    #[error("the server cannot start: {reason}")]
    System {
        /// What the system says.
        reason: String,
    },
    /// The host runs in virtual time, or has a server already.
    #[error("this host cannot be served: {reason}")]
    Host {
        /// What is wrong with it, and what would be right.
        reason: &'static str,
    },
}

/// Serves `host` over HTTP on this machine's loopback, until the [`Server`] is dropped. An `Arc` that is kept keeps the
/// host, also when the server has stopped.
///
/// # Errors
///
/// [`ServeError::Port`] if the port is taken, [`ServeError::Host`] if the host is not a [live](MockHost::live) one or is
/// served already, [`ServeError::State`] if the state file cannot be read, [`ServeError::System`] if the system gives no
/// threads or no random numbers.
///
/// ```
/// use std::sync::Arc;
/// use xivmcp_mock_host::MockHost;
/// use xivmcp_mock_host::server::{Options, serve};
///
/// let host = Arc::new(MockHost::live());
/// let server = serve(Arc::clone(&host), &Options::new().port(0))?;
/// println!("{}", server.how_to_connect());
/// assert!(server.stop().is_empty());
/// assert!(host.assistant().tool("get_inventory").is_some()); // it is still there
/// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
/// ```
pub fn serve(host: impl Into<Arc<MockHost>>, options: &Options) -> Result<Server, ServeError> {
    let host = host.into();
    if !host.is_live() {
        return Err(ServeError::Host { reason: "it runs in virtual time; make it with MockHost::live()" });
    }
    let system = |error: &dyn fmt::Display| ServeError::System { reason: error.to_string() };
    let random = || Token::random().map_err(|error| system(&error));
    let mcp_token = match &options.token {
        _ if options.open => None,
        Some(known) => Some(Arc::new(Token::known(known))),
        None => Some(Arc::new(random()?)),
    };
    let host = Arc::new(Hosted::new(host));
    let state = ServerState { host, mcp_token, window_token: Arc::new(random()?), changes: Arc::new(Changes::new()) };
    let runtime = Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_name("http")
        .enable_all()
        .build()
        .map_err(|error| system(&error))?;
    let inside = runtime.enter();
    let listener = bind(options.port)?;
    let address = listener.local_addr().map_err(|error| system(&error))?;

    let stop = CancellationToken::new();
    let changes = Arc::clone(&state.changes);
    let reported = Arc::clone(&state.changes);
    let observed = state.host.world().driver.observe(Box::new(move |change| match change {
        Change::Something => changes.something(),
        Change::Tools => changes.tools(),
    }));
    if !observed {
        return Err(ServeError::Host { reason: "it is served already" });
    }
    state.host.world().reports.show(Box::new(move || reported.something()));
    let state_file = options.state.clone().map(StateFile::new);
    if let Some(file) = &state_file {
        file.read_into(&state.host).map_err(|reason| ServeError::State { path: file.path().to_owned(), reason })?;
        runtime.spawn(Arc::clone(file).keep(state.clone(), stop.clone()));
    }
    if let Some(answer) = options.answer {
        state.host.player().answer_all(answer);
    }
    if options.enable_all {
        runtime.spawn(enable_who_waits(state.clone(), stop.clone()));
    }
    if let Some(level) = options.log {
        console::start(&state, level, stop.clone());
    }
    runtime.spawn(listener::accept(listener, router(&state, &stop), stop.clone()));
    drop(inside);
    Ok(Server { state: Some(state), runtime: Some(runtime), address, stop, state_file })
}

fn bind(port: Option<u16>) -> Result<TcpListener, ServeError> {
    match port {
        Some(port) => listener::listen(port).map_err(|source| ServeError::Port { port, source }),
        None => listener::listen(USUAL_PORT)
            .or_else(|_| listener::listen(0))
            .map_err(|source| ServeError::Port { port: 0, source }),
    }
}

/// Enables plugins as they register, until `stop`.
async fn enable_who_waits(state: ServerState, stop: CancellationToken) {
    let mut changes = state.changes.watch();
    loop {
        let world = state.host.world();
        // Looking is no change, so that this comes to rest.
        if world.look(Core::somebody_waits_for_consent) {
            world.act(|core, _| core.enable_who_waits());
        }
        tokio::select! {
            () = stop.cancelled() => return,
            changed = changes.changed() => if changed.is_err() { return },
        }
    }
}

/// A host that is being served. Dropping it stops the server, and ends the host if nobody else keeps it; what went wrong
/// is then printed on standard error. [`stop`](Self::stop) gives it instead.
///
/// ```
/// # use xivmcp_mock_host::MockHost;
/// use xivmcp_mock_host::server::{Options, serve};
///
/// let server = serve(MockHost::live(), &Options::new().port(0))?;
/// let address = server.mcp_url().replace("http://", "").replace("/mcp", "");
/// assert!(std::net::TcpStream::connect(&address).is_ok());
/// assert!(server.stop().is_empty());                        // nothing went wrong
/// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
/// ```
#[must_use = "dropping it stops the server"]
pub struct Server {
    state: Option<ServerState>,
    runtime: Option<Runtime>,
    address: SocketAddr,
    stop: CancellationToken,
    state_file: Option<Arc<StateFile>>,
}

/// Ends a server's [`wait`](Server::wait), from any thread. A cheap clone; it keeps nothing alive.
///
/// ```
/// use xivmcp_mock_host::MockHost;
/// use xivmcp_mock_host::server::{Options, serve};
///
/// let server = serve(MockHost::live(), &Options::new().port(0))?;
/// let stopper = server.stopper();
/// std::thread::spawn(move || stopper.stop());
/// server.wait();                                            // would go on until Ctrl-C otherwise
/// assert!(server.stop().is_empty());
/// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Stopper(CancellationToken);

impl Stopper {
    /// Stops serving; requests that are being answered lose their connection. More than once is no error.
    ///
    /// ```
    /// # use xivmcp_mock_host::MockHost;
    /// # use xivmcp_mock_host::server::{Options, serve};
    /// let server = serve(MockHost::live(), &Options::new().port(0))?;
    /// let stopper = server.stopper();
    /// stopper.stop();
    /// server.wait();                                            // returns at once
    /// assert!(server.stop().is_empty());
    /// stopper.stop();                                           // the server is gone: nothing happens
    /// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
    /// ```
    pub fn stop(&self) {
        self.0.cancel();
    }
}

impl Server {
    fn state(&self) -> &ServerState {
        match &self.state {
            Some(state) => state,
            None => unreachable!("it is taken only when the server ends"),
        }
    }

    /// The host.
    ///
    /// ```
    /// # use xivmcp_mock_host::MockHost;
    /// # use xivmcp_mock_host::server::{Options, serve};
    /// let server = serve(MockHost::live(), &Options::new().port(0))?;
    /// server.host().stand_in("Cat");                            // plugins come and go while it runs
    /// assert!(server.host().dalamud().log().is_empty());
    /// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
    /// ```
    pub fn host(&self) -> &MockHost {
        &self.state().host
    }

    /// Where assistants connect.
    ///
    /// ```
    /// # use xivmcp_mock_host::MockHost;
    /// # use xivmcp_mock_host::server::{Options, serve};
    /// let url = serve(MockHost::live(), &Options::new().port(0))?.mcp_url();
    /// assert!(url.starts_with("http://127.0.0.1:") && url.ends_with("/mcp"));
    /// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
    /// ```
    #[must_use]
    pub fn mcp_url(&self) -> String {
        format!("http://{}{}", self.address, endpoint::PATH)
    }

    /// The token that assistants must send as `Authorization: Bearer …`; nothing if they need none.
    ///
    /// ```
    /// # use xivmcp_mock_host::MockHost;
    /// # use xivmcp_mock_host::server::{Options, serve};
    /// let server = serve(MockHost::live(), &Options::new().port(0).token("0123456789abcdef"))?;
    /// assert_eq!(server.token(), Some("0123456789abcdef"));
    /// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
    /// ```
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        self.state().mcp_token.as_deref().map(Token::reveal)
    }

    /// The link that opens the player's window. Who has it may decide as the player; its token is never the assistant's.
    ///
    /// ```
    /// # use xivmcp_mock_host::MockHost;
    /// # use xivmcp_mock_host::server::{Options, serve};
    /// let server = serve(MockHost::live(), &Options::new().port(0))?;
    /// let (_, secret) = server.window_url().split_once("token=").map(|(url, key)| (url.to_owned(), key.to_owned())).unwrap();
    /// assert_ne!(server.token(), Some(secret.as_str()));
    /// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
    /// ```
    #[must_use]
    pub fn window_url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.state().window_token.reveal())
    }

    /// All of it for a person, with lines to paste.
    ///
    /// ```
    /// # use xivmcp_mock_host::MockHost;
    /// # use xivmcp_mock_host::server::{Options, serve};
    /// let server = serve(MockHost::live(), &Options::new().port(0))?;
    /// let text = server.how_to_connect();
    /// assert!(text.contains(&server.mcp_url()) && text.contains(&server.window_url()));
    /// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
    /// ```
    #[must_use]
    pub fn how_to_connect(&self) -> String {
        let url = self.mcp_url();
        let header =
            self.token().map(|token| format!(" --header \"Authorization: Bearer {token}\"")).unwrap_or_default();
        let token = self.token().unwrap_or("none needed");
        format!(
            "MCP endpoint     {url}\n\
             Token            {token}\n\
             Claude Code      claude mcp add --transport http xivmcp {url}{header}\n\
             MCP Inspector    npx @modelcontextprotocol/inspector --cli {url} --transport http{header} --method tools/list\n\
             Player's window  {}",
            self.window_url()
        )
    }

    /// Goes on serving until Ctrl-C, or until the system asks the process to end. Then [`stop`](Self::stop) it, or drop
    /// it; a second Ctrl-C meanwhile ends the process at once.
    ///
    /// ```
    /// # use xivmcp_mock_host::MockHost;
    /// # use xivmcp_mock_host::server::{Options, serve};
    /// let server = serve(MockHost::live(), &Options::new().port(0))?;
    /// # let stopper = server.stopper();
    /// # std::thread::spawn(move || stopper.stop());
    /// server.wait();                                            // until Ctrl-C, or a `Stopper`
    /// let problems = server.stop();                             // what a program tells, and fails with
    /// assert!(problems.is_empty(), "{problems:?}");
    /// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
    /// ```
    pub fn wait(&self) {
        self.wait_telling(|| {});
    }

    /// As [`wait`](Self::wait), and calls `ready` as soon as Ctrl-C would end it cleanly: the moment to say that it runs.
    ///
    /// ```
    /// # use xivmcp_mock_host::MockHost;
    /// # use xivmcp_mock_host::server::{Options, serve};
    /// let server = serve(MockHost::live(), &Options::new().port(0))?;
    /// let stopper = server.stopper();
    /// let mut told = false;
    /// server.wait_telling(|| {
    ///     told = true;
    ///     stopper.stop();
    /// });
    /// assert!(told);
    /// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
    /// ```
    pub fn wait_telling(&self, ready: impl FnOnce()) {
        let asked = interrupt::listen();
        ready();
        if let Some(runtime) = &self.runtime {
            runtime.block_on(async {
                tokio::select! {
                    () = asked.cancelled() => {}
                    () = self.stop.cancelled() => {}
                }
            });
        }
        asked.cancel(); // whatever has ended it: Ctrl-C ends the process from now on
    }

    /// Lets another thread end [`wait`](Self::wait).
    ///
    /// ```
    /// # use xivmcp_mock_host::MockHost;
    /// # use xivmcp_mock_host::server::{Options, serve};
    /// let server = serve(MockHost::live(), &Options::new().port(0))?;
    /// let stopper = server.stopper();
    /// let from_elsewhere = std::thread::spawn(move || stopper.stop());
    /// server.wait();
    /// assert!(from_elsewhere.join().is_ok());
    /// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
    /// ```
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Stops serving, unloads the plugins and the host. Gives what went wrong while it ran, as sentences. A plugin that
    /// does not end is waited for, 20 seconds at most, and is among them. A host that somebody else keeps stays as it is.
    ///
    /// ```
    /// # use xivmcp_mock_host::MockHost;
    /// # use xivmcp_mock_host::server::{Options, serve};
    /// let server = serve(MockHost::live(), &Options::new().port(0))?;
    /// server.host().builtin("get_inventory").expect_calls(1);   // which does not come
    /// assert!(server.stop()[0].contains("get_inventory"));
    /// # Ok::<(), xivmcp_mock_host::server::ServeError>(())
    /// ```
    #[must_use = "these are faults that nobody has seen yet"]
    pub fn stop(mut self) -> Vec<String> {
        self.end()
    }

    fn end(&mut self) -> Vec<String> {
        self.stop.cancel();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(STOP_TIME);
        }
        let Some(state) = self.state.take() else { return Vec::new() };
        let mut problems = Vec::new();
        if let Some(Err(reason)) = self.state_file.take().map(|file| file.write(&state.host)) {
            problems.push(reason);
        }
        // Counted without those who still answer a request: it may wait for a plugin that hangs.
        if state.host.is_kept_by_nobody_else() {
            problems.extend(state.host.end());
        }
        problems
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for problem in self.end() {
            eprintln!("xivmcp-mock-host: {problem}");
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}
