//! The board: towers and workers, and what every worker can do without a god's help.
//!
//! It knows nothing of whose turn it is, nor of any power.

use game_api::Seat;

use crate::cell::{Cell, CellSet};

/// R2.2: how many levels up a worker climbs at most.
pub const CLIMB_MAX: u8 = 1;
/// The highest level; a dome goes on top of it.
pub const LEVEL_MAX: u8 = 3;

/// Towers and workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    /// The cells with at least one, two and three blocks.
    at_least: [CellSet; 3],
    domes: CellSet,
    workers: [CellSet; 2],
}

impl Board {
    /// R1.1: nothing built, nobody there.
    pub const EMPTY: Board = Board {
        at_least: [CellSet::EMPTY; 3],
        domes: CellSet::EMPTY,
        workers: [CellSet::EMPTY; 2],
    };

    /// How many blocks the tower on `cell` has.
    pub fn level(&self, cell: Cell) -> u8 {
        self.at_least.iter().map(|cells| u8::from(cells.contains(cell))).sum()
    }

    /// `isTowerComplete`: three blocks and a dome.
    pub fn is_tower_complete(&self, cell: Cell) -> bool {
        self.has_dome(cell) && self.level(cell) == LEVEL_MAX
    }

    /// Is there a dome, at whatever level?
    pub fn has_dome(&self, cell: Cell) -> bool {
        self.domes.contains(cell)
    }

    /// The seat's workers.
    pub fn workers(&self, seat: Seat) -> CellSet {
        self.workers[seat.index()]
    }

    /// The cells without worker or dome.
    pub fn free(&self) -> CellSet {
        !(self.domes | self.workers[0] | self.workers[1])
    }

    /// The cells whose towers have at most this many blocks.
    pub fn up_to(&self, level: u8) -> CellSet {
        self.at_least.get(usize::from(level)).map_or(CellSet::ALL, |higher| !*higher)
    }

    /// The cells whose towers have exactly this many blocks.
    pub fn at_level(&self, level: u8) -> CellSet {
        let at_least =
            level.checked_sub(1).map_or(CellSet::ALL, |index| self.at_least[usize::from(index)]);
        at_least & self.up_to(level)
    }

    /// R2.2: the neighbours that a worker on `from` can climb or jump to, whoever stands there.
    pub fn climbable(&self, from: Cell, climb_max: u8) -> CellSet {
        from.neighbours() & self.up_to(self.level(from) + climb_max) & !self.domes
    }

    /// R2.3: the cells around `from` where something can be built.
    pub fn buildable(&self, from: Cell) -> CellSet {
        from.neighbours() & self.free()
    }

    pub(crate) fn put_worker(&mut self, seat: Seat, cell: Cell) {
        self.workers[seat.index()] = self.workers[seat.index()].with(cell);
    }

    pub(crate) fn move_worker(&mut self, seat: Seat, from: Cell, to: Cell) {
        self.workers[seat.index()] = self.workers[seat.index()].without(from).with(to);
    }

    /// R2.4: a block on levels 0 to 2, a dome on level 3.
    pub(crate) fn build(&mut self, cell: Cell) {
        let level = usize::from(self.level(cell));
        match self.at_least.get_mut(level) {
            Some(level) => *level = level.with(cell),
            None => self.dome(cell),
        }
    }

    pub(crate) fn dome(&mut self, cell: Cell) {
        self.domes = self.domes.with(cell);
    }

    /// How many turns the seat has, without powers on either side: a winning step is a turn.
    fn count_turns(&self, seat: Seat) -> u64 {
        let free = self.free();
        let mut count = 0;
        for from in self.workers(seat).iter() {
            let (steps, wins) = self.plain_steps(from, free);
            count += wins.len();
            let vacated = free.with(from);
            for to in steps.iter() {
                // `to` is not among its own neighbours.
                count += (to.neighbours() & vacated).len();
            }
        }
        u64::from(count)
    }

    /// The steps from a cell that do not win, and those that do.
    fn plain_steps(&self, from: Cell, free: CellSet) -> (CellSet, CellSet) {
        let level = self.level(from);
        let steps = self.climbable(from, CLIMB_MAX) & free;
        let wins = if level == LEVEL_MAX - 1 { steps & self.at_least[2] } else { CellSet::EMPTY };
        (steps & !wins, wins)
    }

    /// Ways to play `depth` whole turns without powers. The last turn is counted, not made, if
    /// `is_bulk`. A side without a turn has lost, which is one way.
    pub fn perft(&self, seat: Seat, depth: u32, is_bulk: bool) -> u64 {
        if depth == 0 {
            return 1;
        }
        if depth == 1 && is_bulk {
            return self.count_turns(seat).max(1);
        }
        let other = seat.after(1, 2);
        let free = self.free();
        let mut count = 0;
        for from in self.workers(seat).iter() {
            let (steps, wins) = self.plain_steps(from, free);
            count += u64::from(wins.len());
            let vacated = free.with(from);
            for to in steps.iter() {
                let mut moved = *self;
                moved.move_worker(seat, from, to);
                for cell in (to.neighbours() & vacated).iter() {
                    let mut built = moved;
                    built.build(cell);
                    count += built.perft(other, depth - 1, is_bulk);
                }
            }
        }
        count.max(1)
    }
}
