//! What is to be played and how, checked once; and what a match keeps of it.
//!
//! Knows no game by name: the caller has looked it up. Who plays is the lobby's or the queue's.

use game_api::{AnyGame, Refused, Seed, excerpt};
use protocol::{BadClock, ClockSetting, MatchTerms};
use serde::{Deserialize, Serialize};

/// A quarter of an hour makes a hint from a spectator worthless; a room keeps what it still owes
/// them.
pub const SPECTATOR_DELAY_MAX_S: u32 = 900;

/// The terms of a match that can be started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    game: String,
    /// The game's own spelling, so that equal options are equal texts.
    options: String,
    preset: Option<String>,
    seats: u8,
    clock: ClockSetting,
    spectator_delay_s: u32,
}

/// Terms that make no match.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTerms {
    /// Options are named or spelled out.
    #[error("terms have a preset or options, not both")]
    PresetAndOptions,
    /// The game has no options of this name.
    #[error("{game} has no preset {}", excerpt(.preset))]
    NoSuchPreset {
        /// The game's name.
        game: &'static str,
        /// What was asked for.
        preset: String,
    },
    /// The game refuses the options or the number of seats.
    #[error(transparent)]
    Game(#[from] Refused),
    /// A time out of range.
    #[error(transparent)]
    Clock(#[from] BadClock),
    /// A delay out of range.
    #[error("spectators see a match 0 to {SPECTATOR_DELAY_MAX_S} seconds late, not {0}")]
    SpectatorDelay(u32),
}

impl BadTerms {
    /// The stable key.
    pub const fn code(&self) -> &'static str {
        match self {
            BadTerms::Game(refused) => refused.code,
            BadTerms::PresetAndOptions
            | BadTerms::NoSuchPreset { .. }
            | BadTerms::Clock(_)
            | BadTerms::SpectatorDelay(_) => "invalid_setup",
        }
    }
}

impl Terms {
    /// Checks all that is asked for. `game` is the one that the terms name.
    pub fn parse(terms: MatchTerms, game: &dyn AnyGame) -> Result<Terms, BadTerms> {
        let meta = game.meta();
        let presets = game.presets();
        let wanted = match (terms.preset, terms.options) {
            (Some(_), Some(_)) => return Err(BadTerms::PresetAndOptions),
            (Some(preset), None) => {
                let found = presets.iter().find(|(name, _)| *name == preset);
                let no_such = || BadTerms::NoSuchPreset { game: meta.name, preset };
                found.map(|(_, options)| options.clone()).ok_or_else(no_such)?
            }
            (None, Some(options)) => serde_json::Value::Object(options).to_string(),
            (None, None) => "{}".to_owned(),
        };
        let seats = terms.seats.unwrap_or(*meta.seats.start());
        // Only the game knows what it accepts, so it deals a match that nobody plays.
        let options = game.start(&wanted, seats, Seed::new([0; 32]))?.options();
        if terms.spectator_delay_s > SPECTATOR_DELAY_MAX_S {
            return Err(BadTerms::SpectatorDelay(terms.spectator_delay_s));
        }
        let preset = presets.into_iter().find(|(_, text)| *text == options);
        Ok(Terms {
            game: meta.id.to_owned(),
            options,
            preset: preset.map(|(name, _)| name.to_owned()),
            seats,
            clock: terms.clock.check()?,
            spectator_delay_s: terms.spectator_delay_s,
        })
    }

    /// The game's key.
    pub fn game(&self) -> &str {
        &self.game
    }

    /// The options' canonical JSON.
    pub fn options(&self) -> &str {
        &self.options
    }

    /// The name of these options, if they have one, also if they were spelled out.
    pub fn preset(&self) -> Option<&str> {
        self.preset.as_deref()
    }

    /// How many sit down.
    pub fn seats(&self) -> u8 {
        self.seats
    }

    /// How time is measured.
    pub fn clock(&self) -> ClockSetting {
        self.clock
    }

    /// How late spectators see everything.
    pub fn spectator_delay_s(&self) -> u32 {
        self.spectator_delay_s
    }

    /// As people are shown them; parsing gives the same terms again.
    pub fn to_message(&self) -> MatchTerms {
        let spelled_out = || serde_json::from_str(&self.options).ok();
        MatchTerms {
            game: self.game.clone(),
            preset: self.preset.clone(),
            options: if self.preset.is_some() { None } else { spelled_out() },
            seats: Some(self.seats),
            clock: self.clock,
            spectator_delay_s: self.spectator_delay_s,
        }
    }
}

/// What a match's row keeps beside the log's own facts, as JSON.
///
/// An older row may lack a later field, so each has a default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// How time is measured.
    pub clock: ClockSetting,
    /// How late spectators see everything.
    pub spectator_delay_s: u32,
    /// Whether the outcome changes ratings.
    pub is_rated: bool,
}

impl Settings {
    /// Of a match on these terms.
    pub fn new(terms: &Terms, is_rated: bool) -> Settings {
        Settings { clock: terms.clock, spectator_delay_s: terms.spectator_delay_s, is_rated }
    }
}

#[cfg(test)]
mod tests {
    use game_api::Erased;
    use protocol::{ClockSetting, MatchTerms};
    use template::Template;

    use super::{Settings, Terms};

    fn parse(json: &str) -> Result<Terms, (&'static str, String)> {
        let message: MatchTerms = serde_json::from_str(json).unwrap();
        Terms::parse(message, &Erased::new(Template))
            .map_err(|error| (error.code(), error.to_string()))
    }

    #[track_caller]
    fn check(json: &str, options: &str, preset: Option<&str>, seats: u8) {
        let terms = parse(json).unwrap();
        assert_eq!((terms.options(), terms.preset(), terms.seats()), (options, preset, seats));
        let again = Terms::parse(terms.to_message(), &Erased::new(Template));
        assert_eq!(again.as_ref(), Ok(&terms), "what is shown can be asked for");
        let stored = serde_json::to_string(&terms).unwrap();
        assert_eq!(serde_json::from_str::<Terms>(&stored).unwrap(), terms, "{stored}");
    }

    #[track_caller]
    fn check_refused(json: &str, code: &str, sentence: &str) {
        assert_eq!(parse(json).err(), Some((code, sentence.to_owned())), "{json}");
    }

    #[test]
    fn options_become_the_games_own_spelling() {
        let usual = r#"{"turns_max":48,"hand":3}"#;
        check(r#"{"game": "template"}"#, usual, Some("standard"), 2);
        check(r#"{"game": "template", "seats": 4, "options": {}}"#, usual, Some("standard"), 4);
        check(
            r#"{"game": "template", "options": {"hand": 1}}"#,
            r#"{"turns_max":48,"hand":1}"#,
            None,
            2,
        );
    }

    #[test]
    fn a_presets_options_count_as_the_preset_however_they_are_spelled() {
        let short = r#"{"turns_max":8,"hand":3}"#;
        check(r#"{"game": "template", "preset": "short"}"#, short, Some("short"), 2);
        check(
            r#"{"game": "template", "options": {"hand": 3, "turns_max": 8}}"#,
            short,
            Some("short"),
            2,
        );
    }

    #[test]
    fn terms_that_make_no_match_are_refused_with_the_reason() {
        check_refused(
            r#"{"game": "template", "preset": "long"}"#,
            "invalid_setup",
            r#"Template has no preset "long""#,
        );
        check_refused(
            r#"{"game": "template", "preset": "short", "options": {}}"#,
            "invalid_setup",
            "terms have a preset or options, not both",
        );
        check_refused(
            r#"{"game": "template", "options": {"hand": 9}}"#,
            "invalid_setup",
            "these options make no match: turns_max goes from 1 to 48, hand from 1 to 4",
        );
        check_refused(
            r#"{"game": "template", "seats": 5}"#,
            "invalid_players",
            "5 seats; the game takes 2 to 4",
        );
        check_refused(
            r#"{"game": "template", "seats": 0}"#,
            "invalid_players",
            "0 seats; the game takes 2 to 4",
        );
        check_refused(
            r#"{"game": "template", "clock": {"mode": "days", "days": 15}}"#,
            "invalid_setup",
            "a clock's `days` are 1 to 14",
        );
        check_refused(
            r#"{"game": "template", "spectator_delay_s": 901}"#,
            "invalid_setup",
            "spectators see a match 0 to 900 seconds late, not 901",
        );
    }

    #[test]
    fn an_option_that_the_game_does_not_know_is_refused() {
        let refused = parse(r#"{"game": "template", "options": {"hands": 3}}"#);
        assert_eq!(refused.err().map(|(code, _)| code), Some("invalid_setup"));
    }

    #[test]
    fn settings_keep_the_clock_and_the_delay_and_read_back() {
        let json = r#"{"game": "template", "clock": {"mode": "per_move", "seconds": 60},
            "spectator_delay_s": 900}"#;
        let settings = Settings::new(&parse(json).unwrap(), true);
        let text = serde_json::to_string(&settings).unwrap();
        let expected = concat!(
            r#"{"clock":{"mode":"per_move","seconds":60},"#,
            r#""spectator_delay_s":900,"is_rated":true}"#
        );
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings);
        let bare: Settings = serde_json::from_str("{}").unwrap();
        assert_eq!((bare.clock, bare.is_rated), (ClockSetting::None, false));
    }
}
