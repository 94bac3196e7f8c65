//! `parlor bot` with our own shell as the engine: two accounts play each other over loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use server::ws::frame::{self, Decoder, Incoming};
use tempfile::TempDir;

const PARLOR: &str = env!("CARGO_BIN_EXE_parlor");
/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(5);

/// A process that does not outlive its test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn ask(
    address: SocketAddr,
    method: &str,
    path: &str,
    token: &str,
    body: &Value,
) -> Option<(u16, Value)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
    let bearer = match token {
        "" => String::new(),
        token => format!("Authorization: Bearer {token}\r\n"),
    };
    let request = format!(
        "{method} /api/v1/{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         {bearer}{kind}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let status = answer.split(' ').nth(1)?.parse().ok()?;
    let body = answer.split_once("\r\n\r\n")?.1;
    Some((status, serde_json::from_str(body).unwrap_or(Value::Null)))
}

/// A house on a free port, once it is ready.
fn serve(data: &TempDir) -> (Process, SocketAddr) {
    let address = SocketAddr::from(([127, 0, 0, 1], pg_cluster::free_port()));
    let mut command = Command::new(PARLOR);
    command.args(["serve", "--listen", &address.to_string(), "--data"]).arg(data.path());
    let process = Process(command.stderr(Stdio::null()).spawn().unwrap());
    let begin = Instant::now();
    while ask(address, "GET", "ready", "", &Value::Null).is_none_or(|(status, _)| status != 200) {
        assert!(begin.elapsed() < PATIENCE, "the server does not start");
        sleep(Duration::from_millis(50));
    }
    (process, address)
}

fn register(address: SocketAddr, name: &str) -> String {
    let body = json!({"username": name, "password": "correct horse battery"});
    let (status, answer) = ask(address, "POST", "register", "", &body).unwrap();
    assert_eq!(status, 201, "{answer}");
    answer["token"].as_str().unwrap().to_owned()
}

/// A bot that plays one match of the game.
fn bot(address: SocketAddr, game: &str, token: &str, flags: &[&str]) -> Process {
    let mut command = Command::new(PARLOR);
    command.args(["bot", "--engine", &format!("{PARLOR} shell {game}"), "--game", game]);
    command.args(["--server", &format!("http://{address}"), "--level", "3", "--ms", "20"]);
    command.args(["--matches", "1"]).args(flags).env("PARLOR_TOKEN", token);
    Process(command.stdout(Stdio::piped()).spawn().unwrap())
}

/// The example of the page for authors, which plays any game; ended by whoever started it.
fn example(python: &str, address: SocketAddr, token: &str) -> Process {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/bot.py");
    let mut command = Command::new(python);
    command.args([script, &format!("http://{address}")]).env("PARLOR_TOKEN", token);
    Process(command.spawn().unwrap())
}

#[test]
#[ignore = "needs Python with websockets; cargo xtask test runs it"]
fn the_example_plays_every_game_to_its_end() {
    let python = std::env::var("PARLOR_TEST_PYTHON").unwrap();
    let data = TempDir::new().unwrap();
    let (_server, address) = serve(&data);
    let token = register(address, "example");
    let mut running = Vec::new();
    for (game, options) in [
        ("chess", json!({})),
        ("crazy-tens", json!({"target": 5})),
        ("santorini", json!({})),
        ("scrabble", json!({"left_out": 60})),
    ] {
        let bots = json!([{"seat": 1, "level": 3}]);
        let body =
            json!({"terms": {"game": game, "options": options}, "opponents": {"bots": bots}});
        let (status, begun) = ask(address, "POST", "matches", &token, &body).unwrap();
        assert_eq!(status, 201, "{game}: {begun}");
        running.push((game, begun["match"].as_str().unwrap().to_owned()));
    }
    let _example = example(&python, address, &token);
    for (game, id) in running {
        let begin = Instant::now();
        let is_over = || {
            let (_, shown) =
                ask(address, "GET", &format!("matches/{id}"), &token, &Value::Null).unwrap();
            !shown["outcome"].is_null()
        };
        while !is_over() {
            assert!(begin.elapsed() < PATIENCE, "{game} does not end");
            sleep(Duration::from_millis(100));
        }
    }
}

/// What a process said, once it has ended well.
fn end(mut process: Process) -> String {
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = process.0.try_wait().unwrap() {
            break status;
        }
        assert!(begin.elapsed() < PATIENCE, "the match does not end");
        sleep(Duration::from_millis(50));
    };
    let mut said = String::new();
    process.0.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(status.success(), "{said}");
    said
}

#[test]
fn engines_play_each_other_by_a_lobby() {
    let data = TempDir::new().unwrap();
    let (_server, address) = serve(&data);
    let (ada, bob) = (register(address, "ada-bot"), register(address, "bob-bot"));
    for (game, options) in [
        ("crazy-tens", json!({"target": 20})),
        ("santorini", json!({})),
        ("chess", json!({"fen": "7k/8/8/8/8/8/PPP5/RR5K w - - 0 1"})),
        ("scrabble", json!({"left_out": 60})),
    ] {
        let body = json!({"terms": {"game": game, "options": options}});
        let (status, lobby) = ask(address, "POST", "lobbies", &ada, &body).unwrap();
        assert_eq!(status, 201, "{lobby}");
        let lobby = lobby["id"].as_str().unwrap().to_owned();
        let other = bot(address, game, &bob, &["--lobby", &lobby]);
        let begin = Instant::now();
        let started = loop {
            let path = format!("lobbies/{lobby}/start");
            let (status, started) = ask(address, "POST", &path, &ada, &Value::Null).unwrap();
            if status == 201 {
                break started;
            }
            assert_eq!(started["code"], "lobby_not_ready");
            assert!(begin.elapsed() < PATIENCE, "nobody sits down");
            sleep(Duration::from_millis(50));
        };
        let id = started["match"].as_str().unwrap();
        let said = [end(bot(address, game, &ada, &[])), end(other)];
        assert_eq!(said[0], said[1]);
        assert!(said[0].starts_with(id) && said[0].contains("places"), "{said:?}");
        let path = format!("matches/{id}/log");
        let (_, story) = ask(address, "GET", &path, &ada, &Value::Null).unwrap();
        let kinds = story["entries"].as_array().unwrap().iter().map(|entry| &entry["kind"]);
        assert!(kinds.clone().count() > 2 && kinds.clone().all(|kind| kind == "act"), "{story}");
    }
}

/// Answers requests about one match, until nobody asks any more.
fn tell_of_match(mut stream: TcpStream, id: &str) {
    let mut asked = Vec::new();
    let mut byte = [0];
    while stream.read_exact(&mut byte).is_ok() {
        asked.extend(byte);
        if asked.ends_with(b"\r\n\r\n") {
            let is_one = String::from_utf8_lossy(&asked).contains(id);
            let found = json!({"matches": [{"id": id, "game": "chess"}]});
            let body = if is_one { json!({"options": {}, "seats": [{}, {}]}) } else { found };
            let body = body.to_string();
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            stream.write_all((head + &body).as_bytes()).unwrap();
            asked.clear();
        }
    }
}

/// What a bot says next on its socket, without the number that it chose for an action.
fn hear(stream: &mut TcpStream, decoder: &mut Decoder) -> Value {
    loop {
        if let Some(Incoming::Text(text)) = decoder.next_message().unwrap() {
            let mut heard: Value = serde_json::from_str(text).unwrap();
            heard.as_object_mut().unwrap().remove("nonce");
            return heard;
        }
        let mut bytes = [0; 4096];
        let count = stream.read(&mut bytes).unwrap();
        assert!(count > 0, "the bot has gone");
        decoder.fill(|buffer| buffer.extend_from_slice(&bytes[..count]));
    }
}

/// A conversation of a bot with a house that is busy now and then: what the bot must say, and what it
/// is told. Its engine always says `second`.
#[track_caller]
fn check_conversation(script: &[(Value, &[Value])]) {
    let folder = TempDir::new().unwrap();
    let engine = folder.path().join("engine.sh");
    std::fs::write(&engine, "while read -r line; do echo '= second'; done\n").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let mut command = Command::new(PARLOR);
    command.args(["bot", "--game", "chess", "--server", &format!("http://{address}")]);
    command.args(["--engine", &format!("sh {}", engine.display())]).env("PARLOR_TOKEN", "token");
    let _bot = Process(command.stdout(Stdio::null()).spawn().unwrap());
    let (requests, _) = listener.accept().unwrap();
    std::thread::spawn(|| tell_of_match(requests, "06gt3xp9r0002"));
    let (mut socket, _) = listener.accept().unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut byte = [0];
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        socket.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    socket.write_all(b"HTTP/1.1 101 Switching Protocols\r\n\r\n").unwrap();
    let mut decoder = Decoder::for_server();
    for (step, (expected, told)) in script.iter().enumerate() {
        assert_eq!(hear(&mut socket, &mut decoder), *expected, "step {step}");
        for message in *told {
            let mut bytes = Vec::new();
            frame::text(&mut bytes, message.to_string().as_bytes());
            socket.write_all(&bytes).unwrap();
        }
    }
}

#[test]
fn a_busy_house_is_asked_again_and_a_rematch_is_granted() {
    let id = "06gt3xp9r0002";
    let ask = |kind: &str| json!({"type": kind, "match": id});
    let act = |action: &str| json!({"type": "act", "match": id, "ply": 4, "action": action});
    let refused = |code: &str| json!({"type": "refused", "match": id, "nonce": 1, "code": code});
    let snapshot = json!({"type": "snapshot", "match": id, "viewer": 0, "view": {"fen": ""}});
    let actions = ["first", "second"];
    let list =
        [json!({"type": "legal", "match": id, "ply": 4, "complete": true, "actions": actions})];
    let over = json!({"type": "over", "match": id, "outcome": {"places": [1, 2]}});
    let offer = |kind: &str| json!({"type": "offer", "match": id, "kind": kind, "state": "open"});
    let answer = |kind: &str, accept: bool| {
        let mut answer = ask("answer");
        (answer["kind"], answer["accept"]) = (kind.into(), accept.into());
        answer
    };
    check_conversation(&[
        (ask("join"), &[json!({"type": "refused", "match": id, "code": "busy"})]),
        (ask("join"), &[snapshot]),
        (ask("legal"), &list),
        (act("second"), &[refused("busy")]),
        (ask("legal"), &list),
        (act("second"), &[refused("unavailable")]),
        (ask("legal"), &list),
        (act("second"), &[offer("draw")]),
        (answer("draw", false), &[refused("some_rule")]),
        // Refused by the rules: now the list is trusted.
        (ask("legal"), &list),
        (act("first"), &[over, offer("rematch")]),
        (answer("rematch", true), &[]),
    ]);
}

#[test]
fn a_bot_without_a_token_or_with_a_strange_server_says_so() {
    for (server, expected) in
        [("https://localhost", "a server is http:// and a host"), ("http://127.0.0.1:1", "refused")]
    {
        let mut command = Command::new(PARLOR);
        command.args(["bot", "--engine", "true", "--game", "chess", "--server", server]);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(expected), "{said}");
    }
}

#[test]
fn the_page_for_authors_shows_the_whole_example() {
    let page = include_str!("../../../docs/bots.md");
    let example = include_str!("../../../docs/examples/bot.py");
    assert!(
        page.contains(&format!("```python\n{example}```")),
        "docs/bots.md shows another client"
    );
    assert!(example.lines().count() < 100);
}
