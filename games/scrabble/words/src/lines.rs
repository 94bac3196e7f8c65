//! The board as rows and columns, each with what the search asks of its cells: which letters may be
//! laid, and what they score.

use crate::automaton::{ALL, Automaton, Letters, letters_of};
use crate::lanes::LINES;
use crate::play::Position;
use crate::{BLANK, Letter, SIDE, SQUARES};

/// A row or a column. The sixteenth cell is the edge: nothing lies there, and nothing may.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    /// The letter on each cell, 0 for none.
    pub(crate) tiles: [Letter; 16],
    /// The letters that may be laid on each cell, none where a tile lies.
    pub(crate) fits: [Letters; 16],
    pub(crate) letter_times: [u8; 16],
    pub(crate) word_times: [u8; 16],
    /// The word premium where a new tile makes a word across the line, else 0.
    pub(crate) cross_times: [u8; 16],
    /// What the other letters of that word score, with the premium.
    pub(crate) cross_points: [i32; 16],
    /// Its length; 1 where there is none.
    pub(crate) cross_len: [u8; 16],
    /// Points of the tiles before each cell.
    pub(crate) points_before: [i32; 16],
    /// Start and direction of a word from each cell, as they stand in a key.
    pub(crate) starts: [u16; 16],
    /// Cells on which a tile lies.
    pub(crate) tile_bits: u16,
    /// Empty cells on which not every letter may be laid.
    pub(crate) narrow_bits: u16,
    /// Empty cells with a tile beside them across the line; on an empty board, the centre.
    pub(crate) hook_bits: u16,
}

const EDGE: Line = Line {
    tiles: [0; 16],
    fits: [0; 16],
    letter_times: [1; 16],
    word_times: [1; 16],
    cross_times: [0; 16],
    cross_points: [0; 16],
    cross_len: [1; 16],
    points_before: [0; 16],
    starts: [0; 16],
    tile_bits: 0,
    narrow_bits: 0,
    hook_bits: 0,
};

/// The square of a cell.
fn square_of(line: usize, cell: usize) -> usize {
    if line < LINES / 2 { line * SIDE + cell } else { cell * SIDE + line - LINES / 2 }
}

/// Rows and columns of a position. Two lines are spare.
pub(crate) fn lines_of(automaton: &Automaton, position: &Position<'_>) -> [Line; LINES] {
    let mut lines = [EDGE; LINES];
    for (index, line) in lines.iter_mut().enumerate() {
        if index % (LINES / 2) < SIDE {
            *line = bare_line(index, position);
        }
    }
    // What a blank may become, or all that the rack can lay.
    let rack = position.rack.iter().enumerate().skip(1);
    let rack = rack.fold(0, |set, (letter, &count)| set | Letters::from(count > 0) << letter);
    let can = if position.rack[0] > 0 { ALL } else { rack };
    for across in 0..LINES / 2 {
        cross(automaton, &mut lines, across, LINES / 2, can, position);
        cross(automaton, &mut lines, across + LINES / 2, 0, can, position);
    }
    if lines.iter().all(|line| line.tile_bits == 0) && position.centre < SQUARES {
        let (row, column) = (position.centre / SIDE, position.centre % SIDE);
        lines[row].hook_bits = 1 << column;
        lines[LINES / 2 + column].hook_bits = 1 << row;
    }
    for line in &mut lines {
        heed_tiles_ahead(automaton, line);
    }
    lines
}

/// Tiles and premiums alone.
fn bare_line(index: usize, position: &Position<'_>) -> Line {
    let mut line = EDGE;
    let mut points = 0;
    for cell in 0..SIDE {
        let square = square_of(index, cell);
        let face = position.board[square];
        line.points_before[cell] = points;
        line.letter_times[cell] = position.letter_times[square];
        line.word_times[cell] = position.word_times[square];
        if face == 0 {
            line.fits[cell] = ALL;
        } else {
            line.tiles[cell] = face & (BLANK - 1);
            line.tile_bits |= 1 << cell;
            points += points_of(face, position);
        }
    }
    line.points_before[SIDE] = points;
    let (first, step) = (square_of(index, 0), square_of(index, 1) - square_of(index, 0));
    let is_down = usize::from(index >= LINES / 2);
    line.starts = std::array::from_fn(|cell| {
        u16::try_from((first + cell * step) << 1 | is_down).unwrap_or(u16::MAX)
    });
    line
}

fn points_of(face: u8, position: &Position<'_>) -> i32 {
    position.values.get(usize::from(face)).copied().unwrap_or(0).into()
}

/// Looks along one line, and writes into the lines that cross it (from `others` on) what its words
/// ask of their cells.
fn cross(
    automaton: &Automaton,
    lines: &mut [Line; LINES],
    index: usize,
    others: usize,
    can: Letters,
    position: &Position<'_>,
) {
    let line = lines[index];
    if line.tile_bits == 0 {
        return;
    }
    let cell_of_others = index % (LINES / 2);
    // The word part that ends before this cell: where it starts, and its node.
    let (mut first, mut before) = (0, automaton.root());
    for cell in 0..SIDE {
        let tile = line.tiles[cell];
        if tile != 0 {
            before = automaton.node(before).next(tile);
            continue;
        }
        let run = line.tiles[cell + 1..].iter().take_while(|tile| **tile != 0).count();
        let end = cell + 1 + run;
        if first < cell || run > 0 {
            let other = &mut lines[others + cell];
            let after = &line.tiles[cell + 1..end];
            other.fits[cell_of_others] = fitting(automaton, before, after, can);
            other.hook_bits |= 1 << cell_of_others;
            other.narrow_bits |= 1 << cell_of_others;
            let points = line.points_before[end] - line.points_before[first];
            let times = position.word_times[square_of(index, cell)];
            other.cross_times[cell_of_others] = times;
            other.cross_points[cell_of_others] = points * i32::from(times);
            other.cross_len[cell_of_others] = u8::try_from(end - first).unwrap_or(u8::MAX);
        }
        (first, before) = (cell + 1, automaton.root());
    }
}

/// The letters that make a word between what ends at a node and the tiles after them.
fn fitting(automaton: &Automaton, before: u32, after: &[Letter], can: Letters) -> Letters {
    let node = automaton.node(before);
    let Some((last, middle)) = after.split_last() else { return node.ends & can };
    let mut fit = 0;
    for letter in letters_of(node.on & can & automaton.letters_before(after)) {
        let next = node.next_of_those(letter);
        let end = middle.iter().fold(next, |place, &tile| automaton.node(place).next(tile));
        fit |= (automaton.node(end).ends >> last & 1) << letter;
    }
    fit
}

/// A letter right before tiles must be one that some word has before these.
fn heed_tiles_ahead(automaton: &Automaton, line: &mut Line) {
    let starts = line.tile_bits & !(line.tile_bits << 1);
    for cell in bits_of(starts) {
        if cell > 0 {
            let run = &line.tiles[cell..];
            let len = run.iter().take_while(|tile| **tile != 0).count();
            line.fits[cell - 1] &= automaton.letters_before(&run[..len]);
            line.narrow_bits |= 1 << (cell - 1);
        }
    }
}

/// The places of the bits, in order.
pub(crate) fn bits_of(mut bits: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = bits.trailing_zeros() as usize;
        let is_there = bits != 0;
        bits &= bits.wrapping_sub(1);
        is_there.then_some(bit)
    })
}
