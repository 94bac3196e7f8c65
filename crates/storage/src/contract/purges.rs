//! What there may be at once, and what is removed in the end.

use domain::PlayerId;
use futures_util::future::join_all;

use super::sample::{
    NOW_MS, ada_and_bob, add, append, guest, new_match, player, result, session, start,
};
use crate::StorageError::{Conflict, NotFound};
use crate::{Change, Counted, Session, Shown, Store, Thing};

pub async fn of_many_matches_at_once_as_many_begin_as_are_allowed(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let begin = |number, seats: Vec<PlayerId>| {
        let limit = Change::Limit { player: ada.id, of: Counted::RunningMatches, most: 10 };
        store.commit(vec![limit, Change::CreateMatch(new_match(number, &seats))])
    };
    // A match in which Ada has both seats counts once, and one of Bob's not at all.
    let before = start(store, 100, &[bob.id]).await;
    let answers = join_all((0..60).map(|number| begin(number, vec![ada.id, ada.id]))).await;
    assert!(answers.iter().all(|it| it.is_ok() || *it == Err(Conflict(Thing::Limit))));
    let running = store.running_matches(ada.id).await.unwrap();
    assert_eq!(running.len(), 10);
    for match_id in [running[0], before] {
        assert_eq!(store.commit(vec![Change::EndMatch(result(match_id, NOW_MS))]).await, Ok(()));
    }
    assert_eq!(begin(61, vec![ada.id, bob.id]).await, Ok(()), "there is room again");
    assert_eq!(begin(62, vec![ada.id]).await, Err(Conflict(Thing::Limit)));
    assert_eq!(store.running_matches(ada.id).await.unwrap().len(), 10);
}

pub async fn idle_guests_are_found_and_nobody_else(store: &dyn Store) {
    let since_ms = NOW_MS + 1000;
    let mut ids = Vec::new();
    for number in 1..=6 {
        let mut new = guest(number);
        // The last one is too new.
        new.player.created_ms = if number == 6 { since_ms } else { NOW_MS };
        ids.push(add(store, new).await.id);
    }
    let account = add(store, player(7, "Ada")).await.id;
    let came = |number, whose, changed_ms| {
        Change::OpenSession(Session { changed_ms, ..session(number, whose) })
    };
    let over = start(store, 2, &[ids[3], account]).await;
    let over_lately = start(store, 3, &[ids[4], account]).await;
    start(store, 1, &[ids[2], account]).await;
    let unit = vec![
        came(1, ids[0], since_ms - 1),
        came(2, ids[1], since_ms),
        Change::EndMatch(result(over, since_ms - 1)),
        Change::EndMatch(result(over_lately, since_ms)),
    ];
    assert_eq!(store.commit(unit).await, Ok(()));
    let idle = vec![ids[0], ids[3]];
    assert_eq!(store.idle_guests(since_ms, None, 9).await, Ok(idle.clone()));
    assert_eq!(store.idle_guests(since_ms, None, 1).await, Ok(idle[..1].to_vec()));
    assert_eq!(store.idle_guests(since_ms, Some(ids[0]), 9).await, Ok(idle[1..].to_vec()));
    for id in ids.into_iter().chain([account]) {
        let unit = vec![
            Change::RequireIdleGuest { player: id, since_ms },
            Change::DeletePlayer { player: id, now_ms: since_ms },
        ];
        let expected = if idle.contains(&id) { Ok(()) } else { Err(Conflict(Thing::Player)) };
        assert_eq!(store.commit(unit).await, expected);
        assert_eq!(store.find_player(id).await.unwrap().is_none(), idle.contains(&id));
    }
}

pub async fn only_a_finished_match_without_an_account_is_removed(store: &dyn Store) {
    let account = add(store, player(1, "Ada")).await.id;
    let [one, two] = [add(store, guest(2)).await.id, add(store, guest(3)).await.id];
    let matches = [
        start(store, 1, &[one, two]).await,
        start(store, 2, &[one, account]).await,
        start(store, 3, &[one, one]).await,
        start(store, 4, &[two, one]).await,
    ];
    for (number, match_id) in (0_u64..).zip(matches) {
        let unit = vec![append(match_id, 0, 1), append(match_id, 1, 2)];
        assert_eq!(store.commit(unit).await, Ok(()));
        if number < 3 {
            let end = Change::EndMatch(result(match_id, NOW_MS + 10 - number));
            assert_eq!(store.commit(vec![end]).await, Ok(()));
        }
    }
    let found = vec![(NOW_MS + 8, matches[2]), (NOW_MS + 10, matches[0])];
    let find = |before_ms, after, limit| store.matches_without_account(before_ms, after, limit);
    assert_eq!(find(NOW_MS + 11, None, 9).await, Ok(found.clone()));
    assert_eq!(find(NOW_MS + 11, None, 1).await, Ok(found[..1].to_vec()));
    assert_eq!(find(NOW_MS + 11, Some(found[0]), 9).await, Ok(found[1..].to_vec()));
    assert_eq!(find(NOW_MS + 10, None, 9).await, Ok(found[..1].to_vec()));

    for (match_id, is_removed) in matches.into_iter().zip([true, false, true, false]) {
        let delete = || store.commit(vec![Change::DeleteMatch { match_id }]);
        assert_eq!(delete().await, if is_removed { Ok(()) } else { Err(Conflict(Thing::Match)) });
        assert_eq!(store.find_match(match_id).await.unwrap().is_none(), is_removed);
        assert_eq!(store.entries(match_id, 0).await.unwrap().len(), if is_removed { 0 } else { 2 });
        if is_removed {
            assert_eq!(store.find_result(match_id).await, Ok(None));
            assert_eq!(delete().await, Err(NotFound(Thing::Match)));
        }
    }
    assert_eq!(store.match_history(one, Shown::All, 9, 0).await.unwrap().len(), 1);
    // What stays can still be played on.
    assert_eq!(store.commit(vec![append(matches[3], 2, 3)]).await, Ok(()));
    assert_eq!(store.entries(matches[3], 0).await.unwrap().len(), 3);
}
