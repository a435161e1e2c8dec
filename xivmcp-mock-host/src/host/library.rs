//! Plugins from their library: what ships, loaded here without the game and without .NET (feature `loader`).

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use xivmcp_client::PluginContext;
use xivmcp_dalamud::host::{LoadError, LoadedPlugin, PluginLibrary, STOP_LIMIT};

use super::MockHost;
use super::plugin::Plugin;
use crate::engine::Engine;
use crate::reports::Reports;

/// A plugin that runs from its library. When it is dropped it is stopped; what does not end fails the test.
struct Running {
    plugin: LoadedPlugin,
    reports: Arc<Reports>,
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Err(still) = self.plugin.stop(STOP_LIMIT) {
            self.reports.failure(still.to_string());
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
        let (path, reports) = (path.as_ref().to_owned(), Arc::clone(&self.world.reports));
        self.load_plugin(name, move |context: PluginContext| -> Result<Running, LoadError> {
            let plugin = PluginLibrary::open(&path)?.start(context.transport, context.services)?;
            Ok(Running { plugin, reports: Arc::clone(&reports) })
        })
    }
}
