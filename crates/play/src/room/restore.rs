//! A room from its log.

use std::collections::{BTreeMap, BTreeSet};

use game_api::{Entry, EntryKind, Kept, Refused, Telling};

use super::{Room, Setup, situation};
use crate::clock::MatchClock;

/// A log that these rules cannot play.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("entry {ply} does not replay: {code}")]
pub struct Unreplayable {
    /// Which entry.
    pub ply: u32,
    /// The refusal's key.
    pub code: &'static str,
}

impl Room {
    /// The room as it was after the last of these entries.
    pub fn restore(setup: Setup, entries: &[Entry]) -> Result<Room, Unreplayable> {
        Room::restore_past(setup, entries, |_, _| ())
    }

    /// What the seat whose doing it was had left after each of these entries; nothing where that was
    /// nobody's, or no time was measured.
    pub fn clocks_ms(setup: Setup, entries: &[Entry]) -> Result<Vec<Option<u64>>, Unreplayable> {
        let mut clocks_ms = Vec::with_capacity(entries.len());
        Room::restore_past(setup, entries, |room, entry| {
            let left_ms = entry.seat.and_then(|seat| room.clock.remaining_ms(seat, room.now_ms));
            clocks_ms.push(left_ms);
        })?;
        Ok(clocks_ms)
    }

    /// Restores a room, and looks at it after each entry.
    fn restore_past(
        setup: Setup,
        entries: &[Entry],
        mut look: impl FnMut(&Room, &Entry),
    ) -> Result<Room, Unreplayable> {
        let mut room = Room::open(setup);
        room.sheet.tear();
        let targets: BTreeSet<u32> = entries.iter().filter_map(takeback_target).collect();
        // What takebacks may still go back to, by the ply of the entry after it.
        let mut past: BTreeMap<u32, Past> = BTreeMap::new();
        let last_ms = entries.last().map_or(0, |last| last.at_ms);
        for (index, entry) in entries.iter().enumerate() {
            let is_recent = entries.len() - index <= RECENT_ENTRIES;
            let unreplayable = |code| Unreplayable { ply: entry.ply, code };
            let fault = |refused: Refused| unreplayable(refused.code);
            if entry.ply != room.ply() {
                return Err(unreplayable("no_such_ply"));
            }
            room.now_ms = room.now_ms.max(entry.at_ms);
            if targets.contains(&entry.ply) {
                let clock = room.clock.charged(room.now_ms);
                past.insert(entry.ply, Past { state: room.contest.keep(), clock });
            }
            if let Some(to_ply) = takeback_target(entry) {
                let then = past.split_off(&to_ply).remove(&to_ply);
                let then = then.ok_or_else(|| unreplayable("no_such_ply"))?;
                room.take_back(to_ply, then).map_err(fault)?;
            } else if room.replay(entry, is_recent).map_err(fault)? {
                past.clear();
            }
            look(&room, entry);
            let next = entries.get(index + 1);
            if next.is_none_or(|next| room.is_late(next.at_ms, last_ms)) {
                room.hold_for_spectators();
            }
        }
        room.wake_ms = None;
        Ok(room)
    }

    /// Takes an entry that is no takeback; true if no takeback may go past it.
    fn replay(&mut self, entry: &Entry, is_recent: bool) -> Result<bool, Refused> {
        let missing = || Refused { code: "no_such_seat", message: "whose?".to_owned() };
        let before = situation(&*self.contest);
        match &entry.kind {
            EntryKind::Act(text) => {
                let seat = entry.seat.ok_or_else(missing)?;
                let viewers = is_recent.then(|| game_api::Viewer::all(self.contest.seats()));
                let mut telling = Telling::to(viewers.into_iter().flatten());
                let is_lasting = self.contest.act(seat, text, &mut telling)?;
                // Whoever acted had come.
                self.met = self.met.with(seat);
                if entry.nonce != 0 {
                    self.nonces.remember(seat, entry.nonce, self.ply());
                }
                self.follow_act(seat, before, is_lasting);
                if is_recent {
                    self.recent.remember(self.ply(), &telling);
                }
                return Ok(is_lasting);
            }
            EntryKind::Forfeit(cause) => {
                let seat = entry.seat.ok_or_else(missing)?;
                self.contest.forfeit(seat, *cause)?;
                self.out = self.out.with(seat);
                self.line.clear();
            }
            EntryKind::Agree(game_api::Agreement::Draw) => self.contest.agree_draw()?,
            EntryKind::Abort => self.contest.abort()?,
            EntryKind::Pause => {
                self.contest.mark_time()?;
                self.clock.pause(self.now_ms);
                self.is_paused = true;
                return Ok(false);
            }
            EntryKind::Resume => {
                self.contest.mark_time()?;
                self.is_paused = false;
                self.clock.resume(self.now_ms);
                return Ok(false);
            }
            EntryKind::Takeback(_) => {}
        }
        self.unpause();
        self.follow(None, before);
        Ok(true)
    }

    fn take_back(&mut self, to_ply: u32, then: Past) -> Result<(), Refused> {
        self.contest.go_back(then.state)?;
        self.has_takeback = true;
        self.line.go_back(to_ply);
        for seat in self.contest.to_act().iter() {
            self.opened[seat.index()] = self.ply();
        }
        self.clock.take_back(self.now_ms, &then.clock);
        Ok(())
    }
}

/// The match before an entry that is taken back later.
struct Past {
    state: Kept,
    clock: MatchClock,
}

fn takeback_target(entry: &Entry) -> Option<u32> {
    match entry.kind {
        EntryKind::Takeback(to_ply) => Some(to_ply),
        _ => None,
    }
}

/// So many events at the end of the log are told again, for those who return.
const RECENT_ENTRIES: usize = 32;
