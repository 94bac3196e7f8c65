//! A room that panics: its restart is its own, and the second time at one ply it stands still.

use serde_json::json;

use crate::fuse::BAD_SEED;
use crate::kit::{Deal, TestServer};
use crate::play::{begin, begin_between, play_on, sit_down};
use crate::socket::Socket;

#[tokio::test]
async fn a_room_that_panics_is_made_anew_alone_and_freezes_the_second_time() {
    let server = TestServer::start().await;
    let (id, users) = begin(&server, json!({"game": "fuse"}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    let mut others = Vec::new();
    for _ in 0..4 {
        let other = begin_between(json!({"game": "fuse"}), &users).await;
        others.push((other, sit_down(&server, other, &users).await));
    }
    assert_eq!(sockets[0].act(id, 0, "step", 1).await["type"], "ack");
    for ply in [1, 2] {
        let socket = &mut sockets[ply % 2];
        let refused = socket.act(id, ply as u64, "boom", 7).await;
        assert_eq!(refused["code"], "internal", "{refused}");
        // All see the match as it was stored, and it goes on.
        for socket in &mut sockets {
            let again = socket.find(|it| it["type"] == "snapshot" && it["ply"] == ply).await;
            assert_eq!(again["status"], "running");
        }
        let socket = &mut sockets[ply % 2];
        let ack = socket.act(id, ply as u64, "step", 10 + ply as u64).await;
        assert_eq!(ack["type"], "ack", "{ack}");
    }

    let socket = &mut sockets[1];
    assert_eq!(socket.act(id, 3, "boom", 20).await["code"], "internal");
    assert_eq!(socket.act(id, 3, "boom", 21).await["code"], "internal");
    assert_eq!(socket.act(id, 3, "step", 22).await["code"], "frozen");
    socket.send(&json!({"type": "join", "match": id})).await;
    assert_eq!(
        socket.find(|it| it["type"] == "refused" && it["nonce"].is_null()).await["code"],
        "frozen"
    );
    let mut late = Socket::open(server.address, &users[0].token).await;
    late.send(&json!({"type": "join", "match": id})).await;
    assert_eq!(late.expect("refused").await["code"], "frozen");

    for (other, mut sockets) in others {
        let over = play_on(other, &mut sockets, |_, _| 0).await;
        assert_eq!(over["outcome"]["reason"], "burnt");
    }

    // An operator has looked, and started the server again: nothing is lost.
    let server = server.restart().await;
    let mut sockets = sit_down(&server, id, &users).await;
    let over = play_on(id, &mut sockets, |_, _| 0).await;
    assert_eq!(over["outcome"]["reason"], "burnt");
    assert_eq!(server.store.entries(id, 0).await.unwrap().len(), 6);
}

#[tokio::test]
async fn whoever_follows_a_frozen_match_is_told_and_let_go() {
    let server = TestServer::start().await;
    let (id, users) = begin(&server, json!({"game": "fuse"}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    for nonce in [1, 2] {
        assert_eq!(sockets[0].act(id, 0, "boom", nonce).await["code"], "internal");
    }
    let told = sockets[1].find(|it| it["type"] == "refused").await;
    assert_eq!(told["code"], "frozen");
}

#[tokio::test]
async fn a_match_whose_deal_panics_takes_no_other_with_it() {
    let server = TestServer::start().await;
    let (id, users) = begin(&server, json!({"game": "fuse"}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    // Enough of them that each hall has one.
    for _ in 0..16 {
        let deal = Deal { game: "fuse", options: "{}", position: None, seed: BAD_SEED };
        let bad = server.deal(&deal, &users).await;
        sockets[0].send(&json!({"type": "join", "match": bad})).await;
        assert_eq!(sockets[0].expect("refused").await["code"], "internal");
    }
    let over = play_on(id, &mut sockets, |_, _| 0).await;
    assert_eq!(over["outcome"]["reason"], "burnt");
}
