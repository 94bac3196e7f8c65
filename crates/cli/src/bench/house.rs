//! The server under load: a child of this process in a folder of its own, or one that runs already.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use tempfile::TempDir;

use super::Options;
use super::http::Http;
use super::process;

/// A server starts within this time, also on a busy machine.
const START: Duration = Duration::from_mins(2);
/// How often a server is started that does not get its port.
const STARTS: usize = 5;
const SERVER_CORE: u32 = 0;
const CLIENT_CORE: u32 = 1;
/// The load is one client that acts for hundreds, and no flood.
const CONFIG: &str = "\
[sockets]
burst = 1000000000
messages_per_s = 1000000000
[limits]
quotas = 'off'
address = { burst = 1000000000, period_s = 1 }
account = { burst = 1000000000, period_s = 1 }
[bots]
shows = 60000
";

/// A server to load.
pub(super) struct House {
    pub(super) address: SocketAddr,
    /// Whether server and client have a core each, for themselves.
    pub(super) is_pinned: bool,
    child: Option<Child>,
    /// Removed with all that the server kept.
    _folder: Option<TempDir>,
}

/// A loop beside the server.
pub(super) struct Awake(Child);

impl Drop for Awake {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // What it kept goes with it, so there is nothing to finish.
            child.kill().ok();
            child.wait().ok();
        }
    }
}

impl House {
    /// The server that the options name, or a new one.
    pub(super) fn open(options: &Options) -> anyhow::Result<House> {
        let is_pinned = !options.no_pin && process::pin_to(CLIENT_CORE);
        // Another process may take the port before the server does.
        for _ in 0..STARTS {
            let mut house = match options.target {
                Some(address) => House { address, is_pinned, child: None, _folder: None },
                None => House::start(options, is_pinned)?,
            };
            if house.is_ready()? {
                return Ok(house);
            }
        }
        bail!("the server ends before it answers")
    }

    fn start(options: &Options, is_pinned: bool) -> anyhow::Result<House> {
        let folder = tempfile::tempdir()?;
        let config = folder.path().join("parlor.toml");
        fs::write(&config, CONFIG)?;
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let parlor = std::env::current_exe()?;
        let mut command = if is_pinned {
            let mut command = Command::new("taskset");
            command.arg("--cpu-list").arg(SERVER_CORE.to_string()).arg(parlor);
            command
        } else {
            Command::new(parlor)
        };
        // What somebody has set for a server of their own is not for this one.
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"PARLOR_") {
                command.env_remove(name);
            }
        }
        if let Some(database) = &options.database {
            command.env("PARLOR_DATABASE", database);
        }
        let child = command
            .args(["serve", "--log-filter", "warn", "--listen", &address.to_string(), "--config"])
            .arg(config)
            .arg("--data")
            .arg(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .context("cannot start a server")?;
        Ok(House { address, is_pinned, child: Some(child), _folder: Some(folder) })
    }

    /// Waits for an answer. False if the server has ended instead.
    fn is_ready(&mut self) -> anyhow::Result<bool> {
        let begin = Instant::now();
        loop {
            let ready =
                Http::open(self.address).and_then(|mut it| it.ask("GET", "ready", "", None));
            if ready.is_ok_and(|answer| answer.status == 200) {
                return Ok(true);
            }
            if let Some(child) = &mut self.child
                && child.try_wait()?.is_some()
            {
                return Ok(false);
            }
            ensure!(begin.elapsed() < START, "no server answers at {}", self.address);
            sleep(Duration::from_millis(5));
        }
    }

    /// Keeps the server's core from sleeping as long as this lives, by a loop that runs only while
    /// nothing else wants to: a virtual core that halts is woken late, which is not the server's time.
    pub(super) fn keep_awake(&self) -> anyhow::Result<Option<Awake>> {
        if !self.is_pinned || self.child.is_none() {
            return Ok(None);
        }
        let mut command = Command::new("chrt");
        command.args(["--idle", "0", "taskset", "--cpu-list", &SERVER_CORE.to_string()]);
        command.args(["sh", "-c", "while :; do :; done"]);
        Ok(Some(Awake(command.spawn().context("cannot keep the server's core awake")?)))
    }

    /// The server's process, if it was started here.
    pub(super) fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }
}
