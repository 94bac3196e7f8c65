//! The one thread that writes: all that is queued becomes one transaction and one sync.

use rusqlite::Connection;
use storage::{Change, StorageError, Unit};
use tokio::sync::{mpsc, oneshot};

use crate::columns::signed;
use crate::error::{Fault, Result};
use crate::write::{self, Appending, Halt};

/// How many units wait; who comes later waits to be let in.
const QUEUE: usize = 4096;
/// How many units share a commit at most, so that the first of them does not wait for ever.
const GROUP: usize = 1024;

/// What is purged.
#[derive(Clone, Copy)]
pub(crate) enum Purge {
    Audit,
    Sessions,
}

/// What a job gives back: nothing, or a count.
type Reply = oneshot::Sender<std::result::Result<u64, StorageError>>;

enum Work {
    Commit(Unit),
    Purge { what: Purge, before_ms: u64, limit: u32 },
    Ping,
    Synchronous,
}

enum Job {
    Work(Work, Reply),
    Close(oneshot::Sender<()>),
}

pub(crate) struct Writer {
    jobs: mpsc::Sender<Job>,
}

fn stopped() -> StorageError {
    StorageError::unavailable("the store's writer has stopped")
}

impl Writer {
    pub(crate) fn start(connection: Connection) -> std::result::Result<Writer, StorageError> {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let thread = std::thread::Builder::new().name("sqlite-write".to_owned());
        let run = move || {
            // If the tables are not there, whoever asks hears that the writer has stopped.
            if let Ok(appending) = Appending::prepare(&connection) {
                run(&connection, appending, queue);
            }
        };
        thread.spawn(run).map_err(StorageError::unavailable)?;
        Ok(Writer { jobs })
    }

    async fn ask(&self, work: Work) -> std::result::Result<u64, StorageError> {
        let (reply, answer) = oneshot::channel();
        self.jobs.send(Job::Work(work, reply)).await.map_err(|_| stopped())?;
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    pub(crate) async fn commit(&self, unit: Unit) -> std::result::Result<(), StorageError> {
        self.ask(Work::Commit(unit)).await.map(drop)
    }

    pub(crate) async fn ping(&self) -> std::result::Result<(), StorageError> {
        self.ask(Work::Ping).await.map(drop)
    }

    pub(crate) async fn synchronous(&self) -> std::result::Result<i64, StorageError> {
        self.ask(Work::Synchronous).await.map(signed)
    }

    pub(crate) async fn purge(
        &self,
        what: Purge,
        before_ms: u64,
        limit: u32,
    ) -> std::result::Result<u64, StorageError> {
        self.ask(Work::Purge { what, before_ms, limit }).await
    }

    /// Answers when all that was asked before is done.
    pub(crate) async fn close(&self) {
        let (reply, answer) = oneshot::channel();
        if self.jobs.send(Job::Close(reply)).await.is_ok() {
            // If the thread is gone already, that is as good.
            let _ = answer.await;
        }
    }
}

fn run(connection: &Connection, mut appending: Appending<'_>, mut queue: mpsc::Receiver<Job>) {
    let mut jobs = Vec::with_capacity(GROUP);
    while queue.blocking_recv_many(&mut jobs, GROUP) > 0 {
        // Whoever woke this thread may have more to say and wait for this very core: a sync for the
        // first unit alone would be a waste. If nobody waits, this costs nothing.
        std::thread::yield_now();
        while jobs.len() < GROUP
            && let Ok(job) = queue.try_recv()
        {
            jobs.push(job);
        }
        let mut group = Vec::with_capacity(jobs.len());
        let mut closing = Vec::new();
        for job in jobs.drain(..) {
            match job {
                Job::Work(work, reply) => group.push((work, reply)),
                Job::Close(reply) => closing.push(reply),
            }
        }
        do_group(connection, &mut appending, group);
        if !closing.is_empty() {
            queue.close();
        }
        for reply in closing {
            let _ = reply.send(());
        }
    }
}

/// Does the group in one transaction and then answers each by itself. What fails for a reason of
/// the machine (a full disk, say) fails for all of the group: none of it is stored.
fn do_group(connection: &Connection, appending: &mut Appending<'_>, group: Vec<(Work, Reply)>) {
    let (works, replies): (Vec<Work>, Vec<Reply>) = group.into_iter().unzip();
    let mut answers = Vec::with_capacity(works.len());
    let do_all = || -> Result<()> {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        for work in works {
            answers.push(match do_work(connection, appending, work) {
                Err(Fault(error @ StorageError::Unavailable(_))) => return Err(Fault(error)),
                answer => answer.map_err(|Fault(error)| error),
            });
        }
        connection.prepare_cached("COMMIT")?.execute([])?;
        Ok(())
    };
    let committed = do_all();
    if let Err(Fault(error)) = committed {
        // SQLite may have rolled back by itself; then this says so, which is no news.
        let _ = connection.execute_batch("ROLLBACK");
        answers = vec![Err(error); replies.len()];
    }
    for (reply, answer) in replies.into_iter().zip(answers) {
        // Whoever asked may have gone meanwhile.
        let _ = reply.send(answer);
    }
}

fn do_work(connection: &Connection, appending: &mut Appending<'_>, work: Work) -> Result<u64> {
    match work {
        Work::Commit(unit) => do_unit(connection, appending, unit).map(|()| 0),
        Work::Purge { what: Purge::Audit, before_ms, limit } => {
            write::purge_audit(connection, before_ms, limit)
        }
        Work::Purge { what: Purge::Sessions, before_ms, limit } => {
            write::purge_sessions(connection, before_ms, limit)
        }
        Work::Ping => write::ping(connection).map(|()| 0),
        Work::Synchronous => write::synchronous(connection),
    }
}

fn do_unit(connection: &Connection, appending: &mut Appending<'_>, unit: Unit) -> Result<()> {
    // A lone append checks before it writes, so it needs no way back.
    let is_append = matches!(unit[..], [Change::Append { .. }]);
    if !is_append {
        connection.prepare_cached("SAVEPOINT unit")?.execute([])?;
    }
    let done = unit.into_iter().try_for_each(|change| write::apply(connection, appending, change));
    if !is_append {
        if done.is_err() {
            connection.prepare_cached("ROLLBACK TO unit")?.execute([])?;
        }
        connection.prepare_cached("RELEASE unit")?.execute([])?;
    }
    match done {
        Ok(()) | Err(Halt::Stored) => Ok(()),
        Err(Halt::Refused(fault)) => Err(fault),
    }
}
