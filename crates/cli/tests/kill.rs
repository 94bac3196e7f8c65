//! A server that is killed while people play loses nothing that it acknowledged, and nothing happens
//! twice: every client comes back by itself, and the matches go on to their end.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use domain::MatchId;
use game_api::EntryKind;
use serde_json::{Value, json};
use server::config::Config;
use server::ws::frame::{self, Decoder, Incoming};
use tempfile::TempDir;

const PARLOR: &str = env!("CARGO_BIN_EXE_parlor");
/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(5);
const TABLES: u64 = 6;

/// What one table has played: each action that was acknowledged, by match.
#[derive(Default)]
struct Played {
    matches: Vec<(MatchId, Vec<Acked>)>,
    finished: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Acked {
    ply: u64,
    nonce: u64,
    action: String,
}

/// Why a conversation broke off.
struct Broken;

type Talk<T> = Result<T, Broken>;

struct House {
    address: SocketAddr,
    data: PathBuf,
    flags: Vec<String>,
}

impl House {
    fn start(&self) -> Child {
        let process = Command::new(PARLOR)
            .args(["serve", "--listen", &self.address.to_string(), "--data"])
            .arg(&self.data)
            .args(&self.flags)
            .stderr(Stdio::null())
            .spawn();
        process.unwrap()
    }

    fn post(&self, path: &str, token: &str, body: &Value) -> Talk<Value> {
        let mut stream = TcpStream::connect(self.address).map_err(|_| Broken)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(|_| Broken)?;
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = format!(
            "POST /api/v1/{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Authorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).map_err(|_| Broken)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map_err(|_| Broken)?;
        let (_, body) = answer.split_once("\r\n\r\n").ok_or(Broken)?;
        serde_json::from_str(body).map_err(|_| Broken)
    }
}

struct Socket {
    stream: TcpStream,
    decoder: Decoder,
}

impl Socket {
    fn open(house: &House, token: &str) -> Talk<Socket> {
        let mut stream = TcpStream::connect(house.address).map_err(|_| Broken)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(|_| Broken)?;
        let request = format!(
            "GET /api/v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer {token}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).map_err(|_| Broken)?;
        let mut answer = Vec::new();
        let mut byte = [0];
        while !answer.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).map_err(|_| Broken)?;
            answer.push(byte[0]);
        }
        assert!(answer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&answer));
        Ok(Socket { stream, decoder: Decoder::for_client(1 << 20) })
    }

    fn send(&mut self, message: &Value) -> Talk<()> {
        let mut bytes = Vec::new();
        let text = message.to_string();
        frame::masked(&mut bytes, [1, 2, 3, 4], |out| frame::text(out, text.as_bytes()));
        self.stream.write_all(&bytes).map_err(|_| Broken)
    }

    fn expect(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Talk<Value> {
        loop {
            match self.decoder.next_message().unwrap() {
                Some(Incoming::Text(text)) => {
                    let message: Value = serde_json::from_str(text).unwrap();
                    if is_wanted(&message) {
                        return Ok(message);
                    }
                }
                Some(Incoming::Close(_)) => return Err(Broken),
                Some(Incoming::Ping(_) | Incoming::Pong(_)) => {}
                None => {
                    let mut bytes = [0; 4096];
                    let count = self.stream.read(&mut bytes).map_err(|_| Broken)?;
                    if count == 0 {
                        return Err(Broken);
                    }
                    self.decoder.fill(|buffer| buffer.extend_from_slice(&bytes[..count]));
                }
            }
        }
    }
}

/// Two players who play match after match, whatever happens to the server.
struct Table<'a> {
    house: &'a House,
    number: u64,
    tokens: [String; 2],
    sockets: [Option<Socket>; 2],
    chance: fastrand::Rng,
    nonce: u64,
}

impl Table<'_> {
    fn again<T>(&mut self, mut attempt: impl FnMut(&mut Self) -> Talk<T>) -> T {
        let begin = Instant::now();
        loop {
            if let Ok(done) = attempt(self) {
                return done;
            }
            assert!(begin.elapsed() < PATIENCE, "table {} hears nothing", self.number);
            self.sockets = [None, None];
            sleep(Duration::from_millis(5));
        }
    }

    /// A new match of two new guests: a lobby that was made and not heard of is left alone, and
    /// nobody may have more than three of them.
    fn begin(&mut self) -> Talk<MatchId> {
        let house = self.house;
        for seat in 0..2 {
            let device = format!("device-of-table-{}-{:016x}", self.number, self.chance.u64(..));
            let guest = house.post("guest", "", &json!({"device_id": device}))?;
            guest["token"].as_str().ok_or(Broken)?.clone_into(&mut self.tokens[seat]);
        }
        let clock = match self.number % 2 {
            0 => json!({"mode": "none"}),
            _ => json!({"mode": "fischer", "initial_s": 900, "increment_s": 1}),
        };
        let terms = json!({"game": "santorini", "clock": clock});
        let lobby = house.post("lobbies", &self.tokens[0], &json!({"terms": terms}))?;
        let id = lobby["id"].as_str().ok_or(Broken)?.to_owned();
        house.post(&format!("lobbies/{id}/join"), &self.tokens[1], &Value::Null)?;
        let started = house.post(&format!("lobbies/{id}/start"), &self.tokens[0], &Value::Null)?;
        started["match"].as_str().and_then(|id| id.parse().ok()).ok_or(Broken)
    }

    /// The seat's socket, opened and joined if it is not.
    fn socket(&mut self, seat: usize, id: MatchId) -> Talk<&mut Socket> {
        if self.sockets[seat].is_none() {
            let mut socket = Socket::open(self.house, &self.tokens[seat])?;
            socket.send(&json!({"type": "join", "match": id}))?;
            socket.expect(|message| {
                assert_ne!(message["type"], "refused", "{message}");
                message["type"] == "snapshot"
            })?;
            self.sockets[seat] = Some(socket);
        }
        self.sockets[seat].as_mut().ok_or(Broken)
    }

    /// What a seat may do, and at which ply.
    fn legal(&mut self, seat: usize, id: MatchId) -> Talk<(u64, Vec<String>)> {
        let socket = self.socket(seat, id)?;
        socket.send(&json!({"type": "legal", "match": id}))?;
        let is_answer =
            |message: &Value| message["type"] == "legal" || message["type"] == "refused";
        let legal = socket.expect(is_answer)?;
        // A room that is busy says so, and is asked again.
        if legal["type"] == "refused" {
            assert_eq!(legal["code"], "busy", "{legal}");
            return Err(Broken);
        }
        let actions = legal["actions"].as_array().unwrap().iter();
        let actions = actions.map(|action| action.as_str().unwrap().to_owned());
        Ok((legal["ply"].as_u64().unwrap(), actions.collect()))
    }

    fn act(&mut self, seat: usize, id: MatchId, act: &Acked) -> Talk<u64> {
        let Acked { ply, nonce, action } = act.clone();
        let socket = self.socket(seat, id)?;
        let message =
            json!({"type": "act", "match": id, "ply": ply, "action": action, "nonce": nonce});
        socket.send(&message)?;
        let answer = socket.expect(|message| message["nonce"] == nonce)?;
        // A room that is busy or could not store says so, and is asked again.
        if answer["code"] == "unavailable" || answer["code"] == "busy" {
            return Err(Broken);
        }
        assert_eq!(answer["type"], "ack", "{answer}");
        Ok(answer["ply"].as_u64().unwrap())
    }

    fn play(mut self, is_done: &AtomicBool, acks: &AtomicU64) -> Played {
        let mut played = Played::default();
        while !is_done.load(Ordering::Relaxed) {
            let id = self.again(Self::begin);
            self.sockets = [None, None];
            let mut acked: Vec<Acked> = Vec::new();
            loop {
                let turn = [0, 1].map(|seat| self.again(|table| table.legal(seat, id)));
                let Some(seat) = turn.iter().position(|(_, actions)| !actions.is_empty()) else {
                    break;
                };
                let (ply, actions) = &turn[seat];
                let action = actions[self.chance.usize(..actions.len())].clone();
                self.nonce += 1;
                let act = Acked { ply: *ply, nonce: self.nonce, action };
                let after = self.again(|table| table.act(seat, id, &act));
                acked.push(Acked { ply: after - 1, ..act });
                acks.fetch_add(1, Ordering::Relaxed);
            }
            played.finished += 1;
            played.matches.push((id, acked));
        }
        played
    }
}

/// Kills a server so many times under load, and compares what was acknowledged with what is stored.
fn check(data: &Path, flags: Vec<String>, database: Option<String>) {
    let kills = if std::env::var_os("PARLOR_SOAK").is_some() { 200 } else { 20 };
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut chance = fastrand::Rng::with_seed(seed);
    let address = SocketAddr::from(([127, 0, 0, 1], pg_cluster::free_port()));
    let settings = data.join("parlor.toml");
    std::fs::write(
        &settings,
        "[limits]\nquotas = 'off'\naddress = { burst = 1000000, period_s = 1 }\n\
        account = { burst = 1000000, period_s = 1 }\n[sockets]\nburst = 1000000\n",
    )
    .unwrap();
    let config = ["--config".to_owned(), settings.display().to_string()];
    let flags = config.into_iter().chain(flags).collect();
    let house = House { address, data: data.to_owned(), flags };
    let mut server = house.start();
    let (is_done, acks) = (AtomicBool::new(false), AtomicU64::new(0));
    let played: Vec<Played> = thread::scope(|scope| {
        let tables: Vec<_> = (0..TABLES)
            .map(|number| {
                let chance = chance.fork();
                let (house, is_done, acks) = (&house, &is_done, &acks);
                let table = Table {
                    house,
                    number,
                    tokens: Default::default(),
                    sockets: [None, None],
                    chance,
                    nonce: 0,
                };
                scope.spawn(move || table.play(is_done, acks))
            })
            .collect();
        for _ in 0..kills {
            // Only a server at work is worth killing.
            let enough = acks.load(Ordering::Relaxed) + chance.u64(1..100);
            let begin = Instant::now();
            while acks.load(Ordering::Relaxed) < enough {
                assert!(begin.elapsed() < PATIENCE, "nobody plays");
                sleep(Duration::from_millis(1));
            }
            server.kill().unwrap();
            server.wait().unwrap();
            server = house.start();
        }
        is_done.store(true, Ordering::Relaxed);
        tables.into_iter().map(|table| table.join().unwrap()).collect()
    });
    let pid = server.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert!(server.wait().unwrap().success());

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let database = database.map(protocol::Secret::new);
    let config = Config { data: data.to_owned(), database, ..Config::default() };
    let mut count = 0;
    runtime.block_on(async {
        let store = server::open_store(&config).await.unwrap();
        for (id, acked) in played.iter().flat_map(|table| &table.matches) {
            let entries = store.entries(*id, 0).await.unwrap();
            let stored: Vec<Acked> = entries
                .into_iter()
                .filter_map(|entry| match entry.kind {
                    EntryKind::Act(action) => {
                        Some(Acked { ply: u64::from(entry.ply), nonce: entry.nonce, action })
                    }
                    _ => None,
                })
                .collect();
            assert_eq!(&stored, acked, "{id}, seed {seed}");
            assert!(store.find_result(*id).await.unwrap().is_some(), "{id} has its end");
            count += stored.len();
        }
        store.close().await;
    });
    let finished: usize = played.iter().map(|table| table.finished).sum();
    println!(
        "{kills} kills, {finished} matches finished, {count} actions, none lost, none doubled"
    );
    assert!(finished >= usize::try_from(TABLES).unwrap() && count > 100);
}

#[test]
fn a_killed_server_on_sqlite_loses_nothing_that_it_acknowledged() {
    let folder = TempDir::new().unwrap();
    check(folder.path(), Vec::new(), None);
}

#[test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
fn a_killed_server_on_postgresql_loses_nothing_that_it_acknowledged() {
    let folder = TempDir::new().unwrap();
    let cluster = pg_cluster::Cluster::start().unwrap();
    let url = cluster.url();
    let flags = vec!["--database".to_owned(), url.clone()];
    check(folder.path(), flags, Some(url));
}
