//! What requests leave in the audit log, and what they never leave anywhere.

use std::time::Duration;

use audit::{AuditFilter, AuditRecord, Kind};
use http::Method;
use protocol::Code;
use serde_json::json;

use crate::kit::{self, Answer, PASSWORD, TestServer};
use crate::routes::{Places, fitting, routes};

async fn check_record(server: &TestServer, answer: &Answer, name: &str) -> AuditRecord {
    let mut records = server.records(answer).await;
    assert_eq!(records.len(), 1, "{name}: {records:?}");
    let record = records.remove(0);
    assert_eq!(record.name, name);
    record
}

#[tokio::test]
async fn coming_and_going_is_written_down_with_the_request() {
    let server = TestServer::start().await;
    let client = server.browser();
    let account = json!({"username": "Ada", "password": PASSWORD});
    let wrong = json!({"username": "Ada", "password": "wrong"});
    let nobody = json!({"username": "Bob", "password": PASSWORD});
    let other = json!({"username": "Eve", "password": PASSWORD});
    let device = json!({"device_id": "the-device-of-a-guest"});
    for (method, path, body, name, who) in [
        (Method::POST, "register", account.clone(), "registered", true),
        (Method::POST, "login", account, "logged_in", true),
        (Method::POST, "login", wrong, "login_failed", false),
        (Method::POST, "login", nobody, "login_failed", false),
        (Method::POST, "token/refresh", json!({}), "refreshed", true),
        (Method::PUT, "profile", json!({"avatar": "owl"}), "profile_updated", true),
        (Method::POST, "logout", json!({}), "logged_out", true),
        (Method::POST, "guest", device, "guest_started", true),
        (Method::POST, "guest/upgrade", other, "guest_upgraded", true),
        (Method::DELETE, "profile", json!({}), "account_deleted", true),
    ] {
        let path = format!("/api/v1/{path}");
        let json = Some("application/json");
        let answer = client.send(method, &path, json, body.to_string()).await;
        let record = check_record(&server, &answer, name).await;
        assert_eq!(record.kind, if name == "profile_updated" { Kind::System } else { Kind::Auth });
        assert_eq!(record.context.session.is_some(), who, "{name}");
        if who {
            assert!(answer.status.is_success() && record.context.user.is_some(), "{name}");
        }
    }
}

#[tokio::test]
async fn a_failed_login_is_written_down_with_its_reason() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    for (name, password, user, reason) in [
        ("Ada", "wrong", Some(ada.id), "wrong_password"),
        ("Bob", PASSWORD, None, "account_not_found"),
    ] {
        let body = json!({"username": name, "password": password});
        let answer = server.anonymous().post("/api/v1/login", &body).await;
        answer.problem(Code::InvalidCredentials);
        let record = check_record(&server, &answer, "login_failed").await;
        assert_eq!(record.context.user, user);
        assert_eq!(record.payload, json!({"reason": reason}).to_string());
    }
}

#[tokio::test]
async fn a_refused_change_leaves_no_record() {
    let server = TestServer::start().await;
    server.register("Ada").await;
    let guest = server.guest("the-device-of-a-guest").await;
    let account = |name: &str, password: &str| json!({"username": name, "password": password});
    for (path, body, code) in [
        ("register", account("Ada", PASSWORD), Code::UsernameTaken),
        ("register", account("Bob", "password"), Code::WeakPassword),
        ("register", account("B", PASSWORD), Code::BadRequest),
        ("guest", json!({"device_id": "short"}), Code::BadRequest),
        ("guest/upgrade", account("Ada", PASSWORD), Code::UsernameTaken),
        ("guest/upgrade", account("Bob", "password"), Code::WeakPassword),
    ] {
        let answer = guest.bearer.post(&format!("/api/v1/{path}"), &body).await;
        answer.problem(code);
        assert_eq!(server.records(&answer).await, [], "{path} {body}");
    }
    let gone = server.bearer("garbage");
    for path in ["logout", "token/refresh"] {
        let answer = gone.post(&format!("/api/v1/{path}"), &json!({})).await;
        answer.problem(Code::InvalidToken);
        assert_eq!(server.records(&answer).await, []);
    }
}

#[tokio::test]
async fn reading_ones_profile_is_written_down_soon() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let answer = ada.bearer.get("/api/v1/profile").await;
    let found = async {
        while server.records(&answer).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(2), found).await.unwrap();
    let record = check_record(&server, &answer, "profile_read").await;
    assert_eq!((record.context.user, record.kind), (Some(ada.id), Kind::System));
}

#[tokio::test]
async fn what_was_read_before_the_server_stops_is_written_down() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let answer = ada.bearer.get("/api/v1/profile").await;
    let server = server.restart().await;
    check_record(&server, &answer, "profile_read").await;
}

#[tokio::test]
async fn no_secret_is_in_any_record_or_log_line() {
    let server = TestServer::start().await;
    let places = Places::new(&server).await;
    let mut secrets = vec![PASSWORD.to_owned(), "wrong-horse".to_owned(), "e-device-o".to_owned()];
    for (number, route) in routes().into_iter().enumerate() {
        let user = fitting(&server, route.need, number).await;
        secrets.push(user.token.clone());
        let answer = route.ask(&user.browser, &places).await;
        secrets.extend(user.browser.cookie());
        drop(answer);
    }
    for body in [
        json!({"username": "Eve", "password": "wrong-horse"}),
        json!({"username": "wrong-horse", "password": "wrong-horse"}),
        json!({"username": "Eve", "password": ["wrong-horse"]}),
        json!({"username": "Eve", "wrong-horse": 1}),
    ] {
        server.anonymous().post("/api/v1/login?token=wrong-horse", &body).await;
    }
    server.guest("the-device-of-a-guest").await;
    let filter = AuditFilter { limit: 1000, ..AuditFilter::default() };
    let records = server.store.query_audit(&filter).await.unwrap();
    assert!(records.len() > 20, "{}", records.len());
    let seen = format!("{records:?}\n{}", kit::log());
    for secret in secrets {
        // A token's first characters are the same in all.
        let telling = secret.strip_prefix("v4.local.").unwrap_or(&secret);
        assert!(!seen.contains(&telling[..telling.len().min(20)]), "{secret}");
    }
}
