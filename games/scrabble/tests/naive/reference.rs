//! A slow scorer: a map of letters, premiums by the names of their squares, words found by walking.
//! It shares no line with the engine.

use std::collections::{BTreeMap, BTreeSet};

/// Column and row, from 0.
pub(crate) type Place = (usize, usize);

const TRIPLE_WORDS: &str = "A1 H1 O1 A8 O8 A15 H15 O15";
const DOUBLE_WORDS: &str = "B2 C3 D4 E5 K11 L12 M13 N14 N2 M3 L4 K5 E11 D12 C13 B14 H8";
const TRIPLE_LETTERS: &str = "F2 J2 B6 F6 J6 N6 B10 F10 J10 N10 F14 J14";
const DOUBLE_LETTERS: &str =
    "D1 L1 G3 I3 A4 H4 O4 C7 G7 I7 M7 D8 L8 C9 G9 I9 M9 A12 H12 O12 G13 I13 D15 L15";
const WORTH: [(i32, &str); 7] =
    [(1, "AEILNORSTU"), (2, "DG"), (3, "BCMP"), (4, "FHVWY"), (5, "K"), (8, "JX"), (10, "QZ")];

#[derive(Clone, Default)]
pub(crate) struct Table {
    pub(crate) letters: BTreeMap<Place, char>,
    pub(crate) used: BTreeSet<Place>,
}

fn is_on(list: &str, (column, row): Place) -> bool {
    let name = format!("{}{}", "ABCDEFGHIJKLMNO".chars().nth(column).unwrap(), row + 1);
    list.split(' ').any(|other| other == name)
}

fn letter_premium(place: Place) -> i32 {
    1 + i32::from(is_on(DOUBLE_LETTERS, place)) + 2 * i32::from(is_on(TRIPLE_LETTERS, place))
}

fn word_premium(place: Place) -> i32 {
    1 + i32::from(is_on(DOUBLE_WORDS, place)) + 2 * i32::from(is_on(TRIPLE_WORDS, place))
}

/// Lower case is a blank.
fn worth(letter: char) -> i32 {
    WORTH.iter().find(|(_, letters)| letters.contains(letter)).map_or(0, |(points, _)| *points)
}

impl Table {
    /// `8G:WORD` or `G8:WORD`: the board after it, and the new squares.
    fn after(&self, play: &str) -> (Table, Vec<Place>) {
        let (place, word) = play.split_once(':').unwrap();
        let is_across = place.starts_with(|letter: char| letter.is_ascii_digit());
        let column = place.chars().find(char::is_ascii_alphabetic).unwrap();
        let column = "ABCDEFGHIJKLMNO".find(column).unwrap();
        let row: usize =
            place.replace(|letter: char| letter.is_ascii_alphabetic(), "").parse().unwrap();
        let mut after = self.clone();
        let mut fresh = Vec::new();
        for (by, letter) in word.chars().enumerate() {
            let here = if is_across { (column + by, row - 1) } else { (column, row - 1 + by) };
            if after.letters.insert(here, letter).is_none() {
                fresh.push(here);
            }
        }
        (after, fresh)
    }

    /// All words of two or more letters that go through one of these squares.
    fn words(&self, fresh: &[Place]) -> BTreeSet<Vec<Place>> {
        let mut words = BTreeSet::new();
        for &(column, row) in fresh {
            let across = self.walk((0..15).map(|column| (column, row)), (column, row));
            let down = self.walk((0..15).map(|row| (column, row)), (column, row));
            words.extend([across, down].into_iter().filter(|word| word.len() > 1));
        }
        words
    }

    /// The unbroken letters of a line around a square.
    fn walk(&self, line: impl Iterator<Item = Place>, around: Place) -> Vec<Place> {
        let line: Vec<Place> = line.collect();
        let parts = line.split(|place| !self.letters.contains_key(place));
        parts.into_iter().find(|part| part.contains(&around)).unwrap().to_vec()
    }

    pub(crate) fn by_words(&self, play: &str) -> i32 {
        let (after, fresh) = self.after(play);
        let bonus = if fresh.len() == 7 { 50 } else { 0 };
        let words = after.words(&fresh);
        let score = |word: &Vec<Place>| {
            let letters = word.iter().map(|place| {
                let times = if fresh.contains(place) { letter_premium(*place) } else { 1 };
                worth(after.letters[place]) * times
            });
            let sum: i32 = letters.sum();
            let under = word.iter().filter(|place| fresh.contains(place));
            sum * under.map(|place| word_premium(*place)).product::<i32>()
        };
        words.iter().map(score).sum::<i32>() + bonus
    }

    /// The points, and the premiums that are used then.
    pub(crate) fn by_squares(&self, play: &str) -> (i32, BTreeSet<Place>) {
        let (after, fresh) = self.after(play);
        let bonus = if fresh.len() == 7 { 50 } else { 0 };
        let squares: BTreeSet<Place> = after.words(&fresh).into_iter().flatten().collect();
        let mut used = self.used.clone();
        let (mut sum, mut times) = (0, 1);
        for place in squares {
            let is_fresh = used.insert(place);
            sum += worth(after.letters[&place]) * if is_fresh { letter_premium(place) } else { 1 };
            times *= if is_fresh { word_premium(place) } else { 1 };
        }
        used.retain(|place| letter_premium(*place) > 1 || word_premium(*place) > 1);
        (sum * times + bonus, used)
    }
}
