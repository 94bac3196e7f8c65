//! What a seat can decide, how that is written, and why it can be refused.
//!
//! Reading a text says only that there is such an action; whether it is legal now is the state's
//! business.

use std::fmt;
use std::str::FromStr;

use cozy_chess::{Color, Move, Piece, Square};
use game_api::{Seat, excerpt};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A move as UCI writes it: `e2e4`, `e7e8q`; R3.5 says how castling is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Uci(pub Move);

/// The draws that a player can claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// R5.1: the position is there for the third time.
    Threefold,
    /// R5.2: fifty moves by each side without a pawn's move or a capture.
    Fifty,
}

/// One decision of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// `e2e4`
    Move(Uci),
    /// `claim:fifty`, or with an intended move `claim:fifty:e2e4`.
    Claim {
        /// Which draw.
        claim: Claim,
        /// R5.3: the move that would bring it about, and is not made.
        intended: Option<Uci>,
    },
}

impl Claim {
    /// Both.
    pub const ALL: [Claim; 2] = [Claim::Threefold, Claim::Fifty];

    /// The stable key.
    pub const fn key(self) -> &'static str {
        match self {
            Claim::Threefold => "threefold",
            Claim::Fifty => "fifty",
        }
    }
}

impl fmt::Display for Uci {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Reads exactly what `Display` writes.
impl FromStr for Uci {
    type Err = Violation;

    fn from_str(text: &str) -> Result<Self, Violation> {
        read_uci(text).ok_or_else(|| Violation::InvalidAction(excerpt(text)))
    }
}

fn read_uci(text: &str) -> Option<Uci> {
    let square = |file: u8, rank: u8| {
        let file = cozy_chess::File::try_index(usize::from(file.wrapping_sub(b'a')))?;
        let rank = cozy_chess::Rank::try_index(usize::from(rank.wrapping_sub(b'1')))?;
        Some(Square::new(file, rank))
    };
    let (&[from_file, from_rank, to_file, to_rank], rest) = text.as_bytes().split_first_chunk()?;
    let promotion = match rest {
        [] => None,
        b"q" => Some(Piece::Queen),
        b"r" => Some(Piece::Rook),
        b"b" => Some(Piece::Bishop),
        b"n" => Some(Piece::Knight),
        _ => return None,
    };
    let (from, to) = (square(from_file, from_rank)?, square(to_file, to_rank)?);
    Some(Uci(Move { from, to, promotion }))
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Move(uci) => uci.fmt(f),
            Action::Claim { claim, intended: None } => write!(f, "claim:{}", claim.key()),
            Action::Claim { claim, intended: Some(uci) } => {
                write!(f, "claim:{}:{uci}", claim.key())
            }
        }
    }
}

/// Reads exactly what `Display` writes.
impl FromStr for Action {
    type Err = Violation;

    fn from_str(text: &str) -> Result<Self, Violation> {
        read(text).ok_or_else(|| Violation::InvalidAction(excerpt(text)))
    }
}

fn read(text: &str) -> Option<Action> {
    let Some(rest) = text.strip_prefix("claim:") else { return read_uci(text).map(Action::Move) };
    Claim::ALL.into_iter().find_map(|claim| {
        let rest = rest.strip_prefix(claim.key())?;
        let intended = match rest.strip_prefix(':') {
            Some(uci) => Some(read_uci(uci)?),
            None if rest.is_empty() => None,
            None => return None,
        };
        Some(Action::Claim { claim, intended })
    })
}

/// Serialised as its text.
macro_rules! serialize_as_text {
    ($type:ty) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    };
}

serialize_as_text!(Uci);
serialize_as_text!(Action);

/// Why an action is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Violation {
    #[error(
        "{0} is no action; write e2e4, e7e8q, claim:threefold, claim:fifty or claim:fifty:e2e4"
    )]
    InvalidAction(String),
    #[error("the match is over")]
    GameOver,
    #[error("it is seat {to_act}'s turn, not seat {seat}'s")]
    NotYourTurn { seat: Seat, to_act: Seat },
    #[error("{uci}: {reason}")]
    IllegalMove { uci: Uci, reason: Reason },
    #[error("this position has been there {times} times, not three")]
    NotThreefold { times: u8 },
    #[error("there were {half_moves} half-moves without a pawn's move or a capture, not 100")]
    NotFifty { half_moves: u8 },
    #[error("the view is none of a match: {0}")]
    InvalidView(&'static str),
}

/// Why a move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Reason {
    #[error("there is no piece on {at}")]
    NoPiece { at: Square },
    #[error("the piece on {at} is {}'s", side(*.color))]
    NotYours { at: Square, color: Color },
    #[error("your own piece stands on {at}")]
    OwnPiece { at: Square },
    #[error("a {} does not move so", name(*.piece))]
    NotItsMove { piece: Piece },
    #[error("something stands in the {}'s way", name(*.piece))]
    Blocked { piece: Piece },
    #[error("the king would be in check")]
    KingInCheck,
    #[error("the pawn must become something: add q, r, b or n")]
    PromotionMissing,
    #[error("only a pawn that reaches the last rank becomes something")]
    PromotionImpossible,
    #[error("in this match pawns become queens")]
    OnlyQueen,
    #[error("the king or that rook has moved, or was never there")]
    CastlingLost,
    #[error("something stands between the king and the rook")]
    CastlingBlocked,
    #[error("the king is in check, and does not castle out of it")]
    CastlingOutOfCheck,
    #[error("the king would castle through check or into it")]
    CastlingThroughCheck,
    #[error("castling is written as the king's move, such as e1g1")]
    CastlingSpelling,
}

fn name(piece: Piece) -> &'static str {
    match piece {
        Piece::Pawn => "pawn",
        Piece::Knight => "knight",
        Piece::Bishop => "bishop",
        Piece::Rook => "rook",
        Piece::Queen => "queen",
        Piece::King => "king",
    }
}

fn side(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

impl game_api::Violation for Violation {
    fn code(&self) -> &'static str {
        match self {
            Violation::InvalidAction(_) => "invalid_action",
            Violation::GameOver => "game_over",
            Violation::NotYourTurn { .. } => "not_your_turn",
            Violation::IllegalMove { .. } => "illegal_move",
            Violation::NotThreefold { .. } => "not_threefold",
            Violation::NotFifty { .. } => "not_fifty",
            Violation::InvalidView(_) => "invalid_view",
        }
    }
}
