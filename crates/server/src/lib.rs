//! The service around the games: accounts, audit, lobbies and matches over HTTP and WebSocket,
//! configuration, telemetry.
//!
//! Knows no rules, and no SQL. The binary lives in `cli`, so that tests start the same server.

mod actors;
mod admission;
mod app;
mod bus;
mod check;
pub mod config;
mod export;
pub mod http;
mod links;
mod listener;
mod lobbies;
mod notes;
mod opening;
mod outage;
mod pulse;
mod purge;
mod roster;
mod seating;
pub mod telemetry;
mod topics;
pub mod uci;
pub mod ws;

pub use admission::Admission;
pub use app::{App, StartError};
pub use check::{Found, check};
pub use export::Exported;
pub use listener::{Door, serve};
pub use opening::{Access, OpenError, Overrides, open_store};

/// Finds a game by its key.
pub type Games = fn(&str) -> Option<&'static dyn game_api::AnyGame>;

/// Finds a bot by its game's key and its name, which is a level for those that people can choose.
pub type Bots = fn(&str, &str) -> Option<(&'static dyn bots::AnyBot, bots::Level)>;
