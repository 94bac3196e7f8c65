//! A play as one number, so that the order of numbers is the order of plays.
//!
//! From the highest bits: the score, upside down; the start; the direction; the faces laid, in order,
//! six bits each. What lies on the board does not need to be in it: two plays from one start in one
//! direction find the same tiles there, so the faces laid tell them apart, and order them.

use crate::play::{Direction, Play, Position};
use crate::{BLANK, Face, SIDE, Word};

const FACE_BITS: usize = 6;
const START_BITS: usize = 9;

/// A number of some width.
pub(crate) trait Key: Copy + Ord {
    /// How many faces it has room for.
    const LAID_MAX: usize;
    /// The highest score; below 0 there is as much room for a wide key, and none for a narrow one.
    const SCORE_MAX: u32;
    /// Beyond every key.
    const LAST: Self;

    /// The faces laid, nothing else.
    fn of_faces(faces: &[Face]) -> Self;
    /// The same faces, one of them a blank's.
    fn with_blank(self, index: usize) -> Self;
    /// With start and score in it.
    fn with_score(self, start: u16, score: i32) -> Self;
    /// Start and direction, score, and faces from the first on, zeros behind them.
    fn parts(self) -> (u16, i32, [Face; SIDE]);
}

macro_rules! key {
    ($number:ty, faces: $faces:expr, score_bits: $score_bits:expr, score_max: $score_max:expr) => {
        impl Key for $number {
            const LAID_MAX: usize = $faces;
            const SCORE_MAX: u32 = $score_max;
            const LAST: Self = Self::MAX;

            #[inline]
            fn of_faces(faces: &[Face]) -> Self {
                let put = |packed: Self, face: &Face| packed << FACE_BITS | Self::from(*face);
                let left = Self::LAID_MAX.saturating_sub(faces.len());
                faces.iter().fold(0, put) << (FACE_BITS * left)
            }

            #[inline]
            fn with_blank(self, index: usize) -> Self {
                let behind = (Self::LAID_MAX - 1).saturating_sub(index);
                self | Self::from(BLANK) << (FACE_BITS * behind)
            }

            #[inline]
            fn with_score(self, start: u16, score: i32) -> Self {
                let score = Self::SCORE_MAX.wrapping_sub(score.cast_unsigned());
                let score = score & ((1 << $score_bits) - 1);
                let head = Self::from(score) << START_BITS | Self::from(start);
                head << (FACE_BITS * Self::LAID_MAX) | self
            }

            fn parts(self) -> (u16, i32, [Face; SIDE]) {
                let mut faces = [0; SIDE];
                let mut left = self;
                for face in faces[..Self::LAID_MAX].iter_mut().rev() {
                    *face = left.to_le_bytes()[0] & ((1 << FACE_BITS) - 1);
                    left >>= FACE_BITS;
                }
                let [low, high, ..] = left.to_le_bytes();
                let start = u16::from_le_bytes([low, high]) & ((1 << START_BITS) - 1);
                let [a, b, c, d, ..] = (left >> START_BITS).to_le_bytes();
                let score = Self::SCORE_MAX.wrapping_sub(u32::from_le_bytes([a, b, c, d]));
                (start, score.cast_signed(), faces)
            }
        }
    };
}

// For at most seven tiles and usual scores; and for whatever can be.
key!(u64, faces: 7, score_bits: 13, score_max: (1 << 13) - 1);
key!(u128, faces: SIDE, score_bits: 29, score_max: (1 << 28) - 1);

/// The play that a key stands for.
pub(crate) fn play_of(key: impl Key, position: &Position<'_>) -> Play {
    let (start, score, faces) = key.parts();
    let direction = if start & 1 == 0 { Direction::Across } else { Direction::Down };
    let start = usize::from(start >> 1);
    let mut word = Word::EMPTY;
    let mut square = start;
    let mut laid = faces.into_iter().take_while(|face| *face != 0);
    for _ in 0..direction.squares_from(start) {
        let there = position.board.get(square).copied().filter(|face| *face != 0);
        let Some(face) = there.or_else(|| laid.next()) else { break };
        word.push(face);
        square += direction.step();
    }
    Play { start, direction, word, score }
}
