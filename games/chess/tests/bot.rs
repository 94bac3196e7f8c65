//! The bot finds mates, keeps its men, claims a draw when it is worse, and thinks little where there is
//! nothing to choose.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::cell::Cell;

use bots::{Bot, Budget, Choice, Greedy, Level, Random, Sampling, Situation};
use chess::{Action, Chess, ChessBot, Options, State};
use game_api::{Context, Game, GameRng, Seed, Viewer};

fn position(fen: &str) -> State {
    Chess.position(&Options::default(), fen, &Seed::from_number(1)).unwrap().1
}

fn ask(state: &State, level: Level) -> Choice<Action> {
    ask_within(&ChessBot, state, level, &Budget::of_nodes(20_000))
}

fn ask_within(
    bot: &dyn Bot<Chess>,
    state: &State,
    level: Level,
    budget: &Budget<'_>,
) -> Choice<Action> {
    let seat = Chess.to_act(state).iter().next().unwrap();
    let view = Chess.view(state, Viewer::Seat(seat));
    let options = Options::default();
    let situation = Situation { game: &Chess, options: &options, seats: 2, seat, view: &view };
    let mut rng = GameRng::new(&Seed::from_number(1));
    bot.choose(&situation, level, budget, &mut rng).unwrap()
}

#[track_caller]
fn check(fen: &str, from: usize, expected: &[&str]) {
    let state = position(fen);
    for level in Level::all().skip(from - 1) {
        let action = ask(&state, level).action.to_string();
        assert!(expected.contains(&action.as_str()), "{fen}, level {level}: {action}");
    }
}

#[test]
fn a_mate_in_one_is_found_by_every_level() {
    check("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 1, &["a1a8"]);
    check("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", 1, &["h5f7"]);
}

#[test]
fn a_mate_in_two_is_found_by_the_better_levels() {
    // The queen is given, and a rook mates.
    check("4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 1 1", 6, &["b3b8"]);
    check("7k/8/8/8/8/8/R7/1R5K w - - 0 1", 6, &["a2a7", "b1b7"]);
}

#[test]
fn a_queen_is_not_left_hanging() {
    // A pawn attacks it, and a pawn is there to be taken with check.
    check(
        "rnb1kbnr/pppp1ppp/8/4p3/4P2q/6P1/PPPP1P1P/RNBQKBNR b KQkq - 0 3",
        3,
        &["h4e4", "h4e7", "h4d8", "h4f6", "h4h6", "h4h5", "h4h3", "h4g4"],
    );
    check("rnb1kbnr/pppp1ppp/8/4p3/4P2q/6P1/PPPP1P1P/RNBQKBNR b KQkq - 0 3", 6, &["h4e4"]);
}

#[test]
fn a_piece_for_nothing_is_taken() {
    check("4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1", 2, &["c3d5"]);
    // Guarded, so the queen is not given for a pawn.
    let state = position("4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1");
    for level in Level::all().skip(2) {
        assert_ne!(ask(&state, level).action.to_string(), "d2d5", "level {level}");
    }
}

#[test]
fn a_draw_is_claimed_by_who_is_worse_and_not_by_who_is_better() {
    let fen = |side: &str| format!("4k3/8/8/8/8/8/8/Q3K3 {side} - - 100 90");
    assert_eq!(ask(&position(&fen("b")), Level::HIGHEST).action.to_string(), "claim:fifty");
    let action = ask(&position(&fen("w")), Level::HIGHEST).action;
    assert!(matches!(action, Action::Move(_)), "{action}");
}

#[test]
fn a_single_legal_move_is_made_after_a_glance() {
    // A clock that would allow for seconds; it is asked every few hundred nodes.
    let check = |fen: &str, expected: fn(u32) -> bool| {
        let asked = Cell::new(0);
        let is_time_up = || {
            asked.set(asked.get() + 1);
            asked.get() > 100
        };
        ask_within(&ChessBot, &position(fen), Level::HIGHEST, &Budget::until(&is_time_up));
        assert!(expected(asked.get()), "{fen}: {}", asked.get());
    };
    check("7k/8/8/8/8/8/6q1/5N1K w - - 0 1", |asked| asked < 5);
    check("7k/8/8/8/8/8/q7/5N1K w - - 0 1", |asked| asked > 50);
}

/// There are no secrets but the seed: no bot tells a state from one that is made from the view, or
/// from one that came from another seed.
#[track_caller]
fn check_twins(bot: &dyn Bot<Chess>, nodes: u64) {
    let options = Options::default();
    for number in 0..3 {
        let mut chance = GameRng::new(&Seed::from_number(number));
        let start = |seed| Chess.setup(&options, 2, &Seed::from_number(seed)).unwrap();
        let (mut state, mut other) = (start(number), start(number + 1_000));
        for level in Level::all().cycle().take(48) {
            let Some(seat) = Chess.to_act(&state).iter().next() else { break };
            let viewer = Viewer::Seat(seat);
            let context = Context { options: &options, seats: 2, viewer };
            let view = Chess.view(&state, viewer);
            let rebuilt = Chess.determinize(&context, &view, &mut chance).unwrap();
            let ask = |state| ask_within(bot, state, level, &Budget::of_nodes(nodes));
            let choice = ask(&state);
            assert_eq!(ask(&rebuilt), choice, "match {number}: {}", view.fen);
            assert_eq!(ask(&other), choice, "match {number}: {}", view.fen);
            let mut actions = Vec::new();
            Chess.legal_actions(&state, seat, &mut actions);
            let action = &actions[chance.below(actions.len())];
            state = Chess.apply(&state, seat, action).unwrap();
            other = Chess.apply(&other, seat, action).unwrap();
        }
    }
}

#[test]
fn twins_get_the_same_action() {
    check_twins(&ChessBot, 500);
    check_twins(&Random, 0);
    check_twins(&Greedy, 0);
    check_twins(&Sampling, 2);
}
