//! Audit records that need not wait for their request: who read a profile.
//!
//! They gather in a bounded queue and are stored together. What finds no room is not kept, but
//! counted, and the count is a record too.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use audit::{AuditRecord, Context, Event, Recorder, SystemEvent};
use storage::{Change, Store};
use tokio::sync::{Mutex, Notify, mpsc};

use crate::outage::Outage;

/// A second of very many reads.
const QUEUE: usize = 16_384;
/// How many records are stored at once.
const BATCH: usize = 4096;
/// How long they gather. Nobody waits for them, and a commit costs the same for one and for many;
/// but very many at once would keep the writer from the moves of matches.
const GATHER: Duration = Duration::from_millis(20);

pub(crate) struct Notes {
    recorder: Arc<Recorder>,
    outage: Arc<Outage>,
    queue: mpsc::Sender<AuditRecord>,
    waiting: Mutex<mpsc::Receiver<AuditRecord>>,
    lost: AtomicU64,
    closing: Notify,
}

impl Notes {
    pub(crate) fn new(recorder: Arc<Recorder>, outage: Arc<Outage>) -> Notes {
        let (queue, waiting) = mpsc::channel(QUEUE);
        Notes {
            recorder,
            outage,
            queue,
            waiting: Mutex::new(waiting),
            lost: AtomicU64::new(0),
            closing: Notify::new(),
        }
    }

    /// The change that writes an event down, for a unit that it belongs to.
    pub(crate) fn change<E: Event>(&self, event: &E, context: Context) -> Option<Change> {
        let record = self.recorder.record(event, context);
        record
            .inspect_err(|error| tracing::error!(%error, "an event has no record"))
            .ok()
            .map(Change::Audit)
    }

    /// Queues the record of an event.
    pub(crate) fn note<E: Event>(&self, event: &E, context: Context) {
        let record = self.recorder.record(event, context);
        if record.is_ok_and(|record| self.queue.try_send(record).is_ok()) {
            return;
        }
        self.lost.fetch_add(1, Ordering::Relaxed);
    }

    /// Stores what is queued, until [`Notes::close`], and then what is left.
    pub(crate) async fn write_to(&self, store: &dyn Store) {
        let mut waiting = self.waiting.lock().await;
        let mut records = Vec::with_capacity(BATCH);
        loop {
            // Never cut off while it stores: only the waiting is.
            tokio::select! {
                _ = waiting.recv_many(&mut records, BATCH) => {}
                () = self.closing.notified() => break,
            }
            self.store_all(store, &mut records).await;
            tokio::select! {
                () = tokio::time::sleep(GATHER) => {}
                () = self.closing.notified() => break,
            }
        }
        while let Ok(record) = waiting.try_recv() {
            records.push(record);
        }
        self.store_all(store, &mut records).await;
    }

    /// Lets [`Notes::write_to`] come to its end.
    pub(crate) fn close(&self) {
        self.closing.notify_one();
    }

    async fn store_all(&self, store: &dyn Store, records: &mut Vec<AuditRecord>) {
        let lost = self.lost.swap(0, Ordering::Relaxed);
        let told = (lost > 0).then(|| {
            self.recorder.record(&SystemEvent::RecordsLost { count: lost }, Context::default())
        });
        let count = records.len() as u64;
        let unit: Vec<Change> =
            records.drain(..).chain(told.and_then(Result::ok)).map(Change::Audit).collect();
        if unit.is_empty() {
            return;
        }
        if let Err(error) = store.commit(unit).await {
            if !self.outage.counts(&error) {
                tracing::warn!(%error, count, "audit records could not be stored");
            }
            self.lost.fetch_add(lost + count, Ordering::Relaxed);
        }
    }
}
