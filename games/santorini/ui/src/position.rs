//! What the board needs of a view: towers, workers, what was done last and what is asked for.

use serde::Deserialize;

/// Cells a side.
pub(crate) const SIZE: usize = 5;

/// The number of a named cell: the fifth row is drawn at the top.
pub(crate) fn index_of(name: &str) -> Option<usize> {
    let [column @ b'a'..=b'e', row @ b'1'..=b'5'] = *name.as_bytes() else { return None };
    Some(usize::from(b'5' - row) * SIZE + usize::from(column - b'a'))
}

/// A cell's name.
pub(crate) fn name_of(index: usize) -> String {
    let column = ["a", "b", "c", "d", "e"][index % SIZE];
    format!("{column}{}", SIZE - index / SIZE)
}

/// What stands on a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tower {
    pub(crate) level: u8,
    pub(crate) has_dome: bool,
}

impl Tower {
    fn parse(letter: u8) -> Tower {
        match letter {
            b'0'..=b'3' => Tower { level: letter - b'0', has_dome: false },
            b'a'..=b'c' => Tower { level: letter - b'a', has_dome: true },
            _ => Tower { level: 3, has_dome: true },
        }
    }

    pub(crate) fn words(self) -> &'static str {
        match (self.level, self.has_dome) {
            (0, false) => "ground",
            (1, false) => "level 1",
            (2, false) => "level 2",
            (_, false) => "level 3",
            (0, true) => "dome on the ground",
            (1, true) => "dome on level 1",
            (2, true) => "dome on level 2",
            (_, true) => "complete tower",
        }
    }
}

/// The board as it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Position {
    towers: Vec<Tower>,
    workers: [Vec<usize>; 2],
    pub(crate) phase: String,
    pub(crate) gods: Vec<String>,
    /// The cells of the last action.
    pub(crate) last: Vec<usize>,
}

#[derive(Deserialize)]
struct View {
    levels: [String; SIZE],
    workers: [Vec<String>; 2],
    phase: String,
    gods: Vec<String>,
    last: Option<Last>,
}

#[derive(Deserialize)]
struct Last {
    action: String,
}

impl Position {
    /// Of a view's JSON; `None` if it is none of Santorini.
    pub(crate) fn parse(view: &str) -> Option<Position> {
        let view: View = serde_json::from_str(view).ok()?;
        let rows = view.levels.iter().rev();
        let last = view.last.map(|last| last.action).unwrap_or_default();
        Some(Position {
            towers: rows.flat_map(|row| row.bytes().map(Tower::parse)).collect(),
            workers: view.workers.map(|cells| cells.iter().filter_map(|it| index_of(it)).collect()),
            phase: view.phase,
            gods: view.gods,
            last: last.split([':', ',', '-', '+', '^']).filter_map(index_of).collect(),
        })
    }

    pub(crate) fn tower(&self, index: usize) -> Tower {
        self.towers.get(index).copied().unwrap_or_default()
    }

    /// The seat whose worker stands there.
    pub(crate) fn worker(&self, index: usize) -> Option<usize> {
        self.workers.iter().position(|cells| cells.contains(&index))
    }
}
