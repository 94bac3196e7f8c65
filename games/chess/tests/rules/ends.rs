//! R5 to R8: draws by claim and by themselves, the end off the board, and how it is written.

use chess::pgn::Pgn;
use chess::{Chess, Violation};
use game_api::{Forfeit, Game, Seat, Step, Viewer};

use crate::{
    FIRST, START, begin, check_code, check_ended, chess960, deal, legal, mover, play, position,
    refusal, second, standard,
};

const KNIGHTS_OUT_AND_BACK: &str = "g1f3 g8f6 f3g1 f6g8 ";

#[test]
fn r5_1_a_claim_when_the_position_is_there_for_the_third_time() {
    let twice = play(&deal(&standard()), KNIGHTS_OUT_AND_BACK);
    assert_eq!(refusal(&twice, "claim:threefold"), Violation::NotThreefold { times: 2 });
    let thrice = play(&twice, KNIGHTS_OUT_AND_BACK);
    assert!(legal(&thrice).contains(&"claim:threefold".to_owned()));
    check_ended(&play(&thrice, "claim:threefold"), &[1, 1], "threefold");
    // Who does not claim plays on, and may claim when it comes again.
    check_code(&play(&thrice, "e2e4"), "claim:threefold", "not_threefold");
    check_ended(&play(&thrice, "g1f3 claim:threefold"), &[1, 1], "threefold");
}

#[test]
fn r5_2_a_claim_after_fifty_moves() {
    let after = |half_moves| position(&format!("4k3/8/8/8/8/8/4P3/4K2R w - - {half_moves} 80"));
    check_ended(&play(&after(100), "claim:fifty"), &[1, 1], "fifty");
    assert_eq!(refusal(&after(99), "claim:fifty"), Violation::NotFifty { half_moves: 99 });
    check_code(&play(&after(100), "e2e4"), "claim:fifty", "not_fifty");
    assert_eq!(Chess.view(&play(&after(120), "h1h2"), Viewer::Spectator).half_moves, 121);
}

#[test]
fn r5_3_claims_with_an_intended_move() {
    let state = position("4k3/8/8/8/8/8/4P3/4K2R w - - 99 80");
    let claimed = play(&state, "claim:fifty:h1h2");
    check_ended(&claimed, &[1, 1], "fifty");
    assert_eq!(claimed.fen(), state.fen());
    check_code(&state, "claim:fifty:e2e3", "not_fifty");
    check_code(&state, "claim:fifty:e1e3", "illegal_move");
    check_code(&state, "claim:threefold:h1h2", "not_threefold");
    let twice = play(&deal(&standard()), KNIGHTS_OUT_AND_BACK);
    let state = play(&twice, "g1f3 g8f6 f3g1");
    let claims: Vec<String> = state.claims().iter().map(ToString::to_string).collect();
    assert_eq!(claims, ["claim:threefold:f6g8"]);
    check_ended(&play(&state, "claim:threefold:f6g8"), &[1, 1], "threefold");
}

#[test]
fn r5_4_when_positions_are_the_same() {
    let times = |fen: &str, first: &str, cycle: &str, cycles: usize| {
        let state = play(&position(fen), &format!("{first} {}", cycle.repeat(cycles)));
        match Chess.apply(&state, mover(&state), &"claim:threefold".parse().unwrap()) {
            Err(Violation::NotThreefold { times }) => times,
            other => other.map(|_| 3).unwrap(),
        }
    };
    // Castling rights that were lost are a difference.
    let rooks = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    assert_eq!(times(rooks, "", "h1g1 h8g8 g1h1 g8h8 ", 2), 2);
    assert_eq!(times(rooks, "", "h1g1 h8g8 g1h1 g8h8 ", 3), 3);
    // So is a pawn that can be taken in passing,
    let cycle = "e1e2 e8e7 e2e1 e7e8 ";
    assert_eq!(times("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5", cycle, 2), 2);
    // but not one that nobody can take, or only a man who is pinned.
    assert_eq!(times("4k3/3p4/8/8/4P3/8/8/4K3 b - - 0 1", "d7d5", cycle, 2), 3);
    assert_eq!(times("8/3p3k/8/r3P2K/8/8/8/8 b - - 0 1", "d7d5", "h5g5 h7g7 g5h5 g7h7 ", 2), 3);
}

#[test]
fn r5_5_a_claim_that_is_not_due_is_refused() {
    let state = deal(&standard());
    check_code(&state, "claim:threefold", "not_threefold");
    check_code(&state, "claim:fifty", "not_fifty");
    assert!(state.claims().is_empty() && state == deal(&standard()));
}

#[test]
fn r6_1_nobody_can_mate() {
    for (men, is_dead) in [
        ("8/8/8/8/8/8", true),
        ("8/8/8/8/8/6B1", true),
        ("8/8/8/8/8/6n1", true),
        ("8/8/8/8/1B1b4/B1b5", true),
        ("8/8/8/8/8/5Bb1", false),
        ("8/8/8/8/8/5NN1", false),
        ("8/8/8/8/8/5Nn1", false),
        ("8/8/8/8/8/5NB1", false),
        ("8/8/8/8/8/6P1", false),
        ("8/8/8/8/8/6r1", false),
    ] {
        let state = position(&format!("1k6/{men}/7K w - - 0 1"));
        assert_eq!(state.ended().is_some(), is_dead, "{men}");
    }
    let state = play(&position("k7/8/8/8/8/8/6q1/7K w - - 0 1"), "h1g2");
    check_ended(&state, &[1, 1], "material");
}

#[test]
fn r6_2_the_fifth_time() {
    let state = play(&deal(&standard()), &KNIGHTS_OUT_AND_BACK.repeat(3));
    assert!(state.ended().is_none());
    let state = play(&state, KNIGHTS_OUT_AND_BACK);
    check_ended(&state, &[1, 1], "fivefold");
}

#[test]
fn r6_3_seventy_five_moves() {
    let state = position("4k3/8/8/8/8/8/8/4K2R w - - 148 90");
    check_ended(&play(&state, "h1h2 e8e7"), &[1, 1], "seventy_five");
    let mating = position("7k/8/6K1/8/8/8/8/R7 w - - 149 90");
    check_ended(&play(&mating, "a1a8"), &[1, 2], "checkmate");
}

#[test]
fn r7_1_a_draw_by_agreement() {
    let state = play(&deal(&standard()), "e2e4");
    check_ended(&Chess.agree_draw(&state).unwrap(), &[1, 1], "agreed");
}

#[test]
fn r7_2_giving_up() {
    use Forfeit::{Abandoned, Resigned, Time};
    let lone = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    for (fen, seat, cause, places, reason) in [
        (START, FIRST, Resigned, [2, 1], "resigned"),
        (START, second(), Time, [1, 2], "time"),
        (START, second(), Abandoned, [1, 2], "abandoned"),
        (lone, FIRST, Resigned, [2, 1], "resigned"),
        (lone, FIRST, Time, [1, 1], "cannot_mate"),
        (lone, FIRST, Abandoned, [1, 1], "cannot_mate"),
        (lone, second(), Time, [1, 2], "time"),
        ("3qk3/8/8/8/8/8/8/4KN2 w - - 0 1", second(), Time, [1, 1], "cannot_mate"),
        ("3rk3/8/8/8/8/8/8/4KN2 w - - 0 1", second(), Time, [1, 2], "time"),
        ("3qk3/8/8/8/8/8/8/4KNN1 w - - 0 1", second(), Time, [1, 2], "time"),
        ("3rk3/8/8/8/8/8/8/4KB2 w - - 0 1", second(), Time, [1, 1], "cannot_mate"),
        ("3rk3/7p/8/8/8/8/8/4KB2 w - - 0 1", second(), Time, [1, 2], "time"),
        ("3bkb2/8/8/8/8/8/8/4KB2 w - - 0 1", second(), Time, [1, 2], "time"),
    ] {
        let state = Chess.forfeit(&position(fen), seat, cause);
        check_ended(&state, &places, reason);
    }
}

#[test]
fn r7_3_after_the_end_nobody_acts() {
    let state = Chess.agree_draw(&deal(&standard())).unwrap();
    for seat in Seat::all(2) {
        let refused = Chess.apply(&state, seat, &"e2e4".parse().unwrap()).err();
        assert_eq!(refused, Some(Violation::GameOver));
        assert!(Chess.forfeit(&state, seat, Forfeit::Resigned) == state);
    }
}

#[test]
fn r8_1_standard_algebraic_notation() {
    for (fen, action, san) in [
        (START, "g1f3", "Nf3"),
        (START, "e2e4", "e4"),
        ("4k3/8/3p4/4P3/8/8/8/4K3 w - - 0 1", "e5d6", "exd6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
        ("3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8q", "exd8=Q+"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "O-O"),
        ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O+"),
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "b1d2", "Nbd2"),
        ("4k3/8/8/5N2/8/5N2/8/4K3 w - - 0 1", "f3d4", "N3d4"),
        ("8/2k5/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
        ("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2", "Ne2"),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8", "Ra8#"),
    ] {
        assert_eq!(play(&position(fen), action).last().unwrap().san.as_str(), san, "{fen}");
    }
}

#[test]
fn r8_2_portable_game_notation() {
    let mut state = begin(&chess960(), "4k3/8/8/8/8/8/8/4K1R1 b G - 0 7");
    let mut pgn = Pgn::begin(&state);
    for (action, clock_s) in [("e8e7", Some(299)), ("e1g1", None)] {
        let after = play(&state, action);
        let action = action.parse().unwrap();
        pgn.add(
            &Step { before: &state, seat: mover(&state), action: &action, after: &after },
            clock_s,
        );
        state = after;
    }
    pgn.finish(&Chess.outcome(&Chess.agree_draw(&state).unwrap()).unwrap());
    let text = pgn.to_string();
    let expected = "[Variant \"Chess960\"]\n[SetUp \"1\"]\n\
        [FEN \"4k3/8/8/8/8/8/8/4K1R1 b G - 0 7\"]\n[Termination \"normal\"]\n\n\
        7... Ke7 { [%clk 0:04:59] } 8. O-O 1/2-1/2\n";
    assert!(text.ends_with(expected), "{text}");
    assert_eq!(Pgn::parse(&text).unwrap()[0].to_string(), text);
}
