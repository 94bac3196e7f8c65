//! M9: who is logged in. The token itself is a cookie that no script can read: to load it is to ask
//! the server who one is, and to store or clear it is the server's to do.

use client_core::{InvalidInput, Who, check_password, check_username, sentence_case};
use domain::Role;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{
    AuthResponse, Code, GuestRequest, LoginRequest, Profile, RegisterRequest, Secret, User,
};

use crate::api::{self, Failure};
use crate::browser::{forget, keep, random, recall};

/// What the device made up for its guest.
const DEVICE_KEY: &str = "device";
/// The guest's name, since guests have no profile to ask for.
const GUEST_KEY: &str = "guest";
/// Set by a log-out that did not reach the server: it holds here, and is sent at the next contact.
const LOGGED_OUT_KEY: &str = "logged-out";

/// The login of this browser.
#[derive(Clone, Copy)]
pub(crate) struct Session {
    who: RwSignal<Who>,
}

/// Why a log-in did not succeed.
#[derive(Clone, Debug)]
pub(crate) enum AuthError {
    /// A field cannot be sent as it is.
    InvalidInput(InvalidInput),
    /// The server refused, or was not reached.
    Failed(Failure),
    /// The browser keeps no cookies for this site.
    TokenStorageError,
}

impl AuthError {
    /// What to tell people.
    pub(crate) fn sentence(&self) -> String {
        match self {
            AuthError::InvalidInput(error) => sentence_case(&error.to_string()),
            AuthError::Failed(failure) if failure.code() == Some(Code::InvalidCredentials) => {
                "This name and password do not belong together.".to_owned()
            }
            AuthError::Failed(failure) => sentence_case(&failure.sentence()),
            AuthError::TokenStorageError => {
                "Your browser refuses this site's cookies, so nobody can be logged in.".to_owned()
            }
        }
    }
}

impl Session {
    /// Finds out who is logged in.
    pub(crate) fn start() -> Session {
        let session = Session { who: RwSignal::new(Who::Unknown) };
        spawn_local(async move { session.who.set(load().await) });
        session
    }

    /// Who is logged in.
    pub(crate) fn who(self) -> Who {
        self.who.get()
    }

    /// Logs an account in.
    pub(crate) async fn log_in(self, username: String, password: String) -> Result<(), AuthError> {
        if username.is_empty() || password.is_empty() {
            let text = "a name and a password are needed".to_owned();
            return Err(AuthError::InvalidInput(InvalidInput(text)));
        }
        self.enter("login", &LoginRequest { username, password: Secret::new(password) }).await
    }

    /// Makes an account.
    pub(crate) async fn sign_up(self, username: String, password: String) -> Result<(), AuthError> {
        check_username(&username)
            .and_then(|()| check_password(&username, &password))
            .map_err(AuthError::InvalidInput)?;
        // A guest keeps the games that were played as one.
        let path = if matches!(self.who.get_untracked(), Who::User { role: Role::Guest, .. }) {
            "guest/upgrade"
        } else {
            "register"
        };
        self.enter(path, &RegisterRequest { username, password: Secret::new(password) }).await
    }

    /// Comes in as this device's guest.
    pub(crate) async fn play_as_guest(self) -> Result<(), AuthError> {
        let device = recall(DEVICE_KEY).unwrap_or_else(|| {
            let device = format!("{:016x}{:016x}", random(), random());
            keep(DEVICE_KEY, &device);
            device
        });
        self.enter("guest", &GuestRequest { device_id: Secret::new(device) }).await
    }

    /// Logs out: here at once, at the server as soon as it hears of it.
    pub(crate) async fn log_out(self) {
        keep(LOGGED_OUT_KEY, "yes");
        forget(GUEST_KEY);
        self.who.set(Who::Nobody);
        send_log_out().await;
    }

    /// The server says that the login has ended.
    pub(crate) fn ended(self) {
        forget(GUEST_KEY);
        self.who.set(Who::Nobody);
    }

    /// The server says who is connected: a guest's name is known for certain only then.
    pub(crate) fn named(self, user: &User) {
        let who = Who::User { name: user.name.clone(), role: user.role };
        if self.who.get_untracked() != who {
            self.who.set(who);
        }
    }

    async fn enter(self, path: &str, message: &impl serde::Serialize) -> Result<(), AuthError> {
        let answer: AuthResponse = api::post(path, message).await.map_err(AuthError::Failed)?;
        forget(LOGGED_OUT_KEY);
        if answer.user.role == Role::Guest {
            keep(GUEST_KEY, &answer.user.name);
        } else {
            forget(GUEST_KEY);
        }
        // The cookie is stored if the server knows us by it.
        match load().await {
            who @ Who::User { .. } => {
                self.who.set(who);
                Ok(())
            }
            Who::Unknown | Who::Nobody => Err(AuthError::TokenStorageError),
        }
    }
}

/// Tells the server of a log-out; what does not reach it is sent at the next start.
async fn send_log_out() {
    match api::change("POST", "logout").await {
        Err(Failure::NetworkError) => {}
        Ok(()) | Err(Failure::Refused(_)) => forget(LOGGED_OUT_KEY),
    }
}

async fn load() -> Who {
    if recall(LOGGED_OUT_KEY).is_some() {
        send_log_out().await;
        return Who::Nobody;
    }
    match api::get::<Profile>("profile").await {
        Ok(Profile { name, role, .. }) => Who::User { name, role },
        // A guest is known, but has no profile.
        Err(failure) if failure.code() == Some(Code::AccountRequired) => {
            let name = recall(GUEST_KEY).unwrap_or_else(|| "Guest".to_owned());
            Who::User { name, role: Role::Guest }
        }
        Err(_) => Who::Nobody,
    }
}
