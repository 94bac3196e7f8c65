//! What was deleted is in none of the files, while the store runs and after it is closed.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::time::{Duration, Instant};

use domain::{LobbyId, PlayerId, Role};
use storage::{Change, Lobby, NewPlayer, Player, Store};
use storage_sqlite::SqliteStore;
use tempfile::TempDir;

const NOW_MS: u64 = 1_794_700_000_000;
/// Enough rows that every table and index has many pages, which were split many times.
const PLAYERS: u64 = 600;

/// A text of letters that is different for every number and round.
fn text(number: u64, round: u64, length: usize) -> String {
    let mut state = (number * 64 + round + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b'a' + u8::try_from((state >> 33) % 26).unwrap())
    };
    std::iter::repeat_with(letter).take(length).collect()
}

fn name(number: u64, round: u64) -> String {
    format!("N{}", text(number, round, 10 + usize::try_from((number + round) % 9).unwrap()))
}

fn hash(number: u64, round: u64) -> String {
    format!("$argon2id${}", text(number, 32 + round, 86))
}

fn id(number: u64) -> PlayerId {
    PlayerId::new(NOW_MS + number % 7, number)
}

fn create(number: u64) -> Vec<Change> {
    let player = Player {
        id: id(number),
        name: name(number, 0),
        role: Role::Player,
        avatar: "owl".to_owned(),
        created_ms: NOW_MS,
    };
    let lobby = Lobby {
        id: LobbyId::random(number << 1),
        host: id(number),
        is_public: true,
        body: format!(r#"{{"members":["{}"]}}"#, name(number, 0)),
        created_ms: NOW_MS,
        touched_ms: NOW_MS,
        version: 1,
    };
    vec![
        Change::CreatePlayer(NewPlayer { player, device: None }),
        Change::StoreCredential { player: id(number), password_hash: hash(number, 0) },
        Change::PutLobby(lobby),
    ]
}

fn rename(number: u64) -> Change {
    let name = Some(name(number, 1));
    Change::UpdateProfile { player: id(number), name, avatar: None }
}

/// The texts that are in some file of the folder.
fn found(folder: &Path, texts: &[String]) -> Vec<String> {
    let mut bytes = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        // A file may be truncated or removed meanwhile.
        bytes.extend(std::fs::read(file.unwrap().path()).unwrap_or_default());
        bytes.push(0);
    }
    let words: std::collections::HashSet<&[u8]> =
        bytes.split(|byte| !byte.is_ascii_lowercase()).filter(|word| word.len() >= 8).collect();
    // The letters of a text; what stands before a word in a page can be a letter too.
    let is_in = |text: &&String| {
        let letters = text.rsplit(['$', 'N']).next().unwrap_or_default();
        words.iter().any(|word| word.windows(letters.len()).any(|it| it == letters.as_bytes()))
    };
    texts.iter().filter(is_in).cloned().collect()
}

#[tokio::test]
async fn nothing_deleted_or_replaced_is_left_in_any_file() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("parlor.db");
    let store = SqliteStore::open(&path).unwrap();
    for number in 0..PLAYERS {
        store.commit(create(number)).await.unwrap();
    }
    let mut gone = Vec::new();
    for number in 0..PLAYERS {
        let unit = match number % 4 {
            0 => {
                gone.extend([name(number, 0), hash(number, 0)]);
                vec![Change::DeletePlayer { player: id(number), now_ms: NOW_MS }]
            }
            1 => {
                gone.push(hash(number, 0));
                let password_hash = hash(number, 1);
                vec![Change::StoreCredential { player: id(number), password_hash }]
            }
            _ => continue,
        };
        store.commit(unit).await.unwrap();
    }
    let start = Instant::now();
    let mut left = gone.clone();
    while !left.is_empty() {
        assert!(start.elapsed() < Duration::from_mins(1), "{} are left: {:?}", left.len(), left[0]);
        tokio::task::yield_now().await;
        left = found(folder.path(), &left);
    }
    let kept: Vec<String> = (0..PLAYERS).filter(|it| it % 4 > 0).map(|it| name(it, 0)).collect();
    assert_eq!(found(folder.path(), &kept).len(), kept.len(), "the search finds what is there");

    // Also what is changed just before the end.
    let renamed = (2..PLAYERS).step_by(4);
    for number in renamed.clone() {
        // The own lobby has the name in its body until its host changes it.
        let close = Change::DeleteLobby { id: LobbyId::random(number << 1) };
        store.commit(vec![close, rename(number)]).await.unwrap();
    }
    store.close().await;
    let old: Vec<String> = renamed.map(|number| name(number, 0)).collect();
    assert_eq!(found(folder.path(), &old), Vec::<String>::new());

    // The rewritten tables still hold everything, and still enforce what they did.
    let store = SqliteStore::open(&path).unwrap();
    for number in 0..PLAYERS {
        let player = store.find_player(id(number)).await.unwrap();
        assert_eq!(player.is_some(), number % 4 > 0, "{number}");
        let Some(player) = player else { continue };
        let credential = store.find_credential(&player.name).await.unwrap().unwrap();
        assert_eq!(credential.password_hash, hash(number, u64::from(number % 4 == 1)));
        let lobbies = store.lobbies_of(player.id).await.unwrap().len();
        assert_eq!(lobbies, usize::from(number % 4 != 2));
    }
    let deletion = Change::DeletePlayer { player: id(3), now_ms: NOW_MS };
    store.commit(vec![deletion]).await.unwrap();
    assert_eq!(store.find_credential(&name(3, 0)).await, Ok(None));
    assert_eq!(store.lobbies_of(id(3)).await, Ok(vec![]));
}
