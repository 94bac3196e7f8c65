//! The interface as its users see it: every test talks to a server on a real port.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod accounts;
mod admin;
mod audits;
mod document;
mod kit;
mod limits;
mod log;
mod origins;
mod play;
mod profile;
mod races;
mod routes;
mod shell;
mod socket;
mod system;
mod tokens;
mod users;
