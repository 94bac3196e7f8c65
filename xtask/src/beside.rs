//! Chores that run beside the one in the foreground, with their output kept for later.

use std::env;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use anyhow::{Result, ensure};
use xshell::Shell;

/// A running `cargo xtask` subcommand. Dropping this kills it, but not a compiler that it has spawned.
pub(crate) struct Beside {
    process: Child,
    log: PathBuf,
}

impl Beside {
    /// Starts `cargo xtask step NAME…`; `folder` keeps the output.
    pub(crate) fn start(sh: &Shell, steps: &[&str], folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder)?;
        let log = folder.join(format!("{}.log", steps.join("-").replace(' ', "-")));
        let file = File::create(&log)?;
        println!("beside: {} (what it says is kept in {})", steps.join(", "), log.display());
        let mut command = Command::new(env::current_exe()?);
        // All steps build with the same setting, so that nothing is built twice.
        let incremental = sh.var_os("CARGO_INCREMENTAL").map(|value| ("CARGO_INCREMENTAL", value));
        command.arg("step").args(steps).envs(incremental);
        let process = command.stdout(file.try_clone()?).stderr(file).spawn()?;
        Ok(Self { process, log })
    }

    /// Waits for the end and prints the output.
    pub(crate) fn wait(&mut self) -> Result<()> {
        let status = self.process.wait()?;
        print!("{}", std::fs::read_to_string(&self.log)?);
        ensure!(status.success(), "it ended with {status}");
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // One that has ended already needs no more.
        let _ended = self.process.kill().and_then(|()| self.process.wait());
    }
}
