//! The real transport of xivmcp: a Rust plugin runs in Dalamud, over a C ABI and a small C# shim.
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

pub mod abi;
mod bridge;
mod entry_macro;
#[doc(hidden)]
pub mod ffi;
#[cfg(feature = "loader")]
pub mod host;
