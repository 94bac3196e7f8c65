//! Cells of the board, and sets of them as bits. What stands on a cell is the board's business.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Cells in a row, and rows.
pub const SIZE: u8 = 5;
const CELLS: usize = 25;

/// A cell, numbered row by row; `(0,0)` is `a1`. Its text is the column's letter and the row's digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u8);

impl Cell {
    /// The cell in this column and row, both from 0, if it is on the board.
    pub const fn new(column: u8, row: u8) -> Option<Cell> {
        if column < SIZE && row < SIZE { Some(Cell(row * SIZE + column)) } else { None }
    }

    /// The column, from 0: the document's x.
    pub const fn column(self) -> u8 {
        self.0 % SIZE
    }

    /// The row, from 0: the document's y.
    pub const fn row(self) -> u8 {
        self.0 / SIZE
    }

    /// The up to eight cells around it.
    pub const fn neighbours(self) -> CellSet {
        NEIGHBOURS[self.0 as usize]
    }

    /// The cell as far beyond `to` as `to` is from here, if it is on the board.
    pub fn beyond(self, to: Cell) -> Option<Cell> {
        let mirror = |near: u8, far: u8| (2 * far).checked_sub(near);
        Cell::new(mirror(self.column(), to.column())?, mirror(self.row(), to.row())?)
    }

    /// This cell alone.
    pub const fn set(self) -> CellSet {
        CellSet(1 << self.0)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(TEXTS[usize::from(self.0)])
    }
}

/// Every cell's text, row by row.
#[rustfmt::skip]
const TEXTS: [&str; CELLS] = [
    "a1", "b1", "c1", "d1", "e1",
    "a2", "b2", "c2", "d2", "e2",
    "a3", "b3", "c3", "d3", "e3",
    "a4", "b4", "c4", "d4", "e4",
    "a5", "b5", "c5", "d5", "e5",
];

/// A text that names no cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a cell is a column a to e and a row 1 to 5")]
pub struct NoCell;

impl FromStr for Cell {
    type Err = NoCell;

    fn from_str(text: &str) -> Result<Self, NoCell> {
        let index = TEXTS.iter().position(|known| *known == text).ok_or(NoCell)?;
        u8::try_from(index).map(Cell).map_err(|_| NoCell)
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(TEXTS[usize::from(self.0)])
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A set of cells, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CellSet(u32);

impl CellSet {
    /// No cell.
    pub const EMPTY: CellSet = CellSet(0);
    /// The whole board.
    pub const ALL: CellSet = CellSet((1 << CELLS) - 1);

    /// This set and `cell`.
    #[must_use]
    pub const fn with(self, cell: Cell) -> CellSet {
        CellSet(self.0 | 1 << cell.0)
    }

    /// This set but for `cell`.
    #[must_use]
    pub const fn without(self, cell: Cell) -> CellSet {
        CellSet(self.0 & !(1 << cell.0))
    }

    /// Is `cell` in it?
    pub const fn contains(self, cell: Cell) -> bool {
        self.0 >> cell.0 & 1 == 1
    }

    /// Is it empty?
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many cells are in it.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The cells, row by row.
    pub fn iter(self) -> impl Iterator<Item = Cell> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let index = rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
            (index < 32).then(|| Cell(index.to_le_bytes()[0]))
        })
    }

    /// The cells that a walk from `start` over cells of this set reaches, `start` left out.
    #[must_use]
    pub fn reachable_from(self, start: Cell) -> CellSet {
        let mut reached = start.neighbours() & self;
        let mut edge = reached;
        while !edge.is_empty() {
            let around = edge.iter().fold(CellSet::EMPTY, |set, cell| set | cell.neighbours());
            edge = around & self & !reached;
            reached = reached | edge;
        }
        reached.without(start)
    }
}

impl BitAnd for CellSet {
    type Output = CellSet;

    fn bitand(self, other: CellSet) -> CellSet {
        CellSet(self.0 & other.0)
    }
}

impl BitOr for CellSet {
    type Output = CellSet;

    fn bitor(self, other: CellSet) -> CellSet {
        CellSet(self.0 | other.0)
    }
}

impl Not for CellSet {
    type Output = CellSet;

    fn not(self) -> CellSet {
        CellSet(!self.0 & CellSet::ALL.0)
    }
}

impl FromIterator<Cell> for CellSet {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Self {
        cells.into_iter().fold(CellSet::EMPTY, CellSet::with)
    }
}

static NEIGHBOURS: [CellSet; CELLS] = {
    let mut table = [CellSet::EMPTY; CELLS];
    let mut index = 0;
    while index < CELLS * CELLS {
        let (here, there) = (index / CELLS, index % CELLS);
        let (column, row) = (here % 5, here / 5);
        let (other_column, other_row) = (there % 5, there / 5);
        if here != there && column.abs_diff(other_column) <= 1 && row.abs_diff(other_row) <= 1 {
            table[here] = CellSet(table[here].0 | 1 << there);
        }
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_one_text_and_three_to_eight_neighbours() {
        let texts: Vec<String> = CellSet::ALL.iter().map(|cell| cell.to_string()).collect();
        assert_eq!((texts.len(), texts[0].as_str(), texts[24].as_str()), (25, "a1", "e5"));
        for cell in CellSet::ALL.iter() {
            assert_eq!(cell.to_string().parse(), Ok(cell));
            assert_eq!(Cell::new(cell.column(), cell.row()), Some(cell));
        }
        let around = |text: &str| text.parse::<Cell>().unwrap().neighbours().len();
        assert_eq!([around("a1"), around("c1"), around("c3"), around("e5")], [3, 5, 8, 3]);
        for odd in ["", "a", "a0", "a6", "f1", "A1", "a1 ", "é1"] {
            assert_eq!(odd.parse::<Cell>(), Err(NoCell), "{odd:?}");
        }
    }

    #[test]
    fn beyond_is_straight_on() {
        let cell = |text: &str| text.parse::<Cell>().unwrap();
        assert_eq!(cell("b2").beyond(cell("c3")), Some(cell("d4")));
        assert_eq!(cell("b2").beyond(cell("a2")), None);
        assert_eq!(cell("d4").beyond(cell("e5")), None);
    }

    #[test]
    fn a_walk_stays_on_its_cells() {
        let cell = |text: &str| text.parse::<Cell>().unwrap();
        let path: CellSet = ["a2", "a3", "b4", "e5"].map(cell).into_iter().collect();
        let reached: Vec<Cell> = path.reachable_from(cell("a1")).iter().collect();
        assert_eq!(reached, ["a2", "a3", "b4"].map(cell));
    }
}
