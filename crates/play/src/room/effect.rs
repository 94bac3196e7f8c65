//! What is to be done for a room, in this order.

use domain::PlayerId;
use game_api::{Entry, Seat, Viewer};
use protocol::ws::Outcome;

use super::MemberId;

/// One thing to do.
#[derive(Clone)]
pub enum Effect {
    /// Store an entry. Nothing after it may be done before it is durable.
    Append(Append),
    /// A member is told what goes to this viewer from now on; to no viewer if it has several seats.
    Admit {
        /// Who.
        member: MemberId,
        /// As whom.
        viewer: Option<Viewer>,
    },
    /// A member is told nothing any more.
    Dismiss {
        /// Who.
        member: MemberId,
    },
    /// Tell.
    Send {
        /// Whom.
        to: To,
        /// What.
        letter: Letter,
    },
    /// Tick the room at this time, instead of the one asked for before.
    WakeAt(u64),
    /// Write down what happened for the first time.
    Note(Note),
    /// Make this room anew from its log, and let it [`adopt`](super::Room::adopt) this one's
    /// members. Always the last.
    Reload,
    /// Make another match like this one, and tell the room.
    Rematch {
        /// Who offered it.
        seat: Seat,
    },
    /// Let a bot decide, and tell the room.
    AskBot(Box<Question>),
}

impl Effect {
    pub(super) fn send(to: To, letter: Letter) -> Effect {
        Effect::Send { to, letter }
    }
}

/// A message: the JSON of one [`protocol::ws::ServerMessage`].
pub type Letter = Vec<u8>;

/// Who is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// One member.
    Member(MemberId),
    /// Whoever looks as this viewer.
    Viewer(Viewer),
    /// Every seat and every spectator, but nobody with several seats.
    Viewers,
    /// Whoever plays.
    Seats,
    /// Every member.
    All,
}

/// An entry to be stored, and with it what the end of the match brings.
#[derive(Clone)]
pub struct Append {
    /// The entry.
    pub entry: Entry,
    /// Set if the match is over with it.
    pub ending: Option<Ending>,
}

/// What a bot is asked: all that its seat may know, and how much time there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// For which seat.
    pub seat: Seat,
    /// Which bot: its name among those of the game.
    pub bot: String,
    /// How many entries had happened; the answer names it.
    pub ply: u32,
    /// The game's key.
    pub game: &'static str,
    /// The options' JSON.
    pub options: String,
    /// How many seats there are.
    pub seats: u8,
    /// The seat's view as JSON.
    pub view: Vec<u8>,
    /// What is left of its time, if time is measured.
    pub left_ms: Option<u64>,
    /// The people in the match, who wait for the answer; none if only bots play.
    pub people: Vec<PlayerId>,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Places and reason; no places if it was aborted.
    pub outcome: Outcome,
}

/// Something worth writing down, once a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// A seat came for the first time.
    SeatJoined {
        /// Which.
        seat: Seat,
        /// Who.
        player: PlayerId,
    },
    /// The first spectator came.
    SpectatorJoined {
        /// Who.
        player: PlayerId,
    },
}
