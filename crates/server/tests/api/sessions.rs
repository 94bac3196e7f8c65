//! The own password and the own sessions; tokens that are used after their rotation.

use std::num::NonZeroU32;

use http::HeaderName;
use http::header::{COOKIE, USER_AGENT};
use protocol::{AuthResponse, Code, SessionList, SessionSummary};
use serde_json::json;
use server::config::{Config, Limits, Quota};

use crate::kit::{Answer, Client, NOW_MS, PASSWORD, TestServer, patient};
use crate::socket::{Came, Socket};

const SESSIONS: &str = "/api/v1/sessions";
const OTHER_PASSWORD: &str = "wrong pony staple";
const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const MINUTE_MS: u64 = 60_000;

async fn change(client: &Client, old: &str, new: &str) -> Answer {
    let body = json!({"old_password": old, "new_password": new});
    client.put("/api/v1/password", &body).await
}

async fn login(client: &Client, password: &str) -> Answer {
    client.post("/api/v1/login", &json!({"username": "Ada", "password": password})).await
}

async fn sessions(client: &Client) -> Vec<SessionSummary> {
    client.get(SESSIONS).await.json::<SessionList>(200).sessions
}

async fn refresh(client: &Client) -> AuthResponse {
    client.post("/api/v1/token/refresh", &json!({})).await.json(200)
}

#[tokio::test]
async fn a_new_password_ends_all_other_sessions() {
    let server = TestServer::start().await;
    let [ada, elsewhere] = [server.register("Ada").await, server.login("Ada").await];
    let mut socket = Socket::open(server.address, &elsewhere.token).await;
    let changed = change(&ada.browser, PASSWORD, OTHER_PASSWORD).await;
    changed.empty();
    let records = server.records(&changed).await;
    assert_eq!(records.len(), 1);
    assert_eq!(
        (records[0].name.as_str(), records[0].context.user),
        ("password_changed", Some(ada.id))
    );

    assert_eq!(ada.bearer.get("/api/v1/profile").await.status, 200, "the session that asked stays");
    elsewhere.bearer.get("/api/v1/profile").await.problem(Code::Unauthorized);
    assert!(matches!(socket.end().await, Came::Closed(4001, _)));
    login(&server.browser(), PASSWORD).await.problem(Code::InvalidCredentials);
    assert_eq!(login(&server.browser(), OTHER_PASSWORD).await.status, 200);
}

#[tokio::test]
async fn a_refused_new_password_changes_nothing() {
    let server = TestServer::start().await;
    let [ada, elsewhere] = [server.register("Ada").await, server.login("Ada").await];
    let wrong = change(&ada.browser, OTHER_PASSWORD, "another good one").await;
    wrong.problem(Code::InvalidCredentials);
    assert_eq!(server.records(&wrong).await[0].name, "login_failed");
    let long = "x".repeat(300);
    change(&ada.browser, &long, "another good one").await.problem(Code::InvalidCredentials);
    for weak in ["short", "password1", "ada", ""] {
        change(&ada.browser, PASSWORD, weak).await.problem(Code::WeakPassword);
    }
    let guest = server.guest("the-device-of-a-guest").await;
    change(&guest.browser, PASSWORD, OTHER_PASSWORD).await.problem(Code::AccountRequired);
    assert_eq!(elsewhere.browser.get("/api/v1/profile").await.status, 200);
    assert_eq!(login(&server.browser(), PASSWORD).await.status, 200);
}

#[tokio::test]
async fn guesses_at_the_old_password_count_like_log_ins() {
    let [burst, period_s] = [4, 3600].map(|it| NonZeroU32::new(it).unwrap());
    let limits = Limits { account: Quota { burst, period_s }, ..patient().limits };
    let server = TestServer::with(Config { limits, ..patient() }).await;
    let ada = server.register("Ada").await;
    for _ in 0..4 {
        let guess = change(&ada.browser, "not this one", OTHER_PASSWORD).await;
        guess.problem(Code::InvalidCredentials);
    }
    change(&ada.browser, PASSWORD, OTHER_PASSWORD).await.problem(Code::RateLimited);
    login(&server.browser(), PASSWORD).await.problem(Code::RateLimited);
}

#[tokio::test]
async fn the_own_sessions_are_listed_with_a_coarse_name() {
    let server = TestServer::start().await;
    let registered = server.register("Ada").await;
    server.time.advance(1000);
    let firefox = server.browser().with(USER_AGENT.as_str(), FIREFOX);
    login(&firefox, PASSWORD).await;
    server.register("Bob").await;
    server.time.advance(1000);
    let program = registered.browser.clone().with(USER_AGENT.as_str(), FIREFOX);
    refresh(&program).await;

    let list = sessions(&firefox).await;
    let shown: Vec<_> = list
        .iter()
        .map(|it| (it.created_at_ms - NOW_MS, it.refreshed_at_ms - NOW_MS, it.is_current))
        .collect();
    assert_eq!(shown, [(1000, 1000, true), (0, 2000, false)]);
    assert_eq!(list[0].browser.as_deref(), Some("Firefox on Linux"));
    assert_eq!(list[1].browser.as_deref(), Some("Program"), "named at the log-in");
    let guest = server.guest("the-device-of-a-guest").await;
    assert_eq!(sessions(&guest.browser).await.len(), 1, "guests have sessions too");
    // Nothing else of the header is anywhere in the files.
    if let Some(folder) = server.files() {
        for file in std::fs::read_dir(folder).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            assert!(!bytes.windows(5).any(|it| it == b"Gecko"));
        }
    }
}

#[tokio::test]
async fn a_session_is_ended_by_its_owner_alone() {
    let server = TestServer::start().await;
    let [ada, elsewhere] = [server.register("Ada").await, server.login("Ada").await];
    let bob = server.register("Bob").await;
    let mut socket = Socket::open(server.address, &elsewhere.token).await;
    let list = sessions(&ada.browser).await;
    let id = |is_current| list.iter().find(|it| it.is_current == is_current).unwrap().id;
    let path = |is_current| format!("{SESSIONS}/{}", id(is_current));
    bob.browser.delete(&path(false)).await.problem(Code::SessionNotFound);
    for odd in ["garbage", "0000000000000", "%00"] {
        ada.browser.delete(&format!("{SESSIONS}/{odd}")).await.problem(Code::SessionNotFound);
    }

    let ended = ada.browser.delete(&path(false)).await;
    ended.empty();
    assert_eq!(ended.header("set-cookie"), "");
    let records = server.records(&ended).await;
    assert_eq!(records[0].name, "session_ended");
    assert_eq!(records[0].payload, json!({"session": id(false).to_string()}).to_string());
    assert_eq!(records[0].context.session, Some(id(true)));
    elsewhere.browser.get("/api/v1/profile").await.problem(Code::Unauthorized);
    assert!(matches!(socket.end().await, Came::Closed(4001, _)));
    ada.browser.delete(&path(false)).await.problem(Code::SessionNotFound);
    assert_eq!(sessions(&ada.browser).await.len(), 1);

    let left = ada.browser.delete(&path(true)).await;
    left.empty();
    assert!(left.header("set-cookie").starts_with("authToken=; "), "as a log-out");
    assert_eq!(server.records(&left).await[0].name, "logged_out");
    ada.bearer.get("/api/v1/profile").await.problem(Code::Unauthorized);
}

#[tokio::test]
async fn a_rotated_token_that_is_used_later_ends_its_session() {
    let server = TestServer::start().await;
    let [ada, elsewhere] = [server.register("Ada").await, server.login("Ada").await];
    let next = server.bearer(refresh(&ada.bearer).await.token.expose());
    server.time.advance(MINUTE_MS);
    ada.bearer.get("/api/v1/profile").await.problem(Code::Unauthorized);
    ada.bearer.post("/api/v1/token/refresh", &json!({})).await.problem(Code::InvalidToken);
    assert_eq!(next.get("/api/v1/profile").await.status, 200, "another tab may not have known");

    server.time.advance(1);
    let reuse = ada.bearer.post("/api/v1/token/refresh", &json!({})).await;
    reuse.problem(Code::InvalidToken);
    let records = server.records(&reuse).await;
    assert_eq!(records.len(), 1);
    assert_eq!((records[0].name.as_str(), records[0].context.user), ("token_reused", Some(ada.id)));
    next.get("/api/v1/profile").await.problem(Code::Unauthorized);
    for _ in 0..20 {
        let again = ada.bearer.get("/api/v1/profile").await;
        again.problem(Code::Unauthorized);
        assert_eq!(server.records(&again).await, [], "ended once");
    }
    assert_eq!(elsewhere.bearer.get("/api/v1/profile").await.status, 200, "another log-in");
    let server = server.restart().await;
    server.bearer(&ada.token).get("/api/v1/profile").await.problem(Code::Unauthorized);
    assert_eq!(sessions(&server.bearer(&elsewhere.token)).await.len(), 1);
}

#[tokio::test]
async fn a_rotated_token_is_known_after_a_restart_and_any_use_counts() {
    for path in ["/api/v1/profile", "/api/v1/session"] {
        let server = TestServer::start().await;
        let ada = server.register("Ada").await;
        let next = refresh(&ada.bearer).await.token;
        server.time.advance(MINUTE_MS + 1);
        let server = server.restart().await;
        let use_again = server.bearer(&ada.token).get(path).await;
        assert_eq!(server.records(&use_again).await[0].name, "token_reused", "{path}");
        server.bearer(next.expose()).get("/api/v1/profile").await.problem(Code::Unauthorized);
    }
}

#[tokio::test]
async fn on_https_the_cookie_has_the_name_that_no_other_host_can_set() {
    let public_url = Some("https://parlor.example".parse().unwrap());
    let server = TestServer::with(Config { public_url, ..patient() }).await;
    let with = |cookie: &str| server.anonymous().with(COOKIE.as_str(), cookie);
    let cookies = |answer: &Answer| -> Vec<String> {
        let name: HeaderName = http::header::SET_COOKIE;
        let values = answer.headers.get_all(name).into_iter();
        values.map(|value| value.to_str().unwrap().to_owned()).collect()
    };
    let account = json!({"username": "Ada", "password": PASSWORD});
    let registered = server.anonymous().post("/api/v1/register", &account).await;
    let token = registered.json::<AuthResponse>(201).token;
    let token = token.expose();
    let rest = "Path=/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure";
    assert_eq!(cookies(&registered), [format!("__Host-authToken={token}; {rest}")]);
    let hsts = registered.header("strict-transport-security");
    assert_eq!(hsts, "max-age=31536000", "other hosts of the domain are not the parlor's");

    // A browser that was logged in before stays so, and gets the new name with its next token.
    let old = with(&format!("authToken={token}"));
    assert_eq!(old.get("/api/v1/profile").await.status, 200);
    let refreshed = old.post("/api/v1/token/refresh", &json!({})).await;
    let next = refreshed.json::<AuthResponse>(200).token;
    let next = next.expose();
    let gone = "authToken=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure";
    assert_eq!(cookies(&refreshed), [&format!("__Host-authToken={next}; {rest}"), gone]);
    // What another host of the domain sets beside it changes nothing.
    let both = with(&format!("authToken=garbage; __Host-authToken={next}"));
    assert_eq!(both.get("/api/v1/profile").await.status, 200);
    let left = both.post("/api/v1/logout", &json!({})).await;
    left.empty();
    assert_eq!(cookies(&left), [&format!("__Host-{gone}"), gone]);
}
