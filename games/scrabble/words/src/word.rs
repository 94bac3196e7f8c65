//! A word of at most fifteen squares, kept in place.

use std::fmt;
use std::ops::Deref;

use crate::{BLANK, Face, SIDE};

/// Letters or faces in order: what stands on at most fifteen squares in a line.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Word {
    /// Zeros behind the word, so that words compare by their faces.
    faces: [Face; SIDE],
    len: u8,
}

impl Word {
    /// Of nothing yet.
    pub(crate) const EMPTY: Self = Self { faces: [0; SIDE], len: 0 };

    /// Puts a face behind the others. One too many is left out.
    pub(crate) fn push(&mut self, face: Face) {
        if let Some(place) = self.faces.get_mut(usize::from(self.len)) {
            *place = face;
            self.len += 1;
        }
    }

    /// Takes the last face away.
    pub(crate) fn pop(&mut self) {
        if let Some(place) = self.faces.get_mut(usize::from(self.len).wrapping_sub(1)) {
            *place = 0;
            self.len -= 1;
        }
    }
}

impl Deref for Word {
    type Target = [Face];

    fn deref(&self) -> &[Face] {
        &self.faces[..usize::from(self.len).min(SIDE)]
    }
}

impl PartialOrd for Word {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Word {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.faces.cmp(&other.faces)
    }
}

/// Capitals; a letter that a blank stands for is small.
impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for face in self.iter() {
            let base = if face & BLANK == 0 { b'A' } else { b'a' };
            let letter = (face & !BLANK).wrapping_sub(1);
            write!(f, "{}", if letter < 26 { char::from(base + letter) } else { '?' })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
