//! `parlor admin check` reads everything, replays every match, and names what is damaged.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use pg_cluster::Cluster;
use serde_json::Value;
use storage_sqlite::testing::execute;
use tempfile::TempDir;

const PARLOR: &str = env!("CARGO_BIN_EXE_parlor");
/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

struct Server {
    process: Child,
    address: SocketAddr,
    token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

impl Server {
    fn start(data: &Path, flags: &[&str]) -> Server {
        let address = SocketAddr::from(([127, 0, 0, 1], pg_cluster::free_port()));
        let settings = data.join("parlor.toml");
        fs::write(&settings, "[bots]\nthink_ms = 5\npause_ms = 0\n").unwrap();
        let mut command = Command::new(PARLOR);
        command.args(["serve", "--listen", &address.to_string(), "--config"]).arg(settings);
        command.arg("--data").arg(data).args(flags).stderr(Stdio::null());
        let server = Server { process: command.spawn().unwrap(), address, token: String::new() };
        server.until("GET", "ready", |_| true);
        server
    }

    fn ask(&self, method: &str, route: &str, body: &str) -> Option<(u16, Value)> {
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
        let body = answer.split_once("\r\n\r\n")?.1;
        Some((status, serde_json::from_str(body).unwrap_or_default()))
    }

    #[track_caller]
    fn post(&self, route: &str, body: &str) -> Value {
        let (status, answer) = self.ask("POST", route, body).unwrap();
        assert!((200..300).contains(&status), "{route}: {answer}");
        answer
    }

    #[track_caller]
    fn until(&self, method: &str, route: &str, is_so: impl Fn(&Value) -> bool) {
        let begin = Instant::now();
        loop {
            match self.ask(method, route, "") {
                Some((200, answer)) if is_so(&answer) => return,
                _ => assert!(begin.elapsed() < PATIENCE, "{route}"),
            }
            sleep(Duration::from_millis(20));
        }
    }

    /// An account, a finished match of two bots, a running one, a lobby, and a wish to be paired.
    fn fill(&mut self) {
        let ada = r#"{"username": "Ada", "password": "correct horse battery"}"#;
        let token = self.post("register", ada)["token"].clone();
        token.as_str().unwrap().clone_into(&mut self.token);
        let show = r#"{"terms": {"game": "crazy-tens"},
            "opponents": {"bots": [{"seat": 0, "level": 1}, {"seat": 1, "level": 1}]}}"#;
        let show = self.post("matches", show)["match"].clone();
        self.post("matches", r#"{"terms": {"game": "chess"}, "opponents": "hot_seat"}"#);
        self.post("lobbies", r#"{"terms": {"game": "santorini"}}"#);
        self.post("pairing", r#"{"game": "chess"}"#);
        let show = format!("matches/{}", show.as_str().unwrap());
        self.until("GET", &show, |answer| answer["status"] == "over");
    }

    fn stop(mut self) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        assert!(self.process.wait().unwrap().success());
    }
}

fn run(data: &Path, flags: &[&str]) -> Output {
    let mut command = Command::new(PARLOR);
    command.args(["admin", "--data"]).arg(data).args(flags).arg("check").output().unwrap()
}

#[track_caller]
fn check_whole(data: &Path, flags: &[&str]) {
    let found = run(data, flags);
    let text = String::from_utf8_lossy(&found.stdout);
    let counts = "1 players, 1 running and 1 finished matches with ";
    assert!(found.status.success() && text.starts_with(counts), "{found:?}");
    assert!(text.ends_with(", 1 lobbies, 1 waiting\nno problems\n"), "{text}");
}

/// In a copy of the house.
#[track_caller]
fn check_damaged(house: &Path, expected: &str, damage: impl FnOnce(&Path)) {
    let copy = TempDir::new().unwrap();
    for file in fs::read_dir(house).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
    }
    damage(copy.path());
    let found = run(copy.path(), &[]);
    let text = String::from_utf8_lossy(&found.stdout);
    let mut problems = text.lines().filter(|line| line.starts_with("problem: "));
    assert!(problems.any(|line| line.contains(expected)), "{expected:?}: {found:?}");
    assert_eq!(found.status.code(), Some(1));
}

#[test]
fn a_house_is_checked_beside_its_server_and_without_it() {
    let folder = TempDir::new().unwrap();
    let house = folder.path();
    let mut server = Server::start(house, &[]);
    server.fill();
    check_whole(house, &[]);
    server.stop();
    check_whole(house, &[]);

    let sql = |sql: &'static str| {
        move |data: &Path| {
            execute(&data.join("parlor.db"), &format!("PRAGMA foreign_keys = OFF; {sql}"));
        }
    };
    let zeros = "UPDATE results SET state_hash = '0000000000000000000000000000000000000000000000000000000000000000'";
    check_damaged(house, "the state hash is", sql(zeros));
    check_damaged(house, "match ", sql("DELETE FROM entries WHERE ply = 3"));
    check_damaged(house, "ply 2", sql("UPDATE entries SET kind = 'act nonsense' WHERE ply = 2"));
    check_damaged(house, "promised", sql("UPDATE matches SET seed = replace(seed, '1', '2')"));
    check_damaged(house, "no result", sql("DELETE FROM results"));
    check_damaged(house, "its notations", sql("UPDATE results SET notations = '{'"));
    check_damaged(house, "lobby ", sql("UPDATE lobbies SET body = '{}'"));
    check_damaged(house, "the wish of", sql("UPDATE pairings SET body = '{}'"));
    check_damaged(house, "player ", sql("UPDATE players SET role = 'king'"));
    check_damaged(house, "names one of players", sql("UPDATE lobbies SET host = 1"));
    check_damaged(house, "the token key is not the one", |data| {
        fs::write(data.join("token.key"), "ab".repeat(32)).unwrap();
    });
    check_damaged(house, "there is no token key", |data| {
        fs::remove_file(data.join("token.key")).unwrap();
    });
    check_damaged(house, "parlor.db is missing", |data| {
        fs::remove_file(data.join("parlor.db")).unwrap();
    });
    check_damaged(house, "the database: ", |data| {
        // An index that is another one's.
        let sql = "PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema
                WHERE name = 'matches_by_lease') WHERE name = 'sessions_by_end';";
        execute(&data.join("parlor.db"), sql);
    });
}

#[test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
fn a_house_on_postgresql_is_checked_beside_its_server() {
    let folder = TempDir::new().unwrap();
    let cluster = Cluster::start_unsynced().unwrap();
    let flags = ["--database", &*cluster.url()];
    let mut server = Server::start(folder.path(), &flags);
    server.fill();
    check_whole(folder.path(), &flags);
}
