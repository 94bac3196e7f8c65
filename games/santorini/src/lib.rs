//! The rules of Santorini: five by five cells, two workers a side, towers to climb, and ten gods.
//! The numbered rules are in RULES.md.
//!
//! - [`Board`]: towers and workers as bits, and what every worker can do.
//! - [`State`]: the turns. The base rules name no god; they ask a [`God`]'s hooks.
//! - [`View`] and [`Event`]: everything, since nothing is secret.

mod action;
mod board;
mod bot;
mod cell;
mod gods;
mod legality;
mod position;
mod state;
mod view;

use std::ops::ControlFlow;

use game_api::{
    BadView, Completeness, Context, Forfeit, Game, GameMeta, GameRng, Outcome, Seat, SeatSet, Seed,
    SetupError, Step, Viewer,
};

pub use action::{Action, Violation};
pub use board::{Board, CLIMB_MAX, LEVEL_MAX};
pub use bot::SantoriniBot;
pub use cell::{Cell, CellSet, NoCell, SIZE};
pub use gods::{God, GodId};
pub use state::{Ended, Options, Phase, Reason, State, TurnSoFar};
pub use view::{Displaced, Event, Last, Preview, View};

/// The game.
#[derive(Clone, Copy, Debug, Default)]
pub struct Santorini;

impl Game for Santorini {
    const META: GameMeta = GameMeta {
        id: "santorini",
        name: "Santorini",
        rules_version: 1,
        seats: 2..=2,
        hidden_information: false,
        draw_by_agreement: false,
        // Each turn builds, and 25 towers take 100 pieces; a turn has at most three actions; and
        // both seats place their workers.
        longest_match: 100 * 3 + 2,
    };

    type Options = Options;
    type State = State;
    type Action = Action;
    type View = View;
    type Event = Event;
    type Preview = Preview;
    type Violation = Violation;

    fn setup(&self, options: &Options, seats: u8, _seed: &Seed) -> Result<State, SetupError> {
        State::new(*options, seats)
    }

    fn position(
        &self,
        options: &Options,
        text: &str,
        _seed: &Seed,
    ) -> Result<(u8, State), SetupError> {
        Ok((2, position::read(*options, text)?))
    }

    fn presets(&self) -> Vec<(&'static str, Options)> {
        let gods = |first, second| {
            let find = |id| GodId::find(id).unwrap_or_default();
            Options { gods: [find(first), find(second)] }
        };
        vec![
            ("standard", Options::default()),
            ("apollo-minotaur", gods("apollo", "minotaur")),
            ("artemis-hermes", gods("artemis", "hermes")),
            ("athena-pan", gods("athena", "pan")),
            ("atlas-demeter", gods("atlas", "demeter")),
            ("hephaestus-prometheus", gods("hephaestus", "prometheus")),
        ]
    }

    fn to_act(&self, state: &State) -> SeatSet {
        state.to_act()
    }

    fn legal_actions(&self, state: &State, seat: Seat, out: &mut Vec<Action>) -> Completeness {
        if seat == state.to_act {
            let _ = state.visit(|action| {
                out.push(action);
                ControlFlow::Continue(())
            });
        }
        Completeness::Complete
    }

    fn apply(&self, state: &State, seat: Seat, action: &Action) -> Result<State, Violation> {
        state.judge(seat, *action)?;
        Ok(state.after(*action))
    }

    fn perft(&self, state: &State, depth: u32) -> u64 {
        state.perft(depth)
    }

    fn suppose_turn(&self, state: &State, seat: Seat) -> Option<State> {
        state.supposing_turn(seat)
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        state.outcome()
    }

    fn forfeit(&self, state: &State, seat: Seat, cause: Forfeit) -> State {
        state.forfeited(seat, cause)
    }

    fn agree_draw(&self, _state: &State) -> Option<State> {
        None
    }

    fn turn(&self, state: &State) -> u32 {
        state.turn
    }

    fn reveals(&self, _step: &Step<'_, Self>) -> bool {
        false
    }

    fn view(&self, state: &State, _viewer: Viewer) -> View {
        view::view(state)
    }

    fn event(&self, step: &Step<'_, Self>, _viewer: Viewer) -> Event {
        view::event(step)
    }

    fn notation(&self, step: &Step<'_, Self>, _viewer: Viewer) -> String {
        step.action.to_string()
    }

    fn preview(
        &self,
        context: &Context<'_, Self>,
        view: &View,
        action: &Action,
    ) -> Result<Preview, Violation> {
        let text = || Violation::InvalidAction { text: action.to_string() };
        // Nothing is hidden, so a view is a state; one that is none allows nothing.
        let state = view::state(view).map_err(|_| text())?;
        let seat = context.viewer.seat().unwrap_or(state.to_act.after(1, 2));
        state.judge(seat, *action)?;
        let after = state.after(*action);
        Ok(Preview { ended: after.ended, next: after.phase })
    }

    fn determinize(
        &self,
        _context: &Context<'_, Self>,
        view: &View,
        _rng: &mut GameRng,
    ) -> Result<State, BadView> {
        view::state(view)
    }
}
