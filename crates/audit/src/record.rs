//! A record as it is kept and asked for.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use domain::{AuditId, Counter, MatchId, PlayerId, SessionId, TimeSource};
use serde::{Deserialize, Serialize};

use crate::{Event, MAX_EVENT_PAYLOAD_BYTES};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// The word for it in the database and in answers.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = BadWord;

            fn from_str(text: &str) -> Result<Self, BadWord> {
                match text { $($word => Ok($name::$variant),)* _ => Err(BadWord) }
            }
        }
    };
}

/// A text that names none of the kinds or severities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such word")]
pub struct BadWord;

words!(
    /// The three kinds of event.
    Kind {
        /// Who came and went.
        Auth = "auth",
        /// What happened around a match.
        Gameplay = "gameplay",
        /// What the house did.
        System = "system",
    }
);

words!(
    /// How much an event should worry somebody.
    Severity {
        /// Not at all.
        Info = "info",
        /// Many of them should.
        Warning = "warning",
        /// Each should.
        Error = "error",
    }
);

/// Around what an event happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Who.
    pub user: Option<PlayerId>,
    /// In which login.
    pub session: Option<SessionId>,
    /// In which match.
    pub match_id: Option<MatchId>,
    /// The request that it belongs to.
    pub correlation: Option<String>,
}

/// One event as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    /// Its id; later ones are greater.
    pub id: AuditId,
    /// When.
    pub at_ms: u64,
    /// Which kind of event.
    pub kind: Kind,
    /// The event's name.
    pub name: String,
    /// How bad.
    pub severity: Severity,
    /// Who, where, in which request.
    pub context: Context,
    /// The event's fields: a JSON object.
    pub payload: String,
    /// Whether fields were removed later.
    pub is_redacted: bool,
}

/// An event with more to say than a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the payload has {0} bytes, a record holds {MAX_EVENT_PAYLOAD_BYTES}")]
pub struct PayloadTooLarge(pub usize);

impl AuditRecord {
    /// The record of this event. `chance` tells records of one millisecond apart.
    pub fn of<E: Event>(
        event: &E,
        context: Context,
        now_ms: u64,
        chance: u64,
    ) -> Result<Self, PayloadTooLarge> {
        // Only a map with keys that are no text fails, and no event has one.
        let (name, payload) = match serde_json::to_value(event) {
            Ok(serde_json::Value::Object(object)) => match object.into_iter().next() {
                Some((name, fields)) => (name, fields.to_string()),
                None => (String::new(), "{}".to_owned()),
            },
            Ok(serde_json::Value::String(name)) => (name, "{}".to_owned()),
            _ => (String::new(), "{}".to_owned()),
        };
        if payload.len() > MAX_EVENT_PAYLOAD_BYTES {
            return Err(PayloadTooLarge(payload.len()));
        }
        Ok(AuditRecord {
            id: AuditId::new(now_ms, chance),
            at_ms: now_ms,
            kind: E::KIND,
            name,
            severity: event.severity(),
            context,
            payload,
            is_redacted: false,
        })
    }
}

/// Writes records: it knows the time, and numbers them.
pub struct Recorder {
    time: Arc<dyn TimeSource>,
    counter: Counter,
}

impl Recorder {
    /// `chance` comes from the system's randomness.
    pub fn new(time: Arc<dyn TimeSource>, chance: u64) -> Recorder {
        Recorder { time, counter: Counter::starting_at(chance) }
    }

    /// The record of an event that happens now.
    pub fn record<E: Event>(
        &self,
        event: &E,
        context: Context,
    ) -> Result<AuditRecord, PayloadTooLarge> {
        AuditRecord::of(event, context, self.time.now_ms(), self.counter.next())
    }
}

/// Which records to give; what is `None` does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Not before this time.
    pub from_ms: Option<u64>,
    /// Before this time.
    pub until_ms: Option<u64>,
    /// Of this kind.
    pub kind: Option<Kind>,
    /// With this name.
    pub name: Option<String>,
    /// About this person.
    pub user: Option<PlayerId>,
    /// In this login.
    pub session: Option<SessionId>,
    /// In this match.
    pub match_id: Option<MatchId>,
    /// Of this severity.
    pub severity: Option<Severity>,
    /// Of this request.
    pub correlation: Option<String>,
    /// Older than this record: the last one of the page before.
    pub before: Option<AuditId>,
    /// At most so many.
    pub limit: u32,
}

impl AuditFilter {
    /// Whether a record is asked for; pages and limits aside.
    pub fn admits(&self, record: &AuditRecord) -> bool {
        fn is_fine<T: PartialEq>(wanted: Option<&T>, found: Option<&T>) -> bool {
            wanted.is_none() || wanted == found
        }
        self.from_ms.is_none_or(|from| from <= record.at_ms)
            && self.until_ms.is_none_or(|until| record.at_ms < until)
            && is_fine(self.kind.as_ref(), Some(&record.kind))
            && is_fine(self.name.as_ref(), Some(&record.name))
            && is_fine(self.user.as_ref(), record.context.user.as_ref())
            && is_fine(self.session.as_ref(), record.context.session.as_ref())
            && is_fine(self.match_id.as_ref(), record.context.match_id.as_ref())
            && is_fine(self.severity.as_ref(), Some(&record.severity))
            && is_fine(self.correlation.as_ref(), record.context.correlation.as_ref())
            && self.before.is_none_or(|before| record.id < before)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{AuditRecord, Context, PayloadTooLarge};
    use crate::{AuthEvent, Event, GameplayEvent, LoginFailure, SystemEvent};

    #[track_caller]
    fn check(event: &impl Event, expected: &str) {
        let record = AuditRecord::of(event, Context::default(), 1_794_700_000_000, 1);
        let text =
            record.map(|it| format!("{} {} {} {}", it.kind, it.severity, it.name, it.payload));
        assert_eq!(text.as_deref(), Ok(expected));
    }

    #[test]
    fn an_event_becomes_name_and_payload() {
        check(&AuthEvent::LoggedIn, "auth info logged_in {}");
        let reason = LoginFailure::WrongPassword;
        check(
            &AuthEvent::LoginFailed { reason },
            r#"auth warning login_failed {"reason":"wrong_password"}"#,
        );
        check(
            &GameplayEvent::MatchEnded { reason: "checkmate".to_owned() },
            r#"gameplay info match_ended {"reason":"checkmate"}"#,
        );
        check(
            &SystemEvent::ProfileUpdated { fields: vec!["avatar"] },
            r#"system info profile_updated {"fields":["avatar"]}"#,
        );
    }

    #[test]
    fn a_large_payload_is_refused_and_not_cut() {
        let counts = |length| BTreeMap::from([("x".repeat(length), 1)]);
        let record = |length| {
            let event = GameplayEvent::ActionsRefused { counts: counts(length) };
            AuditRecord::of(&event, Context::default(), 0, 0).map(|it| it.payload.len())
        };
        let around = r#"{"counts":{"":1}}"#.len();
        assert_eq!(record(8192 - around), Ok(8192));
        assert_eq!(record(8193 - around), Err(PayloadTooLarge(8193)));
    }
}
