//! A test per numbered rule of RULES.md, named after it.
//!
//! A script such as `"0 play:4b, 1 accept"` names seats and actions; `1 forfeit` stands for a seat
//! that gives up.

#![expect(clippy::unwrap_used, reason = "in a test's helper it is the failure")]

use std::str::FromStr;

use game_api::{Forfeit, Game, Seat, SeatSet, Seed, Step, TimeOut, Viewer, Violation as _};
use template::{Action, Card, Event, Options, Place, Snare, State, Template};

const ALL: [Viewer; 4] = [viewer(0), viewer(1), viewer(2), Viewer::Spectator];

const fn viewer(number: u8) -> Viewer {
    Viewer::Seat(seat(number))
}

const fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

fn deal(options: &Options, seats: u8) -> State {
    Template.setup(options, seats, &Seed::from_number(1)).unwrap()
}

/// A first state with these hands; of the stock the last card is the top.
fn table<const N: usize>(hands: [&[Card]; N], stock: &[Card]) -> State {
    let hands = hands.map(<[Card]>::to_vec).to_vec();
    let seats = u8::try_from(N).unwrap();
    State { hands, stock: stock.to_vec(), ..deal(&Options::default(), seats) }
}

/// Three seats with 1, 4 and 5 in every hand.
fn three() -> State {
    table([&[1, 4, 5], &[1, 4, 5], &[1, 4, 5]], &[2, 3])
}

fn read_line(line: &str) -> (Seat, &str) {
    let (number, text) = line.split_once(' ').unwrap();
    (seat(number.parse().unwrap()), text)
}

#[track_caller]
fn play(state: &State, script: &str) -> State {
    let lines = script.split(", ").filter(|line| !line.is_empty());
    lines.fold(state.clone(), |state, line| match read_line(line) {
        (seat, "forfeit") => Template.forfeit(&state, seat, Forfeit::Resigned),
        (seat, text) => Template
            .apply(&state, seat, &text.parse().unwrap())
            .unwrap_or_else(|violation| panic!("{line}: {violation}")),
    })
}

/// Plays the script up to its last line, which is handed back.
#[track_caller]
fn play_to_last<'a>(state: &State, script: &'a str) -> (State, &'a str) {
    let (before, last) = script.rsplit_once(", ").unwrap_or(("", script));
    (play(state, before), last)
}

/// Plays the script, whose last line is refused with this code.
#[track_caller]
fn check_refused(state: &State, script: &str, code: &str) {
    let (state, last) = play_to_last(state, script);
    let (seat, text) = read_line(last);
    let applied = Template.apply(&state, seat, &text.parse().unwrap());
    assert_eq!(applied.err().map(|violation| violation.code()), Some(code), "{last}");
}

/// Plays the script and looks at its last step.
#[track_caller]
fn with_step<T>(state: &State, script: &str, look: impl Fn(&Step<'_, Template>) -> T) -> T {
    let (before, last) = play_to_last(state, script);
    let (seat, text) = read_line(last);
    let after = play(&before, last);
    look(&Step { before: &before, seat, action: &text.parse().unwrap(), after: &after })
}

/// Plays the script; its last step reads so to seats 0, 1, 2 and to a spectator.
#[track_caller]
fn check_notations(state: &State, script: &str, expected: [&str; 4]) {
    let notations = with_step(state, script, |step| ALL.map(|who| Template.notation(step, who)));
    assert_eq!(notations, expected);
}

#[track_caller]
fn check_to_act(state: &State, seats: &str) {
    assert_eq!(Template.to_act(state).to_string(), seats);
}

#[track_caller]
fn check_outcome(state: &State, places: &[u8], reason: &str) {
    let outcome = Template.outcome(state).unwrap();
    assert_eq!((&outcome.places[..], outcome.reason), (places, reason));
}

#[test]
fn r1_1_two_to_four_seats() {
    let codes = (0..=5).map(|seats| {
        let dealt = Template.setup(&Options::default(), seats, &Seed::from_number(1));
        dealt.map_or_else(|error| error.code(), |_| "dealt")
    });
    let refused = "invalid_players";
    assert_eq!(codes.collect::<Vec<_>>(), [refused, refused, "dealt", "dealt", "dealt", refused]);
}

#[test]
fn r1_2_the_deck_has_four_cards_of_each_rank() {
    let state = deal(&Options::default(), 4);
    let mut cards = [state.hands.concat(), state.stock.clone()].concat();
    cards.sort_unstable();
    assert_eq!(cards, (1..=6).flat_map(|rank| [rank; 4]).collect::<Vec<_>>());
    let other = Template.setup(&Options::default(), 4, &Seed::from_number(2)).unwrap();
    assert_ne!(other.hands, state.hands);
}

#[test]
fn r1_3_the_option_hand_says_how_many_cards_are_dealt() {
    assert_eq!(deal(&Options::default(), 2).hands[0].len(), 3);
    for hand in 1..=4 {
        let state = deal(&Options { hand, ..Options::default() }, 4);
        assert!(state.hands.iter().all(|cards| cards.len() == usize::from(hand)));
        assert_eq!(state.stock.len(), 24 - 4 * usize::from(hand));
    }
    for hand in [0, 5, 255] {
        let options = Options { hand, ..Options::default() };
        let error = Template.setup(&options, 2, &Seed::from_number(1)).err().unwrap();
        assert_eq!(error.code(), "invalid_setup");
    }
}

#[test]
fn r1_4_places_are_empty_snares_held_scores_zero() {
    let state = deal(&Options::default(), 3);
    assert!(state.places.iter().all(Vec::is_empty));
    assert_eq!((state.snares, state.scores), (vec![Snare::Held; 3], vec![0; 3]));
}

#[test]
fn r1_5_turns_go_round_from_seat_0() {
    let state = three();
    check_to_act(&state, "0");
    check_refused(&state, "1 swap:4", "not_your_turn");
    let state = play(&state, "0 swap:4, 1 swap:4, 2 swap:4");
    check_to_act(&state, "0");
    assert_eq!(Template.turn(&state), 3);
}

#[test]
fn r2_1_a_card_goes_on_an_empty_place_or_a_lower_card() {
    let state = play(&three(), "0 play:4b, 1 accept, 2 accept");
    play(&state, "1 play:5b");
    play(&state, "1 play:4a");
    check_refused(&state, "1 play:4b", "place_blocked");
    check_refused(&state, "1 play:5b, 0 accept, 2 accept, 2 play:4b", "place_blocked");
    check_refused(&state, "1 play:6b", "card_not_held");
}

#[test]
fn r2_2_a_1_goes_on_anything() {
    let after = play(&three(), "0 play:5b, 1 accept, 2 accept, 1 play:1b, 0 accept, 2 accept");
    assert_eq!(after.places[1], [5, 1]);
    play(&after, "2 play:1b");
}

#[test]
fn r2_3_the_snare_is_laid_once_with_a_play() {
    let state = play(&three(), "0 play:4b+d");
    assert_eq!(state.snares, [Snare::Laid(Place::D), Snare::Held, Snare::Held]);
    let again = "1 accept, 2 accept, 1 swap:1, 2 swap:1, 0 play:5c+a";
    check_refused(&state, again, "snare_not_held");
}

#[test]
fn r2_4_the_snare_goes_to_another_place_than_the_play() {
    check_refused(&three(), "0 play:4b+b", "snare_under_play");
    for place in ["a", "c", "d", "e"] {
        play(&three(), &format!("0 play:4b+{place}"));
    }
}

#[test]
fn r2_5_a_swap_goes_under_the_stock_and_draws_its_top() {
    let after = play(&three(), "0 swap:4");
    assert_eq!((&after.hands[0][..], &after.stock[..]), (&[1, 5, 3][..], &[4, 2][..]));
    check_refused(&three(), "0 swap:6", "card_not_held");
    check_refused(&table([&[4], &[4]], &[]), "0 swap:4", "nothing_to_draw");
}

#[test]
fn r2_6_a_pass_is_for_who_can_neither_play_nor_swap() {
    let mut state = table([&[4], &[4]], &[]);
    check_refused(&state, "0 pass", "must_not_pass");
    state.places = [4, 5, 6, 4, 5].map(|top| vec![top]);
    check_to_act(&play(&state, "0 pass"), "1");
    state.stock = vec![2];
    check_refused(&state, "0 pass", "must_not_pass");
}

#[test]
fn r3_1_all_others_vote_in_any_order() {
    let state = play(&three(), "0 play:4b");
    check_to_act(&state, "1 2");
    check_refused(&state, "0 swap:5", "not_your_turn");
    check_refused(&state, "0 accept", "not_your_turn");
    check_refused(&state, "1 swap:5", "vote_open");
    check_refused(&three(), "0 accept", "no_vote_open");
    check_refused(&state, "2 object, 2 accept", "not_your_turn");
    let voted = play(&state, "2 object");
    check_to_act(&voted, "1");
    for viewer in ALL {
        let play = Template.view(&voted, viewer).pending.unwrap();
        assert_eq!((play.card, play.place), (4, Place::B));
        assert_eq!((play.accepted, play.objected), (SeatSet::EMPTY, SeatSet::only(seat(2))));
    }
    check_to_act(&play(&voted, "1 accept"), "1");
}

#[test]
fn r3_2_silence_in_a_vote_is_acceptance() {
    let state = three();
    assert_eq!(Template.window(&state), None);
    assert_eq!(Template.time_out(&state, seat(0)), TimeOut::Forfeit);
    let state = play(&state, "0 play:4b");
    assert_eq!(Template.window(&state), Some(30));
    assert_eq!(Template.time_out(&state, seat(1)), TimeOut::Act(Action::Accept));
}

#[test]
fn r3_3_a_play_falls_if_more_than_half_object() {
    let fallen = play(&three(), "0 play:4b, 1 object, 2 object");
    assert_eq!((fallen.hands[0].len(), fallen.places[1].len(), fallen.stock.len()), (3, 0, 2));
    assert!(fallen.hands[0].contains(&4));
    check_to_act(&fallen, "1");
    let half = play(&three(), "0 play:4b, 1 object, 2 accept");
    assert_eq!((half.places[1].len(), half.scores[0]), (1, 4));
}

#[test]
fn r3_4_objectors_pay_when_the_play_falls() {
    let four = table([&[4], &[4], &[4], &[4]], &[2]);
    let fallen = play(&four, "0 play:4b, 1 object, 2 accept, 3 object");
    assert_eq!(fallen.scores, [0, -1, 0, -1]);
    let stands = play(&four, "0 play:4b, 1 object, 2 accept, 3 accept");
    assert_eq!(stands.scores, [4, 0, 0, 0]);
}

#[test]
fn r3_5_a_snare_stays_although_its_play_falls() {
    let fallen = play(&three(), "0 play:4b+d, 1 object, 2 object");
    assert_eq!(fallen.snares[0], Snare::Laid(Place::D));
}

#[test]
fn r3_6_a_play_that_stands_scores_its_rank() {
    let state = play(&three(), "0 play:4b, 1 accept, 2 accept, 1 play:5b, 0 accept, 2 accept");
    assert_eq!((&state.scores[..], &state.places[1][..]), (&[4, 5, 0][..], &[4, 5][..]));
}

#[test]
fn r3_7_the_player_draws_after_a_play_that_stands() {
    let state = play(&three(), "0 play:4b, 1 accept, 2 accept");
    assert_eq!((&state.hands[0][..], &state.stock[..]), (&[1, 5, 3][..], &[2][..]));
    let state = play(&table([&[4, 5], &[4]], &[]), "0 play:4b, 1 accept");
    assert_eq!(state.hands[0], [5]);
}

#[test]
fn r4_1_a_snare_takes_the_points_and_is_gone() {
    let open = play(&three(), "0 play:4b+d, 1 accept, 2 accept, 1 play:4d, 0 accept");
    let sprung = play(&open, "2 accept");
    assert_eq!((&sprung.scores[..], sprung.snares[0]), (&[8, 0, 0][..], Snare::Sprung));
    let seen = "accept, stands for 0, springs 0";
    check_notations(
        &open,
        "2 accept",
        [seen, "accept, stands for 0, springs 0, drew 2", seen, seen],
    );
    let again = play(&sprung, "2 play:5d, 0 accept, 1 accept");
    assert_eq!(again.scores, [8, 0, 5]);
    let fallen = play(&three(), "0 play:4b+d, 1 accept, 2 accept, 1 play:4d, 0 object, 2 object");
    assert_eq!(fallen.snares[0], Snare::Laid(Place::D));
}

#[test]
fn r4_2_a_snare_spares_its_owner() {
    let mut state = three();
    state.snares[0] = Snare::Laid(Place::B);
    let state = play(&state, "0 play:4b, 1 accept, 2 accept");
    assert_eq!((state.scores[0], state.snares[0]), (4, Snare::Laid(Place::B)));
}

#[test]
fn r4_3_of_several_snares_the_next_owner_gets_the_points() {
    let mut state = three();
    state.snares = vec![Snare::Laid(Place::B), Snare::Held, Snare::Laid(Place::B)];
    let state = play(&state, "0 swap:5, 1 play:4b, 0 accept, 2 accept");
    assert_eq!(state.scores, [0, 0, 4]);
    assert_eq!(state.snares, [Snare::Sprung, Snare::Held, Snare::Sprung]);
}

#[test]
fn r5_1_a_hand_is_seen_by_its_seat_alone() {
    let state = table([&[5, 1, 4], &[2], &[3, 3]], &[6]);
    let hands = ALL.map(|viewer| Template.view(&state, viewer).hand);
    assert_eq!(hands, [Some(vec![1, 4, 5]), Some(vec![2]), Some(vec![3, 3]), None]);
    for viewer in ALL {
        let view = Template.view(&state, viewer);
        assert_eq!((view.hand_sizes, view.stock), (vec![3, 1, 2], 1));
    }
}

#[test]
fn r5_2_a_drawn_or_swapped_card_is_seen_by_its_seat_alone() {
    check_notations(&three(), "0 swap:4", ["swap 4 for 3", "swap", "swap", "swap"]);
    let event = with_step(&three(), "0 swap:4", |step| Template.event(step, viewer(1)));
    assert_eq!(event, Event::Swapped { seat: seat(0), gave: None, drew: None });
    let others = "accept, stands for 0";
    let own = "accept, stands for 0, drew 3";
    check_notations(&three(), "0 play:4b, 1 object, 2 accept", [own, others, others, others]);
}

#[test]
fn r5_3_nobody_learns_of_a_snare_before_it_springs() {
    check_notations(&three(), "0 play:4b+d", ["4b+d", "4b", "4b", "4b"]);
    let (with, without) = (play(&three(), "0 play:4b+d"), play(&three(), "0 play:4b"));
    for viewer in &ALL[1..] {
        assert_eq!(Template.view(&with, *viewer), Template.view(&without, *viewer));
        let event = |script| with_step(&three(), script, |step| Template.event(step, *viewer));
        assert_eq!(event("0 play:4b+d"), event("0 play:4b"));
    }
    let own = ALL.map(|viewer| Template.view(&with, viewer).own_snare);
    let laid = Snare::Laid(Place::D);
    assert_eq!(own, [Some(laid), Some(Snare::Held), Some(Snare::Held), None]);
}

#[test]
fn r5_4_no_takeback_past_a_draw_or_a_sprung_snare() {
    let reveals =
        |state: &State, script: &str| with_step(state, script, |step| Template.reveals(step));
    assert!(reveals(&three(), "0 swap:4"));
    // Even if the card that comes looks like the one that goes.
    assert!(reveals(&table([&[4], &[4]], &[4]), "0 swap:4"));
    assert!(!reveals(&three(), "0 play:4b+d"));
    assert!(!reveals(&three(), "0 play:4b, 1 accept"));
    assert!(!reveals(&three(), "0 play:4b, 1 object, 2 object"));
    assert!(reveals(&three(), "0 play:4b, 1 accept, 2 accept"));
    let mut state = table([&[4, 5], &[4]], &[]);
    assert!(!reveals(&state, "0 play:4b, 1 accept"));
    state.snares[1] = Snare::Laid(Place::B);
    assert!(reveals(&state, "0 play:4b, 1 accept"));
}

#[test]
fn r6_1_the_match_ends_when_a_hand_is_empty() {
    let last = table([&[4], &[5]], &[]);
    check_outcome(&play(&last, "0 play:4b, 1 accept"), &[1, 2], "empty_hand");
    check_refused(&last, "0 play:4b, 1 accept, 1 play:5b", "game_over");
    check_to_act(&play(&last, "0 play:4b"), "1");
    check_to_act(&play(&last, "0 play:4b, 1 object"), "1");
    check_to_act(&play(&table([&[4], &[5]], &[2]), "0 play:4b, 1 accept"), "1");
}

#[test]
fn r6_2_the_match_ends_after_the_last_turn() {
    let state = State { turns_max: 2, ..three() };
    check_to_act(&play(&state, "0 swap:4"), "1");
    check_outcome(&play(&state, "0 swap:4, 1 swap:4"), &[1, 1, 1], "last_turn");
    assert_eq!(deal(&Options::default(), 2).turns_max, 48);
    for turns_max in [0, 49] {
        let options = Options { turns_max, ..Options::default() };
        let error = Template.setup(&options, 2, &Seed::from_number(1)).err().unwrap();
        assert_eq!(error.code(), "invalid_setup");
    }
}

#[test]
fn r6_3_equal_points_share_a_place() {
    let mut state = table([&[4]; 4], &[2]);
    (state.turns_max, state.scores) = (1, vec![3, -1, 7, 3]);
    check_outcome(&play(&state, "0 swap:4"), &[2, 4, 1, 2], "last_turn");
}

#[test]
fn r6_4_a_draw_ties_the_seats_still_in() {
    let state = play(&three(), "0 play:4b, 1 accept, 2 accept, 1 forfeit");
    let drawn = Template.agree_draw(&state).unwrap();
    check_outcome(&drawn, &[1, 3, 1], "agreed");
    check_to_act(&drawn, "");
}

#[test]
fn r7_1_a_forfeit_comes_last_and_the_others_play_on() {
    let state = play(&State { scores: vec![9, 9, 0], ..three() }, "1 forfeit");
    assert_eq!(Template.outcome(&state), None);
    check_to_act(&play(&state, "0 swap:4"), "2");
    check_outcome(&play(&state, "0 forfeit"), &[2, 3, 1], "resigned");
    let late = Template.forfeit(&state, seat(0), Forfeit::Time);
    check_outcome(&late, &[2, 3, 1], "time");
    let played_out = play(&State { turns_max: 1, ..state }, "0 swap:4");
    check_outcome(&played_out, &[1, 3, 2], "last_turn");
}

#[test]
fn r7_2_its_hand_is_put_aside_unseen() {
    let state = play(&table([&[4], &[5], &[6]], &[2]), "1 forfeit");
    assert_eq!(state.stock, [2]);
    for viewer in [viewer(0), viewer(2), Viewer::Spectator] {
        assert_ne!(Template.view(&state, viewer).hand, Some(vec![5]));
    }
    check_refused(&state, "0 swap:4, 1 play:5a", "not_your_turn");
}

#[test]
fn r7_3_its_snare_springs_for_nobody() {
    let mut state = three();
    state.snares[1] = Snare::Laid(Place::B);
    let alone = play(&state, "1 forfeit, 0 play:4b, 2 accept");
    assert_eq!((alone.scores, alone.snares[1]), (vec![4, 0, 0], Snare::Sprung));
    state.snares[2] = Snare::Laid(Place::B);
    let both = play(&state, "1 forfeit, 0 play:4b, 2 accept");
    assert_eq!((both.scores, both.snares[2]), (vec![0, 0, 4], Snare::Sprung));
}

#[test]
fn r7_4_an_open_vote_counts_without_it() {
    let open = play(&three(), "0 play:4b, 1 object");
    let fallen = play(&open, "2 forfeit");
    assert_eq!((fallen.scores, fallen.turn), (vec![0, -1, 0], 1));
    let stands = play(&open, "1 forfeit, 2 accept");
    assert_eq!(stands.scores, [4, 0, 0]);
    check_to_act(&play(&three(), "0 play:4b, 1 forfeit"), "2");
}

#[test]
fn r7_5_its_own_play_falls_and_nobody_pays() {
    let state = play(&three(), "0 play:4b, 1 object, 0 forfeit");
    assert_eq!((&state.scores[..], state.places[1].len()), (&[0, 0, 0][..], 0));
    assert_eq!(state.pending, None);
    check_to_act(&state, "1");
}

#[test]
fn r7_6_its_turn_ends() {
    let state = play(&three(), "0 forfeit");
    assert_eq!(Template.turn(&state), 1);
    check_to_act(&state, "1");
}

#[test]
fn r7_7_a_second_forfeit_changes_nothing() {
    let out = play(&three(), "1 forfeit");
    assert!(play(&out, "1 forfeit") == out);
    let over = play(&out, "0 forfeit");
    assert!(play(&over, "2 forfeit") == over);
}

#[test]
fn odd_texts_are_no_actions() {
    for odd in [
        "",
        "play",
        "play:",
        "play:4",
        "play:4B",
        "play:04b",
        "play:7b",
        "play:0b",
        "play:4f",
        "play:4b+",
        "play:4b+f",
        "play:4b+d+e",
        "play:4bd",
        "PLAY:4b",
        " play:4b",
        "play:4b ",
        "swap:",
        "swap:44",
        "swap:x",
        "pass:",
        "accept!",
        "é",
        "play:é",
        "play:4b+é",
        "\0",
    ] {
        let violation = Action::from_str(odd).unwrap_err();
        assert_eq!(violation.code(), "invalid_action", "{odd:?}");
    }
}
