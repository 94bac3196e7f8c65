//! `cargo xtask bench peer`: the load on a bare server in Node, by turns with ours, since a machine's speed
//! changes within minutes.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};
use xshell::{Shell, cmd};

use crate::{debian, target_dir};

/// Fetched for the comparison, and never shipped.
const WS: &str = "ws@8.23.0";
const SCRIPT: &str = "peer.mjs";
const ROUNDS: usize = 3;

/// Prints what the load saw of each, `ROUNDS` times.
pub(crate) fn bench(sh: &Shell, root: &Path) -> Result<()> {
    cmd!(sh, "cargo build --release --package cli").run()?;
    let target_dir = target_dir(sh)?;
    let parlor = target_dir.join("release/parlor");
    let script = fetch(sh, root, &target_dir)?;
    let load = ["bench", "server", "--mode", "throughput"];
    for round in 1..=ROUNDS {
        println!("\nround {round} of {ROUNDS}: Parlor, every move stored");
        cmd!(sh, "{parlor} {load...}").run()?;
        println!("\nround {round} of {ROUNDS}: Node with {WS}, nothing stored");
        let peer = Peer::start(&script)?;
        let address = format!("127.0.0.1:{}", peer.port);
        cmd!(sh, "{parlor} {load...} --target {address}").run()?;
    }
    Ok(())
}

/// The script, in a folder in which Node finds the package.
fn fetch(sh: &Shell, root: &Path, target_dir: &Path) -> Result<PathBuf> {
    if !debian::has_program(sh, "npm") {
        debian::install(sh, &["npm"]).context("the peer is made with npm: please install it")?;
    }
    let folder = sh.create_dir(target_dir.join("peer"))?;
    cmd!(sh, "npm install --silent --no-save --prefix {folder} {WS}").run()?;
    let script = folder.join(SCRIPT);
    sh.copy_file(root.join("crates/cli/benches").join(SCRIPT), &script)?;
    Ok(script)
}

/// A running peer, which ends with this.
struct Peer {
    process: Child,
    port: u16,
}

impl Peer {
    /// On the core on which the load starts our server too.
    fn start(script: &Path) -> Result<Self> {
        let mut command = Command::new("taskset");
        command.args(["--cpu-list", "0", "node"]).arg(script).stdout(Stdio::piped());
        let mut process = command.spawn().context("cannot start the peer")?;
        let mut line = String::new();
        let stdout = process.stdout.take().context("the peer has no output")?;
        BufReader::new(stdout).read_line(&mut line)?;
        let port = line.trim().parse().context("the peer did not start")?;
        Ok(Self { process, port })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Nothing is left to do if it has ended by itself.
        let _ended = self.process.kill().and_then(|()| self.process.wait());
    }
}
