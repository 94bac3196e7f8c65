//! Tokens that do not count, wherever one is asked for.

use domain::Role;
use http::Method;
use http::header::{AUTHORIZATION, COOKIE};
use identity::{Claims, TokenKey, TokenMaker};
use protocol::{AuthResponse, Code, Profile, SessionResponse};
use serde_json::json;

use crate::kit::{Client, NOW_MS, PASSWORD, TestServer, User};
use crate::routes::{Need, Places, Route, routes};

/// The refusal of a route where the token of anybody is not good.
fn refusal(route: &Route) -> Code {
    route.without_token().unwrap()
}

/// Sends a bad token to every route that wants one, as a header and as a cookie.
async fn check_refused(
    server: &TestServer,
    places: &Places,
    token: &str,
    expected: impl Fn(&Route) -> Code,
) {
    let cookie = format!("authToken={token}");
    for client in [server.bearer(token), server.anonymous().with(COOKIE.as_str(), &cookie)] {
        for route in routes().iter().filter(|route| route.need > Need::Nobody) {
            let answer = route.ask(&client, places).await;
            answer.problem(expected(route));
        }
    }
}

fn forged(user: &User, server_key: &str) -> String {
    let claims = Claims {
        session: domain::SessionId::new(NOW_MS, 1),
        player: user.id,
        role: Role::Admin,
        generation: 0,
        issued_ms: NOW_MS,
        expires_ms: NOW_MS + 1_000_000,
    };
    let maker = TokenMaker::new(TokenKey::from_hex(&server_key.repeat(64)).unwrap());
    maker.issue(&claims).unwrap().as_str().to_owned()
}

#[tokio::test]
async fn what_is_no_token_of_this_house_opens_nothing() {
    let server = TestServer::start().await;
    let places = Places::new(&server).await;
    let ada = server.register("Ada").await;
    let good = &ada.token;
    let flipped = |at: usize| {
        let old = &good[at..=at];
        format!("{}{}{}", &good[..at], if old == "A" { "B" } else { "A" }, &good[at + 1..])
    };
    for token in [
        "garbage".to_owned(),
        "v4.local.".to_owned(),
        good[..good.len() - 1].to_owned(),
        good[..good.len() / 2].to_owned(),
        good.to_uppercase(),
        format!("{good}A"),
        flipped(12),
        flipped(good.len() / 2),
        flipped(good.len() - 2),
        forged(&ada, "a"),
        "x".repeat(10_000),
    ] {
        check_refused(&server, &places, &token, refusal).await;
    }
    assert_eq!(ada.bearer.get("/api/v1/profile").await.status, 200, "the good one is good");
}

#[tokio::test]
async fn a_header_without_a_token_is_as_good_as_none() {
    let server = TestServer::start().await;
    let places = Places::new(&server).await;
    let with = |value: &str| server.anonymous().with(AUTHORIZATION.as_str(), value);
    for client in [server.anonymous(), with("Bearer"), with("Bearer  "), with("Basic YTpi")] {
        for route in routes().iter().filter(|route| route.need > Need::Nobody) {
            route.ask(&client, &places).await.problem(refusal(route));
        }
    }
}

#[tokio::test]
async fn an_expired_token_opens_nothing() {
    let server = TestServer::start().await;
    let places = Places::new(&server).await;
    let admin = server.admin("Ada").await;
    server.time.advance(7 * 24 * 60 * 60 * 1000 - 1);
    assert_eq!(admin.bearer.get("/api/v1/admin/audit").await.status, 200);
    server.time.advance(1);
    check_refused(&server, &places, &admin.token, |route| match route.need {
        Need::Token => Code::ExpiredToken,
        _ => Code::Unauthorized,
    })
    .await;
}

#[tokio::test]
async fn whoever_asks_is_told_who_they_are() {
    let server = TestServer::start().await;
    let ask = async |client: &Client| -> Option<(String, Role, bool)> {
        let answer: SessionResponse = client.get("/api/v1/session").await.json(200);
        answer.login.map(|login| (login.user.name, login.user.role, login.refresh_due))
    };
    let ada = server.register("Ada").await;
    let guest = server.guest("the-device-of-a-guest").await;
    assert_eq!(ask(&ada.browser).await, Some(("Ada".to_owned(), Role::Player, false)));
    assert_eq!(ask(&guest.bearer).await.map(|it| it.1), Some(Role::Guest));
    assert_eq!(ask(&server.anonymous()).await, None);
    assert_eq!(ask(&server.bearer("garbage")).await, None);
    server.time.advance(7 * 24 * 60 * 60 * 1000 / 2);
    assert_eq!(ask(&ada.browser).await, Some(("Ada".to_owned(), Role::Player, true)));
    let next: AuthResponse = ada.browser.post("/api/v1/token/refresh", &json!({})).await.json(200);
    assert_eq!(ask(&ada.bearer).await, None, "the old one is dead");
    assert_eq!(ask(&server.bearer(next.token.expose())).await.map(|it| it.2), Some(false));
    ada.browser.post("/api/v1/logout", &json!({})).await;
    assert_eq!(ask(&ada.browser).await, None);
}

#[tokio::test]
async fn a_token_is_dead_after_logout_refresh_upgrade_and_deletion() {
    let server = TestServer::start().await;
    let places = Places::new(&server).await;
    let (nothing, audit, profile) = (json!({}), "/api/v1/admin/audit", "/api/v1/profile");

    let ada = server.admin("Ada").await;
    ada.browser.post("/api/v1/logout", &nothing).await.empty();
    check_refused(&server, &places, &ada.token, refusal).await;

    let ada = server.login("Ada").await;
    let next: AuthResponse = ada.bearer.post("/api/v1/token/refresh", &nothing).await.json(200);
    check_refused(&server, &places, &ada.token, refusal).await;
    let next = server.bearer(next.token.expose());
    assert_eq!(next.get(audit).await.status, 200, "the next one is good");

    let guest = server.guest("the-device-of-a-guest").await;
    let body = json!({"username": "Bob", "password": PASSWORD});
    let bob: AuthResponse = guest.browser.post("/api/v1/guest/upgrade", &body).await.json(200);
    check_refused(&server, &places, &guest.token, refusal).await;
    let bob = server.bearer(bob.token.expose());
    assert_eq!(bob.get(profile).await.status, 200, "the next one is good");

    let ada = server.login("Ada").await;
    next.delete(profile).await.empty();
    check_refused(&server, &places, &ada.token, refusal).await;
}

#[tokio::test]
async fn whoever_is_deleted_elsewhere_finds_no_record_until_the_session_is_known_dead() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let now_ms = NOW_MS;
    let deletion = storage::Change::DeletePlayer { player: ada.id, now_ms };
    server.store.commit(vec![deletion]).await.unwrap();
    let started = tokio::time::Instant::now();
    let body = json!({"avatar": "owl"});
    for attempt in 0.. {
        let answer = match attempt % 2 {
            0 => ada.bearer.get("/api/v1/profile").await,
            _ => ada.bearer.put("/api/v1/profile", &body).await,
        };
        if answer.is_problem(Code::Unauthorized) {
            break;
        }
        answer.problem(Code::RecordNotFound);
        assert!(started.elapsed().as_secs() < 120, "every second the server looks");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn the_header_counts_and_not_the_cookie() {
    let server = TestServer::start().await;
    let (ada, bob) = (server.register("Ada").await, server.register("Bob").await);
    let with = |token: &str| {
        let cookie = format!("authToken={}", bob.token);
        server.bearer(token).with(COOKIE.as_str(), &cookie)
    };
    let profile: Profile = with(&ada.token).get("/api/v1/profile").await.json(200);
    assert_eq!(profile.name, "Ada");
    let refused = async |client: Client| {
        client.get("/api/v1/profile").await.problem(Code::Unauthorized);
        client.post("/api/v1/logout", &json!({})).await.problem(Code::InvalidToken);
    };
    refused(with("garbage")).await;
    refused(with("")).await;
    with(&ada.token).post("/api/v1/logout", &json!({})).await.empty();
    refused(with(&ada.token)).await;
    assert_eq!(bob.browser.get("/api/v1/profile").await.status, 200, "it was Ada who left");
}

#[tokio::test]
async fn two_cookies_that_differ_are_none() {
    let server = TestServer::start().await;
    let (ada, bob) = (server.register("Ada").await, server.register("Bob").await);
    let cookies = |a: &str, b: &str| {
        server.anonymous().with(COOKIE.as_str(), &format!("authToken={a}; authToken={b}"))
    };
    let both = cookies(&ada.token, &bob.token);
    both.get("/api/v1/profile").await.problem(Code::Unauthorized);
    assert_eq!(cookies(&ada.token, &ada.token).get("/api/v1/profile").await.status, 200);
}

#[tokio::test]
async fn a_token_says_what_was_true_when_it_was_made() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let promotion = storage::Change::SetRole { player: ada.id, role: Role::Admin };
    server.store.commit(vec![promotion]).await.unwrap();
    let audit = "/api/v1/admin/audit";
    ada.bearer.send(Method::GET, audit, None, "").await.problem(Code::Forbidden);
    let next: AuthResponse = ada.browser.post("/api/v1/token/refresh", &json!({})).await.json(200);
    assert_eq!(next.user.role, Role::Admin);
    assert_eq!(ada.browser.get(audit).await.status, 200, "a refresh asks the database");
}
