//! The WebSocket protocol (RFC 6455), by our own code, and the gateway behind it (M2).
//!
//! `handshake` and `frame` do no I/O. No extension and no subprotocol is ever agreed on.

mod connection;
pub mod frame;
mod gateway;
pub mod handshake;
mod watch;

pub use connection::CloseReason;
pub(crate) use connection::Connection;
pub(crate) use gateway::serve;
pub(crate) use watch::keep_watch;
