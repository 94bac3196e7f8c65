//! A match as it is kept: all that it needs to be played again, and nothing derived.

use std::fmt;
use std::str::FromStr;

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
    /// All seats agreed to stop the clock.
    Pause,
    /// The clock runs from here on: after a pause, or after the house was away, whose time is
    /// charged to nobody.
    Resume,
}

/// The kind's one line, as a database keeps it: `act e2e4`, `forfeit time`, `agree draw`, `abort`,
/// `takeback 12`, `pause`, `resume`.
impl fmt::Display for EntryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EntryKind::Act(text) => write!(f, "act {text}"),
            EntryKind::Forfeit(cause) => write!(f, "forfeit {}", cause.key()),
            EntryKind::Agree(Agreement::Draw) => f.write_str("agree draw"),
            EntryKind::Abort => f.write_str("abort"),
            EntryKind::Takeback(to_ply) => write!(f, "takeback {to_ply}"),
            EntryKind::Pause => f.write_str("pause"),
            EntryKind::Resume => f.write_str("resume"),
        }
    }
}

/// A line that is no kind of entry. It does not quote the line, which may hold a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no kind of entry")]
pub struct BadEntryKind;

impl FromStr for EntryKind {
    type Err = BadEntryKind;

    fn from_str(line: &str) -> Result<Self, BadEntryKind> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let causes = [Forfeit::Resigned, Forfeit::Time, Forfeit::Abandoned];
        match (word, rest) {
            ("act", text) => Ok(EntryKind::Act(text.to_owned())),
            ("forfeit", key) => {
                let cause = causes.into_iter().find(|cause| cause.key() == key);
                cause.map(EntryKind::Forfeit).ok_or(BadEntryKind)
            }
            ("agree", "draw") => Ok(EntryKind::Agree(Agreement::Draw)),
            ("abort", "") => Ok(EntryKind::Abort),
            ("pause", "") => Ok(EntryKind::Pause),
            ("resume", "") => Ok(EntryKind::Resume),
            ("takeback", ply) => ply.parse().map(EntryKind::Takeback).map_err(|_| BadEntryKind),
            _ => Err(BadEntryKind),
        }
    }
}

/// What seats can agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// A draw.
    Draw,
}

#[cfg(test)]
mod tests {
    use super::{BadEntryKind, EntryKind};

    #[track_caller]
    fn check(line: &str, expected: Result<&str, BadEntryKind>) {
        let read = line.parse().map(|kind: EntryKind| kind.to_string());
        assert_eq!(read.as_deref(), expected.as_ref().copied(), "{line}");
    }

    #[test]
    fn every_kind_has_its_line() {
        for line in [
            "act play:10H:S",
            "forfeit resigned",
            "forfeit time",
            "forfeit abandoned",
            "agree draw",
            "abort",
            "takeback 12",
            "pause",
            "resume",
        ] {
            check(line, Ok(line));
        }
        for line in ["", "acted", "forfeit", "forfeit luck", "agree", "abort now", "takeback -1"] {
            check(line, Err(BadEntryKind));
        }
    }
}
