//! Invoke of a quick typed tool with 1 KB of arguments, beside the bare serde work on the same data: parsing the
//! arguments, writing the result. The two are measured in turn in one run, and the fastest turn of each counts, so that
//! what else the machine does falls on both or on none. The limit is 1.3 times.
//!
//! `cargo bench -p xivmcp-client --bench invoke` measures, and fails beyond the limit; run as a test, it only looks
//! whether both give the same.
#![allow(missing_docs, reason = "a program has no callers")]

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xivmcp_client::ipc::{
    FrameworkClosure, IpcAction, IpcError, IpcFunction, IpcGuard, IpcSignature, IpcTransport, IpcType, IpcValue,
};
use xivmcp_client::{McpToolDefinition, McpToolError, XivMcpClient};

/// The highest ratio that is right.
const LIMIT: f64 = 1.3;
/// How often each is measured, in turn.
const TURNS: u32 = 400;
/// How many calls are timed together, so that the clock does not count.
const CALLS: u32 = 200;

#[derive(Deserialize, JsonSchema)]
struct Order {
    retainer_name: String,
    world: String,
    mode: Mode,
    max_gil: u64,
    keep_slots: Option<u8>,
    items: Vec<Item>,
    note: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    BuyCheapest,
    UndercutByOne,
}

#[derive(Deserialize, JsonSchema)]
struct Item {
    item_id: u32,
    name: String,
    quantity: u32,
    high_quality: bool,
    max_price: Option<f64>,
}

#[derive(Serialize)]
struct Report {
    retainer_name: String,
    spent_gil: u64,
    undercut: bool,
    bought: Vec<Bought>,
}

#[derive(Serialize)]
struct Bought {
    item_id: u32,
    item_name: String,
    quantity: u32,
    high_quality: bool,
    price: Option<f64>,
}

/// The tool's own work: next to nothing.
fn buy(order: Order) -> Report {
    let bought = |item: Item| Bought {
        item_id: item.item_id,
        item_name: item.name,
        quantity: item.quantity,
        high_quality: item.high_quality,
        price: item.max_price,
    };
    Report {
        spent_gil: order.max_gil / 2 + u64::from(order.keep_slots.unwrap_or(0)),
        undercut: matches!(order.mode, Mode::UndercutByOne),
        retainer_name: [order.retainer_name, order.world, order.note].concat(),
        bought: order.items.into_iter().map(bought).collect(),
    }
}

fn arguments() -> String {
    let items: Vec<_> = (0..8)
        .map(|i| {
            serde_json::json!({
                "item_id": 5_000 + i, "name": format!("Grade {i} Tincture of Dexterity"), "quantity": 10 * i,
                "high_quality": i % 2 == 0, "max_price": 1234.5
            })
        })
        .collect();
    serde_json::json!({
        "retainer_name": "Kipih Jakkya", "world": "Twintania", "mode": "buy_cheapest", "max_gil": 1_500_000,
        "keep_slots": 5, "items": items, "note": "Stop when the bags are full, and leave the \"old\" ones alone."
    })
    .to_string()
}

/// Gates with nobody at the other end: only what the client provides is kept.
#[derive(Default)]
struct Gates {
    invoke: Mutex<Option<IpcFunction>>,
}

impl IpcTransport for Gates {
    fn internal_name(&self) -> &str {
        "Bench"
    }

    fn call_function(&self, gate: &str, _: &[IpcValue], _: IpcType) -> Result<IpcValue, IpcError> {
        Err(IpcError::NotReady { gate: gate.to_owned() })
    }

    fn call_action(&self, gate: &str, _: &[IpcValue]) -> Result<(), IpcError> {
        Err(IpcError::NotReady { gate: gate.to_owned() })
    }

    fn send_message(&self, _: &str, _: &[IpcValue]) -> Result<(), IpcError> {
        Ok(())
    }

    fn provide_function(&self, _: &str, _: &IpcSignature, function: IpcFunction) -> Result<IpcGuard, IpcError> {
        *self.invoke.lock().unwrap() = Some(function);
        Ok(IpcGuard::new(|| {}))
    }

    fn provide_action(&self, _: &str, _: &[IpcType], _: IpcAction) -> Result<IpcGuard, IpcError> {
        Ok(IpcGuard::new(|| {}))
    }

    fn subscribe(&self, _: &str, _: &[IpcType], _: IpcAction) -> Result<IpcGuard, IpcError> {
        Ok(IpcGuard::new(|| {}))
    }

    fn run_on_next_update(&self, _: FrameworkClosure) {}

    fn is_framework_thread(&self) -> bool {
        true
    }
}

/// The bare result's text with the names as they arrive.
fn in_camel_case(json: &str) -> String {
    let names = [("retainer_name", "retainerName"), ("spent_gil", "spentGil"), ("item_id", "itemId")];
    let more = [("item_name", "itemName"), ("high_quality", "highQuality")];
    names.iter().chain(&more).fold(json.to_owned(), |json, (from, to)| json.replace(from, to))
}

/// How long `CALLS` calls take, each.
fn time(mut call: impl FnMut()) -> Duration {
    let start = Instant::now();
    for _ in 0..CALLS {
        call();
    }
    start.elapsed() / CALLS
}

fn main() -> ExitCode {
    let gates = Arc::new(Gates::default());
    let client = XivMcpClient::builder(gates.clone()).connect().expect("nothing stands in the way");
    let definition = McpToolDefinition::new("bench_buy", "Buys what a retainer lacks.").read_only(true);
    client.add_tool(definition, |order: Order| Ok::<_, McpToolError>(buy(order))).expect("the definition is right");
    let invoke = gates.invoke.lock().unwrap().clone().expect("connecting provides Invoke");

    let sent = arguments();
    let call = [
        IpcValue::Text("0123456789abcdef0123456789abcdef".to_owned()),
        IpcValue::Text("bench_buy".to_owned()),
        IpcValue::Text(sent.clone()),
    ];
    let through_client = || invoke(&call).expect("Invoke never fails");
    let bare = || serde_json::to_string(&buy(serde_json::from_str(&sent).unwrap())).unwrap();

    let IpcValue::Text(reply) = through_client() else { panic!("the reply is no text") };
    assert!(reply.starts_with(r#"{"result":{"retainerName":"Kipih JakkyaTwintaniaStop"#), "{reply}");
    // The same text, but for the names.
    assert_eq!(reply, format!(r#"{{"result":{}}}"#, in_camel_case(&bare())));

    if !std::env::args().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    let mut fastest = [Duration::MAX; 2];
    for _ in 0..TURNS {
        fastest[0] = fastest[0].min(time(|| drop(black_box(through_client()))));
        fastest[1] = fastest[1].min(time(|| drop(black_box(bare()))));
    }
    let ratio = fastest[0].as_secs_f64() / fastest[1].as_secs_f64();
    println!(
        "invoke: {:?} with {} bytes of arguments, bare serde: {:?}, ratio {ratio:.2}",
        fastest[0],
        sent.len(),
        fastest[1]
    );
    if ratio > LIMIT {
        println!("invoke: slower than {LIMIT} times");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
