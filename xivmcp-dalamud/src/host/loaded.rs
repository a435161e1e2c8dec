//! [`LoadedPlugin`]: a plugin that was started from a library, until it is stopped.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::HostSide;
use super::library::Mapped;
use crate::abi::Status;
use crate::ffi::{Outcome, release, start};

/// How long dropping a [`LoadedPlugin`] waits for the plugin to end.
///
/// ```
/// # use xivmcp_fixture_plugin::bare_game::{BareGame, library};
/// use xivmcp_dalamud::host::{PluginLibrary, STOP_LIMIT};
///
/// # let path = library();
/// # let game = BareGame::new("");
/// let mut plugin = PluginLibrary::open(path)?.start(game.clone(), game)?;
/// assert_eq!(plugin.stop(STOP_LIMIT), Ok(()));              // what its drop would do, with an answer
/// # Ok::<(), xivmcp_dalamud::host::LoadError>(())
/// ```
pub const STOP_LIMIT: Duration = Duration::from_secs(10);

/// How long calls may take to return to the host after the plugin has ended.
const CALLS_LIMIT: Duration = Duration::from_secs(2);

/// A plugin did not end in time. It can be told again; its library stays mapped until it has ended.
///
/// ```
/// # use xivmcp_fixture_plugin::bare_game::{BareGame, library};
/// # use xivmcp_dalamud::host::PluginLibrary;
/// use std::time::Duration;
///
/// # let path = library();
/// # let game = BareGame::new("thread");
/// let mut plugin = PluginLibrary::open(path)?.start(game.clone(), game.clone())?;
/// # game.wait_for_held();
/// let still = plugin.stop(Duration::from_millis(1)).unwrap_err(); // a thread of its own waits for the game
/// assert!(still.text.starts_with("Fixture"));
/// game.let_go();
/// while plugin.stop(Duration::from_secs(10)).is_err() {}    // asked again, it ends
/// # Ok::<(), xivmcp_dalamud::host::LoadError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the library of a plugin must stay loaded: {text}")]
#[non_exhaustive]
pub struct StillRunning {
    /// What still runs, in the plugin's words, beginning with its name.
    pub text: String,
}

/// A plugin that was started from a library. Dropping it stops the plugin, for at most [`STOP_LIMIT`]; if it does not
/// end, a warning says so and its library stays mapped for good.
///
/// ```
/// # use xivmcp_fixture_plugin::bare_game::{BareGame, library};
/// use std::sync::Arc;
/// use xivmcp_dalamud::host::PluginLibrary;
///
/// # let path = library();
/// # let game = BareGame::new("");
/// let plugin = PluginLibrary::open(path)?.start(game.clone(), game.clone())?;
/// assert!(Arc::strong_count(&game) > 1);                    // it reaches the game
/// drop(plugin);
/// assert_eq!(Arc::strong_count(&game), 1);                  // nothing of it is left
/// # Ok::<(), xivmcp_dalamud::host::LoadError>(())
/// ```
#[must_use = "the plugin is stopped when this is dropped"]
pub struct LoadedPlugin {
    /// Nothing once it has ended.
    running: Option<Running>,
    internal_name: String,
}

/// What must stay until the plugin is released, or for good. The host goes first.
struct Running {
    host: Arc<HostSide>,
    library: Arc<Mapped>,
}

impl LoadedPlugin {
    pub(super) fn new(library: Arc<Mapped>, host: Arc<HostSide>) -> Self {
        let internal_name = host.internal_name().to_owned();
        Self { running: Some(Running { host, library }), internal_name }
    }

    /// The plugin's internal name.
    ///
    /// ```
    /// # use xivmcp_fixture_plugin::bare_game::{BareGame, library};
    /// # use xivmcp_dalamud::host::PluginLibrary;
    /// # let path = library();
    /// # let game = BareGame::new("");
    /// let mut plugin = PluginLibrary::open(path)?.start(game.clone(), game)?;
    /// assert_eq!(plugin.stop(xivmcp_dalamud::host::STOP_LIMIT), Ok(()));
    /// assert_eq!(plugin.internal_name(), "Fixture");            // also when it has ended
    /// # Ok::<(), xivmcp_dalamud::host::LoadError>(())
    /// ```
    #[must_use]
    pub fn internal_name(&self) -> &str {
        &self.internal_name
    }

    /// Calls the plugin's entry.
    pub(super) fn enter(&self) -> Option<(Option<Status>, String)> {
        self.running.as_ref().and_then(|running| start(&running.library.file, &running.host))
    }

    /// Whether the plugin's table fits.
    pub(super) fn check(&self) -> Result<(), String> {
        self.running.as_ref().map_or(Ok(()), |running| running.host.place.handle().map(drop))
    }

    /// Ends the plugin: it is asked to, within `limit`, and then freed. Best on the framework thread, where the plugin
    /// runs the framework closures that it waits for itself; elsewhere someone has to run them meanwhile.
    ///
    /// A plugin that has ended is no error.
    ///
    /// # Errors
    ///
    /// [`StillRunning`] if something of the plugin did not end in time, or if this is called from inside a call of the
    /// plugin. Call it again later, or drop this to keep the library mapped for good.
    ///
    /// ```
    /// # use xivmcp_fixture_plugin::bare_game::{BareGame, library};
    /// # use xivmcp_dalamud::host::PluginLibrary;
    /// use std::time::Duration;
    ///
    /// # let path = library();
    /// # let game = BareGame::new("");
    /// let mut plugin = PluginLibrary::open(path)?.start(game.clone(), game)?;
    /// if let Err(still) = plugin.stop(Duration::from_secs(10)) {
    ///     panic!("{still}");                                    // and drop it: its library stays mapped
    /// }
    /// assert_eq!(plugin.stop(Duration::ZERO), Ok(()));          // it has ended
    /// # Ok::<(), xivmcp_dalamud::host::LoadError>(())
    /// ```
    pub fn stop(&mut self, limit: Duration) -> Result<(), StillRunning> {
        let Some(running) = &self.running else { return Ok(()) };
        // Not counted as a call into the plugin: the plugin itself waits for those.
        match running.host.place.handle().map(|plugin| plugin.stop(limit)) {
            Ok(Outcome::Done(_)) => {}
            Ok(outcome) => return Err(StillRunning { text: outcome.into_text() }),
            Err(text) => return Err(StillRunning { text }),
        }
        self.finish()
    }

    /// Frees a plugin that has ended.
    fn finish(&mut self) -> Result<(), StillRunning> {
        let Some(running) = self.running.take() else { return Ok(()) };
        if !running.host.finish(CALLS_LIMIT) {
            self.running = Some(running);
            return Err(StillRunning { text: format!("{}: a call into it has not returned", self.internal_name) });
        }
        release(&running.host);
        Ok(())
    }

    /// Lets go of a plugin that did not start.
    pub(super) fn forget(mut self) {
        if self.finish().is_err() {
            self.keep_for_good();
        }
    }

    /// Keeps the library mapped for good.
    pub(super) fn keep_for_good(mut self) {
        std::mem::forget(self.running.take());
    }
}

impl Drop for LoadedPlugin {
    fn drop(&mut self) {
        if let Err(still) = self.stop(STOP_LIMIT) {
            tracing::warn!("{still}");
            std::mem::forget(self.running.take());
        }
    }
}

impl fmt::Debug for LoadedPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedPlugin").field("internal_name", &self.internal_name).finish_non_exhaustive()
    }
}
