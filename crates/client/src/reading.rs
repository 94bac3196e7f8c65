//! What there is to read: the rules and tutorials that `cargo xtask client` makes of the games' own
//! files. The page holds the list of them; each is fetched when it is wanted.

use std::cell::RefCell;

use client_core::{Learned, Reading};
use leptos::prelude::*;

use crate::browser::{keep, recall};

const LEARNED_KEY: &str = "learned";

thread_local! {
    static READINGS: RefCell<Option<Vec<Reading>>> = const { RefCell::new(None) };
}

/// All of them, as the page lists them.
pub(crate) fn readings() -> Vec<Reading> {
    READINGS.with_borrow_mut(|readings| {
        readings
            .get_or_insert_with(|| {
                let list = document().get_element_by_id("readings");
                let list = list.and_then(|it| it.text_content()).unwrap_or_default();
                Reading::list(&list)
            })
            .clone()
    })
}

/// Those of one game.
pub(crate) fn reading(game: &str) -> Option<Reading> {
    readings().into_iter().find(|it| it.game == game)
}

/// A game's name; its key if nothing is to be read about it.
pub(crate) fn title(game: &str) -> String {
    reading(game).map_or_else(|| game.to_owned(), |it| it.title)
}

/// Was this game's tutorial done in this browser?
pub(crate) fn is_learned(game: &str) -> bool {
    Learned::recall(recall(LEARNED_KEY).as_deref()).has(game)
}

/// Now it was.
pub(crate) fn learn(game: &str) {
    let mut learned = Learned::recall(recall(LEARNED_KEY).as_deref());
    learned.add(game);
    keep(LEARNED_KEY, &learned.key());
}
