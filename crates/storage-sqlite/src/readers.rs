//! A few threads that read, each with a connection of its own.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::Connection;
use storage::StorageError;
use tokio::sync::{mpsc, oneshot};

use crate::connection;
use crate::error::{Fault, Result};

/// Reads take microseconds from memory; two threads keep one slow one from holding up the rest.
const THREADS: usize = 2;
/// How many reads wait for a thread; who comes later waits to be let in.
const QUEUE: usize = 256;

type Job = Box<dyn FnOnce(&Connection) + Send>;

pub(crate) struct Readers {
    queues: Vec<mpsc::Sender<Job>>,
    next: AtomicUsize,
}

impl Readers {
    pub(crate) fn start(path: &Path) -> std::result::Result<Readers, StorageError> {
        let mut queues = Vec::with_capacity(THREADS);
        for number in 0..THREADS {
            let connection = connection::open_reader(path).map_err(|Fault(error)| error)?;
            let (sender, mut queue) = mpsc::channel::<Job>(QUEUE);
            let read = move || {
                while let Some(job) = queue.blocking_recv() {
                    job(&connection);
                }
            };
            let thread = std::thread::Builder::new().name(format!("sqlite-read-{number}"));
            thread.spawn(read).map_err(StorageError::unavailable)?;
            queues.push(sender);
        }
        Ok(Readers { queues, next: AtomicUsize::new(0) })
    }

    pub(crate) async fn run<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> std::result::Result<T, StorageError> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // Whoever asked may have gone meanwhile.
            let _ = reply.send(read(connection).map_err(|Fault(error)| error));
        });
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.queues.len();
        let stopped = || StorageError::unavailable("the store's reader has stopped");
        self.queues[turn].send(job).await.map_err(|_| stopped())?;
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }
}
