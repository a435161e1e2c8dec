//! Connections: how many, and how long one may take to say what it wants.

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Connections at a time; the next ones wait in the system's queue. Together with the limits of one request it bounds
/// the memory, and it stays below the number of files that systems give a process.
const CONNECTIONS: usize = 512;
/// Connections that wait in the system's queue. One more is lost, and its app tries again after a second.
const QUEUE: u32 = 1024;
/// How long a request's head may take, and a connection may be idle.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// The largest head of a request, in bytes.
const HEAD_BYTES: usize = 64 * 1024;
/// How long to wait when the system gives no connection (it has no file left, say).
const BREATHER: Duration = Duration::from_millis(50);

/// Listens on the loopback, inside a runtime. Port 0 is any that is free.
pub(super) fn listen(port: u16) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    // Elsewhere than on Unix this would let two processes have one port.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind((Ipv4Addr::LOCALHOST, port).into())?;
    socket.listen(QUEUE)
}

/// Accepts connections until `stop`, and ends those that are open then.
pub(super) async fn accept(listener: TcpListener, router: Router, stop: CancellationToken) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = stop.cancelled() => return,
            next = next => next,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(BREATHER).await;
            continue;
        };
        let _ = stream.set_nodelay(true); // only speed depends on it
        let service = TowerToHyperService::new(router.clone());
        let stop = stop.clone();
        tokio::spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .max_buf_size(HEAD_BYTES)
                .serve_connection(TokioIo::new(stream), service);
            tokio::select! {
                // What goes wrong on a connection is the other side's affair: it has gone, or speaks no HTTP.
                _ = connection => {}
                () = stop.cancelled() => {}
            }
            drop(place);
        });
    }
}
