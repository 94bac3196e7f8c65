//! How much somebody may ask for: attempts to log in by address and by account, and everything else
//! that writes or costs by player and by address.
//!
//! Attempts at an account are counted by name and address together, so that guesses from one address
//! do not lock the owner out at another. Against guesses from many addresses, the wrong ones are also
//! counted by the name alone, with ten times the figures; an address from which the right password
//! came before is exempt from that.
//!
//! Memory is bounded: keys are hashed, under a secret of this process, into a fixed number of
//! buckets. Strangers who meet in one bucket share its attempts, which is rare and does no harm.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Refusal;
use crate::config;
use domain::PlayerId;
use governor::clock::{Clock, DefaultClock, Reference as _};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};

/// A few megabytes at most. Of a thousand clients at once, one in a hundred shares a bucket.
const BUCKETS: u64 = 1 << 17;

type Limiter<C> =
    RateLimiter<u64, HashMapStateStore<u64>, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// The network of an address, as it is counted.
pub(crate) type NetworkKey = (u8, u64);

/// The networks by which an address is counted. An IPv6 household has a whole /64 to itself, and many
/// have a /48, so the single address means nothing, and the /48 is counted too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressKeys {
    V4(u32),
    /// The first 64 bits.
    V6(u64),
}

/// A /48 may do so many times what a /64 may.
const WIDE_FACTOR: u32 = 10;

impl AddressKeys {
    pub(crate) fn of(address: IpAddr) -> AddressKeys {
        match address.to_canonical() {
            IpAddr::V4(address) => AddressKeys::V4(address.to_bits()),
            IpAddr::V6(address) => AddressKeys::V6((address.to_bits() >> 64) as u64),
        }
    }

    /// The network that one household has.
    pub(crate) fn own(self) -> NetworkKey {
        match self {
            AddressKeys::V4(bits) => (32, u64::from(bits)),
            AddressKeys::V6(bits) => (64, bits),
        }
    }

    /// The network around it, which may do [`WIDE_FACTOR`] times as much.
    pub(crate) fn wide(self) -> Option<NetworkKey> {
        match self {
            AddressKeys::V4(_) => None,
            AddressKeys::V6(bits) => Some((48, bits >> 16)),
        }
    }

    /// Each network that is counted, and how many times the bound of one address it has.
    pub(crate) fn each(self) -> impl Iterator<Item = (NetworkKey, usize)> {
        let wide = self.wide().map(|key| (key, WIDE_FACTOR as usize));
        std::iter::once((self.own(), 1)).chain(wide)
    }
}

/// What somebody does that writes or costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Beginning a match, also a rematch.
    Match,
    /// Opening, joining, changing or leaving a lobby.
    Lobby,
    /// Asking to be paired, or taking that back.
    Pairing,
    /// Changing the own profile.
    Profile,
    /// Reading what must be played again or is written down: a log, an export, the own profile; or the
    /// own sessions.
    Read,
    /// Opening a socket.
    Socket,
    /// Acting in a match, giving up, claiming.
    Act,
    /// Making or answering an offer.
    Offer,
    /// Saying a line.
    Chat,
}

/// An address has so many times the quota of a player: a class of thirty sits behind one address, and
/// rarely does all of it the same at once.
const PLAYERS_AN_ADDRESS: u32 = 10;

impl Cost {
    /// All, in the order of their declaration.
    pub const ALL: [Cost; 9] = [
        Cost::Match,
        Cost::Lobby,
        Cost::Pairing,
        Cost::Profile,
        Cost::Read,
        Cost::Socket,
        Cost::Act,
        Cost::Offer,
        Cost::Chat,
    ];

    /// A player's quota: so many at once, and one more after every so many milliseconds. The table in
    /// docs/security.md has the same figures, and what the disk can take of them.
    pub const fn quota(self) -> (u32, u32) {
        match self {
            Cost::Match => (20, 15_000),
            Cost::Lobby => (20, 3_000),
            Cost::Pairing | Cost::Chat => (20, 1_000),
            Cost::Profile => (10, 30_000),
            Cost::Read | Cost::Socket => (60, 1_000),
            Cost::Act => (600, 50),
            Cost::Offer => (30, 1_000),
        }
    }
}

/// Look-ups, from one address, of matches that are not there or not for who asks: so many at once, and
/// as many more in a minute. A person follows few such links, and who guesses finds nothing.
const MISSES_PER_MINUTE: NonZeroU32 = NonZeroU32::MIN.saturating_add(59);

/// Who pays for what is done: the buckets of a player, if it is known who it is, and of the networks of
/// an address.
#[derive(Clone, Copy, Debug)]
pub struct Purse {
    player: Option<u64>,
    own: u64,
    wide: Option<u64>,
}

/// So many times more wrong guesses at a name are allowed from all addresses together than from one.
const ALL_ADDRESSES: u32 = 10;

/// The attempts that are left, and what is left of the quotas.
pub struct Limits<C: Clock = DefaultClock> {
    clock: C,
    key: RandomState,
    addresses: Limiter<C>,
    wide_addresses: Limiter<C>,
    /// By name and address.
    accounts: Limiter<C>,
    /// Of each cost, by player, by address and by the network around it; none if quotas are off.
    quotas: Vec<[Limiter<C>; 3]>,
    /// By address and by the network around it; none if quotas are off.
    misses: Option<[Limiter<C>; 2]>,
    /// Wrong guesses, by name.
    guesses: Limiter<C>,
    /// Until when a name has had too many of them.
    blocked: Mutex<HashMap<u64, C::Instant>>,
    /// Names and addresses that belong together, by a part of their hash; a later pair replaces an
    /// earlier one in its place.
    known: Mutex<HashMap<u64, u64>>,
}

impl Limits {
    /// Nobody has tried yet.
    pub fn new(quotas: &config::Limits) -> Limits {
        Limits::with_clock(quotas, DefaultClock::default())
    }
}

impl<C: Clock + Clone> Limits<C> {
    fn with_clock(quotas: &config::Limits, clock: C) -> Limits<C> {
        let limiter = |burst: NonZeroU32, period: Duration, factor: u32| {
            let period = period / factor;
            let burst = burst.saturating_mul(NonZeroU32::new(factor).unwrap_or(burst));
            // A period that is not zero always makes a quota.
            let refill = Quota::with_period(period).unwrap_or(Quota::per_hour(burst));
            RateLimiter::new(refill.allow_burst(burst), HashMapStateStore::default(), clock.clone())
        };
        let attempts = |quota: config::Quota, factor| {
            limiter(quota.burst, Duration::from_secs(quota.period_s.get().into()), factor)
        };
        let of_cost = |cost: Cost| {
            let (burst, period_ms) = cost.quota();
            let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
            let factors = [1, PLAYERS_AN_ADDRESS, PLAYERS_AN_ADDRESS * WIDE_FACTOR];
            factors.map(|factor| limiter(burst, Duration::from_millis(period_ms.into()), factor))
        };
        let of_misses = |factor| limiter(MISSES_PER_MINUTE, Duration::from_secs(1), factor);
        let costs = Cost::ALL.into_iter().filter(|_| quotas.quotas.is_on());
        Limits {
            key: RandomState::new(),
            addresses: attempts(quotas.address, 1),
            wide_addresses: attempts(quotas.address, WIDE_FACTOR),
            accounts: attempts(quotas.account, 1),
            quotas: costs.map(of_cost).collect(),
            misses: quotas.quotas.is_on().then(|| [1, WIDE_FACTOR].map(of_misses)),
            guesses: attempts(quotas.account, ALL_ADDRESSES),
            blocked: Mutex::default(),
            known: Mutex::default(),
            clock,
        }
    }

    /// Who pays from now on.
    pub fn purse(&self, player: Option<PlayerId>, address: IpAddr) -> Purse {
        let keys = AddressKeys::of(address);
        Purse {
            player: player.map(|player| self.bucket(player)),
            own: self.bucket(keys.own()),
            wide: keys.wide().map(|key| self.bucket(key)),
        }
    }

    /// Counts what somebody does; if it is too much, gives after how many seconds it is not.
    pub fn spend(&self, cost: Cost, purse: Purse) -> Result<(), u64> {
        let Some(quotas) = self.quotas.get(cost as usize) else {
            return Ok(());
        };
        let buckets = [purse.player, Some(purse.own), purse.wide];
        let mut counted = quotas.iter().zip(buckets);
        counted.try_for_each(|(quota, bucket)| {
            bucket.map_or(Ok(()), |bucket| self.count(quota, bucket))
        })
    }

    /// Forgets those who have all of their quotas again.
    pub fn forget_idle(&self) {
        let now = self.clock.now();
        lock(&self.blocked).retain(|_, until| now < *until);
        let attempts = [&self.addresses, &self.wide_addresses, &self.accounts, &self.guesses];
        let misses = self.misses.iter().flatten();
        for limiter in self.quotas.iter().flatten().chain(misses).chain(attempts) {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
    }

    /// Counts an attempt from this address.
    pub fn check_address(&self, address: IpAddr) -> Result<(), Refusal> {
        let keys = AddressKeys::of(address);
        self.check(&self.addresses, self.bucket(keys.own()))?;
        keys.wide().map_or(Ok(()), |key| self.check(&self.wide_addresses, self.bucket(key)))
    }

    /// Counts a look-up of a match that is not there or not for who asks, whoever that is.
    pub fn check_miss(&self, purse: Purse) -> Result<(), Refusal> {
        let Some([own, wide]) = &self.misses else {
            return Ok(());
        };
        self.check(own, purse.own)?;
        purse.wide.map_or(Ok(()), |bucket| self.check(wide, bucket))
    }

    /// Counts an attempt to log in by this name, whether it exists or not, from this address.
    pub fn check_login(&self, address: IpAddr, name: &str) -> Result<(), Refusal> {
        self.check_address(address)?;
        let pair = self.pair(address, name);
        self.check(&self.accounts, pair % BUCKETS)?;
        if lock(&self.known).get(&(pair % BUCKETS)) == Some(&pair) {
            return Ok(());
        }
        let now = self.clock.now();
        let mut blocked = lock(&self.blocked);
        let bucket = self.bucket(name.to_ascii_lowercase());
        match blocked.get(&bucket) {
            Some(until) if now < *until => {
                Err(Refusal::too_much(seconds(until.duration_since(now).into())))
            }
            Some(_) => {
                blocked.remove(&bucket);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The right password for this name came from this address.
    pub fn note_right(&self, address: IpAddr, name: &str) {
        let pair = self.pair(address, name);
        lock(&self.known).insert(pair % BUCKETS, pair);
    }

    /// A wrong password for this name came from anywhere.
    pub fn note_wrong(&self, name: &str) {
        let bucket = self.bucket(name.to_ascii_lowercase());
        if let Err(not_until) = self.guesses.check_key(&bucket) {
            lock(&self.blocked).insert(bucket, not_until.earliest_possible());
        }
    }

    fn pair(&self, address: IpAddr, name: &str) -> u64 {
        self.key.hash_one((AddressKeys::of(address).own(), name.to_ascii_lowercase()))
    }

    fn bucket(&self, whose: impl Hash) -> u64 {
        self.key.hash_one(whose) % BUCKETS
    }

    fn check(&self, limiter: &Limiter<C>, bucket: u64) -> Result<(), Refusal> {
        self.count(limiter, bucket).map_err(Refusal::too_much)
    }

    /// Counts one; if it is too much, gives after how many seconds it is not.
    fn count(&self, limiter: &Limiter<C>, bucket: u64) -> Result<(), u64> {
        limiter
            .check_key(&bucket)
            .map_err(|not_until| seconds(not_until.wait_time_from(self.clock.now())))
    }
}

fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::num::NonZeroU32;
    use std::time::Duration;

    use axum::response::IntoResponse as _;
    use governor::clock::FakeRelativeClock;

    use domain::PlayerId;

    use super::{Cost, Limits};
    use crate::config::{self, Switch};

    fn limits_of(burst: u32, period_s: u32) -> config::Quota {
        let positive = |number| NonZeroU32::new(number).unwrap();
        config::Quota { burst: positive(burst), period_s: positive(period_s) }
    }

    fn limits(burst: u32, period_s: u32) -> Limits<FakeRelativeClock> {
        let quota = limits_of(burst, period_s);
        let quotas = config::Limits { address: quota, account: quota, ..Default::default() };
        Limits::with_clock(&quotas, FakeRelativeClock::default())
    }

    fn try_from(limits: &Limits<FakeRelativeClock>, address: &str) -> bool {
        limits.check_address(address.parse().unwrap()).is_ok()
    }

    #[test]
    fn a_burst_then_one_a_period() {
        let here = "192.0.2.1".parse().unwrap();
        let limits = Limits::with_clock(
            &config::Limits {
                address: limits_of(u32::MAX, 1),
                account: limits_of(3, 10),
                ..Default::default()
            },
            FakeRelativeClock::default(),
        );
        let attempt = || limits.check_login(here, "ada");
        assert!((0..3).all(|_| attempt().is_ok()));
        limits.clock.advance(Duration::from_millis(2500));
        let answer = attempt().unwrap_err().into_response();
        assert_eq!(answer.status(), 429);
        assert_eq!(answer.headers()["retry-after"], "8");
        limits.clock.advance(Duration::from_millis(7500));
        assert!(attempt().is_ok());
        assert!(attempt().is_err());
        assert!(limits.check_login(here, "bob").is_ok(), "another account has its own");
    }

    /// Ten attempts a name and address, 100 wrong ones a name.
    fn doors() -> Limits<FakeRelativeClock> {
        let quotas = config::Limits {
            address: limits_of(u32::MAX, 1),
            account: limits_of(10, 60),
            ..Default::default()
        };
        Limits::with_clock(&quotas, FakeRelativeClock::default())
    }

    fn address(number: u32) -> IpAddr {
        IpAddr::V4((0xC000_0200 + number).into())
    }

    /// How many wrong guesses come through.
    fn guess(limits: &Limits<FakeRelativeClock>, from: IpAddr, name: &str, count: u32) -> u32 {
        let mut heard = 0;
        for _ in 0..count {
            if limits.check_login(from, name).is_ok() {
                limits.note_wrong(name);
                heard += 1;
            }
        }
        heard
    }

    #[test]
    fn wrong_guesses_from_one_address_lock_nobody_out_at_another() {
        let limits = doors();
        assert_eq!(guess(&limits, address(1), "Ada", 1000), 10);
        assert!(limits.check_login(address(1), "ada").is_err());
        assert!(limits.check_login(address(2), "ADA").is_ok());
    }

    #[test]
    fn guesses_from_many_addresses_are_bounded_and_do_not_lock_out_a_known_one() {
        let limits = doors();
        let home = address(0);
        assert!(limits.check_login(home, "Ada").is_ok());
        limits.note_right(home, "Ada");
        let heard: u32 = (1..=100).map(|it| guess(&limits, address(it), "ada", 3)).sum();
        // The hundred, and the one that finds the bucket empty.
        assert_eq!(heard, 101);
        let refused = limits.check_login(address(200), "Ada").unwrap_err();
        assert_eq!(refused.into_response().headers()["retry-after"], "6");
        assert!(
            limits.check_login(home, "aDA").is_ok(),
            "the owner comes from where she came before"
        );
        assert!(limits.check_login(address(200), "Bob").is_ok());
        limits.clock.advance(Duration::from_secs(6));
        assert!(limits.check_login(address(201), "Ada").is_ok(), "one more every six seconds");
    }

    #[test]
    fn right_passwords_do_not_count_against_the_name() {
        let limits = doors();
        for number in 0..1000 {
            assert!(limits.check_login(address(number), "Ada").is_ok());
            limits.note_right(address(number), "Ada");
        }
        assert!(limits.check_login(address(1001), "Ada").is_ok());
    }

    #[test]
    fn sixty_misses_a_minute_are_answered_unless_there_are_no_quotas() {
        for quotas in [Switch::On, Switch::Off] {
            let limits = config::Limits { quotas, ..config::Limits::default() };
            let limits = Limits::with_clock(&limits, FakeRelativeClock::default());
            let purse = |address: &str| limits.purse(None, address.parse().unwrap());
            let miss = |address: &str| limits.check_miss(purse(address));
            assert!((0..60).all(|_| miss("192.0.2.1").is_ok()));
            assert_eq!(miss("192.0.2.1").is_err(), quotas.is_on());
            assert!(miss("192.0.2.2").is_ok(), "another address has its own");
            if let Err(refusal) = miss("192.0.2.1") {
                assert_eq!(refusal.into_response().headers()["retry-after"], "1");
            }
            assert!(try_from(&limits, "192.0.2.1"), "a log-in is counted by itself");
        }
    }

    #[test]
    fn a_household_is_one_address() {
        let limits = limits(1, 10);
        assert!(try_from(&limits, "2001:db8:0:1::1"));
        assert!(!try_from(&limits, "2001:db8:0:1:ffff::2"));
        assert!(try_from(&limits, "2001:db8:0:2::1"));
        assert!(try_from(&limits, "192.0.2.1"));
        assert!(!try_from(&limits, "::ffff:192.0.2.1"));
        assert!(try_from(&limits, "192.0.2.2"));
    }

    #[test]
    fn a_network_of_many_households_has_ten_times_the_attempts_of_one() {
        let limits = limits(2, 10);
        let attempts = (0..1000).filter(|number| {
            let subnet = number % 500;
            try_from(&limits, &format!("2001:db8:7:{subnet:x}::1"))
        });
        assert_eq!(attempts.count(), 20);
        assert!(try_from(&limits, "2001:db8:8::1"), "another network has its own");
        limits.clock.advance(Duration::from_secs(1));
        assert!(try_from(&limits, "2001:db8:7:ffff::1"), "ten times as many a period too");
        assert!(!try_from(&limits, "2001:db8:7:fffe::1"));
    }

    #[test]
    fn a_class_of_thirty_gets_in_from_one_address() {
        let limits = Limits::with_clock(&config::Limits::default(), FakeRelativeClock::default());
        let allowed = (0..1000).filter(|_| try_from(&limits, "192.0.2.1")).count();
        assert!((60..=100).contains(&allowed), "{allowed}");
    }

    #[test]
    fn many_addresses_need_no_more_memory_than_the_buckets() {
        let limits = limits(1, 10);
        for number in 0..300_000 {
            let name = format!("name-{number}");
            limits.check_login(address(number), &name).ok();
            limits.note_right(address(number), &name);
            limits.note_wrong(&name);
            limits.note_wrong(&name);
        }
        let sizes = [
            limits.accounts.len(),
            limits.addresses.len(),
            limits.guesses.len(),
            super::lock(&limits.blocked).len(),
            super::lock(&limits.known).len(),
        ];
        assert!(sizes.into_iter().all(|size| size as u64 <= super::BUCKETS), "{sizes:?}");
        limits.clock.advance(Duration::from_secs(21));
        limits.forget_idle();
        assert_eq!(limits.accounts.len() + limits.guesses.len(), 0);
        assert!(super::lock(&limits.blocked).is_empty());
    }

    fn player(number: i64) -> PlayerId {
        PlayerId::from_number(number).unwrap()
    }

    /// How often this player gets through in so many seconds, trying as fast as it can.
    fn spend_all(
        limits: &Limits<FakeRelativeClock>,
        cost: Cost,
        player: PlayerId,
        seconds: u64,
    ) -> u32 {
        let purse = limits.purse(Some(player), "192.0.2.1".parse().unwrap());
        let mut count = 0;
        for _ in 0..seconds * 10 {
            while limits.spend(cost, purse).is_ok() {
                count += 1;
            }
            limits.clock.advance(Duration::from_millis(100));
        }
        count
    }

    #[test]
    fn a_player_has_a_quota_and_an_address_ten_times_as_much() {
        for (at, cost) in Cost::ALL.into_iter().enumerate() {
            assert_eq!(cost as usize, at);
            let limits = limits(1, 10);
            let (burst, period_ms) = cost.quota();
            let got = spend_all(&limits, cost, player(1), 60);
            assert!((burst..=burst + 60_000 / period_ms).contains(&got), "{cost:?}: {got}");
            let at_once = |number| {
                let purse = limits.purse(Some(player(number)), "198.51.100.7".parse().unwrap());
                (0..=burst).filter(|_| limits.spend(cost, purse).is_ok()).count()
            };
            let got: Vec<usize> = (10..21).map(at_once).collect();
            let all = burst as usize;
            assert_eq!((&got[..10], got[10]), (&[all; 10][..], 0), "{cost:?}");
            // Nobody's log-in is needed to use up an address.
            let nobody = limits.purse(None, "203.0.113.9".parse().unwrap());
            let count = (0..burst * 11).filter(|_| limits.spend(cost, nobody).is_ok()).count();
            assert_eq!(count, all * 10, "{cost:?}");
        }
    }

    #[test]
    fn quotas_that_are_off_stop_nobody() {
        let quotas = config::Limits { quotas: Switch::Off, ..Default::default() };
        let limits = Limits::with_clock(&quotas, FakeRelativeClock::default());
        let purse = limits.purse(Some(player(1)), "192.0.2.1".parse().unwrap());
        for cost in Cost::ALL {
            assert!((0..10_000).all(|_| limits.spend(cost, purse).is_ok()));
        }
    }

    #[test]
    fn the_page_on_security_has_the_same_figures() {
        let page = include_str!("../../../../docs/security.md");
        for cost in Cost::ALL {
            let (burst, period_ms) = cost.quota();
            let seconds = f64::from(period_ms) / 1000.0;
            let row = format!("| {burst} | {seconds} s |");
            let name = format!("{cost:?}").to_lowercase();
            let line = page.lines().find(|line| line.starts_with(&format!("| {name}: ")));
            assert!(line.is_some_and(|line| line.contains(&row)), "{name} {row}");
        }
    }
}
