//! Each closure has a type of its own, and for each type that is drawn or listens Leptos makes some ten
//! functions. Behind these two all closures look alike, and are compiled once: use them where a page
//! draws something again by itself, or waits for an event.

use std::rc::Rc;

use leptos::prelude::*;

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
