//! Actions: whose they are, whether they come in time, and what follows when the rules take them.

use game_api::{EntryKind, Refused, Seat, Telling, Told, Viewer};

use super::{Effect, MemberId, Refusal, Room, To, letter, situation};
use crate::clock::Situation;

impl Room {
    pub(super) fn act(
        &mut self,
        member: MemberId,
        ply: u32,
        action: String,
        nonce: u64,
        is_expired: bool,
        effects: &mut Vec<Effect>,
    ) {
        let Some(seat) = self.acting_seat(member) else {
            self.refuse(member, Some(nonce), &Refusal::NotSeated, effects);
            return;
        };
        if let Some(ply) = self.nonces.find(self.seats_held_with(seat), nonce) {
            effects.push(Effect::send(To::Member(member), letter::ack(self.id, nonce, ply)));
            return;
        }
        let is_stale = self.contest.to_act().contains(seat) && ply < self.opened[seat.index()];
        let fault = match () {
            () if nonce == 0 => Some(Refusal::BadNonce),
            () if is_expired => Some(Refusal::TimeIsUp),
            () if self.is_paused => Some(Refusal::Paused),
            () if ply > self.ply() => Some(Refusal::UnknownPly),
            () if is_stale => Some(Refusal::StalePly),
            () => None,
        };
        let done = match fault {
            Some(fault) => Err(fault),
            None => {
                self.perform(seat, action, Some((member, nonce)), effects).map_err(Refusal::Rule)
            }
        };
        if let Err(refusal) = done {
            self.refuse(member, Some(nonce), &refusal, effects);
        }
    }

    /// Does an action, if the rules allow it; whoever did it by a number has its answer first.
    pub(super) fn perform(
        &mut self,
        seat: Seat,
        action: String,
        by: Option<(MemberId, u64)>,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Refused> {
        let before = situation(&*self.contest);
        let mut telling = Telling::to(self.viewers());
        let is_lasting = self.contest.act(seat, &action, &mut telling)?;
        let nonce = by.map_or(0, |(_, nonce)| nonce);
        self.append(Some(seat), nonce, EntryKind::Act(action), effects);
        if let Some((member, nonce)) = by {
            self.nonces.remember(seat, nonce, self.ply());
            let ack = letter::ack(self.id, nonce, self.ply());
            effects.push(Effect::send(To::Member(member), ack));
        }
        self.follow_act(seat, before, is_lasting);
        self.tell_act(seat, &telling, effects);
        Ok(())
    }

    /// What an action changes in the room; the match has taken it already.
    pub(super) fn follow_act(&mut self, seat: Seat, before: Situation, is_lasting: bool) {
        if is_lasting {
            self.line.clear();
        } else {
            self.line.push(self.ply() - 1, before.turn, seat);
        }
        self.follow(Some(seat), before);
    }

    /// What any entry changes in the room.
    pub(super) fn follow(&mut self, by: Option<Seat>, before: Situation) {
        let now = situation(&*self.contest);
        for seat in now.to_act.iter() {
            let is_new = !before.to_act.contains(seat) || by == Some(seat);
            if is_new || before.turn != now.turn {
                self.opened[seat.index()] = self.ply();
            }
        }
        self.clock.follow(self.now_ms, by, now);
    }

    fn tell_act(&mut self, seat: Seat, telling: &Telling, effects: &mut Vec<Effect>) {
        self.recent.remember(self.ply(), telling);
        if let Some(own) = telling.told().find(|told| told.viewer == Viewer::Seat(seat)) {
            self.sheet.write(self.ply() - 1, seat, own.notation);
        }
        let clock = letter::clock(&self.clock.face(self.now_ms));
        let several = self.members.iter().filter(|it| it.seats.len() > 1);
        for member in several {
            let viewer = self.viewer(member.seats);
            if let Some(told) = telling.told().find(|told| told.viewer == viewer) {
                let letter = letter::event(self.id, self.ply(), &told, &clock);
                effects.push(Effect::send(To::Member(member.id), letter));
            }
        }
        let first = telling.told().next();
        let is_same = |told: &Told<'_>| {
            first.is_some_and(|first| {
                told.event.as_ptr() == first.event.as_ptr()
                    && told.view.as_ptr() == first.view.as_ptr()
                    && told.notation.as_ptr() == first.notation.as_ptr()
            })
        };
        match first {
            Some(told) if self.delay.is_none() && telling.told().all(|told| is_same(&told)) => {
                let letter = letter::event(self.id, self.ply(), &told, &clock);
                effects.push(Effect::send(To::Viewers, letter));
            }
            _ => {
                for told in telling.told().filter(|told| self.is_shown_at_once(told.viewer)) {
                    let letter = letter::event(self.id, self.ply(), &told, &clock);
                    effects.push(Effect::send(To::Viewer(told.viewer), letter));
                }
            }
        }
        self.lapse_offers(Some(seat), effects);
        self.hold_for_spectators();
        self.tell_end(effects);
    }
}
