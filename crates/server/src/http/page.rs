//! The page on which people try the interface, and the document that it reads.
//!
//! Our own three small files instead of Swagger UI: that adds 4.3 MB to the binary.

use std::sync::Arc;

use axum::Router;
use axum::response::IntoResponse;
use axum::routing::get;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::security::PAGE_POLICY;
use super::{App, Precompressed};

const HTML: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

pub(super) fn routes(document: String) -> Router<Arc<App>> {
    let document = Arc::new(Precompressed::new("application/json", document));
    let document = async move |asked: HeaderMap| {
        let answer = document.answer(&asked);
        (page_headers(), answer)
    };
    Router::new()
        .route("/api", get(async || file("text/html; charset=utf-8", HTML)))
        .route("/api/page.css", get(async || file("text/css; charset=utf-8", STYLE)))
        .route("/api/page.js", get(async || file("text/javascript; charset=utf-8", SCRIPT)))
        .route("/api/v1/openapi.json", get(document))
}

fn file(kind: &'static str, content: impl IntoResponse) -> impl IntoResponse {
    ([(CONTENT_TYPE, HeaderValue::from_static(kind))], page_headers(), content)
}

fn page_headers() -> [(HeaderName, HeaderValue); 2] {
    [(CACHE_CONTROL, HeaderValue::from_static("no-cache")), (CONTENT_SECURITY_POLICY, PAGE_POLICY)]
}
