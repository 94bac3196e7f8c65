//! What lies on the board, and the words that run through it.

use std::fmt;

use scrabble_words::{BLANK, Direction, Face, Letter, SIDE, SQUARES};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::square::Square;
use crate::tile::{face_char, read_face};

/// The letters on the board; specials are no part of it. In JSON fifteen strings.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board([Face; SQUARES]);

impl Default for Board {
    fn default() -> Self {
        Board([0; SQUARES])
    }
}

impl Board {
    /// What lies on a square, 0 if nothing does.
    pub fn face(&self, square: Square) -> Face {
        self.0[square.index()]
    }

    /// Does a letter lie there?
    pub fn has_letter(&self, square: Square) -> bool {
        self.face(square) != 0
    }

    /// Lays a face, or with 0 takes it off.
    pub fn set(&mut self, square: Square, face: Face) {
        self.0[square.index()] = face;
    }

    /// R4.1: does no letter lie anywhere?
    pub fn is_empty(&self) -> bool {
        self.0 == [0; SQUARES]
    }

    /// All faces, as the generator wants them.
    pub fn faces(&self) -> &[Face; SQUARES] {
        &self.0
    }

    /// The letters that lie there, with their squares.
    pub fn letters(&self) -> impl Iterator<Item = (Square, Face)> {
        Square::all().map(|square| (square, self.face(square))).filter(|(_, face)| *face != 0)
    }

    /// All letters in one line around this square, on which a letter lies.
    pub fn run_through(&self, square: Square, direction: Direction) -> Run {
        let mut start = square;
        while let Some(before) = start.before(direction).filter(|before| self.has_letter(*before)) {
            start = before;
        }
        let mut run = Run { start, direction, length: 1 };
        while run.after().is_some_and(|after| self.has_letter(after)) {
            run.length += 1;
        }
        run
    }

    /// The letters of a run.
    pub fn word(&self, run: Run) -> Vec<Letter> {
        run.squares().map(|square| self.face(square) & (BLANK - 1)).collect()
    }

    /// The same as text, blanks in lower case.
    pub fn word_text(&self, run: Run) -> String {
        run.squares().map(|square| face_char(self.face(square))).collect()
    }
}

/// Squares in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first.
    pub start: Square,
    /// Where it goes from there.
    pub direction: Direction,
    /// How many.
    pub length: usize,
}

impl Run {
    /// The squares, in order.
    pub fn squares(self) -> impl Iterator<Item = Square> + Clone {
        (0..self.length).filter_map(move |by| self.start.onward(self.direction, by))
    }

    /// The square behind the last.
    pub fn after(self) -> Option<Square> {
        self.start.onward(self.direction, self.length)
    }
}

/// Fifteen rows, joined by `/`.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rows().join("/"))
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Rows that are no board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoBoard {
    /// Not fifteen rows of fifteen.
    #[error("a board has fifteen rows of fifteen squares")]
    Shape,
    /// Something else than `.` and letters.
    #[error("{0} is no letter")]
    Letter(char),
}

impl Board {
    /// The rows as text.
    pub fn rows(&self) -> Vec<String> {
        self.0.chunks(SIDE).map(|row| row.iter().map(|face| face_char(*face)).collect()).collect()
    }

    /// Reads such rows.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = &'a str>) -> Result<Board, NoBoard> {
        let mut board = Board::default();
        let mut count = 0;
        for (index, row) in rows.into_iter().enumerate() {
            if index >= SIDE || row.chars().count() != SIDE {
                return Err(NoBoard::Shape);
            }
            for (column, letter) in row.chars().enumerate() {
                let face = match (letter, u8::try_from(letter).ok().and_then(read_face)) {
                    ('.', _) => 0,
                    (_, Some(face)) => face,
                    _ => return Err(NoBoard::Letter(letter)),
                };
                board.0[index * SIDE + column] = face;
            }
            count += 1;
        }
        if count == SIDE { Ok(board) } else { Err(NoBoard::Shape) }
    }
}

impl Serialize for Board {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.rows())
    }
}

impl<'de> Deserialize<'de> for Board {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows = Vec::<String>::deserialize(deserializer)?;
        Board::from_rows(rows.iter().map(String::as_str)).map_err(D::Error::custom)
    }
}
