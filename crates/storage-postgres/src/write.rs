//! Changes as SQL: a unit is one transaction.
//!
//! A change first tries what it wants in one statement that also checks, so that of many who try at
//! once exactly one succeeds; only if that touched no row does it look why.

use audit::AuditRecord;
use domain::{AuditId, MatchId, PlayerId, SessionId};
use game_api::{Entry, Seat};
use sqlx::postgres::{PgArguments, PgConnection, PgPool, Postgres};
use sqlx::query;
use sqlx::query::Query;
use storage::{
    Change, Counted, Lobby, MatchResult, NewMatch, NewPlayer, Pairing, Rating, Score, SeatHolder,
    Session, StorageError, Thing, WatchKey, player_in_body,
};

use crate::error::{Halt, storage_error};
use crate::names::{self, Rename};
use crate::rows::get;
use crate::writer::Columns;

pub(crate) type Done<T = ()> = std::result::Result<T, Halt>;

/// How often a unit is tried that others got in the way of.
const ATTEMPTS: usize = 10;

/// Stores a unit by itself.
pub(crate) async fn commit(pool: &PgPool, unit: &[Change]) -> crate::Result<()> {
    if unit.is_empty() {
        return Ok(());
    }
    for _ in 0..ATTEMPTS {
        match attempt(pool, unit).await {
            Ok(()) | Err(Halt::Stored) => return Ok(()),
            Err(Halt::Refused(error)) => return Err(error),
            // PostgreSQL has chosen one of those in the way of each other; the others went on.
            Err(Halt::Again) => {}
        }
    }
    Err(StorageError::unavailable("others were in the way too often"))
}

/// A transaction that is dropped on the way is rolled back by the pool.
async fn attempt(pool: &PgPool, unit: &[Change]) -> Done {
    let mut transaction = pool.begin().await?;
    for change in unit {
        apply(&mut transaction, change).await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// A time as its column holds it. One beyond the column's end is as good as its end.
pub(crate) fn ms(time_ms: u64) -> i64 {
    i64::try_from(time_ms).unwrap_or(i64::MAX)
}

/// A seat as its column holds it.
pub(crate) fn seat_number(seat: Seat) -> i16 {
    // Seats are counted in a byte.
    i16::try_from(seat.index()).unwrap_or(i16::MAX)
}

/// What names are compared by.
pub(crate) fn name_key(name: &str) -> String {
    name.to_ascii_lowercase()
}

type Statement<'q> = Query<'q, Postgres, PgArguments>;

pub(crate) async fn run(statement: Statement<'_>, on: &mut PgConnection) -> Done<u64> {
    Ok(statement.execute(on).await?.rows_affected())
}

pub(crate) async fn is_there(rows: Statement<'_>, on: &mut PgConnection) -> Done<bool> {
    Ok(rows.fetch_optional(on).await?.is_some())
}

/// Runs a statement that must touch a row, else there is no such thing.
async fn touch(statement: Statement<'_>, thing: Thing, on: &mut PgConnection) -> Done {
    if run(statement, on).await? == 0 {
        return Err(StorageError::NotFound(thing).into());
    }
    Ok(())
}

/// Refuses a change whose statement touched no row: the thing is absent or, if `there` finds it, not
/// as it was thought to be.
async fn refuse(there: Statement<'_>, thing: Thing, on: &mut PgConnection) -> Done {
    let is_there = is_there(there, on).await?;
    let error = if is_there { StorageError::Conflict } else { StorageError::NotFound };
    Err(error(thing).into())
}

/// Runs a statement that must touch a row, else it is refused.
async fn touch_as_seen(
    statement: Statement<'_>,
    there: Statement<'_>,
    thing: Thing,
    on: &mut PgConnection,
) -> Done {
    match run(statement, on).await? {
        0 => refuse(there, thing, on).await,
        _ => Ok(()),
    }
}

async fn apply(on: &mut PgConnection, change: &Change) -> Done {
    match change {
        Change::CreatePlayer(new) => create_player(on, new).await,
        Change::UpdateProfile { player, name, avatar } => {
            update_profile(on, *player, name.as_deref(), avatar.as_deref()).await
        }
        Change::ClaimName { player, name, now_ms } => {
            names::claim(on, *player, name, *now_ms).await
        }
        Change::Rename { player, name, now_ms, last_until_ms, reserved_until_ms } => {
            let change = Rename {
                player: *player,
                name,
                now_ms: *now_ms,
                last_until_ms: *last_until_ms,
                reserved_until_ms: *reserved_until_ms,
            };
            names::rename(on, &change).await
        }
        Change::SetRole { player, role } => {
            let statement = query("UPDATE players SET role = $2 WHERE id = $1");
            touch(statement.bind(player.number()).bind(role.as_str()), Thing::Player, on).await
        }
        Change::StoreCredential { player, password_hash } => {
            let statement = query(
                "INSERT INTO credentials (player_id, password_hash) VALUES ($1, $2)
                ON CONFLICT (player_id) DO UPDATE SET password_hash = excluded.password_hash",
            );
            run(statement.bind(player.number()).bind(password_hash), on).await.map(drop)
        }
        Change::ForgetDevice { player } => {
            let statement = query("UPDATE players SET device = NULL WHERE id = $1");
            touch(statement.bind(player.number()), Thing::Player, on).await
        }
        Change::HoldPlayer { player } => must_hold_player(on, *player).await,
        Change::DeletePlayer { player, now_ms } => delete_player(on, *player, *now_ms).await,
        Change::RequireIdleGuest { player, since_ms } => {
            require_idle_guest(on, *player, *since_ms).await
        }
        Change::OpenSession(session) => open_session(on, session).await,
        Change::RotateSession { id, generation, until_ms, now_ms } => {
            rotate_session(on, *id, *generation, *until_ms, *now_ms).await
        }
        Change::HoldSession { id } => hold_session(on, *id).await,
        Change::RevokeSession { id, now_ms } => {
            let statement =
                query("UPDATE sessions SET is_revoked = TRUE, changed_ms = $2 WHERE id = $1");
            touch(statement.bind(id.number()).bind(ms(*now_ms)), Thing::Session, on).await
        }
        Change::RevokeSessionsOf { player, except, now_ms } => {
            revoke_sessions_of(on, *player, *except, *now_ms).await
        }
        Change::Limit { player, of, most } => check_limit(on, *player, *of, *most).await,
        Change::CreateMatch(new) => create_match(on, new).await,
        Change::TakeLease { match_id, owner, epoch, until_ms } => {
            let statement = query(
                "UPDATE matches SET epoch = epoch + 1, owner = $3, lease_until_ms = $4
                WHERE id = $1 AND epoch = $2 AND status = 0",
            );
            let statement = statement.bind(match_id.number()).bind(i64::from(*epoch));
            let statement = statement.bind(owner).bind(ms(*until_ms));
            touch_as_seen(statement, the_match(*match_id), Thing::Match, on).await
        }
        Change::RenewLease { match_id, epoch, until_ms } => {
            let statement = query(
                "UPDATE matches SET lease_until_ms = $3
                WHERE id = $1 AND epoch = $2 AND status = 0",
            );
            let statement = statement.bind(match_id.number()).bind(i64::from(*epoch));
            let statement = statement.bind(ms(*until_ms));
            touch_as_seen(statement, the_match(*match_id), Thing::Match, on).await
        }
        Change::Append { match_id, entry } => append(on, *match_id, entry).await,
        Change::EndMatch(result) => end_match(on, result).await,
        Change::DeleteMatch { match_id } => delete_match(on, *match_id).await,
        Change::SetWatchKey { match_id, key } => set_watch_key(on, *match_id, *key).await,
        Change::CountResult { player, game, score, is_public } => {
            count(on, *player, game, *score, *is_public).await
        }
        Change::SetRating(rating) => set_rating(on, rating).await,
        Change::PutLobby(lobby) => put_lobby(on, lobby).await,
        Change::DeleteLobby { id } => {
            let statement = query("DELETE FROM lobbies WHERE id = $1").bind(id.number());
            touch(statement, Thing::Lobby, on).await
        }
        Change::PutPairing(pairing) => put_pairing(on, pairing).await,
        Change::DeletePairing { player } => {
            let statement = query("DELETE FROM pairings WHERE player_id = $1");
            touch(statement.bind(player.number()), Thing::Pairing, on).await
        }
        Change::SetHouseValue { name, before, value } => {
            set_house_value(on, name, before.as_deref(), value).await
        }
        Change::Audit(record) => audit(on, record).await,
        Change::RedactAudit { id, fields } => redact_audit(on, *id, fields).await,
    }
}

async fn rotate_session(
    on: &mut PgConnection,
    id: SessionId,
    generation: u32,
    until_ms: u64,
    now_ms: u64,
) -> Done {
    let statement = query(
        "UPDATE sessions SET generation = generation + 1,
        until_ms = GREATEST(until_ms, $3), changed_ms = $4
        WHERE id = $1 AND generation = $2 AND NOT is_revoked",
    );
    let statement = statement.bind(id.number()).bind(i64::from(generation));
    let statement = statement.bind(ms(until_ms)).bind(ms(now_ms));
    let there = query("SELECT 1 FROM sessions WHERE id = $1").bind(id.number());
    touch_as_seen(statement, there, Thing::Session, on).await
}

async fn create_player(on: &mut PgConnection, new: &NewPlayer) -> Done {
    let NewPlayer { player, device } = new;
    let statement = query(
        "INSERT INTO players (id, name, name_key, role, avatar, device, created_ms)
        VALUES ($1, $2, $3, $4, $5, $6, $7)",
    );
    let statement = statement.bind(player.id.number()).bind(&player.name);
    let statement = statement.bind(name_key(&player.name)).bind(player.role.as_str());
    let statement = statement.bind(&player.avatar).bind(device.as_ref().map(|key| &key.0[..]));
    run(statement.bind(ms(player.created_ms)), on).await.map(drop)
}

/// Guests without a running match who were not here since, after one id and up to another.
pub(crate) const IDLE_GUESTS: &str = "SELECT id FROM players
    WHERE role = 'guest' AND created_ms < $1 AND id > $2 AND id <= $3
        AND NOT EXISTS (SELECT 1 FROM sessions
            WHERE sessions.player_id = players.id AND changed_ms >= $1)
        AND NOT EXISTS (SELECT 1 FROM match_seats
            JOIN matches ON matches.id = match_id LEFT JOIN results USING (match_id)
            WHERE match_seats.player_id = players.id AND (status = 0 OR ended_ms >= $1))
    ORDER BY id LIMIT $4";

async fn require_idle_guest(on: &mut PgConnection, player: PlayerId, since_ms: u64) -> Done {
    let number = player.number();
    // Nobody gives a seat meanwhile to somebody whose row is held like this.
    let held = query("SELECT 1 FROM players WHERE id = $1 FOR UPDATE").bind(number);
    if !is_there(held, on).await? {
        return Err(StorageError::NotFound(Thing::Player).into());
    }
    let statement = query(IDLE_GUESTS).bind(ms(since_ms)).bind(number.saturating_sub(1));
    if !is_there(statement.bind(number).bind(1_i64), on).await? {
        return Err(StorageError::Conflict(Thing::Player).into());
    }
    Ok(())
}

/// Counts before the unit adds one. The player's row is held until the unit is done, so that another
/// unit with a limit counts after it; a seat that is given meanwhile needs no more than the row's key.
async fn check_limit(on: &mut PgConnection, player: PlayerId, of: Counted, most: u32) -> Done {
    let held = query("SELECT 1 FROM players WHERE id = $1 FOR NO KEY UPDATE");
    if !is_there(held.bind(player.number()), on).await? {
        return Err(StorageError::NotFound(Thing::Player).into());
    }
    let statement = query(match of {
        Counted::Lobbies => "SELECT COUNT(*) AS count FROM lobbies WHERE host = $1",
        Counted::RunningMatches => {
            "SELECT COUNT(DISTINCT match_id) AS count
            FROM match_seats JOIN matches ON id = match_id
            WHERE player_id = $1 AND place IS NULL AND status = 0"
        }
    });
    let row = statement.bind(player.number()).fetch_one(on).await?;
    if get::<i64>(&row, "count")? >= i64::from(most) {
        return Err(StorageError::Conflict(Thing::Limit).into());
    }
    Ok(())
}

async fn delete_player(on: &mut PgConnection, player: PlayerId, now_ms: u64) -> Done {
    // The rest goes with the row, by its foreign keys.
    let statement = query("DELETE FROM players WHERE id = $1").bind(player.number());
    touch(statement, Thing::Player, on).await?;
    // After the row is gone: whoever was joining held it until then, so its lobby is seen.
    let named = query("SELECT 1 FROM lobbies WHERE STRPOS(body, $1) > 0");
    if is_there(named.bind(player_in_body(player)), on).await? {
        return Err(StorageError::Conflict(Thing::Lobby).into());
    }
    revoke_sessions_of(on, player, None, now_ms).await
}

async fn hold_session(on: &mut PgConnection, id: SessionId) -> Done {
    let held = query("SELECT 1 FROM sessions WHERE id = $1 AND NOT is_revoked FOR UPDATE");
    if is_there(held.bind(id.number()), on).await? {
        return Ok(());
    }
    let there = query("SELECT 1 FROM sessions WHERE id = $1").bind(id.number());
    refuse(there, Thing::Session, on).await
}

async fn open_session(on: &mut PgConnection, session: &Session) -> Done {
    let statement = query(
        "INSERT INTO sessions
            (id, player_id, generation, created_ms, until_ms, changed_ms, is_revoked, browser)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    );
    let statement = statement.bind(session.id.number()).bind(session.player.number());
    let statement = statement.bind(i64::from(session.generation)).bind(ms(session.created_ms));
    let statement = statement.bind(ms(session.until_ms)).bind(ms(session.changed_ms));
    let statement = statement.bind(session.is_revoked).bind(&session.browser);
    run(statement, on).await.map(drop)
}

async fn revoke_sessions_of(
    on: &mut PgConnection,
    player: PlayerId,
    except: Option<SessionId>,
    now_ms: u64,
) -> Done {
    let statement = query(
        "UPDATE sessions SET is_revoked = TRUE, changed_ms = $3
        WHERE player_id = $1 AND id IS DISTINCT FROM $2 AND NOT is_revoked",
    );
    let statement = statement.bind(player.number()).bind(except.map(SessionId::number));
    run(statement.bind(ms(now_ms)), on).await.map(drop)
}

fn the_match(id: MatchId) -> Statement<'static> {
    query("SELECT 1 FROM matches WHERE id = $1").bind(id.number())
}

async fn create_match(on: &mut PgConnection, new: &NewMatch) -> Done {
    let statement = query(
        "INSERT INTO matches (id, game, rules_version, options, from_position, seed, commitment,
            settings, seats, created_ms, status, owner, epoch, lease_until_ms, is_public,
            founder)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CARDINALITY($12::TEXT[]), $9, 0, $10, 0, $11, $13,
            $14)",
    );
    let (mut players, mut bots) = (Vec::new(), Vec::new());
    for holder in &new.seats {
        let (player, bot) = match holder {
            SeatHolder::Player(player) => (Some(player.number()), None),
            SeatHolder::Bot(kind) => (None, Some(kind.as_str())),
            SeatHolder::Gone => (None, None),
        };
        players.push(player);
        bots.push(bot);
    }
    let statement = statement.bind(new.id.number()).bind(&new.game);
    let statement = statement.bind(i64::from(new.rules_version)).bind(&new.options);
    let statement = statement.bind(&new.from_position).bind(new.seed.reveal());
    let statement = statement.bind(new.commitment.to_string()).bind(&new.settings);
    let statement = statement.bind(ms(new.created_ms)).bind(&new.owner);
    let statement = statement.bind(ms(new.lease_until_ms)).bind(&bots).bind(new.is_public);
    run(statement.bind(new.founder.map(PlayerId::number)), on).await?;
    let statement = query(
        "INSERT INTO match_seats (match_id, seat, player_id, bot)
        SELECT $1, number - 1, player_id, bot
        FROM UNNEST($2::BIGINT[], $3::TEXT[]) WITH ORDINALITY AS seat (player_id, bot, number)",
    );
    run(statement.bind(new.id.number()).bind(players).bind(bots), on).await.map(drop)
}

async fn set_watch_key(on: &mut PgConnection, id: MatchId, key: Option<WatchKey>) -> Done {
    let statement = query("UPDATE matches SET watch_key = $2 WHERE id = $1");
    let key = key.as_ref().map(|key| &key.0[..]);
    touch(statement.bind(id.number()).bind(key), Thing::Match, on).await
}

async fn append(on: &mut PgConnection, match_id: MatchId, entry: &Entry) -> Done {
    let mut columns = Columns::default();
    columns.push(match_id, entry, false);
    if columns.insert(on).await? == 1 {
        return Ok(());
    }
    let there = query(
        "SELECT epoch = $3 AND nonce = $4 AS is_same FROM entries
        WHERE match_id = $1 AND ply = $2",
    );
    let there = there.bind(match_id.number()).bind(i64::from(entry.ply));
    let there = there.bind(i64::from(entry.epoch)).bind(entry.nonce.cast_signed());
    match there.fetch_optional(&mut *on).await? {
        Some(row) if get(&row, "is_same")? => Err(Halt::Stored),
        Some(_) => Err(StorageError::Conflict(Thing::Entry).into()),
        None => {
            let open =
                query("SELECT epoch = $2 AND status = 0 AS is_open FROM matches WHERE id = $1");
            let open = open.bind(match_id.number()).bind(i64::from(entry.epoch));
            match open.fetch_optional(on).await? {
                // A gap: its writer has not seen what is stored.
                Some(row) if get(&row, "is_open")? => {
                    Err(StorageError::Conflict(Thing::Entry).into())
                }
                Some(_) => Err(StorageError::Conflict(Thing::Match).into()),
                None => Err(StorageError::NotFound(Thing::Match).into()),
            }
        }
    }
}

async fn end_match(on: &mut PgConnection, result: &MatchResult) -> Done {
    let id = result.match_id;
    let statement = query("UPDATE matches SET status = 1 WHERE id = $1 AND status = 0");
    touch_as_seen(statement.bind(id.number()), the_match(id), Thing::Match, on).await?;
    let statement = query(
        "INSERT INTO results (match_id, ended_ms, reason, final_views, notations, state_hash)
        VALUES ($1, $2, $3, $4, $5, $6)",
    );
    let statement = statement.bind(id.number()).bind(ms(result.ended_ms)).bind(&result.reason);
    let statement = statement.bind(&result.final_views).bind(&result.notations);
    run(statement.bind(result.state_hash.to_string()), on).await?;
    let statement = query(
        "UPDATE match_seats SET place = its.place
        FROM UNNEST($2::SMALLINT[]) WITH ORDINALITY AS its (place, number)
        WHERE match_id = $1 AND seat = its.number - 1",
    );
    let places: Vec<i16> = result.places.iter().copied().map(i16::from).collect();
    run(statement.bind(id.number()).bind(places), on).await.map(drop)
}

async fn delete_match(on: &mut PgConnection, id: MatchId) -> Done {
    let open = query(
        "SELECT 1 FROM matches WHERE id = $1 AND status = 1 AND NOT EXISTS (
            SELECT 1 FROM match_seats JOIN players ON players.id = player_id
            WHERE match_id = $1 AND role <> 'guest'
        )",
    );
    if !is_there(open.bind(id.number()), on).await? {
        return refuse(the_match(id), Thing::Match, on).await;
    }
    for sql in [
        "DELETE FROM entries WHERE match_id = $1",
        "DELETE FROM results WHERE match_id = $1",
        "DELETE FROM match_seats WHERE match_id = $1",
        "DELETE FROM matches WHERE id = $1",
    ] {
        run(query(sql).bind(id.number()), on).await?;
    }
    Ok(())
}

/// Whether somebody is there, and stays until the transaction ends.
async fn hold_player(on: &mut PgConnection, id: PlayerId) -> Done<bool> {
    is_there(query("SELECT 1 FROM players WHERE id = $1 FOR KEY SHARE").bind(id.number()), on).await
}

async fn must_hold_player(on: &mut PgConnection, id: PlayerId) -> Done {
    if hold_player(on, id).await? {
        Ok(())
    } else {
        Err(StorageError::NotFound(Thing::Player).into())
    }
}

async fn count(
    on: &mut PgConnection,
    player: PlayerId,
    game: &str,
    score: Score,
    is_public: bool,
) -> Done {
    if !hold_player(on, player).await? {
        return Ok(());
    }
    let statement = query(
        "INSERT INTO statistics AS old
            (player_id, game, won, drawn, lost, public_won, public_drawn, public_lost)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (player_id, game) DO UPDATE SET won = old.won + excluded.won,
            drawn = old.drawn + excluded.drawn, lost = old.lost + excluded.lost,
            public_won = old.public_won + excluded.public_won,
            public_drawn = old.public_drawn + excluded.public_drawn,
            public_lost = old.public_lost + excluded.public_lost",
    );
    let mut statement = statement.bind(player.number()).bind(game);
    for counted in [Score::Won, Score::Drawn, Score::Lost] {
        statement = statement.bind(i32::from(score == counted));
    }
    for counted in [Score::Won, Score::Drawn, Score::Lost] {
        statement = statement.bind(i32::from(is_public && score == counted));
    }
    run(statement, on).await.map(drop)
}

async fn set_rating(on: &mut PgConnection, rating: &Rating) -> Done {
    if !hold_player(on, rating.player).await? {
        return Ok(());
    }
    let statement = query(match rating.version {
        1 => {
            "INSERT INTO ratings
                (player_id, game, speed, rating, deviation, volatility, version)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT DO NOTHING"
        }
        _ => {
            "UPDATE ratings SET rating = $4, deviation = $5, volatility = $6, version = $7
            WHERE player_id = $1 AND game = $2 AND speed = $3 AND version = $7 - 1"
        }
    });
    let statement = statement.bind(rating.player.number()).bind(&rating.game).bind(&rating.speed);
    let statement = statement.bind(rating.rating).bind(rating.deviation).bind(rating.volatility);
    if run(statement.bind(i64::from(rating.version)), on).await? == 0 {
        return Err(StorageError::Conflict(Thing::Rating).into());
    }
    Ok(())
}

async fn put_lobby(on: &mut PgConnection, lobby: &Lobby) -> Done {
    must_hold_player(on, lobby.host).await?;
    let statement = query(match lobby.version {
        1 => {
            "INSERT INTO lobbies (id, host, is_public, body, created_ms, version, touched_ms)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT DO NOTHING"
        }
        _ => {
            "UPDATE lobbies SET host = $2, is_public = $3, body = $4, created_ms = $5,
                version = $6, touched_ms = $7
            WHERE id = $1 AND version = $6 - 1"
        }
    });
    let statement = statement.bind(lobby.id.number()).bind(lobby.host.number());
    let statement = statement.bind(lobby.is_public).bind(&lobby.body).bind(ms(lobby.created_ms));
    let statement = statement.bind(i64::from(lobby.version)).bind(ms(lobby.touched_ms));
    let there = query("SELECT 1 FROM lobbies WHERE id = $1").bind(lobby.id.number());
    touch_as_seen(statement, there, Thing::Lobby, on).await
}

async fn put_pairing(on: &mut PgConnection, pairing: &Pairing) -> Done {
    let statement = query(
        "INSERT INTO pairings (player_id, pool, body, since_ms, asked_ms)
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (player_id) DO UPDATE SET pool = excluded.pool, body = excluded.body,
            since_ms = excluded.since_ms, asked_ms = excluded.asked_ms",
    );
    let statement = statement.bind(pairing.player.number()).bind(&pairing.pool);
    let statement = statement.bind(&pairing.body).bind(ms(pairing.since_ms));
    run(statement.bind(ms(pairing.asked_ms)), on).await.map(drop)
}

async fn audit(on: &mut PgConnection, record: &AuditRecord) -> Done {
    let statement = query(
        "INSERT INTO audit (id, at_ms, kind, name, severity, user_id, session_id, match_id,
            correlation, payload, is_redacted)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    );
    let context = &record.context;
    let statement = statement.bind(record.id.number()).bind(ms(record.at_ms));
    let statement = statement.bind(record.kind.as_str()).bind(&record.name);
    let statement = statement.bind(record.severity.as_str());
    let statement = statement.bind(context.user.map(PlayerId::number));
    let statement = statement.bind(context.session.map(SessionId::number));
    let statement = statement.bind(context.match_id.map(MatchId::number));
    let statement = statement.bind(&context.correlation).bind(&record.payload);
    run(statement.bind(record.is_redacted), on).await.map(drop)
}

async fn redact_audit(on: &mut PgConnection, id: AuditId, fields: &[String]) -> Done {
    // Locked, so that of two redactions at once neither writes the other's field back.
    let payload = query("SELECT payload FROM audit WHERE id = $1 FOR UPDATE").bind(id.number());
    let Some(row) = payload.fetch_optional(&mut *on).await? else {
        return Err(StorageError::NotFound(Thing::AuditRecord).into());
    };
    let redacted = audit::redact(get(&row, "payload")?, fields).map_err(StorageError::corrupt)?;
    let statement = query("UPDATE audit SET payload = $2, is_redacted = TRUE WHERE id = $1");
    run(statement.bind(id.number()).bind(redacted), on).await.map(drop)
}

async fn update_profile(
    on: &mut PgConnection,
    player: PlayerId,
    name: Option<&str>,
    avatar: Option<&str>,
) -> Done {
    let statement = query(
        "UPDATE players SET name = COALESCE($2, name), name_key = COALESCE($3, name_key),
        avatar = COALESCE($4, avatar) WHERE id = $1",
    );
    let statement = statement.bind(player.number()).bind(name);
    let statement = statement.bind(name.map(name_key)).bind(avatar);
    touch(statement, Thing::Player, on).await
}

async fn set_house_value(
    on: &mut PgConnection,
    name: &str,
    before: Option<&str>,
    value: &str,
) -> Done {
    let statement = match before {
        None => query("INSERT INTO house (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING"),
        Some(before) => {
            query("UPDATE house SET value = $3 WHERE name = $2 AND value = $1").bind(before)
        }
    };
    match run(statement.bind(name).bind(value), on).await? {
        0 => Err(StorageError::Conflict(Thing::HouseValue).into()),
        _ => Ok(()),
    }
}

/// Shows that the database reads and writes.
pub(crate) async fn ping(pool: &PgPool) -> crate::Result<()> {
    let statement = query(
        "INSERT INTO pulse (id, beats) VALUES (1, 1)
        ON CONFLICT (id) DO UPDATE SET beats = pulse.beats + 1",
    );
    statement.execute(pool).await.map(drop).map_err(storage_error)
}
