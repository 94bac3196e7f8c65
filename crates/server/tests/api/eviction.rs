//! Rooms that everybody left: they are let go of, and nothing is lost by that.

use domain::MatchId;
use game_api::EntryKind;
use serde_json::{Value, json};
use storage::Change;

use crate::kit::TestServer;
use crate::play::{any, begin, play_on, sit_down, step};
use crate::socket::Socket;
use crate::times::pass_settled;

/// Longer than a room stays that nobody follows, and the time until somebody looks.
const IDLE_S: u64 = 80;

/// Everybody leaves the match; the sockets stay open.
pub(crate) async fn leave(id: MatchId, sockets: &mut [Socket]) {
    for socket in sockets {
        socket.send(&json!({"type": "leave", "match": id})).await;
        socket.expect("left").await;
    }
}

pub(crate) fn chess(seconds: u64) -> Value {
    let clock = json!({"mode": "fischer", "initial_s": seconds, "increment_s": 0});
    json!({"game": "chess", "clock": clock})
}

#[tokio::test]
async fn time_is_up_in_a_room_that_was_let_go_of_too() {
    let (server, line) = TestServer::with_line().await;
    let (id, users) = begin(&server, chess(IDLE_S + 10), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    assert_eq!(sockets[0].act(id, 0, "e2e4", 1).await["type"], "ack");
    leave(id, &mut sockets).await;
    pass_settled(IDLE_S, &line, &mut sockets).await;
    assert_eq!(line.reads(), 0);
    pass_settled(10, &line, &mut sockets).await;
    line.stored(|change| matches!(change, Change::EndMatch(_))).await;
    // Once for the room, once more for the story that is kept with the result.
    assert_eq!(line.reads(), 2);
    let result = server.store.find_result(id).await.unwrap().unwrap();
    assert_eq!((result.places, &*result.reason), (vec![1, 2], "time"));

    for socket in &mut sockets {
        let snapshot = socket.join(id).await;
        assert_eq!((&snapshot["status"], &snapshot["ply"]), (&json!("over"), &json!(2)));
        assert_eq!(snapshot["outcome"], json!({"places": [1, 2], "reason": "time"}));
    }
}

#[tokio::test]
async fn the_clock_of_a_room_that_was_let_go_of_runs_on() {
    let (server, line) = TestServer::with_line().await;
    let (id, users) = begin(&server, chess(600), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    assert_eq!(sockets[0].act(id, 0, "e2e4", 1).await["type"], "ack");
    leave(id, &mut sockets).await;
    // Much longer than a lease too.
    pass_settled(300, &line, &mut sockets).await;
    let snapshot = sockets[1].join(id).await;
    assert!(line.reads() > 0);
    let left_ms = snapshot["clock"]["remaining_ms"][1].as_u64().unwrap();
    assert!((1..=300_000).contains(&left_ms), "{snapshot}");
    assert_eq!(snapshot["clock"]["running"], json!([1]));
    assert_eq!(sockets[1].act(id, 1, "e7e5", 2).await["type"], "ack");
    let entries = server.store.entries(id, 0).await.unwrap();
    assert!(entries.iter().all(|entry| matches!(entry.kind, EntryKind::Act(_))), "none resumed it");
    assert!(entries.iter().all(|entry| entry.epoch == 0), "it was ours all the time");
}

#[tokio::test]
async fn a_match_without_a_clock_sleeps_until_somebody_returns_and_goes_on() {
    let (server, line) = TestServer::with_line().await;
    let (id, users) = begin(&server, json!({"game": "santorini"}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    for _ in 0..5 {
        step(id, &mut sockets, &any).await.unwrap();
    }
    let before = sockets[0].join(id).await;
    sockets[0].send(&json!({"type": "legal", "match": id})).await;
    let legal = sockets[0].expect("legal").await;
    leave(id, &mut sockets).await;
    pass_settled(300, &line, &mut sockets).await;
    assert_eq!(line.reads(), 0, "nothing happens in it by itself");

    let after = sockets[0].join(id).await;
    assert_eq!(line.reads(), 1);
    for what in ["ply", "view", "viewer", "status", "commitment"] {
        assert_eq!(after[what], before[what], "{what}");
    }
    sockets[0].send(&json!({"type": "legal", "match": id})).await;
    assert_eq!(sockets[0].expect("legal").await, legal);
    sockets[1].join(id).await;
    let over = play_on(id, &mut sockets, any).await;
    let result = server.store.find_result(id).await.unwrap().unwrap();
    assert_eq!(over["outcome"], json!({"places": result.places, "reason": result.reason}));
    let entries = server.store.entries(id, 0).await.unwrap();
    assert!(entries.iter().all(|entry| entry.epoch == 0), "it was ours all the time");
}

#[tokio::test]
async fn what_a_room_refused_is_written_down_when_it_is_let_go_of_and_nobody_comes_first_twice() {
    let (server, line) = TestServer::with_line().await;
    let (id, users) = begin(&server, json!({"game": "chess"}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    for (ply, action) in [(0, "e2e4"), (1, "e7e5")] {
        let socket = &mut sockets[ply];
        assert_eq!(socket.act(id, ply as u64, "e2e5", 1).await["type"], "refused");
        assert_eq!(socket.act(id, ply as u64, action, 2).await["type"], "ack");
    }
    leave(id, &mut sockets).await;
    pass_settled(IDLE_S, &line, &mut sockets).await;
    for socket in &mut sockets {
        socket.join(id).await;
    }
    assert_eq!(sockets[0].act(id, 2, "e2e5", 3).await["type"], "refused");
    sockets[0].send(&json!({"type": "resign", "match": id})).await;
    sockets[0].expect("over").await;
    let server = server.restart().await;
    let records = server.records_of(id).await;
    let kinds: Vec<&str> = records.iter().map(|(name, _)| name.as_str()).collect();
    let refused = ["actions_refused"; 2];
    let others = ["match_ended", "match_started", "seat_joined", "seat_joined"];
    assert_eq!(kinds, [&refused[..], &others].concat());
}

#[tokio::test]
async fn an_action_is_known_again_after_its_room_was_let_go_of() {
    let (server, line) = TestServer::with_line().await;
    let (id, users) = begin(&server, json!({"game": "chess"}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    let ack = sockets[0].act(id, 0, "e2e4", 77).await;
    assert_eq!(ack["type"], "ack");
    leave(id, &mut sockets).await;
    pass_settled(IDLE_S, &line, &mut sockets).await;
    sockets[0].join(id).await;
    assert_eq!(line.reads(), 1);
    assert_eq!(sockets[0].act(id, 0, "e2e4", 77).await, ack, "the same answer again");
    assert_eq!(server.store.entries(id, 0).await.unwrap().len(), 1);
}
