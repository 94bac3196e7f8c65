//! The audit log (M6): which events there are, how one becomes a record, what redaction leaves.
//!
//! Knows no database: a record is stored by whoever holds the store, in the same transaction as the
//! change that it tells of. An event's fields are all that can get into a record, and none of them
//! holds a password, a token, a seed or a hidden tile.

mod event;
mod record;
mod redaction;

pub use event::{AuthEvent, Event, GameplayEvent, LoginFailure, SystemEvent};
pub use record::{
    AuditFilter, AuditRecord, BadWord, Context, Kind, PayloadTooLarge, Recorder, Severity,
};
pub use redaction::{NotAnObject, REDACTED, redact};

/// How long records are kept if nobody says otherwise.
pub const DEFAULT_RETENTION_DAYS: u32 = 30;

/// A longer payload is refused, never cut.
pub const MAX_EVENT_PAYLOAD_BYTES: usize = 8192;

/// The time before which records are past their retention.
pub fn cutoff_ms(now_ms: u64, retention_days: u32) -> u64 {
    now_ms.saturating_sub(u64::from(retention_days) * 24 * 60 * 60 * 1000)
}
