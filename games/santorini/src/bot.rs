//! The bot: alpha-beta over whole turns, and what a board is worth.

use bots::{
    Bot, Budget, Choice, Level, Puzzled, Searched, Situation, Skill, alpha_beta, quick_hash,
};
use game_api::{GameRng, Seat};

use crate::board::{CLIMB_MAX, LEVEL_MAX};
use crate::cell::{Cell, SIZE};
use crate::state::{Phase, State};
use crate::{Action, Santorini};

/// What each level lacks, the weakest first.
#[rustfmt::skip]
const SKILLS: [Skill; Level::COUNT] = [
    Skill { depth: 1, nodes: 400,   noise: 200, overlooks_percent: 40, slack: 400 },
    Skill { depth: 1, nodes: 1_000, noise: 20,  overlooks_percent: 20, slack: 60 },
    Skill { depth: 2, nodes: 2_000, noise: 60,  overlooks_percent: 30, slack: 100 },
    Skill { depth: 2, nodes: 2_000, noise: 20,  overlooks_percent: 10, slack: 40 },
    Skill { depth: 3, nodes: 3_000, noise: 50,  overlooks_percent: 0,  slack: 0 },
    Skill { depth: 4, nodes: 3_000, noise: 0,   overlooks_percent: 0,  slack: 0 },
    Skill { depth: 6, nodes: 9_000, noise: 0,   overlooks_percent: 0,  slack: 0 },
    Skill::FULL,
];

/// What a worker's level is worth.
const HEIGHT: [i32; 4] = [0, 40, 110, 110];
/// What a step to a level is worth that could be taken next.
const STEP: [i32; 4] = [3, 10, 24, 0];
/// What it is worth to stand so many cells from the middle.
const MIDDLE: [i32; 3] = [10, 6, 0];
/// A step that would win, which the other side has to prevent; two cannot be prevented.
const THREAT: i32 = 90;
const TWO_THREATS: i32 = 700;
/// The seat to act has such a step.
const DECIDED: i32 = 20_000;
const STUCK_WORKER: i32 = -60;
const TURN: i32 = 15;

/// Plays with and against all gods.
#[derive(Clone, Copy, Debug, Default)]
pub struct SantoriniBot;

impl Bot<Santorini> for SantoriniBot {
    fn choose(
        &self,
        situation: &Situation<'_, Santorini>,
        level: Level,
        budget: &Budget<'_>,
        rng: &mut GameRng,
    ) -> Result<Choice<Action>, Puzzled> {
        alpha_beta(situation, level.of(&SKILLS), budget, rng)
    }
}

impl Searched for Santorini {
    fn evaluate(&self, state: &State, seat: Seat) -> i32 {
        let other = seat.after(1, 2);
        let lead = worth(state, seat) - worth(state, other);
        let turn = if state.has_winning_step() { DECIDED } else { TURN };
        lead + if state.to_act == seat { turn } else { -turn }
    }

    /// Neither the count of turns nor the last action changes what can come.
    fn key(&self, state: &State) -> u64 {
        let State { board, to_act, phase, so_far, no_climb, .. } = state;
        quick_hash(&(board, to_act, phase, so_far, no_climb))
    }

    fn after(&self, state: &State, _seat: Seat, action: &Action) -> Option<State> {
        Some(state.after(*action))
    }

    /// Climbing first, then building what is out of the other side's reach.
    fn promise(&self, state: &State, action: &Action) -> i32 {
        let board = &state.board;
        let level = |cell| i32::from(board.level(cell));
        match *action {
            Action::Place(first, second) => middle(first) + middle(second),
            Action::Move { from, to } if level(to) == i32::from(LEVEL_MAX) => 1_000 - level(from),
            Action::Move { from, to } => {
                30 * (level(to) - level(from)) + 10 * level(to) + middle(to)
            }
            Action::Build(cell) | Action::Dome(cell) | Action::BuildFirst { cell, .. } => {
                let reach = |seat| {
                    let near = board.workers(seat).iter().filter(|worker| {
                        worker.neighbours().contains(cell) && level(*worker) >= level(cell)
                    });
                    i32::try_from(near.count()).unwrap_or_default()
                };
                let theirs = reach(state.opponent());
                let is_dome = level(cell) == i32::from(LEVEL_MAX);
                let gain = reach(state.to_act) - theirs;
                if is_dome { 500 * theirs } else { 20 * gain + 5 * level(cell) }
            }
            Action::Skip => 0,
        }
    }
}

impl State {
    /// Can the seat to act win with its next step?
    fn has_winning_step(&self) -> bool {
        let wins = |from: Cell, to: Cell| {
            let (low, high) = (self.board.level(from), self.board.level(to));
            high == LEVEL_MAX && low < high || (self.god().wins_by)(low, high)
        };
        // Only from high up, so most states need no look at the targets.
        let mut high = self.movers().iter().filter(|from| self.board.level(*from) + 1 >= LEVEL_MAX);
        self.phase == Phase::Move
            && high.any(|from| self.targets(from).iter().any(|to| wins(from, to)))
    }
}

fn middle(cell: Cell) -> i32 {
    let off = |line: u8| usize::from(line.abs_diff(SIZE / 2));
    MIDDLE[off(cell.column()).max(off(cell.row()))]
}

/// Height, room and threats of a seat's workers.
fn worth(state: &State, seat: Seat) -> i32 {
    let board = &state.board;
    let free = board.free();
    let mut worth = 0;
    let mut threats = 0;
    for worker in board.workers(seat).iter() {
        let level = board.level(worker);
        let steps = board.climbable(worker, CLIMB_MAX) & free;
        worth += HEIGHT[usize::from(level)] + middle(worker);
        worth += if steps.is_empty() { STUCK_WORKER } else { 0 };
        for (to, value) in (0..).zip(STEP) {
            let count = (steps & board.at_level(to)).len();
            worth += value * i32::try_from(count).unwrap_or_default();
        }
        if level + 1 == LEVEL_MAX {
            threats += (steps & board.at_level(LEVEL_MAX)).len();
        }
    }
    worth + [0, THREAT, TWO_THREATS][threats.min(2) as usize]
}
