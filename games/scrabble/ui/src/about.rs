//! Scrabble in a few words and a picture.

use board_kit::{About, Field};

const NUMBER: &[(&str, &str)] = &[];

const fn field(
    key: &'static str,
    label: &'static str,
    choices: &'static [(&'static str, &'static str)],
) -> Field {
    Field { key, label, choices }
}

/// Scrabble with Stuff.
pub const ABOUT: About = About {
    line: "Cross words for two to four; with specials that wait under the letters, if you like.",
    emblem: r##"<rect width="64" height="64" rx="12" fill="#8a5a2b"/><g fill="#f7e6c1" stroke="#5d3a17" stroke-width="1.500"><rect x="9" y="9" width="21" height="21" rx="3"/><rect x="34" y="9" width="21" height="21" rx="3"/><rect x="34" y="34" width="21" height="21" rx="3"/></g><g fill="none" stroke="#3a240e" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"><path d="M15 25l4.500-11 4.500 11M16.500 21.500h6"/><path d="M40 14h9M44.500 14v11"/><path d="M41 50V39h4a3 3 0 0 1 0 6h-4m4 0l4 5"/></g><path d="M19.500 37l2.400 5 5.500.700-4 3.800 1 5.500-4.900-2.700-4.900 2.700 1-5.500-4-3.800 5.500-.700z" fill="#f0b64e"/>"##,
    fields: &[
        field("words", "Words", &[("", "The list of this house")]),
        field(
            "challenge",
            "Challenges",
            &[
                ("", "None: bad words are refused"),
                (r#"{"rule":"double","window_s":30}"#, "A wrong one costs a turn"),
                (r#"{"rule":"single","window_s":30}"#, "A wrong one costs nothing"),
                (r#"{"rule":"five","window_s":30}"#, "A wrong one costs 5 a word"),
                (r#"{"rule":"ten","window_s":30}"#, "A wrong one costs 10 a word"),
            ],
        ),
        field(
            "specials",
            "Specials",
            &[
                ("[]", "None"),
                (
                    r#"[{"kind":"negative","price":30},{"kind":"boom","price":30},{"kind":"reverse","price":30},{"kind":"exchange","price":30},{"kind":"skip","price":30}]"#,
                    "Five kinds, 30 points each",
                ),
                (
                    r#"[{"kind":"boom","price":20},{"kind":"negative","price":10},{"kind":"reverse","price":10},{"kind":"snatch","price":30}]"#,
                    "Four kinds, 10 to 30 points",
                ),
            ],
        ),
        field(
            "supply",
            "Tiles",
            &[("bag", "One bag for all"), ("inventories", "A set for each player")],
        ),
        field("blanks", "Blanks in a set", &[("0", "None"), ("1", "One"), ("2", "Two")]),
        field("left_out", "Tiles left out, to be shorter (0 to 60)", NUMBER),
        field("rack", "Tiles on a rack (5 to 9)", NUMBER),
        field("starting_points", "Points at the start", NUMBER),
        field("bonus", "Points for laying a full rack", NUMBER),
        field("exchange_minimum", "Tiles left that an exchange needs", NUMBER),
        field(
            "word_check",
            "Words are looked up",
            &[("staged", "Before the board is looked at"), ("at_end", "At the end of the move")],
        ),
        field("scoring", "What counts", &[("words", "Each word"), ("squares", "Each square once")]),
        field(
            "laying",
            "Specials are laid",
            &[
                ("one_anywhere", "One a move, anywhere"),
                ("any_in_line", "Any number, in the move’s line"),
            ],
        ),
        field(
            "stacking",
            "Several specials on a square",
            &[("queue", "All fire, the first first"), ("replace", "The last one alone fires")],
        ),
        field(
            "own_specials",
            "Own letters on an own special",
            &[("trigger", "Set it off"), ("block", "Are not allowed")],
        ),
        field(
            "boom",
            "A Boom reaches",
            &[
                (
                    r#"{"clears_specials":false,"reach":3,"shape":"diamond"}"#,
                    "Three steps; letters",
                ),
                (
                    r#"{"clears_specials":true,"reach":3,"shape":"square"}"#,
                    "Seven by seven; all of it",
                ),
            ],
        ),
        field(
            "negatives",
            "A second Negative",
            &[("cancel", "Cancels the first"), ("stay", "Changes nothing")],
        ),
        field("passes_end", "Rounds of passes that end the match", NUMBER),
        field("scoreless_end", "Rounds without points that end the match", NUMBER),
    ],
    main_fields: 4,
    say: str::to_owned,
};
