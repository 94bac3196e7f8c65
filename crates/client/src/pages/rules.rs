//! The rules to read: which there are, and those of a game.

use board_kit::live;
use client_core::{Reading, Route, sentence_case};
use leptos::html::Div;
use leptos::prelude::*;

use super::NotFound;
use crate::api;
use crate::browser::window;
use crate::navigation::link;
use crate::reading::{is_learned, reading, readings};

/// Every game, with its rules and its tutorial.
pub(crate) fn rules_page() -> AnyView {
    let game = |it: Reading| {
        let learn = it.tutorial.as_ref().map(|_| {
            let class = if is_learned(&it.game) { "button" } else { "button primary" };
            link(Route::Learn { game: it.game.clone() }, class, "Tutorial")
        });
        view! {
            <article class="game">
                <h2>{it.title}</h2>
                <div class="actions">
                    {learn}
                    {link(Route::RulesOf { game: it.game }, "button", "Rules")}
                </div>
            </article>
        }
    };
    view! {
        <section>
            <h1>"Rules and tutorials"</h1>
            <p>"A tutorial shows a game in a few steps, on its own board. The rules say all of it."</p>
            <div class="games">{readings().into_iter().map(game).collect_view()}</div>
        </section>
    }
    .into_any()
}

/// The rules of a game.
pub(crate) fn rules_of_page(game: &str) -> AnyView {
    let Some(it) = reading(game) else {
        return NotFound().into_any();
    };
    let address = it.rules;
    let rules = api::fetch(async move { api::text(&address).await });
    let learn = it
        .tutorial
        .map(|_| link(Route::Learn { game: it.game }, "button", "Learn it in a few steps"));
    view! {
        <article class="sheet reading">
            <h1>{format!("{}: the rules", it.title)}</h1>
            <p class="actions">{learn} {link(Route::Rules, "quiet", "Other games")}</p>
            {live(move || match rules.get() {
                None => view! { <p role="status">"One moment…"</p> }.into_any(),
                Some(Err(failure)) => view! {
                    <p class="error" role="alert">{sentence_case(&failure.sentence())}</p>
                }
                .into_any(),
                Some(Ok(html)) => text(html),
            })}
        </article>
    }
    .into_any()
}

/// Our own text, made of a file of ours when the client was built; so its tags are taken as they are.
fn text(html: String) -> AnyView {
    let here = NodeRef::<Div>::new();
    here.on_load(|_| {
        // The browser looked for the rule before it was there.
        request_animation_frame(|| {
            let location = window().location();
            let rule = location.hash().unwrap_or_default();
            if !rule.is_empty() {
                // Where one is already: refused by no browser.
                let _ = location.replace(&rule);
            }
        });
    });
    view! { <div node_ref=here inner_html=html></div> }.into_any()
}
