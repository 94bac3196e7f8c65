//! What a person may be called.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

/// The name of an account: 3 to 20 ASCII letters, digits, `-` and `_`.
///
/// Guests are called `Guest …` with a blank, which no account can be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Username(String);

/// Why a text is no username.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsernameError {
    /// Too short or too long.
    #[error("a name has 3 to 20 characters, this one {0}")]
    Length(usize),
    /// A character that does not belong.
    #[error("a name is made of letters A to Z, digits, - and _; {0:?} is none of them")]
    Character(char),
}

impl Username {
    /// Reads a name as it was typed.
    pub fn parse(text: &str) -> Result<Self, UsernameError> {
        let length = text.chars().count();
        if !(3..=20).contains(&length) {
            return Err(UsernameError::Length(length));
        }
        match text.chars().find(|c| !c.is_ascii_alphanumeric() && *c != '-' && *c != '_') {
            Some(odd) => Err(UsernameError::Character(odd)),
            None => Ok(Self(text.to_owned())),
        }
    }

    /// As it was typed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What must be unique: two names that differ only by case are one.
    pub fn key(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

impl fmt::Display for Username {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Username {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Username::parse(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::{Username, UsernameError};

    #[track_caller]
    fn check(text: &str, expected: Result<&str, UsernameError>) {
        let read = Username::parse(text).map(|name| name.as_str().to_owned());
        assert_eq!(read, expected.map(str::to_owned), "{text:?}");
    }

    #[test]
    fn names_of_3_to_20_plain_characters() {
        check("ada", Ok("ada"));
        check("Ada-Lovelace_1815", Ok("Ada-Lovelace_1815"));
        check(&"a".repeat(20), Ok(&"a".repeat(20)));
        check("", Err(UsernameError::Length(0)));
        check("ab", Err(UsernameError::Length(2)));
        check(&"a".repeat(21), Err(UsernameError::Length(21)));
        check("Guest 12", Err(UsernameError::Character(' ')));
        check("zoë", Err(UsernameError::Character('ë')));
        check("ab\0", Err(UsernameError::Character('\0')));
        check("аda", Err(UsernameError::Character('а')));
    }

    #[test]
    fn case_does_not_make_another_name() {
        assert_eq!(Username::parse("AdA").map(|it| it.key()), Ok("ada".to_owned()));
    }
}
