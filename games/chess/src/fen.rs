//! Forsyth–Edwards notation, read strictly and written in one way.
//!
//! The crate's reader is asked last: it takes boards with missing ranks, does not say what is wrong,
//! and counts only to 100 half-moves. In Chess960 castling is written by the rooks' files
//! (Shredder-FEN); `KQkq` is read as well and means the outermost rooks. The square behind a pawn is
//! written only if the pawn can legally be taken in passing, so that equal positions have equal texts.

use std::fmt::Write as _;

use cozy_chess::{Board, Color, FenParseError, File, Piece, Rank, Square};

use crate::moves::legal_en_passant;
use crate::san::piece_letter;

/// R6.3: so many half-moves end a match.
pub(crate) const HALF_MOVES_MAX: u8 = 150;
/// A start may not be numbered higher: the longest match must fit above it.
const MOVE_NUMBER_MAX: u16 = 9_999;

/// Why a text is no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum FenError {
    #[error("a FEN has six fields, separated by single blanks; this has {0}")]
    Fields(usize),
    #[error("a board has eight ranks; this has {0}")]
    Ranks(usize),
    #[error("rank {rank} has {squares} squares, not eight")]
    RankLength { rank: usize, squares: usize },
    #[error("{0:?} is no piece and no number of empty squares")]
    Piece(char),
    #[error("{} has {kings} kings", if *.color == Color::White { "White" } else { "Black" })]
    Kings { color: Color, kings: u32 },
    #[error("{} has more men than a match begins with", if *.color == Color::White { "White" } else { "Black" })]
    Men { color: Color },
    #[error("a pawn stands on the first or the last rank")]
    PawnOnEdge,
    #[error("the side to move is w or b")]
    Side,
    #[error("the side that is not to move is in check, or too many pieces give check")]
    Check,
    #[error("no king and rook stand where the castling right {0:?} needs them")]
    Castling(char),
    #[error("castling rights are letters without repetition, or -")]
    CastlingField,
    #[error("no pawn has just passed the en passant square")]
    EnPassant,
    #[error("the half-moves since a pawn's move or a capture are 0 to {HALF_MOVES_MAX}")]
    HalfMoves,
    #[error("the number of the move is 1 to {MOVE_NUMBER_MAX}")]
    MoveNumber,
}

/// The position that a FEN describes, and its half-moves.
pub(crate) fn read(text: &str, is_chess960: bool) -> Result<(Board, u8), FenError> {
    let fields: Vec<&str> = text.split(' ').collect();
    let [board, side, castling, en_passant, half_moves, number] = fields[..] else {
        return Err(FenError::Fields(fields.len()));
    };
    let men = read_men(board)?;
    if !matches!(side, "w" | "b") {
        return Err(FenError::Side);
    }
    let castling = read_castling(castling, &men, is_chess960)?;
    let half_moves = read_number(half_moves).and_then(|number| u8::try_from(number).ok());
    let half_moves = half_moves.filter(|count| *count <= HALF_MOVES_MAX);
    let half_moves = half_moves.ok_or(FenError::HalfMoves)?;
    let number = read_number(number).filter(|number| (1..=MOVE_NUMBER_MAX).contains(number));
    let number = number.ok_or(FenError::MoveNumber)?;
    let text = format!("{board} {side} {castling} {en_passant} 0 {number}");
    let board = Board::from_fen(&text, true).map_err(|error| match error {
        FenParseError::InvalidCastlingRights => FenError::CastlingField,
        FenParseError::InvalidEnPassant => FenError::EnPassant,
        _ => FenError::Check,
    })?;
    Ok((board, half_moves))
}

type Men = [[Option<(Color, Piece)>; 8]; 8];

/// The men by rank and file, checked as far as they can be without knowing whose turn it is.
fn read_men(text: &str) -> Result<Men, FenError> {
    let mut men = Men::default();
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != 8 {
        return Err(FenError::Ranks(rows.len()));
    }
    for (row, rank) in rows.iter().zip((0..8).rev()) {
        let mut file = 0;
        for letter in row.chars() {
            match (letter, read_piece(letter)) {
                ('1'..='8', _) => file += letter as usize - '0' as usize,
                (_, Some(man)) => {
                    if let Some(place) = men[rank].get_mut(file) {
                        *place = Some(man);
                    }
                    file += 1;
                }
                _ => return Err(FenError::Piece(letter)),
            }
        }
        if file != 8 {
            return Err(FenError::RankLength { rank: rank + 1, squares: file });
        }
    }
    for color in Color::ALL {
        let own = || men.iter().flatten().flatten().filter(|man| man.0 == color);
        let count = |piece| own().filter(|man| man.1 == piece).map(|_| 1).sum::<u32>();
        let kings = count(Piece::King);
        if kings != 1 {
            return Err(FenError::Kings { color, kings });
        }
        // Beyond the first set, each piece was a pawn.
        let promoted = count(Piece::Queen).saturating_sub(1)
            + [Piece::Rook, Piece::Bishop, Piece::Knight]
                .map(|piece| count(piece).saturating_sub(2))
                .iter()
                .sum::<u32>();
        if count(Piece::Pawn) + promoted > 8 {
            return Err(FenError::Men { color });
        }
    }
    if [0, 7].iter().any(|rank| men[*rank].iter().flatten().any(|man| man.1 == Piece::Pawn)) {
        return Err(FenError::PawnOnEdge);
    }
    Ok(men)
}

fn read_piece(letter: char) -> Option<(Color, Piece)> {
    let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
    let lower = u8::try_from(letter.to_ascii_lowercase()).ok()?;
    Piece::ALL.into_iter().find(|piece| piece_letter(*piece) == lower).map(|piece| (color, piece))
}

/// The castling rights by the rooks' files, as the crate reads them.
fn read_castling(text: &str, men: &Men, is_chess960: bool) -> Result<String, FenError> {
    if text == "-" {
        return Ok(text.to_owned());
    }
    if text.is_empty() {
        return Err(FenError::CastlingField);
    }
    let mut files = String::new();
    for letter in text.chars() {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let home = &men[if color == Color::White { 0 } else { 7 }];
        let is_rook = |file: &usize| home[*file] == Some((color, Piece::Rook));
        let king = home.iter().position(|man| *man == Some((color, Piece::King)));
        let king = king.filter(|king| is_chess960 || *king == File::E as usize);
        let king = king.ok_or(FenError::Castling(letter))?;
        let rook = match letter.to_ascii_lowercase() {
            'k' if is_chess960 => (king..8).rev().find(is_rook),
            'q' if is_chess960 => (0..king).find(is_rook),
            'k' => Some(7).filter(is_rook),
            'q' => Some(0).filter(is_rook),
            file @ 'a'..='h' if is_chess960 => Some(file as usize - 'a' as usize).filter(is_rook),
            _ => None,
        };
        let rook = rook.and_then(|rook| u8::try_from(rook).ok());
        let file = char::from(b'a' + rook.ok_or(FenError::Castling(letter))?);
        files.push(if color == Color::White { file.to_ascii_uppercase() } else { file });
    }
    Ok(files)
}

/// Digits only, and no zero in front.
fn read_number(text: &str) -> Option<u16> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_short = text == "0" || !text.starts_with('0');
    if is_plain && is_short { text.parse().ok() } else { None }
}

/// The FEN of a position.
pub(crate) fn write(board: &Board, half_moves: u8, is_chess960: bool) -> String {
    let mut text = String::with_capacity(90);
    for rank in Rank::ALL.into_iter().rev() {
        let mut empty = 0;
        for file in File::ALL {
            let square = Square::new(file, rank);
            let Some(piece) = board.piece_on(square) else {
                empty += 1;
                continue;
            };
            push_empty(&mut text, &mut empty);
            let letter = char::from(piece_letter(piece));
            let is_white = board.colors(Color::White).has(square);
            text.push(if is_white { letter.to_ascii_uppercase() } else { letter });
        }
        push_empty(&mut text, &mut empty);
        text.push(if rank == Rank::First { ' ' } else { '/' });
    }
    text.push_str(if board.side_to_move() == Color::White { "w " } else { "b " });
    push_castling(&mut text, board, is_chess960);
    let _ = match legal_en_passant(board) {
        Some(square) => write!(text, " {square}"),
        None => text.write_str(" -"),
    };
    let _ = write!(text, " {half_moves} {}", board.fullmove_number());
    text
}

fn push_empty(text: &mut String, empty: &mut u8) {
    if *empty > 0 {
        text.push(char::from(b'0' + *empty));
        *empty = 0;
    }
}

fn push_castling(text: &mut String, board: &Board, is_chess960: bool) {
    let length = text.len();
    for color in Color::ALL {
        let rights = board.castle_rights(color);
        for (right, letter) in [(rights.short, 'k'), (rights.long, 'q')] {
            let Some(file) = right else { continue };
            let letter = if is_chess960 { char::from(b'a' + file as u8) } else { letter };
            let is_white = color == Color::White;
            text.push(if is_white { letter.to_ascii_uppercase() } else { letter });
        }
    }
    if text.len() == length {
        text.push('-');
    }
}
