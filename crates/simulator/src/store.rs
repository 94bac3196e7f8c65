//! A store that is asked now and answers later: units land in any order between matches, fail, are
//! done although they are answered as failed, are done later than that, or are done twice.

use std::collections::BTreeMap;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use domain::{MatchId, PlayerId};
use game_api::{Entry, Seat};
use storage::{
    Change, MatchResult, MatchRow, MemoryStore, Profile, StorageError, Store as _, Thing, Unit,
};

use crate::plan::Sabotage;

/// What a house waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// An entry.
    Append(MatchId),
    /// Becoming the owner.
    Take(MatchId),
    /// Staying the owner until this time.
    Renew(MatchId, u64),
    /// The match `next` after this one.
    Rematch { match_id: MatchId, seat: Seat, next: MatchId },
    /// Nobody waits for it.
    Apart,
}

/// A unit on its way.
struct Commit {
    house: usize,
    life: u32,
    job: Job,
    unit: Unit,
    /// How often it still lands.
    landings: u32,
    answer: Option<Result<(), StorageError>>,
    is_answer_lost: bool,
    is_answered: bool,
}

/// What becomes of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is done, then answered.
    Done,
    /// It is not done, and this is answered.
    Failed,
    /// It is done, and answered as failed: before that, or after it.
    AnswerLost,
    /// It is done, done again, then answered.
    Repeated,
}

#[derive(Default)]
pub(crate) struct SimStore {
    memory: MemoryStore,
    commits: BTreeMap<u64, Commit>,
    count: u64,
    sabotage: Option<Sabotage>,
}

impl SimStore {
    pub(crate) fn new(sabotage: Option<Sabotage>) -> SimStore {
        SimStore { sabotage, ..SimStore::default() }
    }

    /// Takes a unit; its landings and its answer are the world's to bring about.
    pub(crate) fn send(
        &mut self,
        house: usize,
        life: u32,
        job: Job,
        unit: Unit,
        fate: Fate,
    ) -> u64 {
        self.count += 1;
        let landings = match fate {
            Fate::Failed => 0,
            Fate::Done | Fate::AnswerLost => 1,
            Fate::Repeated => 2,
        };
        let is_answer_lost = matches!(fate, Fate::Failed | Fate::AnswerLost);
        let commit = Commit {
            house,
            life,
            job,
            unit,
            landings,
            answer: None,
            is_answer_lost,
            is_answered: false,
        };
        self.commits.insert(self.count, commit);
        self.count
    }

    /// Does a unit, unless it was forgotten; gives the matches that it may have changed.
    pub(crate) fn land(&mut self, number: u64) -> Vec<MatchId> {
        let Some(commit) = self.commits.get_mut(&number) else {
            return Vec::new();
        };
        if commit.landings == 0 {
            return Vec::new();
        }
        commit.landings -= 1;
        let mut unit = commit.unit.clone();
        if self.sabotage == Some(Sabotage::AcceptZombies)
            && let Some(Change::Append { match_id, entry }) = unit.first_mut()
        {
            let row = ready(self.memory.find_match(*match_id)).ok().flatten();
            entry.epoch = row.map_or(entry.epoch, |row| row.epoch);
        }
        let is_lost = self.sabotage == Some(Sabotage::LoseEntry) && number.is_multiple_of(64);
        let touched = unit.iter().filter_map(touched).collect();
        commit.answer = Some(if is_lost { Ok(()) } else { ready(self.memory.commit(unit)) });
        let is_over = commit.is_answered && commit.landings == 0;
        if is_over {
            self.commits.remove(&number);
        }
        touched
    }

    /// The answer to a unit, once.
    pub(crate) fn answer(&mut self, number: u64) -> Option<(Job, Result<(), StorageError>)> {
        let commit = self.commits.get_mut(&number)?;
        commit.is_answered = true;
        let job = commit.job;
        let answer = match &commit.answer {
            _ if commit.is_answer_lost => Err(StorageError::unavailable("no answer")),
            Some(answer) => answer.clone(),
            None => Err(StorageError::unavailable("nothing was done")),
        };
        if commit.landings == 0 {
            self.commits.remove(&number);
        }
        Some((job, answer))
    }

    /// Which house sent a unit, in which of its lives.
    pub(crate) fn sender(&self, number: u64) -> Option<(usize, u32)> {
        self.commits.get(&number).map(|commit| (commit.house, commit.life))
    }

    /// A house is gone: what it sent is done, or not.
    pub(crate) fn forget(&mut self, house: usize, mut is_lost: impl FnMut() -> bool) {
        self.commits.retain(|_, commit| commit.house != house || !is_lost());
    }

    /// Does a unit at once, to prepare a run.
    pub(crate) fn prepare(&self, unit: Unit) -> Result<(), StorageError> {
        ready(self.memory.commit(unit))
    }

    pub(crate) fn row(&self, id: MatchId) -> Option<MatchRow> {
        ready(self.memory.find_match(id)).ok().flatten()
    }

    pub(crate) fn entries(&self, id: MatchId, from_ply: u32) -> Vec<Entry> {
        ready(self.memory.entries(id, from_ply)).unwrap_or_default()
    }

    pub(crate) fn result(&self, id: MatchId) -> Option<MatchResult> {
        ready(self.memory.find_result(id)).ok().flatten()
    }

    pub(crate) fn profile(&self, id: PlayerId) -> Option<Profile> {
        ready(self.memory.find_profile(id)).ok().flatten()
    }
}

/// Whether an error leaves nothing that could still be stored.
pub(crate) fn is_refusal(error: &StorageError) -> bool {
    matches!(error, StorageError::Conflict(_) | StorageError::NotFound(_))
}

/// Whether a unit was refused since the match has another owner.
pub(crate) fn is_fenced(answer: &Result<(), StorageError>) -> bool {
    *answer == Err(StorageError::Conflict(Thing::Match))
}

fn touched(change: &Change) -> Option<MatchId> {
    match change {
        Change::CreateMatch(new) => Some(new.id),
        Change::Append { match_id, .. } | Change::TakeLease { match_id, .. } => Some(*match_id),
        _ => None,
    }
}

/// The value of a future that never waits, as those of the store in memory are.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => crate::violated("the store in memory answers at once", "it waits"),
    }
}
