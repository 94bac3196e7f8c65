//! Rooms as transcripts: what happens, and what the room wants done, line by line (`script.rs` has
//! the language). `random.rs` plays every game with random inputs. `table.rs` does what a room wants
//! done, and checks on the way what must hold whatever happens.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod acting;
mod agreeing;
mod bots;
mod ending;
mod joining;
mod random;
mod restoring;
mod script;
mod table;
mod watching;
