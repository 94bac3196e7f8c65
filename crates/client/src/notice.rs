//! A word about what was done, which outlives the page that did it.

use client_core::{Route, RouteNotFound};
use leptos::prelude::*;

use crate::navigation::Navigation;

/// What is said, as long as people stay where it was said.
#[derive(Clone, Copy)]
pub(crate) struct Notice {
    navigation: Navigation,
    said: RwSignal<Option<(Result<Route, RouteNotFound>, &'static str)>>,
}

impl Notice {
    /// Nothing was said yet.
    pub(crate) fn start(navigation: Navigation) -> Notice {
        Notice { navigation, said: RwSignal::new(None) }
    }

    /// Says something on the page that is shown now.
    pub(crate) fn say(self, text: &'static str) {
        self.said.set(Some((self.navigation.route_untracked(), text)));
    }

    /// What is to be shown.
    pub(crate) fn view(self) -> AnyView {
        let text = Signal::derive(move || {
            let route = self.navigation.route();
            let text = self.said.with(|said| Some(said.as_ref().filter(|it| it.0 == route)?.1));
            text.unwrap_or_default().to_owned()
        });
        view! { <p class="said" role="status">{text}</p> }.into_any()
    }
}
