//! `parlor serve` as a process: it stops when asked, keeps what it answered, and outlives its
//! database; `parlor admin` beside it.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use pg_cluster::Cluster;
use tempfile::TempDir;

const PARLOR: &str = env!("CARGO_BIN_EXE_parlor");
/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(5);

struct Server {
    process: Child,
    address: SocketAddr,
    token: String,
    /// What the server has written to standard error so far.
    log: Arc<Mutex<String>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

impl Server {
    /// Starts one on a free port and waits until it is ready. It goes on when a file cannot grow,
    /// as on a full disk, instead of dying by the signal that tells of it.
    fn start(data: &Path, flags: &[&str]) -> Server {
        let address = SocketAddr::from(([127, 0, 0, 1], pg_cluster::free_port()));
        let script = r#"trap "" XFSZ; exec "$0" "$@""#;
        let mut process = Command::new("sh")
            .args(["-c", script, PARLOR, "serve", "--listen", &address.to_string(), "--data"])
            .arg(data)
            .args(flags)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = Arc::<Mutex<String>>::default();
        let (lines, written) =
            (BufReader::new(process.stderr.take().unwrap()).lines(), log.clone());
        std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| *written.lock().unwrap() += &(line + "\n"));
        });
        let server = Server { process, address, token: String::new(), log };
        server.wait_for("ready", 200);
        server
    }

    /// Sends a request and gives status and body.
    fn ask(&self, method: &str, route: &str, body: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(self.address).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let (length, token) = (body.len(), &self.token);
        let request = format!(
            "{method} /api/v1/{route} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Authorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let status = answer.split(' ').nth(1)?.parse().ok()?;
        Some((status, answer.split_once("\r\n\r\n")?.1.to_owned()))
    }

    #[track_caller]
    fn expect(&self, method: &str, route: &str, body: &str, status: u16) -> String {
        let answer = self.ask(method, route, body).unwrap();
        assert_eq!(answer.0, status, "{method} {route}: {}", answer.1);
        answer.1
    }

    #[track_caller]
    fn wait_for(&self, route: &str, status: u16) {
        let begin = Instant::now();
        while self.ask("GET", route, "").map(|answer| answer.0) != Some(status) {
            assert!(begin.elapsed() < PATIENCE, "{route} never answered {status}");
            sleep(Duration::from_millis(20));
        }
    }

    #[track_caller]
    fn register(&mut self, name: &str) {
        let answer = self.expect("POST", "register", &account(name), 201);
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        answer["token"].as_str().unwrap().clone_into(&mut self.token);
    }

    /// Waits until the log has these words.
    #[track_caller]
    fn wait_for_log(&self, words: &str) {
        let begin = Instant::now();
        while !self.log.lock().unwrap().contains(words) {
            assert!(begin.elapsed() < PATIENCE, "{words:?} was never logged");
            sleep(Duration::from_millis(20));
        }
    }

    fn signal(&self, signal: &str) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }
}

fn account(name: &str) -> String {
    format!(r#"{{"username": "{name}", "password": "correct horse battery"}}"#)
}

fn admin(data: &Path, words: &[&str]) -> Output {
    let words = words.iter().copied();
    Command::new(PARLOR).args(["admin", "--data"]).arg(data).args(words).output().unwrap()
}

/// Whether a password hash is in any file of the folder.
fn holds_hash(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().any(|file| {
        // A file may go away meanwhile.
        let bytes = std::fs::read(file.unwrap().path()).unwrap_or_default();
        bytes.windows(8).any(|window| window == b"$argon2i")
    })
}

#[track_caller]
fn check_unavailable(answer: &str) {
    assert!(answer.contains(r#""code":"unavailable""#), "{answer}");
}

/// While the database is away everything that needs it says so, and nothing else changes.
#[track_caller]
fn check_outage(server: &mut Server, take_away: impl FnOnce(u32), bring_back: impl FnOnce(u32)) {
    server.register("Ada");
    take_away(server.process.id());
    server.wait_for("ready", 503);
    check_unavailable(&server.expect("GET", "ready", "", 503));
    check_unavailable(&server.expect("POST", "register", &account("Bob"), 503));
    check_unavailable(&server.expect("POST", "login", &account("Ada"), 503));
    check_unavailable(&server.expect("PUT", "profile", r#"{"avatar": "owl"}"#, 503));
    check_unavailable(&server.expect("POST", "token/refresh", "", 503));
    server.expect("GET", "health", "", 200);
    server.expect("GET", "games", "", 200);

    bring_back(server.process.id());
    server.wait_for("ready", 200);
    server.expect("GET", "profile", "", 200);
    server.expect("POST", "login", &account("Ada"), 200);
    server.expect("POST", "register", &account("Bob"), 201);
    assert_eq!(server.process.try_wait().unwrap(), None, "it has not died");
}

#[test]
fn a_full_disk_is_said_and_outlived() {
    let folder = TempDir::new().unwrap();
    let mut server = Server::start(folder.path(), &[]);
    let limit = |pid: u32, limit: &str| {
        let limit = format!("--fsize={limit}:unlimited");
        let run = Command::new("prlimit").args(["--pid", &pid.to_string(), &limit]).status();
        assert!(run.unwrap().success());
    };
    let begin = Instant::now();
    check_outage(&mut server, |pid| limit(pid, "0"), |pid| limit(pid, "unlimited"));
    server.wait_for_log("the database answers again");
    let log = server.log.lock().unwrap().clone();
    assert!(log.contains("the database does not answer"), "{log}");
    let loud = log.lines().filter(|line| line.contains("ERROR") || line.contains("WARN")).count();
    assert!(loud as u64 <= begin.elapsed().as_secs() + 2, "more than a line a second: {log}");
}

#[test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
fn a_postgresql_that_stops_and_starts_is_said_and_outlived() {
    let folder = TempDir::new().unwrap();
    let cluster = std::cell::RefCell::new(Cluster::start_unsynced().unwrap());
    let url = cluster.borrow().url();
    let mut server = Server::start(folder.path(), &["--database", &url]);
    check_outage(
        &mut server,
        |_| cluster.borrow_mut().stop().unwrap(),
        |_| cluster.borrow_mut().start_again().unwrap(),
    );
}

#[test]
fn it_stops_when_asked() {
    let folder = TempDir::new().unwrap();
    for signal in ["-TERM", "-INT"] {
        let mut server = Server::start(folder.path(), &[]);
        // A whole request and a part of the next.
        let mut half_sent = TcpStream::connect(server.address).unwrap();
        let request = b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /api";
        half_sent.write_all(request).unwrap();
        half_sent.read_exact(&mut [0; 100]).unwrap();
        let begin = Instant::now();
        server.signal(signal);
        assert!(server.process.wait().unwrap().success(), "{signal}");
        assert!(begin.elapsed() < Duration::from_secs(10), "{signal}: {:?}", begin.elapsed());
    }
}

#[test]
fn no_password_and_no_token_is_in_the_log_at_any_level() {
    let folder = TempDir::new().unwrap();
    let flags = ["--log-filter", "trace", "--log-format", "json"];
    let mut server = Server::start(folder.path(), &flags);
    server.register("Ada");
    server.expect("POST", "login", &account("Ada"), 200);
    server.expect("POST", "login", &account("correct horse battery"), 401);
    server.expect("POST", "login", r#"{"username": 1, "password": "correct horse battery"}"#, 400);
    server.expect("POST", "token/refresh", "", 200);
    server.expect("GET", "profile", "", 401);
    let begin = Instant::now();
    let is_whole = |log: &str| log.contains("/api/v1/profile") && log.ends_with('\n');
    while !is_whole(&server.log.lock().unwrap()) {
        assert!(begin.elapsed() < PATIENCE, "the last request is not in the log");
        sleep(Duration::from_millis(20));
    }
    let log = server.log.lock().unwrap().clone();
    for secret in ["correct horse battery", &server.token, "v4.local", "Ada"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
    for line in log.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let is_own = line["target"].as_str().unwrap().starts_with("server");
        assert!(is_own || !matches!(line["level"].as_str(), Some("DEBUG" | "TRACE")), "{line}");
    }
}

#[test]
fn what_was_answered_outlives_a_kill() {
    let folder = TempDir::new().unwrap();
    let mut server = Server::start(folder.path(), &[]);
    server.register("Ada");
    let token = server.token.clone();
    server.signal("-KILL");
    server.process.wait().unwrap();
    let mut server = Server::start(folder.path(), &[]);
    server.expect("POST", "login", &account("Ada"), 200);
    server.token = token;
    server.expect("GET", "profile", "", 200);
}

#[test]
fn an_operator_works_beside_a_running_server() {
    let folder = TempDir::new().unwrap();
    let mut server = Server::start(folder.path(), &[]);
    server.register("Ada");
    assert!(holds_hash(folder.path()));
    server.expect("GET", "admin/audit", "", 403);
    let done = admin(folder.path(), &["make-admin", "ADA"]);
    assert!(done.status.success(), "{done:?}");
    server.wait_for("profile", 401);
    let answer = server.expect("POST", "login", &account("Ada"), 200);
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    answer["token"].as_str().unwrap().clone_into(&mut server.token);
    server.expect("GET", "admin/audit", "", 200);

    let listed = admin(folder.path(), &["audit", "query", "--user", "ada", "--kind", "auth"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    let names: Vec<&str> =
        listed.lines().filter_map(|line| line.split_whitespace().nth(4)).collect();
    assert_eq!(names, ["logged_in", "role_changed", "registered"], "{listed}");
    let id = listed.lines().nth(1).unwrap().split_whitespace().nth(1).unwrap();
    assert!(admin(folder.path(), &["audit", "redact", id, "role"]).status.success());
    let listed = admin(folder.path(), &["audit", "query", "--name", "role_changed"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains(r#"{"role":"[redacted]"} (redacted)"#), "{listed}");
    let purged = admin(folder.path(), &["audit", "purge", "--days", "1"]);
    assert_eq!(purged.stdout, b"removed 0 records older than 1 days\n");

    let done = admin(folder.path(), &["delete-user", "Ada"]);
    assert!(done.status.success(), "{done:?}");
    server.wait_for("profile", 401);
    server.expect("POST", "login", &account("Ada"), 401);
    let begin = Instant::now();
    while holds_hash(folder.path()) {
        assert!(begin.elapsed() < PATIENCE, "the password hash is still in a file");
        sleep(Duration::from_millis(20));
    }
    for words in [
        &["make-admin", "Nobody"][..],
        &["delete-user", "Ada"],
        &["audit", "redact", id, ""],
        &["audit", "redact", "0000000000000", "role"],
    ] {
        let refused = admin(folder.path(), words);
        assert!(!refused.status.success() && !refused.stderr.is_empty(), "{words:?}");
    }
}

#[test]
fn a_finished_match_is_exported_beside_a_running_server() {
    let folder = TempDir::new().unwrap();
    let mut server = Server::start(folder.path(), &[]);
    server.register("Ada");
    let terms = r#"{"terms": {"game": "chess"}, "opponents": "hot_seat"}"#;
    let started = server.expect("POST", "matches", terms, 201);
    let started: serde_json::Value = serde_json::from_str(&started).unwrap();
    let id = started["match"].as_str().unwrap();
    let export = |words: &[&str]| {
        let mut command = Command::new(PARLOR);
        command.args(["export", "--data"]).arg(folder.path()).arg(id).args(words);
        command.output().unwrap()
    };
    let refused = String::from_utf8(export(&[]).stderr).unwrap();
    assert!(refused.contains("match_running"), "{refused}");
    // Whoever played alone and is gone leaves an aborted match.
    server.expect("DELETE", "profile", "", 204);
    let begin = Instant::now();
    let exported = loop {
        let exported = export(&[]);
        if exported.status.success() {
            break exported.stdout;
        }
        assert!(begin.elapsed() < PATIENCE);
        sleep(Duration::from_millis(20));
    };
    server.expect("GET", &format!("matches/{id}"), "", 404);
    let log = folder.path().join("log.json");
    std::fs::write(&log, exported).unwrap();
    let verified = Command::new(PARLOR).arg("verify").arg(&log).output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
    let pgn = String::from_utf8(export(&["--format", "pgn"]).stdout).unwrap();
    assert!(pgn.starts_with("[Event \"Casual match\"]\n") && pgn.ends_with("\n\n*\n"), "{pgn}");
    let refused = String::from_utf8(export(&["--format", "gif"]).stderr).unwrap();
    assert!(refused.contains("no_such_format"), "{refused}");
}

#[test]
fn a_password_is_reset_from_standard_input() {
    let folder = TempDir::new().unwrap();
    let mut server = Server::start(folder.path(), &[]);
    server.register("Ada");
    let reset = |password: &str| {
        let mut command = Command::new(PARLOR);
        command.args(["admin", "--data"]).arg(folder.path()).args(["reset-password", "ada"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        process.stdin.take().unwrap().write_all(password.as_bytes()).unwrap();
        process.wait().unwrap().success()
    };
    assert!(!reset("short\n"));
    assert!(reset("a much better one\n"));
    server.expect("POST", "login", &account("Ada"), 401);
    let body = r#"{"username": "Ada", "password": "a much better one"}"#;
    server.expect("POST", "login", body, 200);
}

#[test]
fn the_configuration_in_effect_hides_its_secrets() {
    let output = Command::new(PARLOR)
        .args(["config", "--database", "postgres://parlor:hunter22@db/parlor"])
        .env("PARLOR_TOKEN_KEY", "c0ffee".repeat(10))
        .env("PARLOR_LISTEN", "0.0.0.0:4711")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("listen = \"0.0.0.0:4711\""), "{text}");
    assert!(text.contains("@db/parlor"), "{text}");
    assert!(!text.contains("hunter22") && !text.contains("c0ffee"), "{text}");
}

#[test]
fn what_cannot_be_served_is_said_at_once() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().to_str().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (flags, expected) in [
        (vec!["--data", data, "--listen", &address], "cannot listen"),
        (vec!["--data", data, "--listen", "127.0.0.1:0", "--database", "mysql://x"], "database"),
        (vec!["--config", "no-such-file.toml"], "no-such-file.toml"),
        (
            vec![
                "--data",
                data,
                "--listen",
                "127.0.0.1:0",
                "--database",
                "postgres://u:hunter22@127.0.0.1:1/x",
            ],
            "database",
        ),
        (
            vec![
                "--data",
                data,
                "--listen",
                "127.0.0.1:0",
                "--database",
                "postgres://u@127.0.0.1:1/x?passwort=hunter22",
            ],
            "unknown parameter `passwort`",
        ),
    ] {
        let output = Command::new(PARLOR).arg("serve").args(&flags).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && text.contains(expected), "{flags:?}: {text}");
        assert!(!text.contains("hunter22"), "{text}");
    }
}
