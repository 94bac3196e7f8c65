//! `parlor serve` as a process in a data folder, and one HTTP request at a time.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longer than anything takes on a busy machine: it only ends a test that has failed already.
pub(crate) const PATIENCE: Duration = Duration::from_mins(5);

/// Cheap passwords, limits that no test reaches, and bots that answer at once.
const SETTINGS: &str = "\
[passwords]
memory_kib = 8
passes = 1
[limits]
address = { burst = 1000000, period_s = 1 }
account = { burst = 1000000, period_s = 1 }
[sockets]
burst = 1000000
messages_per_s = 1000000
[bots]
think_ms = 5
pause_ms = 0
";

/// The program under test: this build's, unless `PARLOR_TEST_BINARY` names another.
pub(crate) fn program() -> PathBuf {
    let other = std::env::var_os("PARLOR_TEST_BINARY");
    other.map_or_else(|| env!("CARGO_BIN_EXE_parlor").into(), PathBuf::from)
}

/// A running server. Dropping it kills it.
pub(crate) struct Server {
    process: Child,
    pub(crate) address: SocketAddr,
    data: PathBuf,
    database: Option<String>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// An HTTP response.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Response {
    /// The first header of this name, which is in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

impl Server {
    /// Starts a server on a free port and waits until it is ready. Without `database` it uses the
    /// SQLite file in the data folder.
    pub(crate) fn start(data: &Path, database: Option<&str>) -> Server {
        let settings = data.join("settings.toml");
        std::fs::write(&settings, SETTINGS).unwrap();
        let begin = Instant::now();
        // Another process may take the port before the server does: then the next one is tried.
        loop {
            let address = SocketAddr::from(([127, 0, 0, 1], pg_cluster::free_port()));
            let mut command = Command::new(program());
            command.args(["serve", "--listen", &address.to_string(), "--config"]).arg(&settings);
            command.arg("--data").arg(data).stdout(Stdio::null()).stderr(Stdio::null());
            if let Some(url) = database {
                command.env("PARLOR_DATABASE", url);
            }
            let (data, database) = (data.to_owned(), database.map(str::to_owned));
            let process = command.spawn().unwrap();
            let mut server = Server { process, address, data, database };
            while server.process.try_wait().unwrap().is_none() {
                if server.ask("GET", "ready", &[], "").is_some_and(|it| it.status == 200) {
                    return server;
                }
                assert!(begin.elapsed() < PATIENCE, "the server does not become ready");
                sleep(Duration::from_millis(5));
            }
            assert!(begin.elapsed() < PATIENCE, "the server does not start");
        }
    }

    /// Stops the server in order, runs `work` while no process uses the data, and starts it again.
    pub(crate) fn restart(self, work: impl FnOnce(&Path)) -> Server {
        let (data, database) = (self.data.clone(), self.database.clone());
        self.stop();
        work(&data);
        Server::start(&data, database.as_deref())
    }

    /// Stops the server in order.
    pub(crate) fn stop(mut self) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        assert!(self.process.wait().unwrap().success());
    }

    /// Runs `parlor admin` on the server's data.
    pub(crate) fn admin(&self, words: &[&str]) {
        let mut command = Command::new(program());
        command.args(["admin", "--data"]).arg(&self.data).args(words);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
    }

    /// Sends a request for a path under `/api/v1/` and reads the response.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, String)],
        body: &str,
    ) -> Option<Response> {
        let mut stream = TcpStream::connect(self.address).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let mut request = format!(
            "{method} /api/v1/{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Length: {}\r\n",
            body.len()
        );
        if !body.is_empty() {
            request += "Content-Type: application/json\r\n";
        }
        for (name, value) in headers {
            write!(request, "{name}: {value}\r\n").unwrap();
        }
        stream.write_all(format!("{request}\r\n{body}").as_bytes()).ok()?;
        let mut response = String::new();
        stream.read_to_string(&mut response).ok()?;
        let (head, body) = response.split_once("\r\n\r\n")?;
        let mut lines = head.lines();
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
        Some(Response { status, headers: headers.collect(), body: body.to_owned() })
    }
}
