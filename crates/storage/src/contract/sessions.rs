//! Logins: rotation, revocation, what a cache must know.

use domain::{PlayerId, SessionId};
use futures_util::future::join_all;

use super::sample::{NOW_MS, ada_and_bob, session};
use crate::StorageError::{Conflict, NotFound};
use crate::{Change, Session, Store, Thing};

async fn open(store: &dyn Store, number: u64, player: PlayerId) -> SessionId {
    let session = session(number, player);
    let id = session.id;
    store.commit(vec![Change::OpenSession(session)]).await.unwrap();
    id
}

fn rotate(id: SessionId, generation: u32) -> Change {
    Change::RotateSession { id, generation, until_ms: NOW_MS + 5000, now_ms: NOW_MS + 7 }
}

async fn ids_changed(store: &dyn Store, since_ms: u64, now_ms: u64) -> Vec<SessionId> {
    let sessions = store.changed_sessions(since_ms, now_ms).await.unwrap();
    let mut ids: Vec<SessionId> = sessions.iter().map(|session| session.id).collect();
    ids.sort();
    ids
}

pub async fn a_session_is_rotated_only_from_its_generation(store: &dyn Store) {
    let [ada, _] = ada_and_bob(store).await;
    let id = open(store, 1, ada.id).await;
    let again = store.commit(vec![Change::OpenSession(session(1, ada.id))]).await;
    assert_eq!(again, Err(Conflict(Thing::Session)));
    assert_eq!(store.commit(vec![rotate(id, 1)]).await, Err(Conflict(Thing::Session)));
    assert_eq!(store.commit(vec![rotate(id, 0)]).await, Ok(()));
    assert_eq!(store.commit(vec![rotate(id, 0)]).await, Err(Conflict(Thing::Session)));
    assert_eq!(store.commit(vec![rotate(id, 1)]).await, Ok(()));
    let expected = Session {
        generation: 2,
        until_ms: NOW_MS + 5000,
        changed_ms: NOW_MS + 7,
        ..session(1, ada.id)
    };
    assert_eq!(store.find_session(id).await, Ok(Some(expected)));
    let shorter = Change::RotateSession { id, generation: 2, until_ms: NOW_MS, now_ms: NOW_MS + 8 };
    assert_eq!(store.commit(vec![shorter]).await, Ok(()));
    let found = store.find_session(id).await.unwrap().unwrap();
    assert_eq!(found.until_ms, NOW_MS + 5000, "an earlier token lives that long");
    let absent = SessionId::new(0, 0);
    assert_eq!(store.commit(vec![rotate(absent, 0)]).await, Err(NotFound(Thing::Session)));
    assert_eq!(store.find_session(absent).await, Ok(None));
}

pub async fn of_many_rotations_of_one_generation_exactly_one_succeeds(store: &dyn Store) {
    let [ada, _] = ada_and_bob(store).await;
    let id = open(store, 1, ada.id).await;
    let answers = join_all((0..200).map(|_| store.commit(vec![rotate(id, 0)]))).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert!(answers.iter().all(|it| it.is_ok() || *it == Err(Conflict(Thing::Session))));
    assert_eq!(store.find_session(id).await.unwrap().unwrap().generation, 1);
}

pub async fn a_revoked_session_stays_revoked(store: &dyn Store) {
    let [ada, _] = ada_and_bob(store).await;
    let id = open(store, 1, ada.id).await;
    let revoke = |id| store.commit(vec![Change::RevokeSession { id, now_ms: NOW_MS + 3 }]);
    assert_eq!(revoke(id).await, Ok(()));
    assert_eq!(revoke(id).await, Ok(()));
    assert_eq!(store.commit(vec![rotate(id, 0)]).await, Err(Conflict(Thing::Session)));
    let found = store.find_session(id).await.unwrap().unwrap();
    assert_eq!((found.is_revoked, found.changed_ms), (true, NOW_MS + 3));
    assert_eq!(revoke(SessionId::new(0, 0)).await, Err(NotFound(Thing::Session)));
}

pub async fn all_sessions_of_a_player_end_but_one(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let kept = open(store, 1, ada.id).await;
    let ended = open(store, 2, ada.id).await;
    let others = open(store, 3, bob.id).await;
    let is_revoked = async |id| store.find_session(id).await.unwrap().unwrap().is_revoked;
    let end = |except| {
        let now_ms = NOW_MS + 4;
        store.commit(vec![Change::RevokeSessionsOf { player: ada.id, except, now_ms }])
    };
    assert_eq!(end(Some(kept)).await, Ok(()));
    assert!(!is_revoked(kept).await && is_revoked(ended).await && !is_revoked(others).await);
    assert_eq!(end(None).await, Ok(()));
    assert!(is_revoked(kept).await && !is_revoked(others).await);
    assert_eq!(ids_changed(store, NOW_MS + 4, NOW_MS).await, [kept, ended]);
}

pub async fn open_sessions_are_listed_the_latest_first(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let older = Session { created_ms: NOW_MS - 9, browser: None, ..session(5, ada.id) };
    let expired = Session { until_ms: NOW_MS, ..session(2, ada.id) };
    let sessions = [session(1, ada.id), expired, session(3, ada.id), session(4, bob.id)];
    for session in sessions.into_iter().chain([older.clone(), session(6, ada.id)]) {
        store.commit(vec![Change::OpenSession(session)]).await.unwrap();
    }
    let revoke = Change::RevokeSession { id: session(6, ada.id).id, now_ms: NOW_MS };
    store.commit(vec![revoke]).await.unwrap();
    let mut listed = vec![session(3, ada.id), session(1, ada.id), older];
    assert_eq!(store.sessions_of(ada.id, NOW_MS, 9).await, Ok(listed.clone()));
    listed.truncate(2);
    assert_eq!(store.sessions_of(ada.id, NOW_MS, 2).await, Ok(listed));
    assert_eq!(store.sessions_of(ada.id, NOW_MS + 1000, 9).await, Ok(vec![]));
    assert_eq!(store.sessions_of(PlayerId::new(0, 0), NOW_MS, 9).await, Ok(vec![]));
}

pub async fn a_unit_that_holds_a_session_is_refused_after_its_end(store: &dyn Store) {
    let [ada, _] = ada_and_bob(store).await;
    let id = open(store, 1, ada.id).await;
    let update = |id, avatar: &str| {
        let avatar = Some(avatar.to_owned());
        let change = Change::UpdateProfile { player: ada.id, name: None, avatar };
        store.commit(vec![Change::HoldSession { id }, change])
    };
    assert_eq!(update(id, "fox").await, Ok(()));
    let revoke = Change::RevokeSession { id, now_ms: NOW_MS };
    store.commit(vec![revoke]).await.unwrap();
    assert_eq!(update(id, "cat").await, Err(Conflict(Thing::Session)));
    assert_eq!(update(SessionId::new(0, 0), "cat").await, Err(NotFound(Thing::Session)));
    assert_eq!(store.find_player(ada.id).await.unwrap().unwrap().avatar, "fox");
}

pub async fn changed_sessions_are_what_a_cache_must_know(store: &dyn Store) {
    let [ada, _] = ada_and_bob(store).await;
    open(store, 1, ada.id).await;
    let rotated = open(store, 2, ada.id).await;
    let revoked = open(store, 3, ada.id).await;
    assert_eq!(ids_changed(store, 0, NOW_MS).await, []);
    let unit = vec![rotate(rotated, 0), Change::RevokeSession { id: revoked, now_ms: NOW_MS + 9 }];
    assert_eq!(store.commit(unit).await, Ok(()));
    assert_eq!(ids_changed(store, 0, NOW_MS).await, [rotated, revoked]);
    assert_eq!(ids_changed(store, NOW_MS + 7, NOW_MS).await, [rotated, revoked]);
    assert_eq!(ids_changed(store, NOW_MS + 8, NOW_MS).await, [revoked]);
    assert_eq!(ids_changed(store, NOW_MS + 10, NOW_MS).await, []);
    assert_eq!(ids_changed(store, 0, NOW_MS + 1000).await, [rotated], "the other has expired");
}

pub async fn expired_sessions_are_purged_in_steps(store: &dyn Store) {
    let [ada, _] = ada_and_bob(store).await;
    for number in 0..5 {
        open(store, number, ada.id).await;
    }
    let living = session(0, ada.id).id;
    assert_eq!(store.commit(vec![rotate(living, 0)]).await, Ok(()));
    assert_eq!(store.purge_sessions(NOW_MS + 1000, 10).await, Ok(0), "until then they live");
    assert_eq!(store.purge_sessions(NOW_MS + 1001, 3).await, Ok(3));
    assert_eq!(store.purge_sessions(NOW_MS + 1001, 3).await, Ok(1));
    assert_eq!(store.purge_sessions(NOW_MS + 1001, 3).await, Ok(0));
    assert!(store.find_session(living).await.unwrap().is_some());
}
