//! The embedded store: one SQLite file in WAL mode.
//!
//! One thread owns the only writing connection and takes whatever is queued as one transaction and
//! one sync; few threads read; one more copies the write-ahead log back into the file, so that the
//! writer never does. Nothing here knows what the rows are for.

mod checkpoint;
mod claim;
mod columns;
mod connection;
mod erasure;
mod error;
mod names;
mod read;
mod readers;
#[cfg(feature = "testing")]
pub mod testing;
mod wal;
mod write;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use async_trait::async_trait;
use audit::{AuditFilter, AuditRecord};
use domain::{LobbyId, MatchId, PlayerId, SessionId};
use game_api::Entry;
use storage::{
    Access, Credential, DeviceKey, Listed, Lobby, MatchResult, MatchRow, MatchSummary, Pairing,
    Player, Profile, PublicMatch, Session, Shown, StorageError, Store, Unit, WatchKey,
};

use crate::checkpoint::Checkpointer;
use crate::claim::Record;
pub use crate::claim::{Claim, Damage};
pub use crate::connection::MIGRATIONS;
use crate::readers::Readers;
use crate::writer::{Purge, Writer};

type Result<T> = std::result::Result<T, StorageError>;

/// A store in one file.
pub struct SqliteStore {
    writer: Writer,
    readers: Readers,
    /// An onlooker has none.
    checkpointer: Option<Checkpointer>,
}

impl SqliteStore {
    /// Opens the file, or makes it, and brings its tables up to date: as its server, or as a guest if
    /// another process is that.
    pub fn open(path: &Path) -> Result<SqliteStore> {
        let claim = Claim::take(path).map_err(StorageError::unavailable)?;
        SqliteStore::open_with(path, claim)
    }

    /// Opens the file as its server, or without a claim as a guest.
    pub fn open_with(path: &Path, claim: Option<Claim>) -> Result<SqliteStore> {
        SqliteStore::start(path, Some(Record::new(path, claim)))
    }

    /// Opens the file to read it, and leaves its log as it is.
    pub fn open_to_look(path: &Path) -> Result<SqliteStore> {
        SqliteStore::start(path, None)
    }

    fn start(path: &Path, record: Option<Record>) -> Result<SqliteStore> {
        let is_onlooker = record.is_none();
        let connection = connection::open_writer(path, is_onlooker)?;
        let readers = Readers::start(path, is_onlooker)?;
        let erasure = Arc::<AtomicBool>::default();
        let writer = Writer::start(connection, erasure.clone())?;
        let start = |record: Record| {
            record.begin()?;
            Checkpointer::start(path, erasure, record)
        };
        Ok(SqliteStore { writer, readers, checkpointer: record.map(start).transpose()? })
    }

    /// What the writing connection says of `PRAGMA synchronous`: 2 is `FULL`, a sync a commit.
    pub async fn synchronous(&self) -> Result<i64> {
        self.writer.synchronous().await
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn commit(&self, unit: Unit) -> Result<()> {
        self.writer.commit(unit).await
    }

    async fn commit_each(&self, units: Vec<Unit>) -> Vec<Result<()>> {
        self.writer.commit_each(units).await
    }

    async fn ping(&self) -> Result<()> {
        self.writer.ping().await?;
        self.readers.look_up(read::pulse)
    }

    async fn find_player(&self, id: PlayerId) -> Result<Option<Player>> {
        self.readers.look_up(|db| read::player(db, id))
    }

    async fn find_player_by_name(&self, name: &str) -> Result<Option<Player>> {
        let key = name.to_ascii_lowercase();
        self.readers.look_up(|db| read::player_by_name(db, &key))
    }

    async fn last_rename(&self, player: PlayerId) -> Result<Option<u64>> {
        self.readers.look_up(|db| read::last_rename(db, player))
    }

    async fn find_guest(&self, device: DeviceKey) -> Result<Option<Player>> {
        self.readers.look_up(|db| read::guest(db, device))
    }

    async fn find_credential(&self, name: &str) -> Result<Option<Credential>> {
        let key = name.to_ascii_lowercase();
        self.readers.look_up(|db| read::credential(db, &key))
    }

    async fn find_profile(&self, id: PlayerId) -> Result<Option<Profile>> {
        self.readers.look_up(|db| read::profile(db, id))
    }

    async fn find_session(&self, id: SessionId) -> Result<Option<Session>> {
        self.readers.look_up(|db| read::session(db, id))
    }

    async fn sessions_of(&self, player: PlayerId, now_ms: u64, limit: u32) -> Result<Vec<Session>> {
        self.readers.look_up(|db| read::sessions_of(db, player, now_ms, limit))
    }

    async fn changed_sessions(&self, since_ms: u64, now_ms: u64) -> Result<Vec<Session>> {
        self.readers.walk(move |db| read::changed_sessions(db, since_ms, now_ms)).await
    }

    async fn purge_sessions(&self, before_ms: u64, limit: u32) -> Result<u64> {
        self.writer.purge(Purge::Sessions, before_ms, limit).await
    }

    async fn find_access(
        &self,
        id: MatchId,
        player: Option<PlayerId>,
        key: Option<WatchKey>,
    ) -> Result<Option<Access>> {
        self.readers.look_up(|db| read::access(db, id, player, key))
    }

    async fn find_match(&self, id: MatchId) -> Result<Option<MatchRow>> {
        self.readers.look_up(|db| read::contest(db, id))
    }

    async fn entries(&self, id: MatchId, from_ply: u32) -> Result<Vec<Entry>> {
        self.readers.look_up(|db| read::entries(db, id, from_ply))
    }

    async fn find_result(&self, id: MatchId) -> Result<Option<MatchResult>> {
        self.readers.look_up(|db| read::result(db, id))
    }

    async fn match_history(
        &self,
        player: PlayerId,
        shown: Shown,
        limit: u32,
        offset: u32,
    ) -> Result<Vec<MatchSummary>> {
        self.readers.walk(move |db| read::match_history(db, player, shown, limit, offset)).await
    }

    async fn running_matches(&self, player: PlayerId) -> Result<Vec<MatchId>> {
        self.readers.look_up(|db| read::running_matches(db, player))
    }

    async fn public_matches(&self, game: Option<&str>, limit: u32) -> Result<Vec<PublicMatch>> {
        let game = game.map(str::to_owned);
        self.readers.walk(move |db| read::public_matches(db, game.as_deref(), limit)).await
    }

    async fn unleased_matches(
        &self,
        now_ms: u64,
        after: Option<MatchId>,
        limit: u32,
    ) -> Result<Vec<MatchId>> {
        self.readers.walk(move |db| read::unleased_matches(db, now_ms, after, limit)).await
    }

    async fn find_lobby(&self, id: LobbyId) -> Result<Option<Lobby>> {
        self.readers.look_up(|db| read::lobby(db, id))
    }

    async fn lobbies_of(&self, host: PlayerId) -> Result<Vec<Lobby>> {
        self.readers.look_up(|db| read::lobbies_of(db, host))
    }

    async fn lobbies_naming(&self, player: PlayerId) -> Result<Vec<Lobby>> {
        self.readers.walk(move |db| read::lobbies_naming(db, player)).await
    }

    async fn public_lobbies(&self, limit: u32, offset: u32) -> Result<Vec<Lobby>> {
        self.readers.walk(move |db| read::public_lobbies(db, limit, offset)).await
    }

    async fn stale_lobbies(
        &self,
        public_before_ms: u64,
        private_before_ms: u64,
        limit: u32,
    ) -> Result<Vec<Lobby>> {
        let read =
            move |db: &_| read::stale_lobbies(db, public_before_ms, private_before_ms, limit);
        self.readers.walk(read).await
    }

    async fn find_pairing(&self, player: PlayerId) -> Result<Option<Pairing>> {
        self.readers.look_up(|db| read::pairing(db, player))
    }

    async fn pairings(&self, pool: &str) -> Result<Vec<Pairing>> {
        // Whoever wants to be paired waits for it, and few wait in a pool.
        self.readers.look_up(|db| read::pairings(db, pool))
    }

    async fn shared_pools(&self) -> Result<Vec<String>> {
        self.readers.walk(read::shared_pools).await
    }

    async fn purge_pairings(&self, before_ms: u64, limit: u32) -> Result<u64> {
        self.writer.purge(Purge::Pairings, before_ms, limit).await
    }

    async fn idle_guests(
        &self,
        since_ms: u64,
        after: Option<PlayerId>,
        limit: u32,
    ) -> Result<Vec<PlayerId>> {
        self.readers.walk(move |db| read::idle_guests(db, since_ms, after, limit)).await
    }

    async fn matches_without_account(
        &self,
        before_ms: u64,
        after: Option<(u64, MatchId)>,
        limit: u32,
    ) -> Result<Vec<(u64, MatchId)>> {
        let read = move |db: &_| read::matches_without_account(db, before_ms, after, limit);
        self.readers.walk(read).await
    }

    async fn query_audit(&self, filter: &AuditFilter) -> Result<Vec<AuditRecord>> {
        let filter = filter.clone();
        self.readers.walk(move |db| read::audit(db, &filter)).await
    }

    async fn purge_audit_step(&self, before_ms: u64, limit: u32) -> Result<u64> {
        self.writer.purge(Purge::Audit, before_ms, limit).await
    }

    async fn house_value(&self, name: &str) -> Result<Option<String>> {
        self.readers.look_up(|db| read::house_value(db, name))
    }

    async fn ids(&self, of: Listed, after: Option<i64>, limit: u32) -> Result<Vec<i64>> {
        self.readers.walk(move |db| read::ids(db, of, after, limit)).await
    }

    async fn inspect(&self) -> Result<Vec<String>> {
        self.readers.walk(read::inspect).await
    }

    async fn close(&self) {
        self.writer.close().await;
        if let Some(checkpointer) = &self.checkpointer {
            checkpointer.close();
        }
    }
}
