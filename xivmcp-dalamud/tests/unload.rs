//! Over the loader: how a plugin ends, and what ends it when it does not want to.

mod support;

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use support::{Game, NAME};
use xivmcp_client::ipc::IpcError;
use xivmcp_dalamud::host::{LoadError, LoadedPlugin, PluginLibrary};

/// Enough on a busy machine; nothing waits for all of it.
const LIMIT: Duration = Duration::from_secs(60);
/// Too little for something that is held.
const SHORT: Duration = Duration::from_millis(50);

fn loaded(mode: &'static str) -> (Game, LoadedPlugin) {
    let game = Game::new(mode);
    let plugin = game.load().expect("the fixture loads");
    (game, plugin)
}

/// A plugin that runs something at once, which is held already.
fn loaded_and_held(mode: &'static str) -> (Game, LoadedPlugin) {
    let (game, plugin) = loaded(mode);
    game.wait_for_held(1);
    (game, plugin)
}

/// Stops a plugin of which something is held: first in vain, for the reason `why`, then, let go, for good.
fn ends_only_when_let_go((game, mut plugin): (Game, LoadedPlugin), why: &str) {
    let still = plugin.stop(SHORT).expect_err("something is held");
    assert_eq!(still.to_string(), format!("the library of a plugin must stay loaded: {NAME}: {why}"));
    game.let_go();
    plugin.stop(LIMIT).expect("it can end now");
    assert_eq!(game.left_behind(), [] as [String; 0]);
}

#[test]
fn a_plugin_that_is_stopped_leaves_nothing_behind() {
    let (game, mut plugin) = loaded("");
    assert!(game.left_behind().len() > 20, "{:?}", game.left_behind());
    game.act("Later", &[]).expect("it queues");
    game.act("CountUpdates", &[]).expect("it counts");
    game.on_framework_thread(|| plugin.stop(LIMIT)).expect("nothing is held");
    game.give_up_closures();
    assert_eq!(game.left_behind(), [] as [String; 0]);
    assert!(matches!(game.call("Echo.string", &["x"]), Err(IpcError::NotReady { .. })));
    plugin.stop(LIMIT).expect("twice is no error");
}

#[test]
fn an_entry_that_fails_takes_back_what_it_registered_and_says_why() {
    let game = Game::new("fails");
    let error = game.load().expect_err("it was told to fail");
    assert_eq!(error.to_string(), "the plugin Fixture did not start: the fixture was told to fail");
    assert_eq!(game.left_behind(), [] as [String; 0]);
}

#[test]
fn an_entry_that_panics_takes_back_what_it_registered_and_says_where() {
    let game = Game::new("panics");
    let Err(LoadError::NotStarted { sentence, .. }) = game.load() else { panic!("it panics") };
    assert!(sentence.starts_with("its entry function panicked: the entry panics (at "), "{sentence}");
    assert!(sentence.contains("modes.rs:"), "{sentence}");
    assert_eq!(game.left_behind(), [] as [String; 0]);
    assert!(game.logged("the entry panics"));
}

#[test]
fn an_entry_that_fails_and_leaves_work_that_does_not_end_stays_mapped() {
    let game = Game::new("fails stubbornly");
    let error = game.load().expect_err("it was told to fail").to_string();
    assert!(error.contains("the fixture was told to fail; and the library must stay loaded: a handler"), "{error}");
    assert_eq!(game.left_behind(), [] as [String; 0]);
    game.let_go();
}

#[test]
fn a_destructor_that_panics_is_logged() {
    let (game, mut plugin) = loaded("drop panics");
    plugin.stop(LIMIT).expect("it ends all the same");
    assert!(game.logged("dropping what the plugin's entry function returned panicked: the drop panics (at "));
    assert_eq!(game.left_behind(), [] as [String; 0]);
}

#[test]
fn a_destructor_may_wait_for_the_framework_thread_that_stops_the_plugin() {
    let (game, mut plugin) = loaded("drop waits");
    game.on_framework_thread(|| plugin.stop(LIMIT)).expect("the closure is run meanwhile");
    assert_eq!(game.chat(), ["the closure ran"]);
}

#[test]
fn a_closure_that_nobody_runs_is_given_up_when_time_is_up() {
    let (_game, mut plugin) = loaded("drop waits");
    let started = Instant::now();
    plugin.stop(SHORT).expect("what waits for the closure learns that it never runs");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_destructor_that_hangs_keeps_the_library_loaded() {
    ends_only_when_let_go(loaded("drop hangs"), "what its entry function returned is still being dropped");
}

#[test]
fn work_that_ignores_the_end_keeps_the_library_loaded() {
    let why = "a handler or a task of it did not end in time (the log names the tool)";
    ends_only_when_let_go(loaded_and_held("stubborn"), why);
}

#[test]
fn asking_again_without_a_limit_does_not_hold_up_the_thread_that_asks() {
    let (game, mut plugin) = loaded_and_held("stubborn");
    plugin.stop(SHORT).expect_err("something is held");
    let again = || {
        let started = Instant::now();
        let still = plugin.stop(Duration::ZERO).expect_err("it is still held");
        assert!(still.text.contains("a handler or a task of it did not end"), "{still}");
        started.elapsed()
    };
    // The shim asks each second on the framework thread. One of these may be unlucky on a busy machine, not all.
    let quickest = std::iter::repeat_with(again).take(5).min().expect("five");
    assert!(quickest < Duration::from_millis(100), "{quickest:?}");
    game.let_go();
    plugin.stop(LIMIT).expect("it can end now");
}

#[test]
fn a_handler_that_ignores_its_cancellation_is_named_in_the_log_and_keeps_the_library_loaded() {
    let (game, mut plugin) = loaded("tools");
    let id = "0123456789abcdef0123456789abcdef";
    let reply = game.on_framework_thread(|| game.call("XivMcp.Invoke", &[id, "fixture_hold", "{}"]));
    assert_eq!(reply.as_deref(), Ok(r#"{"pending":true}"#));
    game.wait_for_held(1);
    // Longer than the client waits for its handlers, so that it can say which one it gave up.
    let limit = xivmcp_client::DEFAULT_DISPOSE_LIMIT + Duration::from_secs(2);
    let still = game.on_framework_thread(|| plugin.stop(limit)).expect_err("the handler is held");
    assert_eq!(still.text, "Fixture: a handler or a task of it did not end in time (the log names the tool)");
    assert!(game.logged("fixture_hold"), "{:?}", game.log_lines());
    assert_eq!(game.left_behind(), [] as [String; 0]);
    game.let_go();
    plugin.stop(LIMIT).expect("it can end now");
}

#[test]
fn a_thread_of_the_author_s_that_was_not_joined_keeps_the_library_loaded() {
    ends_only_when_let_go(
        loaded_and_held("thread"),
        "something of it still holds its context: a thread of its own that it did not join, or a value that was leaked",
    );
}

#[test]
fn a_context_that_was_leaked_keeps_the_library_loaded_without_a_long_wait() {
    let (game, mut plugin) = loaded("leaks");
    let started = Instant::now();
    let still = plugin.stop(LIMIT).expect_err("the context is held for good");
    assert!(still.text.contains("leaked"), "{still}");
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(game.left_behind(), [] as [String; 0]);
}

#[test]
fn a_call_that_is_inside_is_waited_for() {
    let (game, mut plugin) = loaded("");
    let inside = thread::spawn({
        let game = game.clone();
        move || game.call("Wait", &[])
    });
    game.wait_for_held(1);
    let still = plugin.stop(SHORT).expect_err("the call is inside");
    assert_eq!(still.text, "Fixture: a call into it has not returned");
    // No new one begins.
    assert!(matches!(game.call("Echo.string", &["x"]), Err(IpcError::NotReady { .. })));
    game.let_go();
    plugin.stop(LIMIT).expect("it has returned, or is about to");
    assert_eq!(inside.join().expect("no panic").as_deref(), Ok("waited"));
}

#[test]
fn a_thread_that_waits_for_the_framework_thread_while_that_stops_the_plugin_gets_it() {
    let (game, mut plugin) = loaded("");
    let waiting = thread::spawn({
        let game = game.clone();
        move || game.call("OnFramework", &[])
    });
    game.wait_for_closure();
    game.on_framework_thread(|| plugin.stop(LIMIT)).expect("the closure is run meanwhile");
    assert_eq!(waiting.join().expect("no panic").as_deref(), Ok("ran on it"));
    // The game still has its own half of the closure; it comes too late to do harm.
    game.frame();
}

#[test]
fn a_plugin_that_is_stopped_from_inside_its_own_call_only_begins_to_end() {
    let game = Game::new("");
    let plugin = Arc::new(Mutex::new(game.load().expect("the fixture loads")));
    let inner = Arc::downgrade(&plugin);
    game.service("unload", move |_| {
        let plugin = inner.upgrade().expect("the test holds it");
        let stopped = plugin.lock().expect("no panic here").stop(LIMIT);
        Ok(stopped.expect_err("this call is inside").to_string())
    });
    let started = Instant::now();
    let answer = game.call("Service", &["unload", ""]).expect("the call itself returns");
    assert!(answer.contains("from inside a call of its own: stop it again once that call has returned"), "{answer}");
    assert!(started.elapsed() < Duration::from_secs(20), "it waits for nothing");
    plugin.lock().expect("no panic here").stop(LIMIT).expect("the call has returned");
    assert_eq!(game.left_behind(), [] as [String; 0]);
}

#[test]
fn two_plugins_from_one_library_know_their_own_host() {
    let library =
        PluginLibrary::open(PluginLibrary::find("xivmcp-fixture-plugin").expect("it is built")).expect("it maps");
    let games = [Game::new(""), Game::new("")];
    let mut plugins =
        games.clone().map(|game| library.start(Arc::new(game.clone()), Arc::new(game)).expect("the fixture starts"));
    for (game, line) in games.iter().zip(["first", "second"]) {
        game.act("Log", &["tracing", line]).expect("it logs");
    }
    assert!(games[0].logged("first") && !games[0].logged("second"));
    assert!(games[1].logged("second") && !games[1].logged("first"));
    plugins[0].stop(LIMIT).expect("it ends");
    assert!(games[1].call("Panic", &[]).is_err());
    assert!(games[1].logged("the fixture panics") && !games[0].logged("the fixture panics"));
    plugins[1].stop(LIMIT).expect("it ends");

    // And again, after the last one has gone.
    let game = Game::new("");
    let plugin = library.start(Arc::new(game.clone()), Arc::new(game.clone())).expect("the fixture starts");
    assert!(game.call("Panic", &[]).is_err());
    assert!(game.logged("the fixture panics"));
    drop(plugin);
    assert_eq!(game.left_behind(), [] as [String; 0]);
}

#[test]
fn a_file_that_is_no_plugin_is_refused_with_a_sentence() {
    let missing = PluginLibrary::open("no/such/file.so").expect_err("there is none");
    assert_eq!(missing.to_string(), "there is no library no/such/file.so: build the plugin first (`cargo build`)");
    let text = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let error = PluginLibrary::open(text).expect_err("a manifest is no library");
    assert!(matches!(error, LoadError::Open { .. }), "{error}");
}
