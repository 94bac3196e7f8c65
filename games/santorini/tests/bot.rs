//! The bot takes a win and prevents a loss, with and against every god.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use bots::{Bot, Budget, Level, Situation};
use game_api::{Game, GameRng, Seat, Seed, Viewer};
use santorini::{Action, GodId, Options, Santorini, SantoriniBot, State};

fn ask(state: &State, level: Level) -> Action {
    let seat = Santorini.to_act(state).iter().next().unwrap();
    let view = Santorini.view(state, Viewer::Seat(seat));
    let options = Options::default();
    let situation = Situation { game: &Santorini, options: &options, seats: 2, seat, view: &view };
    let mut rng = GameRng::new(&Seed::from_number(1));
    let budget = Budget::of_nodes(3_000);
    SantoriniBot.choose(&situation, level, &budget, &mut rng).unwrap().action
}

fn position(text: &str) -> State {
    Santorini.position(&Options::default(), text, &Seed::from_number(1)).unwrap().1
}

/// The state after the bot's whole turn.
fn after_turn(state: &State, level: Level) -> State {
    let mut next = state.clone();
    while Santorini.turn(&next) == Santorini.turn(state) && !Santorini.to_act(&next).is_empty() {
        let seat = Santorini.to_act(&next).iter().next().unwrap();
        next = Santorini.apply(&next, seat, &ask(&next, level)).unwrap();
    }
    next
}

fn has_win(state: &State) -> bool {
    let seat = Santorini.to_act(state).iter().next().unwrap();
    let mut actions = Vec::new();
    Santorini.legal_actions(state, seat, &mut actions);
    actions.iter().any(|action| {
        let after = Santorini.apply(state, seat, action).unwrap();
        Santorini.outcome(&after).is_some_and(|outcome| outcome.places[seat.index()] == 1)
    })
}

#[test]
fn a_win_in_one_is_taken_with_every_god() {
    for god in GodId::all() {
        let id = god.god().id;
        let state = position(&format!("00000/02000/00300/00000/00000 b2,e5 e1,a5 0 {id},mortal"));
        for level in Level::all() {
            let after = after_turn(&state, level);
            let outcome = Santorini.outcome(&after);
            assert_eq!(outcome.map(|it| it.places), Some(vec![1, 2]), "{id}, level {level}");
        }
    }
}

#[test]
fn a_loss_in_one_is_prevented() {
    let state = position("00000/02000/00300/00000/00000 d4,e5 b2,a5 0");
    assert!(has_win(&Santorini.suppose_turn(&state, Seat::FIRST.after(1, 2)).unwrap()));
    for level in Level::all().skip(1) {
        let after = after_turn(&state, level);
        assert!(!has_win(&after), "level {level}");
    }
}
