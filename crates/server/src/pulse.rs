//! Whether the database answers, asked at most once a second however many want to know.

use std::time::Duration;

use storage::{StorageError, Store};
use tokio::sync::Mutex;
use tokio::time::Instant;

/// How old an answer may be.
const FRESH: Duration = Duration::from_secs(1);
/// A database that takes longer does not answer.
const TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(crate) struct Pulse {
    last: Mutex<Option<(Instant, Result<(), StorageError>)>>,
}

impl Pulse {
    pub(crate) async fn check(&self, store: &dyn Store) -> Result<(), StorageError> {
        // Held while the database is asked, so that all who wait get the one answer.
        let mut last = self.last.lock().await;
        if let Some((at, answer)) = &*last
            && at.elapsed() < FRESH
        {
            return answer.clone();
        }
        let answer = tokio::time::timeout(TIMEOUT, store.ping()).await;
        let answer = answer.unwrap_or_else(|_| Err(StorageError::unavailable("no answer in time")));
        *last = Some((Instant::now(), answer.clone()));
        answer
    }
}
