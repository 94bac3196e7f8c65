//! Exchange.

use super::Kind;

pub(super) const KIND: Kind = Kind {
    key: "exchange",
    text: "Owner and activator swap their scores before the move's score is booked.",
    activate: |hit, effects| effects.scores.swap(hit.owner.index(), hit.activator.index()),
};
