//! Links as transcripts: what happens, and what the link wants done, line by line (`script.rs` has
//! the language). `random.rs` lets several links play over a network that breaks, against a small
//! model of the server (`model.rs`).

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod acting;
mod connecting;
mod following;
mod limits;
mod model;
mod random;
mod script;
