//! How long to wait before asking again. It does not know what for.

use fastrand::Rng;

/// The longest wait before the second try: a server that restarts is back in about this time.
const BASE_MS: u64 = 500;
/// The longest wait of all. A person looks at the page, and it is to heal within seconds.
const CEILING_MS: u64 = 4_000;

/// Doubles its ceiling with every try, and picks a moment below it by chance: those who lost the
/// same server come back one by one.
#[derive(Default)]
pub(crate) struct Backoff {
    tries: u32,
}

impl Backoff {
    pub(crate) fn next_ms(&mut self, rng: &mut Rng) -> u64 {
        let factor = 1u64.checked_shl(self.tries).unwrap_or(u64::MAX);
        self.tries = self.tries.saturating_add(1);
        rng.u64(..=BASE_MS.saturating_mul(factor).min(CEILING_MS))
    }
}
