//! What a password may be. How it is kept is `hashing`'s.

use std::fmt;
use std::sync::LazyLock;

use domain::Username;
use zeroize::Zeroizing;

const SHORTEST: usize = 8;
/// Room for any passphrase; a bound, because every byte of an attempt is hashed.
const LONGEST: usize = 256;

/// Fewer different characters than this make no password, whatever their order.
const DIFFERENT_MIN: usize = 4;
/// A shorter text repeated is guessed as easily as the text.
const REPEATED_MAX: usize = 4;
/// Runs of these, forwards or backwards, are what people type first.
const ROWS: [&str; 8] = [
    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
    "012345678901234567890123456789",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "azertyuiopqsdfghjklmwxcvbn",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    "qazwsxedcrfvtgbyhnujmikolp",
    "!@#$%^&*()_+",
];
/// What this program is called.
const PRODUCT: [&str; 2] = ["parlor", "parlour"];

/// The most common passwords, those that are long enough to be chosen here.
///
/// From the ranked lists of zxcvbn-ts (MIT), 49,233 lines, and Django (BSD-3-Clause), the first 10,000
/// lines; see NOTICE. In lower case, sorted by bytes.
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
    /// One of those that are tried first.
    #[error("this password is among the most common ones")]
    Common,
    /// The name of the account, in whatever case, also backwards or with digits and signs around it.
    #[error("a password is more than the username")]
    Username,
    /// The same for the name of this program.
    #[error("a password is more than the name of this program")]
    Product,
    /// One or few characters again and again.
    #[error("a password has at least {DIFFERENT_MIN} different characters, not a few repeated")]
    Repeated,
    /// A run of the alphabet, of digits or of keys.
    #[error("a password is more than a run of neighbouring letters, digits or keys")]
    Run,
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
        if is_around(&lower, &username.key()) {
            return Err(WeakPassword::Username);
        }
        if PRODUCT.iter().any(|name| is_around(&lower, name)) {
            return Err(WeakPassword::Product);
        }
        if is_repeated(&lower) {
            return Err(WeakPassword::Repeated);
        }
        if is_run(&lower) {
            return Err(WeakPassword::Run);
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

/// Whether a text is a name, forwards or backwards, with nothing but digits and signs around it.
fn is_around(text: &str, name: &str) -> bool {
    let core =
        |text: &str| Zeroizing::new(text.trim_matches(|c: char| !c.is_alphabetic()).to_owned());
    let backwards = |text: &str| Zeroizing::new(text.chars().rev().collect::<String>());
    if text == name || *backwards(text) == name {
        return true;
    }
    let (core_of_text, core_of_name) = (core(text), core(name));
    !core_of_name.is_empty()
        && (core_of_text == core_of_name || backwards(&core_of_text) == core_of_name)
}

fn is_repeated(text: &str) -> bool {
    let characters = Zeroizing::new(text.chars().collect::<Vec<char>>());
    let mut different = characters.clone();
    different.sort_unstable();
    different.dedup();
    let repeats = |length: usize| {
        characters.iter().zip(characters.iter().skip(length)).all(|(one, other)| one == other)
    };
    different.len() < DIFFERENT_MIN || (1..=REPEATED_MAX).any(repeats)
}

fn is_run(text: &str) -> bool {
    let backwards = Zeroizing::new(text.chars().rev().collect::<String>());
    ROWS.iter().any(|row| row.contains(text) || row.contains(backwards.as_str()))
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
        let longest = (0..64).map(|number| format!("é{number:03}")).collect::<Vec<_>>().concat();
        check(&longest, Ok(()));
        check(&"é".repeat(257), Err(WeakPassword::TooLong { length: 257 }));
    }

    #[test]
    fn the_most_common_are_refused_in_any_case() {
        for text in [
            "password1",
            "thatcher",
            "rundll32",
            "iloveyou",
            "football",
            "baseball",
            "sunshine",
            "trustno1",
            "password123",
            "administrator",
            "PassWord1",
            "LAUGHTER",
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
        check("Ada-Lovelace!", Err(WeakPassword::Username));
        check("1815ada-lovelace1852", Err(WeakPassword::Username));
        check("ecalevol-ada", Err(WeakPassword::Username));
        check("ECALEVOL-ADA_7", Err(WeakPassword::Username));
        check("ada-lovelace-mathematics", Ok(()));
        check("lovelace7", Ok(()));
    }

    #[test]
    fn a_name_of_digits_and_signs_is_compared_as_a_whole() {
        let username = Username::parse("--1815-12-10--").unwrap();
        let read = Password::parse("--1815-12-10--", &username);
        assert_eq!(read.err(), Some(WeakPassword::Username));
        assert!(Password::parse("18151210+x", &username).is_ok());
    }

    #[test]
    fn repetitions_runs_and_the_name_of_the_program_are_refused() {
        for text in [
            "        ",
            "xxxxxxxx",
            &"é".repeat(256),
            "abababab",
            "aabbccaabbcc",
            "abcdabcd",
            "abcdabcdab",
            "12341234",
            "a1!?a1!?a1!?",
        ] {
            check(text, Err(WeakPassword::Repeated));
        }
        for text in [
            "12345678",
            "2345678901",
            "98765432",
            "abcdefgh",
            "STUVWXYZ",
            "zyxwvuts",
            "xyzabcdef",
            "qwertyuiop",
            "poiuytrewq",
            "asdfghjkl",
            "1qaz2wsx",
            "!@#$%^&*",
        ] {
            check(text, Err(WeakPassword::Run));
        }
        for text in ["parlor123", "!Parlor!", "1parlour2", "rolrap99"] {
            check(text, Err(WeakPassword::Product));
        }
        for text in ["abcdefg-x9", "1234567-99x", "qwertyx-x", "parlor-room-7", "abcdeabcde+"] {
            check(text, Ok(()));
        }
    }

    #[test]
    fn the_list_is_sorted_lower_case_and_holds_nothing_needless() {
        assert!(COMMON_LINES.is_sorted_by(|a, b| a < b));
        assert_eq!(COMMON, COMMON.to_lowercase());
        let may_be_chosen = |line: &&str| (SHORTEST..=LONGEST).contains(&line.chars().count());
        assert!(COMMON_LINES.iter().all(may_be_chosen));
        assert_eq!(COMMON_LINES.len(), 19086);
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
