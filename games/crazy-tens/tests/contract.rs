//! The pre- and postconditions of the document's access routines, M15 to M17 and M19, as far as
//! they are not a numbered rule of their own.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::sync::Arc;

use crazy_tens::{Action, Card, CardSet, CrazyTens, Options, State, Suit, Violation};
use game_api::{
    Entry, EntryKind, Forfeit, Game, GameRng, Match, Seat, Seed, SetupError, StateHash,
    Violation as _,
};

const FIRST: Seat = Seat::FIRST;

fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

fn card(text: &str) -> Card {
    text.parse().unwrap()
}

fn cards(texts: &[&str]) -> CardSet {
    texts.iter().map(|text| card(text)).collect()
}

#[track_caller]
fn position(text: &str) -> State {
    CrazyTens.position(&Options::default(), text, &Seed::from_number(1)).unwrap().1
}

#[track_caller]
fn contest(text: &str) -> Match<CrazyTens> {
    let game = Arc::new(CrazyTens);
    Match::from_position(game, Options::default(), text, Seed::from_number(1)).unwrap()
}

#[test]
fn m15_create_game_deals_a_first_round_with_no_scores() {
    let state = State::create(Options::default(), 2, &Seed::from_number(9)).unwrap();
    assert!(!state.is_over());
    assert_eq!(state.round.hands.map(CardSet::len), [5, 5]);
    let view = CrazyTens.view(&state, game_api::Viewer::Spectator);
    assert_eq!((view.scores, view.round, view.last_round), ([0, 0], 1, None));
    // The same seed deals the same match, another seed another one.
    assert!(state == State::create(Options::default(), 2, &Seed::from_number(9)).unwrap());
    assert!(state != State::create(Options::default(), 2, &Seed::from_number(10)).unwrap());
}

#[test]
fn m15_create_game_refuses_what_makes_no_match() {
    let options = Options { target: 0, ..Options::default() };
    let refused = State::create(options, 2, &Seed::from_number(1)).err();
    assert!(matches!(refused, Some(SetupError::InvalidSetup(_))));
    let refused = State::create(Options::default(), 3, &Seed::from_number(1)).err();
    assert_eq!(refused.map(|error| error.code()), Some("invalid_players"));
    for odd in [r#"{"target":-1}"#, r#"{"goal":5}"#, r#"{"starter":"guest"}"#, "null", ""] {
        assert!(serde_json::from_str::<Options>(odd).is_err(), "{odd}");
    }
}

#[test]
fn m15_get_winner_knows_none_before_the_end() {
    let state = position("KH QH KS - - 49,0 0");
    assert_eq!(state.outcome(), None);
    let over = state.apply_turn(FIRST, "play:QH".parse().unwrap()).unwrap();
    assert!(over.is_over());
    assert_eq!(over.outcome().unwrap().places, [1, 2]);
}

#[test]
fn m16_playable_cards_are_those_that_is_playable_allows() {
    let round = position("4S 4C,8D,7H,QS,6C 2C - - 0,0 0").round;
    assert_eq!(round.playable_cards(FIRST).unwrap(), cards(&["4C", "8D", "QS"]));
    for card in round.hands[0].iter() {
        let listed = round.playable_cards(FIRST).unwrap().contains(card);
        assert_eq!(round.is_playable(FIRST, card).unwrap(), listed, "{card}");
    }
    assert!(!round.must_draw(FIRST).unwrap());
    assert!(round.must_draw(seat(1)).unwrap());
    assert!(!round.is_over());
}

#[test]
fn m16_a_seat_or_card_that_is_not_in_the_round_is_refused() {
    let mut round = position("4S 4C,8D 2C 3C - 0,0 0").round;
    let code = |violation: Violation| violation.code();
    assert_eq!(round.is_playable(seat(2), card("4C")).map_err(code), Err("invalid_player"));
    assert_eq!(round.playable_cards(seat(7)).map_err(code), Err("invalid_player"));
    assert_eq!(round.must_draw(seat(2)).map_err(code), Err("invalid_player"));
    assert_eq!(round.is_playable(FIRST, card("2C")).map_err(code), Err("invalid_card"));
    assert_eq!(round.apply_play(FIRST, card("2C"), None).map_err(code), Err("invalid_card"));
    let mut rng = GameRng::new(&Seed::from_number(1));
    assert_eq!(round.apply_draw(seat(2), &mut rng).map_err(code), Err("not_your_turn"));
}

#[test]
fn m16_apply_play_moves_the_card_and_sets_the_demand() {
    let mut round = position("KH 10H,2C 4D,5S 6C,7C - 0,0 0").round;
    round.apply_play(FIRST, card("10H"), Some(Suit::Spades)).unwrap();
    assert_eq!(round.hands[0], cards(&["2C"]));
    assert_eq!(round.demand.top, card("10H"));
    assert_eq!(round.demand.forced_suit, Some(Suit::Spades));
    assert_eq!(round.piles.discards().collect::<Vec<_>>(), [card("KH")]);
    assert_eq!(round.to_act, seat(1));
    round.apply_play(seat(1), card("5S"), None).unwrap();
    assert_eq!(round.demand.forced_suit, None);
}

#[test]
fn m16_a_refused_play_draw_or_pass_leaves_the_round() {
    let before = position("KH QS,2C 4H 3C - 0,0 0").round;
    let mut round = before.clone();
    let mut rng = GameRng::new(&Seed::from_number(1));
    assert!(round.apply_play(FIRST, card("QS"), None).is_err());
    assert!(round.apply_play(FIRST, card("2C"), Some(Suit::Clubs)).is_err());
    assert!(round.apply_play(seat(1), card("4H"), None).is_err());
    assert!(round.apply_pass(FIRST).is_err());
    assert!(round.apply_draw(seat(1), &mut rng).is_err());
    assert!(round == before);
}

#[test]
fn m16_apply_draw_takes_the_next_card_of_the_stock() {
    let mut round = position("KH QS,2C 4H 3C,5C - 0,0 0").round;
    let mut rng = GameRng::new(&Seed::from_number(1));
    round.apply_draw(FIRST, &mut rng).unwrap();
    assert_eq!(round.hands[0], cards(&["QS", "2C", "3C"]));
    assert_eq!(round.piles.stock(), [card("5C")]);
    assert_eq!(round.to_act, FIRST);
}

#[test]
fn m17_the_score_is_the_sum_of_the_values() {
    use crazy_tens::scoring::{round_score, round_score_dozenal, score_value};
    let mut chooser = fastrand::Rng::with_seed(17);
    for _ in 0..1_000 {
        let hand: CardSet = CardSet::DECK.iter().filter(|_| chooser.bool()).collect();
        // By hand: from the text of each card.
        let naive: u16 = hand
            .iter()
            .map(|card| card.to_string())
            .map(|text| match &text[..text.len() - 1] {
                "A" => 1,
                "J" | "Q" | "K" => 10,
                number => number.parse().unwrap(),
            })
            .sum();
        assert_eq!(round_score(hand), naive);
        assert_eq!(round_score_dozenal(hand).0, i64::from(naive));
        assert_eq!(hand.iter().map(|card| u16::from(score_value(card))).sum::<u16>(), naive);
    }
    assert_eq!(round_score(CardSet::EMPTY), 0);
}

#[test]
fn m19_an_action_is_a_value_with_one_text() {
    for (action, text) in [
        (Action::Play { card: card("8S"), suit: None }, "play:8S"),
        (Action::Play { card: card("10H"), suit: Some(Suit::Spades) }, "play:10H:S"),
        (Action::Draw, "draw"),
        (Action::Pass, "pass"),
    ] {
        assert_eq!(action.to_string(), text);
        assert_eq!(text.parse::<Action>().unwrap(), action);
    }
    let odd = ["", "play", "PLAY:8S", "draw ", " draw", "draw:1", "play:10H:S:C", "fold", "é"];
    for odd in odd {
        let code = odd.parse::<Action>().map_err(|violation| violation.code());
        assert_eq!(code, Err("invalid_action"), "{odd:?}");
    }
}

#[test]
fn m19_validation_changes_nothing_and_undo_reverses() {
    let mut contest = contest("KH QH,2C QD,4C AH - 0,0 0");
    let start = contest.state_hash();
    let asker = game_api::Context {
        options: &Options::default(),
        seats: 2,
        viewer: game_api::Viewer::Seat(FIRST),
    };
    let view = CrazyTens.view(contest.state(), asker.viewer);
    let action = "play:QH".parse().unwrap();
    assert!(CrazyTens.preview(&asker, &view, &action).is_ok());
    assert!(CrazyTens.preview(&asker, &view, &Action::Draw).is_err());
    assert_eq!(contest.state_hash(), start);

    contest.apply(FIRST, action).unwrap();
    assert_ne!(contest.state_hash(), start);
    let kind = EntryKind::Act("play:QH".to_owned());
    let mut entries = vec![Entry { ply: 0, seat: Some(FIRST), at_ms: 0, nonce: 0, epoch: 0, kind }];
    contest.undo(&mut entries).unwrap();
    assert_eq!(contest.state_hash(), start);
    assert!(entries.is_empty());
    contest.undo(&mut entries).unwrap();
    assert_eq!(contest.state_hash(), start, "nothing to undo");
}

/// Position, seat, action, code.
const REFUSALS: [(&str, u8, &str, &str); 18] = [
    ("KH QH,2C 4D - - 0,0 0", 0, "shuffle", "invalid_action"),
    ("KH QH,2C 4D - - 0,0 0", 0, "", "invalid_action"),
    ("KH QH,2C 4D - - 0,0 0", 1, "play:4D", "not_your_turn"),
    ("KH QH,2C 4D - - 0,0 0", 1, "draw", "not_your_turn"),
    ("KH QH,2C 4D - - 0,0 0", 2, "draw", "no_such_seat"),
    ("KH QH,2C 4D - - 0,0 0", 7, "draw", "no_such_seat"),
    ("KH QH,2C 4D - - 0,0 0", 0, "play:1H", "invalid_card"),
    ("KH QH,2C 4D - - 0,0 0", 0, "play:", "invalid_card"),
    ("KH QH,2C 4D - - 0,0 0", 0, "play:4D", "invalid_card"),
    ("KH QH,2C 4D - - 0,0 0", 0, "play:2C", "illegal_move"),
    ("KH QH,2C 4D 3C - 0,0 0", 0, "draw", "illegal_move"),
    ("KH QH,2C 4D 3C - 0,0 0", 0, "pass", "illegal_move"),
    ("KH QS,2C 4D 3C - 0,0 0", 0, "pass", "illegal_move"),
    ("KH 10H,2C 4D - - 0,0 0", 0, "play:10H", "invalid_suit_choice"),
    ("KH 10H,2C 4D - - 0,0 0", 0, "play:10H:X", "invalid_suit_choice"),
    ("KH 10H 4D,5D - - 0,0 0", 0, "play:10H:S", "invalid_suit_choice"),
    ("KH QH,2C 4D - - 0,0 0", 0, "play:QH:S", "invalid_suit_choice"),
    ("KH QS,2C 4D - - 0,0 0", 0, "draw", "empty_deck"),
];

#[test]
fn every_refusal_has_its_code_and_changes_nothing() {
    let mut codes: BTreeSet<&str> = BTreeSet::new();
    for (position, number, action, expected) in REFUSALS {
        codes.insert(check_refusal(contest(position), number, action, expected));
    }
    let long = "x".repeat(100_000);
    codes.insert(check_refusal(contest("KH QH,2C 4D - - 0,0 0"), 0, &long, "invalid_action"));
    let mut over = contest("KH QH,2C 4D - - 0,0 0");
    over.forfeit(FIRST, Forfeit::Resigned).unwrap();
    codes.insert(check_refusal(over, 0, "play:QH", "game_over"));
    let mut aborted = contest("KH QH,2C 4D - - 0,0 0");
    aborted.abort().unwrap();
    codes.insert(check_refusal(aborted, 0, "play:QH", "game_over"));
    let all = [
        "empty_deck",
        "game_over",
        "illegal_move",
        "invalid_action",
        "invalid_card",
        "invalid_suit_choice",
        "no_such_seat",
        "not_your_turn",
    ];
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), all);
}

#[track_caller]
fn check_refusal(
    mut contest: Match<CrazyTens>,
    number: u8,
    action: &str,
    expected: &'static str,
) -> &'static str {
    let (hash, ply): (StateHash, u32) = (contest.state_hash(), contest.ply());
    let refusal = contest.act(seat(number), action).err().unwrap();
    assert_eq!(refusal.code(), expected, "{action:.40}");
    assert!(!refusal.to_string().is_empty() && refusal.to_string().len() < 300, "{refusal}");
    assert_eq!((contest.state_hash(), contest.ply()), (hash, ply), "{action:.40}");
    expected
}

#[test]
fn odd_positions_are_refused_with_the_reason() {
    for odd in [
        "",
        "KH",
        "KH QH 4D - - 0,0",
        "KH QH 4D - - 0,0 2",
        "KH QH 4D - - 0,0 0 0",
        "KH QH 4D - - 0 0",
        "KH QH 4D - - 0,50 0",
        "KH QH 4D - - -1,0 0",
        "KH QH 4D - - 99999999999,0 0",
        "KH QH QH - - 0,0 0",
        "KH KH 4D - - 0,0 0",
        "KH QH 4D 5D,5D - 0,0 0",
        "KH - 4D - - 0,0 0",
        "KH:S QH 4D - - 0,0 0",
        "10H:X QH 4D - - 0,0 0",
        "10H: QH 4D - - 0,0 0",
        "KH QH, 4D - - 0,0 0",
        "KH qh 4D - - 0,0 0",
        "é é é é é é é",
    ] {
        let refused = CrazyTens.position(&Options::default(), odd, &Seed::from_number(1)).err();
        assert_eq!(refused.map(|error| error.code()), Some("invalid_position"), "{odd:?}");
    }
}
