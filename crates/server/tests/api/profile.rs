//! The own profile.

use protocol::{AuthResponse, Code, Profile};
use serde_json::json;
use storage::{Change, Rating, Score};

use crate::kit::{PASSWORD, TestServer, User};

const PROFILE: &str = "/api/v1/profile";
const DAY_MS: u64 = 24 * 60 * 60 * 1000;
const WEEK_MS: u64 = 7 * DAY_MS;

/// A token ends after a week.
async fn refresh(user: &User) {
    let answer = user.browser.post("/api/v1/token/refresh", &json!({})).await;
    let _: AuthResponse = answer.json(200);
}

#[tokio::test]
async fn a_profile_has_statistics_and_ratings() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let count = |score| {
        let (player, game) = (ada.id, "chess".to_owned());
        Change::CountResult { player, game, score, is_public: score == Score::Lost }
    };
    let rating = Rating {
        player: ada.id,
        game: "chess".to_owned(),
        speed: "blitz".to_owned(),
        rating: 1523.5,
        deviation: 80.25,
        volatility: 0.06,
        version: 1,
    };
    let scores = [Score::Won, Score::Won, Score::Drawn, Score::Lost];
    let mut unit: Vec<Change> = scores.map(count).into();
    unit.push(Change::SetRating(rating));
    server.store.commit(unit).await.unwrap();
    let profile: Profile = ada.bearer.get(PROFILE).await.json(200);
    let row = &profile.statistics[0];
    assert_eq!((row.played, row.won, row.drawn, row.lost), (4, 2, 1, 1));
    let row = &profile.ratings[0];
    assert_eq!((row.game.as_str(), row.speed.as_str()), ("chess", "blitz"));
    assert_eq!(profile.statistics.len() + profile.ratings.len(), 2);
}

#[tokio::test]
async fn what_is_left_out_of_an_update_stays() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    for (body, name, avatar) in [
        (json!({}), "Ada", "pawn"),
        (json!({"avatar": "owl"}), "Ada", "owl"),
        (json!({"name": "Countess"}), "Countess", "owl"),
        (json!({"name": "COUNTESS", "avatar": null}), "COUNTESS", "owl"),
        (json!({"name": "Ada", "avatar": "queen-2"}), "Ada", "queen-2"),
    ] {
        for _ in 0..2 {
            server.time.advance(WEEK_MS / 2);
            refresh(&ada).await;
        }
        let profile: Profile = ada.browser.put(PROFILE, &body).await.json(200);
        assert_eq!((profile.name.as_str(), profile.avatar.as_str()), (name, avatar), "{body}");
        assert_eq!(ada.browser.get(PROFILE).await.json::<Profile>(200), profile);
    }
}

#[tokio::test]
async fn a_refused_update_changes_nothing() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    server.register("Bob").await;
    let before: Profile = ada.bearer.get(PROFILE).await.json(200);
    for (body, code) in [
        (json!({"name": "bob", "avatar": "owl"}), Code::UsernameTaken),
        (json!({"name": "x", "avatar": "owl"}), Code::BadRequest),
        (json!({"name": "Countess", "avatar": "../owl"}), Code::BadRequest),
        (json!({"name": "Countess", "role": "admin"}), Code::BadRequest),
        (json!({"name": "Countess", "avatar": 1}), Code::BadRequest),
    ] {
        let answer = ada.browser.put(PROFILE, &body).await;
        answer.problem(code);
        assert_eq!(server.records(&answer).await, []);
    }
    assert_eq!(ada.bearer.get(PROFILE).await.json::<Profile>(200), before);
}

#[tokio::test]
async fn a_new_name_is_the_one_to_log_in_with() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    ada.browser.put(PROFILE, &json!({"name": "Countess"})).await.json::<Profile>(200);
    assert_eq!(server.login("Countess").await.id, ada.id);
    let body = json!({"username": "Ada", "password": PASSWORD});
    server.anonymous().post("/api/v1/login", &body).await.problem(Code::InvalidCredentials);
}

#[tokio::test]
async fn a_name_changes_once_a_week_and_the_old_one_is_reserved_for_90_days() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let put =
        async |user: &User, name: &str| user.browser.put(PROFILE, &json!({"name": name})).await;
    assert_eq!(put(&ada, "Countess").await.status, 200, "the first change at any time");
    let next = put(&ada, "Lovelace").await;
    next.problem(Code::NameChangedRecently);
    assert_eq!(next.header("retry-after"), (WEEK_MS / 1000).to_string());
    assert_eq!(server.records(&next).await, []);
    assert_eq!(put(&ada, "Countess").await.status, 200, "the same name is no change");
    let avatar = ada.browser.put(PROFILE, &json!({"avatar": "owl"})).await;
    assert_eq!(avatar.status, 200);

    let register = async |name: &str| {
        let body = json!({"username": name, "password": PASSWORD});
        server.anonymous().post("/api/v1/register", &body).await
    };
    for name in ["Ada", "aDA"] {
        register(name).await.problem(Code::UsernameTaken);
        put(&bob, name).await.problem(Code::UsernameTaken);
    }
    server.time.advance(WEEK_MS - 1);
    put(&ada, "Ada").await.problem(Code::NameChangedRecently);
    refresh(&ada).await;
    server.time.advance(1);
    assert_eq!(put(&ada, "Ada").await.status, 200, "its owner may take it back");
    register("Countess").await.problem(Code::UsernameTaken);
    server.time.advance(90 * DAY_MS);
    register("Countess").await.problem(Code::UsernameTaken);
    server.time.advance(1);
    assert_eq!(register("Countess").await.status, 201);
}

#[tokio::test]
async fn names_that_look_like_staff_or_like_anothers_are_refused() {
    let server = TestServer::start().await;
    let alice = server.register("alice").await;
    let guest = server.guest("the-device-of-a-guest").await;
    for (name, code) in [
        ("admin", Code::NameReserved),
        ("Adm1n_7", Code::NameReserved),
        ("moderator", Code::NameReserved),
        ("Parlor", Code::NameReserved),
        ("Guest-1", Code::NameReserved),
        ("Bot-5", Code::NameReserved),
        ("aIice", Code::UsernameTaken),
        ("AL1CE", Code::UsernameTaken),
    ] {
        let account = json!({"username": name, "password": PASSWORD});
        server.anonymous().post("/api/v1/register", &account).await.problem(code);
        guest.browser.post("/api/v1/guest/upgrade", &account).await.problem(code);
        let bob = server.register(&format!("bob-{}", name.len())).await;
        bob.browser.put(PROFILE, &json!({"name": name})).await.problem(code);
        bob.browser.delete(PROFILE).await.empty();
    }
    let own = alice.browser.put(PROFILE, &json!({"name": "aIice"})).await;
    assert_eq!(own.status, 200, "one's own name may be written otherwise");
    // An account from before keeps its name.
    let unit = vec![Change::UpdateProfile {
        player: alice.id,
        name: Some("admin".to_owned()),
        avatar: None,
    }];
    server.store.commit(unit).await.unwrap();
    let admin = server.login("admin").await;
    let kept = admin.browser.put(PROFILE, &json!({"name": "admin", "avatar": "owl"})).await;
    assert_eq!(kept.status, 200);
    admin.browser.put(PROFILE, &json!({"name": "Admin"})).await.problem(Code::NameReserved);
}

#[tokio::test]
async fn a_deleted_account_is_gone_with_its_sessions_and_its_name_is_free() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let elsewhere = server.login("Ada").await;
    let answer = ada.browser.delete(PROFILE).await;
    answer.empty();
    assert!(answer.header("set-cookie").starts_with("authToken=; Path=/; Max-Age=0;"));
    for client in [&ada.bearer, &elsewhere.browser] {
        client.get(PROFILE).await.problem(Code::Unauthorized);
        client.delete(PROFILE).await.problem(Code::Unauthorized);
    }
    server.anonymous().get("/api/v1/users/Ada").await.problem(Code::RecordNotFound);
    assert!(server.store.find_player(ada.id).await.unwrap().is_none());
    assert_ne!(server.register("Ada").await.id, ada.id);
}
