//! What the generator is asked, and what it answers.

use crate::{Face, SIDE, SQUARES, Word};

/// How a word runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Direction {
    /// Along a row, to the right.
    Across,
    /// Along a column, downwards.
    Down,
}

impl Direction {
    /// From one square of a word to the next.
    pub(crate) fn step(self) -> usize {
        match self {
            Self::Across => 1,
            Self::Down => SIDE,
        }
    }

    /// How many squares there are from this one to the end of its line, itself included.
    pub(crate) fn squares_from(self, square: usize) -> usize {
        match self {
            Self::Across => SIDE - square % SIDE,
            Self::Down => SIDE.saturating_sub(square / SIDE),
        }
    }
}

/// A board, a rack, and what squares and letters are worth.
///
/// Faces and counts beyond what is said here never panic, but nothing is said of the plays then; nor
/// where a score reaches 2²⁸, up or down.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// What lies on each square.
    pub board: &'a [Face; SQUARES],
    /// How many tiles there are of each letter, of blanks at index 0; at most fifteen in all.
    pub rack: [u8; 27],
    /// The letter premium of each square, 1 where there is none.
    pub letter_times: &'a [u8; SQUARES],
    /// The word premium of each square, 1 where there is none.
    pub word_times: &'a [u8; SQUARES],
    /// The points of each letter. Index 0 is unused: a blank counts nothing.
    pub values: &'a [u8; 27],
    /// With an empty board a play covers this square with two tiles or more.
    pub centre: usize,
    /// Laying so many tiles …
    pub full_rack: u8,
    /// … gives so many points more.
    pub bonus: i32,
}

/// A way to lay tiles, and what it scores. Ordered as [`crate::all_plays`] lists plays.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Play {
    /// The square of the word's first letter.
    pub start: usize,
    /// How the word runs. A single tile's is that of its longer word, else across.
    pub direction: Direction,
    /// The whole word, with letters that lay there before as they lie. A new blank has
    /// [`crate::BLANK`].
    pub word: Word,
    /// All words formed, and the bonus.
    pub score: i32,
}

impl Play {
    /// The squares and faces of the new tiles.
    pub fn laid(&self, board: &[Face; SQUARES]) -> impl Iterator<Item = (usize, Face)> {
        let squares = (self.start..).step_by(self.direction.step());
        let squares = squares.take(self.direction.squares_from(self.start));
        squares.zip(self.word.iter().copied()).filter(|(square, _)| board.get(*square) == Some(&0))
    }
}

impl PartialOrd for Play {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The higher score first, then start, direction and word.
impl Ord for Play {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let rest = |it: &Self| (it.start, it.direction, it.word);
        other.score.cmp(&self.score).then_with(|| rest(self).cmp(&rest(other)))
    }
}
