//! How things look, sound and are explained.

use board_kit::hear;
use client_core::{Choice, Preferences, Volume};
use leptos::prelude::*;

use super::access::access;
use crate::settings::Settings;
use crate::sound::{self, Sound};

/// The choices, which hold at once.
pub(crate) fn settings_page() -> AnyView {
    view! {
        <section class="sheet settings">
            <h1>"Settings"</h1>
            <p class="hint">"They hold at once, and are kept in this browser."</p>
            <h2>"Look and sound"</h2>
            {one_of("Colours", "theme", |it| &mut it.theme)}
            {one_of("Animation", "motion", |it| &mut it.motion)}
            {sounds()}
            <h2>"Boards"</h2>
            {one_of("Hints", "hints", |it| &mut it.hints)}
            {group("Beside the board", switch("Show the names of rows and columns", |it| {
                &mut it.has_coordinates
            }))}
            <h2>"Dozenal numbers"</h2>
            <p class="hint">
                "Crazy Tens counts in twelves. Its scoreboard always shows both bases; here you choose which one stands out, and how the digits for ten and eleven look."
            </p>
            {one_of("Large on the scoreboard", "score-base", |it| &mut it.score_base)}
            {one_of("Ten and eleven", "digits", |it| &mut it.digits)}
            {group("After a round", switch(
                "Ask me for the sum in dozenal (the score stays as it is)",
                |it| &mut it.has_tally,
            ))}
            {access()}
        </section>
    }
    .into_any()
}

fn sounds() -> AnyView {
    let settings = expect_context::<Settings>();
    let is_silent = Signal::derive(move || !settings.get().has_sound);
    let volume = Signal::derive(move || settings.get().volume.percent().to_string());
    let set_volume = hear(move |event| {
        let volume = Volume::recall(Some(&event_target_value(&event)));
        settings.update(|it| it.volume = volume);
    });
    let example = |(sound, label): (Sound, &'static str)| {
        let play = hear(move |_| sound::play(sound));
        view! { <button disabled=is_silent on:click=play>{label}</button> }.into_any()
    };
    let content = view! {
        {switch("Play sounds", |it| &mut it.has_sound)}
        <label class="volume">
            "Volume"
            <input type="range" min="0" max="100" step="5" prop:value=volume disabled=is_silent
                on:input=set_volume on:change=hear(|_| sound::play(Sound::Move))/>
        </label>
        <div class="offers" role="group" aria-label="Hear them">
            {Sound::ALL.into_iter().map(example).collect_view()}
        </div>
    };
    group("Sound", content.into_any())
}

fn group(legend: &'static str, content: AnyView) -> AnyView {
    view! { <fieldset><legend>{legend}</legend>{content}</fieldset> }.into_any()
}

/// A group of which one is chosen.
fn one_of<C: Choice>(
    legend: &'static str,
    name: &'static str,
    field: fn(&mut Preferences) -> &mut C,
) -> AnyView {
    let settings = expect_context::<Settings>();
    let choices = C::ALL.iter().enumerate().map(|(index, it)| {
        option(
            "radio",
            name,
            it.label(),
            move || *field(&mut settings.get()) == C::ALL[index],
            move |_| settings.update(|preferences| *field(preferences) = C::ALL[index]),
        )
    });
    group(legend, choices.collect_view().into_any())
}

fn switch(label: &'static str, field: fn(&mut Preferences) -> &mut bool) -> AnyView {
    let settings = expect_context::<Settings>();
    option(
        "checkbox",
        "",
        label,
        move || *field(&mut settings.get()),
        move |is_on| settings.update(|preferences| *field(preferences) = is_on),
    )
}

fn option(
    kind: &'static str,
    name: &'static str,
    label: &'static str,
    is_chosen: impl Fn() -> bool + Send + Sync + 'static,
    choose: impl Fn(bool) + 'static,
) -> AnyView {
    let is_chosen = Signal::derive(is_chosen);
    let choose = hear(move |event| choose(event_target_checked(&event)));
    view! {
        <label class="choice">
            <input type=kind name=name prop:checked=is_chosen on:change=choose/>
            {label}
        </label>
    }
    .into_any()
}
