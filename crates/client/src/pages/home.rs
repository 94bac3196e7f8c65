//! M10: what can be played here, with whom, and what is under way.

use std::time::Duration;

use board_kit::{hear, live};
use client_core::{News, Route, Who, Wish, sentence_case, sentence_of_clock};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::ws::{ServerMessage, Topic};
use protocol::{GameInfo, LobbyList, LobbySummary, RunningMatch, RunningMatches};

use super::new_table::{play_a_bot, quick_pair, set_a_table};
use super::terms::describe;
use crate::api::{self, Failure};
use crate::boards::about;
use crate::browser::is_looked_at;
use crate::navigation::{Link, link};
use crate::reading::{is_learned, reading};
use crate::realtime::Realtime;
use crate::session::Session;

/// How soon a match that has begun or ended is seen here.
const LOOK_EVERY: Duration = Duration::from_secs(15);

/// The parlor itself.
#[component]
pub(crate) fn Home() -> impl IntoView {
    let games = api::fetch(super::table::games());
    let lobbies = Lobbies::watch();
    let others = watch_matches();
    let session = expect_context::<Session>();
    // Another user is another page.
    let running = matches!(session.who(), Who::User { .. })
        .then(|| api::fetch(api::get::<RunningMatches>("matches")));
    let names = move |key: &str| {
        let games = games.get().and_then(Result::ok).unwrap_or_default();
        let found = games.into_iter().find(|game| game.id == key);
        found.map_or_else(|| key.to_owned(), |game| game.name)
    };
    let cards = move || match games.get() {
        None => wait(),
        Some(Err(failure)) => trouble(&failure),
        Some(Ok(games)) => games.iter().map(game_card).collect_view().into_any(),
    };
    let tables = move || match lobbies.all() {
        None => wait(),
        Some(Err(failure)) => trouble(&failure),
        Some(Ok(lobbies)) => open_lobbies(lobbies, names),
    };
    // Unknown until the server has told.
    let own = move || match running.map(|running| running.get()) {
        Some(None) => None,
        Some(Some(Ok(it))) => Some(it.matches),
        Some(Some(Err(_))) | None => Some(Vec::new()),
    };
    // Nobody watches a match of their own.
    let others = move || {
        let mut others = others.get();
        let own = own()?;
        others.retain(|it| own.iter().all(|own| own.id != it.id));
        Some(others)
    };
    view! {
        <h1 class="visually-hidden">"Parlor"</h1>
        {live(move || under_way("Your matches", "Go on", own().unwrap_or_default(), names))}
        <section aria-labelledby="games">
            <h2 id="games">"Play"</h2>
            <div class="games">{live(cards)}</div>
        </section>
        <section aria-labelledby="lobbies">
            <h2 id="lobbies">"Waiting for somebody like you"</h2>
            {live(tables)}
            {live(move || lobbies.more())}
        </section>
        {live(move || under_way("Playing now", "Watch", others().unwrap_or_default(), names))}
    }
}

fn wait() -> AnyView {
    view! { <p role="status">"One moment…"</p> }.into_any()
}

/// The public lobbies. The socket keeps the first page up to date, unless nobody is logged in; further
/// pages are asked for.
#[derive(Clone, Copy)]
struct Lobbies {
    first: RwSignal<Option<Result<Vec<LobbySummary>, Failure>>>,
    further: RwSignal<Vec<LobbySummary>>,
    next_offset: RwSignal<Option<u32>>,
    error: RwSignal<Option<Failure>>,
}

impl Lobbies {
    fn watch() -> Lobbies {
        let lobbies = Lobbies {
            first: RwSignal::new(None),
            further: RwSignal::new(Vec::new()),
            next_offset: RwSignal::new(None),
            error: RwSignal::new(None),
        };
        spawn_local(async move {
            match api::get::<LobbyList>("lobbies").await {
                Ok(list) => lobbies.show(list.lobbies, list.next_offset),
                Err(failure) => lobbies.first.set(Some(Err(failure))),
            }
        });
        let realtime = expect_context::<Realtime>();
        realtime.listen(move |news| {
            if let News::Message(ServerMessage::Lobbies(it)) = news {
                lobbies.show(it.lobbies.clone(), it.next_offset);
            }
        });
        realtime.wish(Wish::Watch(Topic::Lobbies));
        on_cleanup(move || realtime.wish(Wish::Unwatch(Topic::Lobbies)));
        lobbies
    }

    /// The first page is this one now.
    fn show(self, lobbies: Vec<LobbySummary>, next_offset: Option<u32>) {
        if next_offset.is_none() {
            self.further.set(Vec::new());
        }
        // The answer may come after the page has been left.
        if self.further.try_with_untracked(Vec::is_empty) == Some(true) {
            self.next_offset.set(next_offset);
        }
        self.first.set(Some(Ok(lobbies)));
    }

    /// What is known of all pages. A lobby can have moved from one page to another meanwhile.
    fn all(self) -> Option<Result<Vec<LobbySummary>, Failure>> {
        let further = self.further.get();
        let append = |mut lobbies: Vec<LobbySummary>| {
            for it in further {
                if lobbies.iter().all(|known| known.id != it.id) {
                    lobbies.push(it);
                }
            }
            lobbies
        };
        self.first.get().map(|first| first.map(append))
    }

    /// A button for the next page, if there is one.
    fn more(self) -> AnyView {
        let Some(offset) = self.next_offset.get() else { return ().into_any() };
        let ask = hear(move |_| {
            self.error.set(None);
            spawn_local(async move {
                match api::get::<LobbyList>(&format!("lobbies?offset={offset}")).await {
                    Ok(list) => {
                        self.further.update(|further| further.extend(list.lobbies));
                        self.next_offset.set(list.next_offset);
                    }
                    Err(failure) => self.error.set(Some(failure)),
                }
            });
        });
        let error = live(move || self.error.get().map(|it| trouble(&it)).into_any());
        view! { <p class="pages"><button on:click=ask>"More tables"</button></p> {error} }
            .into_any()
    }
}

/// The matches of all, asked for again and again while somebody looks. What does not arrive is not
/// missed: the next answer brings it.
fn watch_matches() -> RwSignal<Vec<RunningMatch>> {
    let matches = RwSignal::new(Vec::new());
    let look = move || {
        spawn_local(async move {
            let Ok(list) = api::get::<RunningMatches>("matches/public").await else { return };
            // The same list is not drawn anew: it would take the focus from a link in it.
            if matches.try_with_untracked(|shown| *shown != list.matches) == Some(true) {
                matches.set(list.matches);
            }
        });
    };
    look();
    let again = move || {
        if is_looked_at() {
            look();
        }
    };
    if let Ok(timer) = set_interval_with_handle(again, LOOK_EVERY) {
        on_cleanup(move || timer.clear());
    }
    matches
}

fn trouble(failure: &Failure) -> AnyView {
    view! { <p class="error" role="alert">{sentence_case(&failure.sentence())}</p> }.into_any()
}

/// Matches under this heading, each with what one does there; nothing if there are none.
fn under_way(
    heading: &'static str,
    deed: &'static str,
    matches: Vec<RunningMatch>,
    names: impl Fn(&str) -> String,
) -> AnyView {
    if matches.is_empty() {
        return ().into_any();
    }
    let row = |it: RunningMatch| {
        let gone = || "somebody who has left".to_owned();
        let mut words: Vec<String> =
            it.seats.into_iter().map(|seat| seat.name.or(seat.bot).unwrap_or_else(gone)).collect();
        words.push(sentence_of_clock(&it.clock));
        let (to, game) = (Route::Match { id: it.id.to_string() }, names(&it.game));
        view! {
            <li>
                <Link to class="row">
                    <strong>{game}</strong>
                    <span>{words.join(" · ")}</span>
                    <span class="go">{deed}</span>
                </Link>
            </li>
        }
    };
    view! {
        <section aria-label=heading>
            <h2>{heading}</h2>
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
fn game_card(game: &GameInfo) -> AnyView {
    let seats = if game.seats_min == game.seats_max {
        format!("{} players", game.seats_min)
    } else {
        format!("{} to {} players", game.seats_min, game.seats_max)
    };
    let about = about(&game.id);
    let emblem = about.map(|about| {
        view! { <svg class="emblem" viewBox="0 0 64 64" aria-hidden="true" inner_html=about.emblem></svg> }
    });
    let line = about.map(|about| view! { <p>{about.line}</p> });
    view! {
        <article class="game" data-game=game.id.clone()>
            <header>
                {emblem}
                <div><h3>{game.name.clone()}</h3><p class="hint">{seats}</p></div>
            </header>
            {line}
            {quick_pair(&game.id)}
            {play_a_bot(game)}
            {set_a_table(game)}
            <footer>
                {link(Route::Practice { game: game.id.clone() }, "", "Try it alone")}
                {to_read(&game.id)}
            </footer>
        </article>
    }
    .into_any()
}

/// For newcomers the tutorial, for all the rules.
fn to_read(game: &str) -> AnyView {
    let Some(it) = reading(game) else { return ().into_any() };
    let word = if is_learned(game) { "Tutorial" } else { "Learn it" };
    let learn = it.tutorial.map(|_| link(Route::Learn { game: it.game.clone() }, "", word));
    let rules = link(Route::RulesOf { game: it.game }, "", "Rules");
    view! { {learn} {rules} }.into_any()
}
