//! Running foreign code so that nothing unwinds into the host. For the client's own parts.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Runs `code`; a panic in it becomes its text.
///
/// What the code may leave half done is the code's own affair: the client shows it to nobody afterwards.
pub(crate) fn caught<R>(code: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| {
        let text = text_of(&*payload);
        // A payload's own drop may panic too.
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(again);
        }
        text
    })
}

fn text_of(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without a text".to_owned()
    }
}

/// A panic that happened elsewhere, to go on where the code's result is waited for.
pub(crate) struct Panic(Box<dyn Any + Send>);

impl Panic {
    /// Panics with it again, without another message on standard error.
    pub(crate) fn go_on(self) -> ! {
        resume_unwind(self.0)
    }
}

/// Runs `code`; keeps a panic in it for the one who waits.
pub(crate) fn caught_for_later<R>(code: impl FnOnce() -> R) -> Result<R, Panic> {
    catch_unwind(AssertUnwindSafe(code)).map_err(Panic)
}
