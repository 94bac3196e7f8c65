//! What a seat can decide, how that is written, and why it can be refused.
//!
//! Reading a text says only that there is such an action; whether it is legal now is the view's
//! business.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use game_api::excerpt;
use serde::{Deserialize, Serialize};

/// A card is its rank.
pub type Card = u8;

/// R1.2: the ranks of the deck.
pub const RANKS: RangeInclusive<Card> = 1..=6;

/// R1.4: one of the five places that cards are laid on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the letters are their names")]
pub enum Place {
    A,
    B,
    C,
    D,
    E,
}

impl Place {
    /// All places, in order.
    pub const ALL: [Place; 5] = [Place::A, Place::B, Place::C, Place::D, Place::E];

    /// The place's number, to index by.
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["a", "b", "c", "d", "e"][self.index()])
    }
}

/// One decision of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `play:4b` or, with a snare, `play:4b+d` (R2.1 to R2.4).
    Play {
        /// From the hand.
        card: Card,
        /// Where it goes.
        place: Place,
        /// Where the own snare goes, if it goes.
        snare: Option<Place>,
    },
    /// `swap:4` (R2.5).
    Swap(Card),
    /// `pass` (R2.6).
    Pass,
    /// `accept` (R3.1).
    Accept,
    /// `object` (R3.1).
    Object,
}

impl Action {
    /// Every action there is, legal or not. A game with many more would list the legal ones by
    /// looking at the hand instead of trying them all.
    pub fn all() -> impl Iterator<Item = Action> {
        let plays = RANKS.flat_map(|card| {
            Place::ALL.into_iter().flat_map(move |place| {
                let snares = [None].into_iter().chain(Place::ALL.map(Some));
                snares.map(move |snare| Action::Play { card, place, snare })
            })
        });
        let swaps = RANKS.map(Action::Swap);
        plays.chain(swaps).chain([Action::Pass, Action::Accept, Action::Object])
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Play { card, place, snare: None } => write!(f, "play:{card}{place}"),
            Action::Play { card, place, snare: Some(snare) } => {
                write!(f, "play:{card}{place}+{snare}")
            }
            Action::Swap(card) => write!(f, "swap:{card}"),
            Action::Pass => f.write_str("pass"),
            Action::Accept => f.write_str("accept"),
            Action::Object => f.write_str("object"),
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
        "object" => return Some(Action::Object),
        _ => {}
    }
    let (verb, rest) = text.split_once(':')?;
    match (verb, rest.as_bytes()) {
        ("swap", &[card]) => Some(Action::Swap(read_card(card)?)),
        ("play", &[card, place, ref rest @ ..]) => {
            let snare = match *rest {
                [] => None,
                [b'+', snare] => Some(read_place(snare)?),
                _ => return None,
            };
            Some(Action::Play { card: read_card(card)?, place: read_place(place)?, snare })
        }
        _ => None,
    }
}

fn read_card(digit: u8) -> Option<Card> {
    Some(digit.wrapping_sub(b'0')).filter(|card| RANKS.contains(card))
}

fn read_place(letter: u8) -> Option<Place> {
    Place::ALL.get(usize::from(letter.wrapping_sub(b'a'))).copied()
}

/// Why an action is refused. The data are the seat's own or public, like all that legality needs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Violation {
    #[error("{0} is no action; write play:4b, play:4b+d, swap:4, pass, accept or object")]
    Malformed(String),
    #[error("the match is over")]
    GameOver,
    #[error("it is not your turn")]
    NotYourTurn,
    #[error("a play is being voted on: accept or object")]
    VoteOpen,
    #[error("there is no play to vote on")]
    NoVoteOpen,
    #[error("you hold no {card}")]
    CardNotHeld { card: Card },
    #[error("a {card} does not go on the {top} on place {place}")]
    PlaceBlocked { card: Card, top: Card, place: Place },
    #[error("you no longer hold your snare")]
    SnareNotHeld,
    #[error("the play itself goes to {place}; the snare needs another place")]
    SnareUnderPlay { place: Place },
    #[error("the stock is empty")]
    NothingToDraw,
    #[error("you can play or swap, so you must not pass")]
    MustNotPass,
}

impl game_api::Violation for Violation {
    fn code(&self) -> &'static str {
        match self {
            Violation::Malformed(_) => "invalid_action",
            Violation::GameOver => "game_over",
            Violation::NotYourTurn => "not_your_turn",
            Violation::VoteOpen => "vote_open",
            Violation::NoVoteOpen => "no_vote_open",
            Violation::CardNotHeld { .. } => "card_not_held",
            Violation::PlaceBlocked { .. } => "place_blocked",
            Violation::SnareNotHeld => "snare_not_held",
            Violation::SnareUnderPlay { .. } => "snare_under_play",
            Violation::NothingToDraw => "nothing_to_draw",
            Violation::MustNotPass => "must_not_pass",
        }
    }
}
