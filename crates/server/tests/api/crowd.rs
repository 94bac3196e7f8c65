//! More moves at once than a house can tell of one by one: everybody hears all of it, in order, also when
//! nothing comes after it.

use std::collections::HashMap;

use domain::MatchId;
use protocol::ws::ServerMessage;
use serde_json::json;
use server::ws::frame;

use crate::kit::TestServer;
use crate::play::begin_between;
use crate::socket::Socket;

/// For a large crowd in each hall of a machine with two cores.
const MATCHES: usize = 120;
/// The knights go out and back, until the position is there for the fifth time.
const KNIGHTS: [&str; 4] = ["g1f3", "g8f6", "f3g1", "f6g8"];
const PLIES: u32 = 16;

/// Moves in all matches at once: the frames leave in one piece.
async fn move_in_all(socket: &mut Socket, matches: &[MatchId], ply: u32) {
    let mut bytes = Vec::new();
    for id in matches {
        let action = KNIGHTS[ply as usize % KNIGHTS.len()];
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

#[tokio::test]
async fn a_crowd_hears_everything_in_order() {
    let server = TestServer::start().await;
    let users = [server.register("ada").await, server.register("bob").await];
    let mut sockets = Vec::new();
    for user in &users {
        sockets.push(Socket::open(server.address, &user.token).await);
    }
    let mut matches = Vec::new();
    for _ in 0..MATCHES {
        let id = begin_between(json!({"game": "chess"}), &users).await;
        for socket in &mut sockets {
            socket.join(id).await;
        }
        matches.push(id);
    }
    for ply in 0..PLIES {
        let mover = ply as usize % 2;
        move_in_all(&mut sockets[mover], &matches, ply).await;
        // Whoever moves next knows of it, and so does whoever has moved.
        for socket in &mut sockets {
            for id in &matches {
                let id = json!(id);
                socket
                    .find(|it| it["type"] == "event" && it["match"] == id && it["ply"] == ply + 1)
                    .await;
            }
        }
    }
    for (first, socket) in (0..).zip(&mut sockets) {
        for _ in &matches {
            socket.expect("over").await;
        }
        check_heard(socket, &matches, first);
    }
}
