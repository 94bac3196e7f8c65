//! Hermes.

use super::{God, MORTAL, Moves};

pub(super) const GOD: God = God {
    id: "hermes",
    name: "Hermes",
    text: "If your workers do not change level this turn, each may move any number of times, even zero, and then either builds.",
    moves: Moves::Glide,
    ..MORTAL
};
