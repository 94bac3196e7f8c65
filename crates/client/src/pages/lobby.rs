//! M10: an open table, to which people come by its link.

use client_core::{News, Route, Wish, sentence_case};
use domain::LobbyId;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::ws::{ServerMessage, Topic};
use protocol::{Code, KickRequest, LobbySummary, MatchStarted};

use super::terms::describe;
use crate::api::{self, Failure};
use crate::browser::window;
use crate::navigation::{Link, Navigation};
use crate::realtime::Realtime;
use crate::session::Session;

/// Who sits there, and what they can do.
#[component]
pub(crate) fn LobbyPage(id: String) -> impl IntoView {
    let lobby = RwSignal::new(None::<Result<LobbySummary, Option<Failure>>>);
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
    let first = address.clone();
    spawn_local(async move { lobby.set(Some(api::get(&first).await.map_err(Some))) });
    view! {
        <section class="sheet">
            {move || match lobby.get() {
                None => view! { <p role="status">"One moment…"</p> }.into_any(),
                Some(Err(failure)) => gone(failure.as_ref()).into_any(),
                Some(Ok(it)) => view! { <Table address=address.clone() it lobby/> }.into_any(),
            }}
        </section>
    }
}

/// Refused by the server, or closed while it was looked at.
fn gone(failure: Option<&Failure>) -> impl IntoView + use<> {
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
        <p><Link to=Route::Home class="button primary">"To the parlor"</Link></p>
    }
}

#[component]
fn Table(
    address: String,
    it: LobbySummary,
    lobby: RwSignal<Option<Result<LobbySummary, Option<Failure>>>>,
) -> impl IntoView {
    let navigation = expect_context::<Navigation>();
    let me = expect_context::<Session>().who().name().unwrap_or_default().to_owned();
    let error = RwSignal::new(None::<String>);
    let is_host = it.host == me;
    let is_in = it.players.contains(&me);
    let is_full = it.players.len() >= usize::from(it.seats);
    let fail = move |failure: Failure| error.set(Some(sentence_case(&failure.sentence())));

    let join = {
        let path = format!("{address}/join");
        move |_| {
            let path = path.clone();
            spawn_local(async move {
                match api::change_to("POST", &path).await {
                    Ok(joined) => lobby.set(Some(Ok(joined))),
                    Err(failure) => fail(failure),
                }
            });
        }
    };
    let leave = {
        let path = format!("{address}/leave");
        move |_| {
            let path = path.clone();
            spawn_local(async move {
                match api::change("POST", &path).await {
                    Ok(()) => navigation.go(&Route::Home),
                    Err(failure) => fail(failure),
                }
            });
        }
    };
    let start = {
        let path = format!("{address}/start");
        move |_| {
            let path = path.clone();
            spawn_local(async move {
                match api::change_to::<MatchStarted>("POST", &path).await {
                    Ok(it) => navigation.go(&Route::Match { id: it.match_id.to_string() }),
                    Err(failure) => fail(failure),
                }
            });
        }
    };
    let seat = {
        let address = address.clone();
        move |index: usize| {
            let Some(name) = it.players.get(index).cloned() else {
                return view! { <li class="free">"Free"</li> }.into_any();
            };
            let path = format!("{address}/kick");
            let kick = (is_host && name != me).then(|| {
                let name = name.clone();
                let kick = move |_| {
                    let (path, request) = (path.clone(), KickRequest { name: name.clone() });
                    spawn_local(async move {
                        match api::post(&path, &request).await {
                            Ok(left) => lobby.set(Some(Ok(left))),
                            Err(failure) => fail(failure),
                        }
                    });
                };
                view! { <button class="quiet" on:click=kick>"Send out"</button> }
            });
            view! { <li>{name} {kick}</li> }.into_any()
        }
    };
    let link = window().location().href().unwrap_or_default();
    let copied = RwSignal::new(false);
    let copy = {
        let link = link.clone();
        move |_| {
            // Where the browser forbids it, the link still stands there to be copied by hand.
            let _ = window().navigator().clipboard().write_text(&link);
            copied.set(true);
        }
    };
    view! {
        <h1>{it.host.clone()} "’s table"</h1>
        <p class="hint">{it.terms.game.clone()} " · " {describe(&it.terms)}</p>
        <ol class="seats">{(0..usize::from(it.seats)).map(seat).collect_view()}</ol>
        <p class="error" role="alert">{move || error.get()}</p>
        <Show when=move || is_in && !is_full>
            <p>"Send this link to whom you want to play with:"</p>
            <p class="link"><code>{link.clone()}</code>
                <button on:click=copy.clone()>{move || if copied.get() { "Copied" } else { "Copy" }}</button>
            </p>
        </Show>
        <div class="actions">
            {(!is_in && !is_full).then(|| view! { <button class="primary" on:click=join>"Sit down"</button> })}
            {(!is_in && is_full).then(|| view! { <p>"All seats are taken."</p> })}
            {is_host.then(|| view! { <button class="primary" disabled=!is_full on:click=start>"Begin"</button> })}
            {(is_in && !is_host).then(|| view! { <p role="status">"Waiting for the host to begin…"</p> })}
            {is_in.then(|| view! { <button class="quiet" on:click=leave>{if is_host { "Close the table" } else { "Leave" }}</button> })}
        </div>
    }
}
