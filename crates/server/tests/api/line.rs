//! A line to a store that a test can break, and that knows what went over it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use audit::{AuditFilter, AuditRecord};
use domain::{LobbyId, MatchId, PlayerId, SessionId};
use game_api::Entry;
use storage::{
    Access, Change, Credential, DeviceKey, Listed, Lobby, MatchResult, MatchRow, MatchSummary,
    Pairing, Player, Profile, PublicMatch, Session, Shown, StorageError, Store, Unit, WatchKey,
};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

/// Nothing in these tests takes nearly as long.
const PATIENCE: Duration = Duration::from_mins(2);

type Result<T> = std::result::Result<T, StorageError>;

/// What becomes of a unit on a line that breaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    /// It never gets there.
    Lost,
    /// It is stored, and nobody hears of it.
    Unanswered,
    /// It is stored, and nobody hears of it until [`Line::answer`].
    Late,
}

/// Which units meet which fault, and how many.
struct Break {
    fault: Fault,
    is_hit: fn(&Change) -> bool,
    left: usize,
}

/// A line to a store.
pub(crate) struct Line {
    store: Arc<dyn Store>,
    broken: Mutex<Option<Break>>,
    lost: Mutex<Vec<Unit>>,
    answered: Notify,
    stored: watch::Sender<Vec<Change>>,
    reads: AtomicUsize,
    /// Calls for rooms that are not answered.
    under_way: watch::Sender<usize>,
}

impl Line {
    pub(crate) fn to(store: Arc<dyn Store>) -> Line {
        Line {
            store,
            broken: Mutex::default(),
            lost: Mutex::default(),
            answered: Notify::new(),
            stored: watch::Sender::default(),
            reads: AtomicUsize::new(0),
            under_way: watch::Sender::default(),
        }
    }

    /// Breaks for the next `count` units with such a change.
    pub(crate) fn break_for(&self, count: usize, fault: Fault, is_hit: fn(&Change) -> bool) {
        *self.broken.lock().unwrap() = Some(Break { fault, is_hit, left: count });
    }

    /// Whether all is well again: as many units have met the fault as were to.
    pub(crate) fn is_whole(&self) -> bool {
        self.broken.lock().unwrap().is_none()
    }

    /// The units that never got there.
    pub(crate) fn lost(&self) -> Vec<Unit> {
        self.lost.lock().unwrap().clone()
    }

    /// Lets the answer through that is late.
    pub(crate) fn answer(&self) {
        self.answered.notify_one();
    }

    /// How often a whole log was read.
    pub(crate) fn reads(&self) -> usize {
        self.reads.load(Ordering::SeqCst)
    }

    /// Waits until such a change is stored.
    pub(crate) async fn stored(&self, is_wanted: fn(&Change) -> bool) {
        let mut stored = self.stored.subscribe();
        let waited = timeout(PATIENCE, stored.wait_for(|all| all.iter().any(is_wanted))).await;
        drop(waited.unwrap().unwrap());
    }

    /// Waits until no room waits for the store.
    pub(crate) async fn settled(&self) {
        let mut under_way = self.under_way.subscribe();
        let waited = timeout(PATIENCE, under_way.wait_for(|count| *count == 0)).await;
        drop(waited.unwrap().unwrap());
    }

    async fn counted<T>(&self, call: impl Future<Output = T>) -> T {
        self.under_way.send_modify(|count| *count += 1);
        let answer = call.await;
        self.under_way.send_modify(|count| *count -= 1);
        answer
    }

    fn fault(&self, unit: &Unit) -> Option<Fault> {
        let mut broken = self.broken.lock().unwrap();
        let hit = broken.as_mut().filter(|broken| unit.iter().any(broken.is_hit))?;
        let fault = hit.fault;
        hit.left -= 1;
        if hit.left == 0 {
            *broken = None;
        }
        Some(fault)
    }
}

#[async_trait]
impl Store for Line {
    async fn commit(&self, unit: Unit) -> Result<()> {
        let fault = self.fault(&unit);
        if fault == Some(Fault::Lost) {
            self.lost.lock().unwrap().push(unit);
            return Err(StorageError::unavailable("the line broke"));
        }
        self.counted(self.store.commit(unit.clone())).await?;
        self.stored.send_modify(|stored| stored.extend(unit));
        match fault {
            Some(Fault::Late) => self.answered.notified().await,
            Some(_) => return Err(StorageError::unavailable("the line broke")),
            None => {}
        }
        Ok(())
    }

    async fn ping(&self) -> Result<()> {
        self.store.ping().await
    }

    async fn find_player(&self, id: PlayerId) -> Result<Option<Player>> {
        self.counted(self.store.find_player(id)).await
    }

    async fn find_player_by_name(&self, name: &str) -> Result<Option<Player>> {
        self.store.find_player_by_name(name).await
    }

    async fn last_rename(&self, player: PlayerId) -> Result<Option<u64>> {
        self.store.last_rename(player).await
    }

    async fn find_guest(&self, device: DeviceKey) -> Result<Option<Player>> {
        self.store.find_guest(device).await
    }

    async fn find_credential(&self, name: &str) -> Result<Option<Credential>> {
        self.store.find_credential(name).await
    }

    async fn find_profile(&self, id: PlayerId) -> Result<Option<Profile>> {
        self.store.find_profile(id).await
    }

    async fn find_session(&self, id: SessionId) -> Result<Option<Session>> {
        self.store.find_session(id).await
    }

    async fn sessions_of(&self, player: PlayerId, now_ms: u64, limit: u32) -> Result<Vec<Session>> {
        self.store.sessions_of(player, now_ms, limit).await
    }

    async fn changed_sessions(&self, since_ms: u64, now_ms: u64) -> Result<Vec<Session>> {
        self.store.changed_sessions(since_ms, now_ms).await
    }

    async fn purge_sessions(&self, before_ms: u64, limit: u32) -> Result<u64> {
        self.store.purge_sessions(before_ms, limit).await
    }

    async fn find_access(
        &self,
        id: MatchId,
        player: Option<PlayerId>,
        key: Option<WatchKey>,
    ) -> Result<Option<Access>> {
        self.store.find_access(id, player, key).await
    }

    async fn find_match(&self, id: MatchId) -> Result<Option<MatchRow>> {
        self.counted(self.store.find_match(id)).await
    }

    async fn entries(&self, id: MatchId, from_ply: u32) -> Result<Vec<Entry>> {
        self.reads.fetch_add(usize::from(from_ply == 0), Ordering::SeqCst);
        self.counted(self.store.entries(id, from_ply)).await
    }

    async fn find_result(&self, id: MatchId) -> Result<Option<MatchResult>> {
        self.store.find_result(id).await
    }

    async fn match_history(
        &self,
        player: PlayerId,
        shown: Shown,
        limit: u32,
        offset: u32,
    ) -> Result<Vec<MatchSummary>> {
        self.store.match_history(player, shown, limit, offset).await
    }

    async fn running_matches(&self, player: PlayerId) -> Result<Vec<MatchId>> {
        self.store.running_matches(player).await
    }

    async fn public_matches(&self, game: Option<&str>, limit: u32) -> Result<Vec<PublicMatch>> {
        self.store.public_matches(game, limit).await
    }

    async fn unleased_matches(
        &self,
        now_ms: u64,
        after: Option<MatchId>,
        limit: u32,
    ) -> Result<Vec<MatchId>> {
        self.counted(self.store.unleased_matches(now_ms, after, limit)).await
    }

    async fn find_lobby(&self, id: LobbyId) -> Result<Option<Lobby>> {
        self.store.find_lobby(id).await
    }

    async fn lobbies_of(&self, host: PlayerId) -> Result<Vec<Lobby>> {
        self.store.lobbies_of(host).await
    }

    async fn lobbies_naming(&self, player: PlayerId) -> Result<Vec<Lobby>> {
        self.store.lobbies_naming(player).await
    }

    async fn public_lobbies(&self, limit: u32, offset: u32) -> Result<Vec<Lobby>> {
        self.store.public_lobbies(limit, offset).await
    }

    async fn stale_lobbies(
        &self,
        public_before_ms: u64,
        private_before_ms: u64,
        limit: u32,
    ) -> Result<Vec<Lobby>> {
        self.store.stale_lobbies(public_before_ms, private_before_ms, limit).await
    }

    async fn find_pairing(&self, player: PlayerId) -> Result<Option<Pairing>> {
        self.store.find_pairing(player).await
    }

    async fn pairings(&self, pool: &str) -> Result<Vec<Pairing>> {
        self.store.pairings(pool).await
    }

    async fn shared_pools(&self) -> Result<Vec<String>> {
        self.store.shared_pools().await
    }

    async fn purge_pairings(&self, before_ms: u64, limit: u32) -> Result<u64> {
        self.store.purge_pairings(before_ms, limit).await
    }

    async fn idle_guests(
        &self,
        since_ms: u64,
        after: Option<PlayerId>,
        limit: u32,
    ) -> Result<Vec<PlayerId>> {
        self.store.idle_guests(since_ms, after, limit).await
    }

    async fn matches_without_account(
        &self,
        before_ms: u64,
        after: Option<(u64, MatchId)>,
        limit: u32,
    ) -> Result<Vec<(u64, MatchId)>> {
        self.store.matches_without_account(before_ms, after, limit).await
    }

    async fn query_audit(&self, filter: &AuditFilter) -> Result<Vec<AuditRecord>> {
        self.store.query_audit(filter).await
    }

    async fn purge_audit_step(&self, before_ms: u64, limit: u32) -> Result<u64> {
        self.store.purge_audit_step(before_ms, limit).await
    }

    async fn house_value(&self, name: &str) -> Result<Option<String>> {
        self.store.house_value(name).await
    }

    async fn ids(&self, of: Listed, after: Option<i64>, limit: u32) -> Result<Vec<i64>> {
        self.store.ids(of, after, limit).await
    }

    async fn inspect(&self) -> Result<Vec<String>> {
        self.store.inspect().await
    }

    async fn close(&self) {
        self.store.close().await;
    }
}
