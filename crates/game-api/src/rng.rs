//! Chance inside a state: small, hashable, and the same on every machine.

use std::fmt;

use chacha20::ChaCha12Rng;
use chacha20::rand_core::{Rng, SeedableRng};

use crate::Seed;

/// A generator that is only a key and the number of draws made so far.
///
/// Each draw reads a `ChaCha` stream of its own, so a state carries no half-used buffer and two equal
/// states stay equal. How a seed becomes a deal is pinned by a golden test: a change here changes
/// every stored match.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct GameRng {
    key: [u8; 32],
    draws: u64,
}

impl GameRng {
    /// The generator of a match.
    pub fn new(seed: &Seed) -> GameRng {
        GameRng { key: seed.derive_key(), draws: 0 }
    }

    /// A generator that follows from this one but shares no draw with it.
    #[must_use]
    pub fn split(&mut self) -> GameRng {
        let mut key = [0; 32];
        self.next_draw().fill_bytes(&mut key);
        GameRng { key, draws: 0 }
    }

    /// Puts the items into one of their orders, each equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        let mut words = self.next_draw();
        // Fisher and Yates, from the end.
        for last in (1..items.len()).rev() {
            items.swap(last, below(&mut words, last + 1));
        }
    }

    /// A number from 0 to `bound - 1`, each equally likely. `bound` must be above 0.
    pub fn below(&mut self, bound: usize) -> usize {
        debug_assert!(0 < bound);
        below(&mut self.next_draw(), bound)
    }

    fn next_draw(&mut self) -> ChaCha12Rng {
        let mut stream = ChaCha12Rng::from_seed(self.key);
        stream.set_stream(self.draws);
        self.draws += 1;
        stream
    }
}

/// Prints no key: with it, every later deal would be known.
impl fmt::Debug for GameRng {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GameRng(..)")
    }
}

/// Lemire's method: the high half of a product, with the few values that would favour some results
/// drawn again.
fn below(words: &mut ChaCha12Rng, bound: usize) -> usize {
    let bound = u32::try_from(bound).unwrap_or(u32::MAX);
    loop {
        let product = u64::from(words.next_u32()) * u64::from(bound);
        let (high, low) = (product >> 32, product & u64::from(u32::MAX));
        if low >= u64::from(bound) || low >= u64::from(bound.wrapping_neg() % bound) {
            return usize::try_from(high).unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_deals_of_seed_one_are_pinned() {
        let mut rng = GameRng::new(&Seed::from_number(1));
        let mut deal = |count: u8| {
            let mut items: Vec<u8> = (0..count).collect();
            rng.shuffle(&mut items);
            items
        };
        assert_eq!(deal(10), [6, 7, 4, 8, 2, 5, 0, 9, 1, 3]);
        assert_eq!(deal(10), [3, 8, 5, 1, 4, 9, 7, 6, 0, 2]);
        assert_eq!(
            deal(52),
            [
                48, 26, 11, 7, 37, 9, 49, 34, 8, 35, 4, 28, 23, 10, 0, 13, 27, 14, 47, 43, 50, 38,
                18, 24, 2, 30, 33, 6, 5, 29, 19, 40, 25, 15, 16, 39, 21, 44, 51, 3, 31, 32, 36, 46,
                20, 22, 12, 41, 1, 17, 42, 45
            ]
        );
        assert_eq!([rng.below(6), rng.below(6), rng.below(1000), rng.below(1)], [5, 4, 533, 0]);
    }

    #[test]
    fn every_order_of_four_is_about_equally_likely() {
        let mut rng = GameRng::new(&Seed::from_number(7));
        let mut seen = std::collections::HashMap::new();
        for _ in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            rng.shuffle(&mut items);
            *seen.entry(items).or_insert(0_u32) += 1;
        }
        assert_eq!(seen.len(), 24);
        // A thousand each; six standard deviations are about 190.
        for (order, count) in seen {
            assert!((810..1190).contains(&count), "{order:?} came {count} times");
        }
    }

    #[test]
    fn a_split_generator_shares_no_draw_with_its_parent() {
        let mut parent = GameRng::new(&Seed::from_number(3));
        let mut child = parent.split();
        let draw = |rng: &mut GameRng| (0..8).map(|_| rng.below(1 << 30)).collect::<Vec<_>>();
        assert_ne!(draw(&mut parent), draw(&mut child));
        assert_eq!(format!("{parent:?}"), "GameRng(..)");
    }
}
