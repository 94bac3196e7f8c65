//! `parlor words` as a person types it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::Command;

fn parlor_words() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
    command.arg("words").env_remove("PARLOR_WORDS");
    command
}

/// What it prints, its error and whether it succeeds.
fn words(arguments: &[&str]) -> (String, String, bool) {
    told(parlor_words().args(arguments))
}

fn told(command: &mut Command) -> (String, String, bool) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.success())
}

#[track_caller]
fn check_fails(arguments: &[&str], expected: &str) {
    let (_, error, is_success) = words(arguments);
    assert!(!is_success && error.contains(expected), "{arguments:?}: {error}");
}

#[test]
fn words_are_checked_in_any_case() {
    let (out, error, is_success) = words(&["check", "qi", "ZA", "Quixotry"]);
    assert_eq!(out, "QI: a word\nZA: a word\nQUIXOTRY: a word\n");
    assert!(is_success, "{error}");
    let (out, error, is_success) = words(&["check", "cat", "tca"]);
    assert_eq!(out, "CAT: a word\nTCA: not a word\n");
    assert!(!is_success && error.contains("1 of 2 are not in scowl-80 (not_a_word)"), "{error}");
}

#[test]
fn words_are_found_longest_first_with_their_points() {
    let list = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(list.path(), "act\nCAT\n\ncats at\nta\nzoo\n").unwrap();
    let file = list.path().to_str().unwrap();
    let (out, error, is_success) = words(&["find", "tac?", "--words", file]);
    assert_eq!(out, "CATS 5\nACT 5\nCAT 5\nAT 2\nTA 2\n");
    assert!(is_success, "{error}");
    let (out, ..) = words(&["--words", file, "find", "zo?"]);
    assert_eq!(out, "ZOO 11\n");
    let (out, ..) = words(&["find", "QI"]);
    assert_eq!(out, "QI 11\n");
}

#[test]
fn a_variable_names_a_list_too_and_it_may_be_packed() {
    let list = tempfile::NamedTempFile::new().unwrap();
    let packed = scrabble_words::Lexicon::from_words("two", ["xx", "xy"]).unwrap().to_bytes();
    std::fs::write(list.path(), packed).unwrap();
    let check = ["check", "XX", "QI"];
    let (out, error, _) = told(parlor_words().args(check).env("PARLOR_WORDS", list.path()));
    assert_eq!(out, "XX: a word\nQI: not a word\n");
    assert!(error.contains("1 of 2 are not in two"), "{error}");
}

#[test]
fn bad_input_is_refused_with_a_code() {
    check_fails(&["check", "it's"], "word_character");
    check_fails(&["check"], "required");
    check_fails(&["find", "cat!"], "rack_character");
    check_fails(&["find", "é"], "rack_character");
    check_fails(&["find", ""], "rack_length");
    check_fails(&["find", "abcdefghijklmnop"], "rack_length");
    check_fails(&["find", "cat", "--words", "no/such/file"], "no/such/file");
    let list = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(list.path(), "cat\nx\n").unwrap();
    check_fails(&["check", "cat", "--words", list.path().to_str().unwrap()], "word_length");
}
