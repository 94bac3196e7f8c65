//! How fast the rules are, for every game of the catalogue: `cargo xtask bench rules`.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use game_api::{AnyGame, AnyMatch, Seat, Seed, Telling, Viewer};

fn main() {
    divan::main();
}

fn ids() -> Vec<&'static str> {
    catalog::games().map(|game| game.meta().id).collect()
}

fn find(id: &str) -> &'static dyn AnyGame {
    catalog::find(id).expect("the catalogue lists it")
}

/// Random matches through the `Game` trait; an item is an action.
#[divan::bench(args = ids())]
fn playouts(bencher: Bencher<'_, '_>, id: &str) {
    let game = find(id);
    let seats = *game.meta().seats.start();
    let play = || game.playouts("{}", seats, 1_000, 7).expect("the default options make a match");
    let plies = play().plies;
    bencher.counter(ItemsCount::new(plies)).bench(|| black_box(play()));
}

/// What a server does for an action: apply it, and write a view and an event for two seats. An item
/// is an action, a run a whole match.
#[divan::bench(args = ids())]
fn act_and_tell_two(bencher: Bencher<'_, '_>, id: &str) {
    let game = find(id);
    let mut telling = Telling::to(Viewer::all(2).take(2));
    let script = script(game);
    bencher.counter(ItemsCount::new(script.len())).with_inputs(|| start(game)).bench_local_refs(
        |contest| {
            let mut bytes = 0;
            for (seat, action) in &script {
                contest.act(*seat, action, &mut telling).expect("it was legal when recorded");
                bytes +=
                    telling.told().map(|told| told.view.len() + told.event.len()).sum::<usize>();
            }
            black_box(bytes)
        },
    );
}

fn start(game: &dyn AnyGame) -> Box<dyn AnyMatch> {
    let seats = *game.meta().seats.start();
    game.start("{}", seats, Seed::from_number(1)).expect("the default options make a match")
}

/// One whole random match.
fn script(game: &dyn AnyGame) -> Vec<(Seat, String)> {
    let mut contest = start(game);
    let mut telling = Telling::default();
    let mut script = Vec::new();
    while let Some(seat) = contest.to_act().iter().next() {
        let legal = contest.legal(seat).expect("the seat is to act").actions;
        let action = legal[script.len() * 7 % legal.len()].clone();
        contest.act(seat, &action, &mut telling).expect("it is listed");
        script.push((seat, action));
    }
    script
}
