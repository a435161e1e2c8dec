//! Live mode: real threads and real time.

mod support;

use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use xivmcp_client::ipc::IpcTransport;
use xivmcp_client::{McpCall, McpCapabilities, McpToolDefinition, PluginContext, XivMcpClient};
use xivmcp_mock_host::{Answer, LintKind, MockHost};

use support::{cat, failure};

#[test]
fn calls_run_on_real_threads_and_end_when_their_plugin_is_unloaded() {
    let host = MockHost::live();
    let plugin = cat(&host);
    assert_eq!(host.assistant().call("cat_ping", ()).expect_result(), "pong");
    let call = host.assistant().call("cat_nap", ());
    host.wait_until(|| host.traffic().iter().any(|entry| entry.gate == "Cat.XivMcp.Invoke" && entry.outcome.is_some()));
    call.expect_running();
    plugin.unload();
    assert!(call.wait().error().is_some());
    host.finish();
}

#[tokio::test]
async fn a_call_of_a_live_host_can_be_awaited() {
    let host = MockHost::live();
    cat(&host);
    assert_eq!(host.assistant().call("cat_ping", ()).await.expect_result(), "pong");
}

#[test]
fn the_framework_thread_is_one_and_ticks() {
    let host = MockHost::live();
    let (sender, receiver) = mpsc::channel();
    let plugin = host.load_plugin("Cat", move |context: PluginContext| {
        let (sender, transport) = (sender.clone(), Arc::clone(&context.transport));
        Ok::<_, String>(context.services.on_update(Arc::new(move || {
            let _ = sender.send((std::thread::current().id(), transport.is_framework_thread()));
        })))
    });
    let ticks: Vec<_> = receiver.iter().take(5).collect();
    let framework = host.on_framework(|| std::thread::current().id());
    assert!(ticks.iter().all(|tick| *tick == (framework, true)));
    assert!(!plugin.transport().is_framework_thread());
    plugin.unload();
}

#[test]
fn a_handler_that_holds_the_framework_thread_is_reported() {
    let host = MockHost::live();
    let plugin = host.load("Dog", |client: &XivMcpClient| {
        let dig = McpToolDefinition::new("dog_dig", "Digs.").read_only(true);
        client.add_tool(dig, || {
            let until = Instant::now() + Duration::from_millis(10);
            while Instant::now() < until {
                std::hint::spin_loop();
            }
            Ok("dug")
        })
    });
    host.player().enable(&plugin);
    assert_eq!(host.assistant().call("dog_dig", ()).expect_result(), "dug");
    host.wait_until(|| !plugin.lints().is_empty());
    assert_eq!(plugin.lints()[0].kind, LintKind::HeldFramework);
}

#[test]
fn a_plugin_may_bring_its_own_threads() {
    let host = MockHost::live();
    let plugin = host.load("Dog", |client: &XivMcpClient| {
        let fetch = McpToolDefinition::new("dog_fetch", "Fetches.").capabilities([McpCapabilities::GameUi]);
        client.add_long_running_tool(fetch, async |call: McpCall| {
            let (sender, receiver) = futures::channel::oneshot::channel();
            let reporting = call.clone();
            std::thread::spawn(move || {
                reporting.progress("running");
                let _ = sender.send("stick");
            });
            Ok(receiver.await?)
        })
    });
    host.player().enable(&plugin);
    host.player().answer_all(Answer::Once);
    assert_eq!(host.assistant().call("dog_fetch", ()).expect_result(), "stick");
    // On a busy machine anything may hold a thread for some milliseconds.
    let lints: Vec<_> = host.lints().into_iter().filter(|lint| lint.kind != LintKind::HeldFramework).collect();
    assert_eq!(lints, []);
}

#[test]
fn a_panic_on_the_framework_thread_fails_the_test_and_not_the_thread() {
    let text = failure(|| {
        let host = MockHost::live();
        let plugin = host.load_plugin("Cat", Ok::<_, String>);
        plugin.transport().run_on_next_update(Box::new(|| panic!("no more mice")));
        assert_eq!(host.on_framework(|| 1), 1);
    });
    assert!(text.contains("no more mice"), "{text}");
}

#[test]
fn the_framework_thread_ends_with_the_host_even_if_handles_are_left() {
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let host = MockHost::live();
    let plugin = cat(&host);
    let updating = host.load_plugin("Dog", move |context: PluginContext| {
        let held = Arc::clone(&held);
        std::mem::forget(context.services.on_update(Arc::new(move || drop(Arc::clone(&held)))));
        Ok::<_, String>(())
    });
    host.finish();
    assert!(!plugin.is_loaded() && !updating.is_loaded());
    let before = Arc::strong_count(&alive);
    std::thread::yield_now();
    assert_eq!(Arc::strong_count(&alive), before, "nothing runs any more");
}

#[test]
fn a_plugin_that_holds_the_framework_thread_is_named_and_the_host_ends_all_the_same() {
    let (release, held) = mpsc::channel::<()>();
    let held = Arc::new(Mutex::new(held));
    let text = failure(|| {
        let host = MockHost::live();
        let plugin = host.load_plugin("Dog", Ok::<_, String>);
        let held = Arc::clone(&held);
        plugin.transport().run_on_next_update(Box::new(move || {
            let _ = held.lock().unwrap().recv();
        }));
        host.wait_until(|| !plugin.lints().is_empty());
        assert!(
            plugin.lints()[0].to_string().starts_with("Dog: has held the framework thread"),
            "{:?}",
            plugin.lints()
        );
    });
    assert!(text.contains("XIV MCP could not be unloaded: Dog has held the framework thread for"), "{text}");
    drop(release);
}

#[test]
fn a_plugin_whose_end_hangs_is_named_and_the_host_ends_all_the_same() {
    struct Hangs(Mutex<mpsc::Receiver<()>>);
    impl Drop for Hangs {
        fn drop(&mut self) {
            let _ = self.0.lock().unwrap().recv();
        }
    }
    let (release, held) = mpsc::channel::<()>();
    let hangs = Mutex::new(Some(Hangs(Mutex::new(held))));
    let text = failure(|| {
        let host = MockHost::live();
        host.load_plugin("Dog", move |_| Ok::<_, String>(hangs.lock().unwrap().take()));
    });
    assert!(text.contains("Dog is not unloaded after 20 s: dropping what its entry gave goes on"), "{text}");
    drop(release);
}
