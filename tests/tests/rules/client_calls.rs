//! SPEC §11: calls, with the real client against this host.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use xivmcp_client::ipc::{IpcTransport, IpcType, IpcValue};
use xivmcp_client::{AsIs, ClientError, McpCall, McpCapabilities, McpToolError, PluginContext, XivMcpClient};
use xivmcp_mock_host::{Answer, Outcome, Plugin, TrafficEntry};

use crate::support::{NO_ARGS, Stage, acts, load_built, names, reads};

/// Loads an enabled plugin whose entry is `register`; every question is answered with `once`.
fn loaded(host: &Stage, register: impl Fn(&XivMcpClient, &PluginContext) + Send + Sync + 'static) -> Plugin {
    let (plugin, _) = load_built(host, "MyPlugin", |builder| builder, register);
    host.player().enable(&plugin);
    plugin
}

fn entries(host: &Stage, gate: &str) -> Vec<TrafficEntry> {
    host.traffic().into_iter().filter(|entry| entry.gate == gate).collect()
}

// R-CLI-4
#[test]
fn an_unknown_tool_is_an_error_that_names_it() {
    let host = Stage::new();
    loaded(&host, |client, _| client.add_tool(reads("my_tool"), || Ok(1)).unwrap());
    let transport = host.raw("Other").plugin.transport();
    for tool in ["my_too", "", "MY_TOOL", "\u{1F600}"] {
        let reply = transport
            .call_function("MyPlugin.XivMcp.Invoke", &["0".into(), tool.into(), "{}".into()], IpcType::Text)
            .unwrap();
        let reply: Value = serde_json::from_str(reply.as_text().unwrap()).unwrap();
        names(reply["error"].as_str().unwrap(), &[tool]);
    }
}

// R-CLI-4
#[test]
fn the_first_step_of_a_long_running_tool_runs_on_the_framework_thread_inside_invoke() {
    let host = Stage::new();
    let log: Arc<Mutex<Vec<(&str, bool)>>> = Arc::default();
    let notes = Arc::clone(&log);
    loaded(&host, move |client, context| {
        let (quick, long) = (context.transport.clone(), context.transport.clone());
        let (log, notes) = (Arc::clone(&notes), Arc::clone(&notes));
        client
            .add_tool(reads("my_quick"), move || {
                log.lock().unwrap().push(("quick", quick.is_framework_thread()));
                Ok("quick")
            })
            .unwrap();
        client
            .add_long_running_tool(reads("my_long"), async move |call: McpCall| {
                let note = |what| notes.lock().unwrap().push((what, long.is_framework_thread()));
                note("first");
                // On the framework thread already: at once, before the first wait.
                call.on_framework_thread(|| ()).await?;
                note("still");
                call.sleep(Duration::from_secs(1)).await?;
                note("later");
                let there = long.clone();
                let there = call.on_framework_thread(move || there.is_framework_thread()).await?;
                note("after");
                Ok(there)
            })
            .unwrap();
    });
    assert_eq!(host.assistant().call("my_quick", NO_ARGS).expect_result(), "quick");
    let call = host.assistant().call("my_long", NO_ARGS);
    call.expect_running();
    let invoke = entries(&host, "MyPlugin.XivMcp.Invoke").pop().unwrap();
    assert_eq!(invoke.outcome, Some(Ok(r#"{"pending":true}"#.to_owned())));
    assert_eq!(call.expect_result(), true);
    let log = log.lock().unwrap();
    assert_eq!(*log, [("quick", true), ("first", true), ("still", true), ("later", false), ("after", false)]);
}

// R-CLI-4
#[test]
fn a_handler_that_ends_at_once_may_complete_before_the_reply() {
    let host = Stage::new();
    loaded(&host, |client, _| {
        client.add_long_running_tool(reads("my_instant"), async || Ok(7)).unwrap();
        client.add_long_running_tool(reads("my_failing"), async || Err::<(), _>(McpToolError::new("no"))).unwrap();
    });
    assert_eq!(host.assistant().call("my_instant", NO_ARGS).expect_result(), 7);
    assert_eq!(host.assistant().call("my_failing", NO_ARGS).expect_error(), "no");
    for completion in [entries(&host, "XivMcp.CompleteCall"), entries(&host, "XivMcp.FailCall")] {
        assert_eq!((completion.len(), completion[0].depth), (1, 1), "inside Invoke");
    }
}

// R-CLI-4
#[test]
fn a_panic_becomes_an_error_and_nothing_unwinds_into_the_host() {
    let host = Stage::new();
    loaded(&host, |client, _| {
        client.add_tool(reads("my_quick"), || if true { panic!("quick panic") } else { Ok(1) }).unwrap();
        client
            .add_long_running_tool(reads("my_first"), async || if true { panic!("first panic") } else { Ok(1) })
            .unwrap();
        client
            .add_long_running_tool(reads("my_later"), async |call: McpCall| {
                call.sleep(Duration::from_secs(1)).await?;
                if true { panic!("later panic") } else { Ok(1) }
            })
            .unwrap();
        client
            .add_long_running_tool(reads("my_frame"), async |call: McpCall| {
                call.sleep(Duration::from_secs(1)).await?;
                call.on_framework_thread(|| panic!("frame panic")).await?;
                Ok(1)
            })
            .unwrap();
        client
            .add_long_running_tool(reads("my_blocking"), async |call: McpCall| {
                call.blocking(|| panic!("blocking panic")).await?;
                Ok(1)
            })
            .unwrap();
        client.add_tool(reads("my_tool"), || Ok(1)).unwrap();
    });
    for kind in ["quick", "first", "later", "frame", "blocking"] {
        let error = host.assistant().call(&format!("my_{kind}"), NO_ARGS).expect_error();
        names(&error, &[&format!("my_{kind}"), &format!("{kind} panic")]);
        assert_eq!(host.assistant().call("my_tool", NO_ARGS).expect_result(), 1, "the plugin goes on");
    }
}

#[derive(Debug)]
struct BellMissing;

impl std::fmt::Display for BellMissing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("there is no bell")
    }
}

impl std::error::Error for BellMissing {}

fn fail(how: &str) -> Result<(), McpToolError> {
    match how {
        "tool" => Err(McpToolError::new("Buy a bell first.")),
        "text" => Err("only text".into()),
        "string" => Err(String::from("only a string").into()),
        "own" => Err(BellMissing.into()),
        "std" => Ok("x".parse::<u8>().map(drop)?),
        "boxed" => Err(Box::<dyn std::error::Error + Send + Sync>::from(BellMissing).into()),
        "cancelled" => Err(xivmcp_client::Cancelled::new().into()),
        other => panic!("{other}"),
    }
}

// R-CLI-5
#[test]
fn errors_of_handlers_go_into_the_reply_and_into_fail_call() {
    const CASES: [(&str, &str); 7] = [
        ("tool", "Buy a bell first."),
        ("text", "only text"),
        ("string", "only a string"),
        ("own", "BellMissing: there is no bell"),
        ("std", "ParseIntError: invalid digit found in string"),
        ("boxed", "there is no bell"),
        ("cancelled", "The call was cancelled."),
    ];
    let host = Stage::new();
    loaded(&host, |client, _| {
        for (how, _) in CASES {
            client.add_tool(reads(&format!("my_quick_{how}")), move || fail(how)).unwrap();
            client
                .add_long_running_tool(reads(&format!("my_long_{how}")), async move |call: McpCall| {
                    call.next_frame().await?;
                    fail(how)
                })
                .unwrap();
        }
    });
    for (how, text) in CASES {
        assert_eq!(host.assistant().call(&format!("my_quick_{how}"), NO_ARGS).expect_error(), text, "{how}");
        assert_eq!(host.assistant().call(&format!("my_long_{how}"), NO_ARGS).expect_error(), text, "{how}");
    }
    assert_eq!(entries(&host, "XivMcp.FailCall").len(), CASES.len());
}

fn sleeper(client: &XivMcpClient, log: &Arc<Mutex<Vec<String>>>) {
    let log = Arc::clone(log);
    client
        .add_long_running_tool(reads("my_sleep"), async move |call: McpCall| {
            let slept = call.sleep(Duration::from_secs(3600)).await;
            log.lock().unwrap().push(format!("{} {}", call.id(), if slept.is_ok() { "slept" } else { "cancelled" }));
            Ok(slept?)
        })
        .unwrap();
}

// R-CLI-6
#[test]
fn cancel_fires_the_token_of_that_call_and_an_unknown_id_is_ignored() {
    let host = Stage::new();
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let notes = Arc::clone(&log);
    loaded(&host, move |client, _| sleeper(client, &notes));
    let calls = [0, 1, 2].map(|_| host.assistant().call("my_sleep", NO_ARGS));
    let transport = host.raw("Other").plugin.transport();
    for unknown in ["", "0", &"f".repeat(32), "\u{0}"] {
        assert_eq!(transport.call_action("MyPlugin.XivMcp.Cancel", &[IpcValue::from(unknown)]), Ok(()));
    }
    calls[1].give_up();
    assert_eq!(calls[1].outcome(), Some(Outcome::Cancelled));
    assert_eq!(*log.lock().unwrap(), [format!("{} cancelled", calls[1].id())]);
    calls[0].expect_running();
    assert!(calls[0].expect_result().is_null());
    assert!(calls[2].expect_result().is_null());
    assert_eq!(host.elapsed(), Duration::from_secs(3600));
}

// R-CLI-6
#[test]
fn disposing_fires_all_tokens_and_what_ends_after_the_host_has_gone_is_dropped_in_silence() {
    let host = Stage::new();
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let notes = Arc::clone(&log);
    let plugin = loaded(&host, move |client, _| {
        sleeper(client, &notes);
        client
            .add_long_running_tool(reads("my_slow_end"), async |call: McpCall| {
                let _ = call.sleep(Duration::from_secs(3600)).await;
                let rest = call.clone();
                rest.progress("still here");
                call.blocking(|| ()).await.ok();
                call.progress("nobody hears it");
                let _ = call.client().get_status();
                Ok(1)
            })
            .unwrap();
    });
    let calls = ["my_sleep", "my_sleep", "my_slow_end"].map(|tool| host.assistant().call(tool, NO_ARGS));
    host.dalamud().unload_host();
    assert_eq!(log.lock().unwrap().len(), 2);
    calls.iter().for_each(|call| drop(call.expect_error()));
    assert!(plugin.is_loaded());
    host.dalamud().load_host();
    assert_eq!(host.assistant().tools().len(), 2);
}

// R-CLI-9
#[test]
fn progress_never_fails_the_handler_from_whatever_thread() {
    let host = Stage::new();
    loaded(&host, |client, _| {
        client
            .add_long_running_tool(acts("my_work"), async |call: McpCall| {
                call.progress("first");
                let inside = call.clone();
                call.blocking(move || inside.progress("second")).await?;
                let inside = call.clone();
                call.on_framework_thread(move || inside.progress("third")).await?;
                call.progress("");
                call.progress("x".repeat(100_000));
                Ok(1)
            })
            .unwrap();
        client
            .add_long_running_tool(reads("my_late"), async |call: McpCall| {
                let late = call.clone();
                call.sleep(Duration::from_secs(1)).await?;
                let gone = late.clone();
                call.blocking(move || gone.progress("in time")).await?;
                Ok(late.id().to_owned())
            })
            .unwrap();
    });
    host.player().answer_all(Answer::Once);
    assert_eq!(host.assistant().call("my_work", NO_ARGS).expect_result(), 1);
    assert!(host.assistant().call("my_late", NO_ARGS).expect_result().is_string());
    assert_eq!(entries(&host, "XivMcp.ReportProgress").len(), 6);
}

// R-CLI-9
#[test]
fn progress_of_a_step_is_in_the_jobs_log() {
    let host = Stage::new();
    let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
        client.add_long_running_tool(acts("my_work"), async |call: McpCall| {
            call.progress("half");
            Ok(1)
        })
    });
    host.player().enable(&plugin);
    host.player().answer_all(Answer::Once);
    let job = xivmcp_client::McpJob::new("Work").step(xivmcp_client::McpJobStep::new("my_work").id("work"));
    let job = plugin.client().start_job(job).unwrap();
    host.settle();
    assert_eq!(host.job(&job).log().last_progress(), Some("half"));
}

/// A tool that asks once, and the moments at which the client asked for the answer.
fn asking(host: &Stage) -> (xivmcp_mock_host::PendingCall, Plugin) {
    let plugin = loaded(host, |client, _| {
        client
            .add_long_running_tool(acts("my_ask"), async |call: McpCall| {
                let answer = call.request_approval(McpCapabilities::GameUi, "Open the bell.").await;
                match answer {
                    Err(ClientError::Cancelled(cancelled)) => Err(cancelled.into()),
                    other => Ok(other?),
                }
            })
            .unwrap();
    });
    let call = host.assistant().call("my_ask", NO_ARGS);
    assert_eq!(host.player().answer(Answer::Once).summary, None);
    (call, plugin)
}

fn polls(host: &Stage) -> Vec<u128> {
    entries(host, "XivMcp.GetApproval").iter().map(|entry| entry.at.as_millis()).collect()
}

// R-CLI-9, R-TIME-3
#[test]
fn an_approval_is_polled_every_250_ms_until_it_is_no_longer_pending() {
    let host = Stage::new();
    let (call, _plugin) = asking(&host);
    host.advance(Duration::from_millis(249));
    assert!(polls(&host).is_empty());
    host.advance(Duration::from_millis(1));
    assert_eq!(polls(&host), [250]);
    host.advance(Duration::from_millis(600));
    assert_eq!(host.player().answer(Answer::Once).summary.as_deref(), Some("Open the bell."));
    call.expect_running();
    assert_eq!(call.expect_result(), true);
    assert_eq!(polls(&host), [250, 500, 750, 1000]);
    assert_eq!(host.elapsed(), Duration::from_millis(1000));
}

// R-CLI-9, R-APP-5
#[test]
fn an_approval_that_nobody_answers_is_a_no_and_one_by_setting_is_not_polled() {
    let host = Stage::new();
    let (call, plugin) = asking(&host);
    assert_eq!(call.expect_result(), false);
    assert_eq!(host.elapsed(), Duration::from_secs(120));
    let polled = polls(&host).len();
    for (mode, answer) in [("allow", true), ("deny", false)] {
        host.player().set_mode(&plugin, "game_ui", mode);
        host.player().answer_all(Answer::Once);
        if mode == "allow" {
            assert_eq!(host.assistant().call("my_ask", NO_ARGS).expect_result(), answer);
        }
    }
    assert_eq!(polls(&host).len(), polled);
}

// R-CLI-9
#[test]
fn a_call_that_is_cancelled_while_it_waits_for_approval_ends_as_cancelled() {
    let host = Stage::new();
    let (call, plugin) = asking(&host);
    let client = plugin.with(|client: &XivMcpClient| client.handle());
    assert_eq!(client.pending().approvals, 1);
    call.give_up();
    assert_eq!(call.outcome(), Some(Outcome::Cancelled));
    assert_eq!(entries(&host, "XivMcp.FailCall")[0].arguments[1], "The call was cancelled.");
    assert!(polls(&host).is_empty() && host.player().questions().is_empty());
}

// R-CLI-10
#[test]
fn names_of_fields_arrive_in_camel_case_and_keys_stay() {
    #[derive(Serialize)]
    struct Inner {
        kill_count: u32,
    }
    #[derive(Serialize)]
    struct Report {
        kill_count: u32,
        by_zone: std::collections::BTreeMap<&'static str, Inner>,
        any_json: Value,
        as_is: AsIs<Inner>,
        last_one: Option<Inner>,
    }
    #[derive(Serialize)]
    struct Twice {
        kill_count: u32,
        #[serde(rename = "killCount")]
        again: u32,
    }
    let host = Stage::new();
    loaded(&host, |client, _| {
        let report = || Report {
            kill_count: 31,
            by_zone: [("the_black_shroud", Inner { kill_count: 1 })].into(),
            any_json: json!({"snake_key": {"other_key": 1}}),
            as_is: AsIs(Inner { kill_count: 2 }),
            last_one: Some(Inner { kill_count: 3 }),
        };
        client.add_tool(reads("my_quick"), move || Ok(report())).unwrap();
        client.add_long_running_tool(reads("my_long"), async move || Ok(report())).unwrap();
        client.add_tool(reads("my_twice"), || Ok(Twice { kill_count: 1, again: 2 })).unwrap();
    });
    for tool in ["my_quick", "my_long"] {
        assert_eq!(
            host.assistant().call(tool, NO_ARGS).expect_result(),
            json!({
                "killCount": 31,
                "byZone": {"the_black_shroud": {"killCount": 1}},
                "anyJson": {"snake_key": {"other_key": 1}},
                "asIs": {"kill_count": 2},
                "lastOne": {"killCount": 3},
            })
        );
    }
    names(&host.assistant().call("my_twice", NO_ARGS).expect_error(), &["killCount"]);
}
