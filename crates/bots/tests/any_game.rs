//! The searches for any game, on a small one with secrets, votes and up to four seats.

#[path = "../../../games/template/tests/conformance/redeal.rs"]
mod redeal;

use bots::{Bot, Budget, Choice, Level, Puzzled, Random, Sampling, Situation};
use game_api::{Game, GameRng, Seat, Seed, Viewer};
use template::{Action, State, Template};

fn ask(
    bot: &dyn Bot<Template>,
    state: &State,
    seats: u8,
    seat: Seat,
    seed: u64,
) -> Result<Choice<Action>, Puzzled> {
    let view = Template.view(state, Viewer::Seat(seat));
    let options = template::Options::default();
    let situation = Situation { game: &Template, options: &options, seats, seat, view: &view };
    let mut rng = GameRng::new(&Seed::from_number(seed));
    bot.choose(&situation, Level::HIGHEST, &Budget::of_nodes(8), &mut rng)
}

#[test]
fn every_choice_is_legal_and_the_same_again() {
    for (number, seats) in (0..9).zip([2, 3, 4].into_iter().cycle()) {
        let options = template::Options::default();
        let mut state = Template.setup(&options, seats, &Seed::from_number(number)).unwrap();
        let mut plies = 0;
        while let Some(seat) = Template.to_act(&state).iter().last() {
            let bot: &dyn Bot<Template> = if seat.index() == 0 { &Sampling } else { &Random };
            let seed = 1_000 * number + plies;
            let choice = ask(bot, &state, seats, seat, seed).unwrap();
            assert_eq!(ask(bot, &state, seats, seat, seed).unwrap(), choice);
            state = Template.apply(&state, seat, &choice.action).unwrap();
            plies += 1;
        }
        assert!(plies > 0 && Template.outcome(&state).is_some());
    }
}

#[test]
fn who_is_not_to_act_gets_no_action() {
    let options = template::Options::default();
    let state = Template.setup(&options, 2, &Seed::from_number(1)).unwrap();
    let idle = Seat::all(2).find(|seat| !Template.to_act(&state).contains(*seat)).unwrap();
    assert_eq!(ask(&Random, &state, 2, idle, 1), Err(Puzzled::NothingToDo(idle)));
    assert_eq!(ask(&Sampling, &state, 2, idle, 1), Err(Puzzled::NothingToDo(idle)));
}

#[test]
fn twins_get_the_same_action() {
    let options = template::Options::default();
    let (mut compared, mut differing) = (0, 0);
    for (number, seats) in (0..6).zip([2, 3, 4].into_iter().cycle()) {
        let mut chance = GameRng::new(&Seed::from_number(number));
        let mut state = Template.setup(&options, seats, &Seed::from_number(number)).unwrap();
        let bots: [&dyn Bot<Template>; 2] = [&Random, &Sampling];
        for (ply, bot) in (0..).zip(bots.into_iter().cycle()) {
            let Some(seat) = Template.to_act(&state).iter().last() else { break };
            let choice = ask(bot, &state, seats, seat, ply).unwrap();
            let twin = redeal::redeal(&state, Viewer::Seat(seat), &mut chance);
            let again = ask(bot, &twin, seats, seat, ply).unwrap();
            assert_eq!(again, choice, "match {number}, ply {ply}");
            compared += 1;
            differing += u32::from(twin != state);
            state = Template.apply(&state, seat, &choice.action).unwrap();
        }
    }
    assert!(compared > 0 && differing * 2 > compared, "{differing} of {compared} differ");
}
