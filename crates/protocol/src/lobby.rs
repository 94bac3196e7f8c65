//! Lobbies and the pairing queue, as they are asked for and shown.

use domain::{LobbyId, MatchId};
use serde::{Deserialize, Serialize};

use crate::{ClockSetting, Object};

/// What is to be played, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MatchTerms {
    /// The game's key.
    pub game: String,
    /// Options with a name. Left out, and without `options`: the game's usual ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// The game's own options, instead of a preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub options: Option<Object>,
    /// How many sit down; left out, as few as the game takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats: Option<u8>,
    /// How time is measured.
    #[serde(default, deserialize_with = "crate::object::read")]
    pub clock: ClockSetting,
    /// Spectators see everything so many seconds late: 0 to 900.
    #[serde(default)]
    pub spectator_delay_s: u32,
}

/// Opens a lobby.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CreateLobbyRequest {
    /// What is to be played.
    #[serde(deserialize_with = "crate::object::read")]
    pub terms: MatchTerms,
    /// Whether it is in the list, or known only by its link.
    #[serde(default)]
    pub public: bool,
    /// Where the host sits, from 0; left out, in the first seat that no bot is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
    /// Bots that sit down at once; one without a seat takes the last that is free.
    #[serde(
        default,
        deserialize_with = "crate::object::read_list",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub bots: Vec<BotSeat>,
}

/// Sends somebody out of a lobby.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct KickRequest {
    /// Whom, by name: also a bot, of several with the same name the last that came.
    pub name: String,
    /// From which seat, where several bots have the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
}

/// An open offer to play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LobbySummary {
    /// Which.
    #[cfg_attr(feature = "openapi", schema(schema_with = crate::schema::id))]
    pub id: LobbyId,
    /// The host's name.
    pub host: String,
    /// What is to be played.
    pub terms: MatchTerms,
    /// How many must sit down.
    pub seats: u8,
    /// The names of who has joined, the host first, bots last.
    pub players: Vec<String>,
    /// Their names again, a seat each; none where a seat is free. Whoever joins takes the first.
    pub order: Vec<Option<String>>,
    /// The levels of the bots, which are the last of the players.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub bots: Vec<u8>,
    /// Whether it is in the list.
    pub public: bool,
    /// When it was opened, in milliseconds since 1970.
    pub created_at_ms: u64,
}

/// A page of the public lobbies, the latest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LobbyList {
    /// At most 100.
    pub lobbies: Vec<LobbySummary>,
    /// Where the next page begins, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u32>,
}

/// Begins a match that needs no other person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CreateMatchRequest {
    /// What is to be played.
    #[serde(deserialize_with = "crate::object::read")]
    pub terms: MatchTerms,
    /// Who plays the other seats.
    pub opponents: Opponents,
}

/// Who plays the other seats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Opponents {
    /// All seats are the one's who asks, on one screen.
    HotSeat,
    /// Bots; seats without one are the one's who asks, who only watches if there is none.
    Bots(#[serde(deserialize_with = "crate::object::read_list")] Vec<BotSeat>),
}

/// A bot and its seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct BotSeat {
    /// Where it sits, from 0; left out, in a match anywhere by chance, in a lobby in the last free seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
    /// How strong it is, from 1 to 8.
    pub level: u8,
}

/// A match that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MatchStarted {
    /// Which.
    #[serde(rename = "match")]
    #[cfg_attr(feature = "openapi", schema(schema_with = crate::schema::id))]
    pub match_id: MatchId,
}

/// Asks to be paired with whoever wants the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PairingRequest {
    /// The game's key.
    pub game: String,
    /// Options with a name; left out, the game's usual ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// How many sit down; left out, as few as the game takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats: Option<u8>,
    /// How time is measured.
    #[serde(default, deserialize_with = "crate::object::read")]
    pub clock: ClockSetting,
}

/// What became of a wish to be paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PairingResponse {
    /// The match, if somebody was waiting; else a `paired` message tells of it.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub match_id: Option<MatchId>,
}
