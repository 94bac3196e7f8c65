//! What the tests need from the machine beside Rust. On Debian it is installed where it is missing, with
//! one call of apt-get; elsewhere its absence is said. A new need of a test is a line of this file.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use sha2::{Digest as _, Sha256};
use xshell::{Shell, cmd};

use crate::debian::{self, has_program};
use crate::target_dir;
use crate::wasm::WasmToolchain;

/// The browser to test with, if not Debian's.
pub(crate) const TEST_BROWSER: &str = "PARLOR_TEST_BROWSER";
/// Chromium without the parts that a window needs, which starts in a third of the time. The program
/// itself: the script of this name on the path would not pass a signal on.
const HEADLESS_SHELL: &str = "/usr/lib/chromium/chromium-headless-shell";
/// Finds what people cannot use on a page. Fetched for the tests, and never shipped.
const AXE: &str = "axe-core@4.14.0";
const AXE_SHA256: &str = "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878";
/// Unpacked and not installed, because installing them would start them as services.
const PROXIES: [&str; 3] = ["nginx", "caddy", "openssl"];

/// A package of Debian, and whether the machine has what it contains.
type Need = (&'static str, fn(&Shell) -> bool);

/// What the tests outside the browser need.
const TESTS: &[Need] = &[
    ("postgresql", |_| pg_cluster::is_installed()),
    // Where Debian puts it, which not every path has.
    ("stockfish", |_| Path::new("/usr/games/stockfish").exists()),
    ("python3-venv", |sh| {
        cmd!(sh, "python3 -c 'import ensurepip'").quiet().ignore_stderr().read().is_ok()
    }),
    ("nodejs", |sh| has_program(sh, "node")),
];

/// What the tests in the browser need.
const BROWSER: &[Need] = &[
    ("chromium-driver", |sh| has_program(sh, "chromedriver")),
    ("chromium-headless-shell", |sh| {
        sh.var_os(TEST_BROWSER).is_some() || Path::new(HEADLESS_SHELL).exists()
    }),
    ("npm", |sh| has_program(sh, "npm")),
];

/// Everything that the suite needs. It builds nothing, so it can run beside a build.
pub(crate) fn install_all(sh: &Shell) -> Result<()> {
    let target_dir = target_dir(sh)?;
    install(sh, &[TESTS, BROWSER].concat())?;
    python_with_websockets(sh)?;
    path_with_proxies(sh)?;
    axe(sh)?;
    WasmToolchain::find(sh, &target_dir).map(drop)
}

/// What the tests outside the browser need.
pub(crate) fn install_for_tests(sh: &Shell) -> Result<()> {
    install(sh, TESTS)
}

/// What the tests in the browser need; gives the browser's program.
pub(crate) fn install_browser(sh: &Shell) -> Result<OsString> {
    install(sh, BROWSER)?;
    Ok(sh.var_os(TEST_BROWSER).unwrap_or_else(|| HEADLESS_SHELL.into()))
}

fn install(sh: &Shell, needs: &[Need]) -> Result<()> {
    let missing = needs.iter().filter(|(_, is_there)| !is_there(sh)).map(|(package, _)| *package);
    let missing: Vec<&str> = missing.collect();
    if missing.is_empty() {
        return Ok(());
    }
    let what =
        || format!("the tests need what these packages of Debian have: {}", missing.join(", "));
    debian::install(sh, &missing).with_context(what)
}

/// A Python of our own with the one package that the example of a bot needs.
pub(crate) fn python_with_websockets(sh: &Shell) -> Result<PathBuf> {
    let folder = target_dir(sh)?.join("python");
    let python = folder.join("bin/python");
    let has_package = || cmd!(sh, "{python} -c 'import websockets'").quiet().ignore_stderr().read();
    if has_package().is_err() {
        cmd!(sh, "python3 -m venv {folder}").run().context("the tests need Python with venv")?;
        cmd!(sh, "{python} -m pip install --quiet 'websockets>=14'").run()?;
    }
    Ok(python)
}

/// Where to look for programs, with nginx and Caddy unpacked into the target folder if they are missing.
pub(crate) fn path_with_proxies(sh: &Shell) -> Result<OsString> {
    let folder = target_dir(sh)?.join("proxies");
    let own = [folder.join("usr/sbin"), folder.join("usr/bin"), PathBuf::from("/usr/sbin")];
    let path = sh.var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).chain(own).collect();
    let is_there = |name: &str| folders.iter().any(|folder| folder.join(name).exists());
    if !PROXIES.into_iter().all(is_there) {
        debian::unpack(sh, &folder, &PROXIES)
            .context("the tests need nginx, Caddy and OpenSSL: please install them")?;
    }
    Ok(env::join_paths(folders)?)
}

/// axe-core, by the registry's own client, which checks what it gets; we check that it is what we have
/// seen.
pub(crate) fn axe(sh: &Shell) -> Result<PathBuf> {
    let folder = target_dir(sh)?.join("axe");
    let script = folder.join("package/axe.min.js");
    if !script.exists() {
        let _dir = sh.push_dir(sh.create_dir(&folder)?);
        let archive = cmd!(sh, "npm pack --silent {AXE}").read()?;
        cmd!(sh, "tar --extract --gzip --file {archive} package/axe.min.js").run()?;
    }
    let hash = hex::encode(Sha256::digest(sh.read_binary_file(&script)?));
    ensure!(hash == AXE_SHA256, "{} is not {AXE}: remove it", script.display());
    Ok(script)
}
