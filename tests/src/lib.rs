//! Tests that span the crates live in `tests/tests`; this library holds what they share.

/// The README's code compiles and runs as a test of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
