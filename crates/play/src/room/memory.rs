//! The little of the past that a room keeps at hand; all of it is in the log.

use game_api::{Seat, SeatSet, Telling, Viewer};
use protocol::NotationLine;

use super::Refusal;

/// The notations of all actions, each as its actor reads it: what is kept of a match that is over,
/// so that nobody has to read its log again then. Only a room that has seen the match from its
/// beginning has one, and only of a match that is not long: else the log tells.
#[derive(Default)]
pub(super) struct Sheet {
    /// For each action: how many entries of another kind came before it, the seat, the length of
    /// the text, the text.
    pub(super) bytes: Vec<u8>,
    next_ply: u32,
    is_torn: bool,
}

/// A match of usual length in any of the games, at most.
pub(super) const SHEET_BYTES_MAX: usize = 2048;
/// A dozen actions.
const SHEET_STEP_BYTES: usize = 96;

impl Sheet {
    /// The action that is the entry `ply`.
    pub(super) fn write(&mut self, ply: u32, seat: Seat, notation: &[u8]) {
        let skipped = ply.checked_sub(self.next_ply).and_then(|skipped| u8::try_from(skipped).ok());
        let seat = u8::try_from(seat.index()).ok();
        let length = u8::try_from(notation.len()).ok();
        let left = SHEET_BYTES_MAX - self.bytes.len();
        let added = 3 + notation.len();
        match (skipped, seat, length) {
            (Some(skipped), Some(seat), Some(length)) if !self.is_torn && added <= left => {
                if self.bytes.capacity() - self.bytes.len() < added {
                    // Doubling would take more than most matches need.
                    self.bytes.reserve_exact(SHEET_STEP_BYTES.max(added).min(left));
                }
                self.bytes.extend_from_slice(&[skipped, seat, length]);
                self.bytes.extend_from_slice(notation);
                self.next_ply = ply + 1;
            }
            _ => self.tear(),
        }
    }

    /// It does not tell the whole match any more.
    pub(super) fn tear(&mut self) {
        *self = Sheet { is_torn: true, ..Sheet::default() };
    }

    /// All of it, if it is whole.
    pub(super) fn lines(&self) -> Option<Vec<NotationLine>> {
        let mut lines = Vec::new();
        let mut rest = &self.bytes[..];
        let mut next_ply = 0;
        while let Some(([skipped, seat, length], after)) = rest.split_first_chunk() {
            let (text, after) = after.split_at_checked(usize::from(*length))?;
            let ply = next_ply + u32::from(*skipped);
            let text = String::from_utf8_lossy(text).into_owned();
            lines.push(NotationLine { ply, seat: Seat::new(*seat)?, text });
            next_ply = ply + 1;
            rest = after;
        }
        (!self.is_torn).then_some(lines)
    }
}

/// The actions that can still be taken back.
#[derive(Default)]
pub(super) struct Line {
    pub(super) steps: Vec<LineStep>,
    /// Whether something was forgotten because no takeback goes past it.
    has_lasting: bool,
}

#[derive(Clone, Copy)]
pub(super) struct LineStep {
    ply: u32,
    turn: u32,
    seat: Seat,
}

/// Nobody asks for more; it bounds the memory of a long match.
pub(super) const LINE_MAX: usize = 32;

impl Line {
    pub(super) fn push(&mut self, ply: u32, turn: u32, seat: Seat) {
        if self.steps.len() == LINE_MAX {
            self.steps.remove(0);
        }
        self.steps.push(LineStep { ply, turn, seat });
    }

    /// Nothing before this can be taken back.
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.has_lasting = true;
    }

    pub(super) fn go_back(&mut self, to_ply: u32) {
        self.steps.retain(|step| step.ply < to_ply);
    }

    /// Where a takeback of the last turn of one of these seats goes to.
    pub(super) fn target(&self, seats: SeatSet) -> Result<u32, Refusal> {
        let last = self.steps.iter().rposition(|step| seats.contains(step.seat));
        let last = last.ok_or(if self.has_lasting {
            Refusal::AlreadyRevealed
        } else {
            Refusal::NothingToTakeBack
        })?;
        let LineStep { turn, seat, .. } = self.steps[last];
        let of_turn = self.steps[..=last].iter().rev();
        let first = of_turn.take_while(|step| step.turn == turn && step.seat == seat).last();
        first.map(|step| step.ply).ok_or(Refusal::NothingToTakeBack)
    }
}

/// The latest actions' numbers, so that a repeated one gets its answer again. An older one is stale
/// by its ply, so it cannot happen twice either.
#[derive(Default)]
pub(super) struct Nonces(pub(super) Vec<(u64, u32, Seat)>);

pub(super) const NONCES_MAX: usize = 16;

impl Nonces {
    pub(super) fn remember(&mut self, seat: Seat, nonce: u64, ply: u32) {
        if self.0.len() == NONCES_MAX {
            self.0.remove(0);
        }
        self.0.push((nonce, ply, seat));
    }

    /// How many entries had happened after the action with this number.
    pub(super) fn find(&self, seats: SeatSet, nonce: u64) -> Option<u32> {
        let is_it = |(number, _, by): &&(u64, u32, Seat)| *number == nonce && seats.contains(*by);
        self.0.iter().find(is_it).map(|(_, ply, _)| *ply)
    }
}

/// The latest events, for those who were away for a moment: without a gap, so an entry that is no
/// action makes it begin anew. One block of bytes, since a match must
/// be small: records one after the other, the oldest first.
#[derive(Default)]
pub(super) struct Recent {
    pub(super) bytes: Vec<u8>,
    /// The ply after the oldest record; records have consecutive plies.
    first_ply: u32,
    count: u32,
}

/// Some ten events of a game with small ones.
pub(super) const RECENT_BYTES_MAX: usize = 768;
/// A bit a seat, and one for spectators.
const SPECTATOR_BIT: u16 = 1 << 15;

fn bit(viewer: Viewer) -> u16 {
    viewer.seat().map_or(SPECTATOR_BIT, |seat| 1 << seat.index())
}

/// What one or several viewers were told: who, the event's length, the notation's length, both
/// texts.
struct Group<'a> {
    viewers: u16,
    event: &'a [u8],
    notation: &'a [u8],
}

impl Group<'_> {
    fn length(&self) -> usize {
        3 * size_of::<u16>() + self.event.len() + self.notation.len()
    }
}

impl Recent {
    /// The event that led to `ply`.
    pub(super) fn remember(&mut self, ply: u32, telling: &Telling) {
        let mut groups: Vec<Group<'_>> = Vec::with_capacity(2);
        for told in telling.told() {
            let same = groups
                .iter_mut()
                .find(|group| (group.event, group.notation) == (told.event, told.notation));
            match same {
                Some(group) => group.viewers |= bit(told.viewer),
                None => groups.push(Group {
                    viewers: bit(told.viewer),
                    event: told.event,
                    notation: told.notation,
                }),
            }
        }
        if self.count == 0 || self.first_ply + self.count != ply {
            self.clear();
            self.first_ply = ply;
        }
        let added = 1 + groups.iter().map(Group::length).sum::<usize>();
        if added > RECENT_BYTES_MAX {
            // Too long to keep: whoever returns gets the view alone.
            self.clear();
            return;
        }
        let mut dropped = 0;
        while self.bytes.len() - dropped + added > RECENT_BYTES_MAX {
            dropped += record_length(&self.bytes[dropped..]);
            self.first_ply += 1;
            self.count -= 1;
        }
        self.bytes.drain(..dropped);
        // It fills up anyway; growing by doubling would take more than it may hold.
        self.bytes.reserve_exact(RECENT_BYTES_MAX - self.bytes.len());
        self.bytes.push(u8::try_from(groups.len()).unwrap_or(u8::MAX));
        for group in &groups {
            let length = |text: &[u8]| u16::try_from(text.len()).unwrap_or(u16::MAX);
            for number in [group.viewers, length(group.event), length(group.notation)] {
                self.bytes.extend_from_slice(&number.to_le_bytes());
            }
            self.bytes.extend_from_slice(group.event);
            self.bytes.extend_from_slice(group.notation);
        }
        self.count += 1;
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.count = 0;
    }

    /// What a viewer has missed who knows `since` entries of `ply`: ply, event and notation of
    /// each; nothing if some of it is not at hand.
    pub(super) fn since(&self, since: u32, ply: u32, viewer: Viewer) -> Vec<(u32, &[u8], &[u8])> {
        let has_all = since < ply
            && self.count > 0
            && self.first_ply <= since + 1
            && self.first_ply + self.count == ply + 1;
        if !has_all {
            return Vec::new();
        }
        let mut missed = Vec::new();
        let mut rest = &self.bytes[..];
        for at in self.first_ply..=ply {
            let (record, after) = rest.split_at(record_length(rest));
            rest = after;
            if at <= since {
                continue;
            }
            let Some(group) = groups(record).find(|group| group.viewers & bit(viewer) != 0) else {
                return Vec::new();
            };
            missed.push((at, group.event, group.notation));
        }
        missed
    }
}

fn groups(record: &[u8]) -> impl Iterator<Item = Group<'_>> {
    let count = record.first().copied().unwrap_or(0);
    let mut rest = record.get(1..).unwrap_or(&[]);
    (0..count).map_while(move |_| {
        let (head, after) = rest.split_first_chunk::<6>()?;
        let number = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let (event, after) = after.split_at_checked(usize::from(number(2)))?;
        let (notation, after) = after.split_at_checked(usize::from(number(4)))?;
        rest = after;
        Some(Group { viewers: number(0), event, notation })
    })
}

fn record_length(bytes: &[u8]) -> usize {
    1 + groups(bytes).map(|group| group.length()).sum::<usize>()
}
