//! The WebSocket protocol (RFC 6455), by our own code, and the gateway behind it (M2).
//!
//! `handshake` and `frame` do no I/O. No extension and no subprotocol is ever agreed on.

mod connection;
#[cfg(test)]
pub(crate) mod far_end;
pub mod frame;
mod gateway;
pub mod handshake;
mod watch;

pub(crate) use connection::Connection;
pub use connection::{CloseReason, HOLD, OUTBOX_BYTES_MAX};
pub(crate) use gateway::serve;
pub use gateway::{MATCHES_MAX, TOPICS_MAX};
pub(crate) use watch::keep_watch;
pub use watch::{PING_AFTER_MS, TIMEOUT_MS};
