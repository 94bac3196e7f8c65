//! What one viewer may know of a state, built field by field: what is not written here cannot leave.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use game_api::{BadView, Context, GameRng, Seat, SeatSet, Viewer};
use scrabble_words::Lexicon;
use serde::{Deserialize, Serialize};

use crate::action::{Action, Placement, Spot};
use crate::board::Board;
use crate::end::Ended;
use crate::options::{Offer, Options, Supply};
use crate::settling::settle;
use crate::sight::{Phase, Sight};
use crate::specials::{Effects, Laid, Specials};
use crate::square::SquareSet;
use crate::state::{Last, Pending, State};
use crate::tile::{Counts, Tile};
use crate::violation::Violation;
use crate::{Rules, Scrabble};

/// What one viewer may know of a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// Whose view it is.
    pub viewer: Viewer,
    /// The letters, fifteen rows: `.` is empty, a blank in lower case.
    pub board: Board,
    /// The own tiles, in order; `None` for a spectator.
    pub rack: Option<String>,
    /// How many tiles each seat holds.
    pub rack_sizes: Vec<usize>,
    /// The tiles of each pool's set that this viewer cannot see: in the pool, or on others' racks.
    pub unseen: Vec<Counts>,
    /// How many tiles the bag, or each inventory, has left.
    pub pools: Vec<usize>,
    /// The tiles out of the match: left out at the deal, or taken by Booms.
    pub removed: Counts,
    /// Each seat's points.
    pub scores: Vec<i32>,
    /// The own specials; `None` for a spectator.
    pub specials: Option<OwnedSpecials>,
    /// What can be bought, and for how much.
    pub prices: Vec<Offer>,
    /// The seats still in the match, in the order of their turns; the first is the one whose turn it
    /// is.
    pub order: Vec<Seat>,
    /// Which way turns go round.
    pub direction: Heading,
    /// How many turns each seat is going to lose.
    pub skips: Vec<u32>,
    /// How often each seat has passed in succession.
    pub passes: Vec<u32>,
    /// How many turns in a row have scored nothing.
    pub scoreless: u32,
    /// The premiums that have counted and never will again.
    pub premiums_used: SquareSet,
    /// A move in its challenge window.
    pub pending: Option<PendingView>,
    /// How the last turn that was not lost went.
    pub last: Option<Last>,
    /// The seats that gave up, in that order.
    pub out: Vec<Seat>,
    /// How many turns have ended.
    pub turn: u32,
    /// How the match ended, if it did.
    pub ended: Option<Ended>,
    /// Who may act now.
    pub to_act: SeatSet,
}

/// Which way turns go round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heading {
    /// In the order of the seats.
    Forward,
    /// Against it.
    Backward,
}

/// A viewer's own specials.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnedSpecials {
    /// Those on the board, as far as their owner knows.
    pub laid: Vec<Spot>,
    /// How many of each kind can be laid.
    pub stock: BTreeMap<String, u16>,
    /// How many of each kind were bought in this turn.
    pub bought: BTreeMap<String, u16>,
}

/// A move in its challenge window, as a viewer may see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingView {
    /// Whose it is.
    pub seat: Seat,
    /// The letters.
    pub play: Placement,
    /// Who has accepted so far.
    pub accepted: SeatSet,
    /// The specials that come with it, if they are the viewer's; for others it is as if there were
    /// none.
    pub specials: Vec<Spot>,
}

/// What a seat can foresee of its action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// What the move would score if no special of others lay there; of a purchase, what it costs.
    pub score: i32,
    /// The words that it would form.
    pub words: Vec<String>,
}

impl View {
    pub(crate) fn of(state: &State, viewer: Viewer) -> View {
        let own = viewer.seat().filter(|seat| seat.index() < state.racks.len());
        View {
            viewer,
            board: state.board,
            rack: own.map(|own| state.racks[own.index()].to_string()),
            rack_sizes: state.racks.iter().map(Counts::total).collect(),
            unseen: unseen(state, own),
            pools: state.pools.iter().map(Vec::len).collect(),
            removed: state.removed,
            scores: state.scores.clone(),
            specials: own.map(|own| OwnedSpecials::of(state, own)),
            prices: state.options.specials.clone(),
            order: order(state),
            direction: if state.is_forward { Heading::Forward } else { Heading::Backward },
            skips: state.skips.clone(),
            passes: state.passes.clone(),
            scoreless: state.scoreless,
            premiums_used: state.premiums_used,
            pending: state.pending.as_ref().map(|pending| PendingView {
                seat: state.active,
                play: pending.placement.clone(),
                accepted: pending.accepted,
                specials: if own == Some(state.active) {
                    spots(&state.options, &pending.specials)
                } else {
                    Vec::new()
                },
            }),
            last: state.last.clone(),
            out: state.out.clone(),
            turn: state.turn,
            ended: state.ended.clone(),
            to_act: state.to_act(),
        }
    }

    /// What the legality of the viewer's actions hangs on; a spectator has none.
    fn sight<'a>(&'a self, lexicon: &'a Lexicon, options: &'a Options) -> Option<Sight<'a>> {
        let own = self.viewer.seat()?;
        let specials = self.specials.as_ref()?;
        let pool = if self.pools.len() > 1 { own.index() } else { 0 };
        let phase = match &self.pending {
            _ if self.ended.is_some() => Phase::Over,
            _ if !self.to_act.contains(own) => Phase::Waiting,
            Some(_) => Phase::Window,
            None => Phase::Turn,
        };
        Some(Sight {
            lexicon,
            options,
            board: &self.board,
            phase,
            rack: self.rack.as_deref()?.parse().ok()?,
            pool: *self.pools.get(pool)?,
            points: *self.scores.get(own.index())?,
            stock: Cow::Owned(by_offer(options, &specials.stock)),
            own_laid: specials.laid.iter().map(|spot| spot.square).collect(),
            premiums_used: self.premiums_used,
        })
    }

    /// Legal exactly if the rules say so, and counted as if no special of others lay there.
    pub(crate) fn preview(
        &self,
        rules: Rules<'_>,
        context: &Context<'_, Scrabble>,
        action: &Action,
    ) -> Result<Preview, Violation> {
        let options = context.options;
        // A view that no match has is nobody's to act on.
        let sight = self.sight(rules.lexicon, options);
        let sight = sight.filter(|_| self.check_shape(options, context.seats).is_ok());
        let sight = sight.ok_or(Violation::NotYourTurn)?;
        sight.check(action)?;
        match (action, self.viewer.seat()) {
            (Action::Play(play), Some(seat)) => {
                let mut table = self.table(options, seat);
                let mut used = self.premiums_used;
                let placement = &play.placement;
                let booking = settle(rules, options, placement, seat, &mut table, &mut used);
                Ok(Preview { score: booking.score, words: booking.words })
            }
            (Action::Buy(kind), _) => {
                let price = options.offer(kind).map_or(0, |offer| options.specials[offer].price);
                Ok(Preview { score: -price, words: Vec::new() })
            }
            _ => Ok(Preview { score: 0, words: Vec::new() }),
        }
    }

    /// The table as the viewer knows it.
    fn table(&self, options: &Options, seat: Seat) -> Effects {
        let own = self.specials.iter().flat_map(|specials| &specials.laid);
        Effects {
            board: self.board,
            removed: self.removed,
            cleared: Vec::new(),
            specials: Specials { laid: laid_of(options, own, seat), replaced: Vec::new() },
            scores: self.scores.clone(),
            skips: self.skips.clone(),
            is_forward: true,
            factor: 1,
            earner: seat,
        }
    }

    /// A state that looks like this to the viewer. Unseen tiles are guessed as if nothing were
    /// remembered of earlier turns, and no special of others is guessed at all.
    pub(crate) fn determinize(
        &self,
        context: &Context<'_, Scrabble>,
        rng: &mut GameRng,
    ) -> Result<State, BadView> {
        let (options, seats) = (context.options, context.seats);
        self.check_shape(options, seats)?;
        let own = context.viewer.seat();
        let (racks, pools) = self.deal(own, seats, rng)?;
        let none = vec![0; options.specials.len()];
        let owned = self.specials.clone().unwrap_or_default();
        let mut stock = vec![none.clone(); usize::from(seats)];
        let mut laid = Vec::new();
        if let Some(own) = own.filter(|own| own.index() < stock.len()) {
            stock[own.index()] = by_offer(options, &owned.stock);
            laid = laid_of(options, &owned.laid, own);
        }
        let pending = self.pending.as_ref().map(|pending| Pending {
            placement: pending.play.clone(),
            specials: laid_of(options, &pending.specials, pending.seat),
            accepted: pending.accepted,
        });
        let is_own_turn = own == self.order.first().copied();
        let state = State {
            options: Arc::new(options.clone()),
            seats,
            board: self.board,
            racks,
            pools,
            removed: self.removed,
            scores: self.scores.clone(),
            specials: Specials { laid, replaced: Vec::new() },
            stock,
            bought: if is_own_turn { by_offer(options, &owned.bought) } else { none },
            premiums_used: self.premiums_used,
            is_forward: self.direction == Heading::Forward,
            skips: self.skips.clone(),
            passes: self.passes.clone(),
            scoreless: self.scoreless,
            turn: self.turn,
            active: self.order.first().copied().unwrap_or(Seat::FIRST),
            pending,
            last: self.last.clone(),
            out: self.out.clone(),
            ended: self.ended.clone(),
            rng: rng.split(),
        };
        if View::of(&state, context.viewer) == *self {
            Ok(state)
        } else {
            Err(BadView("its parts contradict each other"))
        }
    }

    /// Refuses options that make no match, and lists that are not as long as the match has seats, so
    /// that nothing is looked up beyond them.
    fn check_shape(&self, options: &Options, seats: u8) -> Result<(), BadView> {
        let count = usize::from(seats);
        let pools = if options.supply == Supply::Bag { 1 } else { count };
        let lengths =
            [self.rack_sizes.len(), self.scores.len(), self.skips.len(), self.passes.len()];
        let unadjusted = self.ended.as_ref().map_or(count, |ended| ended.unadjusted.len());
        let is_seat = |seat: &Seat| seat.index() < count;
        let is_fit = options.check().is_ok()
            && lengths == [count; 4]
            && self.rack_sizes.iter().all(|size| *size <= usize::from(options.rack))
            && unadjusted == count
            && [self.unseen.len(), self.pools.len()] == [pools; 2]
            && self.order.iter().chain(&self.out).all(is_seat)
            && self.pending.iter().all(|pending| is_seat(&pending.seat));
        if is_fit { Ok(()) } else { Err(BadView("the seats do not fit")) }
    }

    /// The racks and pools, with all that is unseen in some order.
    fn deal(
        &self,
        own: Option<Seat>,
        seats: u8,
        rng: &mut GameRng,
    ) -> Result<(Vec<Counts>, Vec<Vec<Tile>>), BadView> {
        let mut pools: Vec<Vec<Tile>> =
            self.unseen.iter().map(|unseen| unseen.tiles().collect()).collect();
        for pool in &mut pools {
            rng.shuffle(pool);
        }
        let mut racks = Vec::with_capacity(usize::from(seats));
        for seat in Seat::all(seats) {
            if own == Some(seat) {
                let rack = self.rack.as_deref().and_then(|rack| rack.parse().ok());
                racks.push(rack.ok_or(BadView("the own rack is missing"))?);
                continue;
            }
            let pool = if pools.len() > 1 { seat.index() } else { 0 };
            let size = self.rack_sizes[seat.index()];
            let rest = pools[pool].len().checked_sub(size).ok_or(BadView("too many tiles"))?;
            racks.push(pools[pool].split_off(rest).into_iter().collect());
        }
        Ok((racks, pools))
    }
}

impl OwnedSpecials {
    fn of(state: &State, own: Seat) -> OwnedSpecials {
        let bought = if state.active == own { &state.bought[..] } else { &[] };
        OwnedSpecials {
            laid: spots(&state.options, &state.specials.seen_by(own)),
            stock: by_name(&state.options, &state.stock[own.index()]),
            bought: by_name(&state.options, bought),
        }
    }
}

/// R11.2: what is in each pool, and on the racks that are filled from it and are not the own.
fn unseen(state: &State, own: Option<Seat>) -> Vec<Counts> {
    let pools = state.pools.iter().map(|pool| pool.iter().copied().collect());
    let mut unseen: Vec<Counts> = pools.collect();
    for seat in Seat::all(state.seats).filter(|seat| own != Some(*seat)) {
        let pool = &mut unseen[state.pool_of(seat)];
        *pool = pool.with(&state.racks[seat.index()]);
    }
    unseen
}

fn order(state: &State) -> Vec<Seat> {
    let step = |by| if state.is_forward { by } else { state.seats - by };
    let seats = (0..state.seats).map(|by| state.active.after(step(by), state.seats));
    seats.filter(|seat| state.is_in(*seat)).collect()
}

/// Specials as their owner reads them.
pub(crate) fn spots(options: &Options, laid: &[Laid]) -> Vec<Spot> {
    let kind = |laid: &Laid| options.specials[usize::from(laid.kind)].kind.clone();
    laid.iter().map(|laid| Spot { kind: kind(laid), square: laid.square }).collect()
}

fn laid_of<'a>(
    options: &Options,
    spots: impl IntoIterator<Item = &'a Spot>,
    owner: Seat,
) -> Vec<Laid> {
    let laid = |spot: &Spot| {
        let kind = u8::try_from(options.offer(&spot.kind)?).ok()?;
        Some(Laid { square: spot.square, kind, owner })
    };
    spots.into_iter().filter_map(laid).collect()
}

fn by_name(options: &Options, counts: &[u16]) -> BTreeMap<String, u16> {
    let held = options.specials.iter().zip(counts).filter(|(_, count)| **count > 0);
    held.map(|(offer, count)| (offer.kind.clone(), *count)).collect()
}

fn by_offer(options: &Options, counts: &BTreeMap<String, u16>) -> Vec<u16> {
    let count = |offer: &Offer| counts.get(&offer.kind).copied().unwrap_or(0);
    options.specials.iter().map(count).collect()
}
