//! Ids: 63-bit numbers inside, an opaque text outside.
//!
//! Ids of matches and lobbies are random: they must not be guessed, and tell nothing. Of the others,
//! the upper 41 bits are milliseconds since 2020, so that rows made together lie together in a
//! table; the lower 22 are a counter from a number of chance, so that servers need not agree on one.
//! If two servers make the same id in one millisecond, the database refuses the second.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// 2020-01-01T00:00:00Z; 41 bits of milliseconds last until 2089.
const EPOCH_MS: u64 = 1_577_836_800_000;
const CHANCE_BITS: u32 = 22;
/// Without `i`, `l`, `o` and `u`, which are misread.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 13 digits of 5 bits hold 65 bits; the first digit is never above 7.
const TEXT_LENGTH: usize = 13;

/// A text that is no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no id")]
pub struct BadId;

fn compose(now_ms: u64, chance: u64) -> i64 {
    let time = now_ms.saturating_sub(EPOCH_MS) << CHANCE_BITS;
    let chance = chance & ((1 << CHANCE_BITS) - 1);
    ((time | chance) & i64::MAX.unsigned_abs()).cast_signed()
}

fn write(number: i64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let number = number.cast_unsigned();
    let mut text = [0; TEXT_LENGTH];
    for (place, digit) in text.iter_mut().rev().enumerate() {
        *digit = DIGITS[(number >> (5 * place) & 31) as usize];
    }
    // One text at once: every message has an id.
    f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
}

/// What each byte is worth as a digit, or [`NO_DIGIT`].
const WORTH: [u8; 256] = {
    let mut worth = [NO_DIGIT; 256];
    let mut digit: u8 = 0;
    while (digit as usize) < DIGITS.len() {
        worth[DIGITS[digit as usize] as usize] = digit;
        digit += 1;
    }
    worth
};
const NO_DIGIT: u8 = u8::MAX;

fn read(text: &str) -> Result<i64, BadId> {
    if text.len() != TEXT_LENGTH {
        return Err(BadId);
    }
    let mut number = 0u64;
    for byte in text.bytes() {
        let digit = WORTH[usize::from(byte)];
        if digit == NO_DIGIT || number >> 58 != 0 {
            return Err(BadId);
        }
        number = number << 5 | u64::from(digit);
    }
    i64::try_from(number).map_err(|_| BadId)
}

/// Numbers for the lower bits of ids, so that no two ids of this process are equal.
///
/// It starts at a number of chance, so that two servers hardly ever count alike.
#[derive(Debug)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Counts on from here.
    pub const fn starting_at(chance: u64) -> Counter {
        Counter(AtomicU64::new(chance))
    }

    /// The next number.
    pub fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(i64);

        impl $name {
            /// A fresh one of this moment; `chance` comes from the system's randomness.
            pub fn new(now_ms: u64, chance: u64) -> Self {
                $name(compose(now_ms, chance))
            }

            /// The number as the database keeps it.
            pub const fn number(self) -> i64 {
                self.0
            }

            /// The id with this number, if it is one.
            pub fn from_number(number: i64) -> Result<Self, BadId> {
                if number < 0 { Err(BadId) } else { Ok($name(number)) }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write(self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                read(text).map($name)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(D::Error::custom)
            }
        }
    };
}

id!(
    /// A person: an account or a guest.
    PlayerId
);
id!(
    /// A login.
    SessionId
);
id!(
    /// One contest. The server makes it with [`MatchId::random`]: its number says neither how many
    /// matches there are nor when one began.
    MatchId
);
id!(
    /// One record of the audit log.
    AuditId
);
id!(
    /// An open offer to play. A private lobby is found by its id alone, so it is all chance.
    LobbyId
);

impl LobbyId {
    /// One that cannot be guessed, from 64 bits of the system's randomness.
    pub fn random(chance: u64) -> LobbyId {
        LobbyId((chance >> 1).cast_signed())
    }
}

impl MatchId {
    /// One that cannot be guessed, from 64 bits of the system's randomness.
    pub fn random(chance: u64) -> MatchId {
        MatchId((chance >> 1).cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::{BadId, EPOCH_MS, LobbyId, MatchId, PlayerId};

    #[test]
    fn later_ids_are_greater() {
        let early = PlayerId::new(EPOCH_MS + 5, u64::MAX);
        let late = PlayerId::new(EPOCH_MS + 6, 0);
        assert!(early < late);
        assert!(early.to_string() < late.to_string(), "also as text");
    }

    #[test]
    fn the_text_reads_back() {
        for id in [
            MatchId::new(0, 0),
            MatchId::new(EPOCH_MS + 1, 7),
            MatchId::new(u64::MAX, u64::MAX),
            MatchId::new(1_794_700_000_000, 123_456),
        ] {
            assert_eq!(id.to_string().parse(), Ok(id));
            assert_eq!(MatchId::from_number(id.number()), Ok(id));
        }
        assert_eq!(LobbyId::random(u64::MAX).to_string(), "7zzzzzzzzzzzz");
        assert_eq!(MatchId::random(u64::MAX).to_string(), "7zzzzzzzzzzzz");
        assert_eq!(MatchId::random(1).number(), 0);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "0", "8000000000000", "zzzzzzzzzzzzz", "000000000000l", "00000000000000"] {
            assert_eq!(text.parse::<MatchId>(), Err(BadId), "{text}");
        }
        assert_eq!(MatchId::from_number(-1), Err(BadId));
    }
}
