//! Counts of moves against those that others have published.
//!
//! The standard positions are the usual six, with the counts that many engines' tests carry; the
//! Chess960 ones are from Ethereal's `fischer.epd`. With `PARLOR_SOAK` set, a level deeper.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use chess::{Chess, Options, Variant};
use game_api::{Game, Seed};

/// The counts at depth 1, 2 and so on; in `cargo test` only those up to a few million.
#[track_caller]
fn check(variant: Variant, fen: &str, counts: &[u64]) {
    let most = if std::env::var_os("PARLOR_SOAK").is_some() { u64::MAX } else { 5_000_000 };
    let options = Options { variant, ..Options::default() };
    let (_, state) = Chess.position(&options, fen, &Seed::from_number(1)).unwrap();
    for (depth, expected) in (1..).zip(counts).filter(|(_, count)| **count <= most) {
        assert_eq!(Chess.perft(&state, depth), *expected, "{fen} at depth {depth}");
    }
}

#[test]
fn the_start_and_the_usual_five_positions() {
    for (fen, counts) in [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            &[20, 400, 8_902, 197_281, 4_865_609, 119_060_324][..],
        ),
        (
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            &[48, 2_039, 97_862, 4_085_603, 193_690_690],
        ),
        (
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            &[14, 191, 2_812, 43_238, 674_624, 11_030_083, 178_633_661],
        ),
        (
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            &[6, 264, 9_467, 422_333, 15_833_292],
        ),
        (
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            &[44, 1_486, 62_379, 2_103_487, 89_941_194],
        ),
        (
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            &[46, 2_079, 89_890, 3_894_594, 164_075_551],
        ),
    ] {
        check(Variant::Standard, fen, counts);
    }
}

#[test]
fn twelve_positions_of_chess960() {
    for (fen, counts) in [
        (
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            [21, 528, 12_189, 326_672, 8_146_062],
        ),
        (
            "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
            [21, 807, 18_002, 667_366, 16_253_601],
        ),
        (
            "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9",
            [20, 479, 10_471, 273_318, 6_417_013],
        ),
        (
            "qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9",
            [22, 593, 13_440, 382_958, 9_183_776],
        ),
        (
            "1nbbnrkr/p1p1ppp1/3p4/1p3P1p/3Pq2P/8/PPP1P1P1/QNBBNRKR w HFhf - 0 9",
            [28, 1_120, 31_058, 1_171_749, 34_030_312],
        ),
        (
            "qnbnr1kr/ppp1b1pp/4p3/3p1p2/8/2NPP3/PPP1BPPP/QNB1R1KR w HEhe - 1 9",
            [29, 899, 26_578, 824_055, 24_851_983],
        ),
        (
            "q1bnrkr1/ppppp2p/2n2p2/4b1p1/2NP4/8/PPP1PPPP/QNB1RRKB w ge - 1 9",
            [30, 860, 24_566, 732_757, 21_093_346],
        ),
        (
            "qnr1bkrb/pppp2pp/3np3/5p2/8/P2P2P1/NPP1PP1P/QN1RBKRB w GDg - 3 9",
            [33, 823, 26_895, 713_420, 23_114_629],
        ),
        (
            "1qnrkbbr/1pppppp1/p1n4p/8/P7/1P1N1P2/2PPP1PP/QN1RKBBR w HDhd - 0 9",
            [37, 883, 32_187, 815_535, 29_370_838],
        ),
        (
            "bnqnrbkr/1pp2pp1/p7/3pP2p/4P1P1/8/PPPP3P/BNQNRBKR w HEhe d6 0 9",
            [31, 984, 28_677, 962_591, 29_032_175],
        ),
        (
            "nnrkrbbq/pppp2pp/8/4pp2/4P3/P7/1PPPBPPP/NNKRR1BQ w c - 0 9",
            [25, 792, 19_883, 636_041, 16_473_376],
        ),
        (
            "nnr1kqbr/pp1pp1p1/2p5/b4p1p/P7/1PNP4/2P1PPPP/N1RBKQBR w HChc - 1 9",
            [12, 421, 6_530, 227_044, 4_266_410],
        ),
    ] {
        check(Variant::Chess960, fen, &counts);
    }
}

#[test]
fn automatic_queens_leave_a_quarter_of_the_promotions() {
    let fen = "7k/P6P/8/8/8/8/8/K7 w - - 0 1";
    let count = |auto_queen| {
        let options = Options { auto_queen, ..Options::default() };
        let (_, state) = Chess.position(&options, fen, &Seed::from_number(1)).unwrap();
        Chess.perft(&state, 1)
    };
    assert_eq!([count(false), count(true)], [7, 4]);
}
