//! Where wall time comes from: the system, or in tests a hand that turns it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Gives milliseconds since 1970, UTC.
pub trait TimeSource: Send + Sync {
    /// Now.
    fn now_ms(&self) -> u64;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemTime;

impl TimeSource for SystemTime {
    #[expect(clippy::disallowed_methods, reason = "this is the one source that all others use")]
    fn now_ms(&self) -> u64 {
        let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        // A clock before 1970 is a broken clock; 0 is as good as any other value.
        since_1970.map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }
}

/// A clock that stands until it is moved.
#[derive(Debug, Default)]
pub struct ManualTime(AtomicU64);

impl ManualTime {
    /// Standing at this time.
    pub fn at(now_ms: u64) -> ManualTime {
        ManualTime(AtomicU64::new(now_ms))
    }

    /// Moves it on.
    pub fn advance(&self, by_ms: u64) {
        self.0.fetch_add(by_ms, Ordering::SeqCst);
    }
}

impl TimeSource for ManualTime {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}
