//! Coming and going: accounts, guests, tokens.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::header::SET_COOKIE;
use http::{HeaderMap, StatusCode};
use identity::{AuthError, AuthResult};
use protocol::{
    AuthResponse, Code, GuestRequest, Login, LoginRequest, RegisterRequest, Secret,
    SessionResponse, UpgradeRequest, User,
};
use storage::Player;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::session::{Session, Visitor};
use super::{App, Client, Empty, Json, Refusal, clear_token_cookie, request_token, token_cookie};

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(register))
        .routes(routes!(login))
        .routes(routes!(guest))
        .routes(routes!(upgrade))
        .routes(routes!(session))
        .routes(routes!(logout))
        .routes(routes!(refresh))
}

/// Makes an account and logs it in
#[utoipa::path(
    post,
    path = "/api/v1/register",
    tag = "accounts",
    request_body = RegisterRequest,
    responses((status = 201, description = "The account is made.", body = AuthResponse)),
)]
async fn register(
    State(app): State<Arc<App>>,
    client: Client,
    headers: HeaderMap,
    Json(request): Json<RegisterRequest>,
) -> Result<Response, Refusal> {
    app.check_attempt(&client, &request.username)?;
    let (name, password) = (&request.username, request.password.expose());
    let result = app.accounts.create_account(name, password, Some(&client.request_id)).await?;
    welcome(&app, &headers, StatusCode::CREATED, &result)
}

/// Logs an account in
#[utoipa::path(
    post,
    path = "/api/v1/login",
    tag = "accounts",
    request_body = LoginRequest,
    responses((status = 200, description = "Logged in.", body = AuthResponse)),
)]
async fn login(
    State(app): State<Arc<App>>,
    client: Client,
    headers: HeaderMap,
    Json(request): Json<LoginRequest>,
) -> Result<Response, Refusal> {
    app.check_attempt(&client, &request.username)?;
    let (name, password) = (&request.username, request.password.expose());
    let result = app.accounts.login(name, password, Some(&client.request_id)).await?;
    welcome(&app, &headers, StatusCode::OK, &result)
}

/// Logs a guest in: the device's own, or a new one
#[utoipa::path(
    post,
    path = "/api/v1/guest",
    tag = "accounts",
    request_body = GuestRequest,
    responses((status = 200, description = "Logged in.", body = AuthResponse)),
)]
async fn guest(
    State(app): State<Arc<App>>,
    client: Client,
    headers: HeaderMap,
    Json(request): Json<GuestRequest>,
) -> Result<Response, Refusal> {
    app.limits.check_address(client.address)?;
    let device = request.device_id.expose();
    let result = app.accounts.create_guest_session(device, Some(&client.request_id)).await?;
    welcome(&app, &headers, StatusCode::OK, &result)
}

/// Makes the guest who asks an account, which keeps the guest's games
#[utoipa::path(
    post,
    path = "/api/v1/guest/upgrade",
    tag = "accounts",
    request_body = UpgradeRequest,
    responses((status = 200, description = "The guest is an account now.", body = AuthResponse)),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn upgrade(
    State(app): State<Arc<App>>,
    client: Client,
    headers: HeaderMap,
    Session(claims): Session,
    Json(request): Json<UpgradeRequest>,
) -> Result<Response, Refusal> {
    app.check_attempt(&client, &request.username)?;
    let (name, password) = (&request.username, request.password.expose());
    let request_id = Some(client.request_id.as_str());
    let result = app.accounts.upgrade_guest(&claims, name, password, request_id).await?;
    welcome(&app, &headers, StatusCode::OK, &result)
}

/// Who asks; nobody is an answer too
#[utoipa::path(
    get,
    path = "/api/v1/session",
    tag = "accounts",
    responses((status = 200, description = "Who is logged in.", body = SessionResponse)),
    security((), ("bearer" = []), ("cookie" = [])),
)]
async fn session(
    State(app): State<Arc<App>>,
    Visitor(claims): Visitor,
) -> Result<Json<SessionResponse>, Refusal> {
    let Some(claims) = claims else { return Ok(Json(SessionResponse { login: None })) };
    let player = app.store.find_player(claims.player).await?;
    let half_ms = claims.issued_ms.midpoint(claims.expires_ms);
    let login = player.map(|Player { id, name, role, .. }| Login {
        user: User { id, name, role },
        refresh_due: half_ms <= app.time.now_ms(),
    });
    Ok(Json(SessionResponse { login }))
}

/// Ends the session; its tokens are dead at once
#[utoipa::path(
    post,
    path = "/api/v1/logout",
    tag = "accounts",
    responses((status = 204, description = "Logged out.")),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn logout(
    State(app): State<Arc<App>>,
    client: Client,
    headers: HeaderMap,
    _: Empty,
) -> Result<Response, Refusal> {
    let token = request_token(&headers).ok_or(Code::InvalidToken)?;
    match app.accounts.logout(token.expose(), Some(&client.request_id)).await {
        Ok(()) => Ok(farewell(&app, &headers, StatusCode::NO_CONTENT.into_response())),
        // A browser cannot remove the cookie itself, so a dead one goes too.
        Err(AuthError::Token(error)) => {
            let refusal = Refusal::from(AuthError::Token(error)).into_response();
            Ok(farewell(&app, &headers, refusal))
        }
        Err(error) => Err(error.into()),
    }
}

/// Gives the session its next token; the old one is dead
#[utoipa::path(
    post,
    path = "/api/v1/token/refresh",
    tag = "accounts",
    responses((status = 200, description = "The next token.", body = AuthResponse)),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn refresh(
    State(app): State<Arc<App>>,
    client: Client,
    headers: HeaderMap,
    _: Empty,
) -> Result<Response, Refusal> {
    app.limits.check_address(client.address)?;
    let token = request_token(&headers).ok_or(Code::InvalidToken)?;
    let result = app.accounts.refresh_token(token.expose(), Some(&client.request_id)).await?;
    welcome(&app, &headers, StatusCode::OK, &result)
}

fn welcome(
    app: &App,
    headers: &HeaderMap,
    status: StatusCode,
    result: &AuthResult,
) -> Result<Response, Refusal> {
    let token = Secret::new(result.token.as_str());
    let claims = &result.claims;
    let lifetime_s = claims.expires_ms.saturating_sub(claims.issued_ms) / 1000;
    let cookie = token_cookie(&token, lifetime_s, headers, &app.config);
    let cookie = cookie.ok_or_else(|| Refusal::from(Code::Internal).because("an odd token"))?;
    let message = AuthResponse {
        token,
        expires_at_ms: claims.expires_ms,
        user: User {
            id: result.player.id,
            name: result.player.name.clone(),
            role: result.player.role,
        },
    };
    Ok((status, [(SET_COOKIE, cookie)], Json(message)).into_response())
}

/// Makes an answer take the cookie away.
pub(super) fn farewell(app: &App, headers: &HeaderMap, mut response: Response) -> Response {
    if let Some(cookie) = clear_token_cookie(headers, &app.config) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}
