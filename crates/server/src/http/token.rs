//! How a token travels: as the header of a program, or as the one cookie of a browser.
//!
//! On https the cookie is called `__Host-authToken`: a browser takes that name only with `Secure`,
//! `Path=/` and no `Domain`, so that no other host of the domain can set it. Over plain HTTP it is
//! `authToken`, as it was on https before.

use http::header::{AUTHORIZATION, COOKIE, HOST, SET_COOKIE};
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue};
use protocol::Secret;

use crate::config::Config;

const PLAIN: &str = "authToken";
const SECURE: &str = "__Host-authToken";

/// `Set-Cookie` for a token, and one that takes away a cookie of the older name. `None` for a text that
/// no cookie can hold, which no token is.
pub fn token_cookies(
    token: &Secret,
    max_age_s: u64,
    headers: &HeaderMap,
    config: &Config,
) -> Option<Vec<(HeaderName, HeaderValue)>> {
    let token = token.expose();
    let is_fit = |byte: u8| byte.is_ascii_graphic() && !b"\",;\\".contains(&byte);
    if !token.bytes().all(is_fit) {
        return None;
    }
    let (name, secure) = if is_plain(headers, config) { (PLAIN, "") } else { (SECURE, "; Secure") };
    let cookie = |name: &str, token: &str, max_age_s: u64| {
        let cookie = format!(
            "{name}={token}; Path=/; Max-Age={max_age_s}; HttpOnly; SameSite=Strict{secure}"
        );
        let mut value = HeaderValue::from_str(&cookie).ok()?;
        value.set_sensitive(true);
        Some((SET_COOKIE, value))
    };
    let mut cookies = vec![cookie(name, token, max_age_s)?];
    if name == SECURE && values(headers, PLAIN).next().is_some() {
        cookies.push(cookie(PLAIN, "", 0)?);
    }
    Some(cookies)
}

/// `Set-Cookie` that takes the token away.
pub fn clear_token_cookies(
    headers: &HeaderMap,
    config: &Config,
) -> Option<Vec<(HeaderName, HeaderValue)>> {
    token_cookies(&Secret::new(""), 0, headers, config)
}

/// The token that a request brings. Whoever sends the header is judged by it alone: only so may it
/// stand in for the check of the origin.
pub fn request_token(headers: &HeaderMap, config: &Config) -> Option<Secret> {
    bearer_token(headers).or_else(|| cookie_token(headers, config))
}

/// The token of the header; empty if it names the scheme and nothing else that can be read.
pub(super) fn bearer_token(headers: &HeaderMap) -> Option<Secret> {
    let value = headers.get(AUTHORIZATION)?.as_bytes();
    let (scheme, token) = value.split_at_checked("Bearer".len())?;
    let is_bearer = scheme.eq_ignore_ascii_case(b"bearer") && matches!(token, [] | [b' ', ..]);
    is_bearer.then(|| Secret::new(str::from_utf8(token).unwrap_or_default().trim()))
}

/// The token of the cookie. Two different ones of a name are none: somebody else set one of them. On
/// https the older name counts only beside no cookie of the newer one, which nobody else can set.
fn cookie_token(headers: &HeaderMap, config: &Config) -> Option<Secret> {
    let secure = if is_plain(headers, config) { None } else { values(headers, SECURE).next() };
    let name = if secure.is_some() { SECURE } else { PLAIN };
    let mut tokens = values(headers, name);
    let token = tokens.next()?;
    tokens.all(|other| other == token).then(|| Secret::new(token))
}

/// The values of the cookies of a name; an empty one is none.
fn values<'h>(headers: &'h HeaderMap, name: &'static str) -> impl Iterator<Item = &'h str> {
    let lines = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.filter_map(move |(found, value)| {
        let value = value.trim().trim_matches('"');
        (found.trim() == name && !value.is_empty()).then_some(value)
    })
}

/// Whether the cookie must travel over plain HTTP: on this machine, or because the operator says
/// that browsers come that way, as in a club's own network. There a browser would drop a `Secure`
/// cookie, and nobody could log in.
fn is_plain(headers: &HeaderMap, config: &Config) -> bool {
    if let Some(url) = &config.public_url {
        return !url.is_https();
    }
    let asked = || headers.get(HOST)?.to_str().ok()?.parse().ok();
    let host: Option<Authority> = asked();
    host.is_some_and(|host| ["localhost", "127.0.0.1", "[::1]"].contains(&host.host()))
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderName, HeaderValue};

    use super::{Config, Secret, clear_token_cookies, request_token, token_cookies};

    fn headers(name: &HeaderName, values: &[&'static str]) -> HeaderMap {
        values.iter().map(|value| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    #[track_caller]
    fn check_read(public_url: &str, values: &[&'static str], expected: Option<&str>) {
        let config = Config { public_url: Some(public_url.parse().unwrap()), ..Config::default() };
        let token = request_token(&headers(&http::header::COOKIE, values), &config);
        assert_eq!(token, expected.map(Secret::new), "{public_url} {values:?}");
    }

    #[test]
    fn the_token_is_read_from_whatever_browsers_send() {
        for url in ["http://parlor.example", "https://parlor.example"] {
            check_read(url, &[], None);
            check_read(url, &["authToken=abc"], Some("abc"));
            check_read(url, &["a=b; authToken=abc; c=d"], Some("abc"));
            check_read(url, &["a=b", "c=d;authToken=abc=="], Some("abc=="));
            check_read(url, &["authToken=abc", "a=b"], Some("abc"));
            check_read(url, &["authToken=\"abc\""], Some("abc"));
            check_read(url, &["authToken=abc; authToken=abc"], Some("abc"));
            check_read(url, &["authToken=abc; authToken=xyz"], None);
            check_read(url, &["authToken=", "authtoken=abc", "xauthToken=abc", "authToken"], None);
        }
    }

    #[test]
    fn on_https_the_name_that_no_other_host_can_set_comes_first() {
        let both = ["authToken=old; __Host-authToken=new"];
        let url = "https://parlor.example";
        check_read(url, &["__Host-authToken=new"], Some("new"));
        check_read(url, &both, Some("new"));
        check_read(url, &["authToken=a; authToken=b; __Host-authToken=new"], Some("new"));
        check_read(url, &["__Host-authToken=; authToken=old"], Some("old"));
        check_read(url, &["__Host-authToken=a; __Host-authToken=b; authToken=old"], None);
        check_read("http://parlor.example", &both, Some("old"));
        check_read("http://parlor.example", &["__Host-authToken=new"], None);
    }

    #[test]
    fn a_cookie_of_the_older_name_is_replaced() {
        let url =
            |url: &str| Config { public_url: Some(url.parse().unwrap()), ..Config::default() };
        let check = |config: &Config, cookie: &'static str, expected: &[&str]| {
            let headers = headers(&http::header::COOKIE, &[cookie]);
            let names = |cookies: Vec<(HeaderName, HeaderValue)>| -> Vec<String> {
                let texts = cookies.iter().map(|(_, value)| value.to_str().unwrap());
                texts.map(|text| text.split(' ').next().unwrap().to_owned()).collect()
            };
            let cookies = token_cookies(&Secret::new("abc"), 60, &headers, config).unwrap();
            assert_eq!(names(cookies), expected, "{cookie}");
            let cleared = names(clear_token_cookies(&headers, config).unwrap());
            assert_eq!(cleared.len(), expected.len(), "{cookie}");
        };
        let secure = url("https://parlor.example");
        check(&secure, "a=b", &["__Host-authToken=abc;"]);
        check(&secure, "__Host-authToken=old", &["__Host-authToken=abc;"]);
        check(&secure, "authToken=old", &["__Host-authToken=abc;", "authToken=;"]);
        check(&url("http://parlor.example"), "authToken=old", &["authToken=abc;"]);
    }

    #[test]
    fn a_program_is_judged_by_its_header_alone() {
        let check = |value: &'static str, expected: &str| {
            let mut headers = headers(&http::header::COOKIE, &["authToken=cookie"]);
            headers.insert(http::header::AUTHORIZATION, HeaderValue::from_static(value));
            let token = request_token(&headers, &Config::default());
            assert_eq!(token, Some(Secret::new(expected)), "{value:?}");
        };
        check("Bearer abc", "abc");
        check("bearer  abc", "abc");
        check("Bearer", "");
        check("Bearer ", "");
        check("Bearerabc", "cookie");
        check("Basic abc", "cookie");
        check("", "cookie");
    }

    #[test]
    fn the_cookie_is_secure_except_on_this_machine_or_by_the_operators_word() {
        let check = |host: &'static str, public_url: Option<&str>, expected: bool| {
            let public_url = public_url.map(|url| url.parse().unwrap());
            let config = Config { public_url, ..Config::default() };
            let headers = headers(&http::header::HOST, &[host]);
            for mut cookies in [
                token_cookies(&Secret::new("abc"), 60, &headers, &config).unwrap(),
                clear_token_cookies(&headers, &config).unwrap(),
            ] {
                assert_eq!(cookies.len(), 1);
                let (_, cookie) = cookies.remove(0);
                let text = cookie.to_str().unwrap();
                assert_eq!(text.ends_with("; Secure"), expected, "{host} {text}");
                assert_eq!(text.starts_with("__Host-authToken="), expected, "{host} {text}");
                assert!(text.contains("; Path=/; Max-Age="), "{text}");
                assert!(text.contains("; HttpOnly; SameSite=Strict"), "{text}");
                assert!(!text.contains("Domain"), "{text}");
                assert!(cookie.is_sensitive());
            }
        };
        check("localhost:8080", None, false);
        check("127.0.0.1:8080", None, false);
        check("[::1]:8080", None, false);
        check("localhost.evil.example", None, true);
        check("192.168.1.5:8080", None, true);
        check("", None, true);
        check("localhost:8080", Some("https://localhost"), true);
        check("127.0.0.1:8080", Some("https://parlor.example"), true);
        check("inner:8080", Some("http://localhost:8080"), false);
        check("192.168.1.5:8080", Some("http://192.168.1.5:8080"), false);
    }

    #[test]
    fn a_token_cannot_add_to_its_cookie() {
        let config = Config::default();
        for token in ["a;b", "a b", "a\r\nb", "a,b", "ä"] {
            assert_eq!(token_cookies(&Secret::new(token), 1, &HeaderMap::new(), &config), None);
        }
    }
}
