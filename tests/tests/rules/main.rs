//! The rules of SPEC §1 to §7, one module for each section, through the public API of the mock host; and the client's own
//! rules (§11) with the real client against it. No test leaves anything pending: [`support::Stage`] counts it.

mod any_text;
mod approvals;
mod calls;
mod calls_ending;
mod client_calls;
mod client_disposing;
mod client_registering;
mod definitions;
mod gates;
mod ipc;
mod many_hosts;
mod owners;
mod policy;
mod support;
