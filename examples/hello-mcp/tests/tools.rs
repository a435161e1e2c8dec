//! The tools on the mock host: tests to copy. Each arranges a host, acts as player and assistant, and looks at what came.

use std::time::Duration;

use hello_mcp::HelloMcp;
use serde_json::json;
use xivmcp_client::{ClientError, Job};
use xivmcp_mock_host::{Answer, LintKind, MockHost, Plugin};

/// A host with Hello MCP, enabled. Nobody answers questions yet.
fn enabled() -> (MockHost, Plugin) {
    let host = MockHost::simulated();
    // What the host would accept in silence is a failure here.
    for kind in [LintKind::ToolName, LintKind::SnakeCaseResult, LintKind::IgnoredCancel] {
        host.deny(kind);
    }
    let plugin = host.load_plugin("HelloMcp", hello_mcp::start);
    host.player().enable(&plugin);
    (host, plugin)
}

/// The same, and the player says yes to everything.
fn allowed() -> (MockHost, Plugin) {
    let (host, plugin) = enabled();
    host.player().answer_all(Answer::Once);
    (host, plugin)
}

fn chat(host: &MockHost) -> Vec<String> {
    host.dalamud().chat().into_iter().map(|line| line.text).collect()
}

#[test]
fn nothing_runs_before_the_player_has_enabled_the_plugin() {
    let host = MockHost::simulated();
    let plugin = host.load_plugin("HelloMcp", hello_mcp::start);
    assert!(host.assistant().call("hellomcp_greet", ()).expect_error().contains("HelloMcp"));
    assert!(host.assistant().tools().is_empty());
    host.player().enable(&plugin);
    assert_eq!(host.assistant().tools().len(), 4);
}

#[test]
fn it_greets_by_name_in_each_style() {
    let (host, _plugin) = enabled();
    for (style, greeting) in
        [("friendly", "Hello, Tataru!"), ("formal", "Good day to you, Tataru."), ("pirate", "Ahoy, Tataru!")]
    {
        let result = host.assistant().call("hellomcp_greet", json!({"name": "Tataru", "style": style})).expect_result();
        assert_eq!(result, json!({ "greeting": greeting }));
    }
}

#[test]
fn without_a_name_it_greets_the_character_or_else_a_traveller() {
    let (host, _plugin) = enabled();
    let greeting = || host.assistant().call("hellomcp_greet", ()).expect_result()["greeting"].clone();
    assert_eq!(greeting(), "Hello, traveller!", "the shim has no such service");
    host.dalamud().service(hello_mcp::greeting::CHARACTER_NAME, |_| Ok("null".to_owned()));
    assert_eq!(greeting(), "Hello, traveller!", "nobody is logged in");
    // In the game the service reads the game's state. So does this one: elsewhere than on the framework thread it fails.
    let game = host.game().handle();
    host.dalamud().service(hello_mcp::greeting::CHARACTER_NAME, move |_| {
        Ok(if game.state().logged_in { "\"Y'shtola Rhul\"" } else { "null" }.to_owned())
    });
    assert_eq!(greeting(), "Hello, Y'shtola Rhul!");
}

#[test]
fn an_unknown_style_is_answered_with_the_styles_that_there_are() {
    let (host, _plugin) = enabled();
    let error = host.assistant().call("hellomcp_greet", json!({"style": "polite"})).expect_error();
    for part in ["style", "polite", "friendly", "formal", "pirate"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn it_prints_what_fits_and_says_what_is_wrong_with_the_rest() {
    let (host, _plugin) = allowed();
    let long = "x".repeat(201);
    for (text, says) in [("", "blank"), ("  ", "blank"), ("a\nb", "more than one line"), (&long, "201")] {
        let error = host.assistant().call("hellomcp_print", json!({ "text": text })).expect_error();
        assert!(error.contains(says), "{text:?}: {error}");
    }
    assert!(chat(&host).is_empty());
    let result = host.assistant().call("hellomcp_print", json!({"text": "Dinner!"})).expect_result();
    assert_eq!(result, json!({"printed": "Dinner!"}));
    assert_eq!(chat(&host), ["Dinner!"]);
}

#[test]
fn a_countdown_takes_its_time_and_reports_each_second() {
    let (host, _plugin) = allowed();
    let call = host.assistant().call("hellomcp_countdown", json!({"seconds": 600}));
    host.advance(Duration::from_secs(599));
    call.expect_running();
    assert_eq!(call.expect_result(), json!({"countedSeconds": 600}));
    assert_eq!(host.elapsed(), Duration::from_secs(600));
    assert_eq!(chat(&host).last().unwrap(), "The countdown is done.");
}

#[test]
fn a_countdown_needs_1_to_600_seconds() {
    let (host, _plugin) = allowed();
    for seconds in [0, 601] {
        let error = host.assistant().call("hellomcp_countdown", json!({ "seconds": seconds })).expect_error();
        assert!(error.contains(&seconds.to_string()) && error.contains("1 to 600"), "{error}");
    }
    assert!(chat(&host).is_empty());
}

#[test]
fn a_cancelled_countdown_cleans_up_before_the_call_has_ended() {
    let (host, _plugin) = allowed();
    let call = host.assistant().call("hellomcp_countdown", json!({"seconds": 60}));
    host.advance(Duration::from_millis(2_500));
    call.give_up();
    call.expect_cancelled();
    assert_eq!(chat(&host).last().unwrap(), "The countdown was stopped with 58 s left.");
    assert_eq!(host.elapsed(), Duration::from_millis(2_500), "it ended at once");
}

#[test]
fn unloading_in_the_middle_of_a_countdown_leaves_nothing() {
    let (host, plugin) = allowed();
    let call = host.assistant().call("hellomcp_countdown", ());
    host.advance(Duration::from_secs(1));
    plugin.unload();
    assert!(call.expect_error().contains("cancelled"));
    assert_eq!(chat(&host).last().unwrap(), "The countdown was stopped with 9 s left.");
    assert!(host.dalamud().commands().is_empty());
}

#[test]
fn a_purchase_asks_with_the_price_and_takes_no_for_an_answer() {
    let (host, _plugin) = enabled();
    host.player().answer_with(|question| {
        Some(if question.summary.is_some() { Answer::Denied } else { Answer::Once }) // the call may run, the price is too high
    });
    let result =
        host.assistant().call("hellomcp_pretend_purchase", json!({"item": "a ring", "price": 3200})).expect_result();
    assert_eq!(result["bought"], false);
    assert_eq!(host.player().asked()[1].summary.as_deref(), Some("Pretend to buy a ring for 3,200 gil"));
}

#[test]
fn an_approved_purchase_is_made_once() {
    let (host, _plugin) = allowed();
    let result =
        host.assistant().call("hellomcp_pretend_purchase", json!({"item": "a ring", "price": 1})).expect_result();
    assert_eq!(result["bought"], true);
    assert_eq!(host.game().state().gil, 1_000_000, "it only pretends");
}

#[test]
fn a_question_that_nobody_answers_is_a_no_after_two_minutes() {
    let (host, _plugin) = enabled();
    let call = host.assistant().call("hellomcp_pretend_purchase", json!({"item": "a ring", "price": 1}));
    host.player().answer(Answer::Once);
    assert_eq!(call.expect_result()["bought"], false);
    assert!(host.elapsed() >= Duration::from_secs(120));
}

fn start(
    plugin: &Plugin,
    job: fn(&xivmcp_client::ClientHandle) -> Result<Job, ClientError>,
) -> Result<Job, ClientError> {
    plugin.with(|running: &HelloMcp| job(running.client()))
}

#[test]
fn the_countdown_job_puts_its_result_into_the_message() {
    let (host, plugin) = allowed();
    let job = start(&plugin, hello_mcp::jobs::start_countdown).unwrap();
    host.wait_until(|| host.job(&job).state() == "completed");
    assert_eq!(host.job(&job).log().last_progress(), Some("0 s left"));
    assert_eq!(chat(&host).last().unwrap(), "Counted 3 seconds.");
    assert_eq!(host.builtin("get_game_status").calls().len(), 1);
}

#[test]
fn a_paused_countdown_job_starts_again_from_the_beginning() {
    let (host, plugin) = allowed();
    let job = start(&plugin, hello_mcp::jobs::start_countdown).unwrap();
    host.advance(Duration::from_secs(2));
    host.player().pause_job(&job);
    assert_eq!(chat(&host).last().unwrap(), "The countdown was stopped with 1 s left.");
    host.player().resume_job(&job);
    host.wait_until(|| host.job(&job).state() == "completed");
    assert_eq!(host.elapsed(), Duration::from_secs(5));
}

#[test]
fn the_bell_job_waits_for_the_walk() {
    let (host, plugin) = allowed();
    host.player().set_group_write("game_navigation", "allow");
    host.builtin("navigate_to").returns(json!({"arrived": true})).takes(Duration::from_secs(40));
    let job = start(&plugin, hello_mcp::jobs::start_bell).unwrap();
    host.advance(Duration::from_secs(39));
    assert!(chat(&host).is_empty());
    host.wait_until(|| host.job(&job).state() == "completed");
    assert_eq!(chat(&host), ["Here is the bell."]);
    assert_eq!(host.builtin("navigate_to").calls()[0].args.get(), r#"{"destination":"summoning bell"}"#);
}

#[test]
fn the_command_shows_status_and_jobs_and_starts_them() {
    let (host, _plugin) = allowed();
    host.dalamud().run_command("/hellomcp");
    assert_eq!(chat(&host), ["Hello MCP is enabled."]);
    host.dalamud().run_command("/hellomcp countdown");
    host.dalamud().run_command("/hellomcp");
    assert!(chat(&host).contains(&"Count down and tell (HelloMcp): running (0/3)".to_owned()), "{:?}", chat(&host));
    host.dalamud().run_command("/hellomcp dance");
    assert!(chat(&host).last().unwrap().contains("'dance'"));
}

#[test]
fn before_consent_the_command_says_so_and_starts_nothing() {
    let host = MockHost::simulated();
    let _plugin = host.load_plugin("HelloMcp", hello_mcp::start);
    host.dalamud().run_command("/hellomcp bell");
    let line = host.dalamud().chat().pop().unwrap();
    assert!(line.error, "{line:?}");
    assert!(host.jobs().is_empty());
}
