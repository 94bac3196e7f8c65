//! Atlas.

use super::{God, MORTAL};

pub(super) const GOD: God = God {
    id: "atlas",
    name: "Atlas",
    text: "Your worker may build a dome on any level.",
    may_dome_anywhere: true,
    ..MORTAL
};
