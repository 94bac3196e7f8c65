//! M9: who is logged in. The token itself is a cookie that no script can read: to load it is to ask
//! the server who one is, and to store or clear it is the server's to do.

use std::time::Duration;

use client_core::{InvalidInput, Who, check_password, check_username, sentence_case};
use domain::Role;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{
    AuthResponse, Code, GuestRequest, Login, LoginRequest, RegisterRequest, Secret, SessionResponse,
};

use crate::api::{self, Failure};
use crate::browser::{forget, keep, random, recall};

/// What the device made up for its guest.
const DEVICE_KEY: &str = "device";
/// Set by a log-out that did not reach the server: it holds here, and is sent at the next contact.
const LOGGED_OUT_KEY: &str = "logged-out";
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(5);

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
        session.look_again();
        session
    }

    /// Asks the server who is logged in. Without an answer somebody who was known stays so; else it
    /// is nobody until the server is there.
    pub(crate) fn look_again(self) {
        spawn_local(async move {
            match load().await {
                Some(who) => self.set(who),
                None if self.is_somebody() => {}
                None => {
                    self.set(Who::Nobody);
                    set_timeout(move || self.look_again(), LOOK_AGAIN_AFTER);
                }
            }
        });
    }

    fn set(self, who: Who) {
        if self.who.get_untracked() != who {
            self.who.set(who);
        }
    }

    /// Who is logged in.
    pub(crate) fn who(self) -> Who {
        self.who.get()
    }

    /// Is anybody logged in, as far as is known?
    pub(crate) fn is_somebody(self) -> bool {
        self.who.with_untracked(|who| matches!(who, Who::User { .. }))
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
        self.set(Who::Nobody);
        send_log_out().await;
    }

    /// The own name is another one now.
    pub(crate) fn renamed(self, to: String) {
        self.who.update(|who| {
            if let Who::User { name, .. } = who {
                *name = to;
            }
        });
    }

    /// The server says that the login has ended.
    pub(crate) fn ended(self) {
        self.set(Who::Nobody);
    }

    async fn enter(self, path: &str, message: &impl serde::Serialize) -> Result<(), AuthError> {
        let _: AuthResponse = api::post(path, message).await.map_err(AuthError::Failed)?;
        forget(LOGGED_OUT_KEY);
        // The cookie is stored if the server knows us by it.
        match load().await {
            Some(who @ Who::User { .. }) => {
                self.set(who);
                Ok(())
            }
            Some(_) => Err(AuthError::TokenStorageError),
            None => Err(AuthError::Failed(Failure::NetworkError)),
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

async fn load() -> Option<Who> {
    if recall(LOGGED_OUT_KEY).is_some() {
        send_log_out().await;
        return Some(Who::Nobody);
    }
    let answer = api::get::<SessionResponse>("session").await.ok()?;
    let Some(Login { user, refresh_due }) = answer.login else { return Some(Who::Nobody) };
    if refresh_due {
        // Another tab may have been first; then its cookie is ours as well.
        let _ = api::change("POST", "token/refresh").await;
    }
    Some(Who::User { name: user.name, role: user.role })
}
