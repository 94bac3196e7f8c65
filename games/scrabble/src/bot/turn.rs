//! A turn: plays and exchanges by what they score and keep, and the best of them by what the next seat
//! could answer.

use bots::{Budget, Choice, Puzzled, Situation, Skill, second_thoughts};
use game_api::{GameRng, Seat};
use scrabble_words::{Position, best_play};

use super::leave::leave;
use super::stuff::Stuff;
use super::vocabulary::Vocabulary;
use super::{lead, settled};
use crate::action::{Action, Placement, Play};
use crate::board::Board;
use crate::play::words_formed;
use crate::sight::Sight;
use crate::state::State;
use crate::tile::{Counts, tile_of};
use crate::{Rules, Scrabble, listing};

/// So many are looked at again with what the next seat could answer,
pub(super) const LOOKED_AT: usize = 8;
/// with so many racks that it could have.
const GUESSES: u64 = 10;
/// With so few tiles to draw, those that are kept matter less.
const FEW_TILES: i32 = 14;

pub(super) struct Turn<'a> {
    pub(super) situation: &'a Situation<'a, Scrabble>,
    /// Of what is hidden it is only a guess.
    pub(super) state: &'a State,
    pub(super) rules: Rules<'a>,
    pub(super) skill: &'a Skill,
    pub(super) vocabulary: Vocabulary,
    pub(super) budget: &'a Budget<'a>,
}

/// What could be done, and its worth in tenths of a point.
#[derive(Clone)]
struct Candidate {
    action: Action,
    worth: i32,
}

/// Of these, in points.
fn best_worth(candidates: &[Candidate]) -> i32 {
    candidates.first().map_or(0, |best| best.worth / 10)
}

impl Turn<'_> {
    pub(super) fn choose(&self, rng: &mut GameRng) -> Result<Choice<Action>, Puzzled> {
        let sight = self.state.sight(self.situation.seat, self.rules.lexicon);
        let stuff = Stuff { turn: self, sight: &sight };
        let lead = lead(self.state, self.situation.seat);
        let purchase = stuff.purchase(rng)?;
        let candidates = self.candidates(&sight, &stuff, rng)?;
        if let Some(offer) = purchase {
            // The same as the turn's next decision is going to say.
            let value = lead - offer.price + best_worth(&candidates);
            return Ok(Choice { action: Action::Buy(offer.kind.clone()), value });
        }
        let choice = second_thoughts(self.skill, rng, |left_out: Option<&Action>| {
            let best = candidates.iter().find(|it| left_out != Some(&it.action))?;
            Some(Choice { action: best.action.clone(), value: best.worth })
        });
        let Some(Choice { action, value }) = choice else {
            return Ok(Choice { action: Action::Pass, value: lead });
        };
        Ok(Choice { action: stuff.dress(action, rng)?, value: lead + value / 10 })
    }

    /// What the match is worth to the seat whose turn it is, if it does its best.
    pub(super) fn standing(&self, rng: &mut GameRng) -> Result<i32, Puzzled> {
        let sight = self.state.sight(self.situation.seat, self.rules.lexicon);
        let candidates = self.candidates(&sight, &Stuff { turn: self, sight: &sight }, rng)?;
        Ok(lead(self.state, self.situation.seat) + best_worth(&candidates))
    }

    /// All that could be done but to pass, as the level sees it, the best first.
    fn candidates(
        &self,
        sight: &Sight<'_>,
        stuff: &Stuff<'_>,
        rng: &mut GameRng,
    ) -> Result<Vec<Candidate>, Puzzled> {
        let salt = rng.below(1 << 30) as u64;
        let mut candidates = self.plays(sight, stuff);
        candidates.extend(self.exchanges(sight));
        for (number, candidate) in (0..).zip(&mut candidates) {
            candidate.worth += self.skill.misjudgement(number, salt);
        }
        candidates.sort_by_key(|candidate| -candidate.worth);
        if self.skill.nodes > 0 && candidates.len() > 1 {
            self.look_ahead(&mut candidates, rng)?;
        }
        Ok(candidates)
    }

    /// The same with what each is worth.
    #[cfg(test)]
    pub(super) fn judged(&self, rng: &mut GameRng) -> Result<Vec<(Action, i32)>, Puzzled> {
        let sight = self.state.sight(self.situation.seat, self.rules.lexicon);
        let candidates = self.candidates(&sight, &Stuff { turn: self, sight: &sight }, rng)?;
        Ok(candidates.into_iter().map(|it| (it.action, it.worth)).collect())
    }

    fn plays(&self, sight: &Sight<'_>, stuff: &Stuff<'_>) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for (placement, score) in listing::plays(sight) {
            if !self.vocabulary.is_whole()
                && !self.vocabulary.knows(self.rules, sight.board, &placement)
            {
                continue;
            }
            let laid: Counts = placement.laid(sight.board).map(|(_, face)| tile_of(face)).collect();
            let kept = sight.rack.without(&laid).unwrap_or_default();
            let drawn = laid.total();
            let worth = 10 * score - stuff.risk(&placement, score) + self.kept_worth(kept, drawn);
            let action = Action::Play(Play { placement, specials: Vec::new() });
            candidates.push(Candidate { action, worth });
        }
        candidates
    }

    /// What the tiles that stay are worth, when so many are drawn.
    fn kept_worth(&self, kept: Counts, drawn: usize) -> i32 {
        let pool = self.state.pools[self.state.pool_of(self.situation.seat)].len();
        if pool > 0 {
            let left = i32::try_from(pool.saturating_sub(drawn)).unwrap_or(i32::MAX);
            return leave(&kept) * left.min(FEW_TILES) / FEW_TILES;
        }
        if kept.is_empty() {
            // R9.4: who goes out gets what the others hold.
            let others = self.state.players().filter(|other| *other != self.situation.seat);
            return others.map(|other| 10 * self.state.racks[other.index()].points()).sum();
        }
        -10 * kept.points()
    }

    /// Every set of tiles that can be exchanged.
    fn exchanges(&self, sight: &Sight<'_>) -> Vec<Candidate> {
        let mut sets = vec![Counts::default()];
        for tile in sight.rack.kinds() {
            let more = sets.iter().flat_map(|set| {
                (1..=sight.rack.of(tile)).map(|count| {
                    let mut set = *set;
                    set.0[usize::from(tile)] = count;
                    set
                })
            });
            let more: Vec<Counts> = more.collect();
            sets.extend(more);
        }
        let is_legal =
            |set: &Counts| !set.is_empty() && sight.check(&Action::Exchange(*set)).is_ok();
        let candidate = |set: Counts| {
            let kept = sight.rack.without(&set).unwrap_or_default();
            Candidate { action: Action::Exchange(set), worth: self.kept_worth(kept, 0) }
        };
        sets.into_iter().filter(is_legal).map(candidate).collect()
    }

    /// Takes off the best ones what the next seat could score after them, and sorts these anew.
    fn look_ahead(
        &self,
        candidates: &mut Vec<Candidate>,
        rng: &mut GameRng,
    ) -> Result<(), Puzzled> {
        candidates.truncate(LOOKED_AT);
        let boards: Vec<Board> = candidates.iter().map(|it| self.board_after(&it.action)).collect();
        let mut replies = vec![0; candidates.len()];
        let mut meter = self.budget.capped(self.skill.nodes).meter(1);
        let mut rounds = 0;
        while rounds < GUESSES {
            let rack = self.guess_rack(rng)?;
            let round: Vec<i32> = boards
                .iter()
                .map_while(|board| {
                    meter.spend().then(|| self.reply(board, rack).map_or(0, |(_, score)| score))
                })
                .collect();
            if round.len() < boards.len() {
                break;
            }
            rounds += 1;
            replies.iter_mut().zip(round).for_each(|(sum, score)| *sum += 10 * score);
        }
        if let Ok(rounds) = i32::try_from(rounds)
            && rounds > 0
        {
            for (candidate, reply) in candidates.iter_mut().zip(replies) {
                candidate.worth -= reply / rounds;
            }
            candidates.sort_by_key(|candidate| -candidate.worth);
        }
        Ok(())
    }

    /// Whose turn it is going to be.
    pub(super) fn next_seat(&self) -> Seat {
        self.state.next_seat()
    }

    /// A rack that the next seat could have, once a move that waits for answers has been made.
    pub(super) fn guess_rack(&self, rng: &mut GameRng) -> Result<Counts, Puzzled> {
        let state = settled(self.rules, self.situation.sample(rng)?);
        Ok(state.racks[self.next_seat().index()])
    }

    pub(super) fn board_after(&self, action: &Action) -> Board {
        match action {
            Action::Play(play) => words_formed(&self.state.board, &play.placement).0,
            _ => self.state.board,
        }
    }

    /// The play with the highest score that a rack allows.
    pub(super) fn reply(&self, board: &Board, rack: Counts) -> Option<(Placement, i32)> {
        let sight = self.state.sight(self.situation.seat, self.rules.lexicon);
        let position = Position { board: board.faces(), rack: rack.0, ..sight.position() };
        let play = best_play(self.rules.lexicon, &position)?;
        let start = crate::Square::from_index(play.start)?;
        let word = Vec::from(&play.word[..]);
        Some((Placement { start, direction: play.direction, word }, play.score))
    }
}
