//! The bot takes a win and prevents a loss, with and against every god.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use bots::{Bot, Budget, Choice, Greedy, Level, Random, Sampling, Situation};
use game_api::{Context, Game, GameRng, Seat, Seed, Viewer};
use santorini::{Action, GodId, Options, Santorini, SantoriniBot, State};

fn ask(
    bot: &dyn Bot<Santorini>,
    state: &State,
    level: Level,
    nodes: u64,
    seed: u64,
) -> Choice<Action> {
    let seat = Santorini.to_act(state).iter().next().unwrap();
    let view = Santorini.view(state, Viewer::Seat(seat));
    let options = Options::default();
    let situation = Situation { game: &Santorini, options: &options, seats: 2, seat, view: &view };
    let mut rng = GameRng::new(&Seed::from_number(seed));
    bot.choose(&situation, level, &Budget::of_nodes(nodes), &mut rng).unwrap()
}

fn position(text: &str) -> State {
    Santorini.position(&Options::default(), text, &Seed::from_number(1)).unwrap().1
}

/// The state after the bot's whole turn.
fn after_turn(state: &State, level: Level, seed: u64) -> State {
    let mut next = state.clone();
    let mut seeds = 100 * seed..;
    while Santorini.turn(&next) == Santorini.turn(state) && !Santorini.to_act(&next).is_empty() {
        let seat = Santorini.to_act(&next).iter().next().unwrap();
        let choice = ask(&SantoriniBot, &next, level, 3_000, seeds.next().unwrap());
        next = Santorini.apply(&next, seat, &choice.action).unwrap();
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
    for (number, god) in (0..).zip(GodId::all()) {
        let id = god.god().id;
        let state = position(&format!("00000/02000/00300/00000/00000 b2,e5 e1,a5 0 {id},mortal"));
        for level in Level::all() {
            let after = after_turn(&state, level, number);
            let outcome = Santorini.outcome(&after);
            assert_eq!(outcome.map(|it| it.places), Some(vec![1, 2]), "{id}, level {level}");
        }
    }
}

#[test]
fn a_loss_in_one_is_prevented() {
    let state = position("00000/02000/00300/00000/00000 d4,e5 b2,a5 0");
    assert!(has_win(&Santorini.suppose_turn(&state, Seat::FIRST.after(1, 2)).unwrap()));
    for (level, number) in Level::all().skip(1).flat_map(|level| (0..8).map(move |it| (level, it)))
    {
        let after = after_turn(&state, level, number);
        assert!(!has_win(&after), "level {level}");
    }
}

/// There are no secrets: no bot tells a state from one that is made from the view, or from one that
/// came from another seed.
#[track_caller]
fn check_twins(bot: &dyn Bot<Santorini>, nodes: u64) {
    let gods: Vec<GodId> = GodId::all().collect();
    for (number, (one, two)) in (0..).zip(gods.iter().zip(gods.iter().skip(3))) {
        let mut chance = GameRng::new(&Seed::from_number(number));
        let options = Options { gods: [*one, *two] };
        let start = |seed| Santorini.setup(&options, 2, &Seed::from_number(seed)).unwrap();
        let (mut state, mut other) = (start(number), start(number + 1_000));
        for (ply, level) in (0..24).zip(Level::all().cycle()) {
            let Some(seat) = Santorini.to_act(&state).iter().next() else { break };
            let viewer = Viewer::Seat(seat);
            let context = Context { options: &options, seats: 2, viewer };
            let view = Santorini.view(&state, viewer);
            let rebuilt = Santorini.determinize(&context, &view, &mut chance).unwrap();
            let choice = ask(bot, &state, level, nodes, ply);
            assert_eq!(ask(bot, &rebuilt, level, nodes, ply), choice, "match {number}");
            assert_eq!(ask(bot, &other, level, nodes, ply), choice, "match {number}");
            state = Santorini.apply(&state, seat, &choice.action).unwrap();
            other = Santorini.apply(&other, seat, &choice.action).unwrap();
        }
    }
}

#[test]
fn twins_get_the_same_action() {
    check_twins(&SantoriniBot, 300);
    check_twins(&Random, 0);
    check_twins(&Greedy, 0);
    check_twins(&Sampling, 10);
}

/// Every state in which a turn can end.
fn turn_ends(state: &State) -> Vec<State> {
    let mut open = vec![state.clone()];
    let mut ends = Vec::new();
    while let Some(next) = open.pop() {
        let Some(seat) = Santorini.to_act(&next).iter().next() else {
            ends.push(next);
            continue;
        };
        if Santorini.turn(&next) != Santorini.turn(state) {
            ends.push(next);
            continue;
        }
        let mut actions = Vec::new();
        Santorini.legal_actions(&next, seat, &mut actions);
        open.extend(actions.iter().map(|it| Santorini.apply(&next, seat, it).unwrap()));
    }
    ends
}

/// Has whoever is to act no step that wins at once?
fn is_safe(state: &State) -> bool {
    Santorini.to_act(state).is_empty() || !has_win(state)
}

#[test]
fn above_the_lowest_level_no_turn_lets_the_other_win_that_need_not() {
    let gods: Vec<GodId> = GodId::all().collect();
    let (mut ends, mut losing, mut positions) = (0, 0, 0);
    for number in 0..70 {
        let mut chance = GameRng::new(&Seed::from_number(number));
        let mut any = || gods[chance.below(gods.len())];
        let options = Options { gods: [any(), any()] };
        let mut state = Santorini.setup(&options, 2, &Seed::from_number(number)).unwrap();
        // Turns by lot, until the seat to act can be put in danger and can avoid it.
        for _ in 0..60 {
            if Santorini.to_act(&state).is_empty() || has_win(&state) {
                break;
            }
            let all = turn_ends(&state);
            let poor = all.iter().filter(|end| !is_safe(end)).count();
            if poor * 3 > all.len() && poor < all.len() {
                (ends, losing, positions) = (ends + all.len(), losing + poor, positions + 1);
                for level in Level::all().skip(1) {
                    let end = after_turn(&state, level, number);
                    assert!(is_safe(&end), "match {number}, level {level}");
                }
                break;
            }
            state = all[chance.below(all.len())].clone();
        }
    }
    // Else chance would have passed too.
    assert!(positions > 15 && losing * 2 > ends, "{positions} positions, {losing} of {ends}");
}

#[test]
fn above_the_lowest_level_no_turn_is_taken_by_chance() {
    // How much worse than the best the turns of each level are, and turns by lot, as the highest sees
    // it; what is decided counts as a thousand.
    let mut sums = [(0, 0); Level::COUNT];
    for number in 0..16 {
        let mut chance = GameRng::new(&Seed::from_number(number));
        let mut state =
            Santorini.setup(&Options::default(), 2, &Seed::from_number(number)).unwrap();
        for _ in 0..6 + number {
            let all = turn_ends(&state);
            let end = &all[chance.below(all.len())];
            if Santorini.to_act(end).is_empty() {
                break;
            }
            state = end.clone();
        }
        let seat = Santorini.to_act(&state).iter().next().unwrap();
        let worth = |end: &State| match Santorini.outcome(end) {
            Some(outcome) if outcome.places[seat.index()] == 1 => 1_000,
            Some(_) => -1_000,
            None => -ask(&SantoriniBot, end, Level::HIGHEST, 200, 1).value.clamp(-1_000, 1_000),
        };
        let all: Vec<i32> = turn_ends(&state).iter().map(worth).collect();
        let best = *all.iter().max().unwrap();
        for (level, sum) in Level::all().zip(&mut sums).skip(1) {
            sum.0 += best - worth(&after_turn(&state, level, number));
            let of_all: i32 = all.iter().map(|worth| best - worth).sum();
            sum.1 += of_all / i32::try_from(all.len()).unwrap();
        }
    }
    for (level, (of_choices, of_chance)) in Level::all().zip(sums).skip(1) {
        println!("level {level}: {of_choices} of {of_chance}");
        assert!(of_choices * 3 < of_chance, "level {level}: {of_choices} of {of_chance}");
    }
}
