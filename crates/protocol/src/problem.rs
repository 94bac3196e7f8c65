//! Refusals: a stable code, and the RFC 9457 document around it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a request was refused. The text is stable; programs compare it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the title of each variant says it")]
pub enum Code {
    BadRequest,
    UnsupportedMediaType,
    PayloadTooLarge,
    NotFound,
    MethodNotAllowed,
    Unauthorized,
    InvalidToken,
    ExpiredToken,
    InvalidCredentials,
    AccountRequired,
    Forbidden,
    CrossOrigin,
    UsernameTaken,
    NameReserved,
    NameChangedRecently,
    WeakPassword,
    RecordNotFound,
    SessionNotFound,
    AlreadyRegistered,
    UpgradeRequired,
    InvalidSetup,
    InvalidPlayers,
    InvalidLevel,
    NoBots,
    NoSuchSeat,
    TooManyBots,
    LobbyNotFound,
    LobbyFull,
    LobbyNotReady,
    NotLobbyHost,
    NotInLobby,
    CannotKickHost,
    Kicked,
    TooManyLobbies,
    MatchNotFound,
    MatchRunning,
    NoSuchFormat,
    NotJoined,
    TooManyMatches,
    TooManyTopics,
    TooManyConnections,
    RulesChanged,
    Frozen,
    RateLimited,
    Busy,
    Unavailable,
    Internal,
}

impl Code {
    /// Every code, in the order of the table in `docs/protocol.md`.
    pub const ALL: [Code; 47] = [
        Code::BadRequest,
        Code::UnsupportedMediaType,
        Code::PayloadTooLarge,
        Code::NotFound,
        Code::MethodNotAllowed,
        Code::Unauthorized,
        Code::InvalidToken,
        Code::ExpiredToken,
        Code::InvalidCredentials,
        Code::AccountRequired,
        Code::Forbidden,
        Code::CrossOrigin,
        Code::UsernameTaken,
        Code::NameReserved,
        Code::NameChangedRecently,
        Code::WeakPassword,
        Code::RecordNotFound,
        Code::SessionNotFound,
        Code::AlreadyRegistered,
        Code::UpgradeRequired,
        Code::InvalidSetup,
        Code::InvalidPlayers,
        Code::InvalidLevel,
        Code::NoBots,
        Code::NoSuchSeat,
        Code::TooManyBots,
        Code::LobbyNotFound,
        Code::LobbyFull,
        Code::LobbyNotReady,
        Code::NotLobbyHost,
        Code::NotInLobby,
        Code::CannotKickHost,
        Code::Kicked,
        Code::TooManyLobbies,
        Code::MatchNotFound,
        Code::MatchRunning,
        Code::NoSuchFormat,
        Code::NotJoined,
        Code::TooManyMatches,
        Code::TooManyTopics,
        Code::TooManyConnections,
        Code::RulesChanged,
        Code::Frozen,
        Code::RateLimited,
        Code::Busy,
        Code::Unavailable,
        Code::Internal,
    ];

    const fn row(self) -> (u16, &'static str, &'static str) {
        match self {
            Code::BadRequest => (400, "bad_request", "The request cannot be read"),
            Code::UnsupportedMediaType => {
                (415, "unsupported_media_type", "The body must be application/json")
            }
            Code::PayloadTooLarge => (413, "payload_too_large", "The body is too large"),
            Code::NotFound => (404, "not_found", "There is nothing at this address"),
            Code::MethodNotAllowed => {
                (405, "method_not_allowed", "This address does not know the method")
            }
            Code::Unauthorized => (401, "unauthorized", "A log-in is needed"),
            Code::InvalidToken => (401, "invalid_token", "The token is not valid"),
            Code::ExpiredToken => (401, "expired_token", "The token has expired"),
            Code::InvalidCredentials => {
                (401, "invalid_credentials", "Name and password do not match")
            }
            Code::AccountRequired => (403, "account_required", "A guest needs an account for this"),
            Code::Forbidden => (403, "forbidden", "Your role does not allow this"),
            Code::CrossOrigin => (403, "cross_origin", "Another site sent this request"),
            Code::UsernameTaken => (409, "username_taken", "The name is taken"),
            Code::NameReserved => (422, "name_reserved", "The name looks like one of the staff"),
            Code::NameChangedRecently => {
                (409, "name_changed_recently", "A name changes at most once a week")
            }
            Code::WeakPassword => (422, "weak_password", "The password is too easy to guess"),
            Code::RecordNotFound => (404, "record_not_found", "There is no such record"),
            Code::SessionNotFound => (404, "session_not_found", "There is no such session"),
            Code::AlreadyRegistered => (409, "already_registered", "This is an account already"),
            Code::UpgradeRequired => (426, "upgrade_required", "This address speaks WebSocket"),
            Code::InvalidSetup => (422, "invalid_setup", "These terms make no match"),
            Code::InvalidPlayers => (422, "invalid_players", "The game takes more or fewer seats"),
            Code::InvalidLevel => (422, "invalid_level", "A bot's level is 1 to 8"),
            Code::NoBots => (422, "no_bots", "The game has no bots"),
            Code::NoSuchSeat => (422, "no_such_seat", "The seat is taken, or there is none"),
            Code::TooManyBots => (429, "too_many_bots", "Finish a match with bots first"),
            Code::LobbyNotFound => (404, "lobby_not_found", "There is no such lobby"),
            Code::LobbyFull => (409, "lobby_full", "All seats are taken"),
            Code::LobbyNotReady => (409, "lobby_not_ready", "Seats are still free"),
            Code::NotLobbyHost => (403, "not_lobby_host", "Only the host may do this"),
            Code::NotInLobby => (409, "not_in_lobby", "The player is not in the lobby"),
            Code::CannotKickHost => {
                (409, "cannot_kick_host", "The host can leave, not be sent out")
            }
            Code::Kicked => (403, "kicked", "The host has sent you out"),
            Code::TooManyLobbies => (429, "too_many_lobbies", "Close a lobby of yours first"),
            Code::MatchNotFound => (404, "match_not_found", "There is no such match"),
            Code::MatchRunning => (409, "match_running", "The match is not over"),
            Code::NoSuchFormat => (404, "no_such_format", "The game has no such format"),
            Code::NotJoined => (409, "not_joined", "Join the match first"),
            Code::TooManyMatches => (429, "too_many_matches", "Leave a match first"),
            Code::TooManyTopics => (429, "too_many_topics", "Watch fewer topics"),
            Code::TooManyConnections => {
                (429, "too_many_connections", "Close another connection first")
            }
            Code::RulesChanged => {
                (410, "rules_changed", "The match was played by rules that are gone")
            }
            Code::Frozen => (503, "frozen", "The match waits for an operator"),
            Code::RateLimited => (429, "rate_limited", "Too many attempts"),
            Code::Busy => (503, "busy", "The server has too much to do"),
            Code::Unavailable => (503, "unavailable", "The database does not answer"),
            Code::Internal => (500, "internal", "The server made a mistake"),
        }
    }

    /// The HTTP status.
    pub const fn status(self) -> u16 {
        self.row().0
    }

    /// The stable text.
    pub const fn as_str(self) -> &'static str {
        self.row().1
    }

    /// What it means, in a line.
    pub const fn title(self) -> &'static str {
        self.row().2
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The body of every refusal, sent as `application/problem+json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Problem {
    /// `urn:parlor:problem:` and the code.
    #[serde(rename = "type")]
    pub uri: String,
    /// What the code means, always the same.
    pub title: String,
    /// The HTTP status again.
    pub status: u16,
    /// What was wrong this time.
    pub detail: String,
    /// What a program compares.
    pub code: Code,
    /// Finds the request in the server's log.
    pub request_id: String,
}

impl Problem {
    /// The document for a code; type, title and status follow from it.
    pub fn new(code: Code, detail: impl Into<String>, request_id: impl Into<String>) -> Problem {
        Problem {
            uri: format!("urn:parlor:problem:{code}"),
            title: code.title().to_owned(),
            status: code.status(),
            detail: detail.into(),
            code,
            request_id: request_id.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Code, Problem};

    #[test]
    fn a_code_is_the_same_text_everywhere() {
        for code in Code::ALL {
            let json = serde_json::to_value(code).unwrap();
            assert_eq!(json, code.as_str());
            assert_eq!(serde_json::from_value::<Code>(json).unwrap(), code);
        }
    }

    #[test]
    fn a_problem_has_the_members_of_rfc_9457() {
        let problem = Problem::new(Code::RateLimited, "wait 3 seconds", "r1");
        let expected = serde_json::json!({
            "type": "urn:parlor:problem:rate_limited",
            "title": "Too many attempts",
            "status": 429,
            "detail": "wait 3 seconds",
            "code": "rate_limited",
            "request_id": "r1",
        });
        assert_eq!(serde_json::to_value(problem).unwrap(), expected);
    }
}
