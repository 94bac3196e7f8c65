//! Every chore of the workspace: `cargo xtask COMMAND`.
//!
//! Owns what the commands are called; each chore is a module.

mod beside;
mod browser;
mod client;
mod debian;
mod needs;
mod new_game;
mod peer;
mod programs;
mod serve;
mod steps;
mod suite;
mod tidy;
mod turns;
mod wasm;
mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use xshell::{Shell, cmd};

const HELP: &str = "\
cargo xtask run             build Parlor and serve it at http://localhost:8080
cargo xtask client          build the browser client
cargo xtask browser [NAME]  the client in a real browser: all tests, or those with NAME in theirs
cargo xtask test            everything that CI runs
cargo xtask test --again N  the tests that it has built, so many times, until one fails
cargo xtask install         what the tests need from Debian, npm and pip
cargo xtask soak            the long versions of the random tests
cargo xtask bench rules     how fast the rules are
cargo xtask bench store     how many entries a second become durable
cargo xtask bench http      how many requests a second a server on one core answers
cargo xtask bench server    how many moves a second it stores and tells, how soon, in how much memory
cargo xtask bench peer      the moves a second of a bare server in Node, by turns with ours
cargo xtask bench turns REV the load of the server, by turns with the build of another revision
cargo xtask bench rooms     what an action costs late in a long match, and how soon its room is made anew
cargo xtask bench browser   how soon the client is there, and a move on the other screen
cargo xtask bench words     how many Scrabble positions a second get all their plays
cargo xtask words           the default word list, from Debian's package scowl
cargo xtask tidy            layers, licences, and that the documents say what is so
cargo xtask new-game NAME   a folder for a new game that already passes its tests";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The failing step's name is the last line.
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<()> {
    let sh = Shell::new()?;
    let root = root()?;
    sh.change_dir(&root);
    match *words {
        ["run"] => serve::run(&sh, &root),
        ["client"] => client::build(&sh, &root).map(drop),
        ["browser", ref filter @ ..] => browser::run(&sh, &root, filter),
        ["test"] => suite::test(&sh, &root),
        ["test", "--again", rounds] => {
            suite::again(&sh, rounds.parse().context("--again takes a number")?)
        }
        ["install"] => needs::install_all(&sh),
        // Those that others start beside themselves.
        ["step", ref steps @ ..] => steps.iter().try_for_each(|it| suite::step(&sh, &root, it)),
        ["soak"] => suite::soak(&sh),
        ["bench", "rules"] => Ok(cmd!(sh, "cargo bench --bench rules --bench perft").run()?),
        ["bench", "store"] => {
            needs::install_for_tests(&sh)?;
            Ok(cmd!(sh, "cargo bench --package server --bench store").run()?)
        }
        ["bench", "http"] => Ok(cmd!(sh, "cargo bench --package cli --bench http").run()?),
        ["bench", "server"] => bench_server(&sh),
        ["bench", "peer"] => peer::bench(&sh, &root),
        ["bench", "turns", ref words @ ..] => turns::bench(&sh, &root, words),
        ["bench", "rooms"] => Ok(cmd!(sh, "cargo bench --package play --bench long_match").run()?),
        ["bench", "browser"] => browser::bench(&sh, &root),
        ["bench", "words"] => {
            let bench =
                ["--package", "scrabble-words", "--features", "english", "--bench", "plays"];
            Ok(cmd!(sh, "cargo bench {bench...}").run()?)
        }
        ["words"] => words::make(&sh, &root),
        ["tidy"] => tidy::run(&root),
        ["new-game", name] => new_game::make(&sh, &root, name),
        [] | ["help"] => {
            println!("{HELP}");
            Ok(())
        }
        _ => bail!("there is no such chore: {}\n{HELP}", words.join(" ")),
    }
}

/// The load tool, mode by mode; each starts a server of its own.
fn bench_server(sh: &Shell) -> Result<()> {
    cmd!(sh, "cargo build --release --package cli").run()?;
    let parlor = target_dir(sh)?.join("release/parlor");
    let modes: [&[&str]; 6] = [
        &["throughput", "--matches", "200"],
        &["rate", "--matches", "200", "--rate", "5000"],
        &["create"],
        &["connect", "--connections", "1000"],
        &["reconnect", "--connections", "1000"],
        &["idle", "--connections", "10000"],
    ];
    for mode in modes {
        println!();
        cmd!(sh, "{parlor} bench server --mode {mode...}").run()?;
    }
    Ok(())
}

fn root() -> Result<PathBuf> {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(xtask.parent().context("xtask has no folder above it")?.to_owned())
}

/// Where cargo builds, wherever the environment has put it.
fn target_dir(sh: &Shell) -> Result<PathBuf> {
    let metadata = cmd!(sh, "cargo metadata --no-deps --format-version 1").quiet().read()?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata)?;
    let path = metadata["target_directory"].as_str().context("cargo names no target folder")?;
    Ok(PathBuf::from(path))
}
