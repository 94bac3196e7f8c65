//! The tables of the memory backend, and what each change does to them. Who may look when is the
//! store's.

use std::collections::BTreeMap;

use audit::AuditRecord;
use domain::{AuditId, LobbyId, MatchId, PlayerId, Role, SessionId, skeleton};
use game_api::Entry;

use crate::{
    Change, Counted, DeviceKey, GameStatistics, Lobby, MatchResult, MatchRow, MatchStatus,
    MatchSummary, NewMatch, NewPlayer, Pairing, Player, PublicMatch, Rating, Score, SeatHolder,
    SeatSummary, Session, StorageError, Thing, WatchKey, player_in_body,
};

type Result<T> = std::result::Result<T, StorageError>;

#[derive(Clone, Default)]
pub(super) struct Tables {
    pub(super) players: BTreeMap<PlayerId, Player>,
    /// When a name was changed last.
    pub(super) renames: BTreeMap<PlayerId, u64>,
    /// By skeleton: for whom a former name is reserved, and until when.
    pub(super) former_names: BTreeMap<String, (PlayerId, u64)>,
    pub(super) devices: BTreeMap<DeviceKey, PlayerId>,
    pub(super) credentials: BTreeMap<PlayerId, String>,
    pub(super) sessions: BTreeMap<SessionId, Session>,
    pub(super) matches: BTreeMap<MatchId, MatchRow>,
    pub(super) founders: BTreeMap<MatchId, PlayerId>,
    pub(super) watch_keys: BTreeMap<MatchId, WatchKey>,
    pub(super) entries: BTreeMap<MatchId, BTreeMap<u32, Entry>>,
    pub(super) results: BTreeMap<MatchId, MatchResult>,
    pub(super) statistics: BTreeMap<(PlayerId, String), GameStatistics>,
    pub(super) ratings: BTreeMap<(PlayerId, String, String), Rating>,
    pub(super) lobbies: BTreeMap<LobbyId, Lobby>,
    pub(super) pairings: BTreeMap<PlayerId, Pairing>,
    pub(super) audit: BTreeMap<AuditId, AuditRecord>,
    pub(super) house: BTreeMap<String, String>,
}

/// Why a unit goes no further.
pub(super) enum Halt {
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
    pub(super) fn apply(&mut self, change: Change) -> std::result::Result<(), Halt> {
        match change {
            Change::CreatePlayer(new) => self.create_player(new)?,
            Change::UpdateProfile { player, name, avatar } => {
                self.update_profile(player, name, avatar)?;
            }
            Change::ClaimName { player, name, now_ms } => {
                self.claim_name(player, &name, now_ms)?;
            }
            Change::Rename { player, name, now_ms, last_until_ms, reserved_until_ms } => {
                let reserved = (player, reserved_until_ms);
                self.rename(player, name, now_ms, last_until_ms, reserved)?;
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
            Change::HoldPlayer { player } => {
                self.player(player)?;
            }
            Change::DeletePlayer { player, now_ms } => self.delete_player(player, now_ms)?,
            Change::RequireIdleGuest { player, since_ms } => {
                self.player(player)?;
                refuse_if(!self.is_idle_guest(player, since_ms), Thing::Player)?;
            }
            Change::OpenSession(session) => {
                refuse_if(self.sessions.contains_key(&session.id), Thing::Session)?;
                self.sessions.insert(session.id, session);
            }
            Change::RotateSession { id, generation, until_ms, now_ms } => {
                self.rotate_session(id, generation, until_ms, now_ms)?;
            }
            Change::HoldSession { id } => {
                let session = missing(self.sessions.get(&id), Thing::Session)?;
                refuse_if(session.is_revoked, Thing::Session)?;
            }
            Change::RevokeSession { id, now_ms } => {
                let session = missing(self.sessions.get_mut(&id), Thing::Session)?;
                session.is_revoked = true;
                session.changed_ms = now_ms;
            }
            Change::RevokeSessionsOf { player, except, now_ms } => {
                self.revoke_sessions_of(player, except, now_ms);
            }
            Change::Limit { player, of, most } => {
                self.player(player)?;
                refuse_if(self.count_of(player, of) >= most as usize, Thing::Limit)?;
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
            Change::DeleteMatch { match_id } => self.delete_match(match_id)?,
            Change::SetWatchKey { match_id, key } => self.set_watch_key(match_id, key)?,
            Change::CountResult { player, game, score, is_public } => {
                self.count(player, game, score, is_public);
            }
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
            Change::SetHouseValue { name, before, value } => {
                refuse_if(self.house.get(&name) != before.as_ref(), Thing::HouseValue)?;
                self.house.insert(name, value);
            }
            Change::Audit(record) => {
                refuse_if(self.audit.contains_key(&record.id), Thing::AuditRecord)?;
                self.audit.insert(record.id, record);
            }
            Change::RedactAudit { id, fields } => self.redact_audit(id, &fields)?,
        }
        Ok(())
    }

    fn delete_match(&mut self, match_id: MatchId) -> Result<()> {
        let row = missing(self.matches.get(&match_id), Thing::Match)?;
        let is_over = row.status == MatchStatus::Over;
        refuse_if(!is_over || self.has_account(row), Thing::Match)?;
        self.matches.remove(&match_id);
        self.entries.remove(&match_id);
        self.results.remove(&match_id);
        self.founders.remove(&match_id);
        self.watch_keys.remove(&match_id);
        Ok(())
    }

    fn player(&mut self, id: PlayerId) -> Result<&mut Player> {
        missing(self.players.get_mut(&id), Thing::Player)
    }

    pub(super) fn is_idle_guest(&self, id: PlayerId, since_ms: u64) -> bool {
        let is_old_guest = |it: &Player| it.role == Role::Guest && it.created_ms < since_ms;
        let has_come =
            self.sessions.values().any(|it| it.player == id && it.changed_ms >= since_ms);
        let has_played = self.matches_of(id).any(|row| {
            let result = self.results.get(&row.id);
            result.is_none_or(|result| result.ended_ms >= since_ms)
        });
        self.players.get(&id).is_some_and(is_old_guest) && !has_come && !has_played
    }

    pub(super) fn has_account(&self, row: &MatchRow) -> bool {
        row.seats.iter().any(|holder| match holder {
            SeatHolder::Player(player) => {
                self.players.get(player).is_some_and(|it| it.role != Role::Guest)
            }
            SeatHolder::Bot(_) | SeatHolder::Gone => false,
        })
    }

    fn count_of(&self, player: PlayerId, of: Counted) -> usize {
        match of {
            Counted::Lobbies => self.lobbies.values().filter(|it| it.host == player).count(),
            Counted::RunningMatches => {
                let rows = self.matches_of(player);
                rows.filter(|row| row.status == MatchStatus::Running).count()
            }
        }
    }

    fn is_name_taken(&self, name: &str, by_other_than: PlayerId) -> bool {
        let mut players = self.players.values();
        players.any(|it| it.id != by_other_than && it.name.eq_ignore_ascii_case(name))
    }

    fn claim_name(&self, player: PlayerId, name: &str, now_ms: u64) -> Result<()> {
        let wanted = skeleton(name);
        let mut others = self.players.values().filter(|other| other.id != player);
        refuse_if(others.any(|other| skeleton(&other.name) == wanted), Thing::Name)?;
        let reserved = self.former_names.get(&wanted);
        let is_others =
            |(owner, until_ms): &(PlayerId, u64)| *owner != player && now_ms <= *until_ms;
        refuse_if(reserved.is_some_and(is_others), Thing::Name)
    }

    fn rename(
        &mut self,
        player: PlayerId,
        name: String,
        now_ms: u64,
        last_until_ms: u64,
        reserved: (PlayerId, u64),
    ) -> Result<()> {
        let old = self.player(player)?.name.clone();
        if old == name {
            return Ok(());
        }
        let last_ms = self.renames.get(&player);
        refuse_if(last_ms.is_some_and(|it| *it > last_until_ms), Thing::Rename)?;
        self.claim_name(player, &name, now_ms)?;
        self.former_names.retain(|_, (_, until_ms)| *until_ms >= now_ms);
        self.former_names.remove(&skeleton(&name));
        if skeleton(&old) != skeleton(&name) {
            self.former_names.insert(skeleton(&old), reserved);
        }
        self.renames.insert(player, now_ms);
        self.player(player)?.name = name;
        Ok(())
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
        refuse_if(self.lobbies_naming(player).next().is_some(), Thing::Lobby)?;
        self.devices.retain(|_, owner| *owner != player);
        self.renames.remove(&player);
        self.former_names.retain(|_, (owner, _)| *owner != player);
        self.credentials.remove(&player);
        self.statistics.retain(|(owner, _), _| *owner != player);
        self.ratings.retain(|(owner, _, _), _| *owner != player);
        self.lobbies.retain(|_, lobby| lobby.host != player);
        self.pairings.remove(&player);
        self.founders.retain(|_, founder| *founder != player);
        self.revoke_sessions_of(player, None, now_ms);
        for holder in self.matches.values_mut().flat_map(|row| &mut row.seats) {
            if *holder == SeatHolder::Player(player) {
                *holder = SeatHolder::Gone;
            }
        }
        Ok(())
    }

    fn rotate_session(
        &mut self,
        id: SessionId,
        generation: u32,
        until_ms: u64,
        now_ms: u64,
    ) -> Result<()> {
        let session = missing(self.sessions.get_mut(&id), Thing::Session)?;
        let is_stale = session.is_revoked || session.generation != generation;
        refuse_if(is_stale, Thing::Session)?;
        session.generation += 1;
        session.until_ms = session.until_ms.max(until_ms);
        session.changed_ms = now_ms;
        Ok(())
    }

    fn redact_audit(&mut self, id: AuditId, fields: &[String]) -> Result<()> {
        let record = missing(self.audit.get_mut(&id), Thing::AuditRecord)?;
        record.payload = audit::redact(&record.payload, fields).map_err(StorageError::corrupt)?;
        record.is_redacted = true;
        Ok(())
    }

    pub(super) fn lobbies_naming(&self, player: PlayerId) -> impl Iterator<Item = &Lobby> {
        let named = player_in_body(player);
        let lobbies = self.lobbies.values();
        lobbies.filter(move |lobby| lobby.host != player && lobby.body.contains(&named))
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
        if let Some(founder) = new.founder {
            self.player(founder)?;
            self.founders.insert(new.id, founder);
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
            is_public: new.is_public,
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

    fn set_watch_key(&mut self, id: MatchId, key: Option<WatchKey>) -> Result<()> {
        missing(self.matches.get(&id), Thing::Match)?;
        match key {
            Some(key) => self.watch_keys.insert(id, key),
            None => self.watch_keys.remove(&id),
        };
        Ok(())
    }

    fn count(&mut self, player: PlayerId, game: String, score: Score, is_public: bool) {
        if !self.players.contains_key(&player) {
            return;
        }
        let row = self.statistics.entry((player, game.clone())).or_default();
        row.game = game;
        let (all, public) = match score {
            Score::Won => (&mut row.won, &mut row.public_won),
            Score::Drawn => (&mut row.drawn, &mut row.public_drawn),
            Score::Lost => (&mut row.lost, &mut row.public_lost),
        };
        *all += 1;
        *public += u32::from(is_public);
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

    fn seats(&self, row: &MatchRow, places: &[u8]) -> Vec<SeatSummary> {
        let seats = row.seats.iter().enumerate().map(|(seat, holder)| SeatSummary {
            holder: holder.clone(),
            name: match holder {
                SeatHolder::Player(player) => self.players.get(player).map(|it| it.name.clone()),
                SeatHolder::Bot(_) | SeatHolder::Gone => None,
            },
            place: places.get(seat).copied(),
        });
        seats.collect()
    }

    pub(super) fn summary(&self, row: &MatchRow, result: &MatchResult) -> MatchSummary {
        MatchSummary {
            id: row.id,
            game: row.game.clone(),
            created_ms: row.created_ms,
            ended_ms: result.ended_ms,
            reason: result.reason.clone(),
            seats: self.seats(row, &result.places),
        }
    }

    pub(super) fn listed(&self, row: &MatchRow) -> PublicMatch {
        PublicMatch {
            id: row.id,
            game: row.game.clone(),
            settings: row.settings.clone(),
            created_ms: row.created_ms,
            seats: self.seats(row, &[]),
        }
    }

    pub(super) fn matches_of(&self, player: PlayerId) -> impl Iterator<Item = &MatchRow> {
        let holder = SeatHolder::Player(player);
        self.matches.values().filter(move |row| row.seats.contains(&holder))
    }
}
