//! The browser tests: what they need is installed, fetched and built, then they run.

use std::path::{Path, PathBuf};

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::programs::{self, Built, Program};
use crate::{client, needs, target_dir};

/// So many tests at once keep two cores busy.
const THREADS: [&str; 2] = ["--test-threads", "2"];

/// Builds the client, then tests it: all of it, or what has `filter` in its name.
pub(crate) fn run(sh: &Shell, root: &Path, filter: &[&str]) -> Result<()> {
    needs::install_browser(sh)?;
    client::build(sh, root)?;
    let (parlor, browser) = build(sh, "browser")?;
    test(sh, &Built { native: Vec::new(), browser, parlor }, filter)
}

/// How fast the client is, on an idle machine.
pub(crate) fn bench(sh: &Shell, root: &Path) -> Result<()> {
    needs::install_browser(sh)?;
    client::build(sh, root)?;
    let (parlor, tests) = build(sh, "speed")?;
    run_tests(sh, &parlor, &tests, &["--test-threads", "1", "--nocapture"])
}

/// Builds the server with the client that was built last, and these tests. Together, because the features
/// would be others without a test.
pub(crate) fn build(sh: &Shell, tests: &str) -> Result<(PathBuf, Program)> {
    let _client = sh.push_env("PARLOR_CLIENT", target_dir(sh)?.join("client"));
    let built = programs::build(sh, "build", &["--bin", "parlor", "--test", tests])?;
    let parlor = programs::find(&built, "parlor")?.path.clone();
    Ok((parlor, programs::find(&built, tests)?.clone()))
}

/// Runs the browser tests that were built.
pub(crate) fn test(sh: &Shell, built: &Built, filter: &[&str]) -> Result<()> {
    let words: Vec<&str> = THREADS.iter().chain(filter).copied().collect();
    run_tests(sh, &built.parlor, &built.browser, &words)
}

fn run_tests(sh: &Shell, parlor: &Path, tests: &Program, words: &[&str]) -> Result<()> {
    let browser = needs::install_browser(sh)?;
    let (tests, output) = (&tests.path, target_dir(sh)?.join("browser-tests"));
    let cmd = cmd!(sh, "{tests} {words...}").env("PARLOR_TEST_PROGRAM", parlor);
    let cmd = cmd.env("PARLOR_TEST_AXE", needs::axe(sh)?).env(needs::TEST_BROWSER, browser);
    Ok(cmd.env("PARLOR_TEST_OUTPUT", output).run()?)
}
