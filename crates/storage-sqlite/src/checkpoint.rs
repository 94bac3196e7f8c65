//! Copies the write-ahead log back into the file, on a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;
use storage::StorageError;

use crate::connection;
use crate::error::Fault;

/// How often the log's size is looked at.
const INTERVAL: Duration = Duration::from_millis(500);
/// From this size on the log is copied back, beside the writer.
const COPY_BYTES: u64 = 8 << 20;
/// From this size on the writer waits a moment, so that the log begins anew. Without it a log that
/// is written to without a pause would grow for ever.
const RESTART_BYTES: u64 = 256 << 20;

pub(crate) struct Checkpointer {
    running: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

impl Checkpointer {
    pub(crate) fn start(path: &Path) -> Result<Checkpointer, StorageError> {
        let connection = connection::open_checkpointer(path).map_err(|Fault(error)| error)?;
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new().name("sqlite-checkpoint".to_owned());
        let run = move || run(&connection, &PathBuf::from(log), &stopped);
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

fn run(connection: &Connection, log: &Path, stopped: &Receiver<()>) {
    while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
        let bytes = std::fs::metadata(log).map_or(0, |metadata| metadata.len());
        if bytes > COPY_BYTES {
            checkpoint(connection, "PASSIVE");
        }
        if bytes > RESTART_BYTES {
            checkpoint(connection, "TRUNCATE");
        }
    }
    checkpoint(connection, "TRUNCATE");
}

/// A checkpoint that fails, on a full disk say, is tried again; nothing is lost by it.
fn checkpoint(connection: &Connection, mode: &str) {
    let _ = connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |_| Ok(()));
}
