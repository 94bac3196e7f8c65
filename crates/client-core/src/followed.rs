//! A match that is followed: what is known of it, and which actions wait for their answers. It does
//! not know whether there is a connection.

use domain::MatchId;
use protocol::Secret;
use protocol::ws::{ClientMessage, Snapshot};

use crate::backoff::Backoff;

/// Unanswered actions of a match. A server remembers 16 numbers; more than a few at once are a
/// mistake, and all of them are sent again at once.
pub const PENDING_MAX: usize = 4;

#[derive(Default)]
pub(crate) struct Followed {
    known_ply: Option<u32>,
    /// The secret of the watch link that each join shows.
    pub(crate) key: Option<Secret>,
    /// Whether a snapshot has come since the last join.
    pub(crate) is_joined: bool,
    /// The match was out of reach: when it is joined again.
    pub(crate) retry_ms: Option<u64>,
    pub(crate) backoff: Backoff,
    pending: Vec<Pending>,
}

/// An action without an answer: the very text that was sent.
struct Pending {
    nonce: u64,
    text: String,
}

/// What an event's ply says.
pub(crate) enum Step {
    Next,
    /// It is known, or a snapshot that is asked for will have it.
    Skip,
    /// Something before it was missed.
    Gap,
}

impl Followed {
    /// The message that asks for a snapshot.
    pub(crate) fn join(&mut self, match_id: MatchId) -> ClientMessage {
        self.is_joined = false;
        ClientMessage::Join { match_id, since: self.known_ply, key: self.key.clone() }
    }

    /// The actions that are to be sent again, in order, after a [`Followed::join`].
    pub(crate) fn resend(&mut self) -> impl Iterator<Item = String> {
        self.retry_ms = None;
        self.pending.iter().map(|pending| pending.text.clone())
    }

    /// Whether there is anything new in it; what is not is taken out.
    pub(crate) fn take_snapshot(&mut self, snapshot: &mut Snapshot<'_>) -> bool {
        self.is_joined = true;
        // Everybody may just have been shown the match: what was refused still waits to be sent.
        if self.pending.is_empty() {
            self.retry_ms = None;
            self.backoff = Backoff::default();
        }
        if self.known_ply.is_some_and(|known| snapshot.ply < known) {
            return false;
        }
        snapshot.events.retain(|missed| self.known_ply.is_none_or(|known| missed.ply > known));
        self.known_ply = Some(snapshot.ply);
        true
    }

    pub(crate) fn take_event(&mut self, ply: u32) -> Step {
        match self.known_ply {
            Some(known) if ply == known.saturating_add(1) => {
                self.known_ply = Some(ply);
                Step::Next
            }
            Some(known) if ply > known && self.is_joined => Step::Gap,
            _ => Step::Skip,
        }
    }

    pub(crate) fn may_take_action(&self) -> bool {
        self.pending.len() < PENDING_MAX
    }

    pub(crate) fn remember(&mut self, nonce: u64, text: String) {
        self.pending.push(Pending { nonce, text });
    }

    /// Whether the action was without an answer until now.
    pub(crate) fn settle(&mut self, nonce: u64) -> bool {
        let before = self.pending.len();
        self.pending.retain(|pending| pending.nonce != nonce);
        let is_settled = self.pending.len() < before;
        if is_settled {
            self.backoff = Backoff::default();
        }
        is_settled
    }

    pub(crate) fn into_nonces(self) -> impl Iterator<Item = u64> {
        self.pending.into_iter().map(|pending| pending.nonce)
    }
}
