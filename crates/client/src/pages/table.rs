//! M11 and M12: a match, to play or to watch.
//!
//! What is drawn here is the same for every game. A game without a board of its own is played by the
//! list of what one may do.

use std::time::Duration;

use client_core::{ActionState, Failure, News, Request, Wish};
use client_core::{Route, Table, min_sec, sentence_case};
use domain::MatchId;
use game_api::Seat;
use leptos::prelude::*;
use protocol::ws::{Offer, OfferKind, Outcome, ServerMessage, Status};
use web_sys::SubmitEvent;

use super::NotFound;
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
    let pending = RwSignal::new(0_usize);
    let trouble = RwSignal::new(None::<String>);
    let here = Here { match_id, realtime: realtime.clone(), trouble };

    realtime.listen({
        let realtime = realtime.clone();
        move |news| match news {
            News::Message(ServerMessage::Snapshot(it)) if it.match_id == match_id => {
                let mut known = table.get_untracked().unwrap_or_else(|| Table::new(it, now_ms()));
                known.hear(&ServerMessage::Snapshot(it.clone()), now_ms());
                table.set(Some(known));
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
            News::Action { match_id: of, state, .. } if *of == match_id => match state {
                ActionState::Sent => pending.update(|count| *count += 1),
                ActionState::Stored => pending.update(|count| *count = count.saturating_sub(1)),
                ActionState::Refused { message, .. } => {
                    pending.update(|count| *count = count.saturating_sub(1));
                    trouble.set(Some(sentence_case(message)));
                }
            },
            News::Failed { why: Failure::ConnectionFailed, .. } => {
                trouble.set(Some("Not sent: there is no connection. Try again.".to_owned()));
            }
            News::Failed { .. } | News::Action { .. } | News::Connection(_) => {}
        }
    });
    realtime.wish(Wish::Follow(match_id));
    on_cleanup(move || realtime.wish(Wish::Unfollow(match_id)));

    let here_of_page = here.clone();
    view! {
        {move || match table.get() {
            None => match trouble.get() {
                Some(text) => view! {
                    <section class="sheet">
                        <h1>"This match cannot be shown"</h1>
                        <p>{text}</p>
                        <p><Link to=Route::Home class="button primary">"To the parlor"</Link></p>
                    </section>
                }.into_any(),
                None => view! { <p role="status" class="notice">"One moment…"</p> }.into_any(),
            },
            Some(table) => draw(&here_of_page, &table).into_any(),
        }}
        <p class="status" role="status">
            {move || (pending.get() > 0).then_some("Sent, not stored yet…")}
        </p>
        <p class="error" role="alert">{move || table.get().and(trouble.get())}</p>
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

fn draw(here: &Here, table: &Table) -> impl IntoView + use<> {
    let name = |seat: Seat| name_of(table, seat);
    let steps: Vec<_> = table.steps.iter().map(|step| step.notation.clone()).collect();
    let said: Vec<_> = table.chat.iter().map(|said| (name(said.seat), said.text.clone())).collect();
    let view_text = pretty(&table.view);
    let is_seated = table.own_seat().is_some();
    let outcome = table.outcome.as_ref().map(|outcome| ending(table, outcome));
    view! {
        <h1 class="visually-hidden">"Match of " {table.game.clone()}</h1>
        <div class="match">
            <section class="board" aria-label="Board">
                {players(table)}
                <pre class="view" tabindex="0" aria-label="What you see">{view_text}</pre>
                {outcome.map(|text| view! { <p class="outcome" role="status">{text}</p> })}
                {actions(here, table)}
            </section>
            <aside class="side">
                {is_seated.then(|| offers(here, table))}
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
                    {is_seated.then(|| talk(here))}
                </section>
            </aside>
        </div>
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

/// What one may do, as a list; the server has sent it.
fn actions(here: &Here, table: &Table) -> impl IntoView + use<> {
    let Some(actions) = table.legal.clone() else { return ().into_any() };
    if actions.is_empty() {
        return view! { <p class="hint" role="status">"It is the others’ turn."</p> }.into_any();
    }
    let ply = table.ply;
    let button = |action: String| {
        let (here, text) = (here.clone(), action.clone());
        view! { <li><button on:click=move |_| here.act(ply, action.clone())>{text}</button></li> }
    };
    view! {
        <p class="hint" role="status">"Your turn."</p>
        <ul class="legal">{actions.into_iter().map(button).collect_view()}</ul>
    }
    .into_any()
}

fn offers(here: &Here, table: &Table) -> impl IntoView + use<> {
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

fn ending(table: &Table, outcome: &Outcome) -> String {
    let first: Vec<String> = Seat::all(u8::try_from(outcome.places.len()).unwrap_or(u8::MAX))
        .filter(|seat| outcome.places[seat.index()] == 1)
        .map(|seat| name_of(table, seat))
        .collect();
    let reason = outcome.reason.replace('_', " ");
    match first.as_slice() {
        [] => format!("No result: {reason}."),
        [winner] => format!("{winner} wins: {reason}."),
        _ => format!("A draw: {reason}."),
    }
}

fn pretty(json: &str) -> String {
    let value = serde_json::from_str::<serde_json::Value>(json);
    value.and_then(|it| serde_json::to_string_pretty(&it)).unwrap_or_default()
}
