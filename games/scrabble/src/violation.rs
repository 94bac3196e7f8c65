//! Why an action is refused.
//!
//! The data are the seat's own or public, so that a refusal tells nothing that is hidden.

use crate::square::Square;

/// A match is played with a list of words that is not here; a browser has yet to fetch it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is played with the list of words {asked:.40}, and here is {here}")]
pub struct OtherWords {
    /// What the match's list is called.
    pub asked: String,
    /// What this one is called.
    pub here: String,
}

/// Why an action is refused; each names the square, tile or word that is at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Violation {
    #[error(
        "{0} is no action; write 8G:WORD, G8:WORD+boom@C3, exchange:AB?, buy:boom, pass, accept or \
         challenge"
    )]
    Malformed(String),
    #[error(transparent)]
    OtherWords(#[from] OtherWords),
    #[error("the match is over")]
    GameOver,
    #[error("it is not your turn")]
    NotYourTurn,
    #[error("a move waits for your answer: accept or challenge")]
    WindowOpen,
    #[error("there is no move to answer")]
    NoWindow,
    #[error("the first word has two letters at least; {word} has one")]
    FirstWordTooShort { word: String },
    #[error("the first word covers {centre}; {word} does not")]
    StarNotCovered { centre: Square, word: String },
    #[error("{word} is not in the list of words")]
    InvalidWord { word: String },
    #[error("{word} at {square} runs off the board")]
    OutOfBounds { square: Square, word: String },
    #[error("{square} holds {there}, not {written}; a blank is written in lower case")]
    Overlap { square: Square, there: char, written: char },
    #[error("the word goes on at {square}: write all of it")]
    WordIncomplete { square: Square },
    #[error("every letter of {word} lies there already")]
    NothingLaid { word: String },
    #[error("{square} is not vacant: your own special lies there")]
    NotVacant { square: Square },
    #[error("you hold too few {tile}")]
    TileNotHeld { tile: char },
    #[error("the tile on {square} makes a longer word the other way, or one as long: write that")]
    WrongDirection { square: Square },
    #[error("a move takes one special; this has {count}")]
    TooManySpecials { count: usize },
    #[error("there is no special {kind} in this match")]
    UnknownSpecial { kind: String },
    #[error("you have too few {kind} to lay; one bought in this turn can be laid from the next on")]
    SpecialNotHeld { kind: String },
    #[error("{square} has a letter: a special needs a square without one")]
    SpecialOnLetter { square: Square },
    #[error("{square} is not in the line of the move")]
    SpecialOffLine { square: Square },
    #[error("{word} touches no letter on the board")]
    NotJoined { word: String },
    #[error("{kind} costs {price} points; you have {points}")]
    TooExpensive { kind: String, price: i32, points: i32 },
    #[error("an exchange needs {needed} tiles to draw from; there are {left}")]
    TooFewToExchange { needed: usize, left: usize },
}

impl game_api::Violation for Violation {
    fn code(&self) -> &'static str {
        match self {
            Violation::Malformed(_) => "invalid_action",
            Violation::OtherWords(_) => "other_words",
            Violation::GameOver => "game_over",
            Violation::NotYourTurn => "not_your_turn",
            Violation::WindowOpen => "window_open",
            Violation::NoWindow => "no_window",
            Violation::FirstWordTooShort { .. } => "first_word_too_short",
            Violation::StarNotCovered { .. } => "star_not_covered",
            Violation::InvalidWord { .. } => "invalid_word",
            Violation::OutOfBounds { .. } => "out_of_bounds",
            Violation::Overlap { .. } => "overlap",
            Violation::WordIncomplete { .. } => "word_incomplete",
            Violation::NothingLaid { .. } => "nothing_laid",
            Violation::NotVacant { .. } => "not_vacant",
            Violation::TileNotHeld { .. } => "tile_not_held",
            Violation::WrongDirection { .. } => "wrong_direction",
            Violation::TooManySpecials { .. } => "too_many_specials",
            Violation::UnknownSpecial { .. } => "unknown_special",
            Violation::SpecialNotHeld { .. } => "special_not_held",
            Violation::SpecialOnLetter { .. } => "special_on_letter",
            Violation::SpecialOffLine { .. } => "special_off_line",
            Violation::NotJoined { .. } => "not_joined",
            Violation::TooExpensive { .. } => "too_expensive",
            Violation::TooFewToExchange { .. } => "too_few_to_exchange",
        }
    }
}
