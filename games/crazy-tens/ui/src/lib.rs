//! The Crazy Tens table in the browser: a view comes in, an action's text goes out. What may be played
//! is what the list of legal actions says.
#![expect(unreachable_pub, reason = "the component macro makes its properties public")]

mod cards;
mod position;

use board_kit::Stage;
use leptos::prelude::*;

use crate::cards::{Back, Face};
use crate::position::{Card, Position, RoundSummary, Suit};

/// What is seen, and the ten whose suit is to be chosen.
#[derive(Clone, Copy)]
struct Board {
    stage: Stage,
    position: Memo<Position>,
    ten: RwSignal<Option<Card>>,
}

impl Board {
    fn new(stage: Stage) -> Board {
        let position = Memo::new(move |_| Position::parse(&stage.view.get()).unwrap_or_default());
        let ten = RwSignal::new(None);
        // A new position is a new decision.
        Effect::new(move || {
            position.track();
            ten.set(None);
        });
        Board { stage, position, ten }
    }

    fn act(self, action: String) {
        self.ten.set(None);
        self.stage.act.run(action);
    }

    fn may(self, action: &str) -> bool {
        self.stage.legal.with(|legal| legal.iter().any(|it| it == action))
    }

    /// Plays a card, or asks for the suit that it needs.
    fn play(self, card: Card) {
        let action = format!("play:{}", card.code());
        if self.may(&action) { self.act(action) } else { self.ten.set(Some(card)) }
    }

    fn is_playable(self, card: Card) -> bool {
        let action = format!("play:{}", card.code());
        let with_suit = format!("{action}:");
        self.stage
            .legal
            .with(|legal| legal.iter().any(|it| *it == action || it.starts_with(&with_suit)))
    }

    fn hand(self) -> impl IntoView {
        let card = move |card: Card| {
            let is_playable = self.is_playable(card);
            let label = card.name();
            let label = if is_playable { format!("{label}, can be played") } else { label };
            view! {
                <li>
                    <button class="card" class:playable=is_playable aria-label=label
                        disabled=!is_playable on:click=move |_| self.play(card)>
                        <Face card/>
                    </button>
                </li>
            }
        };
        let hand = self.position.with(|position| position.hand.clone());
        view! { <ul class="hand" aria-label="Your hand">{hand.into_iter().map(card).collect_view()}</ul> }
    }

    fn chooser(self) -> impl IntoView {
        self.ten.get().map(|card| {
            let button = move |suit: Suit| {
                let action = format!("play:{}:{}", card.code(), suit.letter());
                view! {
                    <button on:click=move |_| self.act(action.clone())>{suit.symbol()} " " {suit.name()}</button>
                }
            };
            view! {
                <div class="chooser" role="group" aria-label="Which suit must follow?">
                    <p>"Which suit must follow?"</p>
                    {Suit::ALL.map(button)}
                    <button class="quiet" on:click=move |_| self.ten.set(None)>"Another card"</button>
                </div>
            }
        })
    }

    /// The stock, what lies on top, and the suit that a ten asked for.
    fn middle(self) -> impl IntoView {
        let position = self.position.get();
        let may_draw = self.may("draw");
        let stock =
            format!("Stock of {} cards{}", position.stock, if may_draw { ": draw" } else { "" });
        let pass = self.may("pass").then(|| {
            view! { <button on:click=move |_| self.act("pass".to_owned())>"Pass"</button> }
        });
        let forced = position.forced_suit.map(|suit| {
            view! { <p class="forced">{suit.symbol()} " " {suit.name()} " must follow"</p> }
        });
        view! {
            <div class="middle">
                <button class="card" class:playable=may_draw aria-label=stock disabled=!may_draw
                    on:click=move |_| self.act("draw".to_owned())>
                    <Back count=position.stock/>
                </button>
                {position.top.map(|card| view! {
                    <div class="card" role="img" aria-label=format!("On top: {}", card.name())><Face card/></div>
                })}
                {forced} {pass}
            </div>
        }
    }
}

/// The table: the others' cards, the middle, the own hand, the score.
#[component]
pub fn CrazyTensTable(
    /// The match.
    stage: Stage,
) -> impl IntoView {
    let board = Board::new(stage);
    let others = move || {
        let other = 1 - stage.side.get().min(1);
        let count = board.position.with(|position| position.hand_sizes[other]);
        let cards = (0..count).map(|_| view! { <span class="card small"></span> }).collect_view();
        view! { <p class="others" role="img" aria-label=format!("The other holds {count} cards")>{cards}</p> }
    };
    let asked = move || {
        let is_own = !stage.legal.with(Vec::is_empty) && !stage.is_ahead.get();
        match (is_own, board.may("draw"), board.may("pass")) {
            (false, ..) => "",
            (_, true, _) => "Nothing can be played: draw a card.",
            (_, _, true) => "Nothing can be played, and nothing is left to draw: pass.",
            _ => "Play a card.",
        }
    };
    view! {
        <div class="crazy-tens">
            {move || scores(stage, &board.position.get())}
            {others}
            {move || board.middle()}
            <p class="asked" role="status">{asked}</p>
            {move || board.chooser()}
            {move || board.hand()}
            {move || board.position.get().last_round.map(|round| summary(stage, &round))}
        </div>
    }
}

fn scores(stage: Stage, position: &Position) -> impl IntoView + use<> {
    let row = |seat: usize| {
        let who = stage.name(seat);
        let (decimal, dozenal) = (position.scores[seat], position.scores_dozenal[seat].clone());
        view! { <tr><th scope="row">{who}</th><td>{decimal}</td><td>{dozenal}</td></tr> }
    };
    view! {
        <table class="scores">
            <caption>"Round " {position.round} ", up to " {position.target}</caption>
            <thead><tr><td></td><th scope="col">"Decimal"</th><th scope="col">"Dozenal"</th></tr></thead>
            <tbody>{[0, 1].map(row)}</tbody>
        </table>
    }
}

fn summary(stage: Stage, round: &RoundSummary) -> impl IntoView + use<> {
    let who = match round.winner {
        Some(seat) => format!("{} won", stage.name(seat)),
        None => "Nobody won".to_owned(),
    };
    let cards: Vec<String> = round
        .loser_hand
        .iter()
        .filter_map(|it| Some(format!("{} ({})", Card::parse(&it.card)?.short(), it.value)))
        .collect();
    view! {
        <details class="round">
            <summary>"Round " {round.round} ": " {who} " " {round.points} " points (" {round.points_dozenal.clone()} " in dozenal)"</summary>
            <p>"Left in the other hand: " {cards.join(" + ")}</p>
        </details>
    }
}
