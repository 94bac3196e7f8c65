//! What happens around every request: id, span, log line, metrics, panics.
//!
//! A log line has method, route, status, time and id. It never has a path (a lobby's id is a
//! secret), a query, a header, a body or an address.

use std::any::Any;
use std::borrow::Cow;
use std::hash::{BuildHasher as _, RandomState};
use std::net::{IpAddr, Ipv4Addr};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;
use http::header::CONNECTION;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use protocol::Code;
use tracing::Instrument as _;

use super::address::{Client, Peer, client_address, is_trusted};
use super::security::refuse_foreign;
use super::{App, Refusal, problem, request_token};
use crate::admission::Visit;

/// A database whose line went silent answers after minutes, if ever.
const TIMEOUT: Duration = Duration::from_secs(30);
/// What programs ask that restart a server which does not answer: a crowd must not look like that.
const PROBES: [&str; 3] = ["/api/v1/health", "/api/v1/ready", "/metrics"];
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// A proxy's id may be this long.
const REQUEST_ID_LENGTH_MAX: usize = 64;

/// Sees every request, refused or not.
pub(super) async fn observe(app: &App, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = known_method(request.method());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("(none)", MatchedPath::as_str);
    let client = client(app, &request);
    let request_id = client.request_id.clone();
    request.extensions_mut().insert(client);

    let span = tracing::info_span!("request", id = request_id);
    let answer = answer(app, request, next);
    let answer = AssertUnwindSafe(answer).catch_unwind().instrument(span.clone());
    let answer = tokio::time::timeout(TIMEOUT, answer).await;
    let _entered = span.enter();
    let mut response = match answer {
        Ok(Ok(response)) => response,
        Ok(Err(panic)) => {
            Refusal::from(Code::Internal).because(panic_message(&*panic)).into_response()
        }
        Err(_) => Refusal::from(Code::Unavailable).because("took too long").into_response(),
    };
    problem::finish(&mut response, &request_id, &app.house.outage);
    if let Ok(value) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert(X_REQUEST_ID, value);
    }

    let status = response.status();
    let taken = started.elapsed();
    let millis = (taken.as_secs_f64() * 1e6).round() / 1e3;
    tracing::info!(method, route, status = status.as_u16(), millis, "answered");
    metrics::counter!(
        "parlor_http_requests_total",
        "route" => route.to_owned(), "method" => method, "status" => status.as_str().to_owned(),
    )
    .increment(1);
    metrics::histogram!("parlor_http_request_seconds", "route" => route.to_owned()).record(taken);
    response
}

/// Refuses what the number of connections or another site's page forbids; all else goes on.
async fn answer(app: &App, request: Request, next: Next) -> Response {
    let visit = request.extensions().get::<Arc<Visit>>();
    let is_in_reserve = visit.is_some_and(|visit| visit.is_in_reserve());
    let is_probe = PROBES.contains(&request.uri().path());
    if is_in_reserve && !is_probe && !has_session(app, request.headers()) {
        let refusal = Refusal::new(Code::Busy, "too many connections are open");
        let mut response = refusal.into_response();
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        return response;
    }
    refuse_foreign(&app.config, request, next).await
}

fn has_session(app: &App, headers: &HeaderMap) -> bool {
    request_token(headers, &app.config)
        .is_some_and(|token| app.accounts.verify_token(token.expose()).is_ok())
}

/// A client may invent methods; a metric's labels must stay few.
fn known_method(method: &Method) -> &'static str {
    const KNOWN: [Method; 7] = [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::DELETE,
        Method::PATCH,
        Method::HEAD,
        Method::OPTIONS,
    ];
    static NAMES: LazyLock<Vec<String>> =
        LazyLock::new(|| KNOWN.iter().map(ToString::to_string).collect());
    let place = KNOWN.iter().position(|known| known == method);
    place.map_or("(other)", |place| NAMES[place].as_str())
}

fn client(app: &App, request: &Request) -> Client {
    let unknown = IpAddr::from(Ipv4Addr::UNSPECIFIED);
    let peer = request.extensions().get::<Peer>().map_or(unknown, |Peer(peer)| peer.ip());
    let proxies = &app.config.trusted_proxies;
    let inbound = request.headers().get(X_REQUEST_ID).and_then(|value| value.to_str().ok());
    let is_fit = |id: &&str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        (1..=REQUEST_ID_LENGTH_MAX).contains(&id.len()) && id.bytes().all(is_plain)
    };
    let believed = inbound.filter(is_fit).filter(|_| is_trusted(peer, proxies));
    Client {
        address: client_address(peer, request.headers(), proxies),
        request_id: believed.map_or_else(fresh_id, str::to_owned),
    }
}

/// A counter, hashed under a key of this process: no two alike, and no other server's.
pub(crate) fn fresh_id() -> String {
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{:016x}", KEY.hash_one(COUNT.fetch_add(1, Ordering::Relaxed)))
}

fn panic_message(panic: &(dyn Any + Send)) -> Cow<'static, str> {
    let text = panic.downcast_ref::<&str>().map(|text| Cow::Borrowed(*text));
    let text = text.or_else(|| panic.downcast_ref::<String>().map(|text| text.clone().into()));
    text.map_or("a panic without a message".into(), |text| format!("panicked: {text}").into())
}
