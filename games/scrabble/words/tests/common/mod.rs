//! A board with the usual premiums, letters and bag, and natural positions: those of games in which
//! both sides take the best play, with draws from a seed.

use scrabble_words::{BLANK, Face, LETTER_VALUES, Lexicon, Position, SQUARES, best_play};

/// How many tiles there are of each, blanks first.
const BAG: [u8; 27] =
    [2, 9, 2, 2, 4, 12, 2, 3, 2, 9, 1, 1, 4, 2, 6, 8, 2, 1, 6, 4, 6, 4, 2, 2, 1, 2, 1];

/// An eighth of the board; the rest mirrors it. `3` and `2` are word premiums, `t` and `d` letter's.
const PREMIUMS: [&str; 8] = [
    "3..d...3", ".2...t..", "..2...d.", "d..2...d", "....2...", ".t...t..", "..d...d.", "3..d...2",
];

/// Premiums of the usual board.
pub(crate) struct Premiums {
    pub(crate) letter_times: [u8; SQUARES],
    pub(crate) word_times: [u8; SQUARES],
}

impl Premiums {
    pub(crate) fn usual() -> Self {
        let mut premiums = Self { letter_times: [1; SQUARES], word_times: [1; SQUARES] };
        for square in 0..SQUARES {
            let (row, column) = (square / 15, square % 15);
            match PREMIUMS[row.min(14 - row)].as_bytes()[column.min(14 - column)] {
                b'3' => premiums.word_times[square] = 3,
                b'2' => premiums.word_times[square] = 2,
                b't' => premiums.letter_times[square] = 3,
                b'd' => premiums.letter_times[square] = 2,
                _ => {}
            }
        }
        premiums
    }

    pub(crate) fn position<'a>(
        &'a self,
        board: &'a [Face; SQUARES],
        rack: [u8; 27],
    ) -> Position<'a> {
        Position {
            board,
            rack,
            letter_times: &self.letter_times,
            word_times: &self.word_times,
            values: &LETTER_VALUES,
            centre: 112,
            full_rack: 7,
            bonus: 50,
        }
    }
}

/// A board and a rack.
#[derive(Clone)]
pub(crate) struct Natural {
    pub(crate) board: [Face; SQUARES],
    pub(crate) rack: [u8; 27],
    pub(crate) ply: usize,
}

/// Takes tiles out of a bag until the rack has seven.
fn fill(rack: &mut [u8; 27], bag: &mut Vec<u8>, rng: &mut fastrand::Rng) {
    while rack.iter().sum::<u8>() < 7 && !bag.is_empty() {
        rack[usize::from(bag.swap_remove(rng.usize(..bag.len())))] += 1;
    }
}

/// The positions of one game, from the empty board on.
pub(crate) fn game(lexicon: &Lexicon, rng: &mut fastrand::Rng) -> Vec<Natural> {
    let premiums = Premiums::usual();
    let tiles = BAG.iter().zip(0..).flat_map(|(&count, tile)| [tile].repeat(count.into()));
    let mut bag: Vec<u8> = tiles.collect();
    let mut racks = [[0; 27]; 2];
    let mut board = [0; SQUARES];
    let mut positions = Vec::new();
    for ply in 0..60 {
        let rack = &mut racks[ply % 2];
        fill(rack, &mut bag, rng);
        positions.push(Natural { board, rack: *rack, ply });
        let Some(play) = best_play(lexicon, &premiums.position(&board, *rack)) else { break };
        let laid: Vec<(usize, Face)> = play.laid(&board).collect();
        for (square, face) in laid {
            board[square] = face;
            rack[if face & BLANK == 0 { usize::from(face) } else { 0 }] -= 1;
        }
    }
    positions
}

/// The rack with exactly so many blanks: others are drawn anew, or put in for the first letters.
pub(crate) fn with_blanks(rack: [u8; 27], blanks: u8, rng: &mut fastrand::Rng) -> [u8; 27] {
    let mut rack = rack;
    while rack[0] > blanks {
        let letter = rng.usize(1..27);
        rack[letter] += 1;
        rack[0] -= 1;
    }
    while rack[0] < blanks {
        let letters: Vec<usize> = (1..27).filter(|letter| rack[*letter] > 0).collect();
        let Some(&letter) = letters.get(rng.usize(..letters.len().max(1))) else { break };
        rack[letter] -= 1;
        rack[0] += 1;
    }
    rack
}
