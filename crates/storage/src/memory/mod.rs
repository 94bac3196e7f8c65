//! A store in memory: plain, slow, and the yardstick for the others. Nothing in it is durable.

mod tables;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use audit::{AuditFilter, AuditRecord};
use domain::{AuditId, LobbyId, MatchId, PlayerId, SessionId};
use game_api::Entry;

use self::tables::{Halt, Tables};
use crate::{
    Access, Change, Credential, DeviceKey, Listed, Lobby, MatchResult, MatchRow, MatchStatus,
    MatchSummary, Pairing, Player, Profile, PublicMatch, SeatHolder, Session, Shown, StorageError,
    Store, Unit, WatchKey,
};

type Result<T> = std::result::Result<T, StorageError>;

/// Keeps everything until it is dropped.
#[derive(Default)]
pub struct MemoryStore {
    tables: Mutex<Tables>,
}

impl MemoryStore {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        // A panic in between leaves whole changes, since each is checked before it is made.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn up_to(limit: u32) -> usize {
    limit as usize
}

#[async_trait]
impl Store for MemoryStore {
    async fn commit(&self, unit: Unit) -> Result<()> {
        let mut tables = self.tables();
        // A lone append checks before it writes, so there is nothing to go back to.
        let is_append = matches!(unit[..], [Change::Append { .. }]);
        let before = (!is_append).then(|| tables.clone());
        for change in unit {
            if let Err(halt) = tables.apply(change) {
                if let Some(before) = before {
                    *tables = before;
                }
                return match halt {
                    Halt::Stored => Ok(()),
                    Halt::Refused(error) => Err(error),
                };
            }
        }
        Ok(())
    }

    async fn ping(&self) -> Result<()> {
        Ok(())
    }

    async fn find_player(&self, id: PlayerId) -> Result<Option<Player>> {
        Ok(self.tables().players.get(&id).cloned())
    }

    async fn find_player_by_name(&self, name: &str) -> Result<Option<Player>> {
        let tables = self.tables();
        let mut players = tables.players.values();
        Ok(players.find(|player| player.name.eq_ignore_ascii_case(name)).cloned())
    }

    async fn last_rename(&self, player: PlayerId) -> Result<Option<u64>> {
        Ok(self.tables().renames.get(&player).copied())
    }

    async fn find_guest(&self, device: DeviceKey) -> Result<Option<Player>> {
        let tables = self.tables();
        let player = tables.devices.get(&device).and_then(|id| tables.players.get(id));
        Ok(player.cloned())
    }

    async fn find_credential(&self, name: &str) -> Result<Option<Credential>> {
        let Some(player) = self.find_player_by_name(name).await? else {
            return Ok(None);
        };
        let password_hash = self.tables().credentials.get(&player.id).cloned();
        Ok(password_hash.map(|password_hash| Credential { player, password_hash }))
    }

    async fn find_profile(&self, id: PlayerId) -> Result<Option<Profile>> {
        let tables = self.tables();
        let statistics = tables.statistics.iter().filter(|((player, _), _)| *player == id);
        let ratings = tables.ratings.iter().filter(|((player, _, _), _)| *player == id);
        let player = tables.players.get(&id).cloned();
        Ok(player.map(|player| Profile {
            player,
            statistics: statistics.map(|(_, row)| row.clone()).collect(),
            ratings: ratings.map(|(_, row)| row.clone()).collect(),
        }))
    }

    async fn find_session(&self, id: SessionId) -> Result<Option<Session>> {
        Ok(self.tables().sessions.get(&id).cloned())
    }

    async fn sessions_of(&self, player: PlayerId, now_ms: u64, limit: u32) -> Result<Vec<Session>> {
        let tables = self.tables();
        let is_open = |session: &&Session| {
            session.player == player && !session.is_revoked && now_ms < session.until_ms
        };
        let mut sessions: Vec<Session> =
            tables.sessions.values().filter(is_open).cloned().collect();
        sessions.sort_by_key(|session| std::cmp::Reverse((session.created_ms, session.id)));
        sessions.truncate(up_to(limit));
        Ok(sessions)
    }

    async fn changed_sessions(&self, since_ms: u64, now_ms: u64) -> Result<Vec<Session>> {
        let is_news = |session: &&Session| {
            let is_changed = session.is_revoked || 0 < session.generation;
            is_changed && since_ms <= session.changed_ms && now_ms < session.until_ms
        };
        Ok(self.tables().sessions.values().filter(is_news).cloned().collect())
    }

    async fn purge_sessions(&self, before_ms: u64, limit: u32) -> Result<u64> {
        let mut tables = self.tables();
        let old = tables.sessions.values().filter(|session| session.until_ms < before_ms);
        let old: Vec<SessionId> = old.map(|session| session.id).take(up_to(limit)).collect();
        tables.sessions.retain(|id, _| !old.contains(id));
        Ok(old.len() as u64)
    }

    async fn find_access(
        &self,
        id: MatchId,
        player: Option<PlayerId>,
        key: Option<WatchKey>,
    ) -> Result<Option<Access>> {
        let tables = self.tables();
        let Some(row) = tables.matches.get(&id) else {
            return Ok(None);
        };
        let is_own = player.is_some_and(|player| {
            let is_founder = tables.founders.get(&id) == Some(&player);
            is_founder || row.seats.contains(&SeatHolder::Player(player))
        });
        let is_linked = key.is_some() && tables.watch_keys.get(&id) == key.as_ref();
        Ok(match () {
            () if is_own => Some(Access::Own),
            () if row.is_public => Some(Access::Public),
            () if is_linked => Some(Access::Link),
            () => None,
        })
    }

    async fn find_match(&self, id: MatchId) -> Result<Option<MatchRow>> {
        Ok(self.tables().matches.get(&id).cloned())
    }

    async fn entries(&self, id: MatchId, from_ply: u32) -> Result<Vec<Entry>> {
        let tables = self.tables();
        let entries = tables.entries.get(&id).into_iter();
        Ok(entries.flat_map(|log| log.range(from_ply..)).map(|(_, entry)| entry.clone()).collect())
    }

    async fn find_result(&self, id: MatchId) -> Result<Option<MatchResult>> {
        Ok(self.tables().results.get(&id).cloned())
    }

    async fn match_history(
        &self,
        player: PlayerId,
        shown: Shown,
        limit: u32,
        offset: u32,
    ) -> Result<Vec<MatchSummary>> {
        let tables = self.tables();
        let mut history: Vec<MatchSummary> = tables
            .matches_of(player)
            .filter(|row| row.is_public || shown == Shown::All)
            .filter_map(|row| Some(tables.summary(row, tables.results.get(&row.id)?)))
            .collect();
        history.sort_by_key(|summary| std::cmp::Reverse((summary.ended_ms, summary.id)));
        Ok(history.into_iter().skip(up_to(offset)).take(up_to(limit)).collect())
    }

    async fn running_matches(&self, player: PlayerId) -> Result<Vec<MatchId>> {
        let tables = self.tables();
        let rows = tables.matches_of(player).filter(|row| row.status == MatchStatus::Running);
        let mut begun: Vec<(u64, MatchId)> = rows.map(|row| (row.created_ms, row.id)).collect();
        begun.sort_unstable();
        Ok(begun.into_iter().map(|(_, id)| id).collect())
    }

    async fn public_matches(&self, game: Option<&str>, limit: u32) -> Result<Vec<PublicMatch>> {
        let tables = self.tables();
        let is_listed = |row: &&MatchRow| {
            let is_wanted = game.is_none_or(|game| row.game == game);
            is_wanted && row.is_public && row.status == MatchStatus::Running
        };
        let mut rows: Vec<&MatchRow> = tables.matches.values().filter(is_listed).collect();
        rows.sort_by_key(|row| std::cmp::Reverse((row.created_ms, row.id)));
        Ok(rows.into_iter().take(up_to(limit)).map(|row| tables.listed(row)).collect())
    }

    async fn unleased_matches(
        &self,
        now_ms: u64,
        after: Option<MatchId>,
        limit: u32,
    ) -> Result<Vec<MatchId>> {
        let tables = self.tables();
        let is_free = |row: &&MatchRow| {
            row.status == MatchStatus::Running
                && row.lease_until_ms < now_ms
                && after.is_none_or(|after| row.id > after)
        };
        Ok(tables.matches.values().filter(is_free).map(|row| row.id).take(up_to(limit)).collect())
    }

    async fn find_lobby(&self, id: LobbyId) -> Result<Option<Lobby>> {
        Ok(self.tables().lobbies.get(&id).cloned())
    }

    async fn lobbies_of(&self, host: PlayerId) -> Result<Vec<Lobby>> {
        let tables = self.tables();
        Ok(tables.lobbies.values().filter(|lobby| lobby.host == host).cloned().collect())
    }

    async fn lobbies_naming(&self, player: PlayerId) -> Result<Vec<Lobby>> {
        Ok(self.tables().lobbies_naming(player).cloned().collect())
    }

    async fn public_lobbies(&self, limit: u32, offset: u32) -> Result<Vec<Lobby>> {
        let tables = self.tables();
        let public = tables.lobbies.values().filter(|lobby| lobby.is_public);
        let mut lobbies: Vec<Lobby> = public.cloned().collect();
        lobbies.sort_by_key(|lobby| std::cmp::Reverse((lobby.created_ms, lobby.id)));
        Ok(lobbies.into_iter().skip(up_to(offset)).take(up_to(limit)).collect())
    }

    async fn stale_lobbies(
        &self,
        public_before_ms: u64,
        private_before_ms: u64,
        limit: u32,
    ) -> Result<Vec<Lobby>> {
        let tables = self.tables();
        let is_stale = |lobby: &&Lobby| {
            let before_ms = if lobby.is_public { public_before_ms } else { private_before_ms };
            lobby.touched_ms < before_ms
        };
        Ok(tables.lobbies.values().filter(is_stale).take(up_to(limit)).cloned().collect())
    }

    async fn find_pairing(&self, player: PlayerId) -> Result<Option<Pairing>> {
        Ok(self.tables().pairings.get(&player).cloned())
    }

    async fn pairings(&self, pool: &str) -> Result<Vec<Pairing>> {
        let tables = self.tables();
        let waiting = tables.pairings.values().filter(|pairing| pairing.pool == pool);
        let mut pairings: Vec<Pairing> = waiting.cloned().collect();
        pairings.sort_by_key(|pairing| (pairing.since_ms, pairing.player));
        Ok(pairings)
    }

    async fn shared_pools(&self) -> Result<Vec<String>> {
        let tables = self.tables();
        let mut counts = BTreeMap::new();
        for pairing in tables.pairings.values() {
            *counts.entry(&pairing.pool).or_insert(0) += 1;
        }
        let shared = counts.into_iter().filter(|(_, count)| *count > 1);
        Ok(shared.map(|(pool, _)| pool.clone()).collect())
    }

    async fn purge_pairings(&self, before_ms: u64, limit: u32) -> Result<u64> {
        let mut tables = self.tables();
        let old = tables.pairings.values().filter(|pairing| pairing.asked_ms < before_ms);
        let old: Vec<PlayerId> = old.map(|pairing| pairing.player).take(up_to(limit)).collect();
        tables.pairings.retain(|player, _| !old.contains(player));
        Ok(old.len() as u64)
    }

    async fn idle_guests(
        &self,
        since_ms: u64,
        after: Option<PlayerId>,
        limit: u32,
    ) -> Result<Vec<PlayerId>> {
        let tables = self.tables();
        let later = tables.players.keys().filter(|id| after.is_none_or(|after| **id > after));
        let idle = later.filter(|id| tables.is_idle_guest(**id, since_ms));
        Ok(idle.copied().take(up_to(limit)).collect())
    }

    async fn matches_without_account(
        &self,
        before_ms: u64,
        after: Option<(u64, MatchId)>,
        limit: u32,
    ) -> Result<Vec<(u64, MatchId)>> {
        let tables = self.tables();
        let ended = tables.results.values().map(|result| (result.ended_ms, result.match_id));
        let mut found: Vec<(u64, MatchId)> = ended
            .filter(|end| end.0 < before_ms && after.is_none_or(|after| *end > after))
            .filter(|end| tables.matches.get(&end.1).is_some_and(|row| !tables.has_account(row)))
            .collect();
        found.sort_unstable();
        found.truncate(up_to(limit));
        Ok(found)
    }

    async fn query_audit(&self, filter: &AuditFilter) -> Result<Vec<AuditRecord>> {
        let tables = self.tables();
        let records = tables.audit.values().rev().filter(|record| filter.admits(record));
        Ok(records.take(up_to(filter.limit)).cloned().collect())
    }

    async fn purge_audit_step(&self, before_ms: u64, limit: u32) -> Result<u64> {
        let mut tables = self.tables();
        let old = tables.audit.values().filter(|record| record.at_ms < before_ms);
        let old: Vec<AuditId> = old.map(|record| record.id).take(up_to(limit)).collect();
        for id in &old {
            tables.audit.remove(id);
        }
        Ok(old.len() as u64)
    }

    async fn house_value(&self, name: &str) -> Result<Option<String>> {
        Ok(self.tables().house.get(name).cloned())
    }

    async fn ids(&self, of: Listed, after: Option<i64>, limit: u32) -> Result<Vec<i64>> {
        let tables = self.tables();
        let ids: Vec<i64> = match of {
            Listed::Players => tables.players.keys().map(|id| id.number()).collect(),
            Listed::Matches => tables.matches.keys().map(|id| id.number()).collect(),
            Listed::Lobbies => tables.lobbies.keys().map(|id| id.number()).collect(),
        };
        let later = ids.into_iter().filter(|id| after.is_none_or(|after| *id > after));
        Ok(later.take(up_to(limit)).collect())
    }

    async fn inspect(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    async fn close(&self) {}
}
