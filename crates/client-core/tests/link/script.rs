//! The language of the transcripts, and [`check`], which plays one again.
//!
//! A line with `>` happens, `@` gives its time; the lines below it are all that the link wants done
//! for it, wake-ups aside. `m1` is a match, `l1` a lobby, `#1` the number of the first action.
//! `> wake` goes on to when the link wants to be woken, `at` shows that time. `> on 1 ...` happens
//! on the first socket, whatever came after it.

use std::fmt::Write as _;

use client_core::{ActionState, Connection, Effect, Input, Link, News, Request, SocketId, Wish};
use domain::{LobbyId, MatchId, PlayerId};
use protocol::Secret;
use protocol::ws::{OfferKind, Topic};
use serde_json::{Value, json};

const SEED: u64 = 1;

struct Stage {
    link: Link,
    now_ms: u64,
    wake_ms: Option<u64>,
    sockets: Vec<SocketId>,
    nonces: Vec<u64>,
}

/// Plays a transcript again and compares all of it.
#[track_caller]
pub(crate) fn check(transcript: &str) {
    let lines: Vec<&str> =
        transcript.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut stage = Stage {
        link: Link::new(SEED),
        now_ms: 0,
        wake_ms: None,
        sockets: Vec::new(),
        nonces: Vec::new(),
    };
    let mut played = Vec::new();
    for line in &lines {
        if let Some(words) = line.strip_prefix("> ") {
            played.push((*line).to_owned());
            stage.play(words, &mut played);
        }
    }
    let played = played.join("\n");
    assert!(played == lines.join("\n"), "it went otherwise:\n\n{played}\n");
}

/// The same, once a link is online and knows `m1` up to ply 3.
#[track_caller]
pub(crate) fn check_online(transcript: &str) {
    let online = "> connect
        open 1
        tell connecting
        > server welcome
        tell welcome
        tell online
        > follow m1
        send {\"type\":\"join\",\"match\":\"m1\"}
        > server snapshot m1 3
        tell snapshot m1 3
        ";
    check(&format!("{online}{transcript}"));
}

impl Stage {
    fn play(&mut self, words: &str, played: &mut Vec<String>) {
        let mut words: Vec<&str> = words.split(' ').collect();
        if let Some(time) = words[0].strip_prefix('@') {
            self.now_ms = time.parse().unwrap();
            words.remove(0);
        }
        let mut socket = self.sockets.last().copied();
        if words[0] == "on" {
            socket = Some(self.sockets[words[1].parse::<usize>().unwrap() - 1]);
            words.drain(..2);
        }
        let text;
        let input = match words[..] {
            ["connect"] => Input::Connect,
            ["disconnect"] => Input::Disconnect,
            ["online"] => Input::Network { is_up: true },
            ["offline"] => Input::Network { is_up: false },
            ["tick"] => Input::Tick,
            ["wake", ref shown @ ..] => {
                self.now_ms = self.wake_ms.take().unwrap();
                if shown == ["at"] {
                    played.push(format!("at {}", self.now_ms));
                }
                Input::Tick
            }
            ["closed", code] => {
                Input::Closed { socket: socket.unwrap(), code: code.parse().unwrap() }
            }
            ["server", "says", ref raw @ ..] => {
                text = raw.join(" ");
                Input::Received { socket: socket.unwrap(), text: &text }
            }
            ["server", ref words @ ..] => {
                text = self.server_text(words);
                Input::Received { socket: socket.unwrap(), text: &text }
            }
            _ => Input::Wish(read_wish(&words)),
        };
        for effect in self.link.handle(self.now_ms, input) {
            match effect {
                Effect::Open(socket) => {
                    self.sockets.push(socket);
                    played.push(format!("open {}", self.sockets.len()));
                }
                Effect::Close(socket) => {
                    let at = self.sockets.iter().position(|it| *it == socket).unwrap();
                    played.push(format!("close {}", at + 1));
                }
                Effect::WakeAt(at_ms) => self.wake_ms = Some(at_ms),
                Effect::Send(text) => played.push(format!("send {text}")),
                Effect::Tell(news) => {
                    if let News::Action { nonce, state: ActionState::Sent, .. } = &news {
                        assert!(!self.nonces.contains(nonce), "a number was given twice");
                        self.nonces.push(*nonce);
                    }
                    played.push(format!("tell {}", show_news(&news)));
                }
            }
        }
        for line in played {
            self.shorten(line);
        }
    }

    fn server_text(&self, words: &[&str]) -> String {
        let mut message = json!({ "type": words[0] });
        let fields = match *words {
            ["welcome"] => welcome(1, 1),
            ["welcome", "of", "another"] => welcome(2, 1),
            ["welcome", "of", "tomorrow"] => welcome(1, 2),
            ["snapshot", id, ply, ref missed @ ..] => {
                let missed = missed
                    .iter()
                    .skip(1)
                    .map(|ply| json!({ "ply": number(ply), "event": {}, "notation": "e4" }));
                json!({
                    "match": read_match(id), "ply": number(ply), "game": "chess", "viewer": 0,
                    "view": {}, "events": missed.collect::<Vec<_>>(), "seats": [], "spectators": 0,
                    "clock": { "remaining_ms": [], "running": [] }, "status": "running",
                    "offers": [], "commitment": "",
                })
            }
            ["event", id, ply] => json!({
                "match": read_match(id), "ply": number(ply), "event": {}, "view": {},
                "notation": "e4", "clock": { "remaining_ms": [], "running": [] },
            }),
            ["ack", id, nonce, ply] => json!({
                "match": read_match(id), "nonce": self.read_nonce(nonce), "ply": number(ply),
            }),
            ["refused", id, ref nonce @ .., code] => json!({
                "match": read_match(id), "code": code, "message": "no",
                "nonce": nonce.first().map(|nonce| self.read_nonce(nonce)), "ply": 0,
            }),
            ["legal", id] => {
                json!({ "match": read_match(id), "ply": 0, "complete": true, "actions": ["e4"] })
            }
            ["offer", id] => {
                json!({ "match": read_match(id), "kind": "draw", "seat": 0, "state": "open" })
            }
            ["presence", id] => json!({ "match": read_match(id), "present": [], "spectators": 0 }),
            ["over", id] => {
                json!({ "match": read_match(id), "outcome": { "places": [], "reason": "aborted" } })
            }
            ["rematch", id, next] => json!({ "match": read_match(id), "next": read_match(next) }),
            ["chat", id] => json!({ "match": read_match(id), "seat": 0, "text": "hi", "at_ms": 0 }),
            ["paired" | "left", id] => json!({ "match": read_match(id) }),
            ["lobbies"] => json!({ "lobbies": [] }),
            ["lobby", id] => json!({ "id": read_lobby(id) }),
            ["unwatched", topic] => json!({ "topic": read_topic(topic) }),
            ["pong"] => json!({}),
            ["error"] => json!({ "code": "bad_request", "message": "no" }),
            _ => panic!("no message: {words:?}"),
        };
        let (Value::Object(all), Value::Object(fields)) = (&mut message, fields) else {
            panic!("no object");
        };
        all.extend(fields);
        message.to_string()
    }

    fn read_nonce(&self, word: &str) -> u64 {
        self.nonces[word[1..].parse::<usize>().unwrap() - 1]
    }

    /// Ids and numbers become what the transcripts call them.
    fn shorten(&self, line: &mut String) {
        for number in 1..10 {
            let name = read_match(&format!("m{number}")).to_string();
            *line = line.replace(&name, &format!("m{number}"));
            let name = read_lobby(&format!("l{number}")).to_string();
            *line = line.replace(&name, &format!("l{number}"));
        }
        for (nonce, at) in self.nonces.iter().zip(1..) {
            *line = line.replace(&nonce.to_string(), &format!("#{at}"));
        }
    }
}

fn welcome(user: i64, protocol: u32) -> Value {
    let id = PlayerId::from_number(user).unwrap();
    let user = json!({ "id": id, "name": "ada", "role": "player" });
    json!({ "protocol": protocol, "user": user, "time_ms": 0 })
}

fn number(word: &str) -> u64 {
    word.parse().unwrap()
}

fn read_match(word: &str) -> MatchId {
    MatchId::from_number(word.strip_prefix('m').unwrap().parse().unwrap()).unwrap()
}

fn read_lobby(word: &str) -> LobbyId {
    // Not the numbers of the matches, so that the two are not confused.
    LobbyId::from_number(1000 + word.strip_prefix('l').unwrap().parse::<i64>().unwrap()).unwrap()
}

fn read_topic(word: &str) -> Topic {
    if word == "lobbies" { Topic::Lobbies } else { Topic::Lobby(read_lobby(word)) }
}

fn read_wish(words: &[&str]) -> Wish {
    let kind = |word: &str| -> OfferKind { serde_json::from_value(json!(word)).unwrap() };
    let request = match *words {
        ["follow", id] => return Wish::Follow(read_match(id)),
        ["follow", id, "by", key] => {
            return Wish::FollowBy { match_id: read_match(id), key: Secret::new(key) };
        }
        ["unfollow", id] => return Wish::Unfollow(read_match(id)),
        ["watch", topic] => return Wish::Watch(read_topic(topic)),
        ["unwatch", topic] => return Wish::Unwatch(read_topic(topic)),
        ["act", id, ply, action] => {
            let ply = ply.parse().unwrap();
            return Wish::Act { match_id: read_match(id), ply, action: action.to_owned() };
        }
        [_, "legal"] => Request::Legal,
        [_, "resign"] => Request::Resign,
        [_, "claim"] => Request::Claim,
        [_, "offer", word] => Request::Offer(kind(word)),
        [_, "accept", word] => Request::Answer { kind: kind(word), accept: true },
        [_, "decline", word] => Request::Answer { kind: kind(word), accept: false },
        [_, "chat", text] => Request::Chat(text.to_owned()),
        _ => panic!("no input: {words:?}"),
    };
    Wish::Ask { match_id: read_match(words[0]), request }
}

fn show_news(news: &News<'_>) -> String {
    match news {
        News::Connection(Connection::Reconnecting { since_ms, .. }) => {
            format!("reconnecting since {since_ms}")
        }
        News::Connection(connection) => format!("{connection:?}").to_lowercase(),
        News::Action { match_id, nonce, state } => match state {
            ActionState::Sent => format!("{match_id} {nonce} sent"),
            ActionState::Stored => format!("{match_id} {nonce} stored"),
            ActionState::Refused { code, .. } => format!("{match_id} {nonce} refused {code}"),
        },
        News::Failed { wish, why } => format!("{why:?} {wish:?}"),
        News::Message(message) => show_message(&serde_json::to_value(message).unwrap()),
    }
}

/// Its type, and what of its match, ply, code and missed events it has.
fn show_message(message: &Value) -> String {
    let mut shown = message["type"].as_str().unwrap().to_owned();
    for field in ["match", "id", "ply", "code"] {
        match &message[field] {
            Value::String(text) => write!(shown, " {text}").unwrap(),
            Value::Number(number) => write!(shown, " {number}").unwrap(),
            _ => {}
        }
    }
    for missed in message["events"].as_array().into_iter().flatten() {
        write!(shown, " missed {}", missed["ply"]).unwrap();
    }
    shown
}
