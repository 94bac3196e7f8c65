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

    /// Whether the name looks like one of the staff, of a guest or of a bot. New accounts do not get
    /// such a name.
    pub fn is_reserved(&self) -> bool {
        let is_separator = |c| c == '-' || c == '_';
        let parts: Vec<&str> = self.0.split(is_separator).filter(|it| !it.is_empty()).collect();
        let whole = parts.concat();
        let first = parts.first().copied().unwrap_or_default();
        let whole_is_one_of = |words: &[&str]| is_one_of(&whole, words);
        let bare = fold(without_digits(&whole));
        let has_title = TITLES.iter().map(|title| fold(title));
        whole_is_one_of(&STAFF)
            || parts.iter().any(|part| is_one_of(part, &STAFF_PARTS))
            || has_title.into_iter().any(|it| bare.starts_with(&it) || bare.ends_with(&it))
            || whole_is_one_of(&MACHINES)
            || is_one_of(first, &MACHINES)
    }
}

/// Whole names of the staff.
const STAFF: [&str; 13] = [
    "mod",
    "mods",
    "moderators",
    "admins",
    "system",
    "sysop",
    "sysadmin",
    "root",
    "operator",
    "security",
    "server",
    "webmaster",
    "owner",
];
/// A name with one of these between separators looks like one of the staff.
const STAFF_PARTS: [&str; 8] =
    ["admin", "administrator", "moderator", "parlor", "parlour", "staff", "support", "official"];
/// A name that begins or ends so looks like one of the staff.
const TITLES: [&str; 2] = ["admin", "moderator"];
/// What guests and bots are called, with a number after it.
const MACHINES: [&str; 2] = ["guest", "bot"];

/// Whether a text is one of these words, whatever digits stand around or in it.
fn is_one_of(text: &str, words: &[&str]) -> bool {
    let forms = [fold(text), fold(without_digits(text))];
    words.iter().any(|word| forms.contains(&fold(word)))
}

fn without_digits(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_ascii_digit())
}

/// The skeleton, with the digits that stand for letters folded too.
fn fold(text: &str) -> String {
    let letters = [('3', "e"), ('4', "a"), ('5', "s"), ('7', "t")];
    let folded = skeleton(text);
    letters.iter().fold(folded, |text, (digit, letter)| text.replace(*digit, letter))
}

/// Equal for names that people take for one another: case, `_` and `-`, `0` and `o`, `1`, `i` and `l`,
/// `rn` and `m`, `vv` and `w` make no difference. The databases compute the same from the name's key.
pub fn skeleton(name: &str) -> String {
    let alike = [("_", "-"), ("0", "o"), ("1", "l"), ("i", "l"), ("rn", "m"), ("vv", "w")];
    alike.iter().fold(name.to_ascii_lowercase(), |name, (from, to)| name.replace(from, to))
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
    use super::{Username, UsernameError, skeleton};

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

    #[track_caller]
    fn check_alike(one: &str, other: &str, expected: bool) {
        assert_eq!(skeleton(one) == skeleton(other), expected, "{one} {other}");
    }

    #[test]
    fn names_that_are_read_alike_have_one_skeleton() {
        check_alike("alice", "aIice", true);
        check_alike("Alice", "A1ICE", true);
        check_alike("alice", "al1ce", true);
        check_alike("bob", "B0b", true);
        check_alike("modern", "modem", true);
        check_alike("williams", "vvilliarns", true);
        check_alike("Ada_Lovelace", "ada-lovelace", true);
        check_alike("ada", "adal", false);
        check_alike("ada-lovelace", "adalovelace", false);
        check_alike("player-1", "player-2", false);
        check_alike("player-11", "player-1", false);
    }

    #[track_caller]
    fn check_reserved(names: &[&str], expected: bool) {
        for name in names {
            assert_eq!(Username::parse(name).unwrap().is_reserved(), expected, "{name}");
        }
    }

    #[test]
    fn names_that_look_like_staff_guests_or_bots_are_reserved() {
        check_reserved(
            &["admin", "Admin", "ADM1N", "4dmin", "admin1", "007admin", "a-d-m-i-n"],
            true,
        );
        check_reserved(&["administrator", "Adm1n_5", "admin-ada", "ada_admin", "TheAdmin"], true);
        check_reserved(&["moderator", "rnoderator", "Mod", "m0d", "mod-7", "ModeratorAda"], true);
        check_reserved(&["parlor", "Par1or", "parlour", "parlor-team", "the-parlor"], true);
        check_reserved(&["root", "R00T", "roo7", "system", "5ystem", "operator", "server"], true);
        check_reserved(&["staff", "support", "Support-1", "official", "ada-official"], true);
        check_reserved(&["Guest", "Guest-1", "guest_x7", "Gue5t-1", "guest12"], true);
        check_reserved(&["bot", "Bot-5", "B0T_5", "bot7", "bot-level-5"], true);
        check_reserved(&["ada", "Ada-Lovelace", "modest", "Moderna", "Adam", "adamant"], false);
        check_reserved(&["rooted", "Systema", "botanist", "Bottle", "abbot", "guesthouse"], false);
        check_reserved(&["player-1", "parlando", "my-bot", "---", "123", "Vladimir"], false);
    }
}
