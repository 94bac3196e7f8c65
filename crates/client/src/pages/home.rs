//! M10: what can be played here, with whom, and what is under way.

use board_kit::live;
use client_core::{News, Route, Who, Wish, sentence_case};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::ws::{ServerMessage, Topic};
use protocol::{
    ClockSetting, CreateLobbyRequest, CreateMatchRequest, GameInfo, LobbyList, LobbySummary,
    MatchStarted, MatchTerms, Opponents, RunningMatch, RunningMatches,
};

use super::table::begin_practice;
use super::terms::{ClockChoice, OptionFields, describe};
use crate::api::{self, Failure};
use crate::navigation::{Link, Navigation, link};
use crate::reading::{is_learned, reading};
use crate::realtime::Realtime;
use crate::rules::Rules;
use crate::session::Session;

/// The parlor itself.
#[component]
pub(crate) fn Home() -> impl IntoView {
    let games = api::fetch(super::table::games());
    let lobbies = RwSignal::new(None::<Result<Vec<LobbySummary>, Failure>>);
    watch_lobbies(lobbies);
    let session = expect_context::<Session>();
    // Another user is another page.
    let running = matches!(session.who(), Who::User { .. })
        .then(|| api::fetch(api::get::<RunningMatches>("matches")));
    let names = move |key: &str| {
        let games = games.get().and_then(Result::ok).unwrap_or_default();
        let found = games.into_iter().find(|game| game.id == key);
        found.map_or_else(|| key.to_owned(), |game| game.name)
    };
    view! {
        <h1 class="visually-hidden">"Parlor"</h1>
        {live(move || match running.and_then(|running| running.get()) {
            Some(Ok(it)) => under_way(it.matches, names),
            _ => ().into_any(),
        })}
        <section aria-labelledby="games">
            <h2 id="games">"Play"</h2>
            <div class="games">
                {move || match games.get() {
                    None => view! { <p role="status">"One moment…"</p> }.into_any(),
                    Some(Err(failure)) => trouble(&failure).into_any(),
                    Some(Ok(games)) => {
                        games.into_iter().map(|game| view! { <Game game/> }).collect_view().into_any()
                    }
                }}
            </div>
        </section>
        <section aria-labelledby="lobbies">
            <h2 id="lobbies">"Waiting for somebody like you"</h2>
            {move || match lobbies.get() {
                None => view! { <p role="status">"One moment…"</p> }.into_any(),
                Some(Err(failure)) => trouble(&failure).into_any(),
                Some(Ok(lobbies)) => open_lobbies(lobbies, names).into_any(),
            }}
        </section>
    }
}

/// The list as it is now, and from then on as it changes; who is not logged in is not told.
fn watch_lobbies(lobbies: RwSignal<Option<Result<Vec<LobbySummary>, Failure>>>) {
    spawn_local(async move {
        let list = api::get::<LobbyList>("lobbies").await;
        lobbies.set(Some(list.map(|list| list.lobbies)));
    });
    let realtime = expect_context::<Realtime>();
    realtime.listen(move |news| {
        if let News::Message(ServerMessage::Lobbies(it)) = news {
            lobbies.set(Some(Ok(it.lobbies.clone())));
        }
    });
    realtime.wish(Wish::Watch(Topic::Lobbies));
    on_cleanup(move || realtime.wish(Wish::Unwatch(Topic::Lobbies)));
}

fn trouble(failure: &Failure) -> impl IntoView + use<> {
    view! { <p class="error" role="alert">{sentence_case(&failure.sentence())}</p> }
}

fn under_way(matches: Vec<RunningMatch>, names: impl Fn(&str) -> String) -> AnyView {
    if matches.is_empty() {
        return ().into_any();
    }
    let row = |it: RunningMatch| {
        let players: Vec<String> =
            it.seats.into_iter().map(|seat| seat.name.or(seat.bot).unwrap_or_default()).collect();
        let (to, game) = (Route::Match { id: it.id.to_string() }, names(&it.game));
        view! {
            <li>
                <Link to class="row">
                    <strong>{game}</strong>
                    <span>{players.join(" · ")}</span>
                    <span class="go">"Go on"</span>
                </Link>
            </li>
        }
    };
    view! {
        <section aria-labelledby="running">
            <h2 id="running">"Your matches"</h2>
            <ul class="rows">{matches.into_iter().map(row).collect_view()}</ul>
        </section>
    }
    .into_any()
}

fn open_lobbies(lobbies: Vec<LobbySummary>, names: impl Fn(&str) -> String) -> AnyView {
    if lobbies.is_empty() {
        return view! {
            <p class="empty">"Nobody waits just now. Open a table above, and others see it here."</p>
        }
        .into_any();
    }
    let row = |it: LobbySummary| {
        let seats = format!("{} of {}", it.players.len(), it.seats);
        let (to, game) = (Route::Lobby { id: it.id.to_string() }, names(&it.terms.game));
        view! {
            <li>
                <Link to class="row">
                    <strong>{game}</strong>
                    <span>{it.host} " · " {describe(&it.terms)}</span>
                    <span class="go">{seats}</span>
                </Link>
            </li>
        }
    };
    view! { <ul class="rows">{lobbies.into_iter().map(row).collect_view()}</ul> }.into_any()
}

/// A game, and the ways to begin it.
#[component]
fn Game(game: GameInfo) -> impl IntoView {
    let session = expect_context::<Session>();
    let navigation = expect_context::<Navigation>();
    let is_open = RwSignal::new(false);
    let key = game.id.clone();
    let seats = if game.seats_min == game.seats_max {
        format!("{} players", game.seats_min)
    } else {
        format!("{} to {} players", game.seats_min, game.seats_max)
    };
    let open = move |_| {
        if session.who() == Who::Nobody {
            navigation.go(&Route::Login { next: Some(Route::Home.address()) });
        } else {
            is_open.update(|it| *it = !*it);
        }
    };
    view! {
        <article class="game">
            <h3>{game.name.clone()}</h3>
            <p class="hint">{seats}</p>
            {to_read(&key)}
            <Link to=Route::Practice { game: key.clone() } class="quiet">"Try it on this screen"</Link>
            <button class="primary" aria-expanded=move || is_open.get().to_string() on:click=open>
                "Set a table"
            </button>
            <Show when=move || is_open.get()>
                <NewTable game=game.clone()/>
            </Show>
        </article>
    }
    .attr("data-game", key)
}

/// For newcomers the tutorial, for all the rules.
fn to_read(game: &str) -> AnyView {
    let Some(it) = reading(game) else { return ().into_any() };
    let is_new = it.tutorial.is_some() && !is_learned(game);
    let word = if is_new { "Learn it" } else { "Tutorial" };
    let learn = it.tutorial.map(|_| link(Route::Learn { game: it.game.clone() }, "", word));
    view! {
        <p class="newcomer">
            {is_new.then_some("New to it? ")} {learn} " · "
            {link(Route::RulesOf { game: it.game }, "", "Rules")}
        </p>
    }
    .into_any()
}

/// In the form, one line for newcomers alone.
fn first_time(game: &str) -> AnyView {
    if is_learned(game) || reading(game).is_none_or(|it| it.tutorial.is_none()) {
        return ().into_any();
    }
    let tutorial = link(Route::Learn { game: game.to_owned() }, "", "Take the tutorial");
    view! { <p class="hint">"First time? " {tutorial} " before you begin."</p> }.into_any()
}

/// What is to be played, how, and with whom.
#[component]
fn NewTable(game: GameInfo) -> impl IntoView {
    let navigation = expect_context::<Navigation>();
    let error = RwSignal::new(None::<String>);
    let is_busy = RwSignal::new(false);
    let is_public = RwSignal::new(true);
    let seats = RwSignal::new(game.seats_min);
    let preset = RwSignal::new(0);
    let clock = RwSignal::new(ClockSetting::None);
    let changed = RwSignal::new(None);

    let presets = game.presets.clone();
    let terms = {
        let game = game.clone();
        move || MatchTerms {
            game: game.id.clone(),
            preset: match changed.get_untracked() {
                Some(_) => None,
                None => game.presets.get(preset.get_untracked()).map(|it| it.name.clone()),
            },
            options: changed.get_untracked(),
            seats: Some(seats.get_untracked()),
            clock: clock.get_untracked(),
            spectator_delay_s: 0,
        }
    };
    let finish = move |made: Result<Route, Failure>| {
        is_busy.set(false);
        match made {
            Ok(route) => navigation.go(&route),
            Err(failure) => error.set(Some(sentence_case(&failure.sentence()))),
        }
    };
    let invite = {
        let terms = terms.clone();
        move |_| {
            is_busy.set(true);
            let request = CreateLobbyRequest { terms: terms(), public: is_public.get_untracked() };
            spawn_local(async move {
                let made = api::post::<LobbySummary>("lobbies", &request).await;
                finish(made.map(|lobby| Route::Lobby { id: lobby.id.to_string() }));
            });
        }
    };
    let rules = expect_context::<Rules>();
    rules.open();
    let chosen = {
        let presets = game.presets.clone();
        move || {
            let preset = || presets.get(preset.get_untracked()).map(|it| it.options.clone());
            let options = changed.get_untracked().or_else(preset).unwrap_or_default();
            serde_json::to_string(&options).unwrap_or_default()
        }
    };
    let hot_seat = move |_| {
        is_busy.set(true);
        let request = CreateMatchRequest { terms: terms(), opponents: Opponents::HotSeat };
        let options = chosen();
        spawn_local(async move {
            let made = api::post::<MatchStarted>("matches", &request).await;
            let (game, seats) = (request.terms.game, request.terms.seats.unwrap_or(2));
            let route = Route::Practice { game: game.clone() };
            match made {
                // Without a server the match stays on this screen.
                Err(Failure::NetworkError) => match begin_practice(rules, &game, options, seats) {
                    Some(Ok(_)) => finish(Ok(route)),
                    _ => finish(Err(Failure::NetworkError)),
                },
                made => finish(made.map(|it| Route::Match { id: it.match_id.to_string() })),
            }
        });
    };
    let choose = move |event| {
        preset.set(event_target_value(&event).parse().unwrap_or_default());
        changed.set(None);
    };
    let names = presets.iter().map(|it| it.name.clone()).enumerate().collect::<Vec<_>>();
    let options =
        move || presets.get(preset.get()).map(|it| it.options.clone()).unwrap_or_default();
    view! {
        <form class="table" on:submit=|event| event.prevent_default()>
            {first_time(&game.id)}
            <label>
                "Rules"
                <select on:change=choose>
                    {names.into_iter().map(|(index, name)| view! { <option value=index.to_string()>{name}</option> }).collect_view()}
                </select>
            </label>
            <details>
                <summary>"Change the details"</summary>
                {move || view! { <OptionFields options=options() changed/> }}
            </details>
            <Show when=move || game.seats_min < game.seats_max>
                <label>
                    "Seats"
                    <input type="number" min=game.seats_min max=game.seats_max
                        prop:value=move || seats.get().to_string()
                        on:change=move |event| {
                            if let Ok(count) = event_target_value(&event).parse() { seats.set(count) }
                        }/>
                </label>
            </Show>
            <ClockChoice clock/>
            <label class="choice">
                <input type="checkbox" prop:checked=move || is_public.get()
                    on:change=move |event| is_public.set(event_target_checked(&event))/>
                "Show it to all in the list"
            </label>
            <p class="error" role="alert">{move || error.get()}</p>
            <button class="primary" disabled=move || is_busy.get() on:click=invite>"Invite others"</button>
            <button disabled=move || is_busy.get() on:click=hot_seat>"Play here, on one screen"</button>
        </form>
    }
}
