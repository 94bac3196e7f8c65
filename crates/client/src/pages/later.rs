//! The pages with a board on them. Their code is a part of its own, which a first visit does not wait
//! for: it is fetched when one of them opens, or when the browser has nothing else to do.

#![expect(
    clippy::unnecessary_wraps,
    reason = "a part that can fail to come is asked for as a Result"
)]

use board_kit::hear;
use client_core::{Route, Who};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::NotFound;
use super::learn::learn_page;
use super::table::{Practice, ReplayPage, TablePage};
use crate::session::Session;

type Draw = fn(Route) -> AnyView;

/// That part, once it is here.
#[derive(Clone, Copy)]
pub(crate) struct Later {
    draw: RwSignal<Option<Result<Draw, ()>>>,
}

impl Later {
    /// Fetched once it is known who is here, and so what the first page shows.
    pub(crate) fn start(session: Session) -> Later {
        let later = Later { draw: RwSignal::new(None) };
        Effect::new(move || {
            if session.who() != Who::Unknown {
                // A browser that never says when it is idle fetches it with the first table.
                request_idle_callback(move || later.open(false));
            }
        });
        later
    }

    /// Fetches it. That it cannot be had matters only if it `is_wanted` now.
    fn open(self, is_wanted: bool) {
        spawn_local(async move {
            let fetched = drawing().await.map_err(drop);
            // Once it is here it stays as it is: with every change the page is drawn anew.
            let is_here = matches!(self.draw.get_untracked(), Some(Ok(_)));
            if !is_here && (is_wanted || fetched.is_ok()) {
                self.draw.set(Some(fetched));
            }
        });
    }

    /// A page of this part.
    pub(crate) fn page(self, route: Route) -> AnyView {
        match self.draw.get() {
            Some(Ok(draw)) => draw(route),
            Some(Err(())) => self.missing(),
            None => {
                self.open(true);
                view! { <p role="status" class="notice">"One moment…"</p> }.into_any()
            }
        }
    }

    fn missing(self) -> AnyView {
        let again = move |_| self.draw.set(None);
        view! {
            <section class="sheet">
                <h1>"This page is not all here"</h1>
                <p role="alert">
                    "What draws its board could not be fetched: the server cannot be reached, or it is newer than \
                    what is open here. Try again; if that does not help, load the page again."
                </p>
                <p><button class="primary" on:click=hear(again)>"Try again"</button></p>
            </section>
        }
        .into_any()
    }
}

/// Everything that only `draw` needs is in the part that is fetched here.
#[wasm_split(later, fallible)]
fn drawing() -> Result<Draw, SplitLoaderError> {
    Ok(draw)
}

fn draw(route: Route) -> AnyView {
    match route {
        Route::Learn { game } => learn_page(game),
        Route::Match { id } => view! { <TablePage id/> }.into_any(),
        Route::Replay { id } => view! { <ReplayPage id/> }.into_any(),
        Route::Practice { game } => view! { <Practice game/> }.into_any(),
        _ => NotFound().into_any(),
    }
}
