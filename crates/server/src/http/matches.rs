//! Matches over HTTP: one's own, the public ones, what a viewer may know of one, and a finished one as a file.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::{SeatHolder, bot_name};
use game_api::{Entry, Viewer};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use play::room::SeatOwner;
use protocol::ws::Outcome;
use protocol::{
    Code, MatchDetails, MatchStatus, MatchStory, NotationLine, RunningMatch, RunningMatches,
    SeatSummary, StoryEntry, WatchLink,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use storage::{MatchResult, MatchRow};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::limits::Cost;
use super::profile::page_size;
use super::session::{Session, context};
use super::watched::Watched;
use super::{App, Client, Empty, Json, Query, Refusal};
use crate::actors::{self, Hearer, Unloadable};
use crate::export::LOG;
use crate::links;

/// As many as a connection can follow.
const RUNNING_MAX: usize = 256;
/// How many public matches a list has if nobody says, and at most: as many as there are lobbies.
const PUBLIC: u32 = 20;
const PUBLIC_MAX: u32 = 100;

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(running_matches))
        .routes(routes!(public_matches))
        .routes(routes!(show_match))
        .routes(routes!(match_log))
        .routes(routes!(export_match))
        .routes(routes!(create_watch_link, delete_watch_link))
}

/// The own matches under way, the latest first
#[utoipa::path(
    get,
    path = "/api/v1/matches",
    tag = "matches",
    responses((status = 200, description = "At most 256 matches.", body = RunningMatches)),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn running_matches(
    State(app): State<Arc<App>>,
    Session(claims): Session,
) -> Result<Json<RunningMatches>, Refusal> {
    let ids = app.store.running_matches(claims.player).await?;
    let mut matches = Vec::new();
    for id in ids.into_iter().rev().take(RUNNING_MAX) {
        let (row, result) = app.find_match(id).await?;
        // It can have ended since.
        if result.is_none() {
            let seats = seats(actors::owners(&app.house, &row).await?, &[]);
            matches.push(RunningMatch {
                id,
                clock: actors::settings(&row.settings).clock,
                started_at_ms: row.created_ms,
                seats,
                game: row.game,
            });
        }
    }
    Ok(Json(RunningMatches { matches }))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Listed {
    /// The game's key; all games if left out.
    game: Option<String>,
    /// How many, 20 if left out.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
}

/// The matches under way that began at a public table or between strangers, the latest first
#[utoipa::path(
    get,
    path = "/api/v1/matches/public",
    tag = "matches",
    params(Listed),
    responses((status = 200, description = "Matches to watch.", body = RunningMatches)),
)]
async fn public_matches(
    State(app): State<Arc<App>>,
    Query(Listed { game, limit }): Query<Listed>,
) -> Result<Json<RunningMatches>, Refusal> {
    let limit = page_size(limit, PUBLIC, PUBLIC_MAX)?;
    let rows = app.store.public_matches(game.as_deref(), limit).await?;
    let matches = rows.into_iter().map(|row| RunningMatch {
        id: row.id,
        clock: actors::settings(&row.settings).clock,
        started_at_ms: row.created_ms,
        seats: row.seats.into_iter().map(seat_summary).collect(),
        game: row.game,
    });
    Ok(Json(RunningMatches { matches: matches.collect() }))
}

/// A match; once it is over with its outcome, final view, notations and seed
#[utoipa::path(
    get,
    path = "/api/v1/matches/{id}",
    tag = "matches",
    params(
        ("id" = String, Path, description = "The match."),
        ("X-Watch-Key" = Option<String>, Header, description = "The secret of its watch link."),
    ),
    responses((status = 200, description = "The match.", body = MatchDetails)),
    security((), ("bearer" = []), ("cookie" = [])),
)]
async fn show_match(
    State(app): State<Arc<App>>,
    Watched { id, claims, .. }: Watched,
) -> Result<Json<MatchDetails>, Refusal> {
    let (row, result) = app.find_match(id).await?;
    let owners = actors::owners(&app.house, &row).await?;
    let asker = Hearer::of(&row, claims.map(|claims| claims.player));
    let corrupt = |error| Refusal::from(Code::Internal).because(error);
    details(row, owners, result, asker).map(Json).map_err(corrupt)
}

fn details(
    row: MatchRow,
    owners: Vec<SeatOwner>,
    result: Option<MatchResult>,
    asker: Hearer,
) -> Result<MatchDetails, serde_json::Error> {
    let settings = actors::settings(&row.settings);
    let viewer = asker.viewer();
    let places = result.as_ref().map_or(&[][..], |result| &result.places);
    let mut details = MatchDetails {
        id: row.id,
        options: serde_json::from_str(&row.options)?,
        seats: seats(owners, places),
        rules_version: row.rules_version,
        clock: settings.clock,
        spectator_delay_s: settings.spectator_delay_s,
        is_rated: settings.is_rated,
        is_public: row.is_public,
        status: MatchStatus::Running,
        commitment: row.commitment.to_string(),
        started_at_ms: row.created_ms,
        game: row.game,
        viewer,
        ended_at_ms: None,
        outcome: None,
        view: None,
        notations: Vec::new(),
        seed: None,
    };
    if let Some(result) = result {
        details.status = MatchStatus::Over;
        details.ended_at_ms = Some(result.ended_ms);
        details.view = final_view(&result, viewer)?;
        details.notations = serde_json::from_str(&result.notations)?;
        details.outcome = Some(Outcome { places: result.places, reason: result.reason });
        details.seed = Some(row.seed.reveal());
    }
    Ok(details)
}

/// From the list by seat, with the spectators' at its end; an aborted match may have none.
fn final_view(
    result: &MatchResult,
    viewer: Viewer,
) -> Result<Option<Box<RawValue>>, serde_json::Error> {
    let mut views: Vec<Option<Box<RawValue>>> = serde_json::from_str(&result.final_views)?;
    let at = viewer.seat().map_or(views.len().saturating_sub(1), game_api::Seat::index);
    Ok(if at < views.len() { views.swap_remove(at) } else { None })
}

/// What has happened in a match: what the viewer may know, and everything once it is over
#[utoipa::path(
    get,
    path = "/api/v1/matches/{id}/log",
    tag = "matches",
    params(
        ("id" = String, Path, description = "The match."),
        ("X-Watch-Key" = Option<String>, Header, description = "The secret of its watch link."),
    ),
    responses((status = 200, description = "The entries.", body = MatchStory)),
    security((), ("bearer" = []), ("cookie" = [])),
)]
async fn match_log(
    State(app): State<Arc<App>>,
    client: Client,
    Watched { id, claims, .. }: Watched,
) -> Result<Json<MatchStory>, Refusal> {
    app.spend(Cost::Read, &client, claims.as_ref().map(|claims| claims.player))?;
    let (mut row, result) = app.find_match(id).await?;
    let mut entries = app.store.entries(row.id, 0).await?;
    let asker = Hearer::of(&row, claims.map(|claims| claims.player));
    let viewer = asker.viewer();
    let hearer = if result.is_some() { Hearer::All } else { asker };
    if result.is_none() && viewer == Viewer::Spectator {
        let late_ms = u64::from(actors::settings(&row.settings).spectator_delay_s) * 1000;
        let now_ms = app.house.time.now_ms();
        let is_shown = |entry: &&Entry| entry.at_ms + late_ms <= now_ms;
        entries.truncate(entries.iter().take_while(is_shown).count());
    }
    let corrupt = |error: &dyn std::fmt::Display| Refusal::from(Code::Internal).because(error);
    let told = if let Some(game) = actors::rules(&app.house, &row) {
        let told;
        let work = move || (actors::story(game, &row, &entries, hearer), row, entries);
        (told, row, entries) = app.replay(work).await?;
        told.map_err(|error| corrupt(&error))?
    } else {
        let result = result.as_ref().ok_or(Code::RulesChanged)?;
        retold(&entries, result).map_err(|error| corrupt(&error))?
    };
    let log = result.map(|result| actors::log(&row, entries, &result)).transpose();
    Ok(Json(MatchStory { viewer, entries: told, log: log.map_err(|error| corrupt(&error))? }))
}

/// What is left of a match that nobody can play again.
fn retold(entries: &[Entry], result: &MatchResult) -> Result<Vec<StoryEntry>, serde_json::Error> {
    let lines: Vec<NotationLine> = serde_json::from_str(&result.notations)?;
    let mut lines = lines.into_iter().peekable();
    let told = entries.iter().map(|entry| {
        let line = lines.next_if(|line| line.ply == entry.ply);
        StoryEntry { notation: line.map(|line| line.text), ..actors::outline(entry, Hearer::All) }
    });
    Ok(told.collect())
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Wanted {
    /// `json`, which is the log, or one of the game's own; `json` if left out.
    format: Option<String>,
}

/// A finished match as a file
#[utoipa::path(
    get,
    path = "/api/v1/matches/{id}/export",
    tag = "matches",
    params(
        ("id" = String, Path, description = "The match."),
        ("X-Watch-Key" = Option<String>, Header, description = "The secret of its watch link."),
        Wanted,
    ),
    responses((
        status = 200,
        description = "The file; one of the game's own formats has that format's media type.",
        content((Object = "application/json"), (String = "*/*")),
    )),
    security((), ("bearer" = []), ("cookie" = [])),
)]
async fn export_match(
    State(app): State<Arc<App>>,
    client: Client,
    Watched { id, claims, .. }: Watched,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Refusal> {
    app.spend(Cost::Read, &client, claims.as_ref().map(|claims| claims.player))?;
    let format = wanted.format.as_deref().unwrap_or(LOG);
    let exported = app.export(id, format).await?;
    let name = format!("attachment; filename=\"{}\"", exported.name);
    let name = HeaderValue::from_str(&name);
    let name = name.map_err(|error| Refusal::from(Code::Internal).because(error))?;
    let kind = HeaderValue::from_static(exported.media_type);
    Ok(([(CONTENT_TYPE, kind), (CONTENT_DISPOSITION, name)], exported.text).into_response())
}

/// Makes a secret by which anybody may watch a match of one's own; it replaces the one before
#[utoipa::path(
    post,
    path = "/api/v1/matches/{id}/watch-link",
    tag = "matches",
    params(("id" = String, Path, description = "The match.")),
    responses((status = 201, description = "The secret, shown this once.", body = WatchLink)),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn create_watch_link(
    State(app): State<Arc<App>>,
    client: Client,
    watched: Watched,
    _: Empty,
) -> Result<(StatusCode, Json<WatchLink>), Refusal> {
    let (id, claims) = watched.own()?;
    app.spend(Cost::Lobby, &client, Some(claims.player))?;
    let key = links::create(&app, id, context(&claims, &client.request_id)).await?;
    Ok((StatusCode::CREATED, Json(WatchLink { key })))
}

/// Takes the secret back: who watches by it hears no more; having none is no error
#[utoipa::path(
    delete,
    path = "/api/v1/matches/{id}/watch-link",
    tag = "matches",
    params(("id" = String, Path, description = "The match.")),
    responses((status = 204, description = "There is no such link any more.")),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn delete_watch_link(
    State(app): State<Arc<App>>,
    client: Client,
    watched: Watched,
    _: Empty,
) -> Result<StatusCode, Refusal> {
    let (id, claims) = watched.own()?;
    app.spend(Cost::Lobby, &client, Some(claims.player))?;
    links::take_back(&app, id, context(&claims, &client.request_id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn seats(owners: Vec<SeatOwner>, places: &[u8]) -> Vec<SeatSummary> {
    let places = places.iter().copied().map(Some).chain(std::iter::repeat(None));
    let seats = owners.into_iter().zip(places).map(|(owner, place)| SeatSummary {
        name: owner.name,
        bot: match owner.holder {
            SeatHolder::Bot(bot) => Some(bot),
            SeatHolder::Player(_) | SeatHolder::Gone => None,
        },
        place,
    });
    seats.collect()
}

/// A seat of a match as the store lists it.
pub(super) fn seat_summary(seat: storage::SeatSummary) -> SeatSummary {
    match seat.holder {
        SeatHolder::Bot(bot) => {
            SeatSummary { name: Some(bot_name(&bot)), bot: Some(bot), place: seat.place }
        }
        SeatHolder::Player(_) | SeatHolder::Gone => {
            SeatSummary { name: seat.name, bot: None, place: seat.place }
        }
    }
}

impl From<Unloadable> for Refusal {
    fn from(error: Unloadable) -> Refusal {
        match error.code() {
            code @ (Code::Internal | Code::Unavailable) => Refusal::from(code).because(error),
            code => code.into(),
        }
    }
}
