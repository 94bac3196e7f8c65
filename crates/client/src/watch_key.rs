//! The secrets of watch links: read from the address, kept in this tab, and sent with what is asked of
//! their match. In the address they follow the `#`, which browsers send to no server.

use web_sys::Storage;
use web_sys::wasm_bindgen::JsValue;

use crate::browser::window;

const MATCH: &str = "/match/";
const MARK: &str = "#watch=";

fn storage() -> Option<Storage> {
    window().session_storage().ok().flatten()
}

fn place(match_id: &str) -> String {
    format!("watch {match_id}")
}

/// Keeps the secret of the address, if it has one, and takes it out of the address bar and the history.
/// Says whether there was one.
pub(crate) fn take() -> bool {
    let location = window().location();
    let path = location.pathname().unwrap_or_default();
    let hash = location.hash().unwrap_or_default();
    let (Some(match_id), Some(key)) = (path.strip_prefix(MATCH), hash.strip_prefix(MARK)) else {
        return false;
    };
    if let Some(storage) = storage() {
        // Without a storage the link opens nothing, as if it were wrong.
        let _ = storage.set_item(&place(match_id), key);
    }
    // A browser that refuses goes on showing the whole address.
    let _ = window()
        .history()
        .and_then(|history| history.replace_state_with_url(&JsValue::NULL, "", Some(&path)));
    true
}

/// The secret for a match, if this tab came by its watch link.
pub(crate) fn of(match_id: &str) -> Option<String> {
    storage()?.get_item(&place(match_id)).ok().flatten()
}

/// The secret for what is asked at this path of the interface.
pub(crate) fn for_path(path: &str) -> Option<String> {
    of(path.strip_prefix("matches/")?.split(['/', '?']).next()?)
}

/// The address of a match with its secret.
pub(crate) fn link(match_id: &str, key: &str) -> String {
    let origin = window().location().origin().unwrap_or_default();
    format!("{origin}{MATCH}{match_id}{MARK}{key}")
}
