//! Which moves to look at first, and what an exchange of captures comes to.

use cozy_chess::{
    BitBoard, Board, Move, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};

use crate::moves::victim;

/// What the men are worth in an exchange.
pub(super) const WORTH: [i32; 6] = [100, 320, 330, 500, 950, 20_000];

/// Above every other move.
pub(super) const FIRST: i32 = 1 << 30;
const CAPTURE: i32 = 1 << 24;
const KILLER: i32 = 1 << 22;

/// Quiet moves that did well, by side and squares; and the last two for each distance from the root.
pub(super) struct Memory {
    history: Vec<[[i32; 64]; 64]>,
    killers: Vec<[Option<Move>; 2]>,
}

impl Memory {
    pub(super) fn new(plies: usize) -> Memory {
        Memory { history: vec![[[0; 64]; 64]; 2], killers: vec![[None; 2]; plies] }
    }

    /// A quiet move refuted what came before, and those tried earlier did not.
    pub(super) fn learn(
        &mut self,
        board: &Board,
        ply: usize,
        depth: i32,
        good: Move,
        bad: &[Move],
    ) {
        let killers = &mut self.killers[ply];
        if killers[0] != Some(good) {
            *killers = [Some(good), killers[0]];
        }
        let history = &mut self.history[board.side_to_move() as usize];
        let mut nudge = |mv: Move, by: i32| {
            const MOST: i32 = 1 << 14;
            let entry = &mut history[mv.from as usize][mv.to as usize];
            // The nearer to the bound, the smaller the step.
            *entry += by - *entry * by.abs() / MOST;
        };
        let by = (16 * depth * depth).min(1_200);
        nudge(good, by);
        for mv in bad {
            nudge(*mv, -by);
        }
    }

    pub(super) fn history(&self, board: &Board, mv: Move) -> i32 {
        self.history[board.side_to_move() as usize][mv.from as usize][mv.to as usize]
    }

    /// How early a move is worth a look.
    pub(super) fn promise(&self, board: &Board, ply: usize, first: Option<Move>, mv: Move) -> i32 {
        if first == Some(mv) {
            return FIRST;
        }
        if let Some(taken) = victim(board, mv) {
            let taker = board.piece_on(mv.from).map_or(0, |piece| piece as i32);
            let gain = 16 * WORTH[taken as usize] - taker;
            let is_fine = exchange(board, mv) >= 0;
            return if is_fine { CAPTURE + gain } else { gain - CAPTURE };
        }
        match mv.promotion {
            Some(Piece::Queen) => return CAPTURE,
            Some(_) => return -CAPTURE,
            None => {}
        }
        match self.killers[ply] {
            [Some(killer), _] if killer == mv => KILLER + 1,
            [_, Some(killer)] if killer == mv => KILLER,
            _ => self.history(board, mv),
        }
    }
}

/// Is it neither a capture nor a promotion?
pub(super) fn is_quiet(board: &Board, mv: Move) -> bool {
    mv.promotion.is_none() && victim(board, mv).is_none()
}

/// Does the man that moves look at the other king from its new square?
pub(super) fn is_direct_check(board: &Board, mv: Move) -> bool {
    let occupied = board.occupied() ^ mv.from.bitboard();
    let straight = || get_rook_moves(mv.to, occupied);
    let slanting = || get_bishop_moves(mv.to, occupied);
    let seen = match board.piece_on(mv.from) {
        Some(Piece::Pawn) => get_pawn_attacks(mv.to, board.side_to_move()),
        Some(Piece::Knight) => get_knight_moves(mv.to),
        Some(Piece::Bishop) => slanting(),
        Some(Piece::Rook) => straight(),
        Some(Piece::Queen) => straight() | slanting(),
        Some(Piece::King) | None => BitBoard::EMPTY,
    };
    seen.has(board.king(!board.side_to_move()))
}

/// What a capture wins if both sides go on taking on its square, the cheapest man first, as long as
/// it pays.
pub(super) fn exchange(board: &Board, mv: Move) -> i32 {
    let worth = |piece: Option<Piece>| piece.map_or(0, |piece| WORTH[piece as usize]);
    // No more than all men can take part.
    let mut gains = [0; 33];
    let mut count = 1;
    gains[0] = worth(victim(board, mv));
    let mut standing = worth(mv.promotion.or(board.piece_on(mv.from)));
    let mut occupied = board.occupied() ^ mv.from.bitboard() | mv.to.bitboard();
    let mut color = !board.side_to_move();
    loop {
        let attackers = attackers(board, mv.to, occupied) & board.colors(color) & occupied;
        let cheapest = Piece::ALL
            .into_iter()
            .find_map(|piece| Some((piece, (attackers & board.pieces(piece)).into_iter().next()?)));
        let Some((piece, from)) = cheapest else { break };
        gains[count] = standing - gains[count - 1];
        count += 1;
        standing = WORTH[piece as usize];
        occupied ^= from.bitboard();
        color = !color;
    }
    // Nobody has to take back.
    for at in (1..count).rev() {
        gains[at - 1] = gains[at - 1].min(-gains[at]);
    }
    gains[0]
}

/// The men of both sides that look at a square.
fn attackers(board: &Board, to: Square, occupied: BitBoard) -> BitBoard {
    use cozy_chess::Color::{Black, White};
    let of = |piece| board.pieces(piece);
    let straight = of(Piece::Rook) | of(Piece::Queen);
    let slanting = of(Piece::Bishop) | of(Piece::Queen);
    get_knight_moves(to) & of(Piece::Knight)
        | get_king_moves(to) & of(Piece::King)
        | get_rook_moves(to, occupied) & straight
        | get_bishop_moves(to, occupied) & slanting
        | get_pawn_attacks(to, Black) & board.colored_pieces(White, Piece::Pawn)
        | get_pawn_attacks(to, White) & board.colored_pieces(Black, Piece::Pawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fen: &str, mv: &str, expected: i32) {
        assert_eq!(exchange(&fen.parse().unwrap(), mv.parse().unwrap()), expected, "{fen} {mv}");
    }

    #[test]
    fn an_exchange_is_counted_to_its_end() {
        check("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 100);
        check("4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 100 - 500);
        check("3rk3/8/4p3/3p4/4P3/8/8/3RK3 w - - 0 1", "e4d5", 0);
        // The second rook stands behind the first.
        check("3r2k1/8/8/3p4/8/8/3R4/3R2K1 w - - 0 1", "d2d5", 100);
    }
}
