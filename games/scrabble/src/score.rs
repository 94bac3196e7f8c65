//! What a move counts, in both ways.

use crate::board::{Board, Run};
use crate::options::{Options, Scoring};
use crate::square::{LETTER_TIMES, Square, SquareSet, WORD_TIMES, is_premium};
use crate::tile::value_of;

/// A move with its letters laid, to be counted.
pub(crate) struct Tally<'a> {
    /// With all letters of the move.
    pub(crate) board: &'a Board,
    /// The words that it formed.
    pub(crate) runs: &'a [Run],
    /// The new squares.
    pub(crate) laid: SquareSet,
    /// The board after Booms: what is gone from it does not count.
    pub(crate) left: &'a Board,
}

impl Tally<'_> {
    /// R5: the move's score without the bonus and before it may be negated. Premiums that are used
    /// up by it go into `used`.
    pub(crate) fn move_score(&self, options: &Options, used: &mut SquareSet) -> i32 {
        match options.scoring {
            Scoring::Words => self.words_score(),
            Scoring::Squares => self.squares_score(used),
        }
    }

    fn survives(&self, square: Square) -> bool {
        self.left.has_letter(square)
    }

    /// R5.2, R7.2: each word of which nothing is gone, with the premiums under new tiles.
    fn words_score(&self) -> i32 {
        let whole = self.runs.iter().filter(|run| run.squares().all(|it| self.survives(it)));
        whole.map(|run| self.word_score(*run)).sum()
    }

    fn word_score(&self, run: Run) -> i32 {
        let (mut sum, mut times) = (0, 1);
        for square in run.squares() {
            let is_new = self.laid.contains(square);
            let value = value_of(self.board.face(square));
            sum += if is_new { value * letter_times(square) } else { value };
            times *= if is_new { word_times(square) } else { 1 };
        }
        sum * times
    }

    /// R5.3: each square of all words that is left, once; each premium once in a match.
    fn squares_score(&self, used: &mut SquareSet) -> i32 {
        let squares: SquareSet = self.runs.iter().flat_map(|run| run.squares()).collect();
        let (mut sum, mut times) = (0, 1);
        for square in squares.iter().filter(|square| self.survives(*square)) {
            sum += self.square_score(square, used);
            if is_premium(square) && used.insert(square) {
                times *= word_times(square);
            }
        }
        sum * times
    }

    /// A letter with its square's premium, unless that is used.
    fn square_score(&self, square: Square, used: &SquareSet) -> i32 {
        let times = if used.contains(square) { 1 } else { letter_times(square) };
        value_of(self.board.face(square)) * times
    }
}

fn letter_times(square: Square) -> i32 {
    i32::from(LETTER_TIMES[square.index()])
}

fn word_times(square: Square) -> i32 {
    i32::from(WORD_TIMES[square.index()])
}
