//! How sockets and rooms reach each other. A socket knows no room, and a room knows no socket.
//!
//! Here both are in one process. Several servers that share the work need another [`Bus`], and
//! nothing else: what goes through it is an input, or a list of letters, for a match.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use domain::MatchId;
use game_api::Viewer;
use play::room::{Input, Letter, MemberId, Room, To};
use tokio::sync::mpsc;

use crate::ws::{Connection, frame};

/// Of a frame with a letter of up to 64 KiB.
const HEADER_BYTES: usize = 4;
/// Many locks, so that the halls seldom wait for each other.
const SHARDS: usize = 64;

/// Something for a hall.
pub(crate) enum Ask {
    /// An input for the room of a match.
    Take(MatchId, Input),
    /// The room of a match that has just begun.
    Open(Box<Room>),
    /// Finish what is under way, and end.
    Close,
}

/// The rooms are closing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rooms are closing")]
pub(crate) struct Closing;

/// The way between sockets and rooms.
#[async_trait]
pub(crate) trait Bus: Send + Sync {
    /// Hands an input to the room of a match, waiting for a place in its queue.
    async fn ask(&self, match_id: MatchId, input: Input) -> Result<(), Closing>;

    /// Hands over the room of a match that has just begun here.
    async fn open(&self, room: Box<Room>) -> Result<(), Closing>;

    /// From now on a member hears what goes to this viewer.
    fn admit(&self, match_id: MatchId, member: MemberId, viewer: Option<Viewer>);

    /// A member hears no more of a match.
    fn dismiss(&self, match_id: MatchId, member: MemberId);

    /// Tells members of a match, each all that is for it at once and in this order.
    fn tell(&self, match_id: MatchId, letters: &[(To, Letter)]);
}

/// The way within one process.
pub(crate) struct LocalBus {
    halls: Vec<mpsc::Sender<Ask>>,
    connections: Sharded<MemberId, Arc<Connection>>,
    followers: Sharded<MatchId, Vec<Follower>>,
}

struct Follower {
    member: MemberId,
    /// None if it plays several seats.
    viewer: Option<Viewer>,
    connection: Arc<Connection>,
}

impl Follower {
    fn hears(&self, to: To) -> bool {
        match to {
            To::Member(member) => self.member == member,
            To::Viewer(viewer) => self.viewer == Some(viewer),
            To::Viewers => self.viewer.is_some(),
            To::Seats => self.viewer != Some(Viewer::Spectator),
            To::All => true,
        }
    }
}

impl LocalBus {
    /// To these halls; a match always goes to the same one.
    pub(crate) fn new(halls: Vec<mpsc::Sender<Ask>>) -> LocalBus {
        LocalBus { halls, connections: Sharded::new(), followers: Sharded::new() }
    }

    fn hall(&self, match_id: MatchId) -> &mpsc::Sender<Ask> {
        &self.halls[usize::try_from(key(match_id)).unwrap_or(0) % self.halls.len()]
    }

    /// Lets all halls come to their end.
    pub(crate) async fn close(&self) {
        for hall in &self.halls {
            // It has ended already.
            let _ = hall.send(Ask::Close).await;
        }
    }

    /// Makes a connection known.
    pub(crate) fn connect(&self, connection: Arc<Connection>) {
        self.connections.lock(connection.id().0).insert(connection.id(), connection);
    }

    /// Forgets a connection. Its matches are to be left before.
    pub(crate) fn disconnect(&self, id: MemberId) {
        self.connections.lock(id.0).remove(&id);
    }

    /// Does something with every connection.
    pub(crate) fn for_each_connection(&self, mut action: impl FnMut(&Arc<Connection>)) {
        for shard in &self.connections.shards {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.values().for_each(&mut action);
        }
    }
}

#[async_trait]
impl Bus for LocalBus {
    async fn ask(&self, match_id: MatchId, input: Input) -> Result<(), Closing> {
        self.hall(match_id).send(Ask::Take(match_id, input)).await.map_err(|_| Closing)
    }

    async fn open(&self, room: Box<Room>) -> Result<(), Closing> {
        self.hall(room.id()).send(Ask::Open(room)).await.map_err(|_| Closing)
    }

    fn admit(&self, match_id: MatchId, member: MemberId, viewer: Option<Viewer>) {
        let Some(connection) = self.connections.lock(member.0).get(&member).cloned() else {
            return;
        };
        let mut followers = self.followers.lock(key(match_id));
        let followers = followers.entry(match_id).or_default();
        followers.retain(|follower| follower.member != member);
        followers.push(Follower { member, viewer, connection });
    }

    fn dismiss(&self, match_id: MatchId, member: MemberId) {
        let mut followers = self.followers.lock(key(match_id));
        if let Some(of_match) = followers.get_mut(&match_id) {
            of_match.retain(|follower| follower.member != member);
            if of_match.is_empty() {
                followers.remove(&match_id);
            }
        }
    }

    fn tell(&self, match_id: MatchId, letters: &[(To, Letter)]) {
        let sizes = letters.iter().map(|(_, letter)| letter.len() + HEADER_BYTES);
        let mut frames = Vec::with_capacity(sizes.sum());
        let followers = self.followers.lock(key(match_id));
        for follower in followers.get(&match_id).into_iter().flatten() {
            frames.clear();
            for (_, letter) in letters.iter().filter(|(to, _)| follower.hears(*to)) {
                frame::text(&mut frames, letter);
            }
            follower.connection.send(&frames);
        }
        let is_follower = |member: MemberId| {
            followers.get(&match_id).is_some_and(|all| all.iter().any(|it| it.member == member))
        };
        // Whoever was not let in gets its answer all the same.
        for (to, letter) in letters {
            if let To::Member(member) = to
                && !is_follower(*member)
                && let Some(connection) = self.connections.lock(member.0).get(member)
            {
                frames.clear();
                frame::text(&mut frames, letter);
                connection.send(&frames);
            }
        }
    }
}

fn key(match_id: MatchId) -> u64 {
    match_id.number().cast_unsigned()
}

/// A map behind many locks.
struct Sharded<K, V> {
    shards: Vec<Mutex<HashMap<K, V>>>,
}

impl<K, V> Sharded<K, V> {
    fn new() -> Self {
        Sharded { shards: (0..SHARDS).map(|_| Mutex::default()).collect() }
    }

    fn lock(&self, key: u64) -> MutexGuard<'_, HashMap<K, V>> {
        let shard = usize::try_from(key % SHARDS as u64).unwrap_or(0);
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
