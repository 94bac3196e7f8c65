//! Chess in a few words and a picture.

use board_kit::{About, Field};

/// Chess.
pub const ABOUT: About = About {
    line: "Sixteen pieces a side, and one king to catch.",
    emblem: r##"<rect width="64" height="64" rx="12" fill="#a98a64"/><path d="M0 12a12 12 0 0 1 12-12h20v32H0zM32 32h32v20a12 12 0 0 1-12 12H32z" fill="#ecdfc6"/><path transform="translate(4 5) scale(1.25)" fill="#20302b" d="M20 8.500l2.500 2.600c8 1.200 11.500 8.400 11 24.900H15.500c-.2-5.800 2.300-8.700 5.700-11.600l-1-.4-4.800 2.700c-2.200 1.200-4.700-.4-4.900-2.700l.2-1.500 5.800-8.800z"/>"##,
    fields: &[
        Field {
            key: "variant",
            label: "Which chess",
            choices: &[("standard", "The usual"), ("chess960", "Chess960: shuffled back rows")],
        },
        Field { key: "number", label: "Chess960 start, 0 to 959, or none", choices: &[] },
        Field { key: "fen", label: "A position to start from, as FEN", choices: &[] },
        Field { key: "auto_queen", label: "Pawns always become queens", choices: &[] },
    ],
    main_fields: 4,
    say: str::to_owned,
};
