//! How often somebody may try: by address and by account.
//!
//! Memory is bounded: keys are hashed, under a secret of this process, into a fixed number of
//! buckets. Strangers who meet in one bucket share its attempts, which is rare and does no harm.

use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use protocol::Code;

use super::Refusal;
use crate::config;

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

/// The attempts that are left.
pub struct Limits<C: Clock = DefaultClock> {
    clock: C,
    key: RandomState,
    addresses: Limiter<C>,
    wide_addresses: Limiter<C>,
    accounts: Limiter<C>,
}

impl Limits {
    /// Nobody has tried yet.
    pub fn new(quotas: &config::Limits) -> Limits {
        Limits::with_clock(quotas, DefaultClock::default())
    }
}

impl<C: Clock + Clone> Limits<C> {
    fn with_clock(quotas: &config::Limits, clock: C) -> Limits<C> {
        let limiter = |quota: config::Quota, factor: u32| {
            let period = Duration::from_secs(quota.period_s.get().into()) / factor;
            let burst = quota.burst.saturating_mul(NonZeroU32::new(factor).unwrap_or(quota.burst));
            // A period that is not zero always makes a quota.
            let refill = Quota::with_period(period).unwrap_or(Quota::per_hour(burst));
            RateLimiter::new(refill.allow_burst(burst), HashMapStateStore::default(), clock.clone())
        };
        Limits {
            key: RandomState::new(),
            addresses: limiter(quotas.address, 1),
            wide_addresses: limiter(quotas.address, WIDE_FACTOR),
            accounts: limiter(quotas.account, 1),
            clock,
        }
    }

    /// Counts an attempt from this address.
    pub fn check_address(&self, address: IpAddr) -> Result<(), Refusal> {
        let keys = AddressKeys::of(address);
        self.check(&self.addresses, self.key.hash_one(keys.own()))?;
        keys.wide().map_or(Ok(()), |key| self.check(&self.wide_addresses, self.key.hash_one(key)))
    }

    /// Counts an attempt on this account, by the key of its name, whether it exists or not.
    pub fn check_account(&self, name_key: &str) -> Result<(), Refusal> {
        self.check(&self.accounts, self.key.hash_one(name_key))
    }

    fn check(&self, limiter: &Limiter<C>, hash: u64) -> Result<(), Refusal> {
        limiter.check_key(&(hash % BUCKETS)).map_err(|not_until| {
            let wait = not_until.wait_time_from(self.clock.now());
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            let detail = format!("too many attempts; try again in {seconds} s");
            Refusal::new(Code::RateLimited, detail).retry_after(seconds)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::time::Duration;

    use axum::response::IntoResponse as _;
    use governor::clock::FakeRelativeClock;

    use super::Limits;
    use crate::config;

    fn limits(burst: u32, period_s: u32) -> Limits<FakeRelativeClock> {
        let positive = |number| NonZeroU32::new(number).unwrap();
        let quota = config::Quota { burst: positive(burst), period_s: positive(period_s) };
        let quotas = config::Limits { address: quota, account: quota, ..Default::default() };
        Limits::with_clock(&quotas, FakeRelativeClock::default())
    }

    fn try_from(limits: &Limits<FakeRelativeClock>, address: &str) -> bool {
        limits.check_address(address.parse().unwrap()).is_ok()
    }

    #[test]
    fn a_burst_then_one_a_period() {
        let limits = limits(3, 10);
        let attempt = || limits.check_account("ada");
        assert!((0..3).all(|_| attempt().is_ok()));
        limits.clock.advance(Duration::from_millis(2500));
        let answer = attempt().unwrap_err().into_response();
        assert_eq!(answer.status(), 429);
        assert_eq!(answer.headers()["retry-after"], "8");
        limits.clock.advance(Duration::from_millis(7500));
        assert!(attempt().is_ok());
        assert!(attempt().is_err());
        assert!(limits.check_account("bob").is_ok(), "another account has its own");
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
            limits.check_account(&format!("name-{number}")).ok();
        }
        assert!(limits.accounts.len() as u64 <= super::BUCKETS);
    }
}
