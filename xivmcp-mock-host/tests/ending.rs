//! The end of a host: nothing that went wrong passes unseen, and the test's own failure is never hidden.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use xivmcp_client::ipc::{IpcAction, IpcSignature, IpcTransport, IpcType};
use xivmcp_client::{McpCapabilities, McpToolDefinition, PluginContext, XivMcpClient};
use xivmcp_mock_host::{LintKind, MockHost, PendingCounts};

use support::{cat, failure};

#[test]
fn a_host_whose_calls_still_run_ends_in_good_order() {
    let host = MockHost::simulated();
    cat(&host);
    let call = host.assistant().call("cat_nap", ());
    call.expect_running();
    host.finish();
}

#[test]
fn nothing_is_left_pending_after_the_plugins_are_gone() {
    let host = MockHost::simulated();
    let plugin = cat(&host);
    let call = host.assistant().call("cat_nap", ());
    plugin.unload();
    assert!(!call.expect_error().is_empty());
    assert_eq!(host.pending(), PendingCounts::default());
}

#[test]
fn a_panic_on_a_thread_of_the_host_fails_the_test_that_owns_it() {
    let text = failure(|| {
        let host = MockHost::simulated();
        let plugin = host.load_plugin("Cat", Ok::<_, String>);
        plugin.transport().run_on_next_update(Box::new(|| panic!("no more mice")));
    });
    assert!(text.contains("at the end of the host"), "{text}");
    assert!(text.contains("a closure of Cat panicked on the framework thread: no more mice"), "{text}");
}

#[test]
fn the_panic_of_the_test_itself_is_the_one_that_counts() {
    let text = failure(|| {
        let host = MockHost::simulated();
        let plugin = host.load_plugin("Cat", Ok::<_, String>);
        plugin.transport().run_on_next_update(Box::new(|| panic!("no more mice")));
        host.builtin("navigate_to").expect_calls(1);
        panic!("the test's own words");
    });
    assert_eq!(text, "the test's own words");
}

#[test]
fn expectations_are_verified_at_the_end() {
    let text = failure(|| {
        let host = MockHost::simulated();
        host.builtin("get_inventory").expect_calls(2);
        drop(host.assistant().call("get_inventory", json!({"bag": 1})).wait());
    });
    assert!(text.contains("get_inventory should have been called 2 times, it was 1"), "{text}");
    assert!(text.contains(r#"{"bag":1}"#), "{text}");

    let host = MockHost::simulated();
    host.builtin("get_inventory").expect_calls(1);
    drop(host.assistant().call("get_inventory", json!({})).wait());
    host.finish();
}

#[test]
fn expectations_do_not_pass_while_something_still_runs() {
    let text = failure(|| {
        let host = MockHost::simulated();
        cat(&host);
        host.builtin("navigate_to").expect_calls(0);
        host.assistant().call("cat_nap", ());
    });
    assert!(text.contains("ended while something still ran (cat_nap)"), "{text}");
}

#[test]
fn a_handler_that_never_ends_is_reported_with_its_plugin() {
    let text = failure(|| {
        let host = MockHost::simulated();
        cat(&host);
        host.assistant().call("cat_deaf", ());
    });
    assert!(text.contains("a handler never ended, although its plugin was unloaded: a task of Cat"), "{text}");
}

#[test]
fn a_lint_is_only_told_until_the_test_denies_it() {
    let load = |host: &MockHost| {
        host.load("Cat", |client: &XivMcpClient| {
            client.add_tool(McpToolDefinition::new("dog_ping", "Answers.").read_only(true), || Ok("pong"))
        })
    };
    let host = MockHost::simulated();
    let plugin = load(&host);
    assert_eq!(plugin.lints()[0].kind, LintKind::ToolName);
    host.finish();
    let text = failure(|| {
        let host = MockHost::simulated();
        host.deny(LintKind::ToolName);
        load(&host);
    });
    assert!(text.contains("denied lint ToolName: Cat, dog_ping"), "{text}");
}

#[test]
fn a_gate_that_a_plugin_leaves_behind_is_taken_away_and_reported() {
    let host = MockHost::simulated();
    let plugin = host.load_plugin("Cat", |context: PluginContext| {
        let action: IpcAction = Arc::new(|_| Ok(()));
        let guard = context.transport.provide_action("Cat.Purr", &[], action)?;
        std::mem::forget(guard);
        Ok::<_, xivmcp_client::ipc::IpcError>(())
    });
    plugin.unload();
    assert_eq!(plugin.lints()[0].kind, LintKind::LeftGate);
    let other = host.install("Dog");
    assert!(other.transport().call_action("Cat.Purr", &[]).is_err());
}

#[test]
fn a_plugin_whose_entry_fails_fails_the_test_with_its_words() {
    let host = MockHost::simulated();
    let text = failure(|| drop(host.load_plugin("Cat", |_| Err::<(), _>("no milk"))));
    assert!(text.contains("Cat cannot be loaded: no milk"), "{text}");
    let text = failure(|| drop(host.load_plugin("Dog", |_| -> Result<(), String> { panic!("no bone") })));
    assert!(text.contains("its entry panicked: no bone"), "{text}");
}

#[test]
fn a_reload_runs_the_entry_again_and_the_old_connection_reaches_nothing() {
    let host = MockHost::simulated();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let plugin = host.load("Cat", move |client: &XivMcpClient| {
        counted.fetch_add(1, Ordering::Relaxed);
        support::register(client)
    });
    let old = plugin.transport();
    let old_client = plugin.client();
    plugin.reload();
    assert_eq!(count.load(Ordering::Relaxed), 2);
    assert!(old.call_function("XivMcp.ApiVersion", &[], IpcType::I32).is_err());
    assert!(!old_client.is_available());
    assert!(plugin.client().is_available());
    let signature = IpcSignature::new([], IpcType::I32);
    assert!(old.provide_function("Cat.F", &signature, Arc::new(|_| Ok(1i32.into()))).is_err());
}

#[test]
fn a_thousand_hosts_thirty_two_at_a_time_share_nothing() {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| {
                while next.fetch_add(1, Ordering::Relaxed) < 1000 {
                    let host = MockHost::simulated();
                    let plugin = host.load("Cat", |client: &XivMcpClient| {
                        let ping = McpToolDefinition::new("cat_ping", "Answers.");
                        client.add_tool(ping.capabilities([McpCapabilities::GameUi]), || Ok("pong"))
                    });
                    assert!(host.assistant().tools().is_empty());
                    host.player().enable(&plugin);
                    assert_eq!(host.player().asked().len(), 0);
                    host.assistant().call("cat_ping", ());
                    assert_eq!(host.player().questions().len(), 1);
                    host.advance(Duration::from_secs(120));
                    assert_eq!(host.audit().len(), 1);
                    host.finish();
                }
            });
        }
    });
}

#[test]
fn what_a_plugin_leaves_for_the_framework_thread_is_dropped_when_it_is_unloaded() {
    let host = MockHost::simulated();
    let held = Arc::new(());
    let left = Arc::clone(&held);
    let plugin = host.load_plugin("Cat", move |context: PluginContext| {
        let (ticking, queued) = (Arc::clone(&left), Arc::clone(&left));
        std::mem::forget(context.services.on_update(Arc::new(move || drop(Arc::clone(&ticking)))));
        let transport = Arc::clone(&context.transport);
        context.transport.run_on_next_update(Box::new(move || {
            transport.run_on_next_update(Box::new(move || drop(queued))); // waits a frame
        }));
        Ok::<_, String>(())
    });
    assert_eq!(Arc::strong_count(&held), 4);
    plugin.unload();
    assert_eq!(Arc::strong_count(&held), 2, "only the entry has it");
    host.finish();
}

#[test]
fn a_rule_of_the_player_that_panics_fails_the_test_and_nothing_hangs() {
    let text = failure(|| {
        let host = MockHost::simulated();
        let plugin = host.load("Cat", support::register);
        host.player().enable(&plugin);
        host.player().answer_with(|_| panic!("I cannot decide"));
        let call = host.assistant().call("cat_nap", ());
        assert!(call.wait().error().is_some(), "no answer in two minutes");
    });
    assert!(text.contains("I cannot decide"), "{text}");
}
