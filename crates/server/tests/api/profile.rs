//! The own profile.

use protocol::{Code, Profile};
use serde_json::json;
use storage::{Change, Rating, Score};

use crate::kit::TestServer;

const PROFILE: &str = "/api/v1/profile";

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
        let profile: Profile = ada.browser.put(PROFILE, &body).await.json(200);
        assert_eq!((profile.name.as_str(), profile.avatar.as_str()), (name, avatar), "{body}");
        assert_eq!(ada.bearer.get(PROFILE).await.json::<Profile>(200), profile);
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
    assert_ne!(server.register("Ada").await.id, ada.id, "the old one is free");
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
