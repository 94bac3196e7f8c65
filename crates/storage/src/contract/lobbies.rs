//! Lobbies and the pairing queue.

use domain::LobbyId;

use super::sample::{NOW_MS, ada_and_bob, lobby};
use crate::StorageError::{Conflict, NotFound};
use crate::{Change, Lobby, Pairing, Store, Thing};

pub async fn a_lobby_is_changed_only_over_the_version_that_was_read(store: &dyn Store) {
    let [ada, _] = ada_and_bob(store).await;
    let first = lobby(1, ada.id);
    let put = |version, body: &str| {
        let lobby = Lobby { version, body: body.to_owned(), ..first.clone() };
        store.commit(vec![Change::PutLobby(lobby)])
    };
    assert_eq!(put(2, "early").await, Err(NotFound(Thing::Lobby)));
    assert_eq!(put(1, "made").await, Ok(()));
    assert_eq!(put(1, "made again").await, Err(Conflict(Thing::Lobby)));
    assert_eq!(put(2, "joined").await, Ok(()));
    assert_eq!(put(2, "joined too").await, Err(Conflict(Thing::Lobby)));
    assert_eq!(put(4, "skipped").await, Err(Conflict(Thing::Lobby)));
    let expected = Lobby { version: 2, body: "joined".to_owned(), ..first.clone() };
    assert_eq!(store.find_lobby(first.id).await, Ok(Some(expected)));

    let delete = || store.commit(vec![Change::DeleteLobby { id: first.id }]);
    assert_eq!(delete().await, Ok(()));
    assert_eq!(delete().await, Err(NotFound(Thing::Lobby)));
    assert_eq!(store.find_lobby(first.id).await, Ok(None));
    assert_eq!(store.find_lobby(LobbyId::random(0)).await, Ok(None));
}

pub async fn public_lobbies_are_listed_the_latest_first(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let private = Lobby { is_public: false, ..lobby(2, bob.id) };
    let lobbies = [lobby(1, ada.id), private.clone(), lobby(3, bob.id), lobby(4, ada.id)];
    for lobby in &lobbies {
        assert_eq!(store.commit(vec![Change::PutLobby(lobby.clone())]).await, Ok(()));
    }
    let [first, _, third, fourth] = lobbies;
    let listed = vec![fourth, third.clone(), first];
    assert_eq!(store.public_lobbies(2).await, Ok(listed[..2].to_vec()));
    assert_eq!(store.public_lobbies(9).await, Ok(listed));
    assert_eq!(store.lobbies_of(bob.id).await, Ok(vec![private.clone(), third]));
    assert_eq!(store.lobbies_of(ada.id).await.map(|its| its.len()), Ok(2));
    assert_eq!(store.find_lobby(private.id).await, Ok(Some(private)));
}

pub async fn a_wish_to_be_paired_is_replaced_and_taken_once(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let wish = |player, pool: &str, since_ms| Pairing {
        player,
        pool: pool.to_owned(),
        body: r#"{"rating":1500}"#.to_owned(),
        since_ms,
    };
    let put = |wish| store.commit(vec![Change::PutPairing(wish)]);
    assert_eq!(put(wish(ada.id, "chess", NOW_MS + 2)).await, Ok(()));
    assert_eq!(put(wish(bob.id, "chess", NOW_MS + 1)).await, Ok(()));
    let both = vec![wish(bob.id, "chess", NOW_MS + 1), wish(ada.id, "chess", NOW_MS + 2)];
    assert_eq!(store.pairings(9).await, Ok(both.clone()));
    assert_eq!(store.pairings(1).await, Ok(both[..1].to_vec()));
    assert_eq!(put(wish(bob.id, "santorini", NOW_MS + 3)).await, Ok(()));
    assert_eq!(store.pairings(9).await.unwrap()[1], wish(bob.id, "santorini", NOW_MS + 3));

    let pair = || {
        let players = [ada.id, bob.id];
        store.commit(players.map(|player| Change::DeletePairing { player }).to_vec())
    };
    assert_eq!(pair().await, Ok(()));
    assert_eq!(pair().await, Err(NotFound(Thing::Pairing)));
    assert_eq!(store.pairings(9).await, Ok(vec![]));
}
