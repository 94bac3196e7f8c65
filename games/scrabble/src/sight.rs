//! What the legality of a seat's actions hangs on: its own things and what all can see.
//!
//! A state and a view both have one, so that the browser judges by the same lines as the server, and
//! a refusal can tell nothing that the seat does not know.

use std::borrow::Cow;

use scrabble_words::{Lexicon, Position};

use crate::action::Action;
use crate::board::Board;
use crate::options::{Options, OwnSpecials};
use crate::play;
use crate::square::{LETTER_TIMES, Square, SquareSet, WORD_TIMES};
use crate::tile::{Counts, VALUES, tile_char};
use crate::violation::Violation;

/// What a seat may do just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Nothing: the match is over.
    Over,
    /// Nothing: others are to act.
    Waiting,
    /// Answer a move.
    Window,
    /// Take its turn.
    Turn,
}

/// All that one seat's legality hangs on.
pub(crate) struct Sight<'a> {
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) options: &'a Options,
    pub(crate) board: &'a Board,
    pub(crate) phase: Phase,
    /// The own tiles.
    pub(crate) rack: Counts,
    /// How many tiles there are to draw from.
    pub(crate) pool: usize,
    /// The own points.
    pub(crate) points: i32,
    /// How many specials of each offer can be laid.
    pub(crate) stock: Cow<'a, [u16]>,
    /// Where own specials lie, as far as their owner knows.
    pub(crate) own_laid: SquareSet,
    /// R5.3: the premiums that have counted.
    pub(crate) premiums_used: SquareSet,
}

impl Sight<'_> {
    /// Refuses what is illegal.
    pub(crate) fn check(&self, action: &Action) -> Result<(), Violation> {
        match (self.phase, action) {
            (Phase::Over, _) => Err(Violation::GameOver),
            (Phase::Waiting, _) => Err(Violation::NotYourTurn),
            (Phase::Window, Action::Accept | Action::Challenge) | (Phase::Turn, Action::Pass) => {
                Ok(())
            }
            (Phase::Window, _) => Err(Violation::WindowOpen),
            (Phase::Turn, Action::Accept | Action::Challenge) => Err(Violation::NoWindow),
            (Phase::Turn, Action::Play(play)) => play::validate(self, play),
            (Phase::Turn, Action::Exchange(tiles)) => self.check_exchange(tiles),
            (Phase::Turn, Action::Buy(kind)) => self.check_purchase(kind),
        }
    }

    /// R6.5: may a letter of this seat go there?
    pub(crate) fn is_vacant(&self, square: Square) -> bool {
        let is_blocked =
            self.options.own_specials == OwnSpecials::Block && self.own_laid.contains(square);
        !is_blocked && !self.board.has_letter(square)
    }

    /// R2.4
    fn check_exchange(&self, tiles: &Counts) -> Result<(), Violation> {
        let missing = tiles.kinds().find(|tile| tiles.of(*tile) > self.rack.of(*tile));
        if let Some(tile) = missing {
            return Err(Violation::TileNotHeld { tile: tile_char(tile) });
        }
        let needed = usize::from(self.options.exchange_minimum).max(tiles.total());
        if self.pool < needed {
            return Err(Violation::TooFewToExchange { needed, left: self.pool });
        }
        Ok(())
    }

    /// R6.2
    fn check_purchase(&self, kind: &str) -> Result<(), Violation> {
        let kind = kind.to_owned();
        let Some(index) = self.options.offer(&kind) else {
            return Err(Violation::UnknownSpecial { kind });
        };
        let (price, points) = (self.options.specials[index].price, self.points);
        if points < price { Err(Violation::TooExpensive { kind, price, points }) } else { Ok(()) }
    }

    /// The same as the generator of plays wants it.
    pub(crate) fn position(&self) -> Position<'_> {
        Position {
            board: self.board.faces(),
            rack: self.rack.0,
            letter_times: &LETTER_TIMES,
            word_times: &WORD_TIMES,
            values: &VALUES,
            centre: Square::CENTRE.index(),
            full_rack: self.options.rack,
            bonus: self.options.bonus,
        }
    }
}
