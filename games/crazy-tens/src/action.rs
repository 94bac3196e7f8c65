//! M19, actions as values: their text, and the reasons why one can be refused.

use std::fmt;
use std::str::FromStr;

use game_api::{Seat, excerpt};

use crate::card::{Card, CardSet, Suit};

/// One decision of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `play:7S`, or `play:10H:S` for a ten and the suit chosen with it.
    Play {
        /// From the own hand.
        card: Card,
        /// Only for a ten that is not the last card.
        suit: Option<Suit>,
    },
    /// `draw`
    Draw,
    /// `pass`
    Pass,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Play { card, suit: None } => write!(f, "play:{card}"),
            Action::Play { card, suit: Some(suit) } => write!(f, "play:{card}:{}", suit.letter()),
            Action::Draw => f.write_str("draw"),
            Action::Pass => f.write_str("pass"),
        }
    }
}

impl FromStr for Action {
    type Err = Violation;

    fn from_str(text: &str) -> Result<Self, Violation> {
        let mut parts = text.split(':');
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some("draw"), None, ..) => Ok(Action::Draw),
            (Some("pass"), None, ..) => Ok(Action::Pass),
            (Some("play"), Some(card), None, _) => {
                Ok(Action::Play { card: card.parse()?, suit: None })
            }
            (Some("play"), Some(card), Some(suit), None) => {
                let card = card.parse()?;
                let unknown = || Violation::InvalidSuitChoice(SuitFault::Unknown(excerpt(suit)));
                let suit = Suit::from_letter(suit).ok_or_else(unknown)?;
                Ok(Action::Play { card, suit: Some(suit) })
            }
            _ => Err(Violation::InvalidAction { text: excerpt(text) }),
        }
    }
}

/// Why an action is refused: the document's exceptions, each with what it is about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// The text is no action.
    #[error("{text} is no action; there are play:CARD, play:10X:SUIT, draw and pass")]
    InvalidAction {
        /// What was sent.
        text: String,
    },
    /// Another seat is to act.
    #[error("it is seat {to_act}'s turn, not seat {seat}'s")]
    NotYourTurn {
        /// Who tried.
        seat: Seat,
        /// Whose turn it is.
        to_act: Seat,
    },
    /// The match has ended.
    #[error("the match is over")]
    GameOver,
    /// The round has no such seat.
    #[error("there is no seat {seat} in this round")]
    InvalidPlayer {
        /// Who.
        seat: Seat,
    },
    /// No card, or not one of the seat's.
    #[error(transparent)]
    InvalidCard(CardFault),
    /// Against the rules.
    #[error(transparent)]
    IllegalMove(MoveFault),
    /// A suit where none belongs, or none where one does.
    #[error(transparent)]
    InvalidSuitChoice(SuitFault),
    /// Nothing can be played, and nothing is left to draw: the action is `pass`.
    #[error("there is no card left to draw: pass")]
    EmptyDeck,
}

/// What is wrong with a card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardFault {
    /// Not a rank and a suit.
    #[error("{0} is no card; a card is A 2 … 10 J Q K and then C D H S")]
    Malformed(String),
    /// Somebody else has it, or nobody.
    #[error("{} is not in the hand", .0.pretty())]
    NotInHand(Card),
}

/// What is wrong with a move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveFault {
    /// It does not go on the top card.
    #[error("{} does not go on {}{}", .card.pretty(), .top.pretty(), forced_clause(*.forced_suit))]
    NotPlayable {
        /// What was tried.
        card: Card,
        /// What lies there.
        top: Card,
        /// The suit that a ten asked for.
        forced_suit: Option<Suit>,
    },
    /// Drawing is for those who cannot play.
    #[error("no drawing while a card can be played: {playable}")]
    MustPlay {
        /// What can be played.
        playable: CardSet,
    },
    /// Passing is for those who can neither play nor draw.
    #[error("no passing while a card can be played or drawn")]
    MayNotPass,
}

fn forced_clause(forced_suit: Option<Suit>) -> String {
    forced_suit.map(|suit| format!(" while {} is asked for", suit.symbol())).unwrap_or_default()
}

/// What is wrong with a suit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SuitFault {
    /// Not one of the four letters.
    #[error("{0} is no suit; a suit is C, D, H or S")]
    Unknown(String),
    /// A ten that is not the last card asks for a suit.
    #[error("{} needs a suit: C, D, H or S", .0.pretty())]
    Missing(Card),
    /// Only a ten asks for a suit.
    #[error("{} is no ten and chooses no suit", .0.pretty())]
    NotTen(Card),
    /// The round ends with it, so nobody has to follow.
    #[error("{} is the last card: no suit is chosen", .0.pretty())]
    LastCard(Card),
}

impl game_api::Violation for Violation {
    fn code(&self) -> &'static str {
        match self {
            Violation::InvalidAction { .. } => "invalid_action",
            Violation::NotYourTurn { .. } => "not_your_turn",
            Violation::GameOver => "game_over",
            Violation::InvalidPlayer { .. } => "invalid_player",
            Violation::InvalidCard(_) => "invalid_card",
            Violation::IllegalMove(_) => "illegal_move",
            Violation::InvalidSuitChoice(_) => "invalid_suit_choice",
            Violation::EmptyDeck => "empty_deck",
        }
    }
}
