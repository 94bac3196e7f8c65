//! Athena.

use super::{God, MORTAL};

pub(super) const GOD: God = God {
    id: "athena",
    name: "Athena",
    text: "If one of your workers moved up in your last turn, opponents may not move up in theirs.",
    bars_climbing: true,
    ..MORTAL
};
