//! The plugin's view of the host: [`HostHandle`], a checked copy of the host's table.

use std::mem::{MaybeUninit, offset_of};

use xivmcp_client::ipc::{IpcSignature, IpcType, IpcValue};

use super::buffers::{lend, text};
use super::outcome::Outcome;
use super::values::{lend_arguments, type_code};
use crate::abi::{HostTable, LogSeverity, Reply, SessionState, Slice, Status, VERSION};

/// Why a plugin does not start on a host: a status, and a sentence for the developer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: Status,
    pub(crate) sentence: String,
}

/// A checked copy of the host's table. Every method may be called from any thread, at any time until `release`.
#[derive(Clone, Copy)]
pub(crate) struct HostHandle {
    table: HostTable,
}

// SAFETY: the contract allows every function of the host's table on any thread, with its `context`. The two slices in
// the table are not read after `HostHandle::read`.
unsafe impl Send for HostHandle {}
// SAFETY: as above; the table is never written.
unsafe impl Sync for HostHandle {}

/// What a host tells about itself.
pub(crate) struct Introduction {
    pub(crate) internal_name: String,
    pub(crate) host_name: String,
}

/// The name of this side, in sentences and in the log.
pub(crate) const SDK_NAME: &str = concat!("xivmcp-dalamud ", env!("CARGO_PKG_VERSION"));

/// Where the functions that are needed end: what a table must reach.
const NEEDED_SIZE: usize = offset_of!(HostTable, log) + size_of::<usize>();

impl HostHandle {
    /// Checks the host's table and copies it.
    ///
    /// # Safety
    ///
    /// `host` is NULL or points to a host's table: its first 8 bytes, and as many as these say.
    pub(crate) unsafe fn read(host: *const HostTable) -> Result<(Self, Introduction), Refusal> {
        let refuse = |status, sentence| Err(Refusal { status, sentence });
        if host.is_null() {
            return refuse(Status::Invalid, String::from("the host passed no table"));
        }
        // SAFETY: the caller's promise; no reference is made, since the table may be smaller than ours.
        let (size, version) = unsafe { ((&raw const (*host).size).read(), (&raw const (*host).version).read()) };
        if version != VERSION {
            let advice = if version > VERSION {
                "build the plugin with a newer xivmcp-dalamud"
            } else {
                "take the shim's files from the same release of xivmcp-dalamud"
            };
            return refuse(
                Status::Version,
                format!(
                    "the host speaks version {version} of the plugin ABI, {SDK_NAME} speaks version {VERSION}: {advice}"
                ),
            );
        }
        // Whole fields only.
        let size = usize::try_from(size).unwrap_or(usize::MAX).min(size_of::<HostTable>()) & !7;
        if size < NEEDED_SIZE {
            return refuse(
                Status::Version,
                format!(
                    "the host's table has {size} bytes, {SDK_NAME} needs at least {NEEDED_SIZE}: take the shim's files \
                     from the same release of xivmcp-dalamud"
                ),
            );
        }
        let mut table = MaybeUninit::<HostTable>::zeroed();
        // SAFETY: `size` bytes are there (the caller's promise) and have room here.
        unsafe { std::ptr::copy_nonoverlapping(host.cast::<u8>(), table.as_mut_ptr().cast::<u8>(), size) };
        // SAFETY: zero is valid for every field (numbers, pointers, functions that may be NULL), and so is what the
        // host put there.
        let table = unsafe { table.assume_init() };

        let missing = missing_functions(&table);
        if !missing.is_empty() {
            let missing = missing.join(", ");
            return refuse(Status::Version, format!("the host's table lacks what {SDK_NAME} needs: {missing}"));
        }
        // SAFETY: both slices are lent until the entry returns, and copied here.
        let names = unsafe { (text(table.internal_name), text(table.host_name)) };
        let (Ok(internal_name), Ok(host_name)) = names else {
            return refuse(Status::BadText, String::from("the plugin's or the host's name is not UTF-8"));
        };
        if internal_name.is_empty() {
            return refuse(Status::Invalid, String::from("the host did not tell the plugin's internal name"));
        }
        let introduction = Introduction { internal_name: internal_name.to_owned(), host_name: host_name.to_owned() };
        Ok((Self { table }, introduction))
    }

    pub(crate) fn call_function(&self, gate: &str, arguments: &[IpcValue], returns: IpcType) -> Outcome {
        let (Some(function), Some(returns)) = (self.table.call_function, type_code(returns)) else {
            return unsupported("call_function");
        };
        self.with(arguments, |values, count, reply| {
            // SAFETY: all that is passed is lent for this call.
            unsafe { function(self.table.context, lend(gate), values, count, returns, reply) }
        })
    }

    pub(crate) fn call_action(&self, gate: &str, arguments: &[IpcValue]) -> Outcome {
        let Some(function) = self.table.call_action else { return unsupported("call_action") };
        self.with(arguments, |values, count, reply| {
            // SAFETY: all that is passed is lent for this call.
            unsafe { function(self.table.context, lend(gate), values, count, reply) }
        })
    }

    pub(crate) fn send_message(&self, gate: &str, arguments: &[IpcValue]) -> Outcome {
        let Some(function) = self.table.send_message else { return unsupported("send_message") };
        self.with(arguments, |values, count, reply| {
            // SAFETY: all that is passed is lent for this call.
            unsafe { function(self.table.context, lend(gate), values, count, reply) }
        })
    }

    pub(crate) fn provide_function(&self, gate: &str, signature: &IpcSignature, id: u64) -> Outcome {
        let (Some(function), Some(returns)) = (self.table.provide_function, type_code(signature.returns)) else {
            return unsupported("provide_function");
        };
        let Some(codes) = codes(&signature.parameters) else { return unsupported("a parameter's type") };
        // SAFETY: all that is passed is lent for this call; the count is that of a slice of at most 8.
        unsafe {
            Outcome::ask(|reply| {
                function(self.table.context, lend(gate), codes.as_ptr(), codes.len() as u32, returns, id, reply)
            })
        }
    }

    pub(crate) fn provide_action(&self, gate: &str, parameters: &[IpcType], id: u64) -> Outcome {
        let Some(function) = self.table.provide_action else { return unsupported("provide_action") };
        let Some(codes) = codes(parameters) else { return unsupported("a parameter's type") };
        // SAFETY: as in `provide_function`.
        unsafe {
            Outcome::ask(|reply| {
                function(self.table.context, lend(gate), codes.as_ptr(), codes.len() as u32, id, reply)
            })
        }
    }

    pub(crate) fn subscribe(&self, gate: &str, parameters: &[IpcType], id: u64) -> Outcome {
        let Some(function) = self.table.subscribe else { return unsupported("subscribe") };
        let Some(codes) = codes(parameters) else { return unsupported("a parameter's type") };
        // SAFETY: as in `provide_function`.
        unsafe {
            Outcome::ask(|reply| {
                function(self.table.context, lend(gate), codes.as_ptr(), codes.len() as u32, id, reply)
            })
        }
    }

    pub(crate) fn remove(&self, id: u64) {
        if let Some(function) = self.table.remove {
            // SAFETY: nothing but numbers is passed. There is nothing to do about a failure.
            unsafe { function(self.table.context, id) };
        }
    }

    pub(crate) fn run_on_next_update(&self, id: u64) -> Outcome {
        self.of_id(self.table.run_on_next_update, id, "run_on_next_update")
    }

    pub(crate) fn is_framework_thread(&self) -> bool {
        // SAFETY: nothing is passed.
        self.table.is_framework_thread.is_some_and(|function| unsafe { function(self.table.context) } != 0)
    }

    pub(crate) fn log(&self, level: LogSeverity, text: &str) {
        if let Some(function) = self.table.log {
            // SAFETY: the text is lent for this call.
            unsafe { function(self.table.context, level as i32, lend(text)) };
        }
    }

    pub(crate) fn print_chat(&self, is_error: bool, text: &str) -> Outcome {
        let Some(function) = self.table.print_chat else { return unsupported("print_chat") };
        // SAFETY: the text is lent for this call.
        Outcome::of_code(unsafe { function(self.table.context, i32::from(is_error), lend(text)) })
    }

    pub(crate) fn add_command(&self, command: &str, help: &str, id: u64) -> Outcome {
        let Some(function) = self.table.add_command else { return unsupported("add_command") };
        // SAFETY: the texts are lent for this call.
        unsafe { Outcome::ask(|reply| function(self.table.context, lend(command), lend(help), id, reply)) }
    }

    pub(crate) fn on_update(&self, id: u64) -> Outcome {
        self.of_id(self.table.on_update, id, "on_update")
    }

    pub(crate) fn on_session(&self, id: u64) -> Outcome {
        self.of_id(self.table.on_session, id, "on_session")
    }

    pub(crate) fn session(&self) -> Option<SessionState> {
        let function = self.table.session?;
        let mut session = SessionState { territory: 0, world: 0 };
        // SAFETY: the place is ours, and lent for this call.
        (unsafe { function(self.table.context, &raw mut session) } != 0).then_some(session)
    }

    pub(crate) fn call_service(&self, name: &str, json: &str) -> Outcome {
        let Some(function) = self.table.call_service else { return unsupported("call_service") };
        // SAFETY: the texts are lent for this call.
        unsafe { Outcome::ask(|reply| function(self.table.context, lend(name), lend(json), reply)) }
    }

    fn with(
        &self,
        arguments: &[IpcValue],
        call: impl FnOnce(*const crate::abi::Value, u32, *mut Reply) -> i32,
    ) -> Outcome {
        // SAFETY: the callers pass the reply to one function of the host's table.
        lend_arguments(arguments, |values, count| unsafe { Outcome::ask(|reply| call(values, count, reply)) })
            .unwrap_or_else(Outcome::Unsupported)
    }

    fn of_id(
        &self,
        function: Option<unsafe extern "C" fn(*mut std::ffi::c_void, u64) -> i32>,
        id: u64,
        name: &str,
    ) -> Outcome {
        match function {
            // SAFETY: nothing but numbers is passed.
            Some(function) => Outcome::of_code(unsafe { function(self.table.context, id) }),
            None => unsupported(name),
        }
    }
}

/// The codes of at most 8 types.
fn codes(types: &[IpcType]) -> Option<Vec<u32>> {
    types.iter().copied().map(type_code).collect()
}

fn unsupported(what: &str) -> Outcome {
    Outcome::Unsupported(format!("the host does not offer {what}"))
}

/// The functions without which a plugin cannot be, as far as the table lacks them.
fn missing_functions(table: &HostTable) -> Vec<&'static str> {
    [
        ("call_function", table.call_function.is_none()),
        ("call_action", table.call_action.is_none()),
        ("send_message", table.send_message.is_none()),
        ("provide_function", table.provide_function.is_none()),
        ("provide_action", table.provide_action.is_none()),
        ("subscribe", table.subscribe.is_none()),
        ("remove", table.remove.is_none()),
        ("run_on_next_update", table.run_on_next_update.is_none()),
        ("is_framework_thread", table.is_framework_thread.is_none()),
        ("log", table.log.is_none()),
    ]
    .into_iter()
    .filter_map(|(name, missing)| missing.then_some(name))
    .collect()
}

const _: () = {
    // What `read` copies in whole fields: all of them are 8 bytes, or two of 4 at the start.
    assert!(size_of::<HostTable>().is_multiple_of(8) && size_of::<Slice>() == 16);
};
