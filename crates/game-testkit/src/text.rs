//! The laws of text: one spelling an action, and no text of any kind does harm.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use game_api::{Game, Seat, StateHash};

use crate::walk::{Failure, Walk, WalkReport};

/// Texts that have broken parsers before.
const ODD_TEXTS: [&str; 16] = [
    "",
    " ",
    ":",
    "::",
    "+",
    "@",
    "-",
    "0",
    "\0",
    "é",
    "😀",
    "a\u{300}",
    "\u{202e}",
    "%s%n",
    "NaN",
    "18446744073709551616",
];

/// Reads action texts and spoilt action texts in the middle of random matches.
pub fn text_laws<G: Game>(game: &Arc<G>, matches: u64) -> Result<WalkReport, Failure> {
    let mut report = WalkReport::default();
    for number in 0..matches {
        let mut walk = Walk::start(game, number)?;
        while let Some((seat, action)) = walk.choose()? {
            let text = action.to_string();
            if text.is_empty() || text.contains(char::is_whitespace) {
                return Err(walk.fail("an action's text has no blanks", format!("{text:?}")));
            }
            if text.parse::<G::Action>().ok().as_ref() != Some(&action) {
                return Err(walk.fail("reading undoes printing", text));
            }
            let odd = walk.chooser.choice(ODD_TEXTS).unwrap_or_default();
            for spoilt in [spoil(&text, &mut walk.chooser), odd.repeat(walk.chooser.usize(1..40))] {
                check_text(&walk, seat, &spoilt)?;
                report.checks += 1;
            }
            walk.advance(seat, &action, |_, _| Ok(()))?;
            report.plies += 1;
        }
        report.matches += 1;
    }
    Ok(report)
}

fn check_text<G: Game>(walk: &Walk<'_, G>, seat: Seat, text: &str) -> Result<(), Failure> {
    let hash = StateHash::of(&walk.state);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let action = text.parse::<G::Action>().ok()?;
        drop(walk.game.apply(&walk.state, seat, &action));
        Some(action.to_string())
    }));
    match outcome {
        Err(_) => Err(walk.fail("no text panics", format!("{text:?}"))),
        Ok(Some(printed)) if printed != text => {
            Err(walk.fail("one spelling an action", format!("{text:?} reads as {printed:?}")))
        }
        Ok(_) if StateHash::of(&walk.state) != hash => {
            Err(walk.fail("a refusal leaves the state", format!("{text:?}")))
        }
        Ok(_) => Ok(()),
    }
}

/// The text with one or two small faults, of the kinds that people and programs make.
fn spoil(text: &str, chooser: &mut fastrand::Rng) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..chooser.usize(1..=2) {
        let at = chooser.usize(..=letters.len());
        let letter = letters.get(at).copied();
        match (chooser.u8(..7), letter) {
            (0, Some(_)) => drop(letters.remove(at)),
            (1, Some(letter)) => letters.insert(at, letter),
            (2, Some(letter)) if letter.is_lowercase() => letters[at] = letter.to_ascii_uppercase(),
            (2, Some(letter)) => letters[at] = letter.to_ascii_lowercase(),
            (3, _) => letters.insert(at, ['0', ' ', '+', ':', 'é', '😀', '\t'][chooser.usize(..7)]),
            (4, _) => letters.truncate(at),
            (5, Some(_)) => letters[at] = char::from(chooser.u8(b'!'..=b'~')),
            _ => {
                let other = chooser.usize(..=letters.len().saturating_sub(1));
                if at < letters.len() {
                    letters.swap(at, other);
                }
            }
        }
    }
    letters.into_iter().collect()
}
