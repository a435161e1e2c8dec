//! The real transport of xivmcp: a Rust plugin runs in Dalamud.
//!
//! Dalamud loads .NET assemblies. A plugin in Rust is a native library beside a small assembly, the *shim*, whose
//! source is in this crate's folder `shim/`. Both sides speak a C ABI ([`abi`], `include/xivmcp.h`); this crate is the
//! Rust side. An author needs one thing of it: [`plugin!`].
//!
//! | Part | For whom |
//! |---|---|
//! | [`plugin!`] | authors of plugins |
//! | [`abi`] | those who write another host, or a plugin in another language |
//! | `host` (feature `loader`) | tests and the mock host: loads a plugin's library from Rust |
//!
#![doc = include_str!("guide.md")]
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

pub mod abi;
mod bridge;
mod entry_macro;
#[doc(hidden)]
pub mod ffi;
#[cfg(feature = "loader")]
pub mod host;

/// The README's example compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
