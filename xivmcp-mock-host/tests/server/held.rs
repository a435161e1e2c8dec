//! A plugin that holds the framework thread: the game would stand still. What needs no framework thread goes on, and all
//! that can be seen names the plugin.

use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use serde_json::json;
use xivmcp_client::{McpCapabilities, McpToolDefinition, XivMcpClient};
use xivmcp_mock_host::LintKind;

use crate::http::{App, read_until, rest};
use crate::window::Page;

/// What lets the framework thread go: sent to, or dropped.
type Release = mpsc::Sender<()>;

/// A plugin whose tool `myplugin_hold` holds the framework thread until it is released, and one that acts.
fn holding() -> (Page, Release) {
    let (release, held) = mpsc::channel();
    let held = Arc::new(Mutex::new(held));
    let page = Page::with(move |client: &XivMcpClient| {
        let held = Arc::clone(&held);
        client.add_tool(McpToolDefinition::new("myplugin_hold", "Holds.").read_only(true), move || {
            let _ = held.lock().unwrap().recv();
            Ok("released")
        })?;
        let acts = McpToolDefinition::new("myplugin_wave", "Acts.").capabilities([McpCapabilities::GameUi]);
        client.add_tool(acts, || Ok("waved"))
    });
    page.server.host().player().enable(&page.plugin);
    (page, release)
}

#[test]
fn assistants_and_the_window_are_served_while_a_plugin_holds_the_framework_thread() {
    let (page, release) = holding();
    let app = App::initialized(&page.server, "tester");
    let mut feed = page.listen();
    let call = app.begin(1, "tools/call", &json!({ "name": "myplugin_hold", "arguments": {} }));
    // Nothing else happens: the finding itself is what the page is told.
    let told = read_until(&mut feed, "has held the framework thread for more than 1 s");
    assert!(told.contains(r#""kind":"held framework""#), "{told}");
    let lints = page.plugin.lints();
    let lint = lints.iter().find(|lint| lint.kind == LintKind::HeldFramework).expect("it is found while it lasts");
    assert_eq!((lint.plugin.as_str(), lint.tool.as_str()), ("MyPlugin", "myplugin_hold"));

    assert!(app.tools().iter().any(|tool| tool["name"] == "myplugin_wave"));
    assert!(!App::initialized(&page.server, "another").tools().is_empty());
    let question = app.begin(2, "tools/call", &json!({ "name": "myplugin_wave", "arguments": {} }));
    read_until(&mut feed, r#""tool":"myplugin_wave""#);
    let asked = page.server.host().player().questions()[0].id;
    page.act(&json!({ "do": "answer", "question": asked, "answer": "denied" }));
    assert_eq!(rest(question).message()["result"]["isError"], true, "what is refused needs no framework thread");
    page.act(&json!({ "do": "game_step", "gil": 5 }));
    read_until(&mut feed, r#""gil":1000005"#);
    // What plugins would have to be told there.
    let answer = page.post(&json!({ "do": "host", "loaded": false }).to_string());
    assert_eq!(answer.status, 422, "{answer:?}");
    assert!(answer.body.contains("MyPlugin (myplugin_hold) has held the framework thread for"), "{answer:?}");

    release.send(()).unwrap();
    assert!(rest(call).message().to_string().contains("released"));
    page.act(&json!({ "do": "host", "loaded": false }));
    assert_eq!(page.server.stop(), [""; 0], "a finding is no failure");
}

#[test]
fn a_server_stops_while_a_plugin_holds_the_framework_thread_and_says_so() {
    let (page, release) = holding();
    let app = App::initialized(&page.server, "tester");
    let _call = app.begin(1, "tools/call", &json!({ "name": "myplugin_hold", "arguments": {} }));
    let host = page.server.host();
    host.wait_until(|| host.lints().iter().any(|lint| lint.kind == LintKind::HeldFramework));
    // A request that waits for the framework thread, too, keeps nothing from ending.
    let _action = page.begin(&json!({ "do": "host", "loaded": false }).to_string());
    assert!(page.state().is_object(), "the server has come to it by now");
    let problems = page.server.stop();
    let sentence = problems.iter().find(|problem| problem.starts_with("XIV MCP could not be unloaded: MyPlugin"));
    assert!(sentence.is_some_and(|said| said.contains("(myplugin_hold)")), "{problems:?}");
    assert!(!page.plugin.is_loaded());
    drop(release);
}
