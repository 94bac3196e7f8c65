//! Chess by the FIDE laws, and Chess960.
//!
//! `RULES.md` numbers the rules; comments name them as R3.2. A tour:
//!
//! - [`Options`]: standard or Chess960, another start, automatic queens.
//! - [`Action`]: UCI moves and claims, their one spelling, and the [`Violation`]s with their
//!   [`Reason`]s.
//! - [`State`]: the position, the count of half-moves, the positions that can come again, and what a
//!   move or a claim does to them.
//! - [`View`], [`Event`]: the same for every viewer, since nothing is hidden.
//! - [`pgn`]: games as text, in and out.
//!
//! How the pieces move is the crate `cozy-chess`'s business; draws, claims, FEN, SAN and PGN are ours.
//! This file ties them to the [`Game`] trait and holds no rule of its own.

mod action;
mod bot;
mod fen;
mod material;
mod moves;
mod options;
pub mod pgn;
mod san;
mod state;
mod view;

use game_api::{
    BadView, Completeness, Context, Forfeit, Format, Game, GameMeta, GameRng, Outcome, Record,
    Seat, SeatSet, Seed, SetupError, Step, Viewer,
};

pub use action::{Action, Claim, Reason, Uci, Violation};
pub use bot::ChessBot;
pub use fen::FenError;
pub use options::{CHESS960_STARTS, Options, Variant};
pub use san::San;
pub use state::{Ended, Last, Start, State};
pub use view::{Deed, Event, Key, Preview, View};

/// R1.1: White and Black.
const SEATS: u8 = 2;

/// The rules of the game; they hold nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chess;

impl Game for Chess {
    const META: GameMeta = GameMeta {
        id: "chess",
        name: "Chess",
        rules_version: 1,
        seats: SEATS..=SEATS,
        hidden_information: false,
        draw_by_agreement: true,
        // R6.3: before each of 96 pawn moves and 30 captures, and after the last of them, at most 149
        // other half-moves; one more ends the match, unless a claim does.
        longest_match: (96 + 30 + 1) * 150 + 1,
    };

    type Options = Options;
    type State = State;
    type Action = Action;
    type View = View;
    type Event = Event;
    type Preview = Preview;
    type Violation = Violation;

    fn setup(&self, options: &Options, seats: u8, seed: &Seed) -> Result<State, SetupError> {
        if seats == SEATS {
            options.begin(seed)
        } else {
            Err(SetupError::InvalidPlayers { got: seats, allowed: Self::META.seats })
        }
    }

    fn position(
        &self,
        options: &Options,
        text: &str,
        _seed: &Seed,
    ) -> Result<(u8, State), SetupError> {
        Ok((SEATS, options.begin_at(text)?))
    }

    fn presets(&self) -> Vec<(&'static str, Options)> {
        let standard = Options::default();
        let chess960 = Options { variant: Variant::Chess960, ..standard.clone() };
        let auto_queen = Options { auto_queen: true, ..standard.clone() };
        vec![("standard", standard), ("chess960", chess960), ("auto-queen", auto_queen)]
    }

    fn to_act(&self, state: &State) -> SeatSet {
        state.to_act()
    }

    fn legal_actions(&self, state: &State, seat: Seat, out: &mut Vec<Action>) -> Completeness {
        if state.to_act().contains(seat) {
            out.extend(state.legal_moves().into_iter().map(Action::Move));
            out.extend(state.claims());
        }
        Completeness::Complete
    }

    fn apply(&self, state: &State, seat: Seat, action: &Action) -> Result<State, Violation> {
        state.apply(seat, *action)
    }

    /// Moves only, and draws end no line: so the published counts count.
    fn perft(&self, state: &State, depth: u32) -> u64 {
        moves::perft(&state.board, depth, state.manner)
    }

    fn suppose_turn(&self, state: &State, seat: Seat) -> Option<State> {
        state.supposing_turn(seat)
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        state.outcome()
    }

    fn forfeit(&self, state: &State, seat: Seat, cause: Forfeit) -> State {
        state.after_forfeit(seat, cause)
    }

    fn agree_draw(&self, state: &State) -> Option<State> {
        Some(state.after_agreement())
    }

    fn turn(&self, state: &State) -> u32 {
        state.plies
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
        view::event(step).deed.to_string()
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
        _rng: &mut GameRng,
    ) -> Result<State, BadView> {
        view::determinize(context, view)
    }

    fn formats(&self) -> &'static [Format] {
        &[Format { key: "pgn", media_type: "application/vnd.chess-pgn" }]
    }

    fn export(&self, record: &Record<'_, Self>, _format: &Format) -> String {
        pgn::Pgn::of_record(record).to_string()
    }
}
