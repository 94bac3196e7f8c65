//! Runs a transcript: sends its requests to a server, and compares or records the answers.
//!
//! A transcript is a text file. `#` opens a comment. A line `> WHO WHAT` is a step:
//!
//! | step | meaning |
//! |---|---|
//! | `> ada POST login {"…"}` | an HTTP request with the token that ada was last given |
//! | `> ada@cookie GET profile` | the token as a cookie; `ada@none` has no token, `ada@<token-2>` that one |
//! | `> ada open`, `> ada close` | opens or closes ada's socket |
//! | `> ada say {"type":"ping"}` | a message on it |
//! | `> server restart` | stops the server in order and starts it again |
//! | `> server deal MATCH DIGIT` | also deals the match, the last that began, from a seed of 64 times this digit |
//! | `> server admin WORDS` | `parlor admin` beside the running server |
//!
//! `% any KEYS` hides these fields from here on, because they are random: a bot's choice, the seats of
//! two paired players. The answers follow their step: `< {…}` is the response, `ada,bob< {…}` the next
//! message on each of these sockets. A step ends when all its messages have arrived. A message too many
//! is found as soon as another one is expected, and at the end, when every socket has to answer a ping.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use game_api::{Commitment, Seed};
use serde_json::{Value, json};
use storage_sqlite::testing::execute;
use tempfile::TempDir;

use crate::placeholders::Placeholders;
use crate::server::{PATIENCE, Response, Server};
use crate::socket::Socket;

/// A recording ends a step after this long without a message. A comparison knows what to wait for.
const SILENCE: Duration = Duration::from_millis(200);

/// Compares a server of this build with a transcript, or records it anew if
/// `UPDATE_TRANSCRIPTS` names it.
#[track_caller]
pub(crate) fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ground/transcripts");
    let path = folder.join(format!("{name}.txt"));
    let text = fs::read_to_string(&path).unwrap();
    let is_wanted = |names: String| names.split(',').any(|other| other == name);
    if std::env::var("UPDATE_TRANSCRIPTS").is_ok_and(is_wanted) {
        fs::write(&path, Run::start().record(&text)).unwrap();
    } else {
        Run::start().compare(&text, &path);
    }
}

struct Run {
    /// `None` only while it restarts.
    server: Option<Server>,
    placeholders: Placeholders,
    tokens: BTreeMap<String, String>,
    sockets: BTreeMap<String, Socket>,
    /// How the server closed sockets when it stopped.
    closed: BTreeMap<String, Value>,
    _folder: TempDir,
}

impl Run {
    fn start() -> Run {
        let folder = TempDir::new().unwrap();
        Run {
            server: Some(Server::start(folder.path(), None)),
            placeholders: Placeholders::default(),
            tokens: BTreeMap::new(),
            sockets: BTreeMap::new(),
            closed: BTreeMap::new(),
            _folder: folder,
        }
    }

    #[track_caller]
    fn compare(mut self, text: &str, path: &Path) {
        let mut response = None;
        for (number, line) in (1..).zip(text.lines()) {
            let place = || format!("{}:{number}", path.display());
            if let Some(step) = line.strip_prefix("> ") {
                assert!(response.is_none(), "{}: a response was not recorded", place());
                response = self.run(step).unwrap_or_else(|error| panic!("{}: {error}", place()));
            } else if let Some((sockets, recorded)) = answer(line) {
                let recorded: Value = serde_json::from_str(recorded).unwrap();
                let mut found = Vec::new();
                if sockets.is_empty() {
                    found.push(response.take());
                } else {
                    found.extend(sockets.split(',').map(|name| self.next(name, PATIENCE)));
                }
                for found in found {
                    let found = found.unwrap_or_else(|| panic!("{}: no answer", place()));
                    if let Err(error) = self.placeholders.compare(&recorded, &found) {
                        panic!("{}: {error}\nwhole: {found}", place());
                    }
                }
            }
        }
        for (name, socket) in &mut self.sockets {
            socket.say(r#"{"type":"ping"}"#);
            let last = socket.next(PATIENCE);
            assert_eq!(last, Some(json!({"type": "pong"})), "{name} was told more than recorded");
        }
    }

    fn record(mut self, text: &str) -> String {
        let (mut out, mut any) = (String::new(), Vec::new());
        for (number, line) in (1..).zip(text.lines()) {
            if answer(line).is_some() {
                continue;
            }
            writeln!(out, "{line}").unwrap();
            if let Some(keys) = line.strip_prefix("% any") {
                any = keys.split_whitespace().map(str::to_owned).collect();
            }
            let Some(step) = line.strip_prefix("> ") else { continue };
            let response = self.run(step).unwrap_or_else(|error| panic!("line {number}: {error}"));
            if let Some(response) = response {
                writeln!(out, "< {}", self.placeholders.mask(&response, &any)).unwrap();
            }
            let (who, said) = step.split_once(' ').unwrap_or_default();
            // Every message is answered, but late on a busy machine.
            let first = said.starts_with("say ").then(|| self.next(who, PATIENCE)).flatten();
            let first = first.map(|message| (who.to_owned(), message));
            self.record_messages(first, &any, &mut out);
        }
        out
    }

    /// Records what arrives on all sockets until they are silent; equal messages are written once.
    fn record_messages(
        &mut self,
        first: Option<(String, Value)>,
        any: &[String],
        out: &mut String,
    ) {
        let names: Vec<String> = self.sockets.keys().chain(self.closed.keys()).cloned().collect();
        let mut queues: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        queues.extend(first.map(|(name, message)| (name, vec![message])));
        let mut since = Instant::now();
        while since.elapsed() < SILENCE {
            for name in &names {
                while let Some(message) = self.next(name, Duration::from_millis(1)) {
                    queues.entry(name.clone()).or_default().push(message);
                    since = Instant::now();
                }
            }
        }
        for queue in queues.values_mut() {
            queue.reverse();
        }
        while let Some(first) = queues.values().find_map(|queue| queue.last().cloned()) {
            let heard = queues.iter_mut().filter_map(|(name, queue)| {
                (queue.last() == Some(&first)).then(|| queue.pop()).map(|_| name.as_str())
            });
            let heard = heard.collect::<Vec<_>>().join(",");
            writeln!(out, "{heard}< {}", self.placeholders.mask(&first, any)).unwrap();
        }
    }

    /// The next message on a socket. A closed one is forgotten.
    fn next(&mut self, name: &str, within: Duration) -> Option<Value> {
        if let Some(close) = self.closed.remove(name) {
            return Some(close);
        }
        let message = self.sockets.get(name)?.next(within)?;
        if message["closed"].is_u64() {
            self.sockets.remove(name);
        }
        Some(message)
    }

    fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    /// Runs a step and returns the response of an HTTP request.
    fn run(&mut self, step: &str) -> Result<Option<Value>, String> {
        let step = self.placeholders.fill(step)?;
        let words: Vec<&str> = step.splitn(4, ' ').collect();
        let (who, manner) = words[0].split_once('@').unwrap_or((words[0], "bearer"));
        match words[1..] {
            ["restart"] => self.restart(|_| ()),
            ["deal", id, digit] => {
                let seed: Seed = digit.repeat(64).parse().map_err(|_| "no digit")?;
                let details = self.server().ask("GET", &format!("matches/{id}"), &[], "").unwrap();
                let commitment = commit(&details.body, seed);
                self.restart(|data| deal(data, &seed, &commitment));
            }
            ["admin", ..] => {
                let words: Vec<&str> = step.split(' ').skip(2).collect();
                self.server().admin(&words);
            }
            ["open"] => {
                let token = self.tokens.get(who).cloned().unwrap_or_default();
                match Socket::open(self.server(), &token) {
                    Ok(socket) => drop(self.sockets.insert(who.to_owned(), socket)),
                    Err(status) => return Ok(Some(json!({"status": status}))),
                }
            }
            ["close"] => drop(self.sockets.remove(who)),
            ["say", ..] => {
                let text = step.splitn(3, ' ').nth(2).unwrap_or_default();
                self.sockets.get_mut(who).ok_or("no open socket")?.say(text);
            }
            [method, path, ref body @ ..] => {
                return Ok(Some(self.ask(who, manner, method, path, body.join(" ").as_str())));
            }
            _ => return Err(format!("no step: {step}")),
        }
        Ok(None)
    }

    fn ask(&mut self, who: &str, manner: &str, method: &str, path: &str, body: &str) -> Value {
        let token = self.tokens.get(who).cloned();
        let headers: Vec<(&str, String)> = match (manner, token) {
            ("none", _) | ("bearer" | "cookie", None) => Vec::new(),
            ("bearer", Some(token)) => vec![("Authorization", format!("Bearer {token}"))],
            ("cookie", Some(token)) => vec![
                ("Cookie", format!("authToken={token}")),
                ("Sec-Fetch-Site", "same-origin".to_owned()),
            ],
            (token, _) => vec![("Authorization", format!("Bearer {token}"))],
        };
        let response = self.server().ask(method, path, &headers, body).unwrap();
        let answer = describe(&response);
        if let Some(token) = answer["body"]["token"].as_str() {
            self.tokens.insert(who.to_owned(), token.to_owned());
        }
        answer
    }

    fn restart(&mut self, work: impl FnOnce(&Path)) {
        let server = self.server.take().unwrap();
        self.server = Some(server.restart(work));
        // The order of presence messages during a stop depends on timing: only the close is recorded.
        for (name, socket) in std::mem::take(&mut self.sockets) {
            while let Some(message) = socket.next(PATIENCE) {
                if message["closed"].is_u64() {
                    self.closed.insert(name.clone(), message);
                }
            }
        }
    }
}

/// The sockets of a recorded answer (empty for an HTTP response), and its JSON.
fn answer(line: &str) -> Option<(&str, &str)> {
    let (sockets, json) = line.split_once("< ")?;
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte == b',';
    sockets.bytes().all(is_name).then_some((sockets, json))
}

/// What is recorded of a response.
fn describe(response: &Response) -> Value {
    let mut answer = serde_json::Map::new();
    if !response.body.is_empty() {
        let json = serde_json::from_str(&response.body).ok();
        answer.insert("body".to_owned(), json.unwrap_or_else(|| response.body.as_str().into()));
    }
    for name in ["content-type", "content-disposition", "set-cookie"] {
        if let Some(value) = response.header(name) {
            answer.insert(name.to_owned(), value.into());
        }
    }
    answer.insert("status".to_owned(), response.status.into());
    Value::Object(answer)
}

/// The commitment to a seed of the match that `GET matches/ID` describes.
fn commit(details: &str, seed: Seed) -> Commitment {
    let details: Value = serde_json::from_str(details).unwrap();
    let game = catalog::find(details["game"].as_str().unwrap()).unwrap();
    let seats = u8::try_from(details["seats"].as_array().unwrap().len()).unwrap();
    game.start(&details["options"].to_string(), seats, seed).ok().unwrap().commitment()
}

/// Gives the match that began last, which has no entries yet, another deal.
fn deal(data: &Path, seed: &Seed, commitment: &Commitment) {
    let sql = format!(
        "UPDATE matches SET seed = '{}', commitment = '{commitment}'
         WHERE id = (SELECT id FROM matches ORDER BY created_ms DESC LIMIT 1)",
        seed.reveal(),
    );
    execute(&data.join("parlor.db"), &sql);
}
