//! SPEC §11: the end of a client, and its methods from inside everything, with the real client against this host.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use xivmcp_client::ipc::{IpcAction, IpcError, IpcGuard, IpcTransport, IpcType};
use xivmcp_client::{
    ClientError, ClientHandle, DisposeReport, McpCall, McpDependency, McpJob, McpJobStep, McpPluginState, McpToolError,
    PendingCounts, PluginContext, XivMcpClient,
};
use xivmcp_mock_host::{Answer, LintKind, Outcome, Plugin};

use crate::support::{NO_ARGS, Stage, acts, asked_by, load_built, names, reading, reads};

type Log = Arc<Mutex<Vec<String>>>;

fn note(log: &Log, what: impl Into<String>) {
    log.lock().unwrap().push(what.into());
}

fn notes(log: &Log) -> Vec<String> {
    log.lock().unwrap().clone()
}

fn loaded(
    host: &Stage,
    register: impl Fn(&XivMcpClient, &PluginContext) + Send + Sync + 'static,
) -> (Plugin, ClientHandle) {
    let (plugin, client) = load_built(host, "MyPlugin", |builder| builder, register);
    host.player().enable(&plugin);
    (plugin, client)
}

/// A tool that sleeps; when it is cancelled it needs two visits to the framework thread to stop.
fn careful(client: &XivMcpClient, context: &PluginContext, log: &Log) {
    let (log, transport) = (Arc::clone(log), context.transport.clone());
    client
        .add_long_running_tool(reads("my_careful"), async move |call: McpCall| {
            let (stops, place) = (Arc::clone(&log), transport.clone());
            let guard =
                call.framework_guard(|| (), move |()| note(&stops, format!("stop {}", place.is_framework_thread())));
            let _guard = guard.await?;
            let slept = call.sleep(Duration::from_secs(3600)).await;
            let place = transport.clone();
            let there = call.on_framework_thread(move || place.is_framework_thread()).await?;
            note(&log, format!("cleaned {there}"));
            Ok(slept?)
        })
        .unwrap();
}

/// Nothing of the plugin is left at the gates, and its client says that it was disposed.
fn is_gone(host: &Stage, client: &ClientHandle) {
    assert!(client.is_disposed() && !client.is_available());
    assert_eq!(client.pending(), PendingCounts::default());
    assert!(host.assistant().tools().is_empty());
    let transport = host.raw(&format!("Asks{}", host.traffic().len())).plugin.transport();
    let invoke = transport.call_function("MyPlugin.XivMcp.Invoke", &["0".into(), "x".into(), "".into()], IpcType::Text);
    assert!(matches!(invoke, Err(IpcError::NotReady { .. })), "{invoke:?}");
    assert!(matches!(transport.call_action("MyPlugin.XivMcp.Cancel", &["0".into()]), Err(IpcError::NotReady { .. })));
    assert_eq!(client.check_permission("combat"), Err(ClientError::Disposed));
    assert!(client.add_tool(reads("my_new"), || Ok(1)).is_err());
    assert_eq!(client.get_status().state, McpPluginState::Unavailable);
    assert_eq!(client.dispose(), DisposeReport::default(), "twice is no error");
}

// R-CLI-11
#[test]
fn dispose_cancels_unregisters_and_waits_for_running_handlers() {
    let host = Stage::new();
    let log = Log::default();
    let inside = Arc::clone(&log);
    let (_plugin, client) = loaded(&host, move |client, context| {
        careful(client, context, &inside);
        client.uses_tools([McpDependency::built_in("navigate_to")]).unwrap();
    });
    let calls = [0, 1].map(|_| host.assistant().call("my_careful", NO_ARGS));
    assert!(client.dispose().is_clean());
    host.settle();
    let mut notes = notes(&log);
    notes.sort();
    assert_eq!(notes, ["cleaned true", "cleaned true", "stop true", "stop true"]);
    for call in &calls {
        assert_eq!(call.expect_error(), "The call was cancelled.");
    }
    assert_eq!(asked_by(&host, "MyPlugin").iter().filter(|asked| *asked == "UnregisterAll").count(), 1);
    let heard = host.dalamud().unload_host();
    assert!(heard.is_empty(), "it is subscribed to nothing");
    host.dalamud().load_host();
    is_gone(&host, &client);
}

// R-CLI-11
#[test]
fn on_the_framework_thread_dispose_pumps_what_handlers_have_for_it() {
    let host = Stage::new();
    let log = Log::default();
    let inside = Arc::clone(&log);
    let (_plugin, client) = loaded(&host, move |client, context| careful(client, context, &inside));
    let call = host.assistant().call("my_careful", NO_ARGS);
    let disposing = client.clone();
    let (report, log_inside) = (Arc::new(Mutex::new(None)), Arc::clone(&log));
    let tells = Arc::clone(&report);
    host.on_framework(move || {
        *tells.lock().unwrap() = Some(disposing.dispose());
        note(&log_inside, "disposed");
    });
    assert!(report.lock().unwrap().take().unwrap().is_clean());
    assert_eq!(notes(&log), ["cleaned true", "stop true", "disposed"], "before dispose returned");
    assert_eq!(call.expect_error(), "The call was cancelled.");
    is_gone(&host, &client);
}

// R-CLI-11
#[test]
fn unloading_the_plugin_drops_its_client_which_disposes_the_same_way() {
    let host = Stage::new();
    let log = Log::default();
    let inside = Arc::clone(&log);
    let (plugin, client) = loaded(&host, move |client, context| careful(client, context, &inside));
    let call = host.assistant().call("my_careful", NO_ARGS);
    plugin.unload();
    assert_eq!(notes(&log), ["cleaned true", "stop true"]);
    assert!(!call.expect_error().is_empty());
    assert!(plugin.lints().iter().all(|lint| lint.kind != LintKind::LeftGate), "{:?}", plugin.lints());
    is_gone(&host, &client);
}

// R-CLI-11
#[test]
fn a_handler_that_ignores_its_token_is_given_up_after_the_limit_and_named() {
    let host = Stage::new();
    let register = |client: &XivMcpClient, context: &PluginContext| {
        let runtime = context.runtime.clone();
        let deaf = async move |call: McpCall| {
            runtime.sleep(Duration::from_secs(10)).await;
            call.progress("too late");
            Ok(1)
        };
        client.add_long_running_tool(reads("my_deaf"), deaf.clone()).unwrap();
        client.add_long_running_tool(reads("my_deaf_too"), deaf).unwrap();
    };
    let limit = Duration::from_millis(1_500);
    let (_plugin, client) = load_built(&host, "MyPlugin", move |builder| builder.dispose_limit(limit), register);
    host.player().enable("MyPlugin");
    let calls = ["my_deaf_too", "my_deaf"].map(|tool| host.assistant().call(tool, NO_ARGS));
    let report = client.dispose();
    assert_eq!((report.given_up, host.elapsed()), (vec!["my_deaf".to_owned(), "my_deaf_too".to_owned()], limit));
    for call in &calls {
        names(&call.expect_error(), &["my_deaf"]);
    }
    is_gone(&host, &client);
    host.advance(Duration::from_secs(10)); // and they end, in silence
}

// R-CLI-11, R-CLI-12
#[test]
fn inside_a_handler_dispose_does_not_wait_for_that_handler() {
    let host = Stage::new();
    let log = Log::default();
    let inside = Arc::clone(&log);
    let (plugin, _) = loaded(&host, move |client, context| {
        careful(client, context, &inside);
        let quick = Arc::clone(&inside);
        client
            .add_tool(reads("my_quick"), move |call: McpCall| {
                note(&quick, format!("{:?}", call.client().dispose().given_up));
                Ok("quick")
            })
            .unwrap();
        let long = Arc::clone(&inside);
        client
            .add_long_running_tool(reads("my_long"), async move |call: McpCall| {
                let report = call.client().dispose();
                note(&long, format!("{:?}", report.given_up));
                Ok("long")
            })
            .unwrap();
        let later = Arc::clone(&inside);
        client
            .add_long_running_tool(reads("my_later"), async move |call: McpCall| {
                call.sleep(Duration::from_secs(1)).await?;
                note(&later, format!("{:?}", call.client().dispose().given_up));
                Ok("later")
            })
            .unwrap();
    });
    for tool in ["my_quick", "my_long", "my_later"] {
        log.lock().unwrap().clear();
        let careful = host.assistant().call("my_careful", NO_ARGS);
        let call = host.assistant().call(tool, NO_ARGS);
        let outcome = call.wait();
        assert_eq!(outcome.result(), Some(json!(tool.trim_start_matches("my_"))), "{tool}: {outcome}");
        assert_eq!(careful.expect_error(), "The call was cancelled.", "{tool}");
        let notes = notes(&log);
        assert_eq!(notes.iter().filter(|note| *note == "[]").count(), 1, "{tool}: it gave up nobody: {notes:?}");
        let client = plugin.with(|client: &XivMcpClient| client.handle());
        is_gone(&host, &client);
        plugin.reload();
        host.watch(&plugin.with(|client: &XivMcpClient| client.handle()));
    }
}

// R-CLI-11, R-CLI-12
#[test]
fn dispose_in_ready_in_disposing_and_in_the_callback_for_refusals() {
    for message in ["Ready", "Disposing"] {
        let host = Stage::new();
        let (plugin, client) = loaded(&host, |client, _| client.add_tool(reads("my_tool"), || Ok(1)).unwrap());
        let disposing = client.clone();
        let action: IpcAction = Arc::new(move |_| {
            assert!(disposing.dispose().is_clean());
            Ok(())
        });
        let guard = plugin.transport().subscribe(&format!("XivMcp.{message}"), &[], action).unwrap();
        host.dalamud().unload_host();
        host.dalamud().load_host();
        is_gone(&host, &client);
        drop(guard);
    }
    let host = Stage::new();
    host.raw("Other").register(reading("other_look"));
    let own: Arc<Mutex<Option<ClientHandle>>> = Arc::default();
    let inside = Arc::clone(&own);
    let build = move |builder: xivmcp_client::ClientBuilder| {
        let inside = Arc::clone(&inside);
        builder.on_registration_failed(move |_| {
            let client = inside.lock().unwrap().take();
            client.into_iter().for_each(|client| drop(client.dispose()));
        })
    };
    let (_plugin, client) = load_built(&host, "MyPlugin", build, |_, _| {});
    *own.lock().unwrap() = Some(client.clone());
    client.add_tool(reads("other_look"), || Ok(1)).unwrap();
    is_gone(&host, &client);
}

// R-CLI-11
#[test]
fn dispose_works_without_a_host_and_with_a_call_that_waits_for_the_player() {
    let host = Stage::new();
    let (_plugin, client) = loaded(&host, |client, _| {
        client
            .add_long_running_tool(acts("my_ask"), async |call: McpCall| {
                Ok(call.request_approval("game_ui", "Go.").await?)
            })
            .unwrap();
    });
    let call = host.assistant().call("my_ask", NO_ARGS);
    host.player().answer(Answer::Once);
    assert_eq!(host.player().questions().len(), 1);
    assert!(client.dispose().is_clean());
    assert_eq!(call.expect_error(), "The call was cancelled.");
    assert!(host.player().questions().is_empty());
    is_gone(&host, &client);

    let host = Stage::new();
    let (_plugin, client) = loaded(&host, |client, _| client.add_tool(reads("my_tool"), || Ok(1)).unwrap());
    host.dalamud().unload_host();
    assert!(client.dispose().is_clean());
    host.dalamud().load_host();
    is_gone(&host, &client);
}

/// Uses every method of the client once.
fn use_everything(client: &ClientHandle, tool: &str) {
    client.add_tool(reads(tool), || Ok(1)).unwrap();
    client.add_long_running_tool(reads(tool), async || Ok(1)).unwrap();
    client.uses_tools([McpDependency::built_in("navigate_to")]).unwrap();
    assert!(client.is_available() && !client.is_disposed());
    let status = client.get_status();
    assert!(status.tools.iter().any(|known| known.name == tool), "{status:?}");
    client.check_permission("combat").unwrap();
    let job = McpJob::new("Wait").step(McpJobStep::new("wait").args(json!({"seconds": 60})));
    match client.start_job(job) {
        Ok(job) => {
            client.get_job(&job.id).unwrap();
            assert!(!client.list_jobs().unwrap().is_empty());
            client.pause_job(&job.id).unwrap();
            client.resume_job(&job.id).unwrap();
            client.cancel_job(&job.id).unwrap();
        }
        // A tool was added, which the player has not seen.
        Err(ClientError::Refused(refusal)) => names(refusal.message(), &["consent"]),
        Err(other) => panic!("{other}"),
    }
    assert!(client.remove_tool(tool));
    assert!(client.pending().calls < 3);
}

// R-CLI-12
#[test]
fn every_method_may_be_called_from_inside_any_handler_and_callback() {
    let host = Stage::new();
    host.raw("Other").register(reading("other_look"));
    let log = Log::default();
    let own: Arc<Mutex<Option<ClientHandle>>> = Arc::default();
    let (calls_back, told) = (Arc::clone(&own), Arc::clone(&log));
    let build = move |builder: xivmcp_client::ClientBuilder| {
        let (calls_back, told) = (Arc::clone(&calls_back), Arc::clone(&told));
        builder.on_registration_failed(move |_| {
            // Only once: the tool that is refused stays, and is refused again after each load.
            let client = calls_back.lock().unwrap().take();
            if let Some(client) = client {
                // Registrations queue up behind the one that is being told about: they are made when it returns.
                client.add_tool(reads("in_callback"), || Ok(1)).unwrap();
                client.uses_tools([]).unwrap();
                let _ = client.get_status();
                client.check_permission("combat").unwrap();
                assert!(client.list_jobs().unwrap().is_empty());
                client.remove_tool("other_look");
                note(&told, "callback");
            }
        })
    };
    let inside = Arc::clone(&log);
    let (plugin, client) = load_built(&host, "MyPlugin", build, move |client, _| {
        let quick = Arc::clone(&inside);
        client
            .add_tool(reads("my_quick"), move |call: McpCall| {
                use_everything(&call.client(), "in_quick");
                note(&quick, "quick");
                Ok(())
            })
            .unwrap();
        let long = Arc::clone(&inside);
        client
            .add_long_running_tool(reads("my_long"), async move |call: McpCall| {
                use_everything(&call.client(), "in_first_step");
                call.sleep(Duration::from_secs(1)).await?;
                use_everything(&call.client(), "in_task");
                let client = call.client();
                call.on_framework_thread(move || use_everything(&client, "in_closure")).await?;
                let client = call.client();
                call.blocking(move || use_everything(&client, "in_blocking")).await?;
                let client = call.client();
                let guard = call.framework_guard(|| (), move |()| use_everything(&client, "in_guard")).await?;
                drop(guard);
                note(&long, "long");
                Ok(())
            })
            .unwrap();
    });
    host.player().enable(&plugin);
    assert!(host.assistant().call("my_quick", NO_ARGS).expect_result().is_null());
    host.player().enable(&plugin);
    assert!(host.assistant().call("my_long", NO_ARGS).expect_result().is_null());
    *own.lock().unwrap() = Some(client.clone());
    client.add_tool(reads("other_look"), || Ok(1)).unwrap();
    assert_eq!(notes(&log), ["quick", "long", "callback"]);

    // In Ready and Disposing, before and after the client's own subscription.
    let guards: Vec<IpcGuard> = ["Ready", "Disposing"]
        .into_iter()
        .map(|message| {
            let (client, log) = (client.clone(), Arc::clone(&log));
            let action: IpcAction = Arc::new(move |_| {
                use_everything(&client, "in_message");
                note(&log, message);
                Ok(())
            });
            plugin.transport().subscribe(&format!("XivMcp.{message}"), &[], action).unwrap()
        })
        .collect();
    host.player().enable(&plugin);
    host.dalamud().unload_host();
    host.dalamud().load_host();
    assert_eq!(notes(&log)[3..], ["Disposing", "Ready"]);
    let tools: Vec<String> = client.get_status().tools.into_iter().map(|tool| tool.name).collect();
    assert_eq!(tools, ["my_quick", "my_long", "in_callback"]);
    drop(guards);
}

// R-CLI-11, R-CLI-12
#[test]
fn a_tool_that_removes_itself_still_ends_its_call() {
    let host = Stage::new();
    loaded(&host, |client, _| {
        client
            .add_long_running_tool(reads("my_tool"), async |call: McpCall| {
                assert!(call.client().remove_tool("my_tool"));
                call.sleep(Duration::from_secs(5)).await?;
                Ok::<_, McpToolError>("the end")
            })
            .unwrap();
    });
    let call = host.assistant().call("my_tool", NO_ARGS);
    assert_eq!(call.expect_result(), "the end");
    assert!(matches!(host.assistant().call("my_tool", NO_ARGS).wait(), Outcome::UnknownTool(_)));
}
