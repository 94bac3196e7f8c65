//! The match clock as it is asked for and as it is shown.

use std::fmt;

use game_api::SeatSet;
use serde::{Deserialize, Serialize};

/// How time is measured in a match. Times are in seconds, as people choose them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "mode", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClockSetting {
    /// Not at all.
    #[default]
    None,
    /// A countdown that starts anew with each turn.
    PerMove {
        /// For each turn: 60 to 900.
        seconds: u32,
    },
    /// A stock of time, and some more after each turn.
    Fischer {
        /// The stock: 15 to 10,800.
        initial_s: u32,
        /// After each turn: 0 to 180.
        increment_s: u32,
    },
    /// A stock of time that is not touched at the beginning of a turn.
    Delay {
        /// The stock: 15 to 10,800.
        initial_s: u32,
        /// For free at each turn: 1 to 180.
        delay_s: u32,
    },
    /// So many days for each turn.
    Days {
        /// 1 to 14.
        days: u32,
    },
}

/// A clock that nobody can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadClock(&'static str);

impl fmt::Display for BadClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a clock's {}", self.0)
    }
}

impl std::error::Error for BadClock {}

impl ClockSetting {
    /// Refuses times out of range.
    pub fn check(self) -> Result<Self, BadClock> {
        let initial = |seconds: &u32| (15..=10_800).contains(seconds);
        let fault = match &self {
            ClockSetting::PerMove { seconds } if !(60..=900).contains(seconds) => {
                "`seconds` a move are 60 to 900"
            }
            ClockSetting::Fischer { initial_s, .. } | ClockSetting::Delay { initial_s, .. }
                if !initial(initial_s) =>
            {
                "`initial_s` is 15 to 10800"
            }
            ClockSetting::Fischer { increment_s, .. } if *increment_s > 180 => {
                "`increment_s` is 0 to 180"
            }
            ClockSetting::Delay { delay_s, .. } if !(1..=180).contains(delay_s) => {
                "`delay_s` is 1 to 180"
            }
            ClockSetting::Days { days } if !(1..=14).contains(days) => "`days` are 1 to 14",
            _ => return Ok(self),
        };
        Err(BadClock(fault))
    }
}

/// A match clock at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClockFace {
    /// What each seat has left, in milliseconds; empty if no time is measured.
    pub remaining_ms: Vec<u64>,
    /// Whose time runs.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<u8>))]
    pub running: SeatSet,
    /// What is left for reactions, while all else stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_ms: Option<u64>,
}
