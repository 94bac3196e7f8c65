//! Places at a table, and who looks at it.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// More than any game of the house seats; it lets a [`SeatSet`] be one byte.
pub const MAX_SEATS: u8 = 8;

/// A place in a match, counted from 0. Who sits in it is not the rules' business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Seat(u8);

impl Seat {
    /// The first seat: the host's.
    pub const FIRST: Seat = Seat(0);

    /// The seat with this number, if a match can have it.
    pub const fn new(number: u8) -> Option<Seat> {
        if number < MAX_SEATS { Some(Seat(number)) } else { None }
    }

    /// The seats of a match with `count` seats, in order.
    pub fn all(count: u8) -> impl Iterator<Item = Seat> + Clone {
        (0..count.min(MAX_SEATS)).map(Seat)
    }

    /// The seat's number, to index by.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The seat `step` places further round a table of `count`.
    #[must_use]
    pub const fn after(self, step: u8, count: u8) -> Seat {
        debug_assert!(0 < count && count <= MAX_SEATS);
        Seat((self.0 + step % count) % count)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for Seat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u8::deserialize(deserializer)?;
        Seat::new(number).ok_or_else(|| D::Error::custom(format!("there is no seat {number}")))
    }
}

/// A set of seats: those that may act now, say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SeatSet(u8);

impl SeatSet {
    /// No seat.
    pub const EMPTY: SeatSet = SeatSet(0);

    /// Just this seat.
    pub const fn only(seat: Seat) -> SeatSet {
        SeatSet(1 << seat.0)
    }

    /// All seats of a match with `count` of them.
    pub fn all(count: u8) -> SeatSet {
        Seat::all(count).collect()
    }

    /// This set and `seat`.
    #[must_use]
    pub const fn with(self, seat: Seat) -> SeatSet {
        SeatSet(self.0 | 1 << seat.0)
    }

    /// This set but for `seat`.
    #[must_use]
    pub const fn without(self, seat: Seat) -> SeatSet {
        SeatSet(self.0 & !(1 << seat.0))
    }

    /// Is `seat` in it?
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 >> seat.0 & 1 == 1
    }

    /// Is it empty?
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many seats are in it.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The seats, in order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        Seat::all(MAX_SEATS).filter(move |seat| self.contains(*seat))
    }
}

impl FromIterator<Seat> for SeatSet {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        seats.into_iter().fold(SeatSet::EMPTY, SeatSet::with)
    }
}

/// The seats' numbers with a blank between them; nothing for the empty set.
impl fmt::Display for SeatSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, seat) in self.iter().enumerate() {
            let blank = if index == 0 { "" } else { " " };
            write!(f, "{blank}{seat}")?;
        }
        Ok(())
    }
}

impl Serialize for SeatSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for SeatSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Seat>::deserialize(deserializer)?.into_iter().collect())
    }
}

/// Whoever looks at a match: one of its seats, or somebody who only watches.
///
/// As text and in JSON it is the seat's number, or `spectator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Viewer {
    /// The player in this seat.
    Seat(Seat),
    /// Anybody else: sees what every seat sees.
    Spectator,
}

impl Viewer {
    /// Everybody who can look at a match with `seats` seats.
    pub fn all(seats: u8) -> impl Iterator<Item = Viewer> + Clone {
        Seat::all(seats).map(Viewer::Seat).chain([Viewer::Spectator])
    }

    /// The seat, if the viewer has one.
    pub fn seat(self) -> Option<Seat> {
        match self {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Spectator => None,
        }
    }

    /// Does this viewer sit in `seat`?
    pub fn is(self, seat: Seat) -> bool {
        self == Viewer::Seat(seat)
    }
}

impl fmt::Display for Viewer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Viewer::Seat(seat) => seat.fmt(f),
            Viewer::Spectator => f.write_str("spectator"),
        }
    }
}

impl FromStr for Viewer {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text.as_bytes() {
            b"spectator" => Ok(Viewer::Spectator),
            [digit @ b'0'..=b'9'] => Seat::new(digit - b'0').map(Viewer::Seat).ok_or(()),
            _ => Err(()),
        }
    }
}

impl Serialize for Viewer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Viewer::Seat(seat) => seat.serialize(serializer),
            Viewer::Spectator => serializer.serialize_str("spectator"),
        }
    }
}

impl<'de> Deserialize<'de> for Viewer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Seat(Seat),
            Word(String),
        }
        match Form::deserialize(deserializer)? {
            Form::Seat(seat) => Ok(Viewer::Seat(seat)),
            Form::Word(word) if word == "spectator" => Ok(Viewer::Spectator),
            Form::Word(_) => Err(D::Error::custom("a viewer is a seat's number or \"spectator\"")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewer_has_one_text_and_one_json() {
        for viewer in Viewer::all(MAX_SEATS) {
            assert_eq!(viewer.to_string().parse(), Ok(viewer));
            let json = serde_json::to_string(&viewer).unwrap();
            assert_eq!(serde_json::from_str::<Viewer>(&json).unwrap(), viewer, "{json}");
        }
        for odd in ["", "8", "9", "00", "+1", "-1", "Spectator", "1 "] {
            assert_eq!(odd.parse::<Viewer>(), Err(()), "{odd:?}");
        }
        for odd in ["8", "-1", "\"0\"", "null", "[]"] {
            assert!(serde_json::from_str::<Viewer>(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn a_seat_set_holds_just_what_was_put_in() {
        let set = SeatSet::all(4).without(Seat(1)).with(Seat(7));
        assert_eq!(set.iter().map(Seat::index).collect::<Vec<_>>(), [0, 2, 3, 7]);
        assert_eq!(set.to_string(), "0 2 3 7");
        assert_eq!(set.len(), 4);
        assert!(!set.contains(Seat(1)) && set.contains(Seat(7)));
        assert_eq!(serde_json::to_string(&set).unwrap(), "[0,2,3,7]");
        assert!(SeatSet::EMPTY.is_empty() && !set.is_empty());
    }

    #[test]
    fn seats_go_round_the_table() {
        assert_eq!(Seat(3).after(1, 4), Seat(0));
        assert_eq!(Seat(0).after(7, 2), Seat(1));
    }
}
