//! Many who want the same thing at once.

use std::sync::Arc;

use futures_util::future::join_all;
use protocol::{AuthResponse, Code};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::kit::{Answer, PASSWORD, TestServer};

/// More sockets at once than this is more than some machines allow a process.
const CONNECTIONS: usize = 400;

/// Does all of this at once and tells how many succeeded; the rest is refused with one of the codes.
pub(crate) async fn race<F: Future<Output = Answer>>(
    count: usize,
    attempt: impl Fn(usize) -> F,
    codes: &[Code],
) -> Vec<Answer> {
    let sockets = Arc::new(Semaphore::new(CONNECTIONS));
    let attempts = (0..count).map(|number| {
        let (sockets, answer) = (sockets.clone(), attempt(number));
        async move {
            let _socket = sockets.acquire().await.unwrap();
            answer.await
        }
    });
    let (winners, losers): (Vec<Answer>, Vec<Answer>) =
        join_all(attempts).await.into_iter().partition(|answer| answer.status.is_success());
    for loser in losers {
        let is_expected = codes.iter().any(|code| loser.is_problem(*code));
        assert!(is_expected, "{}", loser.text());
    }
    winners
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_thousand_who_register_one_name_one_succeeds() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    let attempt = |number| {
        let name = if number % 2 == 0 { "Ada" } else { "aDA" };
        let password = format!("{PASSWORD} {number}");
        let (client, body) = (client.clone(), json!({"username": name, "password": password}));
        async move { client.post("/api/v1/register", &body).await }
    };
    let winners = race(1000, attempt, &[Code::UsernameTaken]).await;
    assert_eq!(winners.len(), 1);
    let answer: AuthResponse = winners[0].json(201);
    let kept = server.store.find_player_by_name("ada").await.unwrap().unwrap();
    assert_eq!((kept.id, kept.name), (answer.user.id, answer.user.name));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_hundred_refreshes_of_one_token_one_succeeds() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let refresh = |_| {
        let client = ada.bearer.clone();
        async move { client.post("/api/v1/token/refresh", &json!({})).await }
    };
    let winners = race(200, refresh, &[Code::InvalidToken]).await;
    assert_eq!(winners.len(), 1);
    let answer: AuthResponse = winners[0].json(200);
    let next = server.bearer(answer.token.expose());
    assert_eq!(next.get("/api/v1/profile").await.status, 200);
    ada.bearer.get("/api/v1/profile").await.problem(Code::Unauthorized);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_upgrades_of_one_guest_one_succeeds() {
    let server = TestServer::start().await;
    let guests =
        [server.guest("the-device-of-a-guest").await, server.guest("the-device-of-a-guest").await];
    let upgrade = |number: usize| {
        let client = guests[number % 2].bearer.clone();
        let body = json!({"username": format!("player-{number}"), "password": PASSWORD});
        async move { client.post("/api/v1/guest/upgrade", &body).await }
    };
    let winners = race(50, upgrade, &[Code::InvalidToken, Code::Unauthorized]).await;
    assert_eq!(winners.len(), 1);
    let answer: AuthResponse = winners[0].json(200);
    let kept = server.store.find_player(guests[0].id).await.unwrap().unwrap();
    assert_eq!(kept.name, answer.user.name);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_is_deleted_once() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let delete = |_| {
        let client = ada.bearer.clone();
        async move { client.delete("/api/v1/profile").await }
    };
    let refusals = [Code::RecordNotFound, Code::Unauthorized];
    assert_eq!(race(50, delete, &refusals).await.len(), 1);
    assert!(server.store.find_player(ada.id).await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_comes_many_times_at_once_is_one_guest() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    let guest = |_| {
        let (client, body) = (client.clone(), json!({"device_id": "the-device-of-a-guest"}));
        async move { client.post("/api/v1/guest", &body).await }
    };
    let winners = race(50, guest, &[]).await;
    assert_eq!(winners.len(), 50);
    let id = |answer: &Answer| answer.json::<AuthResponse>(200).user.id;
    assert!(winners.iter().all(|answer| id(answer) == id(&winners[0])));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_take_one_name_one_gets_it() {
    let server = TestServer::start().await;
    let users =
        join_all((0..20).map(async |it| server.register(&format!("player-{it}")).await)).await;
    let rename = |number: usize| {
        let client = users[number].browser.clone();
        async move { client.put("/api/v1/profile", &json!({"name": "Ada"})).await }
    };
    assert_eq!(race(20, rename, &[Code::UsernameTaken]).await.len(), 1);
}
