//! Names: which may be taken, and what a rename leaves behind.

use domain::PlayerId;
use futures_util::future::join_all;

use super::sample::{NOW_MS, ada_and_bob, add, player};
use crate::StorageError::{Conflict, NotFound};
use crate::{Change, Store, Thing};

const WEEK_MS: u64 = 7;
const RESERVED_MS: u64 = 90;

fn claim(player: PlayerId, name: &str, now_ms: u64) -> Change {
    Change::ClaimName { player, name: name.to_owned(), now_ms }
}

fn rename(player: PlayerId, name: &str, now_ms: u64) -> Change {
    Change::Rename {
        player,
        name: name.to_owned(),
        now_ms,
        last_until_ms: now_ms - WEEK_MS,
        reserved_until_ms: now_ms + RESERVED_MS,
    }
}

pub async fn a_name_that_looks_like_anothers_cannot_be_claimed(store: &dyn Store) {
    let alice = add(store, player(1, "Alice_Moor")).await;
    let other = player(2, "").player.id;
    let check = async |player, name: &str, expected| {
        assert_eq!(store.commit(vec![claim(player, name, NOW_MS)]).await, expected, "{name}");
    };
    for name in ["Alice_Moor", "aIice_moor", "AL1CE-M00R", "aiice-rnoor", "a1ice_mo0r"] {
        check(other, name, Err(Conflict(Thing::Name))).await;
        check(alice.id, name, Ok(())).await;
    }
    for name in ["Alice", "Alice_Moors", "AliceMoor", "vvilliams"] {
        check(other, name, Ok(())).await;
    }
    add(store, player(3, "Williams")).await;
    check(other, "vvilliarns", Err(Conflict(Thing::Name))).await;
    // Accounts that look alike can be there from before; nothing else is refused to them.
    let twin = add(store, player(4, "AIice_Moor")).await;
    let avatar = Some("fox".to_owned());
    let update = Change::UpdateProfile { player: twin.id, name: None, avatar };
    assert_eq!(store.commit(vec![update]).await, Ok(()));
    check(twin.id, "AIice_Moor", Err(Conflict(Thing::Name))).await;
}

pub async fn of_many_who_claim_names_that_look_alike_one_gets_one(store: &dyn Store) {
    let names = ["alice", "aIice", "al1ce", "a1ice", "ALICE"];
    let attempts = (0..200).map(|number| {
        let new = player(number, names[usize::try_from(number).unwrap() % names.len()]);
        let claim = claim(new.player.id, &new.player.name, NOW_MS);
        store.commit(vec![claim, Change::CreatePlayer(new)])
    });
    let answers = join_all(attempts).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert!(answers.iter().all(|it| it.is_ok() || *it == Err(Conflict(Thing::Name))));
}

pub async fn a_rename_reserves_the_old_name_and_waits_for_the_next(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let check = async |player, name: &str, after_ms, expected| {
        let renamed = store.commit(vec![rename(player, name, NOW_MS + after_ms)]).await;
        assert_eq!(renamed, expected, "{name} {after_ms}");
    };
    let name = async |player| store.find_player(player).await.unwrap().unwrap().name;
    assert_eq!(store.last_rename(ada.id).await, Ok(None));
    check(ada.id, "Ada", 0, Ok(())).await;
    assert_eq!(store.last_rename(ada.id).await, Ok(None), "the same name is no change");
    check(ada.id, "B0B", 0, Err(Conflict(Thing::Name))).await;
    check(ada.id, "Countess", 0, Ok(())).await;
    assert_eq!(name(ada.id).await, "Countess");
    assert_eq!(store.last_rename(ada.id).await, Ok(Some(NOW_MS)));
    assert_eq!(store.find_player_by_name("ada").await, Ok(None));
    assert_eq!(store.find_player_by_name("COUNTESS").await.unwrap().unwrap().id, ada.id);

    check(ada.id, "Lovelace", WEEK_MS - 1, Err(Conflict(Thing::Rename))).await;
    check(bob.id, "ada", 1, Err(Conflict(Thing::Name))).await;
    let claimed = store.commit(vec![claim(bob.id, "aDA", NOW_MS + RESERVED_MS)]).await;
    assert_eq!(claimed, Err(Conflict(Thing::Name)));
    assert_eq!(store.commit(vec![claim(bob.id, "Ada", NOW_MS + RESERVED_MS + 1)]).await, Ok(()));

    check(ada.id, "Ada", WEEK_MS, Ok(())).await;
    check(bob.id, "Count3ss", 8, Ok(())).await;
    check(bob.id, "Countess", 20, Err(Conflict(Thing::Name))).await;
    let delete = Change::DeletePlayer { player: ada.id, now_ms: NOW_MS };
    assert_eq!(store.commit(vec![delete]).await, Ok(()));
    check(bob.id, "Countess", 20, Ok(())).await;
    check(ada.id, "Eve", 30, Err(NotFound(Thing::Player))).await;
    assert_eq!(name(bob.id).await, "Countess");
}
