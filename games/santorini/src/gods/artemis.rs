//! Artemis.

use super::{God, MORTAL, Moves};

pub(super) const GOD: God = God {
    id: "artemis",
    name: "Artemis",
    text: "Your worker may move a second time, but not back to where the turn began.",
    moves: Moves::Twice,
    ..MORTAL
};
