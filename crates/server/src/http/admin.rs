//! The audit log, for administrators.

use std::sync::Arc;

use audit::{AuditFilter, AuditRecord};
use axum::extract::State;
use domain::{AuditId, MatchId, PlayerId, SessionId};
use http::StatusCode;
use protocol::{
    AuditEvent, AuditKind, AuditPage, Code, PurgeRequest, PurgeResponse, RedactRequest, Severity,
};
use serde::Deserialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::profile::page_size;
use super::session::{Admin, context};
use super::{App, Client, Json, Path, Query, Refusal};

/// How many events a page has if nobody says, and at most.
const PAGE: u32 = 100;
const PAGE_MAX: u32 = 1000;

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(query)).routes(routes!(purge)).routes(routes!(redact))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Filter {
    /// Not before this time, in milliseconds since 1970.
    from_ms: Option<u64>,
    /// Before this time.
    until_ms: Option<u64>,
    /// Of this kind.
    kind: Option<AuditKind>,
    /// With this name.
    name: Option<String>,
    /// About this user.
    #[param(value_type = Option<String>)]
    user: Option<PlayerId>,
    /// In this login.
    #[param(value_type = Option<String>)]
    session: Option<SessionId>,
    /// In this match.
    #[serde(rename = "match")]
    #[param(value_type = Option<String>)]
    contest: Option<MatchId>,
    /// Of this severity.
    severity: Option<Severity>,
    /// Of this request.
    correlation: Option<String>,
    /// Older than this event: `next_before` of the page before.
    #[param(value_type = Option<String>)]
    before: Option<AuditId>,
    /// How many, 100 if left out.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

/// What has happened, the latest first
#[utoipa::path(
    get,
    path = "/api/v1/admin/audit",
    tag = "administration",
    params(Filter),
    responses((status = 200, description = "A page of events.", body = AuditPage)),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn query(
    State(app): State<Arc<App>>,
    _: Admin,
    Query(filter): Query<Filter>,
) -> Result<Json<AuditPage>, Refusal> {
    let limit = page_size(filter.limit, PAGE, PAGE_MAX)?;
    let filter = AuditFilter {
        from_ms: filter.from_ms,
        until_ms: filter.until_ms,
        kind: filter.kind.map(|kind| match kind {
            AuditKind::Auth => audit::Kind::Auth,
            AuditKind::Gameplay => audit::Kind::Gameplay,
            AuditKind::System => audit::Kind::System,
        }),
        name: filter.name,
        user: filter.user,
        session: filter.session,
        match_id: filter.contest,
        severity: filter.severity.map(|severity| match severity {
            Severity::Info => audit::Severity::Info,
            Severity::Warning => audit::Severity::Warning,
            Severity::Error => audit::Severity::Error,
        }),
        correlation: filter.correlation,
        before: filter.before,
        // One more than asked for tells whether there is another page.
        limit: limit + 1,
    };
    let mut records = app.store.query_audit(&filter).await?;
    let has_more = records.len() > limit as usize;
    records.truncate(limit as usize);
    let next_before = records.last().filter(|_| has_more).map(|record| record.id);
    let events: Result<Vec<AuditEvent>, Refusal> = records.into_iter().map(describe).collect();
    Ok(Json(AuditPage { events: events?, next_before }))
}

/// Removes events that are past their retention
#[utoipa::path(
    post,
    path = "/api/v1/admin/audit/purge",
    tag = "administration",
    request_body = PurgeRequest,
    responses((status = 200, description = "They are gone.", body = PurgeResponse)),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn purge(
    State(app): State<Arc<App>>,
    client: Client,
    Admin(claims): Admin,
    Json(request): Json<PurgeRequest>,
) -> Result<Json<PurgeResponse>, Refusal> {
    let days = request.retention_days.unwrap_or(app.config.audit.retention_days.get());
    if days == 0 {
        return Err(Refusal::new(Code::BadRequest, "`retention_days` is at least 1"));
    }
    let purged = app.purge_audit(days, context(&claims, &client.request_id)).await?;
    Ok(Json(PurgeResponse { purged }))
}

/// Takes the values of fields out of an event, for good
#[utoipa::path(
    post,
    path = "/api/v1/admin/audit/{id}/redact",
    tag = "administration",
    params(("id" = String, Path, description = "The event.")),
    request_body = RedactRequest,
    responses((status = 204, description = "They are gone.")),
    security(("bearer" = []), ("cookie" = [])),
)]
async fn redact(
    State(app): State<Arc<App>>,
    client: Client,
    Admin(claims): Admin,
    Path(id): Path<AuditId>,
    Json(RedactRequest { fields }): Json<RedactRequest>,
) -> Result<StatusCode, Refusal> {
    app.redact_audit(id, fields, context(&claims, &client.request_id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn describe(record: AuditRecord) -> Result<AuditEvent, Refusal> {
    let payload = serde_json::from_str(&record.payload)
        .map_err(|error| Refusal::from(Code::Internal).because(error))?;
    Ok(AuditEvent {
        id: record.id,
        at_ms: record.at_ms,
        kind: match record.kind {
            audit::Kind::Auth => AuditKind::Auth,
            audit::Kind::Gameplay => AuditKind::Gameplay,
            audit::Kind::System => AuditKind::System,
        },
        name: record.name,
        severity: match record.severity {
            audit::Severity::Info => Severity::Info,
            audit::Severity::Warning => Severity::Warning,
            audit::Severity::Error => Severity::Error,
        },
        user: record.context.user,
        session: record.context.session,
        contest: record.context.match_id,
        correlation: record.context.correlation,
        payload,
        redacted: record.is_redacted,
    })
}
