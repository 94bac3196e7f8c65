//! The rules of the games, beside the page (M12): asked before anything is sent, and for matches that
//! no server knows.

use client_core::{Question, Reply, Scene, Sight, sentence_case, words_of};
use js_sys::Promise;
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::api;

#[wasm_bindgen]
extern "C" {
    #[derive(Clone)]
    type Rulebook;

    #[wasm_bindgen(method)]
    fn ask(this: &Rulebook, question: &str) -> String;

    #[wasm_bindgen(method)]
    fn give_words(this: &Rulebook, packed: &[u8]) -> String;

    /// The page's own script has it.
    #[wasm_bindgen(js_name = openRulebook, catch)]
    fn open_rulebook() -> Result<Promise, JsValue>;
}

/// The rules, once they are here.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    book: RwSignal<Option<Result<SendWrapper<Rulebook>, ()>>>,
}

impl Rules {
    /// Not fetched yet.
    pub(crate) fn new() -> Rules {
        Rules { book: RwSignal::new(None) }
    }

    /// Begins to fetch them.
    pub(crate) fn open(self) {
        spawn_local(self.fetch());
    }

    /// Fetches them, if nobody has; a failed try is made again.
    pub(crate) async fn fetch(self) {
        if matches!(self.book.get_untracked(), Some(Ok(_))) {
            return;
        }
        let opened = match open_rulebook() {
            Ok(promise) => JsFuture::from(promise).await,
            Err(error) => Err(error),
        };
        let book = opened.map(|module| SendWrapper::new(module.unchecked_into()));
        self.book.set(Some(book.map_err(drop)));
    }

    /// Gives them the list of words that a match is played with, if its options, or its log, name one.
    /// Without it they refuse what is asked of such a match.
    pub(crate) async fn take_words(self, json: &str) {
        let (Some(hash), Ok(book)) = (words_of(json), open_rulebook()) else { return };
        let Ok(packed) = api::bytes(&format!("/api/v1/words/{hash}")).await else { return };
        if let Ok(book) = JsFuture::from(book).await {
            book.unchecked_into::<Rulebook>().give_words(&packed);
        }
    }

    /// Could they not be fetched? Then the server is asked instead.
    pub(crate) fn are_missing(self) -> bool {
        self.book.with(|book| matches!(book, Some(Err(()))))
    }

    /// Are they here?
    pub(crate) fn are_here(self) -> bool {
        self.book.with(|book| matches!(book, Some(Ok(_))))
    }

    /// Asks; no answer until they are here.
    fn ask(self, question: &Question) -> Option<Reply> {
        let question = serde_json::to_string(question).ok()?;
        self.book.with(|book| {
            let answer = book.as_ref()?.as_ref().ok()?.ask(&question);
            serde_json::from_str(&answer).ok()
        })
    }

    /// What may be done.
    pub(crate) fn legal(self, sight: Sight) -> Option<Vec<String>> {
        actions(self.ask(&Question::Legal { sight })?)
    }

    /// What can be entered ahead.
    pub(crate) fn ahead(self, sight: Sight, ahead: Vec<String>) -> Option<Vec<String>> {
        actions(self.ask(&Question::Ahead { sight, ahead })?)
    }

    /// What would come of an action, as JSON, or why it may not be done, in words.
    pub(crate) fn preview(self, sight: Sight, action: String) -> Option<Result<String, String>> {
        match self.ask(&Question::Preview { sight, action })? {
            Reply::Preview { preview } => Some(Ok(preview)),
            Reply::Refused { message, .. } => Some(Err(sentence_case(&message))),
            _ => None,
        }
    }

    /// A moment of a match.
    pub(crate) fn scene(self, question: &Question) -> Option<Result<Scene, String>> {
        match self.ask(question)? {
            Reply::Scene(scene) => Some(Ok(scene)),
            Reply::Refused { message, .. } => Some(Err(sentence_case(&message))),
            _ => None,
        }
    }

    /// A match's log, with a step more or less.
    pub(crate) fn log(self, question: &Question) -> Option<Result<String, String>> {
        match self.ask(question)? {
            Reply::Log { log } => Some(Ok(log)),
            Reply::Refused { message, .. } => Some(Err(sentence_case(&message))),
            _ => None,
        }
    }

    /// The fingerprint of a log's last state, if it keeps all that it claims.
    pub(crate) fn verify(self, log: String, commitment: String) -> Option<Result<String, String>> {
        match self.ask(&Question::Verify { log, commitment })? {
            Reply::Verified { state_hash } => Some(Ok(state_hash)),
            Reply::Refused { message, .. } => Some(Err(sentence_case(&message))),
            _ => None,
        }
    }
}

fn actions(answer: Reply) -> Option<Vec<String>> {
    match answer {
        Reply::Actions { actions, .. } => Some(actions),
        _ => None,
    }
}
