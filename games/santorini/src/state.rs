//! A match and its turns: what comes of an action, and how it ends.
//!
//! What may be done is `legality`'s business. Neither names a god: where a power can change
//! something, they ask its hooks.

use std::ops::ControlFlow;

use game_api::{Forfeit, Outcome, Seat, SeatSet, SetupError};
use serde::{Deserialize, Serialize};

use crate::action::Action;
use crate::board::{Board, LEVEL_MAX};
use crate::cell::{Cell, CellSet};
use crate::gods::{God, GodId, Moves};

/// What the host chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Each seat's god.
    pub gods: [GodId; 2],
}

/// What the seat to act has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// R1.2: put both workers on the board.
    Place,
    /// R2.1: move a worker.
    Move,
    /// R2.3: build next to it.
    Build,
    /// R4.2: use a power once more, or `skip`.
    Optional,
}

impl Phase {
    /// What the player is asked for.
    pub(crate) fn request(self) -> &'static str {
        match self {
            Phase::Place => "place your workers",
            Phase::Move => "move a worker",
            Phase::Build => "build",
            Phase::Optional => "use your power once more, or skip",
        }
    }
}

/// What was done in a turn so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnSoFar {
    /// Where the worker of this turn stands.
    pub worker: Option<Cell>,
    /// Where it began.
    pub began: Option<Cell>,
    /// What it built before it moved.
    pub built_first: Option<Cell>,
    /// What was built after the move.
    pub built: Option<Cell>,
    /// The workers kept their level, and either may build.
    pub is_gliding: bool,
    /// A worker moved up.
    pub has_climbed: bool,
}

/// Everything about a match; nothing of it is secret.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub(crate) board: Board,
    pub(crate) gods: [GodId; 2],
    pub(crate) to_act: Seat,
    pub(crate) phase: Phase,
    pub(crate) so_far: TurnSoFar,
    /// R5.3: the seat to act may not move up this turn.
    pub(crate) no_climb: bool,
    pub(crate) turn: u32,
    pub(crate) last: Option<(Seat, Action)>,
    pub(crate) ended: Option<Ended>,
}

/// A search copies states by the million.
const _: () = assert!(size_of::<State>() <= 64);

/// Why the match is over, and for whom it is won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// Who won.
    pub winner: Seat,
    /// Why.
    pub reason: Reason,
}

/// How a match is won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// R3.1: a worker moved up to level 3.
    Climbed,
    /// R5.9: by a god's own way of winning.
    Power,
    /// R3.3: the other side had no turn.
    Stuck,
    /// R3.4: the other side gave up.
    Forfeit(Forfeit),
}

impl State {
    /// R1.1
    pub(crate) fn new(options: Options, seats: u8) -> Result<State, SetupError> {
        if seats != 2 {
            return Err(SetupError::InvalidPlayers { got: seats, allowed: 2..=2 });
        }
        Ok(State {
            board: Board::EMPTY,
            gods: options.gods,
            to_act: Seat::FIRST,
            phase: Phase::Place,
            so_far: TurnSoFar::default(),
            no_climb: false,
            turn: 0,
            last: None,
            ended: None,
        })
    }

    /// The towers and workers.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The seat whose turn it is; nobody's once the match is over.
    pub(crate) fn to_act(&self) -> SeatSet {
        if self.ended.is_some() { SeatSet::EMPTY } else { SeatSet::only(self.to_act) }
    }

    pub(crate) fn god(&self) -> &'static God {
        self.gods[self.to_act.index()].god()
    }

    pub(crate) fn opponent(&self) -> Seat {
        self.to_act.after(1, 2)
    }

    pub(crate) fn own_workers(&self) -> CellSet {
        self.board.workers(self.to_act)
    }

    /// The state after a legal action.
    pub(crate) fn after(&self, action: Action) -> State {
        let mut next = match action {
            Action::Place(first, second) => self.after_placing(first, second),
            Action::Move { from, to } => self.after_move(from, to),
            Action::BuildFirst { worker, cell } => self.after_first_build(worker, cell),
            Action::Build(cell) | Action::Dome(cell) => self.after_build(action, cell),
            Action::Skip => self.after_skip(),
        };
        next.last = Some((self.to_act, action));
        next
    }

    fn after_placing(&self, first: Cell, second: Cell) -> State {
        let mut next = self.clone();
        next.board.put_worker(self.to_act, first);
        next.board.put_worker(self.to_act, second);
        next.end_turn();
        if self.to_act == Seat::FIRST {
            next.phase = Phase::Place;
        }
        next
    }

    pub(crate) fn after_move(&self, from: Cell, to: Cell) -> State {
        let mut next = self.clone();
        let (low, high) = (self.board.level(from), self.board.level(to));
        let is_glide = self.god().moves == Moves::Glide && low == high;
        if let Some(displace) = self.god().displace
            && self.board.workers(self.opponent()).contains(to)
            && let Some(away) = displace(&self.board, from, to)
        {
            next.board.move_worker(self.opponent(), to, away);
        }
        next.board.move_worker(self.to_act, from, to);
        next.so_far.worker = Some(to);
        next.so_far.began = Some(self.so_far.began.filter(|_| !is_glide).unwrap_or(from));
        next.so_far.is_gliding = is_glide;
        next.so_far.has_climbed |= high > low;
        // R3.1: tested right after the move, before any build.
        if high == LEVEL_MAX && high > low {
            next.ended = Some(Ended { winner: self.to_act, reason: Reason::Climbed });
        } else if (self.god().wins_by)(low, high) {
            next.ended = Some(Ended { winner: self.to_act, reason: Reason::Power });
        }
        next.phase = Phase::Optional;
        let goes_on = match self.god().moves {
            Moves::Once => false,
            Moves::Twice => true,
            Moves::Glide => is_glide,
        };
        let may_move_again = || next.movers().iter().any(|from| !next.targets(from).is_empty());
        if self.phase == Phase::Optional || !goes_on || !may_move_again() {
            next.phase = Phase::Build;
        }
        next
    }

    pub(crate) fn after_first_build(&self, worker: Cell, cell: Cell) -> State {
        let mut next = self.clone();
        next.board.build(cell);
        next.so_far.worker = Some(worker);
        next.so_far.built_first = Some(cell);
        next
    }

    fn after_build(&self, action: Action, cell: Cell) -> State {
        let mut next = self.clone();
        match action {
            Action::Dome(_) => next.board.dome(cell),
            _ => next.board.build(cell),
        }
        if self.phase == Phase::Build {
            next.so_far.built = Some(cell);
            next.phase = Phase::Optional;
        }
        if self.phase == Phase::Optional || next.cells_to_build_again().is_empty() {
            next.end_turn();
        }
        next
    }

    fn after_skip(&self) -> State {
        let mut next = self.clone();
        if self.so_far.built.is_some() {
            next.end_turn();
        } else {
            next.so_far.is_gliding = self.god().moves == Moves::Glide;
            next.phase = Phase::Build;
        }
        next
    }

    fn end_turn(&mut self) {
        self.no_climb = self.god().bars_climbing && self.so_far.has_climbed;
        self.to_act = self.opponent();
        self.turn += 1;
        self.so_far = TurnSoFar::default();
        self.phase = Phase::Move;
        self.check_stuck();
    }

    /// As if the other side had passed.
    pub(crate) fn supposing_turn(&self, seat: Seat) -> Option<State> {
        let mut state = self.clone();
        while state.to_act != seat {
            state.end_turn();
        }
        let is_placed = !self.board.workers(seat).is_empty();
        Some(state).filter(|state| is_placed && state.ended.is_none())
    }

    /// R3.3
    pub(crate) fn check_stuck(&mut self) {
        if !self.own_workers().is_empty() && !self.has_action() {
            self.ended = Some(Ended { winner: self.opponent(), reason: Reason::Stuck });
        }
    }

    /// R3.4
    pub(crate) fn forfeited(&self, seat: Seat, cause: Forfeit) -> State {
        let lost = Ended { winner: seat.after(1, 2), reason: Reason::Forfeit(cause) };
        State { ended: self.ended.or(Some(lost)), ..self.clone() }
    }

    pub(crate) fn outcome(&self) -> Option<Outcome> {
        let Ended { winner, reason } = self.ended?;
        let reason = match reason {
            Reason::Climbed => "climbed",
            Reason::Power => "power",
            Reason::Stuck => "stuck",
            Reason::Forfeit(cause) => cause.key(),
        };
        let places = Seat::all(2).map(|seat| if seat == winner { 1 } else { 2 }).collect();
        Some(Outcome { places, reason })
    }

    /// Ways to play `depth` whole turns; one that ends the match is one way at any depth.
    pub(crate) fn perft(&self, depth: u32) -> u64 {
        let is_plain = self.gods == [GodId::default(); 2];
        if depth == 0 || self.ended.is_some() {
            1
        } else if is_plain && self.phase == Phase::Move {
            self.board.perft(self.to_act, depth, true)
        } else {
            let mut count = 0;
            let _ = self.visit(|action| {
                let after = self.after(action);
                let left = if after.turn == self.turn { depth } else { depth - 1 };
                count += after.perft(left);
                ControlFlow::Continue(())
            });
            count
        }
    }
}
