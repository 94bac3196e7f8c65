//! Health, games, metrics, the description and its page.

use protocol::{Code, GameInfo, Health, Status};
use serde_json::{Value, json};

use crate::kit::TestServer;

#[tokio::test]
async fn a_server_that_is_up_says_so() {
    let server = TestServer::start().await;
    let health: Health = server.anonymous().get("/api/v1/health").await.json(200);
    assert_eq!(health.status, Status::Ok);
    assert_eq!(health.version, env!("CARGO_PKG_VERSION"));
}

#[tokio::test]
async fn every_game_of_the_catalogue_is_listed_with_its_presets() {
    let server = TestServer::start().await;
    let games: Vec<GameInfo> = server.anonymous().get("/api/v1/games").await.json(200);
    let listed: Vec<&str> = games.iter().map(|game| game.id.as_str()).collect();
    let known: Vec<&str> = catalog::games().map(|game| game.meta().id).collect();
    assert_eq!(listed, known);
    for game in games {
        assert!(!game.presets.is_empty(), "{}", game.id);
        assert!(game.seats_min <= game.seats_max);
        assert_eq!(game.draw_by_agreement, game.id == "chess", "{}", game.id);
    }
}

#[tokio::test]
async fn answers_that_are_the_same_for_all_are_compressed() {
    let server = TestServer::start().await;
    for path in ["/api/v1/games", "/api/v1/openapi.json"] {
        let plain = server.anonymous().get(path).await;
        assert_eq!(plain.header("content-encoding"), "", "{path}");
        let asking = server.anonymous().with("accept-encoding", "br, gzip");
        // The first answer makes what later ones repeat.
        for _ in 0..2 {
            let packed = asking.get(path).await;
            assert_eq!(packed.header("content-encoding"), "gzip", "{path}");
            assert_eq!(packed.header("vary"), "accept-encoding", "{path}");
            assert_eq!(packed.header("content-type"), "application/json", "{path}");
            let length: usize = packed.header("content-length").parse().unwrap();
            assert!(length < plain.body.len() / 2, "{path}");
            assert_eq!(packed.body, plain.body, "{path}");
        }
    }
}

#[tokio::test]
async fn answers_that_hold_secrets_are_not_compressed() {
    let server = TestServer::start().await;
    let client = server.anonymous().with("accept-encoding", "gzip");
    let account = json!({"username": "ada", "password": "correct horse battery"});
    let answer = client.post("/api/v1/register", &account).await;
    assert_eq!(answer.header("content-encoding"), "");
    assert!(answer.text().contains("token"));
}

#[tokio::test]
async fn unknown_addresses_and_methods_are_problems() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    for path in ["/", "/api/v1", "/api/v1/nothing", "/api/v1/health/", "/%00", "/api/v1/../x"] {
        client.get(path).await.problem(Code::NotFound);
    }
    let answer = client.post("/api/v1/health", &()).await;
    answer.problem(Code::MethodNotAllowed);
    assert_eq!(answer.header("allow"), "GET,HEAD");
}

#[tokio::test]
async fn metrics_count_by_route_and_never_by_path() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    client.get("/api/v1/health?secret=1").await;
    client.get("/no/such/path").await;
    client.send("BREW".parse().unwrap(), "/api/v1/health", None, "").await;
    let text = client.get("/metrics").await.text();
    let has = |start: &str| text.lines().any(|line| line.starts_with(start));
    let requests = "parlor_http_requests_total";
    assert!(has(&format!(r#"{requests}{{route="/api/v1/health",method="GET",status="200"}} "#)));
    assert!(has(&format!(r#"{requests}{{route="(none)",method="GET",status="404"}} "#)));
    assert!(has(&format!(
        r#"{requests}{{route="/api/v1/health",method="(other)",status="405"}} "#
    )));
    let bucket = r#"parlor_http_request_seconds_bucket{route="/api/v1/health",le="0.001"}"#;
    assert!(has(bucket), "{text}");
    assert!(!text.contains("secret") && !text.contains("such"), "{text}");
}

#[tokio::test]
async fn the_description_is_openapi_31_and_complete_in_itself() {
    let server = TestServer::start().await;
    let api: Value = server.anonymous().get("/api/v1/openapi.json").await.json(200);
    assert!(api["openapi"].as_str().unwrap().starts_with("3.1."));
    assert!(api["components"]["schemas"]["Problem"].is_object());
    let paths = api["paths"].as_object().unwrap();
    assert!(paths.contains_key("/api/v1/health") && paths.contains_key("/api/v1/games"));
    let tags: Vec<&Value> =
        api["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
    for operation in paths.values().flat_map(|item| item.as_object().unwrap().values()) {
        assert!(tags.contains(&&operation["tags"][0]), "its group has a place: {operation}");
        let refusal = &operation["responses"]["default"]["content"]["application/problem+json"];
        assert_eq!(refusal["schema"]["$ref"], "#/components/schemas/Problem");
        for response in operation["responses"].as_object().unwrap().values() {
            assert!(response["description"].is_string(), "OpenAPI asks for one: {operation}");
        }
    }
    check_references(&api, &api);
}

fn check_references(api: &Value, at: &Value) {
    match at {
        Value::Object(fields) => {
            if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                let place = reference.strip_prefix('#').unwrap();
                assert!(api.pointer(place).is_some(), "{reference}");
            }
            fields.values().for_each(|field| check_references(api, field));
        }
        Value::Array(items) => items.iter().for_each(|item| check_references(api, item)),
        _ => {}
    }
}

#[tokio::test]
async fn the_page_works_without_anything_inline_or_foreign() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    for (path, kind) in
        [("/api", "text/html"), ("/api/page.css", "text/css"), ("/api/page.js", "text/javascript")]
    {
        let answer = client.get(path).await;
        assert_eq!(answer.status, 200);
        assert!(answer.header("content-type").starts_with(kind));
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("script-src 'self';") && !policy.contains("unsafe"), "{policy}");
        let text = answer.text();
        for foreign in ["http://", "https://", "<style", " style=", " onclick", "innerHTML"] {
            assert!(!text.contains(foreign), "{path} has {foreign}");
        }
    }
}
