//! Asks the server over HTTP (M1).

use protocol::{Code, Problem};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, RequestInit, Response};

use crate::browser::window;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// The server refused.
    Refused(Box<Problem>),
    /// The server was not reached, or what came back was not from it.
    NetworkError,
}

impl Failure {
    /// The stable key, if the server refused.
    pub(crate) fn code(&self) -> Option<Code> {
        match self {
            Failure::Refused(problem) => Some(problem.code),
            Failure::NetworkError => None,
        }
    }

    /// What to tell people.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Failure::Refused(problem) => problem.detail.clone(),
            Failure::NetworkError => "The server cannot be reached. Try again.".to_owned(),
        }
    }
}

/// Reads something.
pub(crate) async fn get<T: DeserializeOwned>(path: &str) -> Result<T, Failure> {
    read(&send("GET", path, None).await?)
}

/// Reads something as it is.
pub(crate) async fn text(path: &str) -> Result<String, Failure> {
    send("GET", path, None).await
}

/// Changes something, with a message.
pub(crate) async fn post<T: DeserializeOwned>(
    path: &str,
    message: &impl Serialize,
) -> Result<T, Failure> {
    let body = serde_json::to_string(message).map_err(|_| Failure::NetworkError)?;
    read(&send("POST", path, Some(body)).await?)
}

/// Changes something, without a message; whatever comes back is not looked at.
pub(crate) async fn change(method: &str, path: &str) -> Result<(), Failure> {
    send(method, path, None).await.map(drop)
}

/// Changes something, and reads what became of it.
pub(crate) async fn change_to<T: DeserializeOwned>(method: &str, path: &str) -> Result<T, Failure> {
    read(&send(method, path, None).await?)
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|_| Failure::NetworkError)
}

/// The body of a good answer.
async fn send(method: &str, path: &str, body: Option<String>) -> Result<String, Failure> {
    let lost = |_: JsValue| Failure::NetworkError;
    let request = RequestInit::new();
    request.set_method(method);
    if let Some(body) = body {
        let headers = Headers::new().map_err(lost)?;
        headers.set("content-type", "application/json").map_err(lost)?;
        request.set_headers(&headers);
        request.set_body(&JsValue::from_str(&body));
    }
    let answer = window().fetch_with_str_and_init(&format!("/api/v1/{path}"), &request);
    let answer: Response = JsFuture::from(answer).await.map_err(lost)?.dyn_into().map_err(lost)?;
    let text = JsFuture::from(answer.text().map_err(lost)?).await.map_err(lost)?;
    let text = text.as_string().unwrap_or_default();
    if answer.ok() {
        return Ok(text);
    }
    Err(read::<Problem>(&text)
        .map_or_else(|failure| failure, |problem| Failure::Refused(Box::new(problem))))
}
