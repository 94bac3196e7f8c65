//! A refusal on its way out: what a handler returns, and how it becomes RFC 9457.

use std::borrow::Cow;
use std::fmt::Display;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use protocol::{Code, Problem};

use crate::outage::Outage;

/// Why a request is refused: a code and a sentence for the client, a cause for the log.
///
/// The sentence never repeats what the client sent as a value; it could be a password.
#[derive(Clone, Debug)]
pub struct Refusal {
    code: Code,
    detail: Cow<'static, str>,
    cause: Option<String>,
    retry_after_s: Option<u64>,
}

/// A database that went away is often back after this.
const RETRY_UNAVAILABLE_S: u64 = 5;
/// Waiting password hashes are soon done.
const RETRY_BUSY_S: u64 = 1;

impl Refusal {
    /// With a sentence of its own.
    pub fn new(code: Code, detail: impl Into<Cow<'static, str>>) -> Refusal {
        let retry_after_s = match code {
            Code::Unavailable => Some(RETRY_UNAVAILABLE_S),
            Code::Busy => Some(RETRY_BUSY_S),
            _ => None,
        };
        Refusal { code, detail: detail.into(), cause: None, retry_after_s }
    }

    /// Says when to come back.
    #[must_use]
    pub fn retry_after(self, seconds: u64) -> Refusal {
        Refusal { retry_after_s: Some(seconds), ..self }
    }

    /// Somebody asks for too much, until so many seconds have passed.
    pub(crate) fn too_much(seconds: u64) -> Refusal {
        let detail = format!("too many attempts; try again in {seconds} s");
        Refusal::new(Code::RateLimited, detail).retry_after(seconds)
    }

    /// For the log alone.
    #[must_use]
    pub fn because(self, cause: impl Display) -> Refusal {
        Refusal { cause: Some(cause.to_string()), ..self }
    }

    /// Its sentence.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// Its code.
    pub fn code(&self) -> Code {
        self.code
    }
}

impl From<Code> for Refusal {
    fn from(code: Code) -> Refusal {
        Refusal::new(code, code.title())
    }
}

/// The body is written later, in `requests`, where the request's id is known.
impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        let status = StatusCode::from_u16(self.code.status());
        *response.status_mut() = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        if self.code.status() == 401 {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after_s {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Writes the body of a refusal, and logs its cause, once. That the database does not answer is
/// counted instead.
pub(super) fn finish(response: &mut Response, request_id: &str, outage: &Outage) {
    let Some(Refusal { code, detail, cause, .. }) = response.extensions_mut().remove() else {
        return;
    };
    if let Some(cause) = cause.as_ref().filter(|_| code == Code::Unavailable) {
        outage.count(cause);
        tracing::debug!(%code, cause, "refused");
    } else if let Some(cause) = cause {
        tracing::error!(%code, cause, "refused");
    }
    let problem = Problem::new(code, detail, request_id);
    // A struct of texts and a number always serialises.
    *response.body_mut() = Body::from(serde_json::to_vec(&problem).unwrap_or_default());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
}
