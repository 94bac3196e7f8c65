//! The four ways in which storing or reading fails.

use std::fmt;

/// Why the store could not do it. Absence in a read is no error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// A change of something that is not there (the document's `RecordNotFound`).
    #[error("there is no such {0}")]
    NotFound(Thing),
    /// Somebody else was first (the document's `UniqueConstraintViolation`).
    #[error("this {0} is taken or has changed")]
    Conflict(Thing),
    /// A row that this house cannot have written, or one that a newer house has.
    #[error("a stored row cannot be read: {0}")]
    Corrupt(String),
    /// The database does not answer, or cannot write (`DatabaseConnectionError`, `LogStoreError`).
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
}

impl StorageError {
    /// A row that cannot be read.
    pub fn corrupt(what: impl fmt::Display) -> StorageError {
        StorageError::Corrupt(what.to_string())
    }

    /// A database that does not answer.
    pub fn unavailable(what: impl fmt::Display) -> StorageError {
        StorageError::Unavailable(what.to_string())
    }
}

/// What was missing or in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A player's id.
    Player,
    /// A player's name.
    Name,
    /// A change of a player's name, too soon after the last one.
    Rename,
    /// A guest's device.
    Device,
    /// A login, or its generation.
    Session,
    /// A match, its owner's epoch, or its being under way.
    Match,
    /// A place in a match's log.
    Entry,
    /// A rating, or its version.
    Rating,
    /// A lobby, or its version.
    Lobby,
    /// A wish to be paired.
    Pairing,
    /// An audit record.
    AuditRecord,
    /// The end of what a player may have at once.
    Limit,
    /// A value of the house.
    HouseValue,
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Thing::Player => "player",
            Thing::Name => "name",
            Thing::Rename => "rename",
            Thing::Device => "device",
            Thing::Session => "session",
            Thing::Match => "match",
            Thing::Entry => "entry",
            Thing::Rating => "rating",
            Thing::Lobby => "lobby",
            Thing::Pairing => "pairing",
            Thing::AuditRecord => "audit record",
            Thing::Limit => "limit",
            Thing::HouseValue => "value of the house",
        })
    }
}
