//! What the browser is told is what the server would say.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use client_core::{Question, Reply, Scene, Sight};
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

/// One move from mate: the side to move has won, and before the last mistake it had not.
#[test]
fn a_match_is_judged_by_the_seat_that_was_to_act() {
    let mut text = log(&Question::Begin {
        game: "chess".to_owned(),
        options: "{}".to_owned(),
        seats: 2,
        seed: "2a".to_owned(),
    });
    for (index, action) in ["f2f3", "e7e5", "g2g4"].into_iter().enumerate() {
        let seat = Seat::new(u8::try_from(index % 2).unwrap()).unwrap();
        text = log(&Question::Play { log: text, seat, action: action.to_owned(), at_ms: 0 });
    }
    let judge = |ply| match answer(&Question::Judge { log: text.clone(), ply, think_ms: 1 }) {
        Reply::Advice(advice) => advice,
        other => panic!("no advice: {other:?}"),
    };
    let mate = judge(3);
    assert_eq!((mate.seat.index(), &*mate.action), (1, "d8h4"));
    assert_eq!(mate.notation, "Qh4#");
    assert!(mate.standing > 95, "{mate:?}");
    assert!(judge(2).standing > -60, "g2g4 was not forced");
}
