//! What a position is worth, in hundredths of a pawn, between a middle game and an end game.
//!
//! The numbers are our own guesses, by terms that every book on chess names: men, where they stand,
//! where they can go, pawns that are passed, doubled or alone, and how safe the king is.

use cozy_chess::{
    BitBoard, Board, Color, File, Piece, Rank, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_rook_moves,
};

/// A value in the middle game and one in the end game.
#[derive(Clone, Copy, Default)]
struct Pair(i32, i32);

impl std::ops::AddAssign for Pair {
    fn add_assign(&mut self, other: Pair) {
        self.0 += other.0;
        self.1 += other.1;
    }
}

impl Pair {
    fn times(self, count: i32) -> Pair {
        Pair(self.0 * count, self.1 * count)
    }
}

const MEN: [Pair; 6] =
    [Pair(85, 105), Pair(330, 310), Pair(345, 330), Pair(470, 540), Pair(980, 990), Pair(0, 0)];
/// By file, from the edge to the middle, and by the own rank: what a man gains where it stands.
#[rustfmt::skip]
const FILES: [[Pair; 4]; 6] = [
    [Pair(-6, 2), Pair(0, 0), Pair(2, 0), Pair(12, -2)],
    [Pair(-22, -16), Pair(-6, -4), Pair(6, 4), Pair(12, 10)],
    [Pair(-10, -6), Pair(2, 0), Pair(3, 2), Pair(6, 4)],
    [Pair(-6, 0), Pair(-2, 0), Pair(4, 0), Pair(8, 0)],
    [Pair(-6, -14), Pair(0, -2), Pair(2, 6), Pair(3, 12)],
    [Pair(12, -18), Pair(16, -4), Pair(-14, 8), Pair(-26, 14)],
];
#[rustfmt::skip]
const RANKS: [[Pair; 8]; 6] = [
    [Pair(0, 0), Pair(-2, 0), Pair(-2, -2), Pair(6, 2), Pair(14, 12), Pair(26, 34), Pair(50, 70), Pair(0, 0)],
    [Pair(-26, -20), Pair(-12, -8), Pair(2, 0), Pair(8, 8), Pair(18, 12), Pair(20, 6), Pair(4, -6), Pair(-30, -20)],
    [Pair(-12, -8), Pair(4, -2), Pair(6, 2), Pair(6, 4), Pair(8, 4), Pair(8, 2), Pair(-6, 0), Pair(-14, -6)],
    [Pair(0, -4), Pair(-6, -4), Pair(-6, 0), Pair(-4, 4), Pair(2, 6), Pair(8, 8), Pair(22, 14), Pair(8, 8)],
    [Pair(-2, -20), Pair(2, -12), Pair(2, 0), Pair(0, 10), Pair(0, 16), Pair(2, 14), Pair(-2, 10), Pair(0, 0)],
    [Pair(20, -30), Pair(0, -12), Pair(-24, 2), Pair(-40, 12), Pair(-50, 20), Pair(-50, 22), Pair(-50, 12), Pair(-50, -10)],
];
/// What a square that a knight, bishop, rook or queen can go to is worth.
const ROOM: [Pair; 4] = [Pair(4, 4), Pair(5, 5), Pair(2, 5), Pair(1, 3)];
const ROOM_EXPECTED: [i32; 4] = [4, 6, 7, 13];
const BISHOP_PAIR: Pair = Pair(28, 45);
const DOUBLED: Pair = Pair(-8, -18);
const ALONE: Pair = Pair(-12, -14);
/// By the own rank.
#[rustfmt::skip]
const PASSED: [Pair; 8] = [
    Pair(0, 0), Pair(2, 8), Pair(2, 12), Pair(8, 26), Pair(24, 50), Pair(50, 90), Pair(80, 140), Pair(0, 0),
];
/// A passed pawn whose next square is taken.
const BLOCKED: Pair = Pair(-6, -24);
const ROOK_OPEN: Pair = Pair(26, 10);
const ROOK_HALF_OPEN: Pair = Pair(12, 6);
/// Pawns in front of the own king.
const SHIELD: Pair = Pair(11, 0);
/// An attack of a knight, bishop, rook or queen on a square beside the king.
const ATTACK: [i32; 4] = [9, 8, 12, 18];
const TURN: i32 = 12;

/// How much of the middle game each man carries.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
const PHASE_MAX: i32 = 24;

/// What the position is worth to the side to move.
pub(super) fn evaluate(board: &Board) -> i32 {
    let (white, black) = (side(board, Color::White), side(board, Color::Black));
    let phase: i32 = Piece::ALL
        .into_iter()
        .map(|piece| PHASE[piece as usize] * count(board.pieces(piece)))
        .sum::<i32>()
        .min(PHASE_MAX);
    let Pair(middle, end) = Pair(white.0 - black.0, white.1 - black.1);
    let mut value = (middle * phase + end * (PHASE_MAX - phase)) / PHASE_MAX;
    // Without pawns a lead of less than a rook seldom wins.
    let leader = if value > 0 { Color::White } else { Color::Black };
    if board.colored_pieces(leader, Piece::Pawn).is_empty() && value.abs() < 450 {
        value /= 4;
    }
    let own = if board.side_to_move() == Color::White { value } else { -value };
    own + TURN
}

fn count(squares: BitBoard) -> i32 {
    i32::try_from(squares.len()).unwrap_or_default()
}

fn side(board: &Board, color: Color) -> Pair {
    let mut sum = Pair::default();
    let own = board.colors(color);
    let own_pawns = board.colored_pieces(color, Piece::Pawn);
    let their_pawns = board.colored_pieces(!color, Piece::Pawn);
    let guarded = pawn_attacks(their_pawns, !color);
    let their_king = board.king(!color);
    let king_zone = get_king_moves(their_king) | their_king.bitboard();
    let mut danger = 0;
    let mut attackers = 0;
    for piece in Piece::ALL {
        for square in board.colored_pieces(color, piece) {
            sum += stand(piece, square, color);
            let Some(reach) = reach(board, piece, square) else { continue };
            let kind = piece as usize - 1;
            let room = count(reach & !own & !guarded) - ROOM_EXPECTED[kind];
            sum += ROOM[kind].times(room);
            let hits = count(reach & king_zone);
            danger += hits * ATTACK[kind];
            attackers += i32::from(hits > 0);
        }
    }
    // One attacker alone does little.
    sum.0 += danger * attackers.min(5) / 5;
    for square in own_pawns {
        sum += pawn(board, square, color, own_pawns, their_pawns);
    }
    for square in board.colored_pieces(color, Piece::Rook) {
        let file = square.file().bitboard();
        if (file & own_pawns).is_empty() {
            let is_open = (file & their_pawns).is_empty();
            sum += if is_open { ROOK_OPEN } else { ROOK_HALF_OPEN };
        }
    }
    if board.colored_pieces(color, Piece::Bishop).len() >= 2 {
        sum += BISHOP_PAIR;
    }
    let king = board.king(color);
    let front = ahead(king, color) & near_files(king.file()) & two_ranks_before(king, color);
    sum += SHIELD.times(count(front & own_pawns).min(3));
    sum
}

fn stand(piece: Piece, square: Square, color: Color) -> Pair {
    let kind = piece as usize;
    let file = square.file() as usize;
    let mut sum = MEN[kind];
    sum += FILES[kind][file.min(7 - file)];
    sum += RANKS[kind][own_rank(square, color)];
    sum
}

fn own_rank(square: Square, color: Color) -> usize {
    square.rank().relative_to(color) as usize
}

/// Where a knight, bishop, rook or queen looks; nothing for the others.
fn reach(board: &Board, piece: Piece, from: Square) -> Option<BitBoard> {
    let blockers = board.occupied();
    match piece {
        Piece::Knight => Some(get_knight_moves(from)),
        Piece::Bishop => Some(get_bishop_moves(from, blockers)),
        Piece::Rook => Some(get_rook_moves(from, blockers)),
        Piece::Queen => Some(get_bishop_moves(from, blockers) | get_rook_moves(from, blockers)),
        Piece::Pawn | Piece::King => None,
    }
}

fn pawn(board: &Board, at: Square, color: Color, own: BitBoard, theirs: BitBoard) -> Pair {
    let mut sum = Pair::default();
    let front = ahead(at, color);
    let file = at.file();
    if !(front & file.bitboard() & own).is_empty() {
        sum += DOUBLED;
    }
    if (file.adjacent() & own).is_empty() {
        sum += ALONE;
    }
    if (front & near_files(file) & theirs).is_empty() {
        sum += PASSED[own_rank(at, color)];
        let next = at.try_offset(0, if color == Color::White { 1 } else { -1 });
        if next.is_some_and(|next| board.occupied().has(next)) {
            sum += BLOCKED;
        }
    }
    sum
}

fn near_files(file: File) -> BitBoard {
    file.bitboard() | file.adjacent()
}

/// The ranks in front of a square, as its colour sees it.
fn ahead(square: Square, color: Color) -> BitBoard {
    let rank = square.rank() as usize;
    let above = if rank == 7 { 0 } else { u64::MAX << (8 * (rank + 1)) };
    let below = (1_u64 << (8 * rank)) - 1;
    BitBoard(if color == Color::White { above } else { below })
}

/// The two ranks before the king.
fn two_ranks_before(king: Square, color: Color) -> BitBoard {
    let rank = king.rank() as usize;
    let step = |by: usize| match color {
        Color::White => Rank::try_index(rank + by),
        Color::Black => rank.checked_sub(by).and_then(Rank::try_index),
    };
    [step(1), step(2)]
        .into_iter()
        .flatten()
        .fold(BitBoard::EMPTY, |set, rank| set | rank.bitboard())
}

fn pawn_attacks(pawns: BitBoard, color: Color) -> BitBoard {
    pawns.into_iter().fold(BitBoard::EMPTY, |set, pawn| set | get_pawn_attacks(pawn, color))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fen: &str, expected: std::ops::RangeInclusive<i32>) {
        let value = evaluate(&fen.parse().unwrap());
        assert!(expected.contains(&value), "{fen}: {value}");
    }

    #[test]
    fn both_sides_are_judged_alike() {
        check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", TURN..=TURN);
        check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1", TURN..=TURN);
        let white: Board = "r3k3/pp3p2/2n5/3b4/8/2N2N2/PP3PPP/R3K2R w - - 0 1".parse().unwrap();
        let black: Board = "r3k2r/pp3ppp/2n2n2/8/3B4/2N5/PP3P2/R3K3 b - - 0 1".parse().unwrap();
        assert_eq!(evaluate(&white), evaluate(&black));
    }

    #[test]
    fn men_and_passed_pawns_count() {
        check("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", 700..=1300);
        check("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1", -1300..=-700);
        check("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", 200..=450);
    }
}
