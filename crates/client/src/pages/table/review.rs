//! A match looked at again with a bot: how it stood, move by move, and where it turned.

use board_kit::{hear, live, words};
use client_core::{Advice, Question};
use game_api::Seat;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::boards;
use crate::thinker::{self, think};

/// So long the bot looks at each moment.
const THINK_MS: u32 = 120;
/// Who loses so much of a standing by a move has turned the match.
const TURN_MIN: i32 = 20;
/// More than these nobody wants to read.
const TURNS_MAX: usize = 6;
/// The plot's size, in its own units; a standing goes from −100 to 100.
const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 80.0;

/// What was found at a moment.
#[derive(Clone)]
struct Judged {
    ply: u32,
    advice: Advice,
}

/// A move after which its player stood worse than before.
#[derive(Clone, PartialEq)]
struct Turn {
    ply: u32,
    loss: i32,
    instead: String,
}

/// How a seat stood, by what was found; with more than two seats nothing is known while others act.
fn standing(advice: &Advice, seat: Seat, seats: usize) -> Option<i32> {
    if advice.seat == seat {
        return Some(advice.standing);
    }
    (seats == 2).then_some(-advice.standing)
}

/// The moves that cost most, in order.
fn turns(judged: &[Judged], seats: usize) -> Vec<Turn> {
    let pairs = judged.windows(2).filter_map(|pair| {
        let [Judged { ply, advice }, after] = pair else { return None };
        let loss = advice.standing - standing(&after.advice, advice.seat, seats)?;
        (loss >= TURN_MIN).then(|| Turn { ply: *ply, loss, instead: advice.notation.clone() })
    });
    let mut turns: Vec<Turn> = pairs.collect();
    turns.sort_by_key(|turn| -turn.loss);
    turns.truncate(TURNS_MAX);
    turns.sort_by_key(|turn| turn.ply);
    turns
}

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
    let judged = RwSignal::new(None::<Vec<Judged>>);
    let is_done = RwSignal::new(false);
    let plies = Memo::new(move |_| u32::try_from(shown.steps.with(Vec::len)).unwrap_or(u32::MAX));
    let start = move || {
        judged.set(Some(Vec::new()));
        let (log, plies) = (shown.log.get_value(), plies.get_untracked());
        spawn_local(async move {
            thinker::give_words(&log).await;
            for ply in 0..plies {
                let question = Question::Judge { log: log.clone(), ply, think_ms: THINK_MS };
                // Where nobody could act there is nothing to judge.
                let Some(found) = think(&question).await else { break };
                let push = |judged: &mut Option<Vec<Judged>>| {
                    if let (Some(judged), Ok(advice)) = (judged, found) {
                        judged.push(Judged { ply, advice });
                    }
                };
                // Nobody looks any more.
                if judged.try_update(push).is_none() {
                    return;
                }
            }
            is_done.try_set(true);
        });
    };
    let content = move || match judged.get() {
        None => {
            let start = hear(move |_| start());
            view! { <button on:click=start>"Review it with a bot"</button> }.into_any()
        }
        Some(judged) => drawn(shown, &judged, plies.get(), is_done.get()),
    };
    view! {
        <section class="review plot" aria-label="Review">
            <h2>"Review"</h2>
            {live(content)}
        </section>
    }
    .into_any()
}

fn drawn(shown: Shown, judged: &[Judged], plies: u32, is_done: bool) -> AnyView {
    let seats = shown.names.with_value(Vec::len);
    let side = shown.side.get();
    let x = |ply: u32| f64::from(ply) / f64::from(plies.max(1)) * WIDTH;
    let y = |standing: i32| HEIGHT / 2.0 * (1.0 - f64::from(standing) / 100.0);
    let points: Vec<(u32, i32)> =
        judged.iter().filter_map(|it| Some((it.ply, standing(&it.advice, side, seats)?))).collect();
    let line: Vec<String> = points
        .iter()
        .map(|(ply, standing)| format!("{:.1},{:.1}", x(*ply), y(*standing)))
        .collect();
    let turns = turns(judged, seats);
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
    let state = match (is_done, turns.is_empty()) {
        (false, _) => format!("Looking: {} of {plies}…", judged.len()),
        (true, _) if judged.is_empty() => "The bot could not be started.".to_owned(),
        (true, true) => "No single move turned it.".to_owned(),
        (true, false) => "Where it turned:".to_owned(),
    };
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
