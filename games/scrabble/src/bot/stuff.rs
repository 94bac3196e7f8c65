//! Specials: what to buy, where to lay it, and where others may have laid theirs.
//!
//! A special goes where the next seat is likely to lay a letter; how likely that is, guessed racks say.

use bots::Puzzled;
use game_api::GameRng;
use scrabble_words::SQUARES;

use super::lead;
use super::turn::Turn;
use crate::action::{Action, Placement, Spot};
use crate::board::Board;
use crate::options::{Offer, OwnSpecials};
use crate::sight::Sight;
use crate::square::Square;

/// So many racks of the next seat are guessed.
const GUESSES: i32 = 8;
/// Nothing is bought for a match that is nearly over.
const TILES_LEFT: usize = 14;
/// What a turn is worth, in tenths of a point.
const TURN: i32 = 300;
/// A purchase has to bring so much for each point, in tenths: the place may be gone when it is laid.
const YIELD: i32 = 14;
/// Below this a special is kept for a better place.
const LAID_FROM: i32 = 50;
/// How much of its score a letter risks where a special of another may lie.
const RISK_PERCENT: i32 = 10;

pub(super) struct Stuff<'a> {
    pub(super) turn: &'a Turn<'a>,
    pub(super) sight: &'a Sight<'a>,
}

/// For each square how many of the guessed racks would cover it, and what those plays score.
struct Heat([(i32, i32); SQUARES]);

impl Stuff<'_> {
    fn is_offered(&self) -> bool {
        !self.sight.options.specials.is_empty()
    }

    /// Something that pays, if nothing is held.
    pub(super) fn purchase(&self, rng: &mut GameRng) -> Result<Option<&Offer>, Puzzled> {
        let state = self.turn.state;
        let has_any = self.sight.stock.iter().chain(&state.bought).any(|count| *count > 0);
        if !self.is_offered() || has_any || self.sight.pool < TILES_LEFT {
            return Ok(None);
        }
        let heat = self.heat(&state.board, rng)?;
        let offers = self.sight.options.specials.iter();
        let profit = |offer: &&Offer| {
            let gain = |square: Square| self.gain(&offer.kind, heat.0[square.index()]);
            Square::all().map(gain).max().unwrap_or_default() - YIELD * offer.price
        };
        let best = offers.max_by_key(profit).filter(|offer| profit(offer) > 0);
        let is_legal = |offer: &&Offer| self.sight.check(&Action::Buy(offer.kind.clone())).is_ok();
        Ok(best.filter(is_legal))
    }

    /// The same play, with a special that is held where it does most.
    pub(super) fn dress(&self, action: Action, rng: &mut GameRng) -> Result<Action, Puzzled> {
        let Action::Play(play) = &action else { return Ok(action) };
        if self.sight.stock.iter().all(|count| *count == 0) {
            return Ok(action);
        }
        let heat = self.heat(&self.turn.board_after(&action), rng)?;
        let held = self.sight.options.specials.iter().zip(self.sight.stock.iter());
        let kinds = held.filter(|(_, count)| **count > 0).map(|(offer, _)| &offer.kind);
        let mut spots: Vec<(i32, Spot)> = kinds
            .flat_map(|kind| Square::all().map(move |square| Spot { kind: kind.clone(), square }))
            .map(|spot| (self.gain(&spot.kind, heat.0[spot.square.index()]), spot))
            .filter(|(gain, _)| *gain >= LAID_FROM)
            .collect();
        spots.sort_by_key(|(gain, _)| -gain);
        let dressed = spots.into_iter().map(|(_, spot)| {
            let mut play = play.clone();
            play.specials = vec![spot];
            Action::Play(play)
        });
        let legal = dressed.into_iter().find(|action| self.sight.check(action).is_ok());
        Ok(legal.unwrap_or(action))
    }

    /// What a special brings where so many of the guesses come, with so many points, in tenths.
    fn gain(&self, kind: &str, (count, points): (i32, i32)) -> i32 {
        let behind = -10 * lead(self.turn.state, self.turn.situation.seat);
        let all = match kind {
            "negative" | "snatch" => 20 * points,
            "boom" => 10 * points,
            "skip" => TURN * count,
            "exchange" => 2 * behind * count,
            _ => 0,
        };
        all / GUESSES
    }

    fn heat(&self, board: &Board, rng: &mut GameRng) -> Result<Heat, Puzzled> {
        let mut heat = Heat([(0, 0); SQUARES]);
        for _ in 0..GUESSES {
            let rack = self.turn.guess_rack(rng)?;
            let Some((placement, score)) = self.turn.reply(board, rack) else { continue };
            for (square, _) in placement.laid(board) {
                let (count, points) = &mut heat.0[square.index()];
                (*count, *points) = (*count + 1, *points + score);
            }
        }
        Ok(heat)
    }

    /// What a play risks, in tenths of a point: its score on an own special, a part of it beside the
    /// last letters of another, where a special may lie.
    pub(super) fn risk(&self, placement: &Placement, score: i32) -> i32 {
        if !self.is_offered() {
            return 0;
        }
        let (sight, seat) = (self.sight, self.turn.situation.seat);
        let laid = || placement.laid(sight.board).map(|(square, _)| square);
        let is_own = |square: Square| sight.own_laid.contains(square);
        if sight.options.own_specials == OwnSpecials::Trigger && laid().any(is_own) {
            return 20 * score;
        }
        let last = self.turn.state.last_move().filter(|last| last.stands && last.seat != seat);
        let Some(last) = last else { return 0 };
        let is_beside = |square: Square| square.neighbours().any(|next| last.laid.contains(&next));
        if laid().any(is_beside) { 10 * score * RISK_PERCENT / 100 } else { 0 }
    }
}
