//! A store in memory: plain, slow, and the yardstick for the others. Nothing in it is durable.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use audit::{AuditFilter, AuditRecord};
use domain::{AuditId, LobbyId, MatchId, PlayerId, SessionId};
use game_api::Entry;

use crate::{
    Change, Credential, DeviceKey, GameStatistics, Lobby, MatchResult, MatchRow, MatchStatus,
    MatchSummary, NewMatch, NewPlayer, Pairing, Player, Profile, Rating, Score, SeatHolder,
    SeatSummary, Session, StorageError, Store, Thing, Unit,
};

type Result<T> = std::result::Result<T, StorageError>;

/// Keeps everything until it is dropped.
#[derive(Default)]
pub struct MemoryStore {
    tables: Mutex<Tables>,
}

#[derive(Clone, Default)]
struct Tables {
    players: BTreeMap<PlayerId, Player>,
    devices: BTreeMap<DeviceKey, PlayerId>,
    credentials: BTreeMap<PlayerId, String>,
    sessions: BTreeMap<SessionId, Session>,
    matches: BTreeMap<MatchId, MatchRow>,
    entries: BTreeMap<MatchId, BTreeMap<u32, Entry>>,
    results: BTreeMap<MatchId, MatchResult>,
    statistics: BTreeMap<(PlayerId, String), GameStatistics>,
    ratings: BTreeMap<(PlayerId, String, String), Rating>,
    lobbies: BTreeMap<LobbyId, Lobby>,
    pairings: BTreeMap<PlayerId, Pairing>,
    audit: BTreeMap<AuditId, AuditRecord>,
}

/// Why a unit goes no further.
enum Halt {
    /// It was stored before.
    Stored,
    Refused(StorageError),
}

impl From<StorageError> for Halt {
    fn from(error: StorageError) -> Self {
        Halt::Refused(error)
    }
}

fn missing<T>(row: Option<T>, thing: Thing) -> Result<T> {
    row.ok_or(StorageError::NotFound(thing))
}

fn refuse_if(is_refused: bool, thing: Thing) -> Result<()> {
    if is_refused { Err(StorageError::Conflict(thing)) } else { Ok(()) }
}

impl Tables {
    fn apply(&mut self, change: Change) -> std::result::Result<(), Halt> {
        match change {
            Change::CreatePlayer(new) => self.create_player(new)?,
            Change::UpdateProfile { player, name, avatar } => {
                self.update_profile(player, name, avatar)?;
            }
            Change::SetRole { player, role } => self.player(player)?.role = role,
            Change::StoreCredential { player, password_hash } => {
                self.player(player)?;
                self.credentials.insert(player, password_hash);
            }
            Change::ForgetDevice { player } => {
                self.player(player)?;
                self.devices.retain(|_, owner| *owner != player);
            }
            Change::DeletePlayer { player, now_ms } => self.delete_player(player, now_ms)?,
            Change::OpenSession(session) => {
                refuse_if(self.sessions.contains_key(&session.id), Thing::Session)?;
                self.sessions.insert(session.id, session);
            }
            Change::RotateSession { id, generation, until_ms, now_ms } => {
                let session = missing(self.sessions.get_mut(&id), Thing::Session)?;
                let is_stale = session.is_revoked || session.generation != generation;
                refuse_if(is_stale, Thing::Session)?;
                session.generation += 1;
                session.until_ms = session.until_ms.max(until_ms);
                session.changed_ms = now_ms;
            }
            Change::RevokeSession { id, now_ms } => {
                let session = missing(self.sessions.get_mut(&id), Thing::Session)?;
                session.is_revoked = true;
                session.changed_ms = now_ms;
            }
            Change::RevokeSessionsOf { player, except, now_ms } => {
                self.revoke_sessions_of(player, except, now_ms);
            }
            Change::CreateMatch(new) => self.create_match(new)?,
            Change::TakeLease { match_id, owner, epoch, until_ms } => {
                let row = self.running_match(match_id, Some(epoch))?;
                row.epoch += 1;
                row.owner = Some(owner);
                row.lease_until_ms = until_ms;
            }
            Change::RenewLease { match_id, epoch, until_ms } => {
                self.running_match(match_id, Some(epoch))?.lease_until_ms = until_ms;
            }
            Change::Append { match_id, entry } => self.append(match_id, entry)?,
            Change::EndMatch(result) => {
                self.running_match(result.match_id, None)?.status = MatchStatus::Over;
                self.results.insert(result.match_id, result);
            }
            Change::CountResult { player, game, score } => self.count(player, game, score),
            Change::SetRating(rating) => self.set_rating(rating)?,
            Change::PutLobby(lobby) => self.put_lobby(lobby)?,
            Change::DeleteLobby { id } => {
                missing(self.lobbies.remove(&id), Thing::Lobby)?;
            }
            Change::PutPairing(pairing) => {
                self.player(pairing.player)?;
                self.pairings.insert(pairing.player, pairing);
            }
            Change::DeletePairing { player } => {
                missing(self.pairings.remove(&player), Thing::Pairing)?;
            }
            Change::Audit(record) => {
                refuse_if(self.audit.contains_key(&record.id), Thing::AuditRecord)?;
                self.audit.insert(record.id, record);
            }
            Change::RedactAudit { id, fields } => {
                let record = missing(self.audit.get_mut(&id), Thing::AuditRecord)?;
                record.payload =
                    audit::redact(&record.payload, &fields).map_err(StorageError::corrupt)?;
                record.is_redacted = true;
            }
        }
        Ok(())
    }

    fn player(&mut self, id: PlayerId) -> Result<&mut Player> {
        missing(self.players.get_mut(&id), Thing::Player)
    }

    fn is_name_taken(&self, name: &str, by_other_than: PlayerId) -> bool {
        let mut players = self.players.values();
        players.any(|it| it.id != by_other_than && it.name.eq_ignore_ascii_case(name))
    }

    fn create_player(&mut self, new: NewPlayer) -> Result<()> {
        let NewPlayer { player, device } = new;
        refuse_if(self.players.contains_key(&player.id), Thing::Player)?;
        refuse_if(self.is_name_taken(&player.name, player.id), Thing::Name)?;
        if let Some(device) = device {
            refuse_if(self.devices.contains_key(&device), Thing::Device)?;
            self.devices.insert(device, player.id);
        }
        self.players.insert(player.id, player);
        Ok(())
    }

    fn update_profile(
        &mut self,
        id: PlayerId,
        name: Option<String>,
        avatar: Option<String>,
    ) -> Result<()> {
        let is_taken = name.as_ref().is_some_and(|name| self.is_name_taken(name, id));
        let player = self.player(id)?;
        refuse_if(is_taken, Thing::Name)?;
        if let Some(name) = name {
            player.name = name;
        }
        if let Some(avatar) = avatar {
            player.avatar = avatar;
        }
        Ok(())
    }

    fn delete_player(&mut self, player: PlayerId, now_ms: u64) -> Result<()> {
        missing(self.players.remove(&player), Thing::Player)?;
        self.devices.retain(|_, owner| *owner != player);
        self.credentials.remove(&player);
        self.statistics.retain(|(owner, _), _| *owner != player);
        self.ratings.retain(|(owner, _, _), _| *owner != player);
        self.lobbies.retain(|_, lobby| lobby.host != player);
        self.pairings.remove(&player);
        self.revoke_sessions_of(player, None, now_ms);
        for holder in self.matches.values_mut().flat_map(|row| &mut row.seats) {
            if *holder == SeatHolder::Player(player) {
                *holder = SeatHolder::Gone;
            }
        }
        Ok(())
    }

    fn revoke_sessions_of(&mut self, player: PlayerId, except: Option<SessionId>, now_ms: u64) {
        for session in self.sessions.values_mut() {
            if session.player == player && Some(session.id) != except && !session.is_revoked {
                session.is_revoked = true;
                session.changed_ms = now_ms;
            }
        }
    }

    fn create_match(&mut self, new: NewMatch) -> Result<()> {
        refuse_if(self.matches.contains_key(&new.id), Thing::Match)?;
        for holder in &new.seats {
            if let SeatHolder::Player(player) = holder {
                self.player(*player)?;
            }
        }
        let row = MatchRow {
            id: new.id,
            game: new.game,
            rules_version: new.rules_version,
            options: new.options,
            from_position: new.from_position,
            seed: new.seed,
            commitment: new.commitment,
            settings: new.settings,
            seats: new.seats,
            created_ms: new.created_ms,
            status: MatchStatus::Running,
            owner: new.owner,
            epoch: 0,
            lease_until_ms: new.lease_until_ms,
        };
        self.matches.insert(row.id, row);
        Ok(())
    }

    fn running_match(&mut self, id: MatchId, epoch: Option<u32>) -> Result<&mut MatchRow> {
        let row = missing(self.matches.get_mut(&id), Thing::Match)?;
        let is_stale =
            row.status == MatchStatus::Over || epoch.is_some_and(|epoch| row.epoch != epoch);
        refuse_if(is_stale, Thing::Match)?;
        Ok(row)
    }

    fn append(&mut self, match_id: MatchId, entry: Entry) -> std::result::Result<(), Halt> {
        let entries = self.entries.entry(match_id).or_default();
        if let Some(there) = entries.get(&entry.ply) {
            if (there.epoch, there.nonce) == (entry.epoch, entry.nonce) {
                return Err(Halt::Stored);
            }
            refuse_if(true, Thing::Entry)?;
        }
        let plies = entries.len();
        self.running_match(match_id, Some(entry.epoch))?;
        refuse_if(entry.ply as usize != plies, Thing::Entry)?;
        self.entries.entry(match_id).or_default().insert(entry.ply, entry);
        Ok(())
    }

    fn count(&mut self, player: PlayerId, game: String, score: Score) {
        if !self.players.contains_key(&player) {
            return;
        }
        let row = self.statistics.entry((player, game.clone())).or_default();
        row.game = game;
        match score {
            Score::Won => row.won += 1,
            Score::Drawn => row.drawn += 1,
            Score::Lost => row.lost += 1,
        }
    }

    fn set_rating(&mut self, rating: Rating) -> Result<()> {
        if !self.players.contains_key(&rating.player) {
            return Ok(());
        }
        let key = (rating.player, rating.game.clone(), rating.speed.clone());
        let version = self.ratings.get(&key).map_or(0, |stored| stored.version);
        refuse_if(rating.version != version + 1, Thing::Rating)?;
        self.ratings.insert(key, rating);
        Ok(())
    }

    fn put_lobby(&mut self, lobby: Lobby) -> Result<()> {
        self.player(lobby.host)?;
        let version = self.lobbies.get(&lobby.id).map(|stored| stored.version);
        if version.is_none() && lobby.version != 1 {
            return Err(StorageError::NotFound(Thing::Lobby));
        }
        refuse_if(lobby.version != version.unwrap_or(0) + 1, Thing::Lobby)?;
        self.lobbies.insert(lobby.id, lobby);
        Ok(())
    }

    fn summary(&self, row: &MatchRow, result: &MatchResult) -> MatchSummary {
        let seats = row.seats.iter().enumerate().map(|(seat, holder)| SeatSummary {
            holder: holder.clone(),
            name: match holder {
                SeatHolder::Player(player) => self.players.get(player).map(|it| it.name.clone()),
                SeatHolder::Bot(_) | SeatHolder::Gone => None,
            },
            place: result.places.get(seat).copied(),
        });
        MatchSummary {
            id: row.id,
            game: row.game.clone(),
            created_ms: row.created_ms,
            ended_ms: result.ended_ms,
            reason: result.reason.clone(),
            seats: seats.collect(),
        }
    }

    fn matches_of(&self, player: PlayerId) -> impl Iterator<Item = &MatchRow> {
        let holder = SeatHolder::Player(player);
        self.matches.values().filter(move |row| row.seats.contains(&holder))
    }
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
        limit: u32,
        offset: u32,
    ) -> Result<Vec<MatchSummary>> {
        let tables = self.tables();
        let mut history: Vec<MatchSummary> = tables
            .matches_of(player)
            .filter_map(|row| Some(tables.summary(row, tables.results.get(&row.id)?)))
            .collect();
        history.sort_by_key(|summary| std::cmp::Reverse((summary.ended_ms, summary.id)));
        Ok(history.into_iter().skip(up_to(offset)).take(up_to(limit)).collect())
    }

    async fn running_matches(&self, player: PlayerId) -> Result<Vec<MatchId>> {
        let tables = self.tables();
        let rows = tables.matches_of(player).filter(|row| row.status == MatchStatus::Running);
        Ok(rows.map(|row| row.id).collect())
    }

    async fn unleased_matches(&self, now_ms: u64, limit: u32) -> Result<Vec<MatchId>> {
        let tables = self.tables();
        let is_free =
            |row: &&MatchRow| row.status == MatchStatus::Running && row.lease_until_ms < now_ms;
        Ok(tables.matches.values().filter(is_free).map(|row| row.id).take(up_to(limit)).collect())
    }

    async fn find_lobby(&self, id: LobbyId) -> Result<Option<Lobby>> {
        Ok(self.tables().lobbies.get(&id).cloned())
    }

    async fn lobbies_of(&self, host: PlayerId) -> Result<Vec<Lobby>> {
        let tables = self.tables();
        Ok(tables.lobbies.values().filter(|lobby| lobby.host == host).cloned().collect())
    }

    async fn public_lobbies(&self, limit: u32) -> Result<Vec<Lobby>> {
        let tables = self.tables();
        let public = tables.lobbies.values().filter(|lobby| lobby.is_public);
        let mut lobbies: Vec<Lobby> = public.cloned().collect();
        lobbies.sort_by_key(|lobby| std::cmp::Reverse((lobby.created_ms, lobby.id)));
        lobbies.truncate(up_to(limit));
        Ok(lobbies)
    }

    async fn pairings(&self, limit: u32) -> Result<Vec<Pairing>> {
        let mut pairings: Vec<Pairing> = self.tables().pairings.values().cloned().collect();
        pairings.sort_by_key(|pairing| (pairing.since_ms, pairing.player));
        pairings.truncate(up_to(limit));
        Ok(pairings)
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

    async fn close(&self) {}
}
