//! What is going to happen, and when. What it means is the world's.

use std::collections::BTreeMap;

use domain::MatchId;
use play::room::Input;
use protocol::ws::ClientMessage;

use crate::load::Held;

/// Something that happens at its time.
pub(crate) enum Event {
    /// A message of a client arrives.
    Hear { wire: u64, message: ClientMessage },
    /// A house notices that a connection is gone.
    Gone { wire: u64 },
    /// A client reads.
    Read { wire: u64 },
    /// A client does something.
    Think { client: usize },
    /// The store does a unit.
    Land { commit: u64 },
    /// The store answers.
    Answer { commit: u64 },
    /// A house reads a match.
    Load { house: usize, life: u32, match_id: MatchId, held: Option<Held> },
    /// A time that a room has asked for has come.
    Wake { house: usize, life: u32 },
    /// A bot of a house has decided.
    Decide { house: usize, life: u32, match_id: MatchId, input: Input },
    /// A house looks after its rooms.
    Sweep { house: usize, life: u32 },
    /// A house starts again.
    Restart { house: usize },
    /// Something goes wrong.
    Trouble,
}

/// Events by their time; those of one moment in the order in which they were added.
#[derive(Default)]
pub(crate) struct Agenda {
    events: BTreeMap<(u64, u64), Event>,
    added: u64,
}

impl Agenda {
    pub(crate) fn add(&mut self, at_ms: u64, event: Event) {
        self.added += 1;
        self.events.insert((at_ms, self.added), event);
    }

    /// Whether something like this is going to happen.
    pub(crate) fn has(&self, is_it: impl Fn(&Event) -> bool) -> bool {
        self.events.values().any(is_it)
    }

    pub(crate) fn next(&mut self) -> Option<(u64, Event)> {
        self.events.pop_first().map(|((at_ms, _), event)| (at_ms, event))
    }
}
