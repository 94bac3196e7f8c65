//! What the table needs of a view.

use serde::Deserialize;

/// A suit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suit {
    Clubs,
    Diamonds,
    Hearts,
    Spades,
}

impl Suit {
    pub(crate) const ALL: [Suit; 4] = [Suit::Clubs, Suit::Diamonds, Suit::Hearts, Suit::Spades];

    pub(crate) fn parse(letter: &str) -> Option<Suit> {
        Suit::ALL.into_iter().find(|suit| suit.letter() == letter)
    }

    pub(crate) fn letter(self) -> &'static str {
        ["C", "D", "H", "S"][self as usize]
    }

    pub(crate) fn name(self) -> &'static str {
        ["clubs", "diamonds", "hearts", "spades"][self as usize]
    }

    /// As text and not as a picture, whatever fonts there are.
    pub(crate) fn symbol(self) -> &'static str {
        ["♣\u{fe0e}", "♦\u{fe0e}", "♥\u{fe0e}", "♠\u{fe0e}"][self as usize]
    }

    pub(crate) fn is_red(self) -> bool {
        matches!(self, Suit::Diamonds | Suit::Hearts)
    }
}

const RANKS: [(&str, &str); 13] = [
    ("A", "ace"),
    ("2", "two"),
    ("3", "three"),
    ("4", "four"),
    ("5", "five"),
    ("6", "six"),
    ("7", "seven"),
    ("8", "eight"),
    ("9", "nine"),
    ("10", "ten"),
    ("J", "jack"),
    ("Q", "queen"),
    ("K", "king"),
];

/// A card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Card {
    rank: usize,
    pub(crate) suit: Suit,
}

impl Card {
    pub(crate) fn parse(code: &str) -> Option<Card> {
        let (rank, suit) = code.split_at_checked(code.len().checked_sub(1)?)?;
        let rank = RANKS.iter().position(|(key, _)| *key == rank)?;
        Some(Card { rank, suit: Suit::parse(suit)? })
    }

    pub(crate) fn code(self) -> String {
        format!("{}{}", self.rank(), self.suit.letter())
    }

    pub(crate) fn rank(self) -> &'static str {
        RANKS[self.rank].0
    }

    /// What it counts in a sum; a face card is in none.
    pub(crate) fn value(self) -> usize {
        self.rank + 1
    }

    pub(crate) fn short(self) -> String {
        format!("{}{}", self.rank(), self.suit.symbol())
    }

    pub(crate) fn name(self) -> String {
        format!("{} of {}", RANKS[self.rank].1, self.suit.name())
    }
}

/// The table as one viewer sees it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Position {
    pub(crate) hand: Vec<Card>,
    pub(crate) top: Option<Card>,
    pub(crate) forced_suit: Option<Suit>,
    pub(crate) hand_sizes: [u8; 2],
    pub(crate) stock: u8,
    pub(crate) scores: [u16; 2],
    pub(crate) scores_dozenal: [String; 2],
    pub(crate) target: u16,
    pub(crate) round: u8,
    pub(crate) last_round: Option<RoundSummary>,
}

/// M13: a view that is none of Crazy Tens, so that no score can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InvalidScoreData;

/// How a round ended.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct RoundSummary {
    pub(crate) round: u8,
    pub(crate) winner: Option<usize>,
    pub(crate) loser_hand: Vec<ScoredCard>,
    pub(crate) points: u16,
    pub(crate) points_dozenal: String,
}

/// A card and what it counts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct ScoredCard {
    pub(crate) card: String,
    pub(crate) value: u8,
}

#[derive(Deserialize)]
struct View {
    #[serde(default)]
    hand: Vec<String>,
    top: String,
    forced_suit: Option<String>,
    hand_sizes: [u8; 2],
    stock: u8,
    scores: [u16; 2],
    scores_dozenal: [String; 2],
    target: u16,
    round: u8,
    last_round: Option<RoundSummary>,
}

impl Position {
    /// How many cards are in the hands and in the stock: one less with each that is played.
    pub(crate) fn unplayed(&self) -> u8 {
        self.hand_sizes.iter().sum::<u8>() + self.stock
    }

    /// Of a view's JSON.
    pub(crate) fn parse(view: &str) -> Result<Position, InvalidScoreData> {
        let view: View = serde_json::from_str(view).map_err(|_| InvalidScoreData)?;
        Ok(Position {
            hand: view.hand.iter().filter_map(|code| Card::parse(code)).collect(),
            top: Card::parse(&view.top),
            forced_suit: view.forced_suit.as_deref().and_then(Suit::parse),
            hand_sizes: view.hand_sizes,
            stock: view.stock,
            scores: view.scores,
            scores_dozenal: view.scores_dozenal,
            target: view.target,
            round: view.round,
            last_round: view.last_round,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m13_a_score_that_cannot_be_read_is_none() {
        let good = r#"{"top":"5H","forced_suit":null,"hand_sizes":[5,5],"stock":41,"scores":[14,0],
            "scores_dozenal":["12","0"],"target":50,"round":2,"last_round":null}"#;
        let position = Position::parse(good).unwrap();
        assert_eq!((position.scores, position.scores_dozenal[0].as_str()), ([14, 0], "12"));
        for bad in ["", "{}", &good.replace("[14,0]", "[-1,0]"), &good.replace("14,", "")] {
            assert_eq!(Position::parse(bad), Err(InvalidScoreData), "{bad}");
        }
    }
}
