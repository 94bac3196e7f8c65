//! What the house asks of a database.

use async_trait::async_trait;
use audit::{AuditFilter, AuditRecord};
use domain::{LobbyId, MatchId, PlayerId, SessionId};
use futures_util::future::join_all;
use game_api::Entry;

use crate::{
    Access, Change, Credential, DeviceKey, Listed, Lobby, MatchResult, MatchRow, MatchSummary,
    NewPlayer, Pairing, Player, Profile, PublicMatch, Session, Shown, StorageError, Unit, WatchKey,
};

type Result<T> = std::result::Result<T, StorageError>;

/// How many records one step of a purge removes, so that other writes come in between.
const PURGE_STEP: u32 = 1000;

/// Keeps everything. Writes are durable when they are answered.
#[async_trait]
pub trait Store: Send + Sync {
    /// Does all of a unit's changes in one transaction, or none. Units of many callers may share a
    /// commit; each is answered by itself. A match's next append may be sent once the last one is
    /// answered, not before.
    async fn commit(&self, unit: Unit) -> Result<()>;

    /// Commits several units, each as if it came alone, and answers all of them together, in order.
    async fn commit_each(&self, units: Vec<Unit>) -> Vec<Result<()>> {
        join_all(units.into_iter().map(|unit| self.commit(unit))).await
    }

    /// Whether the database reads and writes just now.
    async fn ping(&self) -> Result<()>;

    /// Somebody by id.
    async fn find_player(&self, id: PlayerId) -> Result<Option<Player>>;
    /// Somebody by name, without case.
    async fn find_player_by_name(&self, name: &str) -> Result<Option<Player>>;
    /// When somebody's name was changed last, if ever.
    async fn last_rename(&self, player: PlayerId) -> Result<Option<u64>>;
    /// The guest of a device.
    async fn find_guest(&self, device: DeviceKey) -> Result<Option<Player>>;
    /// What a login by this name is checked against.
    async fn find_credential(&self, name: &str) -> Result<Option<Credential>>;
    /// Somebody with statistics and ratings.
    async fn find_profile(&self, id: PlayerId) -> Result<Option<Profile>>;

    /// A login.
    async fn find_session(&self, id: SessionId) -> Result<Option<Session>>;
    /// Somebody's sessions that are not revoked and whose newest token has not expired, the latest
    /// first.
    async fn sessions_of(&self, player: PlayerId, now_ms: u64, limit: u32) -> Result<Vec<Session>>;
    /// The sessions that were rotated or revoked at this time or later and whose newest token has
    /// not expired: what a cache of dead tokens needs to know.
    async fn changed_sessions(&self, since_ms: u64, now_ms: u64) -> Result<Vec<Session>>;
    /// Removes up to `limit` sessions whose newest token expired before this time.
    async fn purge_sessions(&self, before_ms: u64, limit: u32) -> Result<u64>;

    /// As whom this person, or nobody in particular, may look at a match, perhaps by a watch link;
    /// `None` if there is no such match or they may not. It costs the same in both cases, so that
    /// its time tells nothing.
    async fn find_access(
        &self,
        id: MatchId,
        player: Option<PlayerId>,
        key: Option<WatchKey>,
    ) -> Result<Option<Access>>;
    /// A match without its entries.
    async fn find_match(&self, id: MatchId) -> Result<Option<MatchRow>>;
    /// A match's entries from this ply on, in order and without a gap.
    async fn entries(&self, id: MatchId, from_ply: u32) -> Result<Vec<Entry>>;
    /// How a match ended.
    async fn find_result(&self, id: MatchId) -> Result<Option<MatchResult>>;
    /// Somebody's finished matches, the latest first.
    async fn match_history(
        &self,
        player: PlayerId,
        shown: Shown,
        limit: u32,
        offset: u32,
    ) -> Result<Vec<MatchSummary>>;
    /// Somebody's matches under way, the first begun first.
    async fn running_matches(&self, player: PlayerId) -> Result<Vec<MatchId>>;
    /// The latest running matches that are in the list, of one game or of all.
    async fn public_matches(&self, game: Option<&str>, limit: u32) -> Result<Vec<PublicMatch>>;
    /// Up to `limit` running matches whose lease ended before this time, in the order of their ids
    /// (which is that of no time), after one or from the first on.
    async fn unleased_matches(
        &self,
        now_ms: u64,
        after: Option<MatchId>,
        limit: u32,
    ) -> Result<Vec<MatchId>>;

    /// A lobby, public or not.
    async fn find_lobby(&self, id: LobbyId) -> Result<Option<Lobby>>;
    /// Somebody's own lobbies, in the order of their ids.
    async fn lobbies_of(&self, host: PlayerId) -> Result<Vec<Lobby>>;
    /// The lobbies of others whose body names this player's id, in the order of their ids.
    async fn lobbies_naming(&self, player: PlayerId) -> Result<Vec<Lobby>>;
    /// The public lobbies, the latest first.
    async fn public_lobbies(&self, limit: u32, offset: u32) -> Result<Vec<Lobby>>;
    /// Up to `limit` lobbies that were changed last before these times.
    async fn stale_lobbies(
        &self,
        public_before_ms: u64,
        private_before_ms: u64,
        limit: u32,
    ) -> Result<Vec<Lobby>>;
    /// Somebody's wish to be paired.
    async fn find_pairing(&self, player: PlayerId) -> Result<Option<Pairing>>;
    /// Who waits to be paired in this pool, the longest wait first.
    async fn pairings(&self, pool: &str) -> Result<Vec<Pairing>>;
    /// The pools in which several wait.
    async fn shared_pools(&self) -> Result<Vec<String>>;
    /// Removes up to `limit` wishes that were asked for last before this time.
    async fn purge_pairings(&self, before_ms: u64, limit: u32) -> Result<u64>;

    /// Up to `limit` guests whom [`Change::RequireIdleGuest`] finds idle since this time, in the order
    /// of their ids, after one or from the first on.
    async fn idle_guests(
        &self,
        since_ms: u64,
        after: Option<PlayerId>,
        limit: u32,
    ) -> Result<Vec<PlayerId>>;
    /// Up to `limit` matches that ended before this time and in which no account has a seat, each
    /// with its end, in the order of these; after one or from the first on.
    async fn matches_without_account(
        &self,
        before_ms: u64,
        after: Option<(u64, MatchId)>,
        limit: u32,
    ) -> Result<Vec<(u64, MatchId)>>;

    /// The records that a filter admits, the latest first.
    async fn query_audit(&self, filter: &AuditFilter) -> Result<Vec<AuditRecord>>;
    /// Removes up to `limit` records from before this time.
    async fn purge_audit_step(&self, before_ms: u64, limit: u32) -> Result<u64>;

    /// A value of the house as a whole, such as the fingerprint of its token key.
    async fn house_value(&self, name: &str) -> Result<Option<String>>;
    /// Up to `limit` ids of rows of a kind, in their order, after one or from the first on.
    async fn ids(&self, of: Listed, after: Option<i64>, limit: u32) -> Result<Vec<i64>>;
    /// Reads everything that the database holds, and says in a line each what is damaged. The values of
    /// rows are not judged. Can take long.
    async fn inspect(&self) -> Result<Vec<String>>;

    /// Finishes what was begun and lets go of the database.
    async fn close(&self);

    /// Adds a person.
    async fn create_player(&self, new: NewPlayer) -> Result<Player> {
        let player = new.player.clone();
        self.commit(vec![Change::CreatePlayer(new)]).await?;
        Ok(player)
    }

    /// Removes all records from before this time, in steps.
    async fn purge_audit(&self, before_ms: u64) -> Result<u64> {
        let mut purged = 0;
        loop {
            let step = self.purge_audit_step(before_ms, PURGE_STEP).await?;
            purged += step;
            if step < u64::from(PURGE_STEP) {
                return Ok(purged);
            }
        }
    }
}
