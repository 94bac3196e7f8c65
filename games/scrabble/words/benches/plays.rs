//! How fast plays are found and the list is loaded: `cargo xtask bench words`.
//!
//! An item of the first two is a position: 500 of games between best plays, plies 4 to 16, full racks,
//! with blanks taken out or put in.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Natural, Premiums, game, with_blanks};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use scrabble_words::{ENGLISH_BYTES, Lexicon, all_plays, best_play, english};

fn main() {
    let lexicon = english();
    let (name, words, memory) = (lexicon.name(), lexicon.len(), lexicon.memory_bytes());
    println!("{name}: {words} words, {} bytes embedded, {memory} in memory", ENGLISH_BYTES.len());
    for blanks in 0..3 {
        let mut plays = Vec::new();
        let positions = positions(blanks);
        let count = |it: &Natural| {
            all_plays(lexicon, &Premiums::usual().position(&it.board, it.rack), &mut plays);
            plays.len()
        };
        let total: usize = positions.iter().map(count).sum();
        println!("{blanks} blanks: {} plays a position", total / positions.len());
    }
    divan::main();
}

fn positions(blanks: u8) -> Vec<Natural> {
    let mut rng = fastrand::Rng::with_seed(2026);
    let mut positions = Vec::new();
    while positions.len() < 500 {
        let game = game(english(), &mut rng);
        let is_wanted =
            |it: &Natural| (4..=16).contains(&it.ply) && it.rack.iter().sum::<u8>() == 7;
        positions.extend(game.into_iter().filter(is_wanted));
    }
    positions.truncate(500);
    for position in &mut positions {
        position.rack = with_blanks(position.rack, blanks, &mut rng);
    }
    positions
}

#[divan::bench(args = [0, 1, 2], sample_count = 20)]
fn all(bencher: Bencher<'_, '_>, blanks: u8) {
    let positions = positions(blanks);
    let premiums = Premiums::usual();
    let mut plays = Vec::new();
    bencher.counter(ItemsCount::new(positions.len())).bench_local(|| {
        for it in &positions {
            all_plays(english(), &premiums.position(&it.board, it.rack), &mut plays);
            divan::black_box(&plays);
        }
    });
}

#[divan::bench(args = [0, 1, 2], sample_count = 20)]
fn best(bencher: Bencher<'_, '_>, blanks: u8) {
    let positions = positions(blanks);
    let premiums = Premiums::usual();
    bencher.counter(ItemsCount::new(positions.len())).bench_local(|| {
        for it in &positions {
            divan::black_box(best_play(english(), &premiums.position(&it.board, it.rack)));
        }
    });
}

#[divan::bench]
fn load(bencher: Bencher<'_, '_>) {
    let bytes = BytesCount::of_slice(ENGLISH_BYTES);
    bencher.counter(bytes).bench(|| Lexicon::from_bytes(ENGLISH_BYTES).expect("a whole list"));
}
