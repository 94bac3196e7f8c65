//! Crazy Tens in a few words and a picture.

use board_kit::{About, Field};

use crate::position::{Card, Suit};

/// Crazy Tens.
pub const ABOUT: About = About {
    line: "Match the suit, the rank, or make twelve, which is 10 in dozenal. Tens are wild.",
    emblem: r##"<rect width="64" height="64" rx="12" fill="#1f5c4d"/><g transform="rotate(-10 26 34)"><rect x="12" y="13" width="27" height="38" rx="4" fill="#8c2f39"/></g><g transform="rotate(8 38 34)"><rect x="25" y="13" width="27" height="38" rx="4" fill="#fffdf8"/><text x="29" y="26" font-size="12" font-weight="700" font-family="system-ui, sans-serif" fill="#a12b22">10</text><path d="M39 47c-5-4-9-7.500-9-11.500a4.600 4.600 0 0 1 9-1.400 4.600 4.600 0 0 1 9 1.400c0 4-4 7.500-9 11.500z" fill="#a12b22"/></g>"##,
    fields: &[
        Field { key: "target", label: "Points that end the match", choices: &[] },
        Field {
            key: "starter",
            label: "Who starts a round",
            choices: &[("alternate", "Each in turn"), ("host", "Always the host")],
        },
    ],
    main_fields: 2,
    say,
};

/// `play:10H:S` is a ten that asks for spades.
fn say(text: &str) -> String {
    let played = || {
        let mut parts = text.strip_prefix("play:")?.split(':');
        let card = Card::parse(parts.next()?)?.short();
        let suit = parts.next().and_then(Suit::parse);
        Some(suit.map_or_else(|| card.clone(), |suit| format!("{card}→{}", suit.symbol())))
    };
    match text {
        "draw" => "Draw a card".to_owned(),
        "pass" => "Pass".to_owned(),
        _ => played().unwrap_or_else(|| text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::say;

    #[test]
    fn an_action_is_said_as_it_is_written_down() {
        assert_eq!(say("play:7S"), "7♠\u{fe0e}");
        assert_eq!(say("play:10H:S"), "10♥\u{fe0e}→♠\u{fe0e}");
        assert_eq!(say("draw"), "Draw a card");
        assert_eq!(say("7♠"), "7♠");
    }
}
