//! The catalogue.

use std::sync::Arc;

use game_api::AnyGame;
use protocol::{Code, GameInfo, Object, Preset};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{App, Json, Refusal};
use crate::export::LOG;

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(games))
}

/// Which games can be played here?
#[utoipa::path(
    get,
    path = "/api/v1/games",
    tag = "games",
    responses((status = 200, description = "All of them.", body = Vec<GameInfo>)),
)]
async fn games() -> Result<Json<Vec<GameInfo>>, Refusal> {
    let games: Result<_, serde_json::Error> = catalog::games().map(describe).collect();
    games.map(Json).map_err(|error| Refusal::from(Code::Internal).because(error))
}

fn describe(game: &dyn AnyGame) -> Result<GameInfo, serde_json::Error> {
    let meta = game.meta();
    let presets = game.presets().into_iter().map(|(name, options)| {
        let options: Object = serde_json::from_str(&options)?;
        Ok(Preset { name: name.to_owned(), options })
    });
    let formats = game.formats().iter().map(|format| format.key);
    Ok(GameInfo {
        id: meta.id.to_owned(),
        name: meta.name.to_owned(),
        rules_version: meta.rules_version,
        seats_min: *meta.seats.start(),
        seats_max: *meta.seats.end(),
        hidden_information: meta.hidden_information,
        presets: presets.collect::<Result<_, serde_json::Error>>()?,
        formats: [LOG].into_iter().chain(formats).map(str::to_owned).collect(),
    })
}
