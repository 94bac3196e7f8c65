//! Schemas of the values that `domain` and `game-api` own, which know no OpenAPI.

use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::new(Type::String))
}

/// An id: 13 digits in base 32.
pub(crate) fn id() -> impl Into<RefOr<Schema>> {
    text().pattern(Some("^[0-7][0-9a-hjkmnp-tv-z]{12}$")).examples(["05f3gk8w2m9qz"])
}

/// A role.
pub(crate) fn role() -> impl Into<RefOr<Schema>> {
    text().enum_values(Some(["guest", "player", "admin"]))
}

/// A viewer: the number of a seat, or `spectator`.
pub(crate) fn viewer() -> impl Into<RefOr<Schema>> {
    let seat = ObjectBuilder::new().schema_type(SchemaType::new(Type::Integer)).minimum(Some(0));
    OneOfBuilder::new().item(seat).item(text().enum_values(Some(["spectator"])))
}
