//! A round as the search plays it, many thousand times a decision: in place, by dice, and without
//! what only people need to see. The rules of [`Round`](crate::Round) in short: what a seat must
//! draw is part of its turn, and the stock has no order, since nobody knows it.

use bots::Dice;

use crate::card::{Card, CardSet, DECK_SIZE, Suit};
use crate::limits::Limits;
use crate::round::Demand;
use crate::scoring::score_value;
use crate::view::View;

/// So many turns, and the round is given up as void: far more than one between players takes.
const TURNS_MAX: u16 = 300;

#[derive(Clone)]
pub(super) struct Table {
    pub(super) hands: [CardSet; 2],
    /// Whose turn it is.
    pub(super) seat: usize,
    top: Card,
    /// What can be played now.
    goes: CardSet,
    /// Under the top card.
    discards: CardSet,
    stock: [Card; DECK_SIZE],
    stock_size: usize,
    turns: u16,
}

/// What a seat does in its turn, once it has drawn what it must.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    /// Nothing, if it passes.
    pub(super) card: Option<Card>,
    /// With a ten that is not the last card.
    pub(super) suit: Option<Suit>,
}

impl Turn {
    pub(super) const PASS: Turn = Turn { card: None, suit: None };
}

/// How a round ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// Nobody, if it was given up.
    pub(super) winner: Option<usize>,
    /// What the other hand is worth.
    pub(super) points: u16,
}

/// What is seen of a round, from which any table can be dealt that looks like it.
pub(super) struct Deal {
    seen: Table,
    unseen: CardSet,
    limits: Limits,
    other_size: u8,
    stock_size: usize,
}

impl Deal {
    /// What `seat`, whose turn it is, sees.
    pub(super) fn new(view: &View, seat: usize) -> Deal {
        let own = view.hand.unwrap_or_default();
        let discards: CardSet = view.played.iter().copied().collect();
        let demand = Demand { top: view.top, forced_suit: view.forced_suit };
        let mut hands = [CardSet::EMPTY; 2];
        hands[seat] = own;
        let seen = Table {
            hands,
            seat,
            top: view.top,
            goes: demand.allowed(),
            discards,
            stock: [Card::default(); DECK_SIZE],
            stock_size: 0,
            turns: 0,
        };
        let unseen = CardSet::DECK.minus(own).minus(discards).without(view.top);
        let other = 1 - seat;
        let (limits, other_size) = (view.limits[other], view.hand_sizes[other]);
        Deal { seen, unseen, limits, other_size, stock_size: usize::from(view.stock) }
    }

    /// Whose view it is.
    pub(super) fn seat(&self) -> usize {
        self.seen.seat
    }

    /// One of the tables that look so, each as likely as it is.
    pub(super) fn table(&self, dice: &mut Dice) -> Table {
        let mut table = self.seen.clone();
        let mut unseen = self.unseen;
        let mut hand = CardSet::EMPTY;
        for place in self.limits.places(self.other_size) {
            let fitting = unseen.and(place);
            // A view that was filled in once can be filled in again.
            let Some(card) = fitting.iter().nth(dice.usize(..usize::from(fitting.len().max(1))))
            else {
                break;
            };
            hand = hand.with(card);
            unseen = unseen.without(card);
        }
        table.hands[1 - table.seat] = hand;
        for card in unseen.iter() {
            table.stock[table.stock_size] = card;
            table.stock_size += 1;
        }
        // In a position that was set up, some cards may be in no pile.
        while table.stock_size > self.stock_size {
            table.draw(dice);
        }
        table
    }
}

impl Table {
    /// Draws what the seat must, and tells what it can play then: nothing, if it passes.
    pub(super) fn playable(&mut self, dice: &mut Dice) -> CardSet {
        loop {
            let playable = self.hands[self.seat].and(self.goes);
            if !playable.is_empty() {
                return playable;
            }
            if self.stock_size == 0 {
                self.reshuffle();
            }
            let Some(card) = self.draw(dice) else { return CardSet::EMPTY };
            self.hands[self.seat] = self.hands[self.seat].with(card);
        }
    }

    /// Calls `each` with every turn that these cards allow.
    pub(super) fn turns(&self, playable: CardSet, mut each: impl FnMut(Turn)) {
        let is_last = self.hands[self.seat].len() == 1;
        for card in playable.iter() {
            if card.is_ten() && !is_last {
                for suit in Suit::ALL {
                    each(Turn { card: Some(card), suit: Some(suit) });
                }
            } else {
                each(Turn { card: Some(card), suit: None });
            }
        }
        if playable.is_empty() {
            each(Turn::PASS);
        }
    }

    /// Plays, and it is the other seat's turn.
    pub(super) fn take(&mut self, turn: Turn) {
        if let Some(card) = turn.card {
            self.hands[self.seat] = self.hands[self.seat].without(card);
            self.discards = self.discards.with(self.top);
            self.top = card;
            self.goes = Demand { top: card, forced_suit: turn.suit }.allowed();
        }
        self.turns += 1;
        self.seat = 1 - self.seat;
    }

    /// How the round ended, if it has.
    pub(super) fn end(&self) -> Option<End> {
        let last = 1 - self.seat;
        if self.hands[last].is_empty() {
            return Some(End { winner: Some(last), points: points(self.hands[self.seat]) });
        }
        (self.turns >= TURNS_MAX).then_some(End { winner: None, points: 0 })
    }

    fn draw(&mut self, dice: &mut Dice) -> Option<Card> {
        if self.stock_size == 0 {
            return None;
        }
        let at = dice.usize(..self.stock_size);
        self.stock_size -= 1;
        self.stock.swap(at, self.stock_size);
        Some(self.stock[self.stock_size])
    }

    fn reshuffle(&mut self) {
        for card in self.discards.iter() {
            self.stock[self.stock_size] = card;
            self.stock_size += 1;
        }
        self.discards = CardSet::EMPTY;
    }
}

/// What a hand counts: the binary digits of its cards' values, digit by digit.
pub(super) fn points(hand: CardSet) -> u16 {
    let digits = (0..4).zip(BY_DIGIT);
    digits.map(|(digit, cards)| u16::from(hand.and(cards).len()) << digit).sum()
}

static BY_DIGIT: [CardSet; 4] = {
    let mut table = [CardSet::EMPTY; 4];
    let mut digit = 0;
    while digit < table.len() {
        let mut index = 0;
        while index < DECK_SIZE {
            let card = Card::from_index(index);
            if score_value(card) >> digit & 1 == 1 {
                table[digit] = table[digit].with(card);
            }
            index += 1;
        }
        digit += 1;
    }
    table
};

/// All cards of a suit but its ten.
pub(super) static PLAIN: [CardSet; 4] = {
    let mut table = [CardSet::EMPTY; 4];
    let mut index = 0;
    while index < DECK_SIZE {
        let card = Card::from_index(index);
        if !card.is_ten() {
            table[card.suit() as usize] = table[card.suit() as usize].with(card);
        }
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use game_api::{Game, Seat, Seed, Viewer};

    use super::*;
    use crate::scoring::round_score;
    use crate::{Action, CrazyTens, Options, State};

    /// Follows random matches, and calls `each` before every action.
    fn follow(mut each: impl FnMut(&State, Seat, &[Action], &mut Dice)) {
        let mut dice = Dice::with_seed(1);
        for number in 0..40 {
            let seed = Seed::from_number(number);
            let mut state = CrazyTens.setup(&Options::default(), 2, &seed).unwrap();
            while let Some(seat) = CrazyTens.to_act(&state).iter().next() {
                let mut actions = Vec::new();
                CrazyTens.legal_actions(&state, seat, &mut actions);
                each(&state, seat, &actions, &mut dice);
                let action = actions[dice.usize(..actions.len())];
                state = CrazyTens.apply(&state, seat, &action).unwrap();
            }
        }
    }

    #[test]
    fn a_table_looks_like_the_view_and_keeps_the_limits() {
        let mut barred = 0;
        follow(|state, seat, _, dice| {
            let view = CrazyTens.view(state, Viewer::Seat(seat));
            let table = Deal::new(&view, seat.index()).table(dice);
            let (own, other) = (table.hands[seat.index()], table.hands[1 - seat.index()]);
            assert_eq!((Some(own), other.len()), (view.hand, view.hand_sizes[1 - seat.index()]));
            assert_eq!(table.stock_size, usize::from(view.stock));
            let stock = table.stock[..table.stock_size].iter().copied();
            let all: Vec<Card> = own.iter().chain(other.iter()).chain(stock).collect();
            let all: CardSet = all.into_iter().chain(table.discards.iter()).collect();
            assert_eq!(all.with(table.top), CardSet::DECK, "every card is somewhere");
            let Limits { none, one, two } = view.limits[1 - seat.index()];
            barred += u32::from(!none.is_empty());
            assert!(other.and(none).is_empty());
            assert!(other.and(one).len() <= 1 && other.and(one.or(two)).len() <= 2);
        });
        assert!(barred > 100, "{barred}");
    }

    #[test]
    fn what_can_be_played_is_what_the_rules_allow() {
        let mut compared = 0;
        follow(|state, seat, actions, dice| {
            if !matches!(actions.first(), Some(Action::Play { .. })) {
                return;
            }
            let view = CrazyTens.view(state, Viewer::Seat(seat));
            let mut table = Deal::new(&view, seat.index()).table(dice);
            table.hands = state.round.hands;
            let playable = table.playable(dice);
            let mut turns = Vec::new();
            table.turns(playable, |Turn { card, suit }| {
                turns.push(Action::Play { card: card.unwrap(), suit });
            });
            assert_eq!(turns, actions);
            for action in actions {
                let Action::Play { card, suit } = *action else { continue };
                let mut after = table.clone();
                after.take(Turn { card: Some(card), suit });
                let next = CrazyTens.apply(state, seat, action).unwrap();
                let is_over = next.round_number > state.round_number || next.is_over();
                let left = state.round.hands[1 - seat.index()];
                let end = End { winner: Some(seat.index()), points: round_score(left) };
                assert_eq!(after.end(), is_over.then_some(end));
                if !is_over {
                    assert_eq!((after.hands, after.seat), (next.round.hands, 1 - seat.index()));
                    assert_eq!(after.goes, next.round.demand.allowed());
                }
                compared += 1;
            }
        });
        assert!(compared > 1_000, "{compared}");
    }

    #[test]
    fn who_has_nothing_to_play_draws_what_there_is_and_passes() {
        let position = "KC 2H,3H 4D 5S,6S 7C,8S 0,0 0";
        let seed = Seed::from_number(1);
        let (_, state) = CrazyTens.position(&Options::default(), position, &seed).unwrap();
        let view = CrazyTens.view(&state, Viewer::Seat(Seat::FIRST));
        let mut dice = Dice::with_seed(2);
        let mut table = Deal::new(&view, 0).table(&mut dice);
        table.stock[..2].copy_from_slice(state.round.piles.stock());
        // Both cards of the stock are drawn, then of the reshuffled ones until the club comes.
        let playable = table.playable(&mut dice);
        assert_eq!(playable.to_string(), "7♣");
        assert!(table.hands[0].len() >= 5 && table.discards.is_empty());
        (table.stock_size, table.hands[0]) = (0, state.round.hands[0]);
        assert!(table.playable(&mut dice).is_empty());
        table.take(Turn::PASS);
        assert_eq!((table.seat, table.end()), (1, None));
    }
}
