//! A state's fingerprint, the same natively and in the browser.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::seed::{BadHash, parse_hex, read_hex};

/// Feeds a `derive(Hash)` into SHA-256: integers little endian, `usize` and `isize` as 64 bits.
///
/// A slice of `usize` would still differ between 32 and 64 bits, since the standard library hashes
/// it as raw memory; the wasm run of the hash law would show it.
#[derive(Clone, Default)]
pub struct StableHasher(Sha256);

impl StableHasher {
    /// The fingerprint of all that was fed so far.
    pub fn digest(self) -> StateHash {
        StateHash(self.0.finalize().into())
    }
}

macro_rules! write_little_endian {
    ($($method:ident($type:ty)),*) => {
        $(fn $method(&mut self, number: $type) { self.write(&number.to_le_bytes()); })*
    };
}

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    write_little_endian!(
        write_u16(u16),
        write_u32(u32),
        write_u64(u64),
        write_u128(u128),
        write_i16(i16),
        write_i32(i32),
        write_i64(i64),
        write_i128(i128)
    );

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_i64(number as i64);
    }

    fn finish(&self) -> u64 {
        let digest: [u8; 32] = self.clone().digest().0;
        digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

/// A fingerprint of a whole state, secrets included: it goes to nobody while the match runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StateHash([u8; 32]);

impl StateHash {
    /// The fingerprint of `state`.
    pub fn of(state: &impl Hash) -> StateHash {
        let mut hasher = StableHasher::default();
        state.hash(&mut hasher);
        hasher.digest()
    }
}

impl fmt::Display for StateHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl FromStr for StateHash {
    type Err = BadHash;

    fn from_str(text: &str) -> Result<Self, BadHash> {
        parse_hex(text).map(StateHash)
    }
}

impl Serialize for StateHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for StateHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_hex(deserializer).map(StateHash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Hash)]
    enum Sample {
        Empty,
        Pair(usize, i16),
    }

    #[test]
    fn widths_and_byte_order_are_fixed() {
        // The variant as 64 bits, then 258 as 64 bits, then -2 as 16 bits, all little endian.
        assert_eq!(StateHash::of(&Sample::Empty), StateHash(Sha256::digest([0; 8]).into()));
        let mut bytes = vec![1, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0];
        bytes.extend([0xfe, 0xff]);
        let expected: [u8; 32] = Sha256::digest(&bytes).into();
        assert_eq!(StateHash::of(&Sample::Pair(258, -2)), StateHash(expected));
    }
}
