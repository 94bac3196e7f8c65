//! The gods: values whose hooks the rules ask. A new one is a file here and a line in the
//! list.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::board::Board;
use crate::cell::{Cell, CellSet};

/// Declares the files and the list in one: a line a god.
macro_rules! gods {
    ($($name:ident,)*) => {
        $(mod $name;)*

        /// All powers, the absence of one first.
        static GODS: &[God] = &[MORTAL, $($name::GOD),*];
    };
}

gods! {
    apollo,
    artemis,
    athena,
    atlas,
    demeter,
    hephaestus,
    hermes,
    minotaur,
    pan,
    prometheus,
}

/// Nobody's power, from which a god differs in what its card says.
pub(crate) const MORTAL: God = God {
    id: "mortal",
    name: "Mortal",
    text: "No power.",
    displace: None,
    moves: Moves::Once,
    may_build_first: false,
    may_dome_anywhere: false,
    build_again: None,
    bars_climbing: false,
    wins_by: |_, _| false,
};

/// From a cell, onto an opponent's worker: where that worker goes.
type Displace = fn(&Board, Cell, Cell) -> Option<Cell>;

/// A power, as answers to what the rules ask.
pub struct God {
    /// The key in options and positions.
    pub id: &'static str,
    /// The name that people read.
    pub name: &'static str,
    /// What the power is, in a sentence.
    pub text: &'static str,
    /// Where an opponent's worker goes when one steps from the first cell onto its cell, if it can.
    pub(crate) displace: Option<Displace>,
    /// How often and how far workers move.
    pub(crate) moves: Moves,
    /// May a worker build before it moves, if it then does not climb?
    pub(crate) may_build_first: bool,
    /// May domes go on any level?
    pub(crate) may_dome_anywhere: bool,
    /// Where a second build may go, of the cells around the worker, after one on the given cell.
    pub(crate) build_again: Option<fn(&Board, Cell, CellSet) -> CellSet>,
    /// After a turn with a climb, may the opponent not climb?
    pub(crate) bars_climbing: bool,
    /// Does a move from the first level to the second win, besides the one that always does?
    pub(crate) wins_by: fn(u8, u8) -> bool,
}

/// How often and how far workers move in a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moves {
    /// One worker, one step.
    Once,
    /// One worker, one step, and if wanted another that does not go back.
    Twice,
    /// Each worker any distance on its level, or one worker one step to another level.
    Glide,
}

/// A god of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GodId(u8);

impl GodId {
    /// Every god, the mortal first.
    pub fn all() -> impl Iterator<Item = GodId> + Clone {
        (0..).take(GODS.len()).map(GodId)
    }

    /// The god with this key.
    pub fn find(id: &str) -> Option<GodId> {
        GodId::all().find(|god| god.god().id == id)
    }

    /// Its power.
    pub fn god(self) -> &'static God {
        &GODS[usize::from(self.0)]
    }
}

impl Serialize for GodId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.god().id)
    }
}

impl<'de> Deserialize<'de> for GodId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        GodId::find(&id).ok_or_else(|| D::Error::custom("there is no such god"))
    }
}
