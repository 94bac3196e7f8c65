//! M2: who may open a socket, what may be sent over it, and how it ends. Whatever a client does, the
//! match goes on for the others.

use std::num::NonZeroU32;
use std::time::Duration;

use domain::MatchId;
use game_api::Seed;
use serde_json::{Value, json};
use server::config::{Config, Sockets, Tokens};
use server::ws::frame;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::kit::{Deal, TestServer, User, patient};
use crate::play::{any, begin, begin_between, check_presence, play_on, sit_down, step};
use crate::socket::{Came, Socket};
use crate::times::pass;

const KEY: [u8; 4] = [3, 1, 4, 1];
/// More than what may wait in the server (64 KiB), in its send buffer (416 KiB) and in the receive
/// buffer of a client that has not read yet.
const HELD_BYTES_MAX: usize = 1024 * 1024;

/// A match of Santorini.
async fn santorini(server: &TestServer) -> (MatchId, Vec<User>, Vec<Socket>) {
    let (id, users) = begin(server, json!({"game": "santorini"}), &["ada", "bob"]).await;
    let sockets = sit_down(server, id, &users).await;
    (id, users, sockets)
}

/// The head of the answer to a request.
async fn head(server: &TestServer, request: &str) -> String {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap().to_lowercase()
}

#[tokio::test]
async fn a_handshake_that_is_none_is_refused() {
    let server = TestServer::start().await;
    let ada = server.register("ada").await;
    let good = [
        ("host", "parlor.example".to_owned()),
        ("authorization", format!("Bearer {}", ada.token)),
        ("connection", "keep-alive, Upgrade".to_owned()),
        ("upgrade", "WebSocket".to_owned()),
        ("sec-websocket-version", "13".to_owned()),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==".to_owned()),
    ];
    let check = async |line: &str, name: &str, value: Option<&str>, status: &str| {
        let mut request = format!("{line}\r\n");
        for (header, usual) in &good {
            let value = if *header == name { value } else { Some(usual.as_str()) };
            request += &value.map(|value| format!("{header}: {value}\r\n")).unwrap_or_default();
        }
        let head = head(&server, &format!("{request}\r\n")).await;
        assert!(head.starts_with(&format!("http/1.1 {status} ")), "{name} {value:?}: {head}");
        head
    };
    let get = "GET /api/v1/ws HTTP/1.1";
    check(get, "", None, "101").await;
    check(get, "authorization", None, "401").await;
    check(get, "authorization", Some("Bearer garbage"), "401").await;
    check(get, "connection", Some("keep-alive"), "426").await;
    check(get, "upgrade", None, "426").await;
    check(get, "upgrade", Some("h2c"), "426").await;
    let head = check(get, "sec-websocket-version", Some("8"), "426").await;
    assert!(head.contains("sec-websocket-version: 13\r\n"), "{head}");
    assert!(head.contains("upgrade: websocket\r\n"), "{head}");
    check(get, "sec-websocket-version", None, "426").await;
    check(get, "sec-websocket-key", None, "400").await;
    check(get, "sec-websocket-key", Some("short"), "400").await;
    check("POST /api/v1/ws HTTP/1.1", "", None, "405").await;
}

#[tokio::test]
async fn a_socket_opens_for_whoever_has_a_session() {
    let server = TestServer::start().await;
    let ada = server.register("ada").await;
    let guest = server.guest("the-device-of-a-guest").await;
    let own = format!("http://{}", server.address);
    let cookie = format!("Cookie: authToken={}\r\n", ada.token);
    let bearer = format!("Authorization: Bearer {}\r\n", guest.token);
    for (headers, name) in [
        (cookie.clone(), "ada"),
        (format!("{cookie}Origin: {own}\r\n"), "ada"),
        (format!("{cookie}Sec-Fetch-Site: same-origin\r\n"), "ada"),
        (bearer.clone(), "Guest"),
        (format!("{bearer}Origin: https://evil.example\r\n"), "Guest"),
        (format!("{cookie}{bearer}"), "Guest"),
    ] {
        let mut socket = Socket::try_open(server.address, &headers).await.unwrap();
        let welcome = socket.next().await;
        assert_eq!(welcome["protocol"], 1);
        assert!(welcome["user"]["name"].as_str().unwrap().starts_with(name), "{welcome}");
    }
    for (headers, status) in [
        (String::new(), "401"),
        ("Cookie: authToken=garbage\r\n".to_owned(), "401"),
        (format!("{cookie}Origin: https://evil.example\r\n"), "403"),
        (format!("{cookie}Origin: null\r\n"), "403"),
        (format!("{cookie}Origin: {own}.evil.example\r\n"), "403"),
        (format!("{cookie}Sec-Fetch-Site: same-site\r\n"), "403"),
        (format!("{cookie}Sec-Fetch-Site: cross-site\r\nOrigin: {own}\r\n"), "403"),
    ] {
        let refused = Socket::try_open(server.address, &headers).await.err().unwrap();
        assert!(refused.contains(status), "{headers}: {refused}");
    }
    ada.browser.post_empty("/api/v1/logout").await.empty();
    let refused = Socket::try_open(server.address, &cookie).await.err().unwrap();
    assert!(refused.contains("401"), "a revoked session: {refused}");
    server.time.advance(365 * 24 * 3_600_000);
    let refused = Socket::try_open(server.address, &bearer).await.err().unwrap();
    assert!(refused.contains("401"), "an expired token: {refused}");
}

#[tokio::test]
async fn what_is_no_message_is_answered_and_changes_nothing() {
    let server = TestServer::start().await;
    let (id, _, mut sockets) = santorini(&server).await;
    let act = json!({"type": "act", "match": id, "ply": 0, "action": "x", "nonce": 1});
    let with = |field: &str, value: Value| {
        let mut act = act.clone();
        act[field] = value;
        act.to_string()
    };
    let without = |field: &str| {
        let mut act = act.clone();
        act.as_object_mut().unwrap().remove(field);
        act.to_string()
    };
    let texts = [
        String::new(),
        " ".to_owned(),
        "null".to_owned(),
        "7".to_owned(),
        "{".to_owned(),
        "{}".to_owned(),
        "[]".to_owned(),
        "\"ping\"".to_owned(),
        "[\"ping\"]".to_owned(),
        "\u{0}".to_owned(),
        "{\"type\": \"ping\"}{\"type\": \"ping\"}".to_owned(),
        "{\"type\": \"ping\", \"type\": \"ping\"}".to_owned(),
        "[".repeat(10_000),
        json!({"type": "shout"}).to_string(),
        json!({"type": "ping", "odd": 1}).to_string(),
        json!({"type": "watch", "topic": "matches"}).to_string(),
        json!({"type": "watch", "topic": "lobby:x"}).to_string(),
        json!({"type": "offer", "match": id, "kind": "bribe"}).to_string(),
        json!({"type": "answer", "match": id, "kind": "draw", "accept": "yes"}).to_string(),
        json!({"type": "join", "match": "x"}).to_string(),
        json!({"type": "join", "match": 7}).to_string(),
        json!({"type": "join", "match": id, "since": -1}).to_string(),
        with("ply", json!(-1)),
        with("ply", json!(1.5)),
        with("ply", json!(1_u64 << 32)),
        with("ply", json!("0")),
        with("nonce", json!(-1)),
        with("nonce", json!(null)),
        with("action", json!(["x"])),
        with("action", json!(null)),
        with("seat", json!(1)),
        without("nonce"),
        without("match"),
        without("ply"),
        without("type"),
    ];
    for text in &texts {
        let mut bytes = Vec::new();
        frame::masked(&mut bytes, KEY, |out| frame::text(out, text.as_bytes()));
        sockets[0].send_bytes(&bytes).await;
        let error = sockets[0].expect("error").await;
        let shown: String = text.chars().take(80).collect();
        assert_eq!(error["code"], "bad_request", "{shown}");
    }
    sockets[0].send(&json!({"type": "ping"})).await;
    sockets[0].expect("pong").await;
    assert!(server.store.entries(id, 0).await.unwrap().is_empty());
    play_on(id, &mut sockets, any).await;
}

#[tokio::test]
async fn what_may_not_be_done_is_refused_with_its_code() {
    let server = TestServer::start().await;
    let (id, users, mut sockets) = santorini(&server).await;
    let guest = server.guest("the-device-of-a-guest").await;
    let mut watcher = sit_down(&server, id, [&guest]).await.remove(0);
    let mut stranger = Socket::open(server.address, &guest.token).await;

    sockets[0].send(&json!({"type": "legal", "match": id})).await;
    let action = sockets[0].expect("legal").await["actions"][0].as_str().unwrap().to_owned();
    let check = async |socket: &mut Socket, ply: u64, action: &str, nonce: u64, code: &str| {
        let answer = socket.act(id, ply, action, nonce).await;
        assert_eq!((&answer["type"], &answer["code"]), (&json!("refused"), &json!(code)));
        assert_eq!(answer["match"], json!(id));
        assert!(answer["message"].as_str().is_some_and(|text| !text.is_empty()));
    };
    check(&mut sockets[1], 0, &action, 1, "not_your_turn").await;
    check(&mut sockets[0], 1, &action, 2, "unknown_ply").await;
    check(&mut sockets[0], u64::from(u32::MAX), &action, 3, "unknown_ply").await;
    check(&mut sockets[0], 0, &action, 0, "bad_nonce").await;
    check(&mut sockets[0], 0, "nonsense", 4, "invalid_action").await;
    check(&mut sockets[0], 0, "", 5, "invalid_action").await;
    check(&mut sockets[0], 0, &"x".repeat(10_000), 6, "invalid_action").await;
    check(&mut watcher, 0, &action, 7, "not_seated").await;
    check(&mut stranger, 0, &action, 8, "not_joined").await;

    let ack = sockets[0].act(id, 0, &action, 9).await;
    assert_eq!((&ack["type"], &ack["ply"]), (&json!("ack"), &json!(1)));
    for _ in 0..3 {
        assert_eq!(sockets[0].act(id, 0, &action, 9).await, ack, "the same again is the same");
    }
    let second = step(id, &mut sockets, &any).await;
    assert_eq!(second, Some(2));
    let third = step(id, &mut sockets, &any).await;
    assert_eq!(third, Some(3));
    let mut late = if server.store.entries(id, 2).await.unwrap()[0].seat.unwrap().index() == 0 {
        sockets.remove(1)
    } else {
        sockets.remove(0)
    };
    check(&mut late, 0, &action, 12, "not_your_turn").await;
    let mut sockets = sit_down(&server, id, &users).await;
    sockets[0].send(&json!({"type": "legal", "match": id})).await;
    let is_first = sockets[0].expect("legal").await["actions"] != json!([]);
    check(&mut sockets[usize::from(!is_first)], 0, &action, 13, "stale_ply").await;

    for (message, code) in [
        (json!({"type": "claim", "match": id}), "nobody_gone"),
        (json!({"type": "offer", "match": id, "kind": "rematch"}), "not_over"),
        (json!({"type": "offer", "match": id, "kind": "pause"}), "no_clock"),
        (json!({"type": "answer", "match": id, "kind": "draw", "accept": true}), "no_offer"),
        (json!({"type": "chat", "match": id, "text": ""}), "bad_chat"),
        (json!({"type": "chat", "match": id, "text": "x".repeat(301)}), "bad_chat"),
    ] {
        sockets[0].send(&message).await;
        assert_eq!(sockets[0].expect("refused").await["code"], code, "{message}");
        watcher.send(&message).await;
        assert_eq!(watcher.expect("refused").await["code"], "not_seated", "{message}");
        stranger.send(&message).await;
        assert_eq!(stranger.expect("refused").await["code"], "not_joined", "{message}");
    }
    for kind in ["legal", "resign"] {
        watcher.send(&json!({"type": kind, "match": id})).await;
        assert_eq!(watcher.expect("refused").await["code"], "not_seated");
    }

    sockets[1].send(&json!({"type": "leave", "match": id})).await;
    assert_eq!(sockets[1].expect("left").await["match"], json!(id));
    check(&mut sockets[1], 3, &action, 14, "not_joined").await;
    sockets[1].join(id).await;
    play_on(id, &mut sockets, any).await;
    check(&mut sockets[0], 3, &action, 15, "game_over").await;
    sockets[0].send(&json!({"type": "resign", "match": id})).await;
    assert_eq!(sockets[0].expect("refused").await["code"], "game_over");
    let entries = server.store.entries(id, 0).await.unwrap();
    assert_eq!(entries.iter().filter(|entry| entry.nonce == 9).count(), 1);
}

#[tokio::test]
async fn what_a_room_refuses_beside_actions_is_answered_with_its_code() {
    let server = TestServer::start().await;
    let (id, users, mut sockets) = santorini(&server).await;
    let offer = |kind: &str| json!({"type": "offer", "match": id, "kind": kind});
    let chat = json!({"type": "chat", "match": id, "text": "hello"});
    let check = async |socket: &mut Socket, message: &Value, code: &str| {
        socket.send(message).await;
        assert_eq!(socket.expect("refused").await["code"], code, "{message}");
    };
    check(&mut sockets[0], &offer("draw"), "no_draw").await;
    check(&mut sockets[0], &offer("takeback"), "nothing_to_take_back").await;
    sockets[0].send(&offer("abort")).await;
    sockets[1].find(|it| it["state"] == "open").await;
    sockets[1]
        .send(&json!({"type": "answer", "match": id, "kind": "abort", "accept": false}))
        .await;
    sockets[0].find(|it| it["state"] == "declined").await;
    check(&mut sockets[0], &offer("abort"), "offer_declined").await;
    for _ in 0..5 {
        sockets[0].send(&chat).await;
        sockets[0].expect("chat").await;
    }
    check(&mut sockets[0], &chat, "chat_too_fast").await;
    let mut tabs = Vec::new();
    for _ in 0..16 {
        let mut tab = Socket::open(server.address, &users[0].token).await;
        tab.join(id).await;
        tabs.push(tab);
    }
    assert_eq!(sockets[0].expect("refused").await["code"], "room_full", "the oldest makes room");
    sockets[0] = tabs.pop().unwrap();
    play_on(id, &mut sockets, any).await;
}

#[tokio::test]
async fn nothing_goes_back_past_a_drawn_card_and_nobody_gives_up_twice() {
    let server = TestServer::start().await;
    let mut users = Vec::new();
    for name in ["ada", "bob", "cyd"] {
        users.push(server.register(name).await);
    }
    // Nothing in the first hand goes on a nine of diamonds.
    let position = "9D QC,KC,JC,QS,KS 2C,3C,4C,5C,6C 7C,8C,9C - 0,0 0";
    let deal = Deal {
        game: "crazy-tens",
        options: r#"{"target":50,"starter":"alternate"}"#,
        position: Some(position),
        seed: Seed::from_number(1),
    };
    let id = server.deal(&deal, &users[..2]).await;
    let mut sockets = sit_down(&server, id, &users[..2]).await;
    assert_eq!(sockets[0].act(id, 0, "draw", 1).await["type"], "ack");
    sockets[0].send(&json!({"type": "offer", "match": id, "kind": "takeback"})).await;
    assert_eq!(sockets[0].expect("refused").await["code"], "already_revealed");

    let id = begin_between(json!({"game": "template", "seats": 3}), &users).await;
    let mut sockets = sit_down(&server, id, &users).await;
    let resign = json!({"type": "resign", "match": id});
    sockets[1].send(&resign).await;
    sockets[1].find(|it| it["type"] == "snapshot" && it["ply"] == 1).await;
    sockets[1].send(&resign).await;
    assert_eq!(sockets[1].expect("refused").await["code"], "already_out");
}

#[tokio::test]
async fn an_unknown_match_is_told_as_such_and_there_are_not_too_many() {
    let server = TestServer::start().await;
    let users = [server.register("ada").await, server.register("bob").await];
    let mut socket = Socket::open(server.address, &users[0].token).await;
    let first = MatchId::from_number(1).unwrap();
    // What is not there is not followed, so it does not count.
    for number in 1..=257_i64 {
        let id = MatchId::from_number(number).unwrap();
        socket.send(&json!({"type": "join", "match": id})).await;
        let refused = socket.expect("refused").await;
        assert_eq!((&refused["code"], &refused["match"]), (&json!("match_not_found"), &json!(id)));
    }
    assert_eq!(socket.act(first, 0, "x", 1).await["code"], "match_not_found");
    let seed = Seed::from_number(1);
    let deal = Deal { game: "fuse", options: "{}", position: None, seed };
    let mut ids = Vec::new();
    for _ in 0..=256 {
        ids.push(server.deal(&deal, &users).await);
    }
    for id in &ids[..256] {
        socket.join(*id).await;
    }
    socket.send(&json!({"type": "join", "match": ids[256]})).await;
    assert_eq!(socket.expect("refused").await["code"], "too_many_matches");
    socket.send(&json!({"type": "join", "match": first})).await;
    assert_eq!(socket.expect("refused").await["code"], "match_not_found");
    socket.send(&json!({"type": "leave", "match": ids[0]})).await;
    socket.expect("left").await;
    assert_eq!(socket.act(ids[0], 0, "x", 2).await["code"], "not_joined");
    socket.join(ids[256]).await;
}

#[tokio::test]
async fn one_socket_watches_so_many_topics_and_no_more() {
    let server = TestServer::start().await;
    let user = server.register("ada").await;
    let mut socket = Socket::open(server.address, &user.token).await;
    for number in 0..17 {
        let topic = format!("lobby:{}", domain::LobbyId::random(number * 2));
        socket.send(&json!({"type": "watch", "topic": topic})).await;
        let answer = socket.next().await;
        let expected = if number < 16 { "lobby" } else { "error" };
        assert_eq!(answer["type"], expected, "{number}: {answer}");
        if number == 16 {
            assert_eq!(answer["code"], "too_many_topics");
        }
    }
    let topic = format!("lobby:{}", domain::LobbyId::random(0));
    socket.send(&json!({"type": "unwatch", "topic": topic})).await;
    assert_eq!(socket.next().await["type"], "unwatched");
    socket.send(&json!({"type": "watch", "topic": "lobbies"})).await;
    assert_eq!(socket.next().await["type"], "lobbies");
}

#[tokio::test]
async fn frames_that_break_the_protocol_close_the_socket_and_no_match() {
    let server = TestServer::start().await;
    let (id, users, mut sockets) = santorini(&server).await;
    let masked = |first: u8, payload: &[u8]| {
        let mut bytes = Vec::new();
        frame::masked(&mut bytes, KEY, |out| frame::text(out, payload));
        bytes[0] = first;
        bytes
    };
    let mut unmasked = Vec::new();
    frame::text(&mut unmasked, br#"{"type":"ping"}"#);
    for (bytes, code) in [
        (masked(0x82, b"binary"), 1003),
        (masked(0x81, &vec![b' '; frame::MESSAGE_BYTES_MAX + 1]), 1009),
        (masked(0x81, b"\xff\xfe"), 1007),
        (masked(0x81, b"\xed\xa0\x80"), 1007),
        (unmasked, 1002),
        (masked(0xc1, b"{}"), 1002),
        (masked(0x83, b"{}"), 1002),
        (masked(0x80, b"{}"), 1002),
        (masked(0x09, b"ping"), 1002),
        (masked(0x89, &[0; 126]), 1002),
        (masked(0x88, &[3]), 1002),
        (masked(0x88, &[3, 0xed]), 1002),
    ] {
        let mut bad = Socket::open(server.address, &users[0].token).await;
        bad.join(id).await;
        bad.send_bytes(&bytes).await;
        assert_eq!(bad.end().await, Came::Closed(code, "protocol_violation".to_owned()));
        assert_eq!(bad.came().await, Came::Ended);
        assert!(step(id, &mut sockets, &any).await.is_some());
    }
    play_on(id, &mut sockets, any).await;
}

#[tokio::test]
async fn a_message_in_fragments_with_a_ping_between_is_a_message() {
    let server = TestServer::start().await;
    let ada = server.register("ada").await;
    let mut socket = Socket::open(server.address, &ada.token).await;
    let mut bytes = Vec::new();
    for (first, part) in [(0x01, r#"{"type""#), (0x89, "alive?"), (0x00, ""), (0x80, r#":"ping"}"#)]
    {
        let start = bytes.len();
        frame::masked(&mut bytes, KEY, |out| frame::text(out, part.as_bytes()));
        bytes[start] = first;
    }
    for byte in bytes {
        socket.send_bytes(&[byte]).await;
    }
    assert_eq!(socket.next().await, json!({"type": "pong"}));
    assert_eq!(socket.pongs, [b"alive?"]);

    let mut close = Vec::new();
    frame::masked(&mut close, KEY, |out| frame::close(out, 1000, "bye"));
    socket.send_bytes(&close).await;
    assert_eq!(socket.came().await, Came::Closed(1000, String::new()));
    assert_eq!(socket.came().await, Came::Ended);
}

#[tokio::test]
async fn a_flood_closes_its_socket_alone() {
    let sockets = Sockets {
        burst: NonZeroU32::new(200).unwrap(),
        messages_per_s: NonZeroU32::new(1).unwrap(),
    };
    let server = TestServer::with(Config { sockets, ..patient() }).await;
    let (id, users, mut sockets) = santorini(&server).await;
    for kind in ["text", "ping", "nonsense", "pong", "parts"] {
        let mut flood = Socket::open(server.address, &users[0].token).await;
        flood.join(id).await;
        // However long it was quiet, no more may come at once.
        sockets.push(flood);
        pass(20, &mut sockets).await;
        let mut flood = sockets.pop().unwrap();
        let mut bytes = Vec::new();
        for number in 0..300 {
            frame::masked(&mut bytes, KEY, |out| match kind {
                "text" => frame::text(out, br#"{"type":"ping"}"#),
                "ping" => frame::ping(out, b"?"),
                "pong" => frame::pong(out, b"?"),
                // The beginning of a message that never ends.
                "parts" => out.extend_from_slice(&[u8::from(number == 0), 0]),
                _ => frame::text(out, b"?"),
            });
        }
        flood.send_bytes(&bytes).await;
        assert_eq!(flood.end().await, Came::Closed(4003, "flood".to_owned()), "{kind}");
        assert!(flood.heard.len() + flood.pongs.len() < 210, "{}", flood.heard.len());
    }
    play_on(id, &mut sockets, any).await;
}

#[tokio::test]
async fn a_revoked_session_loses_its_sockets_and_no_other() {
    let server = TestServer::start().await;
    let (id, users, mut sockets) = santorini(&server).await;
    let again = server.login("ada").await;
    let mut other = sit_down(&server, id, [&again]).await.remove(0);
    users[0].browser.post_empty("/api/v1/logout").await.empty();
    assert_eq!(sockets[0].end().await, Came::Closed(4001, "session_ended".to_owned()));
    other.send(&json!({"type": "ping"})).await;
    other.expect("pong").await;
    sockets[0] = other;
    play_on(id, &mut sockets, any).await;
}

#[tokio::test]
async fn the_server_hangs_up_as_soon_as_both_sides_have_closed() {
    let server = TestServer::start().await;
    let ada = server.register("ada").await;
    let mut socket = Socket::open(server.address, &ada.token).await;
    ada.browser.post_empty("/api/v1/logout").await.empty();
    assert_eq!(socket.end().await, Came::Closed(4001, "session_ended".to_owned()));
    tokio::time::pause();
    let answered = tokio::time::Instant::now();
    let mut close = Vec::new();
    frame::masked(&mut close, KEY, |out| frame::close(out, 4001, ""));
    socket.send_bytes(&close).await;
    assert_eq!(socket.came().await, Came::Ended);
    assert!(answered.elapsed() < Duration::from_millis(1500), "{:?}", answered.elapsed());
}

#[tokio::test]
async fn a_socket_ends_with_the_newest_token_of_its_session() {
    const TOKEN_MS: u64 = 60_000;
    let lifetime = |seconds| NonZeroU32::new(seconds).unwrap();
    let tokens = Tokens { lifetime_s: lifetime(60), session_s: lifetime(100) };
    let server = TestServer::with(Config { tokens, ..patient() }).await;
    let [ada, bob] = [server.register("ada").await, server.register("bob").await];
    let mut refreshed = Socket::open(server.address, &ada.token).await;
    let mut expired = Socket::open(server.address, &bob.token).await;
    server.time.advance(TOKEN_MS / 2);
    let answer = ada.browser.post("/api/v1/token/refresh", &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    server.time.advance(TOKEN_MS / 2);
    assert_eq!(expired.end().await, Came::Closed(4001, "session_ended".to_owned()));
    // The same look at all sockets has left the refreshed one open.
    refreshed.send(&json!({"type": "ping"})).await;
    refreshed.expect("pong").await;
    ada.browser.post("/api/v1/token/refresh", &json!({})).await;
    // The session itself ends before its last token would.
    server.time.advance(TOKEN_MS * 2 / 3);
    assert_eq!(refreshed.end().await, Came::Closed(4001, "session_ended".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_is_closed_and_comes_back_to_a_snapshot() {
    let server = TestServer::start().await;
    let (id, users, mut sockets) = santorini(&server).await;
    check_presence(&mut sockets[0], &[false, true]).await;
    drop(sockets.pop());
    check_presence(&mut sockets[0], &[false]).await;
    let mut slow = Socket::open(server.address, &users[1].token).await;
    slow.join(id).await;
    check_presence(&mut sockets[0], &[true]).await;
    let mut bytes = Vec::new();
    let join = json!({"type": "join", "match": id}).to_string();
    for _ in 0..100 {
        frame::masked(&mut bytes, KEY, |out| frame::text(out, join.as_bytes()));
    }
    // More snapshots than all buffers between here and there can hold.
    for _ in 0..200 {
        slow.send_bytes(&bytes).await;
    }
    check_presence(&mut sockets[0], &[false]).await;
    assert!(step(id, &mut sockets, &any).await.is_some(), "the match does not wait");
    assert_eq!(slow.end().await, Came::Closed(4002, "slow_consumer".to_owned()));
    // What server and system have held for it, and what the client's own buffer takes.
    let held: usize = slow.heard.iter().map(String::len).sum();
    assert!(held < HELD_BYTES_MAX, "{held}");
    let mut back = Socket::open(server.address, &users[1].token).await;
    assert_eq!(back.join(id).await["ply"], 1);
    sockets.push(back);
    play_on(id, &mut sockets, any).await;
}

#[tokio::test]
async fn a_server_that_stops_says_goodbye() {
    let server = TestServer::start().await;
    let (_, _, sockets) = santorini(&server).await;
    let goodbyes = async {
        for mut socket in sockets {
            assert_eq!(socket.end().await, Came::Closed(1001, "going_away".to_owned()));
        }
    };
    tokio::join!(server.stop(), goodbyes);
}

#[tokio::test]
async fn who_is_silent_is_asked_and_then_closed() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("ada").await, server.register("bob").await];
    let mut silent = Socket::open(server.address, &ada.token).await;
    let mut alive = Socket::open(server.address, &bob.token).await;
    tokio::time::pause();
    for _ in 0..3 {
        tokio::time::advance(Duration::from_secs(26)).await;
        alive.send(&json!({"type": "ping"})).await;
        alive.expect("pong").await;
    }
    assert_eq!(silent.end().await, Came::Closed(4004, "timed_out".to_owned()));
    assert!(silent.pings > 0);
    alive.send(&json!({"type": "ping"})).await;
    alive.expect("pong").await;
}

#[tokio::test]
async fn one_socket_holds_many_matches() {
    let server = TestServer::start().await;
    let users = [server.register("ada").await, server.register("bob").await];
    let mut matches = Vec::new();
    for _ in 0..20 {
        matches.push(begin_between(json!({"game": "santorini"}), &users).await);
    }
    let mut sockets = Vec::new();
    for user in &users {
        let mut socket = Socket::open(server.address, &user.token).await;
        for id in &matches {
            assert_eq!(socket.join(*id).await["match"], json!(id));
        }
        sockets.push(socket);
    }
    // A move in each, then another in each, so that they are all under way at once.
    for nonce in 1..=3 {
        for id in &matches {
            assert_eq!(step(*id, &mut sockets, &any).await, Some(nonce));
        }
    }
    for id in &matches[1..] {
        sockets[0].send(&json!({"type": "resign", "match": id})).await;
        let over = sockets[1].expect("over").await;
        assert_eq!(over["match"], json!(id));
    }
    sockets[0].find(|it| it["type"] == "over" && it["match"] == json!(matches[19])).await;
    sockets.iter_mut().for_each(Socket::forget);
    let over = play_on(matches[0], &mut sockets, any).await;
    assert_eq!(over["match"], json!(matches[0]));
}
