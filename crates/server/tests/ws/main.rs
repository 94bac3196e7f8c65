//! WebSocket frames: the cases of the Autobahn test suite that concern framing, as tables; then random
//! streams, whole and spoiled, against a naive decoder.
//!
//! What a connection does with a message, a ping or a close is tested where it is done.

mod cases;
mod naive;
mod random;
mod splits;
mod wire;
