//! The bot knows only what its seat sees, acts legally in every preset, and plays out well.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

#[path = "kit/mod.rs"]
mod kit;
#[path = "conformance/redeal.rs"]
mod redeal;

use bots::{Bot, Budget, Choice, Greedy, Level, Random, Situation};
use game_api::{Game, GameRng, Seat, Seed, Viewer};
use scrabble::specials::Laid;
use scrabble::{Action, Challenge, Last, Move, Options, Scrabble, ScrabbleBot, Square, State};

fn ask(game: &Scrabble, state: &State, seat: Seat, level: Level, number: u64) -> Choice<Action> {
    ask_for(&ScrabbleBot, game, state, seat, level, number)
}

fn ask_for(
    bot: &dyn Bot<Scrabble>,
    game: &Scrabble,
    state: &State,
    seat: Seat,
    level: Level,
    number: u64,
) -> Choice<Action> {
    let view = game.view(state, Viewer::Seat(seat));
    let options = &*state.options;
    let situation = Situation { game, options, seats: state.seats, seat, view: &view };
    let mut rng = GameRng::new(&Seed::from_number(number));
    bot.choose(&situation, level, &Budget::of_nodes(30), &mut rng).unwrap()
}

/// The presets, and each with challenges.
fn all_options(game: &Scrabble) -> Vec<Options> {
    let with_challenge =
        |options: &Options| Options { challenge: Some(Challenge::default()), ..options.clone() };
    let presets: Vec<Options> = game.presets().into_iter().map(|(_, options)| options).collect();
    presets.iter().map(with_challenge).chain(presets.clone()).collect()
}

/// What was done in matches with some options.
#[derive(Debug, Default)]
struct Done {
    compared: u32,
    differing: u32,
    bought: usize,
    laid: usize,
    challenges: usize,
}

/// Plays matches; whatever the bot does is legal, and the same for a twin.
#[track_caller]
fn check_twins(bot: &dyn Bot<Scrabble>, options: &Options, numbers: std::ops::Range<u64>) -> Done {
    let game = kit::game();
    let is_soak = std::env::var_os("PARLOR_SOAK").is_some();
    let end =
        if is_soak { numbers.start + 50 * (numbers.end - numbers.start) } else { numbers.end };
    let mut done = Done::default();
    for (number, seats) in (numbers.start..end).zip([2, 3, 4].into_iter().cycle()) {
        let mut chance = GameRng::new(&Seed::from_number(number));
        let mut state = game.setup(options, seats, &Seed::from_number(number)).unwrap();
        for (ply, level) in (0..400).zip(Level::all().rev().cycle()) {
            let Some(seat) = game.to_act(&state).iter().next() else { break };
            let choice = ask_for(bot, &game, &state, seat, level, ply);
            let twin = redeal::redeal(&state, Viewer::Seat(seat), &mut chance);
            let again = ask_for(bot, &game, &twin, seat, level, ply);
            assert_eq!(again, choice, "match {number}, ply {ply}");
            done.compared += 1;
            done.differing += u32::from(twin != state);
            match &choice.action {
                Action::Buy(_) => done.bought += 1,
                Action::Play(play) => done.laid += play.specials.len(),
                Action::Challenge => done.challenges += 1,
                _ => {}
            }
            state = game.apply(&state, seat, &choice.action).unwrap();
        }
    }
    println!("{done:?}");
    assert!(done.compared > 0 && done.differing * 2 > done.compared, "{done:?}");
    done
}

#[test]
fn twins_get_the_same_action_and_specials_are_bought_and_laid_wherever_there_are_any() {
    for options in all_options(&kit::game()) {
        let done = check_twins(&ScrabbleBot, &options, 0..3);
        let has_specials = !options.specials.is_empty();
        assert_eq!((done.bought > 0, done.laid > 0), (has_specials, has_specials), "{done:?}");
        assert_eq!(done.challenges > 0, options.challenge.is_some(), "{done:?}");
    }
}

#[test]
fn twins_get_the_same_action_of_bots_that_play_any_game() {
    for options in all_options(&kit::game()) {
        check_twins(&Random, &options, 0..2);
        check_twins(&Greedy, &options, 0..1);
    }
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
fn at_the_end_the_highest_level_gives_up_points_to_keep_the_other_from_going_out() {
    let words = ["cat", "cats", "catty", "za"];
    let lexicon = scrabble::Lexicon::from_words("few", words).unwrap();
    let game = Scrabble::new(std::sync::Arc::new(lexicon));
    let options = game.complete(Options::classic());
    // ZA scores most, but then CATS goes out and wins. After CATTY the S has no place.
    let text = format!("{} TYZ,S 0,10 0 -", board(".......CAT....."));
    let players: [(&dyn Bot<Scrabble>, _, _); 2] =
        [(&ScrabbleBot, "8H:CATTY", [1, 2]), (&Greedy, "I7:ZA", [2, 1])];
    for (bot, expected, places) in players {
        let ask = |state: &State, seat| ask_for(bot, &game, state, seat, Level::HIGHEST, 1).action;
        let mut state = position(&game, &text, &options);
        assert_eq!(ask(&state, Seat::FIRST).to_string(), expected);
        while let Some(seat) = game.to_act(&state).iter().next() {
            state = game.apply(&state, seat, &ask(&state, seat)).unwrap();
        }
        assert_eq!(game.outcome(&state).unwrap().places, places, "{expected}");
    }
}

/// What level 7, which does not misjudge and knows these words, plays in a position of `contract-a`.
#[track_caller]
fn check_risk(words: &[&str], rack: &str, change: impl Fn(&mut State), expected: &str) {
    let words = words.iter().copied();
    let lexicon = scrabble::Lexicon::from_words("few", words).unwrap();
    let game = Scrabble::new(std::sync::Arc::new(lexicon));
    let options = game.complete(Options::contract_a());
    let text = format!("{} {rack},EE 0,0 0 EEE,EEE", board(".......CAT....."));
    let mut state = position(&game, &text, &options);
    change(&mut state);
    let level = Level::try_from(7).unwrap();
    assert_eq!(ask(&game, &state, Seat::FIRST, level, 1).action.to_string(), expected);
}

fn square(name: &str) -> Square {
    Square::all().find(|square| square.to_string() == name).unwrap()
}

#[test]
fn a_play_that_scores_less_avoids_an_own_special() {
    let lay = |name: &'static str| {
        move |state: &mut State| {
            state.specials.laid.push(Laid { square: square(name), kind: 0, owner: Seat::FIRST });
        }
    };
    let words = ["cat", "cats", "so", "tos"];
    check_risk(&words, "SO", |_| {}, "K8:SO");
    check_risk(&words, "SO", lay("K8"), "J8:TOS");
    check_risk(&words, "SO", lay("J9"), "K8:SO");
}

#[test]
fn a_special_is_guessed_beside_the_last_letters_of_another() {
    let last = |name: &'static str| {
        move |state: &mut State| {
            let laid = vec![square(name)];
            state.last = Some(Last::Played(Move {
                seat: Seat::FIRST.after(1, 2),
                play: "8H:CAT".parse().unwrap(),
                laid,
                stands: true,
                score: 0,
                earner: Seat::FIRST,
                fired: Vec::new(),
                cleared: Vec::new(),
            }));
        }
    };
    // Two plays that score the same, on both sides.
    let words = ["cat", "cats", "scat"];
    check_risk(&words, "SO", last("J8"), "8G:SCAT");
    check_risk(&words, "SO", last("H8"), "8H:CATS");
}

#[test]
fn standings_are_the_same_before_and_after_a_purchase_and_an_answer() {
    let game = kit::game();
    let level = Level::try_from(7).unwrap();
    let mut compared = [0, 0];
    for options in all_options(&game) {
        for number in 0..4 {
            let mut state = game.setup(&options, 2, &Seed::from_number(number)).unwrap();
            // Who decided something last, its value, and whether it was an answer.
            let mut before: Option<(Seat, i32, bool)> = None;
            for ply in 0..60 {
                let Some(seat) = game.to_act(&state).iter().next() else { break };
                let choice = ask(&game, &state, seat, level, ply);
                let is_purchase = matches!(choice.action, Action::Buy(_));
                if let Some((was, value, is_answer)) = before.take()
                    // An answer foresees no purchase and its price.
                    && was == seat
                    && !(is_answer && is_purchase)
                {
                    assert_eq!(choice.value, value, "match {number}, ply {ply}");
                    compared[usize::from(is_answer)] += 1;
                }
                let is_answer = choice.action == Action::Accept;
                before = (is_purchase || is_answer).then_some((seat, choice.value, is_answer));
                state = game.apply(&state, seat, &choice.action).unwrap();
            }
        }
    }
    assert!(compared.iter().all(|count| *count > 0), "{compared:?}");
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
