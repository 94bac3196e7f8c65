//! Each read as SQL, on one of the readers' connections.

use audit::{AuditFilter, AuditRecord, Context, Kind, Severity};
use domain::{LobbyId, MatchId, PlayerId, SessionId};
use game_api::{Entry, Seat};
use rusqlite::types::ToSql;
use rusqlite::{Connection, Params, Row, params};
use storage::{
    Access, Credential, DeviceKey, GameStatistics, Listed, Lobby, MatchResult, MatchRow,
    MatchStatus, MatchSummary, Pairing, Player, Profile, PublicMatch, Rating, SeatHolder,
    SeatSummary, Session, Shown, WatchKey, player_in_body,
};

use crate::columns::{id, number, optional_id, parsed, signed};
use crate::error::{Result, corrupt};

fn one<T>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    rows.next()?.map(read).transpose()
}

fn all<T>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    db.prepare_cached(sql)?.query_and_then(params, read)?.collect()
}

pub(crate) fn pulse(db: &Connection) -> Result<()> {
    one(db, "SELECT count FROM pulse", [], |_| Ok(())).map(drop)
}

fn read_player(row: &Row<'_>) -> Result<Player> {
    Ok(Player {
        id: id(row, "id")?,
        name: row.get("name")?,
        role: parsed(row, "role")?,
        avatar: row.get("avatar")?,
        created_ms: number(row, "created_ms")?,
    })
}

pub(crate) fn player(db: &Connection, id: PlayerId) -> Result<Option<Player>> {
    one(db, "SELECT * FROM players WHERE id = ?1", [id.number()], read_player)
}

pub(crate) fn player_by_name(db: &Connection, key: &str) -> Result<Option<Player>> {
    one(db, "SELECT * FROM players WHERE name_key = ?1", [key], read_player)
}

pub(crate) fn last_rename(db: &Connection, player: PlayerId) -> Result<Option<u64>> {
    one(
        db,
        "SELECT renamed_ms FROM players WHERE id = ?1 AND renamed_ms IS NOT NULL",
        [player.number()],
        |row| number(row, "renamed_ms"),
    )
}

pub(crate) fn guest(db: &Connection, device: DeviceKey) -> Result<Option<Player>> {
    one(db, "SELECT * FROM players WHERE device = ?1", [device.0], read_player)
}

pub(crate) fn credential(db: &Connection, key: &str) -> Result<Option<Credential>> {
    one(
        db,
        "SELECT * FROM players JOIN credentials ON player_id = id WHERE name_key = ?1",
        [key],
        |row| {
            Ok(Credential { player: read_player(row)?, password_hash: row.get("password_hash")? })
        },
    )
}

pub(crate) fn profile(db: &Connection, id: PlayerId) -> Result<Option<Profile>> {
    // While the player's row is open, all three are read from one snapshot, under one lock.
    one(db, "SELECT * FROM players WHERE id = ?1", [id.number()], |row| {
        Ok(Profile {
            player: read_player(row)?,
            statistics: statistics(db, id)?,
            ratings: ratings(db, id)?,
        })
    })
}

fn statistics(db: &Connection, id: PlayerId) -> Result<Vec<GameStatistics>> {
    all(db, "SELECT * FROM statistics WHERE player_id = ?1 ORDER BY game", [id.number()], |row| {
        Ok(GameStatistics {
            game: row.get("game")?,
            won: number(row, "won")?,
            drawn: number(row, "drawn")?,
            lost: number(row, "lost")?,
            public_won: number(row, "public_won")?,
            public_drawn: number(row, "public_drawn")?,
            public_lost: number(row, "public_lost")?,
        })
    })
}

fn ratings(db: &Connection, id: PlayerId) -> Result<Vec<Rating>> {
    all(
        db,
        "SELECT * FROM ratings WHERE player_id = ?1 ORDER BY game, speed",
        [id.number()],
        |row| {
            Ok(Rating {
                player: id,
                game: row.get("game")?,
                speed: row.get("speed")?,
                rating: row.get("rating")?,
                deviation: row.get("deviation")?,
                volatility: row.get("volatility")?,
                version: number(row, "version")?,
            })
        },
    )
}

fn read_session(row: &Row<'_>) -> Result<Session> {
    Ok(Session {
        id: id(row, "id")?,
        player: id(row, "player_id")?,
        generation: number(row, "generation")?,
        created_ms: number(row, "created_ms")?,
        until_ms: number(row, "until_ms")?,
        changed_ms: number(row, "changed_ms")?,
        is_revoked: row.get("is_revoked")?,
        browser: row.get("browser")?,
    })
}

pub(crate) fn session(db: &Connection, id: SessionId) -> Result<Option<Session>> {
    one(db, "SELECT * FROM sessions WHERE id = ?1", [id.number()], read_session)
}

pub(crate) fn sessions_of(
    db: &Connection,
    player: PlayerId,
    now_ms: u64,
    limit: u32,
) -> Result<Vec<Session>> {
    all(
        db,
        "SELECT * FROM sessions WHERE player_id = ?1 AND NOT is_revoked AND until_ms > ?2
         ORDER BY created_ms DESC, id DESC LIMIT ?3",
        params![player.number(), signed(now_ms), limit],
        read_session,
    )
}

pub(crate) fn changed_sessions(
    db: &Connection,
    since_ms: u64,
    now_ms: u64,
) -> Result<Vec<Session>> {
    all(
        db,
        "SELECT * FROM sessions
         WHERE (is_revoked OR generation > 0) AND changed_ms >= ?1 AND until_ms > ?2",
        [signed(since_ms), signed(now_ms)],
        read_session,
    )
}

fn read_holder(row: &Row<'_>) -> Result<SeatHolder> {
    let bot: Option<String> = row.get("bot")?;
    Ok(match (optional_id(row, "player_id")?, bot) {
        (Some(player), _) => SeatHolder::Player(player),
        (None, Some(bot)) => SeatHolder::Bot(bot),
        (None, None) => SeatHolder::Gone,
    })
}

/// The same look-ups for every id, whether there is such a match or not, so that all cost the same.
pub(crate) fn access(
    db: &Connection,
    match_id: MatchId,
    player: Option<PlayerId>,
    key: Option<WatchKey>,
) -> Result<Option<Access>> {
    let player = player.map(PlayerId::number);
    let found = one(
        db,
        "SELECT EXISTS (SELECT 1 FROM match_seats WHERE match_id = ?1 AND player_id = ?2),
             coalesce(founder = ?2, 0), coalesce(is_public, 0), coalesce(watch_key = ?3, 0)
         FROM (SELECT 1) LEFT JOIN matches ON id = ?1",
        params![match_id.number(), player, key.map(|key| key.0)],
        |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]),
    )?;
    Ok(match found {
        Some([true, ..] | [_, true, ..]) => Some(Access::Own),
        Some([_, _, true, _]) => Some(Access::Public),
        Some([.., true]) => Some(Access::Link),
        _ => None,
    })
}

pub(crate) fn contest(db: &Connection, match_id: MatchId) -> Result<Option<MatchRow>> {
    let seats = all(
        db,
        "SELECT player_id, bot FROM match_seats WHERE match_id = ?1 ORDER BY seat",
        [match_id.number()],
        read_holder,
    )?;
    one(
        db,
        "SELECT * FROM matches JOIN heads ON match_id = id WHERE id = ?1",
        [match_id.number()],
        |row| {
            let lease_until_ms: Option<i64> = row.get("lease_until_ms")?;
            Ok(MatchRow {
                id: match_id,
                game: row.get("game")?,
                rules_version: number(row, "rules_version")?,
                options: row.get("options")?,
                from_position: row.get("from_position")?,
                seed: parsed(row, "seed")?,
                commitment: parsed(row, "commitment")?,
                settings: row.get("settings")?,
                seats,
                is_public: row.get("is_public")?,
                created_ms: number(row, "created_ms")?,
                status: if row.get("is_over")? { MatchStatus::Over } else { MatchStatus::Running },
                owner: row.get("owner")?,
                epoch: number(row, "epoch")?,
                lease_until_ms: lease_until_ms.map_or(0, i64::unsigned_abs),
            })
        },
    )
}

pub(crate) fn entries(db: &Connection, match_id: MatchId, from_ply: u32) -> Result<Vec<Entry>> {
    // One snapshot for the head and the chain.
    let snapshot = db.unchecked_transaction()?;
    let head = one(
        &snapshot,
        "SELECT last_entry FROM heads WHERE match_id = ?1",
        [match_id.number()],
        |row| Ok(row.get::<_, Option<i64>>("last_entry")?),
    )?;
    let mut next = head.flatten();
    let mut entries: Vec<Entry> = Vec::new();
    while let Some(id) = next {
        let found = one(&snapshot, "SELECT * FROM entries WHERE id = ?1", [id], read_entry)?;
        let (owner, entry, previous) = found.ok_or_else(|| corrupt("an entry is missing"))?;
        let is_next =
            entries.last().is_none_or(|later| entry.ply.checked_add(1) == Some(later.ply));
        if owner != match_id || !is_next || (previous.is_none() && entry.ply != 0) {
            return Err(corrupt("the entries of a match are not in order"));
        }
        if entry.ply < from_ply {
            break;
        }
        next = previous;
        entries.push(entry);
    }
    entries.reverse();
    Ok(entries)
}

fn read_entry(row: &Row<'_>) -> Result<(MatchId, Entry, Option<i64>)> {
    let seat: Option<u8> = row.get("seat")?;
    let seat = seat.map(|seat| Seat::new(seat).ok_or_else(|| corrupt("seat"))).transpose()?;
    let entry = Entry {
        ply: number(row, "ply")?,
        seat,
        at_ms: number(row, "at_ms")?,
        nonce: row.get::<_, i64>("nonce")?.cast_unsigned(),
        epoch: number(row, "epoch")?,
        kind: parsed(row, "kind")?,
    };
    Ok((id(row, "match_id")?, entry, row.get("previous")?))
}

pub(crate) fn result(db: &Connection, match_id: MatchId) -> Result<Option<MatchResult>> {
    let places = all(
        db,
        "SELECT place FROM match_seats
         WHERE match_id = ?1 AND place IS NOT NULL ORDER BY seat",
        [match_id.number()],
        |row| number(row, "place"),
    )?;
    one(db, "SELECT * FROM results WHERE match_id = ?1", [match_id.number()], |row| {
        Ok(MatchResult {
            match_id,
            ended_ms: number(row, "ended_ms")?,
            reason: row.get("reason")?,
            places,
            final_views: row.get("final_views")?,
            notations: row.get("notations")?,
            state_hash: parsed(row, "state_hash")?,
        })
    })
}

pub(crate) fn match_history(
    db: &Connection,
    player: PlayerId,
    shown: Shown,
    limit: u32,
    offset: u32,
) -> Result<Vec<MatchSummary>> {
    let mut history = all(
        db,
        "SELECT id, game, created_ms, ended_ms, reason FROM matches JOIN results ON match_id = id
         WHERE id IN (SELECT match_id FROM match_seats WHERE player_id = ?1) AND (is_public OR ?2)
         ORDER BY ended_ms DESC, id DESC LIMIT ?3 OFFSET ?4",
        params![player.number(), shown == Shown::All, limit, offset],
        |row| {
            Ok(MatchSummary {
                id: id(row, "id")?,
                game: row.get("game")?,
                created_ms: number(row, "created_ms")?,
                ended_ms: number(row, "ended_ms")?,
                reason: row.get("reason")?,
                seats: Vec::new(),
            })
        },
    )?;
    for summary in &mut history {
        summary.seats = seats(db, summary.id)?;
    }
    Ok(history)
}

fn seats(db: &Connection, match_id: MatchId) -> Result<Vec<SeatSummary>> {
    all(
        db,
        "SELECT player_id, bot, place, name FROM match_seats
         LEFT JOIN players ON player_id = id WHERE match_id = ?1 ORDER BY seat",
        [match_id.number()],
        |row| {
            Ok(SeatSummary {
                holder: read_holder(row)?,
                name: row.get("name")?,
                place: row.get("place")?,
            })
        },
    )
}

const PUBLIC_MATCHES: &str = "SELECT id, game, settings, created_ms FROM matches
     WHERE is_public AND lease_until_ms IS NOT NULL AND (?1 IS NULL OR game = ?1)
     ORDER BY created_ms DESC, id DESC LIMIT ?2";

pub(crate) fn public_matches(
    db: &Connection,
    game: Option<&str>,
    limit: u32,
) -> Result<Vec<PublicMatch>> {
    all(db, PUBLIC_MATCHES, params![game, limit], |row| {
        let match_id = id(row, "id")?;
        Ok(PublicMatch {
            id: match_id,
            game: row.get("game")?,
            settings: row.get("settings")?,
            created_ms: number(row, "created_ms")?,
            seats: seats(db, match_id)?,
        })
    })
}

pub(crate) fn running_matches(db: &Connection, player: PlayerId) -> Result<Vec<MatchId>> {
    all(
        db,
        "SELECT id FROM matches WHERE id IN
             (SELECT match_id FROM match_seats JOIN heads USING (match_id)
              WHERE player_id = ?1 AND place IS NULL AND NOT is_over)
         ORDER BY created_ms, id",
        [player.number()],
        |row| id(row, "id"),
    )
}

pub(crate) fn unleased_matches(
    db: &Connection,
    now_ms: u64,
    after: Option<MatchId>,
    limit: u32,
) -> Result<Vec<MatchId>> {
    all(
        db,
        "SELECT id FROM matches WHERE lease_until_ms < ?1 AND id > ?2 ORDER BY id LIMIT ?3",
        params![signed(now_ms), after.map_or(i64::MIN, MatchId::number), limit],
        |row| id(row, "id"),
    )
}

fn read_lobby(row: &Row<'_>) -> Result<Lobby> {
    let created_ms = number(row, "created_ms")?;
    let touched_ms: Option<i64> = row.get("touched_ms")?;
    Ok(Lobby {
        id: id(row, "id")?,
        host: id(row, "host")?,
        is_public: row.get("is_public")?,
        body: row.get("body")?,
        created_ms,
        touched_ms: touched_ms.map_or(created_ms, i64::unsigned_abs),
        version: number(row, "version")?,
    })
}

pub(crate) fn lobby(db: &Connection, id: LobbyId) -> Result<Option<Lobby>> {
    one(db, "SELECT * FROM lobbies WHERE id = ?1", [id.number()], read_lobby)
}

pub(crate) fn lobbies_of(db: &Connection, host: PlayerId) -> Result<Vec<Lobby>> {
    all(db, "SELECT * FROM lobbies WHERE host = ?1 ORDER BY id", [host.number()], read_lobby)
}

pub(crate) fn lobbies_naming(db: &Connection, player: PlayerId) -> Result<Vec<Lobby>> {
    all(
        db,
        "SELECT * FROM lobbies WHERE host <> ?1 AND instr(body, ?2) > 0 ORDER BY id",
        params![player.number(), player_in_body(player)],
        read_lobby,
    )
}

pub(crate) fn public_lobbies(db: &Connection, limit: u32, offset: u32) -> Result<Vec<Lobby>> {
    all(
        db,
        "SELECT * FROM lobbies WHERE is_public ORDER BY created_ms DESC, id DESC
         LIMIT ?1 OFFSET ?2",
        [limit, offset],
        read_lobby,
    )
}

pub(crate) fn stale_lobbies(
    db: &Connection,
    public_before_ms: u64,
    private_before_ms: u64,
    limit: u32,
) -> Result<Vec<Lobby>> {
    all(
        db,
        "SELECT * FROM lobbies
         WHERE coalesce(touched_ms, created_ms) < CASE WHEN is_public THEN ?1 ELSE ?2 END
         LIMIT ?3",
        params![signed(public_before_ms), signed(private_before_ms), limit],
        read_lobby,
    )
}

fn read_pairing(row: &Row<'_>) -> Result<Pairing> {
    let since_ms = number(row, "since_ms")?;
    let asked_ms: Option<i64> = row.get("asked_ms")?;
    Ok(Pairing {
        player: id(row, "player_id")?,
        pool: row.get("pool")?,
        body: row.get("body")?,
        since_ms,
        asked_ms: asked_ms.map_or(since_ms, i64::unsigned_abs),
    })
}

pub(crate) fn pairing(db: &Connection, player: PlayerId) -> Result<Option<Pairing>> {
    one(db, "SELECT * FROM pairings WHERE player_id = ?1", [player.number()], read_pairing)
}

pub(crate) fn pairings(db: &Connection, pool: &str) -> Result<Vec<Pairing>> {
    let sql = "SELECT * FROM pairings WHERE pool = ?1 ORDER BY since_ms, player_id";
    all(db, sql, [pool], read_pairing)
}

pub(crate) fn shared_pools(db: &Connection) -> Result<Vec<String>> {
    let sql = "SELECT pool FROM pairings GROUP BY pool HAVING count(*) > 1";
    all(db, sql, [], |row| Ok(row.get("pool")?))
}

/// Guests without a running match who were not here since, after one id and up to another.
pub(crate) const IDLE_GUESTS: &str = "SELECT id FROM players
     WHERE role = 'guest' AND created_ms < ?1 AND id > ?2 AND id <= ?3
         AND NOT EXISTS (SELECT 1 FROM sessions
             WHERE sessions.player_id = players.id AND changed_ms >= ?1)
         AND NOT EXISTS (SELECT 1 FROM match_seats
             JOIN heads USING (match_id) LEFT JOIN results USING (match_id)
             WHERE match_seats.player_id = players.id AND (NOT is_over OR ended_ms >= ?1))
     ORDER BY id LIMIT ?4";

pub(crate) fn idle_guests(
    db: &Connection,
    since_ms: u64,
    after: Option<PlayerId>,
    limit: u32,
) -> Result<Vec<PlayerId>> {
    let after = after.map_or(i64::MIN, PlayerId::number);
    all(db, IDLE_GUESTS, params![signed(since_ms), after, i64::MAX, limit], |row| id(row, "id"))
}

pub(crate) fn matches_without_account(
    db: &Connection,
    before_ms: u64,
    after: Option<(u64, MatchId)>,
    limit: u32,
) -> Result<Vec<(u64, MatchId)>> {
    let (after_ms, after) = after.map_or((-1, i64::MIN), |(ms, id)| (signed(ms), id.number()));
    all(
        db,
        "SELECT ended_ms, match_id FROM results
         WHERE ended_ms < ?1 AND (ended_ms, match_id) > (?2, ?3)
             AND NOT EXISTS (SELECT 1 FROM match_seats JOIN players ON id = player_id
                 WHERE match_seats.match_id = results.match_id AND role <> 'guest')
         ORDER BY ended_ms, match_id LIMIT ?4",
        params![signed(before_ms), after_ms, after, limit],
        |row| Ok((number(row, "ended_ms")?, id(row, "match_id")?)),
    )
}

pub(crate) fn audit(db: &Connection, filter: &AuditFilter) -> Result<Vec<AuditRecord>> {
    let wanted: [(&str, Option<Box<dyn ToSql>>); 10] = [
        ("at_ms >=", filter.from_ms.map(|ms| Box::new(signed(ms)) as Box<dyn ToSql>)),
        ("at_ms <", filter.until_ms.map(|ms| Box::new(signed(ms)) as _)),
        ("kind =", filter.kind.map(|kind| Box::new(kind.as_str()) as _)),
        ("name =", filter.name.clone().map(|name| Box::new(name) as _)),
        ("user_id =", filter.user.map(|id| Box::new(id.number()) as _)),
        ("session_id =", filter.session.map(|id| Box::new(id.number()) as _)),
        ("match_id =", filter.match_id.map(|id| Box::new(id.number()) as _)),
        ("severity =", filter.severity.map(|severity| Box::new(severity.as_str()) as _)),
        ("correlation =", filter.correlation.clone().map(|text| Box::new(text) as _)),
        ("id <", filter.before.map(|id| Box::new(id.number()) as _)),
    ];
    let mut sql = "SELECT * FROM audit WHERE true".to_owned();
    let mut values: Vec<Box<dyn ToSql>> = Vec::new();
    for (condition, value) in wanted {
        if let Some(value) = value {
            sql.extend([" AND ", condition, " ?"]);
            values.push(value);
        }
    }
    sql.push_str(" ORDER BY id DESC LIMIT ?");
    values.push(Box::new(filter.limit));
    all(db, &sql, rusqlite::params_from_iter(values), read_audit)
}

fn read_audit(row: &Row<'_>) -> Result<AuditRecord> {
    Ok(AuditRecord {
        id: id(row, "id")?,
        at_ms: number(row, "at_ms")?,
        kind: parsed::<Kind>(row, "kind")?,
        name: row.get("name")?,
        severity: parsed::<Severity>(row, "severity")?,
        context: Context {
            user: optional_id(row, "user_id")?,
            session: optional_id(row, "session_id")?,
            match_id: optional_id(row, "match_id")?,
            correlation: row.get("correlation")?,
        },
        payload: row.get("payload")?,
        is_redacted: row.get("is_redacted")?,
    })
}

pub(crate) fn house_value(db: &Connection, name: &str) -> Result<Option<String>> {
    one(db, "SELECT value FROM house WHERE name = ?1", [name], |row| Ok(row.get("value")?))
}

pub(crate) fn ids(db: &Connection, of: Listed, after: Option<i64>, limit: u32) -> Result<Vec<i64>> {
    let table = match of {
        Listed::Players => "players",
        Listed::Matches => "matches",
        Listed::Lobbies => "lobbies",
    };
    let sql = format!("SELECT id FROM {table} WHERE id > ?1 ORDER BY id LIMIT ?2");
    all(db, &sql, params![after.unwrap_or(i64::MIN), limit], |row| Ok(row.get("id")?))
}

/// What is wrong with pages, indexes, and references between tables.
pub(crate) fn inspect(db: &Connection) -> Result<Vec<String>> {
    let mut problems = all(db, "PRAGMA integrity_check", [], |row| Ok(row.get::<_, String>(0)?))?;
    problems.retain(|line| line != "ok");
    let dangling = |row: &Row<'_>| {
        let (table, parent): (String, String) = (row.get("table")?, row.get("parent")?);
        Ok(format!("a row of {table} names one of {parent} that is not there"))
    };
    problems.extend(all(db, "PRAGMA foreign_key_check", [], dangling)?);
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use rusqlite::params;

    use super::{PUBLIC_MATCHES, all};
    use crate::connection::open_writer;

    /// Without its index the list would sort all matches that ever were.
    #[test]
    fn the_list_of_matches_is_read_in_the_order_of_its_index() {
        let folder = tempfile::TempDir::new().unwrap();
        let db = open_writer(&folder.path().join("parlor.db"), false).unwrap();
        let plan = format!("EXPLAIN QUERY PLAN {PUBLIC_MATCHES}");
        let steps =
            all(&db, &plan, params![Some("chess"), 20], |row| Ok(row.get::<_, String>("detail")?));
        let steps = steps.unwrap_or_else(|fault| panic!("{:?}", fault.0));
        assert_eq!(steps, ["SCAN matches USING INDEX matches_in_list"]);
    }
}
