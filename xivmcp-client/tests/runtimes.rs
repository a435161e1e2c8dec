//! The contract of `Runtime`, held against every runtime of this crate, and what only the pool promises.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use futures::channel::oneshot;
use xivmcp_client::runtime::{PoolRuntime, Runtime};

/// Far more than anything here takes: a test that needs it has failed.
const LONG: Duration = Duration::from_secs(30);

fn wait<T: Send>(runtime: &dyn Runtime, future: impl Future<Output = T> + Send) -> Option<T> {
    let mut result = None;
    runtime.block_on(pin!(async { result = Some(future.await) }), LONG);
    result
}

fn a_spawned_task_runs_to_its_end(runtime: &Arc<dyn Runtime>) {
    let (sender, receiver) = mpsc::channel();
    let own = runtime.clone();
    runtime.spawn(Box::pin(async move {
        own.sleep(Duration::from_millis(2)).await;
        sender.send(7).unwrap();
    }));
    assert_eq!(receiver.recv_timeout(LONG), Ok(7));
}

fn a_sleep_takes_its_time_and_no_less(runtime: &Arc<dyn Runtime>) {
    let before = runtime.now();
    wait(&**runtime, runtime.sleep(Duration::from_millis(20))).unwrap();
    assert!(runtime.now() - before >= Duration::from_millis(20));
}

fn sleeps_end_in_the_order_of_their_moments(runtime: &Arc<dyn Runtime>) {
    let (sender, receiver) = mpsc::channel();
    for millis in [60, 5, 30] {
        let sleep = runtime.sleep(Duration::from_millis(millis));
        let sender = sender.clone();
        runtime.spawn(Box::pin(async move {
            sleep.await;
            sender.send(millis).unwrap();
        }));
    }
    let order: Vec<u64> = (0..3).map(|_| receiver.recv_timeout(LONG).unwrap()).collect();
    assert_eq!(order, [5, 30, 60]);
}

fn a_sleep_may_be_polled_by_any_executor(runtime: &Arc<dyn Runtime>) {
    futures::executor::block_on(runtime.sleep(Duration::from_millis(2)));
}

fn a_sleep_can_be_dropped_and_the_longest_one_is_no_overflow(runtime: &Arc<dyn Runtime>) {
    let mut sleep = runtime.sleep(Duration::MAX);
    assert!(!runtime.block_on(sleep.as_mut(), Duration::from_millis(1)));
    drop(sleep);
}

fn a_panic_in_a_task_or_in_work_costs_no_thread(runtime: &Arc<dyn Runtime>) {
    for _ in 0..8 {
        runtime.spawn(Box::pin(async { panic!("a task that panics, on purpose") }));
        runtime.spawn_blocking(Box::new(|| panic!("work that panics, on purpose")));
    }
    a_spawned_task_runs_to_its_end(runtime);
    let (sender, receiver) = mpsc::channel();
    runtime.spawn_blocking(Box::new(move || sender.send(()).unwrap()));
    assert_eq!(receiver.recv_timeout(LONG), Ok(()));
}

fn blocking_work_holds_up_neither_tasks_nor_other_work(runtime: &Arc<dyn Runtime>) {
    // Four pieces of work that wait for each other, and for a task.
    let together = Arc::new(Barrier::new(5));
    for _ in 0..4 {
        let together = together.clone();
        runtime.spawn_blocking(Box::new(move || {
            together.wait();
        }));
    }
    a_spawned_task_runs_to_its_end(runtime);
    together.wait();
}

fn block_on_ends_at_its_limit(runtime: &Arc<dyn Runtime>) {
    assert!(!runtime.block_on(pin!(pending()), Duration::from_millis(5)));
    assert!(!runtime.block_on(pin!(pending()), Duration::ZERO));
    assert!(runtime.block_on(pin!(async {}), Duration::ZERO), "a future that is ready needs no time");
}

fn every_worker_may_wait_for_tasks_at_once(runtime: &Arc<dyn Runtime>) {
    let (sender, receiver) = mpsc::channel();
    for _ in 0..4 {
        let own = runtime.clone();
        let sender = sender.clone();
        runtime.spawn(Box::pin(async move {
            let (done, is_done) = oneshot::channel();
            own.spawn(Box::pin(async move { done.send(()).unwrap() }));
            sender.send(wait(&*own, is_done).unwrap()).unwrap();
        }));
    }
    for _ in 0..4 {
        assert_eq!(receiver.recv_timeout(LONG), Ok(Ok(())));
    }
}

fn a_wait_inside_a_wait_takes_no_wake_up_of_the_outer_one(runtime: &Arc<dyn Runtime>) {
    let own = runtime.clone();
    let outer = async {
        let (done, is_done) = oneshot::channel();
        let sender = own.clone();
        let mut inner = pin!(async {
            sender.sleep(Duration::from_millis(5)).await;
        });
        let worker = own.clone();
        own.spawn(Box::pin(async move {
            worker.sleep(Duration::from_millis(1)).await;
            done.send(()).unwrap();
        }));
        assert!(own.block_on(inner.as_mut(), LONG));
        is_done.await.unwrap();
    };
    assert_eq!(wait(&**runtime, outer), Some(()));
}

fn enter_runs_the_poll_once_on_this_thread(runtime: &Arc<dyn Runtime>) {
    let mut polls = Vec::new();
    runtime.enter(&mut || polls.push(thread::current().id()));
    assert_eq!(polls, [thread::current().id()]);
}

fn a_task_that_wakes_itself_is_polled_again(runtime: &Arc<dyn Runtime>) {
    let mut left = 1000;
    let task = poll_fn(move |context| {
        left -= 1;
        context.waker().wake_by_ref();
        if left == 0 { Poll::Ready(()) } else { Poll::Pending }
    });
    let (sender, receiver) = mpsc::channel();
    runtime.spawn(Box::pin(async move {
        task.await;
        sender.send(()).unwrap();
    }));
    assert_eq!(receiver.recv_timeout(LONG), Ok(()));
}

/// Every test above, over the pool and over tokio.
macro_rules! over_every_runtime {
    ($($test:ident)*) => {
        mod over_the_pool {
            $(#[test] fn $test() { super::$test(&(std::sync::Arc::new(super::PoolRuntime::new()) as _)); })*
        }
        #[cfg(feature = "tokio")]
        mod over_tokio {
            $(#[test] fn $test() {
                let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
                super::$test(&(std::sync::Arc::new(xivmcp_client::runtime::TokioRuntime::new(tokio.handle().clone())) as _));
            })*
        }
    };
}

over_every_runtime! {
    a_spawned_task_runs_to_its_end
    a_sleep_takes_its_time_and_no_less
    sleeps_end_in_the_order_of_their_moments
    a_sleep_may_be_polled_by_any_executor
    a_sleep_can_be_dropped_and_the_longest_one_is_no_overflow
    a_panic_in_a_task_or_in_work_costs_no_thread
    blocking_work_holds_up_neither_tasks_nor_other_work
    block_on_ends_at_its_limit
    every_worker_may_wait_for_tasks_at_once
    a_wait_inside_a_wait_takes_no_wake_up_of_the_outer_one
    enter_runs_the_poll_once_on_this_thread
    a_task_that_wakes_itself_is_polled_again
}

#[cfg(feature = "tokio")]
#[test]
fn a_tokio_timer_works_inside_enter_and_a_sleep_survives_the_runtime() {
    use xivmcp_client::runtime::TokioRuntime;
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap();
    let runtime = TokioRuntime::new(tokio.handle().clone());
    let mut timer = None;
    runtime.enter(&mut || timer = Some(Box::pin(tokio::time::sleep(Duration::from_millis(1)))));
    assert!(wait(&runtime, timer.unwrap()).is_some());

    let mut late = runtime.sleep(Duration::from_millis(1));
    drop(tokio);
    assert!(!runtime.block_on(late.as_mut(), Duration::from_millis(20)));
    assert!(!runtime.block_on(late.as_mut(), Duration::from_millis(1)), "polling it again is no panic");
    runtime.spawn(Box::pin(async {}));
}

/// Tells when it is dropped.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn dropping_the_pool_drops_what_is_parked_queued_or_spawned_later() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let pool = Arc::new(PoolRuntime::with_workers(1));
    let (polled, is_polled) = mpsc::channel();
    let tells = Dropped(dropped.clone());
    pool.spawn(Box::pin(async move {
        let _tells = tells;
        polled.send(()).unwrap();
        pending::<()>().await;
    }));
    is_polled.recv_timeout(LONG).unwrap();
    assert!(pool.shutdown(LONG));
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    let tells = Dropped(dropped.clone());
    pool.spawn(Box::pin(async move { drop(tells) }));
    let tells = Dropped(dropped.clone());
    pool.spawn_blocking(Box::new(move || drop(tells)));
    assert_eq!(dropped.load(Ordering::SeqCst), 3);
    assert!(!pool.block_on(pool.sleep(Duration::from_millis(1)).as_mut(), Duration::from_millis(10)));
}

#[test]
fn a_task_that_owns_the_last_handle_ends_the_pool_without_waiting_for_itself() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let pool = Arc::new(PoolRuntime::with_workers(2));
    let (go, gone) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (own, may_go, has_gone) = (pool.clone(), go.clone(), gone.clone());
    let (parked, tells) = (pool.clone(), Dropped(dropped.clone()));
    drop(parked);
    pool.spawn(Box::pin(async move {
        let _tells = tells;
        pending::<()>().await;
    }));
    let (done, is_done) = mpsc::channel();
    pool.spawn(Box::pin(async move {
        while !may_go.load(Ordering::SeqCst) {
            thread::yield_now();
        }
        drop(own);
        has_gone.store(true, Ordering::SeqCst);
        done.send(()).unwrap();
    }));
    drop(pool);
    go.store(true, Ordering::SeqCst);
    is_done.recv_timeout(LONG).unwrap();
    assert!(gone.load(Ordering::SeqCst));
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[test]
fn work_that_waits_for_a_task_learns_from_a_shutdown_that_the_task_never_runs() {
    let pool = PoolRuntime::with_workers(1);
    let (started, is_started) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let (answer, answered) = mpsc::channel::<()>();
    let holds = started.clone();
    // The only worker is taken, so that the task below waits in the queue.
    pool.spawn(Box::pin(async move {
        holds.send(()).unwrap();
        let _ = released.recv();
    }));
    pool.spawn_blocking(Box::new(move || {
        started.send(()).unwrap();
        let _ = answered.recv();
        drop(release);
    }));
    is_started.recv_timeout(LONG).unwrap();
    is_started.recv_timeout(LONG).unwrap();
    pool.spawn(Box::pin(async move { answer.send(()).unwrap() }));
    assert!(pool.shutdown(LONG));
}

#[test]
fn a_thread_that_does_not_end_is_told_and_can_be_waited_for_again() {
    let pool = PoolRuntime::new();
    let (started, is_started) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    pool.spawn_blocking(Box::new(move || {
        started.send(()).unwrap();
        let _ = released.recv();
    }));
    is_started.recv_timeout(LONG).unwrap();
    assert!(!pool.shutdown(Duration::from_millis(5)));
    drop(release);
    assert!(pool.shutdown(LONG));
}

#[test]
fn a_pool_that_did_nothing_has_no_threads() {
    assert!(format!("{:?}", PoolRuntime::new()).contains("threads: 0"));
}
