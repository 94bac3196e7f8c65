//! Matches as a history lists them.

use domain::MatchId;
use serde::{Deserialize, Serialize};

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
    /// Left out for a bot, and where the account is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The kind of bot that sat there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot: Option<String>,
    /// From 1 on; equal places are a tie. Left out if the match was aborted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<u8>,
}
