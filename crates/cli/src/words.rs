//! `parlor words`: ask the word list, the embedded one or the one that `--words` names.

use std::cmp::Reverse;
use std::io::Write;

use anyhow::bail;
use clap::Subcommand;
use scrabble_words::{LETTER_VALUES, Letter, Lexicon};

/// As many tiles as a line has squares.
const RACK_MAX: usize = 15;

#[derive(Subcommand)]
pub(crate) enum Question {
    /// Say of each word whether it is in the list; fails if one is not
    Check {
        /// Words, in any case
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// List the words that can be made of some letters, the longest first, with their points
    Find {
        /// Letters, `?` for a blank
        rack: String,
    },
}

pub(crate) fn run(question: &Question) -> anyhow::Result<()> {
    match question {
        Question::Check { words } => check(catalog::words(), words),
        Question::Find { rack } => find(catalog::words(), rack),
    }
}

fn check(lexicon: &Lexicon, words: &[String]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let mut unknown = 0;
    for word in words {
        let letters: Option<Vec<Letter>> = word.chars().map(letter).collect();
        let Some(letters) = letters.filter(|letters| !letters.is_empty()) else {
            bail!("`{word}` has more than the letters A to Z (word_character)");
        };
        let is_word = lexicon.contains(&letters);
        unknown += usize::from(!is_word);
        let answer = if is_word { "a word" } else { "not a word" };
        writeln!(out, "{}: {answer}", word.to_ascii_uppercase())?;
    }
    match unknown {
        0 => Ok(()),
        _ => bail!("{unknown} of {} are not in {} (not_a_word)", words.len(), lexicon.name()),
    }
}

fn find(lexicon: &Lexicon, rack: &str) -> anyhow::Result<()> {
    let tiles: Option<Vec<Letter>> =
        rack.chars().map(|c| if c == '?' { Some(0) } else { letter(c) }).collect();
    let Some(tiles) = tiles else {
        bail!("`{rack}` has more than the letters A to Z and `?` (rack_character)");
    };
    if !(1..=RACK_MAX).contains(&tiles.len()) {
        bail!("`{rack}` has {} tiles; a rack has 1 to {RACK_MAX} (rack_length)", tiles.len());
    }
    let mut counts = [0_u8; 27];
    for tile in tiles {
        counts[usize::from(tile)] += 1;
    }
    let scored = lexicon.words().filter_map(|word| Some((word, points(&word, counts)?)));
    let mut found: Vec<_> = scored.collect();
    found.sort_by_key(|(word, points)| (Reverse(word.len()), Reverse(*points), *word));
    let mut out = std::io::stdout().lock();
    for (word, points) in found {
        writeln!(out, "{word} {points}")?;
    }
    Ok(())
}

/// What a word scores from a rack without a board; `None` if the rack cannot make it.
fn points(word: &[Letter], mut rack: [u8; 27]) -> Option<u32> {
    let mut points = 0;
    for &letter in word {
        let letter = usize::from(letter);
        // A blank counts nothing, so a letter is used first.
        let tile = if rack[letter] > 0 { letter } else { 0 };
        rack[tile] = rack[tile].checked_sub(1)?;
        points += u32::from(LETTER_VALUES[tile]);
    }
    Some(points)
}

fn letter(c: char) -> Option<Letter> {
    let upper = u8::try_from(c).ok()?.to_ascii_uppercase();
    upper.is_ascii_uppercase().then(|| upper - b'A' + 1)
}
