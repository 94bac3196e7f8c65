//! What the database's errors mean to the house.

use sqlx::error::DatabaseError;
use storage::{StorageError, Thing};

/// What is taken if this constraint refuses a row.
const UNIQUE: &[(&str, Thing)] = &[
    ("players_id", Thing::Player),
    ("players_name", Thing::Name),
    ("players_device", Thing::Device),
    ("sessions_id", Thing::Session),
    ("matches_id", Thing::Match),
    ("audit_id", Thing::AuditRecord),
];

/// Classes of errors whose messages hold no row's values: connection, transaction state,
/// authorization, database name, resources, locks, operator, system.
const HARMLESS: &[&str] = &["08", "25", "28", "3D", "53", "55", "57", "58"];

/// Neither addresses nor values of rows get into the text: it is logged.
pub(crate) fn storage_error(error: sqlx::Error) -> StorageError {
    match error {
        sqlx::Error::Database(refusal) => meaning(&*refusal),
        sqlx::Error::ColumnDecode { index, .. } => {
            StorageError::corrupt(format_args!("column {index}"))
        }
        sqlx::Error::ColumnNotFound(column) => {
            StorageError::corrupt(format_args!("no column {column}"))
        }
        sqlx::Error::Decode(_) | sqlx::Error::TypeNotFound { .. } | sqlx::Error::RowNotFound => {
            StorageError::corrupt("a value of another type")
        }
        sqlx::Error::Io(error) => StorageError::unavailable(error.kind()),
        sqlx::Error::Tls(_) => StorageError::unavailable("no TLS connection can be made"),
        sqlx::Error::PoolTimedOut => StorageError::unavailable("no connection in time"),
        sqlx::Error::PoolClosed => StorageError::unavailable("the store is closed"),
        _ => StorageError::unavailable("the driver failed"),
    }
}

fn meaning(refusal: &dyn DatabaseError) -> StorageError {
    let code = refusal.code().unwrap_or_default();
    let constraint = refusal.constraint().unwrap_or_default();
    match &*code {
        "23505" => match UNIQUE.iter().find(|(name, _)| *name == constraint) {
            Some((_, thing)) => StorageError::Conflict(*thing),
            None => StorageError::corrupt(format_args!("a second row for {constraint}")),
        },
        // All keys into other tables are checked by their change but those to players.
        "23503" => StorageError::NotFound(Thing::Player),
        // A value that the column cannot hold, such as a NUL in a text.
        _ if code.starts_with("22") || code.starts_with("23") => {
            StorageError::corrupt(format_args!("a value that cannot be stored ({code})"))
        }
        _ if HARMLESS.iter().any(|class| code.starts_with(class)) => {
            StorageError::unavailable(format_args!("{} ({code})", refusal.message()))
        }
        _ => StorageError::unavailable(format_args!("it refused a statement ({code})")),
    }
}

/// Why a unit goes no further.
pub(crate) enum Halt {
    /// It was stored before.
    Stored,
    /// It got in another's way and may be tried again.
    Again,
    Refused(StorageError),
}

impl From<StorageError> for Halt {
    fn from(error: StorageError) -> Self {
        Halt::Refused(error)
    }
}

impl From<sqlx::Error> for Halt {
    fn from(error: sqlx::Error) -> Self {
        let code = error.as_database_error().and_then(DatabaseError::code);
        // Deadlock, serialization failure.
        match code.as_deref() {
            Some("40P01" | "40001") => Halt::Again,
            _ => Halt::Refused(storage_error(error)),
        }
    }
}
