//! Scrabble over real sockets: every preset, the challenge window, its list of words, its secrets.

use game_api::{Seat, Seed, Viewer};
use serde_json::{Value, json};

use crate::kit::{Deal, TestServer, games};
use crate::leaks::{self, Hidden, Rules, Twins};
use crate::play::{check_whole_match, sit_down};
use crate::routes::word_list_hash;
use crate::socket::Socket;
use crate::times::pass;

const NAMES: [&str; 4] = ["ada", "bob", "eve", "zoe"];

/// A preset with some options changed.
fn options(preset: &str, changes: &Value) -> Value {
    let presets = games("scrabble").unwrap().presets();
    let (_, options) = presets.into_iter().find(|(name, _)| *name == preset).unwrap();
    let mut options: Value = serde_json::from_str(&options).unwrap();
    for (name, value) in changes.as_object().unwrap() {
        options[name] = value.clone();
    }
    options
}

/// The same as a match records it.
fn recorded(preset: &str, changes: &Value) -> String {
    let options = options(preset, changes).to_string();
    games("scrabble").unwrap().start(&options, 2, Seed::from_number(1)).unwrap().options()
}

fn double() -> Value {
    json!({"challenge": {"rule": "double", "window_s": 30}})
}

/// A match of these terms with few tiles, by two to four.
async fn check_preset(preset: &str) {
    for seats in 2..=4 {
        let short = options(preset, &json!({"left_out": 60}));
        let terms = json!({"game": "scrabble", "options": short, "seats": seats});
        check_whole_match(terms, &NAMES[..seats]).await;
    }
}

#[tokio::test]
async fn classic_is_played_to_its_end_by_two_to_four() {
    check_preset("classic").await;
}

#[tokio::test]
async fn contract_a_is_played_to_its_end_by_two_to_four() {
    check_preset("contract-a").await;
}

#[tokio::test]
async fn contract_b_is_played_to_its_end_by_two_to_four() {
    check_preset("contract-b").await;
}

/// Three seats, of which the first has laid this word under the double rule; the others may answer.
async fn submitted(server: &TestServer, word: &str) -> (domain::MatchId, Vec<Socket>) {
    let mut users = Vec::new();
    for name in &NAMES[..3] {
        users.push(server.register(name).await);
    }
    let options = recorded("contract-a", &double());
    let position = format!("{} ACT,ACT,ACT 10,10,10 0", board(""));
    let deal = Deal {
        game: "scrabble",
        options: &options,
        position: Some(&position),
        seed: Seed::from_number(1),
    };
    let id = server.deal(&deal, &users).await;
    let mut sockets = sit_down(server, id, &users).await;
    let ack = sockets[0].act(id, 0, &format!("8H:{word}"), 1).await;
    assert_eq!(ack["type"], "ack", "{ack}");
    for socket in &mut sockets {
        let event = socket.find(|it| it["type"] == "event" && it["ply"] == 1).await;
        assert_eq!(event["view"]["pending"]["play"], format!("8H:{word}"));
        assert_eq!(event["view"]["to_act"], json!([1, 2]));
        assert_eq!(event["view"]["scores"], json!([10, 10, 10]), "nothing is scored yet");
    }
    (id, sockets)
}

/// Every socket's event at this ply.
async fn heard(sockets: &mut [Socket], ply: u64) -> Vec<Value> {
    let mut events = Vec::new();
    for socket in sockets {
        events.push(socket.find(|it| it["type"] == "event" && it["ply"] == ply).await);
    }
    events
}

#[tokio::test]
async fn an_upheld_challenge_takes_the_move_back() {
    let server = TestServer::start().await;
    let (id, mut sockets) = submitted(&server, "TCA").await;
    assert_eq!(sockets[1].act(id, 1, "pass", 2).await["code"], "window_open");
    assert_eq!(sockets[0].act(id, 1, "accept", 3).await["code"], "not_your_turn");
    assert_eq!(sockets[2].act(id, 1, "challenge", 4).await["type"], "ack");
    for (seat, event) in heard(&mut sockets, 2).await.iter().enumerate() {
        assert_eq!(event["event"]["wrong"], json!(["TCA"]), "{event}");
        let view = &event["view"];
        assert_eq!((&view["pending"], &view["board"][7]), (&Value::Null, &json!(".".repeat(15))));
        assert_eq!(view["rack_sizes"], json!([3, 3, 3]), "the letters came back");
        assert_eq!((&view["scores"], &view["to_act"]), (&json!([10, 10, 10]), &json!([1])));
        assert_eq!(view["rack"], "ACT", "{seat}");
    }
}

#[tokio::test]
async fn a_rejected_challenge_costs_a_turn() {
    let server = TestServer::start().await;
    let (id, mut sockets) = submitted(&server, "CAT").await;
    assert_eq!(sockets[2].act(id, 1, "accept", 2).await["type"], "ack");
    // The other's decision is older than that answer: its ply is not stale.
    assert_eq!(sockets[1].act(id, 1, "challenge", 3).await["type"], "ack");
    for event in heard(&mut sockets, 3).await {
        assert_eq!(event["event"]["wrong"], json!([]), "{event}");
        let view = &event["view"];
        assert_eq!((&view["scores"], &view["to_act"]), (&json!([20, 10, 10]), &json!([2])));
    }
}

#[tokio::test]
async fn silence_in_the_window_is_acceptance() {
    let server = TestServer::start().await;
    let (id, mut sockets) = submitted(&server, "TCA").await;
    assert_eq!(sockets[1].act(id, 1, "accept", 2).await["type"], "ack");
    pass(29, &mut sockets).await;
    assert!(sockets[0].heard.iter().all(|frame| !frame.contains(r#""ply":3"#)));
    pass(1, &mut sockets).await;
    for event in heard(&mut sockets, 3).await {
        assert_eq!(event["event"]["type"], "accepted");
        let view = &event["view"];
        assert_eq!((&view["scores"], &view["to_act"]), (&json!([20, 10, 10]), &json!([1])));
    }
    assert_eq!(sockets[2].act(id, 3, "challenge", 3).await["code"], "not_your_turn");
}

#[tokio::test]
async fn the_list_of_words_is_had_by_its_hash_and_kept_for_ever() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    let answer = client.get(&format!("/api/v1/words/{}", word_list_hash())).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable");
    let list = catalog::take_words(&answer.body).unwrap();
    assert_eq!(list.len(), catalog::words().len());
    for other in ["0".repeat(64), "x".to_owned(), word_list_hash().to_uppercase()] {
        client.get(&format!("/api/v1/words/{other}")).await.problem(protocol::Code::NotFound);
    }
}

/// An empty board but for the eighth row, which begins like this from H on.
fn board(row: &str) -> String {
    let empty = ["..............."; 7].join("/");
    format!("{empty}/.......{row:.<8}/{empty}")
}

/// A script's lines are a seat and its action, or two of which the second is the twin's; what the
/// viewer does itself is the same in both.
fn twins(viewer: Viewer, positions: [String; 2], lines: &[&str]) -> Twins {
    let hidden = positions.map(|text| Hidden { seed: Seed::from_number(7), position: Some(text) });
    let read = |line: &&str| {
        let mut parts = line.split(' ');
        let seat = Seat::new(parts.next().unwrap().parse().unwrap()).unwrap();
        let one = parts.next().unwrap();
        let two = parts.next().filter(|_| !viewer.is(seat)).unwrap_or(one);
        (seat, [one.to_owned(), two.to_owned()])
    };
    Twins { hidden, script: lines.iter().map(read).collect() }
}

/// With inventories and challenges: others hold and draw other letters, and other specials.
#[tokio::test]
async fn contract_a_shows_a_viewer_nothing_of_other_racks_and_specials() {
    let options = recorded("contract-a", &double()).into();
    let rules = Rules { game: "scrabble", options, seats: 2 };
    let lines = [
        "0 buy:boom buy:skip",
        "0 exchange:X exchange:Z",
        "1 buy:negative buy:reverse",
        "1 exchange:J exchange:K",
        "0 H8:COW+boom@A1 H8:COW+skip@O15",
        "1 accept",
        "1 J8:TEN+negative@B2 J8:TEN+reverse@N14",
        "0 challenge",
        "1 pass",
        "0 8H:CATS",
        "1 accept",
    ];
    let position =
        |[first, second]: [&str; 2]| format!("{} OSW{first},EN{second} 100,100 0", board("CAT"));
    leaks::check(&rules, |viewer| {
        let rack = |seat| if viewer.is(Seat::new(seat).unwrap()) { "JX" } else { "KZ" };
        twins(viewer, [position(["JX"; 2]), position([rack(0), rack(1)])], &lines)
    })
    .await;
}

/// With one bag, which is empty: others hold each other's letters, and other specials.
#[tokio::test]
async fn contract_b_shows_a_viewer_nothing_of_other_racks_and_specials() {
    let options = recorded("contract-b", &json!({})).into();
    let rules = Rules { game: "scrabble", options, seats: 3 };
    let lines = [
        "0 buy:negative buy:reverse",
        "0 H8:COW",
        "1 buy:reverse buy:negative",
        "1 8H:CATS",
        "2 pass",
        "0 K8:SEAT+negative@K15 K8:SEAT+reverse@K1",
        "1 11K:TO+reverse@A11 11K:TO+negative@O11",
        "2 buy:negative buy:reverse",
        "2 pass",
        "0 pass",
    ];
    let position = |secrets: [&str; 3]| {
        let [one, two, three] = secrets;
        format!("{} AEOTW{one},OS{two},K{three} 100,100,100 0 -", board("CAT"))
    };
    leaks::check(&rules, |viewer| {
        let mut secrets = ["X", "J", "Q"];
        let first = position(secrets);
        match viewer.seat().map(Seat::index) {
            Some(own) => secrets.swap((own + 1) % 3, (own + 2) % 3),
            None => secrets.rotate_left(1),
        }
        twins(viewer, [first, position(secrets)], &lines)
    })
    .await;
}
