//! Words and plays: a word list as an automaton ([`Lexicon`]), and every play that a rack allows on a
//! board with its score ([`all_plays`], [`best_play`]).
//!
//! Knows no turns, no bag and no players: the rules of the game are the crate `scrabble`'s.
//!
//! ```
//! use scrabble_words::{Lexicon, Position, SQUARES, best_play};
//!
//! let lexicon = Lexicon::from_words("two", ["cat", "at"])?;
//! let mut rack = [0; 27];
//! for letter in *b"CAT" {
//!     rack[usize::from(letter - b'A' + 1)] = 1;
//! }
//! let position = Position {
//!     board: &[0; SQUARES],
//!     rack,
//!     letter_times: &[1; SQUARES],
//!     word_times: &[1; SQUARES],
//!     values: &[1; 27],
//!     centre: 112,
//!     full_rack: 7,
//!     bonus: 50,
//! };
//! let play = best_play(&lexicon, &position).expect("there is one");
//! assert_eq!((play.word.to_string(), play.score), ("CAT".to_owned(), 3));
//! # Ok::<(), scrabble_words::LexiconError>(())
//! ```

mod automaton;
mod generator;
mod key;
mod lanes;
mod lexicon;
mod lines;
mod packed;
mod play;
mod search;
mod word;

pub use generator::{all_plays, best_play};
pub use lexicon::{Lexicon, LexiconError};
pub use play::{Direction, Play, Position};
pub use word::Word;

/// 1 to 26 for A to Z.
pub type Letter = u8;

/// What lies on a square: 0 is nothing, 1 to 26 a letter, and a letter with [`BLANK`] is a blank that
/// stands for it.
pub type Face = u8;

/// Marks a face as a blank's.
pub const BLANK: Face = 32;

/// Squares in a row, and rows.
pub const SIDE: usize = 15;

/// Squares of the board: `row * SIDE + column`, both from 0.
pub const SQUARES: usize = SIDE * SIDE;

/// The usual points of the English letters; a blank, at 0, counts nothing.
pub const LETTER_VALUES: [u8; 27] =
    [0, 1, 3, 3, 2, 1, 4, 2, 4, 1, 8, 5, 1, 3, 1, 1, 3, 10, 1, 1, 1, 1, 4, 4, 8, 4, 10];

/// The embedded list, unpacked at the first call.
#[cfg(feature = "english")]
pub fn english() -> &'static Lexicon {
    static ENGLISH: std::sync::LazyLock<Lexicon> = std::sync::LazyLock::new(|| {
        Lexicon::from_bytes(ENGLISH_BYTES).expect("the embedded list is whole, as a test checks")
    });
    &ENGLISH
}

/// The embedded list as `cargo xtask words` packed it.
#[cfg(feature = "english")]
pub const ENGLISH_BYTES: &[u8] = include_bytes!("../data/english.lexicon");
