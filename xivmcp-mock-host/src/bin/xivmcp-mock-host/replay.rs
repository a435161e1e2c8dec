//! `replay`: plays scenario files. See `xivmcp_mock_host::scenario`.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use xivmcp_mock_host::scenario::Scenario;

/// All expectations held.
const HELD: u8 = 0;
/// One did not.
const FAILED: u8 = 1;
/// A file cannot be read, or a line is no step.
const UNREADABLE: u8 = 2;

/// Plays the files. Two outputs, one status: the worst file decides.
pub(crate) fn replay(files: Vec<OsString>) -> ExitCode {
    if files.is_empty() {
        return crate::complain("`replay` needs a file");
    }
    if let Some(option) = files.iter().find(|file| *file != "-" && file.to_string_lossy().starts_with('-')) {
        return crate::complain(&format!("`replay` has no option {}", option.to_string_lossy()));
    }
    ExitCode::from(files.into_iter().map(PathBuf::from).map(|file| play(&file)).max().unwrap_or(HELD))
}

fn play(file: &Path) -> u8 {
    let name = file.display();
    let text = match read(file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{name}: cannot be read: {error}");
            return UNREADABLE;
        }
    };
    let scenario = match Scenario::parse(&text) {
        Ok(scenario) => scenario,
        Err(bad) => {
            eprintln!("{name}: {bad}");
            return UNREADABLE;
        }
    };
    let mut out = io::stdout().lock();
    let mismatches = scenario.play(|played| {
        // Whoever reads may stop reading; the status still tells.
        let _ = writeln!(out, "{}", played.gives);
    });
    for mismatch in &mismatches {
        eprintln!("{name}: {mismatch}");
    }
    if mismatches.is_empty() { HELD } else { FAILED }
}

fn read(file: &Path) -> io::Result<String> {
    if file.as_os_str() == "-" {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text)?;
        return Ok(text);
    }
    std::fs::read_to_string(file)
}
