//! Who asks: extractors for whoever must be logged in, have an account, or be an administrator.

use std::sync::Arc;

use audit::Context;
use axum::extract::FromRequestParts;
use domain::Role;
use http::request::Parts;
use identity::{AuthError, Claims, TokenError};
use protocol::Code;
use storage::{StorageError, Thing};

use super::{App, Client, Refusal, request_token};

/// Somebody who is logged in, as a guest or with an account.
pub(super) struct Session(pub(super) Claims);

/// Whoever asks, logged in or not: a token that does not count is as good as none.
pub(super) struct Visitor(pub(super) Option<Claims>);

/// Somebody with an account.
pub(super) struct Account(pub(super) Claims);

/// An administrator.
pub(super) struct Admin(pub(super) Claims);

impl FromRequestParts<Arc<App>> for Session {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Refusal> {
        let token = request_token(&parts.headers, &app.config).ok_or(Code::Unauthorized)?;
        let request_id = parts.extensions.get().map(|client: &Client| client.request_id.as_str());
        let claims = app.accounts.check_token(token.expose(), request_id).await;
        let claims = claims.map_err(|error| match error {
            TokenError::Signing(error) => Refusal::from(Code::Internal).because(error),
            error => Refusal::new(Code::Unauthorized, error.to_string()),
        })?;
        Ok(Session(claims))
    }
}

impl FromRequestParts<Arc<App>> for Visitor {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Refusal> {
        match Session::from_request_parts(parts, app).await {
            Ok(Session(claims)) => Ok(Visitor(Some(claims))),
            Err(refusal) if refusal.code() == Code::Unauthorized => Ok(Visitor(None)),
            Err(refusal) => Err(refusal),
        }
    }
}

impl FromRequestParts<Arc<App>> for Account {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Refusal> {
        let Session(claims) = Session::from_request_parts(parts, app).await?;
        if claims.role < Role::Player {
            Err(Code::AccountRequired.into())
        } else {
            Ok(Account(claims))
        }
    }
}

impl FromRequestParts<Arc<App>> for Admin {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Refusal> {
        let Session(claims) = Session::from_request_parts(parts, app).await?;
        if claims.role < Role::Admin { Err(Code::Forbidden.into()) } else { Ok(Admin(claims)) }
    }
}

/// Around what a record of this request is written.
pub(super) fn context(claims: &Claims, request_id: &str) -> Context {
    Context {
        user: Some(claims.player),
        session: Some(claims.session),
        match_id: None,
        correlation: Some(request_id.to_owned()),
    }
}

impl From<StorageError> for Refusal {
    fn from(error: StorageError) -> Refusal {
        match error {
            StorageError::NotFound(_) => Code::RecordNotFound.into(),
            StorageError::Conflict(Thing::Name) => Code::UsernameTaken.into(),
            StorageError::Conflict(Thing::Rename) => Code::NameChangedRecently.into(),
            StorageError::Unavailable(_) => Refusal::from(Code::Unavailable).because(error),
            // Two servers made the same id in the same millisecond: the next one is another.
            StorageError::Conflict(Thing::Player | Thing::Session | Thing::AuditRecord) => {
                Refusal::from(Code::Busy).because(error)
            }
            // Whoever expects another conflict looks for it first; what is left is our mistake.
            StorageError::Conflict(_) | StorageError::Corrupt(_) => {
                Refusal::from(Code::Internal).because(error)
            }
        }
    }
}

impl From<AuthError> for Refusal {
    fn from(error: AuthError) -> Refusal {
        match error {
            AuthError::InvalidUsername(_) | AuthError::InvalidDevice(_) => {
                Refusal::new(Code::BadRequest, error.to_string())
            }
            AuthError::NameReserved => Code::NameReserved.into(),
            AuthError::UsernameTaken => Code::UsernameTaken.into(),
            AuthError::WeakPassword(_) => Refusal::new(Code::WeakPassword, error.to_string()),
            // The same answer, so that nobody learns which names exist.
            AuthError::InvalidCredentials | AuthError::AccountNotFound => {
                Code::InvalidCredentials.into()
            }
            AuthError::SessionNotFound => Code::SessionNotFound.into(),
            AuthError::AlreadyRegistered => Code::AlreadyRegistered.into(),
            AuthError::Token(TokenError::Invalid) => Code::InvalidToken.into(),
            AuthError::Token(TokenError::Expired) => Code::ExpiredToken.into(),
            AuthError::Busy => Code::Busy.into(),
            AuthError::Store(error) => error.into(),
            AuthError::Token(TokenError::Signing(_)) | AuthError::Hash(_) | AuthError::Audit(_) => {
                Refusal::from(Code::Internal).because(error)
            }
        }
    }
}
