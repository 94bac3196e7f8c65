//! Snatch.

use super::Kind;

pub(super) const KIND: Kind = Kind {
    key: "snatch",
    text: "The owner gets the move's score instead of the activator.",
    activate: |hit, effects| effects.earner = hit.owner,
};
