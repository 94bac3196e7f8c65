//! What a game is, and what a match is.
//!
//! A [`Game`] is a set of pure rules: it knows no time, user, socket or database. A [`Match`] is one
//! contest under those rules, derived from a [`MatchLog`]; only a game's `View` and `Event`, each
//! built for one [`Viewer`], are meant for anybody else's eyes. [`AnyGame`] and [`AnyMatch`] are the
//! same two without type parameters, for a server that holds many games.
//!
//! This crate deliberately knows no concrete game, no clock and no source of randomness: a [`Seed`]
//! comes in from outside, and [`GameRng`] stretches it.

mod any;
mod export;
mod game;
mod hash;
mod log;
mod matches;
mod rng;
mod seat;
mod seed;
mod seen;
mod survey;

pub use any::{AnyGame, AnyMatch, Erased, Kept, Legal, Refused, Telling, Told};
pub use export::{Circumstances, Format, Pace, Record, Recorded};
pub use game::{
    BadView, Completeness, Context, Forfeit, Game, GameMeta, Outcome, SetupError, Step, TimeOut,
    Violation, excerpt,
};
pub use hash::{StableHasher, StateHash};
pub use log::{Agreement, BadEntryKind, Entry, EntryKind, LOG_FORMAT, MatchLog};
pub use matches::{Match, Played, Refusal, ReplayError};
pub use rng::GameRng;
pub use seat::{MAX_SEATS, Seat, SeatSet, Viewer};
pub use seed::{BadHash, BadSeed, Commitment, Seed};
pub use seen::Seen;
pub use survey::{Playouts, perft, playouts};
