//! The engine's scores beside those of a slow scorer, written apart from it.

#![expect(clippy::unwrap_used, reason = "in a test's helper it is the failure")]

#[path = "../kit/mod.rs"]
mod kit;
mod reference;

use std::collections::BTreeSet;

use game_api::{Context, Game, GameRng, Seed, Viewer};
use reference::{Place, Table};
use scrabble::{Action, Options, State};

/// The board as the reference wants it.
fn reference_of(state: &State) -> Table {
    let mut table = Table::default();
    for (row, text) in state.board.rows().iter().enumerate() {
        for (column, letter) in text.chars().enumerate().filter(|(_, letter)| *letter != '.') {
            table.letters.insert((column, row), letter);
        }
    }
    table.used = state.premiums_used.iter().map(|it| (it.column(), it.row())).collect();
    table
}

/// What a play scores on a table, and the premiums that are used then.
type Scorer = fn(&Table, &str) -> (i32, BTreeSet<Place>);

fn check(options: &Options, expected: Scorer) {
    let game = kit::game();
    let mut compared = 0;
    for number in 0..24 {
        let seats = 2 + u8::try_from(number % 3).unwrap();
        let mut state = game.setup(options, seats, &Seed::from_number(number)).unwrap();
        let mut rng = GameRng::new(&Seed::from_number(number));
        while let Some(seat) = game.to_act(&state).iter().next() {
            let viewer = Viewer::Seat(seat);
            let context = Context { options, seats, viewer };
            let view = game.view(&state, viewer);
            let table = reference_of(&state);
            let has_own = view.specials.as_ref().is_some_and(|own| !own.laid.is_empty());
            for (action, score) in game.plays(&state, seat) {
                let (points, _) = expected(&table, &action.to_string());
                assert_eq!(score, points, "match {number}: {action} on {}", state.board);
                // Own specials change what is foreseen.
                if !has_own {
                    let foreseen = game.preview(&context, &view, &action).unwrap().score;
                    assert_eq!(foreseen, points, "match {number}: {action}");
                }
                compared += 1;
            }
            let action = game.sample(&state, seat, &mut rng).unwrap();
            let after = game.apply(&state, seat, &action).unwrap();
            if let (Action::Play(play), Some(last)) = (&action, after.last_move())
                && last.fired.is_empty()
            {
                let (points, used) = expected(&table, &play.placement.to_string());
                assert_eq!((last.score, last.earner), (points, seat), "match {number}: {action}");
                assert_eq!(reference_of(&after).used, used, "match {number}: {action}");
            }
            state = after;
        }
    }
    println!("{compared} plays compared");
    assert!(compared > 1_000);
}

#[test]
fn each_word_counts_as_the_slow_scorer_says() {
    check(&Options::classic(), |table, play| (table.by_words(play), BTreeSet::new()));
    check(&Options::contract_a(), |table, play| (table.by_words(play), BTreeSet::new()));
}

#[test]
fn each_square_counts_as_the_slow_scorer_says() {
    check(&Options::contract_b(), Table::by_squares);
}
