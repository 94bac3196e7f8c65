//! The audit log, for administrators.

use audit::{AuditRecord, Context, GameplayEvent};
use domain::{AuditId, MatchId};
use protocol::{AuditEvent, AuditPage, Code, PurgeResponse};
use serde_json::{Value, json};
use storage::Change;

use crate::kit::{Client, NOW_MS, TestServer};

const AUDIT: &str = "/api/v1/admin/audit";
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

async fn page(admin: &Client, query: &str) -> AuditPage {
    admin.get(&format!("{AUDIT}?{query}")).await.json(200)
}

async fn names(admin: &Client, query: &str) -> Vec<String> {
    page(admin, query).await.events.into_iter().map(|event| event.name).collect()
}

#[tokio::test]
async fn events_are_found_by_each_field() {
    let server = TestServer::start().await;
    let admin = server.admin("Root").await;
    server.time.advance(1000);
    let ada = server.register("Ada").await;
    server.time.advance(1000);
    let wrong = json!({"username": "Ada", "password": "wrong"});
    let wrong = server.anonymous().post("/api/v1/login", &wrong).await;
    let played = MatchId::new(NOW_MS, 7);
    let context = Context { match_id: Some(played), ..Context::default() };
    let event = GameplayEvent::MatchStarted { game: "chess".to_owned(), seats: 2 };
    let record = AuditRecord::of(&event, context, NOW_MS + 2000, 9).unwrap();
    server.store.commit(vec![Change::Audit(record)]).await.unwrap();

    let own: AuditEvent =
        page(&admin.bearer, &format!("user={}&name=registered", ada.id)).await.events.remove(0);
    let session = own.session.unwrap();
    for (query, expected) in [
        (format!("from_ms={}&until_ms={}", NOW_MS + 1000, NOW_MS + 2000), vec!["registered"]),
        (format!("until_ms={}", NOW_MS + 1000), vec!["logged_in", "registered"]),
        (format!("user={}", ada.id), vec!["login_failed", "registered"]),
        (format!("session={session}"), vec!["registered"]),
        (format!("match={played}"), vec!["match_started"]),
        ("kind=gameplay".to_owned(), vec!["match_started"]),
        ("kind=system".to_owned(), vec![]),
        ("name=logged_in".to_owned(), vec!["logged_in"]),
        ("severity=warning".to_owned(), vec!["login_failed"]),
        ("severity=error".to_owned(), vec![]),
        (format!("correlation={}", wrong.request_id()), vec!["login_failed"]),
        (format!("kind=auth&from_ms={}", NOW_MS + 1000), vec!["login_failed", "registered"]),
        (format!("from_ms={}", u64::MAX), vec![]),
        ("until_ms=0".to_owned(), vec![]),
    ] {
        assert_eq!(names(&admin.bearer, &query).await, expected, "{query}");
    }
    let all = names(&admin.browser, &format!("until_ms={}", u64::MAX)).await;
    assert_eq!(all.len(), 5, "{all:?}");
}

#[tokio::test]
async fn an_event_is_told_with_all_that_is_known() {
    let server = TestServer::start().await;
    let admin = server.admin("Root").await;
    let ada = server.register("Ada").await;
    let wrong = json!({"username": "Ada", "password": "wrong"});
    let wrong = server.anonymous().post("/api/v1/login", &wrong).await;
    let value: Value = admin.bearer.get(&format!("{AUDIT}?name=login_failed")).await.json(200);
    let expected = json!({
        "id": value["events"][0]["id"],
        "at_ms": NOW_MS,
        "kind": "auth",
        "name": "login_failed",
        "severity": "warning",
        "user": ada.id,
        "correlation": wrong.request_id(),
        "payload": {"reason": "wrong_password"},
        "redacted": false,
    });
    assert_eq!(value, json!({"events": [expected]}));
}

#[tokio::test]
async fn events_come_by_page_the_latest_first() {
    let server = TestServer::start().await;
    let admin = server.admin("Root").await;
    for number in 0..7 {
        server.time.advance(1);
        server.register(&format!("player-{number}")).await;
    }
    let all = page(&admin.bearer, "").await;
    assert_eq!((all.events.len(), all.next_before), (9, None));
    assert!(all.events.is_sorted_by_key(|event| std::cmp::Reverse(event.id)));
    let mut gathered = Vec::new();
    let mut query = "limit=4".to_owned();
    loop {
        let page = page(&admin.bearer, &query).await;
        gathered.extend(page.events);
        let Some(before) = page.next_before else { break };
        assert_eq!(Some(before), gathered.last().map(|event| event.id));
        query = format!("limit=4&before={before}");
    }
    assert_eq!(gathered, all.events);
    for query in [
        "limit=0",
        "limit=1001",
        "limit=x",
        "limit=-1",
        "before=x",
        "user=Ada",
        "session=1",
        "match=1",
        "kind=odd",
        "severity=fatal",
        "from_ms=-1",
        "from_ms=1.5",
        "odd=1",
        "limit=1&limit=2",
        "until_ms=18446744073709551616",
    ] {
        admin.bearer.get(&format!("{AUDIT}?{query}")).await.problem(Code::BadRequest);
    }
}

#[tokio::test]
async fn a_purge_removes_what_is_past_its_days_and_is_written_down() {
    let server = TestServer::start().await;
    let root = server.admin("Root").await;
    server.time.advance(31 * DAY_MS);
    let admin = server.login("Root").await;
    root.bearer.post(&format!("{AUDIT}/purge"), &json!({})).await.problem(Code::Unauthorized);
    let purge = async |body: Value| {
        let answer = admin.browser.post(&format!("{AUDIT}/purge"), &body).await;
        let purged: PurgeResponse = answer.json(200);
        let records = server.records(&answer).await;
        let names: Vec<String> = records.into_iter().map(|record| record.name).collect();
        assert_eq!(names, if purged.purged > 0 { vec!["audit_purged"] } else { vec![] });
        purged.purged
    };
    assert_eq!(purge(json!({"retention_days": u32::MAX})).await, 0);
    assert_eq!(purge(json!({"retention_days": 31})).await, 0);
    assert_eq!(purge(json!({})).await, 2, "30 days if nothing is said");
    assert_eq!(purge(json!({"retention_days": 1})).await, 0);
    assert_eq!(names(&admin.bearer, "").await, ["audit_purged", "logged_in"]);
    for days in [json!(0), json!(-1), json!(1.5), json!("30"), json!(4_294_967_296_u64)] {
        let body = json!({"retention_days": days});
        admin.browser.post(&format!("{AUDIT}/purge"), &body).await.problem(Code::BadRequest);
    }
}

#[tokio::test]
async fn a_redaction_takes_values_for_good_and_is_written_down() {
    let server = TestServer::start().await;
    let admin = server.admin("Root").await;
    let wrong = json!({"username": "Ada", "password": "wrong"});
    server.anonymous().post("/api/v1/login", &wrong).await;
    let id = page(&admin.bearer, "name=login_failed").await.events[0].id;
    let path = format!("{AUDIT}/{id}/redact");
    let fields = json!({"fields": ["reason", "no.such.field"]});
    let answer = admin.browser.post(&path, &fields).await;
    answer.empty();
    let event = page(&admin.bearer, "name=login_failed").await.events.remove(0);
    assert!(event.redacted);
    assert_eq!(Value::Object(event.payload), json!({"reason": "[redacted]"}));
    let records = server.records(&answer).await;
    let payload: Value = serde_json::from_str(&records[0].payload).unwrap();
    assert_eq!(records[0].name, "audit_redacted");
    assert_eq!(payload, json!({"event": id, "fields": ["reason", "no.such.field"]}));
    admin.browser.post(&path, &fields).await.empty();
}

#[tokio::test]
async fn a_refused_redaction_changes_nothing() {
    let server = TestServer::start().await;
    let admin = server.admin("Root").await;
    let id = page(&admin.bearer, "limit=1").await.events[0].id;
    let before = page(&admin.bearer, "").await;
    let check = async |id: &str, fields: Value, code: Code| {
        let path = format!("{AUDIT}/{id}/redact");
        admin.browser.post(&path, &json!({"fields": fields})).await.problem(code);
    };
    let id = id.to_string();
    let absent = AuditId::new(NOW_MS, 1).to_string();
    check(&absent, json!(["reason"]), Code::RecordNotFound).await;
    check("x", json!(["reason"]), Code::RecordNotFound).await;
    check(&id, json!([]), Code::BadRequest).await;
    check(&id, json!([""]), Code::BadRequest).await;
    check(&id, json!(["x".repeat(101)]), Code::BadRequest).await;
    check(&id, json!(vec!["x"; 65]), Code::BadRequest).await;
    // Escaped, they are more than a record holds.
    check(&id, json!(vec!["\u{1}".repeat(100); 64]), Code::BadRequest).await;
    assert_eq!(page(&admin.bearer, "").await, before);
    let path = format!("{AUDIT}/{id}/redact");
    admin.browser.post(&path, &json!({"fields": ["\0", "a\0"]})).await.empty();
}
