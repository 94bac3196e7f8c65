//! `parlor bench server` in every mode, small: it plays, finds no fault, and says what it measured.
//! How fast anything is, is not tested.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// Runs a mode with these flags; gives what it wrote.
fn bench(flags: &[&str], json: Option<&std::path::Path>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
    command.args(["bench", "server", "--no-pin", "--seconds", "1"]).args(flags);
    if let Some(json) = json {
        command.arg("--json").arg(json);
    }
    command.output().unwrap()
}

/// A run finds no fault, and each of these figures is more than nothing.
#[track_caller]
fn check(flags: &[&str], figures: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("figures.json");
    let output = bench(flags, Some(&json));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{flags:?}: {said}");
    let found: Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    assert_eq!(found["violations"], 0, "{found:#}");
    for figure in figures {
        assert!(found[figure].as_f64().is_some_and(|value| value > 0.0), "{figure}: {found:#}");
    }
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("violations"), "{table}");
}

#[test]
fn seats_act_as_soon_as_they_see_the_state() {
    let figures =
        ["moves", "moves_per_s", "latency_p50_ms", "latency_p99_ms", "end_states_verified"];
    check(&["--matches", "4"], &figures);
}

#[test]
fn people_play_beside_bots() {
    let flags = ["--mode", "rate", "--rate", "50", "--matches", "4", "--bot-matches", "3"];
    check(&flags, &["moves", "bot_matches", "latency_p99_ms"]);
}

#[test]
fn moves_come_at_a_fixed_rate() {
    let flags = ["--mode", "rate", "--game", "chess", "--matches", "4", "--rate", "100"];
    check(&flags, &["rate", "moves", "moves_per_s", "latency_p99_ms"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_match_has_its_memory() {
    let figures = ["connections", "before_mib", "alone_mib", "connected_mib", "left_mib"];
    check(&["--mode", "idle", "--connections", "8"], &figures);
}

#[test]
fn a_match_is_made_and_its_players_are_seated() {
    let figures = ["create_p50_ms", "lobby_open_p50_ms", "lobby_start_p50_ms", "seat_p99_ms"];
    check(&["--mode", "create", "--matches", "4"], &figures);
}

#[test]
fn connections_come_and_return_all_at_once() {
    check(&["--mode", "connect", "--connections", "20"], &["connections", "connect_ms"]);
    let figures = ["connections", "reconnect_ms", "moves"];
    check(&["--mode", "reconnect", "--connections", "20"], &figures);
}

/// A server of the test's own.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[test]
fn a_server_that_runs_already_is_loaded_and_left_running() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("parlor.toml");
    // One client acts for many, and is no flood.
    let limits = "limits.quotas = 'off'\n\
                  limits.address = { burst = 1000000, period_s = 1 }\n\
                  sockets = { burst = 1000000, messages_per_s = 1000000 }\n";
    std::fs::write(&config, limits).unwrap();
    let address = format!("127.0.0.1:{}", pg_cluster::free_port());
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
    command.args(["serve", "--log-filter", "warn", "--listen", &address, "--config"]).arg(config);
    command.arg("--data").arg(folder.path().join("data")).stdout(Stdio::null());
    let mut server = Server(command.spawn().unwrap());
    check(&["--target", &address, "--matches", "4"], &["moves", "latency_p50_ms"]);
    let create = ["--target", &address, "--mode", "create", "--matches", "4"];
    check(&create, &["create_p50_ms", "seat_p99_ms"]);
    assert_eq!(server.0.try_wait().unwrap(), None);
}

#[test]
fn a_game_with_secrets_is_refused() {
    let output = bench(&["--game", "crazy-tens"], None);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("crazy-tens has secrets"), "{said}");
}

#[test]
fn a_ladder_of_bots_is_played_once_and_taken_up_again() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("ladder.json");
    let run = |pairs: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
        command.args(["bench", "bots", "santorini", "--pairing", "8:random", "--nodes", "200"]);
        command.args(["--pairs", pairs, "--resume"]).arg(&kept);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let kept: Value = serde_json::from_slice(&std::fs::read(&kept).unwrap()).unwrap();
        (String::from_utf8(output.stdout).unwrap(), kept["tallies"]["8 against random"].clone())
    };
    let count = |tally: &Value| -> u64 {
        tally.as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum()
    };
    let (said, first) = run("2");
    assert!(said.contains("8 against random          4 matches"), "{said}");
    assert_eq!(count(&first), 2);
    let (_, second) = run("5");
    assert_eq!(count(&second), 5);
    assert_eq!(run("5").1, second);
}

#[test]
fn a_ladder_that_begins_later_plays_the_later_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let run = |file: &str, pairs: &str, from: &str| {
        let kept = folder.path().join(file);
        let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
        command.args(["bench", "bots", "crazy-tens", "--pairing", "random:random"]);
        command.args(["--pairs", pairs, "--from", from, "--resume"]).arg(&kept);
        let output = command.output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        let kept: Value = serde_json::from_slice(&std::fs::read(&kept).unwrap()).unwrap();
        let sums = kept["scores"]["random against random"].clone();
        let sums: [i64; 2] = serde_json::from_value(sums).unwrap();
        output.status.success().then_some(sums).ok_or(error)
    };
    let (all, early) = (run("all", "6", "0").unwrap(), run("early", "4", "0").unwrap());
    let late = run("late", "2", "4").unwrap();
    assert_ne!(late, run("first", "2", "0").unwrap());
    assert_eq!(all, [early[0] + late[0], early[1] + late[1]]);
    // The file tells which pairs it holds.
    assert!(run("late", "2", "0").unwrap_err().contains("of another run"));
}
