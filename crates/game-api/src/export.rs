//! A finished match in a format of its game's own, beside the log that every game has.
//!
//! Knows no format: a game lists its own ([`Game::formats`]) and writes them ([`Game::export`]).

use crate::{Game, Outcome, Seat, Step};

/// A format that a game can write its matches in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Its name in addresses, and the ending of a file.
    pub key: &'static str,
    /// What HTTP calls it.
    pub media_type: &'static str,
}

/// What is known of a match beside its log.
#[derive(Clone, Debug, Default)]
pub struct Circumstances {
    /// Where it was played: the address of the house.
    pub site: Option<String>,
    /// The day it began, as `2026-11-16`.
    pub date: String,
    /// Whether it counted for ratings.
    pub is_rated: bool,
    /// The players' names, by seat; none where an account is gone.
    pub players: Vec<Option<String>>,
    /// How time was measured.
    pub pace: Pace,
    /// What the acting seat had left after each entry, by ply; nothing where no time was measured.
    pub clocks_ms: Vec<Option<u64>>,
}

/// How time was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// Not at all.
    #[default]
    Untimed,
    /// A stock of time, and so much more after each turn.
    Stock {
        /// The stock.
        seconds: u32,
        /// After each turn.
        increment_s: u32,
    },
    /// So much for each turn.
    PerTurn {
        /// For each.
        seconds: u32,
    },
}

/// A match as a format needs it: what still counts of it, in order.
pub struct Record<'a, G: Game> {
    /// What is known beside the log.
    pub around: &'a Circumstances,
    /// The first state.
    pub first: &'a G::State,
    /// The actions that were not taken back.
    pub line: &'a [Recorded<G>],
    /// How it ended; nothing if it was aborted.
    pub outcome: Option<Outcome>,
}

/// One action of a record.
pub struct Recorded<G: Game> {
    pub(crate) ply: u32,
    pub(crate) before: G::State,
    pub(crate) seat: Seat,
    pub(crate) action: G::Action,
    pub(crate) after: G::State,
    pub(crate) clock_ms: Option<u64>,
}

impl<G: Game> Recorded<G> {
    /// The step that it was.
    pub fn step(&self) -> Step<'_, G> {
        let Recorded { before, seat, action, after, .. } = self;
        Step { before, seat: *seat, action, after }
    }

    /// What the seat had left after it, if time was measured.
    pub fn clock_ms(&self) -> Option<u64> {
        self.clock_ms
    }
}
