//! What everybody can tell of a hand that they do not see, from what its seat had to do.
//!
//! Only what is certain (R1.6): why a player chose this card and not that one is for bots to guess.

use serde::{Deserialize, Serialize};

use crate::card::{Card, CardSet};

/// How many of some cards a hand can hold at most. It may hold any number of all others.
///
/// The three sets have no card in common. More sets would know a little more for longer, and be
/// copied with every action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// It holds none of these,
    #[serde(skip_serializing_if = "is_empty")]
    pub none: CardSet,
    /// at most one of these,
    #[serde(skip_serializing_if = "is_empty")]
    pub one: CardSet,
    /// and at most two of these and of those in `one`.
    #[serde(skip_serializing_if = "is_empty")]
    pub two: CardSet,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_empty(cards: &CardSet) -> bool {
    cards.is_empty()
}

impl Limits {
    /// It has turned out that none of these is in the hand.
    pub(crate) fn exclude(&mut self, cards: CardSet) {
        self.none = self.none.or(cards);
        self.one = self.one.minus(cards);
        self.two = self.two.minus(cards);
    }

    /// A card has come into the hand, which may be any.
    pub(crate) fn admit(&mut self) {
        *self = Limits { none: CardSet::EMPTY, one: self.none, two: self.one };
    }

    /// This card has left the hand: if it was of a set, the hand has one fewer of it.
    pub(crate) fn release(&mut self, card: Card) {
        let Limits { none, one, two } = *self;
        if none.or(one).contains(card) {
            *self = Limits { none: none.or(one), one: two, two: CardSet::EMPTY };
        } else if two.contains(card) {
            *self = Limits { none, one: one.or(two), two: CardSet::EMPTY };
        }
    }

    /// What each place of a hand of this size can hold, the narrowest first. A hand within the
    /// limits fits into the places, and whatever fits is within the limits.
    pub(crate) fn places(self, size: u8) -> impl Iterator<Item = CardSet> {
        let Limits { none, one, two } = self;
        (0..size).rev().map(move |looser| {
            let barred = match looser {
                0 => none,
                1 => none.or(one),
                _ => none.or(one).or(two),
            };
            CardSet::DECK.minus(barred)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> CardSet {
        text.split_whitespace().map(|card| card.parse::<Card>().unwrap()).collect()
    }

    #[track_caller]
    fn check(limits: Limits, expected: [&str; 3]) {
        let [none, one, two] = expected.map(set);
        assert_eq!(limits, Limits { none, one, two });
    }

    #[test]
    fn what_came_in_is_counted_until_it_leaves() {
        let mut limits = Limits::default();
        limits.exclude(set("AC 2C"));
        limits.admit();
        check(limits, ["", "AC 2C", ""]);
        // A second draw: the first card drawn was none of these either.
        limits.exclude(set("AC AD"));
        limits.admit();
        check(limits, ["", "AC AD", "2C"]);
        // The last card drawn is played.
        limits.release("AD".parse().unwrap());
        check(limits, ["AC AD", "2C", ""]);
        // Nothing is known of this one, so it is not the one that may be there.
        limits.release("KS".parse().unwrap());
        check(limits, ["AC AD", "2C", ""]);
        limits.release("2C".parse().unwrap());
        check(limits, ["AC AD 2C", "", ""]);
    }

    #[test]
    fn one_of_two_has_left() {
        let (none, one, two) = (set("AC"), set("AD"), set("AH"));
        let mut limits = Limits { none, one, two };
        limits.release("AH".parse().unwrap());
        check(limits, ["AC", "AD AH", ""]);
    }

    #[test]
    fn a_hand_has_as_many_places_as_cards() {
        let limits = Limits { none: set("AC"), one: set("AD"), two: set("AH") };
        let barred = |size| -> Vec<CardSet> {
            limits.places(size).map(|place| CardSet::DECK.minus(place)).collect()
        };
        assert_eq!(barred(4), ["AC AD AH", "AC AD AH", "AC AD", "AC"].map(set));
        assert_eq!(barred(1), ["AC"].map(set));
        assert_eq!(barred(0), []);
    }
}
