//! Breaks a house or the store on purpose: the checks must find each mistake, by its name.

use std::panic::{catch_unwind, set_hook, take_hook};

use simulator::{Plan, Sabotage, run};

/// A mistake need not show in every run; in so many it must.
const SEEDS: u64 = 300;

/// The invariants that a mistake violates, in the first runs in which it shows.
fn violations(sabotage: Sabotage) -> Vec<String> {
    let violated = |seed| {
        let cause = catch_unwind(|| run(Plan { seed, sabotage: Some(sabotage) })).err()?;
        let message = cause.downcast_ref::<String>()?;
        message.split('`').nth(1).map(str::to_owned)
    };
    (0..SEEDS).filter_map(violated).take(5).collect()
}

/// Each mistake, and the invariants of which it violates one.
const MISTAKES: [(Sabotage, &[&str]); 12] = [
    (Sabotage::TellBeforeStore, &["nothing is told before it is stored"]),
    (Sabotage::ForgetNonces, &["what is refused has changed nothing", "no entry is doubled"]),
    (Sabotage::AcceptZombies, &["memory is what is stored"]),
    (Sabotage::GiveTimeBack, &["clocks never go up", "replay equals memory"]),
    (Sabotage::IgnoreFailure, &["nothing is told before it is stored", "memory is what is stored"]),
    (Sabotage::NoFence, &["memory is what is stored"]),
    (Sabotage::ReadBeforeLease, &["memory is what is stored"]),
    (Sabotage::BookApart, &["a result is booked once"]),
    (Sabotage::ForgetQueue, &["every input is answered"]),
    (Sabotage::TellAll, &["a view is its viewer's", "a client's view is the stored one"]),
    (Sabotage::SkipSpectators, &["no client misses an event", "every client comes to know all"]),
    (
        Sabotage::LoseEntry,
        &["nothing is told before it is stored", "an acknowledged action is in the log, once"],
    ),
];

#[test]
fn every_mistake_is_found() {
    // A panic is what is looked for, and needs no trace.
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let found = MISTAKES.map(|(sabotage, expected)| (sabotage, expected, violations(sabotage)));
    set_hook(hook);
    for (sabotage, expected, found) in found {
        let is_found = found.iter().any(|name| expected.contains(&name.as_str()));
        assert!(is_found, "{sabotage:?} must violate one of {expected:?}, found {found:?}");
    }
}
