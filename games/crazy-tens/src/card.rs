//! Cards, and sets of them. Which card goes on which is the round's business.

use std::fmt;
use std::str::FromStr;

use game_api::excerpt;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::action::{CardFault, Violation};

/// Cards in a full deck.
pub const DECK_SIZE: usize = 52;

const RANKS: u8 = 13;
/// Every card's text, by suit, then rank.
#[rustfmt::skip]
const TEXTS: [&str; DECK_SIZE] = [
    "AC", "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "10C", "JC", "QC", "KC",
    "AD", "2D", "3D", "4D", "5D", "6D", "7D", "8D", "9D", "10D", "JD", "QD", "KD",
    "AH", "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "10H", "JH", "QH", "KH",
    "AS", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "10S", "JS", "QS", "KS",
];

/// One of the four suits, in the order in which a hand is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suit {
    /// `C`
    Clubs,
    /// `D`
    Diamonds,
    /// `H`
    Hearts,
    /// `S`
    Spades,
}

impl Suit {
    /// All four, in order.
    pub const ALL: [Suit; 4] = [Suit::Clubs, Suit::Diamonds, Suit::Hearts, Suit::Spades];

    /// The suit of a letter `C D H S`.
    pub fn from_letter(letter: &str) -> Option<Suit> {
        Suit::ALL.into_iter().find(|suit| suit.letter() == letter)
    }

    /// `C`, `D`, `H` or `S`.
    pub const fn letter(self) -> &'static str {
        ["C", "D", "H", "S"][self as usize]
    }

    /// `♣`, `♦`, `♥` or `♠`.
    pub const fn symbol(self) -> &'static str {
        ["♣", "♦", "♥", "♠"][self as usize]
    }
}

impl Serialize for Suit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.letter())
    }
}

impl<'de> Deserialize<'de> for Suit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let letter = String::deserialize(deserializer)?;
        Suit::from_letter(&letter).ok_or_else(|| D::Error::custom("a suit is C, D, H or S"))
    }
}

/// A card, numbered by suit, then rank. Its text is rank and suit: `AC`, `10H`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Card {
    /// 1 for an ace, up to 13 for a king.
    pub const fn rank(self) -> u8 {
        self.0 % RANKS + 1
    }

    /// Its suit.
    pub const fn suit(self) -> Suit {
        Suit::ALL[(self.0 / RANKS) as usize]
    }

    /// The wildcard.
    pub const fn is_ten(self) -> bool {
        self.rank() == 10
    }

    /// Jack, queen or king.
    pub const fn is_face(self) -> bool {
        self.rank() > 10
    }

    /// The card at a place in a sorted deck, from 0 to 51.
    pub(crate) const fn from_index(index: usize) -> Card {
        assert!(index < DECK_SIZE);
        Card(index.to_le_bytes()[0])
    }

    /// Its place in a sorted deck.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    /// Rank and suit's letter: `10H`.
    pub const fn text(self) -> &'static str {
        TEXTS[self.index()]
    }

    /// With the suit as a symbol, as people write it: `10♥`.
    pub fn pretty(self) -> String {
        let suit = self.suit();
        self.text().replace(suit.letter(), suit.symbol())
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl FromStr for Card {
    type Err = Violation;

    fn from_str(text: &str) -> Result<Self, Violation> {
        match TEXTS.iter().position(|known| *known == text) {
            Some(index) => Ok(Card::from_index(index)),
            None => Err(Violation::InvalidCard(CardFault::Malformed(excerpt(text)))),
        }
    }
}

impl Serialize for Card {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text())
    }
}

impl<'de> Deserialize<'de> for Card {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A set of cards, such as a hand: one bit a card, so it is always sorted by suit, then rank.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CardSet(u64);

impl CardSet {
    /// No card.
    pub const EMPTY: CardSet = CardSet(0);
    /// The whole deck.
    pub const DECK: CardSet = CardSet((1 << DECK_SIZE) - 1);

    /// This set and `card`.
    #[must_use]
    pub const fn with(self, card: Card) -> CardSet {
        CardSet(self.0 | 1 << card.0)
    }

    /// This set but for `card`.
    #[must_use]
    pub const fn without(self, card: Card) -> CardSet {
        CardSet(self.0 & !(1 << card.0))
    }

    /// The cards that are in both.
    #[must_use]
    pub const fn and(self, other: CardSet) -> CardSet {
        CardSet(self.0 & other.0)
    }

    /// The cards that are in either.
    #[must_use]
    pub const fn or(self, other: CardSet) -> CardSet {
        CardSet(self.0 | other.0)
    }

    /// The cards of this set that are not in `other`.
    #[must_use]
    pub const fn minus(self, other: CardSet) -> CardSet {
        CardSet(self.0 & !other.0)
    }

    /// Is `card` in it?
    pub const fn contains(self, card: Card) -> bool {
        self.0 >> card.0 & 1 == 1
    }

    /// Is it empty?
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many cards are in it.
    pub const fn len(self) -> u8 {
        // At most 64, so the lowest byte is all of it.
        self.0.count_ones().to_le_bytes()[0]
    }

    /// The cards, by suit, then rank.
    pub fn iter(self) -> impl Iterator<Item = Card> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let index = rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
            u8::try_from(index).ok().filter(|index| *index < 64).map(Card)
        })
    }
}

impl FromIterator<Card> for CardSet {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Self {
        cards.into_iter().fold(CardSet::EMPTY, CardSet::with)
    }
}

impl fmt::Display for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, card) in self.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{}", card.pretty())?;
        }
        Ok(())
    }
}

impl fmt::Debug for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

impl Serialize for CardSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for CardSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let cards = Vec::<Card>::deserialize(deserializer)?;
        let set: CardSet = cards.iter().copied().collect();
        if usize::from(set.len()) == cards.len() {
            Ok(set)
        } else {
            Err(D::Error::custom("a card is there twice"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_has_one_text() {
        let texts: std::collections::BTreeSet<String> =
            CardSet::DECK.iter().map(|card| card.to_string()).collect();
        assert_eq!(texts.len(), DECK_SIZE);
        for card in CardSet::DECK.iter() {
            assert_eq!(card.to_string().parse::<Card>().unwrap(), card);
        }
        for odd in ["", "S", "7", "7s", "11S", "1S", "010S", "10", "7SS", " 7S", "7♠", "♠", "é"]
        {
            assert!(odd.parse::<Card>().is_err(), "{odd:?}");
        }
    }

    #[test]
    fn a_hand_is_listed_by_suit_then_rank() {
        let hand: CardSet = ["KS", "AC", "10D", "2D"]
            .map(|text| text.parse::<Card>().unwrap())
            .into_iter()
            .collect();
        assert_eq!(serde_json::to_string(&hand).unwrap(), r#"["AC","2D","10D","KS"]"#);
        assert!(serde_json::from_str::<CardSet>(r#"["AC","AC"]"#).is_err());
    }
}
