//! R6: specials are bought, laid, and fire.

use game_api::Game;
use scrabble::specials::Fired;
use scrabble::{Options, State};

use crate::{
    GAME, cat, check_refused, check_scores, check_to_act, contracts, deal, hide, play, put,
    seen_specials, supply, table,
};

fn fired(state: &State) -> Vec<String> {
    let text = |fired: &Fired| format!("{}@{} of {}", fired.kind, fired.square, fired.owner);
    state.last_move().unwrap().fired.iter().map(text).collect()
}

#[test]
fn r6_1_each_preset_offers_its_kinds_for_its_prices() {
    let offers = |options: &Options| {
        let view = GAME.view(&deal(options, 2), crate::viewer(0));
        let text = view.prices.iter().map(|offer| format!("{} {}", offer.kind, offer.price));
        text.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(offers(&Options::classic()), "");
    let a = "negative 30, boom 30, reverse 30, exchange 30, skip 30";
    assert_eq!(offers(&Options::contract_a()), a);
    assert_eq!(offers(&Options::contract_b()), "boom 20, negative 10, reverse 10, snatch 30");
    for (kind, price) in [("bomb", 30), ("boom", 4), ("boom", 1001)] {
        let specials = vec![scrabble::Offer { kind: kind.to_owned(), price }];
        let options = Options { specials, ..Options::contract_a() };
        let error = GAME.setup(&options, 2, &game_api::Seed::from_number(1)).err().unwrap();
        assert_eq!(error.code(), "invalid_setup", "{kind} {price}");
    }
}

#[test]
fn r6_2_buying_costs_points_and_does_not_end_the_turn() {
    for options in contracts() {
        let price = options.specials[options.offer("boom").unwrap()].price;
        let mut state = cat(&options);
        let after = play(&state, "0 buy:boom, 0 buy:boom, 0 buy:reverse");
        let spent = 2 * price + options.specials[options.offer("reverse").unwrap()].price;
        assert_eq!((after.scores[0], after.turn), (100 - spent, 0));
        check_to_act(&after, "0");
        let owned = GAME.view(&after, crate::viewer(0)).specials.unwrap();
        assert_eq!((owned.bought["boom"], owned.stock.len()), (2, 0));
        state.scores[0] = price;
        play(&state, "0 buy:boom");
        state.scores[0] = price - 1;
        check_refused(&state, "0 buy:boom", "too_expensive", "boom costs");
        check_refused(&state, "0 buy:bomb", "unknown_special", "bomb");
        check_refused(&state, "1 buy:boom", "not_your_turn", "");
    }
    check_refused(&deal(&Options::classic(), 2), "0 buy:boom", "unknown_special", "boom");
}

#[test]
fn r6_3_a_special_is_laid_with_a_word_from_a_later_turn_on() {
    for options in contracts() {
        let state = cat(&options);
        check_refused(&state, "0 H8:COW+boom@H11", "special_not_held", "boom");
        check_refused(&state, "0 buy:boom, 0 H8:COW+boom@H11", "special_not_held", "boom");
        let after = play(&state, "0 buy:boom, 0 pass, 1 pass, 0 H8:COW+boom@H11");
        assert_eq!(seen_specials(&after, 0), ["boom@H11"]);
        assert!(GAME.view(&after, crate::viewer(0)).specials.unwrap().stock.is_empty());
        let mut state = cat(&options);
        supply(&mut state, 0, &["boom", "reverse"]);
        check_refused(&state, "0 H8:COW+boom@H7+boom@H11", "special_not_held", "boom");
        check_refused(&state, "0 H8:COW+boom@I8", "special_on_letter", "I8");
        check_refused(&state, "0 H8:COW+boom@H10", "special_on_letter", "H10");
        check_refused(&state, "0 H8:COW+boom@H8", "special_on_letter", "H8");
    }
    let mut a = cat(&Options::contract_a());
    supply(&mut a, 0, &["boom", "reverse"]);
    play(&a, "0 H8:COW+boom@O15");
    check_refused(&a, "0 H8:COW+boom@A1+reverse@B1", "too_many_specials", "has 2");
    let mut b = cat(&Options::contract_b());
    supply(&mut b, 0, &["boom", "reverse", "snatch"]);
    check_refused(&b, "0 H8:COW+boom@A8", "special_off_line", "A8");
    check_refused(&b, "0 8H:CATS+boom@H9", "special_off_line", "H9");
    let after = play(&b, "0 H8:COW+boom@H1+snatch@H7+reverse@H15");
    assert_eq!(seen_specials(&after, 0), ["boom@H1", "snatch@H7", "reverse@H15"]);
}

#[test]
fn r6_4_a_queue_or_the_latest_alone() {
    let mut state = cat(&Options::contract_a());
    hide(&mut state, 1, &["negative@H9", "skip@H9"]);
    hide(&mut state, 0, &["reverse@H9"]);
    let after = play(&state, "0 H8:COW");
    assert_eq!(fired(&after), ["negative@H9 of 1", "skip@H9 of 1", "reverse@H9 of 0"]);

    let mut state = table(&Options::contract_b(), &["OW", "A", "A"]);
    put(&mut state, &["8H:CAT"]);
    hide(&mut state, 1, &["negative@H9"]);
    hide(&mut state, 2, &["reverse@H9"]);
    assert_eq!(fired(&play(&state, "0 H8:COW")), ["reverse@H9 of 2"]);
}

#[test]
fn r6_5_own_letters_trigger_an_own_special_or_may_not_go_there() {
    let mut state = cat(&Options::contract_a());
    hide(&mut state, 0, &["negative@H9"]);
    check_scores(&state, "0 H8:COW", &[92, 100]);
    supply(&mut state, 0, &["skip"]);
    let after = play(&state, "0 J8:TEN+skip@H9");
    assert_eq!(seen_specials(&after, 0), ["negative@H9", "skip@H9"]);

    let mut state = cat(&Options::contract_b());
    hide(&mut state, 0, &["negative@H9"]);
    check_refused(&state, "0 H8:COW", "not_vacant", "H9");
    check_scores(&state, "0 pass, 1 H8:COW", &[100, 92]);
    hide(&mut state, 0, &["reverse@J11"]);
    supply(&mut state, 0, &["boom"]);
    check_refused(&state, "0 J8:TEN+boom@J11", "not_vacant", "J11");
    play(&state, "0 J8:TEN+boom@J12");
}

#[test]
fn r6_6_all_that_are_hit_fire_along_the_word_then_they_are_gone() {
    for options in contracts() {
        // The Boom on H9 clears H10 before the special there fires.
        let mut state = cat(&options);
        hide(&mut state, 1, &["boom@H9", "reverse@H10"]);
        let after = play(&state, "0 H8:COW");
        assert_eq!(fired(&after), ["boom@H9 of 1", "reverse@H10 of 1"]);
        assert!(!after.is_forward && after.specials.laid.is_empty());
        // Along the word, whatever the order in which they were laid.
        let mut state = cat(&options);
        hide(&mut state, 1, &["reverse@H10", "negative@H9"]);
        let after = play(&state, "0 H8:COW");
        assert_eq!(fired(&after), ["negative@H9 of 1", "reverse@H10 of 1"]);
        // A letter that lay there before hits nothing, and a word that goes by neither.
        let mut state = cat(&options);
        hide(&mut state, 1, &["negative@G9"]);
        let after = play(&state, "0 H8:COW");
        assert_eq!(fired(&after), [""; 0]);
        assert_eq!(after.specials.laid.len(), 1);
    }
}

#[test]
fn r6_7_a_special_never_affects_the_move_it_came_with() {
    for options in contracts() {
        // It lies in the reach of a Boom that the same move sets off, and stays.
        let mut state = cat(&options);
        hide(&mut state, 1, &["boom@H9"]);
        supply(&mut state, 0, &["negative"]);
        let after = play(&state, "0 H8:COW+negative@H11");
        assert_eq!(after.scores[0], 100);
        assert_eq!(seen_specials(&after, 0), ["negative@H11"]);
        // Nor does it join the queue of a square that fires: that square has a letter.
        let mut state = cat(&options);
        supply(&mut state, 0, &["negative"]);
        check_scores(&state, "0 H8:COW+negative@H11", &[108, 100]);
    }
}
