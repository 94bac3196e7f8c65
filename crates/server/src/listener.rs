//! Connections: accepted, bounded in time and size, and drained at the end.
//!
//! Stands on hyper itself, since `axum::serve` has no time-out for headers: a client that sends
//! them a byte a minute would hold its connection for ever.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tower_service::Service as _;

use crate::http::Peer;
use crate::telemetry;

/// For the headers of a request, and so for an idle connection too.
const HEADERS_TIMEOUT: Duration = Duration::from_secs(30);
const HEADERS_MAX: usize = 64;
/// A proxy adds a few headers, a browser a cookie; 16 KiB is twice what servers usually allow.
const HEADER_BYTES_MAX: usize = 16 * 1024;
/// What is under way at the end has so long; service managers kill after 30 s or more.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(20);
/// When no more files can be opened, some are closed before long.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Histograms collect samples until somebody sums them up.
const UPKEEP_PERIOD: Duration = Duration::from_secs(5);

/// Serves until `shutdown`, then answers what is under way, within a bound.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    tracing::info!(address = %listener.local_addr()?, "listening");
    let (stop, stopping) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut upkeep = tokio::time::interval(UPKEEP_PERIOD);
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    connections.spawn(connection(stream, peer, router.clone(), stopping.clone()));
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot accept");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
            _ = upkeep.tick() => telemetry::metrics().upkeep(),
        }
    }
    drop(listener);
    stop.send_replace(());
    let drained = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(DRAIN_TIMEOUT, drained).await.is_err() {
        tracing::warn!(connections = connections.len(), "cut off after waiting");
    }
    tracing::info!("stopped");
    Ok(())
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    mut stopping: watch::Receiver<()>,
) {
    // Answers are written whole; waiting for more to send would only delay them.
    stream.set_nodelay(true).ok();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        router.clone().call(request.map(Body::new))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_TIMEOUT)
        .max_headers(HEADERS_MAX)
        .max_header_size(HEADER_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    // What fails here is the client's line; there is nobody left to tell.
    let served = tokio::select! {
        served = &mut connection => served,
        _ = stopping.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "connection broken");
    }
}
