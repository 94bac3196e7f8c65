//! The kit bites: the template game, broken in one way at a time, is caught each time, by the law
//! that is there for it. Unbroken, it passes all of them.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use game_api::{
    BadView, Completeness, Context, Forfeit, Game, GameMeta, GameRng, Outcome, Seat, SeatSet, Seed,
    SetupError, Step, TimeOut, Viewer,
};
use game_testkit::{leak_law, replay_laws, text_laws, view_laws, walk_laws};
use serde::{Deserialize, Serialize};
use template::{Card, Options, Place, Preview, Snare, Template, Violation};

/// One way to get it wrong.
trait Fault: Default + Send + Sync + 'static {
    /// Does META say that nothing is hidden?
    const DENIES_SECRETS: bool = false;
    /// What leaks into the view of anybody.
    fn view_leak(_state: &template::State) -> Vec<u8> {
        Vec::new()
    }
    /// What leaks into the event of anybody.
    fn event_leak(_before: &template::State, _action: template::Action) -> Vec<u8> {
        Vec::new()
    }
    /// What leaks into the notation of anybody.
    fn notation_leak(_action: template::Action) -> String {
        String::new()
    }
    /// Changes the twin so that it fits what leaked into the view.
    fn honour(_twin: &mut template::State, _leak: &[u8]) {}
    /// Is this illegal action accepted?
    fn accepts(_action: template::Action, _violation: &Violation) -> bool {
        false
    }
    /// What a refusal of this action tells beyond what it should.
    fn refusal_leak(_state: &template::State, violation: Violation) -> Violation {
        violation
    }
    /// Is this legal action refused?
    fn refuses(_action: template::Action) -> bool {
        false
    }
    /// What is read before the real parser sees it.
    fn read(text: &str) -> String {
        text.to_owned()
    }
    /// Called at each refusal.
    fn refused(_touched: &Touched) {}
    /// The seed that the deal really uses.
    fn seed(seed: &Seed) -> Seed {
        *seed
    }
    /// Is there no draw, although META says so?
    fn forgets_draw() -> bool {
        false
    }
    /// Is a finished match said to have no outcome?
    fn forgets_outcome() -> bool {
        false
    }
}

/// Something in a state that can change behind a shared reference, as none should.
#[derive(Clone, Default)]
struct Touched(Arc<AtomicU64>);

impl PartialEq for Touched {
    fn eq(&self, other: &Self) -> bool {
        self.0.load(Ordering::Relaxed) == other.0.load(Ordering::Relaxed)
    }
}

impl Eq for Touched {}

impl Hash for Touched {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.load(Ordering::Relaxed).hash(hasher);
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    real: template::State,
    touched: Touched,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct View {
    real: template::View,
    leak: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Event {
    real: template::Event,
    leak: Vec<u8>,
}

struct Action<F>(template::Action, PhantomData<F>);

impl<F> Clone for Action<F> {
    fn clone(&self) -> Self {
        Action(self.0, PhantomData)
    }
}

impl<F> PartialEq for Action<F> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<F> Eq for Action<F> {}

impl<F> fmt::Debug for Action<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<F> fmt::Display for Action<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<F: Fault> FromStr for Action<F> {
    type Err = Violation;

    fn from_str(text: &str) -> Result<Self, Violation> {
        Ok(Action(F::read(text).parse()?, PhantomData))
    }
}

/// The template game with a fault.
#[derive(Default)]
struct Broken<F>(PhantomData<F>);

impl<F: Fault> Broken<F> {
    fn real_step<'a>(step: &'a Step<'_, Self>) -> Step<'a, Template> {
        let (before, after) = (&step.before.real, &step.after.real);
        Step { before, seat: step.seat, action: &step.action.0, after }
    }

    fn real_context<'a>(context: &Context<'a, Self>) -> Context<'a, Template> {
        let Context { options, seats, viewer } = *context;
        Context { options, seats, viewer }
    }
}

impl<F: Fault> Game for Broken<F> {
    const META: GameMeta = GameMeta {
        hidden_information: Template::META.hidden_information && !F::DENIES_SECRETS,
        ..Template::META
    };

    type Options = Options;
    type State = State;
    type Action = Action<F>;
    type View = View;
    type Event = Event;
    type Preview = Preview;
    type Violation = Violation;

    fn setup(&self, options: &Options, seats: u8, seed: &Seed) -> Result<State, SetupError> {
        let real = Template.setup(options, seats, &F::seed(seed))?;
        Ok(State { real, touched: Touched::default() })
    }

    fn to_act(&self, state: &State) -> SeatSet {
        Template.to_act(&state.real)
    }

    fn legal_actions(&self, state: &State, seat: Seat, out: &mut Vec<Action<F>>) -> Completeness {
        let mut actions = Vec::new();
        let completeness = Template.legal_actions(&state.real, seat, &mut actions);
        out.extend(actions.into_iter().map(|action| Action(action, PhantomData)));
        completeness
    }

    fn apply(&self, state: &State, seat: Seat, action: &Action<F>) -> Result<State, Violation> {
        let touched = Touched(Arc::new(AtomicU64::new(state.touched.0.load(Ordering::Relaxed))));
        match Template.apply(&state.real, seat, &action.0) {
            Ok(real) if !F::refuses(action.0) => Ok(State { real, touched }),
            Err(violation) if F::accepts(action.0, &violation) => {
                Ok(State { real: state.real.clone(), touched })
            }
            refused => {
                F::refused(&state.touched);
                let violation = refused.err().unwrap_or(Violation::MustNotPass);
                Err(F::refusal_leak(&state.real, violation))
            }
        }
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        Template.outcome(&state.real).filter(|_| !F::forgets_outcome())
    }

    fn forfeit(&self, state: &State, seat: Seat, cause: Forfeit) -> State {
        State { real: Template.forfeit(&state.real, seat, cause), touched: state.touched.clone() }
    }

    fn agree_draw(&self, state: &State) -> Option<State> {
        let real = Template.agree_draw(&state.real).filter(|_| !F::forgets_draw())?;
        Some(State { real, touched: state.touched.clone() })
    }

    fn turn(&self, state: &State) -> u32 {
        Template.turn(&state.real)
    }

    fn time_out(&self, state: &State, seat: Seat) -> TimeOut<Action<F>> {
        match Template.time_out(&state.real, seat) {
            TimeOut::Act(action) => TimeOut::Act(Action(action, PhantomData)),
            TimeOut::Forfeit => TimeOut::Forfeit,
        }
    }

    fn reveals(&self, step: &Step<'_, Self>) -> bool {
        Template.reveals(&Self::real_step(step))
    }

    fn view(&self, state: &State, viewer: Viewer) -> View {
        View { real: Template.view(&state.real, viewer), leak: F::view_leak(&state.real) }
    }

    fn event(&self, step: &Step<'_, Self>, viewer: Viewer) -> Event {
        let real = Template.event(&Self::real_step(step), viewer);
        Event { real, leak: F::event_leak(&step.before.real, step.action.0) }
    }

    fn notation(&self, step: &Step<'_, Self>, viewer: Viewer) -> String {
        Template.notation(&Self::real_step(step), viewer) + &F::notation_leak(step.action.0)
    }

    fn preview(
        &self,
        context: &Context<'_, Self>,
        view: &View,
        action: &Action<F>,
    ) -> Result<Preview, Violation> {
        Template.preview(&Self::real_context(context), &view.real, &action.0)
    }

    fn determinize(
        &self,
        context: &Context<'_, Self>,
        view: &View,
        rng: &mut GameRng,
    ) -> Result<State, BadView> {
        let mut real = Template.determinize(&Self::real_context(context), &view.real, rng)?;
        F::honour(&mut real, &view.leak);
        Ok(State { real, touched: Touched::default() })
    }
}

/// What nobody but its owner has seen, dealt anew.
fn redeal(state: &State, viewer: Viewer, rng: &mut GameRng) -> State {
    let mut twin = state.clone();
    let real = &mut twin.real;
    let others = || Seat::all(state.real.seats).filter(|seat| !viewer.is(*seat)).map(Seat::index);
    let mut unseen: Vec<Card> = std::mem::take(&mut real.stock);
    unseen.extend(others().flat_map(|other| state.real.hands[other].iter().copied()));
    rng.shuffle(&mut unseen);
    for other in others() {
        real.hands[other] = unseen.split_off(unseen.len() - state.real.hands[other].len());
        if real.snares[other] != Snare::Sprung {
            real.snares[other] = match rng.below(Place::ALL.len() + 1) {
                0 => Snare::Held,
                place => Snare::Laid(Place::ALL[place - 1]),
            };
        }
    }
    real.stock = unseen;
    twin
}

/// The laws that the fault breaks.
fn broken_laws<F: Fault>() -> Vec<&'static str> {
    let game = Arc::new(Broken::<F>::default());
    let failures = [
        walk_laws(&game, 200).err(),
        view_laws(&game, 20).err(),
        leak_law(&game, redeal, 20).err(),
        text_laws(&game, 60).err(),
        replay_laws(&game, 20).err(),
    ];
    failures.into_iter().flatten().map(|failure| failure.law).collect()
}

#[track_caller]
fn check<F: Fault>(expected: &[&str]) {
    assert_eq!(broken_laws::<F>(), expected);
}

/// Declares a fault and the laws that catch it.
macro_rules! fault {
    ($test:ident breaks $law:expr; $($body:tt)*) => {
        #[test]
        fn $test() {
            #[derive(Default)]
            struct It;
            impl Fault for It { $($body)* }
            check::<It>(&$law);
        }
    };
}

fault! { the_unbroken_game_passes breaks []; }

fault! {
    a_draw_that_meta_promises_in_vain breaks ["META says whether a draw can be agreed on"];
    fn forgets_draw() -> bool {
        true
    }
}

fault! {
    secrets_that_meta_denies breaks ["without secrets all see alike"];
    const DENIES_SECRETS: bool = true;
}

fault! {
    a_drawn_card_shown_to_all breaks ["an event hides what is hidden"];
    fn event_leak(before: &template::State, action: template::Action) -> Vec<u8> {
        match action {
            template::Action::Swap(_) => before.stock.last().copied().into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

fault! {
    the_next_card_in_the_view breaks ["what is filled in looks the same", "a view hides what is hidden"];
    fn view_leak(state: &template::State) -> Vec<u8> {
        state.stock.last().copied().into_iter().collect()
    }
}

fault! {
    the_next_card_in_the_view_and_determinize_honours_it breaks ["a view hides what is hidden"];
    fn view_leak(state: &template::State) -> Vec<u8> {
        state.stock.last().copied().into_iter().collect()
    }
    fn honour(twin: &mut template::State, leak: &[u8]) {
        if let Some(wanted) = leak.first() {
            bring_to_top(twin, *wanted);
        }
    }
}

/// Exchanges the stock's top card with one of that rank from the stock or, if there is none, makes
/// it that rank: what is left unbalanced is nobody's own hand.
fn bring_to_top(state: &mut template::State, wanted: Card) {
    let top = state.stock.len() - 1;
    match state.stock.iter().position(|card| *card == wanted) {
        Some(at) => state.stock.swap(at, top),
        None => state.stock[top] = wanted,
    }
}

fault! {
    a_laid_token_in_anothers_event breaks ["an event hides what is hidden"];
    fn event_leak(_before: &template::State, action: template::Action) -> Vec<u8> {
        match action {
            template::Action::Play { snare: Some(place), .. } => place.to_string().into_bytes(),
            _ => Vec::new(),
        }
    }
}

fault! {
    a_token_that_lies_in_anothers_event breaks ["an event hides what is hidden"];
    fn event_leak(before: &template::State, _action: template::Action) -> Vec<u8> {
        before.snares.iter().map(|snare| u8::from(matches!(snare, Snare::Laid(_)))).collect()
    }
}

fault! {
    a_secret_of_the_action_text_in_anothers_notation breaks ["a notation hides what is hidden"];
    fn notation_leak(action: template::Action) -> String {
        match action {
            template::Action::Swap(card) => card.to_string(),
            _ => String::new(),
        }
    }
}

fault! {
    an_illegal_card_accepted breaks [
        "what is not listed is refused", "a preview agrees with the rules",
        "what is not listed is refused",
    ];
    fn accepts(_action: template::Action, violation: &Violation) -> bool {
        matches!(violation, Violation::CardNotHeld { card: 6 })
    }
}

fault! {
    a_legal_card_refused breaks [ "what is listed is accepted", "a preview agrees with the rules", "what is listed is accepted", "what is listed is accepted", "what is listed is accepted", ];
    fn refuses(action: template::Action) -> bool {
        matches!(action, template::Action::Play { card: 6, .. })
    }
}

fault! {
    a_view_with_every_hand breaks ["what is filled in looks the same", "a view hides what is hidden"];
    fn view_leak(state: &template::State) -> Vec<u8> {
        state.hands.concat()
    }
}

fault! {
    a_panic_on_odd_text breaks ["no text panics"];
    fn read(text: &str) -> String {
        text[..text.len().min(1)].to_owned() + &text[text.len().min(1)..]
    }
}

fault! {
    two_spellings_of_an_action breaks ["one spelling an action"];
    fn read(text: &str) -> String {
        text.to_ascii_lowercase()
    }
}

fault! {
    a_refusal_that_changes_the_state breaks ["a refusal leaves the state", "a refusal leaves the state"];
    fn refused(touched: &Touched) {
        touched.0.fetch_add(1, Ordering::Relaxed);
    }
}

fault! {
    a_deal_that_is_not_deterministic breaks ["the same seed and actions give the same match"];
    fn seed(_seed: &Seed) -> Seed {
        static DEALS: AtomicU64 = AtomicU64::new(0);
        Seed::from_number(DEALS.fetch_add(1, Ordering::Relaxed))
    }
}

fault! {
    an_end_without_an_outcome breaks ["over exactly when nobody is to act"];
    fn forgets_outcome() -> bool {
        true
    }
}

fault! {
    an_action_accepted_that_is_never_listed breaks ["what is not listed is refused"];
    fn accepts(_action: template::Action, violation: &Violation) -> bool {
        matches!(violation, Violation::SnareUnderPlay { .. })
    }
}

fault! {
    a_refusal_that_tells_a_secret breaks ["a refusal hides what is hidden"];
    fn refusal_leak(state: &template::State, violation: Violation) -> Violation {
        match (violation, state.stock.last()) {
            (Violation::CardNotHeld { .. }, Some(next)) => Violation::CardNotHeld { card: *next },
            (violation, _) => violation,
        }
    }
}
