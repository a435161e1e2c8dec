//! What the host plays around XIV MCP: the game, Dalamud's services, other plugins.

mod support;

use std::sync::{Arc, Mutex};

use serde_json::json;
use xivmcp_client::services::{LogLevel, Session, SessionEvent};
use xivmcp_client::{McpCall, McpCapabilities, McpToolDefinition, PluginContext, XivMcpClient};
use xivmcp_mock_host::{Answer, GameChange, MockHost};

use support::{cat, failure};

#[test]
fn the_game_is_touched_on_the_framework_thread_only_and_elsewhere_it_says_how_to_get_there() {
    let host = MockHost::simulated();
    let game = host.game().handle();
    let outside = failure(|| drop(game.state()));
    assert!(outside.contains("touched on the test's thread"), "{outside}");
    let plugin = host.load("Dog", move |client: &XivMcpClient| {
        let game = game.clone();
        let buy = McpToolDefinition::new("dog_buy", "Buys.").capabilities([McpCapabilities::SpendGil]);
        client.add_long_running_tool(buy, async move |call: McpCall| {
            let game = game.clone();
            game.change(GameChange::new().gil(-10)); // the first step runs on the framework thread
            call.sleep(std::time::Duration::from_secs(1)).await?;
            game.change(GameChange::new().gil(-10)); // and here it does not
            Ok(())
        })
    });
    host.player().enable(&plugin);
    host.player().answer_all(Answer::Once);
    let error = host.assistant().call("dog_buy", ()).expect_error();
    assert!(error.contains("touched on a thread of the pool"), "{error}");
    assert_eq!(host.game().state().gil, 999_990);
    let at_end = failure(|| host.finish());
    assert!(at_end.contains("call.on_framework_thread"), "{at_end}");
}

#[test]
fn plugins_hear_of_logins_and_zones_on_the_framework_thread() {
    let host = MockHost::simulated();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&heard);
    let plugin = host.load_plugin("Cat", move |context: PluginContext| {
        let (note, transport) = (Arc::clone(&note), Arc::clone(&context.transport));
        assert_eq!(context.services.session(), Some(Session::new(129, 66)));
        Ok::<_, String>(context.services.on_session(Arc::new(move |event| {
            assert!(transport.is_framework_thread());
            note.lock().unwrap().push(event);
        })))
    });
    host.game().move_to(130);
    host.game().log_out();
    host.game().log_in();
    plugin.unload();
    host.game().move_to(131);
    let arrived = Session::new(130, 66);
    let expected = [SessionEvent::TerritoryChanged(arrived), SessionEvent::Logout, SessionEvent::Login(arrived)];
    assert_eq!(*heard.lock().unwrap(), expected);
}

#[test]
fn log_chat_commands_and_scripted_services_work() {
    let host = MockHost::simulated();
    host.dalamud().service("retainers", |json| Ok(format!("[{json}]")));
    let plugin = host.load_plugin("Cat", |context: PluginContext| {
        let services = Arc::clone(&context.services);
        services.log(LogLevel::Warning, "hungry");
        let feed = Arc::clone(&context.services);
        let command = services.add_command(
            "/feed",
            "Feeds the cat.",
            Arc::new(move |command, arguments| {
                let answer = feed.call_service("retainers", arguments).unwrap();
                feed.print_chat_error(&format!("{command}: {answer}"));
                assert!(feed.call_service("dogs", "").unwrap_err().to_string().contains("script it on the mock host"));
            }),
        );
        assert!(services.add_command("/feed", "", Arc::new(|_, _| {})).is_err());
        assert!(services.add_command("feed", "", Arc::new(|_, _| {})).is_err());
        command
    });
    host.dalamud().run_command("/feed  1 2 ");
    assert_eq!(host.dalamud().log()[0].text, "hungry");
    assert_eq!((host.dalamud().chat()[0].text.as_str(), host.dalamud().chat()[0].error), ("/feed: [1 2]", true));
    assert_eq!(host.dalamud().commands(), [("/feed".to_owned(), "Feeds the cat.".to_owned())]);
    plugin.unload();
    let text = failure(|| host.dalamud().run_command("/feed"));
    assert!(text.contains("no plugin has added the command /feed"), "{text}");
}

#[test]
fn disabling_and_enabling_a_plugin_of_the_test_unloads_and_loads_it_for_real() {
    let host = MockHost::simulated();
    let plugin = cat(&host);
    host.dalamud().disable("cat");
    assert!(!plugin.is_loaded());
    assert!(host.assistant().tools().is_empty());
    host.dalamud().enable("Cat");
    assert!(plugin.is_loaded());
    assert_eq!(host.assistant().tools().len(), 3);
    host.dalamud().uninstall("Cat");
    assert!(host.assistant().tools().is_empty());
}

// R-CALL-10
#[test]
fn when_the_host_comes_and_goes_plugins_are_told_and_register_again() {
    let host = MockHost::simulated();
    let plugin = cat(&host);
    let call = host.assistant().call("cat_nap", ());
    assert_eq!(host.dalamud().unload_host(), ["Cat"]);
    assert!(call.wait().error().is_some());
    assert!(!plugin.client().is_available());
    assert_eq!(host.dalamud().load_host(), ["Cat"]);
    assert_eq!(host.assistant().tools().len(), 3);
    assert_eq!(host.assistant().call("cat_ping", json!({})).expect_result(), "pong");
}

#[test]
fn spending_is_denied_and_the_rest_follows_the_other_rules() {
    let host = MockHost::simulated();
    let plugin = host.load("Dog", |client: &XivMcpClient| {
        let buy = McpToolDefinition::new("dog_buy", "Buys.").capabilities([McpCapabilities::SpendGil]);
        client.add_tool(buy, || Ok("bought"))?;
        let bark = McpToolDefinition::new("dog_bark", "Barks.").capabilities([McpCapabilities::GameUi]);
        client.add_tool(bark, || Ok("barked"))
    });
    host.player().enable(&plugin);
    host.player().answer_all(Answer::Once);
    host.player().deny_spending();
    assert_eq!(host.assistant().call("dog_bark", ()).expect_result(), "barked");
    assert!(host.assistant().call("dog_buy", ()).outcome().unwrap().error().is_some());
    assert_eq!(host.player().asked().len(), 2);
}

#[test]
fn a_mode_that_does_not_exist_is_no_silent_deny() {
    let host = MockHost::simulated();
    let plugin = cat(&host);
    let settings: [&dyn Fn(); 4] = [
        &|| host.player().set_mode(&plugin, "game_ui", "alow"),
        &|| host.player().set_tool_mode(&plugin, "cat_purr", "alow"),
        &|| host.player().set_group_write("game_navigation", "alow"),
        &|| host.player().set_builtin_mode("navigate_to", "alow"),
    ];
    for setting in settings {
        let failure = failure(setting);
        assert!(failure.contains("there is no mode \"alow\": it must be allow, ask or deny"), "{failure}");
    }
}
