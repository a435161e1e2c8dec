//! The panic barrier, and the hook that writes a panic to Dalamud's log with its place.
//!
//! The hook is this library's own: each library has its own copy of Rust's standard library. It is set when the first
//! plugin of the library starts, and the one before it is set again when the last one is released. It does not call
//! the one before: the standard hook writes to a stream that nobody sees in a game, and its symbol cache would
//! be lost when the library is unmapped.

use std::cell::Cell;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{Mutex, PoisonError};

use super::slots;
use crate::abi::LogSeverity;

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync + 'static>;

/// The hook that was there before ours. It is never locked together with the slots: a hook that runs needs those.
static BEFORE: Mutex<Option<Hook>> = Mutex::new(None);

thread_local! {
    /// Where this thread panicked last.
    static PLACE: Cell<Place> = const { Cell::new(Place::NONE) };
}

/// A place in the source, as text in a fixed room: a thread-local with heap would need a destructor.
#[derive(Clone, Copy)]
struct Place {
    bytes: [u8; 254],
    len: u16,
}

impl Place {
    const NONE: Self = Self { bytes: [0; 254], len: 0 };

    fn text(&self) -> &str {
        str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl std::fmt::Write for Place {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for character in text.chars() {
            let at = usize::from(self.len);
            let Some(room) = self.bytes.get_mut(at..at + character.len_utf8()) else { break };
            self.len += u16::try_from(character.encode_utf8(room).len()).unwrap_or_default();
        }
        Ok(())
    }
}

/// Sets our hook, and keeps the one that was there.
pub(crate) fn set_hook() {
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    // On a thread that panics the hook cannot be changed; a plugin that starts there does without.
    if before.is_none() && !std::thread::panicking() {
        *before = Some(std::panic::take_hook());
        std::panic::set_hook(Box::new(report));
    }
}

/// Sets the hook again that was there before ours.
pub(crate) fn restore_hook() {
    if std::thread::panicking() {
        return;
    }
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(before) = before {
        std::panic::set_hook(before);
    }
}

fn report(panic: &PanicHookInfo<'_>) {
    let mut place = Place::NONE;
    if let Some(location) = panic.location() {
        let _ = write!(place, "{location}");
    }
    PLACE.set(place);
    let message = panic.payload_as_str().unwrap_or("a panic without a text");
    slots::log(LogSeverity::Error, &format!("panicked at {}: {message}", place.text()));
}

/// Runs `foreign`, and turns a panic into its text with its place: the barrier at every crossing.
pub(crate) fn caught<R>(foreign: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(foreign)).map_err(|payload| {
        let message = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("a panic without a text");
        let place = PLACE.replace(Place::NONE);
        let text = match place.text() {
            "" => message.to_owned(),
            place => format!("{message} (at {place})"),
        };
        // A payload may be anything, also something that panics when it is dropped.
        if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(second);
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_text() {
        assert_eq!(caught(|| 5), Ok(5));
        assert_eq!(caught(|| -> u8 { std::panic::resume_unwind(Box::new("quiet")) }), Err(String::from("quiet")));
        assert_eq!(
            caught(|| -> u8 { std::panic::resume_unwind(Box::new(7)) }),
            Err(String::from("a panic without a text"))
        );
    }

    #[test]
    fn a_payload_that_panics_when_it_is_dropped_stays_behind_the_barrier() {
        struct Spiteful;
        impl Drop for Spiteful {
            fn drop(&mut self) {
                std::panic::resume_unwind(Box::new("again"));
            }
        }
        let text = caught(|| std::panic::resume_unwind(Box::new(Spiteful)));
        assert_eq!(text, Err(String::from("a panic without a text")));
    }

    #[test]
    fn the_hook_is_as_it_was_after_the_last_plugin_has_gone() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static SEEN: AtomicUsize = AtomicUsize::new(0);
        let standard = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {
            SEEN.fetch_add(1, Ordering::SeqCst);
        }));

        set_hook();
        set_hook();
        let text = caught(|| panic!("while it is loaded")).expect_err("it panics");
        assert!(text.starts_with("while it is loaded (at ") && text.contains("panics.rs:"), "{text}");
        assert_eq!(SEEN.load(Ordering::SeqCst), 0);

        restore_hook();
        assert_eq!(caught(|| panic!("afterwards")), Err(String::from("afterwards")));
        assert_eq!(SEEN.load(Ordering::SeqCst), 1);
        std::panic::set_hook(standard);
    }

    #[test]
    fn a_place_that_is_too_long_is_cut_inside_no_character() {
        let mut place = Place::NONE;
        let _ = write!(place, "{}", "ü".repeat(200));
        assert_eq!(place.text(), "ü".repeat(127));
    }
}
