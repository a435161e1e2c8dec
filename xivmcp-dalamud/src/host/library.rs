//! [`PluginLibrary`]: a plugin's library, mapped into this process.

use std::error::Error as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use xivmcp_client::ipc::IpcTransport;
use xivmcp_client::services::PluginServices;

use super::HostSide;
use super::loaded::LoadedPlugin;
use super::whole::is_whole;
use crate::abi::{ENTRY_SYMBOL, Status};
use crate::ffi::PluginFile;

/// Why a plugin was not loaded.
///
/// ```
/// # use xivmcp_fixture_plugin::bare_game::{BareGame, library};
/// use xivmcp_dalamud::host::{LoadError, PluginLibrary};
///
/// # let path = library();
/// # let game = BareGame::new("fails");
/// // The author's entry function gave an error: the player reads it in Dalamud's log, a test here.
/// let error = PluginLibrary::open(path)?.start(game.clone(), game).unwrap_err();
/// assert!(matches!(&error, LoadError::NotStarted { plugin, .. } if plugin == "Fixture"));
/// assert_eq!(error.to_string(), "the plugin Fixture did not start: the fixture was told to fail");
/// # Ok::<(), LoadError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no such file.
    #[error("there is no library {}: build the plugin first (`cargo build`)", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The file is no library for this machine, or lacks what it links to.
    #[error("the library {} cannot be loaded: {reason}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        reason: String,
    },
    /// The file ends too early: its build still writes it, or was interrupted.
    #[error("the library {} is incomplete: build it again", path.display())]
    Incomplete {
        /// The file.
        path: PathBuf,
    },
    /// The library has no entry: it is no plugin, or one for another version of the ABI.
    #[error("the library {} has no {ENTRY_SYMBOL}: name the entry function with xivmcp_dalamud::plugin!", path.display())]
    NoEntry {
        /// The file.
        path: PathBuf,
    },
    /// The plugin and this host do not fit together.
    #[error("the plugin {plugin} does not fit this host: {sentence}")]
    DoesNotFit {
        /// The plugin's internal name.
        plugin: String,
        /// What the plugin said.
        sentence: String,
    },
    /// The plugin's entry function failed or panicked.
    #[error("the plugin {plugin} did not start: {sentence}")]
    NotStarted {
        /// The plugin's internal name.
        plugin: String,
        /// What the entry function failed with.
        sentence: String,
    },
}

/// A plugin's library, mapped into this process, at least as long as a [`LoadedPlugin`] of it lives.
///
/// ```
/// # use xivmcp_fixture_plugin::bare_game::{BareGame, library};
/// use xivmcp_dalamud::host::PluginLibrary;
///
/// # let path = library();
/// # let (game, other_game) = (BareGame::new(""), BareGame::new(""));
/// let library = PluginLibrary::open(path)?;
/// let first = library.start(game.clone(), game)?;
/// let second = library.start(other_game.clone(), other_game)?; // it may be started more than once
/// drop(library);                                            // the plugins keep it mapped
/// assert_eq!((first.internal_name(), second.internal_name()), ("Fixture", "Fixture"));
/// # Ok::<(), xivmcp_dalamud::host::LoadError>(())
/// ```
#[derive(Debug)]
pub struct PluginLibrary {
    file: Arc<Mapped>,
    path: PathBuf,
}

/// The mapped file, and the copy that was made of it.
#[derive(Debug)]
pub(super) struct Mapped {
    pub(super) file: PluginFile,
    _copy: Copied,
}

/// A copy of a library; the file goes with it. After `Mapped::file`, since a mapped file cannot be removed everywhere.
#[derive(Debug)]
struct Copied(PathBuf);

impl Drop for Copied {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// What the system said about `copy`, which is nobody's affair: its name is left out.
fn system_text(error: &libloading::Error, copy: &Path) -> String {
    let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    text.replace(&format!("{}: ", copy.display()), "")
}

impl PluginLibrary {
    /// Maps the library at `path`, by way of a copy in the folder for temporary files: so the file itself can be built
    /// anew meanwhile, and two plugins from one file share no statics, as in the game.
    ///
    /// # Errors
    ///
    /// [`LoadError::Missing`], [`LoadError::Open`], [`LoadError::Incomplete`].
    ///
    /// ```
    /// use xivmcp_dalamud::host::{LoadError, PluginLibrary};
    ///
    /// let error = PluginLibrary::open("target/debug/libnot_built_yet.so").unwrap_err();
    /// assert!(matches!(error, LoadError::Missing { .. }));
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let path = path.as_ref().to_owned();
        if !path.is_file() {
            return Err(LoadError::Missing { path });
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let copy = Copied(std::env::temp_dir().join(format!("xivmcp-{}-{number}-{name}", std::process::id())));
        let failed = |reason: String| LoadError::Open { path: path.clone(), reason };
        std::fs::copy(&path, &copy.0).map_err(|error| failed(error.to_string()))?;
        if !is_whole(&std::fs::read(&copy.0).map_err(|error| failed(error.to_string()))?) {
            return Err(LoadError::Incomplete { path });
        }
        let file = PluginFile::open(&copy.0).map_err(|error| failed(system_text(&error, &copy.0)))?;
        Ok(Self { file: Arc::new(Mapped { file, _copy: copy }), path })
    }

    /// Where the build has put the library of the crate `name`, seen from a test, an example or a program of the same
    /// workspace: beside the running program, or one folder up.
    ///
    /// A test has it there if the crate is among its package's dependencies or dev-dependencies.
    ///
    /// # Errors
    ///
    /// [`LoadError::Missing`] with the first place where it was looked for.
    ///
    /// ```
    /// use xivmcp_dalamud::host::{LoadError, PluginLibrary};
    ///
    /// let error = PluginLibrary::find("not-built-yet").unwrap_err();
    /// assert!(matches!(&error, LoadError::Missing { path } if path.to_string_lossy().contains("not_built_yet")));
    /// assert!(error.to_string().contains("cargo build"));
    /// ```
    pub fn find(name: &str) -> Result<PathBuf, LoadError> {
        let file =
            format!("{}{}{}", std::env::consts::DLL_PREFIX, name.replace('-', "_"), std::env::consts::DLL_SUFFIX);
        let program = std::env::current_exe().unwrap_or_default();
        let folders = program.ancestors().skip(1).take(2);
        let places = folders.flat_map(|folder| [folder.join(&file), folder.join("deps").join(&file)]);
        let mut missing = PathBuf::from(&file);
        for (at, place) in places.enumerate() {
            if place.is_file() {
                return Ok(place);
            }
            if at == 0 {
                missing = place;
            }
        }
        Err(LoadError::Missing { path: missing })
    }

    /// Starts the plugin, as the plugin that `transport` and `services` belong to. It runs its entry function on this
    /// thread.
    ///
    /// # Errors
    ///
    /// [`LoadError::NoEntry`], [`LoadError::DoesNotFit`], [`LoadError::NotStarted`]. Nothing of the plugin is left
    /// then, but for one that did not end in time: its library stays mapped for good.
    ///
    /// ```
    /// # use xivmcp_fixture_plugin::bare_game::{BareGame, library};
    /// use std::time::Duration;
    /// use xivmcp_dalamud::host::PluginLibrary;
    ///
    /// # let path = library();
    /// # let game = BareGame::new("");
    /// // The transport says whose plugin it is: what calls gates here is called `Fixture`.
    /// let mut plugin = PluginLibrary::open(path)?.start(game.clone(), game)?;
    /// assert_eq!(plugin.internal_name(), "Fixture");
    /// plugin.stop(Duration::from_secs(10))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn start(
        &self,
        transport: Arc<dyn IpcTransport>,
        services: Arc<dyn PluginServices>,
    ) -> Result<LoadedPlugin, LoadError> {
        let host = HostSide::new(transport, services);
        let plugin = LoadedPlugin::new(Arc::clone(&self.file), host);
        let name = plugin.internal_name().to_owned();
        let Some((status, sentence)) = plugin.enter() else {
            plugin.forget();
            return Err(LoadError::NoEntry { path: self.path.clone() });
        };
        match status {
            Some(Status::Ok) => match plugin.check() {
                Ok(()) => Ok(plugin),
                Err(sentence) => {
                    plugin.keep_for_good();
                    Err(LoadError::DoesNotFit { plugin: name, sentence })
                }
            },
            Some(Status::KeepLoaded) => {
                plugin.keep_for_good();
                Err(LoadError::NotStarted { plugin: name, sentence })
            }
            Some(Status::Version | Status::Invalid | Status::BadText) => {
                plugin.forget();
                Err(LoadError::DoesNotFit { plugin: name, sentence })
            }
            _ => {
                plugin.forget();
                Err(LoadError::NotStarted { plugin: name, sentence })
            }
        }
    }
}
