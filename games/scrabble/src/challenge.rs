//! The challenge window: others accept a move or challenge it, and what follows.

use game_api::Seat;

use crate::Rules;
use crate::options::ChallengeRule;
use crate::play::words_formed;
use crate::state::{Last, Move, Pending, State};
use crate::tile::tile_of;

impl State {
    /// R8.2
    pub(crate) fn accept(&mut self, rules: Rules<'_>, seat: Seat) {
        if let Some(pending) = &mut self.pending {
            pending.accepted = pending.accepted.with(seat);
        }
        self.close_window(rules);
    }

    /// R8.3: the move stands once all others have accepted.
    pub(crate) fn close_window(&mut self, rules: Rules<'_>) {
        let is_closed = self.to_act().is_empty();
        if let Some(pending) = self.pending.take_if(|_| is_closed) {
            self.execute_move(rules, pending);
        }
    }

    /// R8.3: one challenge closes the window.
    pub(crate) fn challenge(&mut self, rules: Rules<'_>, challenger: Seat) {
        let Some(pending) = self.pending.take() else { return };
        let (words, wrong) = self.judge(rules, &pending);
        if wrong.is_empty() {
            self.charge(challenger, words);
            self.execute_move(rules, pending);
        } else {
            self.take_back(pending);
            self.end_turn(false);
        }
    }

    /// R8.4: how many words a move forms, and those that are not in the list.
    pub(crate) fn judge(&self, rules: Rules<'_>, pending: &Pending) -> (usize, Vec<String>) {
        let (after, runs) = words_formed(&self.board, &pending.placement);
        let wrong = runs.iter().filter(|run| !rules.lexicon.contains(&after.word(**run)));
        (runs.len(), wrong.map(|run| after.word_text(*run)).collect())
    }

    /// R8.5: what a rejected challenge costs.
    fn charge(&mut self, challenger: Seat, words: usize) {
        let index = challenger.index();
        let points = match self.options.challenge.map(|challenge| challenge.rule) {
            Some(ChallengeRule::Double) => {
                self.skips[index] += 1;
                return;
            }
            Some(ChallengeRule::Single) | None => return,
            Some(ChallengeRule::Five) => 5,
            Some(ChallengeRule::Ten) => 10,
        };
        self.scores[index] -= i32::try_from(words).unwrap_or(i32::MAX) * points;
    }

    /// R8.4: the letters come back; a special of the move stays laid.
    pub(crate) fn take_back(&mut self, pending: Pending) {
        let Pending { placement, specials, .. } = pending;
        let mut laid = Vec::new();
        for (square, face) in placement.laid(&self.board) {
            self.racks[self.active.index()].add(tile_of(face));
            laid.push(square);
        }
        self.lay_specials(specials);
        self.last = Some(Last::Played(Move {
            seat: self.active,
            play: placement,
            laid,
            stands: false,
            score: 0,
            earner: self.active,
            fired: Vec::new(),
            cleared: Vec::new(),
        }));
    }
}
