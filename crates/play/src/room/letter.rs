//! Messages as they go out. The ones that every action needs are written by hand: the game's JSON
//! is copied as it is, not read again.

use std::borrow::Cow;
use std::io::Write as _;

use domain::{MatchId, SeatHolder};
use game_api::{Seat, Told, Viewer};
use protocol::ClockFace;
use protocol::ws::{
    self, Legal, Missed, Offer, OfferState, Presence, Refused, SeatInfo, ServerMessage, Snapshot,
};
use serde_json::value::RawValue;

use super::{Effect, Letter, MemberId, Refusal, Room, To};

/// A message as JSON.
pub(super) fn write(message: &ServerMessage<'_>) -> Letter {
    // Plain structs with text keys have a JSON.
    serde_json::to_vec(message).unwrap_or_default()
}

pub(super) fn clock(face: &ClockFace) -> Vec<u8> {
    serde_json::to_vec(face).unwrap_or_default()
}

/// An [`ws::Ack`].
pub(super) fn ack(match_id: MatchId, nonce: u64, ply: u32) -> Letter {
    let mut letter = Vec::with_capacity(96);
    // Writing into a Vec cannot fail.
    let _ = write!(letter, r#"{{"type":"ack","match":"{match_id}","nonce":{nonce},"ply":{ply}}}"#);
    letter
}

/// An [`ws::Event`].
pub(super) fn event(match_id: MatchId, ply: u32, told: &Told<'_>, clock: &[u8]) -> Letter {
    let Told { event, view, notation, .. } = told;
    let mut letter = Vec::with_capacity(160 + event.len() + view.len() + notation.len());
    // Writing into a Vec cannot fail.
    let _ = write!(letter, r#"{{"type":"event","match":"{match_id}","ply":{ply},"event":"#);
    letter.extend_from_slice(event);
    letter.extend_from_slice(br#","view":"#);
    letter.extend_from_slice(view);
    letter.extend_from_slice(br#","notation":"#);
    let notation = String::from_utf8_lossy(notation);
    let _ = serde_json::to_writer(&mut letter, &notation);
    letter.extend_from_slice(br#","clock":"#);
    letter.extend_from_slice(clock);
    letter.push(b'}');
    letter
}

impl Room {
    /// How the match stands for a viewer, with what it missed since the ply it names.
    pub(super) fn snapshot(&self, viewer: Viewer, since: Option<u32>) -> Letter {
        let view = self.contest.view(viewer).unwrap_or_default();
        let raw = |bytes| serde_json::from_slice::<&RawValue>(bytes).unwrap_or(RawValue::NULL);
        let missed = since.map(|since| self.recent.since(since, self.ply(), viewer));
        let events = missed.unwrap_or_default().into_iter().map(|(ply, event, notation)| Missed {
            ply,
            event: raw(event),
            notation: String::from_utf8_lossy(notation),
        });
        let offers = self.offers.all().map(|(kind, seat)| Offer {
            match_id: self.id,
            kind,
            seat,
            state: OfferState::Open,
        });
        let is_private = self.delay.is_some() && viewer == Viewer::Spectator;
        let meta = self.contest.meta();
        let snapshot = Snapshot {
            match_id: self.id,
            game: Cow::Borrowed(meta.id),
            ply: self.ply(),
            viewer,
            view: raw(&view),
            events: events.collect(),
            seats: self.seat_infos(),
            spectators: self.spectators(),
            clock: self.clock.face(self.now_ms),
            status: self.status(),
            outcome: self.outcome(),
            offers: offers.collect(),
            chat: if is_private { Vec::new() } else { self.chat.lines() },
            commitment: Cow::Owned(self.contest.commitment().to_string()),
        };
        write(&ServerMessage::Snapshot(snapshot))
    }

    fn seat_infos(&self) -> Vec<SeatInfo> {
        let infos = self.seats.iter().zip(&self.absent_since_ms).map(|(seat, absent)| {
            let bot = match &seat.holder {
                SeatHolder::Bot(bot) => Some(bot.clone()),
                SeatHolder::Player(_) | SeatHolder::Gone => None,
            };
            let present = bot.is_some() || absent.is_none();
            SeatInfo { name: seat.name.clone(), bot, present }
        });
        infos.collect()
    }

    fn spectators(&self) -> u32 {
        let count = self.members.iter().filter(|member| member.seats.is_empty()).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Shows everybody how the match stands: after what is no action of the game.
    pub(super) fn show_all(&mut self, effects: &mut Vec<Effect>) {
        self.show_at_once(effects);
        self.hold_for_spectators();
        self.tell_end(effects);
    }

    /// Shows it to whoever need not wait.
    pub(super) fn show_at_once(&self, effects: &mut Vec<Effect>) {
        for viewer in self.viewers().filter(|viewer| self.is_shown_at_once(*viewer)) {
            let is_there = |viewer: Viewer| {
                self.members.iter().any(|it| it.seats.len() < 2 && self.viewer(it.seats) == viewer)
            };
            if is_there(viewer) {
                effects.push(Effect::send(To::Viewer(viewer), self.snapshot(viewer, None)));
            }
        }
        for member in self.members.iter().filter(|member| member.seats.len() > 1) {
            let letter = self.snapshot(self.viewer(member.seats), None);
            effects.push(Effect::send(To::Member(member.id), letter));
        }
    }

    pub(super) fn tell_end(&mut self, effects: &mut Vec<Effect>) {
        let Some(outcome) = self.outcome() else {
            return;
        };
        self.release_spectators(effects);
        let over = ws::Over { match_id: self.id, outcome: Cow::Owned(outcome) };
        effects.push(Effect::send(To::All, write(&ServerMessage::Over(over))));
    }

    pub(super) fn tell_presence(&self, effects: &mut Vec<Effect>) {
        let present = self.seat_infos().iter().map(|seat| seat.present).collect();
        let presence = Presence { match_id: self.id, present, spectators: self.spectators() };
        self.tell_all(&ServerMessage::Presence(presence), effects);
    }

    pub(super) fn tell_legal(&mut self, member: MemberId, effects: &mut Vec<Effect>) {
        let Some(seat) = self.acting_seat(member) else {
            self.refuse(member, None, &Refusal::NotSeated, effects);
            return;
        };
        match self.contest.legal(seat) {
            Err(refused) => self.refuse(member, None, &Refusal::Rule(refused), effects),
            Ok(legal) => {
                let message = Legal {
                    match_id: self.id,
                    ply: self.ply(),
                    complete: legal.completeness == game_api::Completeness::Complete,
                    actions: legal.actions.into_iter().map(Cow::Owned).collect(),
                };
                let letter = write(&ServerMessage::Legal(message));
                effects.push(Effect::send(To::Member(member), letter));
            }
        }
    }

    pub(super) fn say(&mut self, member: MemberId, text: String, effects: &mut Vec<Effect>) {
        let seat = self.acting_seat(member).ok_or(Refusal::NotSeated);
        let line = seat.and_then(|seat: Seat| self.chat.add(seat, text, self.now_ms).cloned());
        match line {
            Err(refusal) => self.refuse(member, None, &refusal, effects),
            Ok(line) => {
                let message = ws::Chat { match_id: self.id, line };
                self.tell_all(&ServerMessage::Chat(message), effects);
            }
        }
    }

    /// Tells all who may hear it at once.
    pub(super) fn tell_all(&self, message: &ServerMessage<'_>, effects: &mut Vec<Effect>) {
        let to = if self.delay.is_none() { To::All } else { To::Seats };
        effects.push(Effect::send(to, write(message)));
    }

    pub(super) fn answer_refusal(
        &mut self,
        member: MemberId,
        done: Result<(), Refusal>,
        effects: &mut Vec<Effect>,
    ) {
        if let Err(refusal) = done {
            self.refuse(member, None, &refusal, effects);
        }
    }

    pub(super) fn refuse(
        &mut self,
        member: MemberId,
        nonce: Option<u64>,
        refusal: &Refusal,
        effects: &mut Vec<Effect>,
    ) {
        *self.refusals.entry(refusal.code()).or_default() += 1;
        effects.push(self.refusal_letter(member, nonce, refusal));
    }

    pub(super) fn refusal_letter(
        &self,
        member: MemberId,
        nonce: Option<u64>,
        refusal: &Refusal,
    ) -> Effect {
        let is_late = self.delay.is_some() && self.acting_seat(member).is_none()
            || *refusal == Refusal::NoSuchMatch;
        let message = Refused {
            match_id: self.id,
            nonce,
            code: Cow::Borrowed(refusal.code()),
            message: Cow::Owned(refusal.to_string()),
            ply: (!is_late).then(|| self.ply()),
        };
        Effect::send(To::Member(member), write(&ServerMessage::Refused(message)))
    }
}
