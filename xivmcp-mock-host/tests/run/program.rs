//! The program as a child process: what it prints, its endpoint, its end.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use xivmcp_dalamud::host::PluginLibrary;

use crate::wait_for;

/// A folder of one test, gone with it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("xivmcp-run-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The library of the crate `name`, as its build made it.
pub(crate) fn built(name: &str) -> Vec<u8> {
    std::fs::read(PluginLibrary::find(name).expect("a dev-dependency is built")).unwrap()
}

/// Puts a file there as builds do: written beside, then moved over.
pub(crate) fn replace(path: &Path, bytes: &[u8]) {
    let beside = path.with_extension("new");
    std::fs::write(&beside, bytes).unwrap();
    std::fs::rename(&beside, path).unwrap();
}

/// The running program. It is killed when a test is over before it has ended.
pub(crate) struct Program {
    child: Child,
    said: Arc<Mutex<String>>,
    hearing: Option<JoinHandle<()>>,
    pub(crate) address: String,
    pub(crate) token: String,
    pub(crate) window: String,
}

impl Program {
    /// Starts `run` and waits until it listens. Its temporary files are in `folder`.
    pub(crate) fn run(folder: &Folder, arguments: &[&str]) -> Self {
        Self::run_with(folder, arguments, &[])
    }

    /// As [`run`](Self::run), with variables in its environment.
    pub(crate) fn run_with(folder: &Folder, arguments: &[&str], variables: &[(&str, &Path)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_xivmcp-mock-host"))
            .args(["run", "--port", "0"])
            .args(arguments)
            .env("TMPDIR", &folder.0) // copies of libraries, which one that is killed leaves behind
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = Arc::<Mutex<String>>::default();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let hears = Arc::clone(&said);
        let hearing = std::thread::spawn(move || {
            let mut line = String::new();
            while stderr.read_line(&mut line).is_ok_and(|length| length > 0) {
                hears.lock().unwrap().push_str(&line);
                line.clear();
            }
        });
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut told: Vec<String> = Vec::new();
        for line in stdout.by_ref().lines().take(5) {
            told.push(line.unwrap());
        }
        assert_eq!(told.len(), 5, "it did not start: {told:?} {}", said.lock().unwrap());
        let last = |line: &String| line.split_whitespace().next_back().unwrap_or_default().to_owned();
        let address = last(&told[0]).trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        Self { child, said, hearing: Some(hearing), address, token: last(&told[1]), window: last(&told[4]) }
    }

    /// What it has printed on standard error so far.
    pub(crate) fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    /// Waits until it prints a line with `text` after the first `from` bytes; gives what it has printed then.
    #[track_caller]
    pub(crate) fn hear_after(&self, from: usize, text: &str) -> String {
        let heard = || Some(self.said()).filter(|said| said[from..].contains(text));
        let end = std::time::Instant::now() + crate::PATIENCE;
        loop {
            if let Some(said) = heard() {
                return said;
            }
            assert!(std::time::Instant::now() < end, "it did not say {text:?}:\n{}", self.said());
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }

    #[track_caller]
    pub(crate) fn hear(&self, text: &str) -> String {
        self.hear_after(0, text)
    }

    /// Ctrl-C.
    pub(crate) fn interrupt(&self) {
        let status = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Waits for its end; gives the status and what it had printed.
    #[track_caller]
    pub(crate) fn ended(mut self) -> (ExitStatus, String) {
        let status = wait_for("the program ends", || self.child.try_wait().unwrap());
        // What it has said last may still be on its way.
        self.hearing.take().unwrap().join().unwrap();
        (status, self.said())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
