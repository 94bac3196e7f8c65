//! Writing a game in the standard's export format.

use std::fmt::{self, Write as _};

use cozy_chess::Color;

use super::{Pgn, PgnMove};

/// The tags that every game has, in their order.
const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];
/// Lines are shorter than this.
const COLUMNS_MAX: usize = 80;

impl fmt::Display for Pgn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in ROSTER {
            let unknown = if name == "Date" { "????.??.??" } else { "?" };
            let value = self.tag(name).unwrap_or(unknown);
            // The result stands at the end as well; the two agree.
            write_tag(f, name, if name == "Result" { self.result.key() } else { value })?;
        }
        for (name, value) in &self.tags {
            if !ROSTER.contains(&name.as_str()) {
                write_tag(f, name, value)?;
            }
        }
        f.write_char('\n')?;
        let mut column = 0;
        for word in self.words() {
            if column > 0 && column + 1 + word.chars().count() >= COLUMNS_MAX {
                f.write_char('\n')?;
                column = 0;
            } else if column > 0 {
                f.write_char(' ')?;
                column += 1;
            }
            f.write_str(&word)?;
            column += word.chars().count();
        }
        f.write_char('\n')
    }
}

fn write_tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    write!(f, "[{} \"", tag_name(name))?;
    for letter in value.chars() {
        match letter {
            '"' | '\\' => write!(f, "\\{letter}")?,
            letter if letter.is_control() => f.write_char(' ')?,
            letter => f.write_char(letter)?,
        }
    }
    f.write_str("\"]\n")
}

/// A tag's name is one word.
fn tag_name(name: &str) -> String {
    let is_fit = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
    let name: String = name.chars().filter(is_fit).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

impl Pgn {
    /// The text after the tags, in the pieces between which a line may break.
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        push_comment(&mut words, None, self.comment.as_deref());
        let (mut number, mut color) = self.first;
        let mut needs_number = true;
        for mv in &self.moves {
            match color {
                Color::White => words.push(format!("{number}.")),
                Color::Black if needs_number => words.push(format!("{number}...")),
                Color::Black => {}
            }
            words.push(mv.san.to_string());
            words.extend(mv.nags.iter().map(|nag| format!("${nag}")));
            needs_number = push_comment(&mut words, mv.clock(), mv.comment.as_deref());
            number = number.saturating_add(u16::from(color == Color::Black));
            color = !color;
        }
        words.push(self.result.key().to_owned());
        words
    }
}

impl PgnMove {
    fn clock(&self) -> Option<String> {
        let seconds = self.clock_s?;
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
        Some(format!("[%clk {hours}:{minutes:02}:{:02}]", seconds % 60))
    }
}

/// Adds a comment in braces, if there is anything to say.
fn push_comment(words: &mut Vec<String>, clock: Option<String>, comment: Option<&str>) -> bool {
    let comment = comment.unwrap_or_default();
    let spoken = comment.split_whitespace().map(|word| word.replace(['{', '}'], "|"));
    let all: Vec<String> = clock.into_iter().chain(spoken).collect();
    if all.is_empty() {
        return false;
    }
    words.push("{".to_owned());
    words.extend(all);
    words.push("}".to_owned());
    true
}
