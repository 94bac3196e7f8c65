//! Seeded runs of `play` and `storage` under faults: a world with a clock of its own, in which
//! houses hold rooms, clients play and watch over bad lines, and the store answers late, wrongly
//! or never.
//!
//! It owns the faults and the checks; every step is judged by an oracle that knows only what was
//! stored. It has no rules, no real time and no I/O: one number decides a whole run. The houses are
//! a small likeness of the server's halls, which need a runtime: what they do with effects, leases
//! and failed appends is written twice, here and in `server::actors`, and must be kept alike.

mod agenda;
mod client;
mod door;
mod finish;
mod games;
mod ground;
mod house;
mod ledger;
mod load;
mod plan;
mod store;
mod tally;
mod thinkers;
mod wire;
mod world;

pub use plan::{Plan, Sabotage};
pub use tally::Tally;

/// Runs a world from beginning to end, and says what happened in it.
///
/// # Panics
///
/// If an invariant does not hold; the message begins with its name.
pub fn run(plan: Plan) -> Tally {
    world::World::new(plan).run()
}

/// Stops a run since something that must hold does not.
pub(crate) fn violated(invariant: &str, what: impl std::fmt::Display) -> ! {
    panic!("`{invariant}` does not hold: {what}")
}
