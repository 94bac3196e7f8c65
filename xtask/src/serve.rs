//! `cargo xtask run`: builds the client and the server, and serves them. One build runs at a time; the
//! compiler for WebAssembly is fetched beside the first.

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::beside::Beside;
use crate::wasm::WasmToolchain;
use crate::{client, target_dir};

/// Optimised enough to play, and built several times sooner than what is packaged.
const PROFILE: [&str; 2] = ["--profile", "quick"];
const STEPS: [&str; 4] = [
    "the server, in which the client is still missing",
    "the program that binds the client to JavaScript",
    "the client",
    "the server with the client",
];

/// Until it is interrupted. What it keeps is in the workspace's folder `data`.
pub(crate) fn run(sh: &Shell, root: &Path) -> Result<()> {
    let target_dir = target_dir(sh)?;
    let mut toolchain = Beside::start(sh, &["toolchain"], &target_dir.join("suite"))?;
    // Both packages are named, so that the features are those of the last step.
    let server = ["--package", "cli", "--package", "server", "--lib"];
    let words: Vec<&str> = PROFILE.iter().chain(&server).copied().collect();
    build(sh, 0, &["--package", "server"], &words)?;
    build(sh, 1, &client::BUNDLE, &[&client::BUNDLE[..], &["--bin", "bundle"]].concat())?;
    toolchain.wait()?;
    announce(2);
    WasmToolchain::find(sh, &target_dir)?.build(sh, &client::PROGRAMS)?;
    client::bundle(sh, root, &target_dir)?;
    announce(3);
    let folder = target_dir.join("client");
    cmd!(sh, "cargo build {PROFILE...} --locked --package cli --package server --bin parlor")
        .env("PARLOR_CLIENT", folder)
        .run()?;
    let parlor = target_dir.join("quick/parlor");
    println!("\nParlor is at http://localhost:8080; stop it with Ctrl-C.\n");
    // Not by xshell, so that Ctrl-C reaches the server alone and it can finish.
    let status = Command::new(parlor).arg("serve").current_dir(root).status()?;
    ensure!(status.success(), "the server ended with {status}");
    Ok(())
}

/// Says which step begins and which are left.
fn announce(step: usize) {
    let left = STEPS[step + 1..].join(", then ");
    let left =
        if left.is_empty() { "nothing else is left".to_owned() } else { format!("left: {left}") };
    println!("── step {} of {}: {} ({left})", step + 1, STEPS.len(), STEPS[step]);
}

/// Builds a package with a progress bar that counts the packages it needs. Where there is no terminal,
/// cargo says what it does, line by line.
fn build(sh: &Shell, step: usize, package: &[&str], words: &[&str]) -> Result<()> {
    announce(step);
    let bar = ProgressBar::new(packages_of(sh, package)?);
    if bar.is_hidden() {
        return Ok(cmd!(sh, "cargo build --locked {words...}").run()?);
    }
    bar.set_style(ProgressStyle::with_template(
        "{elapsed_precise} [{bar:40}] {pos} of {len} packages, about {eta} left: {msg}",
    )?);
    let flags = ["build", "--locked", "--quiet", "--message-format=json-render-diagnostics"];
    let mut cargo = Command::new("cargo");
    cargo.args(flags).args(words).current_dir(sh.current_dir()).stdout(Stdio::piped());
    let mut cargo = cargo.spawn()?;
    let mut built = HashSet::new();
    let output = cargo.stdout.take().context("cargo's output is a pipe")?;
    for line in BufReader::new(output).lines() {
        let message: Value = serde_json::from_str(&line?).unwrap_or_default();
        let is_script = message["target"]["kind"][0] == "custom-build";
        let Some(id) = message["package_id"].as_str().filter(|_| !is_script) else { continue };
        if built.insert(id.to_owned()) {
            bar.inc(1);
            bar.set_message(message["target"]["name"].as_str().unwrap_or_default().to_owned());
        }
    }
    let status = cargo.wait()?;
    bar.finish_and_clear();
    ensure!(status.success(), "cargo ended with {status}");
    Ok(())
}

/// How many packages are built for this one, itself among them.
fn packages_of(sh: &Shell, package: &[&str]) -> Result<u64> {
    let edges = ["--edges", "normal,build", "--prefix", "none", "--format", "{p}"];
    let tree = cmd!(sh, "cargo tree --locked --quiet {package...} {edges...}").quiet().read()?;
    let packages: HashSet<&str> = tree
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|it| !it.is_empty())
        .collect();
    Ok(u64::try_from(packages.len())?)
}
