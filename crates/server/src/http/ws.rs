//! The way from HTTP to a WebSocket: who may open one, and the opening handshake.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::header::{CONNECTION, HeaderValue, SEC_WEBSOCKET_ACCEPT, UPGRADE};
use http::{HeaderName, StatusCode};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use protocol::Code;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::limits::Cost;
use super::session::Session;
use super::{App, Client, Refusal};
use crate::admission::{Full, Visit};
use crate::listener::Stream;
use crate::ws::handshake::{self, HandshakeError};
use crate::ws::{Connection, serve};

const SEC_WEBSOCKET_VERSION: HeaderName = HeaderName::from_static("sec-websocket-version");

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(connect))
}

/// Opens a WebSocket; its messages are described in docs/protocol.md
#[utoipa::path(
    get,
    path = "/api/v1/ws",
    tag = "matches",
    responses((status = 101, description = "The socket is open.")),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn connect(
    State(app): State<Arc<App>>,
    client: Client,
    Session(claims): Session,
    mut request: Request,
) -> Result<Response, Refusal> {
    let accepted = handshake::accept(request.method(), request.version(), request.headers());
    let accept = match accepted {
        Ok(accept) => accept,
        Err(error @ (HandshakeError::NoUpgrade | HandshakeError::Version)) => {
            let refusal = Refusal::new(Code::UpgradeRequired, error.to_string());
            let mut response = refusal.into_response();
            let headers = response.headers_mut();
            headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
            headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static(handshake::VERSION));
            return Ok(response);
        }
        Err(error) => return Err(Refusal::new(Code::BadRequest, error.to_string())),
    };
    app.spend(Cost::Socket, &client, Some(claims.player))?;
    let purse = app.limits.purse(Some(claims.player), client.address);
    let visit = request.extensions().get::<Arc<Visit>>();
    let visit = visit.ok_or_else(|| Refusal::from(Code::Internal).because("no listener"))?;
    if visit.is_in_reserve() && app.store.running_matches(claims.player).await?.is_empty() {
        return Err(Refusal::new(Code::Busy, "too many connections are open"));
    }
    let place = visit.become_socket(client.address, claims.player).map_err(|full| match full {
        Full::Total => Refusal::new(Code::Busy, "too many connections are open"),
        Full::Address => Refusal::new(Code::TooManyConnections, "too many from this address"),
        Full::Player => Code::TooManyConnections.into(),
    })?;
    let upgrade = request.extensions_mut().remove::<OnUpgrade>();
    let upgrade = upgrade.ok_or_else(|| Refusal::from(Code::Internal).because("no upgrade"))?;
    tokio::spawn(async move {
        let Ok(upgraded) = upgrade.await else {
            return;
        };
        let Ok(parts) = upgraded.downcast::<TokioIo<Stream>>() else {
            tracing::error!("a connection of an unknown kind was upgraded");
            return;
        };
        // What came with the request. The buffer that it lies in is large, and ends here.
        let early = parts.read_buf.to_vec();
        let stream = parts.io.into_inner().into_inner();
        let id = app.next_member();
        let connection = Connection::new(id, claims, stream, place, app.house.time.now_ms());
        // A task of its own, which holds nothing of the opening.
        tokio::spawn(serve(app, Arc::new(connection), purse, early));
    });
    let headers = [
        (CONNECTION, HeaderValue::from_static("upgrade")),
        (UPGRADE, HeaderValue::from_static("websocket")),
        (SEC_WEBSOCKET_ACCEPT, accept),
    ];
    Ok((StatusCode::SWITCHING_PROTOCOLS, headers).into_response())
}
