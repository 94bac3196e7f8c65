//! Where the browser is, and going elsewhere without loading a page.

use board_kit::hear;
use client_core::{Route, RouteNotFound};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;
use web_sys::{Event, HtmlElement, MouseEvent};

use crate::browser::window;
use crate::watch_key;

/// The address bar.
#[derive(Clone, Copy)]
pub(crate) struct Navigation {
    route: RwSignal<Result<Route, RouteNotFound>>,
}

impl Navigation {
    /// Follows the browser's own buttons from now on.
    pub(crate) fn start() -> Navigation {
        watch_key::take();
        let route = RwSignal::new(current());
        let follow = Closure::<dyn Fn(Event)>::new(move |_| {
            // A place on the same page is no other page; a watch link may open what was shut.
            if watch_key::take() || route.get_untracked() != current() {
                route.set(current());
            }
        });
        // Refused by no browser; without it only the back button would be lame.
        let _ =
            window().add_event_listener_with_callback("popstate", follow.as_ref().unchecked_ref());
        follow.forget();
        Navigation { route }
    }

    /// The page that is asked for.
    pub(crate) fn route(self) -> Result<Route, RouteNotFound> {
        self.route.get()
    }

    /// The same, without following it.
    pub(crate) fn route_untracked(self) -> Result<Route, RouteNotFound> {
        self.route.get_untracked()
    }

    /// A link to a page was clicked.
    fn follow(self, event: &MouseEvent, to: &Route) {
        // With a key held, people want a new tab.
        if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
            event.prevent_default();
            self.open(to);
        }
    }

    /// Goes to a page, unless it is shown already. Where a match begins, several say so: the answer to
    /// who began it, and the news on the socket. The page that the first of them opened stays.
    pub(crate) fn go(self, route: &Route) {
        if !self.is_at(route) {
            self.open(route);
        }
    }

    fn is_at(self, route: &Route) -> bool {
        self.route.with_untracked(|shown| shown.as_ref() == Ok(route))
    }

    /// Goes to a page, and draws it anew if it is shown already; that adds nothing to go back to.
    pub(crate) fn open(self, route: &Route) {
        if !self.is_at(route) {
            let address = route.address();
            // A browser that refuses still shows the page.
            let _ = window().history().and_then(|history| {
                history.push_state_with_url(&JsValue::NULL, "", Some(&address))
            });
        }
        self.route.set(Ok(route.clone()));
        window().scroll_to_with_x_and_y(0.0, 0.0);
        focus("main h1");
    }
}

/// Whoever cannot see the page change hears it: the heading of what is new takes the focus.
pub(crate) fn focus(heading: &'static str) {
    request_animation_frame(move || {
        let heading = document().query_selector(heading).ok().flatten();
        if let Some(heading) = heading.and_then(|it| it.dyn_into::<HtmlElement>().ok()) {
            heading.set_tab_index(-1);
            // A heading that cannot be focused is still read.
            let _ = heading.focus();
        }
    });
}

fn current() -> Result<Route, RouteNotFound> {
    let location = window().location();
    let address = location.pathname().unwrap_or_default() + &location.search().unwrap_or_default();
    Route::parse(&address)
}

/// A link of mere words to a page of the application.
pub(crate) fn link(to: Route, class: &'static str, text: impl Into<String>) -> AnyView {
    fn share(to: Route, class: &'static str, text: String) -> AnyView {
        let navigation = expect_context::<Navigation>();
        let address = to.address();
        let follow = hear(move |event: MouseEvent| navigation.follow(&event, &to));
        view! { <a href=address class=class on:click=follow>{text}</a> }.into_any()
    }
    share(to, class, text.into())
}

/// A link to a page of the application, with more than words in it.
#[component]
pub(crate) fn Link(
    /// Where it leads.
    to: Route,
    /// How it looks.
    #[prop(optional)]
    class: &'static str,
    children: Children,
) -> impl IntoView {
    let navigation = expect_context::<Navigation>();
    let address = to.address();
    let follow = hear(move |event: MouseEvent| navigation.follow(&event, &to));
    view! { <a href=address class=class on:click=follow>{children()}</a> }
}
