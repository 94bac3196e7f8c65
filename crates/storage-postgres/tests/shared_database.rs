//! What a database that others use, damage or stop asks of the store.

#![expect(clippy::unwrap_used, reason = "a test without its database ends here")]

use std::time::Duration;

use audit::AuditFilter;
use domain::{LobbyId, MatchId, PlayerId, Role, SessionId};
use futures_util::future::{join, join_all};
use game_api::{Commitment, Entry, EntryKind, Seat, Seed, StateHash};
use pg_cluster::Cluster;
use storage::StorageError::{self, Conflict, Corrupt, Unavailable};
use storage::{
    Access, Change, DeviceKey, MatchResult, MatchStatus, NewMatch, NewPlayer, Player, Score,
    SeatHolder, Shown, Store, Thing,
};
use storage_postgres::testing::TestDatabase;
use storage_postgres::{Options, PostgresStore};

const NOW_MS: u64 = 1_794_700_000_000;
const END_CONNECTIONS: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()";

fn ada() -> Player {
    Player {
        id: PlayerId::new(NOW_MS, 1),
        name: "Ada".to_owned(),
        role: Role::Player,
        avatar: "owl".to_owned(),
        created_ms: NOW_MS,
    }
}

fn new_match(number: u64) -> NewMatch {
    let seed = Seed::from_number(number);
    NewMatch {
        id: MatchId::new(NOW_MS, number),
        game: "chess".to_owned(),
        rules_version: 1,
        options: "{}".to_owned(),
        from_position: None,
        seed,
        commitment: Commitment::new("chess", 1, "{}", &seed),
        settings: "{}".to_owned(),
        seats: vec![SeatHolder::Player(ada().id), SeatHolder::Bot("level 1".to_owned())],
        is_public: false,
        founder: None,
        created_ms: NOW_MS,
        owner: None,
        lease_until_ms: NOW_MS,
    }
}

fn result(match_id: MatchId) -> MatchResult {
    MatchResult {
        match_id,
        ended_ms: NOW_MS,
        reason: "checkmate".to_owned(),
        places: vec![1, 2],
        final_views: "[]".to_owned(),
        notations: "[]".to_owned(),
        state_hash: StateHash::of(&0),
    }
}

fn append(match_id: MatchId, ply: u32, nonce: u64) -> Change {
    let kind = EntryKind::Act("e2e4".to_owned());
    let seat = Some(Seat::FIRST);
    let entry = Entry { ply, seat, at_ms: NOW_MS, nonce, epoch: 0, kind };
    Change::Append { match_id, entry }
}

/// Ada in a store, and so many matches of hers.
async fn fill(store: &PostgresStore, matches: u64) -> Vec<MatchId> {
    store.create_player(NewPlayer { player: ada(), device: None }).await.unwrap();
    let matches: Vec<NewMatch> = (0..matches).map(new_match).collect();
    let ids = matches.iter().map(|new| new.id).collect();
    store.commit(matches.into_iter().map(Change::CreateMatch).collect()).await.unwrap();
    ids
}

/// A setting for all later connections to the current database.
fn set(setting: &str) -> String {
    let alter = format!("ALTER DATABASE %I SET {setting}");
    format!("DO $$ BEGIN EXECUTE format('{alter}', current_database()); END $$")
}

/// What is read back after this damage: the answers of player, match and log.
async fn read_damaged(damage: &str) -> [Option<StorageError>; 3] {
    let database = TestDatabase::create().await;
    let store = database.connect().await.unwrap();
    let id = fill(&store, 1).await[0];
    let unit = (0..3).map(|ply| append(id, ply, 0)).collect();
    store.commit(unit).await.unwrap();
    database.execute(damage).await.unwrap();
    [
        store.find_player(ada().id).await.err(),
        store.find_match(id).await.err(),
        store.entries(id, 0).await.err(),
    ]
}

#[tokio::test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
async fn a_damaged_row_is_corrupt_and_its_value_is_not_quoted() {
    let cases = [
        ("SELECT 1", [false, false, false]),
        ("UPDATE players SET role = 'king'", [true, false, false]),
        ("UPDATE players SET created_ms = -77", [true, false, false]),
        ("UPDATE matches SET seed = 'king'", [false, true, false]),
        ("UPDATE matches SET epoch = -77", [false, true, false]),
        ("UPDATE matches SET status = 77", [false, true, false]),
        ("DELETE FROM match_seats WHERE seat = 1", [false, true, false]),
        ("UPDATE entries SET ply = -77 WHERE ply = 0", [false, false, true]),
        ("DELETE FROM entries WHERE ply = 1", [false, false, true]),
        ("UPDATE entries SET kind = 'king' WHERE ply = 2", [false, false, true]),
        ("UPDATE entries SET seat = 77 WHERE ply = 2", [false, false, true]),
        ("ALTER TABLE entries ALTER kind TYPE BYTEA USING 'king'", [false, false, true]),
    ];
    for (damage, expected) in cases {
        let errors = read_damaged(damage).await;
        let is_corrupt = errors.clone().map(|error| matches!(error, Some(Corrupt(_))));
        assert_eq!(is_corrupt, expected, "{damage}: {errors:?}");
        let texts = format!("{errors:?}");
        assert!(!texts.contains("king") && !texts.contains("77"), "{texts}");
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
async fn a_store_whose_connections_were_ended_works_again() {
    let database = TestDatabase::create().await;
    let store = database.connect().await.unwrap();
    let id = fill(&store, 1).await[0];
    // Several connections, so that none of the dead ones may be met later.
    join_all((0..8).map(|_| store.ping())).await;
    for ply in 0..3 {
        database.execute(END_CONNECTIONS).await.unwrap();
        assert_eq!(store.commit(vec![append(id, ply, 0)]).await, Ok(()));
        assert_eq!(store.find_player(ada().id).await, Ok(Some(ada())));
        assert_eq!(join_all((0..8).map(|_| store.ping())).await, vec![Ok(()); 8]);
    }
    assert_eq!(store.entries(id, 0).await.unwrap().len(), 3);
}

#[tokio::test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
async fn a_server_that_stops_is_unavailable_until_it_starts_again() {
    let cluster = Cluster::start_unsynced().unwrap();
    let acquire_timeout = Duration::from_millis(500);
    let options = Options { acquire_timeout, ..Options::default() };
    let store = PostgresStore::connect(&cluster.url(), options).await.unwrap();
    let id = fill(&store, 1).await[0];
    cluster.stop().unwrap();
    for _ in 0..2 {
        let answers = [
            store.ping().await,
            store.commit(vec![append(id, 0, 0)]).await,
            store.commit(vec![append(id, 0, 0), append(id, 1, 0)]).await,
            store.find_player(ada().id).await.map(drop),
        ];
        assert!(answers.iter().all(|it| matches!(it, Err(Unavailable(_)))), "{answers:?}");
    }
    cluster.start_again().unwrap();
    // On a busy machine the first connection may take longer than this store waits for one.
    for _ in 0..100 {
        if store.ping().await.is_ok() {
            break;
        }
    }
    assert_eq!(store.commit(vec![append(id, 0, 0)]).await, Ok(()));
    assert_eq!(store.ping().await, Ok(()));
    assert_eq!(store.find_player(ada().id).await, Ok(Some(ada())));
}

#[tokio::test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
async fn columns_that_a_newer_server_adds_disturb_nothing() {
    let database = TestDatabase::create().await;
    // One connection, so that each statement was prepared on it before.
    let options = Options { connections: 1, ..Options::default() };
    let store = PostgresStore::connect(&database.url(), options).await.unwrap();
    let id = fill(&store, 1).await[0];
    store.commit(vec![append(id, 0, 0)]).await.unwrap();
    for round in 1..3 {
        assert_eq!(store.find_player_by_name("ADA").await, Ok(Some(ada())));
        assert_eq!(store.find_guest(DeviceKey([0; 32])).await, Ok(None));
        assert_eq!(store.find_credential("Ada").await, Ok(None));
        assert_eq!(store.find_profile(ada().id).await.unwrap().unwrap().ratings, []);
        assert_eq!(store.find_session(SessionId::new(0, 0)).await, Ok(None));
        assert_eq!(store.changed_sessions(0, 0).await, Ok(vec![]));
        assert_eq!(store.find_match(id).await.unwrap().unwrap().id, id);
        assert_eq!(store.commit(vec![append(id, round, 0)]).await, Ok(()));
        assert_eq!(store.entries(id, 0).await.unwrap().len(), round as usize + 1);
        assert_eq!(store.find_result(id).await, Ok(None));
        assert_eq!(store.match_history(ada().id, Shown::All, 9, 0).await, Ok(vec![]));
        assert_eq!(store.find_lobby(LobbyId::random(0)).await, Ok(None));
        assert_eq!(store.public_lobbies(9, 0).await, Ok(vec![]));
        assert_eq!(store.pairings("chess").await, Ok(vec![]));
        let all = AuditFilter { limit: 9, ..AuditFilter::default() };
        assert_eq!(store.query_audit(&all).await, Ok(vec![]));
        let widen = "DO $$ DECLARE name TEXT; BEGIN
            FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
                EXECUTE format('ALTER TABLE %I ADD newer INT DEFAULT 1', name);
            END LOOP;
        END $$";
        if round == 1 {
            database.execute(widen).await.unwrap();
        }
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
async fn a_match_ends_whether_or_not_its_player_goes_meanwhile() {
    let database = TestDatabase::create().await;
    let store = database.connect().await.unwrap();
    let ids = fill(&store, 20).await;
    let end = |match_id| {
        let result = result(match_id);
        let (player, game) = (ada().id, "chess".to_owned());
        let count = Change::CountResult { player, game, score: Score::Won, is_public: true };
        store.commit(vec![append(match_id, 0, 0), Change::EndMatch(result), count])
    };
    let ends = join_all(ids.iter().map(|id| end(*id)));
    let delete = store.commit(vec![Change::DeletePlayer { player: ada().id, now_ms: NOW_MS }]);
    let (ended, deleted) = join(ends, delete).await;
    assert_eq!((ended, deleted), (vec![Ok(()); 20], Ok(())));
    for id in ids {
        let row = store.find_match(id).await.unwrap().unwrap();
        assert_eq!((row.status, &row.seats[0]), (MatchStatus::Over, &SeatHolder::Gone));
        assert_eq!(store.find_result(id).await.unwrap().unwrap().places, [1, 2]);
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
async fn units_that_lock_each_other_out_all_succeed() {
    let database = TestDatabase::create().await;
    database.execute(&set("deadlock_timeout = 10")).await.unwrap();
    let store = database.connect().await.unwrap();
    let ids = fill(&store, 2).await;
    let renew = |ids: [MatchId; 2]| {
        let until_ms = NOW_MS;
        let renew = ids.map(|match_id| Change::RenewLease { match_id, epoch: 0, until_ms });
        store.commit(renew.to_vec())
    };
    for _ in 0..50 {
        let answers = join(renew([ids[0], ids[1]]), renew([ids[1], ids[0]])).await;
        assert_eq!(answers, (Ok(()), Ok(())));
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
async fn two_stores_win_each_place_and_each_lease_once() {
    let database = TestDatabase::create().await;
    let stores = [database.connect().await.unwrap(), database.connect().await.unwrap()];
    let ids = fill(&stores[0], 100).await;
    let race = |unit: &dyn Fn(usize, MatchId) -> Change| {
        // In opposite orders, so that their groups get in each other's way.
        let first: Vec<_> = ids.iter().map(|id| stores[0].commit(vec![unit(0, *id)])).collect();
        let second = ids.iter().rev().map(|id| stores[1].commit(vec![unit(1, *id)]));
        join(join_all(first), join_all(second.collect::<Vec<_>>()))
    };
    for ply in 0..10 {
        let (first, mut second) = race(&|nonce, id| append(id, ply, nonce as u64)).await;
        second.reverse();
        for (index, id) in ids.iter().enumerate() {
            let answers = [first[index].clone(), second[index].clone()];
            let winner = answers.iter().position(Result::is_ok).unwrap();
            assert_eq!(answers[1 - winner], Err(Conflict(Thing::Entry)));
            let found = stores[0].entries(*id, ply).await.unwrap();
            assert_eq!(found.iter().map(|it| it.nonce).collect::<Vec<_>>(), [winner as u64]);
        }
    }
    let lease = |server: usize, match_id| {
        let (owner, until_ms) = (server.to_string(), NOW_MS);
        Change::TakeLease { match_id, owner, epoch: 0, until_ms }
    };
    let (first, mut second) = race(&lease).await;
    second.reverse();
    for (index, id) in ids.iter().enumerate() {
        let answers = [first[index].clone(), second[index].clone()];
        let winner = answers.iter().position(Result::is_ok).unwrap();
        assert_eq!(answers[1 - winner], Err(Conflict(Thing::Match)));
        let row = stores[0].find_match(*id).await.unwrap().unwrap();
        assert_eq!((row.owner, row.epoch), (Some(winner.to_string()), 1));
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
async fn migrations_run_once_however_many_start_at_once_or_later() {
    let database = TestDatabase::create().await;
    let stores = join_all((0..5).map(|_| database.connect())).await;
    fill(stores[0].as_ref().ok().unwrap(), 1).await;
    database.execute("INSERT INTO migrations (name) VALUES ('9999_of_a_newer_one')").await.unwrap();
    for store in stores.into_iter().chain([database.connect().await]) {
        let store = store.ok().unwrap();
        assert_eq!(store.find_player(ada().id).await, Ok(Some(ada())));
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
async fn public_matches_of_the_binary_before_are_counted() {
    let database = TestDatabase::create().await;
    let store = database.connect().await.unwrap();
    let bob = Player { id: PlayerId::new(NOW_MS, 2), name: "Bob".to_owned(), ..ada() };
    let people = [ada(), bob];
    let new = |player: &Player| NewPlayer { player: player.clone(), device: None };
    let mut unit: Vec<Change> = people.iter().map(|it| Change::CreatePlayer(new(it))).collect();
    let seats = people.iter().map(|it| SeatHolder::Player(it.id));
    let seats: Vec<SeatHolder> = seats.collect();
    let with_bot = new_match(0).seats;
    for (number, is_public, seats, places) in [
        (1, true, &seats, vec![1, 2]),
        (2, false, &seats, vec![1, 2]),
        (3, true, &seats, vec![1, 1]),
        (4, true, &with_bot, vec![2, 1]),
        (5, true, &seats, vec![]),
        (6, true, &seats, vec![2, 1]),
    ] {
        let new = NewMatch { seats: seats.clone(), is_public, ..new_match(number) };
        let end = MatchResult { places, ..result(new.id) };
        unit.extend([Change::CreateMatch(new), Change::EndMatch(end)]);
    }
    let show = NewMatch { seats: vec![SeatHolder::Bot("1".to_owned()); 2], ..new_match(7) };
    let begun = show.id;
    unit.push(Change::CreateMatch(show));
    let game = "chess".to_owned();
    let count = |player: &Player| Change::CountResult {
        player: player.id,
        game: game.clone(),
        score: Score::Won,
        is_public: false,
    };
    unit.extend(people.iter().map(count));
    store.commit(unit).await.unwrap();
    let [ada, bob] = people.map(|player| player.id);
    database
        .execute(&format!(
            "ALTER TABLE matches DROP COLUMN founder, DROP COLUMN watch_key;
            ALTER TABLE statistics DROP COLUMN public_won, DROP COLUMN public_drawn,
                DROP COLUMN public_lost;
            INSERT INTO audit VALUES (1, 0, 'gameplay', 'match_started', 'info', {}, NULL, {}, NULL,
                '', FALSE);
            DELETE FROM migrations WHERE name = '0003_watch_links'",
            bob.number(),
            begun.number(),
        ))
        .await
        .unwrap();
    let store = database.connect().await.unwrap();
    for player in [ada, bob] {
        let row = store.find_profile(player).await.unwrap().unwrap().statistics.remove(0);
        assert_eq!((row.public_won, row.public_drawn, row.public_lost), (1, 1, 1));
    }
    assert_eq!(store.find_access(begun, Some(bob), None).await, Ok(Some(Access::Own)));
    assert_eq!(store.find_access(begun, Some(ada), None).await, Ok(None));
}

#[tokio::test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
async fn a_server_that_is_not_there_is_unavailable_and_the_address_is_not_told() {
    let acquire_timeout = Duration::from_millis(200);
    let options = Options { acquire_timeout, ..Options::default() };
    let database = TestDatabase::create().await;
    let addresses = [
        "postgres://ada:secret@127.0.0.1:1/parlor".to_owned(),
        "secret".to_owned(),
        format!("{}secret", database.url()),
    ];
    for address in addresses {
        let error = PostgresStore::connect(&address, options).await.err();
        let Some(Unavailable(reason)) = error else { panic!("{error:?}") };
        assert!(!reason.contains("ada:secret") && !reason.contains(&address), "{reason}");
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
async fn a_database_that_only_reads_is_unavailable_for_writes() {
    let database = TestDatabase::create().await;
    let store = database.connect().await.unwrap();
    let id = fill(&store, 1).await[0];
    database.execute(&set("default_transaction_read_only = on")).await.unwrap();
    let reader = database.connect().await.err();
    assert!(matches!(reader, Some(Unavailable(_))), "{reader:?}");
    database.execute(END_CONNECTIONS).await.unwrap();
    let answers = [
        store.ping().await,
        store.commit(vec![append(id, 0, 0)]).await,
        store.commit(vec![Change::SetRole { player: ada().id, role: Role::Admin }]).await,
    ];
    assert!(answers.iter().all(|it| matches!(it, Err(Unavailable(_)))), "{answers:?}");
    assert_eq!(store.find_player(ada().id).await, Ok(Some(ada())));
}

#[tokio::test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
async fn closing_finishes_what_was_begun_and_refuses_what_comes_later() {
    let database = TestDatabase::create().await;
    let store = database.connect().await.unwrap();
    let ids = fill(&store, 50).await;
    let appends = join_all(ids.iter().map(|id| store.commit(vec![append(*id, 0, 0)])));
    let (answers, ()) = join(appends, store.close()).await;
    assert_eq!(answers, vec![Ok(()); 50]);
    let late = store.commit(vec![append(ids[0], 1, 0)]).await;
    assert!(matches!(late, Err(Unavailable(_))), "{late:?}");
    assert!(matches!(store.ping().await, Err(Unavailable(_))));
}

#[tokio::test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
async fn a_text_that_no_row_can_hold_is_not_found_and_not_stored() {
    let database = TestDatabase::create().await;
    let store = database.connect().await.unwrap();
    let id = fill(&store, 1).await[0];
    assert_eq!(store.find_player_by_name("a\0").await, Ok(None));
    assert_eq!(store.find_credential("a\0").await, Ok(None));
    let filter = AuditFilter { name: Some("\0".to_owned()), limit: 1, ..AuditFilter::default() };
    assert_eq!(store.query_audit(&filter).await, Ok(vec![]));
    let Change::Append { match_id, entry } = append(id, 0, 0) else { unreachable!() };
    let entry = Entry { kind: EntryKind::Act("\0".to_owned()), ..entry };
    let bad = store.commit(vec![Change::Append { match_id, entry }]);
    let (bad, good) = join(bad, store.commit(vec![append(id, 0, 0)])).await;
    assert!(matches!(bad, Err(Corrupt(_))), "{bad:?}");
    assert_eq!(good, Ok(()));
}

#[tokio::test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
async fn a_servers_name_is_its_own_until_it_ends() {
    let database = TestDatabase::create().await;
    let [first, second] = [database.connect().await.unwrap(), database.connect().await.unwrap()];
    assert_eq!(first.take_name("here").await, Ok(true));
    assert_eq!(second.take_name("there").await, Ok(true));
    assert_eq!(second.take_name("here").await, Ok(false));
    // A connection that dies is replaced, and the name locked again.
    let ours = "SELECT pid FROM pg_locks JOIN pg_database ON oid = database
        WHERE locktype = 'advisory' AND datname = current_database()";
    let end = format!("SELECT pg_terminate_backend(pid) FROM ({ours}) AS it");
    database.execute(&end).await.unwrap();
    let is_held = format!("SELECT 1 / (SELECT count(*) FROM ({ours}) AS it)");
    while database.execute(&is_held).await.is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    first.close().await;
    assert_eq!(second.take_name("here").await, Ok(true));
}
