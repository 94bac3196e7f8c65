//! What a session is called in the list of its owner: a browser's family and a system's, out of short
//! lists. Nothing else of the `User-Agent` is kept.

use http::HeaderMap;
use http::header::USER_AGENT;

/// A browser, or a program that says nothing of what it is.
const UNKNOWN: &str = "Unknown browser";
/// Whatever does not claim to be a browser.
const PROGRAM: &str = "Program";

/// What stands in the header of which browser; the first that fits, since the later ones stand in the
/// headers of the earlier ones too.
const BROWSERS: [(&str, usize); 13] = [
    ("Edg/", 0),
    ("EdgA/", 0),
    ("EdgiOS/", 0),
    ("OPR/", 1),
    ("SamsungBrowser/", 2),
    ("Vivaldi/", 3),
    ("Firefox/", 4),
    ("FxiOS/", 4),
    ("CriOS/", 5),
    ("HeadlessChrome/", 5),
    ("Chromium/", 5),
    ("Chrome/", 5),
    ("Safari/", 6),
];
const SYSTEMS: [(&str, usize); 8] = [
    ("Android", 0),
    ("iPhone", 1),
    ("iPad", 1),
    ("Windows", 2),
    ("CrOS", 3),
    ("Macintosh", 4),
    ("Mac OS X", 4),
    ("Linux", 5),
];

macro_rules! row {
    ($browser:literal) => {
        [
            concat!($browser, " on Android"),
            concat!($browser, " on iOS"),
            concat!($browser, " on Windows"),
            concat!($browser, " on ChromeOS"),
            concat!($browser, " on macOS"),
            concat!($browser, " on Linux"),
            $browser,
        ]
    };
}

/// Every name that there is: a row a browser, a column a system, the last without a system.
const NAMES: [[&str; 7]; 7] = [
    row!("Edge"),
    row!("Opera"),
    row!("Samsung Internet"),
    row!("Vivaldi"),
    row!("Firefox"),
    row!("Chrome"),
    row!("Safari"),
];

/// The name for a request.
pub(super) fn browser_name(headers: &HeaderMap) -> &'static str {
    let text = headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !text.starts_with("Mozilla/") {
        return PROGRAM;
    }
    let find = |list: &[(&str, usize)]| {
        list.iter().find(|(mark, _)| text.contains(mark)).map(|(_, place)| *place)
    };
    find(&BROWSERS).map_or(UNKNOWN, |browser| {
        let [systems @ .., alone] = &NAMES[browser];
        find(&SYSTEMS).map_or(alone, |system| systems[system])
    })
}

#[cfg(test)]
mod tests {
    use http::header::USER_AGENT;
    use http::{HeaderMap, HeaderValue};

    use super::browser_name;

    #[track_caller]
    fn check(agent: &'static str, expected: &str) {
        let mut headers = HeaderMap::new();
        headers.insert(USER_AGENT, HeaderValue::from_bytes(agent.as_bytes()).unwrap());
        assert_eq!(browser_name(&headers), expected, "{agent}");
    }

    #[test]
    fn a_session_is_named_by_two_families_and_nothing_else() {
        check(
            "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
            "Firefox on Linux",
        );
        check(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
             Chrome/142.0.0.0 Safari/537.36",
            "Chrome on Windows",
        );
        check(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
             Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
            "Edge on Windows",
        );
        check(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like \
             Gecko) Version/18.0 Safari/605.1.15",
            "Safari on macOS",
        );
        check(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, \
             like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1",
            "Chrome on iOS",
        );
        check(
            "Mozilla/5.0 (Linux; Android 14; SM-S901B) AppleWebKit/537.36 (KHTML, like Gecko) \
             SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36",
            "Samsung Internet on Android",
        );
        check(
            "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) \
             Chrome/142.0.0.0 Safari/537.36 OPR/120.0",
            "Opera on ChromeOS",
        );
        check("Mozilla/5.0 (Nintendo) Firefox/1", "Firefox");
        check("Mozilla/5.0 (compatible; hunter22)", "Unknown browser");
        check("python-requests/2.31 Firefox/1 Linux", "Program");
        check("", "Program");
        check("Mozilla/5.0 \u{fc}", "Program");
        assert_eq!(browser_name(&HeaderMap::new()), "Program");
    }
}
