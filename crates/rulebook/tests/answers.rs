//! What the browser is told is what the server would say.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use client_core::{Judgement, Question, Reply, Review, Scene, Sight};
use game_api::{AnyGame, AnyMatch, Completeness, Seat, Seed, Telling, Viewer};
use rulebook::{answer, ask};

const MATCHES: u64 = 20;
const PLIES_MAX: usize = 120;

fn sight(game: &dyn AnyGame, contest: &dyn AnyMatch, seat: Seat) -> Sight {
    Sight {
        game: game.meta().id.to_owned(),
        options: contest.options(),
        seats: contest.seats(),
        seat,
        view: String::from_utf8(contest.view(Viewer::Seat(seat)).unwrap()).unwrap(),
    }
}

fn refusal(answer: Reply) -> String {
    match answer {
        Reply::Refused { code, .. } => code,
        other => panic!("not refused: {other:?}"),
    }
}

fn actions(question: &Question) -> Vec<String> {
    match answer(question) {
        Reply::Actions { actions, .. } => actions,
        other => panic!("no actions: {other:?}"),
    }
}

fn log(question: &Question) -> String {
    match answer(question) {
        Reply::Log { log } => log,
        other => panic!("no log: {other:?}"),
    }
}

fn scene(log: &str, ply: u32, viewer: Option<Viewer>) -> Scene {
    match answer(&Question::Scene { log: log.to_owned(), ply, viewer }) {
        Reply::Scene(scene) => scene,
        other => panic!("no scene: {other:?}"),
    }
}

/// Each action that was played earlier is tried again, where most are illegal.
fn check_refusals(contest: &dyn AnyMatch, sight: &Sight, earlier: &[String]) {
    for action in earlier.iter().rev().take(6) {
        let question = Question::Preview { sight: sight.clone(), action: action.clone() };
        match (answer(&question), contest.preview(sight.seat, action)) {
            (Reply::Preview { preview }, Ok(expected)) => assert_eq!(preview.as_bytes(), expected),
            (Reply::Refused { code, message }, Err(expected)) => {
                assert_eq!((&*code, &*message), (expected.code, &*expected.message), "{action}");
            }
            (told, expected) => panic!("{action}: {told:?}, expected {expected:?}"),
        }
    }
}

#[test]
fn by_a_view_the_same_is_legal_as_on_the_server_and_refused_for_the_same_reason() {
    for game in catalog::games() {
        for number in 0..MATCHES {
            let seats = *game.meta().seats.start();
            let mut contest = game.start("{}", seats, Seed::from_number(number)).unwrap();
            let mut chooser = fastrand::Rng::with_seed(number);
            let mut earlier = Vec::new();
            while let (Some(seat), true) =
                (contest.to_act().iter().next(), earlier.len() < PLIES_MAX)
            {
                for seat in Seat::all(seats) {
                    let sight = sight(game, &*contest, seat);
                    // The client marks whose turn it is, whatever the game.
                    let view: serde_json::Value = serde_json::from_str(&sight.view).unwrap();
                    assert_eq!(view["to_act"], serde_json::to_value(contest.to_act()).unwrap());
                    let legal = contest.legal(seat).unwrap();
                    let complete = legal.completeness == Completeness::Complete;
                    let expected = Reply::Actions { complete, actions: legal.actions };
                    assert_eq!(answer(&Question::Legal { sight: sight.clone() }), expected);
                    check_refusals(&*contest, &sight, &earlier);
                }
                let action = chooser.choice(contest.legal(seat).unwrap().actions).unwrap();
                contest.act(seat, &action, &mut Telling::default()).unwrap();
                earlier.push(action);
            }
        }
    }
}

/// What can be entered ahead by the seat that is not to act.
#[track_caller]
fn check_ahead(game: &str, played: &[&str], ahead: &[&str], expected: &[&str], absent: &[&str]) {
    let game = catalog::find(game).unwrap();
    let mut contest = game.start("{}", 2, Seed::from_number(1)).unwrap();
    for action in played {
        let seat = contest.to_act().iter().next().unwrap();
        contest.act(seat, action, &mut Telling::default()).unwrap();
    }
    let seat = Seat::all(2).find(|seat| !contest.to_act().contains(*seat)).unwrap();
    let sight = sight(game, &*contest, seat);
    let ahead = ahead.iter().map(ToString::to_string).collect();
    let listed = actions(&Question::Ahead { sight, ahead });
    for action in expected {
        assert!(listed.iter().any(|it| it == action), "{action} is not in {listed:?}");
    }
    for action in absent {
        assert!(listed.iter().all(|it| it != action), "{action} is in {listed:?}");
    }
}

#[test]
fn moves_can_be_entered_ahead_one_after_the_other() {
    check_ahead("chess", &["e2e4"], &[], &["d2d4", "g1f3"], &["e2e4", "e7e5"]);
    check_ahead("chess", &["e2e4"], &["g1f3", "f1c4"], &["e1g1"], &["g1f3"]);
    let placed = ["place:b2,d2", "place:b4,d4"];
    let turn = ["b2-b3"];
    check_ahead("santorini", &[&placed[..], &turn[..]].concat(), &[], &["b4-a4"], &["+a1"]);
    check_ahead("santorini", &[&placed[..], &turn[..]].concat(), &["b4-a4"], &["+a5"], &["b4-a4"]);
}

#[test]
fn who_waits_in_a_game_with_secrets_enters_ahead_what_the_own_hand_allows() {
    for game in ["crazy-tens", "scrabble"].map(|id| catalog::find(id).unwrap()) {
        for seed in 1..20 {
            let contest = game.start("{}", 2, Seed::from_number(seed)).unwrap();
            let seat = Seat::all(2).find(|seat| !contest.to_act().contains(*seat)).unwrap();
            let sight = sight(game, &*contest, seat);
            let listed = actions(&Question::Ahead { sight, ahead: Vec::new() });
            assert!(!listed.is_empty(), "{} with seed {seed}", game.meta().id);
        }
    }
}

#[test]
fn what_is_entered_ahead_is_judged_too() {
    let game = catalog::find("chess").unwrap();
    let mut contest = game.start("{}", 2, Seed::from_number(1)).unwrap();
    contest.act(Seat::FIRST, "e2e4", &mut Telling::default()).unwrap();
    let sight = sight(game, &*contest, Seat::FIRST);
    let ask =
        |action: &str| Question::Ahead { sight: sight.clone(), ahead: vec![action.to_owned()] };
    assert_eq!(refusal(answer(&ask("e4e6"))), "illegal_move");
    assert_eq!(refusal(answer(&ask("nonsense"))), "invalid_action");
}

fn begun(game: &str, options: &str) -> String {
    let (game, options) = (game.to_owned(), options.to_owned());
    log(&Question::Begin { game, options, seats: 2, seed: "2a".to_owned() })
}

fn played(mut so_far: String, actions: &[&str]) -> String {
    for action in actions {
        let seat = scene(&so_far, u32::MAX, None).to_act.iter().next().unwrap();
        let action = (*action).to_owned();
        so_far = log(&Question::Play { log: so_far, seat, action, at_ms: 1 });
    }
    so_far
}

#[test]
fn a_match_without_a_server_is_played_to_its_end_and_shown_at_any_moment() {
    let mate = played(begun("chess", "{}"), &["f2f3", "e7e5", "g2g4", "d8h4"]);
    let end = scene(&mate, u32::MAX, Some(Viewer::Spectator));
    assert_eq!((end.ply, end.plies, end.seats, &*end.game), (4, 4, 2, "chess"));
    assert_eq!(end.notations, ["f3", "e5", "g4", "Qh4#"]);
    assert_eq!(end.outcome.unwrap().places, [2, 1]);
    let early = scene(&mate, 1, None);
    assert_eq!((early.ply, early.outcome, early.may_undo), (1, None, false));
    assert_eq!((early.viewer, early.legal.len()), (Viewer::Seat(Seat::new(1).unwrap()), 20));

    let commitment = catalog::find("chess").unwrap();
    let commitment = commitment.start("{}", 2, "2a".parse().unwrap()).unwrap().commitment();
    let question = |log: &str, commitment: &str| Question::Verify {
        log: log.to_owned(),
        commitment: commitment.to_owned(),
    };
    let verified = answer(&question(&mate, &commitment.to_string()));
    assert!(matches!(verified, Reply::Verified { .. }), "{verified:?}");
    assert_eq!(refusal(answer(&question(&mate, "00"))), "commitment_mismatch");
    let forged = mate.replace("f2f3", "f2f4");
    assert_eq!(refusal(answer(&question(&forged, &commitment.to_string()))), "state_hash_mismatch");
}

#[test]
fn the_last_entry_is_undone_unless_it_showed_what_was_hidden() {
    let two = played(begun("chess", "{}"), &["e2e4", "e7e5"]);
    let one = log(&Question::Undo { log: two.clone() });
    assert!(scene(&two, u32::MAX, None).may_undo);
    assert_eq!(scene(&one, u32::MAX, None).notations, ["e4"]);
    let none = log(&Question::Undo { log: one });
    assert_eq!(refusal(answer(&Question::Undo { log: none })), "no_such_ply");

    let mut tens = begun("crazy-tens", "{}");
    loop {
        let now = scene(&tens, u32::MAX, None);
        let action = now.legal.iter().find(|it| *it == "draw").unwrap_or(&now.legal[0]).clone();
        tens = played(tens, &[&action]);
        if action == "draw" {
            break;
        }
    }
    assert!(!scene(&tens, u32::MAX, None).may_undo);
    assert_eq!(refusal(answer(&Question::Undo { log: tens })), "already_revealed");
}

#[test]
fn a_seat_can_give_up_and_nothing_goes_on_after_the_end() {
    let seat = Seat::new(1).unwrap();
    let over = log(&Question::GiveUp { log: begun("chess", "{}"), seat, at_ms: 1 });
    let end = scene(&over, u32::MAX, None);
    assert_eq!((end.outcome.unwrap().places, end.notations), (vec![1, 2], vec!["resigned".into()]));
    let more = Question::Play { log: over, seat: Seat::FIRST, action: "e2e4".into(), at_ms: 2 };
    assert_eq!(refusal(answer(&more)), "game_over");
}

#[test]
fn whatever_comes_in_an_answer_comes_out() {
    for (text, code) in [
        ("", "bad_question"),
        ("{}", "bad_question"),
        (r#"{"ask":"scene","log":"{}","ply":0,"viewer":null}"#, "bad_log"),
        (r#"{"ask":"begin","game":"go","options":"{}","seats":2,"seed":"1"}"#, "unknown_game"),
        (r#"{"ask":"begin","game":"chess","options":"[]","seats":2,"seed":"1"}"#, "invalid_setup"),
        (
            r#"{"ask":"begin","game":"chess","options":"{}","seats":9,"seed":"1"}"#,
            "invalid_players",
        ),
        (r#"{"ask":"begin","game":"chess","options":"{}","seats":2,"seed":"x"}"#, "bad_seed"),
        (
            r#"{"ask":"legal","sight":{"game":"chess","options":"{}","seats":2,"seat":7,"view":"{}"}}"#,
            "bad_view",
        ),
        (
            r#"{"ask":"legal","sight":{"game":"chess","options":"{}","seats":2,"seat":0,"view":"{}"}}"#,
            "bad_view",
        ),
    ] {
        assert_eq!(refusal(serde_json::from_str(&ask(text)).unwrap()), code, "{text}");
    }
}

#[test]
fn a_bot_beside_the_page_plays_what_is_legal_and_says_how_it_stands() {
    for game in catalog::games() {
        let contest = game.start("{}", *game.meta().seats.start(), Seed::from_number(1)).unwrap();
        let seat = contest.to_act().iter().next().unwrap();
        let sight = sight(game, &*contest, seat);
        let ask_bot = |level| {
            answer(&Question::Advise { sight: sight.clone(), level, think_ms: 1, chance: 7 })
        };
        for level in [1, 4] {
            let Reply::Advice(advice) = ask_bot(level) else { panic!("{}", game.meta().id) };
            let mut next = game.start("{}", contest.seats(), Seed::from_number(1)).unwrap();
            next.act(seat, &advice.action, &mut Telling::default()).unwrap();
            assert_eq!(advice.seat, seat);
            assert!(!advice.notation.is_empty(), "{advice:?}");
            assert!((-100..=100).contains(&advice.standing), "{advice:?}");
            assert_eq!(ask_bot(level), Reply::Advice(advice), "the same chance, the same choice");
        }
        assert_eq!(refusal(ask_bot(9)), "no_bot");
    }
    let sight = Sight { game: "go".to_owned(), ..sight_of_chess() };
    let unknown = Question::Advise { sight, level: 1, think_ms: 1, chance: 7 };
    assert_eq!(refusal(answer(&unknown)), "no_bot");
}

fn sight_of_chess() -> Sight {
    let game = catalog::find("chess").unwrap();
    let contest = game.start("{}", 2, Seed::from_number(1)).unwrap();
    sight(game, &*contest, Seat::FIRST)
}

/// Here no time passes: a bot thinks to its end, or not at all.
fn thought_over(think_ms: u32, log: &str, ply: u32, instead: Option<&str>) -> Judgement {
    let (log, instead) = (log.to_owned(), instead.map(str::to_owned));
    match answer(&Question::Judge { log, ply, instead, think_ms }) {
        Reply::Judged(judgement) => judgement,
        other => panic!("not judged: {other:?}"),
    }
}

fn judged(log: &str, ply: u32, instead: Option<&str>) -> Judgement {
    thought_over(1, log, ply, instead)
}

/// One move from mate: the side to move has won, and before the last mistake it had not.
#[test]
fn a_match_is_judged_by_the_seat_that_was_to_act() {
    let mate = played(begun("chess", "{}"), &["f2f3", "e7e5", "g2g4", "d8h4"]);
    let Judgement { advice, played: did, is_forced } = judged(&mate, 3, None);
    assert_eq!((advice.seat.index(), &*advice.action, &*advice.notation), (1, "d8h4", "Qh4#"));
    assert_eq!((did.as_deref(), is_forced), (Some("d8h4"), false));
    assert!(advice.standing > 95, "{advice:?}");
    let before = judged(&mate, 2, None);
    assert_eq!((before.advice.seat, before.played.as_deref()), (Seat::FIRST, Some("g2g4")));
    assert!(before.advice.standing > -60, "g2g4 was not forced");
    let other = judged(&mate, 2, Some(&before.advice.action));
    assert_eq!((other.advice.seat.index(), other.played), (1, None));
    assert!(other.advice.standing < 60, "another move leaves no mate");
    let over = Question::Judge { log: mate, ply: 4, instead: None, think_ms: 1 };
    assert_eq!(refusal(answer(&over)), "not_your_turn");
}

#[test]
fn what_was_forced_taken_back_or_no_action_is_known_as_such() {
    let glanced = |log: &str, ply: u32| thought_over(0, log, ply, None);
    let check = played(begun("chess", "{}"), &["e2e4", "f7f5", "d1h5", "g7g6"]);
    assert!(glanced(&check, 3).is_forced, "a pawn between is the only way out");
    let given_up =
        log(&Question::GiveUp { log: begun("chess", "{}"), seat: Seat::FIRST, at_ms: 1 });
    assert_eq!(glanced(&given_up, 0).played, None);
    let entry = |ply: u8, seat: u8, kind: &str| {
        format!(r#"{{"ply":{ply},"seat":{seat},"at_ms":1,"nonce":{ply},"epoch":0,"kind":{kind}}}"#)
    };
    let entries = [
        entry(0, 0, r#"{"act":"e2e4"}"#),
        entry(1, 1, r#"{"act":"e7e5"}"#),
        entry(2, 1, r#"{"takeback":1}"#),
        entry(3, 1, r#"{"act":"c7c5"}"#),
    ];
    let none = begun("chess", "{}");
    let text = none.replace(r#""entries":[]"#, &format!(r#""entries":[{}]"#, entries.join(",")));
    assert_ne!(text, none);
    for (ply, expected) in [(0, Some("e2e4")), (1, None), (2, None), (3, Some("c7c5"))] {
        assert_eq!(glanced(&text, ply).played.as_deref(), expected, "ply {ply}");
    }
}

#[test]
fn a_review_blames_the_move_that_let_the_fool_be_mated() {
    let mate = played(begun("chess", "{}"), &["f2f3", "e7e5", "g2g4", "d8h4"]);
    let mut review = Review::new(4, 2);
    for ply in 0..4 {
        review.note(ply, judged(&mate, ply, None));
        if let Some((ply, action)) = review.doubt() {
            review.settle(&judged(&mate, ply, Some(&action)).advice);
        }
    }
    let turns = review.turns();
    let worst = turns.iter().max_by_key(|turn| turn.loss).unwrap();
    assert_eq!(worst.ply, 2, "{turns:?}");
    assert!(turns.iter().all(|turn| turn.ply % 2 == 0), "Black did nothing wrong: {turns:?}");
}

#[test]
fn a_draw_is_agreed_on_where_the_game_knows_one() {
    let drawn = log(&Question::AgreeDraw { log: begun("chess", "{}"), at_ms: 1 });
    let end = scene(&drawn, u32::MAX, None);
    let outcome = end.outcome.unwrap();
    assert_eq!((outcome.places, &*outcome.reason), (vec![1, 1], "agreed"));
    assert_eq!(end.notations, ["agree draw"]);
    assert_eq!(refusal(answer(&Question::AgreeDraw { log: drawn, at_ms: 2 })), "game_over");
    let unknown = Question::AgreeDraw { log: begun("santorini", "{}"), at_ms: 1 };
    assert_eq!(refusal(answer(&unknown)), "no_draw");
}
