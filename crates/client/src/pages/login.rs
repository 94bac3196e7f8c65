//! M9's forms: log in, sign up, or come as a guest.

use client_core::{Route, Who};
use domain::Role;
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::SubmitEvent;

use crate::navigation::Navigation;
use crate::session::{AuthError, Session};

/// Both forms, of which one is shown, and the way in without either.
#[component]
pub(crate) fn Login(
    /// Where they wanted to go.
    next: Option<String>,
) -> impl IntoView {
    let session = expect_context::<Session>();
    let navigation = expect_context::<Navigation>();
    // A guest wants to keep the games.
    let is_new = RwSignal::new(matches!(session.who(), Who::User { role: Role::Guest, .. }));
    let error = RwSignal::new(None::<String>);
    let is_busy = RwSignal::new(false);
    let name = NodeRef::<leptos::html::Input>::new();
    let password = NodeRef::<leptos::html::Input>::new();
    let next = next.and_then(|next| Route::parse(&next).ok()).unwrap_or(Route::Home);

    let finish = move |entered: Result<(), AuthError>| {
        is_busy.set(false);
        match entered {
            Ok(()) => navigation.go(&next),
            Err(failed) => error.set(Some(failed.sentence())),
        }
    };
    let begin = move || {
        is_busy.set(true);
        error.set(None);
    };
    let on_submit = {
        let finish = finish.clone();
        move |event: SubmitEvent| {
            event.prevent_default();
            let value = |field: NodeRef<leptos::html::Input>| {
                field.get().map(|field| field.value()).unwrap_or_default()
            };
            let (name, password, finish) = (value(name), value(password), finish.clone());
            begin();
            spawn_local(async move {
                finish(if is_new.get_untracked() {
                    session.sign_up(name, password).await
                } else {
                    session.log_in(name, password).await
                });
            });
        }
    };
    let as_guest = move |_| {
        let finish = finish.clone();
        begin();
        spawn_local(async move { finish(session.play_as_guest().await) });
    };
    let is_guest = move || matches!(session.who(), Who::User { role: Role::Guest, .. });
    let title = move || match (is_new.get(), is_guest()) {
        (true, true) => "Keep your games",
        (true, false) => "Make an account",
        (false, _) => "Log in",
    };
    let other = move || {
        if is_new.get() { "I have an account" } else { "I am new here" }
    };
    let password_kind = move || if is_new.get() { "new-password" } else { "current-password" };
    view! {
        <section class="sheet narrow">
            <h1>{title}</h1>
            <form on:submit=on_submit novalidate>
                <label>
                    "Name"
                    <input node_ref=name name="username" autocomplete="username" maxlength="20"
                        autocapitalize="none" spellcheck="false"/>
                </label>
                <label>
                    "Password"
                    <input node_ref=password name="password" type="password"
                        autocomplete=password_kind maxlength="256"/>
                </label>
                <p class="hint">{move || is_new.get().then_some(
                    "A name has 3 to 20 letters, digits, - and _. A password has at least 8 characters."
                )}</p>
                <p class="error" role="alert">{move || error.get()}</p>
                <button class="primary" disabled=move || is_busy.get()>{title}</button>
            </form>
            <button class="quiet" on:click=move |_| { error.set(None); is_new.update(|it| *it = !*it); }>
                {other}
            </button>
            <Show when=move || !is_guest()>
                <hr/>
                <p>"Just want to play? No name, no password."</p>
                <button disabled=move || is_busy.get() on:click=as_guest.clone()>"Play as a guest"</button>
            </Show>
        </section>
    }
}
