//! `cargo xtask test`, which is all that CI runs, its repetition, and `cargo xtask soak`, its long version.
//!
//! One build runs at a time. Beside a build may run: what is installed, and tests that are built.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use pg_cluster::Cluster;
use xshell::{PushEnv, Shell, cmd};

use crate::beside::Beside;
use crate::programs::{self, Built, NATIVE, Program, Run, Variable};
use crate::steps::{self, Step};
use crate::wasm::{self, WasmToolchain};
use crate::{browser, client, needs, new_game, target_dir, tidy};

/// The URL of a PostgreSQL server on which tests may make databases.
const TEST_DATABASE: &str = "PARLOR_TEST_DATABASE";
/// A Python that has the package `websockets`.
const TEST_PYTHON: &str = "PARLOR_TEST_PYTHON";
/// The matches that the program for the hash law repeats: a file that its build reads.
const FINGERPRINTS: &str = "PARLOR_FINGERPRINTS";
/// Cargo's setting for incremental compilation.
const INCREMENTAL: &str = "CARGO_INCREMENTAL";

/// Everything that must hold before a change lands.
pub(crate) fn test(sh: &Shell, root: &Path) -> Result<()> {
    let _env = without_incremental(sh);
    let folder = folder(sh)?;
    let install = RefCell::new(Beside::start(sh, &["install"], &folder)?);
    let [with_tests, with_browser] = [RefCell::new(None), RefCell::new(None)];
    let native = RefCell::new(Vec::new());
    let wait = |beside: &RefCell<Option<Beside>>| {
        beside.borrow_mut().as_mut().map_or(Ok(()), Beside::wait)
    };
    let steps: [Step<'_>; 10] = [
        ("format", Box::new(|| Ok(cmd!(sh, "cargo fmt --all --check").run()?))),
        ("clippy", Box::new(|| clippy(sh))),
        ("tidy", Box::new(|| tidy::run(root))),
        (
            "build",
            Box::new(|| {
                native.replace(build(sh)?);
                write_fingerprints(sh, &native.borrow())
            }),
        ),
        ("install", Box::new(|| install.borrow_mut().wait())),
        (
            "tests",
            Box::new(|| {
                with_tests.replace(Some(Beside::start(sh, &["client"], &folder)?));
                run_native(sh, &native.borrow())
            }),
        ),
        ("client", Box::new(|| wait(&with_tests))),
        (
            "browser build",
            Box::new(|| {
                let (parlor, browser) = browser::build(sh, "browser")?;
                let copy = folder.join("parlor");
                sh.copy_file(parlor, &copy)?;
                Built { native: native.borrow().clone(), browser, parlor: copy }.keep(&folder)
            }),
        ),
        (
            "browser",
            Box::new(|| {
                with_browser.replace(Some(Beside::start(sh, &["docs", "new game"], &folder)?));
                hash_law(sh)?;
                browser::test(sh, &Built::recall(&folder)?, &[])
            }),
        ),
        ("docs and new game", Box::new(|| wait(&with_browser))),
    ];
    steps::run(&steps)
}

/// Steps of the suite that run beside others, or by themselves.
pub(crate) fn step(sh: &Shell, root: &Path, name: &str) -> Result<()> {
    match name {
        "install" => needs::install_all(sh),
        "toolchain" => WasmToolchain::find(sh, &target_dir(sh)?).map(drop),
        "client" => client_and_fingerprints(sh, root),
        "docs" => docs(sh),
        "new game" => new_game::try_out(sh, root),
        _ => bail!("there is no such step: {name}"),
    }
}

/// Runs the tests that the last `test` has built, so many times; stops at the first failure.
pub(crate) fn again(sh: &Shell, rounds: u32) -> Result<()> {
    let built = Built::recall(&folder(sh)?)?;
    let mut times = Vec::new();
    for round in 1..=rounds {
        println!("\n── round {round} of {rounds}");
        let begin = Instant::now();
        run_native(sh, &built.native)?;
        let native = begin.elapsed().as_secs_f64();
        browser::test(sh, &built, &[])?;
        let all = begin.elapsed().as_secs_f64();
        times.push(format!("{all:>7.1} s  round {round} ({:.1} s in the browser)", all - native));
        println!("── round {round} passed:\n{}", times.join("\n"));
    }
    Ok(())
}

/// The random tests in their full numbers. They run as `test` built them: a release build
/// links every test program anew for longer than they run.
pub(crate) fn soak(sh: &Shell) -> Result<()> {
    let _env = without_incremental(sh);
    needs::install_for_tests(sh)?;
    let tests = || {
        let (env, _cluster) = surroundings(sh)?;
        let cmd =
            cmd!(sh, "cargo test {NATIVE...} --locked --tests -- --nocapture --include-ignored");
        Ok(cmd.envs(env).env("PARLOR_SOAK", "1").run()?)
    };
    steps::run(&[("soak", Box::new(tests))])
}

/// Turns incremental compilation off, unless the environment says otherwise: what is built from nothing is
/// built sooner without it.
fn without_incremental(sh: &Shell) -> Option<PushEnv<'_>> {
    sh.var_os(INCREMENTAL).is_none().then(|| sh.push_env(INCREMENTAL, "0"))
}

/// Where the suite keeps what it has built and what runs beside it.
fn folder(sh: &Shell) -> Result<PathBuf> {
    Ok(target_dir(sh)?.join("suite"))
}

fn clippy(sh: &Shell) -> Result<()> {
    let deny = ["--locked", "--", "--deny", "warnings"];
    cmd!(sh, "cargo clippy --workspace --features xtask/bundle --all-targets {deny...}").run()?;
    // Those that run only when they are asked for are not among all targets.
    let browser = ["--test", "browser", "--test", "speed"];
    Ok(cmd!(sh, "cargo clippy --workspace --features xtask/bundle {browser...} {deny...}").run()?)
}

/// Builds the tests, and runs those of the chores and of the documentation, which need nothing else.
fn build(sh: &Shell) -> Result<Vec<Program>> {
    cmd!(sh, "cargo test --package xtask --locked -- --quiet").run()?;
    let native = programs::build(sh, "test", &["--no-run"])?;
    // The names of the documentation's examples contain their file, those of other tests do not. To ask
    // for the examples alone would build half of the workspace again, without the tests' features.
    let examples = cmd!(sh, "cargo test {NATIVE...} --locked -- src/").ignore_status().output()?;
    if !examples.status.success() {
        bail!("the documentation's examples fail:\n{}", String::from_utf8_lossy(&examples.stdout));
    }
    Ok(native)
}

/// Runs every test that needs no browser. The API suite runs on SQLite and on PostgreSQL.
fn run_native(sh: &Shell, native: &[Program]) -> Result<()> {
    let (env, _cluster) = surroundings(sh)?;
    let words = |more: &[&str]| -> Vec<String> {
        ["--include-ignored"].iter().chain(more).map(|it| (*it).to_owned()).collect()
    };
    let run = |program: &Program| Run {
        program: program.clone(),
        remark: "",
        words: words(&[]),
        env: env.clone(),
    };
    let mut runs: Vec<Run> = native.iter().filter(|it| it.is_test).map(run).collect();
    let postgres = [("PARLOR_TEST_API", OsString::from("postgres"))];
    runs.push(Run {
        remark: " on PostgreSQL",
        // They wait for the database more than they work.
        words: words(&["--test-threads", "8"]),
        env: env.iter().cloned().chain(postgres).collect(),
        ..run(programs::find(native, "api")?)
    });
    programs::run_all(runs)
}

/// The variables that tests need, and a PostgreSQL server that ends when it is dropped, unless
/// `PARLOR_TEST_DATABASE` names another. Tests that stop a server start their own.
fn surroundings(sh: &Shell) -> Result<(Vec<Variable>, Option<Cluster>)> {
    let mut env = vec![
        ("PATH", needs::path_with_proxies(sh)?),
        (TEST_PYTHON, needs::python_with_websockets(sh)?.into_os_string()),
    ];
    let mut own = None;
    if sh.var_os(TEST_DATABASE).is_none() {
        let cluster = own.insert(Cluster::start_unsynced()?);
        env.push((TEST_DATABASE, cluster.url().into()));
    }
    Ok((env, own))
}

fn docs(sh: &Shell) -> Result<()> {
    // The same packages as clippy looks at, so that what they depend on is checked once.
    let doc = cmd!(sh, "cargo doc --workspace --features xtask/bundle --no-deps --locked");
    Ok(doc.env("RUSTDOCFLAGS", "--deny warnings").run()?)
}

/// Writes down what matches of every game hash to natively.
fn write_fingerprints(sh: &Shell, native: &[Program]) -> Result<()> {
    let program = &programs::find(native, "fingerprints")?.path;
    let list = cmd!(sh, "{program}").quiet().read()?;
    Ok(sh.write_file(target_dir(sh)?.join("fingerprints.txt"), format!("{list}\n"))?)
}

/// Builds the client, and with it the program for the hash law, since std and the games are in both.
fn client_and_fingerprints(sh: &Shell, root: &Path) -> Result<()> {
    let target_dir = target_dir(sh)?;
    let law = ["--package", "catalog", "--example", "fingerprints"];
    let all: Vec<&str> = client::PROGRAMS.into_iter().chain(law).collect();
    let _env = sh.push_env(FINGERPRINTS, target_dir.join("fingerprints.txt"));
    WasmToolchain::find(sh, &target_dir)?.build(sh, &all)?;
    client::bundle(sh, root, &target_dir)?;
    let bundle = client::BUNDLE;
    Ok(cmd!(sh, "cargo test {bundle...} --bin bundle --locked -- --quiet").run()?)
}

/// The same matches natively and in WebAssembly: every state, view and event hashes alike.
fn hash_law(sh: &Shell) -> Result<()> {
    let target_dir = target_dir(sh)?;
    let examples = target_dir.join("wasm32-unknown-unknown/wasm/examples");
    wasm::run_main(sh, &examples.join("fingerprints.wasm"))?;
    let count = sh.read_file(target_dir.join("fingerprints.txt"))?.lines().count();
    println!("{count} matches hash alike natively and in WebAssembly");
    Ok(())
}
