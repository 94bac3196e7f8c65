//! M8: what surrounds every page, and which page it is.

use client_core::{Connection, News};
use client_core::{Route, Who, gate};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::ws::ServerMessage;

use crate::navigation::{Link, Navigation};
use crate::pages;
use crate::realtime::Realtime;
use crate::rules::Rules;
use crate::session::Session;
use crate::settings::Settings;

/// The whole application.
#[component]
pub(crate) fn Shell() -> impl IntoView {
    let navigation = Navigation::start();
    let session = Session::start();
    provide_context(navigation);
    provide_context(session);
    provide_context(Settings::start());
    provide_context(Rules::new());
    let realtime = Realtime::start();
    provide_context(realtime.clone());
    follow_session(&realtime, session, navigation);
    let state = realtime.clone();
    view! {
        <a class="skip" href="#main">"Skip to the page"</a>
        <header class="bar">
            <Link to=Route::Home class="brand">
                <img src="/icon.svg" alt="" width="32" height="32"/>
                "Parlor"
            </Link>
            <nav aria-label="You">{move || whoami(&session.who())}</nav>
        </header>
        {move || connection(state.state())}
        <main id="main">{move || page(navigation, session)}</main>
    }
}

/// Connected exactly while somebody is logged in.
fn follow_session(realtime: &Realtime, session: Session, navigation: Navigation) {
    let link = realtime.clone();
    Effect::new(move || match session.who() {
        Who::User { .. } => link.connect(),
        Who::Nobody => link.disconnect(),
        Who::Unknown => {}
    });
    realtime.listen(move |news| match news {
        News::Connection(Connection::LoggedOut) => session.ended(),
        // A refused handshake looks like a lost line: only the server can say that the login ended.
        News::Connection(Connection::Reconnecting { .. }) => session.look_again(),
        News::Message(ServerMessage::Paired(it)) => {
            navigation.go(&Route::Match { id: it.match_id.to_string() });
        }
        _ => {}
    });
}

/// Only trouble is worth a line.
fn connection(state: Connection) -> Option<impl IntoView> {
    let text = match state {
        Connection::Reconnecting { .. } => "The connection is lost. Trying again…",
        Connection::Outdated => "The server speaks a newer language. Load the page again.",
        Connection::Connecting
        | Connection::Online
        | Connection::Offline
        | Connection::LoggedOut => return None,
    };
    Some(view! { <p class="connection" role="status">{text}</p> })
}

fn whoami(who: &Who) -> AnyView {
    let Some(name) = who.name().map(str::to_owned) else {
        return match who {
            Who::Unknown => ().into_any(),
            _ => view! { <Link to=Route::Login { next: None } class="button">"Log in"</Link> }
                .into_any(),
        };
    };
    let session = expect_context::<Session>();
    let navigation = expect_context::<Navigation>();
    let log_out = move |_| {
        spawn_local(async move { session.log_out().await });
        navigation.go(&Route::Home);
    };
    view! {
        <span class="name">{name}</span>
        <Link to=Route::Settings class="quiet">"Settings"</Link>
        <button class="quiet" on:click=log_out>"Log out"</button>
    }
    .into_any()
}

fn page(navigation: Navigation, session: Session) -> AnyView {
    let Ok(route) = navigation.route() else {
        return pages::NotFound().into_any();
    };
    let who = session.who();
    if who == Who::Unknown {
        return view! { <p role="status" class="notice">"One moment…"</p> }.into_any();
    }
    match gate(route, &who) {
        Route::Home => pages::Home().into_any(),
        Route::Login { next } => view! { <pages::Login next/> }.into_any(),
        Route::Settings => pages::SettingsPage().into_any(),
        Route::Lobby { id } => view! { <pages::LobbyPage id/> }.into_any(),
        Route::Match { id } => view! { <pages::TablePage id/> }.into_any(),
        Route::Replay { id } => view! { <pages::ReplayPage id/> }.into_any(),
        Route::Practice { game } => view! { <pages::Practice game/> }.into_any(),
    }
}
