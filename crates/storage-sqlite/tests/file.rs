//! What the contract cannot say: the file, its rights, its syncs, and rows that are damaged.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use domain::{MatchId, PlayerId, Role, SessionId};
use game_api::{Commitment, Entry, EntryKind, Seat, Seed};
use rusqlite::{Connection, params};
use storage::{Access, Change, NewMatch, NewPlayer, Player, StorageError, Store, Thing};
use storage_sqlite::{MIGRATIONS, SqliteStore};
use tempfile::TempDir;

const NOW_MS: u64 = 1_794_700_000_000;

struct House {
    store: SqliteStore,
    path: PathBuf,
    player: PlayerId,
    match_id: MatchId,
    _folder: TempDir,
}

async fn house() -> House {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("parlor.db");
    let store = SqliteStore::open(&path).unwrap();
    let player = Player {
        id: PlayerId::new(NOW_MS, 1),
        name: "Ada".to_owned(),
        role: Role::Player,
        avatar: "owl".to_owned(),
        created_ms: NOW_MS,
    };
    let (player, match_id) = (NewPlayer { player, device: None }, MatchId::new(NOW_MS, 1));
    let id = player.player.id;
    let seed = Seed::from_number(1);
    let new = NewMatch {
        id: match_id,
        game: "chess".to_owned(),
        rules_version: 1,
        options: "{}".to_owned(),
        from_position: None,
        seed,
        commitment: Commitment::new("chess", 1, "{}", &seed),
        settings: "{}".to_owned(),
        seats: vec![],
        is_public: false,
        founder: None,
        created_ms: NOW_MS,
        owner: None,
        lease_until_ms: 0,
    };
    let mut unit = vec![Change::CreatePlayer(player), Change::CreateMatch(new)];
    unit.extend((0..3).map(|ply| append(match_id, ply, 0)));
    store.commit(unit).await.unwrap();
    House { store, path, player: id, match_id, _folder: folder }
}

fn append(match_id: MatchId, ply: u32, epoch: u32) -> Change {
    let kind = EntryKind::Act("e2e4".to_owned());
    let entry = Entry { ply, seat: Some(Seat::FIRST), at_ms: NOW_MS, nonce: 1, epoch, kind };
    Change::Append { match_id, entry }
}

fn spoil(path: &Path, sql: &str) {
    let connection = Connection::open(path).unwrap();
    assert_eq!(connection.execute(sql, []).unwrap(), 1, "{sql}");
}

#[tokio::test]
async fn every_commit_is_synced() {
    assert_eq!(house().await.store.synchronous().await, Ok(2));
}

#[tokio::test]
async fn the_files_are_their_owners_alone() {
    let house = house().await;
    for suffix in ["", "-wal", "-shm"] {
        let mut path = house.path.clone().into_os_string();
        path.push(suffix);
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{suffix}");
    }
}

#[tokio::test]
async fn what_was_stored_is_there_after_a_restart() {
    let house = house().await;
    house.store.close().await;
    assert!(matches!(house.store.commit(vec![]).await, Err(StorageError::Unavailable(_))));
    let store = SqliteStore::open(&house.path).unwrap();
    assert_eq!(store.entries(house.match_id, 0).await.unwrap().len(), 3);
    assert_eq!(store.find_player(house.player).await.unwrap().unwrap().name, "Ada");
}

#[tokio::test]
async fn two_stores_of_one_file_see_each_others_writes() {
    let house = house().await;
    let second = SqliteStore::open(&house.path).unwrap();
    let unit = vec![Change::SetRole { player: house.player, role: Role::Admin }];
    assert_eq!(second.commit(unit).await, Ok(()));
    assert_eq!(house.store.find_player(house.player).await.unwrap().unwrap().role, Role::Admin);
}

#[tokio::test]
async fn an_append_is_judged_by_what_the_file_says_whoever_wrote_it() {
    let House { store, path, match_id, _folder, .. } = house().await;
    let second = SqliteStore::open(&path).unwrap();
    let append = |ply, epoch| vec![append(match_id, ply, epoch)];
    assert_eq!(store.commit(append(3, 0)).await, Ok(()));
    assert_eq!(second.commit(append(4, 0)).await, Ok(()));
    let gap = Err(StorageError::Conflict(Thing::Entry));
    assert_eq!(store.commit(append(6, 0)).await, gap);
    assert_eq!(store.commit(append(5, 0)).await, Ok(()));
    let take =
        |epoch| Change::TakeLease { match_id, owner: "there".to_owned(), epoch, until_ms: 1 };
    assert_eq!(second.commit(vec![take(0)]).await, Ok(()));
    assert_eq!(store.commit(append(6, 0)).await, Err(StorageError::Conflict(Thing::Match)));
    assert_eq!(store.commit(append(6, 1)).await, Ok(()));
    // A unit that is taken back whole leaves nothing behind in memory either.
    let mut unit = append(7, 1);
    unit.push(take(0));
    assert_eq!(store.commit(unit).await, Err(StorageError::Conflict(Thing::Match)));
    assert_eq!(store.commit(append(8, 1)).await, gap);
    assert_eq!(store.commit(append(7, 1)).await, Ok(()));
    assert_eq!(store.commit(vec![take(1)]).await, Ok(()));
    assert_eq!(store.commit(append(8, 1)).await, Err(StorageError::Conflict(Thing::Match)));
    assert_eq!(store.entries(match_id, 0).await.unwrap().len(), 8);
}

#[tokio::test]
async fn a_file_that_a_newer_binary_has_migrated_still_opens() {
    let house = house().await;
    let find = "SELECT name FROM migrations ORDER BY name";
    let connection = Connection::open(&house.path).unwrap();
    let names: Result<Vec<String>, _> =
        connection.prepare(find).unwrap().query_map([], |row| row.get(0)).unwrap().collect();
    let expected: Vec<&str> = MIGRATIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.unwrap(), expected);
    spoil(&house.path, "INSERT INTO migrations VALUES ('9999_later')");
    assert!(SqliteStore::open(&house.path).is_ok());
}

#[tokio::test]
async fn matches_of_the_binary_before_the_list_are_not_in_it() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("parlor.db");
    let connection = Connection::open(&path).unwrap();
    let (name, base) = MIGRATIONS[0];
    connection.execute_batch(base).unwrap();
    connection.execute_batch("CREATE TABLE migrations (name TEXT PRIMARY KEY) STRICT").unwrap();
    connection.execute("INSERT INTO migrations VALUES (?1)", [name]).unwrap();
    let seed = Seed::from_number(1);
    let begin = |number| {
        let id = MatchId::new(NOW_MS, number);
        let commitment = Commitment::new("chess", 1, "{}", &seed).to_string();
        let sql = "INSERT INTO matches (id, game, rules_version, options, seed, commitment,
                       settings, created_ms, lease_until_ms)
                   VALUES (?1, 'chess', 1, '{}', ?2, ?3, '{}', 0, 0)";
        connection.execute(sql, params![id.number(), seed.reveal(), commitment]).unwrap();
        let sql = "INSERT INTO heads (match_id, is_over, epoch, plies) VALUES (?1, 0, 0, 0)";
        connection.execute(sql, [id.number()]).unwrap();
        id
    };
    let before = begin(1);
    let store = SqliteStore::open(&path).unwrap();
    // It may run beside the new one, and goes on writing as it did.
    let beside = begin(2);
    for id in [before, beside] {
        assert!(!store.find_match(id).await.unwrap().unwrap().is_public);
    }
    assert_eq!(store.public_matches(None, 9).await, Ok(vec![]));
}

/// A finished match of seats (a person by number, or a bot) with their places.
fn finished(game: &str, is_public: bool, seats: &[(Option<i64>, Option<u8>)]) -> String {
    let begin = format!(
        "INSERT INTO matches (game, rules_version, options, seed, commitment, settings, created_ms,
             is_public) VALUES ('{game}', 1, '{{}}', 's', 'c', '{{}}', 0, {is_public});"
    );
    let seats = seats.iter().enumerate().map(|(seat, (player, place))| {
        let null = || "NULL".to_owned();
        let bot = if player.is_none() { "'1'" } else { "NULL" };
        let player = player.map_or_else(null, |player| player.to_string());
        let place = place.map_or_else(null, |place| place.to_string());
        format!(
            "INSERT INTO match_seats SELECT max(id), {seat}, {player}, {bot}, {place} FROM matches;"
        )
    });
    begin + &seats.collect::<String>()
}

#[tokio::test]
async fn public_matches_of_the_binary_before_are_counted_and_the_founders_of_others_found() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("parlor.db");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("CREATE TABLE migrations (name TEXT PRIMARY KEY) STRICT").unwrap();
    for (name, sql) in &MIGRATIONS[..2] {
        connection.execute_batch(sql).unwrap();
        connection.execute("INSERT INTO migrations VALUES (?1)", [name]).unwrap();
    }
    let [ada, bob] = [Some(1), Some(2)];
    let [first, second] = [Some(1), Some(2)];
    let batch = [
        "INSERT INTO players VALUES (1, 'Ada', 'ada', 'player', 'owl', NULL, 0),
             (2, 'Bob', 'bob', 'player', 'owl', NULL, 0);"
            .to_owned(),
        finished("chess", true, &[(ada, first), (bob, second)]),
        finished("chess", false, &[(ada, first), (bob, second)]),
        finished("chess", true, &[(bob, first), (ada, first)]),
        finished("chess", true, &[(ada, first), (None, second)]),
        finished("chess", true, &[(ada, None), (bob, None)]),
        finished("go", true, &[(bob, first), (ada, second)]),
        // Bots alone, under way, begun by Bob.
        finished("chess", false, &[(None, None), (None, None)]),
        "UPDATE matches SET lease_until_ms = 5 WHERE id = 7;
         INSERT INTO audit VALUES (1, 0, 'gameplay', 'match_started', 'info', 2, NULL, 7, NULL, '', 0);
         INSERT INTO statistics VALUES (1, 'chess', 2, 1, 0), (1, 'go', 0, 0, 1),
             (2, 'chess', 0, 1, 2), (2, 'go', 1, 0, 0);"
            .to_owned(),
    ];
    connection.execute_batch(&batch.concat()).unwrap();
    let store = SqliteStore::open(&path).unwrap();
    let [ada, bob] = [1, 2].map(|id| PlayerId::from_number(id).unwrap());
    let counts = async |player| {
        let profile = store.find_profile(player).await.unwrap().unwrap();
        let rows = profile.statistics.into_iter();
        rows.map(|row| (row.won, row.public_won, row.public_drawn, row.public_lost))
            .collect::<Vec<_>>()
    };
    assert_eq!(counts(ada).await, [(2, 1, 1, 0), (0, 0, 0, 1)]);
    assert_eq!(counts(bob).await, [(0, 0, 1, 1), (1, 1, 0, 0)]);
    let show = MatchId::from_number(7).unwrap();
    assert_eq!(store.find_access(show, Some(bob), None).await, Ok(Some(Access::Own)));
    assert_eq!(store.find_access(show, Some(ada), None).await, Ok(None));
}

#[tokio::test]
async fn accounts_and_sessions_of_the_binary_before_names_were_compared_go_on() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("parlor.db");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("CREATE TABLE migrations (name TEXT PRIMARY KEY) STRICT").unwrap();
    for (name, sql) in MIGRATIONS.iter().take_while(|(name, _)| *name < "0003") {
        connection.execute_batch(sql).unwrap();
        connection.execute("INSERT INTO migrations VALUES (?1)", [name]).unwrap();
    }
    let register = |number, name: &str| {
        let id = PlayerId::new(NOW_MS, number);
        let sql = "INSERT INTO players (id, name, name_key, role, avatar, device, created_ms)
                   VALUES (?1, ?2, ?3, 'player', 'owl', NULL, 0)";
        connection.execute(sql, params![id.number(), name, name.to_ascii_lowercase()]).unwrap();
        id
    };
    let begin = |number, player: PlayerId| {
        let id = SessionId::new(NOW_MS, number);
        let sql = "INSERT INTO sessions
                       (id, player_id, generation, created_ms, until_ms, changed_ms, is_revoked)
                   VALUES (?1, ?2, 0, 5, 9, 5, 0)";
        connection.execute(sql, params![id.number(), player.number()]).unwrap();
    };
    let [alice, twin] = [register(1, "alice"), register(2, "aIice")];
    begin(1, alice);
    let store = SqliteStore::open(&path).unwrap();
    // It may run beside the new one, and goes on writing as it did.
    let third = register(3, "a1ice");
    begin(2, alice);
    for (id, name) in [(alice, "alice"), (twin, "aIice"), (third, "a1ice")] {
        assert_eq!(store.find_player(id).await.unwrap().unwrap().name, name);
    }
    let sessions = store.sessions_of(alice, 8, 9).await.unwrap();
    assert_eq!(sessions.iter().map(|it| it.browser.clone()).collect::<Vec<_>>(), [None, None]);
    let rename = |player, name: &str, now_ms| Change::Rename {
        player,
        name: name.to_owned(),
        now_ms,
        last_until_ms: 0,
        reserved_until_ms: now_ms + 9,
    };
    let taken = Err(StorageError::Conflict(Thing::Name));
    assert_eq!(store.commit(vec![rename(alice, "Alice", 1)]).await, taken);
    for (number, player) in [alice, twin, third].into_iter().enumerate() {
        let name = format!("other-{number}");
        assert_eq!(store.commit(vec![rename(player, &name, 1)]).await, Ok(()));
    }
}

#[tokio::test]
async fn damaged_rows_are_said_to_be_corrupt() {
    let house = house().await;
    spoil(&house.path, "UPDATE players SET role = 'king'");
    let found = house.store.find_player(house.player).await;
    assert!(matches!(found, Err(StorageError::Corrupt(_))), "{found:?}");
    spoil(&house.path, "UPDATE players SET role = 'player', created_ms = -1");
    let found = house.store.find_player(house.player).await;
    assert!(matches!(found, Err(StorageError::Corrupt(_))), "{found:?}");

    spoil(&house.path, "UPDATE matches SET seed = 'guess'");
    let found = house.store.find_match(house.match_id).await;
    assert!(matches!(found, Err(StorageError::Corrupt(_))), "{found:?}");

    for (damage, repair) in [
        ("kind = 'jump'", "kind = 'act e2e4'"),
        ("seat = 99", "seat = 0"),
        ("ply = 7", "ply = 1"),
        ("match_id = 5", "match_id = (SELECT id FROM matches)"),
        ("previous = NULL", "previous = 1"),
        ("previous = 99", "previous = 1"),
    ] {
        spoil(&house.path, &format!("UPDATE entries SET {damage} WHERE id = 2"));
        let found = house.store.entries(house.match_id, 0).await.map(|entries| entries.len());
        assert!(matches!(found, Err(StorageError::Corrupt(_))), "{damage}: {found:?}");
        spoil(&house.path, &format!("UPDATE entries SET {repair} WHERE id = 2"));
    }
    assert_eq!(house.store.entries(house.match_id, 0).await.unwrap().len(), 3);
}

#[tokio::test]
async fn what_is_no_database_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("parlor.db");
    std::fs::write(&path, "This is a letter, and no database at all. ".repeat(100)).unwrap();
    assert!(matches!(SqliteStore::open(&path), Err(StorageError::Corrupt(_))));
    let absent = folder.path().join("no-such-folder/parlor.db");
    assert!(matches!(SqliteStore::open(&absent), Err(StorageError::Unavailable(_))));
}

#[tokio::test]
async fn what_waits_for_the_lock_of_another_process_is_refused_together_and_stores_nothing() {
    let house = house().await;
    let other = Connection::open(&house.path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let rename = |name: &str| {
        let (player, name) = (house.player, Some(name.to_owned()));
        house.store.commit(vec![Change::UpdateProfile { player, name, avatar: None }])
    };
    let begin = Instant::now();
    // More units than a transaction takes: what comes later would wait for a lock of its own.
    let many = house.store.commit_each(vec![Vec::new(); 2000]);
    let (many, later, last) = tokio::join!(many, rename("Bea"), rename("Cyd"));
    for answer in many.into_iter().chain([later, last]) {
        assert!(matches!(answer, Err(StorageError::Unavailable(_))), "{answer:?}");
    }
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    drop(other);
    assert_eq!(house.store.find_player(house.player).await.unwrap().unwrap().name, "Ada");
    rename("Eve").await.unwrap();
}
