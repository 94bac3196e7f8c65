//! The picture that somebody chose.

use std::fmt;

/// The key of a picture: 1 to 32 lower-case letters, digits and `-`. Which pictures there are, the
/// client knows; one that it does not know it shows as the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Avatar(String);

/// A text that names no picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an avatar's key is 1 to 32 letters a to z, digits and -")]
pub struct BadAvatar;

impl Avatar {
    /// Reads a key.
    pub fn parse(text: &str) -> Result<Avatar, BadAvatar> {
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if (1..=32).contains(&text.len()) && text.bytes().all(is_plain) {
            Ok(Avatar(text.to_owned()))
        } else {
            Err(BadAvatar)
        }
    }
}

impl fmt::Display for Avatar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Avatar;

    #[test]
    fn a_key_is_short_and_plain() {
        for text in ["owl", "a", "queen-2", &"x".repeat(32)] {
            assert!(Avatar::parse(text).is_ok(), "{text}");
        }
        for text in ["", "Owl", "../owl", "owl.svg", "eule ", "üü", &"x".repeat(33)] {
            assert!(Avatar::parse(text).is_err(), "{text}");
        }
    }
}
