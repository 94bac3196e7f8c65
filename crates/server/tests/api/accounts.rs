//! Coming and going: accounts, guests, tokens.

use domain::Role;
use protocol::{AuthResponse, Code, Profile};
use serde_json::json;

use crate::kit::TestServer;

#[tokio::test]
async fn who_registers_has_a_profile() {
    let server = TestServer::start().await;
    let ada = server.browser();
    let body = json!({"username": "Ada", "password": "correct horse battery"});
    let answer: AuthResponse = ada.post("/api/v1/register", &body).await.json(201);
    assert_eq!((answer.user.name.as_str(), answer.user.role), ("Ada", Role::Player));
    assert_eq!(ada.cookie().as_deref(), Some(answer.token.expose()));
    let profile: Profile = ada.get("/api/v1/profile").await.json(200);
    assert_eq!(profile.name, "Ada");
    server.anonymous().get("/api/v1/profile").await.problem(Code::Unauthorized);
    assert!(server.store.find_player_by_name("ada").await.unwrap().is_some());
    server.time.advance(7 * 24 * 60 * 60 * 1000);
    ada.get("/api/v1/profile").await.problem(Code::Unauthorized);
}
