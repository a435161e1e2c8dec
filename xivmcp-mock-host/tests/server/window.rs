//! The player's window as its page speaks to it: who may, what is shown, what can be asked for, and that it is told.

use std::net::TcpStream;

use serde_json::{Value, json};
use xivmcp_client::{JsonText, McpCapabilities, McpToolDefinition, XivMcpClient};
use xivmcp_mock_host::server::{Options, Server, serve};
use xivmcp_mock_host::{MockHost, Plugin};

use crate::http::{Answer, authority, open, read_until, request, rest, send};

/// A server, its plugin, and the cookie of a page that was opened by the link.
pub(crate) struct Page {
    pub(crate) server: Server,
    pub(crate) plugin: Plugin,
    cookie: String,
    origin: String,
}

fn opened() -> Page {
    Page::with(|client| {
        let acts = |name: &str, may| McpToolDefinition::new(name, "Acts.").capabilities([may]);
        client.add_tool(McpToolDefinition::new("myplugin_ping", "Answers.").read_only(true), || Ok("pong"))?;
        client.add_tool(acts("myplugin_wave", McpCapabilities::GameUi), || Ok("waved"))?;
        client.add_tool(acts("myplugin_burn", McpCapabilities::DiscardItems), || Ok("burnt"))
    })
}

impl Page {
    /// With a plugin that registers so.
    pub(crate) fn with<E: std::fmt::Display>(
        register: impl Fn(&XivMcpClient) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        let host = MockHost::live();
        let plugin = host.load("MyPlugin", register);
        let server = serve(host, &Options::new().port(0)).unwrap();
        let link = server.window_url();
        let (_, path) = link.split_once("/?").unwrap();
        let answer = send(&server, "GET", &format!("/?{path}"), &[], "");
        assert_eq!((answer.status, answer.header("Location")), (303, Some("/")), "{answer:?}");
        let cookie = answer.header("Set-Cookie").unwrap().split(';').next().unwrap().to_owned();
        let origin = format!("http://{}", authority(&server));
        Self { server, plugin, cookie, origin }
    }

    fn get(&self, path: &str) -> Answer {
        send(&self.server, "GET", path, &[("Cookie", &self.cookie)], "")
    }

    pub(crate) fn state(&self) -> Value {
        let state: Value = serde_json::from_str(&self.get("/api/state").body).unwrap();
        state["sections"].clone()
    }

    fn plugin_card(&self) -> Value {
        self.state()["plugins"][0].clone()
    }

    pub(crate) fn post(&self, body: &str) -> Answer {
        rest(self.begin(body))
    }

    /// Sends an action, and gives the connection on which the answer will come.
    pub(crate) fn begin(&self, body: &str) -> TcpStream {
        let headers = [("Cookie", &*self.cookie), ("Origin", &*self.origin), ("Content-Type", "application/json")];
        open(&self.server, request(&self.server, "POST", "/api/act", &headers, body).as_bytes())
    }

    #[track_caller]
    pub(crate) fn act(&self, action: &Value) {
        let answer = self.post(&action.to_string());
        assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"ok":true}"#), "{action}: {answer:?}");
    }

    /// Consents to all that is registered now.
    fn enable(&self) {
        let tools = ["myplugin_ping", "myplugin_wave", "myplugin_burn"];
        let capabilities = ["read_game", "game_ui", "discard_items"];
        self.act(&json!({"do": "enable", "plugin": "MyPlugin", "tools": tools, "capabilities": capabilities}));
    }

    pub(crate) fn listen(&self) -> TcpStream {
        open(&self.server, request(&self.server, "GET", "/api/events", &[("Cookie", &self.cookie)], "").as_bytes())
    }

    /// Looks until `done`.
    #[track_caller]
    fn until(&self, done: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..2000 {
            let state = self.state();
            if done(&state) {
                return state;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        panic!("it is not so: {}", self.state());
    }
}

#[test]
fn nothing_of_the_window_is_given_without_its_cookie() {
    let page = opened();
    let bearer = format!("Bearer {}", page.server.token().unwrap());
    let half = page.cookie[..page.cookie.len() - 1].to_owned();
    for path in ["/", "/assets/app.js", "/api/state", "/api/events", "/nowhere"] {
        for headers in [vec![], vec![("Cookie", half.as_str())], vec![("Authorization", bearer.as_str())]] {
            assert_eq!(send(&page.server, "GET", path, &headers, "").status, 401, "{path} {headers:?}");
        }
    }
    let headers = [("Origin", &*page.origin), ("Content-Type", "application/json")];
    let answer = send(&page.server, "POST", "/api/act", &headers, r#"{"do":"lift","plugin":"MyPlugin"}"#);
    assert_eq!(answer.status, 401);
    assert_eq!(send(&page.server, "GET", "/?token=0123", &[], "").status, 401, "a link of another start");
}

#[test]
fn a_change_comes_from_the_page_itself() {
    let page = opened();
    let action = r#"{"do":"game","gil":5}"#;
    let other = page.origin.replace("127.0.0.1", "localhost");
    for (origin, status) in [(None, 403), (Some("null"), 403), (Some("https://example.org"), 403), (Some(&*other), 403)]
    {
        let mut headers = vec![("Cookie", page.cookie.as_str()), ("Content-Type", "application/json")];
        headers.extend(origin.map(|origin| ("Origin", origin)));
        assert_eq!(send(&page.server, "POST", "/api/act", &headers, action).status, status, "{origin:?}");
    }
    let form = [("Cookie", &*page.cookie), ("Origin", &*page.origin), ("Content-Type", "text/plain")];
    assert_eq!(send(&page.server, "POST", "/api/act", &form, action).status, 415);
    assert_eq!(page.state()["game"]["gil"], 1_000_000, "nothing of it was done");
}

#[test]
fn every_file_of_the_page_says_that_nothing_else_may_run() {
    let page = opened();
    let html = page.get("/");
    assert!(html.body.contains("assets/app.js"), "{html:?}");
    for path in ["/", "/assets/app.js", "/assets/vendor/preact.js", "/assets/window.css", "/api/state"] {
        let answer = page.get(path);
        assert_eq!(answer.status, 200, "{path}");
        let policy = answer.header("Content-Security-Policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(answer.header("X-Content-Type-Options"), Some("nosniff"), "{path}");
    }
    assert_eq!(page.get("/assets/../auth.rs").status, 404);
    assert_eq!(page.get("/assets/nothing.js").status, 404);
}

#[test]
fn a_wrong_action_is_answered_with_a_sentence_that_says_what_would_be_right() {
    let page = opened();
    let cases = [
        ("", 400, "cannot be read"),
        ("[]", 400, "cannot be read"),
        (r#"{"do":"dance"}"#, 400, "dance"),
        (r#"{"do":"lift"}"#, 400, "plugin"),
        (r#"{"do":"lift","plugin":"MyPlugin","force":true}"#, 400, "force"),
        (r#"{"do":"answer","question":1,"answer":"maybe"}"#, 400, "once"),
        (r#"{"do":"game","gil":-1}"#, 400, "-1"),
        (r#"{"do":"lift","plugin":"Nobody"}"#, 422, "Nobody"),
        (r#"{"do":"set_tool","plugin":"MyPlugin","tool":"myplugin_wave","mode":"perhaps"}"#, 422, "allow, ask or deny"),
        (
            r#"{"do":"set_capability","plugin":"MyPlugin","capability":"time_travel","mode":"allow"}"#,
            422,
            "time_travel",
        ),
        (r#"{"do":"turn_group","group":"nowhere","on":true}"#, 422, "nowhere"),
        (r#"{"do":"answer","question":77,"answer":"once"}"#, 422, "77"),
        (r#"{"do":"job","job":"0a1b2c3d","control":"pause"}"#, 422, "0a1b2c3d"),
        (r#"{"do":"call","tool":"myplugin_ping","args":"[]"}"#, 422, "object"),
        (r#"{"do":"call","tool":"myplugin_ping","args":"{"}"#, 422, "JSON"),
        (r#"{"do":"cancel_call","call":"00"}"#, 422, "00"),
        (r#"{"do":"host","loaded":true}"#, 422, "loaded"),
    ];
    for (body, status, part) in cases {
        let answer = page.post(body);
        let reply: Value = serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{body}: {answer:?}"));
        assert_eq!((answer.status, &reply["ok"]), (status, &json!(false)), "{body}: {answer:?}");
        assert!(reply["error"].as_str().unwrap().contains(part), "{body}: {reply}");
    }
    assert_eq!(page.post(&"x".repeat(2 * 1024 * 1024)).status, 413);
    assert_eq!(page.get("/api/state").status, 200, "it still serves");
}

// R-POL-5
#[test]
fn enable_consents_to_what_the_page_had_shown_and_to_nothing_that_came_since() {
    let page = opened();
    let first = page.plugin_card();
    assert_eq!((&first["state"], &first["tools"][0]["fresh"]), (&json!("undecided"), &json!(true)));
    page.enable();
    assert_eq!(page.plugin_card()["state"], "enabled");
    let definition = McpToolDefinition::new("myplugin_buy", "Buys.").capabilities([McpCapabilities::SpendGil]);
    page.plugin.client().add_tool(definition, || Ok("bought")).unwrap();
    let grown = page.plugin_card();
    assert_eq!(grown["state"], "awaiting_consent");
    let fresh = |list: &str, name: &str| -> Vec<String> {
        let entries = grown[list].as_array().unwrap().iter().filter(|entry| entry["fresh"] == true);
        entries.map(|entry| entry[name].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        (fresh("tools", "name"), fresh("capabilities", "id")),
        (vec!["myplugin_buy".to_owned()], vec!["spend_gil".to_owned()])
    );
    page.enable(); // a page that was drawn before
    assert_eq!(page.plugin_card()["state"], "awaiting_consent");
}

#[test]
fn settings_are_set_and_set_back() {
    let page = opened();
    page.enable();
    let capability = |page: &Page| {
        page.plugin_card()["capabilities"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["id"] == "game_ui")
            .unwrap()
            .clone()
    };
    for (mode, set, holds) in [(json!("deny"), json!("deny"), "deny"), (Value::Null, Value::Null, "ask")] {
        page.act(&json!({"do": "set_capability", "plugin": "MyPlugin", "capability": "game_ui", "mode": mode}));
        assert_eq!((&capability(&page)["set"], &capability(&page)["mode"]), (&set, &json!(holds)));
        page.act(&json!({"do": "set_tool", "plugin": "MyPlugin", "tool": "myplugin_ping", "mode": mode}));
        assert_eq!(page.plugin_card()["tools"][0]["set"], set);
        page.act(&json!({"do": "set_group", "group": "market", "access": "write", "mode": mode}));
        page.act(&json!({"do": "set_builtin", "tool": "buy_item", "mode": mode}));
        let modules = page.state()["modules"].clone();
        let market = modules.as_array().unwrap().iter().find(|module| module["id"] == "market").unwrap().clone();
        let buy = market["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "buy_item").unwrap().clone();
        assert_eq!((&market["writeSet"], &buy["set"]), (&set, &set));
    }
    page.act(&json!({"do": "turn_group", "group": "market", "on": false}));
    let tools = page.state()["tools"].to_string();
    assert!(!tools.contains("get_market_listings") && tools.contains("get_character"), "{tools}");
    page.act(&json!({"do": "keep_disabled", "plugin": "MyPlugin", "tools": [], "capabilities": []}));
    assert_eq!(page.plugin_card()["state"], "kept_disabled");
}

#[test]
fn a_call_from_the_page_is_asked_for_answered_and_shown() {
    let page = opened();
    page.enable();
    let args = r#"{"much": 1.50, "id": 12345678901234567890123}"#;
    page.act(&json!({"do": "call", "tool": "myplugin_wave", "args": args}));
    let asked = page.until(|state| state["questions"][0]["id"].is_u64());
    let question = &asked["questions"][0];
    assert_eq!(question["args"], args, "as it was sent, to the digit");
    assert_eq!((&question["caller"], &question["critical"]), (&json!("assistant:window"), &json!(false)));
    assert_eq!(question["until"].as_i64().unwrap() - question["since"].as_i64().unwrap(), 120_000);
    assert_eq!(asked["calls"][0]["state"], "asking");
    page.act(&json!({"do": "answer", "question": question["id"], "answer": "once"}));
    let ended = page.until(|state| state["calls"][0]["state"] == "ended");
    assert_eq!((&ended["calls"][0]["isError"], &ended["questions"]), (&json!(false), &json!([])));
    assert!(ended["calls"][0]["text"].as_str().unwrap().ends_with("waved"), "{ended}");
    assert_eq!(ended["audit"]["entries"][0]["decision"], "approved");

    page.act(&json!({"do": "call", "tool": "myplugin_burn", "args": "{}"}));
    let asked = page.until(|state| state["questions"][0]["id"].is_u64());
    assert_eq!(asked["questions"][0]["critical"], true);
    page.act(&json!({"do": "cancel_call", "call": asked["calls"][0]["id"]}));
    let ended = page.until(|state| state["questions"] == json!([]) && state["calls"][0]["state"] == "ended");
    assert_eq!((&ended["calls"][0]["tool"], &ended["calls"][0]["isError"]), (&json!("myplugin_burn"), &json!(true)));
}

#[test]
fn a_job_is_shown_with_its_steps_and_seen_to() {
    let page = opened();
    page.enable();
    let job =
        r#"{"name":"Two","steps":[{"tool":"myplugin_wave","args":{"a": 1.0}},{"tool":"wait","args":{"seconds":600}}]}"#;
    page.act(&json!({"do": "call", "tool": "start_job", "args": job}));
    let asked = page.until(|state| state["questions"][0]["id"].is_u64());
    page.act(&json!({"do": "answer", "question": asked["questions"][0]["id"], "answer": "denied"}));
    let pending = page.until(|state| state["jobs"][0]["state"] == "pending")["jobs"][0].clone();
    assert_eq!((&pending["asker"], &pending["progress"]), (&json!("assistant:window"), &json!("0/2")));
    assert_eq!(
        (&pending["steps"][0]["state"], &pending["steps"][0]["args"]),
        (&json!("failed"), &json!(r#"{"a": 1.0}"#))
    );
    let id = pending["id"].clone();
    let resume = page.post(&json!({"do": "job", "job": id, "control": "resume"}).to_string());
    assert_eq!(resume.status, 422, "its step has failed: {resume:?}");
    page.act(&json!({"do": "update_job", "job": id, "action": "skip", "resume": true}));
    page.until(|state| state["jobs"][0]["steps"][1]["state"] == "running");
    page.act(&json!({"do": "job", "job": id, "control": "pause"}));
    page.until(|state| state["jobs"][0]["state"] == "paused" && state["jobs"][0]["steps"][1]["state"] == "interrupted");
    page.act(&json!({"do": "job", "job": id, "control": "cancel"}));
    page.until(|state| state["jobs"][0]["state"] == "cancelled");
}

#[test]
fn the_game_and_the_host_are_changed() {
    let page = opened();
    page.act(&json!({"do": "game", "gil": 5, "items": 7, "zone": 130, "loggedIn": false, "currency": {"id": 28, "amount": 3}}));
    let game = page.state()["game"].clone();
    let expected = json!({"gil": 5, "items": 7, "zone": 130, "loggedIn": false, "currency": [{"id": 28, "amount": 3}],
        "character": 1, "world": 66, "chat": 0});
    assert_eq!(game, expected);
    page.act(&json!({"do": "game_step", "gil": -3, "items": -100, "chat": 2, "currency": {"id": 28, "by": 10}}));
    let game = page.state()["game"].clone();
    let amounts = [&game["gil"], &game["items"], &game["chat"], &game["currency"][0]["amount"]];
    assert_eq!(amounts, [2, 0, 2, 13], "{game}");
    page.act(&json!({"do": "host", "loaded": false}));
    let gone = page.state();
    assert_eq!((&gone["host"]["loaded"], &gone["plugins"][0]["tools"]), (&json!(false), &json!([])));
    page.act(&json!({"do": "host", "loaded": true}));
    page.until(|state| state["plugins"][0]["tools"].as_array().is_some_and(|tools| tools.len() == 3));
}

#[test]
fn a_page_is_told_everything_first_and_then_only_what_is_different() {
    let page = opened();
    let mut stream = page.listen();
    let first = read_until(&mut stream, "\n\n");
    assert!(first.contains("event: state") && first.contains("\"modules\""), "{first}");
    page.act(&json!({"do": "game", "gil": 4321}));
    let patch = read_until(&mut stream, "4321");
    assert!(patch.contains("event: patch") && patch.contains("\"game\""), "{patch}");
    for other in ["\"plugins\"", "\"modules\"", "\"tools\"", "\"audit\""] {
        assert!(!patch.contains(other), "{other} did not change: {patch}");
    }
    page.enable();
    let patch = read_until(&mut stream, "\"tools\"");
    assert!(!patch.contains("\"game\""), "{patch}");
}

#[test]
fn line_ends_in_a_schema_break_no_message() {
    let page = opened();
    let schema = "{\r\n\"type\":\"object\",\r\"properties\":\n{}}";
    let definition = McpToolDefinition::new("myplugin_odd", "Says\r\nwhat\rit wants\n\nevent: state").read_only(true);
    let definition = definition.input_schema(JsonText::parse(schema).unwrap());
    page.plugin.client().add_tool(definition, || Ok("odd")).unwrap();
    page.enable();
    let tools = json!(["myplugin_ping", "myplugin_wave", "myplugin_burn", "myplugin_odd"]);
    let capabilities = json!(["read_game", "game_ui", "discard_items"]);
    page.act(&json!({"do": "enable", "plugin": "MyPlugin", "tools": tools, "capabilities": capabilities}));
    let mut stream = page.listen();
    let message = read_until(&mut stream, "\n\n");
    let data: Vec<&str> = message.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    assert_eq!(data.len(), 1, "{message}");
    let state: Value = serde_json::from_str(data[0]).unwrap();
    assert!(state["sections"]["tools"].to_string().contains("myplugin_odd"));
}

#[test]
fn many_pages_listen_and_one_too_many_is_told() {
    let page = opened();
    let pages: Vec<TcpStream> = (0..24)
        .map(|_| {
            let mut stream = page.listen();
            read_until(&mut stream, "event: state");
            stream
        })
        .collect();
    let refused = rest(page.listen());
    assert_eq!(refused.status, 503);
    assert!(refused.body.contains("close one"), "{refused:?}");
    drop(pages);
    for _ in 0..2000 {
        let mut stream = page.listen();
        if read_until(&mut stream, "\r\n").contains(" 200 ") {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("the places of pages that have gone are not given back");
}
