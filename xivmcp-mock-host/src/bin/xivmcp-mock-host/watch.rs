//! `--watch`: loads a plugin again when its library changes.
//!
//! The file's time and length are looked at a few times a second. Watching the folder would tell sooner, but linkers write
//! a library in several ways (over the old file, beside it, as a hard link), and only the file itself says when one is
//! there.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, SystemTime};

use xivmcp_mock_host::Plugin;

/// How often the files are looked at. A change counts when the file has stayed as it is for one look.
const LOOK: Duration = Duration::from_millis(300);

/// How long the end waits for a plugin that is being loaded again just then. Its end has a limit of its own, its entry has
/// none.
const PATIENCE: Duration = Duration::from_secs(25);

/// Watches until it is stopped, or dropped.
pub(crate) struct Watching {
    _stop: mpsc::Sender<()>,
    ended: mpsc::Receiver<()>,
    reloading: Arc<Mutex<Option<String>>>,
}

/// What tells one build from another; nothing while there is no file.
pub(crate) type Stamp = Option<(SystemTime, u64)>;

struct Watched {
    plugin: Plugin,
    path: PathBuf,
    loaded: Stamp,
    seen: Stamp,
}

impl Watching {
    /// Plugins, their files, and what the files were when they were loaded.
    pub(crate) fn start(plugins: Vec<(Plugin, PathBuf, Stamp)>) -> Self {
        let watched = plugins.into_iter().map(|(plugin, path, loaded)| Watched { plugin, path, loaded, seen: loaded });
        let mut watched: Vec<Watched> = watched.collect();
        let (stop, stopped) = mpsc::channel();
        let (ends, ended) = mpsc::channel();
        let reloading = Arc::<Mutex<Option<String>>>::default();
        let now = Arc::clone(&reloading);
        let look = move || {
            let _ends = ends; // dropped with this thread
            while stopped.recv_timeout(LOOK) == Err(mpsc::RecvTimeoutError::Timeout) {
                for plugin in watched.iter_mut().filter_map(Watched::look) {
                    *now.lock().unwrap_or_else(PoisonError::into_inner) = Some(plugin.plugin.name().to_owned());
                    plugin.reload();
                    *now.lock().unwrap_or_else(PoisonError::into_inner) = None;
                }
            }
        };
        if let Err(error) = std::thread::Builder::new().name("watch".to_owned()).spawn(look) {
            crate::say(format_args!("xivmcp-mock-host: --watch does not work: {error}"));
        }
        Self { _stop: stop, ended, reloading }
    }

    /// Stops watching. The plugin that is being loaded just then is waited for, within a limit; if it goes on, this says so.
    pub(crate) fn stop(self) -> Option<String> {
        let Self { _stop: stop, ended, reloading } = self;
        drop(stop);
        if ended.recv_timeout(PATIENCE) != Err(mpsc::RecvTimeoutError::Timeout) {
            return None;
        }
        let plugin = reloading.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default();
        Some(format!("{plugin} is still being loaded again: its entry does not end"))
    }
}

impl Watched {
    /// Whether it is to be loaded again: gives it then.
    fn look(&mut self) -> Option<&mut Self> {
        let now = stamp(&self.path);
        let settled = now == self.seen;
        self.seen = now;
        (settled && now.is_some() && now != self.loaded).then_some(self)
    }

    fn reload(&mut self) {
        let was_loaded = self.plugin.is_loaded();
        self.loaded = self.seen;
        let (name, path) = (self.plugin.name(), self.path.display());
        match self.plugin.try_reload() {
            Ok(()) => crate::say(format_args!("{name} was loaded again from {path}")),
            Err(error) => {
                let gone = if was_loaded { "; the one from before is gone" } else { "" };
                crate::say(format_args!("xivmcp-mock-host: {error}{gone}"));
            }
        }
    }
}

/// The file at `path` now.
pub(crate) fn stamp(path: &Path) -> Stamp {
    let file = std::fs::metadata(path).ok()?;
    Some((file.modified().ok()?, file.len()))
}

/// The plugin's internal name and its file: `Name=FILE`, or a name made of the file's (`libhello_mcp.so` is `HelloMcp`).
pub(crate) fn named(library: &Path) -> (String, PathBuf) {
    let text = library.to_string_lossy();
    if let Some((name, file)) = text.split_once('=').filter(|(name, _)| !name.is_empty() && !library.exists()) {
        return (name.to_owned(), file.into());
    }
    let stem = library.file_name().unwrap_or_default().to_string_lossy();
    let stem = stem.split('.').next().unwrap_or_default();
    let stem = stem.strip_prefix(std::env::consts::DLL_PREFIX).unwrap_or(stem);
    let words = stem.split(['_', '-']).map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    });
    (words.collect(), library.to_owned())
}
