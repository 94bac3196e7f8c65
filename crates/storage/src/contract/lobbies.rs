//! Lobbies and the pairing queue.

use domain::LobbyId;
use futures_util::future::join_all;

use super::sample::{NOW_MS, ada_and_bob, lobby, wish};
use crate::StorageError::{Conflict, NotFound};
use crate::{Change, Counted, Lobby, Pairing, Store, Thing};

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
    assert_eq!(store.public_lobbies(2, 0).await, Ok(listed[..2].to_vec()));
    assert_eq!(store.public_lobbies(2, 2).await, Ok(listed[2..].to_vec()));
    assert_eq!(store.public_lobbies(2, 3).await, Ok(vec![]));
    assert_eq!(store.public_lobbies(9, u32::MAX).await, Ok(vec![]));
    assert_eq!(store.public_lobbies(9, 0).await, Ok(listed));
    assert_eq!(store.lobbies_of(bob.id).await, Ok(vec![private.clone(), third]));
    assert_eq!(store.lobbies_of(ada.id).await.map(|its| its.len()), Ok(2));
    assert_eq!(store.find_lobby(private.id).await, Ok(Some(private)));
}

pub async fn lobbies_that_nobody_touched_are_found(store: &dyn Store) {
    let [ada, _] = ada_and_bob(store).await;
    let touched =
        |number, is_public, touched_ms| Lobby { is_public, touched_ms, ..lobby(number, ada.id) };
    let lobbies = [touched(1, true, 10), touched(2, false, 10), touched(3, true, 20)];
    for lobby in &lobbies {
        assert_eq!(store.commit(vec![Change::PutLobby(lobby.clone())]).await, Ok(()));
    }
    let check = async |public_before_ms, private_before_ms, expected: &[usize]| {
        let stale = store.stale_lobbies(public_before_ms, private_before_ms, 9).await.unwrap();
        assert_eq!(stale.len(), expected.len());
        assert!(expected.iter().all(|which| stale.contains(&lobbies[*which])));
    };
    check(10, 10, &[]).await;
    check(11, 10, &[0]).await;
    check(10, 11, &[1]).await;
    check(21, 11, &[0, 1, 2]).await;
    assert_eq!(store.stale_lobbies(21, 11, 2).await.unwrap().len(), 2);
    let joined = Lobby { touched_ms: 30, version: 2, ..lobbies[0].clone() };
    assert_eq!(store.commit(vec![Change::PutLobby(joined)]).await, Ok(()));
    check(21, 10, &[2]).await;
}

pub async fn of_many_lobbies_at_once_as_many_open_as_are_allowed(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let open = |number, player| {
        let limit = Change::Limit { player, of: Counted::Lobbies, most: 3 };
        store.commit(vec![limit, Change::PutLobby(lobby(number, player))])
    };
    let players = (0..60).map(|number| if number < 40 { ada.id } else { bob.id });
    let answers = join_all((0..).zip(players).map(|(number, player)| open(number, player))).await;
    assert!(answers.iter().all(|it| it.is_ok() || *it == Err(Conflict(Thing::Limit))));
    for player in [ada.id, bob.id] {
        let held = store.lobbies_of(player).await.unwrap();
        assert_eq!(held.len(), 3);
        assert_eq!(store.commit(vec![Change::DeleteLobby { id: held[0].id }]).await, Ok(()));
        assert_eq!(open(70, player).await, Ok(()), "there is room again");
        assert_eq!(open(71, player).await, Err(Conflict(Thing::Limit)));
        assert_eq!(
            store.commit(vec![Change::DeleteLobby { id: lobby(70, player).id }]).await,
            Ok(())
        );
    }
}

pub async fn a_wish_to_be_paired_is_replaced_and_taken_once(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let put = |wish| store.commit(vec![Change::PutPairing(wish)]);
    assert_eq!(put(wish(ada.id, "chess", NOW_MS + 2)).await, Ok(()));
    assert_eq!(put(wish(bob.id, "chess", NOW_MS + 1)).await, Ok(()));
    let both = vec![wish(bob.id, "chess", NOW_MS + 1), wish(ada.id, "chess", NOW_MS + 2)];
    assert_eq!(store.pairings("chess").await, Ok(both.clone()));
    assert_eq!(store.find_pairing(bob.id).await, Ok(both.into_iter().next()));
    assert_eq!(store.shared_pools().await, Ok(vec!["chess".to_owned()]));
    let moved = wish(bob.id, "santorini", NOW_MS + 3);
    assert_eq!(put(moved.clone()).await, Ok(()));
    assert_eq!(store.pairings("santorini").await, Ok(vec![moved]));
    assert_eq!(store.pairings("chess").await.unwrap().len(), 1);
    assert_eq!(store.pairings("").await, Ok(vec![]));
    assert_eq!(store.shared_pools().await, Ok(vec![]));

    let pair = || {
        let players = [ada.id, bob.id];
        store.commit(players.map(|player| Change::DeletePairing { player }).to_vec())
    };
    assert_eq!(pair().await, Ok(()));
    assert_eq!(pair().await, Err(NotFound(Thing::Pairing)));
    assert_eq!(store.find_pairing(ada.id).await, Ok(None));
    assert_eq!(store.pairings("chess").await, Ok(vec![]));
}

pub async fn wishes_that_nobody_repeats_are_purged(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    for (player, asked_ms) in [(ada.id, NOW_MS), (bob.id, NOW_MS + 9)] {
        let wish = Pairing { asked_ms, ..wish(player, "chess", NOW_MS) };
        assert_eq!(store.commit(vec![Change::PutPairing(wish)]).await, Ok(()));
    }
    assert_eq!(store.purge_pairings(NOW_MS, 9).await, Ok(0));
    assert_eq!(store.purge_pairings(NOW_MS + 1, 9).await, Ok(1));
    assert_eq!(store.find_pairing(ada.id).await, Ok(None));
    assert!(store.find_pairing(bob.id).await.unwrap().is_some());
    assert_eq!(store.purge_pairings(NOW_MS + 10, 0).await, Ok(0));
    assert_eq!(store.purge_pairings(NOW_MS + 10, 1).await, Ok(1));
}
