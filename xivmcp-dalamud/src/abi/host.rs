//! What the host offers the plugin: [`HostTable`].

use std::ffi::c_void;

use super::{Reply, SessionState, Slice, Value};

/// What the host offers the plugin. The host fills it and passes it to the plugin's entry, which copies it: the table
/// itself need only live until the entry returns, `context` and what the functions use until the library is freed.
///
/// Any thread may call any function at any time, also from inside a call that the host makes. The host holds no lock
/// of its own while it calls the plugin or another plugin. No function waits for another thread. None unwinds: an
/// exception becomes a status.
///
/// A function that the host cannot offer is NULL, if it is not marked as needed; the plugin then does without, or
/// tells its author `UNSUPPORTED`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "the layout is the contract; fields are only appended, and `size` tells")]
pub struct HostTable {
    /// The size of this table in bytes, as the host knows it. Fields beyond it are not read.
    pub size: u32,
    /// The version of the ABI that the host speaks: 1.
    pub version: u32,
    /// Passed as the first argument of every function.
    pub context: *mut c_void,
    /// The plugin's internal name, as Dalamud spells it. Valid until the entry returns. Not empty.
    pub internal_name: Slice,
    /// What the host is, for sentences and the log: `XivMcp shim 0.1.0 on .NET 10.0.1`. Valid until the entry returns.
    pub host_name: Slice,

    /// Needed. Calls the function at `gate` on this thread, and gives what it returns, converted to the value type
    /// `returns`. `OK`, `NOT_READY`, `FAILED`, `LENGTH_MISMATCH`, `TYPE_MISMATCH`, `CLOSED`, `BAD_TEXT`, `INVALID`.
    pub call_function: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            gate: Slice,
            arguments: *const Value,
            count: u32,
            returns: u32,
            reply: *mut Reply,
        ) -> i32,
    >,
    /// Needed. Calls the action at `gate` on this thread. Statuses as `call_function`.
    pub call_action: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            gate: Slice,
            arguments: *const Value,
            count: u32,
            reply: *mut Reply,
        ) -> i32,
    >,
    /// Needed. Sends a message to the subscribers of `gate` on this thread. Statuses as `call_function`, of the first
    /// subscriber that failed; no subscriber at all is `OK`.
    pub send_message: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            gate: Slice,
            arguments: *const Value,
            count: u32,
            reply: *mut Reply,
        ) -> i32,
    >,
    /// Needed. Provides the function of `gate`: `parameters` are `count` value types, `returns` is one. Calls of it
    /// arrive at the plugin's `invoke` with `id`, which the plugin chose and uses once only; they may arrive before
    /// this returns. It replaces a function that is there. `OK`, `CLOSED`, `BAD_TEXT`, `UNSUPPORTED`, `INVALID`.
    pub provide_function: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            gate: Slice,
            parameters: *const u32,
            count: u32,
            returns: u32,
            id: u64,
            reply: *mut Reply,
        ) -> i32,
    >,
    /// Needed. Provides the action of `gate`, as `provide_function` does with a function.
    pub provide_action: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            gate: Slice,
            parameters: *const u32,
            count: u32,
            id: u64,
            reply: *mut Reply,
        ) -> i32,
    >,
    /// Needed. Subscribes to the messages of `gate`; they arrive at the plugin's `invoke` with `id`. Statuses as
    /// `provide_function`. If `invoke` fails, the error goes on to the sender, and subscribers behind this one miss
    /// the message, as with any subscriber in Dalamud.
    pub subscribe: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            gate: Slice,
            parameters: *const u32,
            count: u32,
            id: u64,
            reply: *mut Reply,
        ) -> i32,
    >,
    /// Needed. Takes away what was provided, subscribed, added or asked for with `id`, and only that: what another id
    /// or another plugin has put in its place since then stays. After it has returned no new call with that id
    /// starts; calls that are inside go on, and are not waited for. A message that is being sent may still arrive. An
    /// id that is not there is `OK`.
    pub remove: Option<unsafe extern "C" fn(context: *mut c_void, id: u64) -> i32>,
    /// Needed. Asks for one call of the plugin's `run_closure` with `id` at the framework thread's next update, never
    /// inside this call; in the order in which they were asked for. `OK`: `run_closure` is called exactly once for
    /// it, to run or to give up (see there). Any other status: it is never called.
    pub run_on_next_update: Option<unsafe extern "C" fn(context: *mut c_void, id: u64) -> i32>,
    /// Needed. 1 if this thread is the framework thread, else 0.
    pub is_framework_thread: Option<unsafe extern "C" fn(context: *mut c_void) -> i32>,

    /// Needed. Writes a line to Dalamud's log; `level` is a `LogSeverity`, an unknown one counts as `ERROR`. Bytes
    /// that are not UTF-8 are replaced. It may be called until the library is freed.
    pub log: Option<unsafe extern "C" fn(context: *mut c_void, level: i32, text: Slice)>,
    /// Prints a line into the game's chat window, for the player only; as an error (red) if `is_error` is not 0.
    /// `OK`, `CLOSED`, `BAD_TEXT`, `FAILED`.
    pub print_chat: Option<unsafe extern "C" fn(context: *mut c_void, is_error: i32, text: Slice) -> i32>,
    /// Adds a slash command; the plugin's `command` is called with `id` on the framework thread. `help` is what the
    /// game's help shows. `OK`, `REFUSED`, `CLOSED`, `BAD_TEXT`, `FAILED`.
    pub add_command: Option<
        unsafe extern "C" fn(context: *mut c_void, command: Slice, help: Slice, id: u64, reply: *mut Reply) -> i32,
    >,
    /// Asks for the plugin's `update` with `id` once a frame, on the framework thread, until `remove`. `OK`, `CLOSED`.
    pub on_update: Option<unsafe extern "C" fn(context: *mut c_void, id: u64) -> i32>,
    /// Asks for the plugin's `session_event` with `id` on the framework thread, until `remove`. `OK`, `CLOSED`.
    pub on_session: Option<unsafe extern "C" fn(context: *mut c_void, id: u64) -> i32>,
    /// 1, and where the character is, if one is logged in; else 0, and `session` stays as it is.
    pub session: Option<unsafe extern "C" fn(context: *mut c_void, session: *mut SessionState) -> i32>,
    /// Calls a service that the plugin's author added to the host: JSON in, JSON out (`text` of the reply), on this
    /// thread. `OK`, `UNKNOWN`, `FAILED`, `CLOSED`, `BAD_TEXT`.
    pub call_service:
        Option<unsafe extern "C" fn(context: *mut c_void, name: Slice, json: Slice, reply: *mut Reply) -> i32>,
}
