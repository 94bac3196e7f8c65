//! So much at once that a house cannot tell of it one by one: everybody hears all of it, in order, also when
//! nothing comes after it; and everything that ends at once counts.

use std::collections::HashMap;
use std::num::NonZero;
use std::thread::available_parallelism;

use domain::MatchId;
use protocol::ws::ServerMessage;
use serde_json::{Value, json};
use server::ws::frame;

use crate::kit::{TestServer, User};
use crate::play::begin_between;
use crate::socket::Socket;

/// A crowd in each hall, and there is one for each core.
const MATCHES_OF_HALL: usize = 100;
/// The knights go out and back, until the position is there for the fifth time.
const KNIGHTS: [&str; 4] = ["g1f3", "g8f6", "f3g1", "f6g8"];
const PLIES: u32 = 16;

/// Moves in all matches at once: the frames leave in one piece.
async fn move_in_all(socket: &mut Socket, matches: &[MatchId], ply: u32) {
    let action = KNIGHTS[ply as usize % KNIGHTS.len()];
    let mut bytes = Vec::new();
    for id in matches {
        let act = json!({
            "type": "act", "match": id, "ply": ply, "action": action, "nonce": ply + 1,
        });
        let text = act.to_string();
        frame::masked(&mut bytes, [3, 1, 4, 1], |out| frame::text(out, text.as_bytes()));
    }
    socket.send_bytes(&bytes).await;
}

/// What a socket has heard of a match, in short.
fn describe(message: &ServerMessage<'_>) -> Option<(MatchId, String)> {
    match message {
        ServerMessage::Ack(ack) => Some((ack.match_id, format!("ack {}", ack.ply))),
        ServerMessage::Event(event) => Some((event.match_id, format!("event {}", event.ply))),
        ServerMessage::Over(over) => Some((over.match_id, over.outcome.reason.clone())),
        ServerMessage::Refused(refused) => Some((refused.match_id, refused.code.to_string())),
        _ => None,
    }
}

/// Somebody who moves at every other ply, from this one on, has heard just what there was to hear.
fn check_heard(socket: &Socket, matches: &[MatchId], first: u32) {
    let mut heard: HashMap<MatchId, Vec<String>> = HashMap::new();
    for text in &socket.heard {
        if let Some((id, what)) = describe(&ServerMessage::parse(text).unwrap()) {
            heard.entry(id).or_default().push(what);
        }
    }
    let mut expected = Vec::new();
    for ply in 0..PLIES {
        if ply % 2 == first {
            expected.push(format!("ack {}", ply + 1));
        }
        expected.push(format!("event {}", ply + 1));
    }
    expected.push("fivefold".to_owned());
    for id in matches {
        assert_eq!(heard.get(id), Some(&expected), "{id}");
    }
}

/// Begins so many matches between two, who both follow all of them.
async fn begin_many(
    server: &TestServer,
    count: usize,
    users: &[User; 2],
) -> (Vec<MatchId>, [Socket; 2]) {
    let [ada, bob] = users;
    let mut sockets = [
        Socket::open(server.address, &ada.token).await,
        Socket::open(server.address, &bob.token).await,
    ];
    let mut matches = Vec::new();
    for _ in 0..count {
        let id = begin_between(json!({"game": "chess"}), users).await;
        for socket in &mut sockets {
            socket.join(id).await;
        }
        matches.push(id);
    }
    (matches, sockets)
}

/// How often a message waited for the next, in all of this process.
async fn count_holds(server: &TestServer) -> u64 {
    let text = server.anonymous().get("/metrics").await.text();
    let line = text.lines().find_map(|line| line.strip_prefix("parlor_socket_holds_total "));
    line.map_or(0, |count| count.parse().unwrap())
}

#[tokio::test]
async fn a_crowd_hears_everything_in_order() {
    let server = TestServer::start().await;
    let halls = available_parallelism().map_or(1, NonZero::get);
    let users = [server.register("ada").await, server.register("bob").await];
    let (matches, mut sockets) = begin_many(&server, MATCHES_OF_HALL * halls, &users).await;
    let holds = count_holds(&server).await;
    for ply in 0..PLIES {
        let mover = ply as usize % 2;
        move_in_all(&mut sockets[mover], &matches, ply).await;
        // Whoever moves next knows of it, and so does whoever has moved.
        for socket in &mut sockets {
            for id in &matches {
                let id = json!(id);
                let is_told = |it: &Value| it["type"] == "event" && it["match"] == id;
                socket.find(|it| is_told(it) && it["ply"] == ply + 1).await;
            }
        }
    }
    assert!(count_holds(&server).await > holds, "it was no crowd");
    for (first, socket) in (0..).zip(&mut sockets) {
        for _ in &matches {
            socket.expect("over").await;
        }
        check_heard(socket, &matches, first);
    }
}

#[tokio::test]
async fn matches_of_the_same_players_that_end_at_once_all_count() {
    const MATCHES: usize = 40;
    let server = TestServer::start().await;
    let users = [server.register("ada").await, server.register("bob").await];
    let (matches, [mut ada, mut bob]) = begin_many(&server, MATCHES, &users).await;
    let mut bytes = Vec::new();
    for id in &matches {
        let resign = json!({"type": "resign", "match": id}).to_string();
        frame::masked(&mut bytes, [2, 7, 1, 8], |out| frame::text(out, resign.as_bytes()));
    }
    bob.send_bytes(&bytes).await;
    for _ in &matches {
        ada.expect("over").await;
    }
    let profile: Value = users[0].bearer.get("/api/v1/profile").await.json(200);
    let counted = &profile["statistics"][0];
    assert_eq!((&counted["played"], &counted["won"]), (&json!(MATCHES), &json!(MATCHES)));
    // Forty wins in a row leave no doubt, one or two would.
    let rating = profile["ratings"][0]["rating"].as_f64().unwrap();
    assert!(rating > 1900.0, "{profile}");
}
