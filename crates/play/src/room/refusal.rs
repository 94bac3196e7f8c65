//! Why a room changes nothing.

use game_api::Refused;

/// Why an input is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each says it")]
pub enum Refusal {
    #[error("{}", .0.message)]
    Rule(Refused),
    #[error("you only watch this match")]
    NotSeated,
    #[error("your decision is about an earlier state of the match")]
    StalePly,
    #[error("the match has not come that far")]
    UnknownPly,
    #[error("a nonce is a number above 0")]
    BadNonce,
    #[error("the match is paused")]
    Paused,
    #[error("the time was up before this came")]
    TimeIsUp,
    #[error("the match is over")]
    GameOver,
    #[error("the match is not over")]
    NotOver,
    #[error("this seat has given up already")]
    AlreadyOut,
    #[error("nobody has been away for long enough")]
    NobodyGone,
    #[error("the game knows no draw by agreement")]
    NoDraw,
    #[error("time is not measured in this match")]
    NoClock,
    #[error("there is nothing of yours to take back")]
    NothingToTakeBack,
    #[error("something was revealed since; it cannot be taken back")]
    AlreadyRevealed,
    #[error("there is no such offer")]
    NoOffer,
    #[error("this was declined; offer it again after the next action")]
    OfferDeclined,
    #[error(
        "a line has 1 to 300 characters, something to see, and no characters that reorder, break or pile up text"
    )]
    BadChat,
    #[error("too many lines; wait a little")]
    ChatTooFast,
    #[error("too many watch this match already")]
    RoomFull,
    // As the server answers for a match that does not exist.
    #[error("{}", protocol::Code::MatchNotFound.title())]
    NoSuchMatch,
}

impl Refusal {
    /// The stable key.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::Rule(refused) => refused.code,
            Refusal::NotSeated => "not_seated",
            Refusal::StalePly => "stale_ply",
            Refusal::UnknownPly => "unknown_ply",
            Refusal::BadNonce => "bad_nonce",
            Refusal::Paused => "paused",
            Refusal::TimeIsUp => "time_is_up",
            Refusal::GameOver => "game_over",
            Refusal::NotOver => "not_over",
            Refusal::AlreadyOut => "already_out",
            Refusal::NobodyGone => "nobody_gone",
            Refusal::NoDraw => "no_draw",
            Refusal::NoClock => "no_clock",
            Refusal::NothingToTakeBack => "nothing_to_take_back",
            Refusal::AlreadyRevealed => "already_revealed",
            Refusal::NoOffer => "no_offer",
            Refusal::OfferDeclined => "offer_declined",
            Refusal::BadChat => "bad_chat",
            Refusal::ChatTooFast => "chat_too_fast",
            Refusal::RoomFull => "room_full",
            Refusal::NoSuchMatch => protocol::Code::MatchNotFound.as_str(),
        }
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Refusal {
        Refusal::Rule(refused)
    }
}
