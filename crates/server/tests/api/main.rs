//! The interface as its users see it: every test talks to a server on a real port.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod accounts;
mod admin;
mod audits;
mod bots;
mod client_files;
mod document;
mod eviction;
mod faults;
mod fuse;
mod kit;
mod leaks;
mod limits;
mod line;
mod lobbies;
mod log;
mod matches;
mod origins;
mod owners;
mod pairing;
mod panics;
mod play;
mod profile;
mod protocol_page;
mod public_matches;
mod races;
mod resync;
mod routes;
mod scrabble;
mod shell;
mod socket;
mod sockets;
mod system;
mod times;
mod tokens;
mod users;
