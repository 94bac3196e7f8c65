//! Rows read back as values. What does not fit is `Corrupt`, by its column's name and never by its
//! value, which may be a secret.

use std::str::FromStr;

use audit::{AuditRecord, Context};
use domain::{AuditId, BadId, LobbyId, MatchId, PlayerId, SessionId};
use game_api::{Entry, Seat};
use sqlx::postgres::{PgRow, Postgres};
use sqlx::{Decode, Row as _, Type};
use storage::{
    Access, GameStatistics, Lobby, MatchResult, MatchRow, MatchStatus, MatchSummary, Pairing,
    Player, PublicMatch, Rating, SeatHolder, SeatSummary, Session, StorageError,
};

use crate::Result;
use crate::error::storage_error;

pub(crate) fn get<'r, T>(row: &'r PgRow, column: &str) -> Result<T>
where
    T: Decode<'r, Postgres> + Type<Postgres>,
{
    row.try_get(column).map_err(storage_error)
}

fn bad<E>(column: &str) -> impl FnOnce(E) -> StorageError {
    move |_| StorageError::corrupt(format_args!("column {column:?}"))
}

/// A `BIGINT` that is a smaller type's value.
pub(crate) fn from_big<T: TryFrom<i64>>(row: &PgRow, column: &str) -> Result<T> {
    T::try_from(get(row, column)?).map_err(bad(column))
}

/// An `INT` that is an unsigned number.
fn from_int(row: &PgRow, column: &str) -> Result<u32> {
    u32::try_from(get::<i32>(row, column)?).map_err(bad(column))
}

/// A `SMALLINT` that is a small number.
fn from_small(row: &PgRow, column: &str) -> Result<u8> {
    u8::try_from(get::<i16>(row, column)?).map_err(bad(column))
}

fn from_text<T: FromStr>(row: &PgRow, column: &str) -> Result<T> {
    get::<&str>(row, column)?.parse().map_err(bad(column))
}

pub(crate) fn id<T>(
    row: &PgRow,
    column: &str,
    read: impl FnOnce(i64) -> std::result::Result<T, BadId>,
) -> Result<T> {
    read(get(row, column)?).map_err(bad(column))
}

fn optional_id<T>(
    row: &PgRow,
    column: &str,
    read: impl FnOnce(i64) -> std::result::Result<T, BadId>,
) -> Result<Option<T>> {
    get::<Option<i64>>(row, column)?.map(read).transpose().map_err(bad(column))
}

pub(crate) fn player(row: &PgRow) -> Result<Player> {
    Ok(Player {
        id: id(row, "id", PlayerId::from_number)?,
        name: get(row, "name")?,
        role: from_text(row, "role")?,
        avatar: get(row, "avatar")?,
        created_ms: from_big(row, "created_ms")?,
    })
}

pub(crate) fn renamed_ms(row: &PgRow) -> Result<u64> {
    from_big(row, "renamed_ms")
}

pub(crate) fn statistics(row: &PgRow) -> Result<GameStatistics> {
    Ok(GameStatistics {
        game: get(row, "game")?,
        won: from_int(row, "won")?,
        drawn: from_int(row, "drawn")?,
        lost: from_int(row, "lost")?,
        public_won: from_int(row, "public_won")?,
        public_drawn: from_int(row, "public_drawn")?,
        public_lost: from_int(row, "public_lost")?,
    })
}

pub(crate) fn rating(row: &PgRow) -> Result<Rating> {
    Ok(Rating {
        player: id(row, "player_id", PlayerId::from_number)?,
        game: get(row, "game")?,
        speed: get(row, "speed")?,
        rating: get(row, "rating")?,
        deviation: get(row, "deviation")?,
        volatility: get(row, "volatility")?,
        version: from_int(row, "version")?,
    })
}

pub(crate) fn session(row: &PgRow) -> Result<Session> {
    Ok(Session {
        id: id(row, "id", SessionId::from_number)?,
        player: id(row, "player_id", PlayerId::from_number)?,
        generation: from_int(row, "generation")?,
        created_ms: from_big(row, "created_ms")?,
        until_ms: from_big(row, "until_ms")?,
        changed_ms: from_big(row, "changed_ms")?,
        is_revoked: get(row, "is_revoked")?,
        browser: get(row, "browser")?,
    })
}

pub(crate) fn match_id(row: &PgRow, column: &str) -> Result<MatchId> {
    id(row, column, MatchId::from_number)
}

pub(crate) fn access(row: &PgRow) -> Result<Option<Access>> {
    for (column, access) in
        [("is_own", Access::Own), ("is_public", Access::Public), ("is_linked", Access::Link)]
    {
        if get(row, column)? {
            return Ok(Some(access));
        }
    }
    Ok(None)
}

/// How many seats a match's row says it has.
pub(crate) fn seat_count(row: &PgRow) -> Result<usize> {
    from_small(row, "seats").map(usize::from)
}

/// A match from its row and those of its seats, in their order.
pub(crate) fn match_row(row: &PgRow, seats: &[PgRow]) -> Result<MatchRow> {
    Ok(MatchRow {
        id: match_id(row, "id")?,
        game: get(row, "game")?,
        rules_version: from_int(row, "rules_version")?,
        options: get(row, "options")?,
        from_position: get(row, "from_position")?,
        seed: from_text(row, "seed")?,
        commitment: from_text(row, "commitment")?,
        settings: get(row, "settings")?,
        seats: all_seats(row, seats, seat_holder)?,
        is_public: get(row, "is_public")?,
        created_ms: from_big(row, "created_ms")?,
        status: match get::<i16>(row, "status")? {
            0 => MatchStatus::Running,
            1 => MatchStatus::Over,
            _ => return Err(bad("status")(())),
        },
        owner: get(row, "owner")?,
        epoch: from_int(row, "epoch")?,
        lease_until_ms: from_big(row, "lease_until_ms")?,
    })
}

/// The seats of a match's row, none missing.
fn all_seats<T>(
    row: &PgRow,
    seats: &[PgRow],
    read: impl Fn(&PgRow) -> Result<T>,
) -> Result<Vec<T>> {
    if seats.len() != seat_count(row)? {
        return Err(bad("seats")(()));
    }
    seats.iter().map(read).collect()
}

fn seat_holder(row: &PgRow) -> Result<SeatHolder> {
    if let Some(player) = optional_id(row, "player_id", PlayerId::from_number)? {
        return Ok(SeatHolder::Player(player));
    }
    Ok(get::<Option<String>>(row, "bot")?.map_or(SeatHolder::Gone, SeatHolder::Bot))
}

fn seat_summary(row: &PgRow) -> Result<SeatSummary> {
    Ok(SeatSummary { holder: seat_holder(row)?, name: get(row, "name")?, place: place(row)? })
}

pub(crate) fn place(row: &PgRow) -> Result<Option<u8>> {
    get::<Option<i16>>(row, "place")?.map(u8::try_from).transpose().map_err(bad("place"))
}

pub(crate) fn match_result(row: &PgRow, places: Vec<u8>) -> Result<MatchResult> {
    Ok(MatchResult {
        match_id: match_id(row, "match_id")?,
        ended_ms: from_big(row, "ended_ms")?,
        reason: get(row, "reason")?,
        places,
        final_views: get(row, "final_views")?,
        notations: get(row, "notations")?,
        state_hash: from_text(row, "state_hash")?,
    })
}

/// A finished match from its row and those of its seats, in their order.
pub(crate) fn match_summary(row: &PgRow, seats: &[PgRow]) -> Result<MatchSummary> {
    Ok(MatchSummary {
        id: match_id(row, "id")?,
        game: get(row, "game")?,
        created_ms: from_big(row, "created_ms")?,
        ended_ms: from_big(row, "ended_ms")?,
        reason: get(row, "reason")?,
        seats: all_seats(row, seats, seat_summary)?,
    })
}

/// A listed match from its row and those of its seats, in their order.
pub(crate) fn public_match(row: &PgRow, seats: &[PgRow]) -> Result<PublicMatch> {
    Ok(PublicMatch {
        id: match_id(row, "id")?,
        game: get(row, "game")?,
        settings: get(row, "settings")?,
        created_ms: from_big(row, "created_ms")?,
        seats: all_seats(row, seats, seat_summary)?,
    })
}

pub(crate) fn entry(row: &PgRow) -> Result<Entry> {
    let seat = get::<Option<i16>>(row, "seat")?;
    let seat = seat.map(|seat| u8::try_from(seat).ok().and_then(Seat::new).ok_or(()));
    Ok(Entry {
        ply: from_int(row, "ply")?,
        seat: seat.transpose().map_err(bad("seat"))?,
        at_ms: from_big(row, "at_ms")?,
        nonce: get::<i64>(row, "nonce")?.cast_unsigned(),
        epoch: from_int(row, "epoch")?,
        kind: from_text(row, "kind")?,
    })
}

pub(crate) fn lobby(row: &PgRow) -> Result<Lobby> {
    Ok(Lobby {
        id: id(row, "id", LobbyId::from_number)?,
        host: id(row, "host", PlayerId::from_number)?,
        is_public: get(row, "is_public")?,
        body: get(row, "body")?,
        created_ms: from_big(row, "created_ms")?,
        touched_ms: from_big(row, "touched_ms")?,
        version: from_int(row, "version")?,
    })
}

pub(crate) fn pairing(row: &PgRow) -> Result<Pairing> {
    Ok(Pairing {
        player: id(row, "player_id", PlayerId::from_number)?,
        pool: get(row, "pool")?,
        body: get(row, "body")?,
        since_ms: from_big(row, "since_ms")?,
        asked_ms: from_big(row, "asked_ms")?,
    })
}

pub(crate) fn audit_record(row: &PgRow) -> Result<AuditRecord> {
    Ok(AuditRecord {
        id: id(row, "id", AuditId::from_number)?,
        at_ms: from_big(row, "at_ms")?,
        kind: from_text(row, "kind")?,
        name: get(row, "name")?,
        severity: from_text(row, "severity")?,
        context: Context {
            user: optional_id(row, "user_id", PlayerId::from_number)?,
            session: optional_id(row, "session_id", SessionId::from_number)?,
            match_id: optional_id(row, "match_id", MatchId::from_number)?,
            correlation: get(row, "correlation")?,
        },
        payload: get(row, "payload")?,
        is_redacted: get(row, "is_redacted")?,
    })
}
