//! The moves of chess once more, on a board of 64 letters, slowly and by the words of RULES.md.
//!
//! Shares nothing with the crate under test but the FEN that both are given.

/// A square is a file and a rank, both from 0.
pub(crate) type Square = (i8, i8);

/// A position, as its FEN says.
#[derive(Clone)]
pub(crate) struct Mailbox {
    /// Letters as in a FEN, blank where nobody stands.
    men: [[char; 8]; 8],
    is_white: bool,
    /// The files of the rooks that may castle: White's, Black's.
    rooks: [Vec<i8>; 2],
    en_passant: Option<Square>,
    is_chess960: bool,
}

const STRAIGHT: [Square; 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: [Square; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const JUMPS: [Square; 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

pub(crate) fn name((file, rank): Square) -> String {
    let letter = |base: u8, number: i8| char::from(base + u8::try_from(number).unwrap());
    [letter(b'a', file), letter(b'1', rank)].iter().collect()
}

fn square(text: &str) -> Option<Square> {
    let bytes = text.as_bytes();
    let number = |byte: u8, base: u8| i8::try_from(byte - base).unwrap();
    (bytes.len() == 2).then(|| (number(bytes[0], b'a'), number(bytes[1], b'1')))
}

fn is_on_board((file, rank): Square) -> bool {
    (0..8).contains(&file) && (0..8).contains(&rank)
}

impl Mailbox {
    pub(crate) fn read(fen: &str, is_chess960: bool) -> Mailbox {
        let fields: Vec<&str> = fen.split(' ').collect();
        let mut men = [[' '; 8]; 8];
        for (row, rank) in fields[0].split('/').zip((0..8).rev()) {
            let mut file = 0;
            for letter in row.chars() {
                if let Some(count) = letter.to_digit(10) {
                    file += count as usize;
                } else {
                    men[rank][file] = letter;
                    file += 1;
                }
            }
        }
        let mut rooks = [Vec::new(), Vec::new()];
        for letter in fields[2].chars().filter(|letter| *letter != '-') {
            let file = match letter.to_ascii_lowercase() {
                'k' => 7,
                'q' => 0,
                file => i8::try_from(file as u32 - 'a' as u32).unwrap(),
            };
            rooks[usize::from(letter.is_ascii_lowercase())].push(file);
        }
        let en_passant = square(fields[3]);
        Mailbox { men, is_white: fields[1] == "w", rooks, en_passant, is_chess960 }
    }

    fn at(&self, (file, rank): Square) -> char {
        self.men[usize::try_from(rank).unwrap()][usize::try_from(file).unwrap()]
    }

    fn put(&mut self, (file, rank): Square, letter: char) {
        self.men[usize::try_from(rank).unwrap()][usize::try_from(file).unwrap()] = letter;
    }

    fn is_empty(&self, at: Square) -> bool {
        self.at(at) == ' '
    }

    fn is_of(&self, at: Square, is_white: bool) -> bool {
        !self.is_empty(at) && self.at(at).is_ascii_uppercase() == is_white
    }

    fn squares() -> impl Iterator<Item = Square> {
        (0..8).flat_map(|rank| (0..8).map(move |file| (file, rank)))
    }

    /// Where the man on a square could take or go, castling and the own king's safety aside.
    fn reach(&self, from: Square) -> Vec<Square> {
        let letter = self.at(from);
        let is_white = letter.is_ascii_uppercase();
        let (steps, distance): (Vec<Square>, i8) = match letter.to_ascii_lowercase() {
            'n' => (JUMPS.to_vec(), 1),
            'b' => (DIAGONAL.to_vec(), 7),
            'r' => (STRAIGHT.to_vec(), 7),
            'q' => ([STRAIGHT, DIAGONAL].concat(), 7),
            'k' => ([STRAIGHT, DIAGONAL].concat(), 1),
            _ => return self.reach_of_pawn(from, is_white),
        };
        let mut found = Vec::new();
        for (file, rank) in steps {
            for length in 1..=distance {
                let to = (from.0 + file * length, from.1 + rank * length);
                if !is_on_board(to) || self.is_of(to, is_white) {
                    break;
                }
                found.push(to);
                if !self.is_empty(to) {
                    break;
                }
            }
        }
        found
    }

    fn reach_of_pawn(&self, from: Square, is_white: bool) -> Vec<Square> {
        let (forward, first_rank) = if is_white { (1, 1) } else { (-1, 6) };
        let mut found = Vec::new();
        let one = (from.0, from.1 + forward);
        if is_on_board(one) && self.is_empty(one) {
            found.push(one);
            let two = (from.0, from.1 + 2 * forward);
            if from.1 == first_rank && self.is_empty(two) {
                found.push(two);
            }
        }
        for side in [-1, 1] {
            let to = (from.0 + side, from.1 + forward);
            let takes = |to| self.is_of(to, !is_white) || self.en_passant == Some(to);
            if is_on_board(to) && takes(to) {
                found.push(to);
            }
        }
        found
    }

    fn is_attacked(&self, target: Square, by_white: bool) -> bool {
        // A pawn attacks only where something stands, so something is put there.
        let mut board = self.clone();
        board.put(target, if by_white { 'n' } else { 'N' });
        board.en_passant = None;
        Self::squares()
            .filter(|from| board.is_of(*from, by_white))
            .any(|from| board.reach(from).contains(&target))
    }

    fn king(&self, is_white: bool) -> Square {
        let letter = if is_white { 'K' } else { 'k' };
        Self::squares().find(|at| self.at(*at) == letter).unwrap()
    }

    pub(crate) fn is_check(&self) -> bool {
        self.is_attacked(self.king(self.is_white), !self.is_white)
    }

    /// The legal moves as UCI, sorted.
    pub(crate) fn legal(&self) -> Vec<String> {
        let mut found = Vec::new();
        for from in Self::squares().filter(|from| self.is_of(*from, self.is_white)) {
            for to in self.reach(from) {
                let mut after = self.clone();
                after.put(to, self.at(from));
                after.put(from, ' ');
                let is_pawn = self.at(from).eq_ignore_ascii_case(&'p');
                if is_pawn && self.en_passant == Some(to) {
                    after.put((to.0, from.1), ' ');
                }
                if after.is_attacked(after.king(self.is_white), !self.is_white) {
                    continue;
                }
                let text = name(from) + &name(to);
                if is_pawn && (to.1 == 0 || to.1 == 7) {
                    found.extend(["q", "r", "b", "n"].map(|piece| text.clone() + piece));
                } else {
                    found.push(text);
                }
            }
        }
        let rooks = &self.rooks[usize::from(!self.is_white)];
        found.extend(rooks.iter().filter_map(|rook| self.castle(*rook)));
        found.sort();
        found
    }

    fn castle(&self, rook_file: i8) -> Option<String> {
        let king = self.king(self.is_white);
        let rook = (rook_file, king.1);
        let is_short = rook_file > king.0;
        let (king_to, rook_to) = if is_short { (6, 5) } else { (2, 3) };
        let between = |from: i8, to: i8| from.min(to)..=from.max(to);
        let mut lifted = self.clone();
        lifted.put(king, ' ');
        lifted.put(rook, ' ');
        let is_free = between(king.0, king_to)
            .chain(between(rook_file, rook_to))
            .all(|file| lifted.is_empty((file, king.1)));
        // The king's way is looked at with the rook still there, its end with the rook moved.
        let mut on_the_way = self.clone();
        on_the_way.put(king, ' ');
        let is_safe_way = between(king.0, king_to)
            .all(|file| !on_the_way.is_attacked((file, king.1), !self.is_white));
        let mut after = lifted.clone();
        after.put((king_to, king.1), self.at(king));
        after.put((rook_to, king.1), self.at(rook));
        let is_safe_end = !after.is_attacked((king_to, king.1), !self.is_white);
        let is_safe = !self.is_check() && is_safe_way && is_safe_end;
        let to = if self.is_chess960 { rook } else { (king_to, king.1) };
        (is_free && is_safe).then(|| name(king) + &name(to))
    }
}
