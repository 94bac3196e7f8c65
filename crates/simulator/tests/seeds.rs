//! Runs of many seeds. `PARLOR_SEED=123 cargo test -p simulator one_seed -- --nocapture` repeats
//! one.

use std::panic::{catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use simulator::{Plan, Tally, run};

#[test]
fn a_thousand_worlds_hold() {
    let seeds: u64 = if std::env::var_os("PARLOR_SOAK").is_some() { 10_000 } else { 1_000 };
    let next = AtomicU64::new(0);
    let run_some = || {
        let mut total = Tally::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds {
                return total;
            }
            let tally = catch_unwind(|| run(Plan::honest(seed)));
            total += tally.unwrap_or_else(|cause| {
                eprintln!(
                    "again: PARLOR_SEED={seed} cargo test -p simulator one_seed -- --nocapture"
                );
                resume_unwind(cause)
            });
        }
    };
    let mut total = Tally::default();
    thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(run_some)).collect();
        for thread in threads {
            total += thread.join().unwrap_or_else(|cause| resume_unwind(cause));
        }
    });
    println!("{total}");
    // A run in which nothing goes wrong shows nothing.
    for (what, count) in [
        ("takebacks", total.takebacks),
        ("pauses", total.pauses),
        ("time-outs", total.time_outs),
        ("repeated acknowledgements", total.repeated_acks),
        ("lost answers", total.lost_answers),
        ("repeated units", total.repeats),
        ("entries of a house that has lost its match", total.fenced),
        ("decisions of bots", total.bot_decisions),
        ("slow readers", total.slow_readers),
        ("crashes", total.crashes),
        ("houses that stood still", total.stalls),
        ("clocks that were set", total.clock_jumps),
        ("rooms that were let go of", total.evictions),
        ("rooms that were read", total.loads),
        ("rooms that were compared with a replay", total.replays),
        ("matches that ended", total.ended),
    ] {
        assert!(count >= 20, "only {count} {what}");
    }
}

#[test]
fn one_seed() {
    let seed = std::env::var("PARLOR_SEED").ok().and_then(|text| text.parse().ok());
    println!("{}", run(Plan::honest(seed.unwrap_or(0))));
}
