//! People: names, credentials, guests, deletion, and units of changes.

use audit::Context;
use domain::{PlayerId, Role};
use futures_util::future::join_all;

use super::sample::{
    NOW_MS, ada_and_bob, add, entry, guest, lobby, player, record, result, session, start, wish,
};
use crate::StorageError::{Conflict, NotFound};
use crate::{Change, Counted, Lobby, Player, Rating, Score, SeatHolder, Shown, Store, Thing};

pub async fn a_created_player_is_found_by_id_and_by_name_without_case(store: &dyn Store) {
    let ada = add(store, player(1, "Ada")).await;
    assert_eq!(ada, player(1, "Ada").player);
    assert_eq!(store.find_player(ada.id).await, Ok(Some(ada.clone())));
    for name in ["Ada", "ada", "ADA"] {
        assert_eq!(store.find_player_by_name(name).await, Ok(Some(ada.clone())), "{name}");
    }
    assert_eq!(store.find_player_by_name("Ad").await, Ok(None));
    assert_eq!(store.find_player_by_name("").await, Ok(None));
    assert_eq!(store.find_player(PlayerId::new(0, 0)).await, Ok(None));
    let profile = store.find_profile(ada.id).await.unwrap().unwrap();
    assert_eq!((profile.player, profile.statistics, profile.ratings), (ada, vec![], vec![]));
    assert_eq!(store.find_profile(PlayerId::new(0, 0)).await, Ok(None));
}

pub async fn a_name_is_taken_whatever_its_case(store: &dyn Store) {
    add(store, player(1, "Ada")).await;
    let second = store.create_player(player(2, "aDA")).await;
    assert_eq!(second, Err(Conflict(Thing::Name)));
    assert_eq!(store.find_player(player(2, "").player.id).await, Ok(None));
}

pub async fn a_player_id_and_a_device_are_taken_once(store: &dyn Store) {
    add(store, guest(1)).await;
    assert_eq!(store.create_player(player(1, "Bob")).await, Err(Conflict(Thing::Player)));
    let mut same_device = guest(2);
    same_device.device = guest(1).device;
    assert_eq!(store.create_player(same_device).await, Err(Conflict(Thing::Device)));
}

pub async fn of_many_who_want_one_name_exactly_one_gets_it(store: &dyn Store) {
    let attempts = (0..1000).map(|number| {
        let name = if number % 2 == 0 { "Ada" } else { "ADA" };
        store.create_player(player(number, name))
    });
    let answers = join_all(attempts).await;
    let won: Vec<&Player> = answers.iter().flatten().collect();
    assert_eq!(won.len(), 1);
    assert!(answers.iter().all(|it| it.is_ok() || *it == Err(Conflict(Thing::Name))));
    assert_eq!(store.find_player_by_name("ada").await.unwrap().as_ref(), won.first().copied());
}

pub async fn a_profile_is_updated_and_a_taken_name_is_not(store: &dyn Store) {
    let [ada, _] = ada_and_bob(store).await;
    let update = |name: Option<&str>, avatar: Option<&str>| {
        let (name, avatar) = (name.map(str::to_owned), avatar.map(str::to_owned));
        store.commit(vec![Change::UpdateProfile { player: ada.id, name, avatar }])
    };
    assert_eq!(update(None, Some("fox")).await, Ok(()));
    assert_eq!(update(Some("Lovelace"), None).await, Ok(()));
    assert_eq!(update(Some("LoveLace"), None).await, Ok(()), "its own name in another case");
    assert_eq!(update(Some("BOB"), Some("cat")).await, Err(Conflict(Thing::Name)));
    assert_eq!(update(None, None).await, Ok(()));
    let found = store.find_player(ada.id).await.unwrap().unwrap();
    assert_eq!((found.name.as_str(), found.avatar.as_str()), ("LoveLace", "fox"));
    assert_eq!(store.find_player_by_name("ada").await, Ok(None));
    assert_eq!(store.find_player_by_name("lovelace").await, Ok(Some(found)));
}

pub async fn a_credential_is_stored_replaced_and_found_by_name(store: &dyn Store) {
    let ada = add(store, player(1, "Ada")).await;
    assert_eq!(store.find_credential("ada").await, Ok(None));
    for hash in ["first", "second"] {
        let password_hash = hash.to_owned();
        let unit = vec![Change::StoreCredential { player: ada.id, password_hash }];
        assert_eq!(store.commit(unit).await, Ok(()));
        let found = store.find_credential("ADA").await.unwrap().unwrap();
        assert_eq!((&found.player, found.password_hash.as_str()), (&ada, hash));
    }
    assert_eq!(store.find_credential("bob").await, Ok(None));
}

pub async fn a_guest_is_found_by_device_until_it_is_forgotten(store: &dyn Store) {
    let device = guest(1).device.unwrap();
    let added = add(store, guest(1)).await;
    add(store, guest(2)).await;
    assert_eq!(store.find_guest(device).await, Ok(Some(added.clone())));
    assert_eq!(store.commit(vec![Change::ForgetDevice { player: added.id }]).await, Ok(()));
    assert_eq!(store.find_guest(device).await, Ok(None));
    assert_eq!(store.find_player(added.id).await, Ok(Some(added)));
}

pub async fn a_role_can_be_changed(store: &dyn Store) {
    let ada = add(store, player(1, "Ada")).await;
    for role in [Role::Admin, Role::Guest, Role::Player] {
        assert_eq!(store.commit(vec![Change::SetRole { player: ada.id, role }]).await, Ok(()));
        assert_eq!(store.find_player(ada.id).await.unwrap().unwrap().role, role);
    }
}

pub async fn a_deleted_player_leaves_nothing_but_anonymous_seats(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let running = start(store, 1, &[ada.id, bob.id]).await;
    let over = start(store, 2, &[bob.id, ada.id]).await;
    let wish = |player| wish(player, "chess", NOW_MS);
    let rating = Rating {
        player: ada.id,
        game: "chess".to_owned(),
        speed: "blitz".to_owned(),
        rating: 1500.0,
        deviation: 350.0,
        volatility: 0.06,
        version: 1,
    };
    let unit = vec![
        Change::StoreCredential { player: ada.id, password_hash: "hash".to_owned() },
        Change::OpenSession(session(1, ada.id)),
        Change::OpenSession(session(2, bob.id)),
        Change::Append { match_id: over, entry: entry(0, 1) },
        Change::EndMatch(result(over, NOW_MS + 9)),
        Change::CountResult {
            player: ada.id,
            game: "chess".to_owned(),
            score: Score::Won,
            is_public: true,
        },
        Change::SetRating(rating),
        Change::PutLobby(lobby(1, ada.id)),
        Change::PutLobby(lobby(2, bob.id)),
        Change::PutPairing(wish(ada.id)),
        Change::PutPairing(wish(bob.id)),
    ];
    assert_eq!(store.commit(unit).await, Ok(()));

    let now_ms = NOW_MS + 10;
    let delete = || store.commit(vec![Change::DeletePlayer { player: ada.id, now_ms }]);
    assert_eq!(delete().await, Ok(()));
    assert_eq!(delete().await, Err(NotFound(Thing::Player)));

    assert_eq!(store.find_player(ada.id).await, Ok(None));
    assert_eq!(store.find_credential("ada").await, Ok(None));
    assert_eq!(store.find_profile(ada.id).await, Ok(None));
    assert_eq!(store.match_history(ada.id, Shown::All, 10, 0).await, Ok(vec![]));
    assert_eq!(store.running_matches(ada.id).await, Ok(vec![]));
    assert!(store.find_session(session(1, ada.id).id).await.unwrap().unwrap().is_revoked);
    assert!(!store.find_session(session(2, bob.id).id).await.unwrap().unwrap().is_revoked);
    assert_eq!(store.public_lobbies(10, 0).await, Ok(vec![lobby(2, bob.id)]));
    assert_eq!(store.pairings("chess").await, Ok(vec![wish(bob.id)]));
    let seats = store.find_match(running).await.unwrap().unwrap().seats;
    assert_eq!(seats, [SeatHolder::Gone, SeatHolder::Player(bob.id)]);
    let history = store.match_history(bob.id, Shown::All, 10, 0).await.unwrap();
    assert_eq!(history.len(), 1);
    assert_eq!(history[0].seats[1].holder, SeatHolder::Gone);
    assert_eq!(history[0].seats[1].name, None);
    assert_eq!(store.entries(over, 0).await.unwrap().len(), 1);
    // The name is free again.
    assert!(store.create_player(player(3, "ADA")).await.is_ok());
}

pub async fn a_player_is_deleted_only_with_the_name_in_lobbies_of_others(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let with_ada = |version, number| {
        let body = format!(r#"{{"members":["{}","{}"]}}"#, bob.id, ada.id);
        Lobby { body, version, ..lobby(number, bob.id) }
    };
    let unit = vec![
        Change::HoldPlayer { player: ada.id },
        Change::PutLobby(with_ada(1, 2)),
        Change::PutLobby(with_ada(1, 1)),
        Change::PutLobby(lobby(3, bob.id)),
        Change::PutLobby(Lobby { body: with_ada(1, 4).body, ..lobby(4, ada.id) }),
    ];
    assert_eq!(store.commit(unit).await, Ok(()));
    let named = vec![with_ada(1, 1), with_ada(1, 2)];
    assert_eq!(store.lobbies_naming(ada.id).await, Ok(named), "not the own one");

    let without = |number| {
        let body = format!(r#"{{"members":["{}"]}}"#, bob.id);
        Lobby { body, version: 2, ..lobby(number, bob.id) }
    };
    let delete = |before: &[Lobby]| {
        let before = before.iter().cloned().map(Change::PutLobby);
        let delete = Change::DeletePlayer { player: ada.id, now_ms: NOW_MS };
        store.commit(before.chain([delete]).collect())
    };
    assert_eq!(delete(&[]).await, Err(Conflict(Thing::Lobby)));
    assert_eq!(delete(&[without(1)]).await, Err(Conflict(Thing::Lobby)));
    assert_eq!(store.find_player(ada.id).await, Ok(Some(ada.clone())));
    assert_eq!(store.find_lobby(lobby(1, bob.id).id).await, Ok(Some(with_ada(1, 1))));
    assert_eq!(delete(&[without(1), without(2)]).await, Ok(()));
    assert_eq!(store.find_player(ada.id).await, Ok(None));
    assert_eq!(store.lobbies_naming(ada.id).await, Ok(vec![]));
    assert_eq!(store.find_lobby(lobby(2, bob.id).id).await, Ok(Some(without(2))));
    assert_eq!(store.lobbies_of(ada.id).await, Ok(vec![]));
    let join = vec![Change::HoldPlayer { player: ada.id }, Change::PutLobby(lobby(5, bob.id))];
    assert_eq!(store.commit(join).await, Err(NotFound(Thing::Player)));
    assert_eq!(store.find_lobby(lobby(5, bob.id).id).await, Ok(None));
}

pub async fn changes_of_an_absent_player_are_refused(store: &dyn Store) {
    let [ada, _] = ada_and_bob(store).await;
    let gone = PlayerId::new(NOW_MS, 99);
    let changes = [
        Change::UpdateProfile { player: gone, name: Some("Cyd".to_owned()), avatar: None },
        Change::UpdateProfile { player: gone, name: None, avatar: None },
        Change::SetRole { player: gone, role: Role::Admin },
        Change::StoreCredential { player: gone, password_hash: "hash".to_owned() },
        Change::ForgetDevice { player: gone },
        Change::HoldPlayer { player: gone },
        Change::DeletePlayer { player: gone, now_ms: NOW_MS },
        Change::PutLobby(lobby(1, gone)),
        Change::PutPairing(wish(gone, "chess", NOW_MS)),
        Change::Limit { player: gone, of: Counted::Lobbies, most: 1 },
        Change::RequireIdleGuest { player: gone, since_ms: NOW_MS },
    ];
    for change in changes {
        assert_eq!(store.commit(vec![change]).await, Err(NotFound(Thing::Player)));
    }
    assert_eq!(store.find_player(ada.id).await, Ok(Some(ada)));
}

pub async fn a_unit_happens_whole_or_not_at_all(store: &dyn Store) {
    add(store, player(1, "Ada")).await;
    let unit = vec![
        Change::Audit(record(1, Context::default())),
        Change::CreatePlayer(player(2, "Bob")),
        Change::OpenSession(session(1, player(2, "Bob").player.id)),
        Change::CreatePlayer(player(3, "ADA")),
    ];
    assert_eq!(store.commit(unit).await, Err(Conflict(Thing::Name)));
    assert_eq!(store.find_player_by_name("bob").await, Ok(None));
    assert_eq!(store.find_session(session(1, player(2, "").player.id).id).await, Ok(None));
    let all = audit::AuditFilter { limit: 10, ..Default::default() };
    assert_eq!(store.query_audit(&all).await, Ok(vec![]));
    assert_eq!(store.commit(vec![]).await, Ok(()));
}

pub async fn a_unit_sees_its_own_earlier_changes(store: &dyn Store) {
    let ada = player(1, "Ada");
    let id = ada.player.id;
    let unit = vec![
        Change::CreatePlayer(ada),
        Change::StoreCredential { player: id, password_hash: "hash".to_owned() },
        Change::OpenSession(session(1, id)),
        Change::UpdateProfile { player: id, name: Some("Eve".to_owned()), avatar: None },
        Change::CreatePlayer(player(2, "Ada")),
    ];
    assert_eq!(store.commit(unit).await, Ok(()));
    assert_eq!(store.find_credential("eve").await.unwrap().unwrap().player.id, id);
}
