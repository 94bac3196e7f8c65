//! What server and client say to each other over HTTP and the WebSocket: messages and codes.
//!
//! Types alone: no route, no network, no rule. A request refuses fields that it does not know; an
//! answer may gain fields, and a reader skips those that it does not know.

mod account;
mod audit;
mod clock;
mod game;
mod lobby;
mod matches;
mod object;
mod page;
mod problem;
#[cfg(feature = "openapi")]
mod schema;
mod secret;
mod system;
pub mod ws;

pub use account::{
    AuthResponse, GameStatistics, GuestRequest, Login, LoginRequest, PasswordRequest, Profile,
    PublicProfile, Rating, RegisterRequest, SessionList, SessionResponse, SessionSummary,
    UpdateProfileRequest, UpgradeRequest, User,
};
pub use audit::{
    AuditEvent, AuditKind, AuditPage, PurgeRequest, PurgeResponse, RedactRequest, Severity,
};
pub use clock::{BadClock, ClockFace, ClockSetting};
pub use game::{BotInfo, GameInfo, Preset};
pub use lobby::{
    BotSeat, CreateLobbyRequest, CreateMatchRequest, KickRequest, LobbyList, LobbySummary,
    MatchStarted, MatchTerms, Opponents, PairingRequest, PairingResponse,
};
pub use matches::{
    MatchDetails, MatchPage, MatchStatus, MatchStory, MatchSummary, NotationLine, RunningMatch,
    RunningMatches, SeatSummary, StoryEntry, StoryKind, WatchLink,
};
pub use page::is_page;
pub use problem::{Code, Problem};
pub use secret::Secret;
pub use system::{Health, Ready, Status};

/// A JSON object whose fields are not the platform's to know.
pub type Object = serde_json::Map<String, serde_json::Value>;
