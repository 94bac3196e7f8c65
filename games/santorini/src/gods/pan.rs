//! Pan.

use super::{God, MORTAL};

pub(super) const GOD: God = God {
    id: "pan",
    name: "Pan",
    text: "You also win by moving down two or more levels.",
    wins_by: |from, to| from >= to + 2,
    ..MORTAL
};
