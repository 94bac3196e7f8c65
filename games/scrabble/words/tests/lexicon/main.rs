//! The word list: what is in it, its order, its hash, its packed form, and any other bytes.

mod bytes;

use std::collections::HashSet;

use bytes::{check_any_bytes, sealed};
use scrabble_words::{Lexicon, LexiconError};
use sha2::{Digest as _, Sha256};

const SOME: [&str; 9] = ["qi", "ZA", "cat", "cats", "cat", "act", "catamaran", "aa", "zyzzyvas"];

fn letters(word: &str) -> Vec<u8> {
    word.bytes().map(|byte| byte.to_ascii_uppercase() - b'A' + 1).collect()
}

fn some() -> Lexicon {
    Lexicon::from_words("some", SOME).expect("these are words")
}

#[test]
fn words_are_told_once_and_in_order() {
    let told: Vec<String> = some().words().map(|word| word.to_string()).collect();
    assert_eq!(told, ["AA", "ACT", "CAT", "CATAMARAN", "CATS", "QI", "ZA", "ZYZZYVAS"]);
    assert_eq!((some().len(), some().is_empty(), some().name()), (8, false, "some"));
    let none = Lexicon::from_words("none", []).unwrap();
    assert_eq!((none.len(), none.is_empty(), none.words().count()), (0, true, 0));
    assert!(!none.contains(&[1, 1]) && !none.contains(&[]));
    let back = Lexicon::from_bytes(&none.to_bytes()).unwrap();
    assert_eq!(back.hash(), none.hash());
}

#[test]
fn the_hash_is_of_the_words_alone() {
    let text = b"aa\nact\ncat\ncatamaran\ncats\nqi\nza\nzyzzyvas\n";
    assert_eq!(some().hash()[..], Sha256::digest(text)[..]);
    let renamed = Lexicon::from_words("other", SOME.iter().rev().copied()).unwrap();
    assert_eq!(renamed.hash(), some().hash());
}

#[track_caller]
fn check_refused(word: &str, expected: &str, code: &str) {
    let error = Lexicon::from_words("bad", ["cat", word]).expect_err("a bad word");
    assert_eq!((error.to_string().as_str(), error.code()), (expected, code));
}

#[test]
fn a_bad_word_is_refused_by_name() {
    check_refused("a", "`a` has 1 letters; a word has 2 to 15", "word_length");
    check_refused("", "`` has 0 letters; a word has 2 to 15", "word_length");
    let long = "counterreactions";
    check_refused(long, &format!("`{long}` has 16 letters; a word has 2 to 15"), "word_length");
    check_refused(
        "it's",
        "`it's` has a `'`; a word has the letters A to Z alone",
        "word_character",
    );
    check_refused(
        "café",
        "`café` has a `é`; a word has the letters A to Z alone",
        "word_character",
    );
}

#[test]
fn what_is_no_letter_is_in_no_word() {
    for word in [&[3, 1, 20, 32][..], &[3, 1, 20, 0], &[0], &[255, 255], &[3, 33, 20], &[1; 40]] {
        assert!(!some().contains(word), "{word:?}");
    }
}

#[test]
fn the_packed_form_comes_back_and_is_the_same_each_time() {
    let bytes = some().to_bytes();
    let back = Lexicon::from_bytes(&bytes).unwrap();
    assert_eq!((back.name(), back.len(), back.hash()), ("some", 8, some().hash()));
    assert!(back.words().eq(some().words()));
    assert_eq!(back.to_bytes(), bytes);
    let shuffled = Lexicon::from_words("some", SOME.iter().rev().copied()).unwrap();
    assert_eq!(shuffled.to_bytes(), bytes);
}

#[test]
fn cut_and_flipped_bytes_are_refused() {
    let bytes = some().to_bytes();
    for len in 0..bytes.len() {
        assert!(Lexicon::from_bytes(&bytes[..len]).is_err(), "{len}");
    }
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(Lexicon::from_bytes(&flipped).is_err(), "bit {bit}");
    }
    assert_eq!(Lexicon::from_bytes(b"cat\n").unwrap_err(), LexiconError::Foreign);
    let longer = [&bytes[..], b"x"].concat();
    assert_eq!(Lexicon::from_bytes(&longer).unwrap_err(), LexiconError::Damaged);
}

#[test]
fn a_long_name_is_cut_between_letters() {
    let name = "ä".repeat(200);
    let packed = Lexicon::from_words(&name, SOME).unwrap().to_bytes();
    assert_eq!(Lexicon::from_bytes(&packed).unwrap().name(), "ä".repeat(127));
}

#[test]
fn a_file_is_a_packed_list_or_text() {
    let packed = Lexicon::from_file("file", &some().to_bytes()).unwrap();
    assert_eq!((packed.name(), packed.hash()), ("some", some().hash()));
    let text = Lexicon::from_file("file", SOME.join(" \r\n").as_bytes()).unwrap();
    assert_eq!((text.name(), text.hash()), ("file", some().hash()));
    let code = |bytes: &[u8]| Lexicon::from_file("file", bytes).unwrap_err().code();
    assert_eq!(code(b"cat x"), "word_length");
    assert_eq!(code(b"cat \xFF"), "lexicon_foreign");
    let bytes = some().to_bytes();
    assert_eq!(code(&bytes[..bytes.len() - 1]), "lexicon_damaged");
}

#[test]
fn any_bytes_are_an_error_or_a_whole_list() {
    let mut rng = fastrand::Rng::with_seed(8);
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..rng.usize(..200)).map(|_| rng.u8(..)).collect();
        check_any_bytes(&bytes);
        check_any_bytes(&sealed(&bytes));
    }
}

#[test]
fn bytes_with_a_right_checksum_are_an_error_or_a_whole_list() {
    let good = some().to_bytes();
    // Behind the mark and the checksum.
    let good = &good[40..];
    assert!(check_any_bytes(&sealed(good)));
    let mut rng = fastrand::Rng::with_seed(7);
    let mut accepted = 0;
    for _ in 0..20_000 {
        let mut body = good.to_vec();
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(..body.len());
            body[at] = rng.u8(..);
        }
        body.truncate(rng.usize(..body.len() * 2));
        accepted += usize::from(check_any_bytes(&sealed(&body)));
    }
    assert!(accepted > 100, "only {accepted} were accepted: this tells little");
}

/// A list without a name, of so many words, with these nodes.
fn packed(words: u8, nodes: &[&[u8]]) -> Vec<u8> {
    let count = u8::try_from(nodes.len()).expect("few nodes");
    let head = [&[0, words][..], &[0; 32], &[count]].concat();
    sealed(&[head, nodes.concat()].concat())
}

#[test]
fn what_no_packing_writes_is_refused() {
    const ENDS: u8 = 32;
    const ON: u8 = 64;
    const LAST: u8 = 128;
    let check = |words: u8, nodes: &[&[u8]], is_list: bool| {
        let accepted = check_any_bytes(&packed(words, nodes));
        assert_eq!(accepted, is_list, "{words} words, {nodes:?}");
    };
    // AA, or AA and A.
    check(1, &[&[1 | ENDS | LAST], &[1 | ON | LAST, 1]], true);
    check(2, &[&[1 | ENDS | LAST], &[1 | ON | ENDS | LAST, 1]], false);
    // Another number of words; an arc to itself, and to before the first node; letters out of order.
    check(2, &[&[1 | ENDS | LAST], &[1 | ON | LAST, 1]], false);
    check(1, &[&[1 | ENDS | LAST], &[1 | ON | LAST, 0]], false);
    check(1, &[&[1 | ENDS | LAST], &[1 | ON | LAST, 2]], false);
    check(2, &[&[2 | ENDS, 1 | ENDS | LAST], &[1 | ON | LAST, 1]], false);
    check(1, &[&[(26 + 1) | ENDS | LAST], &[1 | ON | LAST, 1]], false);
    // Words of sixteen letters.
    let way = [&[1 | ON | LAST, 1][..]; 15];
    let end: &[&[u8]] = &[&[1 | ENDS | LAST]];
    check(1, &[end, &way[..14]].concat(), true);
    check(1, &[end, &way].concat(), false);
    // More words than can be counted.
    let full = |flags: u8| (1..=26).map(move |letter| letter | flags | (letter / 26 * LAST));
    let ends: Vec<u8> = full(ENDS).collect();
    let on: Vec<u8> = full(ENDS | ON).flat_map(|byte| [byte, 1]).collect();
    let mut nodes = vec![&ends[..]];
    nodes.resize(15, &on[..]);
    check(255, &nodes, false);
}

#[cfg(feature = "english")]
mod english {
    use super::*;
    use scrabble_words::{ENGLISH_BYTES, english};

    #[test]
    fn the_embedded_list_is_the_one_it_says() {
        let mut hash = Sha256::new();
        for word in english().words() {
            hash.update(format!("{word}\n").to_ascii_lowercase());
        }
        assert_eq!(hash.finalize()[..], english().hash()[..]);
        assert_eq!((english().name(), english().len()), ("scowl-80", 248_355));
        assert!(ENGLISH_BYTES.len() <= 1_000_000, "{} bytes", ENGLISH_BYTES.len());
        assert!(english().memory_bytes() <= 4_000_000, "{} bytes", english().memory_bytes());
        assert_eq!(english().to_bytes(), ENGLISH_BYTES);
    }

    #[test]
    fn the_short_words_are_those_that_players_expect() {
        for word in
            ["aa", "qi", "za", "xu", "jo", "ok", "cafe", "cwm", "quixotry", "colour", "color"]
        {
            assert!(english().contains(&letters(word)), "{word}");
        }
        for word in ["cd", "tv", "kg", "mr", "bs", "csc", "london", "zzzz", "x", "colr"] {
            assert!(!english().contains(&letters(word)), "{word}");
        }
        assert_eq!(english().words().filter(|word| word.len() == 2).count(), 122);
    }

    #[test]
    fn a_set_of_the_words_says_the_same() {
        let set: HashSet<Vec<u8>> = english().words().map(|word| word.to_vec()).collect();
        assert_eq!(set.len(), english().len());
        let mut rng = fastrand::Rng::with_seed(11);
        let mut others = 0;
        for word in &set {
            assert!(english().contains(word));
            let mut near = word.clone();
            match rng.u8(..3) {
                0 => near[rng.usize(..word.len())] = rng.u8(1..=26),
                1 => near.push(rng.u8(1..=26)),
                _ => drop(near.remove(rng.usize(..word.len()))),
            }
            assert_eq!(english().contains(&near), set.contains(&near), "{near:?}");
            others += usize::from(!set.contains(&near));
        }
        assert!(others > 100_000, "only {others} of them were no words");
    }
}
