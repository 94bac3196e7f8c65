//! A bot beside the page: it thinks on a thread of its own, costs no server anything, and works without
//! one.

use client_core::{Advice, Judgement, Question, Reply, words_of};
use js_sys::{Promise, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;

use crate::api;

/// How many levels bots have.
pub(crate) const LEVELS: u8 = 8;

#[wasm_bindgen]
extern "C" {
    /// The page's own script has it.
    #[wasm_bindgen(js_name = askThinker)]
    fn ask_thinker(message: &JsValue) -> Promise;
}

async fn ask(question: &Question) -> Option<Reply> {
    let question = serde_json::to_string(question).ok()?;
    let answer = JsFuture::from(ask_thinker(&question.into())).await.ok()?.as_string()?;
    serde_json::from_str(&answer).ok()
}

/// Asks how a match stood; no answer as with [`think`].
pub(crate) async fn judge(question: &Question) -> Option<Result<Judgement, String>> {
    match ask(question).await? {
        Reply::Judged(judgement) => Some(Ok(judgement)),
        Reply::Refused { message, .. } => Some(Err(message)),
        _ => None,
    }
}

/// Asks for advice; no answer where the thread cannot be started, or failed.
pub(crate) async fn think(question: &Question) -> Option<Result<Advice, String>> {
    match ask(question).await? {
        Reply::Advice(advice) => Some(Ok(advice)),
        Reply::Refused { message, .. } => Some(Err(message)),
        _ => None,
    }
}

/// Gives it the list of words that a match is played with, if its options, or its log, name one.
pub(crate) async fn give_words(json: &str) {
    let Some(hash) = words_of(json) else { return };
    let Ok(packed) = api::bytes(&format!("/api/v1/words/{hash}")).await else { return };
    // Without them it refuses what it is asked, which is told then.
    let _ = JsFuture::from(ask_thinker(&Uint8Array::from(packed.as_slice()).into())).await;
}
