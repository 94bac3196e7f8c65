//! M11: a match on the screen. What is drawn here is the same for every game, for matches on the
//! server, on this screen alone, and of old; the boards are the games'.

mod controller;
mod live;
mod offers;
mod partner;
mod practice;
mod replay;
mod review;
mod watch_link;

use board_kit::{Stage, hear, lead_to, live};
use client_core::Route;
use game_api::Seat;
use leptos::html::{Button, Ol, P};
use leptos::prelude::*;
use protocol::GameInfo;
use protocol::ws::Outcome;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

pub(crate) use self::live::TablePage;
pub(crate) use self::partner::Against;
pub(crate) use self::practice::{Practice, begin as begin_practice};
pub(crate) use self::replay::ReplayPage;
use crate::api::{self, Failure};
use crate::boards;
use crate::browser::{keep, recall};
use crate::navigation::link;

/// What was last heard of the games, for when the server is not there.
const GAMES_KEY: &str = "games";

/// The games of this house; without it, those that it had.
pub(crate) async fn games() -> Result<Vec<GameInfo>, Failure> {
    let games = api::get::<Vec<GameInfo>>("games").await;
    if let Ok(games) = &games
        && let Ok(text) = serde_json::to_string(games)
    {
        keep(GAMES_KEY, &text);
    }
    let kept = || recall(GAMES_KEY).and_then(|text| serde_json::from_str(&text).ok());
    games.or_else(|failure| kept().ok_or(failure))
}

/// The board of a game, drawn once and then kept.
fn board(game: Memo<String>, stage: Stage) -> AnyView {
    live(move || boards::board(&game.get(), stage))
}

/// What has happened, the latest in sight; a step can be gone to, where there is something to see.
#[component]
fn Moves(
    /// In a line each.
    steps: Memo<Vec<String>>,
    /// So many of them have happened at the moment that is shown.
    shown: Signal<usize>,
    /// Takes how many are to have happened.
    #[prop(optional)]
    go: Option<Callback<usize>>,
) -> impl IntoView {
    let list = NodeRef::<Ol>::new();
    Effect::new(move || {
        let latest = shown.get();
        steps.track();
        request_animation_frame(move || {
            // The page may be gone by then.
            let Some(list) = list.try_get_untracked().flatten() else { return };
            let step =
                list.children().item(u32::try_from(latest).unwrap_or_default().saturating_sub(1));
            // The page stays where it is; only the list is moved.
            if let Some(step) = step.and_then(|it| it.dyn_into::<HtmlElement>().ok()) {
                list.set_scroll_top(
                    step.offset_top() - list.offset_top() - list.client_height() / 2,
                );
            }
        });
    });
    let row = move |(index, text): (usize, String)| {
        let is_shown = Signal::derive(move || (shown.get() == index + 1).then_some("step"));
        match go {
            Some(go) => view! {
                <li aria-current=is_shown>
                    <button class="quiet" on:click=hear(move |_| go.run(index + 1))>{text}</button>
                </li>
            }
            .into_any(),
            None => view! { <li aria-current=is_shown>{text}</li> }.into_any(),
        }
    };
    let is_begun = Memo::new(move |_| steps.with(|steps| !steps.is_empty()));
    let rows = move || steps.get().into_iter().enumerate().map(row).collect_view().into_any();
    let moves = move || {
        if !is_begun.get() {
            return view! { <p class="hint">"No moves yet."</p> }.into_any();
        }
        view! {
            <ol class="moves" node_ref=list tabindex="0" aria-label="Moves so far">{live(rows)}</ol>
        }
        .into_any()
    };
    view! {
        <section aria-label="Moves">
            <h2>"Moves"</h2>
            {live(moves)}
        </section>
    }
}

/// How it ended, once it has. Whoever looks at another part of the page is led there.
fn ending(outcome: Memo<Option<String>>) -> AnyView {
    let was_on = outcome.with_untracked(Option::is_none);
    live(move || {
        let Some(text) = outcome.get() else { return ().into_any() };
        let here = NodeRef::<P>::new();
        if was_on {
            here.on_load(|it| lead_to(&it));
        }
        view! { <p class="outcome" tabindex="-1" node_ref=here>{text}</p> }.into_any()
    })
}

/// How it ended, in words.
fn sentence_of(outcome: &Outcome, names: &[String]) -> String {
    let count = u8::try_from(outcome.places.len()).unwrap_or(u8::MAX);
    let name = |seat: Seat| names.get(seat.index()).cloned().unwrap_or_default();
    let first: Vec<String> =
        Seat::all(count).filter(|seat| outcome.places[seat.index()] == 1).map(name).collect();
    let reason = outcome.reason.replace('_', " ");
    match first.as_slice() {
        [] => format!("No result: {reason}."),
        [winner] => format!("{winner} wins: {reason}."),
        _ => format!("A draw: {reason}."),
    }
}

/// What stands in the way of a page, in words, and the way out.
fn dead_end(title: &'static str, text: String) -> AnyView {
    view! {
        <section class="sheet">
            <h1>{title}</h1>
            <p>{text}</p>
            <p>{link(Route::Home, "button primary", "To the parlor")}</p>
        </section>
    }
    .into_any()
}

/// Covers the board until the next player has taken the screen: nobody sees another's hand.
#[component]
fn HandOver(
    /// Who is to take it.
    name: Signal<String>,
    /// They have.
    taken: Callback<()>,
) -> impl IntoView {
    let button = NodeRef::<Button>::new();
    Effect::new(move || {
        if let Some(button) = button.get() {
            // Without the focus it is only one more Tab away.
            let _ = button.focus();
        }
    });
    view! {
        <section class="hand-over" aria-label="Hand over">
            <h2>"Pass the screen to " {name}</h2>
            <p>"The other hands stay hidden until you say that you are there."</p>
            <button class="primary" node_ref=button on:click=hear(move |_| taken.run(()))>"I am " {name} ": show my side"</button>
        </section>
    }
}
