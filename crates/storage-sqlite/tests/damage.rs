//! What a server finds out about its file before it opens it. Each case is the state that a killed server
//! leaves, and a damage to it.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use domain::{PlayerId, Role};
use rusqlite::Connection;
use storage::{Change, NewPlayer, Player, Store as _};
use storage_sqlite::{Claim, Damage, SqliteStore};
use tempfile::TempDir;

const NOW_MS: u64 = 1_794_700_000_000;
/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);
const FRAME_BYTES: u64 = 24 + 4096;

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    PathBuf::from(path)
}

fn player(number: u64) -> Change {
    let player = Player {
        id: PlayerId::new(NOW_MS, number),
        name: format!("Player{number}"),
        role: Role::Player,
        avatar: "owl".to_owned(),
        created_ms: NOW_MS,
    };
    Change::CreatePlayer(NewPlayer { player, device: None })
}

/// How many frames the log's file has.
fn frames(path: &Path) -> u64 {
    fs::metadata(beside(path, "-wal")).map_or(0, |file| file.len().saturating_sub(32) / FRAME_BYTES)
}

/// How many frames the lock's file remembers.
fn remembered(path: &Path) -> u64 {
    let text = fs::read_to_string(beside(path, "-lock")).unwrap_or_default();
    text.split_whitespace().nth(2).map_or(0, |word| u64::from_str_radix(word, 16).unwrap())
}

async fn until(is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// What is left of a server that was killed: most of it in the file, the rest in the log.
async fn killed() -> (TempDir, PathBuf) {
    let (folder, left) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let path = folder.path().join("parlor.db");
    let store = SqliteStore::open(&path).unwrap();
    store.commit((0..50).map(player).collect()).await.unwrap();
    store.close().await;
    drop(store);
    let store = SqliteStore::open(&path).unwrap();
    store.commit(vec![player(50)]).await.unwrap();
    // A server begins with an empty log.
    until(|| frames(&path) == 0).await;
    for number in 51..60 {
        store.commit(vec![player(number)]).await.unwrap();
    }
    until(|| remembered(&path) == frames(&path)).await;
    let copy = left.path().join("parlor.db");
    for suffix in ["", "-wal", "-lock"] {
        fs::copy(beside(&path, suffix), beside(&copy, suffix)).unwrap();
    }
    (left, copy)
}

async fn examine(damage: impl FnOnce(&Path)) -> Option<Damage> {
    let (_folder, path) = killed().await;
    damage(&path);
    let claim = Claim::take(&path).unwrap().unwrap();
    assert!(claim.is_used().unwrap());
    claim.examine().unwrap()
}

fn cut(path: &Path, bytes: u64) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(bytes).unwrap();
}

fn write_noise(path: &Path, at: u64) {
    OpenOptions::new().write(true).open(path).unwrap().write_all_at(&[0xa5; 999], at).unwrap();
}

fn run(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[track_caller]
fn check_lost(found: Option<Damage>, least: u32, most: u32) {
    let Some(Damage::LogLost { known, found }) = found else { panic!("{found:?}") };
    assert!(found < known && least <= found && found <= most, "{found} of {known}");
}

#[tokio::test]
async fn what_a_killed_server_leaves_is_no_damage() {
    assert_eq!(examine(|_| ()).await, None);
    // Power is lost while frames are written that nobody waits for yet.
    let torn = |path: &Path| {
        let log = beside(path, "-wal");
        let end = fs::metadata(&log).unwrap().len();
        write_noise(&log, end);
    };
    assert_eq!(examine(torn).await, None);
    // An older record is true too, and one that cannot be read says nothing.
    let older = |path: &Path| {
        let lock = beside(path, "-lock");
        let text = fs::read_to_string(&lock).unwrap();
        fs::write(&lock, format!("{}00000001\n", &text[..18])).unwrap();
    };
    assert_eq!(examine(older).await, None);
    assert_eq!(examine(|path| fs::write(beside(path, "-lock"), "nonsense").unwrap()).await, None);
}

#[tokio::test]
async fn a_log_that_lacks_what_was_synced_is_found() {
    check_lost(examine(|path| fs::remove_file(beside(path, "-wal")).unwrap()).await, 0, 0);
    check_lost(examine(|path| cut(&beside(path, "-wal"), 0)).await, 0, 0);
    let half = |path: &Path| cut(&beside(path, "-wal"), 32 + FRAME_BYTES * frames(path) / 2);
    check_lost(examine(half).await, 1, 1000);
    let middle = |path: &Path| write_noise(&beside(path, "-wal"), FRAME_BYTES * frames(path) / 2);
    check_lost(examine(middle).await, 1, 1000);
    check_lost(examine(|path| write_noise(&beside(path, "-wal"), 0)).await, 0, 0);
}

#[tokio::test]
async fn what_a_guest_copies_back_beside_a_server_that_is_killed_then_is_not_missed() {
    let (_folder, path) = killed().await;
    let claim = Claim::take(&path).unwrap().unwrap();
    let guest = SqliteStore::open(&path).unwrap();
    guest.close().await;
    drop((guest, claim));
    assert_eq!(frames(&path), 0);
    assert_eq!(Claim::take(&path).unwrap().unwrap().examine().unwrap(), None);
}

#[tokio::test]
async fn a_log_that_another_program_has_copied_back_is_not_missed() {
    let copy_back = |path: &Path| run(path, "PRAGMA wal_checkpoint(TRUNCATE)");
    assert_eq!(examine(copy_back).await, None);
    let restore = |path: &Path| {
        run(path, &format!("VACUUM INTO '{}'", beside(path, ".backup").display()));
        fs::remove_file(beside(path, "-wal")).ok();
        fs::copy(beside(path, ".backup"), path).unwrap();
    };
    assert_eq!(examine(restore).await, None);
}

#[tokio::test]
async fn a_file_that_is_gone_cut_or_foreign_is_found() {
    assert_eq!(examine(|path| fs::remove_file(path).unwrap()).await, Some(Damage::Missing));
    assert_eq!(examine(|path| cut(path, 0)).await, Some(Damage::Empty));
    assert_eq!(examine(|path| cut(path, 50)).await, Some(Damage::Cut));
    assert_eq!(examine(|path| cut(path, 8192)).await, Some(Damage::Cut));
    // Without a log, the header alone says how long the file is.
    let last_page = |path: &Path| {
        run(path, "PRAGMA wal_checkpoint(TRUNCATE)");
        cut(path, fs::metadata(path).unwrap().len() - 4096);
    };
    assert_eq!(examine(last_page).await, Some(Damage::Cut));
    let letter = |path: &Path| fs::write(path, "Dear Ada, ".repeat(999)).unwrap();
    assert_eq!(examine(letter).await, Some(Damage::Foreign));
    let foreign = |sql: &'static str| {
        examine(move |path| {
            for suffix in ["", "-wal"] {
                fs::remove_file(beside(path, suffix)).unwrap();
            }
            run(path, sql);
        })
    };
    assert_eq!(foreign("CREATE TABLE recipes (id)").await, Some(Damage::Foreign));
    assert_eq!(
        foreign("PRAGMA application_id = 7; CREATE TABLE migrations (a)").await,
        Some(Damage::Foreign)
    );
    assert_eq!(foreign("CREATE TABLE recipes (id); DROP TABLE recipes").await, Some(Damage::Empty));
    let noise = |path: &Path| {
        run(path, "PRAGMA wal_checkpoint(TRUNCATE)");
        write_noise(path, 100);
    };
    assert_eq!(examine(noise).await, Some(Damage::Unreadable));
}

#[tokio::test]
async fn one_process_has_the_file_and_others_are_guests() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("parlor.db");
    let claim = Claim::take(&path).unwrap().unwrap();
    assert!(!claim.is_used().unwrap());
    assert_eq!(claim.examine().unwrap(), Some(Damage::Missing));
    let mode = fs::metadata(beside(&path, "-lock")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let store = SqliteStore::open_with(&path, Some(claim)).unwrap();
    assert!(Claim::take(&path).unwrap().is_none());
    let guest = SqliteStore::open(&path).unwrap();
    guest.commit(vec![player(1)]).await.unwrap();
    guest.close().await;
    drop(guest);
    store.commit(vec![player(2)]).await.unwrap();
    let onlooker = SqliteStore::open_to_look(&path).unwrap();
    assert_eq!(onlooker.inspect().await, Ok(vec![]));
    onlooker.close().await;
    assert!(frames(&path) > 0, "an onlooker leaves the log alone");
    store.close().await;
    assert_eq!(frames(&path), 0);
    assert!(Claim::take(&path).unwrap().is_some_and(|claim| claim.is_used().unwrap()));
}

#[tokio::test]
async fn a_file_that_is_set_aside_is_kept_whole() {
    let (folder, path) = killed().await;
    let before = fs::read(&path).unwrap();
    let claim = Claim::take(&path).unwrap().unwrap();
    let aside = claim.set_aside().unwrap();
    assert_eq!(fs::read(&aside).unwrap(), before);
    assert!(beside(&aside, "-wal").exists() && !path.exists());
    assert_eq!(claim.examine().unwrap(), Some(Damage::Missing));
    File::create(&path).unwrap();
    assert_ne!(claim.set_aside().unwrap(), aside);
    assert!(folder.path().exists());
}
