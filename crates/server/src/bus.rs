//! How sockets and rooms reach each other. A socket knows no room, and a room knows no socket.
//!
//! Here both are in one process. Several servers that share the work need another [`Bus`], and
//! nothing else: what goes through it is an input, or a list of letters, for a match.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use domain::MatchId;
use game_api::{SeatSet, Viewer};
use play::room::{Input, Letter, MemberId, Room, To};
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, sleep_until};

use crate::ws::{Connection, HOLD, frame};

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

    /// Tells members of a match, each all that is for it in one piece and in this order.
    fn tell(&self, match_id: MatchId, letters: &[(To, Letter)], haste: Haste);
}

/// How soon the members of a match are to be told.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Haste {
    /// All of them now.
    AtOnce,
    /// Whoever plays one of these seats now. The others with whatever is next for their socket, so that it
    /// is written to less often, or after [`HOLD`].
    DecidersFirst(SeatSet),
}

/// The way within one process.
pub(crate) struct LocalBus {
    halls: Vec<mpsc::Sender<Ask>>,
    connections: Sharded<MemberId, Arc<Connection>>,
    followers: Sharded<MatchId, Vec<Follower>>,
    /// Connections that hold something, the longest first.
    holding: Mutex<VecDeque<(Instant, Arc<Connection>)>>,
    /// One of them is the first.
    held: Notify,
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

    fn plays_any(&self, seats: SeatSet) -> bool {
        match self.viewer {
            Some(Viewer::Seat(seat)) => seats.contains(seat),
            Some(Viewer::Spectator) => false,
            None => true,
        }
    }
}

impl LocalBus {
    /// To these halls; a match always goes to the same one.
    pub(crate) fn new(halls: Vec<mpsc::Sender<Ask>>) -> LocalBus {
        LocalBus {
            halls,
            connections: Sharded::new(),
            followers: Sharded::new(),
            holding: Mutex::default(),
            held: Notify::new(),
        }
    }

    fn hall(&self, match_id: MatchId) -> &mpsc::Sender<Ask> {
        &self.halls[usize::try_from(key(match_id)).unwrap_or(0) % self.halls.len()]
    }

    /// Lets go of what was held long enough, for as long as it is polled.
    pub(crate) async fn release_held(&self) {
        loop {
            let longest = self.holding().front().map(|(since, _)| *since);
            let Some(since) = longest else {
                self.held.notified().await;
                continue;
            };
            sleep_until(since + HOLD).await;
            while let Some((since, connection)) = self.take_due(Instant::now()) {
                connection.release(since);
            }
        }
    }

    fn hold(&self, connection: &Arc<Connection>, frames: &[u8]) {
        let now = Instant::now();
        if connection.hold(frames, now) {
            metrics::counter!("parlor_socket_holds_total").increment(1);
            let mut holding = self.holding();
            holding.push_back((now, connection.clone()));
            if holding.len() == 1 {
                self.held.notify_one();
            }
        }
    }

    /// By itself, so that nobody is told while others wait for the lock.
    fn take_due(&self, now: Instant) -> Option<(Instant, Arc<Connection>)> {
        self.holding().pop_front_if(|(since, _)| *since + HOLD <= now)
    }

    fn holding(&self) -> MutexGuard<'_, VecDeque<(Instant, Arc<Connection>)>> {
        self.holding.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn tell(&self, match_id: MatchId, letters: &[(To, Letter)], haste: Haste) {
        let sizes = letters.iter().map(|(_, letter)| letter.len() + HEADER_BYTES);
        let mut frames = Vec::with_capacity(sizes.sum());
        let followers = self.followers.lock(key(match_id));
        for follower in followers.get(&match_id).into_iter().flatten() {
            frames.clear();
            for (_, letter) in letters.iter().filter(|(to, _)| follower.hears(*to)) {
                frame::text(&mut frames, letter);
            }
            match haste {
                Haste::DecidersFirst(seats) if !follower.plays_any(seats) => {
                    self.hold(&follower.connection, &frames);
                }
                Haste::DecidersFirst(_) | Haste::AtOnce => follower.connection.send(&frames),
            }
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

#[cfg(test)]
mod tests {
    use domain::MatchId;
    use game_api::{Seat, SeatSet, Viewer};
    use play::room::{MemberId, To};
    use tokio::time::{advance, pause, timeout};

    use super::{Bus as _, Haste, LocalBus};
    use crate::ws::HOLD;
    use crate::ws::far_end::{FarEnd, line};

    const SPECTATOR: usize = 2;

    /// A match with two seats and a spectator, and what each of them has at the other end of the line.
    struct Table {
        bus: LocalBus,
        match_id: MatchId,
        far_ends: Vec<FarEnd>,
    }

    impl Table {
        /// Where time passes only by [`Table::pass`].
        async fn new() -> Table {
            let (bus, match_id) = (LocalBus::new(Vec::new()), MatchId::new(1, 1));
            let mut far_ends = Vec::new();
            let seats = Seat::all(2).map(Viewer::Seat);
            for (id, viewer) in (0..).map(MemberId).zip(seats.chain([Viewer::Spectator])) {
                let (connection, far_end) = line(id).await;
                bus.connect(connection);
                bus.admit(match_id, id, Some(viewer));
                far_ends.push(far_end);
            }
            pause();
            Table { bus, match_id, far_ends }
        }

        fn tell(&self, letter: &str, haste: Haste) {
            self.bus.tell(self.match_id, &[(To::All, letter.as_bytes().to_vec())], haste);
        }

        /// Tells whoever plays for this seat first.
        fn tell_first(&self, seat: u8, letter: &str) {
            self.tell(letter, Haste::DecidersFirst(SeatSet::only(Seat::new(seat).unwrap())));
        }

        /// Lets a part of the longest wait pass.
        async fn pass(&self, percent: u32) {
            advance(HOLD * percent / 100).await;
            // It never ends, and has done all that is due when it waits again.
            timeout(HOLD / 1000, self.bus.release_held()).await.unwrap_err();
        }

        /// Somebody has heard just these letters since the last time.
        #[track_caller]
        fn check_heard(&mut self, who: usize, expected: &str) {
            let frames: Vec<u8> = expected.bytes().flat_map(|letter| [0x81, 1, letter]).collect();
            self.far_ends[who].check_heard(&frames);
        }
    }

    #[tokio::test]
    async fn whoever_decides_hears_first_and_the_others_with_what_is_next_for_them() {
        let mut table = Table::new().await;
        table.tell_first(0, "a");
        table.check_heard(0, "a");
        table.check_heard(1, "");
        table.tell_first(1, "b");
        table.check_heard(0, "");
        table.check_heard(1, "ab");
        table.tell("c", Haste::AtOnce);
        table.check_heard(0, "bc");
        table.check_heard(1, "c");
        table.check_heard(SPECTATOR, "abc");
        table.pass(200).await;
        for who in 0..3 {
            table.check_heard(who, "");
        }
    }

    #[tokio::test]
    async fn what_nothing_follows_is_told_when_it_has_waited_long_enough() {
        let mut table = Table::new().await;
        table.tell_first(0, "a");
        table.pass(40).await;
        table.tell_first(0, "b");
        table.pass(40).await;
        table.check_heard(1, "");
        table.pass(40).await;
        table.check_heard(1, "ab");
        table.check_heard(SPECTATOR, "ab");
    }

    #[tokio::test]
    async fn what_is_held_anew_waits_its_own_time() {
        let mut table = Table::new().await;
        table.tell_first(0, "a");
        table.tell_first(1, "b");
        table.pass(60).await;
        table.tell_first(0, "c");
        table.check_heard(1, "ab");
        table.pass(60).await;
        table.check_heard(1, "");
        table.check_heard(SPECTATOR, "abc");
        table.pass(60).await;
        table.check_heard(1, "c");
    }
}
