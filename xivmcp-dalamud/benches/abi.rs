//! What the C ABI costs: one gate call each way, and what it adds to the Invoke of a typed tool with 1 KB of arguments.
//! `cargo bench -p xivmcp-dalamud --features loader`. It fails if that is more than the budget.

#[path = "../tests/support/mod.rs"]
mod support;

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use support::{Game, NAME};
use xivmcp_client::PluginContext;
use xivmcp_client::ipc::{IpcSignature, IpcTransport, IpcType, IpcValue};
use xivmcp_client::runtime::PoolRuntime;

/// What the ABI may add to an Invoke.
const BUDGET: Duration = Duration::from_micros(2);

/// The calls of a round.
const CALLS: u32 = 500;

/// The median over many rounds, each of which gives the mean of its calls.
fn median(mut round: impl FnMut() -> Duration) -> Duration {
    let mut rounds: Vec<Duration> = (0..200).map(|_| round()).skip(20).collect();
    rounds.sort_unstable();
    rounds[rounds.len() / 2]
}

fn measure(mut call: impl FnMut()) -> Duration {
    median(|| {
        let started = Instant::now();
        for _ in 0..CALLS {
            call();
        }
        started.elapsed() / CALLS
    })
}

fn shop() -> String {
    let items: Vec<String> = (0..20)
        .map(|n| format!(r#"{{"name":"Archon Ring {n:03}","price":{},"hq":{}}}"#, 9000 - n, n % 2 == 0))
        .collect();
    format!(r#"{{"seller":"Gerolt","items":[{}]}}"#, items.join(","))
}

/// One Invoke of the typed tool, as the host makes it.
fn invoke(game: &Game, arguments: &[IpcValue]) {
    let reply = game.call_function(&format!("{NAME}.XivMcp.Invoke"), black_box(arguments), IpcType::Text);
    assert!(matches!(black_box(reply), Ok(IpcValue::Text(text)) if text.starts_with(r#"{"result":"#)));
}

fn main() {
    let game = Game::new("tools");
    let _loaded = game.load().expect("the fixture loads");
    let echo = IpcSignature::new([IpcType::Text], IpcType::Text);
    let _theirs = game.provide_function("Other.Echo", &echo, Arc::new(|values| Ok(values[0].clone())));

    let there = format!("{NAME}.Echo.string");
    let text: [IpcValue; 1] = ["ラーメン".into()];
    let into_plugin = measure(|| {
        black_box(game.call_function(&there, black_box(&text), IpcType::Text)).expect("it echoes");
    });
    let direct = measure(|| {
        black_box(game.call_function("Other.Echo", black_box(&text), IpcType::Text)).expect("it echoes");
    });
    let often = |count: u32| -> [IpcValue; 3] { ["Other.Echo".into(), "ラーメン".into(), count.into()] };
    let out_of_plugin = median(|| {
        let took = game.call_function(&format!("{NAME}.CallOften"), &often(CALLS), IpcType::U64);
        let Ok(IpcValue::U64(nanoseconds)) = took else { panic!("the fixture measures: {took:?}") };
        Duration::from_nanos(nanoseconds) / CALLS
    });
    let relay: [IpcValue; 2] = ["Other.Echo".into(), "ラーメン".into()];
    let relayed = format!("{NAME}.Call");
    let both_ways = measure(|| {
        black_box(game.call_function(&relayed, black_box(&relay), IpcType::Text)).expect("it tells");
    });

    let arguments: [IpcValue; 3] = ["0123456789abcdef0123456789abcdef".into(), "fixture_shop".into(), shop().into()];
    let in_process = Game::new("tools");
    let context =
        PluginContext::new(Arc::new(in_process.clone()), Arc::new(in_process.clone()), Arc::new(PoolRuntime::new()));
    let _plugin = xivmcp_fixture_plugin::start(context).expect("the fixture starts");
    // Turn by turn, so that a busy machine slows both down.
    let mut added: Vec<(Duration, Duration)> =
        (0..5).map(|_| (measure(|| invoke(&in_process, &arguments)), measure(|| invoke(&game, &arguments)))).collect();
    added.sort_by_key(|(without, with)| with.saturating_sub(*without));
    let (without, with) = added[added.len() / 2];
    let cost = with.saturating_sub(without);

    println!("a gate in this process, text to text           {direct:>10.2?}");
    println!("host to plugin, text to text                   {into_plugin:>10.2?}");
    println!("plugin to host, text to text                   {out_of_plugin:>10.2?}");
    println!("host to plugin to host and back, with a format {both_ways:>10.2?}");
    println!("Invoke, {} bytes, in this process            {without:>10.2?}", shop().len());
    println!("Invoke, {} bytes, over the C ABI             {with:>10.2?}", shop().len());
    println!("the C ABI adds                                 {cost:>10.2?} (at most {BUDGET:?})");
    assert!(cost <= BUDGET, "the C ABI adds {cost:?} to an Invoke, more than {BUDGET:?}");
}
