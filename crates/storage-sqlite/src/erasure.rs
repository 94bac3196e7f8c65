//! Removes deleted personal data from the files: the write-ahead log, free pages, and the unused parts
//! of pages.
//!
//! `secure_delete` overwrites a deleted row. Two copies can be left: earlier versions of its page in
//! the write-ahead log, which a truncating checkpoint removes; and, since SQLite does not clear the
//! unused part of a page when it moves rows to a neighbour, a copy from the last time the page was
//! split. The second is removed by rewriting the tables that hold personal data: their pages are freed,
//! which clears them, and filled again from the rows that are left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use crate::checkpoint::checkpoint;
use crate::claim::Record;
use crate::columns::number;
use crate::connection::{be_hasty, be_patient};
use crate::error::{Result, corrupt};
use crate::write::changed;

/// The tables with names, password hashes and devices.
const TABLES: [&str; 5] = ["players", "credentials", "former_names", "lobbies", "pairings"];
/// After a rewrite, in which the writer waits, the next one waits so many times as long as it took:
/// somebody who deletes accounts all the time takes a fiftieth of the writer's time. A rewrite takes
/// some tens of milliseconds for ten thousand players.
const REST: u32 = 50;
/// With more rows than this a table is not rewritten: the writer would wait too long.
const ROWS_MAX: u64 = 20_000;
/// How long a step that failed is not tried again, because a reader or another writer was in its way. A
/// failed truncation blocks the writer for a moment, so each failure doubles the time to the next try.
const RETRY: Duration = Duration::from_secs(1);
const RETRY_MAX: Duration = Duration::from_mins(1);

/// What is still to be erased.
pub(crate) struct Erasure {
    /// Set by the writer once a deletion is committed.
    is_asked: Arc<AtomicBool>,
    is_rewrite_due: bool,
    is_truncation_due: bool,
    rewrite_not_before: Option<Instant>,
    truncate_not_before: Option<Instant>,
    /// The time to the next try after a truncation that fails.
    retry: Duration,
}

impl Erasure {
    pub(crate) fn new(is_asked: Arc<AtomicBool>) -> Erasure {
        Erasure {
            is_asked,
            // A server that was killed may have left both for this one to do.
            is_rewrite_due: true,
            is_truncation_due: true,
            rewrite_not_before: None,
            truncate_not_before: None,
            retry: RETRY,
        }
    }

    /// Erases what may be erased now.
    pub(crate) fn step(&mut self, connection: &mut Connection, record: &Record) {
        self.look();
        let now = Instant::now();
        let is_time = |not_before: Option<Instant>| not_before.is_none_or(|it| it <= now);
        if self.is_rewrite_due && is_time(self.rewrite_not_before) {
            let is_done = self.rewrite(connection);
            let rest = if is_done { now.elapsed() * REST } else { RETRY };
            self.rewrite_not_before = Some(Instant::now() + rest);
        }
        if self.is_truncation_due && is_time(self.truncate_not_before) {
            // A log that is long is copied beside the writer first.
            checkpoint(connection, "PASSIVE");
            record.forget();
            let is_hasty = be_hasty(connection).is_ok();
            let is_done = is_hasty && checkpoint(connection, "TRUNCATE").is_done;
            // It fails only if SQLite has no memory; then the next wait is a short one.
            be_patient(connection).ok();
            self.is_truncation_due = !is_done;
            self.truncate_not_before = (!is_done).then(|| Instant::now() + self.retry);
            self.retry = if is_done { RETRY } else { (self.retry * 2).min(RETRY_MAX) };
        }
    }

    /// Erases what is left, before the last checkpoint.
    pub(crate) fn finish(&mut self, connection: &Connection) {
        self.look();
        if self.is_rewrite_due {
            self.rewrite(connection);
        }
    }

    fn look(&mut self) {
        if self.is_asked.swap(false, Ordering::AcqRel) {
            self.is_rewrite_due = true;
            self.is_truncation_due = true;
        }
    }

    /// False if the writer or another process is in the way.
    fn rewrite(&mut self, connection: &Connection) -> bool {
        let is_done = rewrite_tables(connection).is_ok();
        if is_done {
            self.is_rewrite_due = false;
            self.is_truncation_due = true;
        } else {
            // SQLite may have rolled back by itself; then this is refused, which does no harm.
            let _ = connection.execute_batch("ROLLBACK");
        }
        is_done
    }
}

fn rewrite_tables(connection: &Connection) -> Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    for table in TABLES {
        rewrite_table(connection, table)?;
    }
    Ok(connection.execute_batch("COMMIT")?)
}

fn rewrite_table(connection: &Connection, table: &str) -> Result<()> {
    // Without generated columns, which cannot be inserted.
    let columns: String = connection.query_row(
        "SELECT group_concat(name) FROM pragma_table_info(?1)",
        params![table],
        |row| row.get(0),
    )?;
    let count = format!("SELECT count(*) AS rows FROM {table}");
    let rows: u64 = connection.query_row_and_then(&count, [], |row| number(row, "rows"))?;
    if rows > ROWS_MAX {
        return Ok(());
    }
    connection
        .execute_batch(&format!("CREATE TEMP TABLE copied AS SELECT {columns} FROM {table}"))?;
    // All of a table: SQLite frees the pages without looking at the rows, so that nothing cascades.
    changed(connection, &format!("DELETE FROM {table}"), [])?;
    let insert =
        format!("INSERT INTO {table} ({columns}) SELECT {columns} FROM copied ORDER BY rowid");
    if changed(connection, &insert, [])? != rows {
        return Err(corrupt("a table changed while it was rewritten"));
    }
    Ok(connection.execute_batch("DROP TABLE copied")?)
}
