//! Several servers on one store: a match has one owner, and another when that one is gone.

use domain::MatchId;
use game_api::EntryKind;
use serde_json::{Value, json};
use storage::Change;

use crate::eviction::{chess, leave};
use crate::kit::TestServer;
use crate::line::Fault;
use crate::play::{any, begin, play_on, sit_down, step};
use crate::socket::Socket;
use crate::times::{pass, pass_settled};

/// Longer than a lease, and than the time until matches without a server are looked for.
const LEASE_S: u64 = 120;

/// Why a join is refused.
async fn refusal(socket: &mut Socket, id: MatchId) -> Value {
    socket.send(&json!({"type": "join", "match": id})).await;
    socket.find(|it| it["type"] == "refused" && it["nonce"].is_null()).await["code"].clone()
}

#[tokio::test]
async fn a_match_is_its_owners_while_the_lease_lasts_and_anybodys_after_it() {
    let (first, line) = TestServer::with_line().await;
    let second = first.beside("second").await;
    let (id, users) = begin(&first, json!({"game": "santorini"}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&first, id, &users).await;
    sockets.push(Socket::open(second.address, &users[0].token).await);
    assert_eq!(refusal(&mut sockets[2], id).await, "busy");
    pass_settled(3 * LEASE_S, &line, &mut sockets).await;
    assert_eq!(refusal(&mut sockets[2], id).await, "busy", "whoever holds it keeps it");
    for _ in 0..3 {
        step(id, &mut sockets[..2], &any).await.unwrap();
    }
    let before = sockets[0].join(id).await;

    first.crash().await;
    let mut sockets = vec![sockets.remove(2)];
    assert_eq!(refusal(&mut sockets[0], id).await, "busy", "it may be alive");
    pass(LEASE_S, &mut sockets).await;
    let after = sockets[0].join(id).await;
    assert_eq!((&after["ply"], &after["view"]), (&before["ply"], &before["view"]));
    sockets.extend(sit_down(&second, id, &users[1..]).await);
    play_on(id, &mut sockets, any).await;
    let row = second.store.find_match(id).await.unwrap().unwrap();
    assert_eq!((row.owner.as_deref(), row.epoch), (Some("second"), 1));
}

#[tokio::test]
async fn a_match_without_a_server_is_taken_on_though_nobody_asks_for_it() {
    let (second, line) = TestServer::with_line().await;
    let first = second.beside("first").await;
    let (id, users) = begin(&first, chess(120), &["ada", "bob"]).await;
    let mut sockets = sit_down(&first, id, &users).await;
    assert_eq!(sockets[0].act(id, 0, "e2e4", 1).await["type"], "ack");
    first.crash().await;

    let mut sockets = vec![Socket::open(second.address, &users[0].token).await];
    pass_settled(LEASE_S, &line, &mut sockets).await;
    line.stored(|change| matches!(change, Change::TakeLease { .. })).await;
    let row = second.store.find_match(id).await.unwrap().unwrap();
    assert_eq!(row.epoch, 1);
    assert_ne!(row.owner.as_deref(), Some("first"));
    // The clock stood while no server was there: an entry says so.
    let entries = second.store.entries(id, 0).await.unwrap();
    assert_eq!(entries.len(), 2);
    assert!(entries[1].kind == EntryKind::Resume);
    assert_eq!(second.store.find_result(id).await.unwrap().map(|it| it.reason), None);
    pass_settled(120, &line, &mut sockets).await;
    line.stored(|change| matches!(change, Change::EndMatch(_))).await;
    let snapshot = sockets[0].join(id).await;
    assert_eq!(snapshot["outcome"], json!({"places": [1, 2], "reason": "time"}));
}

#[tokio::test]
async fn who_follows_a_match_at_a_server_that_lost_it_is_told_and_nothing_is_stored_there() {
    let (first, line) = TestServer::with_line().await;
    let second = first.beside("second").await;
    let (id, users) = begin(&first, json!({"game": "chess"}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&first, id, &users).await;
    assert_eq!(sockets[0].act(id, 0, "e2e4", 1).await["type"], "ack");
    line.break_for(usize::MAX, Fault::Lost, |it| matches!(it, Change::RenewLease { .. }));
    pass(LEASE_S, &mut sockets).await;
    let mut moved = sit_down(&second, id, &users).await;
    assert_eq!(sockets[1].act(id, 1, "e7e5", 2).await["code"], "unavailable");
    for socket in &mut sockets {
        let told = socket.find(|it| it["type"] == "refused" && it["nonce"].is_null()).await;
        assert_eq!(told["code"], "busy");
    }
    assert_eq!(second.store.entries(id, 0).await.unwrap().len(), 1);

    assert_eq!(moved[1].act(id, 1, "e7e5", 2).await["type"], "ack");
    assert_eq!(moved[0].expect("event").await["ply"], 2);
    assert_eq!(refusal(&mut sockets[0], id).await, "busy");
}

#[tokio::test]
async fn a_match_that_everybody_left_keeps_its_owner_and_its_time() {
    let (first, line) = TestServer::with_line().await;
    let _second = first.beside("second").await;
    let (id, users) = begin(&first, chess(400), &["ada", "bob"]).await;
    let mut sockets = sit_down(&first, id, &users).await;
    assert_eq!(sockets[0].act(id, 0, "e2e4", 1).await["type"], "ack");
    leave(id, &mut sockets).await;
    pass_settled(400, &line, &mut sockets).await;
    line.stored(|change| matches!(change, Change::EndMatch(_))).await;
    let row = first.store.find_match(id).await.unwrap().unwrap();
    assert_eq!(row.epoch, 0);
    assert_eq!(first.store.entries(id, 0).await.unwrap().len(), 2);
}
