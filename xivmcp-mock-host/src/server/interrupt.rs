//! Ctrl-C, and what else asks a process to end. On a thread of its own, which does nothing else, so that the second Ctrl-C
//! ends the process whatever the rest of it waits for: a plugin may hang.

use std::io;
use std::sync::mpsc;

use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

/// The exit status after a second Ctrl-C, as shells know it.
const INTERRUPTED: i32 = 130;

/// Listens from now on: the first Ctrl-C cancels what this gives. The next one after that ends the process, also if
/// somebody else has cancelled it.
///
/// If the system does not let it listen, Ctrl-C ends the process at once, as it does for any program.
pub(super) fn listen() -> CancellationToken {
    let asked = CancellationToken::new();
    let (first, (listening, listens)) = (asked.clone(), mpsc::channel());
    let listen = move || -> io::Result<()> {
        Builder::new_current_thread().enable_all().build()?.block_on(async {
            let mut signals = Signals::new()?;
            let _ = listening.send(());
            tokio::select! {
                () = signals.next() => first.cancel(),
                () = first.cancelled() => {}
            }
            signals.next().await;
            std::process::exit(INTERRUPTED)
        })
    };
    if std::thread::Builder::new().name("ctrl-c".to_owned()).spawn(listen).is_ok() {
        let _ = listens.recv(); // an error: it does not listen
    }
    asked
}

/// The signals that ask this process to end.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn new() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn next(&mut self) {
        let _ = self.0.recv().await;
    }
}
