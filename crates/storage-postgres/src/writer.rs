//! Appends in groups: what is queued when a commit is done shares the next one.
//!
//! A group is one statement in one transaction, so a thousand entries cost one sync of the disk.
//! There is no timer: an append that comes alone is stored at once, and while a group is under way
//! the next one gathers.

use std::sync::Arc;
use std::time::Duration;

use domain::MatchId;
use game_api::Entry;
use sqlx::postgres::{PgConnection, PgPool};
use storage::{Change, StorageError, Unit};
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::error::Halt;
use crate::{Result, write};

/// How many units wait at most; then their senders do.
const QUEUE_UNITS: usize = 1024;

/// How many groups are under way at once: while one is synced the next is sent. Two units of one
/// match may then overtake each other, but nobody sends a match's next before the last is answered.
pub(crate) const TASKS: u32 = 2;
/// A group takes milliseconds.
const TIMEOUT: Duration = Duration::from_secs(10);

struct Job {
    unit: Unit,
    answer: oneshot::Sender<Result<()>>,
}

/// The queue's entrance. The task behind it ends when this is dropped and the queue is empty.
pub(crate) struct Writer {
    queue: mpsc::Sender<Job>,
    pool: PgPool,
}

impl Writer {
    pub(crate) fn start(pool: PgPool) -> Writer {
        let (queue, jobs) = mpsc::channel(QUEUE_UNITS);
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..TASKS {
            tokio::spawn(run(pool.clone(), jobs.clone()));
        }
        Writer { queue, pool }
    }

    /// Stores a unit of appends.
    pub(crate) async fn append(&self, unit: Unit) -> Result<()> {
        let is_gone = || StorageError::unavailable("the writer has ended");
        let (answer, answered) = oneshot::channel();
        self.queue.send(Job { unit, answer }).await.map_err(|_| is_gone())?;
        answered.await.map_err(|_| is_gone())?
    }

    /// Stores what is queued and lets go of the database.
    pub(crate) async fn close(&self) {
        // An empty unit is taken after all that came before it, and the pool waits for the rest.
        self.append(Unit::new()).await.ok();
        self.pool.close().await;
    }
}

async fn run(pool: PgPool, queue: Arc<Mutex<mpsc::Receiver<Job>>>) {
    let mut columns = Columns::default();
    let mut jobs = Vec::new();
    loop {
        if queue.lock().await.recv_many(&mut jobs, QUEUE_UNITS).await == 0 {
            return;
        }
        store(&pool, &mut columns, std::mem::take(&mut jobs)).await;
    }
}

/// A group of which something is refused is halved until the unit at fault stands alone, so that it
/// costs the others little. Halves are stored in order.
async fn store(pool: &PgPool, columns: &mut Columns, jobs: Vec<Job>) {
    let mut groups = vec![jobs];
    while let Some(mut jobs) = groups.pop() {
        let result = match &jobs[..] {
            [job] => in_time(write::commit(pool, &job.unit)).await,
            _ => match in_time(store_group(pool, columns, &jobs)).await {
                Ok(()) => Ok(()),
                Err(Halt::Refused(error @ StorageError::Unavailable(_))) => Err(error),
                Err(_) => {
                    let later = jobs.split_off(jobs.len() / 2);
                    groups.extend([later, jobs]);
                    continue;
                }
            },
        };
        for job in jobs {
            // Who no longer waits for the answer does not need it.
            job.answer.send(result.clone()).ok();
        }
    }
}

/// A line that went silent in the middle of a statement would hold all appends until TCP gives up.
async fn in_time<E: From<StorageError>>(
    work: impl Future<Output = std::result::Result<(), E>>,
) -> std::result::Result<(), E> {
    match tokio::time::timeout(TIMEOUT, work).await {
        Ok(done) => done,
        Err(_) => Err(E::from(StorageError::unavailable("the database took too long"))),
    }
}

/// Stores all entries of a group or none.
async fn store_group(
    pool: &PgPool,
    columns: &mut Columns,
    jobs: &[Job],
) -> std::result::Result<(), Halt> {
    columns.clear();
    for job in jobs {
        let mut before = None;
        for change in &job.unit {
            if let Change::Append { match_id, entry } = change {
                let follows = before == Some((*match_id, entry.ply));
                columns.push(*match_id, entry, follows);
                before = Some((*match_id, entry.ply.saturating_add(1)));
            }
        }
    }
    let mut transaction = pool.begin().await?;
    if columns.insert(&mut transaction).await? < columns.match_ids.len() as u64 {
        transaction.rollback().await?;
        return Err(Halt::Again);
    }
    transaction.commit().await?;
    Ok(())
}

/// Entries as PostgreSQL takes many at once; kept from group to group, so that they rarely grow.
#[derive(Default)]
pub(crate) struct Columns {
    match_ids: Vec<i64>,
    plies: Vec<i64>,
    seats: Vec<Option<i16>>,
    times_ms: Vec<i64>,
    nonces: Vec<i64>,
    epochs: Vec<i64>,
    kinds: Vec<String>,
    /// Whether the entry before it is in the same unit, and so not stored yet.
    follows: Vec<bool>,
}

impl Columns {
    fn clear(&mut self) {
        self.match_ids.clear();
        self.plies.clear();
        self.seats.clear();
        self.times_ms.clear();
        self.nonces.clear();
        self.epochs.clear();
        self.kinds.clear();
        self.follows.clear();
    }

    pub(crate) fn push(&mut self, match_id: MatchId, entry: &Entry, follows: bool) {
        self.match_ids.push(match_id.number());
        self.plies.push(entry.ply.into());
        self.seats.push(entry.seat.map(write::seat_number));
        self.times_ms.push(write::ms(entry.at_ms));
        self.nonces.push(entry.nonce.cast_signed());
        self.epochs.push(entry.epoch.into());
        self.kinds.push(entry.kind.to_string());
        self.follows.push(follows);
    }

    /// Inserts those whose match is running in their epoch and whose place is the next one, and says
    /// how many these are.
    ///
    /// Rows are looked up one by one, by scalar subqueries: of a join PostgreSQL may think, from when
    /// the tables were small, that all of them had better be read.
    ///
    /// The match's row is not locked: if another server takes the match between this look and the
    /// commit, then the entry is stored as the last of the old epoch, and the new owner, who had
    /// not seen it, finds its place taken by the primary key and reads the log again. An entry at
    /// the same place as the one that ends a match meets the same key.
    pub(crate) async fn insert(
        &self,
        connection: &mut PgConnection,
    ) -> std::result::Result<u64, sqlx::Error> {
        let query = sqlx::query(
            "INSERT INTO entries (match_id, ply, seat, at_ms, nonce, epoch, kind)
            SELECT new.match_id, new.ply, new.seat, new.at_ms, new.nonce, new.epoch, new.kind
            FROM UNNEST($1::BIGINT[], $2::BIGINT[], $3::SMALLINT[], $4::BIGINT[], $5::BIGINT[],
                $6::BIGINT[], $7::TEXT[], $8::BOOLEAN[])
                AS new (match_id, ply, seat, at_ms, nonce, epoch, kind, follows)
            WHERE (SELECT epoch FROM matches WHERE id = new.match_id AND status = 0) = new.epoch
                AND (new.ply = 0 OR new.follows OR (SELECT before.ply FROM entries AS before
                    WHERE before.match_id = new.match_id AND before.ply = new.ply - 1) IS NOT NULL)
            ON CONFLICT DO NOTHING",
        );
        let query = query.bind(&self.match_ids).bind(&self.plies).bind(&self.seats);
        let query = query.bind(&self.times_ms).bind(&self.nonces).bind(&self.epochs);
        let query = query.bind(&self.kinds).bind(&self.follows);
        Ok(query.execute(connection).await?.rows_affected())
    }
}
