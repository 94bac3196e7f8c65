//! Document 004, `ChessAce`: what its operations promise and no numbered rule tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use chess::{Action, Chess, Options, Reason, State, Violation};
use cozy_chess::{Color, Piece, Square};
use game_api::{Game, Seat, Seed, Violation as _};

fn position(fen: &str) -> State {
    Chess.position(&Options::default(), fen, &Seed::from_number(1)).unwrap().1
}

fn start() -> State {
    Chess.setup(&Options::default(), 2, &Seed::from_number(1)).unwrap()
}

fn act(state: &State, text: &str) -> Result<State, Violation> {
    let seat = Chess.to_act(state).iter().next().unwrap_or(Seat::FIRST);
    text.parse().and_then(|action: Action| Chess.apply(state, seat, &action))
}

#[test]
fn a_cell_off_the_board_is_refused() {
    for text in ["e2e9", "e2i4", "e0e4", "`2e4", "e2e:", "i9i9"] {
        assert_eq!(act(&start(), text).err().unwrap().code(), "invalid_action", "{text}");
    }
}

#[test]
fn main_sets_up_the_board() {
    use Piece::{Bishop, King, Knight, Queen, Rook};
    let state = start();
    let board = state.board();
    let row = [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook];
    for (file, piece) in cozy_chess::File::ALL.into_iter().zip(row) {
        for color in Color::ALL {
            let at = |rank: cozy_chess::Rank| Square::new(file, rank.relative_to(color));
            let (home, front) = (at(cozy_chess::Rank::First), at(cozy_chess::Rank::Second));
            assert_eq!((board.piece_on(home), board.color_on(home)), (Some(piece), Some(color)));
            assert_eq!(board.piece_on(front), Some(Piece::Pawn));
            assert_eq!(board.color_on(front), Some(color));
        }
    }
    assert_eq!((board.king(Color::White), board.king(Color::Black)), (Square::E1, Square::E8));
}

#[test]
fn a_move_lifts_the_piece_and_puts_it_down() {
    let before = position("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1");
    let after = act(&before, "e4d5").unwrap();
    assert_eq!(after.board().piece_on(Square::E4), None);
    assert_eq!(after.board().piece_on(Square::D5), Some(Piece::Pawn));
    assert_eq!(after.board().color_on(Square::D5), Some(Color::White));
    assert_eq!(after.board().occupied().len(), before.board().occupied().len() - 1);
}

#[test]
fn a_slider_stops_at_the_first_piece() {
    for (fen, reached, behind) in [
        ("4k3/8/8/8/r7/8/8/R3K3 w - - 0 1", "a1a4", "a1a5"),
        ("4k3/8/8/8/3n4/8/8/B3K3 w - - 0 1", "a1d4", "a1e5"),
    ] {
        assert!(act(&position(fen), reached).is_ok(), "{reached}");
        let refused = act(&position(fen), behind).err();
        let is_blocked =
            matches!(refused, Some(Violation::IllegalMove { reason: Reason::Blocked { .. }, .. }));
        assert!(is_blocked, "{behind}: {refused:?}");
    }
}

#[test]
fn a_move_to_its_own_square_is_refused() {
    let refused = act(&start(), "e2e2").err();
    let reason = Reason::OwnPiece { at: Square::E2 };
    assert!(
        matches!(refused, Some(Violation::IllegalMove { reason: found, .. }) if found == reason)
    );
}
