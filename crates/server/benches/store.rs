//! How many entries a second become durable when many matches append at once, and how long each
//! waits, on SQLite and on PostgreSQL.
//!
//! Every match appends its next entry as soon as the last one is stored (the rate), and then at half
//! the rate aimed at on a schedule, where a late start counts as waiting (the times).
//!
//! Then the entries of a long match are read, as a room does that is made anew.
//!
//! `-- syncs` measures nothing: it commits to SQLite one by one, for whoever counts the syncs.

#![expect(clippy::unwrap_used, reason = "a benchmark stops at the first fault")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use domain::MatchId;
use game_api::{Commitment, Entry, EntryKind, Seat, Seed};
use pg_cluster::Cluster;
use storage::{Change, NewMatch, Store};
use storage_postgres::{Options, PostgresStore};
use storage_sqlite::SqliteStore;
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep, sleep_until};

const MATCHES: u32 = 500;
const WARM_UP: Duration = Duration::from_secs(2);
const RUN: Duration = Duration::from_secs(10);
const COMMITS: u32 = 1000;
const LONG_MATCH: u32 = 5000;
const READS: u32 = 200;
const NOW_MS: u64 = 1_794_700_000_000;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = Runtime::new().unwrap();
    let words: Vec<String> = std::env::args().collect();
    let is_wanted = |name: &str| {
        !words.iter().any(|word| word == "sqlite" || word == "postgres")
            || words.iter().any(|word| word == name)
    };
    if words.iter().any(|word| word == "syncs") {
        return runtime.block_on(commit_one_by_one(folder.path()));
    }
    println!("{MATCHES} matches, {} s a run; every commit is synced", RUN.as_secs());
    if is_wanted("sqlite") {
        runtime.block_on(sqlite(folder.path()));
    }
    if is_wanted("postgres") {
        let cluster = Cluster::start().unwrap();
        runtime.block_on(async {
            let store = PostgresStore::connect(&cluster.url(), Options::default()).await.unwrap();
            measure("PostgreSQL", Arc::new(store), 50_000.0).await;
        });
    }
}

async fn sqlite(folder: &Path) {
    let store = SqliteStore::open(&folder.join("parlor.db")).unwrap();
    println!("SQLite: PRAGMA synchronous on the writer is {}", store.synchronous().await.unwrap());
    measure("SQLite", Arc::new(store), 200_000.0).await;
}

async fn commit_one_by_one(folder: &Path) {
    let store = SqliteStore::open(&folder.join("parlor.db")).unwrap();
    for number in 0..COMMITS {
        let id = MatchId::new(NOW_MS, number.into());
        store.commit(vec![Change::CreateMatch(new_match(id))]).await.unwrap();
    }
    store.close().await;
    println!("SQLite: {COMMITS} commits, each sent when the last was answered");
}

/// The schedule is half of the rate that is aimed at, or of the rate that was reached if that is
/// less.
async fn measure(name: &str, store: Arc<dyn Store>, aim: f64) {
    let ids: Vec<MatchId> =
        (0..MATCHES).map(|number| MatchId::new(NOW_MS, number.into())).collect();
    for id in &ids {
        store.commit(vec![Change::CreateMatch(new_match(*id))]).await.unwrap();
    }
    let plies = Arc::new(ids.iter().map(|_| AtomicU32::new(0)).collect::<Vec<_>>());
    run(&store, &ids, &plies, None, WARM_UP).await;
    let closed = run(&store, &ids, &plies, None, RUN).await;
    let rate = rate_of(&closed);
    println!("{name}: {rate:>9.0} entries/s, each match as fast as it can; {}", times(closed));
    let half = rate.min(aim) / 2.0;
    let open = run(&store, &ids, &plies, Some(half), RUN).await;
    let rate = rate_of(&open);
    println!("{name}: {rate:>9.0} entries/s on a schedule of {half:.0}; {}", times(open));
    for (id, ply) in ids.iter().zip(plies.iter()) {
        let stored = store.entries(*id, 0).await.unwrap().len();
        assert_eq!(stored, ply.load(Ordering::SeqCst) as usize, "every answered entry is there");
    }
    println!(
        "{name}: {LONG_MATCH} entries of a match are read; {}",
        read_long_match(&*store).await
    );
    store.close().await;
}

async fn read_long_match(store: &dyn Store) -> String {
    let id = MatchId::new(NOW_MS, u64::from(MATCHES));
    store.commit(vec![Change::CreateMatch(new_match(id))]).await.unwrap();
    let append = |ply| Change::Append { match_id: id, entry: entry(ply) };
    store.commit((0..LONG_MATCH).map(append).collect()).await.unwrap();
    let mut taken = Vec::new();
    for _ in 0..READS {
        let begin = Instant::now();
        let entries = store.entries(id, 0).await.unwrap();
        taken.push(begin.elapsed());
        assert_eq!(entries.len(), LONG_MATCH as usize);
    }
    times(taken)
}

/// Appends with all matches at once, and gives how long each append took. With a rate, a match's
/// appends are due at fixed times, and what is late counts from when it was due.
async fn run(
    store: &Arc<dyn Store>,
    ids: &[MatchId],
    plies: &Arc<Vec<AtomicU32>>,
    rate: Option<f64>,
    length: Duration,
) -> Vec<Duration> {
    let stop = Arc::new(AtomicBool::new(false));
    let begin = Instant::now();
    let every = rate.map(|rate| Duration::from_secs_f64(f64::from(MATCHES) / rate));
    let mut tasks = Vec::new();
    for (index, match_id) in (0..MATCHES).zip(ids.iter().copied()) {
        let (store, plies, stop) = (store.clone(), plies.clone(), stop.clone());
        tasks.push(tokio::spawn(async move {
            let mut taken = Vec::new();
            let first = every.map_or(Duration::ZERO, |it| it * index / MATCHES);
            let mut due = begin + first;
            while !stop.load(Ordering::Relaxed) {
                if every.is_some() {
                    sleep_until(due).await;
                }
                append(&*store, match_id, &plies[index as usize]).await;
                taken.push(due.elapsed());
                due = every.map_or_else(Instant::now, |every| due + every);
            }
            taken
        }));
    }
    sleep(length).await;
    stop.store(true, Ordering::Relaxed);
    let mut taken = Vec::new();
    for task in tasks {
        taken.extend(task.await.unwrap());
    }
    taken
}

async fn append(store: &dyn Store, match_id: MatchId, ply: &AtomicU32) {
    let number = ply.load(Ordering::Relaxed);
    store.commit(vec![Change::Append { match_id, entry: entry(number) }]).await.unwrap();
    ply.store(number + 1, Ordering::SeqCst);
}

fn entry(ply: u32) -> Entry {
    Entry {
        ply,
        seat: Seat::new(u8::from(ply % 2 == 1)),
        at_ms: NOW_MS + u64::from(ply),
        nonce: u64::from(ply).wrapping_mul(0x9E37_79B9_7F4A_7C15),
        epoch: 0,
        kind: EntryKind::Act("play:10H:S".to_owned()),
    }
}

fn times(mut taken: Vec<Duration>) -> String {
    taken.sort_unstable();
    let at = |permille: usize| taken[(taken.len() - 1) * permille / 1000].as_secs_f64() * 1e3;
    format!("median {:.1} ms, p99 {:.1} ms, most {:.1} ms", at(500), at(990), at(1000))
}

/// How many a second.
fn rate_of(taken: &[Duration]) -> f64 {
    f64::from(u32::try_from(taken.len()).unwrap()) / RUN.as_secs_f64()
}

fn new_match(id: MatchId) -> NewMatch {
    let seed = Seed::from_number(1);
    NewMatch {
        id,
        game: "crazy-tens".to_owned(),
        rules_version: 1,
        options: "{}".to_owned(),
        from_position: None,
        seed,
        commitment: Commitment::new("crazy-tens", 1, "{}", &seed),
        settings: "{}".to_owned(),
        seats: vec![],
        is_public: false,
        founder: None,
        created_ms: NOW_MS,
        owner: None,
        lease_until_ms: 0,
    }
}
