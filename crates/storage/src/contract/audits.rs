//! The audit log.

use audit::{AuditFilter, AuditRecord, Context, Kind, Severity, SystemEvent};
use domain::{AuditId, MatchId, PlayerId, SessionId};
use futures_util::future::join_all;

use super::sample::{NOW_MS, record};
use crate::StorageError::{Conflict, NotFound};
use crate::{Change, Store, Thing};

async fn write(store: &dyn Store, record: &AuditRecord) {
    store.commit(vec![Change::Audit(record.clone())]).await.unwrap();
}

fn of(limit: u32) -> AuditFilter {
    AuditFilter { limit, ..AuditFilter::default() }
}

pub async fn records_are_queried_by_each_field_and_by_page(store: &dyn Store) {
    let user = PlayerId::new(NOW_MS, 5);
    let session = SessionId::new(NOW_MS, 6);
    let match_id = MatchId::new(NOW_MS, 7);
    let correlation = Some("request".to_owned());
    let contexts = [
        Context::default(),
        Context { user: Some(user), ..Context::default() },
        Context { session: Some(session), ..Context::default() },
        Context { match_id: Some(match_id), ..Context::default() },
        Context { correlation: correlation.clone(), ..Context::default() },
        Context { user: Some(user), session: Some(session), match_id: Some(match_id), correlation },
    ];
    let mut records: Vec<AuditRecord> =
        (1..).zip(contexts).map(|(number, context)| record(number, context)).collect();
    let system = SystemEvent::ProfileRead;
    records.push(AuditRecord::of(&system, Context::default(), NOW_MS + 8, 8).unwrap());
    for record in &records {
        write(store, record).await;
    }
    let again = store.commit(vec![Change::Audit(records[0].clone())]).await;
    assert_eq!(again, Err(Conflict(Thing::AuditRecord)));

    let filters = [
        of(100),
        of(3),
        of(0),
        AuditFilter { from_ms: Some(NOW_MS + 3), ..of(100) },
        AuditFilter { until_ms: Some(NOW_MS + 3), ..of(100) },
        AuditFilter { from_ms: Some(NOW_MS + 2), until_ms: Some(NOW_MS + 5), ..of(100) },
        AuditFilter { kind: Some(Kind::System), ..of(100) },
        AuditFilter { kind: Some(Kind::Gameplay), ..of(100) },
        AuditFilter { name: Some("login_failed".to_owned()), ..of(100) },
        AuditFilter { user: Some(user), ..of(100) },
        AuditFilter { session: Some(session), ..of(100) },
        AuditFilter { match_id: Some(match_id), ..of(100) },
        AuditFilter { severity: Some(Severity::Info), ..of(100) },
        AuditFilter { correlation: Some("request".to_owned()), ..of(100) },
        AuditFilter { correlation: Some("other".to_owned()), ..of(100) },
        AuditFilter { user: Some(user), session: Some(session), ..of(100) },
        AuditFilter { before: Some(records[3].id), ..of(2) },
    ];
    for filter in filters {
        let admitted = records.iter().rev().filter(|record| filter.admits(record));
        let expected: Vec<AuditRecord> = admitted.take(filter.limit as usize).cloned().collect();
        assert_eq!(store.query_audit(&filter).await, Ok(expected), "{filter:?}");
    }
}

pub async fn old_records_are_purged_and_counted(store: &dyn Store) {
    let records = (0..2500).map(|number| Change::Audit(record(number, Context::default())));
    assert_eq!(store.commit(records.collect()).await, Ok(()));
    assert_eq!(store.purge_audit(NOW_MS).await, Ok(0));
    assert_eq!(store.purge_audit_step(NOW_MS + 2400, 10).await, Ok(10));
    assert_eq!(store.purge_audit(NOW_MS + 2400).await, Ok(2390));
    assert_eq!(store.query_audit(&of(1000)).await.unwrap().len(), 100);
    assert_eq!(store.purge_audit(u64::MAX).await, Ok(100));
    assert_eq!(store.query_audit(&of(1000)).await, Ok(vec![]));
}

pub async fn redaction_removes_the_values_and_marks_the_record(store: &dyn Store) {
    let plain = record(1, Context::default());
    write(store, &plain).await;
    let redact = |id, fields: &[&str]| {
        let fields = fields.iter().map(ToString::to_string).collect();
        store.commit(vec![Change::RedactAudit { id, fields }])
    };
    assert_eq!(redact(plain.id, &["reason"]).await, Ok(()));
    let payload = r#"{"reason":"[redacted]"}"#.to_owned();
    let expected = AuditRecord { payload, is_redacted: true, ..plain.clone() };
    assert_eq!(store.query_audit(&of(9)).await, Ok(vec![expected.clone()]));
    assert_eq!(redact(plain.id, &["absent"]).await, Ok(()));
    assert_eq!(store.query_audit(&of(9)).await, Ok(vec![expected]));
    let absent = AuditId::new(NOW_MS, 99);
    assert_eq!(redact(absent, &["reason"]).await, Err(NotFound(Thing::AuditRecord)));
}

pub async fn redactions_at_once_lose_none(store: &dyn Store) {
    let mut wide = record(1, Context::default());
    let fields: Vec<String> = (0..50).map(|number| format!("f{number}")).collect();
    let pairs: Vec<String> = fields.iter().map(|field| format!("\"{field}\":1")).collect();
    wide.payload = format!("{{{}}}", pairs.join(","));
    write(store, &wide).await;
    let redactions = fields.iter().map(|field| {
        store.commit(vec![Change::RedactAudit { id: wide.id, fields: vec![field.clone()] }])
    });
    for answer in join_all(redactions).await {
        assert_eq!(answer, Ok(()));
    }
    let payload = store.query_audit(&of(1)).await.unwrap()[0].payload.clone();
    assert_eq!(payload.matches(audit::REDACTED).count(), 50, "{payload}");
}
