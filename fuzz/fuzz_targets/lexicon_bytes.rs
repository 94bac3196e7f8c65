//! Any bytes are no word list or a whole one, also behind a checksum that is right.
//!
//! The law itself is a file of the tests of `scrabble-words`, which check it with random bytes.
#![no_main]

#[path = "../../games/scrabble/words/tests/lexicon/bytes.rs"]
mod bytes;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    bytes::check_any_bytes(input);
    bytes::check_any_bytes(&bytes::sealed(input));
});
