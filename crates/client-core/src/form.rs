//! What is checked before it is sent, and how numbers are shown.

use std::fmt;

use domain::Username;
use protocol::ClockSetting;

/// A field that cannot be sent as it is; the text says what to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidInput(pub String);

impl fmt::Display for InvalidInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidInput {}

/// By the server's own rule of names.
pub fn check_username(text: &str) -> Result<(), InvalidInput> {
    Username::parse(text).map(drop).map_err(|error| InvalidInput(error.to_string()))
}

/// As far as it can be told here: the server also knows the common ones.
pub fn check_password(username: &str, password: &str) -> Result<(), InvalidInput> {
    let fault = match password.chars().count() {
        0..=7 => "a password has at least 8 characters",
        257.. => "a password has at most 256 characters",
        _ if password.eq_ignore_ascii_case(username) => "a password is not the name",
        _ => return Ok(()),
    };
    Err(InvalidInput(fault.to_owned()))
}

/// A clock's time as min:sec, with hours and days where there are any; the last ten seconds in tenths.
pub fn min_sec(ms: u64) -> String {
    let seconds = ms / 1000;
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours) {
        (0, 0) if seconds < 10 => format!("0:{:02}.{}", seconds, ms % 1000 / 100),
        (0, 0) => format!("{minutes}:{:02}", seconds % 60),
        (0, _) => format!("{hours}:{minutes:02}:{:02}", seconds % 60),
        _ => format!("{days} d {hours} h"),
    }
}

/// A way of measuring time, in a few words.
pub fn sentence_of_clock(clock: &ClockSetting) -> String {
    let minutes = |seconds: u32| match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("{seconds} s"),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, seconds) => format!("{minutes}:{seconds:02} min"),
    };
    match *clock {
        ClockSetting::None => "no clock".to_owned(),
        ClockSetting::PerMove { seconds } => format!("{} a move", minutes(seconds)),
        ClockSetting::Fischer { initial_s, increment_s } => {
            format!("{} + {increment_s} s a move", minutes(initial_s))
        }
        ClockSetting::Delay { initial_s, delay_s } => {
            format!("{} after {delay_s} s a move", minutes(initial_s))
        }
        ClockSetting::Days { days: 1 } => "a day a move".to_owned(),
        ClockSetting::Days { days } => format!("{days} days a move"),
    }
}

/// A time to wait, in the largest unit that says it well, rounded up.
fn wait_words(seconds: u64) -> String {
    let (count, unit) = match seconds {
        0..60 => (seconds.max(1), "second"),
        60..3600 => (seconds.div_ceil(60), "minute"),
        3600..86_400 => (seconds.div_ceil(3600), "hour"),
        _ => (seconds.div_ceil(86_400), "day"),
    };
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{end}")
}

/// Why something was refused, with the time after which it can be tried again.
pub fn wait_sentence(why: &str, seconds: u64) -> String {
    // Some refusals name the time by themselves, in seconds.
    let why = why.split("; try again").next().unwrap_or_default();
    format!("{why}; try again in {}", wait_words(seconds))
}

/// A key as people read it: `contract-a` is “Contract a”.
pub fn title_of_key(key: &str) -> String {
    capital(key).replace(['-', '_'], " ")
}

/// The server's sentences begin small, since they may stand within others.
pub fn sentence_case(text: &str) -> String {
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    capital(text) + end
}

/// With a capital. Ours begin with A to Z, and to know the capitals of all scripts takes tables that
/// weigh as much as a page.
fn capital(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_said_in_whole_units() {
        for (seconds, expected) in [
            (0, "1 second"),
            (1, "1 second"),
            (59, "59 seconds"),
            (60, "1 minute"),
            (61, "2 minutes"),
            (3600, "1 hour"),
            (100_000, "2 days"),
        ] {
            assert_eq!(wait_words(seconds), expected, "{seconds}");
        }
        let told = wait_sentence("too many attempts; try again in 90 s", 90);
        assert_eq!(told, "too many attempts; try again in 2 minutes");
        assert_eq!(wait_sentence("too many lines", 3), "too many lines; try again in 3 seconds");
    }

    #[test]
    fn times_read_as_people_say_them() {
        for (ms, expected) in [
            (0, "0:00.0"),
            (9_990, "0:09.9"),
            (10_000, "0:10"),
            (61_000, "1:01"),
            (900_000, "15:00"),
            (3_600_000, "1:00:00"),
            (86_400_000 * 3 + 3_600_000 * 2, "3 d 2 h"),
        ] {
            assert_eq!(min_sec(ms), expected);
        }
    }

    #[test]
    fn keys_read_as_titles() {
        for (key, title) in [("standard", "Standard"), ("contract-a", "Contract a"), ("", "")] {
            assert_eq!(title_of_key(key), title);
        }
        assert_eq!(title_of_key("auto_queen"), "Auto queen");
    }

    #[test]
    fn clocks_read_as_people_say_them() {
        for (clock, expected) in [
            (ClockSetting::None, "no clock"),
            (ClockSetting::PerMove { seconds: 60 }, "1 min a move"),
            (ClockSetting::Fischer { initial_s: 180, increment_s: 2 }, "3 min + 2 s a move"),
            (ClockSetting::Delay { initial_s: 90, delay_s: 5 }, "1:30 min after 5 s a move"),
            (ClockSetting::Fischer { initial_s: 15, increment_s: 0 }, "15 s + 0 s a move"),
            (ClockSetting::Days { days: 1 }, "a day a move"),
            (ClockSetting::Days { days: 3 }, "3 days a move"),
        ] {
            assert_eq!(sentence_of_clock(&clock), expected);
        }
    }

    #[test]
    fn a_form_says_what_to_change() {
        assert!(check_username("Ada-1").is_ok());
        assert!(check_username("a").is_err() && check_username("white space").is_err());
        assert!(check_password("ada", "correct horse").is_ok());
        assert!(check_password("ada", "short").is_err());
        assert!(check_password("adalovelace", "AdaLovelace").is_err());
        assert!(check_password("ada", &"x".repeat(257)).is_err());
        assert!(check_password("ada", &"é".repeat(8)).is_ok());
    }
}
