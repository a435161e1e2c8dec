//! The state file: the player's decisions and the jobs over a restart. Written beside the file and then renamed over it,
//! so that it is whole or not written at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::ServerState;
use crate::MockHost;

/// How long changes gather before they are written.
const GATHER: Duration = Duration::from_millis(200);

/// One file. What was written last is kept, so that it is written only when something has changed.
#[derive(Debug)]
pub(super) struct StateFile {
    path: PathBuf,
    written: Mutex<String>,
}

impl StateFile {
    pub(super) fn new(path: PathBuf) -> Arc<Self> {
        Arc::new(Self { path, written: Mutex::default() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts what is in the file into the host; nothing if there is no file.
    pub(super) fn read_into(&self, host: &MockHost) -> Result<(), String> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return self.write(host),
            Err(error) => return Err(error.to_string()),
        };
        host.world().act(|core, now| core.restore(now, &text))
    }

    /// Writes the host's state, if it is another one than last time.
    pub(super) fn write(&self, host: &MockHost) -> Result<(), String> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let text = host.world().look(crate::core::Core::save)?;
        if *written != text {
            let failed = |error: io::Error| format!("the state cannot be written to {}: {error}", self.path.display());
            replace(&self.path, &text).map_err(failed)?;
            *written = text;
        }
        Ok(())
    }

    /// Writes after changes, until `stop`.
    pub(super) async fn keep(self: Arc<Self>, state: ServerState, stop: CancellationToken) {
        let mut changes = state.changes.watch();
        let mut told = false;
        loop {
            // First this, then waiting: something may have changed before the task began.
            let (file, host) = (Arc::clone(&self), Arc::clone(&state.host));
            let wrote = tokio::task::spawn_blocking(move || file.write(&host)).await;
            if let Ok(Err(reason)) = wrote
                && !std::mem::replace(&mut told, true)
            {
                let _ = writeln!(io::stderr(), "xivmcp-mock-host: {reason}");
            }
            let next = async {
                tokio::time::sleep(GATHER).await;
                changes.changed().await.is_ok()
            };
            // What has changed since is written when the server stops.
            if stop.run_until_cancelled(next).await != Some(true) {
                return;
            }
        }
    }
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    let write = || {
        let mut file = std::fs::File::create(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    };
    let wrote = write();
    if wrote.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    wrote
}
