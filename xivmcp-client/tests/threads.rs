//! Many threads at once. One test alone in this file, because it counts the threads of the process.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use support::{Host, LONG, reading, thread_count};
use xivmcp_client::{McpCall, PendingCounts, XivMcpClient};

const THREADS: usize = 8;
const ROUNDS: usize = 150;

// R-CLI-12
#[test]
fn eight_threads_call_progress_cancel_add_and_remove_and_every_call_ends_once() {
    let threads_before = thread_count();
    let host = Host::new();
    let client = XivMcpClient::builder(host.clone()).dispose_limit(LONG).connect().unwrap();
    let guards = Arc::new(AtomicUsize::new(0));
    let open = guards.clone();
    client
        .add_long_running_tool(reading("works_hard"), async move |call: McpCall| {
            let stopped = open.clone();
            let start = move || {
                open.fetch_add(1, Ordering::SeqCst);
            };
            let stop = move |()| {
                stopped.fetch_sub(1, Ordering::SeqCst);
            };
            let guard = call.framework_guard(start, stop).await?;
            call.progress("started");
            call.sleep(Duration::from_micros(200)).await?;
            guard.with(|()| ()).await?;
            Ok(call.blocking(|| 1).await?)
        })
        .unwrap();
    client.add_tool(reading("answers_now"), |call: McpCall| Ok(call.id().len())).unwrap();

    let done = Arc::new(AtomicUsize::new(0));
    let frames_end = Arc::new(AtomicBool::new(false));
    let frames = {
        let (host, end) = (host.clone(), frames_end.clone());
        let (ready, is_ready) = std::sync::mpsc::channel();
        let frames = thread::spawn(move || {
            host.become_framework_thread();
            ready.send(()).unwrap();
            while !end.load(Ordering::SeqCst) {
                if host.update() == 0 {
                    thread::yield_now();
                }
            }
        });
        is_ready.recv().unwrap();
        frames
    };
    let workers: Vec<_> = (0..THREADS)
        .map(|number| {
            let (host, client, done) = (host.clone(), client.handle(), done.clone());
            thread::spawn(move || {
                for round in 0..ROUNDS {
                    let id = format!("{number}-{round}");
                    host.start(&id, "works_hard");
                    host.invoke(&id.replace('-', "+"), "answers_now", "{}");
                    let name = format!("tool_{number}_{}", round % 3);
                    client.add_tool(reading(&name), || Ok(1)).unwrap();
                    if round % 2 == 0 {
                        host.cancel(&id);
                    }
                    if round % 5 == 0 {
                        client.remove_tool(&name);
                    }
                    if number == 0 && round % 50 == 49 {
                        host.load();
                    }
                }
                done.fetch_add(1, Ordering::SeqCst);
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
    assert_eq!(done.load(Ordering::SeqCst), THREADS);
    host.wait_until("all calls to end", || host.end_count() >= THREADS * ROUNDS);
    host.wait_until("nothing to be pending", || client.pending() == PendingCounts::default());
    for number in 0..THREADS {
        for round in 0..ROUNDS {
            assert_eq!(host.ends(&format!("{number}-{round}")).len(), 1);
        }
    }
    assert_eq!(guards.load(Ordering::SeqCst), 0);

    // The host has exactly what the client has: a new host hears the same.
    let mut before = host.tools();
    host.load();
    let mut after = host.tools();
    before.sort();
    after.sort();
    assert_eq!(before, after);

    assert!(client.dispose().is_clean());
    drop(client);
    frames_end.store(true, Ordering::SeqCst);
    frames.join().unwrap();
    // A thread that was joined may still stand in /proc for a moment.
    host.wait_until("the threads to be gone", || thread_count() <= threads_before);
    assert!(host.tools().is_empty());
}
