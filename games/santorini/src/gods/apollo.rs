//! Apollo.

use super::{God, MORTAL};

pub(super) const GOD: God = God {
    id: "apollo",
    name: "Apollo",
    text: "Your worker may move onto a neighbouring opponent worker's cell, which goes where yours came from.",
    displace: Some(|_, from, _| Some(from)),
    ..MORTAL
};
