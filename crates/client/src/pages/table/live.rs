//! M11: a match on the server, to play or to watch.

use std::collections::HashSet;
use std::time::Duration;

use board_kit::{Stage, hear, live, shown_while, words};
use client_core::{
    ActionState, Ahead, Failure, News, Route, Step, Story, Table, Wish, min_sec, sentence_case,
};
use domain::MatchId;
use game_api::Seat;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::ws::{ServerMessage, Status};
use protocol::{Code, GameInfo, Secret};

use super::controller::{Controller, Here, is_against_bots, is_in_play, is_playing};
use super::offers::{give_up, offers, talk};
use super::partner::hint;
use super::watch_link::watch_link;
use super::{HandOver, Moves, board, dead_end, ending, games, sentence_of};
use crate::api;
use crate::boards;
use crate::navigation::{Navigation, link};
use crate::pages::NotFound;
use crate::reading::title;
use crate::realtime::{Realtime, now_ms};
use crate::sound::{self, Sound};
use crate::watch_key;

/// How often a running clock is drawn.
const CLOCK_STEP: Duration = Duration::from_millis(200);
/// What somebody is told who watched by a link.
const LINK_ENDED: &str = "The players have taken the watch link back. Ask them for a new one.";
/// From here on a clock is shown as short.
const SHORT_MS: u64 = 20_000;

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
    let table = RwSignal::new(None::<Table>);
    let pending = RwSignal::new(HashSet::<u64>::new());
    let trouble = RwSignal::new(None::<String>);
    let is_shut = RwSignal::new(false);
    let here = Here { match_id, realtime: realtime.clone(), trouble, is_shut };
    listen(&here, table, pending);
    read_story(match_id, table);
    realtime.wish(match watch_key::of(&match_id.to_string()) {
        Some(key) => Wish::FollowBy { match_id, key: Secret::new(key) },
        None => Wish::Follow(match_id),
    });
    on_cleanup(move || realtime.wish(Wish::Unfollow(match_id)));

    // Once it is known it stays, board and all.
    let is_known = Memo::new(move |_| table.with(Option::is_some));
    let why_not = Memo::new(move |_| if is_known.get() { None } else { trouble.get() });
    let is_waiting = Memo::new(move |_| pending.with(|it| !it.is_empty()));
    live(move || match (is_known.get(), why_not.get()) {
        _ if is_shut.get() => {
            dead_end("You cannot watch this match any more", LINK_ENDED.to_owned())
        }
        (true, _) => match_page(table, &here, is_waiting),
        (false, Some(text)) => dead_end("This match cannot be shown", text),
        (false, None) => view! { <p role="status" class="notice">"One moment…"</p> }.into_any(),
    })
}

fn listen(here: &Here, table: RwSignal<Option<Table>>, pending: RwSignal<HashSet<u64>>) {
    let (match_id, trouble, is_shut) = (here.match_id, here.trouble, here.is_shut);
    let navigation = expect_context::<Navigation>();
    here.realtime.listen(move |news| match news {
        News::Message(ServerMessage::Snapshot(it)) if it.match_id == match_id => {
            table.update(|table| match table {
                Some(table) => table.show(it, now_ms()),
                None => *table = Some(Table::new(it, now_ms())),
            });
        }
        News::Message(ServerMessage::Refused(it))
            if it.match_id == match_id && it.nonce.is_none() =>
        {
            // A match that is shown does not cease to exist: its watch link was taken back.
            if it.code == Code::MatchNotFound.as_str() && table.with_untracked(Option::is_some) {
                is_shut.set(true);
            }
            trouble.set(Some(sentence_case(&it.message)));
        }
        News::Message(message) => {
            // What was said of the position before holds no more.
            if matches!(message, ServerMessage::Event(it) if it.match_id == match_id) {
                trouble.set(None);
            }
            // Not every message is about this match, and what nobody hears changes nothing.
            let heard = table.try_maybe_update(|table| {
                let is_heard = table.as_mut().is_some_and(|table| table.hear(message, now_ms()));
                (is_heard, is_heard)
            });
            if heard == Some(true)
                && let Some(next) = table.with_untracked(|table| table.as_ref()?.next)
            {
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
    });
}

/// Reads what happened before, whenever the steps have gaps.
fn read_story(match_id: MatchId, table: RwSignal<Option<Table>>) {
    let is_due =
        Memo::new(move |_| table.with(|table| table.as_ref().is_some_and(|it| it.is_story_due)));
    Effect::new(move || {
        if !is_due.get() {
            return;
        }
        spawn_local(async move {
            if let Ok(story) = api::get::<Story>(&format!("matches/{match_id}/log")).await {
                table.try_update(|table| {
                    if let Some(table) = table {
                        table.tell(&story);
                    }
                });
            }
        });
    });
}

/// What has just happened is heard: the end, the own turn, or a step.
fn sound(table: RwSignal<Option<Table>>) {
    Effect::new(move |before: Option<Option<u32>>| {
        let (ply, is_over, is_own, is_capture) = table.with(|table| {
            let table = table.as_ref()?;
            let is_own = table.own_seat().is_some_and(|seat| table.to_act().contains(&seat));
            let is_capture = table.steps.last().is_some_and(|step| step.notation.contains('x'));
            Some((table.ply, table.status == Status::Over, is_own, is_capture))
        })?;
        // What had happened when the page was opened is no news.
        if before.flatten().is_some_and(|before| before != ply) {
            sound::play(match (is_over, is_own, is_capture) {
                (true, ..) => Sound::End,
                (_, true, _) => Sound::YourTurn,
                (_, _, true) => Sound::Capture,
                _ => Sound::Move,
            });
        }
        Some(ply)
    });
}

/// The board stays while the match changes; what stands around it is drawn anew.
fn match_page(table: RwSignal<Option<Table>>, here: &Here, is_waiting: Memo<bool>) -> AnyView {
    let controller = Controller::new(table, here);
    sound(table);
    let of = move |part: fn(&Table) -> String| {
        Memo::new(move |_| table.with(|table| table.as_ref().map(part).unwrap_or_default()))
    };
    let game = of(|table| table.game.clone());
    let side = Memo::new(move |_| {
        table.with(|table| table.as_ref()?.own_seat().map(Seat::index)).unwrap_or_default()
    });
    let names =
        Memo::new(move |_| table.with(|table| table.as_ref().map(names)).unwrap_or_default());
    let steps = Memo::new(move |_| {
        table.with(|table| {
            let steps = table.as_ref().map(|table| table.steps.as_slice()).unwrap_or_default();
            let said = |step: &Step| boards::say(&game.get(), &step.notation);
            steps.iter().map(said).collect::<Vec<_>>()
        })
    });
    let now = ticking(table);
    let trouble = here.trouble;
    let stage = Stage {
        view: of(|table| table.view.clone()).into(),
        legal: Signal::derive(move || controller.turn.with(|turn| turn.actions.clone())),
        side: side.into(),
        names: names.into(),
        is_ahead: Signal::derive(move || controller.turn.with(|turn| !turn.is_own)),
        reaction_time: Signal::derive(move || {
            table.with(|table| table.as_ref()?.window_left_ms(now.get()).map(min_sec))
        }),
        foresee: Callback::new(move |action| controller.foresee(action)),
        act: Callback::new(move |action| controller.act(action)),
        say: Callback::new(move |text| trouble.set(Some(text))),
    };
    let talking = talk(here, table);
    let watching_link = watch_link(here, table, controller.is_private);
    let is = move |part: fn(&Table) -> bool| {
        Memo::new(move |_| table.with(|table| table.as_ref().is_some_and(part)))
    };
    let giving_up = give_up(here, is(is_in_play));
    let is_over = is(|table| table.status == Status::Over);
    let is_paused = is(|table| table.status == Status::Paused);
    let outcome = Memo::new(move |_| {
        table.with(|table| Some(sentence_of(table.as_ref()?.outcome.as_ref()?, &names.get())))
    });
    let watching = move || {
        let text = table.with(|table| table.as_ref().and_then(watching));
        text.map(|text| view! { <p class="watching">{text}</p> }).into_any()
    };
    let paused = || view! { <p>"The match is paused."</p> }.into_any();
    let id = here.match_id.to_string();
    let again = move || link(Route::Replay { id: id.clone() }, "button", "Look at it again");
    let is_ahead = Signal::derive(move || {
        controller.turn.with(|turn| !turn.is_own && !turn.actions.is_empty())
    });
    let told = told_of_game(table);
    let (is_covered, covered_for, uncover) = cover(table, names, told(|it| it.hidden_information));
    let hand_over = move || view! { <HandOver name=covered_for.into() taken=uncover/> }.into_any();
    let may_ask = is(|table| is_playing(table) && is_against_bots(table));
    let hint = move || hint(Memo::new(move |_| controller.advisable()).into());
    let here = here.clone();
    let has_draw = told(|it| it.draw_by_agreement);
    let asked = move || {
        let has_draw = has_draw.get();
        table.with(|table| table.as_ref().map(|table| offers(&here, table, has_draw))).into_any()
    };
    let waiting = move || if is_waiting.get() { "Sent, not stored yet…" } else { "" }.to_owned();
    view! {
        <h1 class="visually-hidden">"Match of " {words(move || title(&game.get()))}</h1>
        <div class="match">
            <section class="board" class:ahead=is_ahead aria-label="Board">
                {strips(table, now, side, true)}
                <div class="stage" inert=is_covered>{board(game, stage)}</div>
                {shown_while(is_covered.into(), hand_over)}
                {strips(table, now, side, false)}
                <p class="error" role="alert">{words(move || trouble.get().unwrap_or_default())}</p>
                {entered(controller, game)}
                <p class="status" role="status">{words(waiting)}</p>
            </section>
            <div class="ending" role="status">
                {ending(outcome)}
                {shown_while(is_paused.into(), paused)}
                {shown_while(is_over.into(), again)}
            </div>
            <aside class="side">
                {live(watching)}
                <div class="offers">{live(asked)} {giving_up}</div>
                {shown_while(may_ask.into(), hint)}
                <Moves steps shown=Signal::derive(move || steps.with(Vec::len))/>
                {talking}
                {watching_link}
            </aside>
        </div>
    }
    .into_any()
}

/// What waits for the own turn, to be seen and taken back.
fn entered(controller: Controller, game: Memo<String>) -> AnyView {
    let ahead = controller.ahead;
    live(move || {
        let said = |action: &String| boards::say(&game.get(), action);
        let actions: Vec<_> = ahead.with(|ahead| ahead.actions().iter().map(said).collect());
        let forget = hear(move |_| ahead.update(Ahead::clear));
        let line = (!actions.is_empty()).then(|| {
            view! {
                <p class="entered" role="status">
                    "Entered ahead: " <b>{actions.join(", then ")}</b>
                    <button class="quiet" on:click=forget>"Forget it"</button>
                </p>
            }
        });
        line.into_any()
    })
}

/// What the house says of the game that is played; nothing until it has said so.
fn told_of_game(table: RwSignal<Option<Table>>) -> impl Fn(fn(&GameInfo) -> bool) -> Memo<bool> {
    let games = api::fetch(games());
    move |part| {
        Memo::new(move |_| {
            let game = table.with(|table| table.as_ref().map(|table| table.game.clone()));
            let games = games.get().and_then(Result::ok).unwrap_or_default();
            games.iter().any(|it| Some(&it.id) == game.as_ref() && part(it))
        })
    }
}

/// On one screen, with hands to hide: is the board covered, for whom, and what uncovers it.
fn cover(
    table: RwSignal<Option<Table>>,
    names: Memo<Vec<String>>,
    has_secrets: Memo<bool>,
) -> (Memo<bool>, Memo<String>, Callback<()>) {
    let looking = Memo::new(move |_| {
        table.with(|table| {
            let table = table.as_ref().filter(|table| is_in_play(table) && table.is_hot_seat())?;
            table.own_seat()
        })
    });
    let shown = RwSignal::new(None::<Seat>);
    let is_covered = Memo::new(move |_| {
        has_secrets.get() && looking.get().is_some_and(|it| shown.get() != Some(it))
    });
    let name = Memo::new(move |_| {
        let seat = looking.get().map_or(0, Seat::index);
        names.with(|names| names.get(seat).cloned().unwrap_or_default())
    });
    (is_covered, name, Callback::new(move |()| shown.set(looking.get_untracked())))
}

/// What somebody is told who has no seat in a match under way. The number counts this screen too.
fn watching(table: &Table) -> Option<String> {
    if table.own_seat().is_some() || table.status == Status::Over {
        return None;
    }
    Some(match table.spectators.saturating_sub(1) {
        0 => "You are watching.".to_owned(),
        1 => "You are watching. So does one other.".to_owned(),
        others => format!("You are watching. So do {others} others."),
    })
}

fn names(table: &Table) -> Vec<String> {
    Seat::all(u8::try_from(table.seats.len()).unwrap_or(u8::MAX))
        .map(|seat| name_of(table, seat))
        .collect()
}

pub(super) fn name_of(table: &Table, seat: Seat) -> String {
    let sits = table.seats.get(seat.index());
    let name = sits.and_then(|it| it.name.clone().or_else(|| it.bot.clone()));
    match name {
        Some(name) if !table.is_hot_seat() => name,
        _ => format!("Player {}", seat.index() + 1),
    }
}

/// The time, which goes on while anybody's runs.
fn ticking(table: RwSignal<Option<Table>>) -> RwSignal<u64> {
    let now = RwSignal::new(now_ms());
    let is_running =
        Memo::new(move |_| table.with(|table| table.as_ref().is_some_and(Table::is_timed)));
    Effect::new(move || {
        if is_running.get()
            && let Ok(step) = set_interval_with_handle(move || now.set(now_ms()), CLOCK_STEP)
        {
            // Also when the page is gone.
            on_cleanup(move || step.clear());
        }
    });
    now
}

/// The players on one side of the board: the others above it, who looks below.
fn strips(
    table: RwSignal<Option<Table>>,
    now: RwSignal<u64>,
    side: Memo<usize>,
    above: bool,
) -> AnyView {
    let count = Memo::new(move |_| table.with(|it| it.as_ref().map_or(0, |it| it.seats.len())));
    let strip = move |index: usize| {
        let of = move |part: fn(&Table, Seat) -> bool| {
            Memo::new(move |_| {
                let seat = u8::try_from(index).ok().and_then(Seat::new);
                table
                    .with(|table| table.as_ref().zip(seat).is_some_and(|(it, seat)| part(it, seat)))
            })
        };
        let name = move || {
            let name = table.with(|it| it.as_ref().and_then(|it| names(it).into_iter().nth(index)));
            name.unwrap_or_default()
        };
        let is_here = of(|table, seat| table.seats.get(seat.index()).is_some_and(|it| it.present));
        let is_to_act =
            of(|table, seat| table.status == Status::Running && table.to_act().contains(&seat));
        let left_ms = move || {
            let seat = u8::try_from(index).ok().and_then(Seat::new)?;
            table.with(|table| table.as_ref()?.remaining_ms(seat, now.get()))
        };
        let is_short =
            Signal::derive(move || is_to_act.get() && left_ms().is_some_and(|it| it < SHORT_MS));
        let hint = move || {
            let hint = match (is_here.get(), is_to_act.get()) {
                (false, _) => "away",
                (true, true) => "to move",
                (true, false) => "",
            };
            hint.to_owned()
        };
        view! {
            <div class="strip" class:to-act=is_to_act class:away=Signal::derive(move || !is_here.get())>
                <span class="who">{words(name)}</span>
                <span class="hint">{words(hint)}</span>
                <span class="time" class:short=is_short>
                    {words(move || left_ms().map(min_sec).unwrap_or_default())}
                </span>
            </div>
        }
    };
    live(move || {
        let (count, side) = (count.get(), side.get());
        let others = (1..count).map(|step| (side + step) % count);
        let shown = if above { others.collect::<Vec<_>>() } else { vec![side] };
        let shown = shown.into_iter().map(strip).collect_view();
        view! { <div class="strips">{shown}</div> }.into_any()
    })
}
