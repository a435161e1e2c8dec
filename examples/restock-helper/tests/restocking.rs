//! A job across plugins on the mock host: tests to copy. The host's own tools are scripted; Town Crier is a plugin of its
//! own in the same host.

use std::time::Duration;

use restock_helper::plan::{COUNT_ITEM, Stock};
use restock_helper::{RestockHelper, job, town_crier};
use serde_json::json;
use xivmcp_client::{ClientError, DependencyState, Job};
use xivmcp_mock_host::{Answer, JobUpdate, MockHost, Plugin};

struct World {
    host: MockHost,
    plugin: Plugin,
    crier: Plugin,
}

/// Everything is there and allowed; 12 of the item are in the bags.
fn ready() -> World {
    let host = MockHost::simulated();
    host.dalamud().service(COUNT_ITEM, |_| Ok("12".to_owned()));
    host.builtin("buy_item").returns(json!({"bought": 87, "gil_spent": 24_360}));
    let plugin = host.load_plugin("RestockHelper", restock_helper::start);
    let crier = host.load_plugin("TownCrier", town_crier::start);
    host.dalamud().update(&crier, "1.3.0");
    host.player().enable(&plugin);
    host.player().enable(&crier);
    host.player().set_group_write("market", "ask");
    host.player().set_group_write("game_navigation", "allow");
    host.player().answer_all(Answer::Once);
    World { host, plugin, crier }
}

fn restock(plugin: &Plugin, keep: u32) -> Result<Job, ClientError> {
    let stock = Stock { item: "Dark Matter".to_owned(), keep };
    plugin.with(|running: &RestockHelper| job::restock(running.client(), stock))
}

fn refusal(plugin: &Plugin) -> String {
    match restock(plugin, 99) {
        Err(ClientError::Refused(refusal)) => refusal.message().to_owned(),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

#[test]
fn the_steps_hand_their_results_on_with_their_types() {
    let World { host, plugin, .. } = ready();
    let job = restock(&plugin, 99).unwrap();
    host.wait_until(|| host.job(&job).state() == "completed");
    assert_eq!(host.builtin("buy_item").calls()[0].args.get(), r#"{"item":"Dark Matter","quantity":87}"#);
    assert_eq!(host.dalamud().chat()[0].text, "[FC] Bought 87 Dark Matter for 24360 gil.");
}

#[test]
fn the_job_is_asked_for_in_the_name_of_the_plugin_that_started_it() {
    let World { host, plugin, .. } = ready();
    let job = restock(&plugin, 99).unwrap();
    host.wait_until(|| host.job(&job).state() == "completed");
    let asked: Vec<_> = host.player().asked().into_iter().map(|question| (question.tool, question.caller)).collect();
    let caller = "plugin:RestockHelper".to_owned();
    let tools = ["buy_item", "navigate_to", "towncrier_announce"];
    assert_eq!(asked, tools.map(|tool| (tool.to_owned(), caller.clone())));
}

#[test]
fn each_thing_that_is_missing_is_named_before_anything_runs() {
    let World { host, plugin, crier } = ready();
    let state = || plugin.with(|running: &RestockHelper| running.client().get_status().dependencies[2].state.clone());

    host.player().keep_disabled(&crier);
    assert_eq!(state(), DependencyState::NotEnabled);
    assert!(refusal(&plugin).contains("Town Crier"));

    host.dalamud().update(&crier, "1.1.9");
    assert_eq!(state(), DependencyState::PluginOutdated);
    assert!(refusal(&plugin).contains("1.1.9"));

    host.dalamud().uninstall(&crier);
    assert_eq!(state(), DependencyState::PluginMissing);
    assert!(refusal(&plugin).contains("Town Crier"));
    assert!(host.jobs().is_empty());
    assert!(host.builtin("buy_item").calls().is_empty());
}

#[test]
fn a_failed_step_waits_and_is_tried_again() {
    let World { host, plugin, .. } = ready();
    host.builtin("buy_item").fails("The shop closed.");
    let job = restock(&plugin, 99).unwrap();
    host.wait_until(|| host.job(&job).state() == "pending");
    assert!(host.job(&job).job.reason.as_deref().unwrap().contains("The shop closed."));

    host.builtin("buy_item").returns(json!({"bought": 87, "gil_spent": 1}));
    host.assistant().update_job(&job, JobUpdate::retry().resume()).unwrap();
    host.wait_until(|| host.job(&job).state() == "completed");
    assert_eq!(host.job(&job).step("buy").attempts, 2);
}

#[test]
fn when_nothing_is_short_nothing_is_bought() {
    let World { host, plugin, .. } = ready();
    let job = restock(&plugin, 12).unwrap();
    host.wait_until(|| host.job(&job).state() == "pending");
    assert!(host.job(&job).job.reason.as_deref().unwrap().contains("Nothing to buy"));
    assert!(host.builtin("buy_item").calls().is_empty());
}

#[test]
fn a_player_who_denies_spending_stops_the_job_at_the_purchase() {
    let World { host, plugin, .. } = ready();
    host.player().deny_spending();
    let job = restock(&plugin, 99).unwrap();
    host.wait_until(|| host.job(&job).state() == "pending");
    assert_eq!(host.job(&job).job.current_step.as_ref().unwrap().id, "buy");
    assert!(host.builtin("buy_item").calls().is_empty());
}

#[test]
fn town_crier_may_come_late_or_leave_in_the_middle() {
    let World { host, plugin, crier } = ready();
    host.builtin("navigate_to").takes(Duration::from_secs(45));
    let job = restock(&plugin, 99).unwrap();
    host.advance(Duration::from_secs(10));
    crier.unload();
    host.wait_until(|| host.job(&job).state() == "pending");
    assert!(host.job(&job).job.reason.as_deref().unwrap().contains("Town Crier"));
    crier.reload();
    host.assistant().update_job(&job, JobUpdate::retry().resume()).unwrap();
    host.wait_until(|| host.job(&job).state() == "completed");
}
