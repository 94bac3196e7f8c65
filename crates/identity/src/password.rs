//! What a password may be. How it is kept is `hashing`'s.

use std::fmt;
use std::sync::LazyLock;

use domain::Username;
use zeroize::Zeroizing;

const SHORTEST: usize = 8;
/// Room for any passphrase; a bound, because every byte of an attempt is hashed.
const LONGEST: usize = 256;

/// Those of the 10,000 most common passwords that are long enough to be chosen here.
///
/// From the ranked list of Django (BSD-3-Clause, see NOTICE): its first 10,000 lines, less those
/// under 8 characters and seven in a broken encoding. In lower case, sorted by bytes.
const COMMON: &str = include_str!("common-passwords.txt");
static COMMON_LINES: LazyLock<Vec<&str>> = LazyLock::new(|| COMMON.lines().collect());

/// A password, as it was typed. Wiped from memory when it is dropped.
pub struct Password(Zeroizing<String>);

/// Why a text may not become somebody's password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeakPassword {
    /// Fewer than 8 characters.
    #[error("a password has at least {SHORTEST} characters, this one {length}")]
    TooShort {
        /// How many it has.
        length: usize,
    },
    /// More than 256 characters.
    #[error("a password has at most {LONGEST} characters, this one {length}")]
    TooLong {
        /// How many it has.
        length: usize,
    },
    /// One of the 10,000 that are tried first.
    #[error("this password is among the 10,000 most common ones")]
    Common,
    /// The name of the account, in whatever case.
    #[error("a password is not the username")]
    Username,
}

impl Password {
    /// Reads the password that somebody wants to have from now on.
    pub fn parse(text: &str, username: &Username) -> Result<Password, WeakPassword> {
        let length = text.chars().count();
        if length < SHORTEST {
            return Err(WeakPassword::TooShort { length });
        }
        if length > LONGEST {
            return Err(WeakPassword::TooLong { length });
        }
        let lower = Zeroizing::new(text.to_lowercase());
        if *lower == username.key() {
            return Err(WeakPassword::Username);
        }
        if COMMON_LINES.binary_search(&lower.as_str()).is_ok() {
            return Err(WeakPassword::Common);
        }
        Ok(Password(Zeroizing::new(text.to_owned())))
    }

    /// Reads an attempt to log in. The policy may be younger than the account, so it does not count.
    ///
    /// `None` if it is longer than any password: wrong for every name, and not worth a hash.
    pub fn entered(text: &str) -> Option<Password> {
        let is_too_long = text.chars().nth(LONGEST).is_some();
        (!is_too_long).then(|| Password(Zeroizing::new(text.to_owned())))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

#[cfg(test)]
mod tests {
    use domain::Username;

    use super::{COMMON, COMMON_LINES, LONGEST, Password, SHORTEST, WeakPassword};

    #[track_caller]
    fn check(text: &str, expected: Result<(), WeakPassword>) {
        let username = Username::parse("Ada-Lovelace").unwrap();
        let read = Password::parse(text, &username);
        assert_eq!(read.map(|password| assert_eq!(password.as_bytes(), text.as_bytes())), expected);
    }

    #[test]
    fn eight_to_256_characters_whatever_their_bytes() {
        check("", Err(WeakPassword::TooShort { length: 0 }));
        check("k7#pQ2x", Err(WeakPassword::TooShort { length: 7 }));
        check("k7#pQ2xz", Ok(()));
        check("ключи от", Ok(()));
        check("ключ от", Err(WeakPassword::TooShort { length: 7 }));
        check(&"é".repeat(256), Ok(()));
        check(&"é".repeat(257), Err(WeakPassword::TooLong { length: 257 }));
    }

    #[test]
    fn the_most_common_are_refused_in_any_case() {
        for text in [
            "password1",
            "12345678",
            "qwertyuiop",
            "iloveyou",
            "football",
            "baseball",
            "sunshine",
            "trustno1",
            "password123",
            "administrator",
            "PassWord1",
            "QWERTYUIOP",
        ] {
            check(text, Err(WeakPassword::Common));
        }
        check("password1 ", Ok(()));
        check("correct horse battery staple", Ok(()));
    }

    #[test]
    fn the_username_is_refused_in_any_case() {
        check("Ada-Lovelace", Err(WeakPassword::Username));
        check("aDA-lOVELACE", Err(WeakPassword::Username));
        check("Ada-Lovelace!", Ok(()));
    }

    #[test]
    fn the_list_is_sorted_lower_case_and_holds_nothing_needless() {
        assert!(COMMON_LINES.is_sorted_by(|a, b| a < b));
        assert_eq!(COMMON, COMMON.to_lowercase());
        let may_be_chosen = |line: &&str| (SHORTEST..=LONGEST).contains(&line.chars().count());
        assert!(COMMON_LINES.iter().all(may_be_chosen));
        assert_eq!(COMMON_LINES.len(), 3896);
    }

    #[test]
    fn an_attempt_knows_no_policy_but_the_upper_bound() {
        for (text, is_read) in [("", true), ("a", true), ("password1", true)] {
            assert_eq!(Password::entered(text).is_some(), is_read, "{text:?}");
        }
        assert!(Password::entered(&"é".repeat(256)).is_some());
        assert!(Password::entered(&"é".repeat(257)).is_none());
    }

    #[test]
    fn a_password_does_not_print() {
        let password = Password::entered("k7#pQ2xz").unwrap();
        assert_eq!(format!("{password:?}"), "Password(..)");
    }
}
