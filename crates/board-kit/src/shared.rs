//! Each closure has a type of its own, and for each type that is drawn or listens Leptos makes some ten
//! functions. Behind these all closures look alike, and are compiled once: use them where a page
//! draws something again by itself, or waits for an event.

use std::rc::Rc;

use leptos::html::Div;
use leptos::prelude::*;

use web_sys::HtmlElement;
use web_sys::wasm_bindgen::JsCast as _;

/// Something that is drawn again whenever a signal that it reads changes.
pub fn live(draw: impl Fn() -> AnyView + Send + 'static) -> AnyView {
    fn share(draw: Box<dyn Fn() -> AnyView + Send>) -> AnyView {
        (move || draw()).into_any()
    }
    share(Box::new(draw))
}

/// What is done at an event.
pub fn hear<E: 'static>(act: impl Fn(E) + 'static) -> impl Fn(E) + Clone + 'static {
    fn share<E: 'static>(act: Rc<dyn Fn(E)>) -> impl Fn(E) + Clone + 'static {
        move |event| act(event)
    }
    share(Rc::new(act))
}

/// Words that change.
pub fn words(say: impl Fn() -> String + Send + 'static) -> AnyView {
    fn share(say: Box<dyn Fn() -> String + Send>) -> AnyView {
        (move || say()).into_any()
    }
    share(Box::new(say))
}

/// What is there while something holds.
pub fn shown_while(holds: Signal<bool>, draw: impl Fn() -> AnyView + Send + 'static) -> AnyView {
    live(move || if holds.get() { untrack(&draw) } else { ().into_any() })
}

/// Leads people to what has just appeared: it takes the focus, and so is in sight. Whoever is writing
/// goes on.
pub fn lead_to(element: &HtmlElement) {
    let is_writing = document().active_element().is_some_and(|it| it.tag_name() == "INPUT");
    if !is_writing {
        // Without the focus it stands there all the same.
        let _ = element.focus();
    }
}

/// A question with a button for each answer. The first one takes the focus, since whoever picked by
/// keyboard goes on there.
pub fn chooser(question: &'static str, answers: AnyView) -> AnyView {
    let answers_at = NodeRef::<Div>::new();
    answers_at.on_load(|div| {
        let first = div.query_selector("button").ok().flatten();
        if let Some(first) = first.and_then(|it| it.dyn_into::<HtmlElement>().ok()) {
            // A button that is shown can always be focused.
            let _ = first.focus();
        }
    });
    view! {
        <div class="chooser" role="group" aria-label=question node_ref=answers_at>
            <p>{question}</p>
            {answers}
        </div>
    }
    .into_any()
}
