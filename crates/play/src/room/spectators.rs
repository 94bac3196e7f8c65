//! Spectators who see everything late: what they may see next waits here.

use std::collections::VecDeque;

use game_api::Viewer;

use super::{Effect, Letter, Room, To};

/// More waiting states than a match has in the longest delay, unless it is played by machines; then
/// the oldest are passed over.
const HELD_MAX: usize = 256;

pub(super) struct Delay {
    late_ms: u64,
    held: VecDeque<(u64, Letter)>,
    /// What a spectator sees who comes now.
    pub(super) shown: Letter,
}

impl Delay {
    pub(super) fn new(late_ms: u64, shown: Letter) -> Delay {
        Delay { late_ms, held: VecDeque::new(), shown }
    }

    pub(super) fn due_ms(&self) -> Option<u64> {
        self.held.front().map(|(due_ms, _)| *due_ms)
    }
}

impl Room {
    /// Keeps how the match stands now until spectators may see it; the end is no secret.
    pub(super) fn hold_for_spectators(&mut self) {
        if self.delay.is_none() {
            return;
        }
        let letter = self.snapshot(Viewer::Spectator, None);
        let now_ms = self.now_ms;
        let is_over = self.is_over();
        if let Some(delay) = &mut self.delay {
            if is_over {
                delay.held.clear();
            }
            if delay.held.len() == HELD_MAX {
                delay.held.pop_front();
            }
            let late_ms = if is_over { 0 } else { delay.late_ms };
            delay.held.push_back((now_ms + late_ms, letter));
        }
    }

    pub(super) fn release_spectators(&mut self, effects: &mut Vec<Effect>) {
        let now_ms = self.now_ms;
        let Some(delay) = &mut self.delay else {
            return;
        };
        while delay.due_ms().is_some_and(|due_ms| due_ms <= now_ms) {
            if let Some((_, letter)) = delay.held.pop_front() {
                effects.push(Effect::send(To::Viewer(Viewer::Spectator), letter.clone()));
                delay.shown = letter;
            }
        }
    }

    /// Shows spectators again what the room before this one has shown them last.
    pub(super) fn show_spectators(&mut self, effects: &mut Vec<Effect>) {
        // What was due before is seen already.
        self.release_spectators(&mut Vec::new());
        if let Some(delay) = &self.delay {
            let letter = delay.shown.clone();
            effects.push(Effect::send(To::Viewer(Viewer::Spectator), letter));
        }
    }

    /// Whether spectators may not know yet at `now_ms` what happened at `at_ms`.
    pub(super) fn is_late(&self, at_ms: u64, now_ms: u64) -> bool {
        self.delay.as_ref().is_some_and(|delay| at_ms + delay.late_ms > now_ms)
    }

    pub(super) fn is_shown_at_once(&self, viewer: Viewer) -> bool {
        self.delay.is_none() || viewer.seat().is_some()
    }
}
