//! The entry: what the exported symbol of a plugin's library does.

use std::fmt::Display;

use xivmcp_client::PluginContext;

use super::buffers::hand_over;
use super::host_handle::HostHandle;
use super::plugin_entries::{Placed, plugin_table};
use crate::abi::{HostTable, Owned, PluginTable, Status};
use crate::bridge::{Instance, caught};

/// Starts the plugin whose entry function is `start`. Called by the code that [`plugin!`](crate::plugin) writes.
///
/// # Safety
///
/// The arguments are those of the exported entry, which the host passed (see [`PluginEntry`](crate::abi::PluginEntry)).
#[doc(hidden)]
pub unsafe fn enter<T, E, F>(
    host: *const HostTable,
    plugin: *mut *const PluginTable,
    message: *mut Owned,
    start: F,
) -> i32
where
    T: Send + 'static,
    E: Display,
    F: FnOnce(PluginContext) -> Result<T, E>,
{
    let refuse = |status: Status, sentence: String| {
        if !message.is_null() {
            // SAFETY: not NULL, and the host's place for the sentence, empty until now.
            unsafe { message.write(hand_over(sentence)) };
        }
        status.code()
    };
    if plugin.is_null() {
        return refuse(Status::Invalid, String::from("the host passed no place for the plugin's table"));
    }
    // SAFETY: the host's own table, as the contract says.
    let (host, introduction) = match unsafe { HostHandle::read(host) } {
        Ok(read) => read,
        Err(refusal) => return refuse(refusal.status, refusal.sentence),
    };
    let placed = match caught(|| Instance::new(host, introduction.internal_name)) {
        Ok(Ok(instance)) => Box::into_raw(Box::new(Placed { table: plugin_table(std::ptr::null_mut()), instance })),
        Ok(Err(sentence)) => return refuse(Status::Failed, sentence),
        Err(text) => return refuse(Status::Panicked, text),
    };
    // SAFETY: just made, and known to nobody else yet.
    unsafe { (*placed).table.context = placed.cast() };
    // SAFETY: only `release` frees it, which the host may not call before this function has returned. From here on
    // the host may call in, so it is only shared.
    let shared = unsafe { &*placed };
    // SAFETY: not NULL, and the host's place for the table.
    unsafe { plugin.write(&raw const shared.table) };

    match shared.instance.start(&introduction.host_name, start) {
        Ok(()) => Status::Ok.code(),
        Err(refusal) => refuse(refusal.status, refusal.sentence),
    }
}
