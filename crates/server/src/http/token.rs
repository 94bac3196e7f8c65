//! How a token travels: as the header of a program, or as the one cookie, `authToken`, of a browser.

use http::header::{AUTHORIZATION, COOKIE, HOST};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue};
use protocol::Secret;

use crate::config::Config;

const NAME: &str = "authToken";

/// `Set-Cookie` for a token. `None` for a text that no cookie can hold, which no token is.
pub fn token_cookie(
    token: &Secret,
    max_age_s: u64,
    headers: &HeaderMap,
    config: &Config,
) -> Option<HeaderValue> {
    let token = token.expose();
    let is_fit = |byte: u8| byte.is_ascii_graphic() && !b"\",;\\".contains(&byte);
    if !token.bytes().all(is_fit) {
        return None;
    }
    let secure = if is_plain(headers, config) { "" } else { "; Secure" };
    let cookie =
        format!("{NAME}={token}; Path=/; Max-Age={max_age_s}; HttpOnly; SameSite=Strict{secure}");
    let mut value = HeaderValue::from_str(&cookie).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// `Set-Cookie` that takes the token away.
pub fn clear_token_cookie(headers: &HeaderMap, config: &Config) -> Option<HeaderValue> {
    token_cookie(&Secret::new(""), 0, headers, config)
}

/// The token that a request brings. Whoever sends the header is judged by it alone: only so may it
/// stand in for the check of the origin.
pub fn request_token(headers: &HeaderMap) -> Option<Secret> {
    bearer_token(headers).or_else(|| cookie_token(headers))
}

/// The token of the header; empty if it names the scheme and nothing else that can be read.
pub(super) fn bearer_token(headers: &HeaderMap) -> Option<Secret> {
    let value = headers.get(AUTHORIZATION)?.as_bytes();
    let (scheme, token) = value.split_at_checked("Bearer".len())?;
    let is_bearer = scheme.eq_ignore_ascii_case(b"bearer") && matches!(token, [] | [b' ', ..]);
    is_bearer.then(|| Secret::new(str::from_utf8(token).unwrap_or_default().trim()))
}

/// The token of the cookie. Two different ones are none: somebody else set one of them.
fn cookie_token(headers: &HeaderMap) -> Option<Secret> {
    let lines = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    let mut tokens = pairs.filter_map(|(name, value)| {
        let value = value.trim().trim_matches('"');
        (name.trim() == NAME && !value.is_empty()).then_some(value)
    });
    let token = tokens.next()?;
    tokens.all(|other| other == token).then(|| Secret::new(token))
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

    use super::{Config, Secret, clear_token_cookie, request_token, token_cookie};

    fn headers(name: &HeaderName, values: &[&'static str]) -> HeaderMap {
        values.iter().map(|value| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn the_token_is_read_from_whatever_browsers_send() {
        let check = |values: &[&'static str], expected: Option<&str>| {
            let token = request_token(&headers(&http::header::COOKIE, values));
            assert_eq!(token, expected.map(Secret::new), "{values:?}");
        };
        check(&[], None);
        check(&["authToken=abc"], Some("abc"));
        check(&["a=b; authToken=abc; c=d"], Some("abc"));
        check(&["a=b", "c=d;authToken=abc=="], Some("abc=="));
        check(&["authToken=abc", "a=b"], Some("abc"));
        check(&["authToken=\"abc\""], Some("abc"));
        check(&["authToken=abc; authToken=abc"], Some("abc"));
        check(&["authToken=abc; authToken=xyz"], None);
        check(&["authToken=", "authtoken=abc", "xauthToken=abc", "authToken"], None);
    }

    #[test]
    fn a_program_is_judged_by_its_header_alone() {
        let check = |value: &'static str, expected: &str| {
            let mut headers = headers(&http::header::COOKIE, &["authToken=cookie"]);
            headers.insert(http::header::AUTHORIZATION, HeaderValue::from_static(value));
            assert_eq!(request_token(&headers), Some(Secret::new(expected)), "{value:?}");
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
            for cookie in [
                token_cookie(&Secret::new("abc"), 60, &headers, &config).unwrap(),
                clear_token_cookie(&headers, &config).unwrap(),
            ] {
                let text = cookie.to_str().unwrap();
                assert_eq!(text.ends_with("; Secure"), expected, "{host} {text}");
                assert!(text.contains("; Path=/; Max-Age="), "{text}");
                assert!(text.contains("; HttpOnly; SameSite=Strict"), "{text}");
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
            assert_eq!(token_cookie(&Secret::new(token), 1, &HeaderMap::new(), &config), None);
        }
    }
}
