//! The real transport of xivmcp: a Rust plugin runs in Dalamud, over a C ABI and a small C# shim.
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

pub mod abi;
