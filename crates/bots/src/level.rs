//! Eight levels, and what makes a weak player weak.

use std::fmt;
use std::str::FromStr;

use game_api::GameRng;

use crate::Choice;

/// How well a bot plays, from 1 to 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

/// A number or text that is no level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a level is 1 to {}", Level::HIGHEST)]
pub struct NoLevel;

impl Level {
    /// How many there are.
    pub const COUNT: usize = 8;
    /// A beginner's friend.
    pub const LOWEST: Level = Level(1);
    /// As good as the budget allows.
    pub const HIGHEST: Level = Level(8);

    /// All of them, the weakest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Level> + Clone {
        (Level::LOWEST.0..=Level::HIGHEST.0).map(Level)
    }

    /// From 1 to 8.
    pub fn number(self) -> u8 {
        self.0
    }

    /// This level's entry of a table, the weakest first.
    pub fn of<T>(self, table: &[T; Level::COUNT]) -> &T {
        &table[usize::from(self.0) - 1]
    }
}

impl TryFrom<u8> for Level {
    type Error = NoLevel;

    fn try_from(number: u8) -> Result<Level, NoLevel> {
        Level::all().find(|level| level.0 == number).ok_or(NoLevel)
    }
}

impl FromStr for Level {
    type Err = NoLevel;

    /// One digit.
    fn from_str(text: &str) -> Result<Level, NoLevel> {
        Level::all().find(|level| level.to_string() == text).ok_or(NoLevel)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a level lacks.
#[derive(Clone, Copy, Debug)]
pub struct Skill {
    /// It looks no further ahead.
    pub depth: u8,
    /// It looks at no more states, whatever the budget.
    pub nodes: u64,
    /// It misjudges a state by up to so much.
    pub noise: i32,
    /// In so many of a hundred decisions it overlooks the best action,
    pub overlooks_percent: u8,
    /// but only for one that looks at most so much worse.
    pub slack: i32,
}

impl Skill {
    /// Lacks nothing.
    pub const FULL: Skill =
        Skill { depth: u8::MAX, nodes: u64::MAX, noise: 0, overlooks_percent: 0, slack: 0 };

    /// By how much a state is misjudged: always the same for a state and a `salt`.
    pub fn misjudgement(&self, key: u64, salt: u64) -> i32 {
        if self.noise == 0 {
            return 0;
        }
        let mut mixed = (key ^ salt).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed = (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let span = 2 * i64::from(self.noise) + 1;
        let offset = i64::try_from(mixed >> 33).unwrap_or_default() % span;
        i32::try_from(offset - i64::from(self.noise)).unwrap_or_default()
    }
}

/// Finds the best action, and where the level overlooks it the best of the others, if that is nearly
/// as good. `best` is given what to leave out.
pub fn second_thoughts<A: Clone>(
    skill: &Skill,
    rng: &mut GameRng,
    mut best: impl FnMut(Option<&A>) -> Option<Choice<A>>,
) -> Option<Choice<A>> {
    // Drawn in any case, so that levels differ in nothing else.
    let overlooks = rng.below(100) < usize::from(skill.overlooks_percent);
    let first = best(None)?;
    if !overlooks {
        return Some(first);
    }
    let other = best(Some(&first.action));
    Some(other.filter(|other| first.value - other.value <= skill.slack).unwrap_or(first))
}

#[cfg(test)]
mod tests {
    use game_api::Seed;

    use super::*;

    #[test]
    fn a_level_is_one_digit() {
        assert_eq!("8".parse(), Ok(Level::HIGHEST));
        assert_eq!(Level::try_from(1), Ok(Level::LOWEST));
        for odd in ["", "0", "9", "08", "+1", "one"] {
            assert_eq!(odd.parse::<Level>(), Err(NoLevel), "{odd:?}");
        }
        assert_eq!(Level::all().map(|level| *level.of(&[1, 2, 3, 4, 5, 6, 7, 8])).sum::<i32>(), 36);
    }

    #[test]
    fn only_what_is_nearly_as_good_is_taken_instead() {
        let skill = Skill { overlooks_percent: 100, slack: 50, ..Skill::FULL };
        let chosen = |other: i32| {
            let best = |left_out: Option<&char>| match left_out {
                None => Some(Choice { action: 'a', value: 100 }),
                Some(_) => Some(Choice { action: 'b', value: other }),
            };
            second_thoughts(&skill, &mut GameRng::new(&Seed::from_number(1)), best).unwrap().action
        };
        assert_eq!((chosen(60), chosen(50), chosen(49)), ('b', 'b', 'a'));
    }

    #[test]
    fn a_misjudgement_is_bounded_and_the_same_again() {
        let skill = Skill { noise: 30, ..Skill::FULL };
        let all: Vec<i32> = (0..1000).map(|key| skill.misjudgement(key, 7)).collect();
        assert!(all.iter().all(|offset| (-30..=30).contains(offset)));
        assert!(all.contains(&-30) && all.contains(&30));
        assert_eq!(all, (0..1000).map(|key| skill.misjudgement(key, 7)).collect::<Vec<_>>());
        assert_eq!(Skill::FULL.misjudgement(1, 7), 0);
    }
}
