//! The browser tests: what they need is installed, fetched and built, then they run.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use sha2::{Digest as _, Sha256};
use xshell::{Shell, cmd};

use crate::suite::build_programs;
use crate::{client, debian, target_dir};

/// Finds what people cannot use on a page. Fetched for the tests, and never shipped.
const AXE: &str = "axe-core@4.14.0";
const AXE_SHA256: &str = "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878";
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
    install(sh)?;
    let target_dir = target_dir(sh)?;
    let axe = fetch_axe(sh, &target_dir)?;
    let [parlor, tests] = {
        // The server with the client in it.
        let _client = sh.push_env("PARLOR_CLIENT", target_dir.join("client"));
        build_programs(sh, [("--bin", "parlor"), ("--test", tests)])?
    };
    let cmd = cmd!(sh, "{tests} {words...}").env("PARLOR_TEST_PROGRAM", parlor);
    let cmd = cmd.env("PARLOR_TEST_AXE", axe);
    Ok(cmd.env("PARLOR_TEST_OUTPUT", target_dir.join("browser-tests")).run()?)
}

fn install(sh: &Shell) -> Result<()> {
    for (program, package) in [("chromium", "chromium"), ("chromedriver", "chromium-driver")] {
        if !debian::has_program(sh, program) {
            debian::install(sh, package)
                .with_context(|| format!("the browser tests need {program}: please install it"))?;
        }
    }
    Ok(())
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
