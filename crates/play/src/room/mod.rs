//! The room: one match with whoever plays and watches it, as a machine without I/O.
//!
//! It owns who may do what and when, and the order of storing and telling. It does not own the
//! rules (`game-api`), and it neither stores nor sends: it lists what is to be done, in order. An
//! [`Effect::Append`] must be durable before anything after it is done, and before the next input.

mod chat;
mod effect;
mod input;
mod letter;
mod memory;
mod offers;
mod refusal;
mod restore;
mod spectators;

use std::collections::BTreeMap;

use domain::{MatchId, PlayerId, SeatHolder};
use game_api::{
    AnyMatch, Entry, EntryKind, Forfeit, MAX_SEATS, Seat, SeatSet, Telling, TimeOut, Viewer,
};
use protocol::ClockSetting;
use protocol::ws::{Offer, OfferKind, OfferState, Outcome, ServerMessage, Status};

use crate::clock::{MatchClock, Situation};
use chat::Chat;
use memory::{Line, Nonces, Recent};
use offers::{Answered, Offers};
use spectators::Delay;

pub use effect::{Append, Effect, Ending, Letter, Note, To};
pub use input::{Input, MemberId};
pub use refusal::Refusal;
pub use restore::Unreplayable;

/// Seats, and as many spectators as a popular match draws; more would slow every move.
const MEMBERS_MAX: usize = 1000;
/// A seat that is gone for so long may be claimed, where no time is measured.
const GRACE_UNTIMED_MS: u64 = 5 * 60_000;
/// At least so long, that a lost connection can come back.
const GRACE_MIN_MS: u64 = 30_000;
const GRACE_MAX_MS: u64 = 120_000;

/// What a room is made of.
pub struct Setup {
    /// Which match.
    pub id: MatchId,
    /// The match as it was dealt.
    pub contest: Box<dyn AnyMatch>,
    /// Who sits where.
    pub seats: Vec<SeatOwner>,
    /// How time is measured.
    pub clock: ClockSetting,
    /// How late spectators see everything.
    pub spectator_delay_ms: u64,
    /// Which ownership of the match this is.
    pub epoch: u32,
    /// When the match was made.
    pub created_ms: u64,
}

/// A seat and who sits there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatOwner {
    /// Who.
    pub holder: SeatHolder,
    /// What a person is called.
    pub name: Option<String>,
}

/// One live match.
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub struct Room {
    id: MatchId,
    contest: Box<dyn AnyMatch>,
    seats: Box<[SeatOwner]>,
    setting: ClockSetting,
    clock: MatchClock,
    is_paused: bool,
    epoch: u32,
    /// Time never goes back in here, whatever the machine's clock does.
    now_ms: u64,
    /// When the last wake-up was asked for.
    wake_ms: Option<u64>,
    members: Vec<Member>,
    /// Since when nobody is connected for a seat.
    absent_since_ms: Box<[Option<u64>]>,
    /// Seats that gave up; nobody waits for their consent.
    out: SeatSet,
    /// The ply at which a seat's current decision opened: an older one is stale.
    opened: [u32; MAX_SEATS as usize],
    line: Line,
    nonces: Nonces,
    recent: Recent,
    offers: Offers,
    chat: Chat,
    delay: Option<Box<Delay>>,
    refusals: BTreeMap<&'static str, u32>,
    met: SeatSet,
    has_met_spectator: bool,
    has_takeback: bool,
    /// An entry was stored that only a room made anew has taken.
    is_past: bool,
}

/// A connection that follows the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Member {
    id: MemberId,
    /// The seats it plays: none for a spectator, several in a hot-seat match.
    seats: SeatSet,
}

impl Room {
    /// The room of a match that begins now.
    pub fn open(setup: Setup) -> Room {
        let Setup { id, contest, seats, clock, spectator_delay_ms, epoch, created_ms } = setup;
        let situation = situation(&*contest);
        let absent_since_ms = seats.iter().map(|_| Some(created_ms)).collect();
        let mut room = Room {
            id,
            seats: seats.into(),
            setting: clock,
            clock: MatchClock::start(clock, contest.seats(), created_ms, situation),
            contest,
            is_paused: false,
            epoch,
            now_ms: created_ms,
            wake_ms: None,
            members: Vec::new(),
            absent_since_ms,
            out: SeatSet::EMPTY,
            opened: [0; MAX_SEATS as usize],
            line: Line::default(),
            nonces: Nonces::default(),
            recent: Recent::default(),
            offers: Offers::default(),
            chat: Chat::default(),
            delay: None,
            refusals: BTreeMap::new(),
            met: SeatSet::EMPTY,
            has_met_spectator: false,
            has_takeback: false,
            is_past: false,
        };
        if spectator_delay_ms > 0 {
            let first = room.snapshot(Viewer::Spectator, None);
            room.delay = Some(Box::new(Delay::new(spectator_delay_ms, first)));
        }
        room
    }

    /// Which match.
    pub fn id(&self) -> MatchId {
        self.id
    }

    /// How many entries it has.
    pub fn ply(&self) -> u32 {
        self.contest.ply()
    }

    /// The match itself.
    pub fn contest(&self) -> &dyn AnyMatch {
        &*self.contest
    }

    /// Who sits where.
    pub fn seats(&self) -> &[SeatOwner] {
        &self.seats
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        self.contest.to_act().is_empty()
    }

    /// Who follows it.
    pub fn members(&self) -> impl Iterator<Item = MemberId> {
        self.members.iter().map(|member| member.id)
    }

    /// When it wants to be ticked.
    pub fn wake_at(&self) -> Option<u64> {
        self.wake_ms
    }

    /// Whether a move was ever taken back, which no rating survives.
    pub fn has_takeback(&self) -> bool {
        self.has_takeback
    }

    /// How often each refusal was given.
    pub fn refusals(&self) -> &BTreeMap<&'static str, u32> {
        &self.refusals
    }

    /// Takes an input and adds to `effects` what is to be done, in order.
    pub fn handle(&mut self, now_ms: u64, input: Input, effects: &mut Vec<Effect>) {
        self.now_ms = self.now_ms.max(now_ms);
        // Who departs does so once; a time-out can wait for the next tick.
        let is_expired = !matches!(input, Input::Depart { .. }) && self.expire(effects);
        match input {
            Input::Join { member, player, since } => self.join(member, player, since, effects),
            Input::Leave { member } => self.leave(member, effects),
            Input::Legal { member } => self.tell_legal(member, effects),
            Input::Chat { member, text } => self.say(member, text, effects),
            Input::Act { member, ply, action, nonce } => {
                self.act(member, ply, action, nonce, is_expired, effects);
            }
            // One input stores at most one entry, and the time-out was it.
            Input::Resign { member }
            | Input::Claim { member }
            | Input::Offer { member, .. }
            | Input::Answer { member, .. }
                if is_expired =>
            {
                self.refuse(member, None, &Refusal::TimeIsUp, effects);
            }
            Input::Resign { member } => {
                let done = self.resign(member, effects);
                self.answer_refusal(member, done, effects);
            }
            Input::Claim { member } => {
                let done = self.claim(member, effects);
                self.answer_refusal(member, done, effects);
            }
            Input::Offer { member, kind } => {
                let done = self.offer(member, kind, effects);
                self.answer_refusal(member, done, effects);
            }
            Input::Answer { member, kind, accept } => {
                let done = self.answer(member, kind, accept, effects);
                self.answer_refusal(member, done, effects);
            }
            Input::Depart { player } => self.depart(player, effects),
            // The wake-up is used up, so the next is asked for even if it is at the same time: of
            // several seats whose time is up together, each tick takes one.
            Input::Tick => self.wake_ms = None,
            Input::RematchMade { next } => {
                let message = protocol::ws::Rematch { match_id: self.id, next };
                self.tell_all(&ServerMessage::Rematch(message), effects);
            }
        }
        // Last, since nobody is told anything before an entry is stored.
        self.release_spectators(effects);
        // The room that is made anew has its own plans.
        if self.is_past {
            effects.push(Effect::Reload);
        } else {
            self.ask_to_wake(effects);
        }
    }

    /// Adds what goes on with the match after the house was away: an entry from which on the clock
    /// runs again, if it ran.
    pub fn resume(&mut self, now_ms: u64, effects: &mut Vec<Effect>) {
        self.now_ms = self.now_ms.max(now_ms);
        for absent in &mut self.absent_since_ms {
            *absent = Some(self.now_ms);
        }
        let is_timed = self.clock.deadline_ms().is_some();
        if is_timed && !self.is_paused && self.contest.mark_time().is_ok() {
            self.clock.resume(self.now_ms);
            self.append(None, 0, EntryKind::Resume, effects);
        }
        self.ask_to_wake(effects);
    }

    /// Takes over who follows the match from a room that is no more, and shows all how it stands.
    pub fn adopt(&mut self, earlier: &Room, effects: &mut Vec<Effect>) {
        self.members.clone_from(&earlier.members);
        self.absent_since_ms.clone_from(&earlier.absent_since_ms);
        self.chat = earlier.chat.clone();
        self.delay.clone_from(&earlier.delay);
        self.met = earlier.met;
        self.has_met_spectator = earlier.has_met_spectator;
        self.refusals.clone_from(&earlier.refusals);
        self.show_all(effects);
        self.ask_to_wake(effects);
    }

    fn join(
        &mut self,
        member: MemberId,
        player: PlayerId,
        since: Option<u32>,
        effects: &mut Vec<Effect>,
    ) {
        let seats = self.seats_of(player);
        self.members.retain(|it| it.id != member);
        if seats.is_empty() && self.members.len() >= MEMBERS_MAX {
            effects.push(self.refusal_letter(member, None, &Refusal::RoomFull));
            return;
        }
        self.release_spectators(effects);
        self.members.push(Member { id: member, seats });
        let viewer = if seats.len() > 1 { None } else { Some(self.viewer(seats)) };
        effects.push(Effect::Admit { member, viewer });
        self.note_first(seats, player, effects);
        let letter = match &self.delay {
            Some(delay) if seats.is_empty() => delay.shown.clone(),
            _ => self.snapshot(self.viewer(seats), since),
        };
        effects.push(Effect::send(To::Member(member), letter));
        let returned: SeatSet =
            seats.iter().filter(|seat| self.absent_since_ms[seat.index()].is_some()).collect();
        for seat in returned.iter() {
            self.absent_since_ms[seat.index()] = None;
        }
        if !returned.is_empty() {
            self.tell_presence(effects);
        }
    }

    fn note_first(&mut self, seats: SeatSet, player: PlayerId, effects: &mut Vec<Effect>) {
        for seat in seats.iter().filter(|seat| !self.met.contains(*seat)) {
            effects.push(Effect::Note(Note::SeatJoined { seat, player }));
        }
        self.met = seats.iter().fold(self.met, SeatSet::with);
        if seats.is_empty() && !self.has_met_spectator {
            self.has_met_spectator = true;
            effects.push(Effect::Note(Note::SpectatorJoined { player }));
        }
    }

    fn leave(&mut self, member: MemberId, effects: &mut Vec<Effect>) {
        let Some(at) = self.members.iter().position(|it| it.id == member) else {
            return;
        };
        let left = self.members.swap_remove(at);
        effects.push(Effect::Dismiss { member });
        let present: SeatSet = self.members.iter().flat_map(|it| it.seats.iter()).collect();
        let gone: SeatSet = left.seats.iter().filter(|seat| !present.contains(*seat)).collect();
        for seat in gone.iter() {
            self.absent_since_ms[seat.index()] = Some(self.now_ms);
        }
        if !gone.is_empty() {
            self.tell_presence(effects);
        }
    }

    fn act(
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
        if let Some(fault) = fault {
            self.refuse(member, Some(nonce), &fault, effects);
            return;
        }
        let before = situation(&*self.contest);
        let mut telling = Telling::to(self.viewers());
        match self.contest.act(seat, &action, &mut telling) {
            Err(refused) => {
                self.refuse(member, Some(nonce), &Refusal::Rule(refused), effects);
            }
            Ok(is_lasting) => {
                self.nonces.remember(seat, nonce, self.ply());
                self.append(Some(seat), nonce, EntryKind::Act(action), effects);
                let ack = letter::ack(self.id, nonce, self.ply());
                effects.push(Effect::send(To::Member(member), ack));
                self.follow_act(seat, before, is_lasting);
                self.tell_act(seat, &telling, effects);
            }
        }
    }

    /// What an action changes in the room; the match has taken it already.
    fn follow_act(&mut self, seat: Seat, before: Situation, is_lasting: bool) {
        if is_lasting {
            self.line.clear();
        } else {
            self.line.push(self.ply() - 1, before.turn, seat);
        }
        self.follow(Some(seat), before);
    }

    /// What any entry changes in the room.
    fn follow(&mut self, by: Option<Seat>, before: Situation) {
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
        let is_same = |told: &game_api::Told<'_>| {
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

    fn resign(&mut self, member: MemberId, effects: &mut Vec<Effect>) -> Result<(), Refusal> {
        let seat = self.acting_seat(member).ok_or(Refusal::NotSeated)?;
        self.forfeit(seat, Forfeit::Resigned, effects)
    }

    /// Somebody whose seat is empty for too long may be taken for gone.
    fn claim(&mut self, member: MemberId, effects: &mut Vec<Effect>) -> Result<(), Refusal> {
        let own = self.acting_seat(member).ok_or(Refusal::NotSeated)?;
        self.check_running()?;
        match () {
            () if self.out.contains(own) => return Err(Refusal::AlreadyOut),
            () if self.is_paused => return Err(Refusal::Paused),
            () => {}
        }
        let grace_ms = self.grace_ms().ok_or(Refusal::NobodyGone)?;
        let is_gone = |seat: &Seat| {
            let is_bot = matches!(self.seats[seat.index()].holder, SeatHolder::Bot(_));
            let absent = self.absent_since_ms[seat.index()];
            let is_late = absent.is_some_and(|since| self.now_ms >= since + grace_ms);
            *seat != own && !is_bot && is_late && !self.out.contains(*seat)
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
    fn depart(&mut self, player: PlayerId, effects: &mut Vec<Effect>) {
        let seats = self.seats_of(player);
        // Whoever plays alone leaves nobody who could win.
        if seats.len() == usize::from(self.contest.seats()) {
            self.end_by(EntryKind::Abort, AnyMatch::abort, effects).ok();
        } else if let Some(seat) = seats.iter().find(|seat| !self.out.contains(*seat)) {
            self.forfeit(seat, Forfeit::Resigned, effects).ok();
        }
    }

    fn forfeit(
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
    fn end_by(
        &mut self,
        kind: EntryKind,
        end: fn(&mut (dyn AnyMatch + 'static)) -> Result<(), game_api::Refused>,
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

    fn unpause(&mut self) {
        if self.is_paused {
            self.is_paused = false;
            self.clock.resume(self.now_ms);
        }
    }

    /// Acts for, or forfeits, the first seat whose time is up.
    fn expire(&mut self, effects: &mut Vec<Effect>) -> bool {
        let Some(seat) = self.clock.expired(self.now_ms).iter().next() else {
            return false;
        };
        let action = match self.contest.time_out(seat) {
            TimeOut::Forfeit => return self.forfeit(seat, Forfeit::Time, effects).is_ok(),
            TimeOut::Act(action) => action,
        };
        let before = situation(&*self.contest);
        let mut telling = Telling::to(self.viewers());
        let Ok(is_lasting) = self.contest.act(seat, &action, &mut telling) else {
            // The laws of every game say that this action is legal; if not, the seat has lost.
            return self.forfeit(seat, Forfeit::Time, effects).is_ok();
        };
        self.append(Some(seat), 0, EntryKind::Act(action), effects);
        self.follow_act(seat, before, is_lasting);
        self.tell_act(seat, &telling, effects);
        true
    }

    fn offer(
        &mut self,
        member: MemberId,
        kind: OfferKind,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Refusal> {
        let seat = self.agreeing_seat(member, kind)?;
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
        self.settle(kind, answered, effects)
    }

    fn answer(
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

    fn settle(
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
                let kind = EntryKind::Agree(game_api::Agreement::Draw);
                self.end_by(kind, AnyMatch::agree_draw, effects)
            }
            OfferKind::Abort => self.end_by(EntryKind::Abort, AnyMatch::abort, effects),
            OfferKind::Rematch => {
                effects.push(Effect::Rematch);
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
    fn lapse_offers(&mut self, by: Option<Seat>, effects: &mut Vec<Effect>) {
        let lapsed = match by {
            Some(seat) if !self.is_over() => self.offers.lapse(seat),
            _ => self.offers.clear(),
        };
        for (kind, seat) in lapsed {
            self.tell_offer(kind, seat, OfferState::Withdrawn, effects);
        }
    }

    fn tell_offer(
        &self,
        kind: OfferKind,
        seat: Seat,
        state: OfferState,
        effects: &mut Vec<Effect>,
    ) {
        let message = Offer { match_id: self.id, kind, seat, state };
        self.tell_all(&ServerMessage::Offer(message), effects);
    }

    fn append(
        &mut self,
        seat: Option<Seat>,
        nonce: u64,
        kind: EntryKind,
        effects: &mut Vec<Effect>,
    ) {
        let entry = self.entry(self.ply() - 1, seat, nonce, kind);
        let ending = self.outcome().map(|outcome| Ending { outcome });
        effects.push(Effect::Append(Append { entry, ending }));
    }

    fn entry(&self, ply: u32, seat: Option<Seat>, nonce: u64, kind: EntryKind) -> Entry {
        Entry { ply, seat, at_ms: self.now_ms, nonce, epoch: self.epoch, kind }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.is_over().then(|| match self.contest.outcome() {
            Some(outcome) => Outcome { places: outcome.places, reason: outcome.reason.to_owned() },
            None => Outcome { places: Vec::new(), reason: "aborted".to_owned() },
        })
    }

    fn status(&self) -> Status {
        match () {
            () if self.is_over() => Status::Over,
            () if self.is_paused => Status::Paused,
            () => Status::Running,
        }
    }

    fn check_running(&self) -> Result<(), Refusal> {
        if self.is_over() { Err(Refusal::GameOver) } else { Ok(()) }
    }

    fn member(&self, id: MemberId) -> Option<&Member> {
        self.members.iter().find(|member| member.id == id)
    }

    /// For which of its seats a member acts: the one whose turn it is, or the first.
    fn acting_seat(&self, member: MemberId) -> Option<Seat> {
        self.viewer(self.member(member)?.seats).seat()
    }

    /// As whom somebody with these seats looks at the match now.
    fn viewer(&self, seats: SeatSet) -> Viewer {
        let to_act = self.contest.to_act();
        let acting = seats.iter().find(|seat| to_act.contains(*seat));
        acting.or(seats.iter().next()).map_or(Viewer::Spectator, Viewer::Seat)
    }

    /// Everybody who must be told, or may return and ask: all seats, and spectators if there are
    /// any.
    fn viewers(&self) -> impl Iterator<Item = Viewer> {
        let is_watched = self.members.iter().any(|member| member.seats.is_empty());
        let all = Viewer::all(self.contest.seats());
        all.filter(move |viewer| viewer.seat().is_some() || is_watched)
    }

    fn seats_of(&self, player: PlayerId) -> SeatSet {
        let holder = SeatHolder::Player(player);
        let seats = Seat::all(self.contest.seats());
        seats.filter(|seat| self.seats[seat.index()].holder == holder).collect()
    }

    /// The seats of whoever sits here.
    fn seats_held_with(&self, seat: Seat) -> SeatSet {
        match self.seats[seat.index()].holder {
            SeatHolder::Player(player) => self.seats_of(player),
            _ => SeatSet::only(seat),
        }
    }

    /// Whose consent an offer needs: that of the people who still play, but for who makes it. A
    /// rematch needs that of all who played; nobody consents for one who is gone.
    fn others(&self, seat: Seat, kind: OfferKind) -> SeatSet {
        let own = self.seats_held_with(seat);
        let is_asked = |seat: &Seat| {
            let is_bot = matches!(self.seats[seat.index()].holder, SeatHolder::Bot(_));
            !is_bot && !own.contains(*seat) && self.may_agree(*seat, kind)
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

    fn ask_to_wake(&mut self, effects: &mut Vec<Effect>) {
        let spectators = self.delay.as_ref().and_then(|delay| delay.due_ms());
        let wake_ms = [self.clock.deadline_ms(), spectators].into_iter().flatten().min();
        if wake_ms != self.wake_ms {
            self.wake_ms = wake_ms;
            effects.extend(wake_ms.map(Effect::WakeAt));
        }
    }
}

fn situation(contest: &dyn AnyMatch) -> Situation {
    Situation { to_act: contest.to_act(), turn: contest.turn(), window_s: contest.window() }
}
