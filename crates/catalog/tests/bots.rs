//! What every bot of the catalogue keeps: it acts legally, and alike when asked again.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use bots::{Advice, Budget, Level};
use game_api::{AnyGame, AnyMatch, Seat, Seed, Seen, Telling, Viewer};

/// Matches of each game.
fn matches() -> u64 {
    if std::env::var_os("PARLOR_SOAK").is_some() { 10_000 } else { 100 }
}

fn games_with_bots() -> Vec<&'static dyn AnyGame> {
    let games: Vec<_> =
        catalog::games().filter(|game| catalog::bot(game.meta().id, "8").is_some()).collect();
    assert!(games.len() >= 4);
    games
}

fn ask(contest: &dyn AnyMatch, seat: Seat, name: &str, nodes: u64, chance: u64) -> Advice {
    let (bot, level) = catalog::bot(contest.meta().id, name).unwrap();
    let view = String::from_utf8(contest.view(Viewer::Seat(seat)).unwrap()).unwrap();
    let options = contest.options();
    let seen = Seen { options: &options, seats: contest.seats(), seat, view: &view };
    bot.choose(&seen, level, &Budget::of_nodes(nodes), &Seed::from_number(chance)).unwrap()
}

#[test]
fn no_bot_acts_illegally() {
    let levels: Vec<String> = Level::all().map(|level| level.to_string()).collect();
    for game in games_with_bots() {
        let presets = game.presets();
        let mut plies = 0;
        for number in 0..matches() {
            // Every level meets every other, in every preset.
            let (_, options) = &presets[usize::try_from(number).unwrap() % presets.len()];
            let mut dice = fastrand::Rng::with_seed(number);
            let names = [(); 2].map(|()| &levels[dice.usize(..levels.len())]);
            let mut contest = game.start(options, 2, Seed::from_number(number)).unwrap();
            while let Some(seat) = contest.to_act().iter().next() {
                let name = names[seat.index()];
                let advice = ask(&*contest, seat, name, dice.u64(1..40), dice.u64(..));
                let id = game.meta().id;
                contest
                    .act(seat, &advice.action, &mut Telling::default())
                    .unwrap_or_else(|error| panic!("{id} match {number}: {advice:?}: {error}"));
                plies += 1;
            }
        }
        assert!(plies > 0);
        println!("{}: {} matches, {plies} actions", game.meta().id, matches());
    }
}

#[test]
fn the_same_view_level_nodes_and_seed_give_the_same_action() {
    for game in games_with_bots() {
        let mut contest = game.start("{}", 2, Seed::from_number(3)).unwrap();
        let mut compared = 0;
        for seed in 0..24 {
            let Some(seat) = contest.to_act().iter().next() else { break };
            let names = ["1", "4", "8", "greedy", "random", "sampling"];
            for name in names.iter().filter(|name| catalog::bot(game.meta().id, name).is_some()) {
                let [advice, again] = [(); 2].map(|()| ask(&*contest, seat, name, 150, seed));
                assert_eq!(advice, again, "{} {name}", game.meta().id);
                compared += 1;
            }
            let advice = ask(&*contest, seat, "8", 150, seed);
            contest.act(seat, &advice.action, &mut Telling::default()).unwrap();
        }
        assert!(compared > 0);
    }
}

#[test]
fn a_clock_that_is_up_at_once_still_gets_an_action() {
    for game in games_with_bots() {
        let contest = game.start("{}", 2, Seed::from_number(5)).unwrap();
        let seat = contest.to_act().iter().next().unwrap();
        let (bot, level) = catalog::bot(game.meta().id, "8").unwrap();
        let view = String::from_utf8(contest.view(Viewer::Seat(seat)).unwrap()).unwrap();
        let options = contest.options();
        let seen = Seen { options: &options, seats: 2, seat, view: &view };
        let advice = bot.choose(&seen, level, &Budget::until(&|| true), &Seed::from_number(1));
        assert!(contest.legal(seat).unwrap().actions.contains(&advice.unwrap().action));
    }
}
