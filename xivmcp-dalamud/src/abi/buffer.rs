//! Text and tables that cross the boundary: [`Slice`] goes in and is borrowed, [`Owned`] comes out and is freed by who
//! made it.

use std::ffi::c_void;

/// Borrowed bytes, valid until the call that they were passed to returns. Text is UTF-8 without a closing NUL; it may
/// contain NULs. An empty slice has `len` 0 and any `ptr`, NULL too.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "the layout is the contract")]
pub struct Slice {
    /// The first byte. It may be NULL if `len` is 0.
    pub ptr: *const u8,
    /// How many bytes there are.
    pub len: usize,
}

/// Bytes that are handed over. The side that fills one sets all four fields; the side that receives it copies the
/// bytes and then calls `free(owner, ptr, len)` once, from any thread, whatever status came with it.
///
/// `free` is NULL where there is nothing to free: then `ptr` is NULL and `len` is 0. Memory is never freed by the side
/// that did not make it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "the layout is the contract")]
pub struct Owned {
    /// The first byte. It may be NULL if `len` is 0.
    pub ptr: *mut u8,
    /// How many bytes there are.
    pub len: usize,
    /// What the maker needs to free it; it means nothing to the receiver.
    pub owner: *mut c_void,
    /// Frees it. It never unwinds.
    pub free: Option<unsafe extern "C" fn(owner: *mut c_void, ptr: *mut u8, len: usize)>,
}
