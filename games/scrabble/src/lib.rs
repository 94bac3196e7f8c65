//! Scrabble with Stuff: words on fifteen by fifteen squares, and hidden specials under them.
//!
//! `RULES.md` numbers the rules; comments name them as R3.2. A tour:
//!
//! - [`Action`]: what a seat can decide and its one spelling; [`Violation`]: why it is refused.
//! - [`Options`]: the rules of a match, and the presets `classic`, `contract-a` and `contract-b`.
//! - `play`: the staged checks of a move, on what the seat that moves may know.
//! - `settling`, [`specials`], `score`, `challenge`, `end`: what becomes of a move and of a turn.
//! - [`State`]: everything; [`View`] and [`Event`]: what one viewer may know of it.
//! - [`ScrabbleBot`]: how the house plays it.
//! - [`gcg`] and the shell's positions: matches and boards as text.
//!
//! This file ties them to the [`Game`] trait and holds no rule of its own. What is a word, and which
//! plays a rack allows, is the crate `scrabble-words`'s to know.

mod action;
mod board;
mod bot;
mod challenge;
mod end;
mod event;
pub mod gcg;
mod listing;
mod options;
mod play;
mod position;
mod score;
mod settling;
mod sight;
pub mod specials;
mod square;
mod state;
mod tile;
mod view;
mod violation;

use std::sync::Arc;

use game_api::{
    BadView, Completeness, Context, Forfeit, Format, Game, GameMeta, GameRng, Outcome, Record,
    Seat, SeatSet, Seed, SetupError, Step, TimeOut, Viewer,
};
pub use scrabble_words::{Direction, Lexicon, LexiconError};
#[cfg(feature = "english")]
pub use scrabble_words::{ENGLISH_BYTES, english};

pub use action::{Action, Placement, Play, Spot};
pub use board::{Board, NoBoard, Run};
pub use bot::ScrabbleBot;
pub use end::{Ended, Reason};
pub use event::{Event, Settled};
pub use options::{
    Boom, Challenge, ChallengeRule, Laying, ListId, Negatives, Offer, Options, OwnSpecials,
    Scoring, Shape, Stacking, Supply, WordCheck,
};
pub use square::{LETTER_TIMES, NoSquare, Square, SquareSet, WORD_TIMES};
pub use state::{Last, Move, Pending, State};
pub use tile::{Counts, NoTiles, Tile, VALUES};
pub use view::{Heading, OwnedSpecials, PendingView, Preview, View};
pub use violation::{OtherWords, Violation};

use specials::{KINDS, Kind};

/// The game, with the list of words that it is played with.
#[derive(Clone)]
pub struct Scrabble {
    list: List,
    kinds: Vec<Kind>,
    presets: Vec<(&'static str, Options)>,
}

/// A list of words: handed over, or one that is made when it is first asked for.
#[derive(Clone)]
enum List {
    Shared(Arc<Lexicon>),
    Lazy(fn() -> &'static Lexicon),
}

/// What the rules look up.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    pub(crate) lexicon: &'a Lexicon,
    kinds: &'a [Kind],
}

impl<'a> Rules<'a> {
    pub(crate) fn kind(self, key: &str) -> Option<&'a Kind> {
        self.kinds.iter().find(|kind| kind.key == key)
    }
}

impl Scrabble {
    /// With this list.
    pub fn new(lexicon: Arc<Lexicon>) -> Scrabble {
        Scrabble::with(List::Shared(lexicon))
    }

    /// With a list that is asked for when it is first needed, such as the embedded one.
    pub fn lazily(lexicon: fn() -> &'static Lexicon) -> Scrabble {
        Scrabble::with(List::Lazy(lexicon))
    }

    fn with(list: List) -> Scrabble {
        let presets = vec![
            ("classic", Options::classic()),
            ("contract-a", Options::contract_a()),
            ("contract-b", Options::contract_b()),
        ];
        Scrabble { list, kinds: KINDS.to_vec(), presets }
    }

    /// And with one more kind of special, which options can offer.
    #[must_use]
    pub fn with_kind(mut self, kind: Kind) -> Scrabble {
        self.kinds.push(kind);
        self
    }

    /// And with one more named set of options.
    #[must_use]
    pub fn with_preset(mut self, name: &'static str, options: Options) -> Scrabble {
        self.presets.push((name, options));
        self
    }

    /// The list of words.
    pub fn lexicon(&self) -> &Lexicon {
        match &self.list {
            List::Shared(lexicon) => lexicon,
            List::Lazy(make) => make(),
        }
    }

    /// What the list is called, and its hash.
    pub fn list_id(&self) -> ListId {
        ListId::of(self.lexicon())
    }

    /// R3.1: refuses options that name another list than the one that is here.
    fn check_words(&self, options: &Options) -> Result<(), OtherWords> {
        let here = self.list_id();
        match &options.words {
            Some(asked) if asked.hash != here.hash => {
                Err(OtherWords { asked: asked.name.clone(), here: here.name })
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn rules(&self) -> Rules<'_> {
        Rules { lexicon: self.lexicon(), kinds: &self.kinds }
    }

    /// Refuses options that make no match with this list and these kinds.
    fn check_options(&self, options: &Options) -> Result<(), SetupError> {
        options.check()?;
        self.check_words(options).map_err(|error| SetupError::InvalidSetup(error.to_string()))?;
        let unknown = |offer: &&Offer| self.rules().kind(&offer.kind).is_none();
        match options.specials.iter().find(unknown) {
            Some(offer) => {
                let what = format!("there is no special {:.40}", offer.kind);
                Err(SetupError::InvalidSetup(what))
            }
            None => Ok(()),
        }
    }
}

/// How many plays a list of legal actions has at most.
pub const PLAYS_LISTED: usize = 64;

impl Game for Scrabble {
    const META: GameMeta = GameMeta {
        id: "scrabble",
        name: "Scrabble with Stuff",
        rules_version: 1,
        seats: 2..=4,
        hidden_information: true,
        draw_by_agreement: false,
        // Every turn that scores uses up one of at most 400 tiles, and at most 35 turns between two
        // of them score nothing (R9.3); a turn has a move and three answers. Points for specials
        // come from the same moves: a hundred purchases for each would be more than their scores pay.
        longest_match: 400 * 36 * 4 + 400 * 100,
    };

    type Options = Options;
    type State = State;
    type Action = Action;
    type View = View;
    type Event = Event;
    type Preview = Preview;
    type Violation = Violation;

    fn complete(&self, options: Options) -> Options {
        let words = options.words.or_else(|| Some(self.list_id()));
        Options { words, ..options }
    }

    fn setup(&self, options: &Options, seats: u8, seed: &Seed) -> Result<State, SetupError> {
        self.check_options(options)?;
        State::deal(options.clone(), seats, seed)
    }

    fn position(
        &self,
        options: &Options,
        text: &str,
        seed: &Seed,
    ) -> Result<(u8, State), SetupError> {
        self.check_options(options)?;
        position::read(self.lexicon(), options, text, seed)
    }

    fn presets(&self) -> Vec<(&'static str, Options)> {
        let fill = |(name, options): &(&'static str, Options)| (*name, options.clone());
        self.presets
            .iter()
            .map(fill)
            .map(|(name, options)| (name, self.complete(options)))
            .collect()
    }

    fn to_act(&self, state: &State) -> SeatSet {
        state.to_act()
    }

    fn legal_actions(&self, state: &State, seat: Seat, out: &mut Vec<Action>) -> Completeness {
        listing::list(&state.sight(seat, self.lexicon()), out)
    }

    fn sample(&self, state: &State, seat: Seat, rng: &mut GameRng) -> Option<Action> {
        listing::sample(&state.sight(seat, self.lexicon()), rng)
    }

    fn plays(&self, state: &State, seat: Seat) -> Vec<(Action, i32)> {
        listing::plays(&state.sight(seat, self.lexicon()))
            .into_iter()
            .map(|(placement, score)| {
                (Action::Play(Play { placement, specials: Vec::new() }), score)
            })
            .collect()
    }

    fn apply(&self, state: &State, seat: Seat, action: &Action) -> Result<State, Violation> {
        state.sight(seat, self.lexicon()).check(action)?;
        Ok(state.after(self.rules(), seat, action))
    }

    fn suppose_turn(&self, state: &State, seat: Seat) -> Option<State> {
        state.as_if_turn_of(seat)
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        state.outcome()
    }

    fn forfeit(&self, state: &State, seat: Seat, cause: Forfeit) -> State {
        state.after_forfeit(self.rules(), seat, cause)
    }

    fn agree_draw(&self, _state: &State) -> Option<State> {
        None
    }

    fn turn(&self, state: &State) -> u32 {
        state.turn
    }

    fn window(&self, state: &State) -> Option<u32> {
        let is_open = state.pending.is_some() && state.ended.is_none();
        state.options.challenge.filter(|_| is_open).map(|challenge| challenge.window_s)
    }

    fn time_out(&self, state: &State, _seat: Seat) -> TimeOut<Action> {
        // R8.6
        if state.pending.is_some() { TimeOut::Act(Action::Accept) } else { TimeOut::Forfeit }
    }

    fn reveals(&self, step: &Step<'_, Self>) -> bool {
        // R11.5: an exchange draws although it leaves the bag as full as it was.
        let has_drawn = matches!(step.action, Action::Exchange(_))
            || step.before.pools.iter().ne(&step.after.pools);
        let has_fired = step.after.last_move().is_some_and(|last| !last.fired.is_empty())
            && step.before.last != step.after.last;
        has_drawn || has_fired
    }

    fn view(&self, state: &State, viewer: Viewer) -> View {
        View::of(state, viewer)
    }

    fn event(&self, step: &Step<'_, Self>, viewer: Viewer) -> Event {
        Event::of(self.rules(), step, viewer)
    }

    fn notation(&self, step: &Step<'_, Self>, viewer: Viewer) -> String {
        // Written from the event, it can tell no more than the event does.
        Event::of(self.rules(), step, viewer).to_string()
    }

    fn preview(
        &self,
        context: &Context<'_, Self>,
        view: &View,
        action: &Action,
    ) -> Result<Preview, Violation> {
        self.check_words(context.options)?;
        view.preview(self.rules(), context, action)
    }

    fn determinize(
        &self,
        context: &Context<'_, Self>,
        view: &View,
        rng: &mut GameRng,
    ) -> Result<State, BadView> {
        let other = |_| BadView("it is played with another list of words");
        self.check_words(context.options).map_err(other)?;
        view.determinize(context, rng)
    }

    fn formats(&self) -> &'static [Format] {
        &[Format { key: "gcg", media_type: "text/plain; charset=utf-8" }]
    }

    fn export(&self, record: &Record<'_, Self>, _format: &Format) -> String {
        gcg::Gcg::of_record(record).to_string()
    }
}
