//! Demeter.

use super::{God, MORTAL};

pub(super) const GOD: God = God {
    id: "demeter",
    name: "Demeter",
    text: "Your worker may build a second time, on another cell.",
    build_again: Some(|_, built, around| around.without(built)),
    ..MORTAL
};
