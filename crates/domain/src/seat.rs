//! Who sits in a seat of a match.

use crate::PlayerId;

/// Who sits in a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatHolder {
    /// A person.
    Player(PlayerId),
    /// A bot of this kind.
    Bot(String),
    /// Somebody whose account is gone.
    Gone,
}
