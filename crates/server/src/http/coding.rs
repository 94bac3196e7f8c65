//! Content codings: which ones a client accepts, and answers that are compressed once and kept.
//!
//! Answers that depend on who asks are never compressed: beside text that a client chooses, the length
//! of a compressed answer tells what else is in it (BREACH).

use std::io::Write as _;

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse as _, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue};

/// An answer that is the same for all clients while the server runs.
#[derive(Debug)]
pub(crate) struct Precompressed {
    content_type: &'static str,
    plain: Bytes,
    gzip: Bytes,
}

impl Precompressed {
    pub(super) fn new(content_type: &'static str, content: impl Into<Bytes>) -> Precompressed {
        let plain: Bytes = content.into();
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        // Writing into memory cannot fail; if it did, the answer would go out as it is.
        let gzip = gzip.write_all(&plain).and_then(|()| gzip.finish());
        let gzip = gzip.map_or_else(|_| plain.clone(), Bytes::from);
        Precompressed { content_type, plain, gzip }
    }

    /// The answer to a request with these headers, compressed if it accepts gzip.
    pub(super) fn answer(&self, asked: &HeaderMap) -> Response {
        let is_smaller = self.gzip.len() < self.plain.len();
        let coding = (is_smaller && accepts(asked, "gzip")).then_some("gzip");
        let content = if coding.is_some() { &self.gzip } else { &self.plain };
        let mut response = Body::from(content.clone()).into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        set_coding(response.headers_mut(), coding);
        response
    }
}

/// Says how an answer is coded, and that another request may get another coding.
pub(super) fn set_coding(headers: &mut HeaderMap, coding: Option<&'static str>) {
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if let Some(coding) = coding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
}

/// Does `Accept-Encoding` have this coding?
pub(super) fn accepts(asked: &HeaderMap, coding: &str) -> bool {
    let accepted = asked.get_all(ACCEPT_ENCODING);
    let mut accepted = accepted.iter().filter_map(|value| value.to_str().ok());
    accepted.any(|value| value.split(',').any(|it| is_accepted(it, coding)))
}

/// Is this item of `Accept-Encoding` the coding, and its weight above 0?
fn is_accepted(item: &str, coding: &str) -> bool {
    let (name, parameters) = item.split_once(';').unwrap_or((item, ""));
    let weight = parameters.trim().strip_prefix("q=").unwrap_or("1");
    name.trim().eq_ignore_ascii_case(coding) && weight.trim().parse().is_ok_and(|q: f32| q > 0.0)
}
