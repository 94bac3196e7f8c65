//! Players that are programs.
//!
//! A [`Bot`] gets a [`Situation`] (what its seat sees, never a state), a [`Level`], a [`Budget`] and
//! a generator, and names an action. The same view, level, number of nodes and generator give the
//! same action. Searches for any game:
//!
//! - [`Random`] and [`Greedy`], which look no further than the next action.
//! - [`alpha_beta`] for two seats that both see everything; a game tells what a state is worth.
//! - [`sample_tree`] over states that look like the view, for hidden information; a [`Policy`] tells how
//!   matches are played out.
//!
//! A game's own bot lives in the game's crate. Here is no clock: whoever asks tells when time is up.

mod alpha_beta;
mod any;
mod bot;
mod budget;
mod duel;
mod level;
mod one_step;
mod sampling;

pub use alpha_beta::{Searched, WIN, alpha_beta, place_of, quick_hash};
pub use any::{Advice, AnyBot, ErasedBot};
pub use bot::{Bot, Choice, Puzzled, Situation};
pub use budget::{Budget, Meter};
pub use duel::{Duel, Duellist, PairEnd, StartClock, Tally, elo};
pub use fastrand::Rng as Dice;
pub use level::{Level, NoLevel, Skill, second_thoughts};
pub use one_step::{Greedy, Random};
pub use sampling::{AtRandom, Policy, Sampling, sample_tree};
