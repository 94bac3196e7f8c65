//! What can still be won with the pieces on the board, judged by the pieces alone.
//!
//! A position in which locked pawns keep both sides out is not recognised: that is for the players
//! to agree on.

use cozy_chess::{BitBoard, Board, Color, Piece};

/// R6.1: neither side could mate by any series of moves.
pub(crate) fn is_dead(board: &Board) -> bool {
    if !heavy(board).is_empty() {
        return false;
    }
    let bishops = board.pieces(Piece::Bishop);
    match board.pieces(Piece::Knight).len() {
        0 => stand_on_one_colour(bishops),
        1 => bishops.is_empty(),
        _ => false,
    }
}

/// R7.2: could `color` mate by any series of moves, the other side helping?
pub(crate) fn may_mate(board: &Board, color: Color) -> bool {
    let (own, other) = (board.colors(color), board.colors(!color));
    let (knights, bishops) = (board.pieces(Piece::Knight), board.pieces(Piece::Bishop));
    if !(own & heavy(board)).is_empty() {
        return true;
    }
    if !(own & knights).is_empty() {
        // A lone knight mates only a king that its own men hem in, and a queen that stands so near
        // could take the knight.
        let blockers = other & !board.pieces(Piece::King) & !board.pieces(Piece::Queen);
        return own.len() > 2 || !blockers.is_empty();
    }
    if !(own & bishops).is_empty() {
        // The squares of the other colour must be covered by somebody.
        let has_helper = !(board.pieces(Piece::Pawn) | knights).is_empty();
        return has_helper || !stand_on_one_colour(bishops);
    }
    false
}

/// Pawns, rooks and queens: each of them is enough to mate, or becomes enough.
fn heavy(board: &Board) -> BitBoard {
    board.pieces(Piece::Pawn) | board.pieces(Piece::Rook) | board.pieces(Piece::Queen)
}

fn stand_on_one_colour(pieces: BitBoard) -> bool {
    pieces.is_subset(BitBoard::DARK_SQUARES) || pieces.is_subset(BitBoard::LIGHT_SQUARES)
}
