//! `cargo xtask test`, which is all that CI runs, and `cargo xtask soak`, its long version.

use std::cell::RefCell;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use pg_cluster::Cluster;
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::beside::Beside;
use crate::steps::{self, Step};
use crate::wasm::{self, WasmToolchain};
use crate::{browser, debian, new_game, target_dir, tidy};

/// The URL of a PostgreSQL server on which tests may make databases.
const TEST_DATABASE: &str = "PARLOR_TEST_DATABASE";

/// A Python that has the package `websockets`.
const TEST_PYTHON: &str = "PARLOR_TEST_PYTHON";

/// All that is built outside a browser, always together: cargo gives the same crates other features, and
/// builds them once more, where other packages are asked for. The application is looked at by clippy, not
/// built twice; the chores are built already, by themselves.
pub(crate) const NATIVE: [&str; 5] = ["--workspace", "--exclude", "client", "--exclude", "xtask"];

/// Everything that must hold before a change lands. The client is built beside all else: its last stage has
/// work for one core only, and the tests that wait for something leave one idle.
pub(crate) fn test(sh: &Shell, root: &Path) -> Result<()> {
    let target_dir = target_dir(sh)?;
    // By now, since two cannot install at once.
    WasmToolchain::find(sh, &target_dir)?;
    let client = RefCell::new(Beside::start("client", &target_dir)?);
    let steps: [Step<'_>; 9] = [
        ("format", Box::new(|| Ok(cmd!(sh, "cargo fmt --all --check").run()?))),
        (
            "clippy",
            Box::new(|| {
                let deny = ["--locked", "--", "--deny", "warnings"];
                cmd!(sh, "cargo clippy --workspace --all-targets {deny...}").run()?;
                // Those that run only when they are asked for are not among all targets.
                let browser = ["--test", "browser", "--test", "speed"];
                Ok(cmd!(sh, "cargo clippy --workspace {browser...} {deny...}").run()?)
            }),
        ),
        ("tidy", Box::new(|| tidy::run(root))),
        ("tests", Box::new(|| with_database(sh, || tests(sh)))),
        (
            "docs",
            Box::new(|| {
                let doc = cmd!(sh, "cargo doc {NATIVE...} --no-deps --locked");
                Ok(doc.env("RUSTDOCFLAGS", "--deny warnings").run()?)
            }),
        ),
        ("new game", Box::new(|| new_game::try_out(sh, root))),
        ("wasm", Box::new(|| hash_law(sh))),
        ("client", Box::new(|| client.borrow_mut().wait())),
        ("browser", Box::new(|| browser::test(sh, &[]))),
    ];
    steps::run(&steps)
}

/// The random tests in their full numbers. They run as `test` built them: a release build
/// links every test program anew for longer than they run.
pub(crate) fn soak(sh: &Shell) -> Result<()> {
    let tests = || {
        let cmd =
            cmd!(sh, "cargo test {NATIVE...} --locked --tests -- --nocapture --include-ignored");
        Ok(cmd.env("PARLOR_SOAK", "1").run()?)
    };
    steps::run(&[("soak", Box::new(|| with_database(sh, tests)))])
}

/// Programs of the workspace, built with the features that all of it has together: where each is. One of
/// them at least is a test, for else the features would be those without tests.
pub(crate) fn build_programs<const COUNT: usize>(
    sh: &Shell,
    programs: [(&str, &str); COUNT],
) -> Result<[PathBuf; COUNT]> {
    let wanted = programs.iter().flat_map(|(kind, name)| [*kind, *name]);
    let flags = ["--locked", "--message-format=json-render-diagnostics"].into_iter().chain(wanted);
    let built = cmd!(sh, "cargo build {NATIVE...} {flags...}").quiet().read()?;
    let built = built.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let built: Vec<Value> = built.collect();
    let find = |(_, name): &(&str, &str)| {
        let mut of_name = built.iter().filter(|it| it["target"]["name"] == *name);
        let path = of_name.find_map(|it| Some(PathBuf::from(it["executable"].as_str()?)));
        path.with_context(|| format!("there is no program {name}"))
    };
    let paths: Vec<PathBuf> = programs.iter().map(find).collect::<Result<_>>()?;
    paths.try_into().map_err(|_| anyhow!("as many programs as were asked for"))
}

/// The ignored tests are those that need PostgreSQL, nginx or Caddy. The API suite needs a database, whichever: it runs
/// on SQLite with all others, then on PostgreSQL. The documentation's examples are not asked for by
/// themselves: that would build half of the workspace once more, without the tests' features.
fn tests(sh: &Shell) -> Result<()> {
    cmd!(sh, "cargo test --package xtask --locked").run()?;
    cmd!(sh, "cargo test {NATIVE...} --locked -- --include-ignored").run()?;
    let [api] = build_programs(sh, [("--test", "api")])?;
    // They wait for the database more than they work.
    let words = ["--quiet", "--test-threads", "8"];
    Ok(cmd!(sh, "{api} {words...}").env("PARLOR_TEST_API", "postgres").run()?)
}

/// Runs `tests` with a PostgreSQL server: the one that `PARLOR_TEST_DATABASE` names, else a private
/// one that ends with them. Tests that stop a server have one of their own, so it is always needed.
fn with_database(sh: &Shell, tests: impl FnOnce() -> Result<()>) -> Result<()> {
    install_postgresql(sh)?;
    install_stockfish(sh)?;
    let _path = sh.push_env("PATH", path_with_proxies(sh)?);
    let _python = sh.push_env(TEST_PYTHON, python_with_websockets(sh)?);
    if sh.var_os(TEST_DATABASE).is_some() {
        return tests();
    }
    let cluster = Cluster::start_unsynced()?;
    let _env = sh.push_env(TEST_DATABASE, cluster.url());
    tests()
}

/// Installs the server's programs if they are missing.
pub(crate) fn install_postgresql(sh: &Shell) -> Result<()> {
    if pg_cluster::is_installed() {
        return Ok(());
    }
    debian::install(sh, "postgresql").context(pg_cluster::Error::NotInstalled)
}

/// The chess engine with which the tests of UCI are made, where Debian puts it.
fn install_stockfish(sh: &Shell) -> Result<()> {
    if Path::new("/usr/games/stockfish").exists() {
        return Ok(());
    }
    debian::install(sh, "stockfish").context("the tests need Stockfish: please install it")
}

/// Where to look for programs, among them nginx and Caddy. If they are missing they are unpacked into the
/// target folder: to install them would start them as services.
fn path_with_proxies(sh: &Shell) -> Result<OsString> {
    let folder = target_dir(sh)?.join("proxies");
    let own = [folder.join("usr/sbin"), folder.join("usr/bin"), PathBuf::from("/usr/sbin")];
    let path = sh.var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).chain(own).collect();
    let is_there = |name: &str| folders.iter().any(|folder| folder.join(name).exists());
    if !["nginx", "caddy", "openssl"].into_iter().all(is_there) {
        debian::unpack(sh, &folder, &["nginx", "caddy", "openssl"])
            .context("the tests need nginx, Caddy and OpenSSL: please install them")?;
    }
    Ok(env::join_paths(folders)?)
}

/// A Python of our own with the one package that the example of a bot needs.
fn python_with_websockets(sh: &Shell) -> Result<PathBuf> {
    let folder = target_dir(sh)?.join("python");
    let python = folder.join("bin/python");
    let has_package = || cmd!(sh, "{python} -c 'import websockets'").quiet().ignore_stderr().read();
    if has_package().is_err() {
        let make = || cmd!(sh, "python3 -m venv {folder}").run();
        if make().is_err() {
            debian::install(sh, "python3-venv")
                .context("the tests need Python with venv: please install it")?;
            make()?;
        }
        cmd!(sh, "{python} -m pip install --quiet 'websockets>=14'").run()?;
    }
    Ok(python)
}

/// The same matches natively and in WebAssembly: every state, view and event hashes alike.
fn hash_law(sh: &Shell) -> Result<()> {
    let target_dir = target_dir(sh)?;
    let list = target_dir.join("fingerprints.txt");
    let example = ("--example", "fingerprints");
    let [native, _] = build_programs(sh, [example, ("--test", "api")])?;
    let native = cmd!(sh, "{native}").read()?;
    sh.write_file(&list, format!("{native}\n"))?;
    let toolchain = WasmToolchain::find(sh, &target_dir)?;
    let _env = sh.push_env("PARLOR_FINGERPRINTS", &list);
    toolchain.build(sh, &["--package", "catalog", example.0, example.1, "--locked"])?;
    wasm::run_main(sh, &target_dir.join("wasm32-unknown-unknown/wasm/examples/fingerprints.wasm"))?;
    println!("{} matches hash alike natively and in WebAssembly", native.lines().count());
    Ok(())
}
