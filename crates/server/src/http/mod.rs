//! M1, the HTTP interface: routes, and around each of them the same shell.
//!
//! From the outside in: headers (`security`), then id, log, metrics, panics and the body of a refusal
//! (`requests`), then other sites (`security`), then the route. A handler returns its message or a
//! [`Refusal`].

mod address;
mod admin;
mod auth;
mod body;
mod browser;
mod client;
mod coding;
mod games;
mod limits;
mod lobbies;
mod matches;
mod openapi;
mod page;
mod problem;
mod profile;
mod requests;
mod security;
mod session;
mod system;
mod token;
mod watched;
mod ws;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use http::{HeaderMap, Method, Uri};
use protocol::Code;
use utoipa_axum::router::OpenApiRouter;

pub(crate) use self::address::is_trusted;
pub use self::address::{Client, Peer};
pub use self::body::{BODY_BYTES_MAX, Empty, Json, Path, Query};
pub use self::client::ClientFile;
pub(crate) use self::coding::Precompressed;
pub(crate) use self::limits::{AddressKeys, NetworkKey};
pub use self::limits::{Cost, Limits, Purse};
pub use self::problem::Refusal;
pub(crate) use self::requests::fresh_id;
pub use self::token::{clear_token_cookies, request_token, token_cookies};
pub use crate::app::App;

/// Everything that the server answers; `files` are the browser client's, if there is one.
pub fn router(app: Arc<App>, files: &'static [ClientFile]) -> Router {
    let api = OpenApiRouter::new()
        .merge(system::routes())
        .merge(auth::routes())
        .merge(profile::routes())
        .merge(games::routes())
        .merge(lobbies::routes())
        .merge(matches::routes())
        .merge(ws::routes())
        .merge(admin::routes());
    let (routes, document) = openapi::with_document(api);
    wrap(routes.merge(page::routes(document)).merge(client::routes(files)), app, files)
}

/// Puts the shell around routes, and answers for addresses and methods that they do not know.
pub fn wrap(routes: Router<Arc<App>>, app: Arc<App>, files: &'static [ClientFile]) -> Router {
    let other = async move |method: Method, uri: Uri, headers: HeaderMap| {
        client::other(files, &method, uri.path(), &headers)
    };
    routes
        .fallback(other)
        .method_not_allowed_fallback(async || Refusal::from(Code::MethodNotAllowed))
        .layer(from_fn_with_state(app.clone(), shell))
        .with_state(app)
}

/// One layer and not three: each would cost every request two boxes.
async fn shell(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let mut response = requests::observe(&app, request, next).await;
    security::harden(response.headers_mut(), &app.config);
    response
}
