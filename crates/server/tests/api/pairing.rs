//! M3: the pairing queue.

use std::collections::BTreeMap;

use domain::{PlayerId, Role};
use futures_util::future::join_all;
use serde_json::{Value, json};
use storage::{Change, NewPlayer, Pairing, Player};

use crate::kit::{NOW_MS, TestServer, User};
use crate::socket::Socket;

const PAIRING: &str = "/api/v1/pairing";

/// Asks, and gives the match if there is one at once.
async fn wish(user: &User, terms: &Value) -> Value {
    let answer: Value = user.bearer.post(PAIRING, terms).await.json(200);
    answer["match"].clone()
}

/// The stored wishes of these people.
async fn waiting<'a>(
    server: &TestServer,
    users: impl IntoIterator<Item = &'a User>,
) -> Vec<Pairing> {
    let mut found = Vec::new();
    for user in users {
        found.extend(server.store.find_pairing(user.id).await.unwrap());
    }
    found
}

#[tokio::test]
async fn two_who_want_the_same_play_with_each_other() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.guest("the-device-of-bob").await];
    let mut socket = Socket::open(server.address, &ada.token).await;
    let terms = json!({"game": "santorini", "clock": {"mode": "days", "days": 1}});
    assert_eq!(wish(&ada, &terms).await, Value::Null);
    let found = wish(&bob, &terms).await;
    assert!(found.is_string(), "{found}");
    assert_eq!(socket.expect("paired").await["match"], found);
    let id = found.as_str().unwrap().parse().unwrap();
    let snapshot = socket.join(id).await;
    assert_eq!(snapshot["game"], "santorini");
    for user in [&ada, &bob] {
        assert_eq!(server.store.running_matches(user.id).await.unwrap(), [id]);
    }
    let eve = server.register("Eve").await;
    assert_eq!(wish(&eve, &terms).await, Value::Null, "the wishes of both are fulfilled");
}

#[tokio::test]
async fn only_who_wants_the_same_is_paired_and_nobody_with_themselves() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let chess = json!({"game": "chess"});
    assert_eq!(wish(&ada, &chess).await, Value::Null);
    assert_eq!(wish(&ada, &chess).await, Value::Null, "twice the same person");
    assert_eq!(wish(&bob, &json!({"game": "santorini"})).await, Value::Null);
    assert_eq!(
        wish(&bob, &json!({"game": "chess", "clock": {"mode": "days", "days": 1}})).await,
        Value::Null
    );
    assert_eq!(waiting(&server, [&ada, &bob]).await.len(), 2);
    assert!(wish(&bob, &chess).await.is_string(), "a new wish replaces the old");
    assert_eq!(waiting(&server, [&ada, &bob]).await, []);
}

#[tokio::test]
async fn a_wish_taken_back_is_not_fulfilled() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let terms = json!({"game": "chess"});
    assert_eq!(wish(&ada, &terms).await, Value::Null);
    ada.bearer.delete(PAIRING).await.empty();
    ada.bearer.delete(PAIRING).await.empty();
    assert_eq!(wish(&bob, &terms).await, Value::Null);
    assert!(wish(&ada, &terms).await.is_string());
}

#[tokio::test]
async fn a_wish_survives_a_restart_but_not_its_account() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let terms = json!({"game": "chess"});
    assert_eq!(wish(&ada, &terms).await, Value::Null);
    assert_eq!(wish(&bob, &json!({"game": "santorini"})).await, Value::Null);
    let server = server.restart().await;
    assert_eq!(waiting(&server, [&ada, &bob]).await.len(), 2);
    server.bearer(&bob.token).delete("/api/v1/profile").await.empty();
    let eve = server.register("Eve").await;
    assert_eq!(wish(&eve, &json!({"game": "santorini"})).await, Value::Null);
    assert!(wish(&eve, &terms).await.is_string());
}

#[tokio::test]
async fn a_wish_that_nobody_repeats_is_forgotten() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let terms = json!({"game": "chess"});
    assert_eq!(wish(&ada, &terms).await, Value::Null);
    server.time.advance(100_000);
    assert_eq!(wish(&ada, &terms).await, Value::Null, "who is still there says so");
    server.time.advance(100_000);
    assert!(wish(&bob, &terms).await.is_string());
    assert_eq!(wish(&ada, &terms).await, Value::Null);
    server.time.advance(120_000);
    assert_eq!(wish(&bob, &terms).await, Value::Null, "Ada has gone away");
    assert_eq!(waiting(&server, [&ada, &bob]).await.len(), 1);
}

#[tokio::test]
async fn who_asks_again_keeps_the_place() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let terms = json!({"game": "template", "seats": 3});
    for user in [&ada, &bob, &ada] {
        assert_eq!(wish(user, &terms).await, Value::Null);
        server.time.advance(1000);
    }
    let bodies = waiting(&server, [&ada, &bob]).await.into_iter().map(|row| row.body);
    let wishes = bodies.map(|body| serde_json::from_str::<Value>(&body).unwrap());
    let since: Vec<(String, u64)> = wishes
        .map(|it| (it["name"].as_str().unwrap().to_owned(), it["since_ms"].as_u64().unwrap()))
        .collect();
    let since = |name: &str| since.iter().find(|it| it.0 == name).unwrap().1;
    assert!(since("Ada") < since("Bob"), "{} and {}", since("Ada"), since("Bob"));
}

#[tokio::test]
async fn more_than_two_are_paired_for_a_game_of_more() {
    let server = TestServer::start().await;
    let terms = json!({"game": "template", "seats": 4});
    for number in 0..4 {
        let guest = server.guest(&format!("device-number-{number:04}")).await;
        assert_eq!(wish(&guest, &terms).await.is_string(), number == 3);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_at_once_make_ten_matches() {
    let server = TestServer::start().await;
    let mut users = Vec::new();
    let mut sockets = Vec::new();
    for number in 0..20 {
        let user = server.guest(&format!("device-number-{number:04}")).await;
        sockets.push(Socket::open(server.address, &user.token).await);
        users.push(user);
    }
    let terms = json!({"game": "santorini"});
    join_all(users.iter().map(|user| wish(user, &terms))).await;
    let mut matches: BTreeMap<String, u32> = BTreeMap::new();
    for socket in &mut sockets {
        let paired = socket.expect("paired").await;
        *matches.entry(paired["match"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    assert_eq!(matches.len(), 10);
    assert!(matches.values().all(|count| *count == 2), "{matches:?}");
    assert_eq!(waiting(&server, &users).await, []);
    for user in &users {
        assert_eq!(server.store.running_matches(user.id).await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn two_are_paired_however_many_wait_for_something_else() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let others = (1..=1100).flat_map(|number| {
        let player = Player {
            id: PlayerId::new(NOW_MS, number),
            name: format!("Guest {number}"),
            role: Role::Guest,
            avatar: "owl".to_owned(),
            created_ms: NOW_MS,
        };
        let wish = Pairing {
            player: player.id,
            // Half of them are alone with what they want; the others want the same of many.
            pool: if number % 2 == 0 { format!("chess {number}") } else { "crowd".to_owned() },
            body: "{}".to_owned(),
            since_ms: 1,
            asked_ms: NOW_MS,
        };
        let new = NewPlayer { player, device: None };
        [Change::CreatePlayer(new), Change::PutPairing(wish)]
    });
    server.store.commit(others.collect()).await.unwrap();
    let terms = json!({"game": "chess"});
    assert_eq!(wish(&ada, &terms).await, Value::Null);
    assert!(wish(&bob, &terms).await.is_string());
}
