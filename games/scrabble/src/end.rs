//! How a match ends, and who is placed where.

use std::cmp::Reverse;

use game_api::{Forfeit, Outcome, Seat};
use serde::{Deserialize, Serialize};

use crate::Rules;
use crate::state::State;

/// Why a match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// R9.1
    WentOut,
    /// R9.2
    AllPassed,
    /// R9.3
    Scoreless,
    /// R10.1: all seats but one are out, the last of them for this cause.
    Forfeit(Forfeit),
}

/// The end of a match.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ended {
    /// Why.
    pub reason: Reason,
    /// R9.5: the points before the tiles that are left were counted.
    pub unadjusted: Vec<i32>,
}

impl State {
    /// R9.2, R9.3: does the match come to a standstill?
    pub(crate) fn check_standstill(&mut self) {
        let players = u32::try_from(self.players().count()).unwrap_or(u32::MAX);
        let passes_end = u32::from(self.options.passes_end);
        if self.players().all(|seat| self.passes[seat.index()] >= passes_end) {
            self.end(Reason::AllPassed);
        } else if self.scoreless >= players * u32::from(self.options.scoreless_end) {
            self.end(Reason::Scoreless);
        }
    }

    /// R9.4: counts the tiles that are left.
    pub(crate) fn end(&mut self, reason: Reason) {
        if self.ended.is_some() {
            return;
        }
        self.ended = Some(Ended { reason, unadjusted: self.scores.clone() });
        if matches!(reason, Reason::Forfeit(_)) {
            return;
        }
        let players: Vec<Seat> = self.players().collect();
        for seat in players {
            let points = self.racks[seat.index()].points();
            self.scores[seat.index()] -= points;
            if reason == Reason::WentOut {
                self.scores[self.active.index()] += points;
            }
        }
    }

    /// R10: the state after a seat gave up.
    pub(crate) fn after_forfeit(&self, rules: Rules<'_>, seat: Seat, cause: Forfeit) -> State {
        let mut next = self.clone();
        if self.ended.is_some() || !self.is_in(seat) {
            return next;
        }
        next.out.push(seat);
        let is_last = next.out.len() + 1 == next.racks.len();
        if (is_last || seat == next.active)
            && let Some(pending) = next.pending.take()
        {
            // R10.4
            next.take_back(pending);
        }
        if is_last {
            next.end(Reason::Forfeit(cause));
        } else if seat == next.active {
            next.end_turn(false);
        } else {
            // R10.3
            next.close_window(rules);
            // A move that still waits is judged first: it may score.
            if next.pending.is_none() {
                next.check_standstill();
            }
        }
        next
    }

    /// R9.5, R10.1: how the match ended, if it did.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        let ended = self.ended.as_ref()?;
        let reason = match ended.reason {
            Reason::WentOut => "went_out",
            Reason::AllPassed => "all_passed",
            Reason::Scoreless => "scoreless",
            Reason::Forfeit(cause) => cause.key(),
        };
        // The better standing is the greater: in before out, out late before out early, more points.
        let standing = |seat: Seat| {
            let went_out = self.out.iter().position(|out| *out == seat);
            let points = (self.scores[seat.index()], ended.unadjusted[seat.index()]);
            (went_out.is_none(), went_out, points, Reverse(seat))
        };
        let place_of = |seat| {
            let better = Seat::all(self.seats).filter(|other| standing(*other) > standing(seat));
            better.fold(1, |place, _| place + 1)
        };
        Some(Outcome { places: Seat::all(self.seats).map(place_of).collect(), reason })
    }
}
