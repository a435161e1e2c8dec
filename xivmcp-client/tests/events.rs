//! What goes wrong without an error is told as an event of `tracing`.

mod support;

use std::fmt;
use std::sync::{Arc, Mutex};

use support::{End, Host, reading};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};
use xivmcp_client::protocol::envelope;
use xivmcp_client::{ClientHandle, McpCall, McpDependency};

/// Keeps the client's events, as `LEVEL message field=value …`.
#[derive(Clone, Default)]
struct Events(Arc<Mutex<Vec<String>>>);

impl Events {
    /// What `code` tells on this thread.
    fn of(code: impl FnOnce()) -> Vec<String> {
        let events = Self::default();
        tracing::subscriber::with_default(events.clone(), code);
        std::mem::take(&mut *events.0.lock().unwrap())
    }
}

#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        } else {
            self.fields += &format!(" {}={value:?}", field.name());
        }
    }
}

impl Subscriber for Events {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("xivmcp_client")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        let level: &Level = event.metadata().level();
        self.0.lock().unwrap().push(format!("{level} {}{}", line.message, line.fields));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// A tool that ends at once, on the thread that calls it.
fn instant(client: &ClientHandle) {
    client.add_long_running_tool(reading("ends_at_once"), async || Ok(1)).unwrap();
}

#[test]
fn a_completion_that_the_host_drops_is_told() {
    let host = Host::new();
    let client = host.client();
    instant(&client);
    host.script(|gate, _| (gate == "CompleteCall").then(|| envelope::ok(&serde_json::json!({ "accepted": false }))));
    let events = Events::of(|| host.start("c1", "ends_at_once"));
    assert_eq!(events, [r#"DEBUG the call had ended before: its result was dropped tool="ends_at_once" call="c1""#]);

    host.script(|gate, _| (gate == "CompleteCall").then(|| envelope::error("there is no running call c2")));
    let events = Events::of(|| host.start("c2", "ends_at_once"));
    let told = "WARN the end of a call was not taken: it was dropped";
    assert_eq!(events, [format!(r#"{told} tool="ends_at_once" call="c2" error=there is no running call c2"#)]);
}

// R-CLI-6
#[test]
fn an_end_after_the_host_has_gone_is_told_to_nobody_who_does_not_want_to_know_everything() {
    let host = Host::new();
    let client = host.client();
    instant(&client);
    host.gates_go();
    let events = Events::of(|| host.start("c1", "ends_at_once"));
    assert_eq!(events, [r#"TRACE a call ended after XIV MCP had gone tool="ends_at_once" call="c1""#]);
}

// R-CLI-6
#[test]
fn a_cancel_of_an_unknown_call_is_told() {
    let host = Host::new();
    let client = host.client();
    let events = Events::of(|| host.cancel("nothing"));
    assert_eq!(events, [r#"DEBUG Cancel of a call that is not running was ignored call="nothing""#]);
    drop(client);
}

// R-CLI-3
#[test]
fn a_refused_registration_without_a_callback_is_told() {
    let host = Host::new();
    let client = host.client();
    host.script(|gate, _| {
        ["RegisterTool", "DeclareDependencies"].contains(&gate).then(|| envelope::error("it is taken"))
    });
    let events = Events::of(|| {
        client.add_tool(reading("taken_tool"), || Ok(1)).unwrap();
        client.uses_tools([McpDependency::built_in("nothing")]).unwrap();
    });
    let told = "WARN XIV MCP refused a registration, and nobody listens";
    assert_eq!(
        events,
        [format!("{told} failed=taken_tool: it is taken"), format!("{told} failed=dependencies: it is taken")]
    );

    let listens = xivmcp_client::XivMcpClient::builder(host.clone()).on_registration_failed(|_| {}).connect().unwrap();
    assert!(Events::of(|| listens.add_tool(reading("taken_tool"), || Ok(1)).unwrap()).is_empty(), "somebody listens");
}

// R-CLI-4
#[test]
fn a_panic_of_a_handler_is_told_with_its_tool_and_call() {
    let host = Host::new();
    let client = host.client();
    client.add_tool(reading("reads_badly"), || -> support::Nothing { panic!("on purpose") }).unwrap();
    let events = Events::of(|| drop(host.invoke("c1", "reads_badly", "{}")));
    assert_eq!(events, [r#"ERROR the handler of a tool panicked tool="reads_badly" call="c1" panic="on purpose""#]);
}

// R-CLI-9
#[test]
fn progress_after_the_end_of_a_call_is_told_and_not_sent() {
    let host = Host::new();
    let client = host.client();
    let kept = Arc::new(Mutex::new(None));
    let keeps = kept.clone();
    let keep = move |call: McpCall| {
        *keeps.lock().unwrap() = Some(call);
        Ok(1)
    };
    client.add_tool(reading("reads_late"), keep).unwrap();
    host.invoke("c1", "reads_late", "{}");
    let call = kept.lock().unwrap().take().unwrap();
    let events = Events::of(|| call.progress("too late"));
    assert_eq!(events, [r#"DEBUG progress after the end of a call was dropped tool="reads_late" call="c1""#]);
    assert!(host.progress().is_empty());
}

#[test]
fn what_goes_well_is_not_told() {
    let host = Host::new();
    let events = Events::of(|| {
        let client = host.client();
        instant(&client);
        client.add_tool(reading("asks_much"), |call: McpCall| Ok(call.client().get_status().can_run())).unwrap();
        host.script(|gate, _| (gate == "GetStatus").then(|| envelope::ok(&serde_json::json!({ "state": "enabled" }))));
        host.start("c1", "ends_at_once");
        host.invoke("c2", "asks_much", "{}");
        host.unload();
        host.load();
        assert_eq!(host.ends("c1"), [End::Completed("1".to_owned())]);
        assert!(client.dispose().is_clean());
    });
    assert!(events.is_empty(), "{events:?}");
}
