//! The one thread that writes: all that is queued becomes one transaction and one sync.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::Connection;
use storage::{Change, StorageError, Unit};
use tokio::sync::{mpsc, oneshot};

use crate::columns::signed;
use crate::error::{Fault, Result};
use crate::write::{self, Appending, Halt};

/// How many callers wait; who comes later waits to be let in.
const QUEUE: usize = 4096;
/// Once a commit has so many units no other caller's join it, so that the first of them does not
/// wait for ever.
const GROUP: usize = 1024;

/// What is purged.
#[derive(Clone, Copy)]
pub(crate) enum Purge {
    Audit,
    Pairings,
    Sessions,
}

/// What a job gives back: nothing, or a count.
type Answer = std::result::Result<u64, StorageError>;

enum Work {
    Commit(Unit),
    Purge { what: Purge, before_ms: u64, limit: u32 },
    Ping,
    Synchronous,
}

enum Job {
    /// Each is done and answered by itself; the answers come together.
    Works(Vec<Work>, oneshot::Sender<Vec<Answer>>),
    Close(oneshot::Sender<()>),
}

pub(crate) struct Writer {
    jobs: mpsc::Sender<Job>,
}

fn stopped() -> StorageError {
    StorageError::unavailable("the store's writer has stopped")
}

impl Writer {
    /// Sets `erasure` when personal data was deleted or replaced.
    pub(crate) fn start(
        connection: Connection,
        erasure: Arc<AtomicBool>,
    ) -> std::result::Result<Writer, StorageError> {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let thread = std::thread::Builder::new().name("sqlite-write".to_owned());
        let run = move || {
            // If the tables are not there, whoever asks hears that the writer has stopped.
            if let Ok(appending) = Appending::prepare(&connection) {
                run(&connection, appending, queue, &erasure);
            }
        };
        thread.spawn(run).map_err(StorageError::unavailable)?;
        Ok(Writer { jobs })
    }

    async fn ask(&self, work: Work) -> Answer {
        let answers = self.ask_each(vec![work]).await?;
        answers.into_iter().next().unwrap_or_else(|| Err(stopped()))
    }

    async fn ask_each(&self, works: Vec<Work>) -> std::result::Result<Vec<Answer>, StorageError> {
        let (reply, answers) = oneshot::channel();
        self.jobs.send(Job::Works(works, reply)).await.map_err(|_| stopped())?;
        answers.await.map_err(|_| stopped())
    }

    pub(crate) async fn commit(&self, unit: Unit) -> std::result::Result<(), StorageError> {
        self.ask(Work::Commit(unit)).await.map(drop)
    }

    pub(crate) async fn commit_each(
        &self,
        units: Vec<Unit>,
    ) -> Vec<std::result::Result<(), StorageError>> {
        let count = units.len();
        match self.ask_each(units.into_iter().map(Work::Commit).collect()).await {
            Ok(answers) => answers.into_iter().map(|answer| answer.map(drop)).collect(),
            Err(error) => vec![Err(error); count],
        }
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

fn run(
    connection: &Connection,
    mut appending: Appending<'_>,
    mut queue: mpsc::Receiver<Job>,
    erasure: &AtomicBool,
) {
    while let Some(first) = queue.blocking_recv() {
        // Whoever woke this thread may have more to say and wait for this very core: a sync for the
        // first unit alone would be a waste. If nobody waits, this costs nothing.
        std::thread::yield_now();
        let mut group = Group::default();
        let mut closing = Vec::new();
        let mut next = Some(first);
        while let Some(job) = next {
            match job {
                Job::Works(works, reply) => group.add(works, reply),
                Job::Close(reply) => closing.push(reply),
            }
            next = (group.works.len() < GROUP).then(|| queue.try_recv().ok()).flatten();
        }
        let is_erasing = group.works.iter().any(is_erasing);
        if let Err(error) = do_group(connection, &mut appending, group) {
            closing.extend(refuse_waiting(&mut queue, &error));
        }
        if is_erasing {
            erasure.store(true, Ordering::Release);
        }
        if !closing.is_empty() {
            queue.close();
        }
        for reply in closing {
            let _ = reply.send(());
        }
    }
}

/// Whether something personal is gone, or is replaced, once this is done.
fn is_erasing(work: &Work) -> bool {
    let Work::Commit(unit) = work else {
        return false;
    };
    let is_new = matches!(unit.first(), Some(Change::CreatePlayer(_)));
    unit.iter().any(|change| match change {
        Change::DeletePlayer { .. } | Change::ForgetDevice { .. } | Change::Rename { .. } => true,
        Change::UpdateProfile { name, .. } => name.is_some(),
        Change::StoreCredential { .. } => !is_new,
        _ => false,
    })
}

/// Answers what came while the writer waited in vain for another process's lock: it has waited too,
/// and would only wait for the same lock again. Gives who wants to know when all is done.
fn refuse_waiting(
    queue: &mut mpsc::Receiver<Job>,
    error: &StorageError,
) -> Vec<oneshot::Sender<()>> {
    let mut closing = Vec::new();
    for _ in 0..queue.len() {
        match queue.try_recv() {
            Ok(Job::Works(works, reply)) => {
                let _ = reply.send(vec![Err(error.clone()); works.len()]);
            }
            Ok(Job::Close(reply)) => closing.push(reply),
            Err(_) => break,
        }
    }
    closing
}

/// What shares a commit.
#[derive(Default)]
struct Group {
    works: Vec<Work>,
    /// Who asked for them, in order, and for how many.
    askers: Vec<(usize, oneshot::Sender<Vec<Answer>>)>,
}

impl Group {
    fn add(&mut self, works: Vec<Work>, reply: oneshot::Sender<Vec<Answer>>) {
        self.askers.push((works.len(), reply));
        self.works.extend(works);
    }
}

/// Does the group in one transaction and then answers each by itself. What fails for a reason of
/// the machine (a full disk, say) fails for all of the group: none of it is stored. An error is
/// returned if the transaction could not begin, because another process holds the lock.
fn do_group(
    connection: &Connection,
    appending: &mut Appending<'_>,
    group: Group,
) -> std::result::Result<(), StorageError> {
    let Group { works, askers } = group;
    let count = works.len();
    let mut answers = Vec::with_capacity(count);
    let mut has_begun = false;
    let do_all = || -> Result<()> {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        has_begun = true;
        appending.begin()?;
        for work in works {
            answers.push(match do_work(connection, appending, work) {
                Err(Fault(error @ StorageError::Unavailable(_))) => return Err(Fault(error)),
                answer => answer.map_err(|Fault(error)| error),
            });
        }
        connection.prepare_cached("COMMIT")?.execute([])?;
        Ok(())
    };
    let committed = do_all().map_err(|Fault(error)| error);
    if let Err(error) = &committed {
        // SQLite may have rolled back by itself; then this says so, which is no news.
        let _ = connection.execute_batch("ROLLBACK");
        appending.forget();
        answers = vec![Err(error.clone()); count];
    }
    let mut answers = answers.into_iter();
    for (count, reply) in askers {
        // Whoever asked may have gone meanwhile.
        let _ = reply.send(answers.by_ref().take(count).collect());
    }
    if has_begun { Ok(()) } else { committed }
}

fn do_work(connection: &Connection, appending: &mut Appending<'_>, work: Work) -> Result<u64> {
    match work {
        Work::Commit(unit) => do_unit(connection, appending, unit).map(|()| 0),
        Work::Purge { what: Purge::Audit, before_ms, limit } => {
            write::purge_audit(connection, before_ms, limit)
        }
        Work::Purge { what: Purge::Pairings, before_ms, limit } => {
            write::purge_pairings(connection, before_ms, limit)
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
            appending.forget();
        }
        connection.prepare_cached("RELEASE unit")?.execute([])?;
    }
    match done {
        Ok(()) | Err(Halt::Stored) => Ok(()),
        Err(Halt::Refused(fault)) => Err(fault),
    }
}
