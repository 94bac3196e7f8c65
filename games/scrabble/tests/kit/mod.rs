//! The game that the tests play: a small list of words, written for them.

#![expect(clippy::unwrap_used, reason = "in a test's helper it is the failure")]

use std::sync::{Arc, LazyLock};

use scrabble::{Lexicon, Scrabble};

static WORDS: LazyLock<Arc<Lexicon>> = LazyLock::new(|| {
    let words = include_str!("words.txt").split_whitespace();
    Arc::new(Lexicon::from_words("test", words).unwrap())
});

/// The game with the tests' list.
pub(crate) fn game() -> Scrabble {
    Scrabble::new(WORDS.clone())
}
