//! `parlor bot`: an account that plays what an engine says, over the interface that everybody has.
//!
//! It knows no rules: the house tells what is legal, and the engine is shown what the seat sees.

mod engine;
mod socket;

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde_json::{Value, json};

use self::engine::Engine;
use self::socket::Socket;
use crate::bench::http::Http;

/// How often it looks for matches that have begun; a wish to be paired is repeated as often.
const LOOK: Duration = Duration::from_secs(2);
/// A house that has too much to do is left alone for so long.
const RETRY: Duration = Duration::from_millis(200);

/// What to play, where, and with what.
#[derive(Debug, clap::Args)]
pub(crate) struct BotArgs {
    /// The program that decides, with its arguments: it speaks the lines of `parlor shell`
    #[arg(long, value_name = "COMMAND")]
    engine: String,
    /// The game that it plays, as `parlor games` lists it
    #[arg(long)]
    game: String,
    /// The house: `http://` and host
    #[arg(long, value_name = "URL")]
    server: String,
    /// What the engine's `bot` is asked with
    #[arg(long, default_value = "8")]
    level: String,
    /// How long the engine may think about an action
    #[arg(long, default_value_t = 500)]
    ms: u64,
    /// Sit down in this lobby
    #[arg(long, value_name = "ID")]
    lobby: Option<String>,
    /// Ask to be paired whenever there is no match
    #[arg(long, conflicts_with = "lobby")]
    pair: bool,
    /// End after so many matches
    #[arg(long, value_name = "N")]
    matches: Option<usize>,
}

struct Player<'a> {
    args: &'a BotArgs,
    http: Http,
    socket: Socket,
    token: String,
    engine: Engine,
    /// Matches that are followed.
    tables: HashMap<String, Table>,
    /// Matches of other games, or that are over.
    ignored: HashSet<String>,
    nonce: u64,
    played: usize,
}

/// A match as the house told it last.
struct Table {
    options: String,
    seats: usize,
    viewer: Value,
    view: Value,
    /// The ply at which it acted last, if nothing has happened since.
    acted_at: Option<u64>,
    /// The engine's action was refused: the house's list is trusted instead.
    is_listed: bool,
}

/// Plays until the wanted number of matches is over, or for ever.
pub(crate) fn run(args: &BotArgs) -> anyhow::Result<()> {
    let host = args.server.trim_end_matches('/').strip_prefix("http://");
    let host = host.context("a server is http:// and a host; for https:// put a proxy between")?;
    let address = resolve(host)?;
    let mut http = Http::open(address)?;
    let token = log_in(&mut http)?;
    let engine = Engine::start(&args.engine, Duration::from_millis(args.ms))?;
    let socket = Socket::open(address, host, &token)?;
    let nonce = getrandom::u32()?.into();
    let (tables, ignored) = (HashMap::new(), HashSet::new());
    let mut player =
        Player { args, http, socket, token, engine, tables, ignored, nonce, played: 0 };
    if let Some(lobby) = &args.lobby {
        player.http.post(&format!("lobbies/{lobby}/join"), &player.token, None)?;
    }
    let mut looked: Option<Instant> = None;
    while args.matches.is_none_or(|wanted| player.played < wanted) {
        if looked.is_none_or(|at| at.elapsed() >= LOOK) {
            player.look()?;
            looked = Some(Instant::now());
        }
        if let Some(message) = player.socket.next(LOOK)? {
            player.hear(&message)?;
        }
    }
    Ok(())
}

fn resolve(host: &str) -> anyhow::Result<SocketAddr> {
    let named = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
    let mut found = named.to_socket_addrs().with_context(|| format!("{named} is not found"))?;
    found.next().with_context(|| format!("{named} is not found"))
}

/// The token from the environment, or that of a new session.
fn log_in(http: &mut Http) -> anyhow::Result<String> {
    let variable = |name: &str| std::env::var(name).ok();
    if let Some(token) = variable("PARLOR_TOKEN") {
        return Ok(token);
    }
    let (Some(username), Some(password)) = (variable("PARLOR_NAME"), variable("PARLOR_PASSWORD"))
    else {
        bail!("set PARLOR_TOKEN, or PARLOR_NAME and PARLOR_PASSWORD");
    };
    let body = json!({ "username": username, "password": password });
    let answer = http.post("login", "", Some(&body))?;
    Ok(answer["token"].as_str().context("an answer without a token")?.to_owned())
}

impl Player<'_> {
    /// Joins the account's matches of its game, and asks for another if it has none.
    fn look(&mut self) -> anyhow::Result<()> {
        let running = self.get("matches")?;
        for found in running["matches"].as_array().into_iter().flatten() {
            let Some(id) = found["id"].as_str().map(str::to_owned) else { continue };
            if self.tables.contains_key(&id) || self.ignored.contains(&id) {
                continue;
            }
            if found["game"] != self.args.game.as_str() {
                self.ignored.insert(id);
                continue;
            }
            let details = self.get(&format!("matches/{id}"))?;
            let table = Table {
                options: line_of(&details["options"]),
                seats: details["seats"].as_array().map_or(0, Vec::len),
                viewer: Value::Null,
                view: Value::Null,
                acted_at: None,
                is_listed: false,
            };
            self.socket.send(&json!({ "type": "join", "match": id }))?;
            self.tables.insert(id, table);
        }
        if self.args.pair && self.tables.is_empty() {
            let wish = json!({ "game": self.args.game });
            self.http.post("pairing", &self.token, Some(&wish))?;
        }
        Ok(())
    }

    fn get(&mut self, path: &str) -> anyhow::Result<Value> {
        let answer = self.http.ask("GET", path, &self.token, None)?;
        ensure!(answer.status == 200, "GET {path}: {}", answer.body);
        Ok(serde_json::from_str(&answer.body)?)
    }

    fn hear(&mut self, message: &Value) -> anyhow::Result<()> {
        let Some(id) = message["match"].as_str() else { return Ok(()) };
        // Before the table is looked up: a rematch is offered when it is gone.
        if message["type"] == "offer" && message["state"] == "open" {
            return self.answer(id, &message["kind"]);
        }
        let Some(table) = self.tables.get_mut(id) else { return Ok(()) };
        match message["type"].as_str() {
            Some("snapshot" | "event") => {
                if !message["viewer"].is_null() {
                    table.viewer = message["viewer"].clone();
                }
                table.view = message["view"].clone();
                (table.acted_at, table.is_listed) = (None, false);
                self.socket.send(&json!({ "type": "legal", "match": id }))?;
            }
            Some("legal") => self.act(id, message)?,
            // Nothing is wrong with what was asked: it is asked again, and the engine with it.
            Some("refused") if is_passing(&message["code"]) => {
                table.acted_at = None;
                let again = if table.view.is_null() { "join" } else { "legal" };
                sleep(RETRY);
                self.socket.send(&json!({ "type": again, "match": id }))?;
            }
            // Tried once more from the list; a pause, say, refuses that too, until there is news.
            Some("refused") if !message["nonce"].is_null() && !table.is_listed => {
                (table.acted_at, table.is_listed) = (None, true);
                self.socket.send(&json!({ "type": "legal", "match": id }))?;
            }
            Some("over") => {
                writeln!(std::io::stdout(), "{id} {}", message["outcome"])?;
                self.tables.remove(id);
                self.ignored.insert(id.to_owned());
                self.played += 1;
            }
            _ => {}
        }
        Ok(())
    }

    /// A person who plays a program may try things out, but not talk it into a draw.
    fn answer(&mut self, id: &str, kind: &Value) -> anyhow::Result<()> {
        let accept = *kind != "draw";
        self.socket.send(&json!({ "type": "answer", "match": id, "kind": kind, "accept": accept }))
    }

    /// Acts, if it may.
    fn act(&mut self, id: &str, legal: &Value) -> anyhow::Result<()> {
        let listed: Vec<&str> =
            legal["actions"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let (Some(first), Some(table)) = (listed.first(), self.tables.get_mut(id)) else {
            return Ok(());
        };
        // Of two lists for one decision the second comes too late.
        let ply = legal["ply"].as_u64();
        if ply.is_none() || table.acted_at == ply {
            return Ok(());
        }
        table.acted_at = ply;
        let mut decided = None;
        if !table.is_listed {
            let Table { options, seats, viewer, view, .. } = table;
            let see = format!("see {seats} {viewer} {options} {}", line_of(view));
            if self.engine.ask(&see)?.is_some() {
                decided = self.engine.ask(&format!("bot {} {}", self.args.level, self.args.ms))?;
            }
        }
        let is_known =
            |action: &String| legal["complete"] != true || listed.contains(&action.as_str());
        let action = decided.filter(is_known).unwrap_or_else(|| (*first).to_owned());
        self.nonce += 1;
        self.socket.send(&json!({
            "type": "act", "match": id, "ply": legal["ply"], "action": action, "nonce": self.nonce,
        }))
    }
}

/// Is a request refused only because the house cannot do it just now?
fn is_passing(code: &Value) -> bool {
    *code == "busy" || *code == "unavailable" || *code == "rate_limited"
}

/// JSON without blanks: those within texts are escaped.
fn line_of(value: &Value) -> String {
    value.to_string().replace(' ', "\\u0020")
}
