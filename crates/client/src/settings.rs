//! Keeps what people have chosen in this browser. What there is to choose is the boards' too, and
//! stands in `board-kit`.

pub(crate) use board_kit::Settings;
use client_core::Preferences;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::Event;

use crate::browser::{keep, recall, window};

/// As they were kept; from now on every change is, also one in another window.
pub(crate) fn start() -> Settings {
    let settings = Settings::new(Preferences::recall(recall));
    Effect::new(move || {
        for (key, value) in settings.get().to_keep() {
            keep(key, &value);
            // The style sheet knows these two.
            if matches!(key, "theme" | "motion")
                && let Some(root) = document().document_element()
            {
                // An attribute of a known name is never refused.
                let _ = root.set_attribute(&format!("data-{key}"), &value);
            }
        }
    });
    let follow = Closure::<dyn Fn(Event)>::new(move |_| {
        settings.update(|it| *it = Preferences::recall(recall));
    });
    // Refused by no browser; without it only the other windows would lag.
    let _ = window().add_event_listener_with_callback("storage", follow.as_ref().unchecked_ref());
    follow.forget();
    settings
}
