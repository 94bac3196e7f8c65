//! What a seat can decide, how that is written, and why it can be refused.

use std::fmt;
use std::str::FromStr;

use game_api::{Seat, excerpt};

use crate::cell::Cell;
use crate::state::Phase;

/// One decision of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// `place:a1,b2`: both workers, the first in row-major order first.
    Place(Cell, Cell),
    /// `b2-c3`: a worker moves.
    Move {
        /// Where it stands.
        from: Cell,
        /// Where it goes.
        to: Cell,
    },
    /// `+c4`: the worker that moved builds.
    Build(Cell),
    /// `^c4`: a dome below level 3, where a power allows it.
    Dome(Cell),
    /// `b2+c3`: the worker on b2 builds before it moves, where a power allows it.
    BuildFirst {
        /// The worker.
        worker: Cell,
        /// Where it builds.
        cell: Cell,
    },
    /// `skip`: an optional action is declined.
    Skip,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Place(first, second) => write!(f, "place:{first},{second}"),
            Action::Move { from, to } => write!(f, "{from}-{to}"),
            Action::Build(cell) => write!(f, "+{cell}"),
            Action::Dome(cell) => write!(f, "^{cell}"),
            Action::BuildFirst { worker, cell } => write!(f, "{worker}+{cell}"),
            Action::Skip => f.write_str("skip"),
        }
    }
}

impl FromStr for Action {
    type Err = Violation;

    fn from_str(text: &str) -> Result<Self, Violation> {
        read(text).ok_or_else(|| Violation::InvalidAction { text: excerpt(text) })
    }
}

fn read(text: &str) -> Option<Action> {
    if text == "skip" {
        return Some(Action::Skip);
    }
    if let Some(cells) = text.strip_prefix("place:") {
        let (first, second) = cells.split_once(',')?;
        let (first, second) = (first.parse().ok()?, second.parse().ok()?);
        return (first < second).then_some(Action::Place(first, second));
    }
    if let Some(cell) = text.strip_prefix('+') {
        return Some(Action::Build(cell.parse().ok()?));
    }
    if let Some(cell) = text.strip_prefix('^') {
        return Some(Action::Dome(cell.parse().ok()?));
    }
    if let Some((from, to)) = text.split_once('-') {
        return Some(Action::Move { from: from.parse().ok()?, to: to.parse().ok()? });
    }
    let (worker, cell) = text.split_once('+')?;
    Some(Action::BuildFirst { worker: worker.parse().ok()?, cell: cell.parse().ok()? })
}

/// Why an action is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Violation {
    #[error("{text} is no action; there are place:a1,b2, b2-c3, +c4, ^c4, b2+c3 and skip")]
    InvalidAction { text: String },
    #[error("it is seat {to_act}'s turn, not seat {seat}'s")]
    NotYourTurn { seat: Seat, to_act: Seat },
    #[error("the match is over")]
    GameOver,
    #[error("not now: {}", .phase.request())]
    WrongPhase { phase: Phase },
    #[error("no worker of yours that may do this stands on {cell}")]
    NotYourWorker { cell: Cell },
    #[error("{to} is not next to {from}")]
    NotAdjacent { from: Cell, to: Cell },
    #[error("a worker stands on {cell}")]
    Occupied { cell: Cell },
    #[error("{cell} is domed")]
    Domed { cell: Cell },
    #[error("{to} is {climb} levels up; a worker climbs one")]
    TooHigh { to: Cell, climb: u8 },
    #[error("{to} is a level up, and this turn your workers may not climb")]
    ClimbBarred { to: Cell },
    #[error("the worker on {cell} cannot be moved out of the way")]
    CannotDisplace { cell: Cell },
    #[error("{to} cannot be reached from {from} on one level")]
    OutOfReach { from: Cell, to: Cell },
    #[error("the second move does not go back to {cell}, where the turn began")]
    BackToStart { cell: Cell },
    #[error("the second build does not go on {cell}")]
    NotThereAgain { cell: Cell },
    #[error("{cell} is on level {level}; your god gives no dome there")]
    DomeNotThere { cell: Cell, level: u8 },
    #[error("your god does not build before moving")]
    NoEarlyBuild,
    #[error("there is nothing to skip")]
    NothingToSkip,
    #[error("after that the turn could not be finished")]
    CannotFinish,
}

impl game_api::Violation for Violation {
    fn code(&self) -> &'static str {
        match self {
            Violation::InvalidAction { .. } => "invalid_action",
            Violation::NotYourTurn { .. } => "not_your_turn",
            Violation::GameOver => "game_over",
            Violation::WrongPhase { .. } => "wrong_phase",
            Violation::NotYourWorker { .. } => "not_your_worker",
            Violation::NotAdjacent { .. } => "not_adjacent",
            Violation::Occupied { .. } => "occupied",
            Violation::Domed { .. } => "domed",
            Violation::TooHigh { .. } => "too_high",
            Violation::ClimbBarred { .. } => "climb_barred",
            Violation::CannotDisplace { .. } => "cannot_displace",
            Violation::OutOfReach { .. } => "out_of_reach",
            Violation::BackToStart { .. } => "back_to_start",
            Violation::NotThereAgain { .. } => "not_there_again",
            Violation::DomeNotThere { .. } => "dome_not_there",
            Violation::NoEarlyBuild => "no_early_build",
            Violation::NothingToSkip => "nothing_to_skip",
            Violation::CannotFinish => "cannot_finish",
        }
    }
}
