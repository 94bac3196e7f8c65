//! What a person may do.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The three roles; each may do what the one before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Plays, and is known only by a device.
    Guest,
    /// Has an account with a name and a profile.
    Player,
    /// Reads and redacts the audit log.
    Admin,
}

/// A text that is no role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a role is guest, player or admin")]
pub struct BadRole;

impl Role {
    /// The word in the database, in tokens and in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Role::Guest => "guest",
            Role::Player => "player",
            Role::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = BadRole;

    fn from_str(text: &str) -> Result<Self, BadRole> {
        [Role::Guest, Role::Player, Role::Admin]
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or(BadRole)
    }
}
