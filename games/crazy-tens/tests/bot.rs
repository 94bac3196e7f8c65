//! The bot knows only what its seat sees, and takes what wins the round.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

#[path = "conformance/redeal.rs"]
mod redeal;

use bots::{Bot, Budget, Choice, Greedy, Level, Random, Sampling, Situation};
use crazy_tens::{Action, CrazyTens, CrazyTensBot, Options, State};
use game_api::{Game, GameRng, Seat, Seed, Viewer};

fn ask(
    bot: &dyn Bot<CrazyTens>,
    state: &State,
    level: Level,
    nodes: u64,
    seed: u64,
) -> (Seat, Choice<Action>) {
    let seat = CrazyTens.to_act(state).iter().next().unwrap();
    let view = CrazyTens.view(state, Viewer::Seat(seat));
    let options = Options::default();
    let situation = Situation { game: &CrazyTens, options: &options, seats: 2, seat, view: &view };
    let mut rng = GameRng::new(&Seed::from_number(seed));
    (seat, bot.choose(&situation, level, &Budget::of_nodes(nodes), &mut rng).unwrap())
}

/// Nobody's choice hangs on what the own seat has not seen.
#[track_caller]
fn check_twins(bot: &dyn Bot<CrazyTens>, matches: u64, nodes: u64) {
    let is_soak = std::env::var_os("PARLOR_SOAK").is_some();
    let matches = if is_soak { 50 * matches } else { matches };
    let mut compared = 0;
    let mut differing = 0;
    for number in 0..matches {
        let mut chance = GameRng::new(&Seed::from_number(number));
        let mut state =
            CrazyTens.setup(&Options::default(), 2, &Seed::from_number(number)).unwrap();
        for (ply, level) in (0..60).zip(Level::all().cycle()) {
            if CrazyTens.to_act(&state).is_empty() {
                break;
            }
            let (seat, choice) = ask(bot, &state, level, nodes, ply);
            let twin = redeal::redeal(&state, Viewer::Seat(seat), &mut chance);
            assert_eq!(ask(bot, &twin, level, nodes, ply).1, choice, "match {number}, ply {ply}");
            compared += 1;
            differing += u32::from(twin != state);
            state = CrazyTens.apply(&state, seat, &choice.action).unwrap();
        }
    }
    assert!(compared > 0 && differing * 2 > compared, "{differing} of {compared} differ");
}

#[test]
fn twins_get_the_same_action() {
    check_twins(&CrazyTensBot, 20, 40);
}

#[test]
fn twins_get_the_same_action_of_bots_that_play_any_game() {
    check_twins(&Random, 20, 0);
    check_twins(&Greedy, 20, 0);
    check_twins(&Sampling, 4, 6);
}

/// What the highest level does in a position, after these actions.
#[track_caller]
fn check(position: &str, before: &[&str], expected: &str) {
    let seed = Seed::from_number(1);
    let (_, mut state) = CrazyTens.position(&Options::default(), position, &seed).unwrap();
    for action in before {
        let seat = CrazyTens.to_act(&state).iter().next().unwrap();
        state = CrazyTens.apply(&state, seat, &action.parse().unwrap()).unwrap();
    }
    let (_, choice) = ask(&CrazyTensBot, &state, Level::HIGHEST, 1_000, 7);
    assert_eq!(choice.action.to_string(), expected, "{position} {before:?}");
}

#[test]
fn a_card_that_goes_out_is_played_and_a_ten_keeps_the_way_open() {
    // Two spades to go, and the other seat is about to go out: the ten asks for spades.
    let stock = "2C,3C,4C,5C,6C,7C,8C,9C,JC,QC,KC,2D,3D,4D,5D,6D,7D,8D,9D,JD";
    check(&format!("KH 10C,QS AC,AD {stock} - 0,0 0"), &[], "play:10C:S");
}

#[test]
fn a_suit_that_the_other_seat_lacked_is_asked_for() {
    // The other seat would win the match with its one card. Neither suit is the bot's own: only what
    // the other had to draw on speaks for it.
    let rest = "2C,3C,4C,5C,6C,7C,8C,9C,2D,4H,6D,7D,8D,9D,JD,QD,2S,3S,5S,6S,7S,8S,9S,JC,KD,JS";
    let position = |top, drawn| format!("{top} 10D,JH,9H,AH 4D {drawn},{rest} - 0,40 1");
    check(&position("KC", "QC"), &["draw", "play:QC"], "play:10D:C");
    check(&position("KS", "QS"), &["draw", "play:QS"], "play:10D:S");
}
