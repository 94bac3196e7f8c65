//! What happens that is worth writing down.
//!
//! An event serialises to its name alone or to `{name: {fields}}`: name and payload of its record.

use std::collections::BTreeMap;

use domain::{AuditId, Role, SessionId};
use serde::Serialize;

use crate::{Kind, Severity};

/// Something that can become a record.
pub trait Event: Serialize {
    /// Which of the three kinds it is.
    const KIND: Kind;

    /// How much it should worry somebody.
    fn severity(&self) -> Severity {
        Severity::Info
    }
}

/// Who came, who left, and who was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthEvent {
    /// An account was made.
    Registered,
    /// Somebody logged in.
    LoggedIn,
    /// Somebody tried to. What was typed is not kept: it may be a password in the wrong field.
    LoginFailed {
        /// Why, which the outside is not told.
        reason: LoginFailure,
    },
    /// A device began, or went on, as a guest.
    GuestStarted,
    /// A guest became an account.
    GuestUpgraded,
    /// A session ended.
    LoggedOut,
    /// A session got its next token.
    Refreshed,
    /// A player ended another of their own sessions.
    SessionEnded {
        /// Which.
        session: SessionId,
    },
    /// A token was used long after a refresh had replaced it; its session has ended.
    TokenReused,
    /// A password was replaced.
    PasswordChanged,
    /// Somebody may do more or less than before.
    RoleChanged {
        /// What they are now.
        role: Role,
    },
    /// An account was removed.
    AccountDeleted,
}

/// Why a login failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoginFailure {
    /// No account has this name.
    AccountNotFound,
    /// It has another password.
    WrongPassword,
}

impl Event for AuthEvent {
    const KIND: Kind = Kind::Auth;

    fn severity(&self) -> Severity {
        match self {
            AuthEvent::LoginFailed { .. } | AuthEvent::TokenReused => Severity::Warning,
            _ => Severity::Info,
        }
    }
}

/// What happens around a match; its actions are in the match's own log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GameplayEvent {
    /// A match began.
    MatchStarted {
        /// The game's key.
        game: String,
        /// How many seats.
        seats: u8,
    },
    /// A match ended.
    MatchEnded {
        /// The outcome's reason key.
        reason: String,
    },
    /// A seat looked at its match for the first time.
    SeatJoined {
        /// Which.
        seat: u8,
    },
    /// A spectator looked at a match for the first time.
    SpectatorJoined,
    /// A player made a link by which a private match can be watched.
    WatchLinkCreated,
    /// A player took the link back.
    WatchLinkTakenBack,
    /// Actions that the rules refused, summed over the match by code.
    ActionsRefused {
        /// How many of each code.
        counts: BTreeMap<String, u32>,
    },
}

impl Event for GameplayEvent {
    const KIND: Kind = Kind::Gameplay;
}

/// What the house itself does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemEvent {
    /// Somebody read a profile.
    ProfileRead,
    /// Somebody changed a profile.
    ProfileUpdated {
        /// Which fields, not what they hold.
        fields: Vec<&'static str>,
    },
    /// Old records were removed.
    AuditPurged {
        /// How many days stay.
        retention_days: u32,
        /// How many records went.
        purged: u64,
    },
    /// Fields of a record were removed.
    AuditRedacted {
        /// Of which record.
        event: AuditId,
        /// Which fields.
        fields: Vec<String>,
    },
    /// Records that found no room in the queue and were not kept.
    RecordsLost {
        /// How many since the last such record.
        count: u64,
    },
}

impl Event for SystemEvent {
    const KIND: Kind = Kind::System;

    fn severity(&self) -> Severity {
        match self {
            SystemEvent::RecordsLost { .. } => Severity::Error,
            SystemEvent::AuditPurged { .. } | SystemEvent::AuditRedacted { .. } => {
                Severity::Warning
            }
            _ => Severity::Info,
        }
    }
}
