//! M16, the rules of a round: who may play, draw or pass what, and what comes of it.
//!
//! A round knows nothing of scores or of other rounds.

use game_api::{GameRng, Seat};
use serde::{Deserialize, Serialize};

use crate::action::{Action, CardFault, MoveFault, SuitFault, Violation};
use crate::card::{Card, CardSet, DECK_SIZE, Suit};
use crate::limits::Limits;

/// R2.2: how many cards each seat is dealt.
pub const INITIAL_HAND_SIZE: usize = 5;
/// R3.5: two ranks that add up to a dozenal 10 go on each other.
pub const DOZENAL_TARGET: &str = "10";
/// The same in decimal.
pub const DOZENAL_TARGET_DECIMAL: u8 = 12;

/// What a card has to go on: the top card, and the suit that a ten asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// The card that lies on top.
    pub top: Card,
    /// The suit chosen with it, if it is a ten that was played.
    pub forced_suit: Option<Suit>,
}

/// Why a card or a draw is legal, in the order in which the rules ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// R3.1
    Ten,
    /// R3.2
    ForcedSuit,
    /// R3.3
    Suit,
    /// R3.4
    Rank,
    /// R3.5
    DozenalSum,
    /// R4.1: nothing can be played.
    MustDraw,
    /// R4.4: nothing can be played or drawn.
    NothingToDraw,
}

impl Demand {
    /// The document's rule, in its order: why `card` may be played, if it may.
    pub const fn allows(self, card: Card) -> Option<Because> {
        if card.is_ten() {
            return Some(Because::Ten);
        }
        if let Some(suit) = self.forced_suit {
            return if card.suit() as u8 == suit as u8 { Some(Because::ForcedSuit) } else { None };
        }
        if card.suit() as u8 == self.top.suit() as u8 {
            Some(Because::Suit)
        } else if card.rank() == self.top.rank() {
            Some(Because::Rank)
        } else if !card.is_face()
            && !self.top.is_face()
            && card.rank() + self.top.rank() == DOZENAL_TARGET_DECIMAL
        {
            Some(Because::DozenalSum)
        } else {
            None
        }
    }

    /// All cards of the deck that it allows.
    pub fn allowed(self) -> CardSet {
        match self.forced_suit {
            None => ALLOWED_ON[self.top.index()],
            Some(suit) => ALLOWED_UNDER[suit as usize],
        }
    }
}

/// What goes on each card, and under each forced suit: the rule asked once for every pair, at
/// compile time.
static ALLOWED_ON: [CardSet; DECK_SIZE] = {
    let mut table = [CardSet::EMPTY; DECK_SIZE];
    let mut top = 0;
    while top < DECK_SIZE {
        table[top] = collect(Demand { top: Card::from_index(top), forced_suit: None });
        top += 1;
    }
    table
};
static ALLOWED_UNDER: [CardSet; 4] = {
    let mut table = [CardSet::EMPTY; 4];
    let mut index = 0;
    while index < Suit::ALL.len() {
        let forced_suit = Some(Suit::ALL[index]);
        table[index] = collect(Demand { top: Card::from_index(0), forced_suit });
        index += 1;
    }
    table
};

const fn collect(demand: Demand) -> CardSet {
    let mut allowed = CardSet::EMPTY;
    let mut index = 0;
    while index < DECK_SIZE {
        if demand.allows(Card::from_index(index)).is_some() {
            allowed = allowed.with(Card::from_index(index));
        }
        index += 1;
    }
    allowed
}

/// All that a seat's choice depends on. A state has it, and so has that seat's view: the browser
/// and the server judge by the same code.
#[derive(Clone, Copy)]
pub(crate) struct Choice {
    pub(crate) hand: CardSet,
    pub(crate) demand: Demand,
    /// Is there a card in the stock, or one that can be shuffled into it?
    pub(crate) has_draw: bool,
}

impl Choice {
    pub(crate) fn playable(self) -> CardSet {
        self.hand.and(self.demand.allowed())
    }

    /// Why the action is legal, or why it is not.
    pub(crate) fn judge(self, action: Action) -> Result<Because, Violation> {
        match action {
            Action::Play { card, suit } => self.judge_play(card, suit),
            Action::Draw if !self.playable().is_empty() => {
                Err(Violation::IllegalMove(MoveFault::MustPlay { playable: self.playable() }))
            }
            Action::Draw if !self.has_draw => Err(Violation::EmptyDeck),
            Action::Draw => Ok(Because::MustDraw),
            Action::Pass if self.has_draw || !self.playable().is_empty() => {
                Err(Violation::IllegalMove(MoveFault::MayNotPass))
            }
            Action::Pass => Ok(Because::NothingToDraw),
        }
    }

    fn judge_play(self, card: Card, suit: Option<Suit>) -> Result<Because, Violation> {
        if !self.hand.contains(card) {
            return Err(Violation::InvalidCard(CardFault::NotInHand(card)));
        }
        let Demand { top, forced_suit } = self.demand;
        let because = self
            .demand
            .allows(card)
            .ok_or(Violation::IllegalMove(MoveFault::NotPlayable { card, top, forced_suit }))?;
        let is_last = self.hand.len() == 1;
        let fault = match suit {
            None if card.is_ten() && !is_last => SuitFault::Missing(card),
            Some(_) if !card.is_ten() => SuitFault::NotTen(card),
            Some(_) if is_last => SuitFault::LastCard(card),
            _ => return Ok(because),
        };
        Err(Violation::InvalidSuitChoice(fault))
    }

    /// Appends every legal action: plays by card and suit, else `draw`, else `pass`.
    pub(crate) fn list(self, out: &mut Vec<Action>) {
        let playable = self.playable();
        let is_last = self.hand.len() == 1;
        for card in playable.iter() {
            if card.is_ten() && !is_last {
                out.extend(Suit::ALL.map(|suit| Action::Play { card, suit: Some(suit) }));
            } else {
                out.push(Action::Play { card, suit: None });
            }
        }
        if playable.is_empty() {
            out.push(if self.has_draw { Action::Draw } else { Action::Pass });
        }
    }
}

/// The cards on the table: the stock from the front, its last card the next to be drawn; the
/// discards under the top card from the back, in the order they were played. Free places hold the
/// default card, so that equal piles are equal bytes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Piles {
    cards: [Card; DECK_SIZE],
    stock: u8,
    discards: u8,
}

impl Piles {
    /// R2.1: a whole deck in a random order, all of it stock.
    fn shuffled_deck(rng: &mut GameRng) -> Piles {
        let mut cards = std::array::from_fn(Card::from_index);
        rng.shuffle(&mut cards);
        Piles { cards, stock: CardSet::DECK.len(), discards: 0 }
    }

    /// These cards: the stock's next card first, the discards' oldest card first. Too many cards,
    /// which only a faulty position or view can name, are `None`.
    pub(crate) fn of(stock: &[Card], discards: &[Card]) -> Option<Piles> {
        let mut piles = Piles { cards: [Card::default(); DECK_SIZE], stock: 0, discards: 0 };
        if stock.len() + discards.len() > DECK_SIZE {
            return None;
        }
        for card in stock.iter().rev() {
            piles.cards[usize::from(piles.stock)] = *card;
            piles.stock += 1;
        }
        for card in discards {
            piles.discard(*card);
        }
        Some(piles)
    }

    /// How many cards are left to draw before the discards are needed.
    pub fn stock_size(&self) -> u8 {
        self.stock
    }

    /// The stock, the next card last.
    pub fn stock(&self) -> &[Card] {
        &self.cards[..usize::from(self.stock)]
    }

    /// The cards under the top card, the oldest first.
    pub fn discards(&self) -> impl DoubleEndedIterator<Item = Card> + ExactSizeIterator {
        self.cards[DECK_SIZE - usize::from(self.discards)..].iter().rev().copied()
    }

    /// How many cards lie under the top card.
    pub fn discards_size(&self) -> u8 {
        self.discards
    }

    /// Re-orders the stock, for tests that deal again what nobody has seen.
    pub fn stock_mut(&mut self) -> &mut [Card] {
        &mut self.cards[..usize::from(self.stock)]
    }

    fn discard(&mut self, card: Card) {
        self.discards += 1;
        self.cards[DECK_SIZE - usize::from(self.discards)] = card;
    }

    fn draw(&mut self, rng: &mut GameRng) -> Option<Card> {
        if self.stock == 0 {
            self.reshuffle(rng);
        }
        self.stock = self.stock.checked_sub(1)?;
        Some(std::mem::take(&mut self.cards[usize::from(self.stock)]))
    }

    /// R4.3
    fn reshuffle(&mut self, rng: &mut GameRng) {
        let count = usize::from(self.discards);
        self.cards.copy_within(DECK_SIZE - count.., 0);
        self.cards[count..].fill(Card::default());
        rng.shuffle(&mut self.cards[..count]);
        (self.stock, self.discards) = (self.discards, 0);
    }
}

/// The document's `RoundState`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Round {
    /// Each seat's cards.
    pub hands: [CardSet; 2],
    /// Stock and discards.
    pub piles: Piles,
    /// What lies on top, and what it asks for.
    pub demand: Demand,
    /// Whose turn it is.
    pub to_act: Seat,
    /// R1.6: what everybody can tell of each hand.
    pub limits: [Limits; 2],
}

impl Round {
    /// `initRound`: shuffles a deck, deals five cards each, in turn, and turns one up, which forces
    /// nothing (R2.3).
    pub fn init(starter: Seat, rng: &mut GameRng) -> Round {
        let mut deck = Piles::shuffled_deck(rng);
        let mut hands = [CardSet::EMPTY; 2];
        let mut next = || deck.draw(rng).unwrap_or_default();
        for _ in 0..INITIAL_HAND_SIZE {
            for hand in &mut hands {
                *hand = hand.with(next());
            }
        }
        let demand = Demand { top: next(), forced_suit: None };
        Round { hands, piles: deck, demand, to_act: starter, limits: [Limits::default(); 2] }
    }

    /// What the seat can choose from.
    pub(crate) fn choice(&self, seat: Seat) -> Result<Choice, Violation> {
        let hand = *self.hands.get(seat.index()).ok_or(Violation::InvalidPlayer { seat })?;
        let has_draw = self.piles.stock > 0 || self.piles.discards > 0;
        Ok(Choice { hand, demand: self.demand, has_draw })
    }

    /// `isPlayable`
    pub fn is_playable(&self, seat: Seat, card: Card) -> Result<bool, Violation> {
        let choice = self.choice(seat)?;
        if choice.hand.contains(card) {
            Ok(choice.playable().contains(card))
        } else {
            Err(Violation::InvalidCard(CardFault::NotInHand(card)))
        }
    }

    /// `getPlayableCards`
    pub fn playable_cards(&self, seat: Seat) -> Result<CardSet, Violation> {
        Ok(self.choice(seat)?.playable())
    }

    /// `mustDraw`
    pub fn must_draw(&self, seat: Seat) -> Result<bool, Violation> {
        Ok(self.playable_cards(seat)?.is_empty())
    }

    /// `isRoundOver`
    pub fn is_over(&self) -> bool {
        self.hands.iter().any(|hand| hand.is_empty())
    }

    /// `applyPlay`. A refusal changes nothing.
    pub fn apply_play(
        &mut self,
        seat: Seat,
        card: Card,
        suit: Option<Suit>,
    ) -> Result<(), Violation> {
        self.judge_turn(seat, Action::Play { card, suit })?;
        self.hands[seat.index()] = self.hands[seat.index()].without(card);
        self.piles.discard(self.demand.top);
        self.demand = Demand { top: card, forced_suit: suit };
        self.limits[seat.index()].release(card);
        self.to_act = seat.after(1, 2);
        Ok(())
    }

    /// `applyDraw`: one card, and the turn stays. A refusal changes nothing.
    pub fn apply_draw(&mut self, seat: Seat, rng: &mut GameRng) -> Result<(), Violation> {
        self.judge_turn(seat, Action::Draw)?;
        if self.piles.stock == 0 {
            let reshuffled = self.piles.discards().collect();
            for limits in &mut self.limits {
                limits.exclude(reshuffled);
            }
        }
        let card = self.piles.draw(rng).ok_or(Violation::EmptyDeck)?;
        self.hands[seat.index()] = self.hands[seat.index()].with(card);
        self.limits[seat.index()].exclude(self.demand.allowed());
        self.limits[seat.index()].admit();
        Ok(())
    }

    /// R4.4: the turn goes on. A refusal changes nothing.
    pub fn apply_pass(&mut self, seat: Seat) -> Result<(), Violation> {
        self.judge_turn(seat, Action::Pass)?;
        self.limits[seat.index()].exclude(self.demand.allowed());
        self.to_act = seat.after(1, 2);
        Ok(())
    }

    fn judge_turn(&self, seat: Seat, action: Action) -> Result<Because, Violation> {
        if self.is_over() {
            return Err(Violation::GameOver);
        }
        if seat != self.to_act {
            return Err(Violation::NotYourTurn { seat, to_act: self.to_act });
        }
        self.choice(seat)?.judge(action)
    }
}
