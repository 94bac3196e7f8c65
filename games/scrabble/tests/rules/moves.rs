//! R1 to R5: setup, turns, checks, scoring.

use std::sync::Arc;

use game_api::{Context, Game, GameRng, Match, Seed, Viewer, Violation as _};
use scrabble::{
    Counts, LETTER_TIMES, Lexicon, ListId, Options, Scrabble, Square, VALUES, WORD_TIMES,
};

use crate::{
    GAME, check_refused, check_scores, check_to_act, contracts, deal, letters, play, preview, put,
    table, viewer,
};

/// Two seats with the same letters.
fn two() -> scrabble::State {
    table(&Options::classic(), &["ACEOSTW", "ACEOSTW"])
}

#[test]
fn r1_1_two_to_four_seats() {
    let codes = (0..=5).map(|seats| {
        let dealt = GAME.setup(&Options::default(), seats, &Seed::from_number(1));
        dealt.map_or_else(|error| error.code(), |_| "dealt")
    });
    let refused = "invalid_players";
    assert_eq!(codes.collect::<Vec<_>>(), [refused, refused, "dealt", "dealt", "dealt", refused]);
}

#[test]
fn r1_2_columns_a_to_o_and_rows_1_to_15() {
    let named: Vec<String> = Square::all().map(|square| square.to_string()).collect();
    assert_eq!((named.len(), &*named[0], &*named[224]), (225, "A1", "O15"));
    for name in &named {
        assert_eq!(name.parse::<Square>().unwrap().to_string(), *name);
    }
    for odd in ["", "A", "8", "A0", "A16", "P1", "A01", "a1", "A+1", "A1 ", "Ä1", "A99999999999"] {
        assert!(odd.parse::<Square>().is_err(), "{odd:?}");
    }
    assert_eq!(Square::CENTRE.to_string(), "H8");
}

#[test]
fn r1_3_the_usual_premiums() {
    let squares = |times: &[u8; 225], by: u8| {
        let those = Square::all().filter(|square| times[square.index()] == by);
        those.map(|square| square.to_string()).collect::<Vec<_>>()
    };
    let triple_words = ["A1", "H1", "O1", "A8", "O8", "A15", "H15", "O15"];
    assert_eq!(squares(&WORD_TIMES, 3), triple_words);
    assert_eq!(squares(&WORD_TIMES, 2).len(), 17);
    assert!(squares(&WORD_TIMES, 2).contains(&"H8".to_owned()));
    assert_eq!((squares(&LETTER_TIMES, 3).len(), squares(&LETTER_TIMES, 2).len()), (12, 24));
    // The board looks the same from all four sides.
    for square in Square::all() {
        let turned = Square::at(square.column(), 14 - square.row()).unwrap();
        for times in [&LETTER_TIMES, &WORD_TIMES] {
            assert_eq!(times[square.index()], times[turned.index()], "{square}");
        }
    }
}

#[test]
fn r1_4_ninety_eight_letters_and_blanks() {
    let full = Counts::full(2);
    assert_eq!((full.total(), full.points()), (100, 187));
    assert_eq!((full.of(5), full.of(17), full.of(0)), (12, 1, 2));
    assert_eq!((VALUES[17], VALUES[26], VALUES[0]), (10, 10, 0));
    let mut state = two();
    state.racks[0] = "CT?".parse().unwrap();
    // A blank A counts nothing: C 3 and T 1, doubled.
    check_scores(&state, "0 8H:CaT", &[8, 0]);
    assert_eq!(play(&state, "0 8H:CaT").board.face(Square::at(7, 8).unwrap()), 1 | 32);
    check_refused(&state, "0 8H:CAT", "tile_not_held", "A");
}

#[test]
fn r1_5_one_bag_or_an_inventory_each() {
    let sizes = |options: &Options, seats: u8| {
        deal(options, seats).pools.iter().map(Vec::len).collect::<Vec<_>>()
    };
    assert_eq!(sizes(&Options::classic(), 3), [100 - 21]);
    assert_eq!(sizes(&Options::contract_a(), 3), [98 - 7; 3]);
    assert_eq!(sizes(&Options::contract_b(), 4), [98 - 28]);
    let state = table(&Options::contract_a(), &["ACEOSTW", "ACEOSTW"]);
    let after = play(&state, "0 8H:CAT");
    assert_eq!(after.pools.iter().map(Vec::len).collect::<Vec<_>>(), [27, 30]);
}

#[test]
fn r1_6_a_rack_has_seven_tiles() {
    for options in [Options::classic(), Options::contract_a(), Options::contract_b()] {
        let state = deal(&options, 4);
        assert!(state.racks.iter().all(|rack| rack.total() == 7));
    }
    for rack in [4, 10] {
        let options = Options { rack, ..Options::classic() };
        let error = GAME.setup(&options, 2, &Seed::from_number(1)).err().unwrap();
        assert_eq!(error.code(), "invalid_setup");
    }
}

#[test]
fn r1_7_starting_points() {
    let points = [Options::classic(), Options::contract_a(), Options::contract_b()]
        .map(|options| deal(&options, 2).scores);
    assert_eq!(points, [[0, 0], [0, 0], [20, 20]]);
}

#[test]
fn r1_8_seat_0_begins_and_turns_go_round() {
    let state = table(&Options::classic(), &["A", "A", "A"]);
    check_to_act(&state, "0");
    check_to_act(&play(&state, "0 pass"), "1");
    check_to_act(&play(&state, "0 pass, 1 pass, 2 pass"), "0");
}

#[test]
fn r1_9_tiles_can_be_left_out_and_all_see_which() {
    for (options, pools) in [(Options::classic(), 1), (Options::contract_a(), 3)] {
        let state = deal(&Options { left_out: 60, ..options.clone() }, 3);
        assert_eq!(state.removed.total(), 60 * pools);
        let all = usize::from(98 + options.blanks) * pools;
        assert_eq!(state.pools.iter().map(Vec::len).sum::<usize>(), all - 60 * pools - 3 * 7);
        assert_eq!(GAME.view(&state, Viewer::Spectator).removed, state.removed);
        let options = Options { left_out: 61, ..options };
        let error = GAME.setup(&options, 2, &Seed::from_number(1)).err().unwrap();
        assert_eq!(error.code(), "invalid_setup");
    }
}

#[test]
fn r2_1_a_word_is_written_in_full_across_or_down() {
    let state = play(&two(), "0 8H:CAT");
    assert_eq!(letters(&state), "C@H8 A@I8 T@J8");
    let state = play(&state, "1 H8:COW");
    assert_eq!(letters(&state), "C@H8 A@I8 T@J8 O@H9 W@H10");
    assert_eq!(state.racks[1].to_string(), "ACEEEST");
}

#[test]
fn r2_2_letters_then_specials_then_the_score_then_new_tiles() {
    // Exchange swaps before the score is booked; the tiles come last.
    let mut state = table(&Options::contract_a(), &["CAT", "COW"]);
    state.scores = vec![100, 7];
    put(&mut state, &["8H:CAT"]);
    state.active = crate::seat(1);
    crate::hide(&mut state, 0, &["exchange@H9"]);
    let after = play(&state, "1 H8:COW");
    assert_eq!(after.scores, [7, 108]);
    assert_eq!(after.racks[1].to_string(), "CEEEEEE");
}

#[test]
fn r2_3_a_single_tile_is_written_in_the_direction_of_its_longer_word() {
    // An S behind CAT makes CATS across; down it makes nothing.
    let mut state = two();
    put(&mut state, &["8H:CAT"]);
    play(&state, "0 8H:CATS");
    check_refused(&state, "0 K8:S", "invalid_word", "S");
    // A T at H10 makes CAT down with two letters that lie there, and TEN across.
    put(&mut state, &["H9:A", "10I:EN"]);
    state.racks[0] = "T".parse().unwrap();
    play(&state, "0 10H:TEN");
    check_refused(&state, "0 H8:CAT", "wrong_direction", "H10");
    // The longer word is down: EN across becomes TEN, CODE down CODE.
    let mut state = two();
    put(&mut state, &["H7:COD", "10I:N"]);
    state.racks[0] = "E".parse().unwrap();
    play(&state, "0 H7:CODE");
    check_refused(&state, "0 10H:EN", "wrong_direction", "H10");
}

#[test]
fn r2_4_an_exchange_draws_puts_back_and_ends_the_turn() {
    let mut state = two();
    let after = play(&state, "0 exchange:ACW");
    assert_eq!(after.racks[0].to_string(), "EEEEOST");
    let mut pool = after.pools[0].clone();
    pool.sort_unstable();
    assert_eq!((pool.len(), &pool[..2], pool[29]), (30, &[1, 3][..], 23));
    check_to_act(&after, "1");
    check_refused(&state, "0 exchange:AA", "tile_not_held", "A");
    state.pools[0].truncate(7);
    play(&state, "0 exchange:ACEOSTW");
    state.pools[0].truncate(6);
    check_refused(&state, "0 exchange:A", "too_few_to_exchange", "there are 6");
    // An inventory counts by itself.
    let mut state = table(&Options::contract_a(), &["A", "A"]);
    state.pools[1].clear();
    play(&state, "0 exchange:A");
    check_refused(&state, "0 pass, 1 exchange:A", "too_few_to_exchange", "there are 0");
}

#[test]
fn r2_5_a_pass_ends_the_turn() {
    let after = play(&two(), "0 pass");
    assert_eq!((after.turn, after.scoreless, &after.passes[..]), (1, 1, &[1, 0][..]));
    check_to_act(&after, "1");
}

#[test]
fn r2_6_the_rack_is_filled_as_far_as_there_are_tiles() {
    let mut state = two();
    state.pools[0] = vec![26, 25];
    let after = play(&state, "0 8H:CAT");
    assert_eq!((after.racks[0].to_string().as_str(), after.pools[0].len()), ("EOSWYZ", 0));
}

#[test]
fn r2_7_a_seat_that_is_out_or_loses_its_turn_is_passed_over() {
    let mut state = table(&Options::classic(), &["A", "A", "A", "A"]);
    state.skips = vec![0, 0, 2, 0];
    let after = play(&state, "1 forfeit, 0 pass");
    check_to_act(&after, "3");
    assert_eq!((&after.skips[..], after.turn, after.scoreless), (&[0, 0, 1, 0][..], 2, 2));
}

#[test]
fn r3_1_a_match_records_its_list_and_is_not_opened_with_another() {
    let other = Lexicon::from_words("other", ["CAT", "DOG"]).unwrap();
    let other = Arc::new(Scrabble::new(Arc::new(other)));
    let contest = Match::start(other.clone(), Options::classic(), 2, Seed::from_number(1)).unwrap();
    let recorded = contest.options().clone();
    let id = ListId::of(other.lexicon());
    assert_eq!(
        (&recorded.words, id.name.as_str(), id.hash.len()),
        (&Some(id.clone()), "other", 64)
    );
    assert_eq!(recorded, other.presets()[0].1);
    let error = GAME.setup(&recorded, 2, &Seed::from_number(1)).err().unwrap();
    assert_eq!(error.code(), "invalid_setup");
    assert!(error.to_string().contains("the list of words other"), "{error}");
    // Nor can it be looked at with another: a browser has to fetch its list.
    let view = other.view(contest.state(), viewer(0));
    let about = Context { options: &recorded, seats: 2, viewer: viewer(0) };
    let pass = "pass".parse().unwrap();
    assert_eq!(GAME.preview(&about, &view, &pass).unwrap_err().code(), "other_words");
    assert!(GAME.determinize(&about, &view, &mut GameRng::new(&Seed::from_number(1))).is_err());
    assert!(other.preview(&about, &view, &pass).is_ok());
    let log = contest.log(Vec::new()).unwrap();
    assert!(Match::replay(other, &log).is_ok());
    assert!(Match::replay(Arc::new(crate::kit::game()), &log).is_err());
}

#[test]
fn r3_2_the_staged_checks_come_in_their_order() {
    // Each line has all later faults too.
    let state = two();
    check_refused(&state, "0 1O:ZQZQ+boom@A1", "star_not_covered", "H8");
    let mut state = two();
    put(&mut state, &["8H:CAT"]);
    check_refused(&state, "0 1O:ZQZQ+boom@A1", "invalid_word", "ZQZQ");
    check_refused(&state, "0 1O:COW+boom@A1", "out_of_bounds", "O1");
    check_refused(&state, "0 1A:COW+boom@A1", "unknown_special", "boom");
    check_refused(&state, "0 1A:COW", "not_joined", "COW");
    put(&mut state, &["2A:Z"]);
    check_refused(&state, "0 1A:COW", "invalid_word", "CZ");
}

#[test]
fn r3_3_at_the_end_of_the_move_words_come_last() {
    let mut state = table(&Options::contract_b(), &["ACEOSTZ", "ACEOSTZ"]);
    check_refused(&state, "0 1O:ZQZQ+boom@A1", "out_of_bounds", "O1");
    check_refused(&state, "0 1A:QQ+boom@C3", "tile_not_held", "Q");
    check_refused(&state, "0 1A:ZT+boom@C3", "special_not_held", "boom");
    check_refused(&state, "0 1A:ZT", "star_not_covered", "H8");
    put(&mut state, &["8H:CAT"]);
    check_refused(&state, "0 1A:ZT", "not_joined", "ZT");
    check_refused(&state, "0 H8:CZ", "invalid_word", "CZ");
    put(&mut state, &["9H:Z"]);
    check_refused(&state, "0 10H:AT", "invalid_word", "CZA");
}

#[test]
fn r3_4_the_written_word_is_in_the_list() {
    check_refused(&two(), "0 8H:TAC", "invalid_word", "TAC");
    play(&two(), "0 8H:CAT");
}

#[test]
fn r3_5_the_word_fits_the_board_and_the_rack() {
    let mut state = two();
    put(&mut state, &["8H:CAT"]);
    check_refused(&state, "0 8N:CAT", "out_of_bounds", "N8");
    check_refused(&state, "0 H8:TEA", "overlap", "H8 holds C, not T");
    check_refused(&state, "0 8H:cATS", "overlap", "lower case");
    check_refused(&state, "0 8I:AT", "word_incomplete", "H8");
    check_refused(&state, "0 8H:CAT", "nothing_laid", "CAT");
    check_refused(&state, "0 H8:CODE", "tile_not_held", "D");
    check_refused(&state, "0 8J:TEE", "tile_not_held", "E");
    state.racks[0] = "EEE".parse().unwrap();
    check_refused(&state, "0 8J:TEE", "word_incomplete", "I8");
}

#[test]
fn r3_6_the_cross_words_are_in_the_list() {
    let mut state = two();
    put(&mut state, &["8H:CAT"]);
    check_refused(&state, "0 9H:WE", "invalid_word", "CW");
    check_refused(&state, "0 7I:TOE", "invalid_word", "OT");
    play(&state, "0 7I:TA");
}

#[test]
fn r3_7_what_is_refused_changes_nothing() {
    let state = two();
    let before = state.clone();
    for text in ["8H:TAC", "8A:CAT", "exchange:Z", "buy:boom", "accept", "challenge"] {
        assert!(GAME.apply(&state, crate::seat(0), &text.parse().unwrap()).is_err(), "{text}");
        assert!(state == before, "{text}");
    }
    play(&state, "0 8H:CAT");
}

#[test]
fn r3_8_only_in_the_own_turn() {
    check_refused(&two(), "1 pass", "not_your_turn", "");
    check_refused(&two(), "0 accept", "no_window", "");
    check_refused(&two(), "0 challenge", "no_window", "");
    let over = play(&two(), "0 forfeit");
    check_refused(&over, "1 pass", "game_over", "");
}

#[test]
fn r4_1_the_first_word_has_two_letters_and_covers_the_centre() {
    check_refused(&two(), "0 8H:A", "first_word_too_short", "A");
    check_refused(&two(), "0 8I:CAT", "star_not_covered", "H8");
    check_refused(&two(), "0 8E:CAT", "star_not_covered", "H8");
    for text in ["0 8F:CAT", "0 8H:CAT", "0 H6:CAT", "0 H8:CAT"] {
        play(&two(), text);
    }
    for options in contracts() {
        let state = table(&options, &["ACT", "ACT"]);
        check_refused(&state, "0 8I:CAT", "star_not_covered", "H8");
        check_refused(&state, "0 8H:A", "first_word_too_short", "A");
    }
}

#[test]
fn r4_2_later_words_are_joined() {
    let state = play(&two(), "0 8H:CAT");
    check_refused(&state, "1 10H:COW", "not_joined", "COW");
    check_refused(&state, "1 7E:CAT", "not_joined", "CAT");
    play(&state, "1 7I:TA");
}

#[test]
fn r4_3_islands_can_be_joined_and_an_empty_board_begins_anew() {
    for options in contracts() {
        let mut state = table(&options, &["ACEOSTW", "ACEOSTW"]);
        put(&mut state, &["1A:CAT", "14L:CAT"]);
        play(&state, "0 A1:COW, 1 14L:CATS");
        // A Boom in the middle of the only word clears the board.
        let mut state = table(&options, &["ACEOSTW", "ACEOSTW"]);
        crate::hide(&mut state, 1, &["boom@I8"]);
        let after = play(&state, "0 8H:CAT");
        assert!(after.board.is_empty());
        check_refused(&after, "1 9H:COW", "star_not_covered", "H8");
        play(&after, "1 8H:COW");
    }
}

#[test]
fn r5_1_a_move_forms_all_words_that_cross_it() {
    let state = play(&two(), "0 8H:CAT");
    assert_eq!(preview(&state, "1 7I:TA").unwrap().words, ["TA", "TA", "AT"]);
    assert_eq!(preview(&state, "1 H8:COW").unwrap().words, ["COW"]);
}

#[test]
fn r5_2_each_word_with_the_premiums_under_new_tiles() {
    // C 3, A 1, T 1, and the centre doubles.
    check_scores(&two(), "0 8H:CAT", &[10, 0]);
    // C 3, O 1, W 4: the centre has counted.
    check_scores(&two(), "0 8H:CAT, 1 H8:COW", &[10, 8]);
    // TA twice with the T doubled, and AT.
    check_scores(&two(), "0 8H:CAT, 1 7I:TA", &[10, 3 + 3 + 2]);
    // SEAT is doubled by K11; CATS is not, although the S is in both.
    check_scores(&two(), "0 8H:CAT, 1 K8:SEAT", &[10, 4 * 2 + 6]);
    // Two triple words make nine; D1 lay there already.
    let mut state = table(&Options::classic(), &["DS", "A"]);
    put(&mut state, &["1B:TRAINE"]);
    check_scores(&state, "0 1A:STRAINED", &[9 * 9, 0]);
}

#[test]
fn r5_3_each_square_once_and_each_premium_once() {
    let state = table(&Options::contract_b(), &["ACEOSTW", "ACEOSTW"]);
    // The centre doubles, once in the match.
    check_scores(&state, "0 8H:CAT", &[30, 20]);
    let after = play(&state, "0 8H:CAT");
    assert_eq!(after.premiums_used.iter().map(|it| it.to_string()).collect::<Vec<_>>(), ["H8"]);
    // Of TA, TA and AT four squares, the T doubled.
    check_scores(&state, "0 8H:CAT, 1 7I:TA", &[30, 20 + 5]);
    // CATS and SEAT share the S; K11 doubles all of it.
    check_scores(&state, "0 8H:CAT, 1 K8:SEAT", &[30, 20 + 2 * 9]);
    // A square that was cleared has no premium left.
    let mut state = play(&state, "0 8H:CAT");
    state.board = scrabble::Board::default();
    check_scores(&state, "1 8H:CAT", &[30, 25]);
}

#[test]
fn r5_4_a_full_rack_brings_fifty() {
    let mut state = table(&Options::classic(), &["SENATOR", "A"]);
    check_scores(&state, "0 8H:SENATOR", &[2 * (7 + 1) + 50, 0]);
    state.racks[0] = "ORATES".parse().unwrap();
    check_scores(&state, "0 8H:ORATES", &[2 * (6 + 1), 0]);
}

#[test]
fn r5_5_nothing_is_scored_before_the_window_closes() {
    let challenge = Some(scrabble::Challenge::default());
    for options in [Options::classic(), Options::contract_a(), Options::contract_b()] {
        let start = options.starting_points;
        let state = table(&Options { challenge, ..options }, &["ACT", "ACT"]);
        let waiting = play(&state, "0 8H:CAT");
        assert_eq!((&waiting.scores[..], waiting.board.is_empty()), (&[start; 2][..], true));
        check_scores(&waiting, "1 accept", &[start + 10, start]);
    }
}
