//! One file a page.

mod home;
mod lobby;
mod login;
mod settings;
mod table;
mod terms;

use client_core::Route;
use leptos::prelude::*;

pub(crate) use self::home::Home;
pub(crate) use self::lobby::LobbyPage;
pub(crate) use self::login::Login;
pub(crate) use self::settings::SettingsPage;
pub(crate) use self::table::{Practice, ReplayPage, TablePage};
use crate::navigation::Link;

/// An address without a page.
#[component]
pub(crate) fn NotFound() -> impl IntoView {
    view! {
        <section class="sheet">
            <h1>"There is nothing here"</h1>
            <p>"This address leads to no page: the link may be old, or have lost a letter."</p>
            <p><Link to=Route::Home class="button primary">"To the parlor"</Link></p>
        </section>
    }
}
