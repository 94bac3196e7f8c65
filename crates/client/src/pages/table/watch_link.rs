//! A player lets others watch a match that is not public, by a link that can be taken back.

use board_kit::{hear, keep_in_tab, live, recall_in_tab, shown_while, words};
use client_core::{Table, sentence_case};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::WatchLink;

use super::controller::Here;
use crate::api::{self, Failure};
use crate::pages::link_to_copy;
use crate::watch_key;

/// Where the tab keeps the link: the server shows its secret once.
const KEPT: &str = "watch link";

/// For the players of a private match, and for who began it; nothing for others.
pub(super) fn watch_link(
    here: &Here,
    table: RwSignal<Option<Table>>,
    is_private: RwSignal<bool>,
) -> AnyView {
    let match_id = here.match_id.to_string();
    // Who watches without a link has begun the match, which only bots play.
    let is_guest = watch_key::of(&match_id).is_some();
    let is_offered = Signal::derive(move || {
        let is_seated =
            table.with(|table| table.as_ref().is_some_and(|it| it.own_seat().is_some()));
        is_private.get() && (is_seated || !is_guest)
    });
    let kept = recall_in_tab(KEPT).filter(|it| !it.is_empty());
    let control = Control { link: RwSignal::new(kept), said: RwSignal::new(String::new()) };
    shown_while(is_offered, move || control.view(&match_id))
}

#[derive(Clone, Copy)]
struct Control {
    link: RwSignal<Option<String>>,
    said: RwSignal<String>,
}

impl Control {
    fn show(self, link: Option<String>, said: &str) {
        keep_in_tab(KEPT, link.as_deref().unwrap_or_default());
        self.link.set(link);
        self.said.set(said.to_owned());
    }

    fn fail(self, failure: &Failure) {
        self.said.set(sentence_case(&failure.sentence()));
    }

    fn view(self, match_id: &str) -> AnyView {
        let path = format!("matches/{match_id}/watch-link");
        let make = {
            let (path, match_id) = (path.clone(), match_id.to_owned());
            hear(move |_| {
                let (path, match_id) = (path.clone(), match_id.clone());
                spawn_local(async move {
                    match api::change_to::<WatchLink>("POST", &path).await {
                        Ok(it) => {
                            let link = watch_key::link(&match_id, it.key.expose());
                            self.show(Some(link), "Whoever has this link can watch.");
                        }
                        Err(failure) => self.fail(&failure),
                    }
                });
            })
        };
        let take_back = hear(move |_| {
            let path = path.clone();
            spawn_local(async move {
                match api::change("DELETE", &path).await {
                    Ok(()) => self.show(None, "The link is taken back: nobody watches by it now."),
                    Err(failure) => self.fail(&failure),
                }
            });
        });
        let shown = live(move || self.link.get().map(link_to_copy).into_any());
        let word = move || {
            let word =
                if self.link.get().is_some() { "Make another link" } else { "Make a watch link" };
            word.to_owned()
        };
        view! {
            <section aria-label="Watch link">
                <h2>"Watch link"</h2>
                <p class="hint">
                    "Only the players see this match. With a watch link others can look on; a new link ends the old one."
                </p>
                {shown}
                <p role="status">{words(move || self.said.get())}</p>
                <div class="offers">
                    <button class="quiet" on:click=make>{words(word)}</button>
                    <button class="quiet" on:click=take_back>"Take the link back"</button>
                </div>
            </section>
        }
        .into_any()
    }
}
