//! The browser client: its files, which whoever builds the binary brings, and its one page.
//!
//! Every address that is no file and no interface gets the page, with status 404 if the client has no
//! page there: then the page says so.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use protocol::{Code, is_page};

use super::Refusal;
use super::coding::{accepts, set_coding};
use super::security::CLIENT_POLICY;

/// A file of the client, compressed beforehand.
#[derive(Clone, Copy, Debug)]
pub struct ClientFile {
    /// Its address, without the first `/`.
    pub path: &'static str,
    /// As it is.
    pub plain: &'static [u8],
    /// By gzip.
    pub gzip: &'static [u8],
    /// By brotli.
    pub brotli: &'static [u8],
}

/// The page that every address of the client gets.
const PAGE: &str = "index.html";
/// What lies there has its content's hash in its name.
const HASHED: &str = "assets/";

/// A route for every file but the page.
pub(super) fn routes<S: Clone + Send + Sync + 'static>(files: &'static [ClientFile]) -> Router<S> {
    files.iter().filter(|file| file.path != PAGE).fold(Router::new(), |router, file| {
        router.route(
            &format!("/{}", file.path),
            get(async move |headers: HeaderMap| file.answer(&headers)),
        )
    })
}

/// What an address gets that no route knows.
pub(super) fn other(
    files: &'static [ClientFile],
    method: &Method,
    path: &str,
    headers: &HeaderMap,
) -> Response {
    let page = files.iter().find(|file| file.path == PAGE);
    let is_for_people = [Method::GET, Method::HEAD].contains(method)
        && !path.starts_with("/api")
        && !path.starts_with("/assets/");
    match page {
        Some(page) if is_for_people => {
            let status = if is_page(path) { StatusCode::OK } else { StatusCode::NOT_FOUND };
            (status, page.answer(headers)).into_response()
        }
        _ => Refusal::from(Code::NotFound).into_response(),
    }
}

impl ClientFile {
    fn answer(&self, asked: &HeaderMap) -> Response {
        let (content, coding) = if accepts(asked, "br") {
            (self.brotli, Some("br"))
        } else if accepts(asked, "gzip") {
            (self.gzip, Some("gzip"))
        } else {
            (self.plain, None)
        };
        // A page of yesterday would ask for files that are gone.
        let cache = if self.path.starts_with(HASHED) {
            "public, max-age=31536000, immutable"
        } else {
            "no-cache"
        };
        let mut response = Body::from(Bytes::from_static(content)).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind(self.path)));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
        headers.insert(CONTENT_SECURITY_POLICY, CLIENT_POLICY);
        set_coding(headers, coding);
        response
    }
}

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "png" => "image/png",
        "txt" => "text/plain; charset=utf-8",
        "svg" => "image/svg+xml",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
