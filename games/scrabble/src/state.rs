//! Everything about a match, secrets included, and what each action does to it.
//!
//! Whether an action is legal is decided before, on the [`Sight`] of the seat that acts.

use std::borrow::Cow;
use std::sync::Arc;

use game_api::{Game, GameRng, Seat, SeatSet, Seed, SetupError};
use scrabble_words::Lexicon;
use serde::{Deserialize, Serialize};

use crate::action::{Action, Placement, Play};
use crate::board::Board;
use crate::end::Ended;
use crate::options::{Options, Supply};
use crate::sight::{Phase, Sight};
use crate::specials::{Fired, Laid, Specials};
use crate::square::{Square, SquareSet};
use crate::tile::{Counts, Tile, tile_of};
use crate::{Rules, Scrabble};

/// Everything about a match. It has no `Serialize` and no `Debug`, so that it cannot leave by
/// accident.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// The rules of the match.
    pub options: Arc<Options>,
    /// How many seats the match has; those that are out count.
    pub seats: u8,
    /// The letters.
    pub board: Board,
    /// Each seat's tiles; those of a move in its window are not among them.
    pub racks: Vec<Counts>,
    /// The bag, or each seat's inventory; the last tile is drawn next.
    pub pools: Vec<Vec<Tile>>,
    /// The tiles out of the match: left out at the deal, or taken by Booms.
    pub removed: Counts,
    /// Each seat's points.
    pub scores: Vec<i32>,
    /// The specials on the board.
    pub specials: Specials,
    /// How many specials of each offer a seat can lay.
    pub stock: Vec<Vec<u16>>,
    /// Those that the active seat has bought in this turn.
    pub bought: Vec<u16>,
    /// R5.3: the premiums that have counted.
    pub premiums_used: SquareSet,
    /// Whether turns go round in the order of the seats.
    pub is_forward: bool,
    /// How many turns each seat is going to lose.
    pub skips: Vec<u32>,
    /// How often each seat has passed in succession.
    pub passes: Vec<u32>,
    /// How many turns in a row have scored nothing.
    pub scoreless: u32,
    /// How many turns have ended.
    pub turn: u32,
    /// Whose turn it is.
    pub active: Seat,
    /// The active seat's move, while it can be challenged.
    pub pending: Option<Pending>,
    /// How the last turn that was not lost went.
    pub last: Option<Last>,
    /// The seats that gave up, in that order.
    pub out: Vec<Seat>,
    /// How the match ended, if it did.
    pub ended: Option<Ended>,
    /// Chance that is still to come.
    pub rng: GameRng,
}

/// A move in its challenge window: its letters are public, its specials are not.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Pending {
    /// The letters.
    pub placement: Placement,
    /// The specials that come with it.
    pub specials: Vec<Laid>,
    /// Who has accepted so far.
    pub accepted: SeatSet,
}

/// How the last turn that was not lost went: all of it is public.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Last {
    Played(Move),
    Exchanged { seat: Seat, count: usize },
    Passed { seat: Seat },
}

/// A move that stood or fell: all of it is public.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Move {
    /// Whose it was.
    pub seat: Seat,
    /// The letters.
    pub play: Placement,
    /// The squares of the new ones.
    pub laid: Vec<Square>,
    /// Whether it stood; a challenge that is upheld takes it back.
    pub stands: bool,
    /// What it scored.
    pub score: i32,
    /// Who got that.
    pub earner: Seat,
    /// The specials that it hit, in order.
    pub fired: Vec<Fired>,
    /// The squares whose letters are gone.
    pub cleared: Vec<Square>,
}

impl State {
    /// R1: the first state of a match.
    pub(crate) fn deal(options: Options, seats: u8, seed: &Seed) -> Result<State, SetupError> {
        if !Scrabble::META.seats.contains(&seats) {
            return Err(SetupError::InvalidPlayers { got: seats, allowed: Scrabble::META.seats });
        }
        let set = Counts::full(options.blanks);
        let mut state = State::empty(options, seats, seed);
        for pool in &mut state.pools {
            pool.extend(set.tiles());
            state.rng.shuffle(pool);
            let left_out = pool.drain(..usize::from(state.options.left_out)).collect();
            state.removed = state.removed.with(&left_out);
        }
        for seat in Seat::all(seats) {
            state.replenish_tiles(seat);
        }
        Ok(state)
    }

    /// A match without tiles.
    pub(crate) fn empty(options: Options, seats: u8, seed: &Seed) -> State {
        let count = usize::from(seats);
        let pools = match options.supply {
            Supply::Bag => 1,
            Supply::Inventories => count,
        };
        let none = vec![0; options.specials.len()];
        State {
            seats,
            board: Board::default(),
            racks: vec![Counts::default(); count],
            pools: vec![Vec::new(); pools],
            removed: Counts::default(),
            scores: vec![options.starting_points; count],
            specials: Specials::default(),
            stock: vec![none.clone(); count],
            bought: none,
            premiums_used: SquareSet::default(),
            is_forward: true,
            skips: vec![0; count],
            passes: vec![0; count],
            scoreless: 0,
            turn: 0,
            active: Seat::FIRST,
            pending: None,
            last: None,
            out: Vec::new(),
            ended: None,
            rng: GameRng::new(seed),
            options: Arc::new(options),
        }
    }

    /// Is this seat still in the match?
    pub fn is_in(&self, seat: Seat) -> bool {
        seat.index() < self.racks.len() && !self.out.contains(&seat)
    }

    /// The seats still in the match.
    pub fn players(&self) -> impl Iterator<Item = Seat> {
        Seat::all(self.seats).filter(|seat| self.is_in(*seat))
    }

    /// The seats that may act now.
    pub fn to_act(&self) -> SeatSet {
        match &self.pending {
            _ if self.ended.is_some() => SeatSet::EMPTY,
            None => SeatSet::only(self.active),
            Some(pending) => self
                .players()
                .filter(|seat| *seat != self.active && !pending.accepted.contains(*seat))
                .collect(),
        }
    }

    /// As if it were this seat's turn. While a move waits for answers nobody knows the board of the
    /// next turn.
    pub(crate) fn as_if_turn_of(&self, seat: Seat) -> Option<State> {
        let is_open = self.pending.is_none() && self.ended.is_none() && self.is_in(seat);
        is_open.then(|| State {
            active: seat,
            bought: vec![0; self.options.specials.len()],
            ..self.clone()
        })
    }

    /// The last turn's move, if it was one.
    pub fn last_move(&self) -> Option<&Move> {
        match &self.last {
            Some(Last::Played(last)) => Some(last),
            _ => None,
        }
    }

    /// Where a seat's tiles are drawn from.
    pub fn pool_of(&self, seat: Seat) -> usize {
        if self.pools.len() > 1 { seat.index() } else { 0 }
    }

    pub(crate) fn phase(&self, seat: Seat) -> Phase {
        if self.ended.is_some() {
            Phase::Over
        } else if !self.to_act().contains(seat) {
            Phase::Waiting
        } else if self.pending.is_some() {
            Phase::Window
        } else {
            Phase::Turn
        }
    }

    /// What the legality of a seat's actions hangs on.
    pub(crate) fn sight<'a>(&'a self, seat: Seat, lexicon: &'a Lexicon) -> Sight<'a> {
        let own = self.specials.laid.iter().chain(&self.specials.replaced);
        Sight {
            lexicon,
            options: &self.options,
            board: &self.board,
            phase: self.phase(seat),
            rack: self.racks[seat.index()],
            pool: self.pools[self.pool_of(seat)].len(),
            points: self.scores[seat.index()],
            stock: Cow::Borrowed(&self.stock[seat.index()]),
            own_laid: own.filter(|it| it.owner == seat).map(|it| it.square).collect(),
            premiums_used: self.premiums_used,
        }
    }

    /// The state after a legal action.
    pub(crate) fn after(&self, rules: Rules<'_>, seat: Seat, action: &Action) -> State {
        let mut next = self.clone();
        match action {
            Action::Play(play) => next.submit(rules, play),
            Action::Exchange(tiles) => next.exchange(tiles),
            Action::Buy(kind) => next.buy(kind),
            Action::Pass => {
                next.passes[seat.index()] += 1;
                next.last = Some(Last::Passed { seat });
                next.end_turn(false);
            }
            Action::Accept => next.accept(rules, seat),
            Action::Challenge => next.challenge(rules, seat),
        }
        next
    }

    /// Takes the letters and specials of a move into the hand: into the window, or on at once.
    fn submit(&mut self, rules: Rules<'_>, play: &Play) {
        let owner = self.active;
        for (_, face) in play.placement.laid(&self.board) {
            // Legality has counted them.
            let _ = self.racks[owner.index()].take(tile_of(face));
        }
        let mut specials = Vec::new();
        for spot in &play.specials {
            if let Some(offer) = self.options.offer(&spot.kind) {
                self.stock[owner.index()][offer] -= 1;
                let kind = u8::try_from(offer).unwrap_or(u8::MAX);
                specials.push(Laid { square: spot.square, kind, owner });
            }
        }
        self.passes[owner.index()] = 0;
        let placement = play.placement.clone();
        let pending = Pending { placement, specials, accepted: SeatSet::EMPTY };
        if self.options.challenge.is_some() {
            self.pending = Some(pending);
        } else {
            self.execute_move(rules, pending);
        }
    }

    /// R2.4: new tiles first, so that none of the old ones comes back.
    fn exchange(&mut self, tiles: &Counts) {
        let (seat, pool) = (self.active, self.pool_of(self.active));
        let rack = self.racks[seat.index()].without(tiles).unwrap_or_default();
        let pool = &mut self.pools[pool];
        let drawn = pool.split_off(pool.len().saturating_sub(tiles.total()));
        self.racks[seat.index()] = rack.with(&drawn.into_iter().collect());
        pool.extend(tiles.tiles());
        self.rng.shuffle(pool);
        self.passes[seat.index()] = 0;
        self.last = Some(Last::Exchanged { seat, count: tiles.total() });
        self.end_turn(false);
    }

    /// R6.2
    fn buy(&mut self, kind: &str) {
        if let Some(offer) = self.options.offer(kind) {
            self.scores[self.active.index()] -= self.options.specials[offer].price;
            self.bought[offer] += 1;
        }
    }

    /// R2.6: fills the rack from the bag or the seat's inventory, as far as there are tiles.
    pub(crate) fn replenish_tiles(&mut self, seat: Seat) {
        let pool = self.pool_of(seat);
        while self.racks[seat.index()].total() < usize::from(self.options.rack)
            && let Some(tile) = self.pools[pool].pop()
        {
            self.racks[seat.index()].add(tile);
        }
    }
}
