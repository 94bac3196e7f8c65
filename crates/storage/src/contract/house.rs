//! Values of the house, and what is needed to look at everything.

use domain::PlayerId;
use futures_util::future::join_all;

use super::sample::{NOW_MS, ada_and_bob, add, guest, lobby, result, start};
use crate::StorageError::Conflict;
use crate::{Change, Listed, Lobby, Store, Thing};

fn set(before: Option<&str>, value: &str) -> Change {
    let name = "token_key".to_owned();
    Change::SetHouseValue { name, before: before.map(str::to_owned), value: value.to_owned() }
}

pub async fn a_value_of_the_house_is_set_only_over_the_one_that_was_read(store: &dyn Store) {
    assert_eq!(store.house_value("token_key").await, Ok(None));
    let refused = Err(Conflict(Thing::HouseValue));
    assert_eq!(store.commit(vec![set(Some("a"), "b")]).await, refused);
    assert_eq!(store.commit(vec![set(None, "a")]).await, Ok(()));
    assert_eq!(store.commit(vec![set(None, "b")]).await, refused);
    assert_eq!(store.commit(vec![set(Some("b"), "c")]).await, refused);
    assert_eq!(store.house_value("token_key").await, Ok(Some("a".to_owned())));
    assert_eq!(store.commit(vec![set(Some("a"), "b")]).await, Ok(()));
    assert_eq!(store.house_value("token_key").await, Ok(Some("b".to_owned())));
    assert_eq!(store.house_value("another").await, Ok(None));
}

pub async fn of_many_who_set_a_value_first_exactly_one_succeeds(store: &dyn Store) {
    let values: Vec<String> = (0..8).map(|number| number.to_string()).collect();
    let commits = values.iter().map(|value| store.commit(vec![set(None, value)]));
    let answers = join_all(commits).await;
    let winner = answers.iter().position(Result::is_ok).unwrap();
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert_eq!(store.house_value("token_key").await, Ok(Some(values[winner].clone())));
}

pub async fn everything_is_listed_by_page(store: &dyn Store) {
    for of in [Listed::Players, Listed::Matches, Listed::Lobbies] {
        assert_eq!(store.ids(of, None, 9).await, Ok(vec![]), "{of:?}");
    }
    let people = ada_and_bob(store).await;
    let guest = add(store, guest(3)).await;
    let ids = [people[0].id, people[1].id, guest.id].map(PlayerId::number);
    assert_eq!(store.ids(Listed::Players, None, 9).await.unwrap(), ids);
    assert_eq!(store.ids(Listed::Players, None, 2).await.unwrap(), ids[..2]);
    assert_eq!(store.ids(Listed::Players, Some(ids[1]), 2).await.unwrap(), ids[2..]);
    assert_eq!(store.ids(Listed::Players, Some(ids[2]), 2).await, Ok(vec![]));
    let running = start(store, 1, &[people[0].id]).await;
    let over = start(store, 2, &[people[0].id]).await;
    store.commit(vec![Change::EndMatch(result(over, NOW_MS))]).await.unwrap();
    let ids = vec![running.number(), over.number()];
    assert_eq!(store.ids(Listed::Matches, None, 9).await, Ok(ids));
    let lobbies = [(1, true), (2, false)]
        .map(|(number, is_public)| Lobby { is_public, ..lobby(number, people[0].id) });
    let mut ids: Vec<i64> = lobbies.iter().map(|lobby| lobby.id.number()).collect();
    ids.sort_unstable();
    for lobby in lobbies {
        store.commit(vec![Change::PutLobby(lobby)]).await.unwrap();
    }
    assert_eq!(store.ids(Listed::Lobbies, None, 9).await, Ok(ids));
    assert_eq!(store.inspect().await, Ok(vec![]), "nothing is damaged");
}
