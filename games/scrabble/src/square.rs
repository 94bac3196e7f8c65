//! The squares of the board, their names, and the premiums printed on them.

use std::fmt;
use std::str::FromStr;

use scrabble_words::{Direction, SIDE, SQUARES};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One of the 225 squares, in rows from the top: `A1` is the first, `H8` the centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// R1.2: H8.
    pub const CENTRE: Square = Square(7 * 15 + 7);

    /// The square in this row and column, both from 0, if there is one.
    pub fn at(row: usize, column: usize) -> Option<Square> {
        if row < SIDE && column < SIDE { Square::from_index(row * SIDE + column) } else { None }
    }

    /// The square with this number.
    pub fn from_index(index: usize) -> Option<Square> {
        u8::try_from(index).ok().map(Square).filter(|_| index < SQUARES)
    }

    /// All squares, in order.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + Clone {
        (0..225).map(Square)
    }

    /// The square's number, to index by.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The row, from 0.
    pub const fn row(self) -> usize {
        self.0 as usize / SIDE
    }

    /// The column, from 0.
    pub const fn column(self) -> usize {
        self.0 as usize % SIDE
    }

    /// The square so many places further on in this direction.
    pub fn onward(self, direction: Direction, by: usize) -> Option<Square> {
        match direction {
            Direction::Across => Square::at(self.row(), self.column() + by),
            Direction::Down => Square::at(self.row() + by, self.column()),
        }
    }

    /// The square before this one in this direction.
    pub fn before(self, direction: Direction) -> Option<Square> {
        match direction {
            Direction::Across => Square::at(self.row(), self.column().checked_sub(1)?),
            Direction::Down => Square::at(self.row().checked_sub(1)?, self.column()),
        }
    }

    /// The squares that touch it.
    pub fn neighbours(self) -> impl Iterator<Item = Square> {
        [Direction::Across, Direction::Down]
            .into_iter()
            .flat_map(move |way| [self.before(way), self.onward(way, 1)].into_iter().flatten())
    }

    /// Do both lie in one line of this direction?
    pub fn is_in_line(self, other: Square, direction: Direction) -> bool {
        match direction {
            Direction::Across => self.row() == other.row(),
            Direction::Down => self.column() == other.column(),
        }
    }
}

/// The other direction.
pub(crate) const fn crossing(direction: Direction) -> Direction {
    match direction {
        Direction::Across => Direction::Down,
        Direction::Down => Direction::Across,
    }
}

/// `H8`: the column's letter, the row's number.
impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", column_letter(*self), self.row() + 1)
    }
}

/// A square and a direction: `8H` is across, `H8` down.
pub(crate) fn write_place(
    f: &mut fmt::Formatter<'_>,
    square: Square,
    direction: Direction,
) -> fmt::Result {
    match direction {
        Direction::Across => write!(f, "{}{}", square.row() + 1, column_letter(square)),
        Direction::Down => write!(f, "{square}"),
    }
}

/// Reads what [`write_place`] writes.
pub(crate) fn read_place(text: &str) -> Option<(Square, Direction)> {
    if let Ok(square) = text.parse() {
        return Some((square, Direction::Down));
    }
    let column = text.chars().last().filter(char::is_ascii)?;
    let row = &text[..text.len() - 1];
    format!("{column}{row}").parse().ok().map(|square| (square, Direction::Across))
}

fn column_letter(square: Square) -> char {
    (b'A'..=b'O').nth(square.column()).map_or('?', char::from)
}

/// A text that names no square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a square is named A1 to O15")]
pub struct NoSquare;

impl FromStr for Square {
    type Err = NoSquare;

    fn from_str(text: &str) -> Result<Square, NoSquare> {
        let mut letters = text.chars();
        let column =
            letters.next().filter(|letter| ('A'..='O').contains(letter)).ok_or(NoSquare)?;
        let digits = letters.as_str();
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
        let row: usize = digits.parse().ok().filter(|_| is_plain).ok_or(NoSquare)?;
        let column = usize::from(u8::try_from(column).unwrap_or(0) - b'A');
        Square::at(row.wrapping_sub(1), column).ok_or(NoSquare)
    }
}

impl Serialize for Square {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Square {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A set of squares; in JSON the list of their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SquareSet([u64; 4]);

impl SquareSet {
    /// Is `square` in it?
    pub const fn contains(&self, square: Square) -> bool {
        self.0[square.index() / 64] >> (square.index() % 64) & 1 == 1
    }

    /// Adds `square`; false if it was there.
    pub fn insert(&mut self, square: Square) -> bool {
        let is_new = !self.contains(square);
        self.0[square.index() / 64] |= 1 << (square.index() % 64);
        is_new
    }

    /// Is it empty?
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The squares, in order.
    pub fn iter(&self) -> impl Iterator<Item = Square> {
        Square::all().filter(|square| self.contains(*square))
    }
}

impl FromIterator<Square> for SquareSet {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        let mut set = SquareSet::default();
        for square in squares {
            set.insert(square);
        }
        set
    }
}

impl Serialize for SquareSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for SquareSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Square>::deserialize(deserializer)?.into_iter().collect())
    }
}

/// R1.3: `l` doubles the letter, `L` triples it; `w` doubles the word, `W` triples it.
const PREMIUMS: [&[u8; SIDE]; SIDE] = [
    b"W..l...W...l..W",
    b".w...L...L...w.",
    b"..w...l.l...w..",
    b"l..w...l...w..l",
    b"....w.....w....",
    b".L...L...L...L.",
    b"..l...l.l...l..",
    b"W..l...w...l..W",
    b"..l...l.l...l..",
    b".L...L...L...L.",
    b"....w.....w....",
    b"l..w...l...w..l",
    b"..w...l.l...w..",
    b".w...L...L...w.",
    b"W..l...W...l..W",
];

/// What each square multiplies a letter by.
pub const LETTER_TIMES: [u8; SQUARES] = times(b'l', b'L');
/// What each square multiplies a word by.
pub const WORD_TIMES: [u8; SQUARES] = times(b'w', b'W');

const fn times(double: u8, triple: u8) -> [u8; SQUARES] {
    let mut times = [1; SQUARES];
    let mut index = 0;
    while index < SQUARES {
        let mark = PREMIUMS[index / SIDE][index % SIDE];
        if mark == double {
            times[index] = 2;
        } else if mark == triple {
            times[index] = 3;
        }
        index += 1;
    }
    times
}

/// Is anything printed on this square?
pub(crate) fn is_premium(square: Square) -> bool {
    LETTER_TIMES[square.index()] > 1 || WORD_TIMES[square.index()] > 1
}
