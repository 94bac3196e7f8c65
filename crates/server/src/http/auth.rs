//! Coming and going: accounts, guests, tokens.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse as _, Response};
use domain::SessionId;
use http::{HeaderMap, StatusCode};
use identity::{AuthError, AuthResult, Visit};
use protocol::{
    AuthResponse, Code, GuestRequest, Login, LoginRequest, PasswordRequest, RegisterRequest,
    Secret, SessionList, SessionResponse, SessionSummary, UpgradeRequest, User,
};
use storage::Player;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::browser::browser_name;
use super::limits::Cost;
use super::session::{Account, Session, Visitor};
use super::{
    App, Client, Empty, Json, Path, Refusal, clear_token_cookies, request_token, token_cookies,
};

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(register))
        .routes(routes!(login))
        .routes(routes!(guest))
        .routes(routes!(upgrade))
        .routes(routes!(session))
        .routes(routes!(logout))
        .routes(routes!(refresh))
        .routes(routes!(change_password))
        .routes(routes!(sessions))
        .routes(routes!(end_session))
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
    app.limits.check_address(client.address)?;
    let (name, password) = (&request.username, request.password.expose());
    let result = app.accounts.create_account(name, password, visit(&client, &headers)).await?;
    app.limits.note_right(client.address, name);
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
    let (name, password) = (&request.username, request.password.expose());
    app.limits.check_login(client.address, name)?;
    let result = app.accounts.login(name, password, visit(&client, &headers)).await;
    app.note_attempt(&client, name, result.as_ref().err());
    let result = result?;
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
    let result = app.accounts.create_guest_session(device, visit(&client, &headers)).await?;
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
    app.limits.check_address(client.address)?;
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
    let token = request_token(&headers, &app.config).ok_or(Code::InvalidToken)?;
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
    let token = request_token(&headers, &app.config).ok_or(Code::InvalidToken)?;
    let result = app.accounts.refresh_token(token.expose(), Some(&client.request_id)).await?;
    welcome(&app, &headers, StatusCode::OK, &result)
}

/// Gives the own account another password; its other sessions end
#[utoipa::path(
    put,
    path = "/api/v1/password",
    tag = "accounts",
    request_body = PasswordRequest,
    responses((status = 204, description = "The password is changed.")),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn change_password(
    State(app): State<Arc<App>>,
    client: Client,
    Account(claims): Account,
    Json(request): Json<PasswordRequest>,
) -> Result<StatusCode, Refusal> {
    // Guesses at the old password count like log-ins.
    let name = app.describe_user(&claims).await?.name;
    app.limits.check_login(client.address, &name)?;
    let (old, new) = (request.old_password.expose(), request.new_password.expose());
    let request_id = Some(client.request_id.as_str());
    let changed = app.accounts.change_password(&claims, old, new, request_id).await;
    app.note_attempt(&client, &name, changed.as_ref().err());
    changed?;
    Ok(StatusCode::NO_CONTENT)
}

/// The own sessions, the latest log-in first
#[utoipa::path(
    get,
    path = "/api/v1/sessions",
    tag = "accounts",
    responses((status = 200, description = "At most 100 sessions.", body = SessionList)),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn sessions(
    State(app): State<Arc<App>>,
    client: Client,
    Session(claims): Session,
) -> Result<Json<SessionList>, Refusal> {
    app.spend(Cost::Read, &client, Some(claims.player))?;
    let sessions = app.accounts.sessions(&claims).await?.into_iter();
    let sessions = sessions.map(|session| SessionSummary {
        id: session.id,
        created_at_ms: session.created_ms,
        refreshed_at_ms: session.changed_ms,
        is_current: session.id == claims.session,
        browser: session.browser,
    });
    Ok(Json(SessionList { sessions: sessions.collect() }))
}

/// Ends one of the own sessions; that of the request is a log-out
#[utoipa::path(
    delete,
    path = "/api/v1/sessions/{id}",
    tag = "accounts",
    params(("id" = String, Path, description = "The session.")),
    responses((status = 204, description = "The session has ended.")),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn end_session(
    State(app): State<Arc<App>>,
    client: Client,
    headers: HeaderMap,
    Session(claims): Session,
    Path(id): Path<String>,
    _: Empty,
) -> Result<Response, Refusal> {
    app.spend(Cost::Read, &client, Some(claims.player))?;
    let id: SessionId = id.parse().map_err(|_| Code::SessionNotFound)?;
    app.accounts.end_session(&claims, id, Some(&client.request_id)).await?;
    let response = StatusCode::NO_CONTENT.into_response();
    Ok(if id == claims.session { farewell(&app, &headers, response) } else { response })
}

fn visit<'a>(client: &'a Client, headers: &HeaderMap) -> Visit<'a> {
    Visit { request: Some(&client.request_id), browser: Some(browser_name(headers)) }
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
    let cookies = token_cookies(&token, lifetime_s, headers, &app.config);
    let cookies = cookies.ok_or_else(|| Refusal::from(Code::Internal).because("an odd token"))?;
    let message = AuthResponse {
        token,
        expires_at_ms: claims.expires_ms,
        user: User {
            id: result.player.id,
            name: result.player.name.clone(),
            role: result.player.role,
        },
    };
    Ok((status, AppendHeaders(cookies), Json(message)).into_response())
}

/// Makes an answer take the cookie away.
pub(super) fn farewell(app: &App, headers: &HeaderMap, mut response: Response) -> Response {
    let cookies = clear_token_cookies(headers, &app.config);
    for (name, cookie) in cookies.into_iter().flatten() {
        response.headers_mut().append(name, cookie);
    }
    response
}
