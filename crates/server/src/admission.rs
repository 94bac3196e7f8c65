//! How many connections there may be: in total, of one address, and sockets of one player.
//!
//! A quarter of the total is reserved for people who are logged in and, as sockets, for players of
//! running matches. When only the reserve is left, a newcomer replaces the connection that has been
//! without a request for longest. Knows no HTTP: the listener and the routes ask.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::PlayerId;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::config::Connections;
use crate::http::{AddressKeys, NetworkKey};

/// This part of the total is reserved.
const RESERVED_PART: usize = 4;
/// A connection that has read or written more recently keeps its place: a request may be on the way.
const QUIET_MS: u64 = 1000;
/// How many connections are looked at to find a quiet one.
const LOOKS_MAX: usize = 8;
/// Files for the database, the log, a UCI engine and connections that are turned away.
const OTHER_FILES: u64 = 128;
/// The default total is not larger, whatever the limit of open files.
const DEFAULT_TOTAL_MAX: u64 = 100_000;

/// Why there is no place for a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// There are too many connections.
    Total,
    /// There are too many of this address.
    Address,
    /// There are too many sockets of this player.
    Player,
}

/// The bounds, and what is open.
pub struct Admission {
    total: usize,
    per_address: usize,
    per_player: usize,
    began: Instant,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    open: usize,
    addresses: HashMap<NetworkKey, usize>,
    players: HashMap<PlayerId, usize>,
    /// Connections without a request under way, the longest first.
    quiet: BTreeMap<u64, Arc<Visit>>,
    /// The last key of `quiet`.
    last: u64,
}

/// A connection that speaks HTTP, from when it was accepted.
pub(crate) struct Visit {
    admission: Arc<Admission>,
    /// None if a trusted proxy has connected, which speaks for many addresses.
    address: Option<AddressKeys>,
    is_in_reserve: bool,
    /// Whether it counts as open. Not once it was evicted or has become a WebSocket.
    is_counted: AtomicBool,
    phase: AtomicU8,
    /// Its key in `quiet`, changed under the table's lock.
    number: AtomicU64,
    active_ms: AtomicU64,
    evicted: Notify,
}

/// What an HTTP connection is doing.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Phase {
    /// No byte of the next request has come.
    Idle,
    /// A part of a request's head has come.
    InHead,
    /// A request is being answered.
    Serving,
}

/// The place of a WebSocket; dropping it frees the place.
pub(crate) struct SocketPlace {
    admission: Arc<Admission>,
    address: AddressKeys,
    player: PlayerId,
}

impl Admission {
    /// The bounds of these settings; those by address and player only if `has_quotas`.
    pub(crate) fn new(bounds: &Connections, has_quotas: bool) -> Arc<Admission> {
        let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let quota = |number: u32| if has_quotas { count(number) } else { usize::MAX };
        Arc::new(Admission {
            total: bounds.total.map_or_else(default_total, |total| count(total.get())),
            per_address: quota(bounds.per_address.get()),
            per_player: quota(bounds.per_player.get()),
            began: Instant::now(),
            table: Mutex::default(),
        })
    }

    /// Lets a connection in. `address` is none for a trusted proxy.
    pub(crate) fn admit(self: &Arc<Self>, address: Option<IpAddr>) -> Result<Arc<Visit>, Full> {
        let address = address.map(AddressKeys::of);
        let mut table = self.table();
        self.check_address(&table, address)?;
        let unreserved = self.total - self.total / RESERVED_PART;
        let is_in_reserve = table.open >= unreserved && !table.make_room(self.now_ms());
        if is_in_reserve && table.open >= self.total {
            return Err(Full::Total);
        }
        table.open += 1;
        table.count_address(address);
        let visit = Arc::new(Visit {
            admission: self.clone(),
            address,
            is_in_reserve,
            is_counted: AtomicBool::new(true),
            phase: AtomicU8::new(Phase::Idle as u8),
            number: AtomicU64::new(0),
            active_ms: AtomicU64::new(self.now_ms()),
            evicted: Notify::new(),
        });
        table.note_quiet(&visit);
        Ok(visit)
    }

    fn check_address(&self, table: &Table, address: Option<AddressKeys>) -> Result<(), Full> {
        let is_full = address.into_iter().flat_map(AddressKeys::each).any(|(key, factor)| {
            let open = table.addresses.get(&key).copied().unwrap_or(0);
            open >= self.per_address.saturating_mul(factor)
        });
        if is_full { Err(Full::Address) } else { Ok(()) }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl Table {
    fn note_quiet(&mut self, visit: &Arc<Visit>) {
        self.last += 1;
        visit.number.store(self.last, Ordering::Relaxed);
        self.quiet.insert(self.last, visit.clone());
    }

    fn forget_quiet(&mut self, visit: &Visit) {
        self.quiet.remove(&visit.number.load(Ordering::Relaxed));
    }

    /// Evicts the connection that has been quiet for longest, if it has been for long enough. Those that
    /// were active meanwhile, such as slow downloads, go to the end of the line.
    fn make_room(&mut self, now_ms: u64) -> bool {
        for _ in 0..self.quiet.len().min(LOOKS_MAX) {
            let Some((_, visit)) = self.quiet.pop_first() else {
                return false;
            };
            if visit.active_ms.load(Ordering::Relaxed) + QUIET_MS <= now_ms {
                visit.is_counted.store(false, Ordering::Relaxed);
                self.free(visit.address);
                visit.evicted.notify_one();
                return true;
            }
            self.note_quiet(&visit);
        }
        false
    }

    fn count_address(&mut self, address: Option<AddressKeys>) {
        for (key, _) in address.into_iter().flat_map(AddressKeys::each) {
            *self.addresses.entry(key).or_default() += 1;
        }
    }

    fn free(&mut self, address: Option<AddressKeys>) {
        self.open = self.open.saturating_sub(1);
        for (key, _) in address.into_iter().flat_map(AddressKeys::each) {
            count_down(&mut self.addresses, &key);
        }
    }
}

fn count_down<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

impl Visit {
    /// Notes that bytes went in or out.
    pub(crate) fn note_active(&self) {
        self.active_ms.store(self.admission.now_ms(), Ordering::Relaxed);
    }

    /// Notes that bytes have come.
    pub(crate) fn note_read(&self) {
        self.note_active();
        let (idle, in_head) = (Phase::Idle as u8, Phase::InHead as u8);
        // During a request they are its body.
        let _ = self.phase.compare_exchange(idle, in_head, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Notes that a request's head is complete.
    pub(crate) fn begin_request(&self) {
        self.admission.table().forget_quiet(self);
        self.phase.store(Phase::Serving as u8, Ordering::Relaxed);
    }

    /// Notes that a request is answered, but for the bytes that are still to be written.
    pub(crate) fn end_request(self: &Arc<Self>) {
        self.phase.store(Phase::Idle as u8, Ordering::Relaxed);
        let mut table = self.admission.table();
        if self.is_counted.load(Ordering::Relaxed) {
            table.note_quiet(self);
        }
    }

    pub(crate) fn is_serving(&self) -> bool {
        self.phase.load(Ordering::Relaxed) == Phase::Serving as u8
    }

    pub(crate) fn is_in_head(&self) -> bool {
        self.phase.load(Ordering::Relaxed) == Phase::InHead as u8
    }

    /// Whether the connection is beyond the part of the total that is open to everybody.
    pub(crate) fn is_in_reserve(&self) -> bool {
        self.is_in_reserve
    }

    /// Waits until the connection must make room for another.
    pub(crate) async fn evicted(&self) {
        self.evicted.notified().await;
    }

    /// The place for a WebSocket, instead of the place of this connection. `address` is the client's
    /// own, also behind a proxy.
    pub(crate) fn become_socket(
        &self,
        address: IpAddr,
        player: PlayerId,
    ) -> Result<SocketPlace, Full> {
        let admission = &self.admission;
        let mut table = admission.table();
        let keys = self.address.unwrap_or_else(|| AddressKeys::of(address));
        if self.address.is_none() {
            admission.check_address(&table, Some(keys))?;
        }
        if table.players.get(&player).is_some_and(|open| *open >= admission.per_player) {
            return Err(Full::Player);
        }
        if !self.is_counted.swap(false, Ordering::Relaxed) {
            return Err(Full::Total);
        }
        if self.address.is_none() {
            table.count_address(Some(keys));
        }
        *table.players.entry(player).or_default() += 1;
        Ok(SocketPlace { admission: admission.clone(), address: keys, player })
    }

    /// Notes that the connection is over.
    pub(crate) fn leave(&self) {
        let mut table = self.admission.table();
        table.forget_quiet(self);
        if self.is_counted.swap(false, Ordering::Relaxed) {
            table.free(self.address);
        }
    }
}

impl Drop for SocketPlace {
    fn drop(&mut self) {
        let mut table = self.admission.table();
        table.free(Some(self.address));
        count_down(&mut table.players, &self.player);
    }
}

/// Raises the limit of open files as far as the system allows without privileges.
pub(crate) fn raise_file_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::warn!(%error, "the limit of open files was not raised");
    }
}

/// As many connections as the limit of open files allows beside all other files.
fn default_total() -> usize {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let total = (files - files / 8).saturating_sub(OTHER_FILES).clamp(1, DEFAULT_TOTAL_MAX);
    usize::try_from(total).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::num::NonZeroU32;
    use std::sync::Arc;
    use std::time::Duration;

    use domain::PlayerId;
    use tokio::time::{advance, pause};

    use super::{Admission, Full, Visit};
    use crate::config::Connections;

    const ADA: u64 = 1;

    fn admission(total: u32, per_address: u32, per_player: u32) -> Arc<Admission> {
        let positive = |number| NonZeroU32::new(number).unwrap();
        let bounds = Connections {
            total: Some(positive(total)),
            per_address: positive(per_address),
            per_player: positive(per_player),
        };
        Admission::new(&bounds, true)
    }

    /// Somebody at an address of their own.
    fn come(admission: &Arc<Admission>, number: u32) -> Result<Arc<Visit>, Full> {
        admission.admit(Some(IpAddr::from(number.to_be_bytes())))
    }

    fn socket(visit: &Visit, player: u64) -> Result<super::SocketPlace, Full> {
        visit.become_socket(IpAddr::from([192, 0, 2, 1]), PlayerId::new(1, player))
    }

    /// Makes as many places free as `freed` and no more.
    #[track_caller]
    fn check_free(admission: &Arc<Admission>, free: u32) {
        let visits: Vec<_> =
            (0..).map_while(|number| come(admission, 1000 + number).ok()).collect();
        assert_eq!(visits.len(), free as usize);
        for visit in &visits {
            visit.leave();
        }
    }

    #[tokio::test]
    async fn a_place_is_free_again_when_its_connection_or_its_socket_has_ended() {
        let admission = admission(4, 100, 100);
        check_free(&admission, 4);
        let visits = [1, 2, 3].map(|number| come(&admission, number).unwrap());
        check_free(&admission, 1);
        let place = socket(&visits[0], ADA).unwrap();
        for visit in &visits {
            visit.leave();
        }
        visits[0].leave();
        check_free(&admission, 3);
        drop(place);
        check_free(&admission, 4);
    }

    #[tokio::test]
    async fn the_last_quarter_is_marked_as_the_reserve() {
        let admission = admission(8, 100, 100);
        let visits = [0, 1, 2, 3, 4, 5, 6, 7].map(|number| come(&admission, number).unwrap());
        let reserved: Vec<bool> = visits.iter().map(|visit| visit.is_in_reserve()).collect();
        assert_eq!(reserved, [false, false, false, false, false, false, true, true]);
        assert_eq!(come(&admission, 8).err(), Some(Full::Total));
    }

    #[tokio::test]
    async fn who_is_quiet_for_longest_makes_room_and_who_is_served_never() {
        pause();
        let admission = admission(4, 100, 100);
        let [first, second, third] = [1, 2, 3].map(|number| come(&admission, number).unwrap());
        first.begin_request();
        advance(Duration::from_millis(1500)).await;
        third.note_active();
        let newcomer = come(&admission, 4).unwrap();
        assert!(!newcomer.is_in_reserve());
        second.evicted().await;
        assert!(come(&admission, 5).unwrap().is_in_reserve(), "all others were active just now");
        assert_eq!(come(&admission, 6).err(), Some(Full::Total));
        first.end_request();
        first.note_active();
        advance(Duration::from_millis(1100)).await;
        assert!(!come(&admission, 7).unwrap().is_in_reserve());
        third.evicted().await;
        // It counts no more, so that it is not subtracted twice.
        third.leave();
        assert_eq!(socket(&third, ADA).err(), Some(Full::Total));
    }

    #[tokio::test]
    async fn an_address_and_a_player_have_their_own_bounds() {
        let admission = admission(100, 3, 2);
        let mut visits: Vec<_> = (0..3).map(|_| come(&admission, 1).unwrap()).collect();
        assert_eq!(come(&admission, 1).err(), Some(Full::Address));
        visits.push(come(&admission, 2).unwrap());
        let places = [&visits[0], &visits[1]].map(|visit| socket(visit, ADA).unwrap());
        assert_eq!(socket(&visits[2], ADA).err(), Some(Full::Player));
        let other = socket(&visits[2], 2).unwrap();
        drop(places);
        assert!(socket(&visits[3], ADA).is_ok());
        assert_eq!(come(&admission, 1).map(|_| ()), Ok(()));
        drop(other);
    }

    #[tokio::test]
    async fn behind_a_proxy_sockets_count_for_the_address_that_it_speaks_for() {
        let admission = admission(100, 3, 100);
        let visits: Vec<_> = (0..10).map(|_| admission.admit(None).unwrap()).collect();
        let sockets = visits.iter().map(|visit| socket(visit, ADA));
        let sockets: Vec<_> = sockets.collect();
        assert!(sockets[..3].iter().all(Result::is_ok));
        assert!(sockets[3..].iter().all(|socket| socket.as_ref().err() == Some(&Full::Address)));
        drop(sockets);
        assert!(socket(&visits[9], ADA).is_ok());
    }

    #[tokio::test]
    async fn a_network_of_many_addresses_has_ten_times_the_bound_of_one() {
        let admission = admission(100, 2, 100);
        let come = |subnet: u16| {
            let address = IpAddr::from([0x2001, 0xdb8, 1, subnet, 0, 0, 0, 1]);
            admission.admit(Some(address))
        };
        let visits: Vec<_> = (0..100).map_while(|subnet| come(subnet).ok()).collect();
        assert_eq!(visits.len(), 20);
    }
}
