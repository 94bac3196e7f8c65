//! Prometheus.

use super::{God, MORTAL};

pub(super) const GOD: God = God {
    id: "prometheus",
    name: "Prometheus",
    text: "Your worker may build before it moves, if it does not move up this turn.",
    may_build_first: true,
    ..MORTAL
};
