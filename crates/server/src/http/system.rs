//! Is the server up, and what has it done?

use std::sync::Arc;

use axum::extract::State;
use axum::response::IntoResponse;
use axum::routing::get;
use http::header::CONTENT_TYPE;
use protocol::{Health, Ready, Status};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{App, Json, Refusal};

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(health))
        .routes(routes!(ready))
        .route("/metrics", get(metrics))
}

/// Is the process up?
#[utoipa::path(
    get,
    path = "/api/v1/health",
    tag = "system",
    responses((status = 200, description = "It is.", body = Health)),
)]
async fn health() -> Json<Health> {
    Json(Health { status: Status::Ok, version: env!("CARGO_PKG_VERSION").to_owned() })
}

/// Does the database read and write?
#[utoipa::path(
    get,
    path = "/api/v1/ready",
    tag = "system",
    responses((status = 200, description = "It does.", body = Ready)),
)]
async fn ready(State(app): State<Arc<App>>) -> Result<Json<Ready>, Refusal> {
    app.pulse.check(&*app.store).await?;
    Ok(Json(Ready { status: Status::Ok, database: Status::Ok }))
}

/// Counts without names: nothing here tells who did what.
async fn metrics(State(app): State<Arc<App>>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], app.metrics.render())
}
