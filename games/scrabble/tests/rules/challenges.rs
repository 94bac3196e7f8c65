//! R8: the challenge window.

use game_api::{Game, TimeOut};
use scrabble::{Action, Challenge, ChallengeRule, Options, State};

use crate::{
    GAME, check_notations, check_refused, check_scores, check_to_act, hide, play, put, seat,
    seen_specials, supply, table, viewer,
};

fn rules(options: Options, rule: ChallengeRule) -> Options {
    Options { challenge: Some(Challenge { rule, ..Challenge::default() }), ..options }
}

fn three(rule: ChallengeRule) -> State {
    let mut state = table(&rules(Options::contract_a(), rule), &["CATOW", "CATOW", "CATOW"]);
    state.scores = vec![100, 100, 100];
    state
}

#[test]
fn r8_1_a_move_waits_for_answers_and_its_words_are_not_looked_up() {
    let state = play(&three(ChallengeRule::Double), "0 8H:TAC");
    assert_eq!(GAME.window(&state), Some(30));
    for number in 0..3 {
        let pending = GAME.view(&state, viewer(number)).pending.unwrap();
        assert_eq!((pending.seat, pending.play.to_string().as_str()), (seat(0), "8H:TAC"));
    }
    // All other checks hold.
    check_refused(&three(ChallengeRule::Double), "0 8I:TAC", "star_not_covered", "H8");
    check_refused(&three(ChallengeRule::Double), "0 8H:QAT", "tile_not_held", "Q");
    // Without the option there is no window.
    let plain = table(&Options::contract_a(), &["CATOW", "CATOW"]);
    assert_eq!(GAME.window(&play(&plain, "0 8H:CAT")), None);
    assert_eq!(GAME.window(&plain), None);
    for window_s in [4, 601] {
        let challenge = Some(Challenge { window_s, ..Challenge::default() });
        let options = Options { challenge, ..Options::classic() };
        let error = GAME.setup(&options, 2, &game_api::Seed::from_number(1)).err().unwrap();
        assert_eq!(error.code(), "invalid_setup");
    }
}

#[test]
fn r8_2_all_others_answer_in_any_order() {
    let state = play(&three(ChallengeRule::Double), "0 8H:CAT");
    check_to_act(&state, "1 2");
    check_refused(&state, "0 accept", "not_your_turn", "");
    check_refused(&state, "1 pass", "window_open", "");
    check_refused(&state, "1 buy:boom", "window_open", "");
    check_refused(&state, "2 accept, 2 challenge", "not_your_turn", "");
    check_to_act(&play(&state, "2 accept"), "1");
    assert!(
        GAME.view(&play(&state, "2 accept"), viewer(0)).pending.unwrap().accepted.contains(seat(2))
    );
}

#[test]
fn r8_3_all_accept_or_one_challenges() {
    let state = play(&three(ChallengeRule::Double), "0 8H:TAC");
    let stands = play(&state, "1 accept, 2 accept");
    assert_eq!((&stands.scores[..], stands.pending.is_none()), (&[110, 100, 100][..], true));
    check_to_act(&stands, "1");
    let fallen = play(&state, "2 challenge");
    assert!(fallen.pending.is_none());
    check_to_act(&fallen, "1");
}

#[test]
fn r8_4_upheld_takes_the_letters_back_and_leaves_the_special() {
    let mut state = three(ChallengeRule::Double);
    supply(&mut state, 0, &["boom"]);
    hide(&mut state, 1, &["negative@I8"]);
    let waiting = play(&state, "0 8H:TAC+boom@A1");
    assert_eq!(waiting.racks[0].to_string(), "OW");
    let fallen = play(&waiting, "1 accept, 2 challenge");
    assert_eq!(fallen.racks[0].to_string(), "ACOTW");
    assert_eq!((&fallen.scores[..], fallen.scoreless), (&[100, 100, 100][..], 1));
    assert!(fallen.board.is_empty());
    assert_eq!(fallen.skips, [0, 0, 0]);
    assert_eq!(seen_specials(&fallen, 0), ["boom@A1"]);
    assert_eq!(seen_specials(&fallen, 1), ["negative@I8"], "nothing fires");
    check_to_act(&fallen, "1");
    let (before, last) = ("0 8H:TAC+boom@A1, 1 challenge", "challenge, upheld: TAC");
    check_notations(&state, before, [last; 3]);
    // A cross word will do.
    let mut state = three(ChallengeRule::Double);
    put(&mut state, &["8H:CAT"]);
    check_scores(&state, "0 9H:COW, 1 challenge", &[100, 100, 100]);
}

#[test]
fn r8_5_rejected_costs_the_challenger() {
    let mut state = three(ChallengeRule::Double);
    supply(&mut state, 0, &["boom"]);
    hide(&mut state, 1, &["negative@I8"]);
    let after = play(&state, "0 8H:CAT+boom@A1, 1 challenge");
    assert_eq!((&after.scores[..], &after.skips[..]), (&[90, 100, 100][..], &[0, 0, 0][..]));
    assert_eq!(seen_specials(&after, 0), ["boom@A1"]);
    assert_eq!(seen_specials(&after, 1), [""; 0], "it fired");
    // Seat 1 has just lost its turn.
    check_to_act(&after, "2");
    let after = play(&state, "0 8H:CAT, 2 challenge");
    assert_eq!(after.skips, [0, 0, 1]);
    check_to_act(&after, "1");

    let after = play(&three(ChallengeRule::Single), "0 8H:CAT, 1 challenge");
    assert_eq!((&after.scores[..], &after.skips[..]), (&[110, 100, 100][..], &[0; 3][..]));
    for (rule, points) in [(ChallengeRule::Five, 5), (ChallengeRule::Ten, 10)] {
        check_scores(&three(rule), "0 8H:CAT, 1 challenge", &[110, 100 - points, 100]);
        // TA, TA and AT are three words.
        let mut state = three(rule);
        put(&mut state, &["8H:CAT"]);
        check_scores(&state, "0 7I:TA, 2 challenge", &[108, 100, 100 - 3 * points]);
    }
}

#[test]
fn r8_6_silence_is_acceptance() {
    let state = three(ChallengeRule::Double);
    assert_eq!(GAME.time_out(&state, seat(0)), TimeOut::Forfeit);
    let state = play(&state, "0 8H:CAT");
    assert_eq!(GAME.time_out(&state, seat(1)), TimeOut::Act(Action::Accept));
}
