//! What a profile shows of a person, the own one and others' alike: counts, ratings, plots, history.

use board_kit::{hear, live};
use client_core::{
    Ending, Frame, GameRecord, Plot, Route, Standing, bar, percent, records, sentence_case, signed,
    standings,
};
use domain::Username;
use js_sys::{Date, Object};
use leptos::prelude::*;
use protocol::{GameStatistics, MatchPage, MatchSummary, PublicProfile, Rating, SeatSummary};
use wasm_bindgen::JsValue;

use crate::api::{self, Failure, Fetched};
use crate::avatar::avatar;
use crate::browser::window;
use crate::navigation::{focus, link};
use crate::reading::title;

/// Matches that a plot is made of: as many as the server gives at once.
const PLOTTED: u32 = 100;
/// Matches on one page of a history.
const PAGE: u32 = 10;

/// The whole of it.
pub(crate) fn person(it: &PublicProfile) -> AnyView {
    let lately = api::fetch(history_page(it.name.clone(), 0, PLOTTED));
    let games = records(&it.statistics, &it.ratings);
    let counts = if games.is_empty() {
        view! { <p class="empty">"No match has ended yet."</p> }.into_any()
    } else {
        let game = |record: GameRecord| one_game(&record, lately);
        view! { <div class="games">{games.into_iter().map(game).collect_view()}</div> }.into_any()
    };
    view! {
        <header class="person">
            {avatar(&it.avatar, &it.name)}
            <div>
                <h1>{it.name.clone()}</h1>
                <p class="hint">{format!("Here since {}", date(it.created_at_ms))}</p>
            </div>
        </header>
        <section aria-labelledby="statistics">
            <h2 id="statistics">"Games"</h2>
            {counts}
        </section>
        <section aria-labelledby="history">
            <h2 id="history">"History"</h2>
            {history(it.name.clone())}
        </section>
    }
    .into_any()
}

async fn history_page(name: String, offset: u32, limit: u32) -> Result<MatchPage, Failure> {
    api::get(&format!("users/{name}/matches?limit={limit}&offset={offset}")).await
}

fn one_game(record: &GameRecord, lately: Fetched<MatchPage>) -> AnyView {
    let GameStatistics { game, played, won, drawn, lost } = record.counts.clone();
    let matches = if played == 1 { "1 match".to_owned() } else { format!("{played} matches") };
    let share = percent(won, played).map(|share| format!(", {share} % won")).unwrap_or_default();
    let rating = |it: &Rating| {
        let speed = sentence_case(&it.speed).trim_end_matches('.').to_owned();
        let number = format!("{:.0} ± {:.0}", it.rating, it.deviation);
        view! { <li><span class="hint">{speed}</span> <b>{number}</b></li> }.into_any()
    };
    let ratings = (!record.ratings.is_empty()).then(|| {
        view! { <ul class="ratings" aria-label="Ratings">{record.ratings.iter().map(rating).collect_view()}</ul> }.into_any()
    });
    let shares = bar([(won, "won"), (drawn, "drawn"), (lost, "lost")]);
    let count = |(count, word): (u64, &'static str)| {
        view! { <li class=word><b>{count.to_string()}</b> " " {word}</li> }.into_any()
    };
    let counts = [(won, "won"), (drawn, "drawn"), (lost, "lost")].map(count);
    let name = title(&game);
    let plotted = live(move || {
        let standings = lately.with(|lately| match lately {
            Some(Ok(page)) => standings(&page.matches, &game),
            _ => Vec::new(),
        });
        plot(&standings).unwrap_or_else(|| ().into_any())
    });
    view! {
        <article class="game record">
            <h3>{name}</h3>
            <p class="hint">{matches + &share}</p>
            <svg class="shares" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" inner_html=shares></svg>
            <ul class="counts">{counts.into_iter().collect_view()}</ul>
            {ratings}
            {plotted}
        </article>
    }
    .into_any()
}

const FRAME: Frame = Frame { width: 272.0, height: 96.0 };

/// The wins that are ahead of the losses, match by match; a single match makes no line.
fn plot(standings: &[Standing]) -> Option<AnyView> {
    let (first, last) = (standings.first()?, standings.last()?);
    if standings.len() < 2 {
        return None;
    }
    let leads: Vec<i32> = standings.iter().map(|it| it.lead).collect();
    let (lowest, highest) = (leads.iter().min()?, leads.iter().max()?);
    let label = format!(
        "Wins less losses over {} matches: between {lowest} and {highest}, now {}.",
        leads.len(),
        last.lead
    );
    let row = |it: &Standing| {
        let (day, lead) = (date(it.at_ms), signed(it.lead));
        view! { <tr><td>{day}</td><td>{it.ending.word()}</td><td>{lead}</td></tr> }.into_any()
    };
    let drawing = Plot::fit(&leads, FRAME).svg(FRAME);
    let view = view! {
        <div class="plot">
            <p class="hint">"Wins less losses"</p>
            <svg viewBox="-32 -8 312 112" role="img" aria-label=label inner_html=drawing></svg>
            <p class="hint days"><span>{date(first.at_ms)}</span> <span>{date(last.at_ms)}</span></p>
            <details>
                <summary>"As a table"</summary>
                <div class="scroll" tabindex="0" role="region" aria-label="Match by match">
                    <table>
                        <thead><tr><th scope="col">"Day"</th><th scope="col">"Match"</th><th scope="col">"Wins less losses"</th></tr></thead>
                        <tbody>{standings.iter().rev().map(row).collect_view()}</tbody>
                    </table>
                </div>
            </details>
        </div>
    };
    Some(view.into_any())
}

/// The matches that have ended, page by page.
fn history(name: String) -> AnyView {
    let offset = RwSignal::new(0);
    let page = Memo::new(move |_| api::fetch(history_page(name.clone(), offset.get(), PAGE)));
    live(move || match page.get().get() {
        None => view! { <p role="status">"One moment…"</p> }.into_any(),
        Some(Err(failure)) => {
            view! { <p class="error" role="alert">{sentence_case(&failure.sentence())}</p> }
                .into_any()
        }
        Some(Ok(page)) => history_list(&page, offset),
    })
}

fn history_list(page: &MatchPage, offset: RwSignal<u32>) -> AnyView {
    let at = offset.get_untracked();
    if page.matches.is_empty() && at == 0 {
        return view! { <p class="empty">"Matches that have ended will stand here."</p> }
            .into_any();
    }
    let numbers = format!("{} to {}", at + 1, at as usize + page.matches.len());
    let next = page.next_offset;
    let turn = move |to: u32| {
        offset.set(to);
        focus("#history");
    };
    let later = (at > 0).then(|| {
        view! { <button on:click=hear(move |_| turn(at.saturating_sub(PAGE)))>"Later"</button> }
            .into_any()
    });
    let earlier = next.map(|next| {
        view! { <button on:click=hear(move |_| turn(next))>"Earlier"</button> }.into_any()
    });
    let has_pages = at > 0 || next.is_some();
    view! {
        <ol class="rows" start=(at + 1).to_string()>{page.matches.iter().map(past).collect_view()}</ol>
        {has_pages.then(|| view! {
            <nav class="pages" aria-label="Pages of the history">
                {later} <span class="hint" role="status">{numbers}</span> {earlier}
            </nav>
        }.into_any())}
    }
    .into_any()
}

/// A match that has ended, in a line.
fn past(it: &MatchSummary) -> AnyView {
    let ending = Ending::of(it);
    let own = it.your_seat.map(usize::from);
    let others = it.seats.iter().enumerate().filter(|(seat, _)| Some(*seat) != own);
    let others: Vec<AnyView> = others.map(|(_, seat)| opponent(seat)).collect();
    let class = format!("ending {}", ending.word().replace(' ', "-"));
    let (to, game) = (Route::Match { id: it.id.to_string() }, title(&it.game));
    view! {
        <li class="past">
            {link(to, "which", game)}
            <span class=class>{ending.word()}</span>
            <span class="against">{others}</span>
            <span class="hint">{format!("{} · {}", it.reason.replace('_', " "), date(it.ended_at_ms))}</span>
        </li>
    }
    .into_any()
}

/// Accounts have a page; guests and bots do not.
fn opponent(seat: &SeatSummary) -> AnyView {
    match (&seat.name, &seat.bot) {
        (Some(name), _) if Username::parse(name).is_ok() => {
            link(Route::Player { name: name.clone() }, "", name.clone())
        }
        (Some(name), _) => view! { <span>{name.clone()}</span> }.into_any(),
        (None, Some(bot)) => view! { <span>{format!("bot {bot}")}</span> }.into_any(),
        (None, None) => view! { <span>{"somebody who has left".to_owned()}</span> }.into_any(),
    }
}

/// A day as people here write it.
fn date(at_ms: u64) -> String {
    written(at_ms, &[("dateStyle", "medium")])
}

/// A day and a time of it, as people here write them.
pub(super) fn date_and_time(at_ms: u64) -> String {
    written(at_ms, &[("dateStyle", "medium"), ("timeStyle", "short")])
}

#[expect(clippy::cast_precision_loss, reason = "days of thousands of years are exact")]
fn written(at_ms: u64, styles: &[(&str, &str)]) -> String {
    let date = Date::new(&JsValue::from_f64(at_ms as f64));
    let options = Object::new();
    for (key, value) in styles {
        // A plain object takes any field.
        let _ = js_sys::Reflect::set(&options, &(*key).into(), &(*value).into());
    }
    let language = window().navigator().language().unwrap_or_else(|| "en".to_owned());
    date.to_locale_string(&language, &options).into()
}
