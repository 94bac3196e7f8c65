//! What a seat can decide and how that is written.
//!
//! Reading a text says only that there is such an action; whether it is legal now is the business of
//! [`crate::sight`] and [`crate::play`].

use std::fmt;
use std::str::FromStr;

use game_api::excerpt;
use scrabble_words::{Direction, Face, SIDE};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::board::Board;
use crate::square::{Square, read_place, write_place};
use crate::tile::{Counts, face_char, read_face};
use crate::violation::Violation;

/// One decision of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// `8G:WORD+boom@C3` (R2.1).
    Play(Play),
    /// `exchange:AB?` (R2.4).
    Exchange(Counts),
    /// `buy:boom` (R6.2).
    Buy(String),
    /// `pass` (R2.5).
    Pass,
    /// `accept` (R8.2).
    Accept,
    /// `challenge` (R8.2).
    Challenge,
}

/// Letters, and the specials that go with them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Play {
    /// The letters.
    pub placement: Placement,
    /// The specials, in the order of their squares.
    pub specials: Vec<Spot>,
}

/// A special and where it goes or lies; as text `boom@C3`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Spot {
    /// Its kind.
    pub kind: String,
    /// Where.
    pub square: Square,
}

/// A word where it is written, with the letters that lie there already: `8G:WORD` across, `G8:WORD`
/// down, a blank in lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The first letter's square.
    pub start: Square,
    /// Which way it runs.
    pub direction: Direction,
    /// The letters, one at least.
    pub word: Vec<Face>,
}

impl Placement {
    /// The letters with their squares; those beyond the board have none.
    pub fn squares(&self) -> impl Iterator<Item = (Option<Square>, Face)> {
        let square = |by| self.start.onward(self.direction, by);
        self.word.iter().enumerate().map(move |(by, face)| (square(by), *face))
    }

    /// The new letters: those on squares that are empty.
    pub fn laid<'a>(&'a self, board: &'a Board) -> impl Iterator<Item = (Square, Face)> + 'a {
        self.squares()
            .filter_map(|(square, face)| Some((square?, face)))
            .filter(|(square, _)| !board.has_letter(*square))
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, self.start, self.direction)?;
        f.write_str(":")?;
        self.word.iter().try_for_each(|face| write!(f, "{}", face_char(*face)))
    }
}

impl FromStr for Placement {
    type Err = Violation;

    fn from_str(text: &str) -> Result<Self, Violation> {
        read_placement(text).ok_or_else(|| Violation::Malformed(excerpt(text)))
    }
}

impl Serialize for Placement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Placement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl fmt::Display for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.placement.fmt(f)?;
        self.specials.iter().try_for_each(|spot| write!(f, "+{spot}"))
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.kind, self.square)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Play(play) => play.fmt(f),
            Action::Exchange(tiles) => write!(f, "exchange:{tiles}"),
            Action::Buy(kind) => write!(f, "buy:{kind}"),
            Action::Pass => f.write_str("pass"),
            Action::Accept => f.write_str("accept"),
            Action::Challenge => f.write_str("challenge"),
        }
    }
}

/// Reads exactly what `Display` writes.
impl FromStr for Action {
    type Err = Violation;

    fn from_str(text: &str) -> Result<Self, Violation> {
        read(text).ok_or_else(|| Violation::Malformed(excerpt(text)))
    }
}

fn read(text: &str) -> Option<Action> {
    match text {
        "pass" => return Some(Action::Pass),
        "accept" => return Some(Action::Accept),
        "challenge" => return Some(Action::Challenge),
        _ => {}
    }
    match text.split_once(':')? {
        ("exchange", tiles) => {
            let read: Counts = tiles.parse().ok()?;
            // One spelling: in order, the blank last, and not more than a rack could hold.
            let is_plain = !read.is_empty() && read.total() <= SIDE && read.to_string() == tiles;
            is_plain.then_some(Action::Exchange(read))
        }
        ("buy", kind) => is_kind(kind).then(|| Action::Buy(kind.to_owned())),
        _ => read_play(text).map(Action::Play),
    }
}

fn read_play(text: &str) -> Option<Play> {
    let mut parts = text.split('+');
    let placement = read_placement(parts.next()?)?;
    let specials: Vec<Spot> = parts.map(read_spot).collect::<Option<_>>()?;
    let is_in_order = specials.is_sorted_by(|one, two| one.square < two.square);
    is_in_order.then_some(Play { placement, specials })
}

fn read_placement(text: &str) -> Option<Placement> {
    let (place, word) = text.split_once(':')?;
    let (start, direction) = read_place(place)?;
    if !(1..=SIDE).contains(&word.len()) {
        return None;
    }
    Some(Placement { start, direction, word: word.bytes().map(read_face).collect::<Option<_>>()? })
}

fn read_spot(text: &str) -> Option<Spot> {
    let (kind, square) = text.split_once('@')?;
    let square = square.parse().ok()?;
    is_kind(kind).then(|| Spot { kind: kind.to_owned(), square })
}

/// The name of a kind is a word in lower case, known or not.
fn is_kind(text: &str) -> bool {
    (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_lowercase())
}
