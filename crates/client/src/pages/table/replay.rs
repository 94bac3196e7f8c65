//! A finished match, move by move, and whether it keeps what was promised at its start.

use board_kit::{Stage, hear, live, words};
use client_core::{Question, Route, Scene};
use game_api::{Seat, Viewer};
use leptos::prelude::*;
use protocol::Code;
use serde::{Deserialize, Serialize};

use super::review::{Shown, review};
use super::{Moves, board, dead_end, games, sentence_of};
use crate::api::{self, Failure};
use crate::boards;
use crate::browser::{forget, keep, recall};
use crate::navigation::link;
use crate::rules::Rules;

/// So many matches stay at hand without a connection.
const KEPT_MAX: usize = 20;
const KEPT_KEY: &str = "replays";

/// What this page wants to know of a match beside its log.
#[derive(Deserialize)]
struct Details {
    game: String,
    seats: Vec<Sitting>,
    commitment: String,
}

#[derive(Deserialize)]
struct Sitting {
    name: Option<String>,
    bot: Option<String>,
}

/// What a replay needs, as it is kept for later.
#[derive(Clone, Serialize, Deserialize)]
struct Record {
    game: String,
    log: String,
    names: Vec<String>,
    commitment: String,
}

fn key(id: &str) -> String {
    format!("replay-{id}")
}

/// Keeps it, and forgets the oldest of too many.
fn keep_record(id: &str, record: &Record) {
    let Ok(text) = serde_json::to_string(record) else { return };
    keep(&key(id), &text);
    let mut ids: Vec<String> =
        recall(KEPT_KEY).map(|ids| ids.split(' ').map(str::to_owned).collect()).unwrap_or_default();
    ids.retain(|it| it != id);
    ids.push(id.to_owned());
    while ids.len() > KEPT_MAX {
        forget(&key(&ids.remove(0)));
    }
    keep(KEPT_KEY, &ids.join(" "));
}

/// From the server, or from what this browser has kept.
async fn fetch(id: String) -> Result<Record, Failure> {
    let fetched = async {
        let details: Details = api::get(&format!("matches/{id}")).await?;
        let log = api::get_text(&format!("matches/{id}/export")).await?;
        let seats = details.seats.into_iter().enumerate();
        let name = |(index, seat): (usize, Sitting)| {
            seat.name.or(seat.bot).unwrap_or_else(|| format!("Player {}", index + 1))
        };
        let names = seats.map(name).collect();
        Ok(Record { game: details.game, log, names, commitment: details.commitment })
    };
    match fetched.await {
        Ok(record) => {
            keep_record(&id, &record);
            Ok(record)
        }
        Err(Failure::NetworkError) => recall(&key(&id))
            .and_then(|text| serde_json::from_str(&text).ok())
            .ok_or(Failure::NetworkError),
        Err(failure) => Err(failure),
    }
}

/// A finished match, by its address.
#[component]
pub(crate) fn ReplayPage(id: String) -> impl IntoView {
    let rules = expect_context::<Rules>();
    rules.open();
    let fetched = fetch(id.clone());
    let record = api::fetch(async move {
        let record = fetched.await?;
        rules.take_words(&record.log).await;
        Ok(record)
    });
    live(move || match record.get() {
        None => view! { <p role="status" class="notice">"One moment…"</p> }.into_any(),
        Some(Err(failure)) if failure.code() == Some(Code::MatchRunning) => view! {
            <section class="sheet">
                <h1>"This match is still being played"</h1>
                <p>"It can be looked at again once it is over; until then it can be watched."</p>
                <p>{link(Route::Match { id: id.clone() }, "button primary", "Watch it")}</p>
            </section>
        }
        .into_any(),
        Some(Err(failure)) => dead_end("This match cannot be shown", failure.sentence()),
        Some(Ok(record)) => viewing(&id, record),
    })
}

fn viewing(id: &str, record: Record) -> AnyView {
    let rules = expect_context::<Rules>();
    let Record { game, log, names, commitment } = record;
    let verdict = RwSignal::new(None::<Result<String, String>>);
    let verify = {
        let log = log.clone();
        hear(move |_| verdict.set(untrack(|| rules.verify(log.clone(), commitment.clone()))))
    };
    let all = api::fetch(games());
    let formats = {
        let (game, id) = (game.clone(), id.to_owned());
        move || {
            let found = all.get().and_then(Result::ok).unwrap_or_default();
            let formats = found.into_iter().find(|it| it.id == game).map(|it| it.formats);
            let file = |format: String| {
                let address = format!("/api/v1/matches/{id}/export?format={format}");
                view! { <a class="quiet" href=address download>"As " {format.to_ascii_uppercase()}</a> }
            };
            formats.unwrap_or_default().into_iter().map(file).collect_view().into_any()
        }
    };
    let title = names.join(" · ");
    let said = move || match verdict.get() {
        None => String::new(),
        Some(Ok(hash)) => {
            let begin = &hash[..hash.len().min(12)];
            format!("Yes: seed, every move and the last state agree ({begin}…).")
        }
        Some(Err(why)) => format!("No: {why}"),
    };
    view! {
        <h1 class="page-title">{title}</h1>
        <Moments log names/>
        <section class="sheet wide" aria-label="Proof">
            <h2>"Was the deal honest?"</h2>
            <p>
                "Before the first move the house published a fingerprint of the secret behind the deal. "
                "This browser can play the whole match again by the same rules and compare."
            </p>
            <div class="actions">
                <button on:click=verify disabled=Signal::derive(move || !rules.are_here())>"Verify this match"</button>
                {live(formats)}
            </div>
            <p role="status" class="verdict">
                {words(said)}
            </p>
        </section>
    }
    .into_any()
}

/// The board at any moment of a match, with a slider.
#[component]
pub(super) fn Moments(log: String, names: Vec<String>) -> impl IntoView {
    let rules = expect_context::<Rules>();
    let ply = RwSignal::new(0_u32);
    let side = RwSignal::new(Seat::FIRST);
    let log = StoredValue::new(log);
    let names = StoredValue::new(names);
    let why_not = RwSignal::new(None::<String>);
    let moment = move |ply: u32| {
        let viewer = Some(Viewer::Seat(side.get()));
        let scene = rules.scene(&Question::Scene { log: log.get_value(), ply, viewer })?;
        scene.inspect_err(|why| why_not.set(Some(why.clone()))).ok()
    };
    let last = Memo::new(move |_| moment(u32::MAX));
    let scene = Memo::new(move |_| moment(ply.get()));
    let plies = move || last.with(|last| last.as_ref().map_or(0, |it| it.plies));
    let steps = Memo::new(move |_| {
        last.with(|last| {
            let Some(last) = last else { return Vec::new() };
            last.notations.iter().map(|line| boards::say(&last.game, line)).collect()
        })
    });
    let of = move |part: fn(&Scene) -> String| {
        Memo::new(move |_| scene.with(|scene| scene.as_ref().map(part).unwrap_or_default()))
    };
    let stage = Stage {
        view: of(|scene| scene.view.clone()).into(),
        legal: Signal::stored(Vec::new()),
        side: Signal::derive(move || side.get().index()),
        names: Signal::derive(move || names.get_value()),
        is_ahead: Signal::stored(false),
        reaction_time: Signal::stored(None),
        foresee: Callback::new(|_| None),
        act: Callback::new(|_| {}),
        say: Callback::new(|_| {}),
    };
    let outcome = move || {
        scene.with(|scene| {
            let outcome = scene.as_ref()?.outcome.as_ref()?;
            Some(names.with_value(|names| sentence_of(outcome, names)))
        })
    };
    let go = move |to: u32| ply.set(to.min(untrack(plies)));
    let step = move |by: i64| go(u32::try_from(i64::from(ply.get_untracked()) + by).unwrap_or(0));
    let at = move || {
        let end = outcome().map(|text| format!(". {text}")).unwrap_or_default();
        format!("After {} of {}{end}", ply.get(), plies())
    };
    let game = of(|scene| scene.game.clone());
    let sides = move || {
        let count = u8::try_from(names.with_value(Vec::len)).unwrap_or(u8::MAX);
        let button = |seat: Seat| {
            let name = names.with_value(|names| names[seat.index()].clone());
            let is_shown = Signal::derive(move || (side.get() == seat).to_string());
            view! {
                <button class="quiet" aria-pressed=is_shown on:click=hear(move |_| side.set(seat))>{name}</button>
            }
        };
        Seat::all(count).map(button).collect_view()
    };
    view! {
        <div class="match">
            <section class="board" aria-label="Board">
                <p class="error" role="alert">{words(move || why_not.get().unwrap_or_default())}</p>
                <div class="stage">{board(game, stage)}</div>
                <div class="slider">
                    <button aria-label="To the beginning" on:click=hear(move |_| go(0))>"|◀"</button>
                    <button aria-label="One back" on:click=hear(move |_| step(-1))>"◀"</button>
                    <input type="range" min="0" max=Signal::derive(move || plies().to_string()) aria-label="Move"
                        prop:value=Signal::derive(move || ply.get().to_string())
                        on:input=move |event| go(event_target_value(&event).parse().unwrap_or(0))/>
                    <button aria-label="One on" on:click=hear(move |_| step(1))>"▶"</button>
                    <button aria-label="To the end" on:click=hear(move |_| go(u32::MAX))>"▶|"</button>
                </div>
                <p class="hint" role="status">
                    {words(at)}
                </p>
            </section>
            <aside class="side">
                <div class="offers" role="group" aria-label="Seen by">"Seen by " {sides()}</div>
                <Moves steps shown=Signal::derive(move || ply.get() as usize)
                    go=Callback::new(move |at: usize| go(u32::try_from(at).unwrap_or(u32::MAX)))/>
                {review(Shown { log, game, names, side, steps, go: Callback::new(go) })}
            </aside>
        </div>
    }
}
