//! Random sequences of everything that can happen, played on the mock host and on a small model of SPEC §4 to §9 that
//! knows nothing of its code: after each operation both must show the same, and in the end nothing may be left.
//!
//! A failure prints its seed and the shortest sequence that was found to fail. `MODEL_SEED=n` plays that seed alone;
//! `MODEL_SEEDS=n` plays so many, from `MODEL_FROM` (default 0) on.

mod calls;
mod compare;
mod jobs;
mod ops;
mod plugins;
mod policy;
mod regressions;
mod stage;

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use self::ops::Op;
use self::stage::Stage;

/// As many as `cargo test` plays in a few seconds.
const SEEDS: u64 = 60;

thread_local! {
    /// Whether this thread plays a sequence whose panics are told later.
    static PLAYING: Cell<bool> = const { Cell::new(false) };
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

/// Plays a sequence; what went wrong, and after which operation.
fn play(seed: u64, ops: &[Op]) -> Result<(), String> {
    PLAYING.set(true);
    let played = catch_unwind(AssertUnwindSafe(|| {
        let mut stage = Stage::new(seed);
        for (place, op) in ops.iter().enumerate() {
            let played = catch_unwind(AssertUnwindSafe(|| stage.play(op)));
            let played = played.unwrap_or_else(|panic| Err(format!("panic: {}", text_of(&*panic))));
            if let Err(what) = played {
                // Its end would only repeat that something is wrong.
                std::mem::forget(stage);
                return Err(format!("after operation {place}, {op:?}: {what}"));
            }
        }
        stage.end().map_err(|what| format!("at the end: {what}"))
    }));
    PLAYING.set(false);
    played.unwrap_or_else(|panic| Err(format!("at the end: panic: {}", text_of(&*panic))))
}

/// Leaves out what is not needed for the sequence to fail.
fn shrink(seed: u64, mut ops: Vec<Op>) -> Vec<Op> {
    let mut size = ops.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < ops.len() {
            let mut fewer = ops.clone();
            fewer.drain(at..(at + size).min(ops.len()));
            if play(seed, &fewer).is_err() {
                ops = fewer;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    ops
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}; it must be a number")))
}

#[test]
fn whatever_happens_the_host_shows_what_the_rules_say() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !PLAYING.get() {
            usual(panic);
        }
    }));
    let seeds = match number("MODEL_SEED") {
        Some(seed) => seed..seed + 1,
        None => {
            let from = number("MODEL_FROM").unwrap_or(0);
            from..from + number("MODEL_SEEDS").unwrap_or(SEEDS)
        }
    };
    for seed in seeds {
        let ops = ops::sequence(seed);
        if play(seed, &ops).is_ok() {
            continue;
        }
        let ops = shrink(seed, ops);
        let what = play(seed, &ops).err().unwrap_or_default();
        let lines: Vec<String> = ops.iter().enumerate().map(|(place, op)| format!("{place:>3} {op:?}")).collect();
        panic!("MODEL_SEED={seed} differs from the model:\n{}\n{what}", lines.join("\n"));
    }
}
