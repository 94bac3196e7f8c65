//! The bots' own threads: here they think, and never in a hall.
//!
//! A question waits in a bounded queue, and for a place in it if it is full; only bots are late then.
//! A bot sees what its seat sees and nothing else. What it thinks of it is the room's to judge.

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bots::Budget;
use game_api::{Seed, Seen};
use play::room::{BotChoice, Question};
use tokio::sync::{mpsc, oneshot};

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
    /// None once they close.
    queue: Mutex<Option<mpsc::Sender<Job>>>,
    is_closing: Arc<AtomicBool>,
    pause_ms: u64,
}

struct Job {
    question: Box<Question>,
    asked: Instant,
    answer: oneshot::Sender<Option<BotChoice>>,
}

/// What every thread has.
#[derive(Clone)]
struct Thinker {
    bots: Arc<Roster>,
    think_ms: u64,
    /// How many such threads there are.
    threads: usize,
    is_closing: Arc<AtomicBool>,
}

impl Thinkers {
    pub(crate) fn new(config: &config::Bots, bots: &Arc<Roster>) -> std::io::Result<Thinkers> {
        let (queue, jobs) = mpsc::channel(usize::from(config.queue.get()));
        let jobs = Arc::new(Mutex::new(jobs));
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let threads = config.threads.map_or((cores / 2).max(1), |threads| threads.get().into());
        let is_closing = Arc::new(AtomicBool::new(false));
        let think_ms = u64::from(config.think_ms.get());
        for number in 0..threads {
            let (bots, is_closing) = (bots.clone(), is_closing.clone());
            let thinker = Thinker { bots, think_ms, threads, is_closing };
            let jobs = jobs.clone();
            let thread = std::thread::Builder::new().name(format!("bot-{number}"));
            thread.spawn(move || thinker.run(&jobs))?;
        }
        let (queue, pause_ms) = (Mutex::new(Some(queue)), u64::from(config.pause_ms));
        Ok(Thinkers { queue, is_closing, pause_ms })
    }

    /// Lets a bot decide; nothing if it failed.
    pub(crate) async fn ask(&self, question: Box<Question>) -> Result<Option<BotChoice>, Closing> {
        let asked = Instant::now();
        let most_ms = question.left_ms.map_or(u64::MAX, |left_ms| left_ms / PAUSE_PART);
        let pause = Duration::from_millis(self.pause_ms.min(most_ms));
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let queue = queue.ok_or(Closing)?;
        let (answer, answered) = oneshot::channel();
        let job = Job { question, asked, answer };
        queue.send(job).await.map_err(|_| Closing)?;
        drop(queue);
        let choice = answered.await.map_err(|_| Closing)?;
        tokio::time::sleep(pause.saturating_sub(asked.elapsed())).await;
        Ok(choice)
    }

    /// Ends what is thought about, and the threads.
    pub(crate) fn close(&self) {
        self.is_closing.store(true, Ordering::Relaxed);
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Thinker {
    fn run(&self, jobs: &Mutex<mpsc::Receiver<Job>>) {
        // Of this thread alone. If the system does not want it, bots are as important as rooms.
        let _ = rustix::process::nice(NICENESS);
        loop {
            let (job, waiting) = {
                let mut jobs = jobs.lock().unwrap_or_else(PoisonError::into_inner);
                (jobs.blocking_recv(), jobs.len())
            };
            let Some(Job { question, asked, answer }) = job else {
                return;
            };
            // Whoever asked is gone if nobody listens; an answer of the last moment is none.
            if !answer.is_closed() && !self.is_closing() {
                let think_ms = share(self.think_ms, waiting, self.threads);
                let choice = self.decide(&question, asked, think_ms, || answer.is_closed());
                if !self.is_closing() {
                    let _ = answer.send(choice);
                }
            }
        }
    }

    fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Relaxed)
    }

    fn decide(
        &self,
        question: &Question,
        asked: Instant,
        think_ms: u64,
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
        let end = Instant::now() + allowance(think_ms, left_ms);
        let is_up = || Instant::now() >= end || self.is_closing() || is_unwanted();
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

/// How long a bot may think while others wait: all are to have their answer in about the time of one.
fn share(think_ms: u64, waiting: usize, threads: usize) -> u64 {
    let rounds = u64::try_from(1 + waiting / threads).unwrap_or(u64::MAX);
    (think_ms / rounds).max(think_ms.min(THINK_MIN_MS))
}

/// How long a bot may think: less if its clock is short.
fn allowance(think_ms: u64, left_ms: Option<u64>) -> Duration {
    let fair_ms = left_ms.map_or(u64::MAX, |left_ms| left_ms / DECISIONS_LEFT);
    Duration::from_millis(think_ms.min(fair_ms.max(THINK_MIN_MS)))
}

#[cfg(test)]
mod tests {
    use super::{allowance, share};

    #[test]
    fn the_more_bots_wait_the_less_each_thinks() {
        let check = |waiting: usize, threads: usize, expected_ms: u64| {
            assert_eq!(share(1000, waiting, threads), expected_ms, "{waiting} {threads}");
        };
        check(0, 1, 1000);
        check(1, 1, 500);
        check(1, 2, 1000);
        check(31, 1, 31);
        check(1023, 1, 10);
        assert_eq!(share(5, 100, 1), 5);
    }

    #[test]
    fn a_short_clock_makes_a_bot_think_less() {
        let check = |left_ms: Option<u64>, expected_ms: u128| {
            assert_eq!(allowance(1000, left_ms).as_millis(), expected_ms, "{left_ms:?}");
        };
        check(None, 1000);
        check(Some(600_000), 1000);
        check(Some(20_000), 500);
        check(Some(2_000), 50);
        check(Some(0), 10);
        assert_eq!(allowance(5, Some(100)).as_millis(), 5);
    }
}
