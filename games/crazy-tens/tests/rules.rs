//! A test for each numbered rule of RULES.md.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;

use crazy_tens::{
    Action, Card, CardSet, CrazyTens, Limits, Options, ROUND_ACTIONS_MAX, ROUNDS_MAX, Starter,
    State, View,
};
use game_api::{Context, Forfeit, Game, GameRng, Seat, Seed, SetupError, Step, Viewer, Violation};
use serde_json::json;

const FIRST: Seat = Seat::FIRST;

fn second() -> Seat {
    Seat::new(1).unwrap()
}

fn card(text: &str) -> Card {
    text.parse().unwrap()
}

fn deal(seed: u64) -> State {
    CrazyTens.setup(&Options::default(), 2, &Seed::from_number(seed)).unwrap()
}

#[track_caller]
fn position(text: &str) -> State {
    CrazyTens.position(&Options::default(), text, &Seed::from_number(1)).unwrap().1
}

/// Plays `SEAT ACTION` lines.
#[track_caller]
fn play(state: &State, lines: &[&str]) -> State {
    lines.iter().fold(state.clone(), |state, line| {
        let (seat, action) = line.split_once(' ').unwrap();
        let seat = Seat::new(seat.parse().unwrap()).unwrap();
        CrazyTens.apply(&state, seat, &action.parse().unwrap()).unwrap()
    })
}

fn view(state: &State, viewer: Viewer) -> View {
    CrazyTens.view(state, viewer)
}

fn legal(state: &State) -> String {
    let mut actions = Vec::new();
    for seat in Seat::all(2) {
        CrazyTens.legal_actions(state, seat, &mut actions);
    }
    actions.iter().map(Action::to_string).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check_legal(text: &str, expected: &str) {
    assert_eq!(legal(&position(text)), expected, "{text}");
}

#[track_caller]
fn check_refused(state: &State, seat: Seat, action: &str, code: &str) {
    let refused = action
        .parse()
        .and_then(|action| CrazyTens.apply(state, seat, &action))
        .err()
        .map(|violation| violation.code());
    assert_eq!(refused, Some(code), "{action}");
}

#[track_caller]
fn check_playable(top: &str, card_text: &str, expected: bool) {
    let state = position(&format!("{top} {card_text},8C 8H - - 0,0 0"));
    assert_eq!(
        state.round.is_playable(FIRST, card(card_text)).unwrap(),
        expected,
        "{top} {card_text}"
    );
}

const HEARTS_AND_TENS: &str = "10C 10D AH 2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH 10S";

fn cards(text: &str) -> CardSet {
    text.split_whitespace().map(card).collect()
}

/// What is told of seat 0's hand: none, at most one, at most two of these.
#[track_caller]
fn check_limits(text: &str, lines: &[&str], expected: [&str; 3]) {
    let [none, one, two] = expected.map(cards);
    let limits = play(&position(text), lines).round.limits[0];
    assert_eq!(limits, Limits { none, one, two }, "{text} {lines:?}");
}

/// Random play from `state` until `stop`.
fn play_on(mut state: State, chooser: &mut fastrand::Rng, stop: impl Fn(&State) -> bool) -> State {
    let mut actions = Vec::new();
    while !stop(&state) {
        let seat = CrazyTens.to_act(&state).iter().next().unwrap();
        actions.clear();
        CrazyTens.legal_actions(&state, seat, &mut actions);
        let action = &actions[chooser.usize(..actions.len())];
        state = CrazyTens.apply(&state, seat, action).unwrap();
    }
    state
}

#[test]
fn r1_1_two_seats_and_no_other_number() {
    for seats in [0, 1, 3, 4, 255] {
        let refused = CrazyTens.setup(&Options::default(), seats, &Seed::from_number(1));
        let expected = SetupError::InvalidPlayers { got: seats, allowed: 2..=2 };
        assert_eq!(refused.err(), Some(expected));
    }
}

#[test]
fn r1_2_fifty_two_cards_aces_low_three_faces() {
    assert_eq!(CardSet::DECK.len(), 52);
    let of_rank = |rank| CardSet::DECK.iter().filter(|card| card.rank() == rank).count();
    assert_eq!((1..=13).map(of_rank).collect::<Vec<_>>(), [4; 13]);
    assert_eq!(card("AH").rank(), 1);
    let faces: Vec<Card> = CardSet::DECK.iter().filter(|card| card.is_face()).collect();
    assert_eq!(faces.len(), 12);
    assert!(["JC", "QD", "KH"].iter().all(|face| faces.contains(&card(face))));
}

#[test]
fn r1_3_everybody_sees_what_is_public() {
    let state = position("10S:H 2C,3C 4D AS 5H,6H 7,12 0");
    let state = play(&state, &["0 draw"]);
    let expected = json!({
        "viewer": "spectator", "top": "10S", "forced_suit": "H", "hand_sizes": [3, 1],
        "stock": 0, "discards": 2, "played": ["5H", "6H"],
        "limits": [{"one": cards(HEARTS_AND_TENS)}, {}],
        "scores": [7, 12], "scores_dozenal": ["7", "10"], "target": 50, "round": 1, "starter": 0,
        "to_act": [0], "last_round": null, "ended": null,
    });
    assert_eq!(serde_json::to_value(view(&state, Viewer::Spectator)).unwrap(), expected);
    for seat in Seat::all(2) {
        let mut seen = serde_json::to_value(view(&state, Viewer::Seat(seat))).unwrap();
        seen.as_object_mut().unwrap().remove("hand");
        seen["viewer"] = json!("spectator");
        assert_eq!(seen, expected, "seat {seat}");
    }
}

#[test]
fn r1_4_a_hand_and_a_drawn_card_are_their_owners() {
    let before = position("KS 3C,2C 4D AC,5D - 0,0 0");
    let after = play(&before, &["0 draw"]);
    let own = view(&after, Viewer::Seat(FIRST));
    assert_eq!(own.hand, Some(["AC", "2C", "3C"].map(card).into_iter().collect()));
    assert_eq!(view(&after, Viewer::Spectator).hand, None);
    let step = Step { before: &before, seat: FIRST, action: &Action::Draw, after: &after };
    for (viewer, reads, drawn) in [
        (Viewer::Seat(FIRST), "draw(A♣)", json!("AC")),
        (Viewer::Seat(second()), "draw", json!(null)),
        (Viewer::Spectator, "draw", json!(null)),
    ] {
        assert_eq!(CrazyTens.notation(&step, viewer), reads);
        assert_eq!(serde_json::to_value(CrazyTens.event(&step, viewer)).unwrap()["card"], drawn);
        let seen = serde_json::to_string(&view(&after, viewer)).unwrap();
        assert!(!seen.contains("5D"), "the stock is in {seen}");
        assert_eq!(seen.contains("4D"), viewer.is(second()), "{seen}");
    }
}

#[test]
fn r1_5_only_the_seat_whose_turn_it_is_acts() {
    let state = position("5H KH,2C 5C,3C 4C - 0,0 0");
    check_refused(&state, second(), "play:5C", "not_your_turn");
    check_refused(&state, second(), "draw", "not_your_turn");
    let state = play(&state, &["0 play:KH"]);
    check_refused(&state, FIRST, "draw", "not_your_turn");
}

#[test]
fn r1_6_everybody_sees_what_follows_for_a_hand() {
    // The card that is drawn may be any; once it is played, the rest of the hand is no heart.
    let drawing = "10S:H 2C,3C 4D AS,8H - 0,0 0";
    check_limits(drawing, &["0 draw"], ["", HEARTS_AND_TENS, ""]);
    check_limits(drawing, &["0 draw", "0 draw"], ["", HEARTS_AND_TENS, ""]);
    check_limits(drawing, &["0 draw", "0 draw", "0 play:8H"], [HEARTS_AND_TENS, "", ""]);
    // Who passes holds nothing that could be played, and gets nothing.
    check_limits("10S:H 2C,3C 4D - - 0,0 0", &["0 pass"], [HEARTS_AND_TENS, "", ""]);
    // What is shuffled is in no hand; one card of it comes to the seat that draws.
    let shuffling = "10S:H 2C,3C 4D - 5H,9C 0,0 0";
    check_limits(shuffling, &["0 draw"], ["", &format!("{HEARTS_AND_TENS} 9C"), ""]);
    let other = play(&position(shuffling), &["0 draw"]).round.limits[1];
    assert_eq!(other, Limits { none: cards("5H 9C"), ..Limits::default() });
}

#[test]
fn r2_1_each_round_begins_with_a_whole_fresh_deck() {
    let mut chooser = fastrand::Rng::with_seed(21);
    let mut stocks = BTreeSet::new();
    for seed in 0..20 {
        let state = play_on(deal(seed), &mut chooser, |state| {
            CrazyTens.outcome(state).is_some() || view(state, Viewer::Spectator).round == 2
        });
        if CrazyTens.outcome(&state).is_some() {
            continue;
        }
        let round = &state.round;
        let cards: Vec<Card> = round.hands.iter().flat_map(|hand| hand.iter()).collect();
        let all: BTreeSet<Card> =
            cards.iter().chain(round.piles.stock()).copied().chain([round.demand.top]).collect();
        assert_eq!(all.len(), 52);
        assert_eq!(round.piles.discards_size(), 0);
        stocks.insert(round.piles.stock().to_vec());
    }
    assert!(stocks.len() > 5, "only {} different second rounds", stocks.len());
}

#[test]
fn r2_2_five_cards_each_and_one_turned_up() {
    for seed in 0..50 {
        let round = deal(seed).round;
        assert_eq!(round.hands.map(CardSet::len), [5, 5]);
        assert_eq!(round.piles.stock_size(), 41);
    }
}

#[test]
fn r2_3_a_ten_turned_up_forces_nothing() {
    let tens = (0..400).map(deal).filter(|state| state.round.demand.top.is_ten());
    let mut count = 0;
    for state in tens {
        assert_eq!(state.round.demand.forced_suit, None);
        count += 1;
    }
    assert!(count > 10, "{count} tens in 400 deals");
    check_legal("10S 2H,3S,4D KC - - 0,0 0", "play:2H play:3S");
}

#[test]
fn r2_4_the_start_alternates_unless_the_host_always_starts() {
    for (starter, expected) in [(Starter::Alternate, [0, 1, 0, 1]), (Starter::Host, [0, 0, 0, 0])] {
        let options = Options { target: 10_000, starter };
        let mut state = CrazyTens.setup(&options, 2, &Seed::from_number(5)).unwrap();
        let mut chooser = fastrand::Rng::with_seed(24);
        for (round, expected) in (1..).zip(expected) {
            state =
                play_on(state, &mut chooser, |state| view(state, Viewer::Spectator).round == round);
            let seen = view(&state, Viewer::Spectator);
            assert_eq!(seen.starter.index(), expected, "round {round}");
            assert_eq!(seen.to_act.to_string(), expected.to_string(), "round {round}");
        }
    }
}

#[test]
fn r3_1_a_ten_can_always_be_played() {
    for top in ["KS", "2S", "10C", "10C:D"] {
        check_playable(top, "10H", true);
    }
}

#[test]
fn r3_2_only_the_suit_that_is_asked_for() {
    check_playable("10H:S", "4S", true);
    check_playable("10H:S", "4H", false);
    // Not even the suit or the sum of the ten itself.
    check_playable("10H:S", "2D", false);
    check_legal(
        "10H:S AS,KS,10C,2H,JH 3C - - 0,0 0",
        "play:10C:C play:10C:D play:10C:H play:10C:S play:AS play:KS",
    );
}

#[test]
fn r3_3_the_same_suit() {
    check_playable("5H", "KH", true);
    check_playable("9D", "QC", false);
}

#[test]
fn r3_4_the_same_rank() {
    check_playable("4S", "4C", true);
    check_playable("QD", "QC", true);
    check_playable("QD", "KC", false);
}

#[test]
fn r3_5_ranks_that_make_a_dozenal_ten() {
    check_playable("5D", "7S", true);
    check_playable("10H", "2S", true);
    check_playable("AD", "JS", false);
    check_playable("JD", "AS", false);
    check_playable("6D", "6S", true);
    check_playable("5D", "6S", false);
    check_legal("4S 4C,8D,7H,QS,6C 2C - - 0,0 0", "play:4C play:8D play:QS");
}

#[test]
fn r3_6_a_ten_asks_for_a_suit_until_the_next_play() {
    let state = position("KH 10H,2C,3C 4D,5S 6C,7C - 0,0 0");
    check_refused(&state, FIRST, "play:10H", "invalid_suit_choice");
    check_refused(&state, FIRST, "play:10H:X", "invalid_suit_choice");
    let state = play(&state, &["0 play:10H:S"]);
    assert_eq!(legal(&state), "play:5S");
    let state = play(&state, &["1 play:5S"]);
    assert_eq!(view(&state, Viewer::Spectator).forced_suit, None);
    // Drawing lifts nothing.
    let state = play(&position("KH 10H,2C,3C 4D,5D 6C,7C - 0,0 0"), &["0 play:10H:S", "1 draw"]);
    assert_eq!(
        view(&state, Viewer::Spectator).forced_suit.map(crazy_tens::Suit::letter),
        Some("S")
    );
}

#[test]
fn r3_7_a_last_ten_and_other_cards_choose_no_suit() {
    let state = position("KH 10H 4D,5S - - 0,0 0");
    assert_eq!(legal(&state), "play:10H");
    check_refused(&state, FIRST, "play:10H:S", "invalid_suit_choice");
    assert_eq!(play(&state, &["0 play:10H"]).round.hands.map(CardSet::len), [5, 5]);
    check_refused(&position("KH QH,2C 4D - - 0,0 0"), FIRST, "play:QH:S", "invalid_suit_choice");
    // What cannot be played at all is refused for that.
    check_refused(&position("KH QS,2C 4D - - 0,0 0"), FIRST, "play:QS:S", "illegal_move");
}

#[test]
fn r3_8_only_cards_of_the_own_hand() {
    let state = position("KH QH,2C 4H AH - 0,0 0");
    for foreign in ["play:4H", "play:AH", "play:KH", "play:9H"] {
        check_refused(&state, FIRST, foreign, "invalid_card");
    }
    check_refused(&state, FIRST, "play:11H", "invalid_card");
}

#[test]
fn r3_9_after_a_play_it_is_the_other_seats_turn() {
    let state = position("KH QH,2C QD,4C AH - 0,0 0");
    let state = play(&state, &["0 play:QH"]);
    assert_eq!(view(&state, Viewer::Spectator).to_act.to_string(), "1");
    assert_eq!(view(&state, Viewer::Spectator).played, [card("KH")]);
    assert_eq!(view(&play(&state, &["1 play:QD"]), Viewer::Spectator).to_act.to_string(), "0");
}

#[test]
fn r4_1_nobody_draws_who_can_play() {
    check_refused(&position("KH QH,2C 4D AH - 0,0 0"), FIRST, "draw", "illegal_move");
    check_legal("KH QS,2C 4D AH - 0,0 0", "draw");
}

#[test]
fn r4_2_a_draw_is_one_card_and_the_turn_stays() {
    let state = position("KH QS,2C 4D 3C,AH,5C - 0,0 0");
    let state = play(&state, &["0 draw"]);
    assert_eq!(legal(&state), "draw");
    let state = play(&state, &["0 draw"]);
    assert_eq!(legal(&state), "play:AH");
    assert_eq!(view(&state, Viewer::Spectator).hand_sizes, [4, 1]);
    assert_eq!(view(&state, Viewer::Spectator).stock, 1);
}

#[test]
fn r4_3_an_empty_stock_takes_the_discards() {
    let before = position("KH QS,2C 4D - 3C,5C,6C 0,0 0");
    let after = play(&before, &["0 draw"]);
    let seen = view(&after, Viewer::Spectator);
    assert_eq!((seen.top, seen.stock, seen.discards), (card("KH"), 2, 0));
    let mut cards: Vec<Card> = after.round.piles.stock().to_vec();
    cards.extend(after.round.hands[0].iter());
    cards.sort();
    assert_eq!(cards, ["2C", "3C", "5C", "6C", "QS"].map(card));
    let step = Step { before: &before, seat: FIRST, action: &Action::Draw, after: &after };
    let event = serde_json::to_value(CrazyTens.event(&step, Viewer::Spectator)).unwrap();
    assert_eq!(event["reshuffled"], json!(true));
}

#[test]
fn r4_4_who_can_neither_play_nor_draw_passes() {
    let state = position("KH QS,2C 4H,5D - - 0,0 0");
    assert_eq!(legal(&state), "pass");
    check_refused(&state, FIRST, "draw", "empty_deck");
    assert_eq!(legal(&play(&state, &["0 pass"])), "play:4H");
    check_refused(&position("KH QS,2C 4H - 3C 0,0 0"), FIRST, "pass", "illegal_move");
    check_refused(&position("KH QH,2C 4H - - 0,0 0"), FIRST, "pass", "illegal_move");
}

#[test]
fn r5_1_an_empty_hand_ends_the_round_and_the_other_is_counted() {
    let state = play(&position("KH QH 4D,KC,10S - - 3,5 0"), &["0 play:QH"]);
    let seen = view(&state, Viewer::Spectator);
    assert_eq!((seen.scores, seen.round, seen.hand_sizes), ([27, 5], 2, [5, 5]));
}

#[test]
fn r5_2_what_a_card_counts() {
    for (text, value) in
        [("AC", 1), ("2D", 2), ("9H", 9), ("10S", 10), ("JC", 10), ("QD", 10), ("KH", 10)]
    {
        assert_eq!(crazy_tens::scoring::score_value(card(text)), value, "{text}");
    }
    let hand: CardSet = ["AC", "7D", "10S", "KH"].map(card).into_iter().collect();
    assert_eq!(crazy_tens::scoring::round_score(hand), 28);
    assert_eq!(crazy_tens::scoring::round_score_dozenal(hand).to_string(), "24");
    assert_eq!(crazy_tens::scoring::round_score(CardSet::DECK), 340);
}

#[test]
fn r5_3_the_summary_is_public_in_both_bases() {
    let before = position("KH QH 4D,KC - - 3,5 0");
    let action = "play:QH".parse().unwrap();
    let after = CrazyTens.apply(&before, FIRST, &action).unwrap();
    let expected = json!({
        "round": 1, "winner": 0,
        "loser_hand": [{"card": "KC", "value": 10}, {"card": "4D", "value": 4}],
        "points": 14, "points_dozenal": "12",
        "scores": [17, 5], "scores_dozenal": ["15", "5"],
    });
    let step = Step { before: &before, seat: FIRST, action: &action, after: &after };
    for viewer in Viewer::all(2) {
        let seen = serde_json::to_value(view(&after, viewer)).unwrap();
        assert_eq!(seen["last_round"], expected);
        let event = serde_json::to_value(CrazyTens.event(&step, viewer)).unwrap();
        assert_eq!(event["round_over"], expected);
    }
}

#[test]
fn r6_1_a_total_that_reaches_the_target_ends_the_match() {
    let ends = |score: u16| {
        let state = position(&format!("KH QH 4D,KC - - {score},5 0"));
        CrazyTens.outcome(&play(&state, &["0 play:QH"])).map(|outcome| outcome.reason)
    };
    assert_eq!(ends(35), None);
    assert_eq!(ends(36), Some("target"));
    let setup = |target| {
        let options = Options { target, starter: Starter::Alternate };
        CrazyTens.setup(&options, 2, &Seed::from_number(1)).err().map(|error| error.code())
    };
    assert_eq!(
        [0, 1, 10_000, 10_001].map(setup),
        [Some("invalid_setup"), None, None, Some("invalid_setup")]
    );
}

#[test]
fn r6_2_the_higher_total_wins() {
    let places = |text: &str, line: &str| {
        CrazyTens.outcome(&play(&position(text), &[line])).map(|outcome| outcome.places)
    };
    assert_eq!(places("KH QH KS - - 49,49 0", "0 play:QH"), Some(vec![1, 2]));
    assert_eq!(places("KH QC QH - - 49,49 1", "1 play:QH"), Some(vec![2, 1]));
    // Whoever reaches it, the other total may be higher only below the target.
    assert_eq!(places("KH QH 2S - - 48,49 0", "0 play:QH"), Some(vec![1, 2]));
}

#[test]
fn r6_3_a_round_of_2000_actions_is_void() {
    // With most cards out of the round, both can only pass.
    let mut state = position("KS 2C 3D - - 4,7 0");
    for count in 0..ROUND_ACTIONS_MAX {
        assert_eq!(view(&state, Viewer::Spectator).round, 1, "after {count} actions");
        state = play(&state, &[if count % 2 == 0 { "0 pass" } else { "1 pass" }]);
    }
    let seen = view(&state, Viewer::Spectator);
    assert_eq!((seen.round, seen.scores, seen.hand_sizes), (2, [4, 7], [5, 5]));
    let summary = seen.last_round.unwrap();
    assert_eq!((summary.winner, summary.points, summary.loser_hand), (None, 0, vec![]));
}

#[test]
fn r6_4_after_100_rounds_the_totals_decide() {
    let options = Options { target: 10_000, starter: Starter::Alternate };
    let state = CrazyTens.setup(&options, 2, &Seed::from_number(64)).unwrap();
    let mut chooser = fastrand::Rng::with_seed(64);
    let state = play_on(state, &mut chooser, |state| CrazyTens.outcome(state).is_some());
    let seen = view(&state, Viewer::Spectator);
    let outcome = CrazyTens.outcome(&state).unwrap();
    assert_eq!((seen.round, outcome.reason), (ROUNDS_MAX, "rounds"));
    let better = usize::from(seen.scores[1] > seen.scores[0]);
    assert_eq!(outcome.places[better], 1);
    assert_eq!(outcome.places[1 - better], 2);

    // Equal totals are too rare to wait for: fill in a view that has them.
    let mut tied = serde_json::to_value(&seen).unwrap();
    tied["scores"] = json!([900, 900]);
    tied["scores_dozenal"] = json!(["630", "630"]);
    let tied = serde_json::from_value(tied).unwrap();
    let context = Context { options: &options, seats: 2, viewer: Viewer::Spectator };
    let mut rng = GameRng::new(&Seed::from_number(1));
    let state = CrazyTens.determinize(&context, &tied, &mut rng).unwrap();
    assert_eq!(CrazyTens.outcome(&state).unwrap().places, [1, 1]);
}

#[test]
fn r6_5_who_gives_up_loses() {
    for (cause, reason) in [
        (Forfeit::Resigned, "resigned"),
        (Forfeit::Time, "time"),
        (Forfeit::Abandoned, "abandoned"),
    ] {
        let state = CrazyTens.forfeit(&deal(1), FIRST, cause);
        let outcome = CrazyTens.outcome(&state).unwrap();
        assert_eq!((outcome.places, outcome.reason), (vec![2, 1], reason));
        assert!(CrazyTens.forfeit(&state, second(), cause) == state);
    }
}

#[test]
fn r6_6_there_is_no_draw_by_agreement() {
    assert!(CrazyTens.agree_draw(&deal(1)).is_none());
}

#[test]
fn r6_7_after_the_end_nobody_acts() {
    let state = play(&position("KH QH 4D,KC - - 49,5 0"), &["0 play:QH"]);
    assert_eq!(legal(&state), "");
    for seat in Seat::all(2) {
        for action in ["draw", "pass", "play:4D", "play:10H:S"] {
            check_refused(&state, seat, action, "game_over");
        }
    }
}

#[test]
fn r7_1_no_takeback_past_a_draw_or_a_rounds_end() {
    let reveals = |text: &str, action: &str| {
        let before = position(text);
        let action = action.parse().unwrap();
        let after = CrazyTens.apply(&before, FIRST, &action).unwrap();
        CrazyTens.reveals(&Step { before: &before, seat: FIRST, action: &action, after: &after })
    };
    assert!(!reveals("KH QH,2C 4D - - 0,0 0", "play:QH"));
    assert!(reveals("KH QC,2C 4D AH - 0,0 0", "draw"));
    assert!(!reveals("KH QC,2C 4D - - 0,0 0", "pass"));
    assert!(reveals("KH QH 4D - - 0,0 0", "play:QH"));
}
