//! R1 to R4: the table, the start, the moves, and the end on the board.

use chess::{Chess, Options, Reason, Violation};
use game_api::{Game, Seed, Step, Viewer, Violation as _};

use crate::{
    FIRST, START, begin, check_code, check_ended, check_no_start, check_refused, check_targets,
    chess960, deal, legal, mover, play, position, refusal, second, standard,
};

#[test]
fn r1_1_seat_0_is_white_seat_1_black() {
    assert_eq!(Chess::META.seats, 2..=2);
    let state = play(&deal(&standard()), "e2e4");
    assert_eq!(state.fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    assert_eq!(mover(&state), second());
    assert!(Chess.setup(&standard(), 3, &Seed::from_number(1)).is_err());
}

#[test]
fn r1_2_white_moves_first_and_turns_alternate() {
    let mut state = deal(&standard());
    for (turn, action) in (0..).zip(["e2e4", "e7e5", "g1f3", "b8c6"]) {
        assert_eq!(mover(&state).index(), usize::try_from(turn % 2).unwrap());
        assert_eq!(Chess.turn(&state), turn);
        state = play(&state, action);
    }
    assert_eq!(mover(&position("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1")), second());
}

#[test]
fn r1_3_everybody_sees_the_same() {
    let before = deal(&standard());
    let after = play(&before, "e2e4");
    let action = "e2e4".parse().unwrap();
    let step = Step { before: &before, seat: FIRST, action: &action, after: &after };
    let views: Vec<_> = Viewer::all(2).map(|viewer| Chess.view(&after, viewer)).collect();
    let events: Vec<_> = Viewer::all(2).map(|viewer| Chess.event(&step, viewer)).collect();
    assert!(views.iter().all(|view| *view == views[0]));
    assert!(events.iter().all(|event| *event == events[0]));
    assert!(!Chess.reveals(&step));
}

#[test]
fn r1_4_only_the_seat_whose_turn_it_is_acts() {
    let state = deal(&standard());
    let violation = Chess.apply(&state, second(), &"e7e5".parse().unwrap()).err().unwrap();
    assert_eq!(violation, Violation::NotYourTurn { seat: second(), to_act: FIRST });
    let mut actions = Vec::new();
    Chess.legal_actions(&state, second(), &mut actions);
    assert!(actions.is_empty());
}

#[test]
fn r2_1_the_usual_start() {
    let state = deal(&standard());
    assert_eq!(state.fen(), START);
    assert_eq!(legal(&state).len(), 20);
}

#[test]
fn r2_2_chess960_by_number_or_from_the_seed() {
    let numbered = |number| deal(&Options { number: Some(number), ..chess960() }).fen();
    assert_eq!(numbered(518), START.replace("KQkq", "HAha"));
    assert_eq!(numbered(0).split('/').next(), Some("bbqnnrkr"));
    assert_eq!(numbered(959).split('/').next(), Some("rkrnnqbb"));
    let drawn = |seed| Chess.setup(&chess960(), 2, &Seed::from_number(seed)).unwrap().fen();
    assert_eq!(drawn(3), drawn(3));
    assert!((0..8).any(|seed| drawn(seed) != drawn(100)));
    check_no_start(&Options { number: Some(960), ..chess960() }, "0 to 959");
    check_no_start(&Options { number: Some(518), ..standard() }, "only Chess960");
}

#[test]
fn r2_3_a_start_from_a_position_that_a_match_can_go_on_from() {
    let from = |fen: &str| Options { fen: Some(fen.to_owned()), ..standard() };
    let fen = "4k3/8/8/8/8/8/4P3/4K2R b K - 12 34";
    let state = deal(&from(fen));
    assert_eq!((state.fen(), state.start().fen.as_str()), (fen.to_owned(), fen));
    for (fen, said) in [
        ("", "six fields"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1 ", "six fields"),
        ("4k3/8/8/8/8/8/4K2R w K - 0 1", "eight ranks"),
        ("4k3/8/8/8/8/8/7/4K2R w K - 0 1", "rank 2 has 7 squares"),
        ("4k3/9/8/8/8/8/8/4K2R w K - 0 1", "'9'"),
        ("4k3/8/8/8/8/8/8/4X2R w - - 0 1", "'X'"),
        ("8/8/8/8/8/8/8/4K2R w K - 0 1", "Black has 0 kings"),
        ("4k3/8/8/8/8/8/8/3KK2R w K - 0 1", "White has 2 kings"),
        ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "White has more men"),
        ("4k3/8/8/8/8/QQ6/PPPPPPPP/4K3 w - - 0 1", "White has more men"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "a pawn stands"),
        ("4k3/8/8/8/8/8/8/4K2R x K - 0 1", "w or b"),
        ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "in check"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling right 'K'"),
        ("4k3/8/8/8/8/8/8/3K3R w K - 0 1", "castling right 'K'"),
        ("4k3/8/8/8/8/8/8/4K2R w H - 0 1", "castling right 'H'"),
        ("4k3/8/8/8/8/8/8/4K2R w KK - 0 1", "without repetition"),
        ("4k3/8/8/8/8/8/8/4K2R w K e6 0 1", "en passant"),
        ("4k3/8/8/8/8/8/8/4K2R w K e9 0 1", "en passant"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 151 1", "0 to 150"),
        ("4k3/8/8/8/8/8/8/4K2R w K - +1 1", "0 to 150"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 0", "1 to 9999"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 10000", "1 to 9999"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "over before it began"),
    ] {
        check_no_start(&from(fen), said);
    }
    check_no_start(&Options { number: Some(1), fen: Some(START.into()), ..chess960() }, "which");
}

#[test]
fn r2_4_a_testers_position_may_be_over() {
    check_ended(&position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), &[1, 1], "stalemate");
    let error = Chess.position(&standard(), "nonsense", &Seed::from_number(1)).err().unwrap();
    assert_eq!(error.code(), "invalid_position");
}

#[test]
fn r2_5_how_rights_are_written() {
    let inner = "4k3/8/8/8/8/8/8/RR2K1RR w GB - 0 1";
    assert_eq!(begin(&chess960(), inner).fen(), inner);
    let outermost = "4k3/8/8/8/8/8/8/RR2K1RR w KQ - 0 1";
    assert_eq!(begin(&chess960(), outermost).fen(), inner.replace("GB", "HA"));
    let state = play(&position("4k3/8/8/8/5p2/8/4P1P1/4K3 w - - 0 1"), "e2e4");
    assert_eq!(state.fen(), "4k3/8/8/8/4Pp2/8/6P1/4K3 b - e3 0 1");
    let state = play(&position("4k3/8/8/8/3p4/8/4P1P1/4K3 w - - 0 1"), "g2g4");
    assert_eq!(state.fen(), "4k3/8/8/8/3p2P1/8/4P3/4K3 b - - 0 1");
}

#[test]
fn r3_1_the_pieces_move_as_usual() {
    let board = |man: char| format!("8/7k/3p4/8/3{man}2P1/8/8/K7 w - - 0 1");
    check_targets(&board('N'), "d4", "c2 e2 b3 f3 b5 f5 c6 e6");
    check_targets(&board('B'), "d4", "g1 b2 f2 c3 e3 c5 e5 b6 f6 a7 g7 h8");
    check_targets(&board('R'), "d4", "d1 d2 d3 a4 b4 c4 e4 f4 d5 d6");
    check_targets("7k/8/8/8/1p1p4/2PKP3/8/8 w - - 0 1", "d3", "c2 d2 e2 c4 d4 e4");
    check_targets("k7/8/8/2ppp3/2pQp3/2ppp3/8/7K w - - 0 1", "d4", "c3 d3 e3 c4 e4 c5 d5 e5");
    check_targets(START, "g1", "f3 h3");
    check_targets(START, "a1", "");
}

#[test]
fn r3_2_pawns() {
    check_targets(START, "e2", "e3 e4");
    check_targets("4k3/8/8/8/8/3p1p2/4P3/4K3 w - - 0 1", "e2", "d3 e3 f3 e4");
    check_targets("4k3/8/8/8/4n3/8/4P3/4K3 w - - 0 1", "e2", "e3");
    check_targets("4k3/8/8/8/8/4n3/4P3/K7 w - - 0 1", "e2", "");
    check_targets("4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "e3", "e4");
    check_targets("4k3/4p3/3P1P2/8/8/8/8/4K3 b - - 0 1", "e7", "e5 d6 e6 f6");
}

#[test]
fn r3_3_en_passant_with_the_very_next_move() {
    let state = play(&position("4k3/4p3/8/3P4/8/8/8/4K3 b - - 0 1"), "e7e5");
    assert!(legal(&state).contains(&"d5e6".to_owned()));
    let taken = play(&state, "d5e6");
    assert_eq!(taken.fen(), "4k3/8/4P3/8/8/8/8/4K3 b - - 0 2");
    assert_eq!(Chess.view(&taken, Viewer::Spectator).captured, ["p", ""]);
    check_refused(&play(&state, "e1e2 e8e7"), "d5e6", pawn_misses());
    check_refused(&position("8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1"), "d5c6", Reason::KingInCheck);
}

fn pawn_misses() -> Reason {
    Reason::NotItsMove { piece: cozy_chess::Piece::Pawn }
}

#[test]
fn r3_4_castling() {
    let both = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    check_targets(both, "e1", "c1 d1 f1 g1 d2 e2 f2");
    let castled = play(&position(both), "e1g1 e8c8");
    assert_eq!(castled.fen(), "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2");
    for (fen, action, reason) in [
        ("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "e1g1", Reason::CastlingLost),
        ("4k3/8/8/8/8/8/8/R3K1NR w KQ - 0 1", "e1g1", Reason::CastlingBlocked),
        ("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", "e1c1", Reason::CastlingBlocked),
        ("4k3/8/8/8/8/4r3/8/R3K2R w KQ - 0 1", "e1g1", Reason::CastlingOutOfCheck),
        ("4k3/8/8/8/8/5r2/8/R3K2R w KQ - 0 1", "e1g1", Reason::CastlingThroughCheck),
        ("4k3/8/8/8/8/6r1/8/R3K2R w KQ - 0 1", "e1g1", Reason::CastlingThroughCheck),
    ] {
        check_refused(&position(fen), action, reason);
    }
    // A rook may pass an attacked square, and only the king's own moves lose both rights.
    check_targets("1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1", "c1 d1 f1 d2 e2 f2");
    let moved = play(&position(both), "h1h2 a8a7 h2h1 a7a8");
    assert_eq!(moved.fen(), "r3k2r/8/8/8/8/8/8/R3K2R w Qk - 4 3");
    check_refused(&moved, "e1g1", Reason::CastlingLost);
    // Chess960: the rook that leaves may have shielded the king.
    let pinned = begin(&chess960(), "4k3/8/8/8/8/8/8/rRK5 w B - 0 1");
    check_refused(&pinned, "c1b1", Reason::CastlingThroughCheck);
    // The king passes the rook's square too.
    let passing = begin(&chess960(), "4rk2/5B2/8/8/8/8/8/K7 b e - 0 1");
    check_refused(&passing, "f8e8", Reason::CastlingThroughCheck);
    let far = begin(&chess960(), "4k3/8/8/8/8/8/8/1R3K2 w B - 0 1");
    assert_eq!(play(&far, "f1b1").fen(), "4k3/8/8/8/8/8/8/2KR4 b - - 1 1");
}

#[test]
fn r3_5_castling_has_one_spelling() {
    let fen = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    check_refused(&position(fen), "e1h1", Reason::CastlingSpelling);
    let state = begin(&chess960(), fen);
    assert!(legal(&state).contains(&"e1h1".to_owned()));
    check_code(&state, "e1g1", "illegal_move");
    assert_eq!(play(&state, "e1h1").fen(), "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1");
    assert_eq!("e2-e4".parse::<chess::Action>().err().unwrap().code(), "invalid_action");
}

#[test]
fn r3_6_promotion() {
    let fen = "5n1k/4P3/8/8/8/8/8/4K3 w - - 0 1";
    check_targets(fen, "e7", "e8q e8r e8b e8n f8q f8r f8b f8n");
    assert_eq!(play(&position(fen), "e7f8n").fen(), "5N1k/8/8/8/8/8/8/4K3 b - - 0 1");
    check_refused(&position(fen), "e7e8", Reason::PromotionMissing);
    check_refused(&position(fen), "e1e2q", Reason::PromotionImpossible);
}

#[test]
fn r3_7_no_move_leaves_the_king_in_check() {
    let pinned = position("4r2k/8/8/8/8/8/4N3/4K3 w - - 0 1");
    check_refused(&pinned, "e2c3", Reason::KingInCheck);
    check_refused(&position("k7/8/8/8/8/8/4r3/4K2R w - - 0 1"), "h1h2", Reason::KingInCheck);
    check_refused(&position("3r3k/8/8/8/8/8/8/4K3 w - - 0 1"), "e1d1", Reason::KingInCheck);
}

#[test]
fn r3_8_automatic_queens() {
    let options = Options { auto_queen: true, ..standard() };
    let state = begin(&options, "7k/4P3/8/8/8/8/8/4K3 w - - 0 1");
    let promotions: Vec<_> = legal(&state).into_iter().filter(|it| it.starts_with("e7")).collect();
    assert_eq!(promotions, ["e7e8q"]);
    check_refused(&state, "e7e8r", Reason::OnlyQueen);
    check_refused(&state, "e7e8", Reason::PromotionMissing);
}

#[test]
fn r3_9_a_refused_move_changes_nothing_and_says_why() {
    use cozy_chess::{Color, Piece, Square};
    let state = deal(&standard());
    check_refused(&state, "e4e5", Reason::NoPiece { at: Square::E4 });
    check_refused(&state, "e7e5", Reason::NotYours { at: Square::E7, color: Color::Black });
    check_refused(&state, "d1d2", Reason::OwnPiece { at: Square::D2 });
    check_refused(&state, "d1d3", Reason::Blocked { piece: Piece::Queen });
    check_refused(&state, "b1b3", Reason::NotItsMove { piece: Piece::Knight });
    check_refused(&state, "e2d3", pawn_misses());
    let said = refusal(&state, "e7e5").to_string();
    assert_eq!(said, "e7e5: the piece on e7 is Black's");
    assert!(state == deal(&standard()));
}

#[test]
fn r4_1_check() {
    for (fen, is_check) in [
        ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", true),
        ("4k3/8/8/8/8/5n2/8/4K3 w - - 0 1", true),
        ("4k3/8/8/8/8/8/3p4/4K3 w - - 0 1", true),
        ("4k3/8/8/8/8/8/4p3/4K3 w - - 0 1", false),
        ("4k3/4r3/8/8/4N3/8/8/4K3 w - - 0 1", false),
    ] {
        assert_eq!(Chess.view(&position(fen), Viewer::Spectator).check, is_check, "{fen}");
    }
}

#[test]
fn r4_2_checkmate() {
    let state = play(&deal(&standard()), "f2f3 e7e5 g2g4 d8h4");
    check_ended(&state, &[2, 1], "checkmate");
    assert_eq!(state.last().unwrap().san.as_str(), "Qh4#");
}

#[test]
fn r4_3_stalemate() {
    let state = play(&position("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1"), "f1f7");
    check_ended(&state, &[1, 1], "stalemate");
}
