//! Finds every play.
//!
//! Words are built from their first letter on, by the automaton, from all starts on the board at once:
//! as long as only tiles of the rack are laid, every start sees the same letters, so one walk through
//! the automaton serves all, and a set of starts ([`Lanes`]) says for which of them the letters so far
//! fit the words across. Starts whose cells so far ask nothing are not even in that set: they come in
//! when their first cell with a neighbour is reached (`hooks`), or leave the walk when they meet tiles
//! (`runs`). From there on a start goes on alone, along its line.

mod tell;

use crate::automaton::{ALL, Automaton, Letters, NOWHERE, Node, letters_of};
use crate::key::Key;
use crate::lanes::{LINES, Lanes};
use crate::lines::{Line, bits_of};
use crate::play::Position;
use crate::{BLANK, Face, Letter, SIDE};

/// Takes what the search finds.
pub(crate) trait Sink {
    type Key: Key;
    /// Whether it wants all ways to lay blanks, not just the best.
    const ALL: bool;
    fn put(&mut self, key: Self::Key);
}

/// Tiles in a line that the walk can meet first.
#[derive(Clone, Copy)]
struct Run {
    line: usize,
    /// Its first cell.
    cell: usize,
    /// How many cells before it may be covered without another neighbour.
    room: usize,
}

/// Depths of the walk: 0 to 15 letters.
const DEPTHS: usize = SIDE + 1;

pub(crate) struct Search<'a, S> {
    automaton: &'a Automaton,
    lines: &'a [Line; LINES],
    /// The points of each face: nothing for a blank.
    values: [i32; 64],
    full_rack: usize,
    bonus: i32,
    pub(crate) sink: S,
    /// All scores so far, or-ed: whether one is negative or large.
    pub(crate) scores: u32,

    /// The rack: of each letter, of blanks, in all, and which letters there are.
    counts: [u8; 32],
    blanks: u8,
    tiles_left: u8,
    have: Letters,
    rack: [u8; 32],
    blanks_in_rack: u8,
    /// Blanks laid for letters that are in the rack too, so that it could be the other one.
    doubtful: u8,

    /// The faces laid, and the cells of those that the walk has not laid. A blank is laid for a
    /// letter that is not there, or no longer.
    laid: [Face; 16],
    laid_count: usize,
    cells: [usize; 16],

    /// For each letter the cells on which it may be laid.
    fits: [Lanes; 32],
    tiles: Lanes,
    /// For each depth the starts whose first cell with a neighbour across is so far away.
    hooks: [Lanes; DEPTHS],
    /// Runs by their first letters.
    runs: Vec<Run>,
    /// For each letter where the runs begin that begin with it.
    runs_of: [u8; 33],
    /// For each depth the first letters of runs with that much room.
    run_letters: [Letters; DEPTHS],
    /// Where the last hook or run is.
    depth_max: usize,
}

impl<'a, S: Sink> Search<'a, S> {
    pub(crate) fn new(
        automaton: &'a Automaton,
        lines: &'a [Line; LINES],
        position: &Position<'_>,
        sink: S,
    ) -> Self {
        let mut values = [0; 64];
        let mut rack = [0; 32];
        for letter in 1..27 {
            values[letter] = i32::from(position.values[letter]);
            rack[letter] = position.rack[letter];
        }
        let have = (1..27).fold(0, |set, letter| set | Letters::from(rack[letter] > 0) << letter);
        let tiles_left = position.rack.iter().fold(0, |sum: u8, count| sum.saturating_add(*count));
        let mut search = Self {
            automaton,
            lines,
            values,
            full_rack: usize::from(position.full_rack),
            bonus: position.bonus,
            sink,
            scores: 0,
            counts: rack,
            blanks: position.rack[0],
            tiles_left,
            have,
            rack,
            blanks_in_rack: position.rack[0],
            doubtful: 0,
            laid: [0; 16],
            laid_count: 0,
            cells: [0; 16],
            fits: [Lanes::NONE; 32],
            tiles: Lanes::NONE,
            hooks: [Lanes::NONE; DEPTHS],
            runs: Vec::with_capacity(64),
            runs_of: [0; 33],
            run_letters: [0; DEPTHS],
            depth_max: 0,
        };
        for index in 0..LINES {
            search.survey(index);
        }
        search.sort_runs();
        search
    }

    /// Finds all.
    pub(crate) fn run(&mut self) {
        if self.tiles_left > 0 {
            self.walk(self.automaton.root(), 0, Lanes::NONE);
        }
    }

    /// Notes what a line has for the walk.
    fn survey(&mut self, index: usize) {
        if index % (LINES / 2) >= SIDE {
            return;
        }
        let line = &self.lines[index];
        self.tiles.add(index, line.tile_bits);
        let have = if self.blanks > 0 { ALL } else { self.have };
        let empty = !line.tile_bits & 0x7FFF;
        let mut fits = [empty & !line.narrow_bits; 32];
        for cell in bits_of(line.narrow_bits) {
            for letter in letters_of(line.fits[cell] & have) {
                fits[usize::from(letter)] |= 1 << cell;
            }
        }
        for letter in letters_of(have) {
            self.fits[usize::from(letter)].add(index, fits[usize::from(letter)]);
        }
        self.find_ways_in(index);
    }

    /// Notes from where the walk reaches the line's tiles and hooks over cells that ask nothing.
    fn find_ways_in(&mut self, index: usize) {
        let Line { tile_bits, hook_bits, .. } = self.lines[index];
        let reach = usize::from(self.tiles_left);
        let mut free = 0;
        let mut is_behind_tile = false;
        for cell in 0..SIDE {
            if tile_bits >> cell & 1 == 1 {
                if !is_behind_tile {
                    let room = free.min(reach);
                    self.runs.push(Run { line: index, cell, room });
                }
                is_behind_tile = true;
                free = 0;
                continue;
            }
            // No word starts right behind a tile: there it would start with the tile.
            if !is_behind_tile && hook_bits >> cell & 1 == 1 {
                for depth in 0..=free.min(reach.saturating_sub(1)) {
                    self.hooks[depth].add(index, 1 << (cell - depth));
                    self.depth_max = self.depth_max.max(depth);
                }
                free = 0;
            } else if !is_behind_tile {
                free += 1;
            }
            is_behind_tile = false;
        }
    }

    fn sort_runs(&mut self) {
        let lines = self.lines;
        let first = |run: &Run| lines[run.line].tiles[run.cell];
        self.runs.sort_unstable_by_key(first);
        for run in &self.runs {
            let letter = usize::from(first(run));
            self.runs_of[letter + 1] += 1;
            self.run_letters[..=run.room].iter_mut().for_each(|set| *set |= 1 << letter);
            self.depth_max = self.depth_max.max(run.room);
        }
        for letter in 1..33 {
            self.runs_of[letter] += self.runs_of[letter - 1];
        }
    }

    /// From a node that `depth` letters of the rack have led to. The starts are those for which they
    /// fit, and make a word with a neighbour.
    fn walk(&mut self, place: u32, depth: usize, starts: Lanes) {
        let node = self.automaton.node(place);
        let letters = node.on | node.ends;
        for letter in letters_of(letters & self.run_letters[depth & 15]) {
            self.leave_through_runs(node, depth, letter);
        }
        if !starts.is_none() {
            let at_tiles = starts & (self.tiles >> depth);
            at_tiles.each(|line, start| self.pass(node, line, start, depth, start + depth));
        }
        if self.tiles_left == 0 {
            return;
        }
        let can = self.can();
        let starts = starts | self.hooks[depth & 15];
        for letter in letters_of(letters & can) {
            let fitting = starts & (self.fits[usize::from(letter)] >> depth);
            let is_on = node.on >> letter & 1 == 1;
            if fitting.is_none() && (!is_on || depth >= self.depth_max) {
                continue;
            }
            let is_natural = self.lay(letter);
            if node.ends >> letter & 1 == 1 {
                let ending = fitting & !(self.tiles >> (depth + 1));
                ending.each(|line, start| self.tell(line, start, depth + 1, start + depth + 1));
            }
            if is_on {
                self.walk(node.next_of_those(letter), depth + 1, fitting);
            }
            self.take_back(letter, is_natural);
        }
    }

    /// Goes on through the runs that begin with a letter and have room for the tiles laid so far.
    fn leave_through_runs(&mut self, node: Node<'a>, depth: usize, letter: Letter) {
        let runs = self.runs_of[usize::from(letter)]..self.runs_of[usize::from(letter) + 1];
        let is_word = node.ends >> letter & 1 == 1 && depth > 0;
        let next = self.automaton.node(node.next(letter));
        for index in runs {
            let Run { line, cell, room } = self.runs[usize::from(index)];
            if room < depth {
                continue;
            }
            let (start, end) = (cell - depth, cell + 1);
            let at = &self.lines[line & 31];
            if at.tiles[end & 15] != 0 {
                self.pass(next, line, start, depth, end);
                continue;
            }
            if is_word {
                self.tell(line, start, depth, end);
            }
            if (next.on | next.ends) & at.fits[end & 15] & self.can() != 0 {
                self.extend(next, line, start, depth, end);
            }
        }
    }

    /// Follows the tiles from a cell on; what they make is told, and goes on behind them.
    fn pass(&mut self, node: Node<'a>, line: usize, start: usize, walked: usize, cell: usize) {
        let at = &self.lines[line & 31];
        let mut node = node;
        let mut cell = cell & 15;
        while at.tiles[(cell + 1) & 15] != 0 {
            let next = node.next(at.tiles[cell]);
            if next == NOWHERE {
                return;
            }
            node = self.automaton.node(next);
            cell = (cell + 1) & 15;
        }
        let letter = at.tiles[cell];
        if node.ends >> letter & 1 == 1 && self.laid_count > 0 {
            self.tell(line, start, walked, cell + 1);
        }
        let next = node.next(letter);
        if next != NOWHERE {
            let next = self.automaton.node(next);
            if (next.on | next.ends) & at.fits[(cell + 1) & 15] & self.can() != 0 {
                self.extend(next, line, start, walked, cell + 1);
            }
        }
    }

    /// Lays tiles from an empty cell on.
    fn extend(&mut self, node: Node<'a>, line: usize, start: usize, walked: usize, cell: usize) {
        let at = &self.lines[line & 31];
        let can = at.fits[cell & 15] & self.can();
        self.cells[self.laid_count & 15] = cell;
        if at.tiles[(cell + 1) & 15] != 0 {
            for letter in letters_of(node.on & can) {
                let is_natural = self.lay(letter);
                let next = self.automaton.node(node.next_of_those(letter));
                self.pass(next, line, start, walked, cell + 1);
                self.take_back(letter, is_natural);
            }
            return;
        }
        for letter in letters_of(node.ends & can) {
            let is_natural = self.lay(letter);
            self.tell(line, start, walked, cell + 1);
            self.take_back(letter, is_natural);
        }
        if self.tiles_left == 1 {
            return;
        }
        // Looks at all nodes ahead before it goes to one: so the machine fetches them together.
        let mut ahead = [(0, 0); 26];
        let mut count = 0;
        let fits_next = at.fits[(cell + 1) & 15];
        for letter in letters_of(node.on & can) {
            let place = node.next_of_those(letter);
            let next = self.automaton.node(place);
            ahead[count] = (letter, place);
            let leads_on = (next.on | next.ends) & fits_next & self.can_without(letter) != 0;
            count += usize::from(leads_on);
        }
        for &(letter, place) in &ahead[..count] {
            let is_natural = self.lay(letter);
            let next = self.automaton.node(place);
            self.extend(next, line, start, walked, cell + 1);
            self.take_back(letter, is_natural);
        }
    }

    /// The letters that can be laid.
    #[inline]
    fn can(&self) -> Letters {
        if self.blanks > 0 { ALL } else { self.have }
    }

    /// The letters that can be laid after this one.
    #[inline]
    fn can_without(&self, letter: Letter) -> Letters {
        let count = self.counts[usize::from(letter & 31)];
        let blanks = self.blanks - u8::from(count == 0);
        if blanks > 0 { ALL } else { self.have & !(Letters::from(count == 1) << letter) }
    }

    /// Takes a letter from the rack, else a blank for it, and says whether it was the letter.
    #[inline]
    fn lay(&mut self, letter: Letter) -> bool {
        let count = &mut self.counts[usize::from(letter & 31)];
        let is_natural = *count > 0;
        if is_natural {
            *count -= 1;
            self.have &= !(Letters::from(*count == 0) << letter);
        } else {
            self.blanks -= 1;
            self.doubtful += u8::from(self.rack[usize::from(letter & 31)] > 0);
        }
        self.laid[self.laid_count & 15] = letter | if is_natural { 0 } else { BLANK };
        self.laid_count += 1;
        self.tiles_left -= 1;
        is_natural
    }

    #[inline]
    fn take_back(&mut self, letter: Letter, is_natural: bool) {
        self.laid_count -= 1;
        self.tiles_left += 1;
        if is_natural {
            self.counts[usize::from(letter & 31)] += 1;
            self.have |= 1 << letter;
        } else {
            self.blanks += 1;
            self.doubtful -= u8::from(self.rack[usize::from(letter & 31)] > 0);
        }
    }
}
