//! M14: the own profile, and what all may see of others.

use board_kit::{hear, live};
use client_core::{Route, Who, check_username, sentence_case};
use domain::Role;
use leptos::html::{Dialog, Input};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{Code, PublicProfile, UpdateProfileRequest};
use web_sys::SubmitEvent;

use super::person::person;
use crate::api::{self, Failure, Fetched};
use crate::avatar::{PICTURES, avatar};
use crate::navigation::{Navigation, link};
use crate::notice::Notice;
use crate::session::Session;

/// The own profile; guests are told how to get one.
pub(crate) fn profile_page() -> AnyView {
    match expect_context::<Session>().who() {
        Who::User { role: Role::Guest, .. } => needs_account(
            "You play as a guest, and guests have no profile.",
            "Make an account, and the games you played as a guest stay yours.",
            "Make an account",
        ),
        Who::User { .. } => own(),
        Who::Nobody | Who::Unknown => needs_account(
            "Nobody is logged in.",
            "With an account your name, your statistics and your games are kept here.",
            "Log in or make an account",
        ),
    }
}

fn needs_account(what: &'static str, why: &'static str, way: &'static str) -> AnyView {
    let next = Some(Route::Profile.address());
    view! {
        <section class="sheet narrow">
            <h1>"A profile needs an account"</h1>
            <p>{what} " " {why}</p>
            <p>{link(Route::Login { next }, "button primary", way)}</p>
        </section>
    }
    .into_any()
}

fn own() -> AnyView {
    // Of the own profile, too, only what all may see is shown.
    let profile = api::fetch(api::get::<PublicProfile>("profile"));
    let content = live(move || match profile.get() {
        None => waiting(),
        Some(Err(failure)) => trouble("Your profile cannot be shown", &failure),
        Some(Ok(it)) => [person(&it), edit(&it, profile), delete()].collect_view().into_any(),
    });
    view! { <div class="profile">{content}</div> }.into_any()
}

fn waiting() -> AnyView {
    view! { <p role="status" class="notice">"One moment…"</p> }.into_any()
}

/// Somebody's page.
pub(crate) fn player_page(name: String) -> AnyView {
    let path = format!("users/{name}");
    let found = api::fetch(async move { api::get::<PublicProfile>(&path).await });
    let content = live(move || match found.get() {
        None => waiting(),
        Some(Err(failure)) if failure.code() == Some(Code::RecordNotFound) => view! {
            <section class="sheet">
                <h1>{format!("Nobody here is called {name}")}</h1>
                <p>"The name may be spelled otherwise, changed, or the account deleted."</p>
                <p>{link(Route::Home, "button primary", "To the parlor")}</p>
            </section>
        }
        .into_any(),
        Some(Err(failure)) => trouble("This profile cannot be shown", &failure),
        Some(Ok(it)) => person(&it),
    });
    view! { <div class="profile">{content}</div> }.into_any()
}

/// Whatever went wrong, in words; whose session has ended is led to the log-in.
fn trouble(title: &'static str, failure: &Failure) -> AnyView {
    let codes = [Code::Unauthorized, Code::InvalidToken, Code::ExpiredToken];
    let is_out = failure.code().is_some_and(|code| codes.contains(&code));
    let way = if is_out {
        let next = Some(Route::Profile.address());
        link(Route::Login { next }, "button primary", "Log in")
    } else {
        link(Route::Home, "button primary", "To the parlor")
    };
    view! {
        <section class="sheet">
            <h1>{title}</h1>
            <p role="alert">{sentence_case(&failure.sentence())}</p>
            <p>{way}</p>
        </section>
    }
    .into_any()
}

/// Another name, another picture.
fn edit(it: &PublicProfile, profile: Fetched<PublicProfile>) -> AnyView {
    let session = expect_context::<Session>();
    let notice = expect_context::<Notice>();
    let error = RwSignal::new(None::<String>);
    let is_busy = RwSignal::new(false);
    let chosen = RwSignal::new(it.avatar.clone());
    let field = NodeRef::<Input>::new();
    let (name, picture, owner) = (it.name.clone(), it.avatar.clone(), it.name.clone());

    let save = hear(move |event: SubmitEvent| {
        event.prevent_default();
        let wanted = field.get().map(|field| field.value()).unwrap_or_default();
        let wanted = (wanted != name).then_some(wanted);
        let fault = wanted.as_deref().and_then(|wanted| check_username(wanted).err());
        if let Some(fault) = fault {
            error.set(Some(sentence_case(&fault.to_string())));
            return;
        }
        let avatar = chosen.get_untracked();
        let request =
            UpdateProfileRequest { name: wanted, avatar: (avatar != picture).then_some(avatar) };
        error.set(None);
        is_busy.set(true);
        spawn_local(async move {
            let saved = api::put::<PublicProfile>("profile", &request).await;
            is_busy.set(false);
            match saved {
                Ok(saved) => {
                    notice.say("Saved.");
                    session.renamed(saved.name.clone());
                    profile.set(Some(Ok(saved)));
                }
                Err(failure) => error.set(Some(sentence_case(&failure.sentence()))),
            }
        });
    });
    let pictures = PICTURES.iter().map(|it| {
        view! {
            <label class="picture">
                <input type="radio" name="avatar" value=it.key
                    prop:checked=Signal::derive(move || chosen.get() == it.key)
                    on:change=hear(move |_| chosen.set(it.key.to_owned()))/>
                {avatar(it.key, &owner)}
                <span class="visually-hidden">{it.label}</span>
            </label>
        }
    });
    let pictures = pictures.collect_view();
    view! {
        <section class="sheet" aria-labelledby="edit">
            <h2 id="edit">"Change your profile"</h2>
            <form on:submit=save novalidate>
                <label>
                    "Name"
                    <input node_ref=field name="name" value=it.name.clone() maxlength="20" autocomplete="off"
                        autocapitalize="none" spellcheck="false" aria-describedby="name-rule"/>
                </label>
                <p class="hint" id="name-rule">"3 to 20 letters, digits, - and _."</p>
                <fieldset>
                    <legend>"Picture"</legend>
                    <div class="pictures">{pictures}</div>
                </fieldset>
                <p class="error" role="alert">{error}</p>
                <button class="primary" disabled=is_busy>"Save"</button>
            </form>
        </section>
    }
    .into_any()
}

/// Asked twice: by the button, and by the dialog that says what happens.
fn delete() -> AnyView {
    let session = expect_context::<Session>();
    let navigation = expect_context::<Navigation>();
    let notice = expect_context::<Notice>();
    let dialog = NodeRef::<Dialog>::new();
    let error = RwSignal::new(None::<String>);
    let is_busy = RwSignal::new(false);
    let ask = hear(move |_| {
        error.set(None);
        if let Some(dialog) = dialog.get() {
            // Refused only if it is open already.
            let _ = dialog.show_modal();
        }
    });
    let keep = hear(move |_| {
        if let Some(dialog) = dialog.get() {
            dialog.close();
        }
    });
    let delete = hear(move |_| {
        is_busy.set(true);
        spawn_local(async move {
            let deleted = api::change("DELETE", "profile").await;
            is_busy.set(false);
            match deleted {
                Ok(()) => {
                    navigation.go(&Route::Home);
                    notice.say("Your account is deleted. Farewell.");
                    session.ended();
                }
                Err(failure) => error.set(Some(sentence_case(&failure.sentence()))),
            }
        });
    });
    view! {
        <section class="sheet" aria-labelledby="delete">
            <h2 id="delete">"Delete the account"</h2>
            <p>"You are asked once more, and told what happens."</p>
            <button class="danger" on:click=ask>"Delete my account…"</button>
            <dialog node_ref=dialog aria-labelledby="sure">
                <h2 id="sure">"Delete your account for good?"</h2>
                <ul>
                    <li>"Your name, picture, password, statistics and ratings are removed at once."</li>
                    <li>"You are logged out on every device."</li>
                    <li>"Matches that you are playing are lost."</li>
                    <li>"Matches that have ended stay for the others, without your name."</li>
                </ul>
                <p>"Nobody can bring it back."</p>
                <p class="error" role="alert">{error}</p>
                <div class="actions">
                    <button on:click=keep autofocus>"Keep it"</button>
                    <button class="danger" disabled=is_busy on:click=delete>
                        "Delete it for good"
                    </button>
                </div>
            </dialog>
        </section>
    }
    .into_any()
}
