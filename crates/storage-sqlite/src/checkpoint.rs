//! Copies the write-ahead log back into the file, on a thread of its own; erases what was deleted, and
//! notes how far the log has come.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;
use storage::StorageError;

use crate::claim::Record;
use crate::connection::{self, be_hasty, be_patient};
use crate::erasure::Erasure;
use crate::error::Fault;

/// How often the log's size is looked at.
const INTERVAL: Duration = Duration::from_millis(200);
/// From so many pages on, 8 MB, the log is copied back, beside the writer.
const COPY_PAGES: i64 = 2048;
/// From so many pages on, 128 MB, the writer waits a moment, so that the log begins anew. Without
/// it a log that is written to without a pause would grow for ever. The file keeps its size: to
/// write over it is faster than to make it grow.
const RESTART_PAGES: i64 = 32_768;

pub(crate) struct Checkpointer {
    running: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

impl Checkpointer {
    /// `erasure` is set by the writer when personal data was deleted or replaced.
    pub(crate) fn start(
        path: &Path,
        erasure: Arc<AtomicBool>,
        record: Record,
    ) -> Result<Checkpointer, StorageError> {
        let connection = connection::open_checkpointer(path).map_err(|Fault(error)| error)?;
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new().name("sqlite-checkpoint".to_owned());
        let run = move || run(connection, &stopped, Erasure::new(erasure), &record);
        let thread = thread.spawn(run).map_err(StorageError::unavailable)?;
        Ok(Checkpointer { running: Mutex::new(Some((stop, thread))) })
    }

    /// Copies what is left, and stops.
    pub(crate) fn close(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((stop, thread)) = running {
            drop(stop);
            // A checkpoint that panicked has nothing to tell.
            let _ = thread.join();
        }
    }
}

fn run(mut connection: Connection, stopped: &Receiver<()>, mut erasure: Erasure, record: &Record) {
    while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
        erasure.step(&mut connection, record);
        let mut pages = 0;
        record.note(|| {
            pages = checkpoint(&connection, "NOOP").pages;
            u32::try_from(pages).unwrap_or(0)
        });
        if pages > COPY_PAGES {
            checkpoint(&connection, "PASSIVE");
        }
        if pages > RESTART_PAGES {
            // Once more, so that little is left to copy while the writer waits.
            checkpoint(&connection, "PASSIVE");
            // A reader that stays, such as a backup, must not hold up the writer for long.
            let is_hasty = be_hasty(&mut connection).is_ok();
            if is_hasty {
                checkpoint(&connection, "RESTART");
            }
            // It fails only if SQLite has no memory; then the next wait is a short one.
            be_patient(&mut connection).ok();
        }
        if pages > COPY_PAGES {
            record.touch();
        }
    }
    erasure.finish(&connection);
    record.forget();
    checkpoint(&connection, "TRUNCATE");
}

/// What a checkpoint says of itself.
#[derive(Default)]
pub(crate) struct Checkpoint {
    /// How many pages the log has.
    pub(crate) pages: i64,
    /// All of the log was copied, and no other connection was in the way.
    pub(crate) is_done: bool,
}

/// A checkpoint that fails, on a full disk say, is tried again; nothing is lost by it.
pub(crate) fn checkpoint(connection: &Connection, mode: &str) -> Checkpoint {
    let pragma = format!("PRAGMA wal_checkpoint({mode})");
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Checkpoint { pages: row.get("log")?, is_done: row.get::<_, i64>("busy")? == 0 })
    };
    connection.query_row(&pragma, [], read).unwrap_or_default()
}
