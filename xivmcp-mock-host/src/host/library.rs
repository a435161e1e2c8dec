//! Plugins from their library: what ships, loaded here without the game and without .NET (feature `loader`).

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use xivmcp_client::PluginContext;
use xivmcp_dalamud::host::{LoadError, LoadedPlugin, PluginLibrary, STOP_LIMIT};

use super::MockHost;
use super::plugin::{Plugin, Slot, whole_entry};
use crate::engine::Engine;
use crate::reports::Reports;

/// A plugin that runs from its library. When it is dropped it is stopped; what does not end fails the test.
struct Running {
    plugin: Option<LoadedPlugin>,
    reports: Arc<Reports>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(mut plugin) = self.plugin.take() else { return };
        if let Err(still) = plugin.stop(STOP_LIMIT) {
            self.reports.failure(still.to_string());
            // Its library stays mapped for good, since something in it still runs. Dropped, it would wait once more.
            std::mem::forget(plugin);
        }
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plugin.fmt(f)
    }
}

impl MockHost {
    /// Installs and loads a plugin from its native library, over the same C ABI as in the game. In a live host only: a
    /// library brings its own threads. `xivmcp_dalamud::host::PluginLibrary::find` tells where the build put it. At each
    /// [`reload`](Plugin::reload) the file is read anew.
    ///
    /// ```
    /// use xivmcp_dalamud::host::PluginLibrary;
    /// use xivmcp_mock_host::MockHost;
    ///
    /// let host = MockHost::live();
    /// // In a package that has the plugin among its dev-dependencies, and is tested.
    /// if let Ok(path) = PluginLibrary::find("hello-mcp") {
    ///     let plugin = host.load_library("HelloMcp", path);
    ///     host.player().enable(&plugin);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// If the host is simulated, if the file is no plugin's library, or if the plugin's entry fails.
    #[track_caller]
    pub fn load_library(&self, name: &str, path: impl AsRef<Path>) -> Plugin {
        if matches!(&*self.world.engine, Engine::Simulated(_)) {
            self.world.fail(&format!(
                "{name} cannot be loaded from its library into a simulated host: a library brings its own threads and \
                 real time; use MockHost::live()"
            ));
        }
        self.load_plugin(name, entry(path.as_ref(), &self.world.reports))
    }

    /// As [`load_library`](Self::load_library), for programs: what is wrong is an error. Nothing is left then.
    ///
    /// ```
    /// use xivmcp_mock_host::MockHost;
    ///
    /// let host = MockHost::live();
    /// let error = host.try_load_library("HelloMcp", "target/debug/libnot_built_yet.so").unwrap_err();
    /// assert!(error.to_string().contains("cargo build"), "{error}");
    /// ```
    ///
    /// # Errors
    ///
    /// If the host is simulated, the file is no plugin's library, the plugin's entry fails, or a plugin of that name is
    /// there already.
    pub fn try_load_library(&self, name: &str, path: impl AsRef<Path>) -> Result<Plugin, LibraryError> {
        let failed = |reason: String| LibraryError { plugin: name.to_owned(), reason };
        if matches!(&*self.world.engine, Engine::Simulated(_)) {
            return Err(failed("the host is simulated; make it with MockHost::live()".to_owned()));
        }
        if self.world.plugin(name).is_some() {
            return Err(failed("a plugin of that name is there already".to_owned()));
        }
        let slot = Slot::new(name, Some(whole_entry(entry(path.as_ref(), &self.world.reports))));
        slot.load(&self.world).map_err(failed)?;
        self.world.plugins().push(Arc::clone(&slot));
        Ok(Plugin::new(&self.world, slot))
    }
}

impl Plugin {
    /// As [`reload`](Self::reload), for programs: what is wrong is an error.
    ///
    /// # Errors
    ///
    /// If its entry fails. It is unloaded then, and can be loaded again later.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # use std::sync::atomic::{AtomicBool, Ordering};
    /// // The build of the moment is broken; with the next one it works again.
    /// static BROKEN: AtomicBool = AtomicBool::new(false);
    /// let cat = host.load_plugin("Cat", |_| if BROKEN.load(Ordering::Relaxed) { Err("no paws") } else { Ok(()) });
    /// BROKEN.store(true, Ordering::Relaxed);
    /// assert_eq!(cat.try_reload().unwrap_err().reason, "no paws");
    /// assert!(!cat.is_loaded());
    /// BROKEN.store(false, Ordering::Relaxed);
    /// assert!(cat.try_reload().is_ok() && cat.is_loaded());
    /// ```
    pub fn try_reload(&self) -> Result<(), LibraryError> {
        self.unload();
        self.load_again().map_err(|reason| LibraryError { plugin: self.name().to_owned(), reason })
    }
}

/// A plugin was not loaded from its library.
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// let error = host.try_load_library("HelloMcp", "target/debug/libhello_mcp.so").unwrap_err();
/// assert_eq!(error.plugin, "HelloMcp");
/// assert!(error.reason.contains("MockHost::live()")); // a library brings its own threads
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{plugin} was not loaded: {reason}")]
#[non_exhaustive]
pub struct LibraryError {
    /// The plugin's internal name.
    pub plugin: String,
    /// What is wrong, and what would be right.
    pub reason: String,
}

/// The entry of a plugin in the library at `path`, read anew at each start.
fn entry(
    path: &Path,
    reports: &Arc<Reports>,
) -> impl Fn(PluginContext) -> Result<Running, LoadError> + Send + Sync + 'static {
    let (path, reports) = (path.to_owned(), Arc::clone(reports));
    move |context| {
        let plugin = PluginLibrary::open(&path)?.start(context.transport, context.services)?;
        Ok(Running { plugin: Some(plugin), reports: Arc::clone(&reports) })
    }
}
