//! Reverse.

use super::Kind;

pub(super) const KIND: Kind = Kind {
    key: "reverse",
    text: "After this turn play runs the other way round.",
    activate: |_, effects| effects.is_forward = !effects.is_forward,
};
