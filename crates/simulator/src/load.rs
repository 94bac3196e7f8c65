//! How a house gets a room: it reads the match and becomes its owner. A likeness of
//! `server::actors::load`.

use domain::MatchId;
use game_api::Entry;
use play::room::{Effect, Input, MemberId, Room};
use protocol::Code;
use storage::{Change, MatchStatus, StorageError};

use crate::ground::{Ground, LEASE_MS};
use crate::house::{House, State};
use crate::ledger::setup;
use crate::plan::Sabotage;
use crate::store::Job;
use crate::violated;

/// A room that is being read.
#[derive(Default)]
pub(crate) struct Loading {
    /// The one that was there before.
    earlier: Option<Box<Room>>,
    /// The one that will be, once the match is ours: with its epoch and the end of the lease.
    next: Option<(Box<Room>, u32, u64)>,
}

impl Loading {
    pub(crate) fn after(earlier: Box<Room>) -> Loading {
        Loading { earlier: Some(earlier), next: None }
    }

    pub(crate) fn members(&self) -> Vec<MemberId> {
        self.earlier.iter().flat_map(|room| room.members()).collect()
    }
}

/// In which epoch a house has a match already: then time went on for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) epoch: u32,
    /// Something may still be stored in this epoch that the house knows nothing of.
    pub(crate) is_unsure: bool,
}

impl House {
    /// Reads a match, and makes it ours unless it is.
    pub(crate) fn load(&mut self, ground: &mut Ground, match_id: MatchId, held: Option<Held>) {
        if ground.fault(20) {
            return self.not_loaded(ground, match_id, Code::Unavailable);
        }
        let Some(row) = ground.store.row(match_id) else {
            return self.not_loaded(ground, match_id, Code::MatchNotFound);
        };
        ground.tally.loads += 1;
        let now_ms = self.now_ms(ground);
        let is_running = row.status == MatchStatus::Running;
        let held = held.filter(|held| held.epoch == row.epoch);
        let is_held = held.is_some_and(|held| !held.is_unsure);
        let is_ours = row.owner.as_ref().is_none_or(|owner| *owner == self.name);
        if is_running && !is_held && !is_ours && row.lease_until_ms > now_ms {
            return self.not_loaded(ground, match_id, Code::Busy);
        }
        let mut entries = ground.store.entries(match_id, 0);
        sabotage(ground, &mut entries, now_ms);
        let is_taken = is_running && !is_held;
        let epoch = if is_taken { row.epoch + 1 } else { row.epoch };
        let settings = serde_json::from_str(&row.settings).unwrap_or_default();
        let mut room = match Room::restore(setup(&row, &settings, epoch), &entries) {
            Ok(room) => Box::new(room),
            Err(error) => violated("the log replays", format!("{match_id}: {error}")),
        };
        if !is_taken {
            return self.loaded(ground, match_id, room, epoch, None);
        }
        let until_ms = now_ms + LEASE_MS;
        let owner = self.name.clone();
        let mut unit = vec![Change::TakeLease { match_id, owner, epoch: row.epoch, until_ms }];
        if held.is_none() {
            unit.extend(room.resume(now_ms).map(|entry| Change::Append { match_id, entry }));
        }
        if let Some(State::Loading(loading)) =
            self.slots.get_mut(&match_id).map(|slot| &mut slot.state)
        {
            loading.next = Some((room, epoch, until_ms));
        }
        ground.commit(self.id, self.life, Job::Take(match_id), unit);
    }

    /// The match is ours, or not.
    pub(crate) fn taken(
        &mut self,
        ground: &mut Ground,
        match_id: MatchId,
        answer: Result<(), StorageError>,
    ) {
        let Some(State::Loading(loading)) =
            self.slots.get_mut(&match_id).map(|slot| &mut slot.state)
        else {
            return;
        };
        let next = loading.next.take();
        match (answer, next) {
            (Ok(()), Some((room, epoch, until_ms))) => {
                // The owner before may have stored something after the log was read.
                let is_whole = ground.store.entries(match_id, room.ply()).is_empty();
                if is_whole || ground.is_sabotaged(Sabotage::ReadBeforeLease) {
                    self.loaded(ground, match_id, room, epoch, Some(until_ms));
                } else {
                    self.not_loaded(ground, match_id, Code::Unavailable);
                }
            }
            _ => self.not_loaded(ground, match_id, Code::Unavailable),
        }
    }

    fn loaded(
        &mut self,
        ground: &mut Ground,
        match_id: MatchId,
        mut room: Box<Room>,
        epoch: u32,
        lease_until_ms: Option<u64>,
    ) {
        let Some(slot) = self.slots.get_mut(&match_id) else {
            return;
        };
        slot.epoch = epoch;
        slot.lease_until_ms = lease_until_ms.unwrap_or(slot.lease_until_ms);
        let state = std::mem::replace(&mut slot.state, State::Loading(Loading::default()));
        let mut effects = Vec::new();
        if let State::Loading(Loading { earlier: Some(earlier), .. }) = state {
            room.adopt(&earlier, &mut effects);
        } else {
            effects.extend(room.wake_at().map(Effect::WakeAt));
        }
        slot.state = State::Ready(room);
        self.perform(ground, match_id, effects, None);
        self.take(ground, match_id, Input::Tick, None);
        self.go_on(ground, match_id);
    }
}

fn sabotage(ground: &Ground, entries: &mut [Entry], now_ms: u64) {
    if ground.is_sabotaged(Sabotage::ForgetNonces) {
        for entry in entries.iter_mut() {
            entry.nonce = 0;
        }
    }
    if ground.is_sabotaged(Sabotage::GiveTimeBack)
        && let Some(last) = entries.last_mut()
    {
        last.at_ms = now_ms.max(last.at_ms);
    }
}
