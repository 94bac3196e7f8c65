//! M9's forms: log in, sign up, or come as a guest.

use board_kit::{hear, shown_while, words};
use client_core::{Route, Who};
use domain::Role;
use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::SubmitEvent;

use crate::navigation::Navigation;
use crate::session::{AuthError, Session};

const RULE: &str =
    "A name has 3 to 20 letters, digits, - and _. A password has at least 8 characters.";

/// Somebody at the door.
#[derive(Clone, Copy)]
struct Door {
    session: Session,
    navigation: Navigation,
    /// Where they wanted to go.
    next: StoredValue<Route>,
    /// Shall an account be made?
    is_new: RwSignal<bool>,
    is_busy: RwSignal<bool>,
    error: RwSignal<String>,
}

impl Door {
    fn begin(self) {
        self.is_busy.set(true);
        self.error.set(String::new());
    }

    fn finish(self, entered: Result<(), AuthError>) {
        self.is_busy.set(false);
        match entered {
            Ok(()) => {
                // Whoever has left the door meanwhile stays where they are.
                if let Some(next) = self.next.try_get_value() {
                    self.navigation.open(&next);
                }
            }
            Err(failed) => self.error.set(failed.sentence()),
        }
    }

    fn enter(self, name: String, password: String) {
        self.begin();
        let is_new = self.is_new.get_untracked();
        spawn_local(async move {
            self.finish(if is_new {
                self.session.sign_up(name, password).await
            } else {
                self.session.log_in(name, password).await
            });
        });
    }

    fn enter_as_guest(self) {
        self.begin();
        spawn_local(async move { self.finish(self.session.play_as_guest().await) });
    }

    fn is_guest(self) -> bool {
        matches!(self.session.who(), Who::User { role: Role::Guest, .. })
    }

    fn title(self) -> String {
        let title = match (self.is_new.get(), self.is_guest()) {
            (true, true) => "Keep your games",
            (true, false) => "Make an account",
            (false, _) => "Log in",
        };
        title.to_owned()
    }

    fn other(self) -> String {
        if self.is_new.get() { "I have an account" } else { "I am new here" }.to_owned()
    }

    fn as_guest(self) -> AnyView {
        let enter = hear(move |_| self.enter_as_guest());
        view! {
            <hr/>
            <p>"Just want to play? No name, no password."</p>
            <button disabled=self.is_busy on:click=enter>"Play as a guest"</button>
        }
        .into_any()
    }
}

/// Both forms, of which one is shown, and the way in without either; `next` is where they wanted to go.
pub(crate) fn login_page(next: Option<String>) -> AnyView {
    let session = expect_context::<Session>();
    let next = next.and_then(|next| Route::parse(&next).ok()).unwrap_or(Route::Home);
    let door = Door {
        session,
        navigation: expect_context(),
        next: StoredValue::new(next),
        is_new: RwSignal::new(false),
        is_busy: RwSignal::new(false),
        error: RwSignal::new(String::new()),
    };
    // A guest wants to keep the games.
    door.is_new.set(door.is_guest());
    let [name, password] = [NodeRef::<Input>::new(), NodeRef::<Input>::new()];
    let enter = hear(move |event: SubmitEvent| {
        event.prevent_default();
        let value =
            |field: NodeRef<Input>| field.get().map(|field| field.value()).unwrap_or_default();
        door.enter(value(name), value(password));
    });
    let change = hear(move |_| {
        door.error.set(String::new());
        door.is_new.update(|it| *it = !*it);
    });
    let is_stranger = Signal::derive(move || !door.is_guest());
    let kind = Signal::derive(move || {
        if door.is_new.get() { "new-password" } else { "current-password" }.to_owned()
    });
    let rule = move || if door.is_new.get() { RULE } else { "" }.to_owned();
    view! {
        <section class="sheet narrow">
            <h1>{words(move || door.title())}</h1>
            <form on:submit=enter novalidate>
                <label>
                    "Name"
                    <input node_ref=name name="username" autocomplete="username" maxlength="20"
                        autocapitalize="none" spellcheck="false"/>
                </label>
                <label>
                    "Password"
                    <input node_ref=password name="password" type="password" autocomplete=kind
                        maxlength="256"/>
                </label>
                <p class="hint">{words(rule)}</p>
                <p class="error" role="alert">{words(move || door.error.get())}</p>
                <button class="primary" disabled=door.is_busy>{words(move || door.title())}</button>
            </form>
            <button class="quiet" on:click=change>{words(move || door.other())}</button>
            {shown_while(is_stranger, move || door.as_guest())}
        </section>
    }
    .into_any()
}
