//! Template: cards on five places, a vote on every play, and hidden snares.
//!
//! `RULES.md` numbers the rules; comments name them as R3.2. A tour:
//!
//! - [`Action`]: what a seat can decide, its one spelling, and the [`Violation`]s.
//! - [`State`]: everything, secrets included, and what each action does to it.
//! - [`View`] and [`Event`]: what one viewer may know of a state and of a step. Legality follows
//!   from the view alone, so that no refusal can tell a secret.
//!
//! This file ties them to the [`Game`] trait and holds no rule of its own.

mod action;
mod state;
mod view;

use game_api::{
    BadView, Completeness, Context, Forfeit, Game, GameMeta, GameRng, Outcome, Seat, SeatSet, Seed,
    SetupError, Step, TimeOut, Viewer,
};

pub use action::{Action, Card, Place, RANKS, Violation};
pub use state::{End, Options, Pending, Snare, State};
pub use view::{Event, Preview, Verdict, View};

/// The rules of the game; they hold nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Template;

impl Game for Template {
    const META: GameMeta = GameMeta {
        id: "template",
        name: "Template",
        rules_version: 1,
        seats: 2..=4,
        hidden_information: true,
        draw_by_agreement: true,
        // R6.2: 48 turns, each at most a play and three votes.
        longest_match: 48 * 4,
    };

    type Options = Options;
    type State = State;
    type Action = Action;
    type View = View;
    type Event = Event;
    type Preview = Preview;
    type Violation = Violation;

    fn setup(&self, options: &Options, seats: u8, seed: &Seed) -> Result<State, SetupError> {
        State::deal(options, seats, seed)
    }

    fn presets(&self) -> Vec<(&'static str, Options)> {
        let short = Options { turns_max: 8, ..Options::default() };
        vec![("standard", Options::default()), ("short", short)]
    }

    fn to_act(&self, state: &State) -> SeatSet {
        state.to_act()
    }

    fn legal_actions(&self, state: &State, seat: Seat, out: &mut Vec<Action>) -> Completeness {
        let view = View::of(state, Viewer::Seat(seat));
        out.extend(Action::all().filter(|action| view.check(*action).is_ok()));
        Completeness::Complete
    }

    fn apply(&self, state: &State, seat: Seat, action: &Action) -> Result<State, Violation> {
        View::of(state, Viewer::Seat(seat)).check(*action)?;
        Ok(state.after(seat, *action))
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        state.outcome()
    }

    fn forfeit(&self, state: &State, seat: Seat, cause: Forfeit) -> State {
        state.after_forfeit(seat, cause)
    }

    fn agree_draw(&self, state: &State) -> Option<State> {
        Some(State { end: state.end.or(Some(End::Agreed)), ..state.clone() })
    }

    fn turn(&self, state: &State) -> u32 {
        state.turn
    }

    fn window(&self, state: &State) -> Option<u32> {
        // R3.2
        state.is_voting().then_some(30)
    }

    fn time_out(&self, state: &State, _seat: Seat) -> TimeOut<Action> {
        // R3.2
        if state.is_voting() { TimeOut::Act(Action::Accept) } else { TimeOut::Forfeit }
    }

    fn reveals(&self, step: &Step<'_, Self>) -> bool {
        // R5.4; a swap draws a card although it leaves the stock as large as it was.
        let has_drawn = matches!(step.action, Action::Swap(_))
            || step.before.stock.len() != step.after.stock.len();
        has_drawn || step.before.sprung() != step.after.sprung()
    }

    fn view(&self, state: &State, viewer: Viewer) -> View {
        View::of(state, viewer)
    }

    fn event(&self, step: &Step<'_, Self>, viewer: Viewer) -> Event {
        Event::of(step, viewer)
    }

    fn notation(&self, step: &Step<'_, Self>, viewer: Viewer) -> String {
        // Written from the event, it can tell no more than the event does.
        Event::of(step, viewer).to_string()
    }

    fn preview(
        &self,
        _context: &Context<'_, Self>,
        view: &View,
        action: &Action,
    ) -> Result<Preview, Violation> {
        view.check(*action)?;
        Ok(Preview { points: if let Action::Play { card, .. } = *action { card } else { 0 } })
    }

    fn determinize(
        &self,
        context: &Context<'_, Self>,
        view: &View,
        rng: &mut GameRng,
    ) -> Result<State, BadView> {
        view.determinize(context, rng)
    }
}
