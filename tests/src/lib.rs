//! Tests that span the crates live in `tests/tests`; this library holds what they share.
