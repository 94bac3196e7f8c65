//! People can play through the proxies of `docs/operating.md`. The examples are taken out of the page; only
//! host, ports and certificates are put in.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::{Value, json};
use server::ws::frame::{self, Decoder, Incoming};
use tempfile::TempDir;
use tokio::net::TcpSocket;

const PARLOR: &str = env!("CARGO_BIN_EXE_parlor");
const PAGE: &str = include_str!("../../../docs/operating.md");
/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// Where the test's visitors come from; the proxy itself is at 127.0.0.1.
const ADA: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
const BOB: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 3);
const FLOOD: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 4);
const CROWD: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 5);

/// So many attempts to log in has an address in these tests.
const ATTEMPTS: usize = 3;
/// No example allows so many requests at once.
const REQUESTS_MAX: usize = 20_000;
/// More requests under way than the example allows.
const CONNECTIONS: usize = 330;

/// A server and a proxy before it; both end with this.
struct House {
    folder: TempDir,
    server: Child,
    proxy: Child,
    address: SocketAddr,
    tls: Arc<ClientConfig>,
}

impl Drop for House {
    fn drop(&mut self) {
        for process in [&mut self.proxy, &mut self.server] {
            process.kill().ok();
            process.wait().ok();
        }
    }
}

fn free_address() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], pg_cluster::free_port()))
}

/// The example in this language, as the page shows it.
fn example(language: &str) -> String {
    let (_, rest) = PAGE.split_once(&format!("```{language}\n")).expect("the page has an example");
    rest.split_once("```\n").expect("the example ends").0.to_owned()
}

/// Puts something in for what stands in the example exactly once.
#[track_caller]
fn put_in(text: &mut String, old: &str, new: &str) {
    assert_eq!(text.matches(old).count(), 1, "{old:?}");
    *text = text.replace(old, new);
}

/// A certificate for `localhost` by an authority of its own.
fn certify(folder: &Path) {
    let settings = "[req]\ndistinguished_name = name\n[name]\n\
        [authority]\nbasicConstraints = critical, CA:TRUE\n\
        [site]\nbasicConstraints = critical, CA:FALSE\nsubjectAltName = DNS:localhost\n";
    std::fs::write(folder.join("openssl.cnf"), settings).unwrap();
    let request = "openssl req -config openssl.cnf -x509 -days 2 -nodes -newkey ec \
        -pkeyopt ec_paramgen_curve:P-256";
    let script = format!(
        "{request} -extensions authority -subj /CN=Authority -keyout ca.key -out ca.pem &&
        {request} -extensions site -CA ca.pem -CAkey ca.key -subj /CN=localhost \
            -keyout site.key -out site.pem"
    );
    let made = Command::new("sh").args(["-c", &script]).current_dir(folder).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

impl House {
    /// `prepare` writes the proxy's files for its own address and the server's, and gives the command that
    /// runs it.
    fn open(prepare: impl FnOnce(&Path, SocketAddr, SocketAddr) -> Command) -> House {
        let folder = TempDir::new().unwrap();
        certify(folder.path());
        let (behind, address) = (free_address(), free_address());
        let settings = format!(
            "listen = \"{behind}\"\npublic_url = \"https://localhost:{}\"\n\
             trusted_proxies = [\"127.0.0.1\"]\n[limits]\n\
             address = {{ burst = {ATTEMPTS}, period_s = 3600 }}\n",
            address.port()
        );
        std::fs::write(folder.path().join("parlor.toml"), settings).unwrap();
        let mut serve = Command::new(PARLOR);
        serve.args(["serve", "--config", "parlor.toml", "--data", "data"]);
        let start = |command: &mut Command, name: &str| {
            let log = std::fs::File::create(folder.path().join(name)).unwrap();
            command.current_dir(folder.path()).stdout(Stdio::null()).stderr(log).spawn().unwrap()
        };
        let server = start(&mut serve, "server.log");
        let proxy = start(&mut prepare(folder.path(), address, behind), "proxy.log");
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(folder.path().join("ca.pem")).unwrap()).unwrap();
        let tls = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let house = House { folder, server, proxy, address, tls: Arc::new(tls) };
        house.wait_until_ready();
        house
    }

    fn log(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    fn signal(&self, signal: &str) {
        let pid = self.server.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }

    fn wait_until_ready(&self) {
        let begin = Instant::now();
        loop {
            let is_up = TcpStream::connect(self.address).is_ok();
            if is_up && self.ask(BOB, "GET", "/api/v1/ready", "", &Value::Null).0 == 200 {
                return;
            }
            let logs = || format!("{}\n{}", self.log("server.log"), self.log("proxy.log"));
            assert!(begin.elapsed() < PATIENCE, "never ready\n{}", logs());
            sleep(Duration::from_millis(20));
        }
    }

    fn connect(&self, from: Ipv4Addr) -> Connection {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let stream = runtime.block_on(async {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind((from, 0).into()).unwrap();
            socket.connect(self.address).await.unwrap().into_std().unwrap()
        });
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let name = "localhost".try_into().unwrap();
        let tls = ClientConnection::new(self.tls.clone(), name).unwrap();
        Connection { stream: StreamOwned::new(tls, stream) }
    }

    /// Sends a request on a connection of its own; gives the status and the whole answer. `head` is more
    /// lines of its head, each with its end.
    fn ask(
        &self,
        from: Ipv4Addr,
        method: &str,
        path: &str,
        head: &str,
        body: &Value,
    ) -> (u16, String) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n{head}\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address.port(),
            body.len()
        );
        let mut connection = self.connect(from);
        connection.stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // Some servers end the connection without TLS's own goodbye.
        match connection.stream.read_to_end(&mut answer) {
            Err(error) if error.kind() != ErrorKind::UnexpectedEof => panic!("{path}: {error}"),
            _ => {}
        }
        let answer = String::from_utf8(answer).unwrap();
        let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        (status, answer)
    }

    fn post(&self, from: Ipv4Addr, path: &str, token: &str, body: &Value) -> Value {
        let head = format!("Authorization: Bearer {token}\r\n");
        let (status, answer) = self.ask(from, "POST", &format!("/api/v1/{path}"), &head, body);
        assert!((200..300).contains(&status), "{path}: {answer}");
        // The proxy may have cut the body into chunks.
        let body = &answer[answer.find('{').unwrap()..=answer.rfind('}').unwrap()];
        serde_json::from_str(body).unwrap()
    }

    fn visit(&self, from: Ipv4Addr) -> String {
        let guest =
            self.post(from, "guest", "", &json!({"device_id": format!("device-of-{from}-x")}));
        guest["token"].as_str().unwrap().to_owned()
    }
}

struct Connection {
    stream: StreamOwned<ClientConnection, TcpStream>,
}

impl Connection {
    /// Reads the head of an answer and gives its status.
    fn read_head(&mut self) -> u16 {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            self.stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        head.split(' ').nth(1).unwrap().parse().unwrap()
    }
}

struct Socket {
    connection: Connection,
    decoder: Decoder,
}

impl Socket {
    fn open(house: &House, from: Ipv4Addr, token: &str) -> Socket {
        let mut connection = house.connect(from);
        let port = house.address.port();
        let request = format!(
            "GET /api/v1/ws HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer {token}\r\n\r\n"
        );
        connection.stream.write_all(request.as_bytes()).unwrap();
        assert_eq!(connection.read_head(), 101, "{}", house.log("server.log"));
        Socket { connection, decoder: Decoder::for_client(1 << 20) }
    }

    fn send(&mut self, message: &Value) {
        let mut bytes = Vec::new();
        let text = message.to_string();
        frame::masked(&mut bytes, [1, 2, 3, 4], |out| frame::text(out, text.as_bytes()));
        self.connection.stream.write_all(&bytes).unwrap();
        self.connection.stream.flush().unwrap();
    }

    fn expect(&mut self, kind: &str) -> Value {
        loop {
            match self.decoder.next_message().unwrap() {
                Some(Incoming::Text(text)) => {
                    let message: Value = serde_json::from_str(text).unwrap();
                    assert_ne!(message["type"], "refused", "{message}");
                    if message["type"] == kind {
                        return message;
                    }
                }
                Some(Incoming::Ping(_) | Incoming::Pong(_)) => {}
                Some(Incoming::Close(reason)) => panic!("closed: {reason:?}"),
                None => {
                    let mut bytes = [0; 4096];
                    let count = self.connection.stream.read(&mut bytes).unwrap();
                    assert_ne!(count, 0, "the connection ended");
                    self.decoder.fill(|buffer| buffer.extend_from_slice(&bytes[..count]));
                }
            }
        }
    }
}

/// Two visitors play from the lobby to the mate.
fn check_play(house: &House) {
    let tokens = [ADA, BOB].map(|from| house.visit(from));
    let lobby = house.post(ADA, "lobbies", &tokens[0], &json!({"terms": {"game": "chess"}}));
    let id = lobby["id"].as_str().unwrap();
    house.post(BOB, &format!("lobbies/{id}/join"), &tokens[1], &Value::Null);
    let started = house.post(ADA, &format!("lobbies/{id}/start"), &tokens[0], &Value::Null);
    let id = &started["match"];
    let mut sockets = [0, 1].map(|seat| {
        let mut socket = Socket::open(house, [ADA, BOB][seat], &tokens[seat]);
        socket.send(&json!({"type": "join", "match": id}));
        let snapshot = socket.expect("snapshot");
        (snapshot["viewer"].as_u64().unwrap(), socket)
    });
    sockets.sort_by_key(|(seat, _)| *seat);
    for (ply, action) in ["f2f3", "e7e5", "g2g4", "d8h4"].into_iter().enumerate() {
        let act =
            json!({"type": "act", "match": id, "ply": ply, "action": action, "nonce": ply + 1});
        sockets[ply % 2].1.send(&act);
        for (_, socket) in &mut sockets {
            assert_eq!(socket.expect("event")["ply"], ply + 1);
        }
    }
    for (_, socket) in &mut sockets {
        assert_eq!(socket.expect("over")["outcome"]["places"], json!([2, 1]));
    }
}

/// The server counts by the visitor's own address, whatever the visitor claims to be.
fn check_addresses(house: &House) {
    let attempt = |from, claimed: usize| {
        let head = format!("X-Forwarded-For: 10.0.0.{claimed}\r\n");
        let body = json!({"username": format!("Nobody{claimed}"), "password": "a wrong one"});
        house.ask(from, "POST", "/api/v1/login", &head, &body).0
    };
    let answers: Vec<u16> = (0..=ATTEMPTS).map(|claimed| attempt(FLOOD, claimed)).collect();
    assert_eq!(answers[..ATTEMPTS], [401; ATTEMPTS]);
    assert_eq!(answers[ATTEMPTS], 429);
    assert_eq!(attempt(CROWD, 0), 401);
}

/// What the outside must not see, and that the server knows of the TLS before it.
fn check_outside(house: &House) {
    assert_eq!(house.ask(ADA, "GET", "/metrics", "", &Value::Null).0, 404);
    let (status, answer) = house.ask(ADA, "GET", "/api/v1/health", "", &Value::Null);
    assert_eq!(status, 200);
    let has_hsts = answer.to_ascii_lowercase().contains("\r\nstrict-transport-security:");
    assert!(has_hsts, "{answer}");
}

#[test]
#[ignore = "needs nginx; cargo xtask test runs it"]
fn nginx_as_the_page_shows_it_lets_people_play_and_keeps_its_limits() {
    let house = House::open(|folder, address, behind| {
        let mut text = example("nginx");
        put_in(&mut text, "listen 443 ssl;", &format!("listen {address} ssl;"));
        put_in(&mut text, "    listen [::]:443 ssl;\n", "");
        let tls = "/etc/ssl/parlor.example";
        put_in(
            &mut text,
            &format!("{tls}/fullchain.pem"),
            &folder.join("site.pem").display().to_string(),
        );
        put_in(
            &mut text,
            &format!("{tls}/privkey.pem"),
            &folder.join("site.key").display().to_string(),
        );
        put_in(&mut text, "http://127.0.0.1:8080", &format!("http://{behind}"));
        std::fs::write(folder.join("parlor.conf"), text).unwrap();
        // One process, which is not anybody else.
        let around = "daemon off;\nmaster_process off;\npid nginx.pid;\nerror_log stderr;\n\
            events { worker_connections 4096; }\nhttp {\n\
            access_log off;\nclient_body_temp_path body;\nproxy_temp_path proxy;\n\
            fastcgi_temp_path fastcgi;\nuwsgi_temp_path uwsgi;\nscgi_temp_path scgi;\n\
            include parlor.conf;\n}\n";
        std::fs::write(folder.join("nginx.conf"), around).unwrap();
        // It may be where an ordinary user's PATH does not look.
        let mut command = Command::new("sh");
        let script = "PATH=$PATH:/usr/sbin; exec nginx -p \"$0\" -c nginx.conf -e stderr";
        command.args(["-c", script]).arg(folder);
        command
    });
    check_play(&house);
    check_addresses(&house);
    check_outside(&house);

    // On one connection, some at a time.
    let mut connection = house.connect(FLOOD);
    let request = "HEAD /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut statuses = Vec::new();
    while !statuses.contains(&429) {
        assert!(statuses.len() < REQUESTS_MAX, "no limit of requests");
        // nginx closes a connection after a thousand requests.
        if statuses.len().is_multiple_of(500) {
            connection = house.connect(FLOOD);
        }
        connection.stream.write_all(request.repeat(50).as_bytes()).unwrap();
        statuses.extend((0..50).map(|_| connection.read_head()));
    }
    let allowed = statuses.iter().filter(|status| **status == 200).count();
    assert!(allowed >= 1000, "a class may load its pages: {allowed}");
    assert_eq!(house.ask(ADA, "GET", "/api/v1/health", "", &Value::Null).0, 200);

    // While the server is stopped, every request stays under way.
    house.signal("-STOP");
    let request = "HEAD /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut connections: Vec<Connection> = (0..CONNECTIONS).map(|_| house.connect(CROWD)).collect();
    for connection in &mut connections {
        connection.stream.write_all(request.as_bytes()).unwrap();
    }
    let last = connections.pop().unwrap().read_head();
    house.signal("-CONT");
    assert_eq!(last, 429, "no limit of connections");
    let statuses = connections.iter_mut().map(Connection::read_head);
    let allowed = statuses.filter(|status| *status == 200).count();
    assert!(allowed >= 250, "a class may play: {allowed}");
    assert_eq!(house.ask(ADA, "GET", "/api/v1/health", "", &Value::Null).0, 200);

    let huge = json!({"username": "x".repeat(200_000), "password": "x"});
    assert_eq!(house.ask(ADA, "POST", "/api/v1/login", "", &huge).0, 413);
}

#[test]
#[ignore = "needs Caddy; cargo xtask test runs it"]
fn caddy_as_the_page_shows_it_lets_people_play_and_keeps_its_limits() {
    let house = House::open(|folder, address, behind| {
        let mut text = example("caddyfile");
        let site = folder.join("site.pem");
        let site = format!(
            "https://localhost:{} {{\n\tbind 127.0.0.1\n\ttls {} {}\n",
            address.port(),
            site.display(),
            folder.join("site.key").display()
        );
        put_in(&mut text, "parlor.example {\n", &site);
        put_in(&mut text, "127.0.0.1:8080", &behind.to_string());
        // Nothing on fixed ports.
        assert!(text.starts_with("{\n"), "the options come first");
        text.insert_str(2, "\tadmin off\n\tauto_https disable_redirects\n");
        std::fs::write(folder.join("Caddyfile"), text).unwrap();
        let mut command = Command::new("caddy");
        command.args(["run", "--config", "Caddyfile", "--adapter", "caddyfile"]);
        for variable in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
            command.env(variable, folder);
        }
        command
    });
    check_play(&house);
    check_addresses(&house);
    check_outside(&house);
    let head = format!("X-Long: {}\r\n", "x".repeat(40_000));
    let too_long = house.ask(ADA, "GET", "/api/v1/health", &head, &Value::Null).0;
    assert_eq!(too_long, 431);
}
