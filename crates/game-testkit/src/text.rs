//! The laws of text: one spelling an action, and no text of any kind does harm.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use game_api::{Completeness, Game, Seat, StateHash};

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
    let mut earlier = String::new();
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
            let spoilt = [
                spoil(&text, &mut walk.chooser),
                graft(&text, &earlier, &mut walk.chooser),
                odd.repeat(walk.chooser.usize(1..40)),
            ];
            for text in spoilt {
                check_text(&walk, seat, &text)?;
                report.checks += 1;
            }
            earlier = text;
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
        let is_accepted = walk.game.apply(&walk.state, seat, &action).is_ok();
        let mut listed = Vec::new();
        let completeness = walk.game.legal_actions(&walk.state, seat, &mut listed);
        let is_fair =
            completeness == Completeness::Partial || is_accepted == listed.contains(&action);
        Some((action.to_string(), is_fair))
    }));
    match outcome {
        Err(_) => Err(walk.fail("no text panics", format!("{text:?}"))),
        Ok(Some((printed, _))) if printed != text => {
            Err(walk.fail("one spelling an action", format!("{text:?} reads as {printed:?}")))
        }
        Ok(Some((_, false))) => {
            Err(walk.fail("what is not listed is refused", format!("seat {seat} {text}")))
        }
        Ok(_) if StateHash::of(&walk.state) != hash => {
            Err(walk.fail("a refusal leaves the state", format!("{text:?}")))
        }
        Ok(_) => Ok(()),
    }
}

/// The beginning of one action's text and the end of another's: well formed, now and then, but not
/// what anybody would list.
fn graft(text: &str, other: &str, chooser: &mut fastrand::Rng) -> String {
    let cut = |text: &str, chooser: &mut fastrand::Rng| chooser.usize(..=text.chars().count());
    let kept = cut(text, chooser);
    let skipped = cut(other, chooser);
    text.chars().take(kept).chain(other.chars().skip(skipped)).collect()
}

/// The text with one or two small faults, of the kinds that people and programs make.
fn spoil(text: &str, chooser: &mut fastrand::Rng) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..chooser.usize(1..=2) {
        let at = chooser.usize(..=letters.len());
        let letter = letters.get(at).copied();
        match (chooser.u8(..9), letter) {
            (0, Some(_)) => drop(letters.remove(at)),
            (1, Some(letter)) => letters.insert(at, letter),
            (2, Some(letter)) if letter.is_lowercase() => letters[at] = letter.to_ascii_uppercase(),
            (2, Some(letter)) => letters[at] = letter.to_ascii_lowercase(),
            (3, _) => letters.insert(at, ['0', ' ', '+', ':', 'é', '😀', '\t'][chooser.usize(..7)]),
            (4, _) => letters.truncate(at),
            (5, Some(_)) => letters[at] = char::from(chooser.u8(b'!'..=b'~')),
            (6, Some(_)) => {
                let other = chooser.usize(..letters.len());
                letters.swap(at, other);
            }
            // A letter that the language of actions knows: the likeliest to be well formed.
            (_, Some(_)) => letters[at] = letters[chooser.usize(..letters.len())],
            (_, None) => {}
        }
    }
    letters.into_iter().collect()
}
