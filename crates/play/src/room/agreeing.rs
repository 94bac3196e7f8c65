//! What seats offer each other, and what comes of it.

use domain::MatchId;
use game_api::{Agreement, AnyMatch, EntryKind, Seat, SeatSet};
use protocol::ClockSetting;
use protocol::ws::{Offer, OfferKind, OfferState, Rematch, ServerMessage};

use super::letter::write;
use super::offers::Answered;
use super::{Append, Effect, MemberId, Refusal, Room, To};

impl Room {
    pub(super) fn offer(
        &mut self,
        member: MemberId,
        kind: OfferKind,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Refusal> {
        let seat = self.agreeing_seat(member, kind)?;
        if let Some(next) = self.next.filter(|_| kind == OfferKind::Rematch) {
            // One is enough, however often somebody asks a bot, or oneself on one screen.
            self.tell_offer(kind, seat, OfferState::Accepted, effects);
            self.tell_rematch(next, effects);
            return Ok(());
        }
        match kind {
            OfferKind::Rematch if !self.is_over() => return Err(Refusal::NotOver),
            OfferKind::Rematch => {}
            _ => self.check_running()?,
        }
        match kind {
            OfferKind::Draw if !self.contest.may_agree_draw() => return Err(Refusal::NoDraw),
            OfferKind::Takeback => drop(self.line.target(self.seats_held_with(seat))?),
            OfferKind::Pause if self.is_paused => return Err(Refusal::Paused),
            OfferKind::Pause if self.setting == ClockSetting::None => return Err(Refusal::NoClock),
            _ => {}
        }
        let (held, needed) = (self.seats_held_with(seat), self.others(seat, kind));
        let answered = self.offers.open(kind, seat, held, needed, self.contest.ply())?;
        let answered = self.answer_for_bots(kind, answered);
        self.settle(kind, answered, effects)
    }

    pub(super) fn answer(
        &mut self,
        member: MemberId,
        kind: OfferKind,
        accept: bool,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Refusal> {
        let seat = self.agreeing_seat(member, kind)?;
        if kind == OfferKind::Pause && self.is_paused && !accept {
            self.contest.mark_time()?;
            self.unpause();
            // Who left during the pause has as long to return as who leaves now.
            self.absent_since_ms.iter_mut().flatten().for_each(|since| *since = self.now_ms);
            self.append(Some(seat), 0, EntryKind::Resume, effects);
            self.show_all(effects);
            return Ok(());
        }
        let held = self.seats_held_with(seat);
        let answered = self.offers.answer(kind, held, accept, self.contest.ply())?;
        self.settle(kind, answered, effects)
    }

    pub(super) fn settle(
        &mut self,
        kind: OfferKind,
        answered: Answered,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Refusal> {
        let Answered { seat, state } = answered;
        if state == OfferState::Accepted
            && let Err(refusal) = self.carry_out(kind, seat, effects)
        {
            self.tell_offer(kind, seat, OfferState::Withdrawn, effects);
            return Err(refusal);
        }
        self.tell_offer(kind, seat, state, effects);
        Ok(())
    }

    /// Does what all have agreed on.
    fn carry_out(
        &mut self,
        kind: OfferKind,
        seat: Seat,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Refusal> {
        match kind {
            OfferKind::Draw => {
                let kind = EntryKind::Agree(Agreement::Draw);
                self.end_by(kind, AnyMatch::agree_draw, effects)
            }
            OfferKind::Abort => self.end_by(EntryKind::Abort, AnyMatch::abort, effects),
            OfferKind::Rematch => {
                effects.push(Effect::Rematch { seat });
                Ok(())
            }
            OfferKind::Pause => {
                self.contest.mark_time()?;
                self.clock.pause(self.now_ms);
                self.is_paused = true;
                self.append(None, 0, EntryKind::Pause, effects);
                self.show_all(effects);
                Ok(())
            }
            OfferKind::Takeback => {
                let to_ply = self.line.target(self.seats_held_with(seat))?;
                // The entry is the next; the room that replays it is another.
                let entry = self.entry(self.ply(), Some(seat), 0, EntryKind::Takeback(to_ply));
                effects.push(Effect::Append(Append { entry, ending: None }));
                self.is_past = true;
                Ok(())
            }
        }
    }

    /// Offers lapse when a seat acts that was asked and has not answered, and all when who plays
    /// has changed or nobody plays any more.
    pub(super) fn lapse_offers(&mut self, by: Option<Seat>, effects: &mut Vec<Effect>) {
        let lapsed = match by {
            Some(seat) if !self.is_over() => self.offers.lapse(seat),
            _ => self.offers.clear(),
        };
        for (kind, seat) in lapsed {
            self.tell_offer(kind, seat, OfferState::Withdrawn, effects);
        }
    }

    pub(super) fn tell_rematch(&self, next: MatchId, effects: &mut Vec<Effect>) {
        let message = ServerMessage::Rematch(Rematch { match_id: self.id, next });
        // A watch link opens one match. Who has it knows nothing of the next.
        if self.is_public {
            self.tell_all(&message, effects);
        } else {
            effects.push(Effect::send(To::Seats, write(&message)));
        }
    }

    pub(super) fn tell_offer(
        &self,
        kind: OfferKind,
        seat: Seat,
        state: OfferState,
        effects: &mut Vec<Effect>,
    ) {
        let message = Offer { match_id: self.id, kind, seat, state };
        self.tell_all(&ServerMessage::Offer(message), effects);
    }

    /// Whose consent an offer needs: that of those who still play, but for who makes it. A rematch
    /// needs that of all who played; nobody consents for one who is gone. Bots grant all but a draw.
    fn others(&self, seat: Seat, kind: OfferKind) -> SeatSet {
        let own = self.seats_held_with(seat);
        let is_asked = |seat: &Seat| {
            let is_granted = kind != OfferKind::Draw && self.is_bot(*seat);
            !is_granted && !own.contains(*seat) && self.may_agree(*seat, kind)
        };
        Seat::all(self.contest.seats()).filter(is_asked).collect()
    }

    /// Who gave up has no say in what becomes of the match.
    fn may_agree(&self, seat: Seat, kind: OfferKind) -> bool {
        kind == OfferKind::Rematch || !self.out.contains(seat)
    }

    /// The seat that a member speaks for when it comes to agreeing.
    fn agreeing_seat(&self, member: MemberId, kind: OfferKind) -> Result<Seat, Refusal> {
        let seat = self.acting_seat(member).ok_or(Refusal::NotSeated)?;
        if self.may_agree(seat, kind) { Ok(seat) } else { Err(Refusal::AlreadyOut) }
    }
}
