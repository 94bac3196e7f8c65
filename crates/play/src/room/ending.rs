//! How seats and matches end without the rules' say: who gives up, is gone, or has no time left.

use domain::{PlayerId, SeatHolder};
use game_api::{AnyMatch, EntryKind, Forfeit, Refused, Seat, TimeOut};
use protocol::ClockSetting;

use super::{Effect, MemberId, Refusal, Room, SeatOwner, situation};

/// A seat that is gone for so long may be claimed, where no time is measured.
const GRACE_UNTIMED_MS: u64 = 5 * 60_000;
/// At least so long, that a lost connection can come back.
const GRACE_MIN_MS: u64 = 30_000;
const GRACE_MAX_MS: u64 = 120_000;

impl Room {
    pub(super) fn resign(
        &mut self,
        member: MemberId,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Refusal> {
        let seat = self.acting_seat(member).ok_or(Refusal::NotSeated)?;
        self.forfeit(seat, Forfeit::Resigned, effects)
    }

    /// Somebody whose seat is empty for too long may be taken for gone.
    pub(super) fn claim(
        &mut self,
        member: MemberId,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Refusal> {
        let own = self.acting_seat(member).ok_or(Refusal::NotSeated)?;
        self.check_running()?;
        match () {
            () if self.out.contains(own) => return Err(Refusal::AlreadyOut),
            () if self.is_paused => return Err(Refusal::Paused),
            () => {}
        }
        let grace_ms = self.grace_ms().ok_or(Refusal::NobodyGone)?;
        let is_gone = |seat: &Seat| {
            let absent = self.absent_since_ms[seat.index()];
            let is_late = absent.is_some_and(|since| self.now_ms >= since + grace_ms);
            *seat != own && !self.is_bot(*seat) && is_late && !self.out.contains(*seat)
        };
        let gone = Seat::all(self.contest.seats()).find(is_gone).ok_or(Refusal::NobodyGone)?;
        self.forfeit(gone, Forfeit::Abandoned, effects)
    }

    /// How long a seat may be empty before it can be claimed: shorter in a quick match; never where
    /// the clock gives days.
    fn grace_ms(&self) -> Option<u64> {
        let quarter = |initial_s: u32| u64::from(initial_s) * 1000 / 4;
        let bounded = |grace_ms: u64| grace_ms.clamp(GRACE_MIN_MS, GRACE_MAX_MS);
        match self.setting {
            ClockSetting::None => Some(GRACE_UNTIMED_MS),
            ClockSetting::PerMove { seconds } => Some(bounded(u64::from(seconds) * 1000 / 2)),
            ClockSetting::Fischer { initial_s, .. } | ClockSetting::Delay { initial_s, .. } => {
                Some(bounded(quarter(initial_s)))
            }
            ClockSetting::Days { .. } => None,
        }
    }

    /// An account is deleted: its seat is given up.
    pub(super) fn depart(&mut self, player: PlayerId, effects: &mut Vec<Effect>) {
        let seats = self.seats_of(player);
        let is_other = |owner: &SeatOwner| matches!(owner.holder, SeatHolder::Player(other) if other != player);
        // Whoever plays alone, or with bots, leaves nobody who could win.
        if !seats.is_empty() && !self.seats.iter().any(is_other) {
            self.end_by(EntryKind::Abort, AnyMatch::abort, effects).ok();
        } else if let Some(seat) = seats.iter().find(|seat| !self.out.contains(*seat)) {
            self.forfeit(seat, Forfeit::Resigned, effects).ok();
        }
    }

    pub(super) fn forfeit(
        &mut self,
        seat: Seat,
        cause: Forfeit,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Refusal> {
        self.check_running()?;
        if self.out.contains(seat) {
            return Err(Refusal::AlreadyOut);
        }
        let before = situation(&*self.contest);
        self.contest.forfeit(seat, cause)?;
        self.out = self.out.with(seat);
        self.append(Some(seat), 0, EntryKind::Forfeit(cause), effects);
        self.line.clear();
        self.unpause();
        self.follow(None, before);
        self.lapse_offers(None, effects);
        self.show_all(effects);
        Ok(())
    }

    /// Ends the match by an entry that is nobody's own.
    pub(super) fn end_by(
        &mut self,
        kind: EntryKind,
        end: fn(&mut (dyn AnyMatch + 'static)) -> Result<(), Refused>,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Refusal> {
        let before = situation(&*self.contest);
        end(&mut *self.contest)?;
        self.append(None, 0, kind, effects);
        self.unpause();
        self.follow(None, before);
        self.lapse_offers(None, effects);
        self.show_all(effects);
        Ok(())
    }

    /// Acts for, or forfeits, the first seat whose time is up.
    pub(super) fn expire(&mut self, effects: &mut Vec<Effect>) -> bool {
        let Some(seat) = self.clock.expired(self.now_ms).iter().next() else {
            return false;
        };
        let action = match self.contest.time_out(seat) {
            TimeOut::Forfeit => return self.forfeit(seat, Forfeit::Time, effects).is_ok(),
            TimeOut::Act(action) => action,
        };
        // The laws of every game say that this action is legal; if not, the seat has lost.
        self.perform(seat, action, None, effects).is_ok()
            || self.forfeit(seat, Forfeit::Time, effects).is_ok()
    }
}
