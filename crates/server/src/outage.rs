//! Whether the database fails, and what the log says of it: a line when it goes, a line when it is
//! back, and between them at most one a second with the number of failures.
//!
//! Those who meet a failure count it here instead of writing a line each: on a full disk that would be
//! hundreds a second, perhaps onto the same disk.

use std::sync::{Mutex, MutexGuard, PoisonError};

use storage::StorageError;

#[derive(Default)]
pub(crate) struct Outage(Mutex<State>);

#[derive(Default)]
struct State {
    is_down: bool,
    /// Failures since the last line, and one of them.
    failures: u64,
    error: Option<String>,
}

/// A line for the log.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Down {
        failures: u64,
        error: String,
    },
    StillDown {
        failures: u64,
        error: String,
    },
    Back,
    /// It failed, but answers now.
    Failed {
        failures: u64,
        error: String,
    },
}

impl Outage {
    /// Counts an error that means that the database does not answer. False for any other, which is the
    /// caller's to log.
    pub(crate) fn counts(&self, error: &StorageError) -> bool {
        let is_outage = matches!(error, StorageError::Unavailable(_));
        if is_outage {
            self.count(error);
        }
        is_outage
    }

    /// Counts a failure, with its cause.
    pub(crate) fn count(&self, cause: impl std::fmt::Display) {
        let mut state = self.state();
        state.failures += 1;
        if state.error.is_none() {
            state.error = Some(cause.to_string());
        }
    }

    /// Whether somebody has met a failure since the last look, or the database was down then.
    pub(crate) fn is_suspected(&self) -> bool {
        let state = self.state();
        state.is_down || state.failures > 0
    }

    /// Logs what has changed. To be called once a second with what the database answered just now.
    pub(crate) fn look(&self, answer: Result<(), StorageError>) {
        match self.next_line(answer) {
            Some(Line::Down { failures, error }) => {
                tracing::error!(error, failures, "the database does not answer");
            }
            Some(Line::StillDown { failures, error }) => {
                tracing::error!(error, failures, "the database still does not answer");
            }
            Some(Line::Back) => tracing::info!("the database answers again"),
            Some(Line::Failed { failures, error }) => {
                tracing::error!(error, failures, "the database answers, but not always");
            }
            None => {}
        }
    }

    fn next_line(&self, answer: Result<(), StorageError>) -> Option<Line> {
        let mut state = self.state();
        let (was_down, failures) = (state.is_down, std::mem::take(&mut state.failures));
        let cause = state.error.take();
        match answer {
            Err(answer) => {
                state.is_down = true;
                let error = answer.to_string();
                match (was_down, failures) {
                    (false, _) => Some(Line::Down { failures, error }),
                    (true, 0) => None,
                    (true, _) => Some(Line::StillDown { failures, error }),
                }
            }
            Ok(()) if was_down => {
                state.is_down = false;
                Some(Line::Back)
            }
            Ok(()) if failures > 0 => {
                Some(Line::Failed { failures, error: cause.unwrap_or_default() })
            }
            Ok(()) => None,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use storage::StorageError;

    use super::{Line, Outage};

    fn full() -> StorageError {
        StorageError::unavailable("the disk is full")
    }

    fn check(outage: &Outage, answer: Result<(), StorageError>, expected: Option<&Line>) {
        assert_eq!(outage.next_line(answer).as_ref(), expected);
    }

    #[test]
    fn however_much_fails_a_look_says_one_line() {
        let (outage, error) = (Outage::default(), full().to_string());
        check(&outage, Ok(()), None);
        assert!(!outage.is_suspected());
        (0..300).for_each(|_| assert!(outage.counts(&full())));
        assert!(outage.is_suspected());
        let line = Line::Down { failures: 300, error: error.clone() };
        check(&outage, Err(full()), Some(&line));
        check(&outage, Err(full()), None);
        (0..7).for_each(|_| assert!(outage.counts(&full())));
        check(&outage, Err(full()), Some(&Line::StillDown { failures: 7, error }));
        assert!(outage.is_suspected(), "until it is seen to be back");
        check(&outage, Ok(()), Some(&Line::Back));
        check(&outage, Ok(()), None);
    }

    #[test]
    fn what_fails_between_two_looks_is_said_too() {
        let outage = Outage::default();
        assert!(outage.counts(&full()));
        let line = Line::Failed { failures: 1, error: full().to_string() };
        check(&outage, Ok(()), Some(&line));
        check(&outage, Ok(()), None);
    }

    #[test]
    fn other_errors_are_the_callers() {
        let outage = Outage::default();
        assert!(!outage.counts(&StorageError::corrupt("a row")));
        check(&outage, Ok(()), None);
    }
}
