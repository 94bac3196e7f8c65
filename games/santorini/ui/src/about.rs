//! Santorini in a few words and a picture.

use board_kit::{About, Field};

/// Santorini.
pub const ABOUT: About = About {
    line: "Climb to the third floor before the other does, and build domes in the way.",
    emblem: r##"<rect width="64" height="64" rx="12" fill="#8fbf8a"/><path d="M8 42h48v14H8z" fill="#c9c2b2"/><path d="M14 30h36v12H14z" fill="#e2dccd"/><path d="M20 20h24v10H20z" fill="#f8f4ea"/><path d="M24 20a8 8 0 0 1 16 0z" fill="#2f6fb0"/>"##,
    fields: &[Field {
        key: "gods",
        label: "God",
        choices: &[
            ("mortal", "None"),
            ("apollo", "Apollo"),
            ("artemis", "Artemis"),
            ("athena", "Athena"),
            ("atlas", "Atlas"),
            ("demeter", "Demeter"),
            ("hephaestus", "Hephaestus"),
            ("hermes", "Hermes"),
            ("minotaur", "Minotaur"),
            ("pan", "Pan"),
            ("prometheus", "Prometheus"),
        ],
    }],
};
