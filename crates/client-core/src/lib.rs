//! What the browser client decides, without a browser, so that it is tested natively.
//!
//! No DOM, no network, no timer, no rule; those are the client's and the games'. The heart is M7's
//! [`Link`]: when to connect, what to say again after a break, which news is old, and what people may
//! believe of the connection and of each action.

mod ahead;
mod backoff;
mod draw;
mod effect;
mod followed;
mod form;
mod input;
mod link;
mod plot;
mod preference;
mod record;
mod review;
mod route;
mod rules;
mod table;
mod tutorial;
mod ways;

pub use ahead::{Ahead, Due};
pub use draw::DrawOffer;
pub use effect::{ActionState, Connection, Effect, Failure, News};
pub use followed::PENDING_MAX;
pub use form::{
    InvalidInput, check_password, check_username, min_sec, sentence_case, sentence_of_clock,
    title_of_key, wait_sentence,
};
pub use input::{Input, Request, SocketId, Wish};
pub use link::{FOLLOWED_MAX, Link, MESSAGE_BYTES_MAX, TOPICS_MAX};
pub use plot::{Frame, Plot, bar, signed};
pub use preference::{
    Choice, Digits, Hints, InvalidBase, Motion, Preferences, ScoreBase, Theme, Volume,
};
pub use record::{Ending, GameRecord, Standing, percent, records, standings};
pub use review::{Review, Turn};
pub use route::{Route, RouteNotFound, Who, gate};
pub use rules::{Advice, Judgement, Question, Reply, Scene, Sight, words_of};
pub use table::{Said, Step, Story, Table};
pub use tutorial::{Answer, Learned, Lesson, Reading, Task, Verdict};
pub use ways::{Picked, Way, pick, targets};
