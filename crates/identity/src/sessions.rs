//! Which tokens are dead before their time: memory's copy of what the database knows.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use domain::SessionId;
use storage::Session;

use crate::Claims;

/// Changes are asked for from a little before the last time, since a transaction may end after one
/// that began later, and the clocks of two servers differ.
pub(crate) const OVERLAP_MS: u64 = 60_000;

/// A token may be used so long after its rotation and nobody minds: another tab, or a request under
/// way, did not know yet. Later it counts as stolen.
pub(crate) const REUSE_GRACE_MS: u64 = 60_000;

/// What memory says of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It counts.
    Alive,
    /// It does not, and no more is to be done.
    Dead,
    /// It was used long after its rotation, for the first time: its session is revoked here from now
    /// on, and the caller must store that.
    Reused,
}

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
    /// Tokens of an earlier generation were rotated longer ago than the grace.
    stale_below: u32,
    /// The first rotation after that: the generation it gave, and when. The ones between it and the
    /// last are not kept, so a token of theirs counts as reused a little late.
    rotated: Option<(u32, u64)>,
    /// When the last rotation was, which gave `below`.
    last_rotated_ms: u64,
}

impl Dead {
    const NEW: Dead = Dead {
        below: 0,
        is_revoked: false,
        until_ms: 0,
        stale_below: 0,
        rotated: None,
        last_rotated_ms: 0,
    };

    /// News may come out of order; what is dead stays dead.
    fn learn(&mut self, session: &Session, now_ms: u64) {
        self.is_revoked |= session.is_revoked;
        self.until_ms = self.until_ms.max(session.until_ms);
        if session.generation <= self.below {
            return;
        }
        if let Some((generation, at_ms)) = self.rotated
            && is_past_grace(at_ms, now_ms)
        {
            self.stale_below = generation;
            self.rotated = None;
        }
        self.below = session.generation;
        self.last_rotated_ms = session.changed_ms;
        self.rotated.get_or_insert((session.generation, session.changed_ms));
    }

    fn is_reused(&self, generation: u32, now_ms: u64) -> bool {
        let is_stale = |(below, at_ms)| generation < below && is_past_grace(at_ms, now_ms);
        generation < self.stale_below
            || self.rotated.is_some_and(is_stale)
            || is_stale((self.below, self.last_rotated_ms))
    }
}

fn is_past_grace(rotated_ms: u64, now_ms: u64) -> bool {
    rotated_ms.saturating_add(REUSE_GRACE_MS) < now_ms
}

impl DeadTokens {
    /// Takes in what has changed, and forgets what has expired.
    pub(crate) fn learn(&self, changed: &[Session], now_ms: u64) {
        let mut sessions = self.sessions.write().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|_, dead| now_ms < dead.until_ms);
        for session in changed {
            sessions.entry(session.id).or_insert(Dead::NEW).learn(session, now_ms);
        }
    }

    /// Whether the session of these claims was revoked, or its newest known token has expired.
    pub(crate) fn is_over(&self, claims: &Claims, now_ms: u64) -> bool {
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        let session = sessions.get(&claims.session);
        let until_ms = session.map_or(0, |session| session.until_ms).max(claims.expires_ms);
        until_ms <= now_ms || session.is_some_and(|session| session.is_revoked)
    }

    /// How a token stands. Of all uses of the dead tokens of a session one gets
    /// [`Standing::Reused`], however many there are.
    pub(crate) fn judge(&self, claims: &Claims, now_ms: u64) -> Standing {
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        let Some(dead) = sessions.get(&claims.session) else {
            return Standing::Alive;
        };
        if dead.is_revoked {
            return Standing::Dead;
        }
        if dead.below <= claims.generation {
            return Standing::Alive;
        }
        if !dead.is_reused(claims.generation, now_ms) {
            return Standing::Dead;
        }
        drop(sessions);
        let mut sessions = self.sessions.write().unwrap_or_else(PoisonError::into_inner);
        match sessions.get_mut(&claims.session) {
            Some(dead) if !dead.is_revoked => {
                dead.is_revoked = true;
                Standing::Reused
            }
            _ => Standing::Dead,
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{PlayerId, Role, SessionId};
    use storage::Session;

    use super::{DeadTokens, REUSE_GRACE_MS, Standing};
    use crate::Claims;

    const ROTATED_MS: u64 = 1_000_000;

    fn session(generation: u32, changed_ms: u64) -> Session {
        Session {
            id: SessionId::new(0, 1),
            player: PlayerId::new(0, 1),
            generation,
            created_ms: 0,
            until_ms: u64::MAX,
            changed_ms,
            is_revoked: false,
            browser: None,
        }
    }

    /// Learns of rotations, each as a generation and how long after the first it was, and judges a
    /// token so long after the first.
    #[track_caller]
    fn check(rotations: &[(u32, u64)], generation: u32, after_ms: u64, expected: Standing) {
        let tokens = DeadTokens::default();
        for (generation, at_ms) in rotations {
            let at_ms = ROTATED_MS + at_ms;
            tokens.learn(&[session(*generation, at_ms)], at_ms);
        }
        let claims = Claims {
            session: SessionId::new(0, 1),
            player: PlayerId::new(0, 1),
            role: Role::Player,
            generation,
            issued_ms: 0,
            expires_ms: u64::MAX,
        };
        let judge = || tokens.judge(&claims, ROTATED_MS + after_ms);
        assert_eq!(judge(), expected, "{rotations:?} {generation} {after_ms}");
        if expected == Standing::Reused {
            assert_eq!(judge(), Standing::Dead, "once");
            assert!(tokens.is_over(&claims, ROTATED_MS + after_ms));
        }
    }

    #[test]
    fn a_token_that_is_used_long_after_its_rotation_ends_its_session_once() {
        use Standing::{Alive, Dead, Reused};
        const GRACE: u64 = REUSE_GRACE_MS;
        check(&[], 0, 10 * GRACE, Alive);
        check(&[(1, 0)], 1, 10 * GRACE, Alive);
        check(&[(1, 0)], 0, 0, Dead);
        check(&[(1, 0)], 0, GRACE, Dead);
        check(&[(1, 0)], 0, GRACE + 1, Reused);
        // A thief who refreshes again and again does not hide the first rotation.
        let often = [(1, 0), (2, 30_000), (3, 59_000)];
        check(&often, 0, GRACE, Dead);
        check(&often, 0, GRACE + 1, Reused);
        check(&often, 2, GRACE + 1, Dead);
        check(&often, 2, 59_000 + GRACE + 1, Reused);
        check(&often, 3, 10 * GRACE, Alive);
        let longer = [(1, 0), (2, 30_000), (3, 59_000), (4, 70_000), (5, 100_000), (6, 129_000)];
        check(&longer, 0, 129_001, Reused);
        check(&longer, 5, 129_001, Dead);
        check(&longer, 5, 129_000 + GRACE + 1, Reused);
        // News that comes late or twice changes nothing.
        check(&[(2, 0), (1, 0), (2, 0)], 1, GRACE, Dead);
        check(&[(2, 0), (1, 0), (2, 0)], 1, GRACE + 1, Reused);
    }
}
