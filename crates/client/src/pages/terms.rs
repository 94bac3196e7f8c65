//! Choosing what is to be played, and saying what was chosen.

use client_core::sentence_of_clock;
use leptos::prelude::*;
use protocol::{ClockSetting, MatchTerms, Object};
use serde_json::Value;

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
        (Some(preset), _) => preset.clone(),
        (None, Some(_)) => "own rules".to_owned(),
        (None, None) => "usual rules".to_owned(),
    };
    format!("{rules}, {}", sentence_of_clock(&terms.clock))
}

/// How time is measured.
#[component]
pub(crate) fn ClockChoice(clock: RwSignal<ClockSetting>) -> impl IntoView {
    let choose = move |event| {
        let index: usize = event_target_value(&event).parse().unwrap_or_default();
        clock.set(CLOCKS.get(index).copied().unwrap_or_default());
    };
    let option = |(index, clock): (usize, ClockSetting)| {
        view! { <option value=index.to_string()>{sentence_of_clock(&clock)}</option> }
    };
    view! {
        <label>
            "Clock"
            <select on:change=choose>{CLOCKS.into_iter().enumerate().map(option).collect_view()}</select>
        </label>
    }
}

/// A field for each of a game's options, made from the values that a preset has; `changed` holds all of
/// them once one differs.
#[component]
pub(crate) fn OptionFields(options: Object, changed: RwSignal<Option<Object>>) -> impl IntoView {
    let values = RwSignal::new(options.clone());
    let set = move |key: String, value: Value| {
        values.update(|values| {
            values.insert(key, value);
        });
        changed.set(Some(values.get_untracked()));
    };
    let field = move |(key, value): (String, Value)| {
        let label = key.replace('_', " ");
        match value {
            Value::Bool(is_on) => view! {
                <label class="choice">
                    <input type="checkbox" checked=is_on
                        on:change=move |event| set(key.clone(), event_target_checked(&event).into())/>
                    {label}
                </label>
            }
            .into_any(),
            Value::Number(number) => view! {
                <label>
                    {label}
                    <input type="number" value=number.to_string() on:change=move |event| {
                        if let Ok(number) = event_target_value(&event).parse::<i64>() {
                            set(key.clone(), number.into());
                        }
                    }/>
                </label>
            }
            .into_any(),
            // Lists, and texts that may be absent, are written as JSON.
            other => view! {
                <label>
                    {label}
                    <input value=as_text(&other) spellcheck="false" on:change=move |event| {
                        set(key.clone(), from_text(&event_target_value(&event)));
                    }/>
                </label>
            }
            .into_any(),
        }
    };
    view! { <div class="options">{options.into_iter().map(field).collect_view()}</div> }
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
