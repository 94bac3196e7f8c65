//! Time that never goes back: the machine's clock when the process began, and how long it has run.

use std::sync::Arc;
use std::time::Duration;

use domain::TimeSource;
use tokio::time::Instant;

/// Counts from the wall time at its making.
pub(crate) struct SteadyTime {
    wall_ms: u64,
    since: Instant,
}

impl SteadyTime {
    pub(crate) fn from(time: &Arc<dyn TimeSource>) -> SteadyTime {
        SteadyTime { wall_ms: time.now_ms(), since: Instant::now() }
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.wall_ms + u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// When this time comes.
    pub(crate) fn instant(&self, at_ms: u64) -> Instant {
        self.since + Duration::from_millis(at_ms.saturating_sub(self.wall_ms))
    }
}
