//! The threads on which bots think, apart from the halls.
//!
//! Thinking time is divided equally among the people who wait for a bot ([`FairQueue`]); all matches
//! that bots play alone count as one person together. Questions beyond a person's bound wait outside
//! the queue, which makes only that person's bots late. A bot sees what its seat sees and nothing
//! else; the room judges its answer.

use std::collections::HashMap;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bots::Budget;
use domain::PlayerId;
use game_api::{Seed, Seen};
use play::room::{BotChoice, Question};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::fair_queue::{FairQueue, Turn};
use crate::bus::Closing;
use crate::config;
use crate::roster::Roster;

/// A clock is to last for so many more decisions.
const DECISIONS_LEFT: u64 = 40;
/// Enough for something better than chance.
const THINK_MIN_MS: u64 = 10;
/// What the strongest reach in many seconds: a bound, should the clock not be.
const NODES_MAX: u64 = 100_000_000;
/// How much a bot's thread gives way to those of the rooms, of 19 at most.
const NICENESS: i32 = 10;
/// Of a short clock, a pause takes so small a part.
const PAUSE_PART: u64 = 20;

/// Threads on which bots think.
pub(crate) struct Thinkers {
    line: Arc<Line>,
    pause_ms: u64,
    /// How many questions of one person are in the queue at most.
    questions_max: usize,
}

/// The person who waits for a bot; none for the matches that bots play alone.
type Person = Option<PlayerId>;

/// What the threads and those who ask share.
struct Line {
    waiting: Mutex<Waiting>,
    /// A question has come, or the threads are to end.
    changed: Condvar,
    is_closing: AtomicBool,
}

struct Waiting {
    queue: FairQueue<Person, Job>,
    /// The free places of each person with questions.
    places: HashMap<Person, Arc<Semaphore>>,
}

struct Job {
    question: Box<Question>,
    asked: Instant,
    answer: oneshot::Sender<Option<BotChoice>>,
    _place: OwnedSemaphorePermit,
}

/// What every thread has.
struct Thinker {
    bots: Arc<Roster>,
    /// How many such threads there are.
    threads: usize,
    line: Arc<Line>,
}

impl Line {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Relaxed)
    }

    /// Waits for the next question; none if the threads are to end.
    fn next(&self, threads: usize) -> Option<Turn<Person, Job>> {
        let mut waiting = self.waiting();
        loop {
            if self.is_closing() {
                return None;
            }
            // A closed answer belongs to a question that is no longer of interest.
            let turn = waiting.queue.pop(threads, |job| !job.answer.is_closed());
            waiting.places.retain(|_, place| Arc::strong_count(place) > 1);
            if turn.is_some() {
                return turn;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Thinkers {
    pub(crate) fn new(config: &config::Bots, bots: &Arc<Roster>) -> std::io::Result<Thinkers> {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let threads = config.threads.map_or((cores / 2).max(1), |threads| threads.get().into());
        let think = Duration::from_millis(config.think_ms.get().into());
        let line = Arc::new(Line {
            waiting: Mutex::new(Waiting { queue: FairQueue::new(think), places: HashMap::new() }),
            changed: Condvar::new(),
            is_closing: AtomicBool::new(false),
        });
        for number in 0..threads {
            let thinker = Thinker { bots: bots.clone(), threads, line: line.clone() };
            let thread = std::thread::Builder::new().name(format!("bot-{number}"));
            thread.spawn(move || thinker.run())?;
        }
        let questions_max = usize::from(config.queue.get());
        Ok(Thinkers { line, pause_ms: u64::from(config.pause_ms), questions_max })
    }

    /// Lets a bot decide; nothing if it failed.
    pub(crate) async fn ask(&self, question: Box<Question>) -> Result<Option<BotChoice>, Closing> {
        let asked = Instant::now();
        let most_ms = question.left_ms.map_or(u64::MAX, |left_ms| left_ms / PAUSE_PART);
        let pause = Duration::from_millis(self.pause_ms.min(most_ms));
        let (answer, answered) = oneshot::channel();
        let (person, place) = self.place_for(&question.people);
        let place = place.acquire_owned().await.map_err(|_| Closing)?;
        {
            let mut waiting = self.line.waiting();
            if self.line.is_closing() {
                return Err(Closing);
            }
            waiting.queue.push(person, Job { question, asked, answer, _place: place });
        }
        self.line.changed.notify_one();
        let choice = answered.await.map_err(|_| Closing)?;
        tokio::time::sleep(pause.saturating_sub(asked.elapsed())).await;
        Ok(choice)
    }

    /// The one among these people who has used the least time, and the places of that person.
    fn place_for(&self, people: &[PlayerId]) -> (Person, Arc<Semaphore>) {
        let mut waiting = self.line.waiting();
        let person = people.iter().copied().min_by_key(|one| waiting.queue.charged(Some(*one)));
        let place = waiting.places.entry(person);
        let place = place.or_insert_with(|| Arc::new(Semaphore::new(self.questions_max)));
        (person, place.clone())
    }

    /// Ends what is thought about, and the threads.
    pub(crate) fn close(&self) {
        let mut waiting = self.line.waiting();
        self.line.is_closing.store(true, Ordering::Relaxed);
        waiting.queue.clear();
        waiting.places.values().for_each(|place| place.close());
        self.line.changed.notify_all();
    }
}

impl Thinker {
    fn run(&self) {
        // Of this thread alone. If the system does not want it, bots are as important as rooms.
        let _ = rustix::process::nice(NICENESS);
        while let Some(Turn { key, job, slice }) = self.line.next(self.threads) {
            let Job { question, asked, answer, _place } = job;
            let begin = Instant::now();
            let choice = self.decide(&question, asked, slice, || answer.is_closed());
            self.line.waiting().queue.settle(key, slice, begin.elapsed());
            // An answer of the last moment is none.
            if !self.line.is_closing() {
                let _ = answer.send(choice);
            }
        }
    }

    fn decide(
        &self,
        question: &Question,
        asked: Instant,
        think: Duration,
        is_unwanted: impl Fn() -> bool,
    ) -> Option<BotChoice> {
        let Question { seat, game, ref bot, ref options, seats, ref view, left_ms, .. } = *question;
        let failed = |reason: &str| tracing::error!(game, bot, reason, "a bot failed");
        let Some((player, level)) = self.bots.find(game, bot) else {
            failed("there is no such bot");
            return None;
        };
        let view = std::str::from_utf8(view).ok()?;
        let waited_ms = u64::try_from(asked.elapsed().as_millis()).unwrap_or(u64::MAX);
        let left_ms = left_ms.map(|left_ms| left_ms.saturating_sub(waited_ms));
        let end = Instant::now() + allowance(think, left_ms);
        let is_up = || Instant::now() >= end || self.line.is_closing() || is_unwanted();
        let budget = Budget::until(&is_up).capped(NODES_MAX);
        let seen = Seen { options, seats, seat, view };
        let chance = Seed::from_number(getrandom::u64().unwrap_or_default());
        let advice =
            catch_unwind(AssertUnwindSafe(|| player.choose(&seen, level, &budget, &chance)));
        match advice {
            Ok(Ok(advice)) => Some(BotChoice { action: advice.action, value: advice.value }),
            Ok(Err(refused)) => {
                failed(refused.code);
                None
            }
            Err(_) => {
                failed("it panicked");
                None
            }
        }
    }
}

/// How long a bot may think: less if its clock is short.
fn allowance(think: Duration, left_ms: Option<u64>) -> Duration {
    let fair_ms = left_ms.map_or(u64::MAX, |left_ms| left_ms / DECISIONS_LEFT);
    think.min(Duration::from_millis(fair_ms.max(THINK_MIN_MS)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::allowance;

    #[test]
    fn a_short_clock_makes_a_bot_think_less() {
        let check = |think_ms: u64, left_ms: Option<u64>, expected_ms: u128| {
            let allowed = allowance(Duration::from_millis(think_ms), left_ms);
            assert_eq!(allowed.as_millis(), expected_ms, "{left_ms:?}");
        };
        check(1000, None, 1000);
        check(1000, Some(600_000), 1000);
        check(1000, Some(20_000), 500);
        check(1000, Some(2_000), 50);
        check(1000, Some(0), 10);
        check(5, Some(100), 5);
    }
}
