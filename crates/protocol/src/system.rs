//! Whether the server is up and its database answers.

use serde::{Deserialize, Serialize};

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It answers.
    Ok,
    /// It does not.
    Unavailable,
}

/// The process is up; says nothing about its database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Health {
    /// Always `ok`: a process that is down does not answer.
    pub status: Status,
    /// The server's version.
    pub version: String,
}

/// Can the server do its work?
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Ready {
    /// `ok` if all that it needs is.
    pub status: Status,
    /// Does the database answer?
    pub database: Status,
}
