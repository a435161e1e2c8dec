//! What a plugin calls: the functions of the host's table, for a host in Rust. Each reads what is lent, and hands it
//! to the [`HostSide`], behind a panic barrier.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;

use xivmcp_client::ipc::IpcSignature;
use xivmcp_client::services::LogLevel;

use super::buffers::{lend, text, text_lossy};
use super::outcome::Outcome;
use super::plugin_handle::{PluginFile, PluginHandle, call_entry};
use super::values::{read_arguments, read_types, type_of_code};
use crate::abi::{HostTable, PluginTable, Reply, SessionState, Slice, Status, VERSION, Value};
use crate::bridge::caught;
use crate::host::HostSide;

/// The plugin's table, as soon as the plugin has put it into its place.
pub(crate) struct Place {
    pointer: UnsafeCell<*const PluginTable>,
    handle: OnceLock<Result<PluginHandle, String>>,
}

// SAFETY: the pointer is written by the plugin inside its entry, before it calls any function of the host; it is read
// inside such calls and after the entry, both of which come after that write.
unsafe impl Send for Place {}
// SAFETY: as above; the handle is a `OnceLock`.
unsafe impl Sync for Place {}

impl Place {
    pub(crate) const fn new() -> Self {
        Self { pointer: UnsafeCell::new(ptr::null()), handle: OnceLock::new() }
    }

    /// The plugin, once [`learn`](Self::learn) has found it.
    pub(crate) fn handle(&self) -> Result<PluginHandle, String> {
        match self.handle.get() {
            Some(handle) => handle.clone(),
            None => Err(String::from("the plugin has not started yet")),
        }
    }

    /// Reads the place. Called inside the plugin's calls, and after its entry.
    fn learn(&self) {
        // SAFETY: see `Sync`; the plugin's table is valid until `release`, after which nothing calls this.
        self.handle.get_or_init(|| unsafe { PluginHandle::read(*self.pointer.get()) });
    }
}

/// Starts the plugin in `file` on `host`. A status and a sentence; nothing if there is no entry.
///
/// `host` and `file` must live until [`release`], or for good: `LoadedPlugin` sees to it.
pub(crate) fn start(file: &PluginFile, host: &HostSide) -> Option<(Option<Status>, String)> {
    let entry = file.entry()?;
    let table = host_table(host);
    // SAFETY: `LoadedPlugin` keeps both, or forgets both; the place is part of the host.
    let answer = unsafe { call_entry(entry, &table, host.place.pointer.get()) };
    host.place.learn();
    Some(answer)
}

/// Frees the plugin on `host`, if there is one. `HostSide::finish` was true before.
pub(crate) fn release(host: &HostSide) {
    if let Ok(plugin) = host.place.handle() {
        // SAFETY: the plugin has stopped or did not start, no call is inside it, and `finish` lets none begin.
        unsafe { plugin.release() };
    }
}

const _: () = {
    const fn is_shared_by_threads<T: Send + Sync>() {}
    // The plugin calls from any thread.
    is_shared_by_threads::<HostSide>();
};

/// The table of `host`, whose address is the context.
fn host_table(host: &HostSide) -> HostTable {
    HostTable {
        size: size_of::<HostTable>() as u32,
        version: VERSION,
        context: ptr::from_ref(host).cast_mut().cast(),
        internal_name: lend(host.internal_name()),
        host_name: lend(concat!("xivmcp-dalamud's loader ", env!("CARGO_PKG_VERSION"))),
        call_function: Some(call_function),
        call_action: Some(call_action),
        send_message: Some(send_message),
        provide_function: Some(provide_function),
        provide_action: Some(provide_action),
        subscribe: Some(subscribe),
        remove: Some(remove),
        run_on_next_update: Some(run_on_next_update),
        is_framework_thread: Some(is_framework_thread),
        log: Some(log),
        print_chat: Some(print_chat),
        add_command: Some(add_command),
        on_update: Some(on_update),
        on_session: Some(on_session),
        session: Some(session),
        call_service: Some(call_service),
    }
}

/// Runs a call of the plugin behind the panic barrier.
///
/// # Safety
///
/// `context` is that of [`host_table`], whose host still lives.
unsafe fn barrier(context: *mut c_void, call: impl FnOnce(&HostSide) -> Outcome) -> Outcome {
    // SAFETY: the caller's promise.
    let Some(host) = (unsafe { context.cast::<HostSide>().cast_const().as_ref() }) else {
        return Outcome::Invalid(String::from("the host's context is NULL"));
    };
    host.place.learn();
    caught(|| call(host)).unwrap_or_else(|text| Outcome::Failed { kind: String::from("panic"), text })
}

/// Reads a text and goes on with it, or gives the outcome that says it is none.
macro_rules! text_or_return {
    ($slice:expr) => {
        // SAFETY: lent by the plugin for this call.
        match unsafe { text($slice) } {
            Ok(text) => text,
            Err(_) => return Outcome::BadText(String::from("a text that was passed is not UTF-8")),
        }
    };
}

/// Reads what else is lent, and goes on with it, or gives the outcome that says why not.
macro_rules! read_or_return {
    ($read:expr) => {
        // SAFETY: lent by the plugin for this call.
        match unsafe { $read } {
            Ok(read) => read,
            Err(bad) => return bad.into(),
        }
    };
}

unsafe extern "C" fn call_function(
    context: *mut c_void,
    gate: Slice,
    arguments: *const Value,
    count: u32,
    returns: u32,
    reply: *mut Reply,
) -> i32 {
    let call = |host: &HostSide| {
        let Some(returns) = type_of_code(returns) else {
            return Outcome::Invalid(String::from("the return type is unknown"));
        };
        host.call_function(text_or_return!(gate), &read_or_return!(read_arguments(arguments, count)), returns)
    };
    // SAFETY: the plugin passes the table's context and its own reply.
    unsafe { barrier(context, call).write(reply) }
}

unsafe extern "C" fn call_action(
    context: *mut c_void,
    gate: Slice,
    arguments: *const Value,
    count: u32,
    reply: *mut Reply,
) -> i32 {
    let call =
        |host: &HostSide| host.call_action(text_or_return!(gate), &read_or_return!(read_arguments(arguments, count)));
    // SAFETY: the plugin passes the table's context and its own reply.
    unsafe { barrier(context, call).write(reply) }
}

unsafe extern "C" fn send_message(
    context: *mut c_void,
    gate: Slice,
    arguments: *const Value,
    count: u32,
    reply: *mut Reply,
) -> i32 {
    let call =
        |host: &HostSide| host.send_message(text_or_return!(gate), &read_or_return!(read_arguments(arguments, count)));
    // SAFETY: the plugin passes the table's context and its own reply.
    unsafe { barrier(context, call).write(reply) }
}

unsafe extern "C" fn provide_function(
    context: *mut c_void,
    gate: Slice,
    parameters: *const u32,
    count: u32,
    returns: u32,
    id: u64,
    reply: *mut Reply,
) -> i32 {
    let call = |host: &HostSide| {
        let Some(returns) = type_of_code(returns) else {
            return Outcome::Invalid(String::from("the return type is unknown"));
        };
        let signature = IpcSignature::new(read_or_return!(read_types(parameters, count)), returns);
        host.provide_function(text_or_return!(gate), &signature, id)
    };
    // SAFETY: the plugin passes the table's context and its own reply.
    unsafe { barrier(context, call).write(reply) }
}

unsafe extern "C" fn provide_action(
    context: *mut c_void,
    gate: Slice,
    parameters: *const u32,
    count: u32,
    id: u64,
    reply: *mut Reply,
) -> i32 {
    let call = |host: &HostSide| {
        host.provide_action(text_or_return!(gate), &read_or_return!(read_types(parameters, count)), id)
    };
    // SAFETY: the plugin passes the table's context and its own reply.
    unsafe { barrier(context, call).write(reply) }
}

unsafe extern "C" fn subscribe(
    context: *mut c_void,
    gate: Slice,
    parameters: *const u32,
    count: u32,
    id: u64,
    reply: *mut Reply,
) -> i32 {
    let call =
        |host: &HostSide| host.subscribe(text_or_return!(gate), &read_or_return!(read_types(parameters, count)), id);
    // SAFETY: the plugin passes the table's context and its own reply.
    unsafe { barrier(context, call).write(reply) }
}

unsafe extern "C" fn remove(context: *mut c_void, id: u64) -> i32 {
    // SAFETY: the plugin passes the table's context.
    unsafe { barrier(context, |host| host.remove(id)) }.into_code()
}

unsafe extern "C" fn run_on_next_update(context: *mut c_void, id: u64) -> i32 {
    // SAFETY: the plugin passes the table's context.
    unsafe { barrier(context, |host| host.run_on_next_update(id)) }.into_code()
}

unsafe extern "C" fn is_framework_thread(context: *mut c_void) -> i32 {
    // SAFETY: the plugin passes the table's context.
    let outcome = unsafe { barrier(context, |host| Outcome::Done(host.is_framework_thread().into())) };
    i32::from(outcome == Outcome::Done(true.into()))
}

unsafe extern "C" fn log(context: *mut c_void, level: i32, text: Slice) {
    let call = |host: &HostSide| {
        let level = match level {
            0 => LogLevel::Verbose,
            1 => LogLevel::Debug,
            2 => LogLevel::Information,
            3 => LogLevel::Warning,
            _ => LogLevel::Error,
        };
        // SAFETY: lent by the plugin for this call.
        host.log(level, &unsafe { text_lossy(text) });
        Outcome::DONE
    };
    // SAFETY: the plugin passes the table's context.
    unsafe { barrier(context, call) };
}

unsafe extern "C" fn print_chat(context: *mut c_void, is_error: i32, text: Slice) -> i32 {
    let call = |host: &HostSide| host.print_chat(is_error != 0, text_or_return!(text));
    // SAFETY: the plugin passes the table's context.
    unsafe { barrier(context, call) }.into_code()
}

unsafe extern "C" fn add_command(context: *mut c_void, command: Slice, help: Slice, id: u64, reply: *mut Reply) -> i32 {
    let call = |host: &HostSide| host.add_command(text_or_return!(command), text_or_return!(help), id);
    // SAFETY: the plugin passes the table's context and its own reply.
    unsafe { barrier(context, call).write(reply) }
}

unsafe extern "C" fn on_update(context: *mut c_void, id: u64) -> i32 {
    // SAFETY: the plugin passes the table's context.
    unsafe { barrier(context, |host| host.on_update(id)) }.into_code()
}

unsafe extern "C" fn on_session(context: *mut c_void, id: u64) -> i32 {
    // SAFETY: the plugin passes the table's context.
    unsafe { barrier(context, |host| host.on_session(id)) }.into_code()
}

unsafe extern "C" fn session(context: *mut c_void, session: *mut SessionState) -> i32 {
    let call = |host: &HostSide| {
        let state = host.session();
        if let (Some(state), false) = (state, session.is_null()) {
            // SAFETY: not NULL, and the plugin's place for this call.
            unsafe { session.write(SessionState { territory: state.territory, world: state.world }) };
        }
        Outcome::Done(state.is_some().into())
    };
    // SAFETY: the plugin passes the table's context.
    i32::from(unsafe { barrier(context, call) } == Outcome::Done(true.into()))
}

unsafe extern "C" fn call_service(context: *mut c_void, name: Slice, json: Slice, reply: *mut Reply) -> i32 {
    let call = |host: &HostSide| host.call_service(text_or_return!(name), text_or_return!(json));
    // SAFETY: the plugin passes the table's context and its own reply.
    unsafe { barrier(context, call).write(reply) }
}
