//! A queue of jobs that divides working time equally among the keys that wait (start-time fair
//! queueing). No threads and no clock: the caller says how long each job took.
//!
//! Each key is charged for the time that its jobs take, and the key with the least charge is next. A
//! key that returns after a pause has a bounded credit, so its first job goes ahead of the jobs of
//! keys that have been served all along.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// No slice is shorter: a bot needs it for something better than chance.
const SLICE_MIN: Duration = Duration::from_millis(10);

/// Jobs by the key that waits for them.
pub(crate) struct FairQueue<K, J> {
    accounts: BTreeMap<K, Account<J>>,
    /// The largest charge at which a job was taken. A key that joins starts at most `slice` below it.
    front: Duration,
    /// What one job may take when no other waits.
    slice: Duration,
    turns: u64,
}

struct Account<J> {
    jobs: VecDeque<J>,
    charged: Duration,
    /// Breaks ties: the key that was taken, or came, first is next.
    turn: u64,
}

/// A job that is taken, and how long it may take.
pub(crate) struct Turn<K, J> {
    pub(crate) key: K,
    pub(crate) job: J,
    /// Its part of the time; [`FairQueue::settle`] replaces it by what was used.
    pub(crate) slice: Duration,
}

impl<K: Copy + Ord, J> FairQueue<K, J> {
    /// An empty queue; a job alone may take `slice`.
    pub(crate) fn new(slice: Duration) -> FairQueue<K, J> {
        FairQueue { accounts: BTreeMap::new(), front: slice, slice, turns: 0 }
    }

    /// What a key is charged so far, to choose among several that a job is for.
    pub(crate) fn charged(&self, key: K) -> Duration {
        let least = self.front.saturating_sub(self.slice);
        self.accounts.get(&key).map_or(least, |account| account.charged.max(least))
    }

    pub(crate) fn push(&mut self, key: K, job: J) {
        let (charged, turn) = (self.charged(key), self.next_turn());
        let account = self.accounts.entry(key).or_insert_with(|| Account {
            jobs: VecDeque::new(),
            charged,
            turn,
        });
        if account.jobs.is_empty() {
            (account.charged, account.turn) = (charged, turn);
        }
        account.jobs.push_back(job);
    }

    /// Takes the next job that is still wanted, to be worked on by one of so many workers. The slices
    /// of all that wait end in about the time that one job alone would take.
    pub(crate) fn pop(
        &mut self,
        workers: usize,
        is_wanted: impl Fn(&J) -> bool,
    ) -> Option<Turn<K, J>> {
        let least = self.front.saturating_sub(self.slice);
        self.accounts.retain(|_, account| {
            account.jobs.retain(&is_wanted);
            !account.jobs.is_empty() || account.charged > least
        });
        let waiting = self.accounts.iter().filter(|(_, account)| !account.jobs.is_empty());
        let keys = waiting.clone().count();
        let next = waiting.min_by_key(|(_, account)| (account.charged, account.turn));
        let Some(key) = next.map(|(key, _)| *key) else {
            // Nothing waits: all start equal again.
            self.accounts.clear();
            return None;
        };
        let turn = self.next_turn();
        let account = self.accounts.get_mut(&key)?;
        let own = account.jobs.len();
        let rounds = u32::try_from(keys.div_ceil(workers) * own).unwrap_or(u32::MAX);
        let slice = (self.slice / rounds).max(SLICE_MIN.min(self.slice));
        let job = account.jobs.pop_front()?;
        self.front = self.front.max(account.charged);
        account.charged += slice;
        account.turn = turn;
        Some(Turn { key, job, slice })
    }

    /// Charges a key for what its job used instead of the slice that it was given.
    pub(crate) fn settle(&mut self, key: K, slice: Duration, used: Duration) {
        if let Some(account) = self.accounts.get_mut(&key) {
            account.charged = account.charged.saturating_sub(slice) + used;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.accounts.clear();
    }

    fn next_turn(&mut self) -> u64 {
        self.turns += 1;
        self.turns
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::FairQueue;

    const SLICE: Duration = Duration::from_secs(1);

    fn queue(jobs: &[(char, u32)]) -> FairQueue<char, u32> {
        let mut queue = FairQueue::new(SLICE);
        for (key, job) in jobs {
            queue.push(*key, *job);
        }
        queue
    }

    /// Works on jobs one after the other, each for its whole slice; gives their keys.
    fn work(queue: &mut FairQueue<char, u32>, count: usize) -> String {
        let turns = (0..count).map_while(|_| queue.pop(1, |_| true));
        turns.map(|turn| turn.key).collect()
    }

    #[test]
    fn those_who_wait_are_served_in_turn_however_much_each_wants() {
        let mut queue = queue(&[('a', 1), ('a', 2), ('a', 3), ('b', 1), ('c', 1), ('c', 2)]);
        assert_eq!(work(&mut queue, 9), "abcaca");
    }

    #[test]
    fn who_comes_new_goes_ahead_of_all_who_were_served() {
        let crowd: Vec<(char, u32)> =
            ('a'..='z').flat_map(|key| (0..100).map(move |job| (key, job))).collect();
        let mut queue = queue(&crowd);
        // Until then all of the crowd are newcomers too.
        assert_eq!(work(&mut queue, 26), "abcdefghijklmnopqrstuvwxyz");
        for served in 1..60 {
            work(&mut queue, 1);
            let newcomer = char::from_u32(1000 + served).unwrap();
            queue.push(newcomer, 0);
            assert_eq!(work(&mut queue, 1), newcomer.to_string());
        }
    }

    #[test]
    fn a_pause_earns_about_one_slice_and_no_more() {
        let mut queue = queue(&[]);
        let work = |queue: &mut FairQueue<char, u32>| {
            let turn = queue.pop(1, |_| true).unwrap();
            queue.settle(turn.key, turn.slice, SLICE / 10);
            turn.key
        };
        (0..200).for_each(|job| queue.push('a', job));
        assert!((0..100).all(|_| work(&mut queue) == 'a'));
        (0..50).for_each(|job| queue.push('b', job));
        let lead = (0..50).take_while(|_| work(&mut queue) == 'b').count();
        assert!((10..=12).contains(&lead), "{lead}");
    }

    #[test]
    fn time_is_divided_by_what_is_used_and_not_by_the_number_of_jobs() {
        let mut queue = queue(&[]);
        for job in 0..1000 {
            queue.push('s', job);
            queue.push('q', job);
        }
        let mut used = [Duration::ZERO; 2];
        for _ in 0..300 {
            let turn = queue.pop(1, |_| true).unwrap();
            let taken = Duration::from_millis(if turn.key == 's' { 10 } else { 2 });
            queue.settle(turn.key, turn.slice, taken);
            used[usize::from(turn.key == 'q')] += taken;
        }
        let apart = used[0].abs_diff(used[1]);
        assert!(apart <= Duration::from_millis(20), "{used:?}");
    }

    #[test]
    fn the_more_wait_the_less_each_may_take() {
        let check = |keys: u32, jobs: u32, workers: usize, expected_ms: u64| {
            let mut queue = queue(&[]);
            for key in 0..keys {
                (0..jobs).for_each(|job| queue.push(char::from_u32(key).unwrap(), job));
            }
            let turn = queue.pop(workers, |_| true).unwrap();
            let expected = Duration::from_millis(expected_ms);
            assert_eq!(turn.slice, expected, "{keys} {jobs} {workers}");
        };
        check(1, 1, 1, 1000);
        check(2, 1, 1, 500);
        check(2, 1, 2, 1000);
        check(1, 2, 1, 500);
        check(1, 1000, 1, 10);
        check(40, 1, 1, 25);
        check(40, 100, 1, 10);
        let mut short = FairQueue::new(Duration::from_millis(5));
        (0..100).for_each(|job| short.push('a', job));
        assert_eq!(short.pop(1, |_| true).unwrap().slice, Duration::from_millis(5));
    }

    #[test]
    fn what_is_no_longer_wanted_takes_no_time_and_no_place() {
        let mut queue = queue(&[('a', 1), ('a', 2), ('b', 1), ('c', 2)]);
        let turn = queue.pop(1, |job| *job == 2).unwrap();
        assert_eq!((turn.key, turn.job, turn.slice), ('a', 2, SLICE / 2));
        assert_eq!(queue.pop(1, |job| *job == 2).unwrap().key, 'c');
        assert!(queue.pop(1, |_| true).is_none());
    }

    #[test]
    fn nothing_is_remembered_of_keys_that_wait_no_longer() {
        let mut queue = queue(&[]);
        for number in 0..10_000 {
            queue.push(char::from_u32(number % 5000 + 50_000).unwrap_or('a'), number);
            queue.push('b', number);
            work(&mut queue, 1);
        }
        while queue.pop(1, |_| true).is_some() {}
        assert!(queue.accounts.is_empty());
    }
}
