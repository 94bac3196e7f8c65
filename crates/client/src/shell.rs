//! M8: what surrounds every page, and which page it is.

use board_kit::{hear, live};
use client_core::{Connection, News};
use client_core::{Route, Who, gate};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::ws::ServerMessage;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::Event;

use crate::api;
use crate::browser::window;
use crate::navigation::{Link, Navigation, link};
use crate::notice::Notice;
use crate::pages::{self, Later};
use crate::realtime::Realtime;
use crate::rules::Rules;
use crate::session::Session;
use crate::{settings, sound};

/// The whole application.
#[component]
pub(crate) fn Shell() -> impl IntoView {
    let navigation = Navigation::start();
    let session = Session::start();
    provide_context(navigation);
    provide_context(session);
    provide_context(Rules::new());
    let later = Later::start(session);
    let settings = settings::start();
    provide_context(settings);
    sound::start(settings);
    let notice = Notice::start(navigation);
    provide_context(notice);
    let realtime = Realtime::start();
    provide_context(realtime.clone());
    follow_session(&realtime, session, navigation, notice);
    follow_network(session);
    Effect::new(move || {
        let title =
            navigation.route().map_or_else(|_| pages::NOT_FOUND.to_owned(), |it| pages::title(&it));
        document().set_title(&title);
    });
    let state = realtime.clone();
    view! {
        <a class="skip" href="#main">"Skip to the page"</a>
        <header class="bar">
            <Link to=Route::Home class="brand">
                <img src="/icon.svg" alt="" width="32" height="32"/>
                "Parlor"
            </Link>
            <nav aria-label="You">{live(move || whoami(&session.who()))}</nav>
        </header>
        {live(move || connection(state.state(), api::is_reached()))}
        {notice.view()}
        <main id="main">{live(move || page(navigation, session, later))}</main>
        <footer class="foot">
            {link(Route::Rules, "quiet", "Rules and tutorials")}
            {link(Route::Settings, "quiet", "Settings")}
        </footer>
    }
}

/// Connected exactly while somebody is logged in.
fn follow_session(realtime: &Realtime, session: Session, navigation: Navigation, notice: Notice) {
    let link = realtime.clone();
    Effect::new(move || match session.who() {
        Who::User { .. } => link.connect(),
        Who::Nobody => link.disconnect(),
        Who::Unknown => {}
    });
    realtime.listen(move |news| match news {
        News::Connection(Connection::LoggedOut) => {
            if session.is_somebody() {
                notice.say("Your login has ended: it was closed elsewhere, or too old.");
            }
            session.ended();
        }
        // A refused handshake looks like a lost line: only the server can say that the login ended.
        News::Connection(Connection::Reconnecting { .. }) => session.look_again(),
        News::Message(ServerMessage::Paired(it)) => {
            navigation.go(&Route::Match { id: it.match_id.to_string() });
        }
        _ => {}
    });
}

/// Who could not be found out without a network is asked for again once there is one.
fn follow_network(session: Session) {
    let again = Closure::<dyn Fn(Event)>::new(move |_| session.look_again());
    // Refused by no browser; without it people load the page again.
    let _ = window().add_event_listener_with_callback("online", again.as_ref().unchecked_ref());
    again.forget();
}

/// Only trouble is worth a line.
fn connection(state: Connection, is_reached: bool) -> AnyView {
    let text = match state {
        Connection::Reconnecting { .. } => "The connection is lost. Trying again…",
        _ if !is_reached => {
            "Offline: the server cannot be reached. Rules and tutorials that you have opened are still here."
        }
        Connection::Outdated => "The server speaks a newer language. Load the page again.",
        Connection::Connecting
        | Connection::Online
        | Connection::Offline
        | Connection::LoggedOut => return ().into_any(),
    };
    view! { <p class="connection" role="status">{text}</p> }.into_any()
}

fn whoami(who: &Who) -> AnyView {
    let Some(name) = who.name().map(str::to_owned) else {
        return match who {
            Who::Unknown => ().into_any(),
            _ => link(Route::Login { next: None }, "button", "Log in"),
        };
    };
    let session = expect_context::<Session>();
    let navigation = expect_context::<Navigation>();
    let log_out = move |_| {
        spawn_local(async move { session.log_out().await });
        navigation.open(&Route::Home);
    };
    view! {
        {link(Route::Profile, "name", name)}
        {link(Route::Settings, "quiet", "Settings")}
        <button class="quiet" on:click=hear(log_out)>"Log out"</button>
    }
    .into_any()
}

fn page(navigation: Navigation, session: Session, later: Later) -> AnyView {
    let Ok(route) = navigation.route() else {
        return pages::NotFound().into_any();
    };
    let who = session.who();
    if who == Who::Unknown {
        return view! { <p role="status" class="notice">"One moment…"</p> }.into_any();
    }
    let allowed = gate(route.clone(), &who);
    // Whoever could not be asked for is not known to be nobody.
    let is_shut = who == Who::Nobody && (allowed != route || route == Route::Profile);
    if is_shut && !api::is_reached() {
        return pages::out_of_reach();
    }
    match allowed {
        Route::Home => pages::Home().into_any(),
        Route::Login { next } => pages::login_page(next),
        Route::Settings => pages::settings_page(),
        Route::Profile => pages::profile_page(),
        Route::Player { name } => pages::player_page(name),
        Route::Rules => pages::rules_page(),
        Route::RulesOf { game } => pages::rules_of_page(&game),
        Route::Lobby { id } => pages::lobby_page(&id),
        route => later.page(route),
    }
}
