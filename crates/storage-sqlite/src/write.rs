//! Each change as SQL, inside the writer's transaction.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Known;

use audit::AuditRecord;
use domain::{MatchId, PlayerId, SessionId};
use game_api::Entry;
use rusqlite::{Connection, OptionalExtension as _, Params, Statement, params};
use storage::{
    Change, Counted, Lobby, MatchResult, NewMatch, NewPlayer, Pairing, Rating, Score, SeatHolder,
    Session, Thing, WatchKey, player_in_body,
};

use crate::columns::signed;
use crate::error::{Fault, Result, conflict, corrupt, missing};
use crate::names::{self, Rename};
use crate::read::IDLE_GUESTS;

/// Why a unit goes no further.
pub(crate) enum Halt {
    /// It was stored before.
    Stored,
    Refused(Fault),
}

impl<E: Into<Fault>> From<E> for Halt {
    fn from(error: E) -> Self {
        Halt::Refused(error.into())
    }
}

/// What appends need, kept ready: they are more than all other changes together.
pub(crate) struct Appending<'c> {
    head: Statement<'c>,
    insert: Statement<'c>,
    update: Statement<'c>,
    heads: Heads<'c>,
}

/// The heads of the matches that were appended to last, as the file has them.
struct Heads<'c> {
    known: HashMap<MatchId, Head>,
    /// Tells whether another process has written to the file.
    version: Statement<'c>,
    seen_version: i64,
}

/// More matches are hardly played at once on one machine; then they are read again.
const HEADS_MAX: usize = 16_384;

impl<'c> Appending<'c> {
    pub(crate) fn prepare(db: &'c Connection) -> Result<Appending<'c>> {
        Ok(Appending {
            head: db.prepare(HEAD)?,
            insert: db.prepare(
                "INSERT INTO entries (match_id, ply, seat, at_ms, nonce, epoch, kind, previous)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?,
            update: db
                .prepare("UPDATE heads SET plies = ?2, last_entry = ?3 WHERE match_id = ?1")?,
            heads: Heads {
                known: HashMap::new(),
                version: db.prepare("PRAGMA data_version")?,
                seen_version: 0,
            },
        })
    }

    /// A transaction has begun: what is known of the file is still so, or is forgotten.
    pub(crate) fn begin(&mut self) -> Result<()> {
        let version = self.heads.version.query_row([], |row| row.get(0))?;
        if version != self.heads.seen_version || self.heads.known.len() >= HEADS_MAX {
            self.forget();
            self.heads.seen_version = version;
        }
        Ok(())
    }

    /// What was written may have been taken back.
    pub(crate) fn forget(&mut self) {
        self.heads.known.clear();
    }
}

pub(crate) fn apply(
    db: &Connection,
    appending: &mut Appending<'_>,
    change: Change,
) -> std::result::Result<(), Halt> {
    match change {
        Change::Append { match_id, entry } => return append(db, appending, match_id, &entry),
        Change::CreatePlayer(new) => create_player(db, &new),
        Change::UpdateProfile { player, name, avatar } => {
            update_profile(db, player, name.as_deref(), avatar.as_deref())
        }
        Change::ClaimName { player, name, now_ms } => names::claim(db, player, &name, now_ms),
        Change::Rename { player, name, now_ms, last_until_ms, reserved_until_ms } => {
            let name = name.as_str();
            names::rename(db, &Rename { player, name, now_ms, last_until_ms, reserved_until_ms })
        }
        Change::SetRole { player, role } => must_change(
            db,
            "UPDATE players SET role = ?2 WHERE id = ?1",
            params![player.number(), role.as_str()],
            Thing::Player,
        ),
        Change::StoreCredential { player, password_hash } => run(
            db,
            "INSERT INTO credentials (player_id, password_hash) VALUES (?1, ?2)
             ON CONFLICT (player_id) DO UPDATE SET password_hash = excluded.password_hash",
            params![player.number(), password_hash],
        ),
        Change::ForgetDevice { player } => must_change(
            db,
            "UPDATE players SET device = NULL WHERE id = ?1",
            [player.number()],
            Thing::Player,
        ),
        Change::HoldPlayer { player } => hold_player(db, player.number()),
        Change::DeletePlayer { player, now_ms } => delete_player(db, player, now_ms),
        Change::RequireIdleGuest { player, since_ms } => require_idle_guest(db, player, since_ms),
        Change::OpenSession(session) => open_session(db, &session),
        Change::RotateSession { id, generation, until_ms, now_ms } => {
            rotate_session(db, id, generation, until_ms, now_ms)
        }
        Change::HoldSession { id } => hold_session(db, id),
        Change::RevokeSession { id, now_ms } => must_change(
            db,
            "UPDATE sessions SET is_revoked = 1, changed_ms = ?2 WHERE id = ?1",
            params![id.number(), signed(now_ms)],
            Thing::Session,
        ),
        Change::RevokeSessionsOf { player, except, now_ms } => {
            revoke_sessions_of(db, player, except, now_ms)
        }
        Change::Limit { player, of, most } => check_limit(db, player, of, most),
        Change::CreateMatch(new) => create_match(db, &new),
        Change::TakeLease { match_id, owner, epoch, until_ms } => {
            appending.heads.known.remove(&match_id);
            take_lease(db, match_id, &owner, epoch, until_ms)
        }
        Change::RenewLease { match_id, epoch, until_ms } => {
            renew_lease(db, match_id, epoch, until_ms)
        }
        Change::EndMatch(result) => {
            appending.heads.known.remove(&result.match_id);
            end_match(db, &result)
        }
        Change::DeleteMatch { match_id } => {
            appending.heads.known.remove(&match_id);
            delete_match(db, match_id)
        }
        Change::SetWatchKey { match_id, key } => set_watch_key(db, match_id, key),
        Change::CountResult { player, game, score, is_public } => {
            count_result(db, player, &game, score, is_public)
        }
        Change::SetRating(rating) => set_rating(db, &rating),
        Change::PutLobby(lobby) => put_lobby(db, &lobby),
        Change::DeleteLobby { id } => {
            must_change(db, "DELETE FROM lobbies WHERE id = ?1", [id.number()], Thing::Lobby)
        }
        Change::PutPairing(pairing) => put_pairing(db, &pairing),
        Change::DeletePairing { player } => must_change(
            db,
            "DELETE FROM pairings WHERE player_id = ?1",
            [player.number()],
            Thing::Pairing,
        ),
        Change::SetHouseValue { name, before, value } => {
            set_house_value(db, &name, before.as_deref(), &value)
        }
        Change::Audit(record) => write_audit(db, &record),
        Change::RedactAudit { id, fields } => redact_audit(db, id.number(), &fields),
    }?;
    Ok(())
}

fn run(db: &Connection, sql: &str, params: impl Params) -> Result<()> {
    changed(db, sql, params).map(drop)
}

pub(crate) fn changed(db: &Connection, sql: &str, params: impl Params) -> Result<u64> {
    Ok(db.prepare_cached(sql)?.execute(params)? as u64)
}

fn must_change(db: &Connection, sql: &str, params: impl Params, thing: Thing) -> Result<()> {
    match changed(db, sql, params)? {
        0 => Err(missing(thing)),
        _ => Ok(()),
    }
}

fn create_player(db: &Connection, new: &NewPlayer) -> Result<()> {
    let player = &new.player;
    run(
        db,
        "INSERT INTO players (id, name, name_key, role, avatar, device, created_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            player.id.number(),
            player.name,
            player.name.to_ascii_lowercase(),
            player.role.as_str(),
            player.avatar,
            new.device.map(|device| device.0),
            signed(player.created_ms),
        ],
    )
}

fn update_profile(
    db: &Connection,
    player: PlayerId,
    name: Option<&str>,
    avatar: Option<&str>,
) -> Result<()> {
    must_change(
        db,
        "UPDATE players SET name = coalesce(?2, name), name_key = coalesce(?3, name_key),
                avatar = coalesce(?4, avatar) WHERE id = ?1",
        params![player.number(), name, name.map(str::to_ascii_lowercase), avatar],
        Thing::Player,
    )
}

fn hold_player(db: &Connection, player: i64) -> Result<()> {
    let mut find = db.prepare_cached("SELECT 1 FROM players WHERE id = ?1")?;
    if find.exists([player])? { Ok(()) } else { Err(missing(Thing::Player)) }
}

fn delete_player(db: &Connection, player: PlayerId, now_ms: u64) -> Result<()> {
    let number = player.number();
    must_change(db, "DELETE FROM players WHERE id = ?1", [number], Thing::Player)?;
    let mut named = db.prepare_cached("SELECT 1 FROM lobbies WHERE instr(body, ?1) > 0")?;
    if named.exists([player_in_body(player)])? {
        return Err(conflict(Thing::Lobby));
    }
    revoke_sessions_of(db, player, None, now_ms)
}

fn require_idle_guest(db: &Connection, player: PlayerId, since_ms: u64) -> Result<()> {
    let number = player.number();
    hold_player(db, number)?;
    let is_idle = db.prepare_cached(IDLE_GUESTS)?.exists(params![
        signed(since_ms),
        number.saturating_sub(1),
        number,
        1
    ])?;
    if is_idle { Ok(()) } else { Err(conflict(Thing::Player)) }
}

/// Counts before the unit adds one. The writer does one unit after the other.
fn check_limit(db: &Connection, player: PlayerId, of: Counted, most: u32) -> Result<()> {
    hold_player(db, player.number())?;
    let mut count = db.prepare_cached(match of {
        Counted::Lobbies => "SELECT count(*) FROM lobbies WHERE host = ?1",
        Counted::RunningMatches => {
            "SELECT count(DISTINCT match_id) FROM match_seats JOIN heads USING (match_id)
             WHERE player_id = ?1 AND place IS NULL AND NOT is_over"
        }
    })?;
    let count: u32 = count.query_row([player.number()], |row| row.get(0))?;
    if count < most { Ok(()) } else { Err(conflict(Thing::Limit)) }
}

fn open_session(db: &Connection, session: &Session) -> Result<()> {
    run(
        db,
        "INSERT INTO sessions
             (id, player_id, generation, created_ms, until_ms, changed_ms, is_revoked, browser)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            session.id.number(),
            session.player.number(),
            session.generation,
            signed(session.created_ms),
            signed(session.until_ms),
            signed(session.changed_ms),
            session.is_revoked,
            session.browser,
        ],
    )
}

fn rotate_session(
    db: &Connection,
    id: SessionId,
    generation: u32,
    until_ms: u64,
    now_ms: u64,
) -> Result<()> {
    let rotated = changed(
        db,
        "UPDATE sessions SET generation = generation + 1, until_ms = max(until_ms, ?3),
                changed_ms = ?4
         WHERE id = ?1 AND generation = ?2 AND NOT is_revoked",
        params![id.number(), generation, signed(until_ms), signed(now_ms)],
    )?;
    if rotated == 1 {
        return Ok(());
    }
    let mut find = db.prepare_cached("SELECT 1 FROM sessions WHERE id = ?1")?;
    let is_there = find.exists([id.number()])?;
    Err(if is_there { conflict(Thing::Session) } else { missing(Thing::Session) })
}

fn hold_session(db: &Connection, id: SessionId) -> Result<()> {
    let mut find = db.prepare_cached("SELECT is_revoked FROM sessions WHERE id = ?1")?;
    match find.query_row([id.number()], |row| row.get(0)).optional()? {
        None => Err(missing(Thing::Session)),
        Some(true) => Err(conflict(Thing::Session)),
        Some(false) => Ok(()),
    }
}

fn revoke_sessions_of(
    db: &Connection,
    player: PlayerId,
    except: Option<SessionId>,
    now_ms: u64,
) -> Result<()> {
    run(
        db,
        "UPDATE sessions SET is_revoked = 1, changed_ms = ?3
         WHERE player_id = ?1 AND id IS NOT ?2 AND NOT is_revoked",
        params![player.number(), except.map(SessionId::number), signed(now_ms)],
    )
}

/// A match has at most [`game_api::MAX_SEATS`] seats.
fn seat_number(seat: usize) -> u16 {
    u16::try_from(seat).unwrap_or(u16::MAX)
}

fn create_match(db: &Connection, new: &NewMatch) -> Result<()> {
    let id = new.id.number();
    run(
        db,
        "INSERT INTO matches
             (id, game, rules_version, options, from_position, seed, commitment, settings,
              is_public, created_ms, owner, lease_until_ms, founder)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            id,
            new.game,
            new.rules_version,
            new.options,
            new.from_position,
            new.seed.reveal(),
            new.commitment.to_string(),
            new.settings,
            new.is_public,
            signed(new.created_ms),
            new.owner,
            signed(new.lease_until_ms),
            new.founder.map(PlayerId::number),
        ],
    )?;
    run(db, "INSERT INTO heads (match_id, is_over, epoch, plies) VALUES (?1, 0, 0, 0)", [id])?;
    for (seat, holder) in new.seats.iter().enumerate() {
        let (player, bot) = match holder {
            SeatHolder::Player(player) => (Some(player.number()), None),
            SeatHolder::Bot(bot) => (None, Some(bot)),
            SeatHolder::Gone => (None, None),
        };
        run(
            db,
            "INSERT INTO match_seats (match_id, seat, player_id, bot) VALUES (?1, ?2, ?3, ?4)",
            params![id, seat_number(seat), player, bot],
        )?;
    }
    Ok(())
}

/// What an append must know of its match.
struct Head {
    is_over: bool,
    epoch: u32,
    plies: u32,
    last_entry: Option<i64>,
}

const HEAD: &str = "SELECT is_over, epoch, plies, last_entry FROM heads WHERE match_id = ?1";

fn head(db: &Connection, id: MatchId) -> Result<Head> {
    read_head(&mut *db.prepare_cached(HEAD)?, id)
}

fn read_head(find: &mut Statement<'_>, id: MatchId) -> Result<Head> {
    let head = find.query_row([id.number()], |row| {
        Ok(Head {
            is_over: row.get(0)?,
            epoch: row.get(1)?,
            plies: row.get(2)?,
            last_entry: row.get(3)?,
        })
    });
    head.optional()?.ok_or_else(|| missing(Thing::Match))
}

fn running(db: &Connection, id: MatchId, epoch: u32) -> Result<()> {
    let head = head(db, id)?;
    if head.is_over || head.epoch != epoch { Err(conflict(Thing::Match)) } else { Ok(()) }
}

fn take_lease(db: &Connection, id: MatchId, owner: &str, epoch: u32, until_ms: u64) -> Result<()> {
    running(db, id, epoch)?;
    run(db, "UPDATE heads SET epoch = epoch + 1 WHERE match_id = ?1", [id.number()])?;
    run(
        db,
        "UPDATE matches SET owner = ?2, lease_until_ms = ?3 WHERE id = ?1",
        params![id.number(), owner, signed(until_ms)],
    )
}

fn renew_lease(db: &Connection, id: MatchId, epoch: u32, until_ms: u64) -> Result<()> {
    running(db, id, epoch)?;
    run(
        db,
        "UPDATE matches SET lease_until_ms = ?2 WHERE id = ?1",
        params![id.number(), signed(until_ms)],
    )
}

fn append(
    db: &Connection,
    appending: &mut Appending<'_>,
    id: MatchId,
    entry: &Entry,
) -> std::result::Result<(), Halt> {
    let head = match appending.heads.known.entry(id) {
        Known::Occupied(known) => known.into_mut(),
        Known::Vacant(unknown) => unknown.insert(read_head(&mut appending.head, id)?),
    };
    if entry.ply < head.plies {
        return Err(judge_stored(db, head, entry)?);
    }
    if head.is_over || entry.epoch != head.epoch {
        return Err(conflict(Thing::Match).into());
    }
    if entry.ply > head.plies {
        // A gap: its writer has not seen what is stored.
        return Err(conflict(Thing::Entry).into());
    }
    let last_entry = appending.insert.insert(params![
        id.number(),
        entry.ply,
        entry.seat.map(|seat| seat_number(seat.index())),
        signed(entry.at_ms),
        entry.nonce.cast_signed(),
        entry.epoch,
        entry.kind.to_string(),
        head.last_entry,
    ])?;
    appending.update.execute(params![id.number(), entry.ply + 1, last_entry])?;
    (head.plies, head.last_entry) = (entry.ply + 1, Some(last_entry));
    Ok(())
}

/// The place is taken: by this very entry, or by another?
fn judge_stored(db: &Connection, head: &Head, entry: &Entry) -> Result<Halt> {
    let mut find =
        db.prepare_cached("SELECT ply, epoch, nonce, previous FROM entries WHERE id = ?1")?;
    let mut next = head.last_entry;
    while let Some(id) = next {
        let (ply, epoch, nonce, previous): (u32, u32, i64, Option<i64>) =
            find.query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        if ply == entry.ply {
            let is_same = (epoch, nonce.cast_unsigned()) == (entry.epoch, entry.nonce);
            return Ok(if is_same { Halt::Stored } else { conflict(Thing::Entry).into() });
        }
        next = previous;
    }
    Err(corrupt("an entry is missing from its match"))
}

fn end_match(db: &Connection, result: &MatchResult) -> Result<()> {
    let id = result.match_id;
    let head = head(db, id)?;
    running(db, id, head.epoch)?;
    run(db, "UPDATE heads SET is_over = 1 WHERE match_id = ?1", [id.number()])?;
    run(db, "UPDATE matches SET lease_until_ms = NULL WHERE id = ?1", [id.number()])?;
    for (seat, place) in result.places.iter().enumerate() {
        run(
            db,
            "UPDATE match_seats SET place = ?3 WHERE match_id = ?1 AND seat = ?2",
            params![id.number(), seat_number(seat), place],
        )?;
    }
    run(
        db,
        "INSERT INTO results (match_id, ended_ms, reason, final_views, notations, state_hash)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            id.number(),
            signed(result.ended_ms),
            result.reason,
            result.final_views,
            result.notations,
            result.state_hash.to_string(),
        ],
    )
}

fn delete_match(db: &Connection, id: MatchId) -> Result<()> {
    let head = head(db, id)?;
    let mut account = db.prepare_cached(
        "SELECT 1 FROM match_seats JOIN players ON id = player_id
         WHERE match_id = ?1 AND role <> 'guest'",
    )?;
    if !head.is_over || account.exists([id.number()])? {
        return Err(conflict(Thing::Match));
    }
    let mut remove = db.prepare_cached("DELETE FROM entries WHERE id = ?1 RETURNING previous")?;
    let mut next = head.last_entry;
    while let Some(entry) = next {
        next = remove.query_row([entry], |row| row.get(0))?;
    }
    for sql in [
        "DELETE FROM results WHERE match_id = ?1",
        "DELETE FROM match_seats WHERE match_id = ?1",
        "DELETE FROM heads WHERE match_id = ?1",
        "DELETE FROM matches WHERE id = ?1",
    ] {
        run(db, sql, [id.number()])?;
    }
    Ok(())
}

fn set_watch_key(db: &Connection, id: MatchId, key: Option<WatchKey>) -> Result<()> {
    must_change(
        db,
        "UPDATE matches SET watch_key = ?2 WHERE id = ?1",
        params![id.number(), key.map(|key| key.0)],
        Thing::Match,
    )
}

fn count_result(
    db: &Connection,
    player: PlayerId,
    game: &str,
    score: Score,
    is_public: bool,
) -> Result<()> {
    let count = |wanted| u32::from(score == wanted);
    // Of somebody who is gone there is no row to select, so nothing is kept.
    run(
        db,
        "INSERT INTO statistics
             (player_id, game, won, drawn, lost, public_won, public_drawn, public_lost)
         SELECT id, ?2, ?3, ?4, ?5, ?3 * ?6, ?4 * ?6, ?5 * ?6 FROM players WHERE id = ?1
         ON CONFLICT (player_id, game) DO UPDATE SET
             won = won + excluded.won, drawn = drawn + excluded.drawn, lost = lost + excluded.lost,
             public_won = public_won + excluded.public_won,
             public_drawn = public_drawn + excluded.public_drawn,
             public_lost = public_lost + excluded.public_lost",
        params![
            player.number(),
            game,
            count(Score::Won),
            count(Score::Drawn),
            count(Score::Lost),
            is_public,
        ],
    )
}

fn set_rating(db: &Connection, rating: &Rating) -> Result<()> {
    let player = rating.player.number();
    if !db.prepare_cached("SELECT 1 FROM players WHERE id = ?1")?.exists([player])? {
        return Ok(());
    }
    let mut find = db.prepare_cached(
        "SELECT version FROM ratings WHERE player_id = ?1 AND game = ?2 AND speed = ?3",
    )?;
    let key = params![player, rating.game, rating.speed];
    let version: u32 = find.query_row(key, |row| row.get(0)).optional()?.unwrap_or(0);
    if rating.version != version + 1 {
        return Err(conflict(Thing::Rating));
    }
    run(
        db,
        "INSERT OR REPLACE INTO ratings
             (player_id, game, speed, rating, deviation, volatility, version)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            player,
            rating.game,
            rating.speed,
            rating.rating,
            rating.deviation,
            rating.volatility,
            rating.version,
        ],
    )
}

fn put_lobby(db: &Connection, lobby: &Lobby) -> Result<()> {
    let (id, host) = (lobby.id.number(), lobby.host.number());
    hold_player(db, host)?;
    let mut find = db.prepare_cached("SELECT version FROM lobbies WHERE id = ?1")?;
    let version: Option<u32> = find.query_row([id], |row| row.get(0)).optional()?;
    if version.is_none() && lobby.version != 1 {
        return Err(missing(Thing::Lobby));
    }
    if lobby.version != version.unwrap_or(0) + 1 {
        return Err(conflict(Thing::Lobby));
    }
    run(
        db,
        "INSERT OR REPLACE INTO lobbies
             (id, host, is_public, body, created_ms, touched_ms, version)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            id,
            host,
            lobby.is_public,
            lobby.body,
            signed(lobby.created_ms),
            signed(lobby.touched_ms),
            lobby.version,
        ],
    )
}

fn put_pairing(db: &Connection, pairing: &Pairing) -> Result<()> {
    run(
        db,
        "INSERT OR REPLACE INTO pairings (player_id, pool, body, since_ms, asked_ms)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            pairing.player.number(),
            pairing.pool,
            pairing.body,
            signed(pairing.since_ms),
            signed(pairing.asked_ms),
        ],
    )
}

fn write_audit(db: &Connection, record: &AuditRecord) -> Result<()> {
    let context = &record.context;
    run(
        db,
        "INSERT INTO audit (id, at_ms, kind, name, severity, user_id, session_id, match_id,
                            correlation, payload, is_redacted)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            record.id.number(),
            signed(record.at_ms),
            record.kind.as_str(),
            record.name,
            record.severity.as_str(),
            context.user.map(PlayerId::number),
            context.session.map(SessionId::number),
            context.match_id.map(MatchId::number),
            context.correlation,
            record.payload,
            record.is_redacted,
        ],
    )
}

fn redact_audit(db: &Connection, id: i64, fields: &[String]) -> Result<()> {
    let mut find = db.prepare_cached("SELECT payload FROM audit WHERE id = ?1")?;
    let payload: Option<String> = find.query_row([id], |row| row.get(0)).optional()?;
    let payload = payload.ok_or_else(|| missing(Thing::AuditRecord))?;
    let payload = audit::redact(&payload, fields).map_err(corrupt)?;
    run(db, "UPDATE audit SET payload = ?2, is_redacted = 1 WHERE id = ?1", params![id, payload])
}

pub(crate) fn purge_audit(db: &Connection, before_ms: u64, limit: u32) -> Result<u64> {
    // By id, whose order is the order of time: the oldest are the first.
    changed(
        db,
        "DELETE FROM audit WHERE id IN
             (SELECT id FROM audit WHERE at_ms < ?1 ORDER BY id LIMIT ?2)",
        params![signed(before_ms), limit],
    )
}

pub(crate) fn purge_sessions(db: &Connection, before_ms: u64, limit: u32) -> Result<u64> {
    changed(
        db,
        "DELETE FROM sessions WHERE id IN
             (SELECT id FROM sessions WHERE until_ms < ?1 ORDER BY until_ms LIMIT ?2)",
        params![signed(before_ms), limit],
    )
}

pub(crate) fn purge_pairings(db: &Connection, before_ms: u64, limit: u32) -> Result<u64> {
    changed(
        db,
        "DELETE FROM pairings WHERE player_id IN
             (SELECT player_id FROM pairings WHERE coalesce(asked_ms, since_ms) < ?1 LIMIT ?2)",
        params![signed(before_ms), limit],
    )
}

fn set_house_value(db: &Connection, name: &str, before: Option<&str>, value: &str) -> Result<()> {
    let sql = match before {
        None => "INSERT INTO house (name, value) VALUES (?1, ?3) ON CONFLICT DO NOTHING",
        Some(_) => "UPDATE house SET value = ?3 WHERE name = ?1 AND value = ?2",
    };
    match changed(db, sql, params![name, before, value])? {
        0 => Err(conflict(Thing::HouseValue)),
        _ => Ok(()),
    }
}

pub(crate) fn ping(db: &Connection) -> Result<()> {
    run(
        db,
        "INSERT INTO pulse (id, count) VALUES (1, 1)
         ON CONFLICT (id) DO UPDATE SET count = count + 1",
        [],
    )
}

pub(crate) fn synchronous(db: &Connection) -> Result<u64> {
    let level: u32 = db.pragma_query_value(None, "synchronous", |row| row.get(0))?;
    Ok(u64::from(level))
}
