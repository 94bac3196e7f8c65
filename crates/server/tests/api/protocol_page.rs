//! `docs/protocol.md` says of the WebSocket and of every code what the code says, and no more.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use domain::{LobbyId, MatchId, PlayerId, Role};
use game_api::{Commitment, Seat, SeatSet, Seed, Viewer};
use protocol::ws::{
    Ack, Chat, ChatLine, ClientMessage, Event, Left, Legal, Lobbies, LobbyNews, Missed, Offer,
    OfferKind, OfferState, Outcome, Over, PROTOCOL_VERSION, Presence, Refused, Rematch, SeatInfo,
    ServerMessage, Snapshot, Status, Topic, Unwatched, Welcome, WsError,
};
use protocol::{ClockFace, Code, LobbySummary, MatchStarted, MatchTerms, User};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use server::config::{Connections, Sockets};
use server::ws::frame::{MESSAGE_BYTES_MAX, Violation};
use server::ws::{
    CloseReason, HOLD, MATCHES_MAX, OUTBOX_BYTES_MAX, PING_AFTER_MS, TIMEOUT_MS, TOPICS_MAX,
};

use crate::kit::TestServer;
use crate::play::begin;
use crate::socket::Socket;

const PAGE: &str = include_str!("../../../../docs/protocol.md");
/// Where the codes of a room are: no list of them could be forgotten.
const REFUSALS: &str = include_str!("../../../play/src/room/refusal.rs");

type Row = Vec<&'static str>;

/// The rows of the tables under a heading, without their heads; `head` is the first cell of the one
/// that is meant.
fn rows(heading: &str, head: &str) -> Vec<Row> {
    let (_, section) = PAGE.split_once(&format!("\n{heading}\n")).unwrap();
    let lines = section.lines().take_while(|line| !line.starts_with('#'));
    let start = format!("| {head} |");
    let table = lines.skip_while(|line| !line.starts_with(&start)).skip(2);
    let cells =
        |line: &'static str| -> Row { line.trim_matches('|').split('|').map(str::trim).collect() };
    table.take_while(|line| line.starts_with('|')).map(cells).collect()
}

/// What stands in backticks.
fn words(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The messages of a table and their fields.
fn messages(heading: &str) -> BTreeMap<String, BTreeSet<String>> {
    let table = rows(heading, "message");
    let count = table.len();
    let named = table.iter().map(|row| (row[0].trim_matches('`').to_owned(), words(row[1])));
    let named: BTreeMap<_, _> = named.collect();
    assert_eq!(named.len(), count, "{heading}: a message stands there twice");
    named
}

/// What serde says it would have taken.
fn expected(json: &str) -> BTreeSet<String> {
    let error = serde_json::from_str::<ClientMessage>(json).unwrap_err().to_string();
    let (_, expected) = error.split_once(", ").unwrap_or_else(|| panic!("{error}"));
    words(expected)
}

#[test]
fn the_page_has_every_message_of_a_client_with_its_fields() {
    let mut known = BTreeMap::new();
    for kind in expected(r#"{"type": "?"}"#) {
        let fields = expected(&format!(r#"{{"type": "{kind}", "?": 0}}"#));
        known.insert(kind, fields);
    }
    assert!(known.len() > 10);
    assert_eq!(messages("### From the client"), known);
}

fn summary() -> LobbySummary {
    let terms: MatchTerms = serde_json::from_str(r#"{"game": "chess"}"#).unwrap();
    LobbySummary {
        id: LobbyId::new(1, 1),
        host: String::new(),
        terms,
        seats: 2,
        players: Vec::new(),
        order: vec![None; 2],
        bots: Vec::new(),
        public: true,
        created_at_ms: 1,
    }
}

fn snapshot() -> Snapshot<'static> {
    let match_id = MatchId::new(1, 1);
    let seat = Seat::new(0).unwrap();
    let text = Cow::Borrowed("");
    let offer = Offer { match_id, kind: OfferKind::Draw, seat, state: OfferState::Open };
    Snapshot {
        match_id,
        game: text.clone(),
        ply: 1,
        viewer: Viewer::Spectator,
        view: RawValue::NULL,
        events: vec![Missed { ply: 1, event: RawValue::NULL, notation: text.clone() }],
        seats: vec![SeatInfo {
            name: Some(String::new()),
            bot: Some(String::new()),
            present: true,
        }],
        spectators: 0,
        clock: clock(),
        status: Status::Running,
        outcome: Some(Outcome { places: Vec::new(), reason: String::new() }),
        offers: vec![offer],
        chat: vec![ChatLine { seat, text: text.clone(), at_ms: 1 }],
        commitment: text,
    }
}

fn clock() -> ClockFace {
    ClockFace { remaining_ms: Vec::new(), running: SeatSet::EMPTY, window_ms: Some(1) }
}

/// A message after this one with every field, until all kinds were there: a new kind does not
/// compile before it is here.
fn next(message: &ServerMessage<'_>) -> Option<ServerMessage<'static>> {
    let match_id = MatchId::new(1, 1);
    let id = LobbyId::new(1, 1);
    let seat = Seat::new(0).unwrap();
    let text = Cow::Borrowed("");
    Some(match message {
        ServerMessage::Welcome(_) => ServerMessage::Snapshot(snapshot()),
        ServerMessage::Snapshot(_) => ServerMessage::Event(Event {
            match_id,
            ply: 1,
            event: RawValue::NULL,
            view: RawValue::NULL,
            notation: text,
            clock: clock(),
        }),
        ServerMessage::Event(_) => ServerMessage::Ack(Ack { match_id, nonce: 1, ply: 1 }),
        ServerMessage::Ack(_) => ServerMessage::Refused(Refused {
            match_id,
            nonce: Some(1),
            code: text.clone(),
            message: text,
            ply: Some(1),
        }),
        ServerMessage::Refused(_) => {
            ServerMessage::Legal(Legal { match_id, ply: 1, complete: true, actions: Vec::new() })
        }
        ServerMessage::Legal(_) => {
            let (kind, state) = (OfferKind::Draw, OfferState::Open);
            ServerMessage::Offer(Offer { match_id, kind, seat, state })
        }
        ServerMessage::Offer(_) => {
            ServerMessage::Presence(Presence { match_id, present: Vec::new(), spectators: 0 })
        }
        ServerMessage::Presence(_) => {
            let outcome = Outcome { places: Vec::new(), reason: String::new() };
            ServerMessage::Over(Over { match_id, outcome: Cow::Owned(outcome) })
        }
        ServerMessage::Over(_) => ServerMessage::Rematch(Rematch { match_id, next: match_id }),
        ServerMessage::Rematch(_) => {
            ServerMessage::Chat(Chat { match_id, line: ChatLine { seat, text, at_ms: 1 } })
        }
        ServerMessage::Chat(_) => ServerMessage::Left(Left { match_id }),
        ServerMessage::Left(_) => {
            ServerMessage::Lobbies(Lobbies { lobbies: vec![summary()], next_offset: Some(100) })
        }
        ServerMessage::Lobbies(_) => {
            let (lobby, match_id) = (Some(summary()), Some(match_id));
            ServerMessage::Lobby(LobbyNews { id, lobby, match_id })
        }
        ServerMessage::Lobby(_) => ServerMessage::Unwatched(Unwatched { topic: Topic::Lobbies }),
        ServerMessage::Unwatched(_) => ServerMessage::Paired(MatchStarted { match_id }),
        ServerMessage::Paired(_) => ServerMessage::Pong {},
        ServerMessage::Pong {} => {
            ServerMessage::Error(WsError { code: Code::Internal, message: text })
        }
        ServerMessage::Error(_) => return None,
    })
}

#[test]
fn the_page_has_every_message_of_a_server_with_its_fields_and_parts() {
    let user = User { id: PlayerId::new(1, 1), name: String::new(), role: Role::Player };
    let first = Welcome { protocol: PROTOCOL_VERSION, user, time_ms: 1 };
    let all = std::iter::successors(Some(ServerMessage::Welcome(first)), next);
    let mut known = BTreeMap::new();
    let mut parts = BTreeMap::new();
    // The game's own, and what the description of the HTTP interface has.
    let elsewhere = ["lobby", "lobbies"];
    for message in all {
        let Value::Object(mut message) = serde_json::to_value(message).unwrap() else { panic!() };
        let kind = message.remove("type").unwrap().as_str().unwrap().to_owned();
        for (name, value) in &message {
            let part = if value.is_array() { &value[0] } else { value };
            if let (Value::Object(part), false) = (part, elsewhere.contains(&name.as_str())) {
                let fields: BTreeSet<String> = part.keys().cloned().collect();
                let before = parts.insert(name.clone(), fields.clone());
                assert!(before.is_none_or(|before| before == fields), "{name} is two things");
            }
        }
        known.insert(kind, message.into_iter().map(|(name, _)| name).collect());
    }
    assert_eq!(messages("### From the server"), known);
    let described = rows("### From the server", "part").into_iter();
    let described = described.map(|row| (row[0].trim_matches('`').to_owned(), words(row[1])));
    assert_eq!(described.collect::<BTreeMap<_, _>>(), parts);
    assert!(PAGE.contains(&format!("`protocol` is {PROTOCOL_VERSION} |")));
}

fn conversation() -> &'static str {
    let (_, section) = PAGE.split_once("### A conversation").unwrap();
    section.split("```").nth(1).unwrap().strip_prefix("json\n").unwrap()
}

#[tokio::test]
async fn who_joins_is_told_of_the_own_presence_after_the_snapshot_as_on_the_page() {
    let server = TestServer::start().await;
    let (id, users) = begin(&server, json!({"game": "chess"}), &["ada", "bob"]).await;
    let mut bob = Socket::open(server.address, &users[1].token).await;
    bob.join(id).await;
    let mut ada = Socket::open(server.address, &users[0].token).await;
    let snapshot = ada.join(id).await;
    let presence = ada.expect("presence").await;
    let shown = |kind: &str| -> Value {
        let begin = format!("< {{\"type\":\"{kind}\"");
        let mut lines = conversation().lines().filter(|line| line.starts_with(&begin));
        serde_json::from_str(&lines.next().unwrap()[2..]).unwrap()
    };
    let of_seats = |snapshot: &Value| [0, 1].map(|seat| snapshot["seats"][seat]["present"].clone());
    assert_eq!(of_seats(&snapshot), [json!(false), json!(true)]);
    assert_eq!(of_seats(&shown("snapshot")), of_seats(&snapshot));
    assert_eq!(presence["present"], json!([true, true]));
    assert_eq!(shown("presence")["present"], presence["present"]);
}

#[test]
fn the_commitment_on_the_page_is_the_one_of_a_match() {
    let (_, rest) = PAGE.split_once("$ printf '%s\\n' ").unwrap();
    let (fields, _) = rest.split_once(" \"$SEED\" | sha256sum").unwrap();
    let words: Vec<&str> = fields.splitn(3, ' ').collect();
    let [game, version, options] = words[..] else { panic!("{fields}") };
    let (version, options) = (version.parse().unwrap(), options.trim_matches('\''));
    let seed = Seed::from_number(7);
    let contest = catalog::find(game).unwrap().start(options, 2, seed).unwrap();
    assert_eq!(contest.options(), options, "they are hashed as the log has them");
    assert_eq!(Commitment::new(game, version, options, &seed), contest.commitment());
}

#[test]
fn the_conversation_on_the_page_is_one() {
    let block = conversation();
    for line in block.lines() {
        match line.split_at(2) {
            ("> ", json) => drop(serde_json::from_str::<ClientMessage>(json).expect(json)),
            ("< ", json) => drop(ServerMessage::parse(json).expect(json)),
            _ => panic!("{line}"),
        }
    }
    assert!(block.lines().count() > 5);
}

#[test]
fn the_page_has_every_code_of_http() {
    let known = Code::ALL.map(|code| {
        let title = code.title();
        let (first, rest) = title.split_at(1);
        vec![format!("`{code}`"), code.status().to_string(), first.to_lowercase() + rest]
    });
    assert_eq!(rows("## HTTP", "code"), known);
}

#[test]
fn the_page_has_every_refusal_of_a_room() {
    let codes = REFUSALS.lines().filter_map(|line| {
        let (variant, code) = line.trim().split_once(" => \"")?;
        variant.starts_with("Refusal::").then(|| format!("`{}`", code.trim_end_matches("\",")))
    });
    let codes: Vec<String> = codes.collect();
    assert!(codes.len() > 10);
    let described: Vec<&str> =
        rows("### Why a room refuses", "code").into_iter().map(|row| row[0]).collect();
    assert_eq!(described, codes);
    let (_, section) = PAGE.split_once("### Why a room refuses").unwrap();
    let before = section.split("| code |").next().unwrap();
    for word in words(before) {
        assert!(Code::ALL.iter().any(|code| code.as_str() == word), "{word}");
    }
}

#[test]
fn the_page_has_every_close_code() {
    let violations =
        [Violation::ReservedBits, Violation::Binary, Violation::Utf8, Violation::TooBig];
    let reasons = [CloseReason::GoingAway]
        .into_iter()
        .chain(violations.map(|it| CloseReason::Violation(it.close_code())))
        .chain([
            CloseReason::SessionEnded,
            CloseReason::SlowConsumer,
            CloseReason::Flood,
            CloseReason::TimedOut,
        ]);
    let known = reasons.map(|reason| [reason.code().to_string(), format!("`{}`", reason.text())]);
    let described = rows("### Close codes", "code");
    assert_eq!(described[0][..2], ["1000", ""], "what a client's own close is answered with");
    let described = described[1..].iter().map(|row| [row[0].to_owned(), row[1].to_owned()]);
    assert_eq!(described.collect::<Vec<_>>(), known.collect::<Vec<_>>());
}

#[test]
fn the_page_has_the_limits() {
    let (sockets, connections) = (Sockets::default(), Connections::default());
    let known = [
        MESSAGE_BYTES_MAX.to_string(),
        sockets.burst.to_string(),
        sockets.messages_per_s.to_string(),
        MATCHES_MAX.to_string(),
        play::room::MEMBERS_OF_PLAYER_MAX.to_string(),
        TOPICS_MAX.to_string(),
        OUTBOX_BYTES_MAX.to_string(),
        connections.per_player.to_string(),
        connections.per_address.to_string(),
        HOLD.as_millis().to_string(),
        PING_AFTER_MS.to_string(),
        TIMEOUT_MS.to_string(),
    ];
    let described: Vec<&str> = rows("### Limits", "limit").into_iter().map(|row| row[1]).collect();
    assert_eq!(described, known);
}
