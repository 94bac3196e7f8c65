//! The rules of Crazy Tens: two seats, a deck of 52, tens are wild, and two cards that add up to a
//! dozenal 10 go on each other. The numbered rules are in RULES.md.
//!
//! | the document's module | here |
//! |---|---|
//! | M15 Game Engine | [`State`] |
//! | M16 Rules | [`Round`] |
//! | M17 Scoring | [`scoring`] |
//! | M18 Base Conversion | [`dozenal`] |
//! | M19 Game Actions | [`Action`], and [`game_api::Match`] for undo and the log |

mod action;
mod bot;
mod card;
pub mod dozenal;
mod limits;
mod position;
mod round;
pub mod scoring;
mod state;
mod view;

use game_api::{
    BadView, Completeness, Context, Forfeit, Game, GameMeta, GameRng, Outcome, Seat, SeatSet, Seed,
    SetupError, Step, Viewer,
};

pub use action::{Action, CardFault, MoveFault, SuitFault, Violation};
pub use bot::CrazyTensBot;
pub use card::{Card, CardSet, DECK_SIZE, Suit};
pub use limits::Limits;
pub use round::{
    Because, DOZENAL_TARGET, DOZENAL_TARGET_DECIMAL, Demand, INITIAL_HAND_SIZE, Piles, Round,
};
pub use state::{
    Ended, MAX_PLAYERS, Options, ROUND_ACTIONS_MAX, ROUNDS_MAX, Starter, State, TARGET_MAX,
};
pub use view::{Deed, Event, Preview, RoundSummary, ScoredCard, View};

/// The game.
#[derive(Clone, Copy, Debug, Default)]
pub struct CrazyTens;

impl Game for CrazyTens {
    const META: GameMeta = GameMeta {
        id: "crazy-tens",
        name: "Crazy Tens",
        rules_version: 2,
        seats: MAX_PLAYERS..=MAX_PLAYERS,
        hidden_information: true,
        draw_by_agreement: false,
        longest_match: ROUND_ACTIONS_MAX as u32 * ROUNDS_MAX as u32,
    };

    type Options = Options;
    type State = State;
    type Action = Action;
    type View = View;
    type Event = Event;
    type Preview = Preview;
    type Violation = Violation;

    fn setup(&self, options: &Options, seats: u8, seed: &Seed) -> Result<State, SetupError> {
        State::create(*options, seats, seed)
    }

    fn position(
        &self,
        options: &Options,
        text: &str,
        seed: &Seed,
    ) -> Result<(u8, State), SetupError> {
        Ok((MAX_PLAYERS, position::read(*options, text, seed)?))
    }

    fn presets(&self) -> Vec<(&'static str, Options)> {
        let standard = Options::default();
        vec![
            ("standard", standard),
            ("short", Options { target: 24, ..standard }),
            ("host-starts", Options { starter: Starter::Host, ..standard }),
        ]
    }

    fn to_act(&self, state: &State) -> SeatSet {
        state.to_act()
    }

    fn legal_actions(&self, state: &State, seat: Seat, out: &mut Vec<Action>) -> Completeness {
        if state.to_act().contains(seat)
            && let Ok(choice) = state.round.choice(seat)
        {
            choice.list(out);
        }
        Completeness::Complete
    }

    fn apply(&self, state: &State, seat: Seat, action: &Action) -> Result<State, Violation> {
        state.apply_turn(seat, *action)
    }

    fn suppose_turn(&self, state: &State, seat: Seat) -> Option<State> {
        let round = Round { to_act: seat, ..state.round.clone() };
        Some(State { round, ..state.clone() }).filter(|state| state.ended.is_none())
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

    fn reveals(&self, step: &Step<'_, Self>) -> bool {
        // A drawn card, or the cards of a new round and the loser's of the old one.
        *step.action == Action::Draw || step.before.last_round != step.after.last_round
    }

    fn view(&self, state: &State, viewer: Viewer) -> View {
        view::view(state, viewer)
    }

    fn event(&self, step: &Step<'_, Self>, viewer: Viewer) -> Event {
        view::event(step, viewer)
    }

    fn notation(&self, step: &Step<'_, Self>, viewer: Viewer) -> String {
        view::notation(step, viewer)
    }

    fn preview(
        &self,
        context: &Context<'_, Self>,
        view: &View,
        action: &Action,
    ) -> Result<Preview, Violation> {
        view::preview(context, view, *action)
    }

    fn determinize(
        &self,
        context: &Context<'_, Self>,
        view: &View,
        rng: &mut GameRng,
    ) -> Result<State, BadView> {
        view::determinize(context, view, rng)
    }
}
