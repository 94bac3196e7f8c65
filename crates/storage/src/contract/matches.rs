//! Matches, their logs, leases, results and ratings.

use domain::MatchId;
use futures_util::future::{join, join_all};
use game_api::{Agreement, Entry, EntryKind, Forfeit, Seat};

use super::sample::{NOW_MS, ada_and_bob, add, append, entry, new_match, player, result, start};
use crate::StorageError::{Conflict, NotFound};
use crate::{
    Access, Change, GameStatistics, MatchResult, MatchStatus, PublicMatch, Rating, Score,
    SeatHolder, SeatSummary, Shown, Store, Thing, WatchKey,
};

/// Entries have no `Debug`, since they hold secrets.
fn texts(entries: &[Entry]) -> Vec<String> {
    let text = |it: &Entry| {
        format!("{} {:?} {} {} {} {}", it.ply, it.seat, it.at_ms, it.nonce, it.epoch, it.kind)
    };
    entries.iter().map(text).collect()
}

pub async fn a_match_is_kept_as_it_was_made(store: &dyn Store) {
    let [ada, _] = ada_and_bob(store).await;
    let mut new = new_match(1, &[ada.id]);
    new.seats.push(SeatHolder::Bot("level 3".to_owned()));
    new.from_position = Some("8/8/8 w".to_owned());
    new.is_public = true;
    let again = new.clone();
    assert_eq!(store.commit(vec![Change::CreateMatch(new.clone())]).await, Ok(()));
    let row = store.find_match(new.id).await.unwrap().unwrap();
    assert_eq!((row.id, row.game, row.rules_version), (new.id, new.game, new.rules_version));
    assert_eq!((row.options, row.from_position), (new.options, new.from_position));
    assert_eq!((row.seed, row.commitment), (new.seed, new.commitment));
    assert_eq!((row.settings, row.seats), (new.settings, new.seats));
    assert_eq!((row.created_ms, row.owner), (new.created_ms, new.owner));
    assert_eq!(row.is_public, new.is_public);
    assert_eq!((row.epoch, row.lease_until_ms), (0, new.lease_until_ms));
    assert_eq!(row.status, MatchStatus::Running);
    let conflict = Err(Conflict(Thing::Match));
    assert_eq!(store.commit(vec![Change::CreateMatch(again)]).await, conflict);
    assert_eq!(store.find_match(MatchId::new(0, 0)).await, Ok(None));
    assert_eq!(store.running_matches(ada.id).await, Ok(vec![row.id]));
}

pub async fn a_match_needs_its_players(store: &dyn Store) {
    let [ada, _] = ada_and_bob(store).await;
    let absent = player(9, "Eve").player.id;
    let unit = vec![Change::CreateMatch(new_match(1, &[ada.id, absent]))];
    assert_eq!(store.commit(unit).await, Err(NotFound(Thing::Player)));
    assert_eq!(store.find_match(new_match(1, &[]).id).await, Ok(None));
}

pub async fn entries_come_back_in_order_from_any_ply(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let first = start(store, 1, &[ada.id, bob.id]).await;
    let second = start(store, 2, &[ada.id, bob.id]).await;
    let unit: Vec<Change> = (0..3).map(|ply| append(first, ply, u64::from(ply))).collect();
    assert_eq!(store.commit(unit).await, Ok(()));
    assert_eq!(store.commit(vec![append(second, 0, 5)]).await, Ok(()));
    assert_eq!(store.commit(vec![append(first, 3, u64::MAX)]).await, Ok(()));
    let expected = [entry(0, 0), entry(1, 1), entry(2, 2), entry(3, u64::MAX)];
    for from in 0..5 {
        let found = store.entries(first, from).await.unwrap();
        assert_eq!(texts(&found), texts(&expected[from.min(4) as usize..]), "from {from}");
    }
    assert_eq!(texts(&store.entries(second, 0).await.unwrap()), texts(&[entry(0, 5)]));
    assert!(store.entries(MatchId::new(0, 0), 0).await.unwrap().is_empty());
}

pub async fn every_kind_of_entry_survives(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let id = start(store, 1, &[ada.id, bob.id]).await;
    let kinds = [
        (Seat::new(1), EntryKind::Act("play:10H:S".to_owned())),
        (Seat::new(0), EntryKind::Act("é€ ".to_owned())),
        (Seat::new(7), EntryKind::Forfeit(Forfeit::Resigned)),
        (Seat::new(0), EntryKind::Forfeit(Forfeit::Time)),
        (Seat::new(1), EntryKind::Forfeit(Forfeit::Abandoned)),
        (None, EntryKind::Agree(Agreement::Draw)),
        (None, EntryKind::Takeback(2)),
        (None, EntryKind::Abort),
    ];
    let mut expected = Vec::new();
    for (ply, (seat, kind)) in (0..).zip(kinds) {
        let entry = Entry { seat, kind, ..entry(ply, 0) };
        expected.push(entry.clone());
        assert_eq!(store.commit(vec![Change::Append { match_id: id, entry }]).await, Ok(()));
    }
    assert_eq!(texts(&store.entries(id, 0).await.unwrap()), texts(&expected));
}

pub async fn a_repeated_append_is_answered_and_not_done_again(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let id = start(store, 1, &[ada.id, bob.id]).await;
    for _ in 0..3 {
        assert_eq!(store.commit(vec![append(id, 0, 7)]).await, Ok(()));
    }
    assert_eq!(store.commit(vec![append(id, 1, 8), append(id, 2, 9)]).await, Ok(()));
    assert_eq!(store.commit(vec![append(id, 1, 8), append(id, 2, 9)]).await, Ok(()));
    // Also by an owner that has lost the match meanwhile: what is stored is stored.
    let take =
        Change::TakeLease { match_id: id, owner: "there".to_owned(), epoch: 0, until_ms: NOW_MS };
    assert_eq!(store.commit(vec![take]).await, Ok(()));
    assert_eq!(store.commit(vec![append(id, 2, 9)]).await, Ok(()));
    assert_eq!(store.entries(id, 0).await.unwrap().len(), 3);
}

pub async fn a_repeated_end_is_answered_and_not_booked_again(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let id = start(store, 1, &[ada.id, bob.id]).await;
    let unit = || {
        let (player, game) = (ada.id, "chess".to_owned());
        vec![
            append(id, 0, 7),
            Change::EndMatch(result(id, NOW_MS)),
            Change::CountResult { player, game, score: Score::Won, is_public: true },
        ]
    };
    assert_eq!(store.commit(unit()).await, Ok(()));
    assert_eq!(store.commit(unit()).await, Ok(()));
    let profile = store.find_profile(ada.id).await.unwrap().unwrap();
    assert_eq!(profile.statistics[0].won, 1);
    let end = vec![Change::EndMatch(result(id, NOW_MS))];
    assert_eq!(store.commit(end).await, Err(Conflict(Thing::Match)));
}

pub async fn an_entry_in_anothers_place_is_a_conflict(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let id = start(store, 1, &[ada.id, bob.id]).await;
    assert_eq!(store.commit(vec![append(id, 0, 7)]).await, Ok(()));
    assert_eq!(store.commit(vec![append(id, 0, 8)]).await, Err(Conflict(Thing::Entry)));
    let unit = vec![append(id, 1, 9), append(id, 0, 8)];
    assert_eq!(store.commit(unit).await, Err(Conflict(Thing::Entry)));
    let unit = vec![append(id, 0, 8), append(id, 1, 9)];
    assert_eq!(store.commit(unit).await, Err(Conflict(Thing::Entry)));
    assert_eq!(store.commit(vec![append(id, 2, 9)]).await, Err(Conflict(Thing::Entry)), "a gap");
    assert_eq!(texts(&store.entries(id, 0).await.unwrap()), texts(&[entry(0, 7)]));
}

pub async fn an_entry_of_an_old_epoch_is_a_conflict(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let id = start(store, 1, &[ada.id, bob.id]).await;
    let take =
        Change::TakeLease { match_id: id, owner: "there".to_owned(), epoch: 0, until_ms: NOW_MS };
    assert_eq!(store.commit(vec![take]).await, Ok(()));
    assert_eq!(store.commit(vec![append(id, 0, 7)]).await, Err(Conflict(Thing::Match)));
    let unit = vec![append(id, 0, 7), append(id, 1, 8)];
    assert_eq!(store.commit(unit).await, Err(Conflict(Thing::Match)));
    assert!(store.entries(id, 0).await.unwrap().is_empty());
    let of_new_owner = Change::Append { match_id: id, entry: Entry { epoch: 1, ..entry(0, 7) } };
    assert_eq!(store.commit(vec![of_new_owner]).await, Ok(()));
    // The same nonce in another epoch is another entry.
    assert_eq!(store.commit(vec![append(id, 0, 7)]).await, Err(Conflict(Thing::Entry)));
}

pub async fn an_append_to_an_absent_or_finished_match_is_refused(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let absent = MatchId::new(NOW_MS, 99);
    assert_eq!(store.commit(vec![append(absent, 0, 7)]).await, Err(NotFound(Thing::Match)));
    let end = vec![Change::EndMatch(result(absent, NOW_MS))];
    assert_eq!(store.commit(end).await, Err(NotFound(Thing::Match)));
    let id = start(store, 1, &[ada.id, bob.id]).await;
    assert_eq!(store.commit(vec![Change::EndMatch(result(id, NOW_MS))]).await, Ok(()));
    assert_eq!(store.commit(vec![append(id, 0, 7)]).await, Err(Conflict(Thing::Match)));
    assert!(store.entries(id, 0).await.unwrap().is_empty());
}

pub async fn one_units_conflict_does_not_touch_the_others(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let mut ids = Vec::new();
    for number in 0..300 {
        ids.push(start(store, number, &[ada.id, bob.id]).await);
    }
    for id in ids.iter().step_by(3) {
        assert_eq!(store.commit(vec![append(*id, 0, 1)]).await, Ok(()));
    }
    // All at once, so that they share commits: a third in conflict, a third longer units. Of each
    // six, three come alone and three together.
    let unit = |index: usize| {
        let mut unit = vec![append(ids[index], 0, 2)];
        if index % 3 == 1 {
            unit.push(append(ids[index], 1, 3));
        }
        unit
    };
    let is_alone = |index: &usize| index % 6 < 3;
    let (alone, together): (Vec<usize>, Vec<usize>) = (0..ids.len()).partition(is_alone);
    let each = store.commit_each(together.iter().map(|index| unit(*index)).collect());
    let (one_by_one, each) =
        join(join_all(alone.iter().map(|index| store.commit(unit(*index)))), each).await;
    assert_eq!(each.len(), together.len());
    let answers = alone.into_iter().zip(one_by_one).chain(together.into_iter().zip(each));
    for (index, answer) in answers {
        let (expected, stored) = match index % 3 {
            0 => (Err(Conflict(Thing::Entry)), vec![entry(0, 1)]),
            1 => (Ok(()), vec![entry(0, 2), entry(1, 3)]),
            _ => (Ok(()), vec![entry(0, 2)]),
        };
        assert_eq!(answer, expected, "{index}");
        assert_eq!(texts(&store.entries(ids[index], 0).await.unwrap()), texts(&stored));
    }
}

pub async fn a_lease_is_taken_only_from_the_epoch_that_was_seen(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let id = start(store, 1, &[ada.id, bob.id]).await;
    let take = |match_id, epoch| {
        let (owner, until_ms) = (format!("server {epoch}"), NOW_MS + 60);
        store.commit(vec![Change::TakeLease { match_id, owner, epoch, until_ms }])
    };
    let renew = |epoch| {
        let until_ms = NOW_MS + 90;
        store.commit(vec![Change::RenewLease { match_id: id, epoch, until_ms }])
    };
    assert_eq!(take(id, 1).await, Err(Conflict(Thing::Match)));
    let answers = join_all((0..50).map(|_| take(id, 0))).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    let row = store.find_match(id).await.unwrap().unwrap();
    assert_eq!((row.owner.as_deref(), row.epoch), (Some("server 0"), 1));
    assert_eq!(row.lease_until_ms, NOW_MS + 60);
    assert_eq!(renew(0).await, Err(Conflict(Thing::Match)));
    assert_eq!(renew(1).await, Ok(()));
    assert_eq!(store.find_match(id).await.unwrap().unwrap().lease_until_ms, NOW_MS + 90);
    assert_eq!(take(MatchId::new(0, 0), 0).await, Err(NotFound(Thing::Match)));
    assert_eq!(store.commit(vec![Change::EndMatch(result(id, NOW_MS))]).await, Ok(()));
    assert_eq!(take(id, 1).await, Err(Conflict(Thing::Match)));
    assert_eq!(renew(1).await, Err(Conflict(Thing::Match)));
}

pub async fn running_matches_come_in_the_order_in_which_they_began(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let mut ids = Vec::new();
    for number in 0..4 {
        let mut new = new_match(number, &[ada.id, bob.id]);
        new.id = MatchId::random(u64::MAX - (number << 60));
        ids.push(new.id);
        assert_eq!(store.commit(vec![Change::CreateMatch(new)]).await, Ok(()));
    }
    assert!(ids[0] > ids[3], "the order of ids is another one");
    assert_eq!(store.running_matches(ada.id).await, Ok(ids.clone()));
    assert_eq!(store.commit(vec![Change::EndMatch(result(ids[1], NOW_MS))]).await, Ok(()));
    assert_eq!(store.running_matches(bob.id).await, Ok(vec![ids[0], ids[2], ids[3]]));
}

pub async fn matches_without_a_lease_are_found(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let first = start(store, 1, &[ada.id, bob.id]).await;
    let second = start(store, 2, &[ada.id, bob.id]).await;
    let over = start(store, 3, &[ada.id, bob.id]).await;
    assert_eq!(store.commit(vec![Change::EndMatch(result(over, NOW_MS))]).await, Ok(()));
    assert_eq!(store.unleased_matches(NOW_MS + 5000, None, 10).await, Ok(vec![]));
    let unleased = |after, limit| store.unleased_matches(NOW_MS + 5001, after, limit);
    assert_eq!(unleased(None, 10).await, Ok(vec![first, second]));
    assert_eq!(unleased(None, 1).await, Ok(vec![first]));
    assert_eq!(unleased(Some(first), 10).await, Ok(vec![second]));
    assert_eq!(unleased(Some(second), 10).await, Ok(vec![]));
}

pub async fn public_matches_are_listed_while_they_run_the_latest_first(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let begin = async |number: u64, game: &str, is_public: bool| {
        let mut new = new_match(number, &[ada.id, bob.id]);
        new.seats.push(SeatHolder::Bot("3".to_owned()));
        (new.game, new.is_public) = (game.to_owned(), is_public);
        let id = new.id;
        assert_eq!(store.commit(vec![Change::CreateMatch(new)]).await, Ok(()));
        id
    };
    let list = async |game: Option<&str>, limit| {
        let listed = store.public_matches(game, limit).await.unwrap();
        listed.iter().map(|it| it.id).collect::<Vec<MatchId>>()
    };
    let first = begin(1, "chess", true).await;
    let private = begin(2, "chess", false).await;
    let over = begin(3, "chess", true).await;
    let other = begin(4, "santorini", true).await;
    let newest = begin(5, "chess", true).await;
    assert_eq!(list(None, 9).await, [newest, other, over, first]);
    assert_eq!(store.commit(vec![Change::EndMatch(result(over, NOW_MS))]).await, Ok(()));
    assert_eq!(list(None, 9).await, [newest, other, first]);
    assert_eq!(list(None, 2).await, [newest, other]);
    assert_eq!(list(None, 0).await, []);
    assert_eq!(list(Some("chess"), 9).await, [newest, first]);
    assert_eq!(list(Some("chess"), 1).await, [newest]);
    assert_eq!(list(Some("santorini"), 9).await, [other]);
    for nothing in ["", "Chess", "chess\0"] {
        assert_eq!(list(Some(nothing), 9).await, [], "{nothing:?}");
    }
    let is_public = async |id| store.find_match(id).await.unwrap().unwrap().is_public;
    assert!(is_public(over).await, "a rematch is as public as the match that it follows");
    assert!(!is_public(private).await);

    let delete = Change::DeletePlayer { player: bob.id, now_ms: NOW_MS };
    assert_eq!(store.commit(vec![delete]).await, Ok(()));
    let listed = store.public_matches(None, 1).await.unwrap().remove(0);
    let seat = |holder, name: Option<&str>| {
        let name = name.map(str::to_owned);
        SeatSummary { holder, name, place: None }
    };
    let seats = vec![
        seat(SeatHolder::Player(ada.id), Some("Ada")),
        seat(SeatHolder::Gone, None),
        seat(SeatHolder::Bot("3".to_owned()), None),
    ];
    let made = new_match(5, &[]);
    let (game, settings, created_ms) = (made.game, made.settings, made.created_ms);
    assert_eq!(listed, PublicMatch { id: newest, game, settings, created_ms, seats });
}

pub async fn an_ended_match_has_its_result_and_its_books(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let id = start(store, 1, &[ada.id, bob.id]).await;
    assert_eq!(store.find_result(id).await, Ok(None));
    let count = |player, game: &str, score| {
        let game = game.to_owned();
        Change::CountResult { player, game, score, is_public: score == Score::Won }
    };
    let unit = vec![
        append(id, 0, 1),
        Change::EndMatch(result(id, NOW_MS + 50)),
        count(ada.id, "chess", Score::Won),
        count(bob.id, "chess", Score::Lost),
        count(ada.id, "chess", Score::Drawn),
        count(ada.id, "crazy-tens", Score::Lost),
        count(ada.id, "chess", Score::Won),
    ];
    assert_eq!(store.commit(unit).await, Ok(()));
    assert_eq!(store.find_result(id).await, Ok(Some(result(id, NOW_MS + 50))));
    assert_eq!(store.find_match(id).await.unwrap().unwrap().status, MatchStatus::Over);
    assert_eq!(store.running_matches(ada.id).await, Ok(vec![]));
    let row = |game: &str, won, drawn, lost| {
        let game = game.to_owned();
        GameStatistics { game, won, drawn, lost, public_won: won, ..GameStatistics::default() }
    };
    let profile = store.find_profile(ada.id).await.unwrap().unwrap();
    assert_eq!(profile.statistics, [row("chess", 2, 1, 0), row("crazy-tens", 0, 0, 1)]);
    let profile = store.find_profile(bob.id).await.unwrap().unwrap();
    assert_eq!(profile.statistics, [row("chess", 0, 0, 1)]);
}

pub async fn history_comes_by_page_the_latest_first(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let cyd = add(store, player(3, "Cyd")).await;
    let mut ids = Vec::new();
    for number in 0..5 {
        let id = start(store, number, &[ada.id, bob.id]).await;
        // The later it began, the earlier it ended.
        let ended = result(id, NOW_MS + 100 - number);
        assert_eq!(store.commit(vec![Change::EndMatch(ended)]).await, Ok(()));
        ids.push(id);
    }
    let mut hot_seat = new_match(8, &[ada.id, ada.id]);
    hot_seat.seats.push(SeatHolder::Bot("level 1".to_owned()));
    let aborted = MatchResult {
        places: vec![],
        reason: "aborted".to_owned(),
        ..result(hot_seat.id, NOW_MS + 200)
    };
    let unit = vec![Change::CreateMatch(hot_seat.clone()), Change::EndMatch(aborted)];
    assert_eq!(store.commit(unit).await, Ok(()));
    start(store, 9, &[ada.id, bob.id]).await;

    let page = async |player, limit, offset| {
        let history = store.match_history(player, Shown::All, limit, offset).await.unwrap();
        history.iter().map(|summary| summary.id).collect::<Vec<MatchId>>()
    };
    assert_eq!(page(bob.id, 10, 0).await, ids);
    assert_eq!(page(bob.id, 2, 1).await, ids[1..3]);
    assert_eq!(page(bob.id, 2, 5).await, []);
    assert_eq!(page(bob.id, 0, 0).await, []);
    assert_eq!(page(cyd.id, 10, 0).await, []);
    let history = store.match_history(ada.id, Shown::All, 2, 0).await.unwrap();
    assert_eq!(history[0].id, hot_seat.id, "once, though two seats are hers");
    let seats: Vec<_> = history[0].seats.iter().map(|it| (it.name.as_deref(), it.place)).collect();
    assert_eq!(seats, [(Some("Ada"), None), (Some("Ada"), None), (None, None)]);
    assert_eq!(history[0].seats[2].holder, SeatHolder::Bot("level 1".to_owned()));
    assert_eq!((history[1].reason.as_str(), history[1].ended_ms), ("checkmate", NOW_MS + 100));
    assert_eq!((history[1].game.as_str(), history[1].created_ms), ("chess", NOW_MS));
    let seats: Vec<_> = history[1].seats.iter().map(|it| (it.name.as_deref(), it.place)).collect();
    assert_eq!(seats, [(Some("Ada"), Some(1)), (Some("Bob"), Some(2))]);
}

pub async fn others_see_the_public_part_of_a_history_by_whole_pages(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let mut ids = Vec::new();
    for number in 0..9 {
        let mut new = new_match(number, &[ada.id, bob.id]);
        new.is_public = number % 3 == 0;
        ids.insert(0, new.id);
        let end = Change::EndMatch(result(new.id, NOW_MS + 100 + number));
        assert_eq!(store.commit(vec![Change::CreateMatch(new), end]).await, Ok(()));
    }
    let page = async |shown, limit, offset| {
        let history = store.match_history(ada.id, shown, limit, offset).await.unwrap();
        history.iter().map(|summary| summary.id).collect::<Vec<MatchId>>()
    };
    assert_eq!(page(Shown::All, 9, 0).await, ids);
    assert_eq!(page(Shown::Public, 9, 0).await, [ids[2], ids[5], ids[8]]);
    assert_eq!(page(Shown::Public, 2, 0).await, [ids[2], ids[5]]);
    assert_eq!(page(Shown::Public, 2, 1).await, [ids[5], ids[8]]);
    assert_eq!(page(Shown::Public, 2, 3).await, []);
}

pub async fn a_match_is_seen_by_its_people_and_by_its_link_unless_it_is_public(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let [cyd, dan] = [add(store, player(3, "Cyd")).await, add(store, player(4, "Dan")).await];
    let mut private = new_match(1, &[ada.id, bob.id]);
    private.founder = Some(cyd.id);
    let mut public = new_match(2, &[ada.id]);
    public.is_public = true;
    let [id, open, absent] = [private.id, public.id, new_match(3, &[]).id];
    let unit = vec![Change::CreateMatch(private), Change::CreateMatch(public)];
    assert_eq!(store.commit(unit).await, Ok(()));
    let access = |id, player, key: Option<WatchKey>| store.find_access(id, player, key);
    let [right, wrong] = [Some(WatchKey([7; 32])), Some(WatchKey([8; 32]))];
    let set = |match_id, key| store.commit(vec![Change::SetWatchKey { match_id, key }]);
    for _ in 0..2 {
        for player in [ada.id, bob.id, cyd.id] {
            assert_eq!(access(id, Some(player), None).await, Ok(Some(Access::Own)));
            assert_eq!(access(id, Some(player), wrong).await, Ok(Some(Access::Own)));
        }
        for player in [Some(dan.id), None] {
            assert_eq!(access(id, player, None).await, Ok(None));
            assert_eq!(access(id, player, right).await, Ok(None), "there is no link yet");
            assert_eq!(access(open, player, wrong).await, Ok(Some(Access::Public)));
            assert_eq!(access(absent, player, right).await, Ok(None));
        }
        assert_eq!(access(open, Some(ada.id), None).await, Ok(Some(Access::Own)));

        assert_eq!(set(id, right).await, Ok(()));
        assert_eq!(access(id, Some(dan.id), right).await, Ok(Some(Access::Link)));
        assert_eq!(access(id, None, right).await, Ok(Some(Access::Link)));
        assert_eq!(access(id, Some(bob.id), right).await, Ok(Some(Access::Own)));
        assert_eq!(access(id, None, wrong).await, Ok(None));
        assert_eq!(access(open, None, right).await, Ok(Some(Access::Public)));
        assert_eq!(set(id, wrong).await, Ok(()), "a new link replaces the old one");
        assert_eq!(access(id, None, right).await, Ok(None));
        assert_eq!(access(id, None, wrong).await, Ok(Some(Access::Link)));
        assert_eq!(set(id, None).await, Ok(()));
        assert_eq!(access(id, None, wrong).await, Ok(None));
        // All of it is so after the end too.
        let _ = store.commit(vec![Change::EndMatch(result(id, NOW_MS))]).await;
    }
    assert_eq!(set(absent, right).await, Err(NotFound(Thing::Match)));
    for player in [bob.id, cyd.id] {
        let delete = Change::DeletePlayer { player, now_ms: NOW_MS };
        assert_eq!(store.commit(vec![delete]).await, Ok(()));
        assert_eq!(access(id, Some(player), None).await, Ok(None));
    }
    assert_eq!(access(id, Some(ada.id), None).await, Ok(Some(Access::Own)));
    let mut orphan = new_match(5, &[ada.id]);
    orphan.founder = Some(cyd.id);
    let unit = vec![Change::CreateMatch(orphan)];
    assert_eq!(store.commit(unit).await, Err(NotFound(Thing::Player)));
}

fn rating(player: domain::PlayerId, version: u32) -> Rating {
    Rating {
        player,
        game: "chess".to_owned(),
        speed: "blitz".to_owned(),
        rating: 1500.25 + f64::from(version),
        deviation: 201.5,
        volatility: 0.059_995,
        version,
    }
}

pub async fn results_of_who_is_gone_are_not_kept_and_no_error(store: &dyn Store) {
    let [ada, bob] = ada_and_bob(store).await;
    let id = start(store, 1, &[ada.id, bob.id]).await;
    let delete = Change::DeletePlayer { player: ada.id, now_ms: NOW_MS };
    assert_eq!(store.commit(vec![delete]).await, Ok(()));
    let count = |player, score| {
        let game = "chess".to_owned();
        Change::CountResult { player, game, score, is_public: false }
    };
    let unit = vec![
        Change::EndMatch(result(id, NOW_MS)),
        count(ada.id, Score::Lost),
        count(bob.id, Score::Won),
        Change::SetRating(rating(ada.id, 1)),
    ];
    assert_eq!(store.commit(unit).await, Ok(()));
    assert_eq!(store.find_profile(ada.id).await, Ok(None));
    assert_eq!(store.find_profile(bob.id).await.unwrap().unwrap().statistics[0].won, 1);
}

pub async fn a_rating_is_stored_only_over_the_version_that_was_read(store: &dyn Store) {
    let [ada, _] = ada_and_bob(store).await;
    let set = |rating| store.commit(vec![Change::SetRating(rating)]);
    assert_eq!(set(rating(ada.id, 2)).await, Err(Conflict(Thing::Rating)));
    assert_eq!(set(rating(ada.id, 1)).await, Ok(()));
    assert_eq!(set(rating(ada.id, 1)).await, Err(Conflict(Thing::Rating)));
    let answers = join_all((0..50).map(|_| set(rating(ada.id, 2)))).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert_eq!(set(Rating { speed: "rapid".to_owned(), ..rating(ada.id, 1) }).await, Ok(()));
    let ratings = store.find_profile(ada.id).await.unwrap().unwrap().ratings;
    let rapid = Rating { speed: "rapid".to_owned(), ..rating(ada.id, 1) };
    assert_eq!(ratings, [rating(ada.id, 2), rapid]);
}
