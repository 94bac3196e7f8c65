//! The one source of chance in a match, and the public promise not to change it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::{Digest, Sha256};

/// 32 bytes from which every deal of a match follows; a secret until the match is over.
///
/// It prints as `Seed(..)` and does not serialise, so that it leaves only where code says
/// [`Seed::reveal`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seed([u8; 32]);

/// A text that is no seed.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("a seed is 1 to 64 hexadecimal digits")]
pub struct BadSeed;

impl Seed {
    /// A seed of these bytes, which the caller took from the system's randomness.
    pub const fn new(bytes: [u8; 32]) -> Seed {
        Seed(bytes)
    }

    /// A seed that is a plain number, for tests and benchmarks.
    pub fn from_number(number: u64) -> Seed {
        let mut bytes = [0; 32];
        bytes[24..].copy_from_slice(&number.to_be_bytes());
        Seed(bytes)
    }

    /// The 64 digits that [`Seed::from_str`] reads back.
    pub fn reveal(&self) -> String {
        hex::encode(self.0)
    }

    /// The generator's key: of the seed, but not the seed, so that a state does not hold it.
    pub(crate) fn derive_key(&self) -> [u8; 32] {
        Sha256::new().chain_update(b"parlor deal\n").chain_update(self.0).finalize().into()
    }
}

/// Reads a hexadecimal number of up to 64 digits.
impl FromStr for Seed {
    type Err = BadSeed;

    fn from_str(text: &str) -> Result<Self, BadSeed> {
        let mut bytes = [0; 32];
        if text.is_empty() || text.len() > 64 {
            return Err(BadSeed);
        }
        hex::decode_to_slice(format!("{text:0>64}"), &mut bytes).map_err(|_| BadSeed)?;
        Ok(Seed(bytes))
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(..)")
    }
}

/// What everybody sees when a match starts: a hash over game, rules version, options and seed.
///
/// With the seed, published at the end, anybody can check that the deal was fixed beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commitment([u8; 32]);

impl Commitment {
    /// SHA-256 of the four texts, each on a line of its own; the seed as its 64 digits.
    pub fn new(game: &str, rules_version: u32, options: &str, seed: &Seed) -> Commitment {
        let text = format!("{game}\n{rules_version}\n{options}\n{}\n", seed.reveal());
        Commitment(Sha256::digest(text).into())
    }
}

impl fmt::Display for Commitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl FromStr for Commitment {
    type Err = BadHash;

    fn from_str(text: &str) -> Result<Self, BadHash> {
        parse_hex(text).map(Commitment)
    }
}

impl Serialize for Commitment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Commitment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_hex(deserializer).map(Commitment)
    }
}

/// A text that is no hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected 64 hexadecimal digits")]
pub struct BadHash;

pub(crate) fn parse_hex(text: &str) -> Result<[u8; 32], BadHash> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(text, &mut bytes).map_err(|_| BadHash)?;
    Ok(bytes)
}

pub(crate) fn read_hex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u8; 32], D::Error> {
    parse_hex(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// For the log, the one place where a seed is written out.
pub(crate) mod revealed {
    use super::{Deserializer, Seed, Serializer, read_hex};

    pub(crate) fn serialize<S: Serializer>(seed: &Seed, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&seed.reveal())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Seed, D::Error> {
        read_hex(deserializer).map(Seed::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_never_prints_itself() {
        let seed: Seed = "c0ffee".parse().unwrap();
        assert_eq!(format!("{seed:?} {seed:#?}"), "Seed(..) Seed(..)");
        assert_eq!(seed.reveal(), format!("{:0>64}", "c0ffee"));
        assert_eq!(seed.reveal().parse(), Ok(seed));
    }

    #[test]
    fn odd_seeds_are_refused() {
        for odd in ["", "xyz", "0x1", &"0".repeat(65), "12 ", "é", "-1"] {
            assert_eq!(odd.parse::<Seed>(), Err(BadSeed), "{odd:?}");
        }
    }

    #[test]
    fn a_commitment_can_be_recomputed_with_sha256sum() {
        // printf 'chess\n1\n{}\n000…001\n' | sha256sum
        let commitment = Commitment::new("chess", 1, "{}", &Seed::from_number(1));
        assert_eq!(
            commitment.to_string(),
            "3f2214c6a377df9589996415eeb05d45a8ec378cad5067dea0ebf1478cbdd3dd"
        );
        assert_ne!(commitment, Commitment::new("chess", 1, "{}", &Seed::from_number(2)));
        assert_ne!(commitment, Commitment::new("chess", 2, "{}", &Seed::from_number(1)));
    }
}
