//! The browser tests: what they need is installed, fetched and built, then they run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use sha2::{Digest as _, Sha256};
use xshell::{Shell, cmd};

use crate::suite::build_programs;
use crate::{client, debian, target_dir};

/// Finds what people cannot use on a page. Fetched for the tests, and never shipped.
const AXE: &str = "axe-core@4.14.0";
const AXE_SHA256: &str = "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878";
/// The browser to test with, if not Debian's.
const TEST_BROWSER: &str = "PARLOR_TEST_BROWSER";
/// Chromium without the parts that a window needs, which starts in a third of the time. The program
/// itself: the script of this name on the path would not pass a signal on.
const HEADLESS_SHELL: &str = "/usr/lib/chromium/chromium-headless-shell";
/// So many tests at once keep two cores busy.
const THREADS: [&str; 2] = ["--test-threads", "2"];

/// Builds the client, then tests it: all of it, or what has `filter` in its name.
pub(crate) fn run(sh: &Shell, root: &Path, filter: &[&str]) -> Result<()> {
    client::build(sh, root)?;
    test(sh, filter)
}

/// How fast the client is, on an idle machine.
pub(crate) fn bench(sh: &Shell, root: &Path) -> Result<()> {
    client::build(sh, root)?;
    run_tests(sh, "speed", &["--test-threads", "1", "--nocapture"])
}

/// Runs the browser tests on the client that was built last.
pub(crate) fn test(sh: &Shell, filter: &[&str]) -> Result<()> {
    let words: Vec<&str> = THREADS.iter().chain(filter).copied().collect();
    run_tests(sh, "browser", &words)
}

fn run_tests(sh: &Shell, tests: &str, words: &[&str]) -> Result<()> {
    let browser = install(sh)?;
    let target_dir = target_dir(sh)?;
    let axe = fetch_axe(sh, &target_dir)?;
    let [parlor, tests] = {
        // The server with the client in it.
        let _client = sh.push_env("PARLOR_CLIENT", target_dir.join("client"));
        build_programs(sh, [("--bin", "parlor"), ("--test", tests)])?
    };
    let cmd = cmd!(sh, "{tests} {words...}").env("PARLOR_TEST_PROGRAM", parlor);
    let cmd = cmd.env("PARLOR_TEST_AXE", axe).env(TEST_BROWSER, browser);
    Ok(cmd.env("PARLOR_TEST_OUTPUT", target_dir.join("browser-tests")).run()?)
}

/// The browser's program; it and its driver are installed if they are missing.
fn install(sh: &Shell) -> Result<OsString> {
    if !debian::has_program(sh, "chromedriver") {
        debian::install(sh, "chromium-driver")
            .context("the browser tests need chromedriver: please install it")?;
    }
    if let Some(browser) = sh.var_os(TEST_BROWSER) {
        return Ok(browser);
    }
    if !Path::new(HEADLESS_SHELL).exists() {
        debian::install(sh, "chromium-headless-shell")
            .with_context(|| format!("please name a Chromium by {TEST_BROWSER}"))?;
    }
    Ok(HEADLESS_SHELL.into())
}

/// By the registry's own client, which checks what it gets; we check that it is what we have seen.
fn fetch_axe(sh: &Shell, target_dir: &Path) -> Result<PathBuf> {
    let script = target_dir.join("axe/package/axe.min.js");
    if !script.exists() {
        if !debian::has_program(sh, "npm") {
            debian::install(sh, "npm").with_context(|| {
                format!("the browser tests fetch {AXE} by npm: please install it")
            })?;
        }
        let folder = target_dir.join("axe");
        let _dir = sh.push_dir(sh.create_dir(&folder)?);
        let archive = cmd!(sh, "npm pack --silent {AXE}").read()?;
        cmd!(sh, "tar --extract --gzip --file {archive} package/axe.min.js").run()?;
    }
    let hash = hex::encode(Sha256::digest(sh.read_binary_file(&script)?));
    ensure!(hash == AXE_SHA256, "{} is not {AXE}: remove it", script.display());
    Ok(script)
}
