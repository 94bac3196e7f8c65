//! What surrounds every route: bodies, ids, panics, headers, other sites, time-outs, stopping.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::{get, post};
use http::Method;
use protocol::{Code, LoginRequest};
use serde::Deserialize;
use serde_json::json;
use server::config::Config;
use server::http::{App, BODY_BYTES_MAX, Client as Asking, Empty, Json, Path, Query};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::kit::{Client, TestServer};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    limit: Option<u8>,
}

/// Routes that show what the shell does with them.
fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/echo", post(async |Json(login): Json<LoginRequest>| login.username))
        .route("/empty", post(async |_: Empty| "fine"))
        .route("/page", get(async |Query(page): Query<Page>| format!("{:?}", page.limit)))
        .route("/id/{id}", get(async |Path(id): Path<domain::MatchId>| id.to_string()))
        .route("/who", get(async |asking: Asking| asking.address.to_string()))
        .route("/panic", get(async || -> () { panic!("at the door") }))
        .route("/slow", get(async || tokio::time::sleep(Duration::from_secs(3)).await))
}

async fn start(config: Config) -> (TestServer, Client) {
    let server = TestServer::with_routes(config, routes()).await;
    let client = server.anonymous();
    (server, client)
}

/// Time stands from here on; to open a database takes real time.
async fn start_paused() -> (TestServer, Client) {
    let started = start(Config::default()).await;
    tokio::time::pause();
    started
}

#[tokio::test]
async fn a_body_is_json_of_at_most_64_kb() {
    let (_server, client) = start(Config::default()).await;
    let login = r#"{"username": "ada", "password": "hunter22"}"#;
    let check = async |kind: Option<&str>, body: String, code: Option<Code>| {
        let answer = client.send(Method::POST, "/echo", kind, body).await;
        match code {
            None => assert_eq!((answer.status.as_u16(), &*answer.text()), (200, "ada")),
            Some(code) => {
                let problem = answer.problem(code);
                assert!(!answer.text().contains("hunter22"), "{problem:?}");
            }
        }
    };
    let json = Some("application/json");
    let padded = |length: usize| format!("{login}{}", " ".repeat(length - login.len()));
    check(json, login.to_owned(), None).await;
    check(Some("Application/JSON; charset=utf-8"), login.to_owned(), None).await;
    check(json, padded(BODY_BYTES_MAX), None).await;
    check(json, padded(BODY_BYTES_MAX + 1), Some(Code::PayloadTooLarge)).await;
    for kind in [None, Some("text/plain"), Some("application/jsonp"), Some("")] {
        check(kind, login.to_owned(), Some(Code::UnsupportedMediaType)).await;
    }
    for body in [
        "",
        "hunter22",
        "\"hunter22\"",
        "null",
        "[]",
        "{",
        "\u{0}",
        r#"{"username": "ada"}"#,
        r#"{"username": {"a": "hunter22"}, "password": "b"}"#,
        r#"{"username": ["hunter22"], "password": "b"}"#,
        r#"{"username": "ada", "password": "hunter22", "admin": true}"#,
        r#"{"username": "ada", "username": "bob", "password": "hunter22"}"#,
        r#"{"username": "ada", "password": "hunter22"} {}"#,
    ] {
        check(json, body.to_owned(), Some(Code::BadRequest)).await;
    }
    check(json, "[".repeat(60_000), Some(Code::BadRequest)).await;
}

#[tokio::test]
async fn a_body_that_hides_its_length_is_cut_off_too() {
    let (server, _) = start(Config::default()).await;
    let head = "POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
                content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunks = format!("8000\r\n{}\r\n", " ".repeat(0x8000)).repeat(3);
    let answer = server.raw(format!("{head}{chunks}0\r\n\r\n").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(answer.contains("payload_too_large"), "{answer}");
}

#[tokio::test]
async fn a_route_without_fields_takes_nothing_or_an_empty_object() {
    let (_server, client) = start(Config::default()).await;
    let json = Some("application/json");
    for (kind, body) in [(None, ""), (json, ""), (json, "{}"), (json, " { } ")] {
        let answer = client.send(Method::POST, "/empty", kind, body).await;
        assert_eq!(answer.status, 200, "{body:?}");
    }
    for (kind, body, code) in [
        (None, "{}", Code::UnsupportedMediaType),
        (json, "{\"a\": 1}", Code::BadRequest),
        (json, "x", Code::BadRequest),
    ] {
        client.send(Method::POST, "/empty", kind, body).await.problem(code);
    }
}

#[tokio::test]
async fn queries_and_paths_are_refused_as_problems() {
    let (_server, client) = start(Config::default()).await;
    assert_eq!(client.get("/page?limit=5").await.text(), "Some(5)");
    for (query, detail) in [
        ("limit=hunter22", "`limit` is not valid"),
        ("limit=256", "`limit` is not valid"),
        ("limit=1&limit=2", "duplicate field `limit`"),
        ("odd=hunter22", "unknown field `odd`"),
    ] {
        let answer = client.get(&format!("/page?{query}")).await;
        assert_eq!(answer.problem(Code::BadRequest).detail, detail);
    }
    assert_eq!(client.get("/id/0000000000001").await.text(), "0000000000001");
    for id in ["1", "zzzzzzzzzzzzz", "%ff"] {
        client.get(&format!("/id/{id}")).await.problem(Code::RecordNotFound);
    }
}

#[tokio::test]
async fn a_handler_that_panics_hurts_nobody_else() {
    let (_server, client) = start(Config::default()).await;
    for _ in 0..2 {
        let problem = client.get("/panic").await.problem(Code::Internal);
        assert!(!problem.detail.contains("door"), "the cause is for the log");
    }
    assert_eq!(client.get("/page").await.status, 200);
}

#[tokio::test]
async fn only_a_trusted_proxy_names_request_and_client() {
    let trusting =
        Config { trusted_proxies: vec!["127.0.0.1".parse().unwrap()], ..Config::default() };
    for (config, is_believed) in [(Config::default(), false), (trusting, true)] {
        let (_server, client) = start(config).await;
        let client = client.with("x-request-id", "from-the-proxy");
        let client = client.with("x-forwarded-for", "192.0.2.66, 198.51.100.1");
        let answer = client.get("/who").await;
        let id = answer.header("x-request-id");
        assert_eq!(id == "from-the-proxy", is_believed);
        assert!(id.len() >= 13, "{id}");
        assert_eq!(answer.text(), if is_believed { "198.51.100.1" } else { "127.0.0.1" });
        let odd = client.with("x-request-id", "no blanks, please").get("/who").await;
        assert_ne!(odd.header("x-request-id"), "no blanks, please");
    }
}

#[tokio::test]
async fn no_two_requests_have_the_same_id() {
    let (_server, client) = start(Config::default()).await;
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..100 {
        ids.insert(client.get("/page").await.header("x-request-id").to_owned());
    }
    assert_eq!(ids.len(), 100);
}

#[tokio::test]
async fn every_answer_has_the_headers_that_keep_browsers_careful() {
    let https =
        Config { public_url: Some("https://a.example".parse().unwrap()), ..Config::default() };
    for (config, hsts) in [(Config::default(), ""), (https, "max-age=31536000")] {
        let (_server, client) = start(config).await;
        for path in ["/page", "/page?odd", "/panic", "/nothing", "/echo"] {
            let answer = client.clone().with("origin", "https://b.example").get(path).await;
            for (name, expected) in [
                ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
                ("x-content-type-options", "nosniff"),
                ("referrer-policy", "no-referrer"),
                ("cross-origin-opener-policy", "same-origin"),
                ("cross-origin-resource-policy", "same-origin"),
                ("cache-control", "no-store"),
                ("strict-transport-security", hsts),
                ("access-control-allow-origin", ""),
                ("server", ""),
            ] {
                assert_eq!(answer.header(name), expected, "{name} of {path}");
            }
        }
    }
}

#[tokio::test]
async fn another_site_changes_nothing() {
    let (server, client) = start(Config::default()).await;
    let login = json!({"username": "ada", "password": "hunter22"});
    let foreign = client.clone().with("origin", "https://evil.example");
    foreign.post("/echo", &login).await.problem(Code::CrossOrigin);
    foreign.delete("/echo").await.problem(Code::CrossOrigin);
    foreign.put("/no/such/route", &login).await.problem(Code::CrossOrigin);
    let upgrade = foreign.clone().with("upgrade", "websocket").with("connection", "upgrade");
    upgrade.get("/page").await.problem(Code::CrossOrigin);
    assert_eq!(foreign.get("/page").await.status, 200, "reading is safe: its answer is not shown");
    for own in [client, server.browser(), server.bearer("x").with("origin", "https://evil.example")]
    {
        assert_eq!(own.post("/echo", &login).await.status, 200);
    }
}

#[tokio::test]
async fn a_client_that_dawdles_is_cut_off() {
    let (server, _) = start_paused().await;
    let unfinished = server.raw(b"GET /page HTTP/1.1\r\nhost: x\r\n");
    assert!(tokio::time::timeout(Duration::from_mins(1), unfinished).await.is_ok());
    let answer = server
        .raw(
            b"POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
              content-type: application/json\r\ncontent-length: 50\r\n\r\n{",
        )
        .await;
    assert!(answer.contains("took too long"), "{answer}");
}

#[tokio::test]
async fn headers_are_bounded() {
    let (server, _) = start(Config::default()).await;
    let many = "a: b\r\n".repeat(100);
    let long = format!("a: {}\r\n", "b".repeat(20_000));
    for headers in [many, long] {
        let request = format!("GET /page HTTP/1.1\r\nhost: x\r\n{headers}\r\n");
        let answer = server.raw(request.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    }
}

#[tokio::test]
async fn what_is_under_way_is_answered_before_the_server_stops() {
    let (server, client) = start_paused().await;
    let slow = tokio::spawn({
        let client = client.clone();
        async move { client.get("/slow").await.status.as_u16() }
    });
    tokio::time::sleep(Duration::from_secs(2)).await;
    server.stop().await;
    assert_eq!(slow.await.unwrap(), 200);
    let refused = tokio::spawn(async move { client.get("/page").await.status });
    assert!(refused.await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn a_stop_waits_for_no_half_sent_request() {
    let half_body = "POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                     content-length: 50\r\n\r\n{";
    let second_head = "GET /page HTTP/1.1\r\nhost: x\r\n\r\nGET /page HTTP/1.1\r\nhos";
    for bytes in ["", "G", "GET /page HTTP/1.1\r\nhost: x\r\n", second_head, half_body] {
        let (server, _) = start_paused().await;
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        // The server has read that when time goes on.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let asked = tokio::time::Instant::now();
        server.stop().await;
        assert!(asked.elapsed() < Duration::from_secs(2), "{bytes:?}: {:?}", asked.elapsed());
        tokio::time::resume();
    }
}

#[tokio::test]
async fn a_request_names_one_host_and_no_coding_but_chunked() {
    let (server, _) = start(Config::default()).await;
    let check = async |line: &str, headers: &str, status: &str| {
        let request = format!("{line}\r\n{headers}connection: close\r\n\r\n0\r\n\r\n");
        let answer = server.raw(request.as_bytes()).await;
        assert!(answer.starts_with(status), "{line} {headers:?}: {answer}");
    };
    let (ok, bad) = ("HTTP/1.1 200 ", "HTTP/1.1 400 ");
    let chunked = "host: x\r\ntransfer-encoding: chunked\r\n";
    check("GET /page HTTP/1.1", "host: x\r\n", ok).await;
    check("GET /page HTTP/1.1", "", bad).await;
    check("GET /page HTTP/1.1", "host: x\r\nhost: x\r\n", bad).await;
    check("GET /page HTTP/1.1", "host: x\r\nhost: y\r\n", bad).await;
    check("GET /page HTTP/1.0", "", "HTTP/1.0 200 ").await;
    check("POST /empty HTTP/1.1", chunked, ok).await;
    check("POST /empty HTTP/1.1", "host: x\r\ntransfer-encoding: gzip, chunked\r\n", bad).await;
    let twice = format!("{chunked}transfer-encoding: gzip\r\n");
    check("POST /empty HTTP/1.1", &twice, bad).await;
}
