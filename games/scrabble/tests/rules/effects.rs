//! R7: what each special does, alone and together with others.

use scrabble::{Options, State};

use crate::{cat_for, check_scores, check_to_act, contracts, hide, letters, play, put, table};

/// CAT lies on the board, with these specials of seat 1 on H9 and H10, where COW goes.
fn trapped(options: &Options, seats: usize, on_o: &[&str], on_w: &[&str]) -> State {
    let mut state = cat_for(options, seats);
    let spots = |kinds: &[&str], square: &str| {
        kinds.iter().map(|kind| format!("{kind}@{square}")).collect::<Vec<_>>()
    };
    for spot in spots(on_o, "H9").iter().chain(&spots(on_w, "H10")) {
        hide(&mut state, 1, &[spot.as_str()]);
    }
    state
}

#[test]
fn r7_1_negative_counts_the_score_negatively() {
    for options in contracts() {
        check_scores(&trapped(&options, 2, &["negative"], &[]), "0 H8:COW", &[92, 100]);
    }
    let [a, b] = contracts();
    // Two cancel, or the score stays negative; a third is as the first.
    check_scores(&trapped(&a, 2, &["negative"], &["negative"]), "0 H8:COW", &[108, 100]);
    check_scores(&trapped(&a, 2, &["negative"; 3], &[]), "0 H8:COW", &[92, 100]);
    check_scores(&trapped(&b, 2, &["negative"], &["negative"]), "0 H8:COW", &[92, 100]);
    // The 50 is not negated.
    for options in contracts() {
        let mut state = table(&options, &["SENATOR", "A"]);
        hide(&mut state, 1, &["negative@I8"]);
        let start = options.starting_points;
        check_scores(&state, "0 8H:SENATOR", &[start - 16 + 50, start]);
    }
    // Below zero, too.
    let mut state = trapped(&a, 2, &["negative"], &[]);
    state.scores = vec![3, -5];
    check_scores(&state, "0 H8:COW", &[-5, -5]);
}

#[test]
fn r7_2_boom_clears_a_diamond_or_a_square() {
    let [a, b] = contracts();
    let field = |options: &Options| {
        let mut state = cat_for(options, 2);
        put(&mut state, &["E9:A", "D9:A", "K6:A", "K12:A", "L9:A", "F6:A", "E5:A"]);
        hide(&mut state, 1, &["boom@H10", "reverse@E10"]);
        state
    };
    let after = play(&field(&a), "0 H8:COW");
    // From H10: C, A, T are 2, 3 and 4 off, E9 is 4.
    assert_eq!(letters(&after), "A@E5 A@F6 A@K6 T@J8 A@D9 A@E9 A@L9 A@K12");
    assert_eq!(after.removed.to_string(), "ACOW");
    assert_eq!(after.specials.laid.len(), 1, "letters only");
    let after = play(&field(&b), "0 H8:COW");
    assert_eq!(letters(&after), "A@E5 A@F6 A@K6 A@D9 A@L9");
    assert_eq!(after.removed.to_string(), "AAACOTW");
    assert!(after.specials.laid.is_empty(), "specials too");
}

#[test]
fn r7_2_boom_at_an_edge_and_over_the_centre() {
    for options in contracts() {
        let mut state = table(&options, &["NENEENE", "A"]);
        put(&mut state, &["15M:TE", "O12:A", "O11:A", "A15:A", "A1:A"]);
        hide(&mut state, 1, &["boom@O15"]);
        let after = play(&state, "0 15M:TEN");
        assert_eq!(letters(&after), "A@A1 A@O11 A@A15");
        let mut state = table(&options, &["CATS", "A"]);
        hide(&mut state, 1, &["boom@H8"]);
        let after = play(&state, "0 8H:CAT");
        assert!(after.board.is_empty());
        assert_eq!(after.removed.to_string(), "ACT");
        assert_eq!(after.scores[0], options.starting_points);
    }
}

#[test]
fn r7_2_after_a_boom_whole_words_or_single_squares_count() {
    // SENATOR from D8 with a Boom on D8: D8 to G8 are gone. The word is broken; T O R are left, and
    // the centre among them.
    let boomed = |options: &Options| {
        let mut state = table(options, &["SENATOR", "A"]);
        hide(&mut state, 1, &["boom@D8"]);
        state
    };
    check_scores(&boomed(&Options::contract_a()), "0 8D:SENATOR", &[50, 0]);
    check_scores(&boomed(&Options::contract_b()), "0 8D:SENATOR", &[20 + 2 * 3 + 50, 20]);
    let after = play(&boomed(&Options::contract_b()), "0 8D:SENATOR");
    // D8 doubles a letter; it did not count, so it is not used up.
    assert_eq!(after.premiums_used.iter().map(|it| it.to_string()).collect::<Vec<_>>(), ["H8"]);
    // A cross word that is whole still counts: ROE down from J8.
    let mut state = boomed(&Options::contract_a());
    put(&mut state, &["J9:OE"]);
    check_scores(&state, "0 8D:SENATOR", &[3 + 50, 0]);
}

#[test]
fn r7_3_reverse_turns_the_order_of_play() {
    for options in contracts() {
        check_to_act(&play(&trapped(&options, 2, &["reverse"], &[]), "0 H8:COW"), "1");
        check_to_act(&play(&trapped(&options, 3, &["reverse"], &[]), "0 H8:COW"), "2");
        let four = trapped(&options, 4, &["reverse"], &[]);
        let after = play(&four, "0 H8:COW");
        check_to_act(&after, "3");
        check_to_act(&play(&after, "3 pass"), "2");
        check_to_act(&play(&after, "3 pass, 2 pass, 1 pass"), "0");
        // Twice is not at all.
        check_to_act(&play(&trapped(&options, 4, &["reverse"], &["reverse"]), "0 H8:COW"), "1");
        check_to_act(&play(&trapped(&options, 3, &[], &[]), "0 H8:COW"), "1");
    }
}

#[test]
fn r7_4_exchange_swaps_all_points_before_the_score() {
    let a = Options::contract_a();
    let mut state = trapped(&a, 3, &["exchange"], &[]);
    state.scores = vec![10, -20, 30];
    check_scores(&state, "0 H8:COW", &[-12, 10, 30]);
    state.scores = vec![-7, -7, 0];
    check_scores(&state, "0 H8:COW", &[1, -7, 0]);
    // With oneself there is nothing to swap.
    let mut state = cat_for(&a, 2);
    hide(&mut state, 0, &["exchange@H9"]);
    check_scores(&state, "0 H8:COW", &[108, 100]);
    // The order of a queue shows: first with 1, then with 2, or the other way round.
    let queue = |owners: [u8; 2]| {
        let mut state = cat_for(&a, 3);
        state.scores = vec![10, 20, 30];
        for owner in owners {
            hide(&mut state, owner, &["exchange@H9"]);
        }
        play(&state, "0 H8:COW").scores
    };
    assert_eq!(queue([1, 2]), [38, 10, 20]);
    assert_eq!(queue([2, 1]), [28, 30, 10]);
}

#[test]
fn r7_5_skip_costs_the_activator_the_next_turn() {
    let a = Options::contract_a();
    let after = play(&trapped(&a, 2, &["skip"], &[]), "0 H8:COW");
    assert_eq!(after.skips, [1, 0]);
    let after = play(&after, "1 pass");
    check_to_act(&after, "1");
    assert_eq!((&after.skips[..], after.scoreless), (&[0, 0][..], 2));
    check_to_act(&play(&after, "1 8H:CATS"), "0");
    // They add up.
    let after = play(&trapped(&a, 3, &["skip", "skip"], &["skip"]), "0 H8:COW");
    assert_eq!(after.skips, [3, 0, 0]);
    let after = play(&after, "1 8H:CATS, 2 pass, 1 pass, 2 pass");
    assert_eq!(after.skips, [1, 0, 0]);
}

#[test]
fn r7_6_snatch_gives_the_score_to_the_owner() {
    let b = Options::contract_b();
    check_scores(&trapped(&b, 2, &["snatch"], &[]), "0 H8:COW", &[100, 108]);
    // A negative score is the owner's too.
    let mut state = trapped(&b, 2, &["snatch"], &["negative"]);
    state.scores = vec![-1, -2];
    check_scores(&state, "0 H8:COW", &[-1, -10]);
    // With the 50.
    let mut state = table(&b, &["SENATOR", "A", "A"]);
    hide(&mut state, 2, &["snatch@I8"]);
    check_scores(&state, "0 8H:SENATOR", &[20, 20, 20 + 66]);
    // Of several the last one hit.
    hide(&mut state, 1, &["snatch@J8"]);
    check_scores(&state, "0 8H:SENATOR", &[20, 86, 20]);
}

/// What a pair of kinds does to COW, laid by seat 0 of three over two specials of seat 1: the points
/// of seats 0 and 1, whether play still runs forward, the turns that seat 0 loses, and the letters
/// left.
fn pair(options: &Options, kinds: [&str; 2], scores: [i32; 2]) -> (Vec<i32>, bool, u32, usize) {
    let mut state = trapped(options, 3, &kinds[..1], &kinds[1..]);
    state.scores = vec![scores[0], scores[1], 0];
    let after = play(&state, "0 H8:COW");
    let scores = after.scores[..2].to_vec();
    (scores, after.is_forward, after.skips[0], after.board.letters().count())
}

#[test]
fn r7_7_every_pair_of_kinds_adds_up() {
    for options in contracts() {
        let kinds: Vec<&str> = options.specials.iter().map(|offer| offer.kind.as_str()).collect();
        for one in &kinds {
            for two in &kinds {
                let both = [*one, *two];
                let count = |kind: &str| both.iter().filter(|it| **it == kind).count();
                // Each effect by itself, put together by hand.
                let has_boom = count("boom") > 0;
                let is_negative = match count("negative") {
                    2 => options == Options::contract_b(),
                    count => count == 1,
                };
                let (mut own, mut other) = (40, -30);
                if count("exchange") == 1 {
                    (own, other) = (other, own);
                }
                let score = if has_boom { 0 } else { 8 };
                let score = if is_negative { -score } else { score };
                if count("snatch") > 0 {
                    other += score;
                } else {
                    own += score;
                }
                let left = if has_boom { 5 - boomed_letters(&options, both) } else { 5 };
                let skips = u32::try_from(count("skip")).unwrap();
                let expected = (vec![own, other], count("reverse") != 1, skips, left);
                assert_eq!(pair(&options, both, [40, -30]), expected, "{both:?}");
            }
        }
    }
}

/// How many of C A T O W a Boom on H9 or H10 clears: all but T from H10 by the diamond.
fn boomed_letters(options: &Options, kinds: [&str; 2]) -> usize {
    let spares_t = kinds[0] != "boom" && *options == Options::contract_a();
    if spares_t { 4 } else { 5 }
}
