//! The simulation alone: order, time, contexts, ends.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::channel::oneshot;
use xivmcp_client::runtime::Runtime;

use super::{Context, FRAME, Sim, SimRuntime, Waited};
use crate::bus::Framework;
use crate::reports::Reports;

const HOUR: Duration = Duration::from_secs(3600);

struct World {
    sim: Sim,
    runtime: Arc<SimRuntime>,
    owner: Arc<str>,
    reports: Arc<Reports>,
    log: Arc<Mutex<Vec<String>>>,
}

impl World {
    fn new(seed: u64) -> Self {
        let reports = Arc::new(Reports::default());
        let sim = Sim::new(seed, Arc::clone(&reports));
        let owner: Arc<str> = "P".into();
        Self { runtime: Arc::new(sim.runtime(&owner)), sim, owner, reports, log: Arc::default() }
    }

    fn note(&self) -> impl Fn(&str) + Send + Sync + Clone + 'static {
        let (log, sim) = (Arc::clone(&self.log), self.sim.clone());
        move |text| log.lock().unwrap().push(format!("{text}@{}", sim.elapsed().as_millis()))
    }

    fn log(&self) -> Vec<String> {
        std::mem::take(&mut self.log.lock().unwrap())
    }
}

#[test]
fn time_moves_only_when_nothing_can_run_and_then_to_the_next_timer() {
    let world = World::new(0);
    for seconds in [3, 1, 2] {
        let (runtime, note) = (Arc::clone(&world.runtime), world.note());
        world.runtime.spawn(Box::pin(async move {
            runtime.sleep(Duration::from_secs(seconds)).await;
            note("woke");
        }));
    }
    world.sim.settle();
    assert_eq!((world.log(), world.sim.elapsed()), (vec![], Duration::ZERO));
    world.sim.advance(Duration::from_millis(2500));
    assert_eq!(world.log(), ["woke@1000", "woke@2000"]);
    assert_eq!(world.sim.elapsed(), Duration::from_millis(2500));
    assert_eq!(world.sim.run_until(HOUR, &mut || world.log.lock().unwrap().len() == 1), Waited::Done);
    assert_eq!(world.sim.elapsed(), Duration::from_secs(3));
}

#[test]
fn a_seed_is_one_order_and_other_seeds_are_others() {
    let order = |seed| {
        let world = World::new(seed);
        for number in 0..6 {
            let note = world.note();
            world.runtime.spawn(Box::pin(async move { note(&number.to_string()) }));
        }
        world.sim.settle();
        world.log()
    };
    assert_eq!(order(1), order(1));
    let different: std::collections::BTreeSet<_> = (0..20).map(order).collect();
    assert!(different.len() > 10, "{} orders of 20", different.len());
}

#[test]
fn a_closure_from_elsewhere_runs_at_once_and_one_from_the_framework_thread_a_frame_later_in_order() {
    let world = World::new(3);
    let (sim, owner, note) = (world.sim.clone(), Arc::clone(&world.owner), world.note());
    let inner = note.clone();
    world.sim.run_on_next_update(
        &world.owner,
        Box::new(move || {
            assert!(sim.is_framework_thread());
            inner("first");
            let inner = inner.clone();
            sim.run_on_next_update(&owner, Box::new(move || inner("next update")));
        }),
    );
    world.sim.run_on_next_update(&world.owner, Box::new(move || note("second")));
    assert!(!world.sim.is_framework_thread());
    world.sim.settle();
    assert_eq!(world.log(), ["first@0", "second@0"]);
    let late = world.note();
    world.sim.run_on_next_update(&world.owner, Box::new(move || late("queued later")));
    world.sim.settle();
    assert_eq!(world.log(), Vec::<String>::new());
    world.sim.advance(FRAME);
    assert_eq!(world.log(), ["next update@16", "queued later@16"]);
}

#[test]
fn updates_tick_only_while_somebody_listens() {
    let world = World::new(0);
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let guard = world.sim.on_update(&world.owner, Arc::new(move || _ = counted.fetch_add(1, Ordering::Relaxed)));
    world.sim.advance(Duration::from_secs(1));
    drop(guard);
    world.sim.advance(HOUR);
    assert_eq!(count.load(Ordering::Relaxed), 59);
}

#[test]
fn the_three_contexts_are_told_apart() {
    let world = World::new(0);
    assert_eq!(world.sim.context(), None);
    let (sim, log) = (world.sim.clone(), Arc::clone(&world.log));
    world.runtime.spawn_blocking(Box::new(move || {
        log.lock().unwrap().push(format!("{:?}", sim.context()));
        sim.within(Context::Framework, || log.lock().unwrap().push(format!("{:?}", sim.context())));
        log.lock().unwrap().push(format!("{:?}", sim.context()));
    }));
    world.sim.settle();
    assert_eq!(world.log(), ["Some(Pool)", "Some(Framework)", "Some(Pool)"]);
    assert_eq!(world.sim.context(), None);
}

#[test]
fn a_wait_on_the_framework_thread_runs_tasks_but_not_its_own_queue() {
    let world = World::new(0);
    let (runtime, note) = (Arc::clone(&world.runtime), world.note());
    let (sent, received) = oneshot::channel::<()>();
    world.runtime.spawn(Box::pin(async move {
        runtime.sleep(Duration::from_secs(2)).await;
        note("task");
        let _ = sent.send(());
    }));
    let note = world.note();
    world.sim.within(Context::Framework, || {
        world.sim.run_on_next_update(&world.owner, Box::new(move || note("queue")));
        let mut waited = Box::pin(async move {
            let _ = received.await;
        });
        assert!(world.runtime.block_on(waited.as_mut(), HOUR));
    });
    assert_eq!(world.log(), ["task@2000"]);
    world.sim.settle();
    assert_eq!(world.log(), ["queue@2000"]);
}

#[test]
fn a_wait_with_a_limit_ends_at_the_limit_also_when_nothing_can_happen() {
    let world = World::new(0);
    let mut never = Box::pin(std::future::pending::<()>());
    assert!(!world.runtime.block_on(never.as_mut(), Duration::from_secs(5)));
    assert_eq!(world.sim.elapsed(), Duration::from_secs(5));
}

#[test]
fn a_task_that_waits_inside_its_own_poll_is_not_run_twice_at_once() {
    let world = World::new(0);
    let (runtime, note) = (Arc::clone(&world.runtime), world.note());
    world.runtime.spawn(Box::pin(async move {
        let mut inner = Box::pin(runtime.sleep(Duration::from_secs(1)));
        runtime.block_on(inner.as_mut(), HOUR);
        note("blocked");
        runtime.sleep(Duration::from_secs(1)).await;
        note("slept");
    }));
    world.sim.advance(HOUR);
    assert_eq!(world.log(), ["blocked@1000", "slept@2000"]);
}

#[test]
fn what_nothing_can_end_is_told_apart_from_what_takes_long() {
    let world = World::new(0);
    world.runtime.spawn(Box::pin(std::future::pending()));
    assert_eq!(world.sim.run_until(HOUR, &mut || false), Waited::Stuck);
    let runtime = Arc::clone(&world.runtime);
    world.runtime.spawn(Box::pin(async move { runtime.sleep(HOUR * 2).await }));
    assert_eq!(world.sim.run_until(HOUR, &mut || false), Waited::TimedOut);
    assert_eq!(world.sim.elapsed(), HOUR);
    assert_eq!(world.sim.waiting().len(), 2);
}

#[test]
fn a_foreign_thread_may_wake_a_task_and_is_waited_for() {
    let world = World::new(0);
    let (sent, received) = oneshot::channel::<()>();
    let note = world.note();
    world.runtime.spawn(Box::pin(async move {
        let _ = received.await;
        note("woken");
    }));
    world.sim.settle();
    let thread = std::thread::spawn(move || sent.send(()));
    assert_eq!(world.sim.run_until(HOUR, &mut || world.log.lock().unwrap().len() == 1), Waited::Done);
    thread.join().unwrap().unwrap();
    assert_eq!(world.reports.lints().len(), 1);
}

#[test]
fn a_panic_costs_its_task_and_is_a_failure_of_the_test() {
    let world = World::new(0);
    world.runtime.spawn(Box::pin(async { panic!("no more cats") }));
    world.sim.run_on_next_update(&world.owner, Box::new(|| panic!("no more dogs")));
    world.sim.settle();
    let failures = world.reports.take_failures();
    assert_eq!(failures.len(), 2);
    assert!(failures.iter().any(|text| text.contains("no more cats")), "{failures:?}");
    assert!(failures.iter().any(|text| text.contains("framework thread: no more dogs")), "{failures:?}");
}

#[test]
fn the_end_names_what_is_left_and_drops_it() {
    let world = World::new(0);
    let held = Arc::new(());
    let (inside, queued) = (Arc::clone(&held), Arc::clone(&held));
    world.runtime.spawn(Box::pin(async move {
        std::future::pending::<()>().await;
        drop(inside);
    }));
    world.sim.within(Context::Framework, || world.sim.run_on_next_update(&world.owner, Box::new(move || drop(queued))));
    world.sim.settle();
    let left = world.sim.end();
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(left[0].contains("a task of P waits to be woken"), "{left:?}");
    assert_eq!(Arc::strong_count(&held), 1);
    let late = Arc::clone(&held);
    world.runtime.spawn(Box::pin(async move { drop(late) }));
    assert_eq!(Arc::strong_count(&held), 1);
}

#[test]
fn an_hour_of_reports_every_quarter_of_a_second_is_no_work_per_frame() {
    let world = World::new(0);
    let count = Arc::new(AtomicUsize::new(0));
    let (runtime, counted) = (Arc::clone(&world.runtime), Arc::clone(&count));
    world.runtime.spawn(Box::pin(async move {
        loop {
            runtime.sleep(Duration::from_millis(250)).await;
            counted.fetch_add(1, Ordering::Relaxed);
        }
    }));
    let before = world.sim.epoch();
    world.sim.advance(HOUR);
    assert_eq!(count.load(Ordering::Relaxed), 4 * 3600);
    assert!(world.sim.epoch() - before < 4 * 4 * 3600, "{} events", world.sim.epoch() - before);
}
