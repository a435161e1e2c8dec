//! The protocol's rules through its public types: tables of the rules, property tests, the pages, and the schemas.

mod approvals;
mod calls;
mod definitions;
mod envelopes;
mod gates;
mod liberal;
mod pages;
mod policy;
mod schemas;
mod texts;
