//! The specials: kinds whose effect the rules call when a letter is laid on one.
//!
//! A new kind is a file here and a line in the list; the engine names none.

use game_api::Seat;
use serde::{Deserialize, Serialize};

use crate::board::Board;
use crate::options::{Options, Stacking};
use crate::square::Square;
use crate::tile::{Counts, tile_of};

/// Declares the files and the list in one: a line a kind.
macro_rules! kinds {
    ($($name:ident,)*) => {
        $(mod $name;)*

        /// All kinds of the house.
        pub static KINDS: &[Kind] = &[$($name::KIND),*];
    };
}

kinds! {
    negative,
    boom,
    reverse,
    exchange,
    skip,
    snatch,
}

/// A kind of special.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The key in options and actions: a word in lower case.
    pub key: &'static str,
    /// What it does, in a sentence.
    pub text: &'static str,
    /// Does it.
    pub activate: fn(&Hit<'_>, &mut Effects),
}

/// A special that a letter was laid on.
#[derive(Clone, Copy, Debug)]
pub struct Hit<'a> {
    /// Where.
    pub square: Square,
    /// Who had laid it.
    pub owner: Seat,
    /// Whose letter it was.
    pub activator: Seat,
    /// The match's rules.
    pub options: &'a Options,
}

/// What specials can change: the table as it is after the letters were laid, and the move's score.
#[derive(Clone, Debug)]
pub struct Effects {
    /// The letters, those of the move among them.
    pub board: Board,
    /// The tiles that left the match.
    pub removed: Counts,
    /// The squares that lost their letter in this move.
    pub cleared: Vec<Square>,
    /// The specials that lie.
    pub specials: Specials,
    /// Each seat's points, without those of the move.
    pub scores: Vec<i32>,
    /// How many turns each seat is going to lose.
    pub skips: Vec<u32>,
    /// Whether turns go round in the order of the seats.
    pub is_forward: bool,
    /// What the score of the words is multiplied by.
    pub factor: i32,
    /// Who gets the move's score.
    pub earner: Seat,
}

impl Effects {
    /// Takes the letter off a square, if one lies there: it leaves the match.
    pub fn clear_letter(&mut self, square: Square) {
        let face = self.board.face(square);
        if face != 0 {
            self.board.set(square, 0);
            self.removed.add(tile_of(face));
            self.cleared.push(square);
        }
    }
}

/// A special on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Laid {
    /// Where.
    pub square: Square,
    /// Which of the match's offers.
    pub kind: u8,
    /// Whose.
    pub owner: Seat,
}

/// A special that has fired: no secret any more.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fired {
    /// Its kind.
    pub kind: String,
    /// Where it lay.
    pub square: Square,
    /// Whose it was.
    pub owner: Seat,
}

/// All specials on the board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Specials {
    /// Those that fire, in the order in which they were laid.
    pub laid: Vec<Laid>,
    /// R6.4: those that were replaced; their owners still see them.
    pub replaced: Vec<Laid>,
}

impl Specials {
    /// R6.3, R6.4: lays one more.
    pub fn lay(&mut self, special: Laid, stacking: Stacking) {
        if stacking == Stacking::Replace {
            let is_there = |other: &mut Laid| other.square == special.square;
            self.replaced.extend(self.laid.extract_if(.., is_there));
        }
        self.laid.push(special);
    }

    /// Takes those off a square that fire, the first first; what had been replaced goes too.
    pub fn take(&mut self, square: Square) -> Vec<Laid> {
        self.replaced.retain(|special| special.square != square);
        self.laid.extract_if(.., |special| special.square == square).collect()
    }

    /// R11.3, R11.4: what a seat sees of them: its own, by squares, on one square the first first.
    pub fn seen_by(&self, seat: Seat) -> Vec<Laid> {
        let all = self.laid.iter().chain(&self.replaced);
        let mut own: Vec<Laid> = all.filter(|special| special.owner == seat).copied().collect();
        own.sort_by_key(|special| special.square);
        own
    }
}
