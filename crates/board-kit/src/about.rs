//! What people read about a game before they play it.

/// A game in a few words and a picture.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// What it is like.
    pub line: &'static str,
    /// What an SVG of 64 by 64 holds.
    pub emblem: &'static str,
    /// Its options, in the order in which people are asked.
    pub fields: &'static [Field],
    /// So many of them are asked for at once; the rest waits for whoever wants more.
    pub main_fields: usize,
    /// An action, or a line of the list of moves, as people say it; any other text as it is.
    pub say: fn(&str) -> String,
}

/// One of a game's options.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in the options.
    pub key: &'static str,
    /// What people read.
    pub label: &'static str,
    /// The values to choose from, each with its words; none if it is written or switched. Of a list each
    /// element is chosen.
    pub choices: &'static [(&'static str, &'static str)],
}
