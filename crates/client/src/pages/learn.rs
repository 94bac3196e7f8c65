//! A game in a few steps, on its own board.

use board_kit::{Stage, hear, live};
use client_core::{Lesson, Route, Verdict, sentence_case};
use leptos::prelude::*;

use super::NotFound;
use crate::api;
use crate::boards;
use crate::navigation::{Navigation, focus, link};
use crate::reading::{learn, reading};

/// That of the step that is shown.
const HEADING: &str = ".learn h2";

/// The tutorial of a game.
pub(crate) fn learn_page(game: String) -> AnyView {
    let found = reading(&game).and_then(|it| it.tutorial.zip(Some(it.title)));
    let Some((address, title)) = found else {
        return NotFound().into_any();
    };
    let tutorial = api::fetch(async move { api::text(&address).await });
    let content = live(move || match tutorial.get() {
        None => view! { <p role="status">"One moment…"</p> }.into_any(),
        Some(Err(failure)) => view! {
            <p class="error" role="alert">{sentence_case(&failure.sentence())}</p>
        }
        .into_any(),
        Some(Ok(json)) => course(&game, Lesson::list(&json)),
    });
    view! {
        <section class="learn">
            <h1>{format!("Learn {title}")}</h1>
            {content}
        </section>
    }
    .into_any()
}

/// The steps, of which one is shown.
fn course(game: &str, lessons: Vec<Lesson>) -> AnyView {
    let at = RwSignal::new(0_usize);
    let game = game.to_owned();
    live(move || {
        let index = at.get();
        if let Some(it) = lessons.get(index) {
            let count = lessons.len();
            return view! {
                <p class="hint" role="status">{format!("Step {} of {count}", index + 1)}</p>
                {lesson(&game, it.clone(), steps(&game, at, index + 1 == count))}
            }
            .into_any();
        }
        learn(&game);
        done(&game, at)
    })
}

/// Back, on, or out.
fn steps(game: &str, at: RwSignal<usize>, is_last: bool) -> AnyView {
    let navigation = expect_context::<Navigation>();
    let game = game.to_owned();
    let skip = hear(move |_| {
        learn(&game);
        navigation.go(&Route::Home);
    });
    let go = move |to: usize| {
        at.set(to);
        focus(HEADING);
    };
    let index = at.get_untracked();
    let next = hear(move |_| go(index + 1));
    let back = hear(move |_| go(index.saturating_sub(1)));
    let word = if is_last { "Done" } else { "Next" };
    view! {
        <nav class="actions" aria-label="Steps">
            <button disabled=index == 0 on:click=back>"Back"</button>
            <button class="primary" on:click=next>{word}</button>
            <button class="quiet" on:click=skip>"Skip the tutorial"</button>
        </nav>
    }
    .into_any()
}

fn done(game: &str, at: RwSignal<usize>) -> AnyView {
    let rules = Route::RulesOf { game: game.to_owned() };
    let again = hear(move |_| {
        at.set(0);
        focus(HEADING);
    });
    view! {
        <div class="sheet">
            <h2>"That is all you need to begin"</h2>
            <p>"The rest comes with playing. The rules are there whenever you want to look something up."</p>
            <div class="actions">
                {link(Route::Home, "button primary", "Play")}
                {link(rules, "button", "Read the rules")}
                <button class="quiet" on:click=again>"Once more"</button>
            </div>
        </div>
    }
    .into_any()
}

/// Words, then the board, then how it went and how to go on: on a narrow screen from top to bottom.
fn lesson(game: &str, it: Lesson, steps: AnyView) -> AnyView {
    let begin = it.view;
    let view = RwSignal::new(begin.clone());
    let verdict = RwSignal::new(None::<Verdict>);
    let legal = it.legal;
    let is_open = move || !verdict.with(|verdict| verdict.as_ref().is_some_and(|it| it.is_right));
    let task = it.task.clone();
    let answer = Callback::new(move |action: String| {
        let Some(task) = &task else { return };
        let judged = task.judge(&action);
        if let Some(after) = &judged.view {
            view.set(after.clone());
        }
        verdict.set(Some(judged));
    });
    let again = move |_| {
        view.set(begin.clone());
        verdict.set(None);
    };
    let stage = Stage {
        view: view.into(),
        legal: Signal::derive(move || if is_open() { legal.clone() } else { Vec::new() }),
        side: Signal::stored(it.side),
        names: Signal::stored(Vec::new()),
        is_ahead: Signal::stored(false),
        reaction_time: Signal::stored(None),
        foresee: Callback::new(|_| None),
        act: answer,
        // A lesson has its own words for what is wrong.
        say: Callback::new(|_| {}),
    };
    let told = live(move || {
        let Some(it) = verdict.get() else { return ().into_any() };
        let (class, word) = if it.is_right { ("right", "Right. ") } else { ("wrong", "No. ") };
        let again = it.is_right.then(|| {
            view! { <button class="quiet" on:click=hear(again.clone())>"Try it again"</button> }
        });
        view! { <p class=class><b>{word}</b> {it.reason}</p> {again} }.into_any()
    });
    let task = it.task.map(|task| view! { <p class="task">{task.question}</p> }.into_any());
    let verdict = task
        .is_some()
        .then(|| view! { <div class="verdict" role="status">{told}</div> }.into_any());
    let paragraph = |text: String| view! { <p>{text}</p> }.into_any();
    view! {
        <div class="lesson">
            <div class="words">
                <h2>{it.heading}</h2>
                {it.text.into_iter().map(paragraph).collect_view()}
                {task}
            </div>
            <div class="shown">{boards::board(game, stage)}</div>
            <div class="after">{verdict} {steps}</div>
        </div>
    }
    .into_any()
}
