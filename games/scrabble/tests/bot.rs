//! The bot knows only what its seat sees, acts legally in every preset, and plays out well.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

#[path = "kit/mod.rs"]
mod kit;
#[path = "conformance/redeal.rs"]
mod redeal;

use bots::{Bot, Budget, Choice, Level, Situation};
use game_api::{Game, GameRng, Seat, Seed, Viewer};
use scrabble::{Action, Challenge, Options, Scrabble, ScrabbleBot, State};

fn ask(game: &Scrabble, state: &State, seat: Seat, level: Level, number: u64) -> Choice<Action> {
    let view = game.view(state, Viewer::Seat(seat));
    let options = &*state.options;
    let situation = Situation { game, options, seats: state.seats, seat, view: &view };
    let mut rng = GameRng::new(&Seed::from_number(number));
    ScrabbleBot.choose(&situation, level, &Budget::of_nodes(30), &mut rng).unwrap()
}

/// The presets, and each with challenges.
fn all_options(game: &Scrabble) -> Vec<Options> {
    let with_challenge =
        |options: &Options| Options { challenge: Some(Challenge::default()), ..options.clone() };
    let presets: Vec<Options> = game.presets().into_iter().map(|(_, options)| options).collect();
    presets.iter().map(with_challenge).chain(presets.clone()).collect()
}

#[test]
fn twins_get_the_same_action_and_it_is_legal() {
    let game = kit::game();
    let matches = if std::env::var_os("PARLOR_SOAK").is_some() { 1_000 } else { 18 };
    let mut compared = 0;
    let mut differing = 0;
    let mut stuff = [0; 3];
    let all_options = all_options(&game);
    let settings = all_options.iter().zip([2, 3, 4, 2].into_iter().cycle()).cycle();
    for (number, (options, seats)) in (0..matches).zip(settings) {
        let mut chance = GameRng::new(&Seed::from_number(number));
        let mut state = game.setup(options, seats, &Seed::from_number(number)).unwrap();
        for (ply, level) in (0..400).zip(Level::all().rev().cycle()) {
            let Some(seat) = game.to_act(&state).iter().next() else { break };
            let choice = ask(&game, &state, seat, level, ply);
            let twin = redeal::redeal(&state, Viewer::Seat(seat), &mut chance);
            let again = ask(&game, &twin, seat, level, ply);
            assert_eq!(again, choice, "match {number}, ply {ply}");
            compared += 1;
            differing += u32::from(twin != state);
            match &choice.action {
                Action::Buy(_) => stuff[0] += 1,
                Action::Play(play) => stuff[1] += play.specials.len(),
                Action::Challenge => stuff[2] += 1,
                _ => {}
            }
            state = game.apply(&state, seat, &choice.action).unwrap();
        }
    }
    assert!(compared > 0 && differing * 2 > compared, "{differing} of {compared} differ");
    let [bought, laid, challenges] = stuff;
    println!("{compared} actions; {bought} bought, {laid} laid, {challenges} challenges");
    assert!(bought > 0 && laid > 0 && challenges > 0);
}

fn position(game: &Scrabble, text: &str, options: &Options) -> State {
    game.position(options, text, &Seed::from_number(1)).unwrap().1
}

fn board(row: &str) -> String {
    let empty = "...............";
    [&[empty; 7][..], &[row], &[empty; 7][..]].concat().join("/")
}

#[test]
fn who_can_go_out_does() {
    let lexicon = scrabble::Lexicon::from_words("few", ["cat", "cats", "at", "sat"]).unwrap();
    let game = Scrabble::new(std::sync::Arc::new(lexicon));
    let options = game.complete(Options::classic());
    let state = position(&game, &format!("{} S,TT 0,0 0 -", board(".......CAT.....")), &options);
    for level in Level::all().skip(6) {
        let choice = ask(&game, &state, Seat::FIRST, level, 1);
        let after = game.apply(&state, Seat::FIRST, &choice.action).unwrap();
        assert_eq!(game.outcome(&after).unwrap().places, [1, 2], "level {level}");
    }
}

#[test]
fn who_has_no_word_exchanges_bad_letters_and_keeps_good_ones() {
    let lexicon = scrabble::Lexicon::from_words("few", ["cat", "at"]).unwrap();
    let game = Scrabble::new(std::sync::Arc::new(lexicon));
    let options = game.complete(Options::classic());
    let state =
        position(&game, &format!("{} VVUUIIS,EEEEEEE 0,0 0", board("...............")), &options);
    for level in Level::all().skip(5) {
        let choice = ask(&game, &state, Seat::FIRST, level, 1);
        let Action::Exchange(letters) = choice.action else { panic!("{}", choice.action) };
        let text = Action::Exchange(letters).to_string();
        assert!(text.contains("VV") && !text.contains('S'), "level {level}: {text}");
    }
}

#[test]
fn the_highest_level_challenges_what_is_wrong_and_nothing_else() {
    let lexicon = scrabble::Lexicon::from_words("few", ["cat", "at"]).unwrap();
    let game = Scrabble::new(std::sync::Arc::new(lexicon));
    let options = Options { challenge: Some(Challenge::default()), ..Options::classic() };
    let options = game.complete(options);
    let state = position(&game, &format!("{} CAT,AAA 0,0 0", board("...............")), &options);
    for (text, expected) in [("8H:CAT", Action::Accept), ("8H:TAC", Action::Challenge)] {
        let played = game.apply(&state, Seat::FIRST, &text.parse().unwrap()).unwrap();
        let other = Seat::FIRST.after(1, 2);
        assert_eq!(ask(&game, &played, other, Level::HIGHEST, 1).action, expected, "{text}");
    }
}

#[test]
fn a_low_level_says_that_it_does_not_know_every_word() {
    assert!(ScrabbleBot.remark(Level::LOWEST).is_some());
    assert_eq!(ScrabbleBot.remark(Level::HIGHEST), None);
}
