//! Watch links: the secret that opens a private match to whoever has it, and the connections that
//! follow a match by one.
//!
//! The store keeps the hash of a match's present secret and is the truth. Here is only who must be
//! sent away when it changes.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use audit::{Context, GameplayEvent};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::MatchId;
use play::room::{Input, MemberId};
use protocol::{Code, Secret};
use sha2::{Digest as _, Sha256};
use storage::{Access, Change, StorageError, WatchKey};

use crate::app::App;
use crate::bus::Bus as _;
use crate::http::Refusal;

/// 128 bits.
const SECRET_BYTES: usize = 16;
/// A link that another server took back is noticed after this time.
const PERIOD: Duration = Duration::from_secs(5);

/// The connections that follow a match by its link, with the key that let them in.
#[derive(Default)]
pub(crate) struct Links(Mutex<HashMap<MatchId, Vec<(MemberId, WatchKey)>>>);

/// What the store knows of a secret, whatever its text.
pub(crate) fn key_of(secret: &[u8]) -> WatchKey {
    let hash = Sha256::new().chain_update(b"parlor watch link\n").chain_update(secret);
    WatchKey(hash.finalize().into())
}

/// Gives a match a new link. Who follows the match by the one before is sent away.
pub(crate) async fn create(
    app: &App,
    match_id: MatchId,
    context: Context,
) -> Result<Secret, Refusal> {
    let mut secret = [0; SECRET_BYTES];
    getrandom::fill(&mut secret).map_err(|error| Refusal::from(Code::Internal).because(error))?;
    let secret = Secret::new(URL_SAFE_NO_PAD.encode(secret));
    let key = Some(key_of(secret.expose().as_bytes()));
    store(app, match_id, key, &GameplayEvent::WatchLinkCreated, context).await?;
    Ok(secret)
}

/// Takes the link of a match back, if it has one.
pub(crate) async fn take_back(
    app: &App,
    match_id: MatchId,
    context: Context,
) -> Result<(), Refusal> {
    store(app, match_id, None, &GameplayEvent::WatchLinkTakenBack, context).await
}

async fn store(
    app: &App,
    match_id: MatchId,
    key: Option<WatchKey>,
    event: &GameplayEvent,
    context: Context,
) -> Result<(), Refusal> {
    let record = app.record(event, Context { match_id: Some(match_id), ..context })?;
    app.store.commit(vec![Change::SetWatchKey { match_id, key }, record]).await?;
    // The change is stored. If the store fails now, [`keep_true`] looks again soon.
    if let Err(error) = send_away(app, Some(match_id)).await {
        tracing::warn!(%error, %match_id, "who watches by an old link is not known yet");
    }
    Ok(())
}

/// Sends away who follows this match, or any, by a link that opens nothing any more.
async fn send_away(app: &App, only: Option<MatchId>) -> Result<(), StorageError> {
    for (match_id, member, key) in app.links.all(only) {
        if !opens(app, match_id, key).await? && app.links.forget(match_id, member, key) {
            // The rooms may be closing themselves.
            let _ = app.bus.ask(match_id, Input::Expel { member }).await;
        }
    }
    Ok(())
}

async fn opens(app: &App, match_id: MatchId, key: WatchKey) -> Result<bool, StorageError> {
    Ok(app.store.find_access(match_id, None, Some(key)).await? == Some(Access::Link))
}

/// Looks after the links that other servers change, until it is dropped.
pub(crate) async fn keep_true(app: &App) {
    loop {
        tokio::time::sleep(PERIOD).await;
        if let Err(error) = send_away(app, None).await {
            tracing::warn!(%error, "watch links were not looked at");
        }
    }
}

impl Links {
    fn followers(&self) -> MutexGuard<'_, HashMap<MatchId, Vec<(MemberId, WatchKey)>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a connection joins a match by this key.
    pub(crate) fn note(&self, match_id: MatchId, member: MemberId, key: WatchKey) {
        let mut followers = self.followers();
        let of_match = followers.entry(match_id).or_default();
        of_match.retain(|(other, _)| *other != member);
        of_match.push((member, key));
    }

    /// Whether a connection that joined by a link has not been sent away since.
    pub(crate) fn holds(&self, match_id: MatchId, member: MemberId) -> bool {
        let followers = self.followers();
        followers.get(&match_id).is_some_and(|all| all.iter().any(|(it, _)| *it == member))
    }

    /// A connection follows the match no more.
    pub(crate) fn leave(&self, match_id: MatchId, member: MemberId) {
        self.remove(match_id, |(other, _)| *other == member);
    }

    /// Forgets what [`Links::note`] noted; false if it is not so any more.
    fn forget(&self, match_id: MatchId, member: MemberId, key: WatchKey) -> bool {
        self.remove(match_id, |it| *it == (member, key))
    }

    fn remove(&self, match_id: MatchId, is_it: impl Fn(&(MemberId, WatchKey)) -> bool) -> bool {
        let mut followers = self.followers();
        let Some(of_match) = followers.get_mut(&match_id) else {
            return false;
        };
        let before = of_match.len();
        of_match.retain(|it| !is_it(it));
        let is_changed = of_match.len() < before;
        if of_match.is_empty() {
            followers.remove(&match_id);
        }
        is_changed
    }

    fn all(&self, only: Option<MatchId>) -> Vec<(MatchId, MemberId, WatchKey)> {
        let followers = self.followers();
        let wanted = followers.iter().filter(|(id, _)| only.is_none_or(|only| **id == only));
        let each =
            wanted.flat_map(|(id, all)| all.iter().map(|(member, key)| (*id, *member, *key)));
        each.collect()
    }
}

/// Joins a match by a link that was good a moment ago. The link may be revoked between that check and the
/// join, when [`send_away`] cannot reach this connection yet; so it is checked again after the room has the
/// join in its queue.
pub(crate) async fn join(
    app: &App,
    match_id: MatchId,
    key: WatchKey,
    member: MemberId,
    join: Input,
) -> Result<(), crate::bus::Closing> {
    app.links.note(match_id, member, key);
    app.bus.ask(match_id, join).await?;
    // If the store does not say, `keep_true` asks it again.
    if matches!(opens(app, match_id, key).await, Ok(false)) {
        // Also if `send_away` has forgotten it: its `Expel` may have come before the join.
        app.links.forget(match_id, member, key);
        app.bus.ask(match_id, Input::Expel { member }).await?;
    }
    Ok(())
}
