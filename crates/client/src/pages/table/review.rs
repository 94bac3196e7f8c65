//! A match looked at again with a bot: how it stood, move by move, and where it turned.

use board_kit::{hear, live, words};
use client_core::{Question, Review, Turn};
use game_api::Seat;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::boards;
use crate::thinker::{self, judge};

/// So long the bot looks at each moment.
const THINK_MS: u32 = 120;
/// The plot's size, in its own units; a standing goes from −100 to 100.
const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 80.0;

/// What the review needs of the match that is shown.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    pub(super) log: StoredValue<String>,
    pub(super) game: Memo<String>,
    pub(super) names: StoredValue<Vec<String>>,
    /// From whose side.
    pub(super) side: RwSignal<Seat>,
    /// Every step, in a line.
    pub(super) steps: Memo<Vec<String>>,
    /// Goes to a moment.
    pub(super) go: Callback<u32>,
}

/// A button, then the plot and the turning points as they are found.
pub(super) fn review(shown: Shown) -> AnyView {
    let review = RwSignal::new(None::<Review>);
    let start = move || {
        let plies = u32::try_from(shown.steps.with_untracked(Vec::len)).unwrap_or(u32::MAX);
        review.set(Some(Review::new(plies, shown.names.with_value(Vec::len))));
        let log = shown.log.get_value();
        spawn_local(async move {
            let end = match look(log, plies, review).await {
                Some(()) => Review::finish,
                None => Review::break_off,
            };
            change(review, end);
        });
    };
    let content = move || match review.get() {
        None => {
            let start = hear(move |_| start());
            view! { <button on:click=start>"Review it with a bot"</button> }.into_any()
        }
        Some(review) => drawn(shown, &review),
    };
    view! {
        <section class="review plot" aria-label="Review">
            <h2>"Review"</h2>
            {live(content)}
        </section>
    }
    .into_any()
}

/// Changes what was found; nothing where nobody looks any more.
fn change<T>(review: RwSignal<Option<Review>>, change: impl FnOnce(&mut Review) -> T) -> Option<T> {
    review.try_update(|review| review.as_mut().map(change)).flatten()
}

/// Looks at every moment; nothing if it broke off, or nobody looks any more.
async fn look(log: String, plies: u32, review: RwSignal<Option<Review>>) -> Option<()> {
    thinker::give_words(&log).await;
    let ask = async |ply, instead| {
        let question = Question::Judge { log: log.clone(), ply, instead, think_ms: THINK_MS };
        judge(&question).await
    };
    for ply in 0..plies {
        // Where nobody could act there is nothing to judge.
        let Ok(found) = ask(ply, None).await? else { continue };
        let doubt = change(review, |review| {
            review.note(ply, found);
            review.doubt()
        })?;
        let Some((ply, action)) = doubt else { continue };
        // Where the other action would have ended the match, what was thought of it before holds.
        if let Ok(tried) = ask(ply, Some(action)).await? {
            change(review, |review| review.settle(&tried.advice))?;
        }
    }
    Some(())
}

fn drawn(shown: Shown, review: &Review) -> AnyView {
    let side = shown.side.get();
    let x = |ply: u32| f64::from(ply) / f64::from(review.plies().max(1)) * WIDTH;
    let y = |standing: i32| HEIGHT / 2.0 * (1.0 - f64::from(standing) / 100.0);
    let points = review.line(side);
    let line: Vec<String> = points
        .iter()
        .map(|(ply, standing)| format!("{:.1},{:.1}", x(*ply), y(*standing)))
        .collect();
    let turns = review.turns();
    let marks = turns.iter().filter_map(|turn| {
        let (_, standing) = points.iter().find(|(ply, _)| *ply == turn.ply)?;
        Some(view! { <circle cx=format!("{:.1}", x(turn.ply)) cy=format!("{:.1}", y(*standing)) r="3"/> })
    });
    let game = shown.game.get();
    let row = |turn: &Turn| {
        let ply = turn.ply;
        let step = usize::try_from(ply).unwrap_or_default();
        let line = shown.steps.with(|steps| steps.get(step).cloned()).unwrap_or_default();
        let words = format!("{}. {line}", ply + 1);
        let go = hear(move |_| shown.go.run(ply));
        view! {
            <li>
                <button class="quiet" on:click=go>{words}</button>
                " cost " {turn.loss} "; the bot prefers " <b>{boards::say(&game, &turn.instead)}</b> "."
            </li>
        }
    };
    let name = shown.names.with_value(|names| names.get(side.index()).cloned()).unwrap_or_default();
    let state = review.sentence();
    let label = format!("How {name} stood, from lost (below) to won (above)");
    view! {
        <p class="hint">{label.clone()}</p>
        <svg viewBox=format!("0 0 {WIDTH} {HEIGHT}") role="img" aria-label=label>
            <line class="zero" x1="0" x2=WIDTH.to_string() y1=(HEIGHT / 2.0).to_string() y2=(HEIGHT / 2.0).to_string()/>
            <polyline points=line.join(" ")/>
            {marks.collect_view()}
        </svg>
        <p role="status">{words(move || state.clone())}</p>
        <ol class="turns">{turns.iter().map(row).collect_view()}</ol>
    }
    .into_any()
}
