//! 200 times: start, call, stop with a call in flight, while every core is busy. In a program of its own, so that all
//! threads can be counted. (The host in C does the same with the library mapped and unmapped each time.)

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use support::Game;
use xivmcp_client::ipc::IpcError;
use xivmcp_dalamud::host::PluginLibrary;

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

#[test]
fn two_hundred_starts_and_stops_with_a_call_in_flight_leave_no_thread() {
    let stop = Arc::new(AtomicBool::new(false));
    let load: Vec<_> = (0..thread::available_parallelism().map_or(2, Into::into))
        .map(|_| {
            let stop = Arc::clone(&stop);
            thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::black_box("busy".repeat(100));
                }
            })
        })
        .collect();
    let path = PluginLibrary::find("xivmcp-fixture-plugin").expect("a dev-dependency is built");
    let library = PluginLibrary::open(path).expect("it maps");
    let before = threads();
    let started = Instant::now();
    for round in 0..200 {
        let game = Game::new("");
        let plugin = library.start(Arc::new(game.clone()), Arc::new(game.clone()));
        let mut plugin = plugin.expect("the fixture starts");
        assert_eq!(game.call("Echo.string", &["クポ"]).as_deref(), Ok("クポ"));
        game.act("Progress", &[]).expect("a task starts");
        let in_flight = thread::spawn({
            let game = game.clone();
            // Every other call waits for the framework thread, the others for their host.
            move || if round % 2 == 0 { game.call("OnFramework", &[]) } else { game.call("Wait", &[]) }
        });
        if round % 2 == 0 {
            game.wait_for_closure();
        } else {
            game.wait_for_held(1);
            game.let_go();
        }
        game.on_framework_thread(|| plugin.stop(Duration::from_secs(60))).expect("it ends");
        let answer = in_flight.join().expect("no panic");
        assert!(
            matches!(answer.as_deref(), Ok("ran on it" | "waited")) || matches!(answer, Err(IpcError::NotReady { .. })),
            "{answer:?}"
        );
        game.give_up_closures();
        assert_eq!(game.left_behind(), [] as [String; 0]);
        // A thread that was joined may be listed a moment longer.
        let patience = Instant::now() + Duration::from_secs(10);
        while threads() != before && Instant::now() < patience {
            thread::yield_now();
        }
        assert_eq!(threads(), before, "round {round}");
    }
    assert!(started.elapsed() < Duration::from_secs(300), "{:?}", started.elapsed());
    stop.store(true, Ordering::Relaxed);
    for thread in load {
        thread.join().expect("no panic");
    }
}
