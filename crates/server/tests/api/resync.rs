//! Whoever was away: what was missed, what was not acknowledged, and servers that start again.

use domain::MatchId;
use serde_json::{Value, json};

use crate::kit::TestServer;
use crate::play::{any, begin, begin_between, check_presence, play_on, sit_down, step};
use crate::socket::Socket;

async fn rejoin(socket: &mut Socket, id: MatchId, since: u64) -> Value {
    socket.send(&json!({"type": "join", "match": id, "since": since})).await;
    socket.expect("snapshot").await
}

/// The events of a match that a socket has heard, by ply.
fn events(socket: &Socket, since: u64) -> Vec<Value> {
    let messages = socket.heard.iter().map(|text| serde_json::from_str::<Value>(text).unwrap());
    messages
        .filter(|it| it["type"] == "event" && it["ply"].as_u64().is_some_and(|ply| ply > since))
        .map(|it| json!({"ply": it["ply"], "event": it["event"], "notation": it["notation"]}))
        .collect()
}

#[tokio::test]
async fn who_was_away_gets_what_was_missed_or_the_view_alone() {
    let server = TestServer::start().await;
    for terms in [json!({"game": "santorini"}), json!({"game": "template", "preset": "short"})] {
        let names =
            ["ada", "bob"].map(|name| format!("{name}-{}", &terms["game"].as_str().unwrap()[..3]));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (id, users) = begin(&server, terms, &names).await;
        let mut sockets = sit_down(&server, id, &users).await;
        for _ in 0..6 {
            step(id, &mut sockets, &any).await.unwrap();
        }
        sockets[1].find(|it| it["type"] == "event" && it["ply"] == 6).await;
        for since in 0..=6 {
            let mut back = Socket::open(server.address, &users[1].token).await;
            let snapshot = rejoin(&mut back, id, since).await;
            assert_eq!(snapshot["ply"], 6);
            assert_eq!(snapshot["viewer"], 1);
            let missed = snapshot["events"].as_array().cloned().unwrap_or_default();
            // A room keeps so many bytes of events: of a game with large ones, three at least.
            if since >= 3 || !missed.is_empty() {
                assert_eq!(missed, events(&sockets[1], since), "since {since}");
            }
        }
        // A ply that never was is no error: there is only the view to tell.
        let mut back = Socket::open(server.address, &users[1].token).await;
        let snapshot = rejoin(&mut back, id, u64::from(u32::MAX)).await;
        assert!(snapshot["events"].is_null(), "{snapshot}");
        play_on(id, &mut sockets, any).await;
    }
}

#[tokio::test]
async fn the_others_are_told_who_is_there() {
    let server = TestServer::start().await;
    let (id, users) = begin(&server, json!({"game": "santorini"}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    check_presence(&mut sockets[0], &[false, true]).await;
    drop(sockets.pop());
    check_presence(&mut sockets[0], &[false]).await;
    let mut back = Socket::open(server.address, &users[1].token).await;
    rejoin(&mut back, id, 0).await;
    check_presence(&mut sockets[0], &[true]).await;
}

/// Acts for the first seat and is gone before the answer; gives the nonce.
async fn act_and_vanish(server: &TestServer, id: MatchId, token: &str, action: &str) -> Value {
    let mut hasty = Socket::open(server.address, token).await;
    hasty.join(id).await;
    let act = json!({"type": "act", "match": id, "ply": 0, "action": action, "nonce": 77});
    hasty.send(&act).await;
    act
}

async fn first_action(socket: &mut Socket, id: MatchId) -> String {
    socket.send(&json!({"type": "legal", "match": id})).await;
    socket.expect("legal").await["actions"][0].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_action_without_an_answer_is_sent_again_and_happens_once() {
    let server = TestServer::start().await;
    let (id, users) = begin(&server, json!({"game": "santorini"}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    let action = first_action(&mut sockets[0], id).await;
    let act = act_and_vanish(&server, id, &users[0].token, &action).await;
    let mut back = Socket::open(server.address, &users[0].token).await;
    rejoin(&mut back, id, 0).await;
    back.send(&act).await;
    let ack = back.expect("ack").await;
    assert_eq!((&ack["nonce"], &ack["ply"]), (&json!(77), &json!(1)));
    play_on(id, &mut sockets, any).await;
    let entries = server.store.entries(id, 0).await.unwrap();
    assert_eq!(entries.iter().filter(|entry| entry.nonce == 77).count(), 1);
}

#[tokio::test]
async fn matches_go_on_after_a_restart_and_an_acknowledged_action_is_there() {
    let server = TestServer::start().await;
    let (id, users) = begin(&server, json!({"game": "santorini"}), &["ada", "bob"]).await;
    let timed =
        json!({"game": "chess", "clock": {"mode": "fischer", "initial_s": 600, "increment_s": 0}});
    let timed = begin_between(timed, &users).await;
    let mut sockets = sit_down(&server, id, &users).await;
    let action = first_action(&mut sockets[0], id).await;
    let ack = sockets[0].act(id, 0, &action, 77).await;
    assert_eq!(ack["type"], "ack");
    let heard: Vec<Value> = {
        sockets[1].find(|it| it["type"] == "event").await;
        events(&sockets[1], 0)
    };
    drop(sockets);

    let mut server = server;
    for _ in 0..3 {
        server = server.restart().await;
        let mut back = Socket::open(server.address, &users[0].token).await;
        let snapshot = rejoin(&mut back, id, 0).await;
        assert_eq!((&snapshot["ply"], &snapshot["events"]), (&json!(1), &json!(heard)));
        assert_eq!(back.act(id, 0, &action, 77).await, ack, "the same answer again");
    }
    let mut sockets = sit_down(&server, id, &users).await;
    play_on(id, &mut sockets, any).await;
    let entries = server.store.entries(id, 0).await.unwrap();
    assert_eq!(entries.iter().filter(|entry| entry.nonce == 77).count(), 1);

    // The clock stood while nobody could move: an entry says so.
    let mut sockets = sit_down(&server, timed, &users).await;
    assert!(step(timed, &mut sockets, &any).await.is_some());
    let entries = server.store.entries(timed, 0).await.unwrap();
    assert!(entries[0].kind == game_api::EntryKind::Resume);
}

#[tokio::test]
async fn a_match_that_is_over_can_still_be_looked_at_after_a_restart() {
    let server = TestServer::start().await;
    let (id, users) = begin(&server, json!({"game": "santorini"}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    let over = play_on(id, &mut sockets, any).await;
    drop(sockets);
    let server = server.restart().await;
    let mut back = Socket::open(server.address, &users[0].token).await;
    let snapshot = back.join(id).await;
    assert_eq!((&snapshot["status"], &snapshot["outcome"]), (&json!("over"), &over["outcome"]));
}
