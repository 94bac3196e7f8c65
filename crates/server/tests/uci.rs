//! Engines that are programs of their own: good ones, and those that hang, end or cheat.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::path::PathBuf;
use std::time::Instant;

use bots::{Advice, Budget, WIN};
use game_api::{AnyMatch, Seat, Seed, Seen, Telling, Viewer};
use server::uci::{UciEngine, UciError};
use tempfile::TempDir;

/// Where Debian's package puts it, which not every `PATH` has.
const STOCKFISH: &str = "/usr/games/stockfish";

/// A script that greets as UCI wants it; `go` is what it does when it is to think.
struct Script {
    folder: TempDir,
    command: String,
}

impl Script {
    fn new(go: &str) -> Script {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("engine.sh");
        let said = folder.path().join("said");
        let text = format!(
            "while read line; do
               echo \"$line\" >> {said}
               case $line in
                 uci) echo 'id name Script 1'; echo 'option name Hash type spin'; echo uciok ;;
                 isready) echo readyok ;;
                 go*) {go} ;;
               esac
             done",
            said = said.display()
        );
        std::fs::write(&path, text).unwrap();
        let command = format!("sh {}", path.display());
        Script { folder, command }
    }

    fn open(&self) -> UciEngine {
        UciEngine::open(&self.command, &[("UCI_Elo", "2000")]).unwrap()
    }

    /// What it was told, line by line.
    fn said(&self) -> Vec<String> {
        let path: PathBuf = self.folder.path().join("said");
        std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
    }
}

fn begin(options: &str) -> Box<dyn AnyMatch> {
    catalog::find(catalog::UCI_GAME).unwrap().start(options, 2, Seed::from_number(1)).unwrap()
}

fn ask(
    engine: &UciEngine,
    contest: &dyn AnyMatch,
    budget: &Budget<'_>,
) -> Result<Advice, UciError> {
    let seat = contest.to_act().iter().next().unwrap_or(Seat::FIRST);
    let view = String::from_utf8(contest.view(Viewer::Seat(seat)).unwrap()).unwrap();
    let options = contest.options();
    engine.think(&Seen { options: &options, seats: 2, seat, view: &view }, budget)
}

#[test]
fn an_engine_is_told_the_position_and_its_move_is_taken() {
    let script = Script::new("echo 'info depth 1 score cp 31'; echo 'bestmove e2e4 ponder e7e5'");
    let engine = script.open();
    assert_eq!(engine.name(), "Script 1");
    for _ in 0..2 {
        let advice = ask(&engine, &*begin("{}"), &Budget::of_nodes(500)).unwrap();
        assert_eq!(advice, Advice { action: "e2e4".to_owned(), value: 31 });
    }
    let said = script.said();
    let greetings = said.iter().filter(|line| *line == "uci").count();
    assert_eq!(greetings, 1, "one process answers both: {said:?}");
    for line in [
        "setoption name Threads value 1",
        "setoption name UCI_Elo value 2000",
        "setoption name UCI_Chess960 value false",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "go nodes 500",
    ] {
        assert!(said.iter().any(|it| it == line), "{line} in {said:?}");
    }
}

#[test]
fn an_engine_gets_nothing_of_the_servers_environment_but_paths() {
    let script = Script::new("env > \"$0.env\"; echo 'bestmove e2e4'");
    ask(&script.open(), &*begin("{}"), &Budget::of_nodes(1)).unwrap();
    let seen = std::fs::read_to_string(script.folder.path().join("engine.sh.env")).unwrap();
    // The last three are the shell's own.
    let known = ["PATH", "HOME", "PWD", "SHLVL", "_"];
    let names: Vec<&str> = seen.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    assert!(names.contains(&"PATH") && names.iter().all(|name| known.contains(name)), "{names:?}");
    assert!(std::env::vars_os().count() > known.len(), "there was something to keep back");
}

#[test]
fn a_clock_stops_an_engine() {
    // It moves when it is told to stop, which is the next line.
    let script = Script::new("read stop; echo \"bestmove d2d4\"");
    let begun = Instant::now();
    let is_up = || begun.elapsed().as_millis() >= 30;
    let advice = ask(&script.open(), &*begin("{}"), &Budget::until(&is_up)).unwrap();
    assert_eq!((advice.action.as_str(), advice.value), ("d2d4", 0));
    assert!(script.said().contains(&"go infinite".to_owned()));
}

#[test]
fn an_engine_that_fails_is_told_apart_and_started_anew() {
    let check = |go: &str, budget: &Budget<'_>, is_it: fn(&UciError) -> bool| {
        let script = Script::new(go);
        let engine = script.open();
        for _ in 0..2 {
            let error = ask(&engine, &*begin("{}"), budget).unwrap_err();
            assert!(is_it(&error), "{go}: {error}");
        }
        let greetings = script.said().iter().filter(|line| *line == "uci").count();
        assert_eq!(greetings, 2, "{go}");
    };
    let nodes = Budget::of_nodes(1);
    check("echo bestmove e2e5", &nodes, |it| matches!(it, UciError::NoMove(_)));
    check("echo bestmove", &nodes, |it| matches!(it, UciError::NoMove(_)));
    check("exit", &nodes, |it| matches!(it, UciError::Process(_)));
    check("sleep 600", &Budget::until(&|| true), |it| matches!(it, UciError::Silent("bestmove")));
}

#[test]
fn what_is_no_engine_is_not_opened() {
    for (command, is_it) in [
        ("no-such-engine", (|it| matches!(it, UciError::Process(_))) as fn(&UciError) -> bool),
        ("", |it| matches!(it, UciError::Process(_))),
        ("true", |it| matches!(it, UciError::Process(_))),
        ("sleep 600", |it| matches!(it, UciError::Silent("uciok"))),
    ] {
        let error = UciEngine::open(command, &[]).map(drop).unwrap_err();
        assert!(is_it(&error), "{command}: {error}");
    }
}

#[test]
#[ignore = "needs Stockfish; cargo xtask test runs it"]
fn stockfish_plays_chess_and_chess960() {
    let engine = UciEngine::open(STOCKFISH, &[]).unwrap();
    assert!(engine.name().starts_with("Stockfish"), "{}", engine.name());
    for number in 0..4 {
        let mut contest = begin(&format!(r#"{{"variant":"chess960","number":{}}}"#, 200 * number));
        for _ in 0..60 {
            let Some(seat) = contest.to_act().iter().next() else { break };
            let advice = ask(&engine, &*contest, &Budget::of_nodes(200)).unwrap();
            contest.act(seat, &advice.action, &mut Telling::default()).unwrap();
        }
    }
    let mut contest = begin("{}");
    for (seat, action) in [(0, "f2f3"), (1, "e7e5"), (0, "g2g4")] {
        contest.act(Seat::new(seat).unwrap(), action, &mut Telling::default()).unwrap();
    }
    let mate = ask(&engine, &*contest, &Budget::of_nodes(2_000)).unwrap();
    assert_eq!(mate, Advice { action: "d8h4".to_owned(), value: WIN - 1 });
}
