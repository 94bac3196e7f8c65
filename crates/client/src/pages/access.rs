//! The own password, and the sessions in which somebody is logged in. A part of the settings.

use board_kit::{hear, live};
use client_core::{Who, check_password, sentence_case};
use domain::Role;
use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{Code, PasswordRequest, Secret, SessionList, SessionSummary};
use web_sys::SubmitEvent;

use super::person::date_and_time;
use crate::api::{self, Failure, Fetched};
use crate::notice::Notice;
use crate::session::Session;

type Sessions = RwSignal<Fetched<SessionList>>;

fn load() -> Fetched<SessionList> {
    api::fetch(api::get::<SessionList>("sessions"))
}

/// The block for somebody who is logged in; a guest has no password.
pub(super) fn access() -> AnyView {
    let Who::User { name, role } = expect_context::<Session>().who() else {
        return ().into_any();
    };
    let sessions = RwSignal::new(load());
    let is_guest = role == Role::Guest;
    let heading = if is_guest { "Sessions" } else { "Password and sessions" };
    view! {
        <h2>{heading}</h2>
        {(!is_guest).then(|| password(name, sessions))}
        {list(sessions)}
    }
    .into_any()
}

fn password(name: String, sessions: Sessions) -> AnyView {
    let notice = expect_context::<Notice>();
    let error = RwSignal::new(None::<String>);
    let is_busy = RwSignal::new(false);
    let [old, new] = [NodeRef::<Input>::new(), NodeRef::<Input>::new()];
    let owner = name.clone();
    let change = hear(move |event: SubmitEvent| {
        event.prevent_default();
        let value =
            |field: NodeRef<Input>| field.get().map(|field| field.value()).unwrap_or_default();
        let (old_password, new_password) = (value(old), value(new));
        if let Err(fault) = check_password(&owner, &new_password) {
            error.set(Some(sentence_case(&fault.to_string())));
            return;
        }
        let request = PasswordRequest {
            old_password: Secret::new(old_password),
            new_password: Secret::new(new_password),
        };
        error.set(None);
        is_busy.set(true);
        spawn_local(async move {
            let changed = api::put_only("password", &request).await;
            is_busy.set(false);
            match changed {
                Ok(()) => {
                    for field in [old, new].into_iter().filter_map(|field| field.get_untracked()) {
                        field.set_value("");
                    }
                    notice.say("Your password is changed. All your other sessions have ended.");
                    sessions.set(load());
                }
                Err(failure) if failure.code() == Some(Code::InvalidCredentials) => {
                    error.set(Some("This is not your current password.".to_owned()));
                }
                Err(failure) => error.set(Some(sentence_case(&failure.sentence()))),
            }
        });
    });
    view! {
        <form class="password" on:submit=change novalidate>
            // Password managers look for the name beside a password.
            <input name="username" autocomplete="username" value=name readonly hidden/>
            <label>
                "Current password"
                <input node_ref=old type="password" autocomplete="current-password" maxlength="256"/>
            </label>
            <label>
                "New password"
                <input node_ref=new type="password" autocomplete="new-password" maxlength="256"
                    aria-describedby="password-rule"/>
            </label>
            <p class="hint" id="password-rule">
                "At least 8 characters. You stay logged in here, and every other session ends."
            </p>
            <p class="error" role="alert">{error}</p>
            <button disabled=is_busy>"Change the password"</button>
        </form>
    }
    .into_any()
}

/// Where somebody is logged in.
fn list(sessions: Sessions) -> AnyView {
    let error = RwSignal::new(None::<String>);
    let end = Callback::new(move |id: String| {
        spawn_local(async move {
            error.set(None);
            match api::change("DELETE", &format!("sessions/{id}")).await {
                Ok(()) => sessions.set(load()),
                Err(failure) => error.set(Some(sentence_case(&failure.sentence()))),
            }
        });
    });
    let rows = live(move || match sessions.get().get() {
        None => view! { <p role="status">"One moment…"</p> }.into_any(),
        Some(Err(failure)) => said(&failure),
        Some(Ok(it)) => {
            let rows = it.sessions.iter().map(|it| row(it, end)).collect_view();
            view! { <ul class="rows sessions" aria-label="Your sessions">{rows}</ul> }.into_any()
        }
    });
    view! {
        <p class="hint">"You are logged in here and wherever else is listed. End what you do not know."</p>
        {rows}
        <p class="error" role="alert">{error}</p>
    }
    .into_any()
}

fn said(failure: &Failure) -> AnyView {
    view! { <p class="error" role="alert">{sentence_case(&failure.sentence())}</p> }.into_any()
}

fn row(it: &SessionSummary, end: Callback<String>) -> AnyView {
    let name = it.browser.clone().unwrap_or_else(|| "Unknown browser".to_owned());
    let times = format!(
        "Since {}, last used {}",
        date_and_time(it.created_at_ms),
        date_and_time(it.refreshed_at_ms)
    );
    let way_out = if it.is_current {
        view! { <span class="go">"This one"</span> }.into_any()
    } else {
        let id = it.id.to_string();
        let label = format!("End the session of {name}");
        let end = hear(move |_| end.run(id.clone()));
        view! { <button class="go" aria-label=label on:click=end>"End"</button> }.into_any()
    };
    view! {
        <li class="row">
            <strong>{name}</strong>
            <span class="hint">{times}</span>
            {way_out}
        </li>
    }
    .into_any()
}
