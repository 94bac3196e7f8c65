//! Plays worked out by hand, on the usual board.

use scrabble_words::{Direction, Face, Lexicon, Play, SQUARES, all_plays};

use crate::common::Premiums;

const WORDS: [&str; 14] = [
    "aa", "as", "at", "cat", "cats", "east", "ha", "has", "hat", "retains", "sat", "scat",
    "strainer", "ta",
];

/// A letter's face: capitals are letters, small ones blanks.
fn face(byte: u8) -> Face {
    if byte.is_ascii_uppercase() { byte - b'A' + 1 } else { (byte - b'a' + 1) | 32 }
}

/// `8G` is across from row 8, column G; `G8` down from there.
fn place(text: &str) -> (usize, Direction) {
    let (rows, columns): (Vec<u8>, Vec<u8>) = text.bytes().partition(u8::is_ascii_digit);
    let row = rows.iter().fold(0, |row, digit| row * 10 + usize::from(digit - b'0'));
    let is_across = text.as_bytes()[0].is_ascii_digit();
    let direction = if is_across { Direction::Across } else { Direction::Down };
    ((row - 1) * 15 + usize::from(columns[0] - b'A'), direction)
}

/// With these words on the board, what the play of a rack scores; `None` if there is no such play.
#[track_caller]
fn check(lying: &[(&str, &str)], rack: &str, at: &str, word: &str, expected: Option<i32>) {
    let mut board = [0; SQUARES];
    for (start, word) in lying {
        let (start, direction) = place(start);
        let step = if direction == Direction::Across { 1 } else { 15 };
        for (index, byte) in word.bytes().enumerate() {
            board[start + index * step] = face(byte);
        }
    }
    let mut counts = [0; 27];
    for byte in rack.bytes() {
        counts[if byte == b'?' { 0 } else { usize::from(face(byte)) }] += 1;
    }
    let lexicon = Lexicon::from_words("examples", WORDS).expect("these are words");
    let mut plays = Vec::new();
    all_plays(&lexicon, &Premiums::usual().position(&board, counts), &mut plays);
    let is_it =
        |play: &&Play| (play.start, play.direction) == place(at) && play.word.to_string() == word;
    let scores: Vec<i32> = plays.iter().filter(is_it).map(|play| play.score).collect();
    assert_eq!(scores, Vec::from_iter(expected), "{rack}: {word} at {at}");
}

#[test]
fn the_first_word_lies_over_the_centre_and_counts_twice() {
    check(&[], "CATVVVV", "8H", "CAT", Some(10));
    check(&[], "CATVVVV", "H8", "CAT", Some(10));
    check(&[], "CATVVVV", "8F", "CAT", Some(10));
    check(&[], "CATVVVV", "8I", "CAT", None);
    check(&[], "CATVVVV", "7H", "CAT", None);
}

#[test]
fn premiums_count_under_new_tiles_and_word_premiums_multiply() {
    // H1 triples the word, F6 the letter; D1 doubles the letter.
    check(&[("2H", "A")], "HVVVVVV", "H1", "HA", Some(5 * 3));
    check(&[("6G", "A")], "HVVVVVV", "6F", "HA", Some(4 * 3 + 1));
    check(&[("1C", "h")], "AVVVVVV", "1C", "hA", Some(2));
    // Their premiums are used up.
    check(&[("1H", "H")], "AVVVVVV", "H1", "HA", Some(5));
    // A1 and H1 both triple, D1 doubles the A, and seven tiles have their bonus.
    check(&[("1E", "I")], "STRANER", "1A", "STRAINER", Some(9 * 3 * 3 + 50));
}

#[test]
fn seven_tiles_have_their_bonus() {
    // Seven letters of a point each; L8 doubles the I, H8 the word.
    check(&[], "RETAINS", "8H", "RETAINS", Some(8 * 2 + 50));
    check(&[], "RETAIN?", "8H", "RETAINs", Some(7 * 2 + 50));
    // Six tiles have none.
    check(&[("8K", "S")], "RETAINV", "8E", "RETAINS", Some(7 * 2));
}

#[test]
fn a_hook_scores_both_words() {
    // SAT down, and CATS, whose premium at H8 is used up.
    check(&[("8H", "CAT")], "SATVVVV", "K8", "SAT", Some(3 + 6));
    check(&[("8H", "CAT")], "SVVVVVV", "8H", "CATS", Some(6));
    check(&[("8H", "CAT")], "SVVVVVV", "8G", "SCAT", Some(6));
    check(&[("8H", "CAT")], "?VVVVVV", "8H", "CATs", Some(5));
    check(&[("8H", "hA")], "SVVVVVV", "8H", "hAS", Some(2));
    check(&[("8H", "CAT")], "VVVVVVV", "8H", "CAT", None);
}

#[test]
fn a_parallel_word_scores_every_word_it_makes() {
    // TA under AT: I9 doubles its A, in TA across and in TA down; and AT down.
    check(&[("8H", "AT")], "TAVVVVV", "9H", "TA", Some(3 + 3 + 2));
    check(&[("8H", "AT")], "TAVVVVV", "9I", "TA", None);
    // HAT over AT: K5 doubles HAT and HA, not AT.
    check(&[("6K", "AT")], "HATVVVV", "5K", "HAT", Some(12 + 10 + 2));
}

#[test]
fn a_single_tile_is_told_by_its_longer_word() {
    let across = [("8H", "CA"), ("7J", "A")];
    check(&across, "TVVVVVV", "8H", "CAT", Some(5 + 2));
    check(&across, "TVVVVVV", "J7", "AT", None);
    let down = [("H8", "CA"), ("10G", "A")];
    check(&down, "TVVVVVV", "H8", "CAT", Some(5 + 2));
    check(&down, "TVVVVVV", "10G", "AT", None);
    let both = [("8I", "A"), ("7J", "A")];
    check(&both, "TVVVVVV", "8I", "AT", Some(2 + 2));
    check(&both, "TVVVVVV", "J7", "AT", None);
}

#[test]
fn groups_that_do_not_touch_can_all_be_joined() {
    let islands = [("1A", "CAT"), ("15M", "CAT")];
    check(&islands, "SVVVVVV", "1A", "CATS", Some(5 + 2));
    check(&islands, "SVVVVVV", "15L", "SCAT", Some(5 + 2));
}
