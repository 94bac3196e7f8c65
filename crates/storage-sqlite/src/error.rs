//! What SQLite's errors mean for the house.

use rusqlite::ErrorCode;
use rusqlite::ffi::{
    SQLITE_CONSTRAINT_FOREIGNKEY, SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE,
};
use storage::{StorageError, Thing};

/// A [`StorageError`] on its way out, so that `?` works on SQLite's errors.
#[derive(Debug)]
pub(crate) struct Fault(pub(crate) StorageError);

pub(crate) type Result<T> = std::result::Result<T, Fault>;

impl From<StorageError> for Fault {
    fn from(error: StorageError) -> Self {
        Fault(error)
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Fault(classify(&error))
    }
}

pub(crate) fn missing(thing: Thing) -> Fault {
    Fault(StorageError::NotFound(thing))
}

pub(crate) fn conflict(thing: Thing) -> Fault {
    Fault(StorageError::Conflict(thing))
}

pub(crate) fn corrupt(what: impl std::fmt::Display) -> Fault {
    Fault(StorageError::corrupt(what))
}

/// The message names tables and codes; SQLite puts no values into it.
fn classify(error: &rusqlite::Error) -> StorageError {
    let rusqlite::Error::SqliteFailure(failure, message) = error else {
        // Any other one is a column that does not hold what it should.
        return StorageError::corrupt(error);
    };
    let message = message.as_deref().unwrap_or_default();
    match (failure.code, failure.extended_code) {
        (_, SQLITE_CONSTRAINT_PRIMARYKEY | SQLITE_CONSTRAINT_UNIQUE) => {
            StorageError::Conflict(taken(message))
        }
        // All foreign keys but those to a match lead to a player, and a match is looked for first.
        (_, SQLITE_CONSTRAINT_FOREIGNKEY) => StorageError::NotFound(Thing::Player),
        (ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, _) => StorageError::corrupt(failure),
        _ => StorageError::unavailable(failure),
    }
}

/// What is taken, from `UNIQUE constraint failed: table.column`.
fn taken(message: &str) -> Thing {
    let column = message.rsplit(' ').next().unwrap_or_default();
    match column {
        "players.name_key" => Thing::Name,
        "players.device" => Thing::Device,
        "sessions.id" => Thing::Session,
        "matches.id" => Thing::Match,
        "lobbies.id" => Thing::Lobby,
        "audit.id" => Thing::AuditRecord,
        _ => Thing::Player,
    }
}
