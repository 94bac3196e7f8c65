//! How things look.

use leptos::prelude::*;

use crate::settings::{Settings, Theme};

/// The choices, which hold at once.
#[component]
pub(crate) fn SettingsPage() -> impl IntoView {
    let theme = expect_context::<Settings>().theme;
    let choice = move |it: Theme| {
        view! {
            <label class="choice">
                <input
                    type="radio"
                    name="theme"
                    checked=theme.get_untracked() == it
                    on:change=move |_| theme.set(it)
                />
                {it.label()}
            </label>
        }
    };
    view! {
        <section class="sheet">
            <h1>"Settings"</h1>
            <fieldset>
                <legend>"Colours"</legend>
                {Theme::ALL.map(choice)}
            </fieldset>
        </section>
    }
}
