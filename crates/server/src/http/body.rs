//! Reading what a client sends: bodies, queries and paths, each refused as a problem.
//!
//! A refusal names the field, never the value: a password in the wrong place is not sent back.

use std::time::Duration;

use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use protocol::Code;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use zeroize::{Zeroize as _, Zeroizing};

use super::Refusal;

/// No message is larger. Enough for any of ours, too little to hurt.
pub const BODY_BYTES_MAX: usize = 65_536;
/// A client that sends slower than this holds a connection for nothing.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// A JSON body, in a request or in an answer.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Json<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &S) -> Result<Self, Refusal> {
        if !is_json(request.headers()) {
            return Err(Code::UnsupportedMediaType.into());
        }
        read_json(&read_body(request).await?).map(Json)
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(bytes) => {
                let json = HeaderValue::from_static("application/json");
                ([(CONTENT_TYPE, json)], bytes).into_response()
            }
            Err(error) => Refusal::from(Code::Internal).because(error).into_response(),
        }
    }
}

/// No body, or `{}`: what a route takes that needs nothing.
pub struct Empty;

impl<S: Sync> FromRequest<S> for Empty {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &S) -> Result<Self, Refusal> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct NoFields {}

        let is_json = is_json(request.headers());
        let body = read_body(request).await?;
        if body.is_empty() {
            return Ok(Empty);
        }
        if !is_json {
            return Err(Code::UnsupportedMediaType.into());
        }
        read_json(&body).map(|NoFields {}| Empty)
    }
}

/// The fields of a query.
pub struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let query = parts.uri.query().unwrap_or_default().as_bytes();
        let fields = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query));
        serde_path_to_error::deserialize(fields).map(Query).map_err(|error| {
            let field = error.path().to_string();
            Refusal::new(Code::BadRequest, reword(&field, &error.inner().to_string()))
        })
    }
}

/// The variable parts of an address.
pub struct Path<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match axum::extract::Path::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(value)) => Ok(Path(value)),
            // A text that is no id is the name of nothing.
            Err(PathRejection::FailedToDeserializePathParams(_)) => {
                Err(Code::RecordNotFound.into())
            }
            Err(error) => Err(Refusal::from(Code::Internal).because(error)),
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = value.and_then(|value| value.split(';').next()).unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

/// The body, which is wiped from memory when it is dropped: it may hold a password.
async fn read_body(request: Request) -> Result<Zeroizing<Vec<u8>>, Refusal> {
    let declared = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let declared = declared.and_then(|text| text.parse().ok()).unwrap_or(BODY_BYTES_MAX);
    if declared > BODY_BYTES_MAX {
        return Err(Code::PayloadTooLarge.into());
    }
    let mut body = Limited::new(request.into_body(), BODY_BYTES_MAX);
    let read = async {
        // Large enough for all of it: a buffer that grows leaves copies behind.
        let mut bytes = Zeroizing::new(Vec::with_capacity(declared));
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame?.into_data() else { continue };
            bytes.extend_from_slice(&data);
            // Otherwise it is a part of the connection's buffer, which the next request overwrites.
            if let Ok(mut data) = data.try_into_mut() {
                data.zeroize();
            }
        }
        Ok::<_, axum::BoxError>(bytes)
    };
    match tokio::time::timeout(BODY_TIMEOUT, read).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Code::PayloadTooLarge.into()),
        Ok(Err(_)) => Err(Refusal::new(Code::BadRequest, "the body broke off")),
        Err(_) => Err(Refusal::new(Code::BadRequest, "the body took too long to arrive")),
    }
}

fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    // Serde would read a struct from an array too, by the order of its fields.
    if bytes.trim_ascii_start().starts_with(b"[") {
        return Err(Refusal::new(Code::BadRequest, "the body must be an object"));
    }
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let field = error.path().to_string();
        let cause = error.inner();
        match cause.classify() {
            Category::Data => Refusal::new(Code::BadRequest, reword(&field, &cause.to_string())),
            Category::Syntax | Category::Eof | Category::Io => not_json(cause),
        }
    })?;
    json.end().map_err(|error| not_json(&error))?;
    Ok(value)
}

fn not_json(error: &serde_json::Error) -> Refusal {
    let (line, column) = (error.line(), error.column());
    Refusal::new(Code::BadRequest, format!("this is no JSON, at line {line}, column {column}"))
}

/// Says what serde says, without the value that it quotes.
fn reword(field: &str, message: &str) -> String {
    for kind in ["missing field", "duplicate field", "unknown field"] {
        if message.starts_with(kind) {
            // The name stands between backticks, and is ours except for an unknown field.
            let name = message.split('`').nth(1).unwrap_or_default();
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            let is_shown = name.len() <= 32 && name.bytes().all(is_plain);
            return if is_shown { format!("{kind} `{name}`") } else { kind.to_owned() };
        }
    }
    let field = if field == "." { "the body" } else { &format!("`{field}`") };
    // The expectation is ours, the value before it is the client's; what follows is the place.
    let expected = message.rsplit_once(", expected ").map(|(_, expected)| expected);
    let expected = expected.and_then(|expected| expected.split(" at line ").next());
    match expected {
        Some(expected) if expected.starts_with("struct ") => format!("{field} must be an object"),
        Some(expected) => format!("{field} must be {expected}"),
        None => format!("{field} is not valid"),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::read_json;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its errors are looked at")]
    struct Sample {
        name: String,
        count: Option<u8>,
        colour: Option<Colour>,
        inner: Option<Vec<Inner>>,
        id: Option<domain::MatchId>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Colour {
        Red,
        Blue,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its errors are looked at")]
    struct Inner {
        depth: u8,
    }

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let refusal = read_json::<Sample>(json.as_bytes()).unwrap_err();
        assert_eq!(refusal.detail(), expected, "{json}");
    }

    #[test]
    fn a_refusal_names_the_field_and_not_the_value() {
        check("", "this is no JSON, at line 1, column 0");
        check("{\"name\": hunter2}", "this is no JSON, at line 1, column 10");
        check(r#"{"name": "a"} hunter2"#, "this is no JSON, at line 1, column 15");
        check("{}", "missing field `name`");
        check(r#" ["a", 1, "red", [], null]"#, "the body must be an object");
        check(r#""hunter2""#, "the body must be an object");
        check(r#"{"name": "a", "name": "b"}"#, "duplicate field `name`");
        check(r#"{"name": "a", "odd": "hunter2"}"#, "unknown field `odd`");
        check(r#"{"name": "a", "hunter2, expected it!": 1}"#, "unknown field");
        check(r#"{"name": 5}"#, "`name` must be a string");
        check(r#"{"name": "a", "count": "hunter2"}"#, "`count` must be u8");
        check(r#"{"name": "a", "count": 256}"#, "`count` must be u8");
        check(r#"{"name": "a", "colour": "hunter2"}"#, "`colour` must be `red` or `blue`");
        check(r#"{"name": "a", "inner": [{"depth": -1}]}"#, "`inner[0].depth` must be u8");
        check(r#"{"name": "a", "id": "hunter2"}"#, "`id` is not valid");
    }
}
