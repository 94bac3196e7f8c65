//! A connection between a client and a house: letters in order, as far as they are read in time.

use std::collections::VecDeque;

use domain::{MatchId, PlayerId};
use play::room::{Letter, MemberId};

/// Unread letters of a connection; with more the reader is too slow.
pub(crate) const OUTBOX_MAX: usize = 12;

pub(crate) struct Wire {
    pub(crate) client: usize,
    pub(crate) player: PlayerId,
    pub(crate) house: usize,
    pub(crate) life: u32,
    pub(crate) is_open: bool,
    /// Letters on their way.
    pub(crate) outbox: VecDeque<Letter>,
    /// How long the client needs for a letter.
    pub(crate) pace_ms: u64,
    pub(crate) is_read_due: bool,
    /// The matches that the house was asked to join.
    pub(crate) joined: Vec<MatchId>,
}

/// A connection is a member of the rooms that it follows.
pub(crate) fn member(wire: u64) -> MemberId {
    MemberId(wire)
}
