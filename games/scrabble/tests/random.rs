//! Random matches of every preset and number of seats: they end, and no tile is ever lost or made.
//!
//! 200 of each combination; with `PARLOR_SOAK` set, 5,000.

#![expect(clippy::unwrap_used, reason = "in a test's helper it is the failure")]

mod kit;

use game_api::{Game, GameRng, Seed};
use scrabble::{Challenge, Counts, Options, Scrabble, State};

/// All tiles, by letter: in pools, on racks, on the board, in a move that waits, out of the match.
fn tiles(state: &State) -> [u32; 27] {
    let mut all = [0; 27];
    let mut count = |heap: Counts| all.iter_mut().zip(heap.0).for_each(|(n, m)| *n += u32::from(m));
    state.pools.iter().for_each(|pool| count(pool.iter().copied().collect()));
    state.racks.iter().for_each(|rack| count(*rack));
    count(state.removed);
    let tile = |face: u8| if face & 32 == 0 { face } else { 0 };
    count(state.board.letters().map(|(_, face)| tile(face)).collect());
    if let Some(pending) = &state.pending {
        count(pending.placement.laid(&state.board).map(|(_, face)| tile(face)).collect());
    }
    all
}

/// What came up in some matches.
#[derive(Debug, Default)]
struct Seen {
    plies: u64,
    moves: u64,
    fired: u64,
    falls: u64,
    reasons: std::collections::BTreeMap<&'static str, u64>,
}

fn play_out(game: &Scrabble, options: &Options, seats: u8, number: u64, seen: &mut Seen) {
    let mut state = game.setup(options, seats, &Seed::from_number(number)).unwrap();
    let mut rng = GameRng::new(&Seed::from_number(number));
    let (all, mut plies) = (tiles(&state), 0);
    while let Some(seat) = game.to_act(&state).iter().next() {
        let action = game.sample(&state, seat, &mut rng).unwrap();
        let after = game.apply(&state, seat, &action);
        let after =
            after.unwrap_or_else(|it| panic!("match {number}, ply {plies}: {action}: {it}"));
        assert_eq!(tiles(&after), all, "match {number}, ply {plies}: {action}");
        if let Some(last) = after.last_move().filter(|_| after.turn != state.turn) {
            seen.moves += u64::from(last.stands);
            seen.falls += u64::from(!last.stands);
            seen.fired += last.fired.len() as u64;
        }
        state = after;
        plies += 1;
        assert!(plies <= Scrabble::META.longest_match, "match {number} does not end");
    }
    seen.plies += u64::from(plies);
    *seen.reasons.entry(game.outcome(&state).unwrap().reason).or_default() += 1;
}

fn check(options: &Options) {
    let game = kit::game();
    let matches = if std::env::var_os("PARLOR_SOAK").is_some() { 5_000 } else { 200 };
    for seats in 2..=4 {
        let mut seen = Seen::default();
        for number in 0..matches {
            play_out(&game, options, seats, number, &mut seen);
        }
        println!("{seats} seats, {matches} matches: {seen:?}");
        assert!(seen.moves > matches);
        assert_eq!(seen.fired > 0, !options.specials.is_empty(), "specials come into play");
        assert_eq!(seen.falls > 0, options.challenge.is_some(), "challenges are upheld");
    }
}

#[test]
fn classic_matches_end_and_keep_their_tiles() {
    check(&Options::classic());
}

#[test]
fn matches_of_contract_a_end_and_keep_their_tiles() {
    check(&Options::contract_a());
}

#[test]
fn matches_of_contract_b_end_and_keep_their_tiles() {
    check(&Options::contract_b());
}

#[test]
fn matches_with_challenges_end_and_keep_their_tiles() {
    let challenge = Some(Challenge::default());
    check(&Options { challenge, ..Options::contract_b() });
}
