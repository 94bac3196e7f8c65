//! The trait that a game implements, and the words it speaks in.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::survey::perft;
use crate::{Format, GameRng, Record, Seat, SeatSet, Seed, Viewer};

/// The rules of one game, as pure functions.
///
/// `apply` borrows the old state, so a refusal cannot spoil it. `view` and `event` build what they
/// hand out field by field; a `State` has no `Serialize`, so it cannot leave by accident. What every
/// implementation must keep is checked by `game_testkit::conformance!`.
///
/// The methods take `&self` because a word game holds its word list.
pub trait Game: Send + Sync + Sized + 'static {
    /// What the house needs to know of the game before a match.
    const META: GameMeta;

    /// What a host can choose. Refuses unknown fields, so that a slip of the pen is told.
    type Options: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// Everything, secrets included.
    type State: Clone + Eq + Hash + Send + Sync;
    /// One decision of a seat. Its text is canonical and has no blanks: log, wire and tests use it.
    type Action: Clone + Debug + Eq + Display + FromStr<Err = Self::Violation> + Send + Sync;
    /// What one viewer may know of a state, and all that the legality of its actions needs.
    type View: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// What one viewer may know of a step.
    type Event: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// What a viewer can foresee of an action of its own.
    type Preview: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// Why an action is refused.
    type Violation: Violation;

    /// The options as a match records them, with what the house adds: a word game names its list.
    fn complete(&self, options: Self::Options) -> Self::Options {
        options
    }

    /// The first state of a match.
    fn setup(
        &self,
        options: &Self::Options,
        seats: u8,
        seed: &Seed,
    ) -> Result<Self::State, SetupError>;

    /// A state from the game's own notation of a position, and how many seats it has. Chance that
    /// is still to come follows from `seed`.
    fn position(
        &self,
        _options: &Self::Options,
        _text: &str,
        _seed: &Seed,
    ) -> Result<(u8, Self::State), SetupError> {
        Err(SetupError::InvalidPosition("this game has no notation for positions".to_owned()))
    }

    /// The options that have a name; the first is the default.
    fn presets(&self) -> Vec<(&'static str, Self::Options)> {
        vec![("standard", Self::Options::default())]
    }

    /// The seats that may act: none exactly when the match is over.
    fn to_act(&self, state: &Self::State) -> SeatSet;

    /// Appends the actions of a seat that `apply` would accept.
    fn legal_actions(
        &self,
        state: &Self::State,
        seat: Seat,
        out: &mut Vec<Self::Action>,
    ) -> Completeness;

    /// A legal action of a seat by chance, where the list is too partial to choose from: random
    /// matches ask here first. `None` where the list will do.
    fn sample(
        &self,
        _state: &Self::State,
        _seat: Seat,
        _rng: &mut GameRng,
    ) -> Option<Self::Action> {
        None
    }

    /// Every plain move of a seat with what it scores, in games where moves score and are too many
    /// to list; nothing in others.
    fn plays(&self, _state: &Self::State, _seat: Seat) -> Vec<(Self::Action, i32)> {
        Vec::new()
    }

    /// The state after an action, or why there is none.
    fn apply(
        &self,
        state: &Self::State,
        seat: Seat,
        action: &Self::Action,
    ) -> Result<Self::State, Self::Violation>;

    /// The state as if it were this seat's turn, for a player who enters actions while others still
    /// think; `None` where that makes no sense. No match goes on from it.
    fn suppose_turn(&self, _state: &Self::State, _seat: Seat) -> Option<Self::State> {
        None
    }

    /// How many ways there are to play on to this depth, a match that ends earlier counting once.
    /// The unit is an action; a game whose turns have several may count turns, and may be quicker
    /// than trying them all.
    fn perft(&self, state: &Self::State, depth: u32) -> u64 {
        perft(self, state, depth)
    }

    /// How the match ended, if it did.
    fn outcome(&self, state: &Self::State) -> Option<Outcome>;

    /// The state after a seat gave up: of more than two, the others play on. A seat that is already
    /// out changes nothing.
    fn forfeit(&self, state: &Self::State, seat: Seat, cause: Forfeit) -> Self::State;

    /// The state after all agreed on a draw; `None` where the game knows no draw, as META says.
    fn agree_draw(&self, state: &Self::State) -> Option<Self::State>;

    /// The unit of the match clock and of a takeback: rises with each turn, never falls.
    fn turn(&self, state: &Self::State) -> u32;

    /// Seconds in which others may react, while they may; the turn's own clock stands meanwhile.
    fn window(&self, _state: &Self::State) -> Option<u32> {
        None
    }

    /// What happens when a seat that may act lets its time run out.
    fn time_out(&self, _state: &Self::State, _seat: Seat) -> TimeOut<Self::Action> {
        TimeOut::Forfeit
    }

    /// Did the step show somebody what nobody could know before? Then no takeback goes past it. A
    /// card played from a hand is no reveal; a drawn one is.
    fn reveals(&self, step: &Step<'_, Self>) -> bool;

    /// What `viewer` may know of `state`.
    fn view(&self, state: &Self::State, viewer: Viewer) -> Self::View;

    /// What `viewer` may know of `step`.
    fn event(&self, step: &Step<'_, Self>, viewer: Viewer) -> Self::Event;

    /// The step in a line, as `viewer` may read it.
    fn notation(&self, step: &Step<'_, Self>, viewer: Viewer) -> String;

    /// What the viewer can foresee of an own action, or why it would be refused: exactly when
    /// `apply` would refuse it, with the same code.
    fn preview(
        &self,
        context: &Context<'_, Self>,
        view: &Self::View,
        action: &Self::Action,
    ) -> Result<Self::Preview, Self::Violation>;

    /// A state that looks just like this to the viewer, with all that is hidden filled in by chance.
    fn determinize(
        &self,
        context: &Context<'_, Self>,
        view: &Self::View,
        rng: &mut GameRng,
    ) -> Result<Self::State, BadView>;

    /// The formats of its own that a finished match can be had in, beside the log.
    fn formats(&self) -> &'static [Format] {
        &[]
    }

    /// A finished match in one of these formats.
    fn export(&self, _record: &Record<'_, Self>, _format: &Format) -> String {
        String::new()
    }
}

/// What the house knows of a game before any match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GameMeta {
    /// The key in logs and addresses: lower case, digits and dashes.
    pub id: &'static str,
    /// The name that people read.
    pub name: &'static str,
    /// Rises when a stored log could replay differently.
    pub rules_version: u32,
    /// How many can sit down.
    pub seats: RangeInclusive<u8>,
    /// Does a seat know anything that another does not?
    pub hidden_information: bool,
    /// Can all agree on a draw while a match runs?
    pub draw_by_agreement: bool,
    /// No match has more actions.
    pub longest_match: u32,
}

/// Does a list of legal actions name all of them?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// An action is accepted exactly if it is listed.
    Complete,
    /// There are more than a list could usefully hold.
    Partial,
}

/// Who asks about a view, and what everybody knows of the match.
pub struct Context<'a, G: Game> {
    /// The match's options.
    pub options: &'a G::Options,
    /// How many seats the match has.
    pub seats: u8,
    /// Whose view it is.
    pub viewer: Viewer,
}

/// One accepted action, with the states around it.
pub struct Step<'a, G: Game> {
    /// The state in which it was decided.
    pub before: &'a G::State,
    /// Who decided.
    pub seat: Seat,
    /// What.
    pub action: &'a G::Action,
    /// What came of it.
    pub after: &'a G::State,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// A place for each seat, 1 being the best; equal places are a tie.
    pub places: Vec<u8>,
    /// A stable key for the reason.
    pub reason: &'static str,
}

/// Why a seat gives up its match without the rules having a say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Forfeit {
    /// The player said so.
    Resigned,
    /// The clock ran out.
    Time,
    /// The player went away and another claimed the match.
    Abandoned,
}

impl Forfeit {
    /// The stable key, as in the log and as the reason of an outcome.
    pub const fn key(self) -> &'static str {
        match self {
            Forfeit::Resigned => "resigned",
            Forfeit::Time => "time",
            Forfeit::Abandoned => "abandoned",
        }
    }
}

/// What the clock does to a seat whose time is up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeOut<A> {
    /// Acts for it: in a vote, say, silence is consent.
    Act(A),
    /// The seat forfeits.
    Forfeit,
}

/// A reason for a refusal that people can read and programs can tell apart.
pub trait Violation: std::error::Error + Send + Sync + 'static {
    /// A stable key in snake case. Every game refuses out of turn with `not_your_turn`, and after the
    /// end with `game_over`.
    fn code(&self) -> &'static str;
}

/// Why a match cannot start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// Too few or too many seats.
    #[error("{got} seats; the game takes {} to {}", .allowed.start(), .allowed.end())]
    InvalidPlayers {
        /// What was asked for.
        got: u8,
        /// What the game takes.
        allowed: RangeInclusive<u8>,
    },
    /// Options that make no match.
    #[error("these options make no match: {0}")]
    InvalidSetup(String),
    /// A text that describes no position.
    #[error("this is no position: {0}")]
    InvalidPosition(String),
}

impl SetupError {
    /// The stable key.
    pub const fn code(&self) -> &'static str {
        match self {
            SetupError::InvalidPlayers { .. } => "invalid_players",
            SetupError::InvalidSetup(_) => "invalid_setup",
            SetupError::InvalidPosition(_) => "invalid_position",
        }
    }
}

/// A view that no state has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no state looks like this: {0}")]
pub struct BadView(pub &'static str);

/// The beginning of a text from outside, in quotes and escaped, fit for a message.
pub fn excerpt(text: &str) -> String {
    const CHARS_MAX: usize = 40;
    let mut shown: String = text.chars().take(CHARS_MAX).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}
