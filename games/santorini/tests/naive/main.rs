//! The fast rules against a slow generator written apart from them, from the documents and the
//! action texts of RULES.md.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod reference;

use std::collections::BTreeMap;

use game_api::{Game, Seat, Seed, playouts};
use reference::NaiveState;
use santorini::{Cell, GodId, Options, Phase, Reason, Santorini, State};

fn is_soak() -> bool {
    std::env::var_os("PARLOR_SOAK").is_some()
}

/// Every pair of gods, the mortal among them.
fn pairs() -> Vec<[GodId; 2]> {
    GodId::all().flat_map(|first| GodId::all().map(move |second| [first, second])).collect()
}

fn cell(row: usize, column: usize) -> Cell {
    Cell::new(u8::try_from(column).unwrap(), u8::try_from(row).unwrap()).unwrap()
}

/// The same position in the shell's notation.
fn position_text(naive: &NaiveState) -> String {
    let letter = |row: usize, column: usize| {
        let letters =
            if naive.domes[row][column] { ["a", "b", "c", "4"] } else { ["0", "1", "2", "3"] };
        letters[usize::from(naive.levels[row][column])]
    };
    let row = |row: usize| (0..5).map(|column| letter(row, column)).collect::<String>();
    let workers = |seat: usize| {
        naive.workers[seat].map(|(row, column)| cell(row, column).to_string()).join(",")
    };
    let god = |seat: usize| {
        let id = if naive.gods[seat].is_empty() { "mortal" } else { naive.gods[seat] };
        let bars = if naive.no_climb && seat != naive.to_move { "!" } else { "" };
        format!("{id}{bars}")
    };
    let rows = (0..5).map(row).collect::<Vec<_>>().join("/");
    format!("{rows} {} {} {} {},{}", workers(0), workers(1), naive.to_move, god(0), god(1))
}

fn fast(naive: &NaiveState) -> State {
    let text = position_text(naive);
    Santorini.position(&Options::default(), &text, &Seed::from_number(1)).unwrap().1
}

/// A board as it might stand in the middle of a match, or stranger.
fn random_position(chooser: &mut fastrand::Rng, gods: [GodId; 2]) -> NaiveState {
    let height = chooser.u8(1..=4);
    let dome_odds = chooser.f32() * 0.3;
    let mut levels = [[0; 5]; 5];
    let mut domes = [[false; 5]; 5];
    for (levels, domes) in levels.iter_mut().zip(&mut domes) {
        for (level, dome) in levels.iter_mut().zip(domes) {
            *level = chooser.u8(..height);
            *dome = chooser.f32() < dome_odds;
        }
    }
    let mut cells: Vec<(usize, usize)> = (0..25).map(|index| (index / 5, index % 5)).collect();
    chooser.shuffle(&mut cells);
    for (row, column) in &cells[..4] {
        domes[*row][*column] = false;
    }
    let to_move = chooser.usize(..2);
    let id = |seat: usize| if gods[seat] == GodId::default() { "" } else { gods[seat].god().id };
    let gods = [id(0), id(1)];
    let no_climb = gods[1 - to_move] == "athena" && chooser.bool();
    let workers = [[cells[0], cells[1]], [cells[2], cells[3]]];
    NaiveState { levels, domes, workers, gods, to_move, no_climb }
}

/// What a whole turn leads to, in a form that both sides have.
#[derive(Debug, PartialEq)]
struct After {
    board: String,
    has_won: bool,
}

/// All whole turns of the fast rules, by their texts.
fn fast_turns(state: &State) -> BTreeMap<String, After> {
    let mut turns = BTreeMap::new();
    let mut open = vec![(String::new(), state.clone())];
    while let Some((text, at)) = open.pop() {
        let is_whole = Santorini.turn(&at) != Santorini.turn(state);
        let view = Santorini.view(&at, game_api::Viewer::Spectator);
        let has_won = view.ended.is_some_and(|ended| ended.reason != Reason::Stuck);
        if is_whole || has_won {
            let workers =
                view.workers.map(|cells| cells.iter().map(Cell::to_string).collect::<Vec<_>>());
            let board = format!("{:?} {workers:?} {}", view.levels, is_whole && view.no_climb);
            assert!(turns.insert(text.clone(), After { board, has_won }).is_none(), "{text} twice");
            continue;
        }
        for seat in Santorini.to_act(&at).iter() {
            let mut actions = Vec::new();
            Santorini.legal_actions(&at, seat, &mut actions);
            assert!(!actions.is_empty(), "after {text:?} a turn cannot be finished");
            for action in actions {
                let after = Santorini.apply(&at, seat, &action).unwrap();
                open.push((format!("{text} {action}"), after));
            }
        }
    }
    turns
}

fn naive_turns(naive: &NaiveState) -> BTreeMap<String, After> {
    let mut turns = BTreeMap::new();
    for (actions, after, has_won) in reference::turns(naive) {
        let text = format!(" {}", actions.join(" "));
        let state =
            fast(&NaiveState { to_move: 0, no_climb: false, gods: ["", ""], ..after.clone() });
        let view = Santorini.view(&state, game_api::Viewer::Spectator);
        let workers =
            view.workers.map(|cells| cells.iter().map(Cell::to_string).collect::<Vec<_>>());
        let board = format!("{:?} {workers:?} {}", view.levels, !has_won && after.no_climb);
        assert!(turns.insert(text.clone(), After { board, has_won }).is_none(), "{text} twice");
    }
    turns
}

#[test]
fn whole_turns_are_the_same_as_the_naive_ones() {
    let mut chooser = fastrand::Rng::with_seed(3);
    let positions = if is_soak() { 100_000 } else { 10_000 };
    let pairs = pairs();
    let mut turns = 0;
    for number in 0..positions {
        let naive = random_position(&mut chooser, pairs[number % pairs.len()]);
        let state = fast(&naive);
        let (here, there) = (fast_turns(&state), naive_turns(&naive));
        turns += here.len();
        assert_eq!(here.len(), there.len(), "{}", position_text(&naive));
        assert_eq!(here, there, "{}", position_text(&naive));
        let is_stuck = Santorini.outcome(&state).is_some_and(|outcome| outcome.reason == "stuck");
        assert_eq!(is_stuck, there.is_empty(), "{}", position_text(&naive));
    }
    println!("{positions} positions, {turns} turns alike");
}

#[test]
fn perft_of_every_pair_of_gods_is_the_naive_one() {
    // In the open the gods' trees are large; from here depth 2 is still quick.
    let towers =
        [[0, 1, 0, 2, 1], [1, 2, 1, 0, 2], [0, 1, 2, 1, 0], [2, 0, 1, 3, 1], [1, 2, 0, 1, 2]];
    for [first, second] in pairs() {
        let id = |god: GodId| if god == GodId::default() { "" } else { god.god().id };
        let naive = NaiveState {
            levels: towers,
            domes: [[false; 5]; 5],
            workers: [[(2, 1), (2, 3)], [(1, 2), (3, 2)]],
            gods: [id(first), id(second)],
            to_move: 0,
            no_climb: false,
        };
        let state = fast(&naive);
        for depth in 1..=2 {
            let expected = reference::perft(&naive, depth);
            assert_eq!(Santorini.perft(&state, depth), expected, "{:?} depth {depth}", naive.gods);
        }
    }
}

#[test]
fn base_perft_is_the_published_one() {
    let text = "00000/00000/00000/00000/00000 b3,d3 c2,c4 0";
    let (_, state) = Santorini.position(&Options::default(), text, &Seed::from_number(1)).unwrap();
    for (depth, expected) in [(0, 1), (1, 68), (2, 5_156), (3, 350_208), (4, 24_545_388)] {
        assert_eq!(Santorini.perft(&state, depth), expected, "depth {depth}");
    }
    for depth in 1..=3 {
        let board = state.board();
        let (bulk, made) =
            (board.perft(Seat::FIRST, depth, true), board.perft(Seat::FIRST, depth, false));
        assert_eq!(bulk, made, "depth {depth}");
    }
}

#[test]
fn random_matches_of_every_pair_of_gods_end() {
    let pairs = pairs();
    let matches: u64 = if is_soak() { 1_000_000 } else { 50_000 };
    let each = matches.div_ceil(pairs.len() as u64);
    for gods in pairs {
        // Playing on needs an action for whoever is to act, so it stops only where nobody is.
        let played = playouts(&Santorini, &Options { gods }, 2, each, 5).unwrap();
        assert_eq!(played.matches, each);
        assert!(played.plies <= each * u64::from(Santorini::META.longest_match));
    }
}

#[test]
fn no_state_of_a_random_match_is_without_actor_and_outcome() {
    let mut chooser = fastrand::Rng::with_seed(4);
    for gods in pairs() {
        for _ in 0..20 {
            let mut state = Santorini.setup(&Options { gods }, 2, &Seed::from_number(1)).unwrap();
            while let Some(seat) = Santorini.to_act(&state).iter().next() {
                assert!(Santorini.outcome(&state).is_none());
                let mut actions = Vec::new();
                Santorini.legal_actions(&state, seat, &mut actions);
                let action = chooser.choice(&actions).unwrap();
                state = Santorini.apply(&state, seat, action).unwrap();
            }
            assert!(Santorini.outcome(&state).is_some());
            assert_ne!(Santorini.view(&state, game_api::Viewer::Spectator).phase, Phase::Place);
        }
    }
}

/// From the published start: leaves at depth 2 with the god as seat 0 and as seat 1, as the naive
/// generator counts them.
const OPEN_PERFT: [(&str, u64, u64); 10] = [
    ("apollo", 6_788, 6_248),
    ("artemis", 26_700, 26_992),
    ("athena", 5_156, 5_156),
    ("atlas", 9_748, 10_312),
    ("demeter", 29_812, 30_388),
    ("hephaestus", 9_972, 10_312),
    ("hermes", 672_588, 482_382),
    ("minotaur", 6_596, 6_148),
    ("pan", 5_156, 5_156),
    ("prometheus", 30_812, 32_656),
];

#[test]
fn perft_of_every_god_against_a_mortal_in_the_open() {
    let perft = |gods: &str| {
        let text = format!("00000/00000/00000/00000/00000 b3,d3 c2,c4 0 {gods}");
        let seed = Seed::from_number(1);
        let (_, state) = Santorini.position(&Options::default(), &text, &seed).unwrap();
        Santorini.perft(&state, 2)
    };
    for (god, first, second) in OPEN_PERFT {
        assert_eq!(perft(&format!("{god},mortal")), first, "{god} as seat 0");
        assert_eq!(perft(&format!("mortal,{god}")), second, "{god} as seat 1");
    }
}
