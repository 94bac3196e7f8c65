//! M17, scoring: what a hand is worth to the other seat.

use crate::card::{Card, CardSet};
use crate::dozenal::Dozenal;

/// What a jack, queen or king is worth.
pub const FACE_CARD_SCORE: u8 = 10;

/// What a card left in the loser's hand is worth.
pub const fn score_value(card: Card) -> u8 {
    if card.is_face() { FACE_CARD_SCORE } else { card.rank() }
}

/// `computeRoundScore`: what the loser's hand is worth in all. At most 340, the whole deck.
pub fn round_score(loser_hand: CardSet) -> u16 {
    loser_hand.iter().map(|card| u16::from(score_value(card))).sum()
}

/// The same in dozenal, as the document returns it.
pub fn round_score_dozenal(loser_hand: CardSet) -> Dozenal {
    Dozenal(i64::from(round_score(loser_hand)))
}
