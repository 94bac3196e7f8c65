//! The WebSocket protocol (RFC 6455), by our own code: the opening handshake and the frames, both
//! without I/O.
//!
//! No extension and no subprotocol is ever agreed on.

pub mod frame;
pub mod handshake;
