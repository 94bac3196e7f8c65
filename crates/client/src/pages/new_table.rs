//! M10: the ways to begin a match: with whoever wants the same, against a bot, at a table of one's own,
//! on one screen.

use std::iter;
use std::rc::Rc;
use std::time::Duration;

use board_kit::{hear, live, shown_while, words};
use client_core::{Route, Who, sentence_case, sentence_of_clock, title_of_key};
use game_api::Seat;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{
    BotInfo, BotSeat, ClockSetting, CreateLobbyRequest, CreateMatchRequest, GameInfo, LobbySummary,
    MatchStarted, MatchTerms, Object, Opponents, PairingRequest, PairingResponse, Preset,
};
use serde_json::Value;
use web_sys::SubmitEvent;

use super::table::{Against, begin_practice};
use super::terms::{
    clock_choice, level_choice, option_fields, seat_choices, select, switch, usual_level,
};
use crate::api::{self, Failure};
use crate::boards::about;
use crate::browser::random;
use crate::navigation::{Navigation, link};
use crate::reading::{is_learned, reading};
use crate::rules::Rules;
use crate::session::Session;

/// Strangers play by the clock, so that nobody waits for somebody who has left.
const QUICK_CLOCK: ClockSetting = ClockSetting::Fischer { initial_s: 600, increment_s: 5 };
/// The server forgets a wish that is not repeated within two minutes.
const ASK_AGAIN_AFTER: Duration = Duration::from_secs(45);

/// Is somebody logged in? Else they are sent to the door, and come back.
fn is_somebody(session: Session, navigation: Navigation) -> bool {
    let is_nobody = untrack(|| session.who() == Who::Nobody);
    if is_nobody {
        navigation.go(&Route::Login { next: Some(Route::Home.address()) });
    }
    !is_nobody
}

/// Who looks for an opponent, in one game.
#[derive(Clone, Copy)]
struct Seeker {
    game: StoredValue<String>,
    is_seeking: RwSignal<bool>,
    error: RwSignal<String>,
    navigation: Navigation,
}

impl Seeker {
    /// Asks, and asks again while people wait here.
    fn ask(self) {
        let Some(game) = self.game.try_get_value() else { return };
        let request = PairingRequest { game, preset: None, seats: None, clock: QUICK_CLOCK };
        spawn_local(async move {
            let answer = api::post::<PairingResponse>("pairing", &request).await;
            if self.is_seeking.try_get_untracked() != Some(true) {
                return;
            }
            match answer {
                Ok(PairingResponse { match_id: Some(id) }) => {
                    self.is_seeking.set(false);
                    self.navigation.go(&Route::Match { id: id.to_string() });
                }
                Ok(_) | Err(Failure::NetworkError) => {
                    let again = move || {
                        if self.is_seeking.try_get_untracked() == Some(true) {
                            self.ask();
                        }
                    };
                    set_timeout(again, ASK_AGAIN_AFTER);
                }
                Err(failure) => {
                    self.is_seeking.set(false);
                    self.error.set(sentence_case(&failure.sentence()));
                }
            }
        });
    }

    /// Waits no longer.
    fn stop(self) {
        if self.is_seeking.try_get_untracked() == Some(true) {
            self.is_seeking.try_set(false);
            // A wish that cannot be taken back is forgotten by itself.
            spawn_local(async { drop(api::change("DELETE", "pairing").await) });
        }
    }
}

/// The button that finds an opponent, and what it says while it looks.
pub(super) fn quick_pair(game: &str) -> AnyView {
    let seeker = Seeker {
        game: StoredValue::new(game.to_owned()),
        is_seeking: RwSignal::new(false),
        error: RwSignal::new(String::new()),
        navigation: expect_context(),
    };
    let session = expect_context::<Session>();
    on_cleanup(move || seeker.stop());
    let change = hear(move |_| {
        if seeker.is_seeking.get_untracked() {
            seeker.stop();
        } else if is_somebody(session, seeker.navigation) {
            seeker.error.set(String::new());
            seeker.is_seeking.set(true);
            seeker.ask();
        }
    });
    let label = move || {
        let label = if seeker.is_seeking.get() { "Stop looking" } else { "Play someone" };
        label.to_owned()
    };
    let state = move || {
        if seeker.is_seeking.get() {
            format!("Looking for somebody… {}", sentence_of_clock(&QUICK_CLOCK))
        } else {
            seeker.error.get()
        }
    };
    view! {
        <button class="primary" on:click=change>{words(label)}</button>
        <p class="hint seeking" role="status">{words(state)}</p>
    }
    .into_any()
}

/// What is chosen for a new table so far.
#[derive(Clone)]
struct Choice {
    preset: usize,
    /// All options, once one differs from the preset's.
    changed: Option<Object>,
    seats: u8,
    clock: ClockSetting,
    is_public: bool,
    /// So many bots, of this level.
    bots: u8,
    level: u8,
    /// One's own seat, or by lot.
    own: Option<Seat>,
}

impl Choice {
    /// The usual rules, without a clock and without bots.
    fn usual(game: &GameInfo) -> Choice {
        Choice {
            preset: 0,
            changed: None,
            seats: game.seats_min,
            clock: ClockSetting::None,
            is_public: true,
            bots: 0,
            level: usual_level(),
            own: None,
        }
    }

    /// Is nobody else needed?
    fn is_complete(&self) -> bool {
        self.bots > 0 && self.bots + 1 >= self.seats
    }

    fn own_or_lot(&self) -> Option<Seat> {
        let lot = || Seat::new(u8::try_from(random() % u64::from(self.seats)).unwrap_or_default());
        self.own.or_else(lot)
    }
}

fn number(seat: Seat) -> Option<u8> {
    u8::try_from(seat.index()).ok()
}

/// The form for a table, as long as it is open.
#[derive(Clone, Copy)]
struct NewTable {
    game: StoredValue<GameInfo>,
    choice: RwSignal<Choice>,
    error: RwSignal<String>,
    is_busy: RwSignal<bool>,
    session: Session,
    navigation: Navigation,
    rules: Rules,
}

impl NewTable {
    fn new(game: StoredValue<GameInfo>) -> NewTable {
        NewTable {
            game,
            choice: RwSignal::new(game.with_value(Choice::usual)),
            error: RwSignal::new(String::new()),
            is_busy: RwSignal::new(false),
            session: expect_context(),
            navigation: expect_context(),
            rules: expect_context(),
        }
    }

    fn options(self) -> Object {
        let choice = self.choice.get_untracked();
        choice.changed.unwrap_or_else(|| self.preset_options(choice.preset))
    }

    fn preset_options(self, index: usize) -> Object {
        let preset = self.game.with_value(|game| Some(game.presets.get(index)?.options.clone()));
        preset.unwrap_or_default()
    }

    fn terms(self) -> MatchTerms {
        let Choice { preset, changed, seats, clock, .. } = self.choice.get_untracked();
        self.game.with_value(|game| MatchTerms {
            game: game.id.clone(),
            preset: match changed {
                Some(_) => None,
                None => game.presets.get(preset).map(|it| it.name.clone()),
            },
            options: changed,
            seats: Some(seats),
            clock,
            spectator_delay_s: 0,
        })
    }

    fn finish(self, made: Result<Route, Failure>) {
        self.is_busy.try_set(false);
        match made {
            Ok(route) => self.navigation.go(&route),
            Err(failure) => drop(self.error.try_set(sentence_case(&failure.sentence()))),
        }
    }

    fn invite(self) {
        self.is_busy.set(true);
        let choice = self.choice.get_untracked();
        let bots = vec![BotSeat { seat: None, level: choice.level }; usize::from(choice.bots)];
        let seat = choice.own_or_lot().and_then(number);
        let request =
            CreateLobbyRequest { terms: self.terms(), public: choice.is_public, seat, bots };
        spawn_local(async move {
            let made = api::post::<LobbySummary>("lobbies", &request).await;
            self.finish(made.map(|lobby| Route::Lobby { id: lobby.id.to_string() }));
        });
    }

    fn play_here(self) {
        self.begin(Opponents::HotSeat, Some(Against::nobody()));
    }

    /// Against bots, or watching them.
    fn play_bots(self) {
        let choice = self.choice.get_untracked();
        let Choice { seats, bots, level, .. } = choice;
        let own = choice.own_or_lot().filter(|_| bots < seats);
        let bots = Seat::all(seats).filter(|seat| Some(*seat) != own);
        let bots = bots.map(|it| BotSeat { seat: number(it), level }).collect();
        self.begin(Opponents::Bots(bots), own.map(|own| Against::bots(level, own)));
    }

    /// On the server, or without one on this screen, if that can be.
    fn begin(self, opponents: Opponents, here: Option<Against>) {
        self.is_busy.set(true);
        let request = CreateMatchRequest { terms: self.terms(), opponents };
        let is_nobody = untrack(|| self.session.who() == Who::Nobody);
        let options = serde_json::to_string(&self.options()).unwrap_or_default();
        spawn_local(async move {
            // Whoever is nobody there plays here.
            let made = if is_nobody {
                Err(Failure::NetworkError)
            } else {
                api::post::<MatchStarted>("matches", &request).await
            };
            let (game, seats) = (request.terms.game, request.terms.seats.unwrap_or(2));
            let route = Route::Practice { game: game.clone() };
            match (made, here) {
                (Err(Failure::NetworkError), Some(against)) => {
                    against.keep(&game);
                    self.rules.fetch().await;
                    self.rules.take_words(&options).await;
                    match begin_practice(self.rules, &game, options, seats) {
                        Some(Ok(_)) => self.finish(Ok(route)),
                        _ => self.finish(Err(Failure::NetworkError)),
                    }
                }
                (made, _) => {
                    self.finish(made.map(|it| Route::Match { id: it.match_id.to_string() }));
                }
            }
        });
    }

    fn choose(self, change: impl Fn(&mut Choice)) {
        self.choice.update(change);
        self.error.set(String::new());
    }

    fn preset_choice(self) -> AnyView {
        let presets = self.game.with_value(|game| game.presets.clone());
        let name =
            |(index, preset): (usize, Preset)| (index.to_string(), title_of_key(&preset.name));
        let names: Vec<(String, String)> = presets.into_iter().enumerate().map(name).collect();
        select("Rules", names, "0", move |index| {
            self.choose(|it| {
                it.preset = index.parse().unwrap_or_default();
                it.changed = None;
            });
        })
    }

    /// The options of the preset that is chosen.
    fn details(self) -> AnyView {
        let preset = Memo::new(move |_| self.choice.with(|it| it.preset));
        let about = self.game.with_value(|game| about(&game.id));
        let set = move |key: String, value: Value| {
            let mut options = self.options();
            options.insert(key, value);
            self.choose(|it| it.changed = Some(options.clone()));
        };
        live(move || {
            let set: Rc<dyn Fn(String, Value)> = Rc::new(set);
            option_fields(about, self.preset_options(preset.get()), &set)
        })
    }

    fn seats_choice(self) -> AnyView {
        let (least, most) = self.game.with_value(|game| (game.seats_min, game.seats_max));
        if least == most {
            return ().into_any();
        }
        let counts = (least..=most).map(|it| (it.to_string(), format!("{it} players")));
        select("Seats", counts.collect(), &least.to_string(), move |count| {
            self.choose(|it| {
                it.seats = count.parse().unwrap_or(least);
                it.bots = it.bots.min(it.seats);
                it.own = None;
            });
        })
    }

    /// How many bots play too, and how well.
    fn bots_choice(self) -> AnyView {
        let bots = self.game.with_value(|game| game.bots.clone());
        if bots.is_empty() {
            return ().into_any();
        }
        let seats = Memo::new(move |_| self.choice.with(|it| it.seats));
        let count = Memo::new(move |_| self.choice.with(|it| it.bots));
        let counts = live(move || {
            let seats = seats.get();
            let words = |count: u8| match count {
                0 => "None".to_owned(),
                1 => "One".to_owned(),
                _ if count == seats => "At all seats: you watch".to_owned(),
                _ => count.to_string(),
            };
            let counts = (0..=seats).map(|count| (count.to_string(), words(count)));
            let now = count.get_untracked().to_string();
            select("Bots", counts.collect(), &now, move |count| {
                self.choose(|it| it.bots = count.parse().unwrap_or_default());
            })
        });
        let level = live(move || match count.get() {
            0 => ().into_any(),
            _ => self.level_choice("How strong", &bots),
        });
        view! { {counts} {level} }.into_any()
    }

    fn level_choice(self, label: &str, bots: &[BotInfo]) -> AnyView {
        let now = self.choice.with_untracked(|it| it.level);
        level_choice(label, bots, now, move |level| self.choose(|it| it.level = level))
    }

    /// Where one sits oneself, unless one only watches.
    fn own_choice(self) -> AnyView {
        let free =
            Memo::new(move |_| self.choice.with(|it| (it.bots < it.seats).then_some(it.seats)));
        live(move || {
            let Some(seats) = free.get() else { return ().into_any() };
            let lot = (String::new(), "by lot".to_owned());
            let choices = iter::once(lot).chain(seat_choices(seats));
            let now = self.choice.with_untracked(|it| it.own).map(|seat| seat.index().to_string());
            select("You are", choices.collect(), &now.unwrap_or_default(), move |seat| {
                self.choose(|it| it.own = seat.parse().ok().and_then(Seat::new));
            })
        })
    }

    /// A button; it rests while what was asked for before is under way.
    fn button(self, class: &'static str, word: &'static str, act: fn(NewTable)) -> AnyView {
        let act = hear(move |_| act(self));
        view! { <button class=class disabled=move || self.is_busy.get() on:click=act>{word}</button> }
            .into_any()
    }
}

/// The button that begins a match against a bot at once, and its level.
pub(super) fn play_a_bot(game: &GameInfo) -> AnyView {
    if game.bots.is_empty() {
        return ().into_any();
    }
    let table = NewTable::new(StoredValue::new(game.clone()));
    table.choose(|it| it.bots = it.seats - 1);
    let level = table.level_choice("Its level", &game.bots);
    view! {
        <div class="bot">{table.button("", "Play a bot", NewTable::play_bots)} {level}</div>
        <p class="error" role="alert">{words(move || table.error.get())}</p>
    }
    .into_any()
}

/// The button that opens the form of a table, and the form.
pub(super) fn set_a_table(game: &GameInfo) -> AnyView {
    let is_open = RwSignal::new(false);
    let game = StoredValue::new(game.clone());
    let (session, navigation) = (expect_context(), expect_context());
    let open = hear(move |_| {
        if is_somebody(session, navigation) {
            is_open.update(|it| *it = !*it);
        }
    });
    view! {
        <button aria-expanded=move || is_open.get().to_string() on:click=open>"Set a table"</button>
        {shown_while(is_open.into(), move || form(game))}
    }
    .into_any()
}

fn form(game: StoredValue<GameInfo>) -> AnyView {
    let id = game.with_value(|game| game.id.clone());
    let table = NewTable::new(game);
    table.rules.open();
    let stay = hear(|event: SubmitEvent| event.prevent_default());
    let is_complete = Memo::new(move |_| table.choice.with(Choice::is_complete));
    let has_bots = Memo::new(move |_| table.choice.with(|it| it.bots > 0));
    let list = move || {
        let set = move |is_on| table.choose(|it| it.is_public = is_on);
        switch("Show it to all in the list", table.choice.with_untracked(|it| it.is_public), set)
    };
    let buttons = move || match (is_complete.get(), has_bots.get()) {
        (true, _) => table.button("primary", "Begin", NewTable::play_bots),
        (false, true) => table.button("primary", "Invite others", NewTable::invite),
        (false, false) => view! {
            {table.button("primary", "Invite others", NewTable::invite)}
            {table.button("", "Play here, on one screen", NewTable::play_here)}
        }
        .into_any(),
    };
    view! {
        <form class="table" on:submit=stay>
            {first_time(&id)}
            {table.preset_choice()}
            <details>
                <summary>"Change the details"</summary>
                {table.details()}
            </details>
            {table.seats_choice()}
            {table.bots_choice()}
            {table.own_choice()}
            {clock_choice(move |clock| table.choose(|it| it.clock = clock))}
            {shown_while(Signal::derive(move || !is_complete.get()), list)}
            <p class="error" role="alert">{words(move || table.error.get())}</p>
            <div class="actions">{live(buttons)}</div>
        </form>
    }
    .into_any()
}

/// One line for newcomers alone.
fn first_time(game: &str) -> AnyView {
    if is_learned(game) || reading(game).is_none_or(|it| it.tutorial.is_none()) {
        return ().into_any();
    }
    let tutorial = link(Route::Learn { game: game.to_owned() }, "", "Take the tutorial");
    view! { <p class="hint">"First time? " {tutorial} " before you begin."</p> }.into_any()
}
