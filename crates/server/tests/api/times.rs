//! What happens at the sockets because time passes: who watches sees late, who is gone can be
//! claimed, whose time is up has lost.

use std::time::Duration;

use serde_json::{Value, json};

use crate::kit::TestServer;
use crate::line::Line;
use crate::play::{begin, check_presence, sit_down};
use crate::socket::Socket;

/// Shorter than the silence after which a socket is asked whether it lives.
const STEP_S: u64 = 20;

/// Lets time pass for rooms and sockets. It stands only while nothing is stored: a store's threads
/// live in real time, and a clock that stands would jump while they are waited for.
pub(crate) async fn pass(mut seconds: u64, sockets: &mut [Socket]) {
    while seconds > 0 {
        let step_s = seconds.min(STEP_S);
        seconds -= step_s;
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(step_s)).await;
        tokio::time::resume();
        for socket in &mut *sockets {
            socket.send(&json!({"type": "ping"})).await;
            socket.find(|it| it["type"] == "pong").await;
        }
    }
}

/// The same, but no faster than the store answers: a lease that is renewed too late is over.
pub(crate) async fn pass_settled(seconds: u64, line: &Line, sockets: &mut [Socket]) {
    for _ in 0..seconds / 10 {
        pass(10, sockets).await;
        line.settled().await;
    }
}

/// The ply of the last state that a socket was shown.
fn shown_ply(socket: &Socket) -> Value {
    let latest = socket.heard.iter().rev().map(|text| serde_json::from_str::<Value>(text).unwrap());
    let mut shown = latest.filter(|it| it["type"] == "snapshot" || it["type"] == "event");
    shown.next().unwrap()["ply"].clone()
}

#[tokio::test]
async fn spectators_of_a_delayed_match_see_late_and_players_at_once() {
    let server = TestServer::start().await;
    let terms = json!({"game": "chess", "spectator_delay_s": 60});
    let (id, users) = begin(&server, terms, &["ada", "bob"]).await;
    let guests =
        [server.guest("the-device-of-a-guest").await, server.guest("the-device-of-another").await];
    let mut sockets = sit_down(&server, id, users.iter().chain([&guests[0]])).await;
    assert_eq!(sockets[0].act(id, 0, "e2e4", 1).await["type"], "ack");
    assert_eq!(sockets[1].expect("event").await["ply"], 1);
    pass(30, &mut sockets).await;
    assert_eq!(shown_ply(&sockets[2]), 0);
    sockets.extend(sit_down(&server, id, [&guests[1]]).await);
    assert_eq!(shown_ply(&sockets[3]), 0, "who comes later sees no more");
    pass(30, &mut sockets).await;
    for spectator in &mut sockets[2..] {
        spectator.find(|it| it["type"] == "snapshot" && it["ply"] == 1).await;
    }
}

#[tokio::test]
async fn a_seat_that_is_gone_for_too_long_can_be_claimed() {
    let server = TestServer::start().await;
    let clock = json!({"mode": "fischer", "initial_s": 120, "increment_s": 0});
    let (id, users) =
        begin(&server, json!({"game": "chess", "clock": clock}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    drop(sockets.pop());
    check_presence(&mut sockets[0], &[false, true, false]).await;
    let claim = json!({"type": "claim", "match": id});
    pass(15, &mut sockets).await;
    sockets[0].send(&claim).await;
    assert_eq!(sockets[0].expect("refused").await["code"], "nobody_gone");
    pass(15, &mut sockets).await;
    sockets[0].send(&claim).await;
    let over = sockets[0].expect("over").await;
    assert_eq!(over["outcome"], json!({"places": [1, 2], "reason": "abandoned"}));
    let result = server.store.find_result(id).await.unwrap().unwrap();
    assert_eq!((result.places, &*result.reason), (vec![1, 2], "abandoned"));
}

#[tokio::test]
async fn whose_time_is_up_has_lost() {
    let server = TestServer::start().await;
    let clock = json!({"mode": "fischer", "initial_s": 60, "increment_s": 1});
    let (id, users) =
        begin(&server, json!({"game": "chess", "clock": clock}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    assert_eq!(sockets[0].act(id, 0, "e2e4", 1).await["type"], "ack");
    pass(60, &mut sockets).await;
    for socket in &mut sockets {
        let over = socket.expect("over").await;
        assert_eq!(over["outcome"], json!({"places": [1, 2], "reason": "time"}));
    }
    assert_eq!(sockets[1].act(id, 1, "e7e5", 2).await["code"], "game_over");
    let result = server.store.find_result(id).await.unwrap().unwrap();
    assert_eq!((result.places, &*result.reason), (vec![1, 2], "time"));
}
