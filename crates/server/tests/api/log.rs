//! What the log says of a request, and what it never says.

use axum::Router;
use axum::routing::{get, post};
use protocol::LoginRequest;
use serde_json::{Value, json};
use server::config::Config;
use server::http::{Json, Path};

use crate::kit::{self, TestServer};

#[tokio::test]
async fn a_line_a_request_with_its_route_and_none_of_its_secrets() {
    let routes = Router::new()
        .route("/login", post(async |Json(login): Json<LoginRequest>| format!("{login:?}")))
        .route("/lobby/{id}", get(async |Path(id): Path<String>| id))
        .route("/panic", get(async || -> () { panic!("at the door") }));
    let server = TestServer::with_routes(Config::default(), routes).await;
    let client = server.bearer("hunter22").with("cookie", "authToken=hunter22");
    let login = json!({"username": "ada", "password": "hunter22"});
    let mut ids = Vec::new();
    for answer in [
        client.post("/login?token=hunter22", &login).await,
        client.post("/login", &json!({"username": "ada", "hunter22": 1})).await,
        client.get("/lobby/hunter22").await,
        client.get("/hunter22").await,
        client.get("/panic").await,
    ] {
        ids.push(answer.header("x-request-id").to_owned());
    }

    let log = kit::log();
    assert!(!log.contains("hunter22"), "{log}");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_own = |line: &&Value| ids.iter().any(|id| line["span"]["id"] == **id);
    let seen: Vec<_> = lines
        .iter()
        .filter(is_own)
        .filter(|line| line["fields"]["message"] == "answered")
        .map(|line| {
            let fields = &line["fields"];
            assert!(fields["millis"].is_number(), "{line}");
            let route = fields["route"].as_str().unwrap();
            (fields["status"].as_u64().unwrap(), route, line["span"]["id"].as_str().unwrap())
        })
        .collect();
    let expected: Vec<_> =
        [(200, "/login"), (400, "/login"), (200, "/lobby/{id}"), (404, "(none)"), (500, "/panic")]
            .into_iter()
            .zip(&ids)
            .map(|((status, route), id)| (status, route, id.as_str()))
            .collect();
    assert_eq!(seen, expected);
    let cause = lines.iter().filter(is_own).find(|line| line["level"] == "ERROR").unwrap();
    assert_eq!(cause["fields"]["cause"], "panicked: at the door", "for the operator alone");
}
