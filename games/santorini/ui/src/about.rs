//! Santorini in a few words and a picture.

use board_kit::{About, Field};

use crate::position::index_of;

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
    main_fields: 1,
    say,
};

/// Every action of Santorini names its cells.
pub(crate) fn say(text: &str) -> String {
    let is_cell = |it: &&str| index_of(it).is_some();
    let (before, after) = text.split_once([':', '-', '+', '^']).unwrap_or((text, ""));
    let cells = after.split(',').filter(is_cell).collect::<Vec<_>>().join(" and ");
    match (before, text.strip_prefix(before).and_then(|rest| rest.chars().next())) {
        ("skip", None) => "Skip".to_owned(),
        ("place", Some(':')) => format!("Place workers on {cells}"),
        ("", Some('+')) => format!("Build on {cells}"),
        ("", Some('^')) => format!("Build a dome on {cells}"),
        (worker, Some('-')) if is_cell(&worker) => format!("Move {worker} to {cells}"),
        (worker, Some('+')) if is_cell(&worker) => {
            format!("Build on {cells} first, from {worker}")
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::say;

    #[test]
    fn an_action_is_said_in_words() {
        for (text, words) in [
            ("place:c3,c4", "Place workers on c3 and c4"),
            ("b2-c3", "Move b2 to c3"),
            ("+c4", "Build on c4"),
            ("^c4", "Build a dome on c4"),
            ("b2+c3", "Build on c3 first, from b2"),
            ("skip", "Skip"),
            ("time-out", "time-out"),
            ("", ""),
        ] {
            assert_eq!(say(text), words);
        }
    }
}
