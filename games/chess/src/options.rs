//! What the host chooses, and the match that begins with it.

use cozy_chess::Board;
use game_api::{GameRng, Seed, SetupError};
use serde::{Deserialize, Serialize};

use crate::fen;
use crate::moves::Manner;
use crate::state::State;

/// How many starts Chess960 has.
pub const CHESS960_STARTS: u16 = 960;

/// What the host chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Which chess.
    pub variant: Variant,
    /// R2.2: the number of a Chess960 start, 0 to 959; without one it is drawn from the seed.
    pub number: Option<u16>,
    /// R2.3: a position to start from.
    pub fen: Option<String>,
    /// R3.8: pawns become queens, without a choice.
    pub auto_queen: bool,
}

/// Which chess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// The usual.
    #[default]
    Standard,
    /// One of 960 starts; castling is written king takes rook.
    Chess960,
}

impl Options {
    fn manner(&self) -> Manner {
        Manner { is_chess960: self.variant == Variant::Chess960, is_auto_queen: self.auto_queen }
    }

    pub(crate) fn begin(&self, seed: &Seed) -> Result<State, SetupError> {
        let refuse = |reason: &str| Err(SetupError::InvalidSetup(reason.to_owned()));
        let is_chess960 = self.variant == Variant::Chess960;
        let fen = match (&self.fen, self.number) {
            (Some(_), Some(_)) => return refuse("a FEN and a number: which start is meant?"),
            (None, Some(_)) if !is_chess960 => return refuse("only Chess960 numbers its starts"),
            (None, Some(CHESS960_STARTS..)) => {
                return refuse("Chess960's starts are numbered 0 to 959");
            }
            (Some(fen), None) => fen.clone(),
            (None, None) if !is_chess960 => fen::write(&Board::startpos(), 0, false),
            (None, number) => {
                let drawn = || GameRng::new(seed).below(usize::from(CHESS960_STARTS));
                let number = number.map_or_else(drawn, usize::from);
                let number = u32::try_from(number).unwrap_or_default();
                fen::write(&Board::chess960_startpos(number), 0, true)
            }
        };
        let state = State::begin(&fen, self.manner())
            .map_err(|error| SetupError::InvalidSetup(error.to_string()))?;
        if state.ended.is_some() {
            return refuse("the match would be over before it began");
        }
        Ok(state)
    }

    /// R2.4: from any position, also one that is over.
    pub(crate) fn begin_at(&self, fen: &str) -> Result<State, SetupError> {
        State::begin(fen, self.manner())
            .map_err(|error| SetupError::InvalidPosition(error.to_string()))
    }
}
