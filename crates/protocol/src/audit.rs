//! The audit log as an administrator reads it.

use domain::{AuditId, MatchId, PlayerId, SessionId};
use serde::{Deserialize, Serialize};

use crate::Object;

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum AuditKind {
    /// Accounts and sessions.
    Auth,
    /// Matches.
    Gameplay,
    /// The server itself.
    System,
}

/// How much an event matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// As it should be.
    Info,
    /// Worth a look.
    Warning,
    /// Something failed.
    Error,
}

/// One page of the audit log, the newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AuditPage {
    /// The events of this page.
    pub events: Vec<AuditEvent>,
    /// To be sent as `before` for the next page, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = crate::schema::id, required = false))]
    pub next_before: Option<AuditId>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AuditEvent {
    /// The record.
    #[cfg_attr(feature = "openapi", schema(schema_with = crate::schema::id))]
    pub id: AuditId,
    /// In milliseconds since 1970.
    pub at_ms: u64,
    /// What it is about.
    pub kind: AuditKind,
    /// What happened, as a key.
    pub name: String,
    /// How much it matters.
    pub severity: Severity,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = crate::schema::id, required = false))]
    pub user: Option<PlayerId>,
    /// In which login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = crate::schema::id, required = false))]
    pub session: Option<SessionId>,
    /// In which match.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = crate::schema::id, required = false))]
    pub contest: Option<MatchId>,
    /// What ties it to other events, such as a request's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation: Option<String>,
    /// What else is known.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub payload: Object,
    /// Was something taken out of it?
    pub redacted: bool,
}

/// Deletes old events.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PurgeRequest {
    /// What is older goes; the configured days if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = 30))]
    pub retention_days: Option<u32>,
}

/// What a purge did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PurgeResponse {
    /// So many events are gone.
    pub purged: u64,
}

/// Takes fields out of an event's payload.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RedactRequest {
    /// Their names.
    #[cfg_attr(feature = "openapi", schema(example = json!(["address"])))]
    pub fields: Vec<String>,
}
