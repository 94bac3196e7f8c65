//! Which tokens are dead before their time: memory's copy of what the database knows.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use domain::SessionId;
use storage::Session;

use crate::Claims;

/// Changes are asked for from a little before the last time, since a transaction may end after one
/// that began later, and the clocks of two servers differ.
pub(crate) const OVERLAP_MS: u64 = 60_000;

/// The sessions that were rotated or revoked.
#[derive(Default)]
pub(crate) struct DeadTokens {
    sessions: RwLock<HashMap<SessionId, Dead>>,
}

#[derive(Clone, Copy)]
struct Dead {
    /// Tokens of an earlier generation are dead; of a revoked session all are.
    below: u32,
    is_revoked: bool,
    /// When the last token of the session expires, the newest included.
    until_ms: u64,
}

impl DeadTokens {
    /// Takes in what has changed, and forgets what has expired.
    pub(crate) fn learn(&self, changed: &[Session], now_ms: u64) {
        let mut sessions = self.sessions.write().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|_, dead| now_ms < dead.until_ms);
        for session in changed {
            let entry = sessions.entry(session.id).or_insert(Dead {
                below: 0,
                is_revoked: false,
                until_ms: 0,
            });
            // News may come out of order; what is dead stays dead.
            entry.below = entry.below.max(session.generation);
            entry.is_revoked |= session.is_revoked;
            entry.until_ms = entry.until_ms.max(session.until_ms);
        }
    }

    /// Whether the session of these claims was revoked, or its newest known token has expired.
    pub(crate) fn is_over(&self, claims: &Claims, now_ms: u64) -> bool {
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        let session = sessions.get(&claims.session);
        let until_ms = session.map_or(0, |session| session.until_ms).max(claims.expires_ms);
        until_ms <= now_ms || session.is_some_and(|session| session.is_revoked)
    }

    pub(crate) fn has(&self, claims: &Claims) -> bool {
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        sessions
            .get(&claims.session)
            .is_some_and(|dead| dead.is_revoked || claims.generation < dead.below)
    }
}
