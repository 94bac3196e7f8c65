//! Action texts, positions and GCG: every legal spelling is read, everything else is refused with a
//! code, and nothing panics.

#![expect(clippy::unwrap_used, reason = "in a test's helper it is the failure")]

mod kit;

use std::str::FromStr;
use std::sync::Arc;

use game_api::{
    AnyGame, Circumstances, Entry, EntryKind, Erased, Game, GameRng, Seat, Seed, Seen, Telling,
    Viewer, Violation as _,
};
use scrabble::gcg::{Deed, Gcg};
use scrabble::{Action, Board, Challenge, ChallengeRule, Options, Scrabble};

const EMPTY: &str = "...............";

#[test]
fn no_more_than_the_best_plays_are_listed() {
    let game = kit::game();
    let board = [EMPTY; 15].join("/");
    let options = game.complete(Options::classic());
    let text = format!("{board} AEST??R,EEEEEEE 0,0 0");
    let (_, state) = game.position(&options, &text, &Seed::from_number(1)).unwrap();
    let mut listed = Vec::new();
    game.legal_actions(&state, Seat::FIRST, &mut listed);
    let plays = listed.iter().filter(|action| matches!(action, Action::Play(_))).count();
    assert_eq!(plays, scrabble::PLAYS_LISTED);
}

#[test]
fn one_spelling_an_action() {
    for text in [
        "8G:WORD",
        "G8:WORD",
        "15O:A",
        "A1:wOrD",
        "8G:WORD+boom@C3",
        "8G:WORD+boom@C3+negative@D3+boom@A15",
        "exchange:AB?",
        "exchange:AAB??",
        "exchange:?",
        "buy:boom",
        "buy:whatever",
        "pass",
        "accept",
        "challenge",
    ] {
        assert_eq!(text.parse::<Action>().unwrap().to_string(), text);
    }
    for odd in [
        "",
        ":",
        "8G",
        "8G:",
        "G8:",
        "8G:WÖRD",
        "8G:WO.D",
        "8G:WO RD",
        "08G:WORD",
        "8g:WORD",
        "0G:WORD",
        "16G:WORD",
        "8P:WORD",
        "8G:ABCDEFGHIJKLMNOP",
        "8G:WORD+",
        "8G:WORD+boom",
        "8G:WORD+boom@",
        "8G:WORD+boom@C33",
        "8G:WORD+Boom@C3",
        "8G:WORD+boom@3C",
        "8G:WORD+boom@D3+boom@C3",
        "8G:WORD+boom@C3+boom@C3",
        "exchange:",
        "exchange:BA",
        "exchange:?A",
        "exchange:a",
        "exchange:AAAAAAAAAAAAAAAA",
        "buy:",
        "buy:Boom",
        "buy:boom2",
        "buy:abcdefghijklmnopq",
        "PASS",
        " pass",
        "pass ",
        "accept!",
        "challenge:",
        "é",
        "8é:WORD",
        "\0",
    ] {
        let violation = Action::from_str(odd).unwrap_err();
        assert_eq!(violation.code(), "invalid_action", "{odd:?}");
    }
}

/// A board with one row in the middle and nothing else.
fn board(row_8: &str) -> String {
    let mut rows = [EMPTY; 15];
    rows[7] = row_8;
    rows.join("/")
}

#[track_caller]
fn check_position(options: &Options, text: &str, expected: Result<&str, &str>) {
    let game = kit::game();
    let read = game.position(options, text, &Seed::from_number(1));
    match (read, expected) {
        (Ok((seats, state)), Ok(pools)) => {
            assert_eq!(usize::from(seats), state.racks.len());
            assert_eq!(game.to_act(&state).len(), 1, "{text}");
            let sizes: Vec<String> = state.pools.iter().map(|it| it.len().to_string()).collect();
            assert_eq!(sizes.join(","), pools, "{text}");
        }
        (Err(error), Err(words)) => {
            let is_told = error.code() == "invalid_position" || error.code() == "invalid_players";
            assert!(is_told && error.to_string().contains(words), "{text}: {error}");
        }
        (read, expected) => panic!("{text}: {:?}, expected {expected:?}", read.err()),
    }
}

#[test]
fn a_position_says_all_that_is_not_hidden() {
    let classic = Options::classic();
    let cat = board(".......CAT.....");
    check_position(&classic, &format!("{cat} ABC,DEF 10,-3 1"), Ok("91"));
    check_position(&classic, &format!("{cat} ABCDEFG,-,Z 1,2,3 2"), Ok("89"));
    check_position(&classic, &format!("{cat} A,B 0,0 0 -"), Ok("0"));
    check_position(&classic, &format!("{cat} A,B 0,0 0 QZ?"), Ok("3"));
    check_position(&classic, &format!("{} AB,C 0,0 0", board(EMPTY)), Ok("97"));
    let a = Options::contract_a();
    // The letters on the board come from both inventories in turn.
    check_position(&a, &format!("{cat} AB,C 0,0 0"), Ok("94,96"));
    check_position(&a, &format!("{cat} AB,C 0,0 0 EE,-"), Ok("2,0"));
    let island = format!("{}/{}", "CAT............", [EMPTY; 14].join("/"));
    check_position(&a, &format!("{island} A,B 0,0 0"), Ok("95,96"));
    let b = Options::contract_b();
    let game = kit::game();
    let (_, state) =
        game.position(&b, &format!("{cat} OW,C 0,0 0"), &Seed::from_number(1)).unwrap();
    let action = "H8:COW".parse().unwrap();
    assert_eq!(game.apply(&state, Seat::FIRST, &action).unwrap().scores, [8, 0]);
}

#[test]
fn a_position_is_refused_with_the_reason() {
    let classic = Options::classic();
    let cat = board(".......CAT.....");
    let check = |text: &str, words: &str| check_position(&classic, text, Err(words));
    check("", "it reads BOARD");
    check(&format!("{cat} A,B 0,0"), "it reads BOARD");
    check(&format!("{cat} A,B 0,0 0 Q extra"), "it reads BOARD");
    check("CAT A,B 0,0 0", "fifteen rows");
    check(&format!("{cat}/{EMPTY} A,B 0,0 0"), "fifteen rows");
    check(&format!("{} A,B 0,0 0", board(".......CAT....")), "fifteen rows");
    check(&format!("{} A,B 0,0 0", board(".......C4T.....")), "4 is no letter");
    check(&format!("{} A,B 0,0 0", board(".......CÄT.....")), "Ä is no letter");
    check(&format!("{cat} A1,B 0,0 0"), "tiles are written");
    check(&format!("{cat} A,,B 0,0,0 0"), "is written -");
    check(&format!("{cat} A 0 0"), "1 seats");
    check(&format!("{cat} A,B,C,D,E 0,0,0,0,0 0"), "5 seats");
    check(&format!("{cat} ABCDEFGH,B 0,0 0"), "more than 7");
    check(&format!("{cat} A,B 0 0"), "the scores");
    check(&format!("{cat} A,B 0,x 0"), "the scores");
    check(&format!("{cat} A,B 0,9999999999 0"), "the scores");
    check(&format!("{cat} A,B 0,-2147483648 0"), "the scores");
    check(&format!("{cat} A,B 0,0 2"), "seat");
    check(&format!("{cat} A,B 0,0 00"), "seat");
    check(&format!("{cat} QQ,B 0,0 0"), "not so many Q");
    check(&format!("{cat} A,B 0,0 0 ZZ"), "not so many Z");
    check(&format!("{cat} C,C 0,0 0"), "not so many C");
    check(&format!("{cat} A,B 0,0 0 Q,Q"), "1 pools");
    check(&format!("{cat} A,- 0,0 0 -"), "would be over");
    check(&format!("{} A,B 0,0 0", board("CAT............")), "H8 is empty");
    check(&format!("{} A,B 0,0 0", board(".......CAT...AT")), "joined to nothing");
    check(&format!("{} A,B 0,0 0", board(".......TAC.....")), "TAC is not in the list");
    check(&format!("{} A,B 0,0 0", board(".......A.......")), "single letter");
    // With specials letters can be anywhere, but not more than there are.
    let a = Options::contract_a();
    check_position(&a, &format!("{} ?,B 0,0 0", board(EMPTY)), Err("not so many ?"));
    check_position(&a, &format!("{} A,B 0,0 0", board("QQQ............")), Err("not so many Q"));
    check_position(&a, &format!("{cat} A,B 0,0 0 -"), Err("2 pools"));
}

/// The text with a few letters changed, dropped or doubled.
fn spoil(text: &str, rng: &mut fastrand::Rng) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..rng.usize(1..4) {
        let at = rng.usize(..=letters.len());
        match rng.u8(..5) {
            0 => letters.truncate(at),
            1 if at < letters.len() => drop(letters.remove(at)),
            2 => letters
                .insert(at, ['/', ',', '.', '?', ' ', '-', '9', 'Z', 'é', '\0'][rng.usize(..10)]),
            _ if at < letters.len() => letters[at] = char::from(rng.u8(b' '..=b'~')),
            _ => {}
        }
    }
    letters.into_iter().collect()
}

#[test]
fn no_text_panics() {
    let mut rng = fastrand::Rng::with_seed(7);
    let game = kit::game();
    let cat = board(".......CAT.....");
    let positions = [format!("{cat} ABC,DEF 10,-3 1"), format!("{cat} A,B,C 0,0,0 0 QZ?,-,EE")];
    let presets = [Options::classic(), Options::contract_a(), Options::contract_b()];
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let options = &presets[rng.usize(..3)];
        let text = spoil(&positions[rng.usize(..2)], &mut rng);
        match game.position(options, &text, &Seed::from_number(1)) {
            Ok((_, state)) => {
                accepted += 1;
                let seat = game.to_act(&state).iter().next().unwrap();
                let action = spoil("H8:COW+boom@H11", &mut rng).parse();
                if let Ok(action) = action
                    && let Err(violation) = game.apply(&state, seat, &action)
                {
                    assert!(!violation.code().is_empty());
                }
            }
            Err(error) => {
                refused += 1;
                assert!(["invalid_position", "invalid_players"].contains(&error.code()));
            }
        }
        let _ = spoil(SAMPLE, &mut rng).parse::<Gcg>().map(|gcg| gcg.replay(game.lexicon()));
    }
    assert!(accepted > 100 && refused > 100, "{accepted} {refused}");
}

/// Views and options as a browser might send them to its rules.
#[test]
fn no_view_panics() {
    let mut rng = fastrand::Rng::with_seed(11);
    let game = Erased::new(kit::game());
    let (mut answered, mut refused) = (0, 0);
    for (_, options) in game.presets() {
        let mut contest = game.start(&options, 3, Seed::from_number(1)).unwrap();
        for _ in 0..8 {
            let seat = contest.to_act().iter().next().unwrap();
            let action = contest.legal(seat).unwrap().actions.swap_remove(0);
            contest.act(seat, &action, &mut Telling::default()).unwrap();
            let view = String::from_utf8(contest.view(Viewer::Seat(seat)).unwrap()).unwrap();
            for _ in 0..300 {
                let view = spoil(&view, &mut rng);
                let options = if rng.bool() { spoil(&options, &mut rng) } else { options.clone() };
                let seen = Seen { options: &options, seats: 3, seat, view: &view };
                let foreseen = game.preview_by_view(&seen, &action);
                match game.legal_by_view(&seen).map(drop).or(foreseen.map(drop)) {
                    Ok(()) => answered += 1,
                    Err(error) => refused += usize::from(!error.code.is_empty()),
                }
            }
        }
    }
    assert!(answered > 10 && refused > 1_000, "{answered} {refused}");
}

const SAMPLE: &str = "#character-encoding UTF-8
#player1 ada Ada Lovelace
#player2 bob Bob
>ada: ACT?EEO 8H CaT +8 8
>bob: OWSEEEE H8 .OW +8 8
>ada: EEEEOOO -EEO +0 8
>bob: SEEEEEE 8H (CAT)S +5 13
>ada: EEEEOOO - +0 8
>bob: EEEEEEE - +0 13
>ada: EEEEOOO (EEEEOOO) -7 1
>bob: EEEEEEE (EEEEEEE) -7 6
";

#[test]
fn gcg_is_read_and_played_again() {
    let gcg: Gcg = SAMPLE.parse().unwrap();
    assert_eq!((gcg.players.len(), gcg.lines.len()), (2, 8));
    assert_eq!(gcg.players[0].name, "Ada Lovelace");
    let (board, scores) = gcg.replay(kit::game().lexicon()).unwrap();
    assert_eq!(scores, [1, 6]);
    let row = |board: &Board, number: usize| board.rows()[number - 1].clone();
    assert_eq!([row(&board, 8), row(&board, 9)], [".......CaTS....", ".......O......."]);
    assert_eq!(gcg.to_string().parse::<Gcg>().unwrap(), gcg);
}

#[track_caller]
fn check_gcg(from: &str, to: &str, words: &str) {
    let text = SAMPLE.replace(from, to);
    assert_ne!(text, SAMPLE, "{from}");
    let read = text.parse::<Gcg>().and_then(|gcg| gcg.replay(kit::game().lexicon()));
    let error = read.unwrap_err().to_string();
    assert!(error.contains(words), "{from} to {to}: {error}");
}

#[test]
fn gcg_is_refused_with_the_line_and_the_reason() {
    check_gcg("8H CaT", "8Z CaT", "line 4");
    check_gcg("8H CaT", "8H C4T", "letters, dots and brackets");
    check_gcg("+8 8\n>bob", "+9 8\n>bob", "CaT scores 8");
    check_gcg("+8 8\n>bob", "+8 9\n>bob", "the total is 8");
    check_gcg("8H CaT", "8H TaC", "TaC is not in the list");
    check_gcg("ACT?EEO 8H", "ACTEEEO 8H", "too few ?");
    check_gcg(">bob: OW", ">eve: OW", "no such player");
    check_gcg("#player2", "#player3", "numbered");
    check_gcg("#player2 bob Bob", "#player2 ada Ada", "name of its own");
    check_gcg("-EEO", "--E", "tiles are written");
    check_gcg("-EEO +0", "-EEO +x", "whole numbers");
    check_gcg("H8 .OW", "H8 ..W", "off the board");
    check_gcg("#character", "character", "begins with");
}

/// A random match, exported as the server does it.
fn export(options: &Options, seats: u8, number: u64) -> (String, scrabble::State) {
    let game = kit::game();
    let mut contest = game_api::Match::start(
        Arc::new(kit::game()),
        options.clone(),
        seats,
        Seed::from_number(number),
    )
    .unwrap();
    let mut rng = GameRng::new(&Seed::from_number(number));
    let mut entries = Vec::new();
    while let Some(seat) = contest.to_act().iter().next() {
        let action = game.sample(contest.state(), seat, &mut rng).unwrap();
        let kind = EntryKind::Act(action.to_string());
        let ply = contest.ply();
        entries.push(Entry { ply, seat: Some(seat), at_ms: 0, nonce: 0, epoch: 0, kind });
        contest.apply(seat, action).unwrap();
    }
    let log = contest.log(entries).unwrap();
    let erased = Erased::new(kit::game());
    let around = Circumstances {
        players: vec![Some("Ada L.".to_owned()), None, Some("Ada L.".to_owned())],
        ..Circumstances::default()
    };
    let text = erased.export(&log, &around, &erased.formats()[0]).unwrap();
    (text, contest.state().clone())
}

#[test]
fn an_exported_match_is_read_back_to_the_same_board_and_points() {
    let rules = [None, Some(ChallengeRule::Double), Some(ChallengeRule::Ten)];
    let mut withdrawn = 0;
    for number in 0..30 {
        let rule = rules[usize::try_from(number % 3).unwrap()];
        let challenge = rule.map(|rule| Challenge { rule, ..Challenge::default() });
        let options = Options { challenge, ..Options::classic() };
        let seats = 2 + u8::try_from(number % 2).unwrap();
        let (text, state) = export(&options, seats, number);
        let gcg: Gcg = text.parse().unwrap();
        withdrawn += gcg.lines.iter().filter(|line| line.deed == Deed::Withdrawn).count();
        // A bluff that nobody challenged stands on the board: words are not looked up then.
        let played = gcg.replay(kit::game().lexicon());
        let is_bluff =
            challenge.is_some() && !gcg.lines.iter().any(|it| it.deed == Deed::Withdrawn);
        match played {
            Ok(played) => assert_eq!(played, (state.board, state.scores), "match {number}: {text}"),
            Err(error) => assert!(is_bluff, "match {number}: {error}: {text}"),
        }
    }
    assert!(withdrawn > 0);
}

#[test]
fn an_export_of_a_match_with_specials_says_so() {
    let (text, _) = export(&Options::contract_b(), 2, 1);
    assert!(text.contains("#note played with specials"), "{text}");
    assert!(text.parse::<Gcg>().is_ok());
}

#[test]
fn a_running_match_lists_all_plays_with_their_scores() {
    let game = Erased::new(kit::game());
    let text = format!("{} OW,Z 0,0 0", board(".......CAT....."));
    let mut contest = game.start_from_position("{}", &text, Seed::from_number(1)).unwrap();
    let plays = contest.plays(Seat::FIRST).unwrap();
    assert!(plays.contains(&("H8:COW".to_owned(), 8)), "{plays:?}");
    assert!(plays.is_sorted_by(|one, two| one.1 >= two.1));
    assert!(contest.plays(Seat::FIRST.after(1, 2)).unwrap().is_empty());
    for (action, _) in plays {
        contest.preview(Seat::FIRST, &action).unwrap();
    }
    contest.act(Seat::FIRST, "H8:COW", &mut Telling::default()).unwrap();
    let legal = contest.legal(Seat::FIRST.after(1, 2)).unwrap();
    assert_eq!(legal.actions.last().unwrap(), "pass");
    assert!(legal.actions.contains(&"exchange:Z".to_owned()));
}

#[test]
fn three_presets_have_names() {
    let game: Scrabble = kit::game();
    let names: Vec<&str> = game.presets().iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["classic", "contract-a", "contract-b"]);
    for (name, options) in game.presets() {
        let json = serde_json::to_string(&options).unwrap();
        assert_eq!(serde_json::from_str::<Options>(&json).unwrap(), options, "{name}");
        assert_eq!(options.words.unwrap().name, "test");
    }
    assert!(serde_json::from_str::<Options>("{\"blank\":1}").is_err());
}
