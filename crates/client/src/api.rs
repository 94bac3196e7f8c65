//! Asks the server over HTTP (M1).

use std::sync::LazyLock;

use client_core::wait_sentence;
use js_sys::Uint8Array;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{Code, Problem};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, RequestInit, Response};

use crate::browser::window;
use crate::watch_key;

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

static REACHED: LazyLock<ArcRwSignal<bool>> = LazyLock::new(|| ArcRwSignal::new(true));

/// Did the last request reach the server?
pub(crate) fn is_reached() -> bool {
    REACHED.get()
}

/// A file of the client, which may come from what the browser has kept.
pub(crate) async fn text(address: &str) -> Result<String, Failure> {
    let lost = |_: JsValue| Failure::NetworkError;
    let answer = JsFuture::from(window().fetch_with_str(address)).await.map_err(lost)?;
    let answer: Response = answer.dyn_into().map_err(lost)?;
    let text = JsFuture::from(answer.text().map_err(lost)?).await.map_err(lost)?;
    text.as_string().filter(|_| answer.ok()).ok_or(Failure::NetworkError)
}

/// A file that never changes, as it is.
pub(crate) async fn bytes(address: &str) -> Result<Vec<u8>, Failure> {
    let lost = |_: JsValue| Failure::NetworkError;
    let answer = JsFuture::from(window().fetch_with_str(address)).await.map_err(lost)?;
    let answer: Response = answer.dyn_into().map_err(lost)?;
    let body = JsFuture::from(answer.array_buffer().map_err(lost)?).await.map_err(lost)?;
    Some(Uint8Array::new(&body).to_vec()).filter(|_| answer.ok()).ok_or(Failure::NetworkError)
}

/// What comes of a request: nothing yet, then its answer.
pub(crate) type Fetched<T> = RwSignal<Option<Result<T, Failure>>>;

/// Asks at once. Whoever draws the answer is drawn again when it comes; a page that is gone by then is not.
pub(crate) fn fetch<T: Send + Sync + 'static>(
    request: impl Future<Output = Result<T, Failure>> + 'static,
) -> Fetched<T> {
    let fetched = RwSignal::new(None);
    spawn_local(async move {
        let answer = request.await;
        fetched.try_set(Some(answer));
    });
    fetched
}

/// Reads something.
pub(crate) async fn get<T: DeserializeOwned>(path: &str) -> Result<T, Failure> {
    read(&send("GET", path, None).await?)
}

/// Reads something as it is.
pub(crate) async fn get_text(path: &str) -> Result<String, Failure> {
    send("GET", path, None).await
}

/// Changes something, with a message.
pub(crate) async fn post<T: DeserializeOwned>(
    path: &str,
    message: &impl Serialize,
) -> Result<T, Failure> {
    change_by("POST", path, message).await
}

/// Changes something that is there, with a message.
pub(crate) async fn put<T: DeserializeOwned>(
    path: &str,
    message: &impl Serialize,
) -> Result<T, Failure> {
    change_by("PUT", path, message).await
}

/// Changes something that is there, with a message; nothing comes back.
pub(crate) async fn put_only(path: &str, message: &impl Serialize) -> Result<(), Failure> {
    let body = serde_json::to_string(message).map_err(|_| Failure::NetworkError)?;
    send("PUT", path, Some(body)).await.map(drop)
}

async fn change_by<T: DeserializeOwned>(
    method: &str,
    path: &str,
    message: &impl Serialize,
) -> Result<T, Failure> {
    let body = serde_json::to_string(message).map_err(|_| Failure::NetworkError)?;
    read(&send(method, path, Some(body)).await?)
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
    let headers = Headers::new().map_err(lost)?;
    if let Some(key) = watch_key::for_path(path) {
        headers.set("x-watch-key", &key).map_err(lost)?;
    }
    if let Some(body) = body {
        headers.set("content-type", "application/json").map_err(lost)?;
        request.set_body(&JsValue::from_str(&body));
    }
    request.set_headers(&headers);
    let answer = window().fetch_with_str_and_init(&format!("/api/v1/{path}"), &request);
    let answer = JsFuture::from(answer).await;
    if REACHED.get_untracked() != answer.is_ok() {
        REACHED.set(answer.is_ok());
    }
    let answer: Response = answer.map_err(lost)?.dyn_into().map_err(lost)?;
    let text = JsFuture::from(answer.text().map_err(lost)?).await.map_err(lost)?;
    let text = text.as_string().unwrap_or_default();
    if answer.ok() {
        return Ok(text);
    }
    let mut problem = read::<Problem>(&text)?;
    let wait_s = answer.headers().get("retry-after").ok().flatten();
    if let (400..500, Some(wait_s)) = (problem.status, wait_s.and_then(|it| it.parse().ok())) {
        problem.detail = wait_sentence(&problem.detail, wait_s);
    }
    Err(Failure::Refused(Box::new(problem)))
}
