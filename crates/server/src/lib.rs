//! The service around the games: accounts, audit, lobbies and matches over HTTP and WebSocket,
//! configuration, telemetry.
//!
//! Knows no rules, and no SQL. The binary lives in `cli`, so that tests start the same server.

mod actors;
mod app;
mod bus;
pub mod config;
mod export;
pub mod http;
mod listener;
mod lobbies;
mod notes;
mod pulse;
pub mod telemetry;
mod topics;
pub mod ws;

pub use app::{App, StartError, open_store};
pub use export::Exported;
pub use listener::serve;

/// Finds a game by its key.
pub type Games = fn(&str) -> Option<&'static dyn game_api::AnyGame>;
