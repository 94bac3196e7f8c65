//! Skip.

use super::Kind;

pub(super) const KIND: Kind = Kind {
    key: "skip",
    text: "The activator loses the next turn.",
    activate: |hit, effects| effects.skips[hit.activator.index()] += 1,
};
