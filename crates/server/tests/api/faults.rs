//! A store that fails: what was not stored never happened, and what was stored happens once.

use std::sync::Arc;

use domain::MatchId;
use serde_json::{Value, json};
use storage::{Change, StorageError, Thing};

use crate::kit::TestServer;
use crate::line::{Fault, Line};
use crate::play::{any, begin, play_on, sit_down};
use crate::socket::Socket;
use crate::times::pass;

/// So many inputs of a room wait for its store.
const WAITING_MAX: usize = 64;

/// How often a socket was told something of this kind.
fn count(socket: &Socket, kind: &str) -> usize {
    let messages = socket.heard.iter().map(|text| serde_json::from_str::<Value>(text).unwrap());
    messages.filter(|it| it["type"] == kind).count()
}

async fn shown(socket: &mut Socket, ply: u64) -> Value {
    socket.find(|it| it["type"] == "snapshot" && it["ply"] == ply).await
}

/// The first action of a match meets this fault; then it is sent again.
async fn check(fault: Fault) {
    let (server, line) = TestServer::with_line().await;
    let (id, users) = begin(&server, json!({"game": "chess"}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    sockets.iter_mut().for_each(Socket::forget);
    line.break_for(1, fault, |change| matches!(change, Change::Append { .. }));
    let refused = sockets[0].act(id, 0, "e2e4", 77).await;
    assert_eq!((&refused["type"], &refused["code"]), (&json!("refused"), &json!("unavailable")));
    assert!(line.is_whole());
    // All see what is stored, and no more.
    let stored = u64::from(fault == Fault::Unanswered);
    for socket in &mut sockets {
        assert_eq!(shown(socket, stored).await["status"], "running");
        assert_eq!(count(socket, "event"), 0, "{fault:?}");
    }
    // What was given up for lost and comes after all is kept out.
    for unit in line.lost() {
        let late = server.store.commit(unit).await;
        assert_eq!(late, Err(StorageError::Conflict(Thing::Match)));
    }

    let ack = sockets[0].act(id, 0, "e2e4", 77).await;
    assert_eq!((&ack["type"], &ack["ply"]), (&json!("ack"), &json!(1)), "{fault:?}");
    assert_eq!(sockets[0].act(id, 0, "e2e4", 77).await, ack);
    assert_eq!(sockets[1].act(id, 1, "e7e5", 78).await["type"], "ack");
    sockets[1].find(|it| it["type"] == "event" && it["ply"] == 2).await;
    assert_eq!(count(&sockets[1], "event"), if stored == 1 { 1 } else { 2 }, "{fault:?}");
    let entries = server.store.entries(id, 0).await.unwrap();
    assert_eq!(entries.iter().map(|entry| entry.nonce).collect::<Vec<_>>(), [77, 78]);
    play_on(id, &mut sockets, any).await;
}

#[tokio::test]
async fn what_was_thought_before_a_fault_of_the_store_stays_used() {
    for fault in [Fault::Lost, Fault::Unanswered] {
        let (server, line) = TestServer::with_line().await;
        let terms = json!({"game": "chess", "clock": {"mode": "per_move", "seconds": 60}});
        let (id, users) = begin(&server, terms, &["ada", "bob"]).await;
        let mut sockets = sit_down(&server, id, &users).await;
        pass(40, &mut sockets).await;
        line.break_for(1, fault, |change| matches!(change, Change::Append { .. }));
        let refused = sockets[0].act(id, 0, "e2e5", 76).await;
        assert_eq!(refused["code"], "illegal_move");
        assert_eq!(sockets[0].act(id, 0, "e2e4", 77).await["code"], "unavailable");
        let stored = u64::from(fault == Fault::Unanswered);
        let clock = &shown(&mut sockets[1], stored).await["clock"];
        let left_ms = clock["remaining_ms"][0].as_u64().unwrap();
        match fault {
            Fault::Lost => assert!(left_ms <= 20_000, "{clock}"),
            // The turn is over, and the next begins in full.
            _ => assert_eq!(left_ms, 60_000, "{clock}"),
        }
        let entries = server.store.entries(id, 0).await.unwrap();
        assert_eq!(entries.len() as u64, stored, "no entry says that the clock stood");
    }
}

#[tokio::test]
async fn an_action_that_was_not_stored_never_happened_and_can_be_sent_again() {
    check(Fault::Lost).await;
}

#[tokio::test]
async fn an_action_that_was_stored_without_an_answer_is_acknowledged_when_it_is_sent_again() {
    check(Fault::Unanswered).await;
}

/// A match of chess in which the first action is stored, and its room waits to hear of it.
async fn begin_waiting(terms: Value) -> (TestServer, Arc<Line>, MatchId, Vec<Socket>) {
    let (server, line) = TestServer::with_line().await;
    let (id, users) = begin(&server, terms, &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    sockets.iter_mut().for_each(Socket::forget);
    line.break_for(1, Fault::Late, |change| matches!(change, Change::Append { .. }));
    sockets[0]
        .send(&json!({"type": "act", "match": id, "ply": 0, "action": "e2e4", "nonce": 77}))
        .await;
    line.stored(|change| matches!(change, Change::Append { .. })).await;
    (server, line, id, sockets)
}

#[tokio::test]
async fn who_asks_too_much_of_a_room_that_waits_for_its_store_is_told_that_it_is_busy() {
    let (_server, line, id, mut sockets) = begin_waiting(json!({"game": "chess"})).await;
    for _ in 0..=WAITING_MAX {
        sockets[1].send(&json!({"type": "legal", "match": id})).await;
    }
    assert_eq!(sockets[1].expect("refused").await["code"], "busy");
    assert_eq!(sockets[1].act(id, 1, "e7e5", 78).await["code"], "busy");
    line.answer();
    assert_eq!(sockets[0].expect("ack").await["ply"], 1);
    // What found a place has its answer, in order, and nothing else has happened.
    assert_eq!(sockets[1].expect("event").await["ply"], 1);
    for _ in 0..WAITING_MAX {
        assert_eq!(sockets[1].expect("legal").await["ply"], 1);
    }
    assert_eq!(sockets[1].act(id, 1, "e7e5", 78).await["ply"], 2);
    play_on(id, &mut sockets, any).await;
}

#[tokio::test]
async fn an_action_that_waits_until_its_time_is_up_is_refused() {
    let clock = json!({"mode": "fischer", "initial_s": 60, "increment_s": 0});
    let terms = json!({"game": "chess", "clock": clock});
    let (server, line, id, mut sockets) = begin_waiting(terms).await;
    let reply = json!({"type": "act", "match": id, "ply": 1, "action": "e7e5", "nonce": 78});
    sockets[1].send(&reply).await;
    pass(60, &mut sockets).await;
    line.answer();
    let refused = sockets[1].expect("refused").await;
    assert_eq!((&refused["code"], &refused["nonce"]), (&json!("time_is_up"), &json!(78)));
    for socket in &mut sockets {
        let over = socket.expect("over").await;
        assert_eq!(over["outcome"], json!({"places": [1, 2], "reason": "time"}));
    }
    let entries = server.store.entries(id, 0).await.unwrap();
    assert_eq!(entries.iter().map(|entry| entry.nonce).collect::<Vec<_>>(), [77, 0]);
}

/// Ada resigns, which meets this fault.
async fn resign(fault: Fault) -> (TestServer, MatchId, Vec<Socket>) {
    let (server, line) = TestServer::with_line().await;
    let (id, users) = begin(&server, json!({"game": "chess"}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    sockets.iter_mut().for_each(Socket::forget);
    line.break_for(1, fault, |change| matches!(change, Change::EndMatch(_)));
    sockets[0].send(&json!({"type": "resign", "match": id})).await;
    assert_eq!(sockets[0].expect("refused").await["code"], "unavailable");
    assert!(line.is_whole());
    (server, id, sockets)
}

async fn check_resigned(server: &TestServer, id: MatchId) {
    let result = server.store.find_result(id).await.unwrap().unwrap();
    assert_eq!((result.places, &*result.reason), (vec![2, 1], "resigned"));
    let bob = server.login("bob").await;
    let profile: Value = bob.bearer.get("/api/v1/profile").await.json(200);
    let counted = &profile["statistics"][0];
    assert_eq!((&counted["played"], &counted["won"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn an_end_that_was_not_stored_is_told_to_nobody() {
    let (server, id, mut sockets) = resign(Fault::Lost).await;
    assert_eq!(shown(&mut sockets[1], 0).await["status"], "running");
    assert_eq!(count(&sockets[1], "over"), 0);
    sockets[0].send(&json!({"type": "resign", "match": id})).await;
    let over = sockets[1].expect("over").await;
    assert_eq!(over["outcome"], json!({"places": [2, 1], "reason": "resigned"}));
    check_resigned(&server, id).await;
}

#[tokio::test]
async fn an_end_that_was_stored_without_an_answer_is_shown_to_all() {
    let (server, id, mut sockets) = resign(Fault::Unanswered).await;
    for socket in &mut sockets {
        let snapshot = shown(socket, 1).await;
        assert_eq!(snapshot["outcome"], json!({"places": [2, 1], "reason": "resigned"}));
    }
    check_resigned(&server, id).await;
}

#[tokio::test]
async fn a_room_that_cannot_be_made_anew_sends_its_people_away_and_they_can_come_again() {
    let (server, line) = TestServer::with_line().await;
    let (id, users) = begin(&server, json!({"game": "chess"}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    // The action, and then the lease of the next epoch.
    let is_hit = |it: &Change| matches!(it, Change::Append { .. } | Change::TakeLease { .. });
    line.break_for(2, Fault::Lost, is_hit);
    assert_eq!(sockets[0].act(id, 0, "e2e4", 77).await["code"], "unavailable");
    for socket in &mut sockets {
        let told = socket.find(|it| it["type"] == "refused" && it["nonce"].is_null()).await;
        assert_eq!(told["code"], "unavailable");
    }
    assert!(line.is_whole());
    for socket in &mut sockets {
        assert_eq!(socket.join(id).await["ply"], 0);
    }
    assert_eq!(sockets[0].act(id, 0, "e2e4", 77).await["type"], "ack");
    assert_eq!(sockets[1].find(|it| it["type"] == "event").await["ply"], 1);
    assert_eq!(server.store.entries(id, 0).await.unwrap().len(), 1);
}
