//! Everything about a match, secrets included, and what each action does to it.
//!
//! Whether an action is legal is decided before, on the view of the seat that acts.

use game_api::{Forfeit, Game, GameRng, Outcome, Seat, SeatSet, Seed, SetupError};
use serde::{Deserialize, Serialize};

use crate::{Action, Card, Place, RANKS, Template};

/// What a host can choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// R6.2: after how many turns the match ends, 1 to 48.
    pub turns_max: u32,
    /// R1.3: how many cards each seat is dealt, 1 to 4.
    pub hand: u8,
}

impl Default for Options {
    fn default() -> Self {
        Options { turns_max: 48, hand: 3 }
    }
}

/// Everything about a match. It has no `Serialize` and no `Debug`, so that it cannot leave by
/// accident.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// How many seats the match has; those that are out count.
    pub seats: u8,
    /// R6.2: after how many turns the match ends.
    pub turns_max: u32,
    /// Each seat's cards, in no order. A card that is being voted on is in `pending`.
    pub hands: Vec<Vec<Card>>,
    /// Each seat's snare.
    pub snares: Vec<Snare>,
    /// The top card is the last.
    pub stock: Vec<Card>,
    /// The cards on each place; the top card is the last.
    pub places: [Vec<Card>; 5],
    /// Each seat's points.
    pub scores: Vec<i32>,
    /// How many turns have ended.
    pub turn: u32,
    /// Whose turn it is.
    pub active: Seat,
    /// The active seat's play, while it is voted on.
    pub pending: Option<Pending>,
    /// The seats that forfeited, in that order.
    pub out: Vec<Seat>,
    /// Why the match is over, if it is.
    pub end: Option<End>,
}

/// Where a seat's snare is: in a view it is `"held"`, `"sprung"` or the letter of its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Snare {
    /// With its owner.
    Held,
    /// Gone, and no longer a secret.
    Sprung,
    /// On a place, in secret.
    #[serde(untagged)]
    Laid(Place),
}

/// A play that is voted on. All of it is public (R3.1); the snare laid with it is not in here.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pending {
    /// Face up, but not laid yet.
    pub card: Card,
    /// Where it would be laid.
    pub place: Place,
    /// Who accepted so far.
    pub accepted: SeatSet,
    /// Who objected so far.
    pub objected: SeatSet,
}

/// Why a match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// R6.1
    EmptyHand,
    /// R6.2
    LastTurn,
    /// R6.4
    Agreed,
    /// R7.1: all seats but one are out, the last of them for this cause.
    Forfeit(Forfeit),
}

impl State {
    /// R1: the first state of a match.
    pub(crate) fn deal(options: &Options, seats: u8, seed: &Seed) -> Result<State, SetupError> {
        if !Template::META.seats.contains(&seats) {
            return Err(SetupError::InvalidPlayers { got: seats, allowed: Template::META.seats });
        }
        if !(1..=48).contains(&options.turns_max) || !(1..=4).contains(&options.hand) {
            let ranges = "turns_max goes from 1 to 48, hand from 1 to 4";
            return Err(SetupError::InvalidSetup(ranges.to_owned()));
        }
        let mut stock = deck();
        GameRng::new(seed).shuffle(&mut stock);
        let mut deal_hand = |_| stock.split_off(stock.len() - usize::from(options.hand));
        Ok(State {
            seats,
            turns_max: options.turns_max,
            hands: Seat::all(seats).map(&mut deal_hand).collect(),
            snares: vec![Snare::Held; usize::from(seats)],
            stock,
            places: Default::default(),
            scores: vec![0; usize::from(seats)],
            turn: 0,
            active: Seat::FIRST,
            pending: None,
            out: Vec::new(),
            end: None,
        })
    }

    /// Is this seat still in the match?
    pub fn is_in(&self, seat: Seat) -> bool {
        seat.index() < self.hands.len() && !self.out.contains(&seat)
    }

    /// Is a play being voted on?
    pub fn is_voting(&self) -> bool {
        self.end.is_none() && self.pending.is_some()
    }

    /// The seats that may act now.
    pub fn to_act(&self) -> SeatSet {
        match &self.pending {
            _ if self.end.is_some() => SeatSet::EMPTY,
            None => SeatSet::only(self.active),
            Some(play) => self
                .voters()
                .filter(|seat| !play.accepted.contains(*seat) && !play.objected.contains(*seat))
                .collect(),
        }
    }

    /// R4.1: the seats whose snare is gone.
    pub fn sprung(&self) -> SeatSet {
        Seat::all(self.seats).filter(|seat| self.snares[seat.index()] == Snare::Sprung).collect()
    }

    /// R3.1: the seats whose vote on the active seat's play counts.
    fn voters(&self) -> impl Iterator<Item = Seat> {
        Seat::all(self.seats).filter(|seat| self.is_in(*seat) && *seat != self.active)
    }

    /// The state after a legal action.
    pub(crate) fn after(&self, seat: Seat, action: Action) -> State {
        let mut next = self.clone();
        match action {
            Action::Play { card, place, snare } => {
                next.take_card(card);
                if let Some(place) = snare {
                    next.snares[seat.index()] = Snare::Laid(place);
                }
                let nobody = SeatSet::EMPTY;
                next.pending = Some(Pending { card, place, accepted: nobody, objected: nobody });
            }
            Action::Swap(card) => {
                next.take_card(card);
                next.draw_card();
                next.stock.insert(0, card);
                next.end_turn();
            }
            Action::Pass => next.end_turn(),
            Action::Accept | Action::Object => {
                if let Some(play) = &mut next.pending {
                    let is_object = action == Action::Object;
                    let side = if is_object { &mut play.objected } else { &mut play.accepted };
                    *side = side.with(seat);
                }
                next.settle_vote();
            }
        }
        next
    }

    /// R7: the state after a seat gave up.
    pub(crate) fn after_forfeit(&self, seat: Seat, cause: Forfeit) -> State {
        let mut next = self.clone();
        if self.end.is_some() || !self.is_in(seat) {
            return next;
        }
        next.out.push(seat);
        if next.out.len() + 1 == next.hands.len() {
            next.end = Some(End::Forfeit(cause));
        } else if seat == next.active {
            // R7.5
            next.return_card();
            next.end_turn();
        } else {
            // R7.4
            next.settle_vote();
        }
        next
    }

    /// R3.3 to R3.7: what becomes of the play, once all have voted.
    fn settle_vote(&mut self) {
        let is_complete = self.to_act().is_empty();
        let Some(play) = self.pending.clone().filter(|_| is_complete) else { return };
        let objectors: SeatSet =
            self.voters().filter(|seat| play.objected.contains(*seat)).collect();
        if 2 * objectors.len() > self.voters().count() {
            self.return_card();
            for seat in objectors.iter() {
                self.scores[seat.index()] -= 1;
            }
        } else {
            self.pending = None;
            self.places[play.place.index()].push(play.card);
            let earner = self.spring_snares(play.place);
            self.scores[earner.index()] += i32::from(play.card);
            self.draw_card();
        }
        self.end_turn();
    }

    /// R4: springs what lies under the active seat's play; says who gets the points.
    fn spring_snares(&mut self, place: Place) -> Seat {
        let mut earner = None;
        for owner in (1..self.seats).map(|step| self.active.after(step, self.seats)) {
            if self.snares[owner.index()] == Snare::Laid(place) {
                self.snares[owner.index()] = Snare::Sprung;
                // R4.3, R7.3
                if earner.is_none() && self.is_in(owner) {
                    earner = Some(owner);
                }
            }
        }
        earner.unwrap_or(self.active)
    }

    /// R1.5, R6.1, R6.2
    fn end_turn(&mut self) {
        self.turn += 1;
        if self.hands[self.active.index()].is_empty() {
            self.end = Some(End::EmptyHand);
        } else if self.turn >= self.turns_max {
            self.end = Some(End::LastTurn);
        }
        let mut seats = (1..=self.seats).map(|step| self.active.after(step, self.seats));
        self.active = seats.find(|seat| self.is_in(*seat)).unwrap_or(self.active);
    }

    /// Takes a card out of the active seat's hand.
    fn take_card(&mut self, card: Card) {
        let hand = &mut self.hands[self.active.index()];
        if let Some(index) = hand.iter().position(|held| *held == card) {
            hand.remove(index);
        }
    }

    /// R3.3: takes the active seat's play back, if it has made one.
    fn return_card(&mut self) {
        let play = self.pending.take();
        self.hands[self.active.index()].extend(play.map(|play| play.card));
    }

    fn draw_card(&mut self) {
        self.hands[self.active.index()].extend(self.stock.pop());
    }

    /// R6, R7.1: how the match ended, if it did.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        let reason = match self.end? {
            End::EmptyHand => "empty_hand",
            End::LastTurn => "last_turn",
            End::Agreed => "agreed",
            End::Forfeit(cause) => cause.key(),
        };
        // The better standing is the greater: in before out, out late before out early, more points.
        let standing = |seat: Seat| {
            let went_out = self.out.iter().position(|out| *out == seat);
            let is_tied = self.end == Some(End::Agreed);
            (went_out.is_none(), went_out, if is_tied { 0 } else { self.scores[seat.index()] })
        };
        let place_of = |seat| {
            let better = Seat::all(self.seats).filter(|other| standing(*other) > standing(seat));
            better.fold(1, |place, _| place + 1)
        };
        Some(Outcome { places: Seat::all(self.seats).map(place_of).collect(), reason })
    }
}

/// R1.2, unshuffled.
pub(crate) fn deck() -> Vec<Card> {
    RANKS.flat_map(|rank| [rank; 4]).collect()
}
