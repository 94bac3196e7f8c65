//! What people can choose: the choices, the names by which they are kept, and the words for them.
//!
//! Reading never fails: whatever was kept by an older client, or by somebody's hand, is the default.
//! Where the values are kept is the client's to know.

use std::fmt;

/// One of a few.
pub trait Choice: Copy + Default + PartialEq + 'static {
    /// All, in the order in which they are shown.
    const ALL: &'static [Self];

    /// The name that is kept, and that the style sheet knows.
    fn key(self) -> &'static str;

    /// The words that people read.
    fn label(self) -> &'static str;

    /// What was kept, or the default.
    fn recall(kept: Option<&str>) -> Self {
        let found = Self::ALL.iter().find(|it| kept == Some(it.key()));
        found.copied().unwrap_or_default()
    }
}

/// Light, dark, or as the system has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Choice for Theme {
    const ALL: &'static [Theme] = &[Theme::System, Theme::Light, Theme::Dark];

    fn key(self) -> &'static str {
        ["system", "light", "dark"][self as usize]
    }

    fn label(self) -> &'static str {
        ["As my system has it", "Light", "Dark"][self as usize]
    }
}

/// Whether things move on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// As the system has it.
    #[default]
    System,
    /// Always.
    On,
    /// Never.
    Off,
}

impl Choice for Motion {
    const ALL: &'static [Motion] = &[Motion::System, Motion::On, Motion::Off];

    fn key(self) -> &'static str {
        ["system", "on", "off"][self as usize]
    }

    fn label(self) -> &'static str {
        ["As my system has it", "On", "Off"][self as usize]
    }
}

/// How much a board explains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hints {
    /// What can be played is marked, and that is all.
    Off,
    /// A few words.
    #[default]
    Minimal,
    /// The reason in a sentence.
    Full,
}

impl Choice for Hints {
    const ALL: &'static [Hints] = &[Hints::Off, Hints::Minimal, Hints::Full];

    fn key(self) -> &'static str {
        ["off", "minimal", "full"][self as usize]
    }

    fn label(self) -> &'static str {
        ["Off: marks alone", "Minimal: a few words", "Full: with the reason"][self as usize]
    }
}

/// How the dozenal digits ten and eleven look; in data they are always A and B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Digits {
    /// A and B.
    #[default]
    Letters,
    /// ↊ and ↋, the turned two and three.
    Turned,
}

impl Choice for Digits {
    const ALL: &'static [Digits] = &[Digits::Letters, Digits::Turned];

    fn key(self) -> &'static str {
        ["letters", "turned"][self as usize]
    }

    fn label(self) -> &'static str {
        ["A and B", "A turned 2 and a turned 3"][self as usize]
    }
}

impl Digits {
    /// A dozenal number's text in these digits.
    pub fn show(self, dozenal: &str) -> String {
        match self {
            Digits::Letters => dozenal.to_owned(),
            Digits::Turned => dozenal.replace('A', "↊").replace('B', "↋"),
        }
    }
}

/// M13: the base whose numbers stand out on a scoreboard. Both are always shown, and no value changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreBase {
    /// Ten; M13's `DefaultScoreBase`.
    #[default]
    Decimal,
    /// Twelve; M13's `AlternateScoreBase`.
    Dozenal,
}

/// Neither ten nor twelve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidBase(pub u32);

impl fmt::Display for InvalidBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "scores are shown in base 10 or 12, not {}", self.0)
    }
}

impl std::error::Error for InvalidBase {}

impl Choice for ScoreBase {
    const ALL: &'static [ScoreBase] = &[ScoreBase::Decimal, ScoreBase::Dozenal];

    fn key(self) -> &'static str {
        ["10", "12"][self as usize]
    }

    fn label(self) -> &'static str {
        ["Decimal (base 10)", "Dozenal (base 12)"][self as usize]
    }
}

impl ScoreBase {
    /// M13's `toggleScoreBase` takes a number.
    pub fn of(base: u32) -> Result<ScoreBase, InvalidBase> {
        match base {
            10 => Ok(ScoreBase::Decimal),
            12 => Ok(ScoreBase::Dozenal),
            other => Err(InvalidBase(other)),
        }
    }

    /// The number.
    pub fn base(self) -> u32 {
        [10, 12][self as usize]
    }
}

/// How loud it is, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volume(u8);

impl Default for Volume {
    fn default() -> Volume {
        Volume(50)
    }
}

impl Volume {
    /// At most a hundred.
    pub fn new(percent: u8) -> Volume {
        Volume(percent.min(100))
    }

    /// What was kept, or the default.
    pub fn recall(kept: Option<&str>) -> Volume {
        kept.and_then(|text| text.parse().ok()).map_or_else(Volume::default, Volume::new)
    }

    /// From 0 to 100.
    pub fn percent(self) -> u8 {
        self.0
    }
}

/// All that was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preferences {
    /// Light or dark.
    pub theme: Theme,
    /// Whether things move.
    pub motion: Motion,
    /// Whether there is any sound.
    pub has_sound: bool,
    /// How loud.
    pub volume: Volume,
    /// How much a board explains.
    pub hints: Hints,
    /// Whether the names of rows and columns stand beside a board.
    pub has_coordinates: bool,
    /// The base whose numbers stand out on a scoreboard.
    pub score_base: ScoreBase,
    /// How the dozenal digits ten and eleven look.
    pub digits: Digits,
    /// Whether the sum of a round is asked for in dozenal after it.
    pub has_tally: bool,
}

impl Default for Preferences {
    fn default() -> Preferences {
        Preferences {
            theme: Theme::default(),
            motion: Motion::default(),
            has_sound: true,
            volume: Volume::default(),
            hints: Hints::default(),
            has_coordinates: true,
            score_base: ScoreBase::default(),
            digits: Digits::default(),
            has_tally: true,
        }
    }
}

impl Preferences {
    /// What was kept; `kept` finds a value by its name.
    pub fn recall(kept: impl Fn(&str) -> Option<String>) -> Preferences {
        let default = Preferences::default();
        let switch = |key: &str, default: bool| match kept(key).as_deref() {
            Some("on") => true,
            Some("off") => false,
            _ => default,
        };
        Preferences {
            theme: Theme::recall(kept("theme").as_deref()),
            motion: Motion::recall(kept("motion").as_deref()),
            has_sound: switch("sound", default.has_sound),
            volume: Volume::recall(kept("volume").as_deref()),
            hints: Hints::recall(kept("hints").as_deref()),
            has_coordinates: switch("coordinates", default.has_coordinates),
            score_base: ScoreBase::recall(kept("score-base").as_deref()),
            digits: Digits::recall(kept("digits").as_deref()),
            has_tally: switch("tally", default.has_tally),
        }
    }

    /// Everything by its name, as it is kept.
    pub fn to_keep(&self) -> [(&'static str, String); 9] {
        let switch = |is_on: bool| if is_on { "on" } else { "off" };
        [
            ("theme", self.theme.key().to_owned()),
            ("motion", self.motion.key().to_owned()),
            ("sound", switch(self.has_sound).to_owned()),
            ("volume", self.volume.percent().to_string()),
            ("hints", self.hints.key().to_owned()),
            ("coordinates", switch(self.has_coordinates).to_owned()),
            ("score-base", self.score_base.key().to_owned()),
            ("digits", self.digits.key().to_owned()),
            ("tally", switch(self.has_tally).to_owned()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<C: Choice + fmt::Debug>() {
        for it in C::ALL {
            assert_eq!(C::recall(Some(it.key())), *it);
            assert!(!it.label().is_empty());
        }
        for kept in [None, Some(""), Some("On"), Some("purple")] {
            assert_eq!(C::recall(kept), C::default(), "{kept:?}");
        }
    }

    #[test]
    fn a_choice_is_read_as_it_was_kept_and_nonsense_is_the_default() {
        check::<Theme>();
        check::<Motion>();
        check::<Hints>();
        check::<Digits>();
        check::<ScoreBase>();
    }

    #[test]
    fn all_that_was_chosen_comes_back_and_what_was_not_is_as_usual() {
        let chosen = Preferences {
            theme: Theme::Dark,
            motion: Motion::Off,
            has_sound: false,
            volume: Volume::new(5),
            hints: Hints::Full,
            has_coordinates: false,
            score_base: ScoreBase::Dozenal,
            digits: Digits::Turned,
            has_tally: false,
        };
        for preferences in [chosen, Preferences::default()] {
            let kept = preferences.to_keep();
            let find = |key: &str| Some(kept.iter().find(|it| it.0 == key)?.1.clone());
            assert_eq!(Preferences::recall(find), preferences);
        }
        assert_eq!(Preferences::recall(|_| None), Preferences::default());
        assert_eq!(Preferences::recall(|_| Some("maybe".to_owned())), Preferences::default());
    }

    #[test]
    fn a_volume_is_at_most_a_hundred() {
        for (kept, expected) in [(Some("0"), 0), (Some("100"), 100), (Some("200"), 100)] {
            assert_eq!(Volume::recall(kept).percent(), expected);
        }
        for kept in [None, Some("loud"), Some("-1"), Some("999")] {
            assert_eq!(Volume::recall(kept), Volume::default());
        }
    }

    #[test]
    fn m13_scores_have_base_ten_or_twelve() {
        for base in ScoreBase::ALL {
            assert_eq!(ScoreBase::of(base.base()), Ok(*base));
            assert_eq!(base.key(), base.base().to_string());
        }
        assert_eq!(ScoreBase::default().base(), 10);
        assert_eq!(ScoreBase::of(2), Err(InvalidBase(2)));
    }

    #[test]
    fn dozenal_digits_change_their_look_alone() {
        assert_eq!(Digits::Letters.show("-1AB0"), "-1AB0");
        assert_eq!(Digits::Turned.show("-1AB0"), "-1↊↋0");
    }
}
