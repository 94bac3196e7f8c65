//! The description of the interface: OpenAPI 3.1, made from the routes themselves.

use std::sync::Arc;

use axum::Router;
use protocol::Problem;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Components, ContentBuilder, InfoBuilder, Ref, ResponseBuilder, Tag};
use utoipa::{PartialSchema as _, ToSchema as _};
use utoipa_axum::router::OpenApiRouter;

use super::App;

const ABOUT: &str = "\
Every body is JSON of at most 64 kB, and a request with a field that is not described is refused. \
A refusal is `application/problem+json` (RFC 9457) with a stable `code`; its `request_id` is in the \
server's log and in the header `X-Request-Id` of every answer.\n\n\
A log-in sets the cookie `authToken` (on https `__Host-authToken`); programs send the token as `Authorization: Bearer` instead.";

/// The groups of routes, in the order in which people need them.
const TAGS: [&str; 7] =
    ["accounts", "profiles", "games", "lobbies", "matches", "administration", "system"];

/// Takes routes and document apart, and completes the document.
pub(super) fn with_document(api: OpenApiRouter<Arc<App>>) -> (Router<Arc<App>>, String) {
    let (routes, mut document) = api.split_for_parts();
    document.info = InfoBuilder::new()
        .title("Parlor")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(ABOUT))
        .build();
    document.tags = Some(TAGS.map(Tag::new).into());
    let components = document.components.get_or_insert_with(Components::new);
    let mut schemas = Vec::new();
    Problem::schemas(&mut schemas);
    components.schemas.extend(schemas);
    components.schemas.insert(Problem::name().into_owned(), Problem::schema());
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    let cookie = ApiKey::Cookie(ApiKeyValue::new("authToken"));
    components.add_security_scheme("cookie", SecurityScheme::ApiKey(cookie));
    for operation in document.paths.paths.values_mut().flat_map(operations) {
        let refusal = ContentBuilder::new().schema(Some(Ref::from_schema_name(Problem::name())));
        let refusal = ResponseBuilder::new()
            .description("A refusal.")
            .content("application/problem+json", refusal.build());
        operation.responses.responses.insert("default".to_owned(), refusal.build().into());
    }
    // It is made of texts and maps with texts as keys.
    (routes, serde_json::to_string(&document).unwrap_or_default())
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    [get, put, post, delete, patch].into_iter().flatten()
}
