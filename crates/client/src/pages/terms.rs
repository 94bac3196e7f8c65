//! Choosing what is to be played, and saying what was chosen.

use std::rc::Rc;

use board_kit::{About, Field, hear, live};
use client_core::{sentence_of_clock, title_of_key};
use game_api::Seat;
use leptos::prelude::*;
use protocol::{BotInfo, ClockSetting, MatchTerms, Object};
use serde_json::Value;
use web_sys::Event;

use crate::browser::{keep, recall};

/// Where the level that was played against last is kept, whatever the game.
const LEVEL_KEY: &str = "bot-level";
/// Whoever plays for the first time can win.
const LEVEL_USUAL: u8 = 2;

/// The usual clocks; whoever wants another writes it by the API.
const CLOCKS: [ClockSetting; 7] = [
    ClockSetting::None,
    ClockSetting::Fischer { initial_s: 180, increment_s: 2 },
    ClockSetting::Fischer { initial_s: 600, increment_s: 5 },
    ClockSetting::Delay { initial_s: 900, delay_s: 10 },
    ClockSetting::PerMove { seconds: 60 },
    ClockSetting::PerMove { seconds: 300 },
    ClockSetting::Days { days: 3 },
];

/// One line on what is to be played.
pub(crate) fn describe(terms: &MatchTerms) -> String {
    let rules = match (&terms.preset, &terms.options) {
        (Some(preset), _) => title_of_key(preset),
        (None, Some(_)) => "Own rules".to_owned(),
        (None, None) => "Usual rules".to_owned(),
    };
    format!("{rules}, {}", sentence_of_clock(&terms.clock))
}

/// A choice of one of several: each has a value and its words.
pub(super) fn select(
    label: &str,
    choices: Vec<(String, String)>,
    chosen: &str,
    choose: impl Fn(String) + 'static,
) -> AnyView {
    fn share(
        label: String,
        choices: Vec<(String, String)>,
        chosen: &str,
        choose: Rc<dyn Fn(String)>,
    ) -> AnyView {
        let option = |(value, words): (String, String)| {
            let is_chosen = value == chosen;
            view! { <option value=value selected=is_chosen>{words}</option> }
        };
        let options = choices.into_iter().map(option).collect_view();
        let change = hear(move |event: Event| choose(event_target_value(&event)));
        view! { <label>{label}<select on:change=change>{options}</select></label> }.into_any()
    }
    share(label.to_owned(), choices, chosen, Rc::new(choose))
}

/// Something that is on or off.
pub(super) fn switch(label: &str, is_on: bool, set: impl Fn(bool) + 'static) -> AnyView {
    let change = hear(move |event: Event| set(event_target_checked(&event)));
    view! {
        <label class="choice">
            <input type="checkbox" checked=is_on on:change=change/>
            {label.to_owned()}
        </label>
    }
    .into_any()
}

/// The level that was chosen last.
pub(crate) fn usual_level() -> u8 {
    recall(LEVEL_KEY).and_then(|level| level.parse().ok()).unwrap_or(LEVEL_USUAL)
}

/// What a level of a bot is called.
fn level_words(level: u8, levels: usize) -> String {
    let rank = match level {
        1 => ", for beginners",
        _ if usize::from(level) == levels => ", the strongest",
        _ => "",
    };
    format!("Level {level}{rank}")
}

/// What a level says of itself: more than a list of choices has room for.
pub(crate) fn level_remark(bots: &[BotInfo], level: u8) -> AnyView {
    let remark = bots.iter().find(|bot| bot.level == level).and_then(|bot| bot.remark.clone());
    remark.map(|remark| view! { <p class="hint">{remark}</p> }).into_any()
}

/// The levels of a game's bots, to choose from.
pub(crate) fn level_choices(bots: &[BotInfo]) -> Vec<(String, String)> {
    let words = |bot: &BotInfo| (bot.level.to_string(), level_words(bot.level, bots.len()));
    bots.iter().map(words).collect()
}

/// How strong a bot is to be; what is chosen is usual from then on, where the browser keeps anything.
pub(crate) fn level_choice(
    label: &str,
    bots: &[BotInfo],
    now: u8,
    choose: impl Fn(u8) + 'static,
) -> AnyView {
    let chosen = RwSignal::new(now);
    let list = select(label, level_choices(bots), &now.to_string(), move |level| {
        keep(LEVEL_KEY, &level);
        chosen.set(level.parse().unwrap_or(LEVEL_USUAL));
        choose(chosen.get_untracked());
    });
    let bots = bots.to_vec();
    view! { {list} {live(move || level_remark(&bots, chosen.get()))} }.into_any()
}

/// The seats of a match, to choose one's own from.
pub(crate) fn seat_choices(seats: u8) -> impl Iterator<Item = (String, String)> {
    Seat::all(seats).map(|seat| {
        let words = match seat.index() {
            0 => "who begins".to_owned(),
            index => format!("player {}", index + 1),
        };
        (seat.index().to_string(), words)
    })
}

/// How time is measured.
pub(super) fn clock_choice(choose: impl Fn(ClockSetting) + 'static) -> AnyView {
    let words = |clock: &ClockSetting| sentence_of_clock(clock);
    let choices = CLOCKS.iter().enumerate().map(|(index, it)| (index.to_string(), words(it)));
    select("Clock", choices.collect(), "0", move |index| {
        let index: usize = index.parse().unwrap_or_default();
        choose(CLOCKS.get(index).copied().unwrap_or_default());
    })
}

/// A field for each of a game's options, made from the values that a preset has. Those that the game
/// describes come first, in its words, and of these its main ones; `set` is told of each change.
pub(super) fn option_fields(
    about: Option<&'static About>,
    mut options: Object,
    set: &Rc<dyn Fn(String, Value)>,
) -> AnyView {
    let (fields, main) = about.map_or((&[][..], 0), |about| (about.fields, about.main_fields));
    let mut described = |fields: &'static [Field]| -> Vec<AnyView> {
        let field = |field: &Field| {
            let value = options.remove(field.key)?;
            Some(entry(field.label, field.choices, field.key.to_owned(), value, set.clone()))
        };
        fields.iter().filter_map(field).collect()
    };
    let (first, rest) = fields.split_at(main.min(fields.len()));
    let (shown, mut more) = (described(first), described(rest));
    more.extend(options.into_iter().map(|(key, value)| {
        let label = title_of_key(&key);
        entry(&label, &[], key, value, set.clone())
    }));
    let more = (!more.is_empty()).then(|| {
        view! {
            <details>
                <summary>"More rules"</summary>
                <div class="options">{more}</div>
            </details>
        }
    });
    view! { <div class="options">{shown}</div> {more} }.into_any()
}

fn entry(
    label: &str,
    choices: &'static [(&'static str, &'static str)],
    key: String,
    value: Value,
    set: Rc<dyn Fn(String, Value)>,
) -> AnyView {
    let words = || choices.iter().map(|(value, words)| ((*value).to_owned(), (*words).to_owned()));
    match value {
        Value::Bool(is_on) => switch(label, is_on, move |is_on| set(key.clone(), is_on.into())),
        Value::Array(values) if !choices.is_empty() && values.iter().any(Value::is_string) => {
            let all = RwSignal::new(Value::Array(values.clone()));
            let each = |(seat, value): (usize, Value)| {
                let (key, set) = (key.clone(), set.clone());
                let label = format!("{label}, player {}", seat + 1);
                let choose = move |chosen: String| {
                    all.update(|all| all[seat] = chosen.into());
                    set(key.clone(), all.get_untracked());
                };
                select(&label, words().collect(), value.as_str().unwrap_or_default(), choose)
            };
            values.into_iter().enumerate().map(each).collect_view().into_any()
        }
        value if !choices.is_empty() => {
            let choose = move |chosen: String| set(key.clone(), from_text(&chosen));
            select(label, words().collect(), &as_text(&value), choose)
        }
        // Lists, and texts that may be absent, are written as JSON.
        value => {
            let kind = if value.is_number() { "number" } else { "text" };
            let change = hear(move |event: Event| {
                set(key.clone(), from_text(&event_target_value(&event)));
            });
            view! {
                <label>
                    {label.to_owned()}
                    <input type=kind value=as_text(&value) spellcheck="false" on:change=change/>
                </label>
            }
            .into_any()
        }
    }
}

fn as_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn from_text(text: &str) -> Value {
    match text.trim() {
        "" => Value::Null,
        text => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
    }
}
