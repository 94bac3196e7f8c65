//! The few things that the application asks of the browser itself.

use web_sys::{Storage, Window};

/// The window that the page is in.
///
/// # Panics
///
/// Never in a browser.
pub(crate) fn window() -> Window {
    web_sys::window().expect("the client runs in a browser")
}

/// What the browser keeps for this site; `None` where people have forbidden it.
fn storage() -> Option<Storage> {
    window().local_storage().ok().flatten()
}

/// A value that was kept.
pub(crate) fn recall(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// Keeps a value, if the browser may.
pub(crate) fn keep(key: &str, value: &str) {
    if let Some(storage) = storage() {
        // A full or forbidden storage costs the memory of a setting, nothing else.
        let _ = storage.set_item(key, value);
    }
}

/// Forgets a value.
pub(crate) fn forget(key: &str) {
    if let Some(storage) = storage() {
        // As above.
        let _ = storage.remove_item(key);
    }
}

/// Is the page in sight, not behind another tab or window?
pub(crate) fn is_looked_at() -> bool {
    window().document().is_none_or(|document| !document.hidden())
}

/// Eight bytes that nobody can guess.
///
/// # Panics
///
/// Never in a browser.
pub(crate) fn random() -> u64 {
    let mut bytes = [0; 8];
    let crypto = window().crypto().expect("every browser has it");
    crypto.get_random_values_with_u8_array(&mut bytes).expect("so few bytes are never too many");
    u64::from_le_bytes(bytes)
}
