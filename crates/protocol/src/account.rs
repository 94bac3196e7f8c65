//! Accounts, guests and profiles.

use domain::{PlayerId, Role, SessionId};
use serde::{Deserialize, Serialize};

use crate::Secret;

/// Makes an account.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RegisterRequest {
    /// 3 to 20 ASCII letters, digits, `-` and `_`; unique without regard to case.
    #[cfg_attr(feature = "openapi", schema(example = "ada", min_length = 3, max_length = 20))]
    pub username: String,
    /// 8 to 256 characters; not a common password, a repetition or run of characters, or the name.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = Password, min_length = 8, max_length = 256, example = "a long sentence"))]
    pub password: Secret,
}

/// Logs an account in.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LoginRequest {
    /// The name, in any case.
    #[cfg_attr(feature = "openapi", schema(example = "ada"))]
    pub username: String,
    /// The password.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = Password, example = "a long sentence"))]
    pub password: Secret,
}

/// Logs a guest in, or the same guest again.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct GuestRequest {
    /// What the device made up and kept. Whoever knows it is this guest, so it is a secret.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = Password, example = "6f1c0f3a-5e0b-4c57-9d5e-2d3a1f0e7b11"))]
    pub device_id: Secret,
}

/// Turns the guest who asks into an account.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct UpgradeRequest {
    /// As for a new account.
    #[cfg_attr(feature = "openapi", schema(example = "ada", min_length = 3, max_length = 20))]
    pub username: String,
    /// As for a new account.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = Password, min_length = 8, max_length = 256, example = "a long sentence"))]
    pub password: Secret,
}

/// Changes the own profile; what is left out stays.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct UpdateProfileRequest {
    /// Another name, by the rules of names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "Countess"))]
    pub name: Option<String>,
    /// The key of another avatar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "owl"))]
    pub avatar: Option<String>,
}

/// Gives the own account another password; its other sessions end.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PasswordRequest {
    /// The password until now.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = Password, example = "a long sentence"))]
    pub old_password: Secret,
    /// The password from now on, by the rules for a new account.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = Password, min_length = 8, max_length = 256, example = "another long sentence"))]
    pub new_password: Secret,
}

/// The own sessions, the latest log-in first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionList {
    /// At most 100.
    pub sessions: Vec<SessionSummary>,
}

/// A session: a log-in that has not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionSummary {
    /// Names it in `DELETE sessions/{id}`.
    #[cfg_attr(feature = "openapi", schema(schema_with = crate::schema::id))]
    pub id: SessionId,
    /// When its log-in was, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// When its token was refreshed last, or made, in milliseconds since 1970.
    pub refreshed_at_ms: u64,
    /// Whether it is the session that asks.
    pub is_current: bool,
    /// What its log-in came from, such as `Firefox on Linux`; left out if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "Firefox on Linux"))]
    pub browser: Option<String>,
}

/// Who is logged in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct User {
    /// Never changes.
    #[cfg_attr(feature = "openapi", schema(schema_with = crate::schema::id))]
    pub id: PlayerId,
    /// The name that others see.
    pub name: String,
    /// What this user may do.
    #[cfg_attr(feature = "openapi", schema(schema_with = crate::schema::role))]
    pub role: Role,
}

/// A log-in that succeeded. A browser gets the token as a cookie too.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AuthResponse {
    /// For programs: sent back as `Authorization: Bearer`.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = Password))]
    pub token: Secret,
    /// When the token ends, in milliseconds since 1970.
    pub expires_at_ms: u64,
    /// Whose token it is.
    pub user: User,
}

/// Who asks, as the server knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionResponse {
    /// Left out if nobody is logged in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login: Option<Login>,
}

/// A login that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Login {
    /// Whose it is.
    pub user: User,
    /// Half of the token's life is over: it is time for the next one.
    pub refresh_due: bool,
}

/// How often somebody played a game, and how it went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GameStatistics {
    /// The game's key.
    pub game: String,
    /// Matches that ended.
    pub played: u64,
    /// First place alone.
    pub won: u64,
    /// First place shared.
    pub drawn: u64,
    /// Any other place.
    pub lost: u64,
}

/// A strength in one game at one speed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Rating {
    /// The game's key.
    pub game: String,
    /// The class of match clock.
    pub speed: String,
    /// The estimate.
    pub rating: f64,
    /// How far off it may be.
    pub deviation: f64,
}

/// The own profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Profile {
    /// The name that others see.
    pub name: String,
    /// What this user may do.
    #[cfg_attr(feature = "openapi", schema(schema_with = crate::schema::role))]
    pub role: Role,
    /// The avatar's key.
    pub avatar: String,
    /// When the account was made, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// A row for each game that was played.
    pub statistics: Vec<GameStatistics>,
    /// A row for each game and speed that was rated.
    pub ratings: Vec<Rating>,
}

/// Somebody's profile as all may see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PublicProfile {
    /// The name.
    pub name: String,
    /// The avatar's key.
    pub avatar: String,
    /// When the account was made, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// A row for each game that was played.
    pub statistics: Vec<GameStatistics>,
    /// A row for each game and speed that was rated.
    pub ratings: Vec<Rating>,
}

#[cfg(test)]
mod tests {
    use super::{GuestRequest, LoginRequest, PasswordRequest, RegisterRequest, UpgradeRequest};

    fn shown<T: for<'de> serde::Deserialize<'de> + std::fmt::Debug>(json: &str) -> String {
        let request: T = serde_json::from_str(json).unwrap();
        format!("{request:?} {request:#?}")
    }

    #[test]
    fn no_secret_prints() {
        let json = r#"{"username": "ada", "password": "hunter22"}"#;
        for text in [
            shown::<RegisterRequest>(json),
            shown::<LoginRequest>(json),
            shown::<UpgradeRequest>(json),
            shown::<GuestRequest>(r#"{"device_id": "hunter22"}"#),
            shown::<PasswordRequest>(r#"{"old_password": "hunter22", "new_password": "hunter22"}"#),
        ] {
            assert!(text.contains("(hidden)") && !text.contains("hunter22"), "{text}");
        }
    }

    #[test]
    fn a_request_refuses_unknown_fields() {
        let json = r#"{"username": "ada", "password": "hunter22", "role": "admin"}"#;
        assert!(serde_json::from_str::<RegisterRequest>(json).is_err());
    }
}
