//! One file a page.

mod access;
mod home;
mod later;
mod learn;
mod lobby;
mod login;
mod new_table;
mod person;
mod profile;
mod rules;
mod settings;
mod table;
mod terms;

use board_kit::{hear, words};
use client_core::Route;
use leptos::prelude::*;

pub(crate) use self::home::Home;
pub(crate) use self::later::Later;
pub(crate) use self::lobby::lobby_page;
pub(crate) use self::login::login_page;
pub(crate) use self::profile::{player_page, profile_page};
pub(crate) use self::rules::{rules_of_page, rules_page};
pub(crate) use self::settings::settings_page;
use crate::browser::window;
use crate::navigation::link;
use crate::reading;

/// What the window is called at an address without a page.
pub(crate) const NOT_FOUND: &str = "Not found · Parlor";

/// What the window is called while a page is shown.
pub(crate) fn title(route: &Route) -> String {
    let page = match route {
        Route::Home => return "Parlor".to_owned(),
        Route::Login { .. } => "Log in".to_owned(),
        Route::Lobby { .. } => "A table".to_owned(),
        Route::Match { .. } => "A match".to_owned(),
        Route::Replay { .. } => "A match again".to_owned(),
        Route::Practice { .. } => "Practice".to_owned(),
        Route::Settings => "Settings".to_owned(),
        Route::Profile => "Your profile".to_owned(),
        Route::Player { name } => name.clone(),
        Route::Rules => "Rules and tutorials".to_owned(),
        Route::RulesOf { game } => format!("The rules of {}", reading::title(game)),
        Route::Learn { game } => format!("Learn {}", reading::title(game)),
    };
    format!("{page} · Parlor")
}

/// A page that cannot be had without the server.
pub(crate) fn out_of_reach() -> AnyView {
    view! {
        <section class="sheet">
            <h1>"This page needs the server"</h1>
            <p>"It cannot be reached just now. Try again when you are connected."</p>
            <p>{link(Route::Rules, "button", "Rules and tutorials")}</p>
        </section>
    }
    .into_any()
}

/// An address without a page.
#[component]
pub(crate) fn NotFound() -> impl IntoView {
    view! {
        <section class="sheet">
            <h1>"There is nothing here"</h1>
            <p>"This address leads to no page: the link may be old, or have lost a letter."</p>
            <p>{link(Route::Home, "button primary", "To the parlor")}</p>
        </section>
    }
}

/// A link, with a button that copies it.
fn link_to_copy(link: String) -> AnyView {
    let is_copied = RwSignal::new(false);
    let shown = link.clone();
    let copy = hear(move |_| {
        // Where the browser forbids it, the link still stands there to be copied by hand.
        let _ = window().navigator().clipboard().write_text(&link);
        is_copied.set(true);
    });
    let word = move || if is_copied.get() { "Copied" } else { "Copy" }.to_owned();
    view! { <p class="link"><code>{shown}</code> <button on:click=copy>{words(word)}</button></p> }
        .into_any()
}
