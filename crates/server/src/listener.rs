//! Connections: accepted, bounded in number, time and size, and drained at the end.
//!
//! Stands on hyper itself, since `axum::serve` has no time-out for headers: a client that sends
//! them a byte a minute would hold its connection for ever.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use protocol::{Code, Problem};
use rustix::net::sockopt::set_socket_send_buffer_size;
use rustix::net::{Shutdown, shutdown};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tower_service::Service as _;

use crate::admission::{Admission, Visit};
use crate::config::Network;
use crate::http::{Peer, fresh_id, is_trusted};
use crate::telemetry;

/// For the headers of a request, and so for an idle connection too.
const HEADERS_TIMEOUT: Duration = Duration::from_secs(30);
const HEADERS_MAX: usize = 64;
/// A proxy adds a few headers, a browser a cookie; 16 KiB is twice what servers usually allow.
const HEADER_BYTES_MAX: usize = 16 * 1024;
/// How long a stop waits for requests whose head had come. Answers take milliseconds, and service
/// managers expect a stop within seconds.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(1500);
/// When no more files can be opened, some are closed before long.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Histograms collect samples until somebody sums them up.
const UPKEEP_PERIOD: Duration = Duration::from_secs(5);
/// The send buffer of a connection, which the kernel doubles. Enough for a fast line; by itself the
/// kernel would let a client that reads nothing hold megabytes.
const SEND_BUFFER_BYTES: usize = 208 * 1024;
/// How many connections that were turned away may take their time to read why.
const TURNED_AWAY_MAX: usize = 64;
/// How long such a connection may take to send its request, and then to read the answer.
const REQUEST_TIMEOUT: Duration = Duration::from_millis(200);
const TURNED_AWAY_TIMEOUT: Duration = Duration::from_secs(1);
/// Connections end all the time.
const RETRY_S: u64 = 5;
/// Who may connect, and who speaks for others.
pub struct Door {
    /// The bounds of connections.
    pub admission: Arc<Admission>,
    /// Proxies, which are not counted as one address.
    pub trusted_proxies: Vec<Network>,
}

/// Serves until `shutdown`, then answers what is under way, within a bound.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    door: Door,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    tracing::info!(address = %listener.local_addr()?, "listening");
    let (stop, stopping) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut turned_away = JoinSet::new();
    let mut upkeep = tokio::time::interval(UPKEEP_PERIOD);
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => match door.admit(peer) {
                    Some(visit) => {
                        let stopping = stopping.clone();
                        connections.spawn(connection(stream, peer, visit, router.clone(), stopping));
                    }
                    None if turned_away.len() < TURNED_AWAY_MAX => {
                        turned_away.spawn(turn_away(stream));
                    }
                    None => {}
                },
                Err(error) => {
                    tracing::warn!(%error, "cannot accept");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
            Some(_) = turned_away.join_next() => {}
            _ = upkeep.tick() => telemetry::metrics().upkeep(),
        }
    }
    drop(listener);
    stop.send_replace(());
    let drained = async { while connections.join_next().await.is_some() {} };
    if timeout(DRAIN_TIMEOUT, drained).await.is_err() {
        tracing::warn!(connections = connections.len(), "cut off after waiting");
    }
    tracing::info!("stopped");
    Ok(())
}

impl Door {
    fn admit(&self, peer: SocketAddr) -> Option<Arc<Visit>> {
        let address = peer.ip().to_canonical();
        let address = (!is_trusted(address, &self.trusted_proxies)).then_some(address);
        let admitted = self.admission.admit(address);
        if admitted.is_err() {
            metrics::counter!("parlor_connections_refused_total").increment(1);
        }
        admitted.ok()
    }
}

/// Tells a client that there is no place for it, in so few bytes that any send buffer takes them.
async fn turn_away(stream: TcpStream) {
    let problem = Problem::new(Code::Busy, "too many connections are open", fresh_id());
    let body = serde_json::to_string(&problem).unwrap_or_default();
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\n\
         retry-after: {RETRY_S}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    // Some clients take an answer before their request for a broken connection.
    let _ = timeout(REQUEST_TIMEOUT, stream.readable()).await;
    if stream.try_write(answer.as_bytes()).is_ok() && shutdown(&stream, Shutdown::Write).is_ok() {
        // To close before the request is read could take the answer back.
        let _ = timeout(TURNED_AWAY_TIMEOUT, read_out(&stream)).await;
    }
}

async fn read_out(stream: &TcpStream) {
    let mut scrap = [0; 1024];
    while stream.readable().await.is_ok() {
        match stream.try_read(&mut scrap) {
            Ok(0) => return,
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return,
            _ => {}
        }
    }
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    visit: Arc<Visit>,
    router: Router,
    mut stopping: watch::Receiver<()>,
) {
    let leaving = Leaving(visit.clone());
    // Answers are written whole; waiting for more to send would only delay them.
    stream.set_nodelay(true).ok();
    // Without it the kernel holds more for a slow reader, and nothing else changes.
    set_socket_send_buffer_size(&stream, SEND_BUFFER_BYTES).ok();
    let stream = Stream { stream, visit: visit.clone() };
    let answering = visit.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        request.extensions_mut().insert(answering.clone());
        let served = Serving::begin(&answering);
        let answer = router.clone().call(request.map(Body::new));
        async move {
            let _served = served;
            answer.await
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_TIMEOUT)
        .max_headers(HEADERS_MAX)
        .max_header_size(HEADER_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let is_cut = tokio::select! {
        served = &mut connection => return note_end(served),
        // A part of a head is no request that must be answered.
        _ = stopping.changed() => visit.is_in_head(),
        // Its place is another's by now.
        () = visit.evicted() => !visit.is_serving(),
    };
    if !is_cut {
        connection.as_mut().graceful_shutdown();
        note_end(connection.await);
    }
    drop(leaving);
}

/// What fails here is the client's line; there is nobody left to tell.
fn note_end(served: hyper::Result<()>) {
    if let Err(error) = served {
        tracing::debug!(%error, "connection broken");
    }
}

/// Frees the connection's place when it is dropped.
struct Leaving(Arc<Visit>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// A request that is being answered, until it is dropped.
struct Serving(Arc<Visit>);

impl Serving {
    fn begin(visit: &Arc<Visit>) -> Serving {
        visit.begin_request();
        Serving(visit.clone())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.end_request();
    }
}

/// A stream that tells the connection's [`Visit`] of its bytes.
pub(crate) struct Stream {
    stream: TcpStream,
    visit: Arc<Visit>,
}

impl Stream {
    pub(crate) fn into_inner(self) -> TcpStream {
        self.stream
    }

    fn note_written(&self, written: &Poll<io::Result<usize>>) {
        if matches!(written, Poll::Ready(Ok(_))) {
            self.visit.note_active();
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.visit.note_read();
        }
        read
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note_written(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.note_written(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
