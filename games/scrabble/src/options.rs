//! What a host can choose, and the presets that have a name.

use std::fmt::Write as _;

use game_api::SetupError;
use scrabble_words::Lexicon;
use serde::{Deserialize, Serialize};

/// The rules of one match. Missing fields are those of `classic`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// R3.1: the list that decides what is a word; filled in when the match starts.
    pub words: Option<ListId>,
    /// R1.5: whose tiles there are.
    pub supply: Supply,
    /// R1.4: how many blanks a set has, 0 to 2.
    pub blanks: u8,
    /// R1.9: how many tiles of each set stay out of the match, 0 to 60.
    pub left_out: u8,
    /// R1.6: how many tiles a full rack has, 5 to 9.
    pub rack: u8,
    /// R1.7: what each seat has at the start, 0 to 1,000.
    pub starting_points: i32,
    /// R5.4: points for laying a full rack, 0 to 1,000.
    pub bonus: i32,
    /// R2.4: how many tiles must be left to exchange any, 1 to 98.
    pub exchange_minimum: u8,
    /// R3.3: when words are looked up, unless they can be challenged.
    pub word_check: WordCheck,
    /// R5: how a move is counted.
    pub scoring: Scoring,
    /// R8: whether moves can be challenged.
    pub challenge: Option<Challenge>,
    /// R6.1: the specials that can be bought.
    pub specials: Vec<Offer>,
    /// R6.3: how specials are laid.
    pub laying: Laying,
    /// R6.4: what several specials on one square do.
    pub stacking: Stacking,
    /// R6.5: what an own special is to one's own letters.
    pub own_specials: OwnSpecials,
    /// R7.2: what a Boom reaches.
    pub boom: Boom,
    /// R7.1: what a second Negative does.
    pub negatives: Negatives,
    /// R9.2: so many passes in succession by every seat end the match, 1 to 9.
    pub passes_end: u8,
    /// R9.3: so many turns a seat in a row without points end the match, 1 to 9.
    pub scoreless_end: u8,
}

/// Which list of words a match is played with.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListId {
    /// What it is called.
    pub name: String,
    /// The SHA-256 of its words, as 64 digits.
    pub hash: String,
}

impl ListId {
    /// Of this list.
    pub fn of(lexicon: &Lexicon) -> ListId {
        let hash = lexicon.hash().iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        ListId { name: lexicon.name().to_owned(), hash }
    }
}

/// Whose tiles there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Supply {
    /// One set in a bag, for all.
    Bag,
    /// A set of its own for each seat.
    Inventories,
}

/// When words are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordCheck {
    /// The written word third of the staged checks, the cross words last.
    Staged,
    /// All words at the end of the move.
    AtEnd,
}

/// How a move is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scoring {
    /// Each word, with the premiums under new tiles.
    Words,
    /// Each square of all words once, and each premium once in a match.
    Squares,
}

/// Who pays for a challenge that was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChallengeRule {
    /// The challenger loses the next turn.
    Double,
    /// Nobody.
    Single,
    /// The challenger pays 5 points a word.
    Five,
    /// The challenger pays 10 points a word.
    Ten,
}

/// Challenges, where there are any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Challenge {
    /// What a rejected one costs.
    pub rule: ChallengeRule,
    /// How long the window is open, 5 to 600 seconds.
    pub window_s: u32,
}

impl Default for Challenge {
    fn default() -> Self {
        Challenge { rule: ChallengeRule::Double, window_s: 30 }
    }
}

/// A special that can be bought.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// Its kind.
    pub kind: String,
    /// What it costs, 5 to 1,000 points.
    pub price: i32,
}

/// How specials are laid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Laying {
    /// One a move, on any square that has no letter after it.
    OneAnywhere,
    /// Any number, in the row or column of the move.
    AnyInLine,
}

/// What several specials on one square do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stacking {
    /// They wait in a queue, first in first out.
    Queue,
    /// The later replaces the earlier.
    Replace,
}

/// What an own special is to one's own letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnSpecials {
    /// They trigger it.
    Trigger,
    /// They may not go there.
    Block,
}

/// What a Boom reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boom {
    /// How distance is measured.
    pub shape: Shape,
    /// How far it reaches, 0 to 14.
    pub reach: u8,
    /// Whether specials go too.
    pub clears_specials: bool,
}

/// How distance is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Rows and columns add up.
    Diamond,
    /// The greater of both counts.
    Square,
}

/// What a second Negative does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Negatives {
    /// Two cancel.
    Cancel,
    /// The score stays negative.
    Stay,
}

impl Default for Options {
    fn default() -> Self {
        Options::classic()
    }
}

impl Options {
    /// The preset `classic`.
    pub fn classic() -> Options {
        Options {
            words: None,
            supply: Supply::Bag,
            blanks: 2,
            left_out: 0,
            rack: 7,
            starting_points: 0,
            bonus: 50,
            exchange_minimum: 7,
            word_check: WordCheck::Staged,
            scoring: Scoring::Words,
            challenge: None,
            specials: Vec::new(),
            laying: Laying::OneAnywhere,
            stacking: Stacking::Queue,
            own_specials: OwnSpecials::Trigger,
            boom: Boom { shape: Shape::Diamond, reach: 3, clears_specials: false },
            negatives: Negatives::Cancel,
            passes_end: 2,
            scoreless_end: 3,
        }
    }

    /// The preset `contract-a`: document 000.
    pub fn contract_a() -> Options {
        Options {
            supply: Supply::Inventories,
            blanks: 0,
            specials: offers(&[
                ("negative", 30),
                ("boom", 30),
                ("reverse", 30),
                ("exchange", 30),
                ("skip", 30),
            ]),
            ..Options::classic()
        }
    }

    /// The preset `contract-b`: document 002.
    pub fn contract_b() -> Options {
        Options {
            blanks: 0,
            starting_points: 20,
            word_check: WordCheck::AtEnd,
            scoring: Scoring::Squares,
            specials: offers(&[("boom", 20), ("negative", 10), ("reverse", 10), ("snatch", 30)]),
            laying: Laying::AnyInLine,
            stacking: Stacking::Replace,
            own_specials: OwnSpecials::Block,
            boom: Boom { shape: Shape::Square, reach: 3, clears_specials: true },
            negatives: Negatives::Stay,
            ..Options::classic()
        }
    }

    /// The place of a kind among the offers.
    pub fn offer(&self, kind: &str) -> Option<usize> {
        self.specials.iter().position(|offer| offer.kind == kind)
    }

    /// Refuses numbers that make no match. Whether the kinds and the list exist is the game's to
    /// know.
    pub(crate) fn check(&self) -> Result<(), SetupError> {
        let window_s = self.challenge.unwrap_or_default().window_s;
        let has_twice = |(index, offer): (usize, &Offer)| self.offer(&offer.kind) != Some(index);
        let faults = [
            (self.blanks > 2, "blanks go from 0 to 2"),
            // Four full racks are left.
            (self.left_out > 60, "left_out goes from 0 to 60"),
            (!(5..=9).contains(&self.rack), "a rack has 5 to 9 tiles"),
            (!(0..=1000).contains(&self.starting_points), "starting_points go from 0 to 1000"),
            (!(0..=1000).contains(&self.bonus), "the bonus goes from 0 to 1000"),
            (!(1..=98).contains(&self.exchange_minimum), "exchange_minimum goes from 1 to 98"),
            (!(5..=600).contains(&window_s), "window_s goes from 5 to 600"),
            (
                self.specials.iter().any(|offer| !(5..=1000).contains(&offer.price)),
                "a price goes from 5 to 1000",
            ),
            (self.specials.iter().enumerate().any(has_twice), "a special is offered once"),
            (self.boom.reach > 14, "a boom reaches 0 to 14"),
            (!(1..=9).contains(&self.passes_end), "passes_end goes from 1 to 9"),
            (!(1..=9).contains(&self.scoreless_end), "scoreless_end goes from 1 to 9"),
        ];
        match faults.into_iter().find(|(is_fault, _)| *is_fault) {
            Some((_, what)) => Err(SetupError::InvalidSetup(what.to_owned())),
            None => Ok(()),
        }
    }
}

fn offers(list: &[(&str, i32)]) -> Vec<Offer> {
    list.iter().map(|(kind, price)| Offer { kind: (*kind).to_owned(), price: *price }).collect()
}
