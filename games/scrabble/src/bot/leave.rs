//! What tiles are worth that are kept for the next turn, in tenths of a point.
//!
//! Fitted to 95,974 turns of highest-score play against itself (8,000 matches of `classic` with the
//! embedded list): by least squares, what the next own play could score by the tiles that were kept,
//! while the bag had seven tiles or more. A tile that is kept serves later turns too; the factor
//! for that is a guess. Letters of which two were hardly ever kept have a round number instead.

use crate::tile::{Counts, Tile};

/// The first tile of a kind, the blank first, then A to Z.
#[rustfmt::skip]
const ONE: [i32; 27] = [
    163,
    -10, -15, -9, 1, 2, -17, -22, 6, -20, -14, 6, -12, 4,
    -1, -26, -9, -48, 2, 50, -2, -43, -36, -21, 24, 7, 38,
];

/// Each further one of the same kind.
#[rustfmt::skip]
const MORE: [i32; 27] = [
    100,
    -50, -38, -33, -45, -46, -30, -48, -30, -62, -30, -30, -45, -20,
    -52, -52, -30, -30, -58, -19, -47, -69, -51, -32, -30, -30, -30,
];

/// For each vowel, or each consonant, that is more than one too many.
const TOO_MANY_VOWELS: i32 = -12;
const TOO_MANY_CONSONANTS: i32 = -23;
const Q_WITH_U: i32 = 63;
/// In tenths.
const LATER_TURNS: i32 = 13;

const Q: Tile = 17;
const U: Tile = 21;
/// A, E, I, O, U.
const VOWELS: [Tile; 5] = [1, 5, 9, 15, U];

/// Compared with an empty rack that is filled by chance.
pub(super) fn leave(kept: &Counts) -> i32 {
    let mut worth = 0;
    for tile in kept.kinds() {
        let at = usize::from(tile);
        worth += ONE[at] + MORE[at] * (i32::from(kept.of(tile)) - 1);
    }
    let vowels: i32 = VOWELS.iter().map(|vowel| i32::from(kept.of(*vowel))).sum();
    let letters = i32::try_from(kept.total()).unwrap_or_default() - i32::from(kept.of(0));
    let surplus = 2 * vowels - letters;
    worth += TOO_MANY_VOWELS * (surplus - 1).max(0) + TOO_MANY_CONSONANTS * (-surplus - 1).max(0);
    if kept.of(Q) > 0 && kept.of(U) > 0 {
        worth += Q_WITH_U;
    }
    worth * LATER_TURNS / 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_order(better: &str, worse: &str) {
        let worth = |tiles: &str| leave(&tiles.parse().unwrap());
        assert!(worth(better) > worth(worse), "{better} {worse}");
    }

    #[test]
    fn good_tiles_are_kept_and_bad_ones_are_not() {
        check_order("?", "S");
        check_order("S", "");
        check_order("", "V");
        check_order("QU", "Q");
        check_order("ERT", "EEE");
        check_order("AERT", "NRTL");
        assert_eq!(leave(&Counts::default()), 0);
    }
}
