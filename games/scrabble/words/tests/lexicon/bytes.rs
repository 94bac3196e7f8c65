//! The law of [`Lexicon::from_bytes`], for the tests and for the fuzzer.

use scrabble_words::Lexicon;
use sha2::{Digest as _, Sha256};

/// A list may say that it has hundreds of millions of words; so many are looked at.
const WORDS_MAX: usize = 100_000;

/// Any bytes are an error or a whole list; says whether they are a list.
pub(crate) fn check_any_bytes(bytes: &[u8]) -> bool {
    let Ok(lexicon) = Lexicon::from_bytes(bytes) else { return false };
    let words: Vec<_> = lexicon.words().take(WORDS_MAX).collect();
    assert_eq!(words.len(), lexicon.len().min(WORDS_MAX));
    assert!(words.is_sorted());
    for word in words {
        assert!((2..=15).contains(&word.len()) && lexicon.contains(&word), "{word}");
    }
    true
}

/// A body behind the mark and its right checksum.
pub(crate) fn sealed(body: &[u8]) -> Vec<u8> {
    [b"parlor-1", &Sha256::digest(body)[..], body].concat()
}
