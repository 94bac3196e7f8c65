//! What happens around a match, decided without I/O (the cores of M2 and M3): rooms, match clocks,
//! offers, lobbies, the pairing queue and ratings.
//!
//! Nothing here awaits, stores or sends. A [`Room`](room::Room) takes an input and the time and says
//! what is to be done, in order; whoever holds it does so.

pub mod clock;
mod lobby;
mod pairing;
mod ratings;
pub mod room;
mod speed;
mod terms;

pub use lobby::{
    KICKED_MAX, LOBBIES_PER_HOST_MAX, Left, Lobby, LobbyError, LobbyParts, Member, Sitter,
};
pub use pairing::{PairingQueue, QueueFull, WISH_LASTS_MS, WISHES_MAX, Wish, pool};
pub use ratings::{Rated, Standing, is_rated, rate};
pub use speed::speed;
pub use terms::{BadTerms, SPECTATOR_DELAY_MAX_S, Settings, Terms};
