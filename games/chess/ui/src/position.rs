//! What the board needs of a view: who stands where, what was moved, what was taken.

use serde::Deserialize;

/// A square, numbered from a8, row by row, as the board is drawn for white.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Square(usize);

impl Square {
    pub(crate) fn new(index: usize) -> Square {
        Square(index.min(63))
    }

    pub(crate) fn index(self) -> usize {
        self.0
    }

    pub(crate) fn parse(name: &str) -> Option<Square> {
        let [file @ b'a'..=b'h', rank @ b'1'..=b'8'] = *name.as_bytes() else { return None };
        Some(Square(usize::from(b'8' - rank) * 8 + usize::from(file - b'a')))
    }

    pub(crate) fn name(self) -> String {
        let file = ["a", "b", "c", "d", "e", "f", "g", "h"][self.0 % 8];
        format!("{file}{}", 8 - self.0 / 8)
    }

    pub(crate) fn is_dark(self) -> bool {
        (self.0 / 8 + self.0 % 8) % 2 == 1
    }
}

/// A piece of one side, by its letter in small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) is_white: bool,
    pub(crate) kind: char,
}

impl Piece {
    fn parse(letter: char) -> Option<Piece> {
        let kind = letter.to_ascii_lowercase();
        "kqrbnp".contains(kind).then_some(Piece { is_white: letter != kind, kind })
    }

    pub(crate) fn name(self) -> &'static str {
        match (self.is_white, self.kind) {
            (true, 'k') => "white king",
            (true, 'q') => "white queen",
            (true, 'r') => "white rook",
            (true, 'b') => "white bishop",
            (true, 'n') => "white knight",
            (true, _) => "white pawn",
            (false, 'k') => "black king",
            (false, 'q') => "black queen",
            (false, 'r') => "black rook",
            (false, 'b') => "black bishop",
            (false, 'n') => "black knight",
            (false, _) => "black pawn",
        }
    }
}

/// The board as it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Position {
    squares: Vec<Option<Piece>>,
    pub(crate) is_white_to_move: bool,
    pub(crate) is_check: bool,
    /// From where and to where the last move went.
    pub(crate) last: Vec<Square>,
    /// What white has taken, which is black, and what black has.
    pub(crate) taken: [Vec<Piece>; 2],
}

#[derive(Deserialize)]
struct View {
    fen: String,
    check: bool,
    captured: [String; 2],
    last: Option<Last>,
}

#[derive(Deserialize)]
struct Last {
    uci: String,
}

impl Position {
    /// Of a view's JSON; `None` if it is none of chess.
    pub(crate) fn parse(view: &str) -> Option<Position> {
        let view: View = serde_json::from_str(view).ok()?;
        let (board, rest) = view.fen.split_once(' ')?;
        let mut squares = Vec::with_capacity(64);
        for letter in board.chars().filter(|letter| *letter != '/') {
            match letter.to_digit(10) {
                Some(empty) => squares.extend((0..empty).map(|_| None)),
                None => squares.push(Some(Piece::parse(letter)?)),
            }
        }
        let last = view.last.map(|last| last.uci).unwrap_or_default();
        let ends = [last.get(..2), last.get(2..4)].into_iter().flatten();
        Some(Position {
            squares,
            is_white_to_move: rest.starts_with('w'),
            is_check: view.check,
            last: ends.filter_map(Square::parse).collect(),
            taken: [false, true].map(|is_white| {
                let letters = &view.captured[usize::from(is_white)];
                letters.chars().map(|kind| Piece { is_white, kind }).collect()
            }),
        })
    }

    pub(crate) fn at(&self, square: Square) -> Option<Piece> {
        *self.squares.get(square.0)?
    }
}
