//! Headers that keep browsers careful, and the refusal of changes that another site sends.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, UPGRADE, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue};
use protocol::Code;

use super::Refusal;
use super::token::bearer_token;
use crate::config::{Config, PublicUrl};

/// A page may load and ask its own server and nothing else; nothing inline.
pub(super) const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
/// The same for the client, which also runs its own WebAssembly and has a manifest and a worker.
pub(super) const CLIENT_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
     img-src 'self' data:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
const API_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// On every answer. There is no header of CORS: no other site may read anything.
const HEADERS: [(HeaderName, &str); 4] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Whatever comes back, also after a panic, gets the headers.
pub(super) fn harden(headers: &mut HeaderMap, config: &Config) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // A page brings its own two.
    let policy = headers.entry(CONTENT_SECURITY_POLICY);
    policy.or_insert(HeaderValue::from_static(API_POLICY));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if config.public_url.as_ref().is_some_and(PublicUrl::is_https) {
        let year = HeaderValue::from_static("max-age=31536000");
        headers.insert(STRICT_TRANSPORT_SECURITY, year);
    }
}

/// Refuses changes, and sockets, that another site's page asks for; all else goes on.
pub(super) async fn refuse_foreign(config: &Config, request: Request, next: Next) -> Response {
    let is_risky = !request.method().is_safe() || request.headers().contains_key(UPGRADE);
    if is_risky && is_foreign(request.headers(), config) {
        return Refusal::from(Code::CrossOrigin).into_response();
    }
    next.run(request).await
}

/// Does a browser send this for a page of another site?
///
/// A bearer header is nothing that a browser adds by itself, other than one for Basic; whoever sends
/// it is judged by it alone, never by a cookie. A request with neither of the two
/// headers comes from no browser of today; that is how Go's `CrossOriginProtection` decides too.
fn is_foreign(headers: &HeaderMap, config: &Config) -> bool {
    if bearer_token(headers).is_some() {
        return false;
    }
    if let Some(site) = headers.get(SEC_FETCH_SITE) {
        return site != "same-origin" && site != "none";
    }
    let Some(origin) = headers.get(ORIGIN) else {
        return false;
    };
    let Some((_, origin)) = origin.to_str().ok().and_then(|text| text.split_once("://")) else {
        return true;
    };
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let public = config.public_url.as_ref().map(|url| url.authority().as_str());
    ![host, public].into_iter().flatten().any(|own| own.eq_ignore_ascii_case(origin))
}

#[cfg(test)]
mod tests {
    use super::{Config, is_foreign};

    #[track_caller]
    fn check(headers: &[(&'static str, &'static str)], expected: bool) {
        let config = Config {
            public_url: Some("https://parlor.example".parse().unwrap()),
            ..Config::default()
        };
        let headers = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), http::HeaderValue::from_static(value)));
        let headers = headers.chain([("host".parse().unwrap(), "Inner:8080".parse().unwrap())]);
        assert_eq!(is_foreign(&headers.collect(), &config), expected);
    }

    #[test]
    fn another_site_is_told_by_its_headers() {
        check(&[], false);
        check(&[("sec-fetch-site", "same-origin")], false);
        check(&[("sec-fetch-site", "none")], false);
        check(&[("sec-fetch-site", "same-site")], true);
        check(&[("sec-fetch-site", "cross-site")], true);
        check(&[("sec-fetch-site", "cross-site"), ("origin", "https://parlor.example")], true);
        check(&[("sec-fetch-site", "same-origin"), ("origin", "https://evil.example")], false);
        check(&[("origin", "https://parlor.example")], false);
        check(&[("origin", "http://inner:8080")], false);
        check(&[("origin", "http://inner")], true);
        check(&[("origin", "https://evil.example")], true);
        check(&[("origin", "https://parlor.example.evil.example")], true);
        check(&[("origin", "null")], true);
        check(&[("origin", "https://evil.example"), ("authorization", "Bearer x")], false);
        check(&[("origin", "https://evil.example"), ("authorization", "Basic x")], true);
    }
}
