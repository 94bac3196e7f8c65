//! Standard algebraic notation: a move as people read it.
//!
//! Written here, because the text of the last move is part of a state and is made with every move;
//! read with the crate's reader in `pgn`.

use std::fmt;
use std::str::FromStr;

use cozy_chess::{Board, File, Move, Piece};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// `Qa1xb2#` and `exd8=Q#` are the longest there are.
const BYTES_MAX: usize = 7;

/// A move's text, such as `Nbd7`, `exd8=Q#` or `O-O`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct San {
    bytes: [u8; BYTES_MAX],
    length: u8,
}

/// What a move did, as far as its notation tells.
#[derive(Clone, Copy)]
pub(crate) struct Effect {
    pub(crate) is_capture: bool,
    pub(crate) is_check: bool,
    pub(crate) is_mate: bool,
}

impl San {
    /// The notation of a legal move, in the board's own form (castling is king takes rook).
    pub(crate) fn of(board: &Board, mv: Move, effect: Effect) -> San {
        let mut san = San::default();
        let piece = board.piece_on(mv.from).unwrap_or(Piece::Pawn);
        if board.colors(board.side_to_move()).has(mv.to) {
            let is_short = mv.to.file() > mv.from.file();
            san.push_all(if is_short { b"O-O" } else { b"O-O-O" });
        } else {
            if piece == Piece::Pawn {
                if effect.is_capture {
                    san.push(file_letter(mv.from.file()));
                }
            } else {
                san.push(piece_letter(piece).to_ascii_uppercase());
                san.push_origin(board, piece, mv);
            }
            if effect.is_capture {
                san.push(b'x');
            }
            san.push(file_letter(mv.to.file()));
            san.push(b'1' + mv.to.rank() as u8);
            if let Some(promotion) = mv.promotion {
                san.push(b'=');
                san.push(piece_letter(promotion).to_ascii_uppercase());
            }
        }
        if effect.is_mate {
            san.push(b'#');
        } else if effect.is_check {
            san.push(b'+');
        }
        san
    }

    /// The file, else the rank, else both, if another piece of the kind could go there too.
    fn push_origin(&mut self, board: &Board, piece: Piece, mv: Move) {
        let (mut is_alone, mut is_alone_on_file, mut is_alone_on_rank) = (true, true, true);
        let others = board.colored_pieces(board.side_to_move(), piece) & !mv.from.bitboard();
        board.generate_moves_for(others, |moves| {
            if moves.to.has(mv.to) {
                is_alone = false;
                is_alone_on_file &= moves.from.file() != mv.from.file();
                is_alone_on_rank &= moves.from.rank() != mv.from.rank();
            }
            false
        });
        if !is_alone && (is_alone_on_file || !is_alone_on_rank) {
            self.push(file_letter(mv.from.file()));
        }
        if !is_alone_on_file {
            self.push(b'1' + mv.from.rank() as u8);
        }
    }

    fn push(&mut self, letter: u8) {
        if let Some(place) = self.bytes.get_mut(usize::from(self.length)) {
            *place = letter;
            self.length += 1;
        }
    }

    fn push_all(&mut self, letters: &[u8]) {
        for letter in letters {
            self.push(*letter);
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.length)).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

/// The lower case letter of a piece.
pub(crate) const fn piece_letter(piece: Piece) -> u8 {
    match piece {
        Piece::Pawn => b'p',
        Piece::Knight => b'n',
        Piece::Bishop => b'b',
        Piece::Rook => b'r',
        Piece::Queen => b'q',
        Piece::King => b'k',
    }
}

const fn file_letter(file: File) -> u8 {
    b'a' + file as u8
}

impl fmt::Display for San {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Reads any short text of printed letters: whether it was a move, only the position before says.
impl FromStr for San {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut san = San::default();
        san.push_all(text.as_bytes());
        let is_whole = san.as_str() == text && text.len() >= 2;
        if is_whole && text.bytes().all(|byte| byte.is_ascii_graphic()) { Ok(san) } else { Err(()) }
    }
}

impl Serialize for San {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for San {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|()| D::Error::custom("not the notation of a move"))
    }
}
