//! The explicit list of games. A new game is one line here; no other crate's code names it.
//!
//! One of them needs to be given something: the word game its list, which is the embedded one, the
//! house's own ([`use_words`]) or, in a browser, what the server sent ([`take_words`]).

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use game_api::{AnyGame, AnyMatch, Erased, MatchLog, ReplayError};
pub use scrabble::Lexicon;
use scrabble::{LexiconError, Scrabble};

static GAMES: LazyLock<Vec<Box<dyn AnyGame>>> = LazyLock::new(|| {
    vec![
        Box::new(Erased::new(crazy_tens::CrazyTens)),
        Box::new(Erased::new(chess::Chess)),
        Box::new(Erased::new(santorini::Santorini)),
        Box::new(Erased::new(Scrabble::lazily(words))),
        // New games go here, one line each.
    ]
});

/// The list of words, once it is decided which.
static WORDS: OnceLock<Cow<'static, Lexicon>> = OnceLock::new();

/// Why a list of words is not used.
#[derive(Debug, thiserror::Error)]
pub enum WordsError {
    /// It is no list.
    #[error(transparent)]
    List(#[from] LexiconError),
    /// Another is in use.
    #[error("another list of words is in use already")]
    TooLate,
}

impl WordsError {
    /// The stable key.
    pub fn code(&self) -> &'static str {
        match self {
            WordsError::List(error) => error.code(),
            WordsError::TooLate => "other_words",
        }
    }
}

/// Names the list that the word game is played with, before anybody asks for it: a file of words of 2
/// to 15 letters, in any order, with blanks or line breaks between them, or a packed list.
pub fn use_words(name: &str, file: &[u8]) -> Result<(), WordsError> {
    hold(Lexicon::from_file(name, file)?).map(drop)
}

/// Takes the list as [`packed_words`] gives it. The same one again is no fault.
pub fn take_words(packed: &[u8]) -> Result<&'static Lexicon, WordsError> {
    hold(Lexicon::from_bytes(packed)?)
}

fn hold(lexicon: Lexicon) -> Result<&'static Lexicon, WordsError> {
    let hash = lexicon.hash();
    let _ = WORDS.set(Cow::Owned(lexicon));
    Some(words()).filter(|held| held.hash() == hash).ok_or(WordsError::TooLate)
}

/// The list that the word game is played with; whoever asks first decides that it is the embedded
/// one, unless another was named.
#[cfg(not(target_family = "wasm"))]
pub fn words() -> &'static Lexicon {
    WORDS.get_or_init(|| Cow::Borrowed(scrabble::english()))
}

/// The list that the word game is played with. None is embedded here: until one is taken, there are
/// no words.
#[cfg(target_family = "wasm")]
pub fn words() -> &'static Lexicon {
    static NONE: LazyLock<Lexicon> =
        LazyLock::new(|| Lexicon::from_words("none", []).expect("no word is at fault"));
    WORDS.get().map_or(&NONE, |words| words)
}

/// The list with this hash for a browser, if that is the one in use.
#[cfg(not(target_family = "wasm"))]
pub fn packed_words(hash: &str) -> Option<&'static [u8]> {
    static PACKED: OnceLock<Vec<u8>> = OnceLock::new();
    let is_own = scrabble::ListId::of(words()).hash == hash;
    is_own.then(|| match WORDS.get() {
        Some(Cow::Owned(words)) => PACKED.get_or_init(|| words.to_bytes()).as_slice(),
        _ => scrabble::ENGLISH_BYTES,
    })
}

/// All games, in the order in which they are shown.
pub fn games() -> impl Iterator<Item = &'static dyn AnyGame> {
    GAMES.iter().map(AsRef::as_ref)
}

/// The game with this key.
pub fn find(id: &str) -> Option<&'static dyn AnyGame> {
    games().find(|game| game.meta().id == id)
}

/// Plays a log of any game again and checks all that it claims.
pub fn replay(log: &MatchLog) -> Result<Box<dyn AnyMatch>, ReplayError> {
    match find(&log.game) {
        Some(game) => game.replay(log),
        None => Err(ReplayError::Game { found: log.game.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_a_key_of_its_own_that_fits_an_address() {
        let mut ids: Vec<&str> = games().map(|game| game.meta().id).collect();
        assert!(
            ids.iter().all(|id| {
                id.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
            })
        );
        assert!(ids.iter().all(|id| find(id).is_some_and(|game| game.meta().id == *id)));
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
        assert!(find("no-such-game").is_none());
    }

    #[test]
    fn a_list_of_words_is_decided_once_and_handed_to_browsers() {
        let hash = scrabble::ListId::of(words()).hash;
        let packed = packed_words(&hash).expect("it is the one in use");
        assert!(take_words(packed).is_ok_and(|taken| std::ptr::eq(taken, words())));
        assert!(packed_words("").is_none() && packed_words(&hash.to_uppercase()).is_none());
        let code = |error: Result<(), WordsError>| error.err().map(|error| error.code());
        assert_eq!(code(use_words("late", b"CAT DOG")), Some("other_words"));
        assert_eq!(code(use_words("odd", b"CAT D0G")), Some("word_character"));
        assert_eq!(code(take_words(b"no list").map(drop)), Some("lexicon_foreign"));
    }
}
