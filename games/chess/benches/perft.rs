//! How fast moves are counted: `cargo xtask bench rules`.

use chess::{Chess, Options};
use divan::Bencher;
use divan::counter::ItemsCount;
use game_api::{Game, Seed};

fn main() {
    divan::main();
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// The last move of each line is counted, not made; an item is a leaf.
#[divan::bench(args = [(START, 5), (KIWIPETE, 4)])]
fn bulk(bencher: Bencher<'_, '_>, (fen, depth): (&str, u32)) {
    let read = Chess.position(&Options::default(), fen, &Seed::from_number(1));
    let state = read.expect("this is a position").1;
    let leaves = || Chess.perft(&state, depth);
    bencher.counter(ItemsCount::new(leaves())).bench(leaves);
}
