//! M13: the score in both bases, and what a round came to.

use board_kit::{ScoreBase, Settings, Stage, lead_to, shown_while};
use crazy_tens::dozenal::normalize_dozenal;
use leptos::ev::SubmitEvent;
use leptos::prelude::*;

use crate::position::{Card, Position, RoundSummary};

/// Both bases side by side; the toggle says which stands out, and changes no value.
pub(crate) fn scores(
    stage: Stage,
    position: &Position,
    settings: Settings,
) -> impl IntoView + use<> {
    let base = settings.score_base();
    let row = |seat: usize| {
        let (decimal, dozenal) =
            (position.scores[seat], settings.draw_dozenal(&position.scores_dozenal[seat]));
        view! { <tr><th scope="row">{stage.name(seat)}</th><td class="ten">{decimal}</td><td class="twelve">{dozenal}</td></tr> }
    };
    let other = match base {
        ScoreBase::Decimal => "Dozenal first",
        ScoreBase::Dozenal => "Decimal first",
    };
    let class = match base {
        ScoreBase::Decimal => "scores prominent-ten",
        ScoreBase::Dozenal => "scores prominent-twelve",
    };
    view! {
        <div class="scoreboard">
            <table class=class>
                <caption>"Round " {position.round} ", up to " {position.target}</caption>
                <thead><tr><td></td><th scope="col" class="ten">"Decimal"</th><th scope="col" class="twelve">"Dozenal"</th></tr></thead>
                <tbody>{[0, 1].map(row)}</tbody>
            </table>
            <button class="quiet" on:click=move |_| settings.toggle_score_base()>{other}</button>
        </div>
    }
}

/// What a round that has just ended came to; it goes when people have seen it.
#[component]
pub(crate) fn RoundOver(
    stage: Stage,
    position: Memo<Position>,
    settings: Settings,
) -> impl IntoView {
    let round = Memo::new(move |_| position.with(|position| position.last_round.clone()));
    // What ended before this screen looked on is no news.
    let seen = RwSignal::new(round.with_untracked(|round| round.as_ref().map(|it| it.round)));
    let news = Memo::new(move |_| round.get().filter(|round| seen.get() != Some(round.round)));
    move || {
        news.get().map(|round| {
            let number = round.round;
            let here = NodeRef::<leptos::html::Section>::new();
            here.on_load(|it| lead_to(&it));
            view! {
                <section class="round-over" aria-label="The round is over" tabindex="-1" node_ref=here>
                    {summary(stage, round, position, settings)}
                    <button class="primary" on:click=move |_| seen.set(Some(number))>"Go on"</button>
                </section>
            }
        })
    }
}

fn summary(
    stage: Stage,
    round: RoundSummary,
    position: Memo<Position>,
    settings: Settings,
) -> impl IntoView {
    let who = match round.winner {
        Some(seat) => format!("{} wins round {}", stage.name(seat), round.round),
        None => format!("Nobody wins round {}", round.round),
    };
    let cards: Vec<String> = round
        .loser_hand
        .iter()
        .filter_map(|it| Some(format!("{} = {}", Card::parse(&it.card)?.short(), it.value)))
        .collect();
    let is_told = RwSignal::new(!untrack(|| settings.has_tally()) || cards.is_empty());
    let (points, points_dozenal) = (round.points, round.points_dozenal.clone());
    let told = move || {
        let total = |seat: usize| {
            position.with(|position| {
                let dozenal = settings.draw_dozenal(&position.scores_dozenal[seat]);
                view! { {stage.name(seat)} " " {position.scores[seat]} " (" {dozenal} ")" }
            })
        };
        let sum = settings.draw_dozenal(&points_dozenal);
        view! {
            <p>
                "The sum is " {points} " in decimal and " {sum} " in dozenal. Totals: "
                {total(0)} ", " {total(1)} "."
            </p>
        }
        .into_any()
    };
    let right = round.points_dozenal;
    view! {
        <h2>{who}</h2>
        <p>"Left in the other hand: " {cards.join(", ")}</p>
        <Show when=move || !is_told.get()><Tally right=right.clone() is_told/></Show>
        {shown_while(is_told.into(), told)}
    }
}

/// Adds the sum up in dozenal; right or wrong, the score is what it is.
#[component]
fn Tally(right: String, is_told: RwSignal<bool>) -> impl IntoView {
    let field = NodeRef::<leptos::html::Input>::new();
    let verdict = RwSignal::new(None::<&'static str>);
    let check = move |event: SubmitEvent| {
        event.prevent_default();
        let text = field.get().map(|field| field.value()).unwrap_or_default();
        match normalize_dozenal(&text) {
            Ok(sum) if sum == right => is_told.set(true),
            Ok(_) => verdict.set(Some("Not quite. Try again, or have it shown.")),
            Err(_) => {
                verdict.set(Some("This is no dozenal number: the digits are 0 to 9, A and B."));
            }
        }
    };
    view! {
        <form class="tally" on:submit=check>
            <label>"What do these cards add up to, in dozenal?" <input node_ref=field autocomplete="off" size="4"/></label>
            <button>"Check"</button>
            <button type="button" class="quiet" on:click=move |_| is_told.set(true)>"Show me"</button>
            <p role="status">{move || verdict.get()}</p>
        </form>
    }
}
