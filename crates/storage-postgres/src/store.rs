//! The trait itself: where writes go, and the reads.
//!
//! Columns are listed, since a prepared `SELECT *` fails as soon as a newer server's migration adds
//! a column.

use std::sync::PoisonError;

use async_trait::async_trait;
use audit::{AuditFilter, AuditRecord, Kind, Severity};
use domain::{AuditId, LobbyId, MatchId, PlayerId, SessionId};
use game_api::Entry;
use sqlx::postgres::{PgArguments, PgRow, Postgres};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, QueryBuilder, query};
use storage::{
    Access, Change, Credential, DeviceKey, Listed, Lobby, MatchResult, MatchRow, MatchSummary,
    Pairing, Player, Profile, PublicMatch, Session, Shown, StorageError, Store, Unit, WatchKey,
    player_in_body,
};

use crate::error::storage_error;
use crate::write::{self, ms, name_key};
use crate::{PostgresStore, Result, rows};

type Statement<'q> = Query<'q, Postgres, PgArguments>;

/// A lobby's columns. The binary before this one leaves `touched_ms` empty.
macro_rules! lobbies {
    () => {
        "SELECT id, host, is_public, body, created_ms,
            COALESCE(touched_ms, created_ms) AS touched_ms, version
        FROM lobbies"
    };
}

/// A wish's columns. The binary before this one leaves `asked_ms` empty.
macro_rules! pairings {
    () => {
        "SELECT player_id, pool, body, since_ms, COALESCE(asked_ms, since_ms) AS asked_ms
        FROM pairings"
    };
}

/// PostgreSQL's texts cannot hold a NUL, so nothing stored is equal to a text with one.
fn is_storable(text: &str) -> bool {
    !text.contains('\0')
}

impl PostgresStore {
    async fn one(&self, statement: Statement<'_>) -> Result<Option<PgRow>> {
        statement.fetch_optional(&self.pool).await.map_err(storage_error)
    }

    async fn all(&self, statement: Statement<'_>) -> Result<Vec<PgRow>> {
        statement.fetch_all(&self.pool).await.map_err(storage_error)
    }

    async fn read_one<T>(
        &self,
        statement: Statement<'_>,
        read: impl Fn(&PgRow) -> Result<T>,
    ) -> Result<Option<T>> {
        self.one(statement).await?.as_ref().map(read).transpose()
    }

    async fn read_all<T>(
        &self,
        statement: Statement<'_>,
        read: impl Fn(&PgRow) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.all(statement).await?.iter().map(read).collect()
    }

    /// Matches with who sits in them, whose rows are read together.
    async fn read_seated<T>(
        &self,
        statement: Statement<'_>,
        read: impl Fn(&PgRow, &[PgRow]) -> Result<T>,
    ) -> Result<Vec<T>> {
        let matches = self.all(statement).await?;
        let ids = matches.iter().map(|row| rows::get(row, "id")).collect::<Result<Vec<i64>>>()?;
        let statement = query(
            "SELECT match_id, player_id, bot, place, name
            FROM match_seats LEFT JOIN players ON id = player_id
            WHERE match_id = ANY($1) ORDER BY ARRAY_POSITION($1, match_id), seat",
        );
        let seats = self.all(statement.bind(&ids)).await?;
        let mut seats = &seats[..];
        let mut found = Vec::with_capacity(matches.len());
        for row in &matches {
            let (own, others) = seats.split_at(rows::seat_count(row)?.min(seats.len()));
            seats = others;
            found.push(read(row, own)?);
        }
        Ok(found)
    }

    async fn count(&self, statement: Statement<'_>) -> Result<u64> {
        Ok(statement.execute(&self.pool).await.map_err(storage_error)?.rows_affected())
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn commit(&self, unit: Unit) -> Result<()> {
        if unit.iter().all(|change| matches!(change, Change::Append { .. })) {
            return self.writer.append(unit).await;
        }
        write::commit(&self.pool, &unit).await
    }

    async fn ping(&self) -> Result<()> {
        write::ping(&self.pool).await
    }

    async fn find_player(&self, id: PlayerId) -> Result<Option<Player>> {
        let statement =
            query("SELECT id, name, role, avatar, created_ms FROM players WHERE id = $1");
        self.read_one(statement.bind(id.number()), rows::player).await
    }

    async fn find_player_by_name(&self, name: &str) -> Result<Option<Player>> {
        if !is_storable(name) {
            return Ok(None);
        }
        let statement =
            query("SELECT id, name, role, avatar, created_ms FROM players WHERE name_key = $1");
        self.read_one(statement.bind(name_key(name)), rows::player).await
    }

    async fn last_rename(&self, player: PlayerId) -> Result<Option<u64>> {
        let statement =
            query("SELECT renamed_ms FROM players WHERE id = $1 AND renamed_ms IS NOT NULL");
        self.read_one(statement.bind(player.number()), rows::renamed_ms).await
    }

    async fn find_guest(&self, device: DeviceKey) -> Result<Option<Player>> {
        let statement =
            query("SELECT id, name, role, avatar, created_ms FROM players WHERE device = $1");
        self.read_one(statement.bind(&device.0[..]), rows::player).await
    }

    async fn find_credential(&self, name: &str) -> Result<Option<Credential>> {
        if !is_storable(name) {
            return Ok(None);
        }
        let statement = query(
            "SELECT id, name, role, avatar, created_ms, password_hash
            FROM players JOIN credentials ON player_id = id WHERE name_key = $1",
        );
        let read = |row: &PgRow| {
            let password_hash = rows::get(row, "password_hash")?;
            Ok(Credential { player: rows::player(row)?, password_hash })
        };
        self.read_one(statement.bind(name_key(name)), read).await
    }

    async fn find_profile(&self, id: PlayerId) -> Result<Option<Profile>> {
        let Some(player) = self.find_player(id).await? else {
            return Ok(None);
        };
        let statistics = query(
            "SELECT game, won, drawn, lost, public_won, public_drawn, public_lost FROM statistics
            WHERE player_id = $1 ORDER BY game",
        );
        let ratings = query(
            "SELECT player_id, game, speed, rating, deviation, volatility, version FROM ratings
            WHERE player_id = $1 ORDER BY game, speed",
        );
        Ok(Some(Profile {
            player,
            statistics: self.read_all(statistics.bind(id.number()), rows::statistics).await?,
            ratings: self.read_all(ratings.bind(id.number()), rows::rating).await?,
        }))
    }

    async fn find_session(&self, id: SessionId) -> Result<Option<Session>> {
        let statement = query(
            "SELECT id, player_id, generation, created_ms, until_ms, changed_ms, is_revoked,
                browser
            FROM sessions WHERE id = $1",
        );
        self.read_one(statement.bind(id.number()), rows::session).await
    }

    async fn sessions_of(&self, player: PlayerId, now_ms: u64, limit: u32) -> Result<Vec<Session>> {
        let statement = query(
            "SELECT id, player_id, generation, created_ms, until_ms, changed_ms, is_revoked,
                browser
            FROM sessions WHERE player_id = $1 AND NOT is_revoked AND $2 < until_ms
            ORDER BY created_ms DESC, id DESC LIMIT $3",
        );
        let statement = statement.bind(player.number()).bind(ms(now_ms)).bind(i64::from(limit));
        self.read_all(statement, rows::session).await
    }

    async fn changed_sessions(&self, since_ms: u64, now_ms: u64) -> Result<Vec<Session>> {
        let statement = query(
            "SELECT id, player_id, generation, created_ms, until_ms, changed_ms, is_revoked,
                browser
            FROM sessions
            WHERE (is_revoked OR 0 < generation) AND $1 <= changed_ms AND $2 < until_ms
            ORDER BY id",
        );
        self.read_all(statement.bind(ms(since_ms)).bind(ms(now_ms)), rows::session).await
    }

    async fn purge_sessions(&self, before_ms: u64, limit: u32) -> Result<u64> {
        // The lock looks at the row anew: one that was rotated meanwhile stays.
        let statement = query(
            "DELETE FROM sessions WHERE id IN (
                SELECT id FROM sessions WHERE until_ms < $1 ORDER BY until_ms LIMIT $2
                FOR UPDATE SKIP LOCKED
            )",
        );
        self.count(statement.bind(ms(before_ms)).bind(i64::from(limit))).await
    }

    async fn find_access(
        &self,
        id: MatchId,
        player: Option<PlayerId>,
        key: Option<WatchKey>,
    ) -> Result<Option<Access>> {
        // The same look-ups for every id, whether there is such a match or not, so that all cost the
        // same.
        let statement = query(
            "SELECT EXISTS (SELECT 1 FROM match_seats WHERE match_id = $1 AND player_id = $2)
                    OR COALESCE(founder = $2, FALSE) AS is_own,
                COALESCE(is_public, FALSE) AS is_public,
                COALESCE(watch_key = $3, FALSE) AS is_linked
            FROM (SELECT 1) AS one LEFT JOIN matches ON id = $1",
        );
        let statement = statement.bind(id.number()).bind(player.map(PlayerId::number));
        let key = key.as_ref().map(|key| &key.0[..]);
        self.read_one(statement.bind(key), rows::access).await.map(Option::flatten)
    }

    async fn find_match(&self, id: MatchId) -> Result<Option<MatchRow>> {
        let statement = query(
            "SELECT id, game, rules_version, options, from_position, seed, commitment, settings,
                seats, is_public, created_ms, status, owner, epoch, lease_until_ms
            FROM matches WHERE id = $1",
        );
        let Some(row) = self.one(statement.bind(id.number())).await? else {
            return Ok(None);
        };
        let seats =
            query("SELECT player_id, bot FROM match_seats WHERE match_id = $1 ORDER BY seat");
        let seats = self.all(seats.bind(id.number())).await?;
        rows::match_row(&row, &seats).map(Some)
    }

    async fn entries(&self, id: MatchId, from_ply: u32) -> Result<Vec<Entry>> {
        let statement = query(
            "SELECT ply, seat, at_ms, nonce, epoch, kind FROM entries
            WHERE match_id = $1 AND $2 <= ply ORDER BY ply",
        );
        let statement = statement.bind(id.number()).bind(i64::from(from_ply));
        let entries = self.read_all(statement, rows::entry).await?;
        if (from_ply..).zip(&entries).any(|(ply, entry)| entry.ply != ply) {
            return Err(StorageError::corrupt("a match's log has a gap"));
        }
        Ok(entries)
    }

    async fn find_result(&self, id: MatchId) -> Result<Option<MatchResult>> {
        let statement = query(
            "SELECT match_id, ended_ms, reason, final_views, notations, state_hash
            FROM results WHERE match_id = $1",
        );
        let Some(row) = self.one(statement.bind(id.number())).await? else {
            return Ok(None);
        };
        let seats = query("SELECT place FROM match_seats WHERE match_id = $1 ORDER BY seat");
        let places = self.read_all(seats.bind(id.number()), rows::place).await?;
        rows::match_result(&row, places.into_iter().flatten().collect()).map(Some)
    }

    async fn match_history(
        &self,
        player: PlayerId,
        shown: Shown,
        limit: u32,
        offset: u32,
    ) -> Result<Vec<MatchSummary>> {
        let statement = query(
            "SELECT id, game, seats, created_ms, ended_ms, reason
            FROM results JOIN matches ON id = match_id
            WHERE match_id IN (SELECT match_id FROM match_seats WHERE player_id = $1)
                AND (is_public OR $2)
            ORDER BY ended_ms DESC, match_id DESC LIMIT $3 OFFSET $4",
        );
        let statement = statement.bind(player.number()).bind(shown == Shown::All);
        let statement = statement.bind(i64::from(limit)).bind(i64::from(offset));
        self.read_seated(statement, rows::match_summary).await
    }

    async fn running_matches(&self, player: PlayerId) -> Result<Vec<MatchId>> {
        let statement = query(
            "SELECT id FROM matches
            WHERE status = 0 AND id IN (
                SELECT match_id FROM match_seats WHERE player_id = $1 AND place IS NULL
            )
            ORDER BY created_ms, id",
        );
        self.read_all(statement.bind(player.number()), |row| rows::match_id(row, "id")).await
    }

    async fn public_matches(&self, game: Option<&str>, limit: u32) -> Result<Vec<PublicMatch>> {
        if !game.is_none_or(is_storable) {
            return Ok(Vec::new());
        }
        let statement = query(
            "SELECT id, game, settings, seats, created_ms FROM matches
            WHERE is_public AND status = 0 AND ($1::TEXT IS NULL OR game = $1)
            ORDER BY created_ms DESC, id DESC LIMIT $2",
        );
        let statement = statement.bind(game).bind(i64::from(limit));
        self.read_seated(statement, rows::public_match).await
    }

    async fn unleased_matches(
        &self,
        now_ms: u64,
        after: Option<MatchId>,
        limit: u32,
    ) -> Result<Vec<MatchId>> {
        let statement = query(
            "SELECT id FROM matches WHERE status = 0 AND lease_until_ms < $1 AND id > $2
            ORDER BY id LIMIT $3",
        );
        let after = after.map_or(i64::MIN, MatchId::number);
        let statement = statement.bind(ms(now_ms)).bind(after).bind(i64::from(limit));
        self.read_all(statement, |row| rows::match_id(row, "id")).await
    }

    async fn find_lobby(&self, id: LobbyId) -> Result<Option<Lobby>> {
        let statement = query(concat!(lobbies!(), " WHERE id = $1"));
        self.read_one(statement.bind(id.number()), rows::lobby).await
    }

    async fn lobbies_of(&self, host: PlayerId) -> Result<Vec<Lobby>> {
        let statement = query(concat!(lobbies!(), " WHERE host = $1 ORDER BY id"));
        self.read_all(statement.bind(host.number()), rows::lobby).await
    }

    async fn lobbies_naming(&self, player: PlayerId) -> Result<Vec<Lobby>> {
        let statement =
            query(concat!(lobbies!(), " WHERE host <> $1 AND STRPOS(body, $2) > 0 ORDER BY id"));
        let statement = statement.bind(player.number()).bind(player_in_body(player));
        self.read_all(statement, rows::lobby).await
    }

    async fn public_lobbies(&self, limit: u32, offset: u32) -> Result<Vec<Lobby>> {
        let statement = query(concat!(
            lobbies!(),
            " WHERE is_public ORDER BY created_ms DESC, id DESC LIMIT $1 OFFSET $2"
        ));
        let statement = statement.bind(i64::from(limit)).bind(i64::from(offset));
        self.read_all(statement, rows::lobby).await
    }

    async fn stale_lobbies(
        &self,
        public_before_ms: u64,
        private_before_ms: u64,
        limit: u32,
    ) -> Result<Vec<Lobby>> {
        let statement = query(concat!(
            lobbies!(),
            " WHERE COALESCE(touched_ms, created_ms) < CASE WHEN is_public THEN $1 ELSE $2 END
            LIMIT $3"
        ));
        let statement = statement.bind(ms(public_before_ms)).bind(ms(private_before_ms));
        self.read_all(statement.bind(i64::from(limit)), rows::lobby).await
    }

    async fn find_pairing(&self, player: PlayerId) -> Result<Option<Pairing>> {
        let statement = query(concat!(pairings!(), " WHERE player_id = $1"));
        self.read_one(statement.bind(player.number()), rows::pairing).await
    }

    async fn pairings(&self, pool: &str) -> Result<Vec<Pairing>> {
        if !is_storable(pool) {
            return Ok(Vec::new());
        }
        let statement =
            query(concat!(pairings!(), " WHERE pool = $1 ORDER BY since_ms, player_id"));
        self.read_all(statement.bind(pool), rows::pairing).await
    }

    async fn shared_pools(&self) -> Result<Vec<String>> {
        let statement = query("SELECT pool FROM pairings GROUP BY pool HAVING COUNT(*) > 1");
        self.read_all(statement, |row| rows::get(row, "pool")).await
    }

    async fn purge_pairings(&self, before_ms: u64, limit: u32) -> Result<u64> {
        // The lock looks at the row anew: a wish that was repeated meanwhile stays.
        let statement = query(
            "DELETE FROM pairings WHERE player_id IN (
                SELECT player_id FROM pairings WHERE COALESCE(asked_ms, since_ms) < $1 LIMIT $2
                FOR UPDATE SKIP LOCKED
            )",
        );
        self.count(statement.bind(ms(before_ms)).bind(i64::from(limit))).await
    }

    async fn idle_guests(
        &self,
        since_ms: u64,
        after: Option<PlayerId>,
        limit: u32,
    ) -> Result<Vec<PlayerId>> {
        let after = after.map_or(i64::MIN, PlayerId::number);
        let statement = query(write::IDLE_GUESTS).bind(ms(since_ms)).bind(after).bind(i64::MAX);
        let read = |row: &PgRow| rows::id(row, "id", PlayerId::from_number);
        self.read_all(statement.bind(i64::from(limit)), read).await
    }

    async fn matches_without_account(
        &self,
        before_ms: u64,
        after: Option<(u64, MatchId)>,
        limit: u32,
    ) -> Result<Vec<(u64, MatchId)>> {
        let statement = query(
            "SELECT ended_ms, match_id FROM results
            WHERE ended_ms < $1 AND (ended_ms, match_id) > ($2, $3)
                AND NOT EXISTS (SELECT 1 FROM match_seats JOIN players ON id = player_id
                    WHERE match_seats.match_id = results.match_id AND role <> 'guest')
            ORDER BY ended_ms, match_id LIMIT $4",
        );
        let (after_ms, after) = after.map_or((-1, i64::MIN), |it| (ms(it.0), it.1.number()));
        let statement = statement.bind(ms(before_ms)).bind(after_ms).bind(after);
        let read =
            |row: &PgRow| Ok((rows::from_big(row, "ended_ms")?, rows::match_id(row, "match_id")?));
        self.read_all(statement.bind(i64::from(limit)), read).await
    }

    async fn query_audit(&self, filter: &AuditFilter) -> Result<Vec<AuditRecord>> {
        let texts = [&filter.name, &filter.correlation];
        if texts.into_iter().flatten().any(|text| !is_storable(text)) {
            return Ok(Vec::new());
        }
        let mut sql = QueryBuilder::<Postgres>::new(
            "SELECT id, at_ms, kind, name, severity, user_id, session_id, match_id, correlation,
                payload, is_redacted
            FROM audit WHERE TRUE",
        );
        let numbers = [
            (" AND at_ms >= ", filter.from_ms.map(ms)),
            (" AND at_ms < ", filter.until_ms.map(ms)),
            (" AND user_id = ", filter.user.map(PlayerId::number)),
            (" AND session_id = ", filter.session.map(SessionId::number)),
            (" AND match_id = ", filter.match_id.map(MatchId::number)),
            (" AND id < ", filter.before.map(AuditId::number)),
        ];
        for (condition, number) in numbers {
            if let Some(number) = number {
                sql.push(condition).push_bind(number);
            }
        }
        let words = [
            (" AND kind = ", filter.kind.map(Kind::as_str)),
            (" AND name = ", filter.name.as_deref()),
            (" AND severity = ", filter.severity.map(Severity::as_str)),
            (" AND correlation = ", filter.correlation.as_deref()),
        ];
        for (condition, word) in words {
            if let Some(word) = word {
                sql.push(condition).push_bind(word);
            }
        }
        sql.push(" ORDER BY id DESC LIMIT ").push_bind(i64::from(filter.limit));
        // There are a thousand shapes of filter, asked for rarely: none is worth a place in the
        // cache of statements.
        self.read_all(sql.build().persistent(false), rows::audit_record).await
    }

    async fn purge_audit_step(&self, before_ms: u64, limit: u32) -> Result<u64> {
        // Another server may be at it too.
        let statement = query(
            "DELETE FROM audit WHERE id IN (
                SELECT id FROM audit WHERE at_ms < $1 ORDER BY at_ms LIMIT $2
                FOR UPDATE SKIP LOCKED
            )",
        );
        self.count(statement.bind(ms(before_ms)).bind(i64::from(limit))).await
    }

    async fn house_value(&self, name: &str) -> Result<Option<String>> {
        let statement = query("SELECT value FROM house WHERE name = $1").bind(name);
        self.read_one(statement, |row| rows::get(row, "value")).await
    }

    async fn ids(&self, of: Listed, after: Option<i64>, limit: u32) -> Result<Vec<i64>> {
        let statement = match of {
            Listed::Players => query("SELECT id FROM players WHERE id > $1 ORDER BY id LIMIT $2"),
            Listed::Matches => query("SELECT id FROM matches WHERE id > $1 ORDER BY id LIMIT $2"),
            Listed::Lobbies => query("SELECT id FROM lobbies WHERE id > $1 ORDER BY id LIMIT $2"),
        };
        let statement = statement.bind(after.unwrap_or(i64::MIN)).bind(i64::from(limit));
        self.read_all(statement, |row| rows::get(row, "id")).await
    }

    async fn inspect(&self) -> Result<Vec<String>> {
        let tables = query(
            "SELECT table_name::TEXT AS name FROM information_schema.tables
            WHERE table_schema = CURRENT_SCHEMA() AND table_type = 'BASE TABLE' ORDER BY name",
        );
        let tables: Vec<String> = self.read_all(tables, |row| rows::get(row, "name")).await?;
        let mut problems = Vec::new();
        for table in tables {
            // The row as a text needs every value of it, also those that lie apart.
            let name = table.replace('"', "\"\"");
            let sql = format!("SELECT count(md5(it::TEXT)) FROM \"{name}\" AS it");
            if let Err(error) = self.one(query(AssertSqlSafe(sql)).persistent(false)).await {
                problems.push(format!("the table {table} cannot be read: {error}"));
            }
        }
        Ok(problems)
    }

    async fn close(&self) {
        drop(self.name.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.writer.close().await;
        self.pool.close().await;
    }
}
