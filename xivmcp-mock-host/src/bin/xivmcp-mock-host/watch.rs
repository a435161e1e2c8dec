//! `--watch`: loads a plugin again when its library changes.
//!
//! The file's time and length are looked at a few times a second. Watching the folder would tell sooner, but linkers write
//! a library in several ways (over the old file, beside it, as a hard link), and only the file itself says when one is
//! there.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use xivmcp_mock_host::Plugin;

/// How often the files are looked at. A change counts when the file has stayed as it is for one look.
const LOOK: Duration = Duration::from_millis(300);

/// Watches until it is dropped.
pub(crate) struct Watching {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What tells one build from another; nothing while there is no file.
type Stamp = Option<(SystemTime, u64)>;

struct Watched {
    plugin: Plugin,
    path: PathBuf,
    loaded: Stamp,
    seen: Stamp,
}

impl Watching {
    pub(crate) fn start(plugins: Vec<(Plugin, PathBuf)>) -> Self {
        let mut watched: Vec<Watched> = plugins
            .into_iter()
            .map(|(plugin, path)| {
                let stamp = stamp(&path);
                Watched { plugin, path, loaded: stamp, seen: stamp }
            })
            .collect();
        let (stop, stopped) = mpsc::channel();
        let look = move || {
            while stopped.recv_timeout(LOOK) == Err(mpsc::RecvTimeoutError::Timeout) {
                watched.iter_mut().for_each(Watched::look);
            }
        };
        let thread = std::thread::Builder::new().name("watch".to_owned()).spawn(look);
        if let Err(error) = &thread {
            eprintln!("xivmcp-mock-host: --watch does not work: {error}");
        }
        Self { stop: Some(stop), thread: thread.ok() }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a panic there has been printed
        }
    }
}

impl Watched {
    fn look(&mut self) {
        let now = stamp(&self.path);
        let settled = now == self.seen;
        self.seen = now;
        if !settled || now.is_none() || now == self.loaded {
            return;
        }
        self.loaded = now;
        match self.plugin.try_reload() {
            Ok(()) => eprintln!("{} was loaded again from {}", self.plugin.name(), self.path.display()),
            Err(error) => eprintln!("xivmcp-mock-host: {error}; the one from before is gone"),
        }
    }
}

fn stamp(path: &Path) -> Stamp {
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
