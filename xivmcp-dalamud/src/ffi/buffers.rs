//! Text in both directions: lent in a [`Slice`], handed over in an [`Owned`].

use std::ffi::c_void;
use std::ptr;

use crate::abi::{Owned, Slice};

/// The bytes are not UTF-8, or the slice is none (NULL with a length).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BadText;

/// An `Owned` with nothing in it.
pub(crate) const NOTHING: Owned = Owned { ptr: ptr::null_mut(), len: 0, owner: ptr::null_mut(), free: None };

/// Lends `text` to a call. The slice must not outlive `text`; the callers in this module pass both to one call.
pub(crate) fn lend(text: &str) -> Slice {
    Slice { ptr: text.as_ptr(), len: text.len() }
}

/// Reads bytes that the other side lends.
///
/// # Safety
///
/// `slice` is what the other side passed to the call that is running, and `'a` does not outlive that call.
unsafe fn bytes<'a>(slice: Slice) -> Result<&'a [u8], BadText> {
    if slice.len == 0 {
        return Ok(&[]);
    }
    if slice.ptr.is_null() || slice.len > isize::MAX as usize {
        return Err(BadText);
    }
    // SAFETY: not NULL and not too long; the contract says that `len` bytes are there until the call returns.
    Ok(unsafe { std::slice::from_raw_parts(slice.ptr, slice.len) })
}

/// Reads text that the other side lends.
///
/// # Safety
///
/// As for [`bytes`].
pub(crate) unsafe fn text<'a>(slice: Slice) -> Result<&'a str, BadText> {
    // SAFETY: the caller's promise is the same.
    str::from_utf8(unsafe { bytes(slice) }?).map_err(|_| BadText)
}

/// Reads text that the other side lends, with U+FFFD for what is no UTF-8.
///
/// # Safety
///
/// As for [`bytes`].
#[cfg(feature = "loader")]
pub(crate) unsafe fn text_lossy(slice: Slice) -> String {
    // SAFETY: the caller's promise is the same.
    unsafe { bytes(slice) }.map_or_else(|_| String::new(), |bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// Hands `text` over, without copying it: the other side frees it with [`free_text`].
pub(crate) fn hand_over(text: String) -> Owned {
    if text.capacity() == 0 {
        return NOTHING;
    }
    let mut bytes = std::mem::ManuallyDrop::new(text.into_bytes());
    Owned {
        ptr: bytes.as_mut_ptr(),
        len: bytes.len(),
        owner: ptr::without_provenance_mut::<c_void>(bytes.capacity()),
        free: Some(free_text),
    }
}

/// Frees what [`hand_over`] made; `owner` is its capacity.
unsafe extern "C" fn free_text(owner: *mut c_void, ptr: *mut u8, len: usize) {
    // SAFETY: `hand_over` took these three from a `Vec<u8>`, and the contract says that `free` is called once with them.
    drop(unsafe { Vec::from_raw_parts(ptr, len, owner.addr()) });
}

/// Copies what the other side handed over, and frees it.
///
/// # Safety
///
/// `owned` was filled by the other side in a call that has returned, and was not taken before.
pub(crate) unsafe fn take(owned: Owned) -> Result<String, BadText> {
    let slice = Slice { ptr: owned.ptr, len: owned.len };
    // SAFETY: what was handed over is there until `free` is called, which happens below, after the copy.
    let copy = unsafe { text(slice) }.map(str::to_owned);
    if let Some(free) = owned.free {
        // SAFETY: called once, with the three values that came with it.
        unsafe { free(owned.owner, owned.ptr, owned.len) };
    }
    copy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_handed_over_arrives_byte_for_byte() {
        for text in ["", "エオルゼア", "🐤", "a\0b", &"x".repeat(1 << 20)] {
            // SAFETY: handed over in the same line, and taken once.
            assert_eq!(unsafe { take(hand_over(text.to_owned())) }.as_deref(), Ok(text));
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_told_apart_from_text() {
        let bytes = [0xff, 0xfe];
        // SAFETY: the array outlives the call.
        assert_eq!(unsafe { text(Slice { ptr: bytes.as_ptr(), len: 2 }) }, Err(BadText));
        // SAFETY: an empty slice may be NULL, and a NULL with a length is refused before it is read.
        unsafe {
            assert_eq!(text(Slice { ptr: ptr::null(), len: 0 }), Ok(""));
            assert_eq!(text(Slice { ptr: ptr::null(), len: 3 }), Err(BadText));
        }
    }
}
