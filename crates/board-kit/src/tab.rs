//! What a page keeps in its tab until that is closed. Each page has its own, by its address.

use leptos::prelude::*;
use web_sys::Storage;

fn place(key: &str) -> Option<(Storage, String)> {
    let storage = window().session_storage().ok().flatten()?;
    Some((storage, window().location().pathname().ok()? + " " + key))
}

/// What this page has kept.
pub fn recall_in_tab(key: &str) -> Option<String> {
    let (storage, key) = place(key)?;
    storage.get_item(&key).ok().flatten()
}

/// Keeps something, if the browser may.
pub fn keep_in_tab(key: &str, value: &str) {
    if let Some((storage, key)) = place(key) {
        // A full or forbidden storage costs what was not sent yet, nothing else.
        let _ = storage.set_item(&key, value);
    }
}
