//! What can happen to a room.

use domain::{MatchId, PlayerId};
use game_api::Seat;
use protocol::ws::OfferKind;

/// One connection's interest in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemberId(pub u64);

/// Something that happens.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the fields are those of the messages of the same names")]
pub enum Input {
    /// A connection follows the match from now on. Coming again is no error.
    Join { member: MemberId, player: PlayerId, since: Option<u32> },
    /// A connection is gone or does not want to follow any more.
    Leave { member: MemberId },
    /// A connection may not follow the match any more: its watch link was taken back.
    Expel { member: MemberId },
    /// A seat acts.
    Act { member: MemberId, ply: u32, action: String, nonce: u64 },
    /// A seat asks what it may do.
    Legal { member: MemberId },
    /// A seat gives up.
    Resign { member: MemberId },
    /// A seat says that another is gone.
    Claim { member: MemberId },
    /// A seat offers something.
    Offer { member: MemberId, kind: OfferKind },
    /// A seat answers.
    Answer { member: MemberId, kind: OfferKind, accept: bool },
    /// A seat says something.
    Chat { member: MemberId, text: String },
    /// An account is deleted.
    Depart { player: PlayerId },
    /// A bot has decided what it was asked at this ply; nothing if it failed.
    BotChose { seat: Seat, ply: u32, choice: Option<BotChoice> },
    /// The match that all agreed on was made.
    RematchMade { next: MatchId },
    /// It could not be made, which this seat had offered.
    RematchFailed { seat: Seat },
    /// Time has passed.
    Tick,
}

/// What a bot decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotChoice {
    /// What it does.
    pub action: String,
    /// What the match is worth to it then: above 0 if it is better off than the others.
    pub value: i32,
}
