//! The connections that read.
//!
//! What is found by its key takes a few microseconds from memory, less than the way to another
//! thread and back, so it is read where it is asked for. What walks a table has threads.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use rusqlite::Connection;
use storage::StorageError;
use tokio::sync::{mpsc, oneshot};

use crate::connection;
use crate::error::{Fault, Result};

/// Two threads keep one long walk from holding up the rest.
const THREADS: usize = 2;
/// How many walks wait for a thread; who comes later waits to be let in.
const QUEUE: usize = 256;

type Job = Box<dyn FnOnce(&Connection) + Send>;

pub(crate) struct Readers {
    /// As many as threads can ask at once, so that nobody waits for another's look-up.
    by_key: Vec<Mutex<Connection>>,
    walks: Vec<mpsc::Sender<Job>>,
    next: AtomicUsize,
}

impl Readers {
    pub(crate) fn start(
        path: &Path,
        is_onlooker: bool,
    ) -> std::result::Result<Readers, StorageError> {
        let open_one =
            if is_onlooker { connection::open_onlooker } else { connection::open_reader };
        let open = || open_one(path).map_err(|Fault(error)| error);
        let mut walks = Vec::with_capacity(THREADS);
        for number in 0..THREADS {
            let connection = open()?;
            let (sender, mut queue) = mpsc::channel::<Job>(QUEUE);
            let read = move || {
                while let Some(job) = queue.blocking_recv() {
                    job(&connection);
                }
            };
            let thread = std::thread::Builder::new().name(format!("sqlite-read-{number}"));
            thread.spawn(read).map_err(StorageError::unavailable)?;
            walks.push(sender);
        }
        let askers = std::thread::available_parallelism().map_or(THREADS, usize::from);
        let by_key =
            (0..askers).map(|_| open().map(Mutex::new)).collect::<std::result::Result<_, _>>()?;
        Ok(Readers { by_key, walks, next: AtomicUsize::new(0) })
    }

    /// Reads a few rows by their key, at once.
    pub(crate) fn look_up<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T>,
    ) -> std::result::Result<T, StorageError> {
        read(&self.free()).map_err(|Fault(error)| error)
    }

    /// Reads what may take long, on a thread that may wait.
    pub(crate) async fn walk<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> std::result::Result<T, StorageError> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // Whoever asked may have gone meanwhile.
            let _ = reply.send(read(connection).map_err(|Fault(error)| error));
        });
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.walks.len();
        let stopped = || StorageError::unavailable("the store's reader has stopped");
        self.walks[turn].send(job).await.map_err(|_| stopped())?;
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// A connection that nobody reads from; else the first that becomes free. A reader that
    /// panicked has changed nothing.
    fn free(&self) -> MutexGuard<'_, Connection> {
        for connection in &self.by_key {
            match connection.try_lock() {
                Ok(connection) => return connection,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.by_key.len();
        self.by_key[turn].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
