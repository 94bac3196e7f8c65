//! The opening handshake (RFC 6455, section 4): is this request one for a WebSocket, and what is the
//! answer's `Sec-WebSocket-Accept`?
//!
//! Leaves the answer itself to the caller, and so the question whether this origin may ask.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{AsHeaderName, CONNECTION, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE};
use http::{HeaderMap, HeaderValue, Method, Version};
use sha1::{Digest as _, Sha1};

/// The one version of the protocol that there is; a refusal for another names it.
pub const VERSION: &str = "13";

/// The RFC's constant, which shows that whoever answers knows the protocol.
const ACCEPT_SUFFIX: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Bytes of the key, once it is decoded.
const KEY_BYTES: usize = 16;

/// Why a request opens no WebSocket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeError {
    /// Another method.
    #[error("a WebSocket is opened with GET")]
    Method,
    /// HTTP/1.0 has no upgrade, and HTTP/2 another one.
    #[error("a WebSocket is opened over HTTP/1.1")]
    HttpVersion,
    /// A plain request: the status for it is 426.
    #[error("the request does not ask for an upgrade to websocket")]
    NoUpgrade,
    /// None or another than [`VERSION`]: the status for it is 426.
    #[error("Sec-WebSocket-Version is not 13")]
    Version,
    /// None, several, or not 16 bytes in base64.
    #[error("Sec-WebSocket-Key is not 16 bytes in base64")]
    Key,
}

/// The value of `Sec-WebSocket-Accept`, if the request opens a WebSocket.
pub fn accept(
    method: &Method,
    version: Version,
    headers: &HeaderMap,
) -> Result<HeaderValue, HandshakeError> {
    if method != Method::GET {
        return Err(HandshakeError::Method);
    }
    if version != Version::HTTP_11 {
        return Err(HandshakeError::HttpVersion);
    }
    if !has_token(headers, CONNECTION, "upgrade") || !has_token(headers, UPGRADE, "websocket") {
        return Err(HandshakeError::NoUpgrade);
    }
    if only(headers, SEC_WEBSOCKET_VERSION) != Some(VERSION.as_bytes()) {
        return Err(HandshakeError::Version);
    }
    let key = only(headers, SEC_WEBSOCKET_KEY).ok_or(HandshakeError::Key)?;
    let decoded = STANDARD.decode(key).map_err(|_| HandshakeError::Key)?;
    if decoded.len() != KEY_BYTES {
        return Err(HandshakeError::Key);
    }
    HeaderValue::try_from(accept_value(key)).map_err(|_| HandshakeError::Key)
}

/// What a server answers to this key: a client compares.
pub fn accept_value(key: &[u8]) -> String {
    STANDARD.encode(Sha1::new().chain_update(key).chain_update(ACCEPT_SUFFIX).finalize())
}

/// Whether the list in this header, which may take several lines, has the token in any case.
fn has_token(headers: &HeaderMap, name: impl AsHeaderName, token: &str) -> bool {
    let lines = headers.get_all(name).into_iter().map(HeaderValue::as_bytes);
    lines
        .flat_map(|line| line.split(|&byte| byte == b','))
        .any(|found| found.trim_ascii().eq_ignore_ascii_case(token.as_bytes()))
}

/// The value of a header that comes exactly once.
fn only(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&[u8]> {
    let mut lines = headers.get_all(name).into_iter();
    let line = lines.next()?;
    lines.next().is_none().then(|| line.as_bytes().trim_ascii())
}

#[cfg(test)]
mod tests {
    use http::header::HeaderName;
    use http::{HeaderMap, HeaderValue, Method, Version};

    use super::HandshakeError;

    const GOOD: [(&str, &str); 4] = [
        ("connection", "Upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    /// As section 1.3 of the RFC computes it for the key above.
    const ACCEPT: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

    /// The good request with this header's lines instead of its own.
    #[track_caller]
    fn check(name: &'static str, lines: &[&str], expected: Result<(), HandshakeError>) {
        let kept = GOOD.iter().filter(|(good, _)| *good != name);
        let lines = lines.iter().map(|line| (name, *line));
        let headers: HeaderMap = kept
            .copied()
            .chain(lines)
            .map(|(name, line)| {
                (HeaderName::from_static(name), HeaderValue::from_str(line).unwrap())
            })
            .collect();
        let accepted = super::accept(&Method::GET, Version::HTTP_11, &headers);
        assert_eq!(accepted, expected.map(|()| HeaderValue::from_static(ACCEPT)), "{name}");
    }

    #[test]
    fn the_answer_is_the_one_of_the_rfc() {
        check("host", &["parlor.example"], Ok(()));
        check("sec-websocket-extensions", &["permessage-deflate"], Ok(()));
    }

    #[test]
    fn tokens_stand_in_lists_in_any_case() {
        check("connection", &["keep-alive, Upgrade"], Ok(()));
        check("connection", &["keep-alive", "x ,\tUPGRADE ,"], Ok(()));
        check("upgrade", &["h2c, WebSocket"], Ok(()));
    }

    #[test]
    fn a_request_without_upgrade_is_refused() {
        check("connection", &[], Err(HandshakeError::NoUpgrade));
        check("connection", &["keep-alive"], Err(HandshakeError::NoUpgrade));
        check("connection", &["upgraded"], Err(HandshakeError::NoUpgrade));
        check("upgrade", &[], Err(HandshakeError::NoUpgrade));
        check("upgrade", &["h2c"], Err(HandshakeError::NoUpgrade));
    }

    #[test]
    fn only_version_13_is_spoken() {
        check("sec-websocket-version", &[], Err(HandshakeError::Version));
        check("sec-websocket-version", &["8"], Err(HandshakeError::Version));
        check("sec-websocket-version", &["13, 8"], Err(HandshakeError::Version));
        check("sec-websocket-version", &["13", "13"], Err(HandshakeError::Version));
    }

    #[test]
    fn a_key_is_sixteen_bytes_in_base64() {
        let good = GOOD[3].1;
        for lines in [
            &[][..],
            &[""],
            &[good, good],
            &["dGhlIHNhbXBsZSBub25jZQ"],
            &["dGhlIHNhbXBsZSBub25j"],
            &["dGhlIHNhbXBsZSBub25jZSE="],
            &["!GhlIHNhbXBsZSBub25jZQ=="],
        ] {
            check("sec-websocket-key", lines, Err(HandshakeError::Key));
        }
    }

    #[test]
    fn only_get_over_http_1_1_opens_one() {
        let check = |method, version, expected| {
            assert_eq!(super::accept(&method, version, &HeaderMap::new()), Err(expected));
        };
        check(Method::POST, Version::HTTP_11, HandshakeError::Method);
        check(Method::GET, Version::HTTP_10, HandshakeError::HttpVersion);
        check(Method::GET, Version::HTTP_2, HandshakeError::HttpVersion);
        check(Method::GET, Version::HTTP_11, HandshakeError::NoUpgrade);
    }
}
