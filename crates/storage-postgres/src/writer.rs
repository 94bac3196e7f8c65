//! Appends in groups: what is queued when a commit is done shares the next one.
//!
//! A group is one statement in one transaction, so a thousand entries cost one sync of the disk.
//! There is no timer: an append that comes alone is stored at once, and while a group is under way
//! the next one gathers.

use domain::MatchId;
use game_api::Entry;
use sqlx::postgres::{PgConnection, PgPool};
use storage::{Change, StorageError, Unit};
use tokio::sync::{mpsc, oneshot};

use crate::error::Halt;
use crate::{Result, write};

/// How many units wait at most; then their senders do.
const QUEUE_UNITS: usize = 1024;

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
        tokio::spawn(run(pool.clone(), jobs));
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
        // An empty unit is answered after all that came before it.
        self.append(Unit::new()).await.ok();
        self.pool.close().await;
    }
}

async fn run(pool: PgPool, mut queue: mpsc::Receiver<Job>) {
    let mut columns = Columns::default();
    let mut jobs = Vec::new();
    while 0 < queue.recv_many(&mut jobs, QUEUE_UNITS).await {
        store(&pool, &mut columns, std::mem::take(&mut jobs)).await;
    }
}

/// A group of which something is refused is halved until the unit at fault stands alone, so that it
/// costs the others little. Halves are stored in order.
async fn store(pool: &PgPool, columns: &mut Columns, jobs: Vec<Job>) {
    let mut groups = vec![jobs];
    while let Some(mut jobs) = groups.pop() {
        let result = match &jobs[..] {
            [job] => write::commit(pool, &job.unit).await,
            _ => match store_group(pool, columns, &jobs).await {
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

/// Stores all entries of a group or none.
async fn store_group(
    pool: &PgPool,
    columns: &mut Columns,
    jobs: &[Job],
) -> std::result::Result<(), Halt> {
    columns.clear();
    for change in jobs.iter().flat_map(|job| &job.unit) {
        if let Change::Append { match_id, entry } = change {
            columns.push(*match_id, entry);
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
    }

    pub(crate) fn push(&mut self, match_id: MatchId, entry: &Entry) {
        self.match_ids.push(match_id.number());
        self.plies.push(entry.ply.into());
        self.seats.push(entry.seat.map(write::seat_number));
        self.times_ms.push(write::ms(entry.at_ms));
        self.nonces.push(entry.nonce.cast_signed());
        self.epochs.push(entry.epoch.into());
        self.kinds.push(entry.kind.to_string());
    }

    /// Inserts those whose match is running in their epoch and whose place is free, and says how
    /// many these are.
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
                $6::BIGINT[], $7::TEXT[])
                AS new (match_id, ply, seat, at_ms, nonce, epoch, kind)
            JOIN matches ON id = new.match_id AND matches.epoch = new.epoch AND status = 0
            ON CONFLICT DO NOTHING",
        );
        let query = query.bind(&self.match_ids).bind(&self.plies).bind(&self.seats);
        let query = query.bind(&self.times_ms).bind(&self.nonces).bind(&self.epochs);
        Ok(query.bind(&self.kinds).execute(connection).await?.rows_affected())
    }
}
