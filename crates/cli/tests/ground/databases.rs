//! Opens stored databases with today's build, and plays on.
//!
//! Each was made with tokens that last for a hundred years, so the tests hold for as long.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use brotli_decompressor::Decompressor;
use domain::{SystemTime, TimeSource as _};
use game_api::MatchLog;
use serde_json::{Value, json};
use storage_postgres::testing::TestDatabase;
use tempfile::TempDir;

use crate::placeholders::Placeholders;
use crate::server::{PATIENCE, Server};
use crate::socket::Socket;

/// What the database held when it was made.
#[derive(serde::Deserialize)]
struct Expected {
    /// Of Ada, an administrator who sits in every match.
    token: String,
    /// Of all accounts.
    password: String,
    guest_device: String,
    profile: Value,
    lobbies: Value,
    /// Game, status, ply and Ada's view of each running match, the latest first.
    running: Vec<Value>,
    /// Game, reason, entries and state hash of each finished match, the latest first.
    finished: Vec<Value>,
}

struct Visit<'a> {
    server: &'a Server,
    expected: &'a Expected,
    tokens: BTreeMap<String, String>,
    nonce: u64,
}

/// Makes what is removed after its time as young as if it had been stored just now: open lobbies, the guests
/// and the audit log.
fn rejuvenate() -> String {
    let now_ms = SystemTime.now_ms();
    format!(
        "UPDATE lobbies \
         SET created_ms = created_ms + {now_ms} - (SELECT max(created_ms) FROM lobbies); \
         UPDATE players SET created_ms = {now_ms} WHERE role = 'guest'; \
         UPDATE audit SET at_ms = {now_ms};"
    )
}

/// Where a database is stored.
fn stored(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ground/databases").join(name)
}

/// A data folder with the stored key.
fn data_folder(stored: &Path) -> TempDir {
    let folder = TempDir::new().unwrap();
    for file in ["token.key", "server.name"] {
        let copy = folder.path().join(file);
        fs::copy(stored.join(file), &copy).unwrap();
        // The server refuses a key that others may read, and git keeps no such permission.
        fs::set_permissions(copy, fs::Permissions::from_mode(0o600)).unwrap();
    }
    folder
}

fn decompress(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    Decompressor::new(File::open(path).unwrap(), 1 << 16).read_to_end(&mut bytes).unwrap();
    bytes
}

#[track_caller]
fn check(data: &Path, stored: &Path, database: Option<&str>) {
    let expected = fs::read(stored.join("expected.json")).unwrap();
    let expected: Expected = serde_json::from_slice(&expected).unwrap();
    let server = Server::start(data, database);
    let mut visit =
        Visit { server: &server, expected: &expected, tokens: BTreeMap::new(), nonce: 1000 };
    visit.log_in();
    visit.compare_lists();
    visit.verify_finished();
    visit.play_on();
    visit.begin_from_a_lobby();
    server.stop();
}

impl Visit<'_> {
    #[track_caller]
    fn ask(&self, who: &str, method: &str, path: &str, body: &Value) -> Value {
        let token = format!("Bearer {}", self.tokens[who]);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let headers = [("Authorization", token)];
        let response = self.server.ask(method, path, &headers, &body).unwrap();
        assert!(response.status < 300, "{method} {path}: {}", response.body);
        serde_json::from_str(&response.body).unwrap_or_default()
    }

    /// The stored key opens the stored token, and the stored hashes the password.
    fn log_in(&mut self) {
        self.tokens.insert("old".to_owned(), self.expected.token.clone());
        compare(&self.ask("old", "GET", "profile", &Value::Null), &self.expected.profile);
        let mut welcome = |route: &str, body: Value| {
            let answer = self.server.ask("POST", route, &[], &body.to_string()).unwrap();
            let answer: Value = serde_json::from_str(&answer.body).unwrap();
            let name = answer["user"]["name"].as_str().unwrap().to_owned();
            self.tokens.insert(name, answer["token"].as_str().unwrap().to_owned());
        };
        for name in ["Ada", "Bob", "Cyd", "Dee"] {
            welcome("login", json!({"username": name, "password": self.expected.password}));
        }
        welcome("guest", json!({"device_id": self.expected.guest_device}));
    }

    fn compare_lists(&self) {
        compare(&self.ask("Ada", "GET", "profile", &Value::Null), &self.expected.profile);
        let lobbies = self.ask("Ada", "GET", "lobbies", &Value::Null);
        compare(&lobbies["lobbies"], &self.expected.lobbies);
        let audit = self.ask("Ada", "GET", "admin/audit?name=registered", &Value::Null);
        assert!(audit["events"].as_array().unwrap().len() >= 5, "{audit}");
    }

    /// Finished matches are in the history, can be read, and their logs replay.
    fn verify_finished(&self) {
        let page = self.ask("Ada", "GET", "users/Ada/matches?limit=50", &Value::Null);
        let page = page["matches"].as_array().unwrap();
        assert_eq!(page.len(), self.expected.finished.len());
        for (summary, stored) in page.iter().zip(&self.expected.finished) {
            let id = summary["id"].as_str().unwrap();
            let text = self.server.ask(
                "GET",
                &format!("matches/{id}/export"),
                &[("Authorization", format!("Bearer {}", self.tokens["Ada"]))],
                "",
            );
            let log: MatchLog = serde_json::from_str(&text.unwrap().body).unwrap();
            let found = json!({
                "game": summary["game"], "reason": summary["reason"],
                "entries": log.entries.len(), "state_hash": log.state_hash,
            });
            compare(&found, stored);
            assert!(catalog::replay(&log).is_ok(), "{id} replays");
            let details = self.ask("Ada", "GET", &format!("matches/{id}"), &Value::Null);
            assert_eq!(details["status"], "over", "{details}");
        }
    }

    /// Running matches stand as they stood, and go on.
    fn play_on(&mut self) {
        let running = self.ask("Ada", "GET", "matches", &Value::Null);
        let running = running["matches"].as_array().unwrap();
        assert_eq!(running.len(), self.expected.running.len());
        for (listed, stored) in running.iter().zip(&self.expected.running) {
            let id = listed["id"].as_str().unwrap();
            let mut sockets = Vec::new();
            let mut seats: Vec<&str> = Vec::new();
            for name in listed["seats"].as_array().unwrap() {
                let name = name["name"].as_str().unwrap();
                if self.tokens.contains_key(name) && !seats.contains(&name) {
                    seats.push(name);
                }
            }
            // Ada first, since it is her view that is stored.
            seats.sort_by_key(|name| *name != "Ada");
            for name in seats {
                let mut socket = Socket::open(self.server, &self.tokens[name]).unwrap();
                socket.say(&json!({"type": "join", "match": id}).to_string());
                let snapshot = expect(&socket, "snapshot");
                if name == "Ada" {
                    // A pause and the server's absence are entries too, so the ply may be higher.
                    let mut stored = stored.clone();
                    let ply = stored.as_object_mut().unwrap().remove("ply").unwrap();
                    assert!(snapshot["ply"].as_u64() >= ply.as_u64(), "{snapshot}");
                    compare(&snapshot, &stored);
                }
                if name == "Ada" && snapshot["status"] == "paused" {
                    let go_on =
                        json!({"type": "answer", "match": id, "kind": "pause", "accept": false});
                    socket.say(&go_on.to_string());
                    assert_eq!(expect(&socket, "snapshot")["status"], "running");
                }
                sockets.push(socket);
            }
            let has_bot = listed["seats"].to_string().contains("\"bot\"");
            let actions = if has_bot { 1 } else { 3 };
            for _ in 0..actions {
                self.act(id, &mut sockets, has_bot);
            }
        }
    }

    /// One action of a person who may act.
    #[track_caller]
    fn act(&mut self, id: &str, sockets: &mut [Socket], has_bot: bool) {
        for _ in 0..2 {
            for socket in &mut *sockets {
                socket.say(&json!({"type": "legal", "match": id}).to_string());
                let legal = expect(socket, "legal");
                let Some(action) = legal["actions"].as_array().unwrap().first() else { continue };
                self.nonce += 1;
                let ply = &legal["ply"];
                let act = json!({"type": "act", "match": id, "ply": ply, "action": action, "nonce": self.nonce});
                socket.say(&act.to_string());
                let ack = expect(socket, "ack");
                assert_eq!(ack["nonce"], self.nonce, "{ack}");
                return;
            }
            // It is the bot's turn.
            assert!(has_bot, "somebody may act in {id}");
            expect(&sockets[0], "event");
        }
        panic!("nobody may act in {id}");
    }

    /// The stored lobby of Cyd and a guest becomes a match.
    fn begin_from_a_lobby(&mut self) {
        let lobbies = self.ask("Ada", "GET", "lobbies", &Value::Null);
        let lobbies = lobbies["lobbies"].as_array().unwrap();
        let of_cyd = lobbies.iter().find(|lobby| lobby["host"] == "Cyd").unwrap();
        let start = format!("lobbies/{}/start", of_cyd["id"].as_str().unwrap());
        let started = self.ask("Cyd", "POST", &start, &Value::Null);
        let id = started["match"].as_str().unwrap();
        let mut socket = Socket::open(self.server, &self.tokens["Cyd"]).unwrap();
        socket.say(&json!({"type": "join", "match": id}).to_string());
        expect(&socket, "snapshot");
        self.act(id, &mut [socket], false);
    }
}

/// What is found has all that it had when it was stored.
#[track_caller]
fn compare(found: &Value, stored: &Value) {
    if let Err(error) = Placeholders::default().compare(stored, found) {
        panic!("{error}\nstored {stored}\nfound {found}");
    }
}

/// The next message of this type.
#[track_caller]
fn expect(socket: &Socket, kind: &str) -> Value {
    loop {
        let message = socket.next(PATIENCE).unwrap_or_else(|| panic!("no {kind} comes"));
        assert_ne!(message["type"], "refused", "{message}");
        if message["type"] == kind {
            return message;
        }
    }
}

#[test]
fn a_stored_sqlite_database_opens_and_its_matches_go_on() {
    let stored = stored("sqlite");
    let data = data_folder(&stored);
    let file = data.path().join("parlor.db");
    fs::write(&file, decompress(&stored.join("parlor.db.br"))).unwrap();
    storage_sqlite::testing::execute(&file, &rejuvenate());
    check(data.path(), &stored, None);
}

#[test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
fn a_stored_postgresql_database_opens_and_its_matches_go_on() {
    let stored = stored("postgres");
    let data = data_folder(&stored);
    let dump = String::from_utf8(decompress(&stored.join("parlor.sql.br"))).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let database = runtime.block_on(async {
        let database = TestDatabase::create().await;
        database.execute(&dump).await.unwrap();
        database.execute(&rejuvenate()).await.unwrap();
        database
    });
    check(data.path(), &stored, Some(&database.url()));
}
