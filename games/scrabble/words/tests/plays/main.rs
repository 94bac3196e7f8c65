//! The fast generator against the naive one, and examples worked by hand.

#[path = "../common/mod.rs"]
mod common;
mod examples;
mod naive;

use common::{Natural, Premiums, game, with_blanks};
use naive::Rules;
use scrabble_words::{Face, Lexicon, Position, SQUARES, all_plays, best_play};

fn is_soak() -> bool {
    std::env::var_os("PARLOR_SOAK").is_some()
}

/// Words enough that plays cross, few enough that trying each everywhere is quick.
fn small_list() -> Vec<String> {
    const PARTS: &str = "a be co di er fo in on qu re st ta un zo s";
    let parts: Vec<&str> = PARTS.split(' ').collect();
    let mut rng = fastrand::Rng::with_seed(3);
    let word = |_| {
        let count = rng.usize(1..6);
        (0..count).map(|_| parts[rng.usize(..parts.len())]).collect::<String>()
    };
    (0..1_800).map(word).filter(|word| (2..=15).contains(&word.len())).collect()
}

fn small() -> (Lexicon, Rules) {
    let words = small_list();
    let lexicon = Lexicon::from_words("small", words.iter().map(String::as_str));
    let lexicon = lexicon.expect("these are words");
    let rules = Rules::new(lexicon.words().map(|word| word.to_vec()));
    (lexicon, rules)
}

/// Both generators agree, and the best play is the first. Tells how many plays there are.
#[track_caller]
fn check(lexicon: &Lexicon, rules: &Rules, position: &Position<'_>, what: &str) -> usize {
    let mut plays = Vec::new();
    all_plays(lexicon, position, &mut plays);
    assert!(plays.is_sorted(), "{what}: out of order");
    assert_eq!(best_play(lexicon, position), plays.first().copied(), "{what}: best");
    let fast = plays.iter().map(|it| (-it.score, it.start, it.direction, it.word.to_vec()));
    let fast: Vec<_> = fast.collect();
    let slow: Vec<_> = rules.all_plays(position).into_iter().collect();
    let differs = fast.iter().zip(&slow).position(|(a, b)| a != b);
    let at = differs.unwrap_or(fast.len().min(slow.len()));
    let (fast_at, slow_at) = (fast.get(at), slow.get(at));
    let counts = (fast.len(), slow.len());
    assert!(fast == slow, "{what}: {counts:?} plays, at {at} {fast_at:?} against {slow_at:?}");
    plays.len()
}

/// Natural positions of a list, with 0 to 2 blanks, until there are so many.
#[track_caller]
fn check_natural(lexicon: &Lexicon, rules: &Rules, wanted: usize) {
    let premiums = Premiums::usual();
    let (mut checked, mut plays) = (0, 0);
    for seed in 0.. {
        let mut rng = fastrand::Rng::with_seed(seed);
        for Natural { board, rack, ply } in game(lexicon, &mut rng) {
            let blanks = rng.u8(..3);
            let rack = with_blanks(rack, blanks, &mut rng);
            let what = format!("seed {seed}, ply {ply}, {blanks} blanks");
            plays += check(lexicon, rules, &premiums.position(&board, rack), &what);
            checked += 1;
            if checked == wanted {
                assert!(plays > 50 * wanted, "only {plays} plays: this tells little");
                return;
            }
        }
    }
}

#[test]
fn natural_positions_have_the_plays_that_the_rules_say() {
    let (lexicon, rules) = small();
    check_natural(&lexicon, &rules, if is_soak() { 2_000 } else { 100 });
}

#[cfg(feature = "english")]
#[test]
fn the_default_list_has_them_too() {
    let lexicon = scrabble_words::english();
    let rules = Rules::new(lexicon.words().map(|word| word.to_vec()));
    check_natural(lexicon, &rules, if is_soak() { 40 } else { 3 });
}

/// Tiles of any letters anywhere: groups that do not touch, and lines that are no words.
#[test]
fn boards_that_no_game_leads_to_have_them_too() {
    let (lexicon, rules) = small();
    let premiums = Premiums::usual();
    let mut plays = 0;
    for seed in 0..if is_soak() { 1_000 } else { 60 } {
        let mut rng = fastrand::Rng::with_seed(seed);
        let tiles = rng.usize(1..160);
        let mut board = [0; SQUARES];
        for _ in 0..tiles {
            let letters = b"abcdefinoqrstuz";
            let letter = letters[rng.usize(..letters.len())] - b'a' + 1;
            board[rng.usize(..SQUARES)] = letter | if rng.u8(..9) == 0 { 32 } else { 0 };
        }
        let mut rack = [0; 27];
        for _ in 0..rng.usize(1..8) {
            rack[usize::from(b"eiosntar"[rng.usize(..8)] - b'a' + 1)] += 1;
        }
        let rack = with_blanks(rack, rng.u8(..2), &mut rng);
        plays += check(&lexicon, &rules, &premiums.position(&board, rack), &format!("seed {seed}"));
    }
    assert!(plays > 1_000, "only {plays} plays: this tells little");
}

/// More tiles, more blanks, and points beyond the usual, for which the narrow key has no room.
#[test]
fn odd_racks_and_scores_have_them_too() {
    let (lexicon, rules) = small();
    let mut premiums = Premiums::usual();
    let mut rng = fastrand::Rng::with_seed(5);
    let natural = game(&lexicon, &mut rng);
    for (index, Natural { board, rack, .. }) in natural.iter().enumerate().take(8) {
        let mut rack = *rack;
        for tile in [1, 5, 19, 20] {
            rack[tile] += 1;
        }
        check(&lexicon, &rules, &premiums.position(board, rack), &format!("{index}, eleven tiles"));
        let mut blanks = [0; 27];
        (blanks[0], blanks[1], blanks[5]) = (3, 1, 2);
        check(&lexicon, &rules, &premiums.position(board, blanks), &format!("{index}, blanks"));
        premiums.word_times[rng.usize(..SQUARES)] = 200;
        let position = Position { bonus: -100, ..premiums.position(board, natural[0].rack) };
        check(&lexicon, &rules, &position, &format!("{index}, odd scores"));
    }
}

#[test]
fn an_empty_rack_or_list_has_no_play() {
    let (lexicon, _) = small();
    let premiums = Premiums::usual();
    let mut board: [Face; SQUARES] = [0; SQUARES];
    assert_eq!(best_play(&lexicon, &premiums.position(&board, [0; 27])), None);
    board[112] = 1;
    assert_eq!(best_play(&lexicon, &premiums.position(&board, [0; 27])), None);
    let none = Lexicon::from_words("none", []).unwrap();
    let mut rack = [0; 27];
    rack[0] = 7;
    assert_eq!(best_play(&none, &premiums.position(&board, rack)), None);
}

/// Nothing is promised of what they answer, only that they do.
#[test]
fn positions_that_cannot_be_do_not_panic() {
    let (lexicon, _) = small();
    let premiums = Premiums::usual();
    let mut rng = fastrand::Rng::with_seed(9);
    let mut plays = Vec::new();
    for _ in 0..200 {
        let board = std::array::from_fn(|_| if rng.bool() { 0 } else { rng.u8(..) });
        let rack = std::array::from_fn(|_| rng.u8(..2));
        let values = std::array::from_fn(|_| rng.u8(..));
        let position = Position { values: &values, centre: 999, ..premiums.position(&board, rack) };
        all_plays(&lexicon, &position, &mut plays);
        assert_eq!(best_play(&lexicon, &position), plays.first().copied());
    }
}
