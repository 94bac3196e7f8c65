//! What is kept (M5): the [`Store`] that the house writes to and reads from, without any SQL.
//!
//! A write is a [`Unit`]: a list of [`Change`]s that happen together or not at all, so that an
//! account and its audit record, or a match's last entry and its result, are one transaction. Reads
//! give `None` for what is not there. The backends are `storage-sqlite` and `storage-postgres`;
//! [`MemoryStore`] is the slow and plain third, for tests; the module `contract` is the suite that all
//! pass.

mod change;
#[cfg(feature = "contract")]
pub mod contract;
mod error;
mod memory;
mod rows;
mod store;

pub use change::{Change, Counted, NewMatch, NewPlayer, Unit};
pub use domain::SeatHolder;
pub use error::{StorageError, Thing};
pub use memory::MemoryStore;
pub use rows::{
    Access, Credential, DeviceKey, GameStatistics, Listed, Lobby, MatchResult, MatchRow,
    MatchStatus, MatchSummary, Pairing, Player, Profile, PublicMatch, Rating, Score, SeatSummary,
    Session, Shown, WatchKey, player_in_body,
};
pub use store::Store;
