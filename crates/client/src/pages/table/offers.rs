//! What the players of a match can ask each other, and what they say.

use board_kit::{hear, live, shown_while, words};
use client_core::{Request, Said, Table};
use leptos::prelude::*;
use protocol::ws::{Offer, OfferKind, Status};
use web_sys::SubmitEvent;

use super::controller::Here;
use super::live::name_of;

/// What one may ask for, and what waits for an answer. Not every game knows a draw.
pub(super) fn offers(here: &Here, table: &Table, has_draw: bool) -> AnyView {
    let Some(own) = table.own_seat() else {
        return ().into_any();
    };
    let is_over = table.status == Status::Over;
    let offer = |kind: OfferKind| {
        let here = here.clone();
        let ask = hear(move |_| here.ask(Request::Offer(kind)));
        let class = if is_over { "primary" } else { "quiet" };
        view! { <button class=class on:click=ask>{ask_for(kind)}</button> }
    };
    let open = |it: &Offer| {
        let (kind, who) = (it.kind, name_of(table, it.seat));
        let answer = |accept: bool, text: &'static str| {
            let here = here.clone();
            let ask = hear(move |_| here.ask(Request::Answer { kind, accept }));
            view! { <button class:primary=accept on:click=ask>{text}</button> }
        };
        let buttons = if own == it.seat {
            view! { <p>"You asked for " {named(kind)} "."</p> {answer(false, "Never mind")} }
                .into_any()
        } else {
            view! {
                <p><b>{who}</b> " asks for " {named(kind)} "."</p>
                {answer(true, "Yes")} {answer(false, "No")}
            }
            .into_any()
        };
        view! { <div class="offer" role="alert">{buttons}</div> }
    };
    // Nobody is taken for gone in a pause.
    let others_gone =
        table.status == Status::Running && table.seats.iter().any(|seat| !seat.present);
    let kinds = askable(table, has_draw);
    let here_to_claim = here.clone();
    view! {
        <section aria-label="Agreements" class="offers">
            {(table.status == Status::Paused).then(|| go_on(here))}
            {table.offers.iter().map(open).collect_view()}
            {kinds.into_iter().map(offer).collect_view()}
            {others_gone.then(|| view! {
                <button class="quiet" on:click=hear(move |_| here_to_claim.ask(Request::Claim))>
                    "Claim the win: the other is gone"
                </button>
            })}
        </section>
    }
    .into_any()
}

/// What can be asked for, as the match stands.
fn askable(table: &Table, has_draw: bool) -> Vec<OfferKind> {
    if table.status == Status::Over {
        return vec![OfferKind::Rematch];
    }
    // Only time can be paused, and once.
    let may_pause = table.status == Status::Running && !table.clock.remaining_ms.is_empty();
    let kinds = [OfferKind::Draw, OfferKind::Takeback, OfferKind::Pause, OfferKind::Abort];
    let is_known = |kind: &OfferKind| match kind {
        OfferKind::Draw => has_draw,
        OfferKind::Pause => may_pause,
        OfferKind::Takeback | OfferKind::Abort | OfferKind::Rematch => true,
    };
    kinds.into_iter().filter(is_known).collect()
}

/// Ends a pause: a no to what all agreed on, which each may say alone.
fn go_on(here: &Here) -> AnyView {
    let here = here.clone();
    let end_it = Request::Answer { kind: OfferKind::Pause, accept: false };
    let ask = hear(move |_| here.ask(end_it.clone()));
    view! { <button class="primary" on:click=ask>"Go on"</button> }.into_any()
}

/// Giving up, asked twice. It stands by itself, so that no news takes the second question away.
pub(super) fn give_up(here: &Here, is_playing: Memo<bool>) -> AnyView {
    let is_sure = RwSignal::new(false);
    let here = StoredValue::new(here.clone());
    shown_while(is_playing.into(), move || {
        let resign = hear(move |_| {
            if is_sure.get_untracked() {
                here.with_value(|here| here.ask(Request::Resign));
            }
            is_sure.update(|it| *it = !*it);
        });
        let play_on = move || {
            let play_on = hear(move |_| is_sure.set(false));
            view! { <button class="quiet" on:click=play_on>"Play on"</button> }.into_any()
        };
        view! {
            <div class="offers">
                <button class="quiet" on:click=resign>{words(move || ask_again(is_sure))}</button>
                {shown_while(is_sure.into(), play_on)}
            </div>
        }
        .into_any()
    })
}

/// What the button that gives up says.
pub(super) fn ask_again(is_sure: RwSignal<bool>) -> String {
    let text = if is_sure.get() { "Really give up?" } else { "Give up" };
    text.to_owned()
}

fn ask_for(kind: OfferKind) -> &'static str {
    match kind {
        OfferKind::Draw => "Offer a draw",
        OfferKind::Takeback => "Take back",
        OfferKind::Abort => "Call it off",
        OfferKind::Rematch => "Play again",
        OfferKind::Pause => "Pause",
    }
}

fn named(kind: OfferKind) -> &'static str {
    match kind {
        OfferKind::Draw => "a draw",
        OfferKind::Takeback => "a move back",
        OfferKind::Abort => "an end without a result",
        OfferKind::Rematch => "another match",
        OfferKind::Pause => "a pause",
    }
}

/// What was said, and the field to say something.
pub(super) fn talk(here: &Here, table: RwSignal<Option<Table>>) -> AnyView {
    let lines = move || {
        table.with(|table| {
            let Some(table) = table else { return ().into_any() };
            let line = |said: &Said| {
                let (who, text) = (name_of(table, said.seat), said.text.clone());
                view! { <li><b>{who}</b> " " <bdi>{text}</bdi></li> }
            };
            if table.chat.is_empty() {
                return view! { <li class="hint">"Nothing was said yet."</li> }.into_any();
            }
            table.chat.iter().map(line).collect_view().into_any()
        })
    };
    let is_seated = Memo::new(move |_| {
        table.with(|table| table.as_ref().is_some_and(|it| it.own_seat().is_some()))
    });
    let field = NodeRef::<leptos::html::Input>::new();
    let here = StoredValue::new(here.clone());
    let say = move |event: SubmitEvent| {
        event.prevent_default();
        if let Some(field) = field.get().filter(|field| !field.value().trim().is_empty()) {
            here.with_value(|here| here.ask(Request::Chat(field.value())));
            field.set_value("");
        }
    };
    let form = move || {
        view! {
            <form on:submit=hear(say) class="say">
                <label class="visually-hidden" for="say">"Say something"</label>
                <input id="say" node_ref=field maxlength="300" autocomplete="off"/>
                <button>"Say"</button>
            </form>
        }
        .into_any()
    };
    view! {
        <section aria-label="Talk">
            <h2>"Talk"</h2>
            <div role="log" aria-label="What was said"><ul class="talk">{live(lines)}</ul></div>
            {shown_while(is_seated.into(), form)}
        </section>
    }
    .into_any()
}
