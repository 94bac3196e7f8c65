//! The moves of random matches, compared with a slow generator that was written apart.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod mailbox;

use chess::{Chess, Ended, Options, State, Variant};
use game_api::{Game, Seed};
use mailbox::Mailbox;

fn matches() -> u64 {
    if std::env::var_os("PARLOR_SOAK").is_some() { 2_000 } else { 20 }
}

#[track_caller]
fn check_position(state: &State, is_chess960: bool, number: u64) {
    let fen = state.fen();
    let naive = Mailbox::read(&fen, is_chess960);
    let mut moves: Vec<String> = state.legal_moves().iter().map(ToString::to_string).collect();
    moves.sort();
    assert_eq!(moves, naive.legal(), "match {number}: {fen}");
    assert_eq!(state.is_check(), naive.is_check(), "match {number}: {fen}");
    let is_stuck = naive.legal().is_empty();
    let ended = match (is_stuck, naive.is_check()) {
        (true, true) => Some(Ended::Checkmate),
        (true, false) => Some(Ended::Stalemate),
        (false, _) => None,
    };
    let found = state.ended().filter(|ended| matches!(ended, Ended::Checkmate | Ended::Stalemate));
    assert_eq!(found, ended, "match {number}: {fen}");
}

fn play_and_compare(variant: Variant) {
    for number in 0..matches() {
        let mut chooser = fastrand::Rng::with_seed(number);
        let options = Options { variant, ..Options::default() };
        let mut state = Chess.setup(&options, 2, &Seed::from_number(number)).unwrap();
        loop {
            check_position(&state, variant == Variant::Chess960, number);
            let Some(seat) = Chess.to_act(&state).iter().next() else { break };
            let moves = state.legal_moves();
            // Castling is rare among random moves, so it is taken when it is there.
            let castling = moves.iter().find(|uci| is_castling(&state, uci.0.from, uci.0.to));
            let chosen = *castling.unwrap_or(&moves[chooser.usize(..moves.len())]);
            state = state.apply(seat, chess::Action::Move(chosen)).unwrap();
        }
    }
}

fn is_castling(state: &State, from: cozy_chess::Square, to: cozy_chess::Square) -> bool {
    let is_king = state.board().king(state.board().side_to_move()) == from;
    let takes_own = state.board().colors(state.board().side_to_move()).has(to);
    is_king && (takes_own || (from.file() as i8 - to.file() as i8).abs() == 2)
}

#[test]
fn standard_moves_are_those_of_the_slow_generator() {
    play_and_compare(Variant::Standard);
}

#[test]
fn chess960_moves_are_those_of_the_slow_generator() {
    play_and_compare(Variant::Chess960);
}

#[test]
fn every_chess960_start_is_a_legal_one() {
    let mut seen = std::collections::BTreeSet::new();
    for number in 0..chess::CHESS960_STARTS {
        let options =
            Options { variant: Variant::Chess960, number: Some(number), ..Options::default() };
        let state = Chess.setup(&options, 2, &Seed::from_number(1)).unwrap();
        check_position(&state, true, u64::from(number));
        let fen = state.fen();
        let row = fen.split(['/', ' ']).nth(7).unwrap().to_owned();
        let all = |piece: char| row.match_indices(piece).map(|(at, _)| at).collect::<Vec<_>>();
        let (bishops, rooks, kings) = (all('B'), all('R'), all('K'));
        assert_eq!((bishops[0] + bishops[1]) % 2, 1, "{number}: {row}");
        assert!(rooks[0] < kings[0] && kings[0] < rooks[1], "{number}: {row}");
        assert!(fen.starts_with(&row.to_lowercase()), "{number}: {fen}");
        assert!(seen.insert(row), "{number}");
    }
    assert_eq!(seen.len(), 960);
}
