//! R11: what a viewer does not learn.

use game_api::{Game, Viewer};
use scrabble::{Challenge, Event, Options, State};

use crate::{
    GAME, cat, check_notations, check_refused, contracts, hide, play, put, seat, seen_specials,
    supply, table, viewer, with_step,
};

/// Everything that seat 1 and a spectator see of two ways to go on from `state` is the same.
#[track_caller]
fn check_alike(state: &State, [one, two]: [&str; 2]) {
    for viewer in [viewer(1), Viewer::Spectator] {
        let told = |script| {
            with_step(state, script, |step| {
                let event = GAME.event(step, viewer);
                (GAME.view(step.after, viewer), event, GAME.notation(step, viewer))
            })
        };
        assert_eq!(told(one), told(two), "{viewer}: {one} and {two}");
    }
}

#[test]
fn r11_1_a_rack_and_what_comes_and_goes_is_seen_by_its_seat_alone() {
    let mut state = cat(&Options::classic());
    state.pools[0][29] = 26;
    let racks = [viewer(0), viewer(1), Viewer::Spectator].map(|who| GAME.view(&state, who).rack);
    let own = Some("EENOSTW".to_owned());
    assert_eq!(racks, [own.clone(), own, None]);
    let stranger = "exchange 2";
    check_notations(&state, "0 exchange:OW", ["exchange OW for EZ", stranger, stranger]);
    check_alike(&state, ["0 exchange:OW", "0 exchange:EE"]);
    check_notations(&state, "0 H8:COW", ["H8:COW=8, drew EZ", "H8:COW=8", "H8:COW=8"]);
    let event = with_step(&state, "0 exchange:O", |step| GAME.event(step, viewer(1)));
    assert_eq!(event, Event::Exchanged { seat: seat(0), count: 1, gave: None, drew: None });
}

#[test]
fn r11_2_what_is_unseen_is_counted_by_pool() {
    let mut state = table(&Options::classic(), &["AB", "CD", "EF"]);
    state.pools[0] = vec![26, 25];
    let unseen = |number| GAME.view(&state, viewer(number)).unseen;
    assert_eq!(unseen(0).iter().map(ToString::to_string).collect::<Vec<_>>(), ["CDEFYZ"]);
    assert_eq!(unseen(2)[0].to_string(), "ABCDYZ");
    assert_eq!(GAME.view(&state, Viewer::Spectator).unseen[0].to_string(), "ABCDEFYZ");
    let mut state = table(&Options::contract_a(), &["AB", "CD"]);
    state.pools = vec![vec![26], vec![25]];
    let unseen = GAME.view(&state, viewer(0)).unseen;
    assert_eq!(unseen.iter().map(ToString::to_string).collect::<Vec<_>>(), ["Z", "CDY"]);
}

#[test]
fn r11_3_nobody_learns_of_a_special_before_it_fires() {
    for options in contracts() {
        let mut state = cat(&options);
        supply(&mut state, 0, &["boom", "reverse"]);
        check_alike(&state, ["0 H8:COW", "0 H8:COW+boom@H11"]);
        check_alike(&state, ["0 H8:COW+reverse@H15", "0 H8:COW+boom@H11"]);
        check_notations(
            &state,
            "0 H8:COW+boom@H11",
            ["H8:COW+boom@H11=8, drew EE", "H8:COW=8", "H8:COW=8"],
        );
        // Even while it waits for answers.
        let challenge = Some(Challenge::default());
        let mut waiting = cat(&Options { challenge, ..options.clone() });
        supply(&mut waiting, 0, &["boom"]);
        check_alike(&waiting, ["0 H8:COW", "0 H8:COW+boom@H11"]);
        check_alike(&waiting, ["0 H8:COW, 1 accept", "0 H8:COW+boom@H11, 1 accept"]);
        // When it fires, all are told.
        let mut trap = cat(&options);
        hide(&mut trap, 1, &["reverse@H9"]);
        let (own, others) =
            ("H8:COW=8, hits reverse@H9 of 1, drew EE", "H8:COW=8, hits reverse@H9 of 1");
        check_notations(&trap, "0 H8:COW", [own, others, others]);
    }
    // The points are public, the kind is not.
    let state = cat(&Options::contract_b());
    check_alike(&state, ["0 buy:negative", "0 buy:reverse"]);
    check_notations(&state, "0 buy:boom", ["buy boom for 20", "buy for 20", "buy for 20"]);
    check_alike(&cat(&Options::contract_a()), ["0 buy:boom", "0 buy:skip"]);
}

#[test]
fn r11_4_an_owner_goes_on_seeing_what_was_replaced() {
    let mut state = table(&Options::contract_b(), &["OWSENTE"; 3]);
    put(&mut state, &["8H:CAT"]);
    hide(&mut state, 1, &["negative@H11"]);
    supply(&mut state, 0, &["boom"]);
    check_alike(&state, ["0 H8:COW", "0 H8:COW+boom@H11"]);
    let replaced = play(&state, "0 H8:COW+boom@H11");
    assert_eq!(seen_specials(&replaced, 0), ["boom@H11"]);
    assert_eq!(seen_specials(&replaced, 1), ["negative@H11"]);
    // It is still not vacant for its owner, but fires no more; then it is gone.
    check_refused(&replaced, "1 H8:COWS", "not_vacant", "H11");
    let hit = play(&replaced, "1 pass, 2 H8:COWS");
    let fired = &hit.last_move().unwrap().fired;
    assert_eq!((fired.len(), fired[0].kind.as_str(), fired[0].owner), (1, "boom", seat(0)));
    assert_eq!(seen_specials(&hit, 1), [""; 0]);
    // A Boom nearby clears both.
    let mut state = replaced;
    hide(&mut state, 2, &["boom@I9"]);
    state.racks[1] = "HT".parse().unwrap();
    let cleared = play(&state, "1 9H:OH");
    assert_eq!(seen_specials(&cleared, 1), [""; 0]);
    assert!(cleared.specials.laid.is_empty());
}

#[test]
fn r11_5_no_takeback_past_a_draw_or_a_special_that_fired() {
    let reveals = |state: &State, script: &str| with_step(state, script, |step| GAME.reveals(step));
    let mut state = cat(&Options::contract_a());
    assert!(reveals(&state, "0 H8:COW"));
    assert!(reveals(&state, "0 exchange:O"));
    assert!(!reveals(&state, "0 pass"));
    assert!(!reveals(&state, "0 buy:boom"));
    state.pools[0].clear();
    assert!(!reveals(&state, "0 H8:COW"));
    hide(&mut state, 1, &["skip@H9"]);
    assert!(reveals(&state, "0 H8:COW"));
    assert!(!reveals(&state, "0 H8:COW, 1 pass, 1 pass"));
    let challenge = Some(Challenge::default());
    let state = cat(&Options { challenge, ..Options::contract_a() });
    assert!(!reveals(&state, "0 H8:COW"));
    assert!(reveals(&state, "0 H8:COW, 1 accept"));
}

#[test]
fn r11_6_a_refusal_tells_nothing_of_hidden_specials() {
    for options in contracts() {
        for text in ["H8:COW", "H8:COZ", "H8:COW+boom@H11", "9H:COW", "buy:bomb", "H9:OW"] {
            let refusal = |specials: &[&str]| {
                let mut state = cat(&options);
                hide(&mut state, 1, specials);
                let applied = GAME.apply(&state, seat(0), &text.parse().unwrap());
                applied.err().map(|violation| violation.to_string())
            };
            let expected = refusal(&[]);
            for square in ["H9", "H10", "H11", "G9", "I9"] {
                assert_eq!(refusal(&[&format!("boom@{square}")]), expected, "{text} on {square}");
            }
        }
    }
}
