//! What is to be done for a link, in this order, and what its application is told.

use std::borrow::Cow;

use domain::MatchId;
use protocol::ws::ServerMessage;

use crate::input::{SocketId, Wish};

/// One thing to do.
#[expect(clippy::large_enum_variant, reason = "a few of them live for a moment")]
#[derive(Clone, Debug)]
pub enum Effect<'a> {
    /// Open a socket. There is never more than one.
    Open(SocketId),
    /// Close it, and expect nothing of it any more.
    Close(SocketId),
    /// Send this text on the open socket.
    Send(String),
    /// Tick at this time, instead of the one asked for before.
    WakeAt(u64),
    /// Tell the application.
    Tell(News<'a>),
}

/// What an application is told.
#[expect(clippy::large_enum_variant, reason = "a few of them live for a moment")]
#[derive(Clone, Debug)]
pub enum News<'a> {
    /// The connection is in another state.
    Connection(Connection),
    /// An action is in another state. [`ActionState::Sent`] is among the effects of its wish and
    /// gives it its number.
    Action {
        /// In which match.
        match_id: MatchId,
        /// Which action.
        nonce: u64,
        /// How it stands.
        state: ActionState<'a>,
    },
    /// A wish was not done, and nothing of it was sent; here it is back.
    Failed {
        /// What was wanted.
        wish: Wish,
        /// Why not.
        why: Failure,
    },
    /// Something the server said that is new: a welcome, news of a match that is followed, of
    /// lobbies, a pairing, or an error.
    ///
    /// Of the events in a snapshot only those are left that were not told before. After a refusal
    /// whose code is that of a match which cannot be had, the match is no longer followed.
    Message(ServerMessage<'a>),
}

/// How the connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// It is made for the first time.
    Connecting,
    /// The server answers.
    Online,
    /// It was lost, or not to be had, and is being made again.
    Reconnecting {
        /// Since when.
        since_ms: u64,
        /// When it is tried next; a time that has passed if it is being tried.
        next_try_ms: u64,
    },
    /// Nobody wants one, or the browser says that there is no network. In the latter case it is
    /// tried all the same: a server on the same machine needs none.
    Offline,
    /// The session has ended, or is another user's now: log in again.
    LoggedOut,
    /// The server speaks a later protocol: load the page again.
    Outdated,
}

/// How an action stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionState<'a> {
    /// It is on its way, perhaps for the second time.
    Sent,
    /// It is in the log.
    Stored,
    /// It changed nothing.
    Refused {
        /// Why, for a program.
        code: Cow<'a, str>,
        /// Why, for people.
        message: Cow<'a, str>,
    },
}

/// Why a wish was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is no connection, or the match is out of reach just now. M7's exception.
    ConnectionFailed,
    /// Only in a match that is followed can anything be done.
    NotFollowed,
    /// [`FOLLOWED_MAX`](crate::FOLLOWED_MAX) are followed.
    TooManyMatches,
    /// [`TOPICS_MAX`](crate::TOPICS_MAX) are watched.
    TooManyTopics,
    /// [`PENDING_MAX`](crate::PENDING_MAX) actions of this match wait for their answers.
    TooManyActions,
    /// More than [`MESSAGE_BYTES_MAX`](crate::MESSAGE_BYTES_MAX).
    TooLong,
}
