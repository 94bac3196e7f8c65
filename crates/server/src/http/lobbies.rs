//! M3 over HTTP: lobbies, the pairing queue, and matches that need no other person.

use std::sync::Arc;

use axum::extract::State;
use domain::{LobbyId, SeatHolder};
use http::StatusCode;
use identity::Claims;
use play::room::SeatOwner;
use play::{LobbyError, Member, Terms};
use protocol::{
    BotSeat, Code, CreateLobbyRequest, CreateMatchRequest, KickRequest, LobbyList, LobbySummary,
    MatchStarted, MatchTerms, Opponents, PairingRequest, PairingResponse,
};
use serde::Deserialize;
use storage::{StorageError, Thing};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::limits::Cost;
use super::profile::page_size;
use super::session::{Session, context};
use super::{App, Client, Empty, Json, Path, Query, Refusal};
use crate::actors::{BeginError, MATCHES_MAX, Plan, begin};
use crate::lobbies::{self, LobbyFailure, StartFailure};
use crate::seating;

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(show))
        .routes(routes!(join))
        .routes(routes!(leave))
        .routes(routes!(add_bot))
        .routes(routes!(kick))
        .routes(routes!(start))
        .routes(routes!(pair, withdraw))
        .routes(routes!(create_match))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Window {
    /// How many, 100 if left out.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// How many to skip.
    #[serde(default)]
    #[param(required = false)]
    offset: u32,
}

/// The public lobbies, the latest first
#[utoipa::path(
    get,
    path = "/api/v1/lobbies",
    tag = "lobbies",
    params(Window),
    responses((status = 200, description = "A page of lobbies.", body = LobbyList)),
)]
async fn list(
    State(app): State<Arc<App>>,
    Query(window): Query<Window>,
) -> Result<Json<LobbyList>, Refusal> {
    let limit = page_size(window.limit, lobbies::PAGE_MAX, lobbies::PAGE_MAX)?;
    Ok(Json(lobbies::list(&app, limit, window.offset).await?))
}

/// Opens a lobby, with its host in it
#[utoipa::path(
    post,
    path = "/api/v1/lobbies",
    tag = "lobbies",
    request_body = CreateLobbyRequest,
    responses((status = 201, description = "The lobby is open.", body = LobbySummary)),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn create(
    State(app): State<Arc<App>>,
    client: Client,
    Session(claims): Session,
    Json(request): Json<CreateLobbyRequest>,
) -> Result<(StatusCode, Json<LobbySummary>), Refusal> {
    app.spend(Cost::Lobby, &client, Some(claims.player))?;
    let CreateLobbyRequest { terms: asked, public, seat, bots } = request;
    let terms = terms(&app, asked)?;
    for bot in &bots {
        seating::check_level(&app, terms.game(), bot.level)?;
    }
    let host = member(&app, &claims).await?;
    let lobby = lobbies::create(&app, host, terms, public, seat, &bots).await?;
    Ok((StatusCode::CREATED, Json(lobby.summary())))
}

/// A lobby, public or known by its link
#[utoipa::path(
    get,
    path = "/api/v1/lobbies/{id}",
    tag = "lobbies",
    params(("id" = String, Path, description = "The lobby.")),
    responses((status = 200, description = "The lobby.", body = LobbySummary)),
)]
async fn show(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<LobbySummary>, Refusal> {
    Ok(Json(lobbies::find(&app, lobby_id(&id)?).await?.summary()))
}

/// Takes a seat; doing so again changes nothing
#[utoipa::path(
    post,
    path = "/api/v1/lobbies/{id}/join",
    tag = "lobbies",
    params(("id" = String, Path, description = "The lobby.")),
    responses((status = 200, description = "The lobby with the new player.", body = LobbySummary)),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn join(
    State(app): State<Arc<App>>,
    client: Client,
    Session(claims): Session,
    Path(id): Path<String>,
    _: Empty,
) -> Result<Json<LobbySummary>, Refusal> {
    app.spend(Cost::Lobby, &client, Some(claims.player))?;
    let who = member(&app, &claims).await?;
    Ok(Json(lobbies::join(&app, lobby_id(&id)?, &who).await?.summary()))
}

/// Gives the seat up; the host's leaving closes the lobby
#[utoipa::path(
    post,
    path = "/api/v1/lobbies/{id}/leave",
    tag = "lobbies",
    params(("id" = String, Path, description = "The lobby.")),
    responses((status = 204, description = "The seat is free.")),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn leave(
    State(app): State<Arc<App>>,
    client: Client,
    Session(claims): Session,
    Path(id): Path<String>,
    _: Empty,
) -> Result<StatusCode, Refusal> {
    app.spend(Cost::Lobby, &client, Some(claims.player))?;
    let who = member(&app, &claims).await?;
    lobbies::leave(&app, lobby_id(&id)?, &who).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lets a bot take a free seat; the host's alone
#[utoipa::path(
    post,
    path = "/api/v1/lobbies/{id}/bots",
    tag = "lobbies",
    params(("id" = String, Path, description = "The lobby.")),
    request_body = BotSeat,
    responses((status = 200, description = "The lobby with the bot.", body = LobbySummary)),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn add_bot(
    State(app): State<Arc<App>>,
    client: Client,
    Session(claims): Session,
    Path(id): Path<String>,
    Json(bot): Json<BotSeat>,
) -> Result<Json<LobbySummary>, Refusal> {
    app.spend(Cost::Lobby, &client, Some(claims.player))?;
    let by = member(&app, &claims).await?;
    Ok(Json(lobbies::add_bot(&app, lobby_id(&id)?, &by, bot).await?.summary()))
}

/// Sends somebody out, who cannot come back, or a bot; the host's alone
#[utoipa::path(
    post,
    path = "/api/v1/lobbies/{id}/kick",
    tag = "lobbies",
    params(("id" = String, Path, description = "The lobby.")),
    request_body = KickRequest,
    responses((status = 200, description = "The lobby without the player.", body = LobbySummary)),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn kick(
    State(app): State<Arc<App>>,
    client: Client,
    Session(claims): Session,
    Path(id): Path<String>,
    Json(request): Json<KickRequest>,
) -> Result<Json<LobbySummary>, Refusal> {
    app.spend(Cost::Lobby, &client, Some(claims.player))?;
    let by = member(&app, &claims).await?;
    Ok(Json(lobbies::kick(&app, lobby_id(&id)?, &by, &request).await?.summary()))
}

/// Begins the match; the host's alone
#[utoipa::path(
    post,
    path = "/api/v1/lobbies/{id}/start",
    tag = "lobbies",
    params(("id" = String, Path, description = "The lobby.")),
    responses((status = 201, description = "The match has begun.", body = MatchStarted)),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn start(
    State(app): State<Arc<App>>,
    client: Client,
    Session(claims): Session,
    Path(id): Path<String>,
    _: Empty,
) -> Result<(StatusCode, Json<MatchStarted>), Refusal> {
    app.spend(Cost::Match, &client, Some(claims.player))?;
    let by = member(&app, &claims).await?;
    let context = context(&claims, &client.request_id);
    let match_id = lobbies::start(&app, lobby_id(&id)?, &by, context).await?;
    Ok((StatusCode::CREATED, Json(MatchStarted { match_id })))
}

/// Asks to be paired with whoever wants the same; a new wish replaces the old, and is kept for two minutes
#[utoipa::path(
    post,
    path = "/api/v1/pairing",
    tag = "lobbies",
    request_body = PairingRequest,
    responses((
        status = 200,
        description = "The match, if somebody was waiting; else wait for `paired`.",
        body = PairingResponse,
    )),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn pair(
    State(app): State<Arc<App>>,
    client: Client,
    Session(claims): Session,
    Json(request): Json<PairingRequest>,
) -> Result<Json<PairingResponse>, Refusal> {
    app.spend(Cost::Pairing, &client, Some(claims.player))?;
    let PairingRequest { game, preset, seats, clock } = request;
    let asked = MatchTerms { game, preset, seats, clock, options: None, spectator_delay_s: 0 };
    let terms = terms(&app, asked)?;
    let who = member(&app, &claims).await?;
    let context = context(&claims, &client.request_id);
    let match_id = lobbies::wish(&app, who, terms, &claims, context).await?;
    Ok(Json(PairingResponse { match_id }))
}

/// Takes the wish back; having none is no error
#[utoipa::path(
    delete,
    path = "/api/v1/pairing",
    tag = "lobbies",
    responses((status = 204, description = "Nobody will be paired with you.")),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn withdraw(
    State(app): State<Arc<App>>,
    client: Client,
    Session(claims): Session,
    _: Empty,
) -> Result<StatusCode, Refusal> {
    app.spend(Cost::Pairing, &client, Some(claims.player))?;
    lobbies::withdraw(&app, claims.player).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Begins a match that needs no other person: all seats on one screen, or with bots
#[utoipa::path(
    post,
    path = "/api/v1/matches",
    tag = "matches",
    request_body = CreateMatchRequest,
    responses((status = 201, description = "The match has begun.", body = MatchStarted)),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn create_match(
    State(app): State<Arc<App>>,
    client: Client,
    Session(claims): Session,
    Json(request): Json<CreateMatchRequest>,
) -> Result<(StatusCode, Json<MatchStarted>), Refusal> {
    app.spend(Cost::Match, &client, Some(claims.player))?;
    let CreateMatchRequest { terms: asked, opponents } = request;
    let terms = terms(&app, asked)?;
    let Member { player, name } = member(&app, &claims).await?;
    let owner = SeatOwner { holder: SeatHolder::Player(player), name: Some(name) };
    let seats = match &opponents {
        Opponents::HotSeat => vec![owner.clone(); usize::from(terms.seats())],
        Opponents::Bots(bots) => seating::seats(&app, &terms, bots, &owner)?,
    };
    let is_show = !seats.contains(&owner);
    let context = context(&claims, &client.request_id);
    let founder = is_show.then_some(player);
    let also = Vec::new();
    let plan = Plan { terms, seats, is_rated: false, is_public: false, founder, context, also };
    let begun = async { begin(&app.house, plan).await.map_err(Refusal::from) };
    let match_id =
        if is_show { app.shows.begin(&app, player, begun).await? } else { begun.await? };
    Ok((StatusCode::CREATED, Json(MatchStarted { match_id })))
}

fn lobby_id(text: &str) -> Result<LobbyId, Refusal> {
    text.parse().map_err(|_| Code::LobbyNotFound.into())
}

fn terms(app: &App, asked: MatchTerms) -> Result<Terms, Refusal> {
    let game = (app.house.games)(&asked.game);
    let game = game.ok_or_else(|| Refusal::new(Code::InvalidSetup, "there is no such game"))?;
    Terms::parse(asked, game).map_err(|error| {
        let code = match error.code() {
            "invalid_players" => Code::InvalidPlayers,
            _ => Code::InvalidSetup,
        };
        Refusal::new(code, error.to_string())
    })
}

async fn member(app: &App, claims: &Claims) -> Result<Member, Refusal> {
    let player = app.store.find_player(claims.player).await?.ok_or(Code::Unauthorized)?;
    Ok(Member { player: player.id, name: player.name })
}

impl From<LobbyFailure> for Refusal {
    fn from(failure: LobbyFailure) -> Refusal {
        let error = match failure {
            LobbyFailure::Refused(error) => error,
            LobbyFailure::Bot(refusal) => return refusal,
            LobbyFailure::Store(StorageError::Conflict(Thing::Lobby)) => return Code::Busy.into(),
            LobbyFailure::Store(error) => return error.into(),
        };
        let code = match error {
            LobbyError::Full { .. } => Code::LobbyFull,
            LobbyError::NoSuchSeat { .. } => Code::NoSuchSeat,
            LobbyError::NotFound | LobbyError::Closed => Code::LobbyNotFound,
            LobbyError::NotHost => Code::NotLobbyHost,
            LobbyError::NotReady { .. } => Code::LobbyNotReady,
            LobbyError::NotMember => Code::NotInLobby,
            LobbyError::CannotKickHost => Code::CannotKickHost,
            LobbyError::Kicked => Code::Kicked,
            LobbyError::TooMany => Code::TooManyLobbies,
            LobbyError::Corrupt(_) => return Refusal::from(Code::Internal).because(error),
        };
        Refusal::new(code, error.to_string())
    }
}

impl From<BeginError> for Refusal {
    fn from(error: BeginError) -> Refusal {
        match error {
            BeginError::Store(StorageError::Conflict(Thing::Lobby)) => Code::Busy.into(),
            BeginError::Store(StorageError::NotFound(Thing::Lobby)) => Code::LobbyNotFound.into(),
            BeginError::Store(StorageError::Conflict(Thing::Limit)) => {
                let detail = format!("{MATCHES_MAX} matches are under way; finish one first");
                Refusal::new(Code::TooManyMatches, detail)
            }
            BeginError::Store(error) => error.into(),
            BeginError::Closing => Code::Unavailable.into(),
            BeginError::Refused(refused) => Refusal::new(Code::InvalidSetup, refused.message),
            BeginError::NoSuchGame | BeginError::Chance(_) | BeginError::Corrupt => {
                Refusal::from(Code::Internal).because(error)
            }
        }
    }
}

impl From<StartFailure> for Refusal {
    fn from(failure: StartFailure) -> Refusal {
        match failure {
            StartFailure::Lobby(failure) => failure.into(),
            StartFailure::Begin(error) => error.into(),
            StartFailure::Store(error) => error.into(),
            StartFailure::QueueFull => Code::Busy.into(),
        }
    }
}
