//! What stands around the board: who plays, what can be done, what can be bought, what is unseen.

use board_kit::{chooser, hear, live, show_cell, shown_while, words};
use leptos::html::Div;
use leptos::prelude::*;

use crate::Board;
use crate::draft::{Asks, Draft, Held};
use crate::position::{Player, effect_of, tiles, title};

/// Who plays, in the order of the turns.
pub(crate) fn players(board: Board) -> AnyView {
    let position = board.position.get();
    let line = |it: Player| {
        let fate = match (it.is_out, it.skips) {
            (true, _) => ", out".to_owned(),
            (_, 0) => String::new(),
            (_, 1) => ", loses a turn".to_owned(),
            (_, skips) => format!(", loses {skips} turns"),
        };
        let words = format!("{}, {}{fate}", it.score, tiles(it.tiles));
        view! { <li><b>{board.stage.name(it.seat)}</b> " " {words}</li> }
    };
    let way =
        if position.is_backward { "Turns go the other way round:" } else { "Turns go round:" };
    view! {
        <div class="players">
            <span class="hint">{way}</span>
            <ol aria-label="Whose turn it is, and who comes next">{position.players.into_iter().map(line).collect_view()}</ol>
        </div>
    }
    .into_any()
}

/// A button that does something.
fn button(label: &'static str, class: &'static str, act: impl Fn() + 'static) -> AnyView {
    view! { <button class=class on:click=hear(move |_| act())>{label}</button> }.into_any()
}

/// A move that waits for answers.
pub(crate) fn window(board: Board) -> AnyView {
    let Some(pending) = board.position.with(|it| it.pending.clone()) else { return ().into_any() };
    let who = board.stage.name(pending.seat);
    let answers = board.may("accept").then(|| {
        view! {
            {button("Accept", "primary", move || board.act("accept"))}
            {button("Challenge", "", move || board.act("challenge"))}
        }
    });
    // Where nobody's time runs, as on one screen, it says nothing of it.
    let time = move || {
        let left = board.stage.reaction_time.get();
        left.map(|left| format!(" for another {left}")).unwrap_or_default()
    };
    view! {
        <div class="offer" role="group" aria-label="Challenge">
            <p>{who} " laid " <b>{pending.word}</b> ". It can be challenged" {words(time)} "."</p>
            {answers}
        </div>
    }
    .into_any()
}

/// What can be done with the tiles.
pub(crate) fn buttons(board: Board) -> AnyView {
    let draft = board.draft;
    let is_refused = Signal::derive(move || board.foresee().1.is_none());
    let change = move |change: fn(&mut Draft)| move || board.change(|draft, _| change(draft));
    let shuffle = move || {
        let random = js_sys::Math::random();
        board.change(|draft, _| draft.shuffle(random));
    };
    let way = move || {
        let way =
            if draft.with(|it| it.is_down) { "Typing: down ↓" } else { "Typing: across →" };
        way.to_owned()
    };
    let turn = hear(move |_| board.change(|draft, _| draft.is_down = !draft.is_down));
    let asks = Memo::new(move |_| draft.with(|it| it.asks));
    let is_window = Signal::derive(move || board.position.with(|it| it.pending.is_some()));
    let is_turn = Signal::derive(move || !is_window.get());
    let own = move || {
        let play = hear(move |_| board.play());
        view! {
            <button class="primary" disabled=is_refused on:click=play>"Play"</button>
            {button("Recall", "", change(Draft::recall))}
            {button("Exchange…", "", change(|draft| {
                draft.recall();
                draft.marked.clear();
                draft.asks = Asks::Exchange;
            }))}
            {button("Pass…", "", change(|draft| draft.asks = Asks::Pass))}
        }
        .into_any()
    };
    view! {
        {live(move || question(board, asks.get()))}
        <div class="board-actions">
            {shown_while(is_turn, own)}
            {button("Shuffle", "", shuffle)}
            <button class="quiet" on:click=turn>{words(way)}</button>
        </div>
    }
    .into_any()
}

/// The board twice as large, within its window, which shows where something happened last.
pub(crate) fn zoom(board: Board, window: NodeRef<Div>) -> AnyView {
    let size = move || {
        let size = if board.draft.with(|it| it.is_large) { "Whole board" } else { "Larger" };
        size.to_owned()
    };
    let zoom = hear(move |_| {
        board.change(|draft, _| draft.is_large = !draft.is_large);
        // Once it has its new size.
        request_animation_frame(move || show_cell(window, untrack(|| board.focal_square())));
    });
    view! { <button class="quiet" on:click=zoom>{words(size)}</button> }.into_any()
}

/// What people are asked.
fn question(board: Board, asks: Asks) -> AnyView {
    let change = move |change: fn(&mut Draft)| move || board.change(|draft, _| change(draft));
    let no = button(
        "Never mind",
        "quiet",
        change(|draft| {
            draft.asks = Asks::Nothing;
            draft.marked.clear();
        }),
    );
    match asks {
        Asks::Nothing => ().into_any(),
        Asks::Letter { .. } => {
            let letter = |letter: u8| {
                let name = hear(move |_| board.change(|draft, _| draft.name_blank(letter)));
                view! { <button class="letter" on:click=name>{char::from(letter).to_string()}</button> }
            };
            let letters = (b'A'..=b'Z').map(letter).collect_view();
            chooser("Which letter is the blank?", view! { {letters} {no} }.into_any())
        }
        Asks::Exchange => {
            let count = move || board.draft.with(|it| it.marked.len() as u64);
            let exchange = hear(move |_| {
                if untrack(count) > 0 {
                    let action = board.draft.with_untracked(Draft::exchange);
                    board.change(|draft, _| draft.marked.clear());
                    board.act(&action);
                }
            });
            let is_none = Signal::derive(move || (count() == 0).to_string());
            let answers = view! {
                <button class="primary" aria-disabled=is_none on:click=exchange>
                    {words(move || match count() {
                        0 => "Choose tiles".to_owned(),
                        count => format!("Exchange {}", tiles(count)),
                    })}
                </button>
                {no}
            };
            chooser("Pick the tiles on your rack that are to go back.", answers.into_any())
        }
        Asks::Pass => {
            let yes = button("Pass this turn", "primary", move || board.act("pass"));
            chooser("Pass, and lay nothing?", view! { {yes} {no} }.into_any())
        }
    }
}

/// Specials to buy and to lay.
pub(crate) fn shop(board: Board) -> AnyView {
    view! {
        <details class="shop" open>
            <summary>"Specials"</summary>
            <p class="hint">"To lay one, press its button, pick a square without a letter, and play a word with it. Only you see it."</p>
            {live(move || goods(board))}
        </details>
    }
    .into_any()
}

fn goods(board: Board) -> AnyView {
    let position = board.position.get();
    let row = |(kind, price): (String, u64)| {
        let count = |of: &[(String, u64)]| {
            of.iter().find(|(it, _)| *it == kind).map_or(0, |(_, count)| *count)
        };
        let (stock, bought) = (count(&position.stock), count(&position.bought));
        let buy = format!("buy:{kind}");
        let may_buy = board.may(&buy);
        let buy = hear(move |_| board.act(&buy));
        let name = title(&kind);
        let later = (bought > 0).then(|| format!(" {bought} to lay from your next turn on."));
        let lay = (stock > 0).then(|| {
            let is_held = {
                let kind = Held::Special(kind.clone());
                Signal::derive(move || board.draft.with(|it| it.held == kind).to_string())
            };
            let label = format!("Lay {name} (you have {stock})");
            let kind = kind.clone();
            let hold = hear(move |_| {
                let kind = Held::Special(kind.clone());
                board.change(|draft, _| draft.held = kind);
            });
            view! { <button aria-pressed=is_held on:click=hold>{label}</button> }
        });
        view! {
            <li>
                <button disabled=!may_buy on:click=buy>{format!("Buy {name} for {price}")}</button>
                {lay}
                <span class="hint">{title(effect_of(&kind))} {later}</span>
            </li>
        }
        .into_any()
    };
    view! { <ul>{position.prices.iter().cloned().map(row).collect_view()}</ul> }.into_any()
}

/// The tiles that this viewer cannot see.
pub(crate) fn unseen(board: Board) -> AnyView {
    view! {
        <details class="unseen" open>
            <summary>"Tiles left"</summary>
            {live(move || pools(board))}
        </details>
    }
    .into_any()
}

fn pools(board: Board) -> AnyView {
    let position = board.position.get();
    let is_shared = position.pools.len() == 1;
    let pool = |(index, (left, unseen)): (usize, (u64, Vec<(String, u64)>))| {
        let whose = if is_shared {
            format!("{left} in the bag.")
        } else {
            format!("{}: {left} to draw.", board.stage.name(index))
        };
        let letters: Vec<String> =
            unseen.into_iter().map(|(letter, count)| format!("{letter}\u{a0}{count}")).collect();
        view! { <p>{whose} " Unseen: " {letters.join(", ")}</p> }
    };
    position.pools.into_iter().enumerate().map(pool).collect_view().into_any()
}
