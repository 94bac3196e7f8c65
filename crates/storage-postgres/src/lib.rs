//! The store on PostgreSQL: for a house of several servers, or one with many matches.
//!
//! Appends of all matches go through one task that stores them in groups (`writer`); every other
//! unit is a transaction of its own on the pool (`write`). Several servers may share a database.
//! What each operation means is said, and tested, by the crate `storage` alone.

mod connect;
mod error;
mod migrations;
mod name;
mod names;
mod rows;
mod store;
#[cfg(feature = "testing")]
pub mod testing;
mod write;
mod writer;

pub use connect::{Options, PostgresStore};
pub use migrations::MIGRATIONS;

type Result<T> = std::result::Result<T, storage::StorageError>;
