//! How things look, sound and are explained.

use board_kit::hear;
use client_core::{Choice, Volume};
use leptos::prelude::*;

use crate::settings::Settings;
use crate::sound::{self, Sound};

/// The choices, which hold at once.
pub(crate) fn settings_page() -> AnyView {
    let settings = expect_context::<Settings>();
    let volume = settings.volume;
    let set_volume =
        hear(move |event| volume.set(Volume::recall(Some(&event_target_value(&event)))));
    let is_silent = Signal::derive(move || !settings.is_sound_on.get());
    view! {
        <section class="sheet settings">
            <h1>"Settings"</h1>
            <p class="hint">"They hold at once, and are kept in this browser."</p>
            <h2>"Look and sound"</h2>
            {one_of("Colours", "theme", settings.theme)}
            {one_of("Animation", "motion", settings.motion)}
            <fieldset>
                <legend>"Sound"</legend>
                {switch("Play sounds", settings.is_sound_on)}
                <label class="volume">
                    "Volume"
                    <input type="range" min="0" max="100" step="5"
                        prop:value=Signal::derive(move || volume.get().percent().to_string())
                        disabled=is_silent
                        on:input=set_volume
                        on:change=hear(|_| sound::play(Sound::Move))/>
                </label>
                <div class="offers" role="group" aria-label="Hear them">
                    {Sound::ALL.map(|(it, label)| view! {
                        <button disabled=is_silent
                            on:click=hear(move |_| sound::play(it))>{label}</button>
                    })}
                </div>
            </fieldset>
            <h2>"Boards"</h2>
            {one_of("Hints", "hints", settings.hints)}
            <fieldset>
                <legend>"Beside the board"</legend>
                {switch("Show the names of rows and columns", settings.has_coordinates)}
            </fieldset>
            <h2>"Dozenal numbers"</h2>
            <p class="hint">
                "Crazy Tens counts in twelves. Its scoreboard always shows both bases; here you choose which one stands out, and how the digits for ten and eleven look."
            </p>
            {one_of("The scoreboard’s large numbers", "score-base", settings.score_base)}
            {one_of("The digits for ten and eleven", "digits", settings.digits)}
            <fieldset>
                <legend>"After a round"</legend>
                {switch("Ask me for the sum in dozenal (the score stays as it is)", settings.has_tally)}
            </fieldset>
        </section>
    }
    .into_any()
}

/// A group of which one is chosen.
fn one_of<C: Choice>(legend: &'static str, name: &'static str, signal: RwSignal<C>) -> AnyView {
    let choices = C::ALL.iter().map(|it| {
        let it = *it;
        radio(name, it.label(), Signal::derive(move || signal.get() == it), move || signal.set(it))
    });
    view! { <fieldset><legend>{legend}</legend>{choices.collect_view()}</fieldset> }.into_any()
}

fn radio(
    name: &'static str,
    label: &'static str,
    is_chosen: Signal<bool>,
    choose: impl Fn() + 'static,
) -> AnyView {
    view! {
        <label class="choice">
            <input type="radio" name=name prop:checked=is_chosen on:change=hear(move |_| choose())/>
            {label}
        </label>
    }
    .into_any()
}

fn switch(label: &'static str, signal: RwSignal<bool>) -> AnyView {
    view! {
        <label class="choice">
            <input type="checkbox" prop:checked=signal
                on:change=hear(move |event| signal.set(event_target_checked(&event)))/>
            {label}
        </label>
    }
    .into_any()
}
