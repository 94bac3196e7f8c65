//! M11 and M12: a match, to play or to watch.
//!
//! What is drawn here is the same for every game; the boards are the games'.

use std::collections::HashSet;
use std::time::Duration;

use board_kit::Stage;
use client_core::{
    ActionState, Failure, News, Request, Route, Table, Wish, min_sec, sentence_case,
};
use domain::MatchId;
use game_api::Seat;
use leptos::prelude::*;
use protocol::ws::{Offer, OfferKind, ServerMessage, Status};
use web_sys::SubmitEvent;

use super::NotFound;
use crate::boards;
use crate::navigation::{Link, Navigation};
use crate::realtime::{Realtime, now_ms};

/// How often a running clock is drawn.
const CLOCK_STEP: Duration = Duration::from_millis(200);

/// What a page of a match shares.
#[derive(Clone)]
struct Here {
    match_id: MatchId,
    realtime: Realtime,
    /// What went wrong, in words.
    trouble: RwSignal<Option<String>>,
}

impl Here {
    fn ask(&self, request: Request) {
        self.trouble.set(None);
        self.realtime.wish(Wish::Ask { match_id: self.match_id, request });
    }

    fn act(&self, ply: u32, action: String) {
        self.trouble.set(None);
        self.realtime.wish(Wish::Act { match_id: self.match_id, ply, action });
    }
}

/// A match, by its address.
#[component]
pub(crate) fn TablePage(id: String) -> impl IntoView {
    match id.parse::<MatchId>() {
        Ok(match_id) => view! { <Live match_id/> }.into_any(),
        Err(_) => NotFound().into_any(),
    }
}

#[component]
fn Live(match_id: MatchId) -> impl IntoView {
    let realtime = expect_context::<Realtime>();
    let navigation = expect_context::<Navigation>();
    let table = RwSignal::new(None::<Table>);
    let pending = RwSignal::new(HashSet::<u64>::new());
    let trouble = RwSignal::new(None::<String>);
    let here = Here { match_id, realtime: realtime.clone(), trouble };

    realtime.listen({
        let realtime = realtime.clone();
        move |news| match news {
            News::Message(ServerMessage::Snapshot(it)) if it.match_id == match_id => {
                table.update(|table| match table {
                    Some(table) => table.show(it, now_ms()),
                    None => *table = Some(Table::new(it, now_ms())),
                });
                ask_legal(&realtime, table);
            }
            News::Message(ServerMessage::Refused(it))
                if it.match_id == match_id && it.nonce.is_none() =>
            {
                trouble.set(Some(sentence_case(&it.message)));
            }
            News::Message(message) => {
                let is_event = matches!(message, ServerMessage::Event(_));
                table.update(|table| {
                    if let Some(table) = table {
                        table.hear(message, now_ms());
                    }
                });
                if is_event {
                    ask_legal(&realtime, table);
                }
                if let Some(next) = table.with_untracked(|table| table.as_ref()?.next) {
                    navigation.go(&Route::Match { id: next.to_string() });
                }
            }
            News::Action { match_id: of, nonce, state } if *of == match_id => {
                pending.update(|pending| match state {
                    ActionState::Sent => drop(pending.insert(*nonce)),
                    ActionState::Stored | ActionState::Refused { .. } => {
                        pending.remove(nonce);
                    }
                });
                if let ActionState::Refused { message, .. } = state {
                    trouble.set(Some(sentence_case(message)));
                }
            }
            News::Failed { why: Failure::ConnectionFailed, .. } => {
                trouble.set(Some("Not sent: there is no connection. Try again.".to_owned()));
            }
            News::Failed { .. } | News::Action { .. } | News::Connection(_) => {}
        }
    });
    realtime.wish(Wish::Follow(match_id));
    on_cleanup(move || realtime.wish(Wish::Unfollow(match_id)));

    // Once it is known it stays, board and all.
    let is_known = Memo::new(move |_| table.with(Option::is_some));
    let why_not = Memo::new(move |_| if is_known.get() { None } else { trouble.get() });
    view! {
        {move || match (is_known.get(), why_not.get()) {
            (true, _) => view! { <Match table here=here.clone()/> }.into_any(),
            (false, Some(text)) => view! {
                <section class="sheet">
                    <h1>"This match cannot be shown"</h1>
                    <p>{text}</p>
                    <p><Link to=Route::Home class="button primary">"To the parlor"</Link></p>
                </section>
            }.into_any(),
            (false, None) => view! { <p role="status" class="notice">"One moment…"</p> }.into_any(),
        }}
        <p class="status" role="status">
            {move || pending.with(|it| !it.is_empty()).then_some("Sent, not stored yet…")}
        </p>
    }
}

fn ask_legal(realtime: &Realtime, table: RwSignal<Option<Table>>) {
    let wanted = table.with_untracked(|table| {
        let table = table.as_ref()?;
        (table.status == Status::Running && table.own_seat().is_some()).then_some(table.match_id)
    });
    if let Some(match_id) = wanted {
        realtime.wish(Wish::Ask { match_id, request: Request::Legal });
    }
}

/// The board stays while the match changes; what stands around it is drawn anew.
#[component]
fn Match(table: RwSignal<Option<Table>>, here: Here) -> impl IntoView {
    let memo = move |part: fn(&Table) -> String| {
        Memo::new(move |_| table.with(|table| table.as_ref().map(part).unwrap_or_default()))
    };
    let game = memo(|table| table.game.clone());
    let legal =
        Memo::new(move |_| table.with(|table| table.as_ref()?.legal.clone()).unwrap_or_default());
    let side = Memo::new(move |_| {
        table.with(|table| table.as_ref()?.own_seat().map(Seat::index)).unwrap_or_default()
    });
    let act = {
        let here = here.clone();
        Callback::new(move |action| {
            let ply = table.with_untracked(|table| table.as_ref().map(|table| table.ply));
            here.act(ply.unwrap_or_default(), action);
        })
    };
    let view = memo(|table| table.view.clone());
    let stage = Stage { view: view.into(), legal: legal.into(), side: side.into(), act };
    let (trouble, talking) = (here.trouble, here.clone());
    let around = move |draw: fn(&Here, &Table) -> AnyView| {
        let here = here.clone();
        move || table.with(|table| table.as_ref().map(|table| draw(&here, table)))
    };
    view! {
        <h1 class="visually-hidden">"Match of " {game}</h1>
        <div class="match">
            <section class="board" aria-label="Board">
                {around.clone()(|_, table| players(table).into_any())}
                {around.clone()(|_, table| ending(table).into_any())}
                <p class="error" role="alert">{move || trouble.get()}</p>
                {move || boards::board(&game.get(), stage)}
            </section>
            <aside class="side">
                {around.clone()(offers)}
                {around(|_, table| story(table).into_any())}
                {talk(&talking)}
            </aside>
        </div>
    }
}

/// What has happened, and what was said.
fn story(table: &Table) -> impl IntoView + use<> {
    let steps: Vec<_> = table.steps.iter().map(|step| step.notation.clone()).collect();
    let said: Vec<_> =
        table.chat.iter().map(|said| (name_of(table, said.seat), said.text.clone())).collect();
    view! {
        <section aria-label="Moves">
            <h2>"Moves"</h2>
            <ol class="moves">
                {steps.into_iter().map(|step| view! { <li>{step}</li> }).collect_view()}
            </ol>
        </section>
        <section aria-label="Talk">
            <h2>"Talk"</h2>
            <ul class="talk">
                {said.into_iter().map(|(who, text)| view! { <li><b>{who}</b> " " {text}</li> }).collect_view()}
            </ul>
        </section>
    }
}

fn name_of(table: &Table, seat: Seat) -> String {
    let sits = table.seats.get(seat.index());
    let name = sits.and_then(|it| it.name.clone().or_else(|| it.bot.clone()));
    name.unwrap_or_else(|| format!("Seat {}", seat.index() + 1))
}

fn players(table: &Table) -> impl IntoView + use<> {
    let now = RwSignal::new(now_ms());
    if !table.clock.running.is_empty() {
        let step = set_interval_with_handle(move || now.set(now_ms()), CLOCK_STEP);
        on_cleanup(move || {
            if let Ok(step) = step {
                step.clear();
            }
        });
    }
    let seats = Seat::all(u8::try_from(table.seats.len()).unwrap_or(u8::MAX));
    let row = |seat: Seat| {
        let is_running = table.clock.running.contains(seat);
        let is_here = table.seats.get(seat.index()).is_some_and(|it| it.present);
        let table = table.clone();
        let name = name_of(&table, seat);
        let time = move || table.remaining_ms(seat, now.get()).map(min_sec);
        view! {
            <li class:running=is_running class:away=!is_here>
                <span class="who">{name}</span>
                <span class="hint">{(!is_here).then_some("away")}</span>
                <span class="time">{time}</span>
            </li>
        }
    };
    view! { <ul class="players">{seats.map(row).collect_view()}</ul> }
}

fn offers(here: &Here, table: &Table) -> AnyView {
    if table.own_seat().is_none() {
        return ().into_any();
    }
    let is_over = table.status == Status::Over;
    let kinds: &[OfferKind] = if is_over {
        &[OfferKind::Rematch]
    } else {
        &[OfferKind::Draw, OfferKind::Takeback, OfferKind::Pause, OfferKind::Abort]
    };
    let own = table.own_seat();
    let offer = |kind: OfferKind| {
        let here = here.clone();
        let ask = move |_| here.ask(Request::Offer(kind));
        view! { <button class="quiet" on:click=ask>{label(kind)}</button> }
    };
    let open = |it: &Offer| {
        let (kind, who) = (it.kind, name_of(table, it.seat));
        let answer = |accept: bool, text: &'static str| {
            let here = here.clone();
            let ask = move |_| here.ask(Request::Answer { kind, accept });
            view! { <button on:click=ask>{text}</button> }
        };
        if own == Some(it.seat) {
            view! { <p>"You offered: " {label(kind)} {answer(false, "Take it back")}</p> }
                .into_any()
        } else {
            view! { <p>{who} " offers: " {label(kind)} {answer(true, "Yes")} {answer(false, "No")}</p> }
                .into_any()
        }
    };
    let is_sure = RwSignal::new(false);
    let here_to_resign = here.clone();
    let resign = move |_| {
        if is_sure.get_untracked() {
            here_to_resign.ask(Request::Resign);
        }
        is_sure.update(|it| *it = !*it);
    };
    view! {
        <section aria-label="Agreements" class="offers">
            {table.offers.iter().map(open).collect_view()}
            {kinds.iter().copied().map(offer).collect_view()}
            {(!is_over).then(|| view! {
                <button class="quiet" on:click=resign>
                    {move || if is_sure.get() { "Really give up?" } else { "Give up" }}
                </button>
            })}
        </section>
    }
    .into_any()
}

fn label(kind: OfferKind) -> &'static str {
    match kind {
        OfferKind::Draw => "A draw",
        OfferKind::Takeback => "Take back",
        OfferKind::Abort => "Call it off",
        OfferKind::Rematch => "Play again",
        OfferKind::Pause => "A pause",
    }
}

fn talk(here: &Here) -> impl IntoView + use<> {
    let field = NodeRef::<leptos::html::Input>::new();
    let here = here.clone();
    let say = move |event: SubmitEvent| {
        event.prevent_default();
        if let Some(field) = field.get() {
            here.ask(Request::Chat(field.value()));
            field.set_value("");
        }
    };
    view! {
        <form on:submit=say class="say">
            <label class="visually-hidden" for="say">"Say something"</label>
            <input id="say" node_ref=field maxlength="300" autocomplete="off"/>
            <button>"Say"</button>
        </form>
    }
}

fn ending(table: &Table) -> Option<impl IntoView + use<>> {
    let outcome = table.outcome.as_ref()?;
    let first: Vec<String> = Seat::all(u8::try_from(outcome.places.len()).unwrap_or(u8::MAX))
        .filter(|seat| outcome.places[seat.index()] == 1)
        .map(|seat| name_of(table, seat))
        .collect();
    let reason = outcome.reason.replace('_', " ");
    let text = match first.as_slice() {
        [] => format!("No result: {reason}."),
        [winner] => format!("{winner} wins: {reason}."),
        _ => format!("A draw: {reason}."),
    };
    Some(view! { <p class="outcome" role="status">{text}</p> })
}
