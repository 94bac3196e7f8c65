//! What is played: the catalogue, and the template game, which has everything hard in it.

use std::sync::LazyLock;

use game_api::{AnyGame, AnyMatch, Erased};
use storage::MatchRow;
use template::Template;

static TEMPLATE: LazyLock<Erased<Template>> = LazyLock::new(|| Erased::new(Template));

/// Every game, the template twice: it is quick and the hardest.
pub(crate) fn all() -> Vec<&'static dyn AnyGame> {
    let template: &'static dyn AnyGame = &*TEMPLATE;
    catalog::games().chain([template, template]).collect()
}

pub(crate) fn find(id: &str) -> Option<&'static dyn AnyGame> {
    all().into_iter().find(|game| game.meta().id == id)
}

/// The match of a row as it was at its beginning.
pub(crate) fn deal(row: &MatchRow) -> Box<dyn AnyMatch> {
    let seats = u8::try_from(row.seats.len()).unwrap_or(u8::MAX);
    let dealt = find(&row.game).map(|game| game.start(&row.options, seats, row.seed));
    match dealt {
        Some(Ok(contest)) => contest,
        _ => crate::violated("a stored match can be dealt", &row.game),
    }
}
