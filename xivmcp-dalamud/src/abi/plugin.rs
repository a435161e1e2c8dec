//! What the plugin offers the host: [`PluginTable`], and the one symbol that it exports.

use std::ffi::c_void;

use super::{HostTable, Owned, Reply, SessionState, Slice, Value};

/// What the plugin offers the host. The plugin fills all of it; it is valid until `release`. A host may refuse a plugin
/// whose table lacks one of these functions, and keeps its library loaded, since it may be unable to stop it.
///
/// `invoke` may be called from any thread, as often at once as the host likes, and from inside any function of the
/// host's table. The others say where they are called. None unwinds: a panic becomes `PANICKED`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "the layout is the contract; fields are only appended, and `size` tells")]
pub struct PluginTable {
    /// The size of this table in bytes, as the plugin knows it. Fields beyond it are not read.
    pub size: u32,
    /// The version of the ABI that the plugin speaks: 1.
    pub version: u32,
    /// Passed as the first argument of every function.
    pub context: *mut c_void,
    /// What the plugin was built with, for sentences and the log: `xivmcp-dalamud 0.1.0`. Valid until `release`.
    pub sdk_name: Slice,

    /// Calls the function or action that was provided, or the subscriber that was added, with `id`. The arguments
    /// have the types that it was provided with. The reply has a value of the type that it was provided with
    /// (`UNIT` for actions and subscribers). `OK`, `FAILED`, `PANICKED`, `LENGTH_MISMATCH`, `TYPE_MISMATCH`, `CLOSED`,
    /// `BAD_TEXT`, `UNKNOWN` (it was removed meanwhile: the host answers as if nothing were there), `INVALID`.
    pub invoke: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            id: u64,
            arguments: *const Value,
            count: u32,
            reply: *mut Reply,
        ) -> i32,
    >,
    /// Answers one `run_on_next_update`: runs the closure, on the framework thread, or, if `give_up` is not 0, drops
    /// it without running it, on any thread, because it can never run (the game unloads). Once for each id. An id
    /// that the plugin has dealt with itself, while it stopped, is `OK`. `OK`, `PANICKED`.
    pub run_closure: Option<unsafe extern "C" fn(context: *mut c_void, id: u64, give_up: i32) -> i32>,
    /// The player typed a command that was added with `id`: `command` as typed (`/hello`), `arguments` what stands
    /// behind it, trimmed. On the framework thread. `OK`, `PANICKED`, `UNKNOWN`, `CLOSED`, `BAD_TEXT`.
    pub command: Option<unsafe extern "C" fn(context: *mut c_void, id: u64, command: Slice, arguments: Slice) -> i32>,
    /// One frame, for the `on_update` with `id`. On the framework thread. `OK`, `PANICKED`, `UNKNOWN`, `CLOSED`.
    pub update: Option<unsafe extern "C" fn(context: *mut c_void, id: u64) -> i32>,
    /// Something happened to the session, for the `on_session` with `id`: `change` is a `SessionChange`; an unknown
    /// one is ignored. `session` is where the character is now, NULL with `LOGOUT`. On the framework thread. `OK`,
    /// `PANICKED`, `UNKNOWN`, `CLOSED`, `INVALID`.
    pub session_event:
        Option<unsafe extern "C" fn(context: *mut c_void, id: u64, change: i32, session: *const SessionState) -> i32>,
    /// Ends the plugin within about `limit_ms` milliseconds. See "Unloading" at the top of this file. `OK`: nothing of
    /// the plugin runs any more. `KEEP_LOADED`: something still runs; `text` says what. From any thread; best on the
    /// framework thread, where it runs the framework closures that are waited for itself. May be called again.
    pub stop: Option<unsafe extern "C" fn(context: *mut c_void, limit_ms: u32, reply: *mut Reply) -> i32>,
    /// Frees the plugin, after `stop` was `OK` and all other calls into the plugin have returned; the last call into
    /// the plugin. The library may be freed after it.
    pub release: Option<unsafe extern "C" fn(context: *mut c_void)>,
}

/// The one function that a plugin's library exports, as `xivmcp_plugin_entry_v1`.
///
/// It checks the host's table and puts the plugin's table into `plugin`, which the host set to NULL. Only then does it
/// use the host's functions and start the plugin: what is provided and asked for may be called at once, from other
/// threads too, before the entry has returned. Any thread may call the entry.
///
/// `OK`: the plugin runs. `VERSION`, `INVALID` (a NULL, or no name): nothing was done, `plugin` is still NULL. `FAILED`,
/// `PANICKED`: the plugin did not start, and has stopped what it started; if `plugin` is not NULL, the host goes on as
/// after a `stop` that was `OK`, with `release` last. `KEEP_LOADED`: the plugin did not start, and something of it still
/// runs; the host goes on as after a `stop` that was `KEEP_LOADED`. Whatever is not `OK` puts a sentence for the
/// developer into `message`, which the host zeroes before and frees after.
pub type PluginEntry =
    unsafe extern "C" fn(host: *const HostTable, plugin: *mut *const PluginTable, message: *mut Owned) -> i32;
