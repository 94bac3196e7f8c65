//! Every play from the rules alone: each word at each place in both directions, laid tile by tile and
//! looked at. Slow, and written apart from what it checks.

use std::collections::{BTreeSet, HashSet};

use scrabble_words::{BLANK, Direction, Face, Position, SQUARES};

/// Start, direction, word and score, in the order of plays: the score upside down.
pub(crate) type Told = (i32, usize, Direction, Vec<Face>);

pub(crate) struct Rules {
    words: Vec<Vec<u8>>,
    set: HashSet<Vec<u8>>,
}

/// The square some steps away in a direction, if it is on the board.
fn go(square: usize, direction: Direction, steps: isize) -> Option<usize> {
    let (row, column) = (square / 15, square % 15);
    let (row, column) = match direction {
        Direction::Across => (row, column.checked_add_signed(steps)?),
        Direction::Down => (row.checked_add_signed(steps)?, column),
    };
    (row < 15 && column < 15).then_some(row * 15 + column)
}

fn turned(direction: Direction) -> Direction {
    if direction == Direction::Across { Direction::Down } else { Direction::Across }
}

/// Whether the word is on the board, fits the tiles there, and the rack has something to add.
fn could_lie(position: &Position<'_>, word: &[u8], start: usize, direction: Direction) -> bool {
    let mut rack = position.rack;
    let mut new = 0;
    for (step, &letter) in (0..).zip(word) {
        let Some(square) = go(start, direction, step) else { return false };
        let face = position.board[square];
        if face == 0 {
            let tile = if rack[usize::from(letter)] > 0 { usize::from(letter) } else { 0 };
            if rack[tile] == 0 {
                return false;
            }
            rack[tile] -= 1;
            new += 1;
        } else if face & !BLANK != letter {
            return false;
        }
    }
    new > 0
}

/// The squares of the word through a square.
fn word_through(board: &[Face; SQUARES], square: usize, direction: Direction) -> Vec<usize> {
    let mut first = square;
    while let Some(before) = go(first, direction, -1).filter(|it| board[*it] != 0) {
        first = before;
    }
    let squares = (0..15).map_while(|step| go(first, direction, step));
    squares.take_while(|it| board[*it] != 0).collect()
}

impl Rules {
    pub(crate) fn new(words: impl Iterator<Item = Vec<u8>>) -> Self {
        let words: Vec<Vec<u8>> = words.collect();
        Self { set: words.iter().cloned().collect(), words }
    }

    pub(crate) fn all_plays(&self, position: &Position<'_>) -> BTreeSet<Told> {
        let mut found = BTreeSet::new();
        for word in &self.words {
            for start in 0..SQUARES {
                for direction in [Direction::Across, Direction::Down] {
                    self.try_word(position, word, start, direction, &mut found);
                }
            }
        }
        found
    }

    fn try_word(
        &self,
        position: &Position<'_>,
        word: &[u8],
        start: usize,
        direction: Direction,
        found: &mut BTreeSet<Told>,
    ) {
        if !could_lie(position, word, start, direction) {
            return;
        }
        let squares = (0..).map_while(|step| go(start, direction, step));
        let squares: Vec<usize> = squares.take(word.len()).collect();
        let is_new = |at: &usize| position.board[squares[*at]] == 0;
        let new: Vec<usize> = (0..word.len()).filter(is_new).collect();
        // Each way to have blanks among the new tiles.
        for blanks in 0_u32..1 << new.len() {
            if blanks.count_ones() > u32::from(position.rack[0]) {
                continue;
            }
            let mut board = *position.board;
            let mut rack = position.rack;
            let mut is_held = true;
            for (index, &at) in new.iter().enumerate() {
                let is_blank = blanks >> index & 1 == 1;
                let tile = if is_blank { 0 } else { usize::from(word[at]) };
                is_held &= rack[tile] > 0;
                rack[tile] = rack[tile].saturating_sub(1);
                board[squares[at]] = word[at] | if is_blank { BLANK } else { 0 };
            }
            let laid: Vec<usize> = new.iter().map(|at| squares[*at]).collect();
            if is_held && self.is_legal(position, &board, &laid, &squares, direction) {
                let told: Vec<Face> = squares.iter().map(|square| board[*square]).collect();
                let score = score(position, &board, &laid, direction);
                found.insert((-score, start, direction, told));
            }
        }
    }

    fn is_legal(
        &self,
        position: &Position<'_>,
        board: &[Face; SQUARES],
        laid: &[usize],
        squares: &[usize],
        direction: Direction,
    ) -> bool {
        if word_through(board, laid[0], direction) != squares {
            return false;
        }
        let is_first = position.board.iter().all(|face| *face == 0);
        let has_neighbour = |square: &usize| {
            let ways = [
                (Direction::Across, -1),
                (Direction::Across, 1),
                (Direction::Down, -1),
                (Direction::Down, 1),
            ];
            let mut near = ways.iter().filter_map(|(way, step)| go(*square, *way, *step));
            near.any(|it| position.board[it] != 0)
        };
        let is_joined = if is_first {
            laid.len() >= 2 && laid.contains(&position.centre)
        } else {
            laid.iter().any(has_neighbour)
        };
        let is_word = |squares: &[usize]| {
            self.set.contains(&squares.iter().map(|it| board[*it] & !BLANK).collect::<Vec<u8>>())
        };
        let crosses = laid.iter().map(|square| word_through(board, *square, turned(direction)));
        let crosses: Vec<Vec<usize>> = crosses.filter(|it| it.len() > 1).collect();
        // A single tile is told by its longer word, else across.
        let is_told_so = match crosses.first().filter(|_| laid.len() == 1) {
            Some(cross) if cross.len() == squares.len() => direction == Direction::Across,
            Some(cross) => cross.len() < squares.len(),
            None => true,
        };
        is_joined && is_told_so && crosses.iter().all(|it| is_word(it))
    }
}

fn score(
    position: &Position<'_>,
    board: &[Face; SQUARES],
    laid: &[usize],
    direction: Direction,
) -> i32 {
    let mut words = vec![word_through(board, laid[0], direction)];
    words.extend(laid.iter().map(|square| word_through(board, *square, turned(direction))));
    let mut total = if laid.len() == usize::from(position.full_rack) { position.bonus } else { 0 };
    for word in words.iter().filter(|word| word.len() > 1) {
        let mut sum = 0;
        let mut times = 1;
        for square in word {
            let face = board[*square];
            let value =
                if face & BLANK != 0 { 0 } else { i32::from(position.values[usize::from(face)]) };
            let is_new = laid.contains(square);
            sum += value * if is_new { i32::from(position.letter_times[*square]) } else { 1 };
            times *= if is_new { i32::from(position.word_times[*square]) } else { 1 };
        }
        total += sum * times;
    }
    total
}
