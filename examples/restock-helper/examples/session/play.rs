//! What happens in the session. The example prints it, and a test pins what it prints.

use std::time::Duration;

use restock_helper::plan::{COUNT_ITEM, Stock};
use restock_helper::{RestockHelper, job, town_crier};
use serde_json::json;
use xivmcp_client::{ClientError, Job};
use xivmcp_mock_host::{Answer, JobUpdate, MockHost, Plugin};

use crate::transcript::{Style, Transcript, Who};

/// Plays the session. Gives what was said.
pub(crate) fn session(style: Style) -> String {
    let host = MockHost::simulated();
    host.dalamud().service(COUNT_ITEM, |_| Ok("12".to_owned()));
    host.builtin("buy_item").takes(Duration::from_secs(20)).fails("The shop closed while the dialogue was open.");
    host.builtin("navigate_to").takes(Duration::from_secs(45)).returns(json!({"arrived": true}));
    let mut told = Transcript::new(style);

    told.scene("Restock Helper loads, and the player enables it.");
    let plugin = host.load_plugin("RestockHelper", restock_helper::start);
    host.dalamud().set_display_name(&plugin, "Restock Helper");
    enables(&mut told, &host, &plugin, "Restock Helper");

    told.scene("Another plugin's tool is missing: the player sees which, and no job starts.");
    shows_dependencies(&mut told, &host, &plugin);
    if let Err(refused) = restock(&plugin) {
        told.line(host.elapsed(), Who::Host, &format!("refuses the job: {refused}"));
    }

    told.scene("The player installs Town Crier, and enables it.");
    let crier = host.load_plugin("TownCrier", town_crier::start);
    host.dalamud().set_display_name(&crier, "Town Crier");
    host.dalamud().update(&crier, "1.3.0");
    enables(&mut told, &host, &crier, "Town Crier");
    shows_dependencies(&mut told, &host, &plugin);

    told.scene("The job runs. The player allows each step that acts, and one of them fails.");
    host.player().set_group_write("market", "ask");
    host.player().set_group_write("game_navigation", "ask");
    host.player().answer_all(Answer::Once);
    match restock(&plugin) {
        Ok(started) => runs_and_is_retried(&mut told, &host, &started),
        Err(refused) => told.line(host.elapsed(), Who::Host, &format!("refuses the job: {refused}")),
    }

    let said = told.finish();
    host.finish();
    said
}

fn enables(told: &mut Transcript, host: &MockHost, plugin: &Plugin, name: &str) {
    told.catch_up(host);
    host.player().enable(plugin);
    told.line(host.elapsed(), Who::Player, &format!("enables {name}"));
}

fn restock(plugin: &Plugin) -> Result<Job, ClientError> {
    let stock = Stock { item: "Grade 8 Dark Matter".to_owned(), keep: 99 };
    plugin.with(|running: &RestockHelper| job::restock(running.client(), stock))
}

fn runs_and_is_retried(told: &mut Transcript, host: &MockHost, job: &Job) {
    host.wait_until(|| host.job(job).state() == "pending");
    told.catch_up(host);
    shows_job(told, host, job, 0);
    let lines = host.job(job).log().lines().len();

    told.scene("The job waits for somebody to decide. The assistant tries the step again.");
    host.builtin("buy_item").takes(Duration::from_secs(20)).returns(json!({"bought": 87, "gil_spent": 24_360}));
    told.line(host.elapsed(), Who::Assistant, "calls update_job: retry, and resume");
    if let Err(refused) = host.assistant().update_job(job, JobUpdate::retry().resume()) {
        told.line(host.elapsed(), Who::Host, &refused);
    }
    host.wait_until(|| host.job(job).state() == "completed");
    told.catch_up(host);
    shows_job(told, host, job, lines);
}

/// What the player sees of the tools that the plugin's jobs use.
fn shows_dependencies(told: &mut Transcript, host: &MockHost, plugin: &Plugin) {
    let status = plugin.with(|running: &RestockHelper| running.client().get_status());
    for dependency in &status.dependencies {
        let text = format!("{}: {} ({})", dependency.tool, dependency.message, dependency.state);
        told.line(host.elapsed(), Who::Host, &text);
    }
}

/// The job's log from a line on, and how it stands.
fn shows_job(told: &mut Transcript, host: &MockHost, job: &Job, from: usize) {
    let report = host.job(job);
    for line in &report.log().lines()[from..] {
        told.line(host.elapsed(), Who::Host, &format!("job log: {line}"));
    }
    let mut stands = format!("{} is {} ({})", report.job.name, report.state(), report.job.progress);
    if let Some(reason) = &report.job.reason {
        stands = format!("{stands}: {reason}");
    }
    told.line(host.elapsed(), Who::Host, &stands);
}
