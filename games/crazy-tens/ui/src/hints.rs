//! Why a card may be played, in words.

use serde::Deserialize;

use crate::position::Card;

/// The rule that allows a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Because {
    Ten,
    ForcedSuit,
    Suit,
    Rank,
    DozenalSum,
    /// A draw or a pass: no card is played.
    #[serde(other)]
    NoCard,
}

#[derive(Deserialize)]
struct Preview {
    because: Because,
}

impl Because {
    /// Of what the rules foresee, as JSON.
    pub(crate) fn parse(preview: &str) -> Option<Because> {
        let preview: Preview = serde_json::from_str(preview).ok()?;
        Some(preview.because).filter(|because| *because != Because::NoCard)
    }

    /// As few words as say it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Because::Ten => "a ten",
            Because::ForcedSuit => "suit asked for",
            Because::Suit => "same suit",
            Because::Rank => "same rank",
            Because::DozenalSum => "sum",
            Because::NoCard => "",
        }
    }

    /// A sentence for a card on the card that lies on top.
    pub(crate) fn sentence(self, card: Card, top: Card) -> String {
        let pair = format!("{} on {}", card.short(), top.short());
        match self {
            Because::Ten => {
                format!("{}: a ten goes on anything, and you name the suit.", card.short())
            }
            Because::ForcedSuit => format!("{}: the suit that was asked for.", card.short()),
            Because::Suit => format!("{pair}: the same suit."),
            Because::Rank => format!("{pair}: the same rank."),
            Because::DozenalSum => {
                format!("{pair}: {} + {} = 12, which is 10 in dozenal.", card.value(), top.value())
            }
            Because::NoCard => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn a_reason_is_read_from_what_the_rules_foresee() {
        let read = |because: &str| {
            Because::parse(&format!(r#"{{"because":"{because}","wins_round":false}}"#))
        };
        assert_eq!(read("dozenal_sum"), Some(Because::DozenalSum));
        assert_eq!(read("ten"), Some(Because::Ten));
        assert_eq!(read("must_draw"), None);
        assert_eq!(Because::parse("{}"), None);
    }

    #[test]
    fn the_sum_is_worked_out() {
        let card = |code: &str| Card::parse(code).unwrap();
        let sentence = Because::DozenalSum.sentence(card("7S"), card("5D"));
        // The signs of the suits are text, not pictures.
        let expected = "7♠\u{fe0e} on 5♦\u{fe0e}: 7 + 5 = 12, which is 10 in dozenal.";
        assert_eq!(sentence, expected);
        let sentence = Because::DozenalSum.sentence(card("2S"), card("10D"));
        assert!(sentence.contains("2 + 10"), "{sentence}");
    }
}
