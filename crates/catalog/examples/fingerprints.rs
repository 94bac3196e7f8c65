//! The hash law: random matches of every game and of the template, folded into one hash each.
//!
//! Natively it prints them. Built for WebAssembly it holds the native list, which the build names in
//! `PARLOR_FINGERPRINTS`, and its `main` fails unless every one comes out the same there.

use std::process::ExitCode;
use std::sync::Arc;

use game_api::{AnyGame, Erased};
use scrabble::{Lexicon, Scrabble};

/// Matches a game.
const MATCHES: u64 = 20;

/// A few words, the same everywhere: the embedded list is not in a build for the browser.
const WORDS: [&str; 24] = [
    "AT", "AN", "EN", "ER", "IN", "IT", "NO", "OE", "ON", "OR", "RE", "TO", "AIR", "ART", "EAT",
    "ION", "NET", "NOT", "ORE", "RAN", "TEA", "TEN", "TIE", "TON",
];

fn fingerprints() -> String {
    let template = Erased::new(template::Template);
    let words = Lexicon::from_words("few", WORDS).expect("they are words");
    let scrabble = Erased::new(Scrabble::new(Arc::new(words)));
    let mut games: Vec<&dyn AnyGame> =
        catalog::games().filter(|game| game.meta().id != scrabble.meta().id).collect();
    games.extend([&template as &dyn AnyGame, &scrabble]);
    let line = |(game, number): (&dyn AnyGame, u64)| {
        let print = match game_testkit::fingerprint(game, number) {
            Ok(hash) => hash.to_string(),
            Err(refused) => format!("refused: {refused}"),
        };
        format!("{} {number} {print}\n", game.meta().id)
    };
    games
        .into_iter()
        .flat_map(|game| (0..MATCHES).map(move |number| (game, number)))
        .map(line)
        .collect()
}

#[cfg(not(target_family = "wasm"))]
fn main() -> ExitCode {
    let lines = fingerprints();
    print!("{lines}");
    if lines.contains("refused") { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

#[cfg(target_family = "wasm")]
fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| tell_host(&panic.to_string())));
    let native = include_str!(env!("PARLOR_FINGERPRINTS"));
    let here = fingerprints();
    if native == here && !native.is_empty() {
        return ExitCode::SUCCESS;
    }
    let mut pairs = native.lines().zip(here.lines());
    let (expected, found) = pairs.find(|(a, b)| a != b).unwrap_or(("another number of lines", ""));
    tell_host(&format!("natively {expected}, in WebAssembly {found}"));
    ExitCode::FAILURE
}

/// There is no stderr: the text stays in memory, framed, where the host looks for it.
#[cfg(target_family = "wasm")]
fn tell_host(text: &str) {
    std::hint::black_box(format!("\u{2}main: {text}\u{3}").leak());
}
