//! Matches as they are listed, shown, and told again.

use domain::MatchId;
use game_api::{Forfeit, MatchLog, Seat, Viewer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::ws::Outcome;
use crate::{ClockSetting, Object, Secret};

/// One page of somebody's matches, the newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MatchPage {
    /// The matches of this page.
    pub matches: Vec<MatchSummary>,
    /// Where the next page begins, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u32>,
}

/// A match that ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MatchSummary {
    /// The match.
    #[cfg_attr(feature = "openapi", schema(schema_with = crate::schema::id))]
    pub id: MatchId,
    /// The game's key.
    pub game: String,
    /// In milliseconds since 1970.
    pub started_at_ms: u64,
    /// In milliseconds since 1970.
    pub ended_at_ms: u64,
    /// Who sat where, from seat 0 on.
    pub seats: Vec<SeatSummary>,
    /// The key of how it ended.
    pub reason: String,
    /// Where the one whose history this is sat; the first of several in a hot-seat match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub your_seat: Option<u8>,
}

/// A seat at the end of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SeatSummary {
    /// Left out where the account is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The bot that sat there: its level from `1` to `8`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot: Option<String>,
    /// From 1 on; equal places are a tie. Left out if the match was aborted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<u8>,
}

/// Matches under way, the latest first: somebody's own, or the public ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RunningMatches {
    /// At most 256 own ones, or as many public ones as were asked for.
    pub matches: Vec<RunningMatch>,
}

/// A match that is being played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RunningMatch {
    /// The match.
    #[cfg_attr(feature = "openapi", schema(schema_with = crate::schema::id))]
    pub id: MatchId,
    /// The game's key.
    pub game: String,
    /// In milliseconds since 1970.
    pub started_at_ms: u64,
    /// Who sits where, from seat 0 on.
    pub seats: Vec<SeatSummary>,
    /// How time is measured.
    pub clock: ClockSetting,
}

/// A match, running or over, as a viewer may know it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MatchDetails {
    /// The match.
    #[cfg_attr(feature = "openapi", schema(schema_with = crate::schema::id))]
    pub id: MatchId,
    /// The game's key.
    pub game: String,
    /// The rules it is played by.
    pub rules_version: u32,
    /// The game's own options.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub options: Object,
    /// Who sits where, from seat 0 on.
    pub seats: Vec<SeatSummary>,
    /// How time is measured.
    pub clock: ClockSetting,
    /// Spectators see everything so many seconds late.
    pub spectator_delay_s: u32,
    /// Whether the outcome changes ratings.
    pub is_rated: bool,
    /// Whether everybody may watch it; else only its players may, and who has its watch link.
    pub is_public: bool,
    /// Where it stands.
    pub status: MatchStatus,
    /// What was published of the deal.
    pub commitment: String,
    /// In milliseconds since 1970.
    pub started_at_ms: u64,
    /// As whom whoever asks looks at it: a seat's number, or `spectator`.
    #[cfg_attr(feature = "openapi", schema(schema_with = crate::schema::viewer))]
    pub viewer: Viewer,
    /// In milliseconds since 1970, once it is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at_ms: Option<u64>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// What the viewer saw at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub view: Option<Box<RawValue>>,
    /// The actions that were not taken back, once it is over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub notations: Vec<NotationLine>,
    /// The secret behind the deal, once it is over: 64 hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
}

/// Where a match stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum MatchStatus {
    /// It is being played.
    Running,
    /// It has an outcome, or was aborted.
    Over,
}

/// An action in a line, as whoever acted reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NotationLine {
    /// The entry's number.
    pub ply: u32,
    /// Who acted.
    #[cfg_attr(feature = "openapi", schema(value_type = u8))]
    pub seat: Seat,
    /// The line.
    pub text: String,
}

/// What opens a private match to whoever has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WatchLink {
    /// 128 random bits as a text, for `key` in a `join` and for the header `X-Watch-Key`.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub key: Secret,
}

/// What has happened in a match, as a viewer may know it.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MatchStory {
    /// As whom whoever asks looks at it: a seat's number, or `spectator`.
    #[cfg_attr(feature = "openapi", schema(schema_with = crate::schema::viewer))]
    pub viewer: Viewer,
    /// In order. Once the match is over, every action is told as to the seat that acted.
    pub entries: Vec<StoryEntry>,
    /// All of it, with the seed, as `parlor verify` reads it; once the match is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub log: Option<MatchLog>,
}

/// One entry of a log, as a viewer may know it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StoryEntry {
    /// Its number, from 0.
    pub ply: u32,
    /// Whose doing it was, if a seat's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u8>))]
    pub seat: Option<Seat>,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// What it was.
    pub kind: StoryKind,
    /// Of an action, the game's event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<serde_json::Value>))]
    pub event: Option<Box<RawValue>>,
    /// Of an action, the step in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notation: Option<String>,
    /// Of an own action, or once the match is over: its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Of a forfeit, why: `resigned`, `time` or `abandoned`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub cause: Option<Forfeit>,
    /// Of a takeback: back to the state before the entry with this ply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_ply: Option<u32>,
}

/// The kinds of entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum StoryKind {
    /// An action.
    Act,
    /// The seat gave up.
    Forfeit,
    /// All seats agreed on a draw.
    Agree,
    /// The match ended without a result.
    Abort,
    /// It went back to an earlier state.
    Takeback,
    /// All seats agreed to stop the clock.
    Pause,
    /// The clock runs from here on.
    Resume,
}
