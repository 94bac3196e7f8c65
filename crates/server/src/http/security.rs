//! Headers that keep browsers careful, and the refusal of changes that another site sends.

use std::net::IpAddr;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, TRANSFER_ENCODING, UPGRADE, X_CONTENT_TYPE_OPTIONS,
};
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, Version};
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

/// Refuses requests that HTTP/1.1 forbids (RFC 9112, 3.2 and 6.1), and changes and sockets that
/// another site's page asks for; all else goes on.
pub(super) async fn refuse_foreign(config: &Config, request: Request, next: Next) -> Response {
    if let Err(detail) = check_headers(request.version(), request.headers()) {
        return Refusal::new(Code::BadRequest, detail).into_response();
    }
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
    let origin = origin.to_str().ok().and_then(|text| text.split_once("://"));
    let Some((scheme, authority)) = origin else {
        return true;
    };
    let is_public = |url: &PublicUrl| {
        let is_same_scheme = (scheme == "https") == url.is_https();
        is_same_scheme && url.authority().as_str().eq_ignore_ascii_case(authority)
    };
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let is_own = host.is_some_and(|host| is_fixed(host) && host.eq_ignore_ascii_case(authority));
    !is_own && !config.public_url.as_ref().is_some_and(is_public)
}

/// Whether a host cannot be pointed at this server by others: an address, or a name of this machine.
/// Any other name could be another site's that leads here (DNS rebinding).
fn is_fixed(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else {
        return false;
    };
    let name = authority.host();
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    address.parse::<IpAddr>().is_ok() || name.eq_ignore_ascii_case("localhost")
}

/// What is wrong with the headers that say for which host a request is and where it ends.
fn check_headers(version: Version, headers: &HeaderMap) -> Result<(), &'static str> {
    let hosts = headers.get_all(HOST).into_iter().count();
    if hosts > 1 || (hosts == 0 && version == Version::HTTP_11) {
        return Err("a request has one Host");
    }
    let mut codings = headers.get_all(TRANSFER_ENCODING).into_iter();
    let is_chunked = codings.all(|coding| coding.as_bytes().eq_ignore_ascii_case(b"chunked"));
    if is_chunked { Ok(()) } else { Err("no transfer coding but chunked is understood") }
}

#[cfg(test)]
mod tests {
    use super::{Config, is_foreign};

    #[track_caller]
    fn check(headers: &[(&'static str, &'static str)], expected: bool) {
        check_at(Some("https://parlor.example"), "Inner:8080", headers, expected);
    }

    #[track_caller]
    fn check_at(
        public_url: Option<&str>,
        host: &'static str,
        headers: &[(&'static str, &'static str)],
        expected: bool,
    ) {
        let public_url = public_url.map(|url| url.parse().unwrap());
        let config = Config { public_url, ..Config::default() };
        let headers = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), http::HeaderValue::from_static(value)));
        let headers =
            headers.chain([("host".parse().unwrap(), http::HeaderValue::from_static(host))]);
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
        check(&[("origin", "http://parlor.example")], true);
        check(&[("origin", "http://inner:8080")], true);
        check(&[("origin", "http://inner")], true);
        check(&[("origin", "https://evil.example")], true);
        check(&[("origin", "https://parlor.example.evil.example")], true);
        check(&[("origin", "null")], true);
        check(&[("origin", "https://evil.example"), ("authorization", "Bearer x")], false);
        check(&[("origin", "https://evil.example"), ("authorization", "Basic x")], true);
    }

    #[test]
    fn a_name_that_anybody_can_point_here_is_not_ours_unless_it_is_the_public_one() {
        for (public_url, host, origin, expected) in [
            (None, "localhost:8080", "http://localhost:8080", false),
            (None, "LocalHost:8080", "http://localhost:8080", false),
            (None, "localhost:8080", "http://localhost:8081", true),
            (None, "127.0.0.1:8080", "http://127.0.0.1:8080", false),
            (None, "192.168.1.20:8080", "http://192.168.1.20:8080", false),
            (None, "[::1]:8080", "http://[::1]:8080", false),
            (None, "evil.example", "http://evil.example", true),
            (None, "127.0.0.1.evil.example", "http://127.0.0.1.evil.example", true),
            (None, "parlor.lan:8080", "http://parlor.lan:8080", true),
            (Some("http://parlor.lan:8080"), "parlor.lan:8080", "http://parlor.lan:8080", false),
            (Some("http://parlor.lan:8080"), "x.lan:8080", "http://x.lan:8080", true),
            (Some("https://parlor.lan"), "parlor.lan", "http://parlor.lan", true),
        ] {
            check_at(public_url, host, &[("origin", origin)], expected);
        }
    }
}
