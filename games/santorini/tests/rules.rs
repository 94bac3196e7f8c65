//! A test for each numbered rule of RULES.md.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use game_api::{Forfeit, Game, Seat, Seed, Viewer, Violation};
use santorini::{Action, Cell, Options, Phase, Reason, Santorini, State, View};

const FLAT: &str = "00000/00000/00000/00000/00000";

fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

fn cell(text: &str) -> Cell {
    text.parse().unwrap()
}

#[track_caller]
fn position(text: &str) -> State {
    Santorini.position(&Options::default(), text, &Seed::from_number(1)).unwrap().1
}

fn start() -> State {
    Santorini.setup(&Options::default(), 2, &Seed::from_number(1)).unwrap()
}

fn view(state: &State) -> View {
    Santorini.view(state, Viewer::Spectator)
}

fn legal(state: &State) -> Vec<String> {
    let mut actions = Vec::new();
    for seat in Seat::all(2) {
        Santorini.legal_actions(state, seat, &mut actions);
    }
    actions.iter().map(Action::to_string).collect()
}

/// Plays actions, each for the seat to act.
#[track_caller]
fn play(state: &State, actions: &str) -> State {
    actions.split_whitespace().fold(state.clone(), |state, text| {
        let seat = Santorini.to_act(&state).iter().next().unwrap();
        Santorini
            .apply(&state, seat, &text.parse().unwrap())
            .unwrap_or_else(|violation| panic!("{text}: {violation}"))
    })
}

#[track_caller]
fn check_refused(state: &State, action: &str, code: &str) {
    let seat = Santorini.to_act(state).iter().next().unwrap();
    let refused = action
        .parse()
        .and_then(|action| Santorini.apply(state, seat, &action))
        .err()
        .map(|violation| violation.code());
    assert_eq!(refused, Some(code), "{action}");
    assert!(!legal(state).contains(&action.to_owned()), "{action}");
}

#[track_caller]
fn check_legal(state: &State, actions: &[&str]) {
    for action in actions {
        assert!(legal(state).contains(&(*action).to_owned()), "{action} of {:?}", legal(state));
    }
}

#[track_caller]
fn check_won(state: &State, winner: u8, reason: Reason) {
    let ended = view(state).ended.unwrap();
    assert_eq!((ended.winner, ended.reason), (seat(winner), reason));
    let places: Vec<u8> = (0..2).map(|seat| if seat == winner { 1 } else { 2 }).collect();
    assert_eq!(Santorini.outcome(state).unwrap().places, places);
}

#[test]
fn r1_1_five_by_five_and_two_seats() {
    assert_eq!(view(&start()).levels, ["00000"; 5]);
    for seats in [0, 1, 3, 4] {
        let refused = Santorini.setup(&Options::default(), seats, &Seed::from_number(1)).err();
        assert_eq!(refused.map(|error| error.code()), Some("invalid_players"));
    }
    assert_eq!("a1".parse(), Ok(Cell::new(0, 0).unwrap()));
    assert!(Cell::new(5, 0).is_none() && Cell::new(0, 5).is_none());
}

#[test]
fn r1_2_each_seat_places_two_workers_seat_0_first() {
    let state = start();
    assert_eq!(legal(&state).len(), 300);
    check_refused(&state, "place:b2,a1", "invalid_action");
    check_refused(&state, "place:a1,a1", "invalid_action");
    check_refused(&state, "a1-a2", "wrong_phase");
    let state = play(&state, "place:b3,d3");
    assert_eq!(view(&state).to_act.to_string(), "1");
    assert_eq!(legal(&state).len(), 253);
    check_refused(&state, "place:b3,c3", "occupied");
    let state = play(&state, "place:c2,c4");
    let workers = [["b3", "d3"].map(cell).to_vec(), ["c2", "c4"].map(cell).to_vec()];
    assert_eq!(view(&state).workers, workers);
}

#[test]
fn r1_3_seat_0_begins_and_turns_alternate() {
    let state = play(&start(), "place:a1,b1 place:d5,e5");
    assert_eq!(
        (view(&state).to_act.to_string(), view(&state).phase),
        ("0".to_owned(), Phase::Move)
    );
    let state = play(&state, "a1-a2 +a1");
    assert_eq!(view(&state).to_act.to_string(), "1");
    assert_eq!(view(&play(&state, "e5-e4 +e5")).to_act.to_string(), "0");
}

#[test]
fn r2_1_a_worker_moves_to_a_free_neighbour() {
    let state = position("00000/00000/00c00/00000/00000 b2,d4 b3,e5 0");
    check_legal(&state, &["b2-a1", "b2-c2", "d4-e4", "b2-c1"]);
    check_refused(&state, "b2-b3", "occupied");
    check_refused(&state, "b2-c3", "domed");
    check_refused(&state, "b2-b4", "not_adjacent");
    check_refused(&state, "b2-b2", "not_adjacent");
    check_refused(&state, "b3-a3", "not_your_worker");
    check_refused(&state, "a1-a2", "not_your_worker");
    check_refused(&state, "b2-b6", "invalid_action");
    let state = play(&state, "b2-a1");
    assert_eq!(view(&state).workers[0], ["a1", "d4"].map(cell));
}

#[test]
fn r2_2_one_level_up_at_most_and_down_any() {
    let state = position("12300/00000/00000/00000/00000 a1,c1 d5,e5 0");
    check_legal(&state, &["a1-b1", "a1-a2", "c1-b1", "c1-d1"]);
    let state = position("02000/00000/00000/00000/00030 a1,d4 d1,e1 0");
    check_refused(&state, "a1-b1", "too_high");
    check_refused(&state, "d4-d5", "too_high");
}

#[test]
fn r2_3_the_worker_that_moved_builds_next_to_it() {
    let state = play(&position("00000/00000/00b00/00000/00000 b2,e5 a3,e1 0"), "b2-b3");
    assert_eq!(view(&state).phase, Phase::Build);
    check_legal(&state, &["+b2", "+a4", "+c4"]);
    check_refused(&state, "+a3", "occupied");
    check_refused(&state, "+c3", "domed");
    check_refused(&state, "+b1", "not_adjacent");
    check_refused(&state, "+e4", "not_adjacent");
    check_refused(&state, "+b3", "occupied");
    check_refused(&state, "b3-b4", "wrong_phase");
}

#[test]
fn r2_4_blocks_up_to_level_3_then_a_dome() {
    for (before, after) in [("0", "1"), ("1", "2"), ("2", "3"), ("3", "4")] {
        let text = format!("0{before}000/00000/00000/00000/00000 a2,e5 e1,e2 0");
        let state = play(&position(&text), "a2-a1 +b1");
        assert_eq!(view(&state).levels[0], format!("0{after}000"));
        assert_eq!(state.board().is_tower_complete(cell("b1")), after == "4");
    }
    check_refused(
        &play(&position("0a000/00000/00000/00000/00000 a2,e5 e1,e2 0"), "a2-a1"),
        "+b1",
        "domed",
    );
}

#[test]
fn r2_5_a_step_must_leave_a_way_to_complete_the_turn() {
    // Apollo on a1 could only swap with b1, and then no cell around b1 is free to build on.
    let state = position("0044c/444cc/00000/00000/00000 a1,e5 b1,e4 0 apollo,mortal");
    check_refused(&state, "a1-b1", "cannot_finish");
    check_legal(&state, &["e5-d5"]);
    // A winning step needs no build.
    let state = position("2344c/444cc/00000/00000/00000 a1,e5 b1,e4 0 apollo,mortal");
    check_won(&play(&state, "a1-b1"), 0, Reason::Climbed);
}

#[test]
fn r2_6_what_is_refused_changes_nothing() {
    let mut contest = game_api::Match::from_position(
        std::sync::Arc::new(Santorini),
        Options::default(),
        "02000/00000/00000/00000/00000 a1,e5 d1,e1 0",
        Seed::from_number(1),
    )
    .unwrap();
    let hash = contest.state_hash();
    for refused in ["a1-b1", "a1-a3", "d1-d2", "+a2", "skip", "^a2", "a1+a2", "place:a1,b1", "x"] {
        let refusal = contest.act(Seat::FIRST, refused).err().unwrap();
        assert!(!refusal.to_string().is_empty());
        assert_eq!(contest.state_hash(), hash, "{refused}");
    }
    assert!(contest.act(seat(1), "d1-d2").is_err());
    assert_eq!(contest.state_hash(), hash);
}

#[test]
fn r2_7_the_build_ends_the_turn() {
    let state = play(&position(&format!("{FLAT} b3,d3 c2,c4 0")), "b3-b2 +b3");
    let seen = view(&state);
    assert_eq!((seen.to_act.to_string(), seen.phase), ("1".to_owned(), Phase::Move));
    assert_eq!(seen.turn_so_far, santorini::TurnSoFar::default());
    assert_eq!(Santorini.turn(&state), 1);
}

#[test]
fn r3_1_moving_up_to_level_3_wins_before_any_build() {
    let state = play(&position("23000/00000/00000/00000/00000 a1,e5 d1,e1 0"), "a1-b1");
    check_won(&state, 0, Reason::Climbed);
    assert!(legal(&state).is_empty());
}

#[test]
fn r3_2_nobody_wins_along_level_3_or_by_a_push() {
    let state = play(&position("33000/00000/00000/00000/00000 a1,e5 d1,e1 0"), "a1-b1");
    assert_eq!(view(&state).ended, None);
    // Seat 0's Minotaur pushes a worker of seat 1 from level 2 up to level 3.
    let state = position("12300/00000/00000/00000/00000 a1,e5 b1,e1 0 minotaur,mortal");
    let state = play(&state, "a1-b1");
    assert_eq!(view(&state).ended, None);
    assert_eq!(view(&state).workers[1], ["c1", "e1"].map(cell));
}

#[test]
fn r3_3_a_player_who_cannot_complete_a_turn_loses() {
    let stuck = position("04000/44000/00000/00044/00040 a1,e5 c1,d1 0");
    check_won(&stuck, 1, Reason::Stuck);
    // It is found out as soon as the turn would begin: seat 1 closes the last way out.
    let state = position("04000/43000/00000/00044/00040 a1,e5 c3,d1 1");
    check_won(&play(&state, "c3-c2 +b2"), 1, Reason::Stuck);
}

#[test]
fn r3_4_who_gives_up_loses() {
    let state = Santorini.forfeit(&start(), Seat::FIRST, Forfeit::Time);
    check_won(&state, 1, Reason::Forfeit(Forfeit::Time));
    assert_eq!(Santorini.outcome(&state).unwrap().reason, "time");
}

#[test]
fn r3_5_there_is_no_draw() {
    assert!(Santorini.agree_draw(&start()).is_none());
}

#[test]
fn r3_6_after_the_end_nobody_acts() {
    let state = play(&position("23000/00000/00000/00000/00000 a1,e5 d1,e1 0"), "a1-b1");
    for seat in Seat::all(2) {
        let refused = Santorini.apply(&state, seat, &"+a1".parse().unwrap()).err();
        assert_eq!(refused.map(|violation| violation.code()), Some("game_over"));
    }
}

#[test]
fn r4_1_each_seat_has_its_god() {
    let options: Options = serde_json::from_str(r#"{"gods":["apollo","mortal"]}"#).unwrap();
    let state = Santorini.setup(&options, 2, &Seed::from_number(1)).unwrap();
    let gods = serde_json::to_value(view(&state).gods).unwrap();
    assert_eq!(gods, serde_json::json!(["apollo", "mortal"]));
    for odd in [r#"{"gods":["zeus","mortal"]}"#, r#"{"gods":["apollo"]}"#, r#"{"god":"pan"}"#] {
        assert!(serde_json::from_str::<Options>(odd).is_err(), "{odd}");
    }
    // A mortal has none of the powers.
    let state = position(&format!("{FLAT} b3,d3 b2,c4 0"));
    check_refused(&state, "b3-b2", "occupied");
    check_refused(&state, "b3+b4", "no_early_build");
    check_refused(&state, "skip", "nothing_to_skip");
    check_refused(&play(&state, "b3-a3"), "^a4", "dome_not_there");
}

#[test]
fn r4_2_an_optional_action_is_done_or_skipped() {
    let state = play(&position(&format!("{FLAT} b3,d3 c2,c4 0 demeter,mortal")), "b3-b2 +b3");
    assert_eq!(view(&state).phase, Phase::Optional);
    check_legal(&state, &["skip", "+a1"]);
    assert_eq!(view(&play(&state, "skip")).to_act.to_string(), "1");
    // Hephaestus has nothing more to build on a tower of three: nothing is asked.
    let state = position("02000/00000/00000/00000/00000 a2,e5 e1,e2 0 hephaestus,mortal");
    assert_eq!(view(&play(&state, "a2-a1 +b1")).to_act.to_string(), "1");
}

#[test]
fn r5_1_apollo_changes_places() {
    let state = position("01000/00000/00200/00000/00000 b2,e5 b1,c3 0 apollo,mortal");
    let after = play(&state, "b2-b1");
    assert_eq!(
        view(&after).workers,
        [["b1", "e5"].map(cell).to_vec(), ["b2", "c3"].map(cell).to_vec()]
    );
    check_refused(&state, "b2-c3", "too_high");
    // Not with an own worker.
    let state = position(&format!("{FLAT} b2,b3 d4,e5 0 apollo,mortal"));
    check_refused(&state, "b2-b3", "occupied");
}

#[test]
fn r5_2_artemis_moves_twice_but_not_back() {
    let state = position("12300/00000/00000/00000/00000 a2,e5 d5,e4 0 artemis,mortal");
    let state = play(&state, "a2-a1");
    check_refused(&state, "a1-a2", "back_to_start");
    check_refused(&state, "e5-d4", "not_your_worker");
    check_refused(&state, "+a2", "wrong_phase");
    check_legal(&state, &["a1-b1", "a1-b2", "skip"]);
    let twice = play(&state, "a1-b1");
    assert_eq!(view(&twice).phase, Phase::Build);
    check_refused(&twice, "b1-c1", "wrong_phase");
    assert_eq!(view(&play(&state, "skip")).phase, Phase::Build);
    // The second move wins as the first does.
    let state = position("12300/00000/00000/00000/00000 a1,e5 d5,e4 0 artemis,mortal");
    check_won(&play(&state, "a1-b1 b1-c1"), 0, Reason::Climbed);
}

#[test]
fn r5_3_athena_bars_climbing_for_one_turn() {
    let state = position("01000/00000/00000/00000/00010 a1,e1 e5,a5 0 athena,mortal");
    let climbed = play(&state, "a1-b1 +a1");
    assert!(view(&climbed).no_climb);
    check_refused(&climbed, "e5-d5", "climb_barred");
    let later = play(&climbed, "e5-e4 +e5 b1-b2 +b1");
    assert!(!view(&later).no_climb);
    check_legal(&later, &["e4-d5"]);
    let level = play(&state, "a1-a2 +a1");
    check_legal(&level, &["e5-d5"]);
    let shown = position("01000/00000/00000/00000/00010 a1,e1 e5,a5 1 athena!,mortal");
    check_refused(&shown, "e5-d5", "climb_barred");
}

#[test]
fn r5_4_atlas_domes_any_level() {
    for (level, domed) in [("0", "a"), ("1", "b"), ("2", "c")] {
        let text = format!("0{level}000/00000/00000/00000/00000 a2,e5 e1,e2 0 atlas,mortal");
        let state = play(&position(&text), "a2-a1 ^b1");
        assert_eq!(view(&state).levels[0], format!("0{domed}000"));
        assert!(!state.board().is_tower_complete(cell("b1")));
    }
    // On level 3 a dome is what everybody builds, and is written so.
    let state = position("03000/00000/00000/00000/00000 a2,e5 e1,e2 0 atlas,mortal");
    check_refused(&play(&state, "a2-a1"), "^b1", "dome_not_there");
}

#[test]
fn r5_5_demeter_builds_twice_on_two_cells() {
    let state = play(&position(&format!("{FLAT} b3,d3 c2,c4 0 demeter,mortal")), "b3-b2 +b3");
    check_refused(&state, "+b3", "not_there_again");
    check_refused(&state, "+d1", "not_adjacent");
    check_refused(&state, "b2-b1", "wrong_phase");
    let state = play(&state, "+a1");
    assert_eq!(view(&state).levels, ["10000", "00000", "01000", "00000", "00000"]);
    assert_eq!(view(&state).to_act.to_string(), "1");
}

#[test]
fn r5_6_hephaestus_builds_a_second_block_on_the_first() {
    let state = position("01000/00000/00000/00000/00000 a2,e5 e1,e2 0 hephaestus,mortal");
    let state = play(&state, "a2-a1 +b1");
    check_refused(&state, "+a2", "not_there_again");
    assert_eq!(view(&play(&state, "+b1")).levels[0], "03000");
    // Never a dome: after a third block nothing more is asked.
    let state = position("03000/00000/00000/00000/00000 a2,e5 e1,e2 0 hephaestus,mortal");
    assert_eq!(view(&play(&state, "a2-a1 +b1")).to_act.to_string(), "1");
}

#[test]
fn r5_7_hermes_glides_on_a_level_or_steps() {
    let state = position("10000/00000/00000/00000/00000 b2,d4 e1,e5 0 hermes,mortal");
    check_legal(&state, &["skip", "b2-a5", "b2-a1", "d4-c3", "b2-c2"]);
    // Both glide, in either order, and either builds.
    let one = play(&state, "b2-a5");
    check_refused(&one, "a5-a4", "not_your_worker");
    check_legal(&one, &["d4-d1", "skip"]);
    let both = play(&one, "d4-d1");
    check_legal(&both, &["+b5", "+d2"]);
    // A step to another level is an ordinary turn.
    let step = play(&state, "b2-a1");
    assert_eq!(view(&step).phase, Phase::Build);
    check_refused(&step, "+d5", "not_adjacent");
    // None moves, and either builds.
    check_legal(&play(&state, "skip"), &["+a1", "+d5"]);
    // Walls stop a glide.
    let state = position("01000/11000/00000/00000/00000 a1,d4 e1,e5 0 hermes,mortal");
    check_refused(&state, "a1-a3", "out_of_reach");
    let after_glide = play(&state, "d4-d5");
    check_refused(&after_glide, "a1-b1", "wrong_phase");
}

#[test]
fn r5_8_minotaur_pushes_straight_back() {
    let state = position("00000/00000/00000/00000/00000 b2,e5 c2,c3 0 minotaur,mortal");
    let pushed = play(&state, "b2-c2");
    assert_eq!(view(&pushed).workers[1], ["d2", "c3"].map(cell));
    // Up any number of levels, but not onto a dome, a worker, or off the board.
    let up = position("00000/00030/00000/00000/00000 b2,e5 c2,c4 0 minotaur,mortal");
    assert_eq!(view(&play(&up, "b2-c2")).workers[1], ["d2", "c4"].map(cell));
    for text in [
        "00000/000a0/00000/00000/00000 b2,e5 c2,c4 0 minotaur,mortal",
        "00000/00000/00000/00000/00000 b2,d2 c2,c4 0 minotaur,mortal",
    ] {
        check_refused(&position(text), "b2-c2", "cannot_displace");
    }
    let edge = position(&format!("{FLAT} b2,e5 a2,c4 0 minotaur,mortal"));
    check_refused(&edge, "b2-a2", "cannot_displace");
    let high = position("00000/00200/00000/00000/00000 b2,e5 c2,c4 0 minotaur,mortal");
    check_refused(&high, "b2-c2", "too_high");
}

#[test]
fn r5_9_pan_wins_by_a_drop() {
    let text = |gods: &str| format!("20000/10000/00000/00000/00000 a1,e5 d1,e1 0 {gods}");
    check_won(&play(&position(&text("pan,mortal")), "a1-b1"), 0, Reason::Power);
    assert_eq!(view(&play(&position(&text("pan,mortal")), "a1-a2")).ended, None);
    assert_eq!(view(&play(&position(&text("mortal,pan")), "a1-b1")).ended, None);
    // Being pushed down is not moving.
    let state = position("02000/00000/00000/00000/00000 a1,e5 b1,e1 0 mortal,pan");
    check_refused(&state, "a1-b1", "occupied");
    let state = position("12000/00000/00000/00000/00000 a1,e5 b1,e1 0 minotaur,pan");
    assert_eq!(view(&play(&state, "a1-b1")).ended, None);
}

#[test]
fn r5_10_prometheus_builds_first_and_then_stays_low() {
    let state = position("00000/01000/00000/00000/00000 a1,e5 d1,e1 0 prometheus,mortal");
    check_legal(&state, &["a1-b2", "a1+a2", "a1+b1", "e5+d5"]);
    check_refused(&state, "a1+c1", "not_adjacent");
    check_refused(&state, "d1+d2", "not_your_worker");
    let first = play(&state, "a1+a2");
    check_refused(&first, "a1-b2", "climb_barred");
    check_refused(&first, "a1-a2", "climb_barred");
    check_refused(&first, "e5-e4", "not_your_worker");
    check_refused(&first, "a1+b1", "no_early_build");
    let state = play(&first, "a1-b1 +a1");
    assert_eq!(view(&state).levels, ["10000", "11000", "00000", "00000", "00000"]);
    assert_eq!(view(&state).to_act.to_string(), "1");
    // The first build must leave a way to move: on a1 only b1 is left to go to.
    let state = position("00000/44000/00000/00000/00000 a1,e5 d1,e1 0 prometheus,mortal");
    check_refused(&state, "a1+b1", "cannot_finish");
}

#[test]
fn a_position_with_gods_of_its_own_can_be_previewed_and_filled_in() {
    let state = position(&format!("{FLAT} b2,e5 b3,c3 0 apollo,pan"));
    let viewer = Viewer::Seat(Seat::FIRST);
    let context = game_api::Context { options: &Options::default(), seats: 2, viewer };
    let foreseen = Santorini.preview(&context, &view(&state), &"b2-b3".parse().unwrap()).unwrap();
    assert_eq!((foreseen.ended, foreseen.next), (None, Phase::Build));
    let mut rng = game_api::GameRng::new(&Seed::from_number(1));
    assert!(Santorini.determinize(&context, &view(&state), &mut rng).unwrap() == state);
}

#[test]
fn odd_positions_are_refused_with_the_reason() {
    for odd in [
        "",
        FLAT,
        "0000/00000/00000/00000/00000 b3,d3 c2,c4 0",
        "00000/00000/00000/00000 b3,d3 c2,c4 0",
        "00000/00000/00000/00000/00000/00000 b3,d3 c2,c4 0",
        "00005/00000/00000/00000/00000 b3,d3 c2,c4 0",
        "0000é/00000/00000/00000/00000 b3,d3 c2,c4 0",
        "00000/00000/0a000/00000/00000 b3,d3 c2,c4 0",
        "00000/00000/00000/00000/00000 b3,b3 c2,c4 0",
        "00000/00000/00000/00000/00000 b3,d3 c2,d3 0",
        "00000/00000/00000/00000/00000 b3 c2,c4 0",
        "00000/00000/00000/00000/00000 b3,f9 c2,c4 0",
        "00000/00000/00000/00000/00000 b3,d3 c2,c4 2",
        "00000/00000/00000/00000/00000 b3,d3 c2,c4 0 zeus,pan",
        "00000/00000/00000/00000/00000 b3,d3 c2,c4 0 pan",
        "00000/00000/00000/00000/00000 b3,d3 c2,c4 0 athena!,pan",
        "00000/00000/00000/00000/00000 b3,d3 c2,c4 1 pan!,pan",
    ] {
        let refused = Santorini.position(&Options::default(), odd, &Seed::from_number(1)).err();
        assert_eq!(refused.map(|error| error.code()), Some("invalid_position"), "{odd:?}");
    }
}
