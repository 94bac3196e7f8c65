//! The explicit list of games and their bots. A new game is one line in each. Everything that the server
//! does with games goes by this list; beside it only the client's list of boards and the commands about
//! words name a game.
//!
//! One of them needs to be given something: the word game its list, which is the embedded one, the
//! house's own ([`use_words`]) or, in a browser, what the server sent ([`take_words`]).

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use bots::{AnyBot, Bot, ErasedBot, Greedy, Level, Random, Sampling, Searched, WIN};
use game_api::{AnyGame, AnyMatch, Erased, Game, MatchLog, Refused, ReplayError, Seen};
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

static BOTS: LazyLock<Vec<Bots>> = LazyLock::new(|| {
    vec![
        Bots::of(crazy_tens::CrazyTens, crazy_tens::CrazyTensBot, Scale::Linear)
            .and_sampling(crazy_tens::CrazyTens),
        Bots::of(chess::Chess, chess::ChessBot, Scale::Halfway(250)).and_sampling(chess::Chess),
        Bots::of(santorini::Santorini, santorini::SantoriniBot, Scale::Halfway(250))
            .and_sampling(santorini::Santorini),
        Bots::of(Scrabble::lazily(words), scrabble::ScrabbleBot, Scale::Halfway(60)),
        // Bots of new games go here.
    ]
});

/// The bots of one game: its own, and those that play any.
struct Bots {
    game: &'static str,
    own: Box<dyn AnyBot>,
    others: Vec<(&'static str, Box<dyn AnyBot>)>,
    scale: Scale,
}

/// How a bot's value tells of the match's end.
#[derive(Clone, Copy)]
enum Scale {
    /// It grows with the chance to win, and [`WIN`] is certain.
    Linear,
    /// It has no bound: with this one a seat stands halfway between even and won.
    Halfway(i32),
}

impl Bots {
    fn of<G: Searched + Clone>(game: G, own: impl Bot<G> + 'static, scale: Scale) -> Bots {
        let others: Vec<(&str, Box<dyn AnyBot>)> = vec![
            ("random", Box::new(ErasedBot::new(game.clone(), Random))),
            ("greedy", Box::new(ErasedBot::new(game.clone(), Greedy))),
        ];
        Bots { game: G::META.id, own: Box::new(ErasedBot::new(game, own)), others, scale }
    }

    /// Where a whole match can be played out in no time.
    fn and_sampling<G: Game>(mut self, game: G) -> Bots {
        self.others.push(("sampling", Box::new(ErasedBot::new(game, Sampling))));
        self
    }
}

/// A bot by its name: a level `1` to `8` of the game's own, or `random`, `greedy` or, where
/// a match is soon played out, `sampling`. A game that is new may have none.
pub fn bot(game: &str, name: &str) -> Option<(&'static dyn AnyBot, Level)> {
    let bots = BOTS.iter().find(|bots| bots.game == game)?;
    if let Ok(level) = name.parse() {
        return Some((&*bots.own, level));
    }
    let (_, other) = bots.others.iter().find(|(known, _)| *known == name)?;
    Some((&**other, Level::HIGHEST))
}

/// The game that engines of the world speak UCI about.
pub const UCI_GAME: &str = chess::Chess::META.id;

/// What such an engine is told of a match. It hears of no earlier position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UciPosition {
    /// The position.
    pub fen: String,
    /// Is castling written as king takes rook?
    pub is_chess960: bool,
}

/// A match of [`UCI_GAME`] as its seat sees it.
pub fn uci_position(seen: &Seen<'_>) -> Result<UciPosition, Refused> {
    let (_, view) = seen.read::<chess::Chess>()?;
    Ok(UciPosition { fen: view.fen, is_chess960: view.start.chess960 })
}

/// How a seat stands by what its bot makes of the match: −100 is lost, 0 even, 100 won.
pub fn standing(game: &str, value: i32) -> i32 {
    let scale = BOTS.iter().find(|bots| bots.game == game).map_or(Scale::Linear, |it| it.scale);
    let value = i64::from(value);
    let standing = match scale {
        Scale::Linear => (100 * value / i64::from(WIN)).clamp(-100, 100),
        Scale::Halfway(halfway) => 100 * value / (value.abs() + i64::from(halfway)),
    };
    i32::try_from(standing).unwrap_or_default()
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
    fn a_standing_lies_between_lost_and_won() {
        assert_eq!(standing("chess", 0), 0);
        assert_eq!(standing("chess", 250), 50);
        assert_eq!(standing("chess", -250), -50);
        // A bot of Crazy Tens tells the chance to win: three of four matches are halfway.
        assert_eq!(standing("crazy-tens", WIN / 2), 50);
        for Bots { game, .. } in BOTS.iter() {
            assert!((95..=100).contains(&standing(game, WIN)), "{game}");
            assert_eq!(standing(game, i32::MIN), -standing(game, i32::MAX));
        }
    }

    #[test]
    fn a_bot_is_found_by_its_name() {
        for Bots { game, .. } in BOTS.iter() {
            assert!(find(game).is_some(), "{game}");
            for name in ["1", "8", "random", "greedy"] {
                assert!(bot(game, name).is_some(), "{game} {name}");
            }
            assert!(bot(game, "9").is_none());
        }
        assert!(bot("santorini", "sampling").is_some());
        assert!(bot("no-such-game", "1").is_none());
    }

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
