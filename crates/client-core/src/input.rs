//! What a link can be told. Nothing here decides.

use domain::MatchId;
use protocol::Secret;
use protocol::ws::{ClientMessage, OfferKind, Topic};

/// One socket of the many that a link opens in its life: what an earlier one still says is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketId(pub(crate) u64);

/// One thing that has happened.
#[derive(Debug)]
pub enum Input<'a> {
    /// Be connected from now on. While a try is waited for, try at once.
    Connect,
    /// Be connected no more. What is followed, watched and unanswered is kept for the next time.
    Disconnect,
    /// A text came. That a socket has opened is no news: the server speaks first.
    Received {
        /// On which socket.
        socket: SocketId,
        /// The message.
        text: &'a str,
    },
    /// A socket was closed, or could not be opened.
    Closed {
        /// Which.
        socket: SocketId,
        /// The close code; 1006 if there was none.
        code: u16,
    },
    /// The browser says that there is a network, or none.
    Network {
        /// Is there one?
        is_up: bool,
    },
    /// The time has come that was asked for, or nearly.
    Tick,
    /// The application wants something.
    Wish(Wish),
}

/// What an application wants. One that cannot be done comes back with [`News::Failed`].
///
/// [`News::Failed`]: crate::News::Failed
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Be told of a match, also after every break. Once more: be shown it again.
    Follow(MatchId),
    /// The same for somebody who came by a watch link.
    FollowBy {
        /// The match.
        match_id: MatchId,
        /// The secret of the link.
        key: Secret,
    },
    /// Be told of it no more. Its unanswered actions are forgotten.
    Unfollow(MatchId),
    /// Be told of a topic, also after every break.
    Watch(Topic),
    /// Be told of it no more.
    Unwatch(Topic),
    /// Act. Once it is sent it is sent again after every break, until it is answered.
    Act {
        /// In which match; it is followed.
        match_id: MatchId,
        /// The ply of the view that it was decided on.
        ply: u32,
        /// The action's text.
        action: String,
    },
    /// Say something that is not said again after a break.
    Ask {
        /// In which match; it is followed.
        match_id: MatchId,
        /// What.
        request: Request,
    },
}

/// What is said once: a second time would be another one, or comes too late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// What may the own seat do?
    Legal,
    /// Give up.
    Resign,
    /// Somebody is gone for too long.
    Claim,
    /// Offer something to the others.
    Offer(OfferKind),
    /// Answer an offer.
    Answer {
        /// Which.
        kind: OfferKind,
        /// Yes or no.
        accept: bool,
    },
    /// A line for all.
    Chat(String),
}

impl Request {
    pub(crate) fn message(&self, match_id: MatchId) -> ClientMessage {
        match *self {
            Request::Legal => ClientMessage::Legal { match_id },
            Request::Resign => ClientMessage::Resign { match_id },
            Request::Claim => ClientMessage::Claim { match_id },
            Request::Offer(kind) => ClientMessage::Offer { match_id, kind },
            Request::Answer { kind, accept } => ClientMessage::Answer { match_id, kind, accept },
            Request::Chat(ref text) => ClientMessage::Chat { match_id, text: text.clone() },
        }
    }
}
