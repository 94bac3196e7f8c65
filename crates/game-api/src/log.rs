//! A match as it is kept: all that it needs to be played again, and nothing derived.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::seed::revealed;
use crate::{Commitment, Forfeit, Seat, Seed, StateHash};

/// The version of this format, written into every log.
pub const LOG_FORMAT: u32 = 1;

/// One match from deal to end, as `parlor verify` reads it.
///
/// It holds the seed and every secret, so it leaves the server only after the match.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchLog {
    /// Always [`LOG_FORMAT`]; a reader refuses others.
    pub format: u32,
    /// The game's key.
    pub game: String,
    /// The rules that the match was played by.
    pub rules_version: u32,
    /// The options, in the very bytes that the commitment hashes.
    pub options: Box<RawValue>,
    /// How many seats.
    pub seats: u8,
    /// Set up from this text instead of dealt; then the seed feeds only what chance came later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_position: Option<String>,
    /// The secret that the deal followed from.
    #[serde(with = "revealed")]
    pub seed: Seed,
    /// What was published when the match started.
    pub commitment: Commitment,
    /// What happened, in order.
    pub entries: Vec<Entry>,
    /// The fingerprint of the state after the last entry.
    pub state_hash: StateHash,
}

/// One thing that happened in a match. Nothing is ever deleted; a takeback is an entry too.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its number, from 0; it only grows.
    pub ply: u32,
    /// Whose doing it was, if a seat's.
    pub seat: Option<Seat>,
    /// Milliseconds of wall time when it was decided.
    pub at_ms: u64,
    /// The number that the sender gave its request, so that a repeated one is recognised.
    pub nonce: u64,
    /// Which ownership of the match wrote it.
    pub epoch: u32,
    /// What it was.
    pub kind: EntryKind,
}

/// The kinds of entry.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// An action, in its canonical text.
    Act(String),
    /// The seat gave up.
    Forfeit(Forfeit),
    /// All seats agreed.
    Agree(Agreement),
    /// The match ended without a result.
    Abort,
    /// Back to the state before the entry with this ply.
    Takeback(u32),
}

/// What seats can agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// A draw.
    Draw,
}
