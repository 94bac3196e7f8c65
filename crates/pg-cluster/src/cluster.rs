//! The cluster itself: how it is made, configured, started and stopped.

use std::fs::{self, File};
use std::io::Write as _;

use tempfile::TempDir;

use crate::Error;
use crate::ports::random_ports;
use crate::programs::Programs;
use crate::watchdog::Watchdog;

const SETTINGS: &str = "
listen_addresses = '127.0.0.1'
unix_socket_directories = '.'
max_connections = 200
";
const UNSYNCED: &str = "
fsync = off
synchronous_commit = off
full_page_writes = off
";
const PORT_ATTEMPTS: usize = 20;

/// A running server that nobody else uses. Dropping it stops it and removes its folder.
#[derive(Debug)]
pub struct Cluster {
    // Fields drop in this order: the server stops before its folder goes.
    _watchdog: Watchdog,
    folder: TempDir,
    programs: Programs,
    port: u16,
}

impl Cluster {
    /// A server that keeps what it acknowledges, as in service. For benchmarks.
    pub fn start() -> Result<Self, Error> {
        Self::start_with(SETTINGS, random_ports().take(PORT_ATTEMPTS))
    }

    /// A server that would lose data with the machine's power, and is faster for it. For tests.
    pub fn start_unsynced() -> Result<Self, Error> {
        Self::start_with(&[SETTINGS, UNSYNCED].concat(), random_ports().take(PORT_ATTEMPTS))
    }

    fn start_with(settings: &str, ports: impl Iterator<Item = u16>) -> Result<Self, Error> {
        let folder = tempfile::Builder::new().prefix("parlor-pg-").tempdir()?;
        let programs = Programs::for_folder(folder.path())?;
        let watchdog = Watchdog::start(&programs, folder.path())?;
        let make = "-D data --auth=trust --username=parlor --encoding=UTF8 --locale=C --no-sync";
        programs.run("initdb", &make.split(' ').collect::<Vec<_>>())?;
        let settings_path = folder.path().join("data/postgresql.conf");
        let mut file = File::options().append(true).open(settings_path)?;
        file.write_all(settings.as_bytes())?;
        let mut cluster = Self { _watchdog: watchdog, folder, programs, port: 0 };
        cluster.start_on_one_of(ports)?;
        Ok(cluster)
    }

    /// The address of a superuser's database; no password is asked for.
    pub fn url(&self) -> String {
        format!("postgres://parlor@127.0.0.1:{}/postgres", self.port)
    }

    /// Stops the server as an operator would: connections end, what was committed stays.
    pub fn stop(&self) -> Result<(), Error> {
        self.programs.run("pg_ctl", &["stop", "-D", "data", "-m", "fast"]).map(drop)
    }

    /// Starts a stopped server, with its data and on the same port.
    pub fn start_again(&self) -> Result<(), Error> {
        let log = self.folder.path().join("log");
        // One run, one log: what is found in it must not be an older run's error.
        fs::remove_file(&log).ok();
        let options = format!("-p {}", self.port);
        let start = ["start", "-D", "data", "-l", "log", "-o", &options];
        self.programs.run("pg_ctl", &start).map(drop).map_err(|error| match error {
            Error::Failed { program, output } => {
                let log = fs::read_to_string(log).unwrap_or_default();
                if log.contains("could not bind") {
                    return Error::PortTaken(self.port);
                }
                Error::Failed { program, output: output + &log }
            }
            other => other,
        })
    }

    /// Only the server's own attempt shows that a port is free: one found free before may be taken
    /// by then.
    fn start_on_one_of(&mut self, ports: impl Iterator<Item = u16>) -> Result<(), Error> {
        for port in ports {
            self.port = port;
            match self.start_again() {
                Err(Error::PortTaken(_)) => {}
                result => return result,
            }
        }
        Err(Error::PortTaken(self.port))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader};
    use std::net::{TcpListener, TcpStream};
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    use std::{env, thread};

    use super::{Cluster, PORT_ATTEMPTS, SETTINGS};
    use crate::Error;
    use crate::ports::random_ports;

    const OWNER: &str = "PG_CLUSTER_TEST_OWNER";

    fn is_reachable(url: &str) -> bool {
        let address = url.strip_prefix("postgres://parlor@").unwrap();
        let address = address.strip_suffix("/postgres").unwrap();
        TcpStream::connect(address).is_ok()
    }

    #[test]
    #[ignore = "needs PostgreSQL; cargo xtask test runs it"]
    fn a_server_stops_starts_again_and_goes_with_its_folder() {
        let cluster = Cluster::start_unsynced().unwrap();
        let (url, folder) = (cluster.url(), cluster.folder.path().to_owned());
        assert!(is_reachable(&url));
        cluster.stop().unwrap();
        assert!(!is_reachable(&url));
        cluster.start_again().unwrap();
        assert!(is_reachable(&url));
        assert_eq!(cluster.url(), url);
        drop(cluster);
        assert!(!is_reachable(&url));
        assert!(!folder.exists());
    }

    #[test]
    #[ignore = "needs PostgreSQL; cargo xtask test runs it"]
    fn only_an_unsynced_server_forgoes_syncs() {
        let check = |cluster: &Cluster, expected: &str| {
            for setting in ["fsync", "synchronous_commit", "full_page_writes"] {
                let args = ["-D", "data", "-C", setting];
                let value = cluster.programs.run("postgres", &args).unwrap();
                assert_eq!(value.trim_end(), expected, "{setting}");
            }
        };
        check(&Cluster::start().unwrap(), "on");
        check(&Cluster::start_unsynced().unwrap(), "off");
    }

    #[test]
    #[ignore = "needs PostgreSQL; cargo xtask test runs it"]
    fn a_taken_port_is_passed_over() {
        let holder = TcpListener::bind("127.0.0.1:0").unwrap();
        let taken = holder.local_addr().unwrap().port();
        let cluster = Cluster::start_with(
            SETTINGS,
            [taken].into_iter().chain(random_ports().take(PORT_ATTEMPTS)),
        );
        assert_ne!(cluster.unwrap().port, taken);
        let refused = Cluster::start_with(SETTINGS, [taken].into_iter()).unwrap_err();
        assert!(matches!(refused, Error::PortTaken(port) if port == taken), "{refused}");
    }

    /// Runs itself as the owner, in a process that can be killed.
    #[test]
    #[ignore = "needs PostgreSQL; cargo xtask test runs it"]
    fn a_server_ends_when_its_owner_is_killed() {
        if env::var_os(OWNER).is_some() {
            let cluster = Cluster::start_unsynced().unwrap();
            let data = cluster.folder.path().join("data");
            println!("\nowner {} {}", cluster.url(), data.display());
            loop {
                thread::park();
            }
        }
        let this = "cluster::tests::a_server_ends_when_its_owner_is_killed";
        let mut owner = Command::new(env::current_exe().unwrap())
            .args(["--exact", this, "--include-ignored", "--nocapture"])
            .env(OWNER, "1")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(owner.stdout.take().unwrap()).lines();
        let told = lines.map_while(Result::ok).find_map(|line| {
            let (url, data) = line.strip_prefix("owner ")?.split_once(' ')?;
            Some((url.to_owned(), data.to_owned()))
        });
        let (url, data) = told.expect("the owner starts a server");
        assert!(is_reachable(&url));
        owner.kill().unwrap();
        owner.wait().unwrap();
        let deadline = Instant::now() + Duration::from_mins(1);
        while Path::new(&data).exists() {
            assert!(Instant::now() < deadline, "{data} is still there");
            thread::sleep(Duration::from_millis(20));
        }
        assert!(!is_reachable(&url));
    }
}
