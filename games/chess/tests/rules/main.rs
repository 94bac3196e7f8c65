//! A test for each numbered rule of RULES.md: the board and its moves in `board`, the ends and the
//! notations in `ends`; here is what both touch the game with.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod board;
mod ends;

use chess::{Chess, Options, Reason, State, Variant, Violation};
use game_api::{Game, Seat, Seed, Violation as _};

pub(crate) const FIRST: Seat = Seat::FIRST;
pub(crate) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

pub(crate) fn second() -> Seat {
    FIRST.after(1, 2)
}

pub(crate) fn standard() -> Options {
    Options::default()
}

pub(crate) fn chess960() -> Options {
    Options { variant: Variant::Chess960, ..standard() }
}

#[track_caller]
pub(crate) fn begin(options: &Options, fen: &str) -> State {
    Chess.position(options, fen, &Seed::from_number(1)).unwrap().1
}

#[track_caller]
pub(crate) fn position(fen: &str) -> State {
    begin(&standard(), fen)
}

pub(crate) fn deal(options: &Options) -> State {
    Chess.setup(options, 2, &Seed::from_number(7)).unwrap()
}

pub(crate) fn mover(state: &State) -> Seat {
    Chess.to_act(state).iter().next().unwrap_or(FIRST)
}

/// Plays actions, separated by blanks.
#[track_caller]
pub(crate) fn play(state: &State, actions: &str) -> State {
    actions.split_whitespace().fold(state.clone(), |state, action| {
        let applied = Chess.apply(&state, mover(&state), &action.parse().unwrap());
        applied.unwrap_or_else(|violation| panic!("{action}: {violation}"))
    })
}

pub(crate) fn legal(state: &State) -> Vec<String> {
    let mut actions = Vec::new();
    Chess.legal_actions(state, mover(state), &mut actions);
    actions.iter().map(ToString::to_string).collect()
}

/// The targets of the man on a square.
#[track_caller]
pub(crate) fn check_targets(fen: &str, from: &str, expected: &str) {
    let state = position(fen);
    let found: Vec<String> = legal(&state)
        .iter()
        .filter_map(|action| action.strip_prefix(from))
        .map(Into::into)
        .collect();
    assert_eq!(found.join(" "), expected, "{fen} {from}");
}

#[track_caller]
pub(crate) fn refusal(state: &State, action: &str) -> Violation {
    let action = action.parse().unwrap();
    Chess.apply(state, mover(state), &action).err().unwrap()
}

#[track_caller]
pub(crate) fn check_refused(state: &State, action: &str, expected: Reason) {
    match refusal(state, action) {
        Violation::IllegalMove { reason, .. } => assert_eq!(reason, expected, "{action}"),
        other => panic!("{action}: {other}"),
    }
}

#[track_caller]
pub(crate) fn check_code(state: &State, action: &str, code: &str) {
    assert_eq!(refusal(state, action).code(), code, "{action}");
    assert!(!legal(state).contains(&action.to_owned()), "{action}");
}

#[track_caller]
pub(crate) fn check_ended(state: &State, places: &[u8], reason: &str) {
    let outcome = Chess.outcome(state).unwrap();
    assert_eq!((&outcome.places[..], outcome.reason), (places, reason), "{}", state.fen());
    assert!(Chess.to_act(state).is_empty() && legal(state).is_empty());
}

#[track_caller]
pub(crate) fn check_no_start(options: &Options, said: &str) {
    let error = Chess.setup(options, 2, &Seed::from_number(1)).err().unwrap();
    assert_eq!(error.code(), "invalid_setup");
    assert!(error.to_string().contains(said), "{error}, not {said}");
}
