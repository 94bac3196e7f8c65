//! Replays stored logs: every entry is still legal, and each match ends in the state that it ended
//! in when it was recorded.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use brotli_decompressor::Decompressor;
use game_api::MatchLog;

/// Matches recorded of each game.
const LOGS: usize = 2500;

#[track_caller]
fn check(game: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ground/logs");
    let file = File::open(folder.join(format!("{game}.jsonl.br"))).unwrap();
    let lines = BufReader::new(Decompressor::new(file, 1 << 16)).lines();
    let mut count = 0;
    for (number, line) in (1..).zip(lines) {
        let log: MatchLog = serde_json::from_str(&line.unwrap()).unwrap();
        assert_eq!(log.game, game);
        if let Err(error) = catalog::replay(&log) {
            panic!("{game}, line {number}: {error} ({})", error.code());
        }
        count += 1;
    }
    assert_eq!(count, LOGS);
}

#[test]
fn every_log_of_chess_replays_to_its_hash() {
    check("chess");
}

#[test]
fn every_log_of_crazy_tens_replays_to_its_hash() {
    check("crazy-tens");
}

#[test]
fn every_log_of_santorini_replays_to_its_hash() {
    check("santorini");
}

#[test]
fn every_log_of_scrabble_replays_to_its_hash() {
    check("scrabble");
}
