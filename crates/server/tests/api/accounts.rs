//! Coming and going: accounts, guests, tokens.

use domain::Role;
use protocol::{AuthResponse, Code, Profile};
use serde_json::{Value, json};

use crate::kit::{Answer, Client, NOW_MS, PASSWORD, TestServer};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

async fn register(client: &Client, username: &str, password: &str) -> Answer {
    let body = json!({"username": username, "password": password});
    client.post("/api/v1/register", &body).await
}

async fn login(client: &Client, username: &str, password: &str) -> Answer {
    let body = json!({"username": username, "password": password});
    client.post("/api/v1/login", &body).await
}

#[tokio::test]
async fn who_registers_is_in() {
    let server = TestServer::start().await;
    let browser = server.browser();
    let answer = register(&browser, "Ada", PASSWORD).await;
    let cookie = answer.header("set-cookie").to_owned();
    let answer: AuthResponse = answer.json(201);
    assert_eq!((answer.user.name.as_str(), answer.user.role), ("Ada", Role::Player));
    assert_eq!(answer.expires_at_ms, NOW_MS + 7 * DAY_MS);
    let token = answer.token.expose();
    let rest = cookie.strip_prefix(&format!("authToken={token}; ")).unwrap();
    assert_eq!(rest, "Path=/; Max-Age=604800; HttpOnly; SameSite=Strict");
    for client in [browser, server.bearer(token)] {
        let profile: Profile = client.get("/api/v1/profile").await.json(200);
        assert_eq!((profile.name.as_str(), profile.role), ("Ada", Role::Player));
        assert_eq!(profile.created_at_ms, NOW_MS);
    }
    let kept = server.store.find_player_by_name("ada").await.unwrap().unwrap();
    assert_eq!(kept.id, answer.user.id);
}

#[tokio::test]
async fn a_name_is_3_to_20_plain_characters() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    for name in ["abc", "a-b_C9", "---", &"x".repeat(20)] {
        let answer: AuthResponse = register(&client, name, PASSWORD).await.json(201);
        assert_eq!(answer.user.name, name);
    }
    for name in ["", "ab", &"x".repeat(21), "a b c", "Ada!", "Adä", "ada\n", "../ada", "Guest 1"] {
        register(&client, name, PASSWORD).await.problem(Code::BadRequest);
        assert!(server.store.find_player_by_name(name).await.unwrap().is_none(), "{name}");
    }
}

#[tokio::test]
async fn a_taken_name_is_refused_whatever_its_case() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    for name in ["Ada", "ada", "ADA"] {
        let answer = register(&server.browser(), name, "another long password").await;
        answer.problem(Code::UsernameTaken);
        assert_eq!(answer.header("set-cookie"), "");
    }
    assert_eq!(server.login("Ada").await.id, ada.id, "the password is still the first");
}

#[tokio::test]
async fn a_password_that_is_easy_to_guess_is_refused() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    for password in [
        "",
        "1234567",
        "password",
        "PassWord1",
        "countess",
        "ssetnuoc1",
        "        ",
        "aaaaaaaa",
        "abcdefgh",
        "87654321",
        "parlor99",
        "x".repeat(257).as_str(),
    ] {
        register(&client, "Countess", password).await.problem(Code::WeakPassword);
    }
    let longest = (0..64).map(|number| format!("ü{number:03}")).collect::<Vec<_>>().concat();
    assert_eq!(register(&client, "Countess", &longest).await.status, 201);
    assert_eq!(login(&client, "Countess", &longest).await.status, 200);
}

#[tokio::test]
async fn who_logs_in_has_a_session_of_its_own() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    for name in ["Ada", "aDA"] {
        let browser = server.browser();
        let answer: AuthResponse = login(&browser, name, PASSWORD).await.json(200);
        assert_eq!((answer.user.id, answer.user.name.as_str()), (ada.id, "Ada"));
        assert_eq!(browser.cookie().as_deref(), Some(answer.token.expose()));
        assert_ne!(answer.token.expose(), ada.token);
        browser.post("/api/v1/logout", &json!({})).await.empty();
    }
    assert_eq!(ada.browser.get("/api/v1/profile").await.status, 200);
}

#[tokio::test]
async fn an_unknown_name_and_a_wrong_password_get_the_same_answer() {
    let server = TestServer::start().await;
    server.register("Ada").await;
    let guest = server.guest("the-device-of-a-guest").await;
    let guest = server.store.find_player(guest.id).await.unwrap().unwrap().name;
    let seen = async |name: &str, password: &str| {
        let answer = login(&server.browser(), name, password).await;
        answer.problem(Code::InvalidCredentials);
        let mut headers = answer.headers.clone();
        headers.remove("date");
        let id = headers.remove("x-request-id").unwrap();
        (headers, answer.text().replace(id.to_str().unwrap(), "ID"))
    };
    let wrong = seen("Ada", "another long password").await;
    for (name, password) in [
        ("Bob", PASSWORD),
        ("Ada", ""),
        ("Ada", "Correct Horse Battery"),
        ("Ada", &"x".repeat(257)),
        ("Bob", &"x".repeat(257)),
        ("", ""),
        (&guest, PASSWORD),
        (&guest, ""),
    ] {
        assert_eq!(seen(name, password).await, wrong, "{name} {password}");
    }
}

#[tokio::test]
async fn a_device_is_always_the_same_guest() {
    let server = TestServer::start().await;
    let first = server.guest("device-number-one").await;
    let again = server.guest("device-number-one").await;
    let other = server.guest("device-number-two").await;
    assert_eq!(first.id, again.id);
    assert_ne!(first.token, again.token);
    assert_ne!(first.id, other.id);
    let body = json!({"device_id": "device-number-one"});
    let answer: AuthResponse = server.anonymous().post("/api/v1/guest", &body).await.json(200);
    assert_eq!(answer.user.role, Role::Guest);
    assert!(answer.user.name.starts_with("Guest "), "{}", answer.user.name);
}

#[tokio::test]
async fn a_device_id_is_16_to_128_printable_characters() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    for (id, is_fit) in [
        ("x".repeat(15), false),
        ("x".repeat(16), true),
        ("x".repeat(128), true),
        ("x".repeat(129), false),
        (String::new(), false),
        ("with a blank in it".to_owned(), false),
        ("ü".repeat(20), false),
        ("\0".repeat(20), false),
    ] {
        let answer = client.post("/api/v1/guest", &json!({"device_id": id})).await;
        if is_fit {
            assert_eq!(answer.status, 200, "{id:?}");
        } else {
            answer.problem(Code::BadRequest);
        }
    }
}

#[tokio::test]
async fn a_guest_becomes_an_account_and_stays_the_same_person() {
    let server = TestServer::start().await;
    let guest = server.guest("the-device-of-a-guest").await;
    let elsewhere = server.guest("the-device-of-a-guest").await;
    let upgrade = async |client: &Client, name: &str, password: &str| {
        let body = json!({"username": name, "password": password});
        client.post("/api/v1/guest/upgrade", &body).await
    };
    server.register("Bob").await;
    upgrade(&guest.browser, "bob", PASSWORD).await.problem(Code::UsernameTaken);
    upgrade(&guest.browser, "Ada", "password").await.problem(Code::WeakPassword);
    upgrade(&guest.browser, "A", PASSWORD).await.problem(Code::BadRequest);
    guest.browser.get("/api/v1/profile").await.problem(Code::AccountRequired);

    let answer: AuthResponse = upgrade(&guest.browser, "Ada", PASSWORD).await.json(200);
    assert_eq!((answer.user.id, answer.user.role), (guest.id, Role::Player));
    assert_eq!(guest.browser.cookie().as_deref(), Some(answer.token.expose()));
    let profile: Profile = guest.browser.get("/api/v1/profile").await.json(200);
    assert_eq!(profile.name, "Ada");
    upgrade(&guest.browser, "Eve", PASSWORD).await.problem(Code::AlreadyRegistered);
    upgrade(&elsewhere.browser, "Eve", PASSWORD).await.problem(Code::Unauthorized);
    assert_eq!(server.login("Ada").await.id, guest.id);
    let next = server.guest("the-device-of-a-guest").await;
    assert_ne!(next.id, guest.id, "the device begins anew");
}

#[tokio::test]
async fn a_logout_ends_this_session_and_takes_the_cookie() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let elsewhere = server.login("Ada").await;
    let answer = ada.browser.post("/api/v1/logout", &json!({})).await;
    answer.empty();
    let cookie = "authToken=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict";
    assert_eq!(answer.header("set-cookie"), cookie);
    assert_eq!(ada.browser.cookie(), None);
    ada.bearer.get("/api/v1/profile").await.problem(Code::Unauthorized);
    ada.bearer.post("/api/v1/logout", &json!({})).await.problem(Code::InvalidToken);
    assert_eq!(elsewhere.browser.get("/api/v1/profile").await.status, 200);
}

#[tokio::test]
async fn a_refresh_goes_on_until_the_session_ends() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let refresh = async || ada.browser.post("/api/v1/token/refresh", &json!({})).await;
    for week in 1..=12 {
        server.time.advance(7 * DAY_MS - 1000);
        let answer: AuthResponse = refresh().await.json(200);
        assert_eq!(answer.user.id, ada.id);
        let now_ms = NOW_MS + week * (7 * DAY_MS - 1000);
        assert_eq!(answer.expires_at_ms, (now_ms + 7 * DAY_MS).min(NOW_MS + 90 * DAY_MS));
    }
    server.time.advance(7 * DAY_MS);
    refresh().await.problem(Code::ExpiredToken);
    ada.browser.get("/api/v1/profile").await.problem(Code::Unauthorized);
}

#[tokio::test]
async fn guests_refresh_and_leave_too() {
    let server = TestServer::start().await;
    let guest = server.guest("the-device-of-a-guest").await;
    let answer: AuthResponse =
        guest.browser.post("/api/v1/token/refresh", &Value::Object(<_>::default())).await.json(200);
    assert_eq!((answer.user.id, answer.user.role), (guest.id, Role::Guest));
    guest.browser.post("/api/v1/logout", &json!({})).await.empty();
    assert_eq!(guest.browser.cookie(), None);
}
