//! The catalogue.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bots::Level;
use game_api::AnyGame;
use http::HeaderMap;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use protocol::{BotInfo, Code, GameInfo, Object, Preset};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{App, Path, Precompressed, Refusal};
use crate::export::LOG;
use crate::roster::Roster;

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(games)).routes(routes!(words))
}

/// Which games can be played here?
#[utoipa::path(
    get,
    path = "/api/v1/games",
    tag = "games",
    responses((status = 200, description = "All of them.", body = Vec<GameInfo>)),
)]
async fn games(State(app): State<Arc<App>>, asked: HeaderMap) -> Result<Response, Refusal> {
    if let Some(games) = app.games.get() {
        return Ok(games.answer(&asked));
    }
    let games: Result<Vec<GameInfo>, serde_json::Error> =
        catalog::games().map(|game| describe(game, &app.house.bots)).collect();
    let json = games.and_then(|games| serde_json::to_vec(&games));
    let json = json.map_err(|error| Refusal::from(Code::Internal).because(error))?;
    let games = app.games.get_or_init(|| Precompressed::new("application/json", json));
    Ok(games.answer(&asked))
}

fn describe(game: &dyn AnyGame, bots: &Roster) -> Result<GameInfo, serde_json::Error> {
    let meta = game.meta();
    let presets = game.presets().into_iter().map(|(name, options)| {
        let options: Object = serde_json::from_str(&options)?;
        Ok(Preset { name: name.to_owned(), options })
    });
    let bots = Level::all().filter_map(|level| {
        let (bot, level) = bots.find(meta.id, &level.to_string())?;
        Some(BotInfo { level: level.number(), remark: bot.remark(level) })
    });
    let formats = game.formats().iter().map(|format| format.key);
    Ok(GameInfo {
        id: meta.id.to_owned(),
        name: meta.name.to_owned(),
        rules_version: meta.rules_version,
        seats_min: *meta.seats.start(),
        seats_max: *meta.seats.end(),
        hidden_information: meta.hidden_information,
        draw_by_agreement: meta.draw_by_agreement,
        presets: presets.collect::<Result<_, serde_json::Error>>()?,
        bots: bots.collect(),
        formats: [LOG].into_iter().chain(formats).map(str::to_owned).collect(),
    })
}

/// The list of words that matches here are played with, packed for the client's rules
#[utoipa::path(
    get,
    path = "/api/v1/words/{hash}",
    tag = "games",
    params(("hash" = String, Path, description = "The list's hash, as a match's options name it.")),
    responses((
        status = 200,
        description = "The list. It never changes, so it is kept for ever.",
        content((String = "*/*")),
    )),
)]
async fn words(Path(hash): Path<String>) -> Result<impl IntoResponse, Refusal> {
    let packed = catalog::packed_words(&hash).ok_or(Code::NotFound)?;
    let headers = [
        (CONTENT_TYPE, "application/octet-stream"),
        (CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    Ok((headers, packed))
}
