//! The rooms at work: halls that hold them, how a room is loaded, how a match begins and ends.
//!
//! What a room decides is `play`'s; here it is done, in its order: stored first, told second.

mod begin;
mod crowd;
mod fair_queue;
mod finish;
mod hall;
mod load;
mod steady;
mod story;
mod thinkers;

pub(crate) use begin::{BeginError, Plan, begin};
pub(crate) use hall::{Hall, House, INBOX, MATCHES_MAX};
pub(crate) use load::{Unloadable, deal, owners, rules, settings, setup};
pub(crate) use steady::SteadyTime;
pub(crate) use story::{Hearer, log, outline, story};
pub(crate) use thinkers::Thinkers;
