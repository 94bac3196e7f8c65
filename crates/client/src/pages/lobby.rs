//! M10: an open table, to which people come by its link.

use board_kit::{hear, live, words};
use client_core::{News, Route, Wish, sentence_case};
use domain::LobbyId;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::ws::{ServerMessage, Topic};
use protocol::{BotInfo, BotSeat, Code, GameInfo, KickRequest, LobbySummary, MatchStarted};

use super::link_to_copy;
use super::table::games;
use super::terms::{describe, level_choice, usual_level};
use crate::api::{self, Failure, Fetched};
use crate::browser::window;
use crate::navigation::{Navigation, link};
use crate::reading::title;
use crate::realtime::Realtime;
use crate::session::Session;

/// What is known of a table; no failure is none that it was closed while it was looked at.
type Known = RwSignal<Option<Result<LobbySummary, Option<Failure>>>>;

/// Who sits there, and what they can do.
pub(crate) fn lobby_page(id: &str) -> AnyView {
    let lobby: Known = RwSignal::new(None);
    let address = format!("lobbies/{id}");
    let navigation = expect_context::<Navigation>();
    let realtime = expect_context::<Realtime>();
    if let Ok(id) = id.parse::<LobbyId>() {
        realtime.listen(move |news| {
            let News::Message(ServerMessage::Lobby(it)) = news else { return };
            if it.id != id {
                return;
            }
            if let Some(match_id) = it.match_id {
                navigation.go(&Route::Match { id: match_id.to_string() });
            } else {
                lobby.set(Some(it.lobby.clone().ok_or(None)));
            }
        });
        realtime.wish(Wish::Watch(Topic::Lobby(id)));
        on_cleanup(move || realtime.wish(Wish::Unwatch(Topic::Lobby(id))));
    }
    let seats = Seats {
        address: StoredValue::new(address.clone()),
        lobby,
        games: api::fetch(games()),
        level: RwSignal::new(usual_level()),
        error: RwSignal::new(String::new()),
        navigation,
        me: expect_context(),
    };
    spawn_local(async move { lobby.set(Some(api::get(&address).await.map_err(Some))) });
    let content = move || match lobby.get() {
        None => view! { <p role="status">"One moment…"</p> }.into_any(),
        Some(Err(failure)) => gone(failure.as_ref()),
        Some(Ok(it)) => seats.table(&it),
    };
    view! { <section class="sheet">{live(content)}</section> }.into_any()
}

/// Refused by the server, or closed while it was looked at.
fn gone(failure: Option<&Failure>) -> AnyView {
    let (title, text) = match failure {
        Some(failure) if failure.code() != Some(Code::LobbyNotFound) => {
            ("This table cannot be shown", sentence_case(&failure.sentence()))
        }
        _ => (
            "This table is gone",
            "The match has begun, or whoever invited you has left. Ask for a new link.".to_owned(),
        ),
    };
    view! {
        <h1>{title}</h1>
        <p>{text}</p>
        <p>{link(Route::Home, "button primary", "To the parlor")}</p>
    }
    .into_any()
}

/// What can be done at a table.
#[derive(Clone, Copy)]
struct Seats {
    address: StoredValue<String>,
    lobby: Known,
    games: Fetched<Vec<GameInfo>>,
    /// Of the bots that are still to come.
    level: RwSignal<u8>,
    error: RwSignal<String>,
    navigation: Navigation,
    me: Session,
}

impl Seats {
    fn path(self, what: &str) -> String {
        self.address.with_value(|address| format!("{address}/{what}"))
    }

    fn fail(self, failure: &Failure) {
        self.error.set(sentence_case(&failure.sentence()));
    }

    fn show(self, changed: Result<LobbySummary, Failure>) {
        match changed {
            Ok(lobby) => self.lobby.set(Some(Ok(lobby))),
            Err(failure) => self.fail(&failure),
        }
    }

    fn sit_down(self) {
        let path = self.path("join");
        spawn_local(async move { self.show(api::change_to("POST", &path).await) });
    }

    fn send_out(self, name: String, seat: u8) {
        let (path, request) = (self.path("kick"), KickRequest { name, seat: Some(seat) });
        spawn_local(async move { self.show(api::post(&path, &request).await) });
    }

    fn add_bot(self, seat: u8) {
        let level = self.level.get_untracked();
        let (path, bot) = (self.path("bots"), BotSeat { seat: Some(seat), level });
        spawn_local(async move { self.show(api::post(&path, &bot).await) });
    }

    /// The bots of a game, as soon as they are known.
    fn bots(self, game: &str) -> Vec<BotInfo> {
        let games = self.games.get().and_then(Result::ok).unwrap_or_default();
        games.into_iter().find(|it| it.id == game).map(|it| it.bots).unwrap_or_default()
    }

    fn leave(self) {
        let path = self.path("leave");
        spawn_local(async move {
            match api::change("POST", &path).await {
                Ok(()) => self.navigation.go(&Route::Home),
                Err(failure) => self.fail(&failure),
            }
        });
    }

    fn begin(self) {
        let path = self.path("start");
        spawn_local(async move {
            match api::change_to::<MatchStarted>("POST", &path).await {
                Ok(it) => self.navigation.go(&Route::Match { id: it.match_id.to_string() }),
                Err(failure) => self.fail(&failure),
            }
        });
    }

    fn seat(self, it: &LobbySummary, index: u8, me: &str, has_bots: bool) -> AnyView {
        let Some(name) = it.order.get(usize::from(index)).cloned().flatten() else {
            let add = (has_bots && it.host == me).then(|| {
                let add = hear(move |_| self.add_bot(index));
                let label = format!("Let a bot sit here, in seat {}", index + 1);
                view! { <button class="quiet" aria-label=label on:click=add>"Let a bot sit here"</button> }
            });
            return view! { <li class="free">"Free" {add}</li> }.into_any();
        };
        let send_out = (it.host == me && name != me).then(|| {
            let name = name.clone();
            let send_out = hear(move |_| self.send_out(name.clone(), index));
            view! { <button class="quiet" on:click=send_out>"Send out"</button> }
        });
        view! { <li>{name} {send_out}</li> }.into_any()
    }

    fn table(self, it: &LobbySummary) -> AnyView {
        let me = self.me.who().name().unwrap_or_default().to_owned();
        let (is_host, is_in) = (it.host == me, it.players.contains(&me));
        let is_full = it.players.len() >= usize::from(it.seats);
        let button = |class: &'static str, word: &'static str, act: fn(Seats)| {
            let act = hear(move |_| act(self));
            view! { <button class=class on:click=act>{word}</button> }.into_any()
        };
        let begin = is_host.then(|| {
            let begin = hear(move |_| self.begin());
            view! { <button class="primary" disabled=!is_full on:click=begin>"Begin"</button> }
        });
        let way_in = match (is_in, is_full) {
            (false, false) => button("primary", "Sit down", Seats::sit_down),
            (false, true) => view! { <p>"All seats are taken."</p> }.into_any(),
            (true, _) if is_host => ().into_any(),
            (true, _) => view! { <p role="status">"Waiting for the host to begin…"</p> }.into_any(),
        };
        let way_out = if is_host { "Close the table" } else { "Leave" };
        let bots = self.bots(&it.terms.game);
        let seats = (0..it.seats).map(|index| self.seat(it, index, &me, !bots.is_empty()));
        let now = self.level.get_untracked();
        let level =
            || level_choice("How strong bots are", &bots, now, move |it| self.level.set(it));
        view! {
            <h1>{it.host.clone()} "’s table"</h1>
            <p class="hint">{title(&it.terms.game)} " · " {describe(&it.terms)}</p>
            <ol class="seats">{seats.collect_view()}</ol>
            <p class="error" role="alert">{words(move || self.error.get())}</p>
            {(is_in && !is_full).then(invitation)}
            {(is_host && !is_full && !bots.is_empty()).then(level)}
            <div class="actions">
                {way_in} {begin} {is_in.then(|| button("quiet", way_out, Seats::leave))}
            </div>
        }
        .into_any()
    }
}

/// The link for the others.
fn invitation() -> AnyView {
    let link = window().location().href().unwrap_or_default();
    view! {
        <p>"Send this link to whom you want to play with:"</p>
        {link_to_copy(link)}
    }
    .into_any()
}
