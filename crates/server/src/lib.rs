//! The service around the games: accounts and audit over HTTP, configuration, telemetry.
//!
//! Knows no rules, and no SQL. The binary lives in `cli`, so that tests start the same server.

mod app;
pub mod config;
pub mod http;
mod listener;
mod notes;
mod pulse;
pub mod telemetry;
pub mod ws;

pub use app::{App, StartError, open_store};
pub use listener::serve;
