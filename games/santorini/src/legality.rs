//! What may be done next, and why not: the base rules and the questions they ask a god.

use std::ops::ControlFlow;

use game_api::Seat;

use crate::action::{Action, Violation};
use crate::board::{CLIMB_MAX, LEVEL_MAX};
use crate::cell::{Cell, CellSet};
use crate::gods::Moves;
use crate::state::{Phase, State};

impl State {
    /// The workers that may still move this turn.
    pub(crate) fn movers(&self) -> CellSet {
        match (self.phase, self.so_far.worker) {
            (Phase::Optional, Some(worker)) if self.so_far.is_gliding => {
                self.own_workers().without(worker)
            }
            (_, Some(worker)) => worker.set(),
            (_, None) => self.own_workers(),
        }
    }

    /// How many levels up a worker may go now.
    fn climb_max(&self) -> u8 {
        if self.no_climb || self.so_far.built_first.is_some() { 0 } else { CLIMB_MAX }
    }

    /// Where the worker on `from` may go, whatever becomes of the turn then.
    pub(crate) fn targets(&self, from: Cell) -> CellSet {
        let level = self.board.level(from);
        let free = self.board.free();
        let glides = || (free & self.board.at_level(level)).reachable_from(from);
        if self.so_far.is_gliding {
            return glides();
        }
        let climbable = self.board.climbable(from, self.climb_max());
        let mut targets = climbable & free;
        if let Some(displace) = self.god().displace {
            let theirs = climbable & self.board.workers(self.opponent());
            let gives_way = |to: &Cell| displace(&self.board, from, *to).is_some();
            targets = targets | theirs.iter().filter(gives_way).collect();
        }
        if self.god().moves == Moves::Glide {
            targets = targets | glides();
        }
        match self.so_far.began {
            Some(began) if self.phase == Phase::Optional => targets.without(began),
            _ => targets,
        }
    }

    /// Where the turn's worker, or either of them, may build.
    pub(crate) fn build_cells(&self) -> CellSet {
        let builders = match self.so_far.worker {
            Some(worker) if !self.so_far.is_gliding => worker.set(),
            _ => self.own_workers(),
        };
        let around = |set, worker: Cell| set | self.board.buildable(worker);
        builders.iter().fold(CellSet::EMPTY, around)
    }

    /// Where a second build may go.
    pub(crate) fn cells_to_build_again(&self) -> CellSet {
        match (self.god().build_again, self.so_far.built) {
            (Some(allowed), Some(built)) => allowed(&self.board, built, self.build_cells()),
            _ => CellSet::EMPTY,
        }
    }

    /// Shows every legal action to `look`, until it breaks.
    pub(crate) fn visit(&self, mut look: impl FnMut(Action) -> ControlFlow<()>) -> ControlFlow<()> {
        match self.phase {
            _ if self.ended.is_some() => {}
            Phase::Place => {
                for first in self.board.free().iter() {
                    for second in self.board.free().iter().filter(|second| first < *second) {
                        look(Action::Place(first, second))?;
                    }
                }
            }
            Phase::Move => {
                self.visit_moves(&mut look)?;
                self.visit_first_builds(&mut look)?;
                if self.may_stay() {
                    look(Action::Skip)?;
                }
            }
            Phase::Build => {
                for cell in self.build_cells().iter() {
                    look(Action::Build(cell))?;
                    if self.god().may_dome_anywhere && self.board.level(cell) < LEVEL_MAX {
                        look(Action::Dome(cell))?;
                    }
                }
            }
            Phase::Optional => {
                if self.so_far.built.is_none() {
                    self.visit_moves(&mut look)?;
                }
                for cell in self.cells_to_build_again().iter() {
                    look(Action::Build(cell))?;
                }
                if self.may_skip() {
                    look(Action::Skip)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn visit_moves(&self, look: &mut impl FnMut(Action) -> ControlFlow<()>) -> ControlFlow<()> {
        for from in self.movers().iter() {
            for to in self.targets(from).iter() {
                if self.after_move(from, to).can_finish() {
                    look(Action::Move { from, to })?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn visit_first_builds(
        &self,
        look: &mut impl FnMut(Action) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.god().may_build_first && self.so_far.built_first.is_none() {
            for worker in self.own_workers().iter() {
                for cell in self.board.buildable(worker).iter() {
                    if self.after_first_build(worker, cell).can_finish() {
                        look(Action::BuildFirst { worker, cell })?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    pub(crate) fn has_action(&self) -> bool {
        self.visit(|_| ControlFlow::Break(())).is_break()
    }

    /// R5.7: may both workers stay where they are?
    fn may_stay(&self) -> bool {
        self.god().moves == Moves::Glide && !self.build_cells().is_empty()
    }

    /// After the move a turn needs a build; after the build it needs nothing.
    pub(crate) fn may_skip(&self) -> bool {
        self.so_far.built.is_some() || !self.build_cells().is_empty()
    }

    /// R2.5: is there a way to the end of the turn from here?
    pub(crate) fn can_finish(&self) -> bool {
        match self.phase {
            _ if self.ended.is_some() => true,
            Phase::Build => !self.build_cells().is_empty(),
            Phase::Optional if self.may_skip() => true,
            _ => self.has_action(),
        }
    }

    /// Refuses what is illegal, with the reason.
    pub(crate) fn judge(&self, seat: Seat, action: Action) -> Result<(), Violation> {
        if self.ended.is_some() {
            return Err(Violation::GameOver);
        }
        if seat != self.to_act {
            return Err(Violation::NotYourTurn { seat, to_act: self.to_act });
        }
        let is_before_build = self.phase == Phase::Optional && self.so_far.built.is_none();
        match action {
            Action::Place(first, second) if self.phase == Phase::Place => {
                self.check_free(first)?;
                self.check_free(second)
            }
            Action::Move { from, to } if self.phase == Phase::Move || is_before_build => {
                self.judge_move(from, to)
            }
            Action::BuildFirst { worker, cell } if self.phase == Phase::Move => {
                self.judge_first_build(worker, cell)
            }
            Action::Build(cell) if self.phase == Phase::Build => self.judge_build(cell),
            Action::Build(cell) if self.phase == Phase::Optional && !is_before_build => {
                self.judge_build(cell)?;
                let is_allowed = self.cells_to_build_again().contains(cell);
                if is_allowed { Ok(()) } else { Err(Violation::NotThereAgain { cell }) }
            }
            Action::Dome(cell) if self.phase == Phase::Build => {
                self.judge_build(cell)?;
                let level = self.board.level(cell);
                let is_allowed = self.god().may_dome_anywhere && level < LEVEL_MAX;
                if is_allowed { Ok(()) } else { Err(Violation::DomeNotThere { cell, level }) }
            }
            Action::Skip if self.phase == Phase::Optional && self.may_skip() => Ok(()),
            Action::Skip if self.phase == Phase::Move && self.may_stay() => Ok(()),
            Action::Skip => Err(Violation::NothingToSkip),
            _ => Err(Violation::WrongPhase { phase: self.phase }),
        }
    }

    fn check_free(&self, cell: Cell) -> Result<(), Violation> {
        if self.board.has_dome(cell) {
            Err(Violation::Domed { cell })
        } else if self.board.free().contains(cell) {
            Ok(())
        } else {
            Err(Violation::Occupied { cell })
        }
    }

    fn judge_move(&self, from: Cell, to: Cell) -> Result<(), Violation> {
        if !self.movers().contains(from) {
            return Err(Violation::NotYourWorker { cell: from });
        }
        if self.targets(from).contains(to) {
            let can_finish = self.after_move(from, to).can_finish();
            return if can_finish { Ok(()) } else { Err(Violation::CannotFinish) };
        }
        let is_glider = self.god().moves == Moves::Glide;
        if !is_glider && !from.neighbours().contains(to) {
            return Err(Violation::NotAdjacent { from, to });
        }
        if self.board.workers(self.opponent()).contains(to) && self.god().displace.is_some() {
            self.check_height(from, to)?;
            return Err(Violation::CannotDisplace { cell: to });
        }
        self.check_free(to)?;
        if is_glider && (self.so_far.is_gliding || !from.neighbours().contains(to)) {
            return Err(Violation::OutOfReach { from, to });
        }
        self.check_height(from, to)?;
        Err(Violation::BackToStart { cell: to })
    }

    fn check_height(&self, from: Cell, to: Cell) -> Result<(), Violation> {
        let climb = self.board.level(to).saturating_sub(self.board.level(from));
        if climb > CLIMB_MAX {
            Err(Violation::TooHigh { to, climb })
        } else if climb > self.climb_max() {
            Err(Violation::ClimbBarred { to })
        } else {
            Ok(())
        }
    }

    fn judge_first_build(&self, worker: Cell, cell: Cell) -> Result<(), Violation> {
        if !self.god().may_build_first || self.so_far.built_first.is_some() {
            return Err(Violation::NoEarlyBuild);
        }
        if !self.own_workers().contains(worker) {
            return Err(Violation::NotYourWorker { cell: worker });
        }
        if !worker.neighbours().contains(cell) {
            return Err(Violation::NotAdjacent { from: worker, to: cell });
        }
        self.check_free(cell)?;
        let can_finish = self.after_first_build(worker, cell).can_finish();
        if can_finish { Ok(()) } else { Err(Violation::CannotFinish) }
    }

    fn judge_build(&self, cell: Cell) -> Result<(), Violation> {
        self.check_free(cell)?;
        if self.build_cells().contains(cell) {
            return Ok(());
        }
        let from = self.so_far.worker.or_else(|| self.own_workers().iter().next());
        Err(Violation::NotAdjacent { from: from.unwrap_or(cell), to: cell })
    }
}
