//! The vocabulary that all of the house shares: ids, parsed names, roles and the source of time.
//!
//! Values that exist are valid: they are parsed once, at the edge. Knows no database, no network
//! and no game; randomness and time come in as parameters.

mod avatar;
mod id;
mod name;
mod role;
mod seat;
mod time;

pub use avatar::{Avatar, BadAvatar};
pub use id::{AuditId, BadId, Counter, LobbyId, MatchId, PlayerId, SessionId};
pub use name::{Username, UsernameError, skeleton};
pub use role::{BadRole, Role};
pub use seat::{SeatHolder, bot_name};
pub use time::{ManualTime, SystemTime, TimeSource};
