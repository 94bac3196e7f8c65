//! A game for tests that breaks on demand: two seats step in turn, and an action makes it panic.

use std::fmt;
use std::str::FromStr;

use game_api::{
    BadView, Completeness, Context, Forfeit, Game, GameMeta, GameRng, Outcome, Seat, SeatSet, Seed,
    SetupError, Step, Viewer,
};
use serde::{Deserialize, Serialize};

/// The last turn.
const TURNS: u32 = 6;

/// With this seed the very deal panics.
pub(crate) const BAD_SEED: Seed = Seed::new([0xba; 32]);

/// The rules.
pub(crate) struct Fuse;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Options {}

/// All of it is public.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct State {
    turn: u32,
    gave_up: Option<Seat>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Step,
    Boom,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Action::Step { "step" } else { "boom" })
    }
}

impl FromStr for Action {
    type Err = Violation;

    fn from_str(text: &str) -> Result<Self, Violation> {
        match text {
            "step" => Ok(Action::Step),
            "boom" => Ok(Action::Boom),
            _ => Err(Violation("invalid_action")),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Violation(&'static str);

impl game_api::Violation for Violation {
    fn code(&self) -> &'static str {
        self.0
    }
}

fn active(state: &State) -> Seat {
    Seat::FIRST.after(u8::try_from(state.turn % 2).unwrap(), 2)
}

impl Game for Fuse {
    const META: GameMeta = GameMeta {
        id: "fuse",
        name: "Fuse",
        rules_version: 1,
        seats: 2..=2,
        hidden_information: false,
        draw_by_agreement: false,
        longest_match: TURNS,
    };

    type Options = Options;
    type State = State;
    type Action = Action;
    type View = State;
    type Event = Option<String>;
    type Preview = ();
    type Violation = Violation;

    fn setup(&self, _: &Options, _: u8, seed: &Seed) -> Result<State, SetupError> {
        assert!(*seed != BAD_SEED, "the fuse is lit");
        Ok(State { turn: 0, gave_up: None })
    }

    fn presets(&self) -> Vec<(&'static str, Options)> {
        vec![("standard", Options {})]
    }

    fn to_act(&self, state: &State) -> SeatSet {
        let is_over = state.turn == TURNS || state.gave_up.is_some();
        if is_over { SeatSet::EMPTY } else { SeatSet::only(active(state)) }
    }

    fn legal_actions(&self, state: &State, seat: Seat, out: &mut Vec<Action>) -> Completeness {
        if self.to_act(state).contains(seat) {
            out.push(Action::Step);
        }
        Completeness::Complete
    }

    fn apply(&self, state: &State, seat: Seat, action: &Action) -> Result<State, Violation> {
        assert!(*action == Action::Step, "the fuse is lit");
        if self.to_act(state).is_empty() {
            return Err(Violation("game_over"));
        }
        if active(state) != seat {
            return Err(Violation("not_your_turn"));
        }
        Ok(State { turn: state.turn + 1, ..state.clone() })
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        let places = match state.gave_up {
            Some(Seat::FIRST) => vec![2, 1],
            Some(_) => vec![1, 2],
            None if state.turn == TURNS => vec![1, 1],
            None => return None,
        };
        Some(Outcome { places, reason: "burnt" })
    }

    fn forfeit(&self, state: &State, seat: Seat, _: Forfeit) -> State {
        State { gave_up: Some(seat), ..state.clone() }
    }

    fn agree_draw(&self, _: &State) -> Option<State> {
        None
    }

    fn turn(&self, state: &State) -> u32 {
        state.turn
    }

    fn reveals(&self, _: &Step<'_, Self>) -> bool {
        false
    }

    fn view(&self, state: &State, _: Viewer) -> State {
        state.clone()
    }

    fn event(&self, step: &Step<'_, Self>, _: Viewer) -> Option<String> {
        Some(step.action.to_string())
    }

    fn notation(&self, step: &Step<'_, Self>, _: Viewer) -> String {
        step.action.to_string()
    }

    fn preview(&self, _: &Context<'_, Self>, _: &State, _: &Action) -> Result<(), Violation> {
        Ok(())
    }

    fn determinize(
        &self,
        _: &Context<'_, Self>,
        view: &State,
        _: &mut GameRng,
    ) -> Result<State, BadView> {
        Ok(view.clone())
    }
}
