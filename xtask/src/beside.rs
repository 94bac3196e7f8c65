//! A chore that is done beside others, with the time that they leave idle.

use std::env;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use anyhow::{Result, ensure};

/// A chore under way. It ends with this, but for a compiler that it has called, which ends by itself. What it
/// says is shown when it is waited for.
pub(crate) struct Beside {
    process: Child,
    log: PathBuf,
}

impl Beside {
    /// Starts `cargo xtask CHORE` at the lowest priority; `folder` keeps what it says.
    pub(crate) fn start(chore: &str, folder: &Path) -> Result<Self> {
        let log = folder.join(format!("{chore}.log"));
        let file = File::create(&log)?;
        let mut command = Command::new("nice");
        command.args(["-n", "19"]).arg(env::current_exe()?).arg(chore);
        let process = command.stdout(file.try_clone()?).stderr(file).spawn()?;
        Ok(Self { process, log })
    }

    pub(crate) fn wait(&mut self) -> Result<()> {
        let status = self.process.wait()?;
        print!("{}", std::fs::read_to_string(&self.log)?);
        ensure!(status.success(), "it ended with {status}");
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // Nothing is left to do if it has ended by itself.
        let _ended = self.process.kill().and_then(|()| self.process.wait());
    }
}
