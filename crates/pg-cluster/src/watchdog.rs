//! A shell that outlives us: it stops the server and removes its folder when we are gone.
//!
//! It waits for the end of a pipe whose other end only we hold, so it notices a kill as well as a
//! drop, and both end a cluster in the same way.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Stdio};

use crate::Error;
use crate::programs::Programs;

// A server that was just being started has no pid file to be stopped by, but ends by itself, within
// two minutes, when it finds that its folder is gone.
const SCRIPT: &str = r#"read -r _; "$1" stop -D data -m immediate; cd /; rm -rf "$2""#;

#[derive(Debug)]
pub(crate) struct Watchdog(Child);

impl Watchdog {
    pub(crate) fn start(programs: &Programs, folder: &Path) -> Result<Self, Error> {
        let pg_ctl = programs.path("pg_ctl");
        let args = [OsStr::new("watchdog"), pg_ctl.as_os_str(), folder.as_os_str()];
        let mut shell = programs.command("sh");
        shell.args(["-c", SCRIPT]).args(args).stdin(Stdio::piped());
        // Held open, the owner's outputs would keep whoever reads them waiting.
        shell.stdout(Stdio::null()).stderr(Stdio::null());
        // The terminal's interrupt is for the owner's group; the watchdog must survive it.
        shell.process_group(0);
        let child =
            shell.spawn().map_err(|source| Error::Spawn { program: "sh".into(), source })?;
        Ok(Self(child))
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // Closes the pipe first. A watchdog that cannot be waited for leaves nothing to be done.
        self.0.wait().ok();
    }
}
