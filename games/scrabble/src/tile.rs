//! The tiles: what they count, how many there are, and heaps of them.

use std::fmt;
use std::str::FromStr;

use scrabble_words::{BLANK, Face, LETTER_VALUES};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// 0 is a blank, 1 to 26 are A to Z.
pub type Tile = u8;

/// The kinds of tile, the blank among them.
pub(crate) const KINDS: usize = 27;

/// R1.4: what each tile counts, the blank first.
pub const VALUES: [u8; KINDS] = LETTER_VALUES;

/// R1.4: how many there are of each letter, without blanks.
const LETTERS: [u8; KINDS] =
    [0, 9, 2, 2, 4, 12, 2, 3, 2, 9, 1, 1, 4, 2, 6, 8, 2, 1, 6, 4, 6, 4, 2, 2, 1, 2, 1];

/// The tile that lies under a face.
pub(crate) const fn tile_of(face: Face) -> Tile {
    if face & BLANK == 0 { face } else { 0 }
}

/// What a face counts.
pub(crate) fn value_of(face: Face) -> i32 {
    i32::from(VALUES[usize::from(tile_of(face))])
}

/// A capital, or lower case for a blank that stands for the letter; `.` for nothing.
pub(crate) fn face_char(face: Face) -> char {
    match face & (BLANK - 1) {
        0 => '.',
        letter if face & BLANK == 0 => char::from(letter - 1 + b'A'),
        letter => char::from(letter - 1 + b'a'),
    }
}

/// Reads a letter as [`face_char`] writes it.
pub(crate) fn read_face(letter: u8) -> Option<Face> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A' + 1),
        b'a'..=b'z' => Some((letter - b'a' + 1) | BLANK),
        _ => None,
    }
}

/// A tile's letter, or `?`.
pub(crate) fn tile_char(tile: Tile) -> char {
    if tile == 0 { '?' } else { face_char(tile) }
}

fn read_tile(letter: u8) -> Option<Tile> {
    match letter {
        b'?' => Some(0),
        b'A'..=b'Z' => Some(letter - b'A' + 1),
        _ => None,
    }
}

/// How many there are of each tile: a rack, or all that is unseen. As text `AAB?`, in JSON a map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counts(pub [u8; KINDS]);

impl Counts {
    /// R1.4: a full set.
    pub const fn full(blanks: u8) -> Counts {
        let mut set = LETTERS;
        set[0] = blanks;
        Counts(set)
    }

    /// How many of one tile.
    pub fn of(&self, tile: Tile) -> u8 {
        self.0[usize::from(tile)]
    }

    /// How many in all.
    pub fn total(&self) -> usize {
        self.0.iter().map(|count| usize::from(*count)).sum()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.0 == [0; KINDS]
    }

    /// One more.
    pub fn add(&mut self, tile: Tile) {
        self.0[usize::from(tile)] += 1;
    }

    /// One less; false if there is none.
    #[must_use]
    pub fn take(&mut self, tile: Tile) -> bool {
        let count = &mut self.0[usize::from(tile)];
        let has_any = *count > 0;
        *count -= u8::from(has_any);
        has_any
    }

    /// These without those; `None` if those are not all here.
    #[must_use]
    pub fn without(&self, others: &Counts) -> Option<Counts> {
        let mut rest = *self;
        for (count, other) in rest.0.iter_mut().zip(others.0) {
            *count = count.checked_sub(other)?;
        }
        Some(rest)
    }

    /// These and those.
    #[must_use]
    pub fn with(&self, others: &Counts) -> Counts {
        let mut sum = *self;
        for (count, other) in sum.0.iter_mut().zip(others.0) {
            *count = count.saturating_add(other);
        }
        sum
    }

    /// The tiles, in order, blanks last.
    pub fn tiles(&self) -> impl Iterator<Item = Tile> + use<> {
        let counts = self.0;
        (1..27).chain([0]).flat_map(move |tile: Tile| {
            std::iter::repeat_n(tile, usize::from(counts[usize::from(tile)]))
        })
    }

    /// Each kind that is there once.
    pub fn kinds(&self) -> impl Iterator<Item = Tile> + use<> {
        let counts = self.0;
        (1..27).chain([0]).filter(move |tile: &Tile| counts[usize::from(*tile)] > 0)
    }

    /// What they count together.
    pub fn points(&self) -> i32 {
        self.0.iter().zip(VALUES).map(|(count, value)| i32::from(*count) * i32::from(value)).sum()
    }
}

impl FromIterator<Tile> for Counts {
    fn from_iter<I: IntoIterator<Item = Tile>>(tiles: I) -> Self {
        let mut counts = Counts::default();
        for tile in tiles {
            counts.add(tile);
        }
        counts
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tiles().try_for_each(|tile| write!(f, "{}", tile_char(tile)))
    }
}

/// A text that is no heap of tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tiles are written A to Z and ? for a blank")]
pub struct NoTiles;

/// Reads tiles in any order, at most 255 of a kind.
impl FromStr for Counts {
    type Err = NoTiles;

    fn from_str(text: &str) -> Result<Counts, NoTiles> {
        let mut counts = Counts::default();
        for letter in text.bytes() {
            let tile = read_tile(letter).ok_or(NoTiles)?;
            let count = &mut counts.0[usize::from(tile)];
            *count = count.checked_add(1).ok_or(NoTiles)?;
        }
        Ok(counts)
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.kinds().map(|tile| (tile_char(tile), self.of(tile))))
    }
}

impl<'de> Deserialize<'de> for Counts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Letters;
        impl<'de> Visitor<'de> for Letters {
            type Value = Counts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of letters to counts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Counts, A::Error> {
                let mut counts = Counts::default();
                while let Some((letter, count)) = map.next_entry::<String, u8>()? {
                    let tile = match letter.as_bytes() {
                        [letter] => read_tile(*letter),
                        _ => None,
                    };
                    let tile = tile.ok_or_else(|| A::Error::custom(NoTiles))?;
                    counts.0[usize::from(tile)] = count;
                }
                Ok(counts)
            }
        }
        deserializer.deserialize_map(Letters)
    }
}
