//! How many profiles a second a server on one core gives, how long each takes at half of the rate
//! aimed at, and how soon a server is ready.
//!
//! The server is a process of its own, pinned to one core; this one is the load, pinned to another.
//! A late request counts from when it was due. Neither core ever halts: a virtual one is woken late,
//! and that would be counted as the server's. The load never sleeps, and a loop that yields to
//! everything keeps the server's core awake.

#![expect(clippy::unwrap_used, reason = "a benchmark stops at the first fault")]

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::time::{Instant, sleep_until};

const PARLOR: &str = env!("CARGO_BIN_EXE_parlor");
const CONNECTIONS: u32 = 64;
const RUN: Duration = Duration::from_secs(10);
/// Half of the 20,000 a second that are the aim.
const SCHEDULED_RATE: f64 = 10_000.0;
const STARTS: u32 = 20;

struct Server {
    process: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// A loop on the server's core that runs only while nothing else wants to.
fn keep_awake() -> Child {
    let mut command = Command::new("chrt");
    command.args(["--idle", "0", "taskset", "--cpu-list", "0", "sh", "-c", "while :; do :; done"]);
    command.spawn().unwrap()
}

impl Server {
    fn start(data: &Path) -> Server {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let process = Command::new("taskset")
            .args(["--cpu-list", "0", PARLOR, "serve", "--log-filter", "warn"])
            .args(["--listen", &address, "--data"])
            .arg(data)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Server { process, address }
    }

    /// Asks until it answers; gives how long that took from `begin` on.
    async fn ready(&self, begin: Instant) -> Duration {
        loop {
            if let Ok(stream) = TcpStream::connect(&self.address).await {
                let mut client = Client { stream, buffer: Vec::new() };
                if client.ask(b"GET /api/v1/ready HTTP/1.1\r\nHost: x\r\n\r\n").await.0 == 200 {
                    return begin.elapsed();
                }
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

fn main() {
    // The load's own core, so that the server's is the server's alone.
    let pid = std::process::id().to_string();
    let pinned = Command::new("taskset")
        .args(["--all-tasks", "--cpu-list", "--pid", "1", &pid])
        .stdout(Stdio::null())
        .status();
    assert!(pinned.unwrap().success());
    let folder = tempfile::tempdir().unwrap();
    let runtime = Builder::new_current_thread().enable_all().event_interval(1).build().unwrap();
    runtime.spawn(async {
        loop {
            tokio::task::yield_now().await;
        }
    });
    runtime.block_on(run(folder.path()));
}

async fn run(data: &Path) {
    let begin = Instant::now();
    let server = Server::start(data);
    println!(
        "ready on a new database after {:.1} ms",
        server.ready(begin).await.as_secs_f64() * 1e3
    );
    let token = register(&server).await;
    let request = format!(
        "GET /api/v1/profile HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    load(&server, &request, None).await;
    let mut awake = keep_awake();
    let closed = load(&server, &request, None).await;
    println!(
        "{:.0} profiles/s over {CONNECTIONS} connections; {}",
        rate_of(&closed),
        times(closed)
    );
    let open = load(&server, &request, Some(SCHEDULED_RATE)).await;
    println!("{:.0} profiles/s on a schedule of {SCHEDULED_RATE}; {}", rate_of(&open), times(open));
    awake.kill().unwrap();
    awake.wait().unwrap();
    drop(server);

    let mut starts = Vec::new();
    for _ in 0..STARTS {
        let begin = Instant::now();
        let server = Server::start(data);
        starts.push(server.ready(begin).await);
    }
    println!("ready on this database, {STARTS} starts: {}", times(starts));
}

async fn register(server: &Server) -> String {
    let stream = TcpStream::connect(&server.address).await.unwrap();
    let mut client = Client { stream, buffer: Vec::new() };
    let body = r#"{"username": "Ada", "password": "correct horse battery"}"#;
    let request = format!(
        "POST /api/v1/register HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let (status, body) = client.ask(request.as_bytes()).await;
    assert_eq!(status, 201, "{body}");
    let answer: serde_json::Value = serde_json::from_str(&body).unwrap();
    answer["token"].as_str().unwrap().to_owned()
}

async fn load(server: &Server, request: &str, rate: Option<f64>) -> Vec<Duration> {
    let begin = Instant::now();
    let end = begin + RUN;
    let every = rate.map(|rate| Duration::from_secs_f64(f64::from(CONNECTIONS) / rate));
    let mut tasks = Vec::new();
    for number in 0..CONNECTIONS {
        let stream = TcpStream::connect(&server.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let mut client = Client { stream, buffer: Vec::new() };
        let request = request.to_owned();
        tasks.push(tokio::spawn(async move {
            let mut taken = Vec::new();
            let mut due = Instant::now();
            if let Some(every) = every {
                due = begin + every * number / CONNECTIONS;
            }
            while due < end {
                sleep_until(due).await;
                let (status, body) = client.ask(request.as_bytes()).await;
                assert_eq!(status, 200, "{body}");
                taken.push(due.elapsed());
                due = every.map_or_else(Instant::now, |every| due + every);
            }
            taken
        }));
    }
    let mut taken = Vec::new();
    for task in tasks {
        taken.extend(task.await.unwrap());
    }
    taken
}

struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    /// Sends a request and reads one whole answer; the connection stays.
    async fn ask(&mut self, request: &[u8]) -> (u16, String) {
        self.stream.write_all(request).await.unwrap();
        self.buffer.clear();
        loop {
            assert!(self.stream.read_buf(&mut self.buffer).await.unwrap() > 0, "cut off");
            let text = String::from_utf8_lossy(&self.buffer);
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return (head[9..12].parse().unwrap(), body.to_owned());
            }
        }
    }
}

fn times(mut taken: Vec<Duration>) -> String {
    taken.sort_unstable();
    let at = |permille: usize| taken[(taken.len() - 1) * permille / 1000].as_secs_f64() * 1e3;
    format!("median {:.2} ms, p99 {:.2} ms, most {:.2} ms", at(500), at(990), at(1000))
}

/// How many a second.
fn rate_of(taken: &[Duration]) -> f64 {
    f64::from(u32::try_from(taken.len()).unwrap()) / RUN.as_secs_f64()
}
