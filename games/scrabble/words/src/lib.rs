//! Word lists: a [`Lexicon`] is one as an automaton, which says what is a word, and as bytes.
//!
//! Knows no turns, no bag and no players: the rules of the game are the crate `scrabble`'s.

mod automaton;
mod lexicon;
mod packed;
mod word;

pub use lexicon::{Lexicon, LexiconError};
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
