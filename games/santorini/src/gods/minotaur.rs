//! Minotaur.

use super::{God, MORTAL};

pub(super) const GOD: God = God {
    id: "minotaur",
    name: "Minotaur",
    text: "Your worker may move onto a neighbouring opponent worker's cell, if that worker can be pushed straight back to a free cell at any level.",
    displace: Some(|board, from, to| from.beyond(to).filter(|cell| board.free().contains(*cell))),
    ..MORTAL
};
