//! R-ENV-1, R-ENV-2: any text into any gate gives an envelope, and changes nothing when it is refused.

use proptest::prelude::*;
use serde_json::{Value, json};
use xivmcp_client::ipc::{IpcTransport, IpcType, IpcValue};
use xivmcp_mock_host::{Answer, MockTransport};

use crate::support::{NO_ARGS, Raw, Stage, acting, is_envelope, reading};

/// The gates that take text, with the number of their arguments.
const GATES: [(&str, usize); 18] = [
    ("ListCapabilities", 0),
    ("RegisterTool", 2),
    ("UnregisterTool", 2),
    ("UnregisterAll", 1),
    ("GetStatus", 1),
    ("DeclareDependencies", 2),
    ("CheckPermission", 2),
    ("RequestApproval", 2),
    ("GetApproval", 1),
    ("CompleteCall", 2),
    ("FailCall", 2),
    ("ReportProgress", 2),
    ("StartJob", 2),
    ("GetJob", 1),
    ("ListJobs", 1),
    ("PauseJob", 1),
    ("ResumeJob", 1),
    ("CancelJob", 1),
];

/// A host in the middle of something: a plugin with tools, dependencies, a running call with an open question, a job.
struct Scene {
    host: Stage,
    raw: Raw,
    transport: MockTransport,
    call: String,
    approval: String,
    job: String,
}

impl Scene {
    fn new() -> Self {
        let host = Stage::new();
        let raw = host.raw("Raw");
        let other = host.raw("Other");
        other.register(reading("other_look"));
        raw.register(reading("raw_look"));
        raw.register(acting("raw_go", &["game_ui"]));
        raw.ok("DeclareDependencies", &[raw.name(), json!({"tools": [{"tool": "navigate_to"}]})]);
        raw.replies(r#"{"pending":true}"#);
        host.player().enable(&raw.plugin);
        let call = host.assistant().call("raw_go", NO_ARGS).id().to_owned();
        host.player().answer(Answer::Once);
        let request = json!({"capability": "game_ui", "summary": "Go."});
        let approval = raw.ok("RequestApproval", &[json!(call), request])["approvalId"].as_str().unwrap().to_owned();
        let job = json!({"name": "Wait", "steps": [{"tool": "wait", "args": {"seconds": 604_800}}]});
        let job = raw.ok("StartJob", &[raw.name(), job])["job"]["id"].as_str().unwrap().to_owned();
        let transport = raw.plugin.transport();
        Self { host, raw, transport, call, approval, job }
    }

    /// Everything that can be seen of the host.
    fn seen(&self) -> String {
        let jobs = self.raw.ok("ListJobs", &[self.raw.name()]);
        let (status, tools, pending) = (self.raw.status(), self.host.assistant().all_tools(), self.host.pending());
        let (questions, audit) = (self.host.player().questions(), self.host.audit());
        format!("{status}\n{tools:?}\n{jobs}\n{pending:?}\n{questions:?}\n{audit:?}")
    }

    fn fill_in(&self, text: &Text) -> String {
        match text {
            Text::Owner => "Raw".to_owned(),
            Text::Call => self.call.clone(),
            Text::Approval => self.approval.clone(),
            Text::Job => self.job.clone(),
            Text::Any(text) => text.clone(),
        }
    }

    /// Whether it was accepted.
    fn ask(&self, gate: &str, arguments: &[String]) -> bool {
        let before = self.seen();
        let values: Vec<IpcValue> = arguments.iter().map(|text| IpcValue::from(&**text)).collect();
        let reply = self.transport.call_function(&format!("XivMcp.{gate}"), &values, IpcType::Text);
        self.host.settle();
        let reply = reply.unwrap_or_else(|error| panic!("{gate} failed into its caller: {error}"));
        let reply: Value = serde_json::from_str(reply.as_text().expect("a text")).expect("JSON");
        assert!(is_envelope(&reply), "{gate} gave {reply}");
        let accepted = reply["ok"] == true;
        if !accepted {
            assert_eq!(self.seen(), before, "{gate} refused, and changed something");
            assert!(reply["error"].as_str().unwrap().len() < 4_000, "a message is no copy of what was sent");
        }
        accepted
    }

    /// Everything that is open ends with the host, and nothing is left.
    fn close(self) {
        self.host.dalamud().unload_host();
    }
}

#[derive(Debug, Clone)]
enum Text {
    Owner,
    Call,
    Approval,
    Job,
    Any(String),
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
        prop::sample::select(vec!["object", "raw_new", "raw_go", "combat", "read_game", "wait", "official", "1.2"])
            .prop_map(Value::from),
    ];
    let key = prop_oneof![
        9 => prop::sample::select(vec![
            "name", "description", "inputSchema", "readOnly", "destructive", "capabilities", "capability", "summary",
            "steps", "tool", "args", "id", "note", "tools", "plugin", "repo", "minVersion", "type",
        ])
        .prop_map(str::to_owned),
        1 => any_text(),
    ];
    leaf.prop_recursive(4, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..7).prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

fn any_text() -> impl Strategy<Value = String> + Clone {
    prop::collection::vec(any::<char>(), 0..12).prop_map(|chars| chars.into_iter().collect())
}

/// Requests that are almost right: one field is anything.
fn almost() -> impl Strategy<Value = String> {
    let right = prop::sample::select(vec![
        acting("raw_new", &["combat"]),
        reading("raw_look"),
        json!({"capability": "game_ui", "summary": "Go."}),
        json!({"name": "Job", "steps": [{"tool": "wait", "args": {"seconds": 1}, "id": "one"}]}),
        json!({"tools": [{"tool": "other_tell", "plugin": "Other", "name": "Other", "repo": "official", "minVersion": "1.0"}]}),
    ]);
    (right, any::<prop::sample::Index>(), any_json()).prop_map(|(mut request, which, value)| {
        let fields = request.as_object_mut().expect("an object");
        let which = which.index(fields.len());
        let field = fields.values_mut().nth(which).expect("a field");
        *field = value;
        request.to_string()
    })
}

fn any_argument() -> impl Strategy<Value = Text> {
    prop_oneof![
        4 => Just(Text::Owner),
        3 => Just(Text::Call),
        2 => Just(Text::Approval),
        2 => Just(Text::Job),
        3 => any_text().prop_map(Text::Any),
        3 => any_json().prop_map(|json| Text::Any(json.to_string())),
        5 => almost().prop_map(Text::Any),
        2 => (any_json(), any::<prop::sample::Index>()).prop_map(|(json, cut)| {
            let text: Vec<char> = json.to_string().chars().collect();
            Text::Any(text[..cut.index(text.len())].iter().collect())
        }),
        1 => prop::sample::select(vec!["", " ", "null", "{}", "[]", "\u{feff}{}", "{\"ok\":true}", "\0"])
            .prop_map(|text| Text::Any(text.to_owned())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    // R-ENV-1, R-ENV-2
    #[test]
    fn any_text_into_any_gate_gives_an_envelope_and_changes_nothing_when_refused(
        asked in prop::collection::vec((0..GATES.len(), any_argument(), any_argument()), 1..24)
    ) {
        let scene = Scene::new();
        for (gate, first, second) in asked {
            let (gate, count) = GATES[gate];
            let arguments: Vec<String> = [first, second].iter().take(count).map(|text| scene.fill_in(text)).collect();
            scene.ask(gate, &arguments);
        }
        scene.close();
    }
}

// R-ENV-2
#[test]
fn huge_and_deep_texts_are_answered_like_any_other() {
    let long = "x".repeat(1 << 20);
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let texts = [
        long.clone(),
        "\u{1F600}".repeat(300_000),
        deep.clone(),
        "[".repeat(200_000),
        "{\"a\":".repeat(100_000),
        format!("{{\"name\":\"{long}\",\"description\":\"d\",\"readOnly\":true}}"),
        format!(
            "{{\"name\":\"raw_deep\",\"description\":\"d\",\"readOnly\":true,\"inputSchema\":{{\"type\":\"object\",\"x\":{deep}}}}}"
        ),
        format!("{{\"name\":\"raw_deep\",\"description\":\"d\",\"capabilities\":{deep}}}"),
        format!("{{\"capability\":\"game_ui\",\"summary\":\"{long}\"}}"),
        format!("{{\"name\":\"Job\",\"steps\":[{{\"tool\":\"wait\",\"args\":{{\"seconds\":{deep}}}}}]}}"),
        format!("{{\"name\":\"Job\",\"steps\":[{}{{}}]}}", "{\"tool\":\"wait\"},".repeat(20_000)),
        format!("{{\"tools\":[{}{{}}]}}", "{\"tool\":\"wait\"},".repeat(20_000)),
    ];
    for (gate, count) in GATES {
        if count == 0 {
            continue;
        }
        let scene = Scene::new();
        for text in &texts {
            scene.ask(gate, &vec![text.clone(); count]);
            for first in [Text::Owner, Text::Call] {
                if count == 2 {
                    scene.ask(gate, &[scene.fill_in(&first), text.clone()]);
                }
            }
        }
        scene.close();
    }
}

// R-ENV-2
#[test]
fn the_scene_is_one_in_which_right_requests_are_accepted() {
    let scene = Scene::new();
    let owner = || "Raw".to_owned();
    assert!(scene.ask("RegisterTool", &[owner(), acting("raw_new", &["game_ui"]).to_string()]));
    assert!(scene.ask("GetApproval", std::slice::from_ref(&scene.approval)));
    assert!(scene.ask("PauseJob", std::slice::from_ref(&scene.job)));
    assert!(scene.ask("ReportProgress", &[scene.call.clone(), "half".to_owned()]));
    assert!(scene.ask("CompleteCall", &[scene.call.clone(), "1".to_owned()]));
    assert!(!scene.ask("CompleteCall", &[scene.call.clone(), "1".to_owned()]));
    scene.close();
}
