//! The service around the games: configuration, telemetry and HTTP.
//!
//! Knows no rules, and no SQL. The binary lives in `cli`, so that tests start the same server.

pub mod config;
pub mod http;
mod listener;
pub mod telemetry;

pub use listener::serve;
