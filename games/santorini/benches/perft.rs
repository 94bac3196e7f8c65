//! How fast turns are counted and made: `cargo xtask bench rules`.

use divan::Bencher;
use divan::counter::ItemsCount;
use game_api::{Game, Seat, Seed};
use santorini::{Options, Santorini, State};

fn main() {
    divan::main();
}

fn start(gods: &str) -> State {
    let text = format!("00000/00000/00000/00000/00000 b3,d3 c2,c4 0 {gods}");
    let read = Santorini.position(&Options::default(), &text, &Seed::from_number(1));
    read.expect("this is a position").1
}

/// The last turn of each line is counted, not made; an item is a leaf.
#[divan::bench]
fn base_bulk(bencher: Bencher<'_, '_>) {
    let board = *start("mortal,mortal").board();
    let leaves = || board.perft(Seat::FIRST, 4, true);
    bencher.counter(ItemsCount::new(leaves())).bench(leaves);
}

/// Every turn is made; an item is a leaf.
#[divan::bench]
fn base_made(bencher: Bencher<'_, '_>) {
    let board = *start("mortal,mortal").board();
    let leaves = || board.perft(Seat::FIRST, 4, false);
    bencher.counter(ItemsCount::new(leaves())).bench(leaves);
}

/// Through the turns of the rules, with powers; an item is a leaf.
#[divan::bench(args = ["apollo,mortal", "artemis,demeter", "hermes,prometheus"])]
fn gods(bencher: Bencher<'_, '_>, gods: &str) {
    let state = start(gods);
    let leaves = || Santorini.perft(&state, 2);
    bencher.counter(ItemsCount::new(leaves())).bench(leaves);
}
