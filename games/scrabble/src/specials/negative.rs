//! Negative.

use super::Kind;
use crate::options::Negatives;

pub(super) const KIND: Kind = Kind {
    key: "negative",
    text: "The move's score counts negatively.",
    activate: |hit, effects| {
        effects.factor = match hit.options.negatives {
            Negatives::Cancel => -effects.factor,
            Negatives::Stay => -effects.factor.abs(),
        };
    },
};
