//! Opening the file, and bringing its tables up to date.

use std::cell::Cell;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use storage::StorageError;

use crate::error::{Fault, Result};

/// The migrations, each with its name, in their order. A name is the same in every backend, and each
/// migration works with the binary before it.
pub const MIGRATIONS: &[(&str, &str)] = &[
    ("0001_base", include_str!("../migrations/0001_base.sql")),
    ("0002_public_matches", include_str!("../migrations/0002_public_matches.sql")),
    ("0003_watch_links", include_str!("../migrations/0003_watch_links.sql")),
    ("0004_quotas", include_str!("../migrations/0004_quotas.sql")),
    ("0005_sessions", include_str!("../migrations/0005_sessions.sql")),
    ("0006_house", include_str!("../migrations/0006_house.sql")),
];

/// How long a connection waits for another that is in its way: `parlor admin`, or the checkpointer.
/// A request that must wait for longer is refused, so that it is answered within seconds.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long the checkpointer waits for a reader while the writer waits for the checkpointer.
const HASTE: Duration = Duration::from_millis(100);
/// More than there are statements.
const STATEMENTS: usize = 128;

fn open(path: &Path, flags: OpenFlags) -> Result<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    be_patient(&mut connection)?;
    // Deleted rows are overwritten with zeros, so that nothing of a deleted account stays in the file.
    connection.pragma_update(None, "secure_delete", "ON")?;
    // No copy of a row goes into a file outside the data folder.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Else SQLite plans a statement anew for every value that is bound to it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// Lets a connection wait for locks. SQLite's own handler waits in ever longer steps, which would make
/// a short wait long.
pub(crate) fn be_patient(connection: &mut Connection) -> Result<()> {
    Ok(connection.busy_handler(Some(|tries| wait_for_lock(tries, PATIENCE)))?)
}

/// Lets a connection give up soon: it holds up the writer while it waits.
pub(crate) fn be_hasty(connection: &mut Connection) -> Result<()> {
    Ok(connection.busy_handler(Some(|tries| wait_for_lock(tries, HASTE)))?)
}

/// Waits a little; false once this much time has passed since the first try.
fn wait_for_lock(tries: i32, patience: Duration) -> bool {
    thread_local! {
        static SINCE: Cell<Option<Instant>> = const { Cell::new(None) };
    }
    let now = Instant::now();
    if tries == 0 {
        SINCE.set(Some(now));
    }
    let is_over = SINCE.get().is_some_and(|since| now - since >= patience);
    if !is_over {
        std::thread::sleep(Duration::from_millis(1));
    }
    !is_over
}

/// Leaves the log alone when the connection is closed, also if it is the last one.
fn leave_log(connection: &Connection) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(())
}

/// A connection that reads and leaves the log alone.
pub(crate) fn open_onlooker(path: &Path) -> Result<Connection> {
    let connection = open_reader(path)?;
    leave_log(&connection)?;
    Ok(connection)
}

/// The connection that writes. It makes the file and its tables if they are not there.
pub(crate) fn open_writer(
    path: &Path,
    is_onlooker: bool,
) -> std::result::Result<Connection, StorageError> {
    create_private(path).map_err(StorageError::unavailable)?;
    let connect = || {
        let mut connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", "ON")?;
        // The checkpointer does it, so that no commit has to.
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
        migrate(&mut connection)?;
        if is_onlooker {
            leave_log(&connection)?;
        }
        Ok(connection)
    };
    connect().map_err(|Fault(error)| error)
}

/// A connection that only reads.
pub(crate) fn open_reader(path: &Path) -> Result<Connection> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "query_only", "ON")?;
    Ok(connection)
}

/// The connection that copies the write-ahead log back. It does not enforce foreign keys, since it
/// rewrites whole tables.
pub(crate) fn open_checkpointer(path: &Path) -> Result<Connection> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "foreign_keys", "OFF")?;
    Ok(connection)
}

/// The file holds seeds and password hashes, so it is its owner's alone. SQLite gives the files
/// beside it the same rights.
fn create_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;

    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true).mode(0o600).open(path).map(drop)
}

fn migrate(connection: &mut Connection) -> Result<()> {
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID",
    )?;
    for (name, sql) in MIGRATIONS {
        // Looked at under the lock: another process may be at it too.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let is_done = transaction
            .prepare_cached("SELECT 1 FROM migrations WHERE name = ?1")?
            .exists([name])?;
        if !is_done {
            transaction.execute_batch(sql)?;
            transaction.execute("INSERT INTO migrations (name) VALUES (?1)", [name])?;
        }
        transaction.commit()?;
    }
    Ok(())
}
