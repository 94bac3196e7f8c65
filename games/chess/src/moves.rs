//! Between the moves that people write and those that the crate plays, and why a move is illegal.
//!
//! The crate writes castling as king takes rook. So does Chess960; standard chess writes the king's
//! own way (R3.5).

use cozy_chess::{
    BitBoard, Board, Color, File, Move, Piece, Rank, Square, get_between_rays, get_bishop_moves,
    get_bishop_rays, get_king_moves, get_knight_moves, get_pawn_attacks, get_pawn_quiets,
    get_rook_moves, get_rook_rays,
};

use crate::action::{Reason, Uci};

/// How a match writes and restricts its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Manner {
    pub(crate) is_chess960: bool,
    pub(crate) is_auto_queen: bool,
}

impl Manner {
    /// The text form of a legal move of the crate.
    pub(crate) fn write(self, board: &Board, mv: Move) -> Uci {
        if self.is_chess960 || !board.colors(board.side_to_move()).has(mv.to) {
            return Uci(mv);
        }
        let file = if mv.to.file() > mv.from.file() { File::G } else { File::C };
        Uci(Move { to: Square::new(file, mv.from.rank()), ..mv })
    }

    /// The crate's form of a move, if it is legal.
    pub(crate) fn read(self, board: &Board, uci: Uci) -> Result<Move, Reason> {
        let mv = match self.castling_side(board, uci.0) {
            Some(side) if !self.is_chess960 => {
                let rook = if side == Side::Short { File::H } else { File::A };
                Move { to: Square::new(rook, uci.0.from.rank()), ..uci.0 }
            }
            _ => uci.0,
        };
        let is_well_written = self.is_chess960 || !board.colors(board.side_to_move()).has(uci.0.to);
        if is_well_written && self.has_allowed_promotion(mv) && board.is_legal(mv) {
            Ok(mv)
        } else {
            Err(self.explain(board, uci.0))
        }
    }

    pub(crate) fn has_allowed_promotion(self, mv: Move) -> bool {
        !self.is_auto_queen || matches!(mv.promotion, None | Some(Piece::Queen))
    }

    /// Which way the king would castle, if the text means castling.
    fn castling_side(self, board: &Board, uci: Move) -> Option<Side> {
        let color = board.side_to_move();
        let home = Rank::First.relative_to(color);
        if board.king(color) != uci.from || uci.from.rank() != home || uci.to.rank() != home {
            return None;
        }
        let is_castling = if self.is_chess960 {
            board.colored_pieces(color, Piece::Rook).has(uci.to)
        } else {
            uci.from.file() == File::E && matches!(uci.to.file(), File::C | File::G)
        };
        let side = if uci.to.file() > uci.from.file() { Side::Short } else { Side::Long };
        is_castling.then_some(side)
    }

    /// Why a move is illegal. It is asked only about those that are.
    fn explain(self, board: &Board, uci: Move) -> Reason {
        let color = board.side_to_move();
        let own = board.colors(color);
        let Some(piece) = board.piece_on(uci.from) else {
            return Reason::NoPiece { at: uci.from };
        };
        if !own.has(uci.from) {
            return Reason::NotYours { at: uci.from, color: !color };
        }
        if let Some(side) = self.castling_side(board, uci)
            && uci.promotion.is_none()
        {
            return explain_castling(board, uci, side, self.is_chess960);
        }
        if own.has(uci.to) {
            let is_rook = board.pieces(Piece::Rook).has(uci.to);
            let is_castling = piece == Piece::King && is_rook && uci.to.rank() == uci.from.rank();
            return if is_castling {
                Reason::CastlingSpelling
            } else {
                Reason::OwnPiece { at: uci.to }
            };
        }
        if !reach(board, piece, uci.from, board.occupied()).has(uci.to) {
            let is_blocked = reach(board, piece, uci.from, BitBoard::EMPTY).has(uci.to);
            return if is_blocked {
                Reason::Blocked { piece }
            } else {
                Reason::NotItsMove { piece }
            };
        }
        let is_promotion = piece == Piece::Pawn && uci.to.rank() == Rank::Eighth.relative_to(color);
        match (is_promotion, uci.promotion) {
            (true, None) => Reason::PromotionMissing,
            (false, Some(_)) => Reason::PromotionImpossible,
            _ if !self.has_allowed_promotion(uci) => Reason::OnlyQueen,
            _ => Reason::KingInCheck,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Short,
    Long,
}

fn explain_castling(board: &Board, uci: Move, side: Side, is_chess960: bool) -> Reason {
    let rights = board.castle_rights(board.side_to_move());
    let (right, king_file, rook_file) = match side {
        Side::Short => (rights.short, File::G, File::F),
        Side::Long => (rights.long, File::C, File::D),
    };
    let Some(rook) = right.filter(|file| !is_chess960 || *file == uci.to.file()) else {
        return Reason::CastlingLost;
    };
    let at = |file| Square::new(file, uci.from.rank());
    let way = |from: Square, to: Square| get_between_rays(from, to) | to.bitboard();
    let ways = way(uci.from, at(king_file)) | way(at(rook), at(rook_file));
    let others = board.occupied() & !uci.from.bitboard() & !at(rook).bitboard();
    if !(ways & others).is_empty() {
        Reason::CastlingBlocked
    } else if !board.checkers().is_empty() {
        Reason::CastlingOutOfCheck
    } else {
        Reason::CastlingThroughCheck
    }
}

/// The squares that a piece moves to if only these stand in its way, the king's safety aside.
fn reach(board: &Board, piece: Piece, from: Square, blockers: BitBoard) -> BitBoard {
    let color = board.side_to_move();
    match piece {
        Piece::Knight => get_knight_moves(from),
        Piece::King => get_king_moves(from),
        Piece::Pawn => {
            let targets = board.colors(!color) | en_passant_square(board).unwrap_or_default();
            get_pawn_quiets(from, color, blockers) | get_pawn_attacks(from, color) & targets
        }
        _ if blockers.is_empty() => match piece {
            Piece::Bishop => get_bishop_rays(from),
            Piece::Rook => get_rook_rays(from),
            _ => get_bishop_rays(from) | get_rook_rays(from),
        },
        Piece::Bishop => get_bishop_moves(from, blockers),
        Piece::Rook => get_rook_moves(from, blockers),
        Piece::Queen => get_bishop_moves(from, blockers) | get_rook_moves(from, blockers),
    }
}

fn en_passant_square(board: &Board) -> Option<BitBoard> {
    let rank = Rank::Sixth.relative_to(board.side_to_move());
    board.en_passant().map(|file| Square::new(file, rank).bitboard())
}

/// The square behind a pawn that can legally be taken in passing now.
pub(crate) fn legal_en_passant(board: &Board) -> Option<Square> {
    let color = board.side_to_move();
    let to = Square::new(board.en_passant()?, Rank::Sixth.relative_to(color));
    let takers = get_pawn_attacks(to, !color) & board.colored_pieces(color, Piece::Pawn);
    takers.into_iter().any(|from| board.is_legal(Move { from, to, promotion: None })).then_some(to)
}

/// What a legal move takes.
pub(crate) fn victim(board: &Board, mv: Move) -> Option<Piece> {
    if board.colors(board.side_to_move()).has(mv.to) {
        return None;
    }
    board.piece_on(mv.to).or_else(|| {
        let is_pawn = board.pieces(Piece::Pawn).has(mv.from);
        (is_pawn && mv.from.file() != mv.to.file()).then_some(Piece::Pawn)
    })
}

/// How many ways there are to play `depth` moves by the laws of movement alone (R6 and R5 end no
/// line), which is what published counts count.
pub(crate) fn perft(board: &Board, depth: u32, manner: Manner) -> u64 {
    match depth {
        0 => 1,
        // The last move need not be made to be counted.
        1 if !manner.is_auto_queen => count_moves(board),
        _ => {
            let mut leaves = 0;
            board.generate_moves(|moves| {
                for mv in moves.into_iter().filter(|mv| manner.has_allowed_promotion(*mv)) {
                    let mut after = board.clone();
                    after.play_unchecked(mv);
                    leaves += perft(&after, depth - 1, manner);
                }
                false
            });
            leaves
        }
    }
}

fn count_moves(board: &Board) -> u64 {
    let mut count = 0;
    board.generate_moves(|moves| {
        count += moves.len() as u64;
        false
    });
    count
}

/// White is seat 0.
pub(crate) const fn color_index(color: Color) -> usize {
    color as usize
}
