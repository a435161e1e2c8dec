//! What the host calls: the functions of the plugin's table. Each reads what is lent, and hands it to the
//! [`Instance`], behind a panic barrier.

use std::ffi::c_void;
use std::time::Duration;

use super::buffers::{lend, text};
use super::host_handle::SDK_NAME;
use super::outcome::Outcome;
use super::values::{BadValue, read_arguments};
use crate::abi::{PluginTable, Reply, SessionChange, SessionState, Slice, VERSION, Value};
use crate::bridge::Instance;

/// A plugin that was started, where the host's pointers lead: its table, and the instance behind it.
pub(crate) struct Placed {
    pub(crate) table: PluginTable,
    pub(crate) instance: Instance,
}

const _: () = {
    const fn is_shared_by_threads<T: Send + Sync>() {}
    // The host calls from any thread, and frees from any. The table's pointers lead here, or to statics.
    is_shared_by_threads::<Instance>();
};

/// The table for the [`Placed`] at `context`.
pub(crate) fn plugin_table(context: *mut c_void) -> PluginTable {
    PluginTable {
        size: size_of::<PluginTable>() as u32,
        version: VERSION,
        context,
        sdk_name: lend(SDK_NAME),
        invoke: Some(invoke),
        run_closure: Some(run_closure),
        command: Some(command),
        update: Some(update),
        session_event: Some(session_event),
        stop: Some(stop),
        release: Some(release),
    }
}

/// The instance of a call.
///
/// # Safety
///
/// `context` is the plugin table's, in a call before `release`: the address of a `Placed`, as `enter` made it.
unsafe fn instance<'a>(context: *mut c_void) -> Option<&'a Instance> {
    // SAFETY: the caller's promise; until `release` it is only ever shared.
    unsafe { context.cast::<Placed>().as_ref() }.map(|placed| &placed.instance)
}

/// The outcome of a call without an instance.
fn no_instance() -> Outcome {
    Outcome::Invalid(String::from("the plugin's context is NULL"))
}

unsafe extern "C" fn invoke(
    context: *mut c_void,
    id: u64,
    arguments: *const Value,
    count: u32,
    reply: *mut Reply,
) -> i32 {
    // SAFETY: the host passes the table's context.
    let outcome = match unsafe { instance(context) } {
        None => no_instance(),
        Some(instance) => instance.inside(|instance| {
            // SAFETY: the host lends both for this call.
            match unsafe { read_arguments(arguments, count) } {
                Ok(arguments) => instance.invoke(id, &arguments),
                Err(bad) => bad.into(),
            }
        }),
    };
    // SAFETY: the host's reply for this call.
    unsafe { outcome.write(reply) }
}

unsafe extern "C" fn run_closure(context: *mut c_void, id: u64, give_up: i32) -> i32 {
    // SAFETY: the host passes the table's context.
    match unsafe { instance(context) } {
        None => no_instance(),
        Some(instance) => instance.inside(|instance| instance.run_closure(id, give_up != 0)),
    }
    .into_code()
}

unsafe extern "C" fn command(context: *mut c_void, id: u64, command: Slice, arguments: Slice) -> i32 {
    // SAFETY: the host passes the table's context.
    match unsafe { instance(context) } {
        None => no_instance(),
        Some(instance) => instance.inside(|instance| {
            // SAFETY: the host lends both for this call.
            match unsafe { (text(command), text(arguments)) } {
                (Ok(command), Ok(arguments)) => instance.command(id, command, arguments),
                _ => BadValue::Text.into(),
            }
        }),
    }
    .into_code()
}

unsafe extern "C" fn update(context: *mut c_void, id: u64) -> i32 {
    // SAFETY: the host passes the table's context.
    match unsafe { instance(context) } {
        None => no_instance(),
        Some(instance) => instance.inside(|instance| instance.update(id)),
    }
    .into_code()
}

unsafe extern "C" fn session_event(context: *mut c_void, id: u64, change: i32, session: *const SessionState) -> i32 {
    // SAFETY: the host passes the table's context, and lends the session, if any, for this call.
    let (instance, session) = unsafe { (instance(context), session.as_ref().copied()) };
    let change = match change {
        1 => SessionChange::Login,
        2 => SessionChange::Logout,
        3 => SessionChange::TerritoryChanged,
        // A newer host may know more.
        _ => return Outcome::DONE.into_code(),
    };
    match instance {
        None => no_instance(),
        Some(instance) => instance.inside(|instance| instance.session_event(id, change, session)),
    }
    .into_code()
}

unsafe extern "C" fn stop(context: *mut c_void, limit_ms: u32, reply: *mut Reply) -> i32 {
    // SAFETY: the host passes the table's context.
    let outcome = match unsafe { instance(context) } {
        None => no_instance(),
        Some(instance) => instance.stop(Duration::from_millis(u64::from(limit_ms))),
    };
    // SAFETY: the host's reply for this call.
    unsafe { outcome.write(reply) }
}

unsafe extern "C" fn release(context: *mut c_void) {
    if context.is_null() {
        return;
    }
    // SAFETY: `enter` made the address from a box; the host calls this once, as the last call into the plugin.
    let placed = unsafe { Box::from_raw(context.cast::<Placed>()) };
    placed.instance.release();
}
