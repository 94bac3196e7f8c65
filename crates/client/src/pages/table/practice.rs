//! A match on this screen alone: the rules run beside the page, and no server is needed.

use board_kit::Stage;
use client_core::{Question, Scene, Sight, sentence_case};
use game_api::{Seat, Viewer};
use leptos::prelude::*;
use protocol::GameInfo;

use super::replay::Moments;
use super::{HandOver, board, dead_end, games, sentence_of};
use crate::api;
use crate::browser::{keep, random, recall};
use crate::realtime::now_ms;
use crate::rules::Rules;

/// Where the match of a game is kept.
fn key(game: &str) -> String {
    format!("practice-{game}")
}

/// Begins a match on this screen; the one before is forgotten.
pub(crate) fn begin(
    rules: Rules,
    game: &str,
    options: String,
    seats: u8,
) -> Option<Result<String, String>> {
    let seed = format!("{:016x}{:016x}{:016x}{:016x}", random(), random(), random(), random());
    let begun = rules.log(&Question::Begin { game: game.to_owned(), options, seats, seed });
    if let Some(Ok(log)) = &begun {
        keep(&key(game), log);
    }
    begun
}

/// The page of such a match: the one that was left, or a new one.
#[component]
pub(crate) fn Practice(game: String) -> impl IntoView {
    let rules = expect_context::<Rules>();
    rules.open();
    let all = api::fetch(games());
    let log = RwSignal::new(recall(&key(&game)));
    let trouble = RwSignal::new(None::<String>);
    let info = {
        let game = game.clone();
        Memo::new(move |_| {
            let games = all.get()?;
            Some(games.ok()?.into_iter().find(|it| it.id == game))
        })
    };
    let begin_anew = {
        let game = game.clone();
        Callback::new(move |()| {
            let Some(Some(info)) = info.get_untracked() else { return };
            let options = info.presets.first().map(|it| it.options.clone()).unwrap_or_default();
            let options = serde_json::to_string(&options).unwrap_or_default();
            match untrack(|| begin(rules, &game, options, info.seats_min)) {
                Some(Ok(new)) => log.set(Some(new)),
                Some(Err(why)) => trouble.set(Some(why)),
                None => {}
            }
        })
    };
    Effect::new(move || {
        if log.with(Option::is_none) && rules.are_here() && info.get().flatten().is_some() {
            begin_anew.run(());
        }
    });
    let is_begun = Memo::new(move |_| log.with(Option::is_some) && rules.are_here());
    let go_on = Callback::new(move |next: String| {
        keep(&key(&game), &next);
        log.set(Some(next));
    });
    move || match (is_begun.get(), info.get()) {
        (true, Some(Some(info))) => view! { <Desk info log go_on begin_anew/> }.into_any(),
        (_, Some(None)) => dead_end(
            "There is no such game",
            "This house does not have it; perhaps the link has lost a letter.".to_owned(),
        ),
        _ if rules.are_missing() => dead_end(
            "The rules could not be fetched",
            "Open this page once with a connection; then it works without.".to_owned(),
        ),
        _ => match trouble.get() {
            Some(text) => dead_end("This match cannot begin", text),
            None => view! { <p role="status" class="notice">"One moment…"</p> }.into_any(),
        },
    }
}

#[component]
fn Desk(
    info: GameInfo,
    log: RwSignal<Option<String>>,
    go_on: Callback<String>,
    begin_anew: Callback<()>,
) -> impl IntoView {
    let rules = expect_context::<Rules>();
    let trouble = RwSignal::new(None::<String>);
    let scene = Memo::new(move |_| {
        let question = Question::Scene { log: log.get()?, ply: u32::MAX, viewer: None };
        rules.scene(&question)?.inspect_err(|why| trouble.set(Some(sentence_case(why)))).ok()
    });
    let of = move |part: fn(&Scene) -> String| {
        Memo::new(move |_| scene.with(|scene| scene.as_ref().map(part).unwrap_or_default()))
    };
    let seat = Memo::new(move |_| match scene.with(|scene| scene.as_ref().map(|it| it.viewer)) {
        Some(Viewer::Seat(seat)) => seat,
        _ => Seat::FIRST,
    });
    let names = Memo::new(move |_| {
        let seats = scene.with(|scene| scene.as_ref().map_or(2, |it| it.seats));
        (1..=seats).map(|number| format!("Player {number}")).collect::<Vec<_>>()
    });
    let change = move |question: Question| match untrack(|| rules.log(&question)) {
        Some(Ok(next)) => {
            trouble.set(None);
            go_on.run(next);
        }
        Some(Err(why)) => trouble.set(Some(why)),
        None => {}
    };
    let text = move || log.get_untracked().unwrap_or_default();
    let act = Callback::new(move |action| {
        change(Question::Play { log: text(), seat: seat.get_untracked(), action, at_ms: now_ms() });
    });
    let foresee = Callback::new(move |action| {
        let sight = scene.with_untracked(|scene| {
            let Scene { game, options, seats, view, .. } = scene.clone()?;
            Some(Sight { game, options, seats, seat: seat.get_untracked(), view })
        });
        untrack(|| rules.preview(sight?, action))
    });
    let stage = Stage {
        view: of(|scene| scene.view.clone()).into(),
        legal: Signal::derive(move || {
            scene.with(|scene| scene.as_ref().map(|it| it.legal.clone())).unwrap_or_default()
        }),
        side: Signal::derive(move || seat.get().index()),
        names: names.into(),
        is_ahead: Signal::stored(false),
        foresee,
        act,
    };
    let outcome = Memo::new(move |_| {
        scene.with(|scene| Some(sentence_of(scene.as_ref()?.outcome.as_ref()?, &names.get())))
    });
    let is_over = Memo::new(move |_| outcome.with(Option::is_some));
    let may_undo = Memo::new(move |_| scene.with(|it| it.as_ref().is_some_and(|it| it.may_undo)));
    let shown = RwSignal::new(None::<Seat>);
    let is_covered = Memo::new(move |_| {
        info.hidden_information && !is_over.get() && shown.get() != Some(seat.get())
    });
    let name = Signal::derive(move || {
        names.with(|names| names.get(seat.get().index()).cloned().unwrap_or_default())
    });
    let taken = Callback::new(move |()| shown.set(Some(seat.get_untracked())));
    let give_up = move |_| {
        change(Question::GiveUp { log: text(), seat: seat.get_untracked(), at_ms: now_ms() });
    };
    let game = of(|scene| scene.game.clone());
    let is_sure = RwSignal::new(false);
    view! {
        <h1 class="page-title">{info.name.clone()} ", on this screen"</h1>
        <div class="match">
            <section class="board" aria-label="Board">
                <div class="strip to-act">
                    <span class="who">{name}</span>
                    <span class="hint">{move || (!is_over.get()).then_some("to move")}</span>
                </div>
                <div class="stage" inert=is_covered>{board(game, stage)}</div>
                <Show when=move || is_covered.get()><HandOver name taken/></Show>
                <p class="error" role="alert">{move || trouble.get()}</p>
            </section>
            <aside class="side">
                <div class="ending" role="status">
                    {move || outcome.get().map(|text| view! { <p class="outcome">{text}</p> })}
                </div>
                <section class="offers" aria-label="This match">
                    <button class="quiet" disabled=move || !may_undo.get()
                        on:click=move |_| change(Question::Undo { log: text() })>"Take back"</button>
                    <Show when=move || !is_over.get()>
                        <button class="quiet" on:click=move |event| {
                            if is_sure.get_untracked() { give_up(event) }
                            is_sure.update(|it| *it = !*it);
                        }>
                            {move || if is_sure.get() { "Really give up?" } else { "Give up" }}
                        </button>
                    </Show>
                    <button class:primary=is_over on:click=move |_| {
                        shown.set(None);
                        begin_anew.run(());
                    }>"A new match"</button>
                </section>
                <Show when=move || is_over.get()>
                    <Moments log=text() names=names.get_untracked()/>
                </Show>
                <p class="hint">"This match is kept in this browser alone; no server knows of it."</p>
            </aside>
        </div>
    }
}
