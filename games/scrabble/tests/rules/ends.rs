//! R9 and R10: the end, and seats that give up.

use game_api::{Forfeit, Game};
use scrabble::{Challenge, Options, State};

use crate::{
    GAME, check_outcome, check_refused, check_scores, check_to_act, hide, play, put, seat,
    seen_specials, supply, table,
};

/// With nothing left to draw.
fn last(options: &Options, racks: &[&str]) -> State {
    let mut state = table(options, racks);
    state.pools.iter_mut().for_each(Vec::clear);
    put(&mut state, &["8H:CAT"]);
    state.premiums_used = ["H8".parse().unwrap()].into_iter().collect();
    state
}

#[test]
fn r9_1_who_has_no_tile_left_ends_it() {
    for options in [Options::classic(), Options::contract_a(), Options::contract_b()] {
        let state = last(&options, &["S", "ZE"]);
        check_outcome(&play(&state, "0 8H:CATS"), &[1, 2], "went_out");
        check_to_act(&play(&state, "0 8H:CATS"), "");
        let mut more = state.clone();
        more.pools[0].push(1);
        check_to_act(&play(&more, "0 8H:CATS"), "1");
    }
    // An empty rack, as only a position can have it, is no end while there is something to draw.
    check_to_act(&play(&table(&Options::classic(), &["", "Z"]), "0 pass"), "1");
    // An inventory that another seat still has does not matter.
    let mut state = last(&Options::contract_a(), &["S", "ZE"]);
    state.pools[1].push(1);
    check_outcome(&play(&state, "0 8H:CATS"), &[1, 2], "went_out");
}

#[test]
fn r9_2_every_seat_has_passed_twice_in_succession() {
    let state = table(&Options::classic(), &["Z", "Z"]);
    check_to_act(&play(&state, "0 pass, 1 pass, 0 pass"), "1");
    check_outcome(&play(&state, "0 pass, 1 pass, 0 pass, 1 pass"), &[1, 2], "all_passed");
    check_to_act(&play(&state, "0 pass, 1 exchange:Z, 0 pass, 1 pass"), "0");
    let three = table(&Options::classic(), &["Z", "Z", "Z"]);
    let five = "0 pass, 1 pass, 2 pass, 0 pass, 1 pass";
    check_to_act(&play(&three, five), "2");
    let all = play(&three, &format!("{five}, 2 pass"));
    check_outcome(&all, &[1, 2, 3], "all_passed");
    // A lost turn is no pass, and breaks no succession.
    let mut state = table(&Options::classic(), &["Z", "Z"]);
    state.skips = vec![0, 1];
    check_to_act(&play(&state, "0 pass, 0 pass, 1 pass, 0 pass"), "1");
    let passed = play(&state, "0 pass, 0 pass, 1 pass, 0 pass, 1 pass");
    check_outcome(&passed, &[1, 2], "all_passed");
    let once = Options { passes_end: 1, ..Options::classic() };
    let state = table(&once, &["Z", "Z"]);
    check_outcome(&play(&state, "0 pass, 1 pass"), &[1, 2], "all_passed");
}

#[test]
fn r9_3_three_turns_a_seat_without_points() {
    let state = table(&Options::classic(), &["Z", "Q"]);
    let five = "0 exchange:Z, 1 pass, 0 exchange:E, 1 exchange:Q, 0 pass";
    check_to_act(&play(&state, five), "1");
    let over = play(&state, &format!("{five}, 1 exchange:E"));
    assert_eq!(GAME.outcome(&over).unwrap().reason, "scoreless");
    // Upheld challenges and lost turns count.
    let challenge = Some(Challenge::default());
    let mut state = table(&Options { challenge, ..Options::classic() }, &["CATZ", "CATZ"]);
    state.scoreless = 4;
    state.skips = vec![0, 1];
    let fallen = play(&state, "0 8H:TAC, 1 challenge");
    assert_eq!(GAME.outcome(&fallen).unwrap().reason, "scoreless");
    // A move of zero or less counts; a snatched one scores.
    let scoreless_after = |kinds: &[&str]| {
        let mut state = table(&Options::contract_b(), &["OWZ", "Z"]);
        put(&mut state, &["8H:CAT"]);
        state.scoreless = 3;
        hide(&mut state, 1, kinds);
        play(&state, "0 H8:COW").scoreless
    };
    assert_eq!(scoreless_after(&[]), 0);
    assert_eq!(scoreless_after(&["negative@H9"]), 4);
    assert_eq!(scoreless_after(&["boom@H9"]), 4);
    assert_eq!(scoreless_after(&["snatch@H9"]), 0);
    assert_eq!(scoreless_after(&["snatch@H9", "negative@H10"]), 4);
}

#[test]
fn r9_4_tiles_that_are_left_are_counted() {
    // CATS counts 6; Z and E are 11, Q is 10.
    let state = last(&Options::classic(), &["S", "ZE", "Q"]);
    check_scores(&state, "0 8H:CATS", &[6 + 21, -11, -10]);
    let mut state = table(&Options::classic(), &["Z", "?"]);
    state.scores = vec![5, 5];
    check_scores(&state, "0 pass, 1 pass, 0 pass, 1 pass", &[-5, 5]);
}

#[test]
fn r9_5_a_tie_is_broken_by_the_points_before() {
    let passes = "0 pass, 1 pass, 0 pass, 1 pass";
    let with = |racks: &[&str], scores: &[i32]| {
        let mut state = table(&Options::classic(), racks);
        state.scores = scores.to_vec();
        play(&state, passes)
    };
    // 20 - 10 and 11 - 1.
    check_outcome(&with(&["A", "Z"], &[11, 20]), &[2, 1], "all_passed");
    check_outcome(&with(&["Z", "Z"], &[20, 20]), &[1, 2], "all_passed");
    check_outcome(&with(&["Z", "A"], &[20, 20]), &[2, 1], "all_passed");
}

#[test]
fn r9_6_there_is_no_draw() {
    assert!(GAME.agree_draw(&table(&Options::classic(), &["Z", "Z"])).is_none());
}

#[test]
fn r10_1_a_forfeit_comes_last_and_the_others_play_on() {
    let mut state = table(&Options::classic(), &["Z", "Z", "Z"]);
    state.scores = vec![0, 90, 10];
    let state = play(&state, "1 forfeit");
    assert!(GAME.outcome(&state).is_none());
    check_to_act(&play(&state, "0 pass"), "2");
    check_outcome(&play(&state, "0 forfeit"), &[2, 3, 1], "resigned");
    check_outcome(&GAME.forfeit(&state, seat(2), Forfeit::Time), &[1, 3, 2], "time");
    let passed = play(&state, "0 pass, 2 pass, 0 pass, 2 pass");
    check_outcome(&passed, &[2, 3, 1], "all_passed");
    // Fewer seats come to a standstill sooner.
    let mut state = table(&Options::classic(), &["Z", "Z", "Z"]);
    state.scoreless = 7;
    check_outcome(&play(&state, "2 forfeit"), &[1, 2, 3], "scoreless");
    let mut state = table(&Options::classic(), &["Z", "Z", "Z"]);
    state.passes = vec![2, 2, 0];
    check_outcome(&play(&state, "2 forfeit"), &[1, 2, 3], "all_passed");
}

#[test]
fn r10_2_its_rack_is_put_aside_and_counts_for_nobody() {
    let state = play(&last(&Options::classic(), &["S", "ZE", "Q"]), "2 forfeit");
    assert_eq!(state.pools[0].len(), 0);
    check_scores(&state, "0 8H:CATS", &[6 + 11, -11, 0]);
    for number in 0..2 {
        assert_ne!(GAME.view(&state, crate::viewer(number)).rack.as_deref(), Some("Q"));
    }
    check_refused(&state, "2 pass", "not_your_turn", "");
}

/// Seat 0 of three has made a move that waits.
fn waiting(special: &str) -> State {
    let challenge = Some(Challenge::default());
    let options = Options { challenge, ..Options::contract_a() };
    let mut state = table(&options, &["CAT", "CAT", "CAT"]);
    supply(&mut state, 0, &["boom"]);
    play(&state, &format!("0 8H:CAT{special}"))
}

#[test]
fn r10_3_a_window_waits_for_it_no_longer() {
    let state = play(&waiting(""), "1 accept, 2 forfeit");
    assert_eq!((state.scores[0], state.pending.is_none()), (10, true));
    check_to_act(&state, "1");
    check_to_act(&play(&waiting(""), "2 forfeit"), "1");
    // A move that still waits is judged before a standstill is.
    let mut state = waiting("");
    state.scoreless = 6;
    let state = play(&state, "2 forfeit");
    assert!(GAME.outcome(&state).is_none());
    check_to_act(&play(&state, "1 accept"), "1");
}

#[test]
fn r10_4_its_turn_ends_and_its_move_falls() {
    let state = play(&waiting("+boom@A1"), "1 accept, 0 forfeit");
    assert!(state.board.is_empty() && state.pending.is_none());
    assert_eq!((&state.scores[..], state.racks[0].to_string()), (&[0; 3][..], "ACT".to_owned()));
    assert_eq!(seen_specials(&state, 0), ["boom@A1"]);
    check_to_act(&state, "1");
    check_to_act(&play(&table(&Options::classic(), &["Z", "Z", "Z"]), "0 forfeit"), "1");
}

#[test]
fn r10_5_its_specials_stay() {
    let mut state = table(&Options::contract_a(), &["OW", "Z", "Z"]);
    put(&mut state, &["8H:CAT"]);
    state.scores = vec![1, 50, 3];
    hide(&mut state, 1, &["exchange@H9"]);
    check_scores(&state, "1 forfeit, 0 H8:COW", &[58, 1, 3]);
}

#[test]
fn r10_6_a_second_forfeit_changes_nothing() {
    let out = play(&table(&Options::classic(), &["Z", "Z", "Z"]), "1 forfeit");
    assert!(play(&out, "1 forfeit") == out);
    let over = play(&out, "0 forfeit");
    assert!(play(&over, "2 forfeit") == over);
}
