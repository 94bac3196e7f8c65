//! What a word that was found scores, and every way to lay it with blanks.

use super::{Search, Sink};
use crate::BLANK;
use crate::key::Key;
use crate::lanes::LINES;

impl<S: Sink> Search<'_, S> {
    /// A word from `start` to before `end`: scores it and gives it on, with every way to use blanks.
    pub(super) fn tell(&mut self, index: usize, start: usize, walked: usize, end: usize) {
        let line = &self.lines[index & 31];
        let count = self.laid_count & 15;
        if count == 1 {
            // Across is told first of two equally long words.
            let cell = if walked == 1 { start } else { self.cells[0] };
            let (own, other) = (end - start, usize::from(line.cross_len[cell & 15]));
            if other > own || other == own && index >= LINES / 2 {
                return;
            }
        }
        let cell_of =
            |tile: usize| if tile < walked { start + tile } else { self.cells[tile & 15] };
        let mut main = line.points_before[end & 15] - line.points_before[start & 15];
        let (mut times, mut cross) = (1_i32, 0_i32);
        for (tile, face) in self.laid[..count].iter().enumerate() {
            let cell = cell_of(tile) & 15;
            let points = self.values[usize::from(face & 63)] * i32::from(line.letter_times[cell]);
            main += points;
            times = times.wrapping_mul(line.word_times[cell].into());
            cross += points * i32::from(line.cross_times[cell]) + line.cross_points[cell];
        }
        let bonus = if count == self.full_rack { self.bonus } else { 0 };
        let score = main.wrapping_mul(times).wrapping_add(cross).wrapping_add(bonus);
        let key = S::Key::of_faces(&self.laid[..count]);
        let start_bits = line.starts[start & 15];
        // A blank in place of a letter scores no more and comes later.
        if self.doubtful == 0 && (self.blanks == 0 || !S::ALL) {
            self.put(key, start_bits, score);
            return;
        }
        let mut worth = [0; 16];
        for (tile, worth) in worth.iter_mut().enumerate().take(count) {
            let cell = cell_of(tile) & 15;
            let value = self.values[usize::from(self.laid[tile & 15] & 31)];
            let points = value * i32::from(line.letter_times[cell]);
            let cross_times = i32::from(line.cross_times[cell]);
            *worth = points.wrapping_mul(times.wrapping_add(cross_times));
        }
        if self.doubtful == 0 && self.blanks <= 2 {
            self.put(key, start_bits, score);
            self.tell_spare_blanks(&worth, key, start_bits, score);
        } else {
            let natural = self.laid.map(|face| face & !BLANK);
            let laid_blanks = (0..count).filter(|tile| self.laid[*tile] & BLANK != 0);
            let score = laid_blanks.fold(score, |score, tile| score.wrapping_add(worth[tile]));
            let key = S::Key::of_faces(&natural[..count]);
            let (mut letters, blanks) = (self.rack, self.blanks_in_rack);
            self.tell_all_blanks(0, &mut letters, blanks, &worth, (key, start_bits, score));
        }
    }

    /// Every way to lay one or two blanks that are left in place of letters.
    fn tell_spare_blanks(&mut self, worth: &[i32; 16], key: S::Key, start: u16, score: i32) {
        let laid = self.laid;
        let count = self.laid_count;
        let tiles = || laid.iter().zip(worth).enumerate().take(count);
        let letters = || tiles().filter(|(_, (face, _))| *face & BLANK == 0);
        for (tile, (_, worth)) in letters() {
            let key = key.with_blank(tile);
            let score = score.wrapping_sub(*worth);
            self.put(key, start, score);
            if self.blanks == 2 {
                for (second, (_, worth)) in letters().skip_while(|(second, _)| *second <= tile) {
                    self.put(key.with_blank(second), start, score.wrapping_sub(*worth));
                }
            }
        }
    }

    /// Every way to lay blanks for some of the tiles from one on.
    fn tell_all_blanks(
        &mut self,
        tile: usize,
        letters: &mut [u8; 32],
        blanks: u8,
        worth: &[i32; 16],
        (key, start, score): (S::Key, u16, i32),
    ) {
        if tile == self.laid_count {
            self.put(key, start, score);
            return;
        }
        let letter = usize::from(self.laid[tile & 15] & 31);
        if letters[letter] > 0 {
            letters[letter] -= 1;
            self.tell_all_blanks(tile + 1, letters, blanks, worth, (key, start, score));
            letters[letter] += 1;
        }
        if blanks > 0 {
            let key = key.with_blank(tile);
            let score = score.wrapping_sub(worth[tile & 15]);
            self.tell_all_blanks(tile + 1, letters, blanks - 1, worth, (key, start, score));
        }
    }

    #[inline]
    fn put(&mut self, key: S::Key, start: u16, score: i32) {
        self.scores |= score.cast_unsigned();
        self.sink.put(key.with_score(start, score));
    }
}
