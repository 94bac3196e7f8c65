//! What becomes of a move once it stands: letters, specials, score, new tiles; and the turn's end.
//!
//! The order is the documents': the letters are laid, specials that lie there already are activated,
//! the new ones are laid, the score is booked, the rack is filled.

use game_api::Seat;

use crate::Rules;
use crate::action::Placement;
use crate::end::Reason;
use crate::options::Options;
use crate::play::words_formed;
use crate::score::Tally;
use crate::specials::{Effects, Fired, Hit, Laid};
use crate::square::{Square, SquareSet};
use crate::state::{Last, Move, Pending, State};

/// What a move came to.
pub(crate) struct Booking {
    pub(crate) laid: Vec<Square>,
    pub(crate) score: i32,
    pub(crate) fired: Vec<Fired>,
    /// The words it formed, as text.
    pub(crate) words: Vec<String>,
}

/// Lays the letters of a legal move on `table`, activates what they hit, and counts what is left.
/// The score is not booked yet. A preview does the same on a table with the own specials alone.
pub(crate) fn settle(
    rules: Rules<'_>,
    options: &Options,
    placement: &Placement,
    activator: Seat,
    table: &mut Effects,
    premiums_used: &mut SquareSet,
) -> Booking {
    let laid: Vec<Square> = placement.laid(&table.board).map(|(square, _)| square).collect();
    let (board, runs) = words_formed(&table.board, placement);
    table.board = board;
    let fired = activate_specials(rules, options, &laid, activator, table);
    let tally = Tally {
        board: &board,
        runs: &runs,
        laid: laid.iter().copied().collect(),
        left: &table.board,
    };
    let score = tally.move_score(options, premiums_used) * table.factor;
    // R5.4: whatever became of the move, and never negative.
    let bonus = if laid.len() == usize::from(options.rack) { options.bonus } else { 0 };
    let words = runs.iter().map(|run| board.word_text(*run)).collect();
    Booking { laid, score: score + bonus, fired, words }
}

/// R6.6: all that are hit fire, along the word and on one square in the order they were laid, even
/// if an earlier one clears the square of a later.
fn activate_specials(
    rules: Rules<'_>,
    options: &Options,
    laid: &[Square],
    activator: Seat,
    table: &mut Effects,
) -> Vec<Fired> {
    let hits: Vec<Laid> = laid.iter().flat_map(|square| table.specials.take(*square)).collect();
    let mut fired = Vec::with_capacity(hits.len());
    for Laid { square, kind, owner } in hits {
        let kind = &options.specials[usize::from(kind)].kind;
        if let Some(found) = rules.kind(kind) {
            (found.activate)(&Hit { square, owner, activator, options }, table);
        }
        fired.push(Fired { kind: kind.clone(), square, owner });
    }
    fired
}

impl State {
    /// What specials can change, as it is before a move of the active seat.
    fn table(&mut self) -> Effects {
        Effects {
            board: self.board,
            removed: self.removed,
            cleared: Vec::new(),
            specials: std::mem::take(&mut self.specials),
            scores: std::mem::take(&mut self.scores),
            skips: std::mem::take(&mut self.skips),
            is_forward: self.is_forward,
            factor: 1,
            earner: self.active,
        }
    }

    /// R2.2: a move that stands.
    pub(crate) fn execute_move(&mut self, rules: Rules<'_>, pending: Pending) {
        let (seat, options) = (self.active, self.options.clone());
        let Pending { placement, specials, .. } = pending;
        let mut table = self.table();
        let used = &mut self.premiums_used;
        let booking = settle(rules, &options, &placement, seat, &mut table, used);
        let Effects { board, removed, cleared, specials: lying, scores, skips, .. } = table;
        (self.board, self.removed, self.is_forward) = (board, removed, table.is_forward);
        (self.specials, self.scores, self.skips) = (lying, scores, skips);
        self.lay_specials(specials);
        self.update_score(table.earner, booking.score);
        self.last = Some(Last::Played(Move {
            seat,
            play: placement,
            laid: booking.laid,
            stands: true,
            score: booking.score,
            earner: table.earner,
            fired: booking.fired,
            cleared,
        }));
        self.replenish_tiles(seat);
        self.end_turn(booking.score > 0);
    }

    /// R6.7: last, so that a special never affects the move it came with.
    pub(crate) fn lay_specials(&mut self, specials: Vec<Laid>) {
        for special in specials {
            self.specials.lay(special, self.options.stacking);
        }
    }

    /// R5.5
    fn update_score(&mut self, seat: Seat, score: i32) {
        self.scores[seat.index()] += score;
    }

    /// R2.7, R7.5, R9: the next seat's turn, or the end.
    pub(crate) fn end_turn(&mut self, has_scored: bool) {
        let active = self.active.index();
        for (held, bought) in self.stock[active].iter_mut().zip(&mut self.bought) {
            *held += std::mem::take(bought);
        }
        self.turn += 1;
        self.scoreless = if has_scored { 0 } else { self.scoreless + 1 };
        let has_none =
            self.racks[active].is_empty() && self.pools[self.pool_of(self.active)].is_empty();
        if has_none && self.is_in(self.active) {
            self.end(Reason::WentOut);
        }
        self.check_standstill();
        while self.ended.is_none() {
            self.active = self.next_seat();
            let skips = &mut self.skips[self.active.index()];
            if *skips == 0 {
                break;
            }
            // A lost turn is a turn that scored nothing.
            *skips -= 1;
            self.turn += 1;
            self.scoreless += 1;
            self.check_standstill();
        }
    }

    /// The next seat in the match, in the direction of play.
    pub(crate) fn next_seat(&self) -> Seat {
        let step = if self.is_forward { 1 } else { self.seats - 1 };
        let mut seat = self.active.after(step, self.seats);
        while !self.is_in(seat) && seat != self.active {
            seat = seat.after(step, self.seats);
        }
        seat
    }
}
