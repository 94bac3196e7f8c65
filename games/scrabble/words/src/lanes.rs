//! All places where a word can start, as bits: one for each cell of each row and column.

use std::ops::{BitAnd, BitOr, Not, Shr};

/// Rows and columns, each with sixteen bits: rows first, a spare line after either.
pub(crate) const LINES: usize = 32;

const PER_PART: usize = 4;
const PARTS: usize = LINES / PER_PART;

/// A bit for each start. Operations are on all of them at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lanes([u64; PARTS]);

impl Lanes {
    pub(crate) const NONE: Self = Self([0; PARTS]);

    /// One line's sixteen bits more.
    pub(crate) fn add(&mut self, line: usize, bits: u16) {
        if let Some(part) = self.0.get_mut(line / PER_PART) {
            *part |= u64::from(bits) << (line % PER_PART * 16);
        }
    }

    #[inline]
    pub(crate) fn is_none(&self) -> bool {
        self.0.iter().fold(0, |all, part| all | part) == 0
    }

    /// Line and start of each bit, in order.
    #[inline]
    pub(crate) fn each(&self, mut visit: impl FnMut(usize, usize)) {
        for (index, &part) in self.0.iter().enumerate() {
            let mut left = part;
            while left != 0 {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                visit(index * PER_PART + bit / 16, bit % 16);
            }
        }
    }
}

impl BitAnd for Lanes {
    type Output = Self;

    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|part| self.0[part] & other.0[part]))
    }
}

impl BitOr for Lanes {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|part| self.0[part] | other.0[part]))
    }
}

impl Not for Lanes {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(self.0.map(|part| !part))
    }
}

/// From cells to the starts that many cells before them. A line's lowest bits come out in the highest
/// ones of the line before: whoever uses them has no starts there, since such a start's cell would lie
/// behind the end of its line.
impl Shr<usize> for Lanes {
    type Output = Self;

    #[inline]
    fn shr(self, cells: usize) -> Self {
        Self(self.0.map(|part| part >> (cells & 15)))
    }
}
