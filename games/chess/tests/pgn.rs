//! Games as text: what is written is read back to the letter, and what is no game is told where.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use chess::pgn::{Pgn, PgnResult};
use chess::{Chess, Options, Variant};
use game_api::{Game, Seed, Step};
use proptest::prelude::*;

fn games() -> u64 {
    if std::env::var_os("PARLOR_SOAK").is_some() { 1_000 } else { 100 }
}

/// A random match with clocks, comments and annotations.
fn random_game(number: u64) -> Pgn {
    let mut chooser = fastrand::Rng::with_seed(number);
    let variant = if number.is_multiple_of(3) { Variant::Chess960 } else { Variant::Standard };
    let options = Options { variant, ..Options::default() };
    let mut state = Chess.setup(&options, 2, &Seed::from_number(number)).unwrap();
    let mut pgn = Pgn::begin(&state);
    pgn.set_tag("White", "\"Ann\" \\ Co");
    pgn.set_tag("Annotator", "");
    let mut actions = Vec::new();
    while let Some(seat) = Chess.to_act(&state).iter().next() {
        actions.clear();
        Chess.legal_actions(&state, seat, &mut actions);
        let action = actions[chooser.usize(..actions.len())];
        let after = Chess.apply(&state, seat, &action).unwrap();
        let clock_s = chooser.bool().then(|| chooser.u32(..20_000));
        pgn.add(&Step { before: &state, seat, action: &action, after: &after }, clock_s);
        state = after;
        if let (0, Some(last)) = (chooser.u8(..8), pgn.moves.last_mut()) {
            last.comment = Some("a (word) $1 ; 1-0\n{and} % more".to_owned());
            last.nags.push(chooser.u8(..));
        }
    }
    pgn.finish(&Chess.outcome(&state).unwrap());
    pgn
}

#[test]
fn export_import_export_is_identity() {
    for number in 0..games() {
        let game = random_game(number);
        let text = game.to_string();
        let read = Pgn::parse(&text).unwrap_or_else(|error| panic!("game {number}: {error}"));
        assert_eq!(read.len(), 1, "game {number}");
        assert_eq!(read[0].to_string(), text, "game {number}");
        let line = |pgn: &Pgn| pgn.moves.iter().map(|mv| (mv.uci, mv.clock_s)).collect::<Vec<_>>();
        assert_eq!(line(&read[0]), line(&game), "game {number}");
        assert_eq!(read[0].result, game.result, "game {number}");
        assert!(text.lines().all(|line| line.len() < 80 || line.starts_with('[')), "game {number}");
    }
}

#[test]
fn an_imported_game_plays_as_a_match() {
    for number in 0..10 {
        let read = Pgn::parse(&random_game(number).to_string()).unwrap().remove(0);
        let mut state = Chess.setup(&read.options(), 2, &Seed::from_number(99)).unwrap();
        for mv in &read.moves {
            let seat = Chess.to_act(&state).iter().next().unwrap();
            state = Chess.apply(&state, seat, &chess::Action::Move(mv.uci)).unwrap();
            assert_eq!(state.last().unwrap().san, mv.san, "game {number}");
        }
    }
}

#[test]
fn what_is_found_in_the_wild_is_read() {
    let text = "\u{feff}% made by hand\n[Event \"Casual\"]\n[ White \"A\" ]\r\n[Black\"B\"]\n\n\
        {Before} 1.e4! $14 {[%clk 0:10:00.5] best} e5 (1... c5 {Sicilian :)} (1... e6) 2. Nf3) \
        2.Nf3 ; the knight\n 2... Nc6 3. Bc4 Bc5 4.0-0 Nf6?! 5 d3 O-O 1/2-1/2\n\n\n\
        1. f3 e5 2. g4 Qh4# 0-1 *";
    let games = Pgn::parse(text).unwrap();
    assert_eq!(games.len(), 3);
    assert_eq!(games[0].tag("White"), Some("A"));
    assert_eq!(games[0].comment.as_deref(), Some("Before"));
    assert_eq!(
        games[0].to_string().lines().skip(8).collect::<Vec<_>>(),
        [
            "{ Before } 1. e4 $1 $14 { [%clk 0:10:00] best } 1... e5 2. Nf3 { the knight }",
            "2... Nc6 3. Bc4 Bc5 4. O-O Nf6 $6 5. d3 O-O 1/2-1/2",
        ]
    );
    assert_eq!(games[1].result, PgnResult::Black);
    assert_eq!(games[1].moves.last().unwrap().san.as_str(), "Qh4#");
    assert!(games[2].moves.is_empty());
}

#[test]
fn old_files_are_latin_1() {
    let games = Pgn::parse_bytes(b"[White \"M\xfcller\"]\n1. e4 *").unwrap();
    assert_eq!(games[0].tag("White"), Some("Müller"));
}

#[track_caller]
fn check_fault(text: &str, expected: &str) {
    let error = Pgn::parse(text).err().unwrap_or_else(|| panic!("{text:?} was read"));
    assert_eq!(error.to_string(), expected, "{text:?}");
}

#[test]
fn what_is_no_game_is_told_with_line_and_column() {
    for (text, expected) in [
        ("1. e4 e5", "line 1, column 9: the game has no result: 1-0, 0-1, 1/2-1/2 or *"),
        ("1. e4\ne4 *", "line 2, column 1: \"e4\" is no legal move here"),
        ("1. e4 é *", "line 1, column 7: 'é' does not belong here"),
        ("é", "line 1, column 1: 'é' does not belong here"),
        ("1. e4 {never\nclosed", "line 1, column 7: a comment is not closed"),
        ("1. e4 (1. d4\n*", "line 1, column 7: a variation is not closed"),
        ("1. e4 (1. d4 {x\n*", "line 1, column 14: a comment is not closed"),
        ("1. e4 ) *", "line 1, column 7: a variation is closed that was not opened"),
        ("1. e4 $256 *", "line 1, column 7: an annotation is $0 to $255"),
        ("1. e4 $ *", "line 1, column 7: an annotation is $0 to $255"),
        ("[Event \"x]\n*", "line 1, column 1: a tag is written [Name \"value\"]"),
        ("[Event x]", "line 1, column 1: a tag is written [Name \"value\"]"),
        ("\n [\"x\"]", "line 2, column 2: a tag is written [Name \"value\"]"),
        ("[Event \"x\"", "line 1, column 1: a tag is written [Name \"value\"]"),
        ("1. Ke2 *", "line 1, column 4: \"Ke2\" is no legal move here"),
        ("1. O-O *", "line 1, column 4: \"O-O\" is no legal move here"),
        ("1. -- *", "line 1, column 4: \"--\" is no legal move here"),
    ] {
        check_fault(text, expected);
    }
    let error = Pgn::parse("[A \"\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n*").err().unwrap();
    assert_eq!((error.line, error.column), (2, 1), "{error}");
    // The king's move to the rook's square is not castling.
    let start = "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n";
    check_fault(&format!("{start}1. Kh1 *"), "line 2, column 4: \"Kh1\" is no legal move here");
}

fn write_all(games: &[Pgn]) -> String {
    games.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Pgn::parse_bytes(&bytes);
    }

    #[test]
    fn a_spoilt_game_is_read_or_refused(
        number in 0_u64..50,
        at in any::<prop::sample::Index>(),
        letter in any::<char>(),
    ) {
        let mut letters: Vec<char> = random_game(number).to_string().chars().collect();
        let at = at.index(letters.len());
        letters[at] = letter;
        let text: String = letters.into_iter().collect();
        if let Ok(games) = Pgn::parse(&text) {
            let once = write_all(&games);
            prop_assert_eq!(write_all(&Pgn::parse(&once).unwrap()), once);
        }
    }
}
