//! What the system knows of a process: its time on a core, and its memory. Linux only; elsewhere
//! there is nothing to report.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What `/proc` counts time in; the same on every Linux that Rust runs on.
const TICK: Duration = Duration::from_millis(10);

/// The time that a process has spent on a core.
pub(super) fn cpu_time(pid: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it can hold blanks and brackets.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some(TICK * (user + system))
}

/// The resident memory of a process, in KiB.
pub(super) fn memory_kib(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let rest = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    rest.split_ascii_whitespace().next()?.parse().ok()
}

/// Allows as many open files as the system lets a process allow itself; a child inherits it.
pub(super) fn allow_many_files() {
    let limit = getrlimit(Resource::Nofile);
    // Less will do for less.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// Pins this process, with all its threads, to a core; false if that cannot be done here.
pub(super) fn pin_to(core: u32) -> bool {
    Command::new("taskset")
        .args(["--all-tasks", "--cpu-list", "--pid", &core.to_string()])
        .arg(std::process::id().to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
