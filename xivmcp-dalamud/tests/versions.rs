//! The entry and the plugin's table, called as a host in another language does: which tables fit, and what happens to
//! a caller that breaks the contract.
#![allow(unsafe_code, reason = "it plays a foreign host")]

use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, Mutex};

use xivmcp_client::PluginContext;
use xivmcp_client::ipc::{IpcGuard, IpcSignature, IpcType};
use xivmcp_dalamud::abi::{
    HostTable, Owned, PluginTable, Reply, SessionState, Slice, Status, VERSION, Value, ValueType,
};

/// What the host of one test has seen.
#[derive(Default)]
struct Seen {
    provided: Mutex<Vec<(String, u64)>>,
    removed: Mutex<Vec<u64>>,
    log: Mutex<Vec<String>>,
}

fn text(slice: Slice) -> String {
    if slice.len == 0 {
        return String::new();
    }
    // SAFETY: lent by the plugin for the call in which this is used.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(slice.ptr, slice.len) }).into_owned()
}

fn slice(text: &str) -> Slice {
    Slice { ptr: text.as_ptr(), len: text.len() }
}

fn seen<'a>(context: *mut c_void) -> &'a Seen {
    // SAFETY: every test keeps its `Seen` until the plugin is released.
    unsafe { &*context.cast() }
}

unsafe extern "C" fn call_function(_: *mut c_void, _: Slice, _: *const Value, _: u32, _: u32, _: *mut Reply) -> i32 {
    Status::NotReady.code()
}
unsafe extern "C" fn call(_: *mut c_void, _: Slice, _: *const Value, _: u32, _: *mut Reply) -> i32 {
    4711
}
unsafe extern "C" fn provide_function(
    context: *mut c_void,
    gate: Slice,
    _: *const u32,
    _: u32,
    _: u32,
    id: u64,
    _: *mut Reply,
) -> i32 {
    seen(context).provided.lock().expect("no panic").push((text(gate), id));
    0
}
unsafe extern "C" fn provide(context: *mut c_void, gate: Slice, _: *const u32, _: u32, id: u64, _: *mut Reply) -> i32 {
    seen(context).provided.lock().expect("no panic").push((text(gate), id));
    0
}
unsafe extern "C" fn remove(context: *mut c_void, id: u64) -> i32 {
    seen(context).removed.lock().expect("no panic").push(id);
    0
}
unsafe extern "C" fn run_on_next_update(_: *mut c_void, _: u64) -> i32 {
    Status::Closed.code()
}
unsafe extern "C" fn is_framework_thread(_: *mut c_void) -> i32 {
    0
}
unsafe extern "C" fn log(context: *mut c_void, _: i32, line: Slice) {
    seen(context).log.lock().expect("no panic").push(text(line));
}

/// A host that offers what is needed and nothing else.
fn table(seen: &Seen) -> HostTable {
    HostTable {
        size: size_of::<HostTable>() as u32,
        version: VERSION,
        context: ptr::from_ref(seen).cast_mut().cast(),
        internal_name: slice("Fixture"),
        host_name: slice("a test"),
        call_function: Some(call_function),
        call_action: Some(call),
        send_message: Some(call),
        provide_function: Some(provide_function),
        provide_action: Some(provide),
        subscribe: Some(provide),
        remove: Some(remove),
        run_on_next_update: Some(run_on_next_update),
        is_framework_thread: Some(is_framework_thread),
        log: Some(log),
        print_chat: None,
        add_command: None,
        on_update: None,
        on_session: None,
        session: None,
        call_service: None,
    }
}

/// What the entry came to: the status, the plugin's table if there is one, and the sentence.
fn enter<T: Send + 'static>(
    host: *const HostTable,
    start: impl FnOnce(PluginContext) -> Result<T, String>,
) -> (Status, Option<PluginTable>, String) {
    let mut plugin: *const PluginTable = ptr::null();
    let mut message = Owned { ptr: ptr::null_mut(), len: 0, owner: ptr::null_mut(), free: None };
    // SAFETY: what the contract says: a table that is as large as it says, and two places.
    let code = unsafe { xivmcp_dalamud::ffi::enter(host, &raw mut plugin, &raw mut message, start) };
    let sentence = text(Slice { ptr: message.ptr, len: message.len });
    if let Some(free) = message.free {
        // SAFETY: once, with what came with it.
        unsafe { free(message.owner, message.ptr, message.len) };
    }
    // SAFETY: a plugin's table is valid until `release`.
    let plugin = unsafe { plugin.as_ref() }.copied();
    (Status::from_code(code).expect("a known status"), plugin, sentence)
}

/// Stops and frees a plugin.
fn end(plugin: &PluginTable) {
    let (stop, release) = (plugin.stop.expect("there"), plugin.release.expect("there"));
    // SAFETY: nothing else calls the plugin; without a reply only the status counts.
    unsafe {
        assert_eq!(stop(plugin.context, 5000, ptr::null_mut()), 0);
        release(plugin.context);
    }
}

fn nothing(_: PluginContext) -> Result<(), String> {
    Ok(())
}

#[test]
fn a_host_that_does_not_fit_is_refused_with_a_sentence_that_says_what_to_do() {
    let seen = Seen::default();
    let refused = |change: &dyn Fn(&mut HostTable)| {
        let mut host = table(&seen);
        change(&mut host);
        let (status, plugin, sentence) = enter(&raw const host, nothing);
        assert!(plugin.is_none());
        (status, sentence)
    };
    let sdk = concat!("xivmcp-dalamud ", env!("CARGO_PKG_VERSION"));
    assert_eq!(
        refused(&|host| host.version = 2),
        (
            Status::Version,
            format!(
                "the host speaks version 2 of the plugin ABI, {sdk} speaks version 1: build the plugin with a newer \
                 xivmcp-dalamud"
            )
        )
    );
    assert_eq!(
        refused(&|host| host.version = 0),
        (
            Status::Version,
            format!(
                "the host speaks version 0 of the plugin ABI, {sdk} speaks version 1: take the shim's files from the \
                 same release of xivmcp-dalamud"
            )
        )
    );
    let (status, sentence) = refused(&|host| host.size = 64);
    assert_eq!(status, Status::Version);
    assert!(sentence.starts_with("the host's table has 64 bytes, ") && sentence.contains("shim"), "{sentence}");
    assert_eq!(
        refused(&|host| (host.subscribe, host.log) = (None, None)),
        (Status::Version, format!("the host's table lacks what {sdk} needs: subscribe, log"))
    );
    assert_eq!(
        refused(&|host| host.internal_name = slice("")),
        (Status::Invalid, String::from("the host did not tell the plugin's internal name"))
    );
    let bad = [0xff_u8];
    assert_eq!(
        refused(&|host| host.internal_name = Slice { ptr: bad.as_ptr(), len: 1 }),
        (Status::BadText, String::from("the plugin's or the host's name is not UTF-8"))
    );
    let (status, _, sentence) = enter(ptr::null(), nothing);
    assert_eq!((status, &*sentence), (Status::Invalid, "the host passed no table"));
    assert_eq!(*seen.log.lock().expect("no panic"), [] as [String; 0], "nobody was called");
}

#[test]
fn a_newer_host_with_a_larger_table_runs_an_older_plugin() {
    #[repr(C)]
    struct Newer {
        table: HostTable,
        more: [usize; 4],
    }
    let seen = Seen::default();
    let mut newer = Newer { table: table(&seen), more: [usize::MAX; 4] };
    newer.table.size = size_of::<Newer>() as u32;
    assert_eq!(newer.more.len(), 4);
    let (status, plugin, _) = enter((&raw const newer).cast(), nothing);
    assert_eq!(status, Status::Ok);
    end(&plugin.expect("it started"));
}

#[test]
fn an_older_host_runs_a_newer_plugin_which_does_without_what_it_lacks() {
    let seen = Seen::default();
    let mut older = table(&seen);
    // It ends with `log`; what stands behind it in memory is not looked at.
    older.size = std::mem::offset_of!(HostTable, log) as u32 + 8;
    let (status, plugin, sentence) = enter(&raw const older, |context| {
        let services = &context.services;
        services.print_chat("lost");
        assert_eq!(services.session(), None);
        let error = services.call_service("x", "{}").expect_err("there is none");
        assert_eq!(error.to_string(), "`x` was refused: the host does not offer call_service");
        drop(services.on_update(Arc::new(|| ())));
        Ok(())
    });
    assert_eq!((status, &*sentence), (Status::Ok, ""));
    end(&plugin.expect("it started"));
    let log = seen.log.lock().expect("no panic").join("\n");
    assert!(log.contains("a line could not be printed to chat") && log.contains("there are no updates"), "{log}");
}

#[test]
fn a_status_that_this_version_does_not_know_is_a_failure() {
    let seen = Seen::default();
    let host = table(&seen);
    let (_, plugin, _) = enter(&raw const host, |context| {
        let error = context.transport.call_action("Some.Gate", &[]).expect_err("4711 is not OK");
        assert_eq!(error.to_string(), "the gate Some.Gate failed: status 4711: ");
        Ok(())
    });
    end(&plugin.expect("it started"));
}

#[test]
fn a_closure_that_the_host_refuses_is_dropped() {
    let seen = Seen::default();
    let host = table(&seen);
    let (_, plugin, _) = enter(&raw const host, |context| {
        let held = Arc::new(());
        let captured = Arc::clone(&held);
        context.transport.run_on_next_update(Box::new(move || drop(captured)));
        assert_eq!(Arc::strong_count(&held), 1);
        Ok(())
    });
    end(&plugin.expect("it started"));
}

#[test]
fn what_was_registered_before_the_entry_failed_is_removed() {
    let seen = Seen::default();
    let host = table(&seen);
    let leaked: Arc<Mutex<Vec<IpcGuard>>> = Arc::default();
    let kept = Arc::clone(&leaked);
    let (status, plugin, sentence) = enter(&raw const host, move |context| -> Result<(), String> {
        let signature = IpcSignature::new([], IpcType::Bool);
        let guard = context.transport.provide_function("A.B", &signature, Arc::new(|_| Ok(true.into())));
        // Even a guard that nobody drops.
        kept.lock().expect("no panic").push(guard.expect("the host takes it"));
        Err(String::from("no luck"))
    });
    assert_eq!((status, &*sentence), (Status::Failed, "no luck"));
    let provided = seen.provided.lock().expect("no panic").clone();
    assert_eq!(*seen.removed.lock().expect("no panic"), [provided[0].1]);
    end(&plugin.expect("its table is there until it is released"));
    drop(leaked);
}

#[test]
fn a_caller_that_breaks_the_contract_gets_a_status() {
    let seen = Seen::default();
    let host = table(&seen);
    let (_, plugin, _) = enter(&raw const host, |context| {
        let signature = IpcSignature::new([IpcType::Text], IpcType::Text);
        let echo = Arc::new(|values: &[xivmcp_client::ipc::IpcValue]| Ok(values[0].clone()));
        context.transport.provide_function("A.B", &signature, echo).map_err(|error| error.to_string())
    });
    let plugin = plugin.expect("it started");
    let id = seen.provided.lock().expect("no panic")[0].1;
    let invoke = plugin.invoke.expect("there");
    let bad = [0xc3_u8, 0x28];
    let value = |value_type: u32, text: Slice| Value { value_type, reserved: 0, bits: 0, text };
    let text_type = ValueType::Text as u32;
    let bytes = |ptr, len| value(text_type, Slice { ptr, len });
    let status = |id: u64, values: &[Value]| {
        // SAFETY: as many values as are told; the reply may be NULL.
        let code = unsafe { invoke(plugin.context, id, values.as_ptr(), values.len() as u32, ptr::null_mut()) };
        Status::from_code(code).expect("a known status")
    };
    assert_eq!(status(id, &[value(text_type, slice("fine"))]), Status::Ok);
    assert_eq!(status(id, &[bytes(ptr::null(), 0)]), Status::Ok, "an empty text may be NULL");
    assert_eq!(status(id, &[bytes(bad.as_ptr(), 2)]), Status::BadText);
    assert_eq!(status(id, &[bytes(ptr::null(), 5)]), Status::BadText);
    assert_eq!(status(id, &[value(99, slice(""))]), Status::Invalid);
    assert_eq!(status(id, &[value(ValueType::Unit as u32, slice(""))]), Status::Invalid);
    assert_eq!(status(id, &[value(ValueType::I32 as u32, slice(""))]), Status::TypeMismatch);
    assert_eq!(status(id, &[]), Status::LengthMismatch);
    assert_eq!(status(id, &[value(text_type, slice("")); 9]), Status::Invalid);
    assert_eq!(status(id + 1000, &[]), Status::Unknown);
    // SAFETY: NULLs are what is tried here.
    unsafe {
        assert_eq!(invoke(plugin.context, id, ptr::null(), 1, ptr::null_mut()), Status::Invalid.code());
        assert_eq!(invoke(ptr::null_mut(), id, ptr::null(), 0, ptr::null_mut()), Status::Invalid.code());
        let session_event = plugin.session_event.expect("there");
        let session = SessionState { territory: 1, world: 2 };
        assert_eq!(
            session_event(plugin.context, id, 99, &raw const session),
            Status::Ok.code(),
            "a newer host's event"
        );
        assert_eq!(session_event(plugin.context, id, 1, ptr::null()), Status::Invalid.code());
        let command = plugin.command.expect("there");
        let not_text = Slice { ptr: bad.as_ptr(), len: 2 };
        assert_eq!(command(plugin.context, id, not_text, slice("")), Status::BadText.code());
        assert_eq!(command(plugin.context, id, slice("/x"), slice("")), Status::Unknown.code(), "it is a function");
        assert_eq!((plugin.run_closure.expect("there"))(plugin.context, 4711, 0), Status::Ok.code());
    }
    end(&plugin);
}
