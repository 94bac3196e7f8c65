//! M10: the ways to begin a match: with whoever wants the same, at a table of one's own, on one screen.

use std::rc::Rc;
use std::time::Duration;

use board_kit::{hear, live, shown_while, words};
use client_core::{Route, Who, sentence_case, sentence_of_clock, title_of_key};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{
    ClockSetting, CreateLobbyRequest, CreateMatchRequest, GameInfo, LobbySummary, MatchStarted,
    MatchTerms, Object, Opponents, PairingRequest, PairingResponse, Preset,
};
use serde_json::Value;
use web_sys::SubmitEvent;

use super::table::begin_practice;
use super::terms::{clock_choice, option_fields, select, switch};
use crate::api::{self, Failure};
use crate::boards::about;
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
}

/// The form for a table, as long as it is open.
#[derive(Clone, Copy)]
struct NewTable {
    game: StoredValue<GameInfo>,
    choice: RwSignal<Choice>,
    error: RwSignal<String>,
    is_busy: RwSignal<bool>,
    navigation: Navigation,
    rules: Rules,
}

impl NewTable {
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
        let public = self.choice.with_untracked(|it| it.is_public);
        let request = CreateLobbyRequest { terms: self.terms(), public };
        spawn_local(async move {
            let made = api::post::<LobbySummary>("lobbies", &request).await;
            self.finish(made.map(|lobby| Route::Lobby { id: lobby.id.to_string() }));
        });
    }

    fn play_here(self) {
        self.is_busy.set(true);
        let request = CreateMatchRequest { terms: self.terms(), opponents: Opponents::HotSeat };
        let options = serde_json::to_string(&self.options()).unwrap_or_default();
        spawn_local(async move {
            let made = api::post::<MatchStarted>("matches", &request).await;
            let (game, seats) = (request.terms.game, request.terms.seats.unwrap_or(2));
            let route = Route::Practice { game: game.clone() };
            match made {
                // Without a server the match stays on this screen.
                Err(Failure::NetworkError) => {
                    self.rules.take_words(&options).await;
                    match begin_practice(self.rules, &game, options, seats) {
                        Some(Ok(_)) => self.finish(Ok(route)),
                        _ => self.finish(Err(Failure::NetworkError)),
                    }
                }
                made => self.finish(made.map(|it| Route::Match { id: it.match_id.to_string() })),
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
        let fields = self.game.with_value(|game| about(&game.id)).map_or(&[][..], |it| it.fields);
        let set = move |key: String, value: Value| {
            let mut options = self.options();
            options.insert(key, value);
            self.choose(|it| it.changed = Some(options.clone()));
        };
        live(move || {
            let set: Rc<dyn Fn(String, Value)> = Rc::new(set);
            option_fields(fields, self.preset_options(preset.get()), &set)
        })
    }

    fn seats_choice(self) -> AnyView {
        let (least, most) = self.game.with_value(|game| (game.seats_min, game.seats_max));
        if least == most {
            return ().into_any();
        }
        let counts = (least..=most).map(|it| (it.to_string(), format!("{it} players")));
        select("Seats", counts.collect(), &least.to_string(), move |count| {
            self.choose(|it| it.seats = count.parse().unwrap_or(least));
        })
    }
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
    let (seats, id) = game.with_value(|game| (game.seats_min, game.id.clone()));
    let clock = ClockSetting::None;
    let choice = Choice { preset: 0, changed: None, seats, clock, is_public: true };
    let table = NewTable {
        game,
        choice: RwSignal::new(choice),
        error: RwSignal::new(String::new()),
        is_busy: RwSignal::new(false),
        navigation: expect_context(),
        rules: expect_context(),
    };
    table.rules.open();
    let stay = hear(|event: SubmitEvent| event.prevent_default());
    let invite = hear(move |_| table.invite());
    let play_here = hear(move |_| table.play_here());
    view! {
        <form class="table" on:submit=stay>
            {first_time(&id)}
            {table.preset_choice()}
            <details>
                <summary>"Change the details"</summary>
                {table.details()}
            </details>
            {table.seats_choice()}
            {clock_choice(move |clock| table.choose(|it| it.clock = clock))}
            {switch("Show it to all in the list", true, move |is_on| table.choose(|it| it.is_public = is_on))}
            <p class="error" role="alert">{words(move || table.error.get())}</p>
            <button class="primary" disabled=move || table.is_busy.get() on:click=invite>"Invite others"</button>
            <button disabled=move || table.is_busy.get() on:click=play_here>"Play here, on one screen"</button>
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
