//! The Crazy Tens table in the browser: a view comes in, an action's text goes out. What may be played
//! is what the list of legal actions says, and why is what the rules say.
#![expect(unreachable_pub, reason = "the component macro makes its properties public")]

mod about;
mod cards;
mod hints;
mod position;
mod score;

pub use about::ABOUT;
use board_kit::{Hints, Settings, Stage, chooser, hear, shown_while};
use leptos::prelude::*;

use crate::cards::{Back, Face};
use crate::position::{Card, Position, Suit};
use crate::score::{RoundOver, scores};

/// More cards than these lie in rows: in a fan they would hide each other's ranks.
const FAN_MAX: usize = 9;

/// What is seen, and the ten whose suit is to be chosen.
#[derive(Clone, Copy)]
struct Board {
    stage: Stage,
    position: Memo<Position>,
    is_unreadable: Memo<bool>,
    ten: RwSignal<Option<Card>>,
    settings: Settings,
}

impl Board {
    fn new(stage: Stage) -> Board {
        let read = move || stage.view.with(|view| Position::parse(view));
        let position = Memo::new(move |_| read().unwrap_or_default());
        let is_unreadable = Memo::new(move |_| read().is_err());
        let ten = RwSignal::new(None);
        // A new position is a new decision, and in a pause there is none.
        Effect::new(move || {
            position.track();
            stage.legal.track();
            ten.set(None);
        });
        Board { stage, position, is_unreadable, ten, settings: Settings::here() }
    }

    fn act(self, action: String) {
        self.ten.set(None);
        self.stage.act.run(action);
    }

    fn may(self, action: &str) -> bool {
        self.stage.legal.with(|legal| legal.iter().any(|it| it == action))
    }

    /// Plays a card, or asks for the suit that it needs. One that may not be played is tried too: then
    /// the rules say why not.
    fn play(self, card: Card) {
        let action = format!("play:{}", card.code());
        let needs_suit = self.action_of(card).is_some_and(|it| it != action);
        if needs_suit { self.ten.set(Some(card)) } else { self.act(action) }
    }

    /// A legal action that plays this card.
    fn action_of(self, card: Card) -> Option<String> {
        let action = format!("play:{}", card.code());
        let with_suit = format!("{action}:");
        let is_it = |it: &&String| **it == action || it.starts_with(&with_suit);
        self.stage.legal.with(|legal| legal.iter().find(is_it).cloned())
    }

    /// Why a card may be played, as much as people want to read.
    fn reason(self, card: Card) -> Option<hints::Because> {
        let foreseen = self.stage.foresee.run(self.action_of(card)?)?;
        hints::Because::parse(&foreseen.ok()?)
    }

    fn hand(self) -> impl IntoView {
        let hand = self.position.with(|position| position.hand.clone());
        let level = self.settings.hints();
        let card = |(index, card): (usize, Card)| {
            let is_usable = self.action_of(card).is_some();
            let is_ahead = self.stage.is_ahead.get();
            let label = card.name();
            let label = if is_usable {
                format!("{label}, {}", self.stage.words("can be played"))
            } else {
                label
            };
            let tag = (level != Hints::Off)
                .then(|| self.reason(card))
                .flatten()
                .map(|because| view! { <small class="why">{because.words()}</small> });
            view! {
                <li style=("--index", index.to_string())>
                    <button class="card" class:playable=is_usable && !is_ahead
                        class:ahead=is_usable && is_ahead aria-label=label
                        aria-disabled=(!is_usable).then_some("true")
                        on:click=move |_| self.play(card)>
                        <Face card/>
                    </button>
                    {tag}
                </li>
            }
        };
        let count = hand.len();
        view! {
            <ul class="hand" class:fan={count <= FAN_MAX} aria-label="Your hand" style=("--count", count.to_string())>
                {hand.into_iter().enumerate().map(card).collect_view()}
            </ul>
        }
    }

    /// Each playable card with its reason in a sentence, for whoever wants it.
    fn sentences(self) -> impl IntoView {
        let is_wanted = self.settings.hints() == Hints::Full;
        let sentence = |card: Card| {
            let top = self.position.with(|position| position.top)?;
            let text = self.reason(card)?.sentence(card, top);
            Some(view! { <li>{text}</li> })
        };
        let hand = self.position.with(|position| position.hand.clone());
        let lines: Vec<_> = hand.into_iter().filter(|_| is_wanted).filter_map(sentence).collect();
        (!lines.is_empty()).then(|| view! { <ul class="hints" aria-label="Why">{lines}</ul> })
    }

    fn chooser(self) -> AnyView {
        let Some(card) = self.ten.get() else { return ().into_any() };
        let button = move |suit: Suit| {
            let action = format!("play:{}:{}", card.code(), suit.letter());
            let choose = hear(move |_| self.act(action.clone()));
            view! { <button on:click=choose>{suit.symbol()} " " {suit.name()}</button> }
        };
        let other = hear(move |_| self.ten.set(None));
        let answers = view! {
            {Suit::ALL.map(button)}
            <button class="quiet" on:click=other>"Another card"</button>
        };
        chooser("Which suit must follow?", answers.into_any())
    }

    /// The stock, what lies on top, and the suit that a ten asked for.
    fn middle(self) -> impl IntoView {
        let position = self.position.get();
        let may_draw = self.may("draw") && !self.stage.is_ahead.get();
        let stock =
            format!("Stock of {} cards{}", position.stock, if may_draw { ": draw" } else { "" });
        // Turns over with each card that is played: the style sheet lets that one land.
        let is_odd = position.unplayed() % 2 == 1;
        let pass = (self.may("pass") && !self.stage.is_ahead.get()).then(|| {
            view! { <button on:click=move |_| self.act("pass".to_owned())>"Pass"</button> }
        });
        let forced = position.forced_suit.map(|suit| {
            view! { <p class="forced">{suit.symbol()} " " {suit.name()} " must follow"</p> }
        });
        view! {
            <div class="middle">
                <button class="card" class:playable=may_draw aria-label=stock
                    aria-disabled=(!may_draw).then_some("true")
                    on:click=move |_| self.act("draw".to_owned())>
                    <Back count=position.stock/>
                </button>
                {position.top.map(|card| view! {
                    <div class="card landed" class:odd=is_odd role="img" aria-label=format!("On top: {}", card.name())><Face card/></div>
                })}
                {forced} {pass}
            </div>
        }
    }

    /// What the turn asks for.
    fn asked(self) -> &'static str {
        let is_own = !self.stage.legal.with(Vec::is_empty) && !self.stage.is_ahead.get();
        match (is_own, self.may("draw"), self.may("pass")) {
            (false, ..) => "",
            (_, true, _) => "Nothing can be played: draw a card.",
            (_, _, true) => "Nothing can be played, and nothing is left to draw: pass.",
            _ => "Play a card.",
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
        let label = format!("{} holds {count} cards", stage.name(other));
        view! { <p class="others" role="img" aria-label=label>{cards}</p> }
    };
    let unreadable = || {
        view! { <p role="alert">"This score cannot be read. Load the page again."</p> }.into_any()
    };
    let (position, settings) = (board.position, board.settings);
    view! {
        <div class="crazy-tens">
            {shown_while(board.is_unreadable.into(), unreadable)}
            <RoundOver stage position settings/>
            {move || scores(stage, &position.get(), settings)}
            {others}
            {move || board.middle()}
            <p class="asked" role="status">{move || board.asked()}</p>
            {move || board.chooser()}
            {move || board.hand()}
            {move || board.sentences()}
        </div>
    }
}
