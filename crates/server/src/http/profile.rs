//! Profiles: one's own, and what all may see of others.

use std::sync::Arc;

use audit::SystemEvent;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::{Avatar, PlayerId, Username};
use http::{HeaderMap, StatusCode};
use identity::RENAME_INTERVAL_MS;
use protocol::{
    Code, GameStatistics, MatchPage, MatchSummary, Profile, PublicProfile, Rating,
    UpdateProfileRequest,
};
use serde::Deserialize;
use storage::{Change, SeatHolder, Shown, StorageError, Thing};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::auth::farewell;
use super::limits::Cost;
use super::matches::seat_summary;
use super::session::{Account, Visitor, context};
use super::{App, Client, Empty, Json, Path, Query, Refusal};

/// How many matches a page has if nobody says, and at most.
const PAGE: u32 = 20;
const PAGE_MAX: u32 = 100;

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(profile, update_profile, delete_profile))
        .routes(routes!(user))
        .routes(routes!(user_matches))
}

/// The own profile
#[utoipa::path(
    get,
    path = "/api/v1/profile",
    tag = "profiles",
    responses((status = 200, description = "The profile.", body = Profile)),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn profile(
    State(app): State<Arc<App>>,
    client: Client,
    Account(claims): Account,
) -> Result<Json<Profile>, Refusal> {
    // It is written down who reads a profile.
    app.spend(Cost::Read, &client, Some(claims.player))?;
    let profile = profile_of(&app, claims.player, Shown::All).await?;
    app.notes.note(&SystemEvent::ProfileRead, context(&claims, &client.request_id));
    Ok(Json(profile))
}

/// Changes the own profile; what is left out stays
#[utoipa::path(
    put,
    path = "/api/v1/profile",
    tag = "profiles",
    request_body = UpdateProfileRequest,
    responses((status = 200, description = "The profile as it is now.", body = Profile)),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn update_profile(
    State(app): State<Arc<App>>,
    client: Client,
    Account(claims): Account,
    Json(request): Json<UpdateProfileRequest>,
) -> Result<Json<Profile>, Refusal> {
    app.spend(Cost::Profile, &client, Some(claims.player))?;
    let bad = |error: &dyn std::fmt::Display| Refusal::new(Code::BadRequest, error.to_string());
    let name = request.name.as_deref().map(Username::parse).transpose().map_err(|it| bad(&it))?;
    let avatar = request.avatar.as_deref().map(Avatar::parse).transpose().map_err(|it| bad(&it))?;
    let player = claims.player;
    let now_ms = app.time.now_ms();
    // Who sends the present name does not change it, and keeps it also if it is reserved by now.
    let current = app.store.find_player(player).await?.ok_or(Code::RecordNotFound)?.name;
    let new_name = name.as_ref().filter(|name| name.as_str() != current);
    if new_name.is_some_and(Username::is_reserved) {
        return Err(Code::NameReserved.into());
    }
    let fields = [("name", name.is_some()), ("avatar", avatar.is_some())];
    let fields = fields.iter().filter(|(_, is_set)| *is_set).map(|(field, _)| *field).collect();
    let event = SystemEvent::ProfileUpdated { fields };
    let avatar = avatar.map(|avatar| avatar.to_string());
    let mut unit: Vec<Change> =
        new_name.map(|name| identity::rename(player, name, now_ms)).into_iter().collect();
    unit.push(Change::UpdateProfile { player, name: None, avatar });
    unit.push(app.record(&event, context(&claims, &client.request_id))?);
    match app.store.commit(unit).await {
        Err(StorageError::Conflict(Thing::Rename)) => {
            let last_ms = app.store.last_rename(player).await?.unwrap_or(now_ms);
            let wait_ms = (last_ms + RENAME_INTERVAL_MS).saturating_sub(now_ms);
            Err(Refusal::from(Code::NameChangedRecently).retry_after(wait_ms.div_ceil(1000)))
        }
        committed => Ok(committed?),
    }?;
    profile_of(&app, claims.player, Shown::All).await.map(Json)
}

/// Removes the own account; its games stay, without a name
#[utoipa::path(
    delete,
    path = "/api/v1/profile",
    tag = "profiles",
    responses((status = 204, description = "The account is gone.")),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn delete_profile(
    State(app): State<Arc<App>>,
    client: Client,
    headers: HeaderMap,
    Account(claims): Account,
    _: Empty,
) -> Result<Response, Refusal> {
    app.delete_account(claims.player, context(&claims, &client.request_id)).await?;
    Ok(farewell(&app, &headers, StatusCode::NO_CONTENT.into_response()))
}

/// Somebody's profile as all may see it: what is counted are public matches
#[utoipa::path(
    get,
    path = "/api/v1/users/{name}",
    tag = "profiles",
    params(("name" = String, Path, description = "The name, in any case.")),
    responses((status = 200, description = "The profile.", body = PublicProfile)),
)]
async fn user(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<PublicProfile>, Refusal> {
    let id = find(&app, &name).await?;
    let Profile { name, avatar, created_at_ms, statistics, ratings, .. } =
        profile_of(&app, id, Shown::Public).await?;
    Ok(Json(PublicProfile { name, avatar, created_at_ms, statistics, ratings }))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Window {
    /// How many, 20 if left out.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// How many to skip.
    #[serde(default)]
    #[param(required = false)]
    offset: u32,
}

/// Somebody's finished matches, the latest first: the public ones, the own ones all
#[utoipa::path(
    get,
    path = "/api/v1/users/{name}/matches",
    tag = "profiles",
    params(("name" = String, Path, description = "The name, in any case."), Window),
    responses((status = 200, description = "A page of matches.", body = MatchPage)),
    security((), ("bearer" = []), ("cookie" = [])),
)]
async fn user_matches(
    State(app): State<Arc<App>>,
    Visitor(claims): Visitor,
    Path(name): Path<String>,
    Query(window): Query<Window>,
) -> Result<Json<MatchPage>, Refusal> {
    let limit = page_size(window.limit, PAGE, PAGE_MAX)?;
    let player = find(&app, &name).await?;
    let is_own = claims.is_some_and(|claims| claims.player == player);
    let shown = if is_own { Shown::All } else { Shown::Public };
    // One more than asked for tells whether there is another page.
    let mut history = app.store.match_history(player, shown, limit + 1, window.offset).await?;
    let has_more = history.len() > limit as usize;
    history.truncate(limit as usize);
    let next_offset = has_more.then(|| window.offset.saturating_add(limit));
    let matches = history.into_iter().map(|summary| describe(summary, player)).collect();
    Ok(Json(MatchPage { matches, next_offset }))
}

pub(super) fn page_size(asked: Option<u32>, usual: u32, most: u32) -> Result<u32, Refusal> {
    match asked.unwrap_or(usual) {
        0 => Err(Refusal::new(Code::BadRequest, "`limit` is at least 1")),
        limit if limit > most => {
            Err(Refusal::new(Code::BadRequest, format!("`limit` is at most {most}")))
        }
        limit => Ok(limit),
    }
}

async fn find(app: &App, name: &str) -> Result<PlayerId, Refusal> {
    let player = app.store.find_player_by_name(name).await?;
    Ok(player.ok_or(Code::RecordNotFound)?.id)
}

async fn profile_of(app: &App, id: PlayerId, shown: Shown) -> Result<Profile, Refusal> {
    let found: Result<Option<storage::Profile>, StorageError> = app.store.find_profile(id).await;
    let storage::Profile { player, statistics, ratings } = found?.ok_or(Code::RecordNotFound)?;
    let statistics = statistics.into_iter().map(|row| {
        let counts = match shown {
            Shown::All => [row.won, row.drawn, row.lost],
            Shown::Public => [row.public_won, row.public_drawn, row.public_lost],
        };
        let [won, drawn, lost] = counts.map(u64::from);
        GameStatistics { game: row.game, played: won + drawn + lost, won, drawn, lost }
    });
    let statistics = statistics.filter(|row| row.played > 0);
    let ratings = ratings.into_iter().map(|row| Rating {
        game: row.game,
        speed: row.speed,
        rating: row.rating,
        deviation: row.deviation,
    });
    Ok(Profile {
        name: player.name,
        role: player.role,
        avatar: player.avatar,
        created_at_ms: player.created_ms,
        statistics: statistics.collect(),
        ratings: ratings.collect(),
    })
}

fn describe(summary: storage::MatchSummary, whose: PlayerId) -> MatchSummary {
    let is_theirs = |seat: &storage::SeatSummary| seat.holder == SeatHolder::Player(whose);
    let your_seat = summary.seats.iter().position(is_theirs);
    MatchSummary {
        id: summary.id,
        game: summary.game,
        started_at_ms: summary.created_ms,
        ended_at_ms: summary.ended_ms,
        seats: summary.seats.into_iter().map(seat_summary).collect(),
        reason: summary.reason,
        your_seat: your_seat.and_then(|seat| u8::try_from(seat).ok()),
    }
}
