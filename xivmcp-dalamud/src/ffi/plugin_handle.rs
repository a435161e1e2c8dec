//! The host's view of a plugin: its library ([`PluginFile`]), and a checked copy of its table ([`PluginHandle`]).

use std::mem::{ManuallyDrop, MaybeUninit};
use std::path::Path;
use std::time::Duration;

use xivmcp_client::ipc::IpcValue;

use super::buffers::{NOTHING, lend, take};
use super::outcome::Outcome;
use super::values::lend_arguments;
use crate::abi::{ENTRY_SYMBOL, HostTable, PluginEntry, PluginTable, SessionChange, SessionState, Status, VERSION};

/// A plugin's library. On Windows its code is unmapped when this is dropped. Elsewhere it stays mapped for good: there
/// the standard library of a plugin leaves destructors of its thread-locals with the threads that called it, which run
/// when those threads end (`pthread_key_create`). Which threads these are, and whether they have ended, a loader in
/// somebody else's process cannot know. The game is a Windows program; the host in C, in this crate's tests, unmaps
/// for real, since all its threads end before.
#[derive(Debug)]
pub(crate) struct PluginFile {
    library: ManuallyDrop<libloading::Library>,
}

impl PluginFile {
    /// Maps the library at `path` into the process.
    pub(crate) fn open(path: &Path) -> Result<Self, libloading::Error> {
        // SAFETY: a plugin's library runs no code when it is mapped or unmapped beyond what Rust's standard library
        // and the C runtime do. A file that is no plugin may: the caller names the file, as Dalamud's user does.
        unsafe { libloading::Library::new(path) }.map(|library| Self { library: ManuallyDrop::new(library) })
    }

    /// The entry; nothing if the library exports none.
    pub(crate) fn entry(&self) -> Option<PluginEntry> {
        // SAFETY: what is exported under this name has this type; the name belongs to the ABI.
        unsafe { self.library.get::<PluginEntry>(ENTRY_SYMBOL) }.ok().map(|entry| *entry)
    }
}

#[cfg(windows)]
impl Drop for PluginFile {
    fn drop(&mut self) {
        // SAFETY: it is dropped here only, and not used again.
        unsafe { ManuallyDrop::drop(&mut self.library) };
    }
}

/// Calls the entry. A status, and the sentence that came with it.
///
/// # Safety
///
/// `entry` is the entry of a library that stays mapped; `host` is a whole table whose `context` and functions stay
/// valid until the plugin is released; `place` is a place for a pointer, until this returns.
pub(crate) unsafe fn call_entry(
    entry: PluginEntry,
    host: &HostTable,
    place: *mut *const PluginTable,
) -> (Option<Status>, String) {
    let mut message = NOTHING;
    // SAFETY: all three pointers are valid until the entry returns (the caller's promise for the last).
    let code = unsafe { entry(host, place, &raw mut message) };
    // SAFETY: the entry filled it, and it is taken here only.
    let sentence = unsafe { take(message) }.unwrap_or_else(|_| String::from("(the sentence is not UTF-8)"));
    (Status::from_code(code), sentence)
}

/// A checked copy of a plugin's table. Its methods may be called until `release`.
#[derive(Clone, Copy)]
pub(crate) struct PluginHandle {
    table: PluginTable,
}

// SAFETY: the contract allows the plugin's functions on any thread (where they say "the framework thread" it is the
// plugin's code that cares). The table is never written.
unsafe impl Send for PluginHandle {}
// SAFETY: as above.
unsafe impl Sync for PluginHandle {}

impl PluginHandle {
    /// Checks a plugin's table and copies it; a sentence if it does not fit.
    ///
    /// # Safety
    ///
    /// `plugin` is NULL or points to a plugin's table: its first 8 bytes, and as many as these say.
    pub(crate) unsafe fn read(plugin: *const PluginTable) -> Result<Self, String> {
        if plugin.is_null() {
            return Err(String::from("the plugin gave no table"));
        }
        // SAFETY: the caller's promise; no reference is made, since the table may be smaller than ours.
        let (size, version) = unsafe { ((&raw const (*plugin).size).read(), (&raw const (*plugin).version).read()) };
        if version != VERSION {
            return Err(format!("the plugin speaks version {version} of the plugin ABI, this host version {VERSION}"));
        }
        let size = usize::try_from(size).unwrap_or(usize::MAX).min(size_of::<PluginTable>()) & !7;
        let mut table = MaybeUninit::<PluginTable>::zeroed();
        // SAFETY: `size` bytes are there (the caller's promise) and have room here; zero is valid for every field.
        let table = unsafe {
            std::ptr::copy_nonoverlapping(plugin.cast::<u8>(), table.as_mut_ptr().cast::<u8>(), size);
            table.assume_init()
        };
        if table.invoke.is_none() || table.run_closure.is_none() || table.stop.is_none() || table.release.is_none() {
            return Err(format!("the plugin's table ({size} bytes) lacks invoke, run_closure, stop or release"));
        }
        Ok(Self { table })
    }

    pub(crate) fn invoke(&self, id: u64, arguments: &[IpcValue]) -> Outcome {
        let Some(function) = self.table.invoke else { return missing("invoke") };
        lend_arguments(arguments, |values, count| {
            // SAFETY: all that is passed is lent for this call.
            unsafe { Outcome::ask(|reply| function(self.table.context, id, values, count, reply)) }
        })
        .unwrap_or_else(Outcome::Unsupported)
    }

    pub(crate) fn run_closure(&self, id: u64, give_up: bool) -> Outcome {
        let Some(function) = self.table.run_closure else { return missing("run_closure") };
        // SAFETY: nothing but numbers is passed.
        Outcome::of_code(unsafe { function(self.table.context, id, i32::from(give_up)) })
    }

    pub(crate) fn command(&self, id: u64, command: &str, arguments: &str) -> Outcome {
        let Some(function) = self.table.command else { return missing("command") };
        // SAFETY: the texts are lent for this call.
        Outcome::of_code(unsafe { function(self.table.context, id, lend(command), lend(arguments)) })
    }

    pub(crate) fn update(&self, id: u64) -> Outcome {
        let Some(function) = self.table.update else { return missing("update") };
        // SAFETY: nothing but numbers is passed.
        Outcome::of_code(unsafe { function(self.table.context, id) })
    }

    pub(crate) fn session_event(&self, id: u64, change: SessionChange, session: Option<SessionState>) -> Outcome {
        let Some(function) = self.table.session_event else { return missing("session_event") };
        let session = session.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: the session is NULL, or lent for this call.
        Outcome::of_code(unsafe { function(self.table.context, id, change as i32, session) })
    }

    pub(crate) fn stop(&self, limit: Duration) -> Outcome {
        let Some(function) = self.table.stop else { return missing("stop") };
        let limit = u32::try_from(limit.as_millis()).unwrap_or(u32::MAX);
        // SAFETY: nothing but a number and the reply is passed.
        unsafe { Outcome::ask(|reply| function(self.table.context, limit, reply)) }
    }

    /// Frees the plugin.
    ///
    /// # Safety
    ///
    /// `stop` was `OK` (or the entry failed and left nothing), every call into the plugin has returned, and neither
    /// this handle nor a copy of it is used again.
    pub(crate) unsafe fn release(self) {
        if let Some(function) = self.table.release {
            // SAFETY: the caller's promise is what the contract asks for.
            unsafe { function(self.table.context) };
        }
    }
}

fn missing(what: &str) -> Outcome {
    Outcome::Unsupported(format!("the plugin does not offer {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ffi::plugin_entries::plugin_table;

    /// The table of a plugin that nobody calls, read after `change`.
    fn read(change: impl FnOnce(&mut PluginTable)) -> Result<PluginTable, String> {
        let mut table = plugin_table(std::ptr::null_mut());
        change(&mut table);
        // SAFETY: a whole table, whatever its size says; reading is bounded by ours.
        unsafe { PluginHandle::read(&raw const table) }.map(|handle| handle.table)
    }

    #[test]
    fn an_older_or_newer_plugin_runs_if_its_table_has_what_is_needed() {
        assert!(read(|_| ()).is_ok());
        // A newer one has more behind what this host knows; one may lack what this host can do without.
        assert!(read(|table| table.size += 64).is_ok());
        assert!(read(|table| table.command = None).is_ok_and(|table| table.update.is_some()));
    }

    #[test]
    fn a_plugin_that_does_not_fit_is_refused_with_a_sentence() {
        let refused = |change: fn(&mut PluginTable)| read(change).err().unwrap_or_default();
        assert_eq!(
            refused(|table| table.version = 2),
            "the plugin speaks version 2 of the plugin ABI, this host version 1"
        );
        assert_eq!(
            refused(|table| table.size = 41),
            "the plugin's table (40 bytes) lacks invoke, run_closure, stop or release"
        );
        assert!(refused(|table| table.stop = None).contains("lacks"));
        // SAFETY: NULL is allowed.
        let none = unsafe { PluginHandle::read(std::ptr::null()) };
        assert_eq!(none.err().as_deref(), Some("the plugin gave no table"));
    }
}
