//! `parlor serve` as a process, on a data folder of its own, and what tests ask of it without a browser.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Instant;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{LOOK_EVERY, PATIENCE, prepared};

/// Kills the server when the pipe that only this process holds is closed: on demand, and when the tests
/// themselves are killed.
const WATCHDOG: &str = r#"exec 3<&0
"$@" </dev/null 3<&- & server=$!
read -r _ <&3
kill -KILL "$server"
wait "$server""#;

/// The program, with the client in it.
const PROGRAM: &str = "PARLOR_TEST_PROGRAM";
/// Limits for many clients at one address, cheap password hashes, and bots without a pause.
const SETTINGS: &str = "\
[bots]
pause_ms = 0
[limits]
quotas = 'off'
address = { burst = 1000000, period_s = 1 }
account = { burst = 1000000, period_s = 1 }
[passwords]
memory_kib = 8
passes = 1
[sockets]
burst = 1000000
";

/// A server. Dropping it stops it and removes its folder.
pub struct Parlor {
    process: Child,
    address: SocketAddr,
    folder: TempDir,
}

/// A login that was made without a browser.
#[derive(Clone, Debug)]
pub struct Login {
    /// The name that others see.
    pub name: String,
    /// What the cookie holds.
    pub token: String,
}

impl Drop for Parlor {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Parlor {
    /// Starts one on a free port and waits until it is ready.
    pub fn start() -> Parlor {
        let address = SocketAddr::from(([127, 0, 0, 1], pg_cluster::free_port()));
        let folder = TempDir::with_prefix("parlor-data-").expect("there is a temporary folder");
        fs::write(folder.path().join("parlor.toml"), SETTINGS).expect("it can be written to");
        let process = spawn(address, folder.path());
        let parlor = Parlor { process, address, folder };
        parlor.wait_until_ready();
        parlor
    }

    /// Where it is, for browsers.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Ends it at once, as a crash would.
    pub fn kill(&mut self) {
        drop(self.process.stdin.take());
        // One that has ended already needs no more.
        self.process.wait().ok();
    }

    /// Starts it again, on the same port and with the same data.
    pub fn start_again(&mut self) {
        self.process = spawn(self.address, self.folder.path());
        self.wait_until_ready();
    }

    /// Where its store is.
    pub fn database(&self) -> PathBuf {
        self.folder.path().join("parlor.db")
    }

    /// What it wrote about itself.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// A new guest.
    pub fn guest(&self) -> Login {
        let device = format!("{:032x}", rand());
        self.enter("guest", &json!({"device_id": device}))
    }

    /// A new account.
    pub fn account(&self, name: &str, password: &str) -> Login {
        self.enter("register", &json!({"username": name, "password": password}))
    }

    /// Another login of an account.
    pub fn log_in(&self, name: &str, password: &str) -> Login {
        self.enter("login", &json!({"username": name, "password": password}))
    }

    /// A match of these at a public table, begun; gives its id.
    pub fn begin(&self, terms: &Value, players: &[&Login]) -> String {
        self.begin_at(&json!({"terms": terms, "public": true}), players)
    }

    /// The match of these at the table that the first of them opens by this message.
    pub fn begin_at(&self, table: &Value, players: &[&Login]) -> String {
        let lobby = self.post("lobbies", Some(players[0]), table);
        let lobby = text(&lobby["id"]);
        for player in &players[1..] {
            self.post(&format!("lobbies/{lobby}/join"), Some(player), &Value::Null);
        }
        let started = self.post(&format!("lobbies/{lobby}/start"), Some(players[0]), &Value::Null);
        text(&started["match"])
    }

    /// Sends a request that is accepted, and gives the answer.
    pub fn post(&self, path: &str, login: Option<&Login>, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let token = login.map(|login| format!("Authorization: Bearer {}\r\n", login.token));
        let request = format!(
            "POST /api/v1/{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{}\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            token.unwrap_or_default(),
            body.len()
        );
        let answer = self.ask(&request).expect("the server answers");
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
        assert!(head.starts_with("HTTP/1.1 2"), "{path}: {answer}");
        serde_json::from_str(body).unwrap_or_default()
    }

    fn enter(&self, path: &str, body: &Value) -> Login {
        let answer = self.post(path, None, body);
        Login { name: text(&answer["user"]["name"]), token: text(&answer["token"]) }
    }

    fn ask(&self, request: &str) -> Option<String> {
        let mut stream = TcpStream::connect(self.address).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        Some(answer)
    }

    fn wait_until_ready(&self) {
        let request = "GET /api/v1/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let begin = Instant::now();
        while !self.ask(request).is_some_and(|answer| answer.starts_with("HTTP/1.1 200")) {
            assert!(begin.elapsed() < PATIENCE, "the server does not start:\n{}", self.log());
            sleep(LOOK_EVERY);
        }
    }
}

fn spawn(address: SocketAddr, data: &Path) -> Child {
    let log = File::options().create(true).append(true).open(data.join("log"));
    Command::new("sh")
        .args(["-c", WATCHDOG, "watchdog"])
        .arg(prepared(PROGRAM))
        .args(["serve", "--listen", &address.to_string(), "--data"])
        .arg(data)
        .arg("--config")
        .arg(data.join("parlor.toml"))
        .stdin(Stdio::piped())
        .stderr(log.expect("the folder can be written to"))
        // The terminal's interrupt is for the tests; the watchdog must survive it.
        .process_group(0)
        .spawn()
        .expect("the program can be started")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

/// Another number each time; nobody need fail to guess it.
fn rand() -> u64 {
    use std::hash::{BuildHasher as _, Hasher as _, RandomState};
    RandomState::new().build_hasher().finish()
}
