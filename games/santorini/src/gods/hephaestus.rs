//! Hephaestus.

use super::{God, MORTAL};
use crate::board::LEVEL_MAX;

pub(super) const GOD: God = God {
    id: "hephaestus",
    name: "Hephaestus",
    text: "Your worker may build a second block, never a dome, on the same cell.",
    build_again: Some(|board, built, around| around & built.set() & board.up_to(LEVEL_MAX - 1)),
    ..MORTAL
};
