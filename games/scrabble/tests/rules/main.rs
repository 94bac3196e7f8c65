//! A test per numbered rule of RULES.md, named after it.
//!
//! A script such as `"0 8H:CAT, 1 pass"` names seats and actions; `1 forfeit` stands for a seat that
//! gives up.

#![expect(clippy::unwrap_used, reason = "in a test's helper it is the failure")]

mod challenges;
mod effects;
mod ends;
#[path = "../kit/mod.rs"]
mod kit;
mod moves;
mod secrets;
mod specials;

use std::sync::LazyLock;

use game_api::{Context, Forfeit, Game, Seat, Seed, Step, Viewer, Violation as _};
use scrabble::specials::Laid;
use scrabble::{Options, Placement, Preview, Scrabble, Spot, State};

static GAME: LazyLock<Scrabble> = LazyLock::new(kit::game);

/// Both presets with specials.
fn contracts() -> [Options; 2] {
    [Options::contract_a(), Options::contract_b()]
}

const fn viewer(number: u8) -> Viewer {
    Viewer::Seat(seat(number))
}

const fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

fn deal(options: &Options, seats: u8) -> State {
    GAME.setup(options, seats, &Seed::from_number(1)).unwrap()
}

/// A first state with these racks; every pool has thirty Es.
fn table(options: &Options, racks: &[&str]) -> State {
    let mut state = deal(options, u8::try_from(racks.len()).unwrap());
    state.racks = racks.iter().map(|rack| rack.parse().unwrap()).collect();
    state.pools.fill(vec![5; 30]);
    state
}

/// Lays letters without asking the rules.
fn put(state: &mut State, words: &[&str]) {
    for word in words {
        let placement: Placement = word.parse().unwrap();
        for (square, face) in placement.squares() {
            state.board.set(square.unwrap(), face);
        }
    }
}

/// Lays specials of a seat, as if it had long had them.
fn hide(state: &mut State, owner: u8, spots: &[&str]) {
    for spot in spots {
        let (kind, square) = spot.split_once('@').unwrap();
        let kind = u8::try_from(state.options.offer(kind).unwrap()).unwrap();
        let special = Laid { square: square.parse().unwrap(), kind, owner: seat(owner) };
        state.specials.lay(special, state.options.stacking);
    }
}

/// Gives a seat specials to lay.
fn supply(state: &mut State, owner: u8, kinds: &[&str]) {
    for kind in kinds {
        let offer = state.options.offer(kind).unwrap();
        state.stock[usize::from(owner)][offer] += 1;
    }
}

/// CAT lies on the board; seat 0 is to act with the letters of COW, CATS and TEN. COW down from H8 counts
/// 8 in every preset.
fn cat_for(options: &Options, seats: usize) -> State {
    let mut state = table(options, &vec!["OWSENTE"; seats]);
    put(&mut state, &["8H:CAT"]);
    state.premiums_used = ["H8".parse().unwrap()].into_iter().collect();
    state.scores = vec![100; seats];
    state
}

fn cat(options: &Options) -> State {
    cat_for(options, 2)
}

fn read_line(line: &str) -> (Seat, &str) {
    let (number, text) = line.split_once(' ').unwrap();
    (seat(number.parse().unwrap()), text)
}

#[track_caller]
fn play(state: &State, script: &str) -> State {
    let lines = script.split(", ").filter(|line| !line.is_empty());
    lines.fold(state.clone(), |state, line| match read_line(line) {
        (seat, "forfeit") => GAME.forfeit(&state, seat, Forfeit::Resigned),
        (seat, text) => GAME
            .apply(&state, seat, &text.parse().unwrap())
            .unwrap_or_else(|violation| panic!("{line}: {violation}")),
    })
}

/// Plays the script up to its last line, which is handed back.
#[track_caller]
fn play_to_last<'a>(state: &State, script: &'a str) -> (State, &'a str) {
    let (before, last) = script.rsplit_once(", ").unwrap_or(("", script));
    (play(state, before), last)
}

/// Plays the script, whose last line is refused with this code and these words; the preview says
/// the same.
#[track_caller]
fn check_refused(state: &State, script: &str, code: &str, words: &str) {
    let (state, last) = play_to_last(state, script);
    let (seat, text) = read_line(last);
    let action = text.parse().unwrap();
    let violation = GAME.apply(&state, seat, &action).err().unwrap();
    assert_eq!(violation.code(), code, "{last}: {violation}");
    assert!(violation.to_string().contains(words), "{last}: {violation}");
    assert_eq!(preview(&state, last).unwrap_err(), code, "{last}");
}

/// What a seat foresees of an action: the preview, or the code of the refusal.
fn preview(state: &State, line: &str) -> Result<Preview, &'static str> {
    let (seat, text) = read_line(line);
    let viewer = Viewer::Seat(seat);
    let context = Context { options: &*state.options, seats: state.seats, viewer };
    let view = GAME.view(state, viewer);
    GAME.preview(&context, &view, &text.parse().unwrap()).map_err(|violation| violation.code())
}

/// Plays the script and looks at its last step.
#[track_caller]
fn with_step<T>(state: &State, script: &str, look: impl Fn(&Step<'_, Scrabble>) -> T) -> T {
    let (before, last) = play_to_last(state, script);
    let (seat, text) = read_line(last);
    let after = play(&before, last);
    look(&Step { before: &before, seat, action: &text.parse().unwrap(), after: &after })
}

/// What seats 0, 1 and a spectator read of the last step.
#[track_caller]
fn check_notations(state: &State, script: &str, expected: [&str; 3]) {
    let all = [viewer(0), viewer(1), Viewer::Spectator];
    let read = with_step(state, script, |step| all.map(|who| GAME.notation(step, who)));
    assert_eq!(read, expected);
}

#[track_caller]
fn check_to_act(state: &State, seats: &str) {
    assert_eq!(GAME.to_act(state).to_string(), seats);
}

#[track_caller]
fn check_scores(state: &State, script: &str, scores: &[i32]) {
    assert_eq!(play(state, script).scores, scores, "{script}");
}

#[track_caller]
fn check_outcome(state: &State, places: &[u8], reason: &str) {
    let outcome = GAME.outcome(state).unwrap();
    assert_eq!((&outcome.places[..], outcome.reason), (places, reason));
}

/// The specials that a viewer sees on the board, as text.
fn seen_specials(state: &State, number: u8) -> Vec<String> {
    let specials = GAME.view(state, viewer(number)).specials.unwrap();
    specials.laid.iter().map(Spot::to_string).collect()
}

/// The board's letters with their squares: `C@H8 A@I8`.
fn letters(state: &State) -> String {
    let letter = |(square, face): (scrabble::Square, u8)| {
        let letter = char::from((face & 31) - 1 + b'A');
        format!("{letter}@{square}")
    };
    state.board.letters().map(letter).collect::<Vec<_>>().join(" ")
}
