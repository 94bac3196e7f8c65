//! The room: one match with whoever plays and watches it, as a machine without I/O.
//!
//! It owns who may do what and when, and the order of storing and telling. It does not own the
//! rules (`game-api`), and it neither stores nor sends: it lists what is to be done, in order. An
//! [`Effect::Append`] must be durable before anything after it is done, and before the next input.

mod acting;
mod agreeing;
mod bots;
mod chat;
mod effect;
mod ending;
mod input;
mod letter;
#[cfg(test)]
mod long_match;
mod memory;
mod offers;
mod refusal;
mod restore;
mod spectators;

use std::collections::BTreeMap;

use domain::{MatchId, PlayerId, SeatHolder};
use game_api::{AnyMatch, Entry, EntryKind, MAX_SEATS, Seat, SeatSet, Viewer};
use protocol::ws::{OfferKind, OfferState, Outcome, Status};
use protocol::{ClockSetting, NotationLine};

use crate::clock::{MatchClock, Situation};
use bots::Bots;
use chat::Chat;
use memory::{Line, Nonces, Recent, Sheet};
use offers::Offers;
use spectators::Delay;

pub use effect::{Append, Effect, Ending, Letter, Note, Question, To};
pub use input::{BotChoice, Input, MemberId};
pub use refusal::Refusal;
pub use restore::Unreplayable;

/// Seats, and as many spectators as a popular match draws; more would slow every move.
const MEMBERS_MAX: usize = 1000;
/// Of one player: tabs, devices, and lines that broke and are not known to be dead yet.
pub const MEMBERS_OF_PLAYER_MAX: usize = 16;

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
    /// Whether its result counts for ratings.
    pub is_rated: bool,
    /// Whether anybody may watch it, and so the rematch too.
    pub is_public: bool,
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
    is_rated: bool,
    is_public: bool,
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
    sheet: Sheet,
    offers: Offers,
    chat: Chat,
    delay: Option<Box<Delay>>,
    /// None if only people play.
    bots: Option<Box<Bots>>,
    refusals: BTreeMap<&'static str, u32>,
    met: SeatSet,
    has_met_spectator: bool,
    has_takeback: bool,
    /// The match that was made after this one, since the room was made.
    next: Option<MatchId>,
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
        let Setup {
            id,
            contest,
            seats,
            clock,
            spectator_delay_ms,
            is_rated,
            is_public,
            epoch,
            created_ms,
        } = setup;
        let situation = situation(&*contest);
        let absent_since_ms = seats.iter().map(|_| Some(created_ms)).collect();
        let mut room = Room {
            id,
            bots: Bots::of(&seats),
            seats: seats.into(),
            setting: clock,
            clock: MatchClock::start(clock, contest.seats(), created_ms, situation),
            contest,
            is_rated,
            is_public,
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
            sheet: Sheet::default(),
            offers: Offers::default(),
            chat: Chat::default(),
            delay: None,
            refusals: BTreeMap::new(),
            met: SeatSet::EMPTY,
            has_met_spectator: false,
            has_takeback: false,
            next: None,
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

    /// Its clock.
    pub fn clock(&self) -> &MatchClock {
        &self.clock
    }

    /// How time is measured.
    pub fn clock_setting(&self) -> ClockSetting {
        self.setting
    }

    /// Whether its result counts for ratings.
    pub fn is_rated(&self) -> bool {
        self.is_rated
    }

    /// Whether anybody may watch it.
    pub fn is_public(&self) -> bool {
        self.is_public
    }

    /// Who sits where.
    pub fn seats(&self) -> &[SeatOwner] {
        &self.seats
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        self.contest.to_act().is_empty()
    }

    /// Whether all have agreed that time stands.
    pub fn is_paused(&self) -> bool {
        self.is_paused
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

    /// The notations of all actions, if they are at hand; else the log tells.
    pub fn notations(&self) -> Option<Vec<NotationLine>> {
        self.sheet.lines()
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
            Input::Expel { member } => self.expel(member, effects),
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
            Input::BotChose { seat, ply, choice } => {
                self.bot_chose(seat, ply, choice, is_expired, effects);
            }
            Input::Depart { player } => self.depart(player, effects),
            // The wake-up is used up, so the next is asked for even if it is at the same time: of
            // several seats whose time is up together, each tick takes one.
            Input::Tick => self.wake_ms = None,
            Input::RematchMade { next } => {
                self.next = Some(next);
                self.tell_rematch(next, effects);
            }
            Input::RematchFailed { seat } => {
                self.tell_offer(OfferKind::Rematch, seat, OfferState::Withdrawn, effects);
            }
        }
        // Last, since nobody is told anything before an entry is stored.
        self.release_spectators(effects);
        // The room that is made anew has its own plans.
        if self.is_past {
            effects.push(Effect::Reload);
        } else {
            self.ask_to_wake(effects);
            self.ask_bots(effects);
        }
    }

    /// Goes on with the match after the house was away. Gives the entry to store, from which on the
    /// clock runs again, if it ran.
    pub fn resume(&mut self, now_ms: u64) -> Option<Entry> {
        self.now_ms = self.now_ms.max(now_ms);
        for absent in &mut self.absent_since_ms {
            *absent = Some(self.now_ms);
        }
        let is_timed = self.clock.deadline_ms().is_some();
        let is_resumed = is_timed && !self.is_paused && self.contest.mark_time().is_ok();
        if is_resumed {
            self.clock.resume(self.now_ms);
            self.hold_for_spectators();
        }
        self.wake_ms = self.due_ms();
        is_resumed.then(|| self.entry(self.ply() - 1, None, 0, EntryKind::Resume))
    }

    /// Takes over who follows the match from a room that is no more, and shows all how it stands.
    pub fn adopt(&mut self, earlier: &Room, effects: &mut Vec<Effect>) {
        self.members.clone_from(&earlier.members);
        self.absent_since_ms.clone_from(&earlier.absent_since_ms);
        self.chat = earlier.chat.clone();
        self.now_ms = self.now_ms.max(earlier.now_ms);
        self.met = earlier.met;
        self.has_met_spectator = earlier.has_met_spectator;
        self.refusals.clone_from(&earlier.refusals);
        self.show_spectators(effects);
        self.show_at_once(effects);
        self.tell_end(effects);
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
        if !seats.is_empty() {
            self.make_room_among(seats, effects);
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

    /// Sends the oldest connection of whoever has these seats away, if there are too many.
    fn make_room_among(&mut self, seats: SeatSet, effects: &mut Vec<Effect>) {
        let own = self.members.iter().filter(|it| it.seats == seats);
        if own.clone().count() < MEMBERS_OF_PLAYER_MAX {
            return;
        }
        if let Some(oldest) = own.map(|it| it.id).next() {
            effects.push(self.refusal_letter(oldest, None, &Refusal::RoomFull));
            effects.push(Effect::Dismiss { member: oldest });
            self.members.retain(|it| it.id != oldest);
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
        let left = self.members.remove(at);
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

    /// To this member there is no such match any more.
    fn expel(&mut self, member: MemberId, effects: &mut Vec<Effect>) {
        if self.member(member).is_some() {
            effects.push(self.refusal_letter(member, None, &Refusal::NoSuchMatch));
            self.leave(member, effects);
        }
    }

    fn unpause(&mut self) {
        if self.is_paused {
            self.is_paused = false;
            self.clock.resume(self.now_ms);
        }
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

    /// For which of its seats a member acts: the one whose turn it is, or the first still in play.
    fn acting_seat(&self, member: MemberId) -> Option<Seat> {
        let seats = self.member(member)?.seats;
        let in_play: SeatSet = seats.iter().filter(|seat| !self.out.contains(*seat)).collect();
        self.viewer(if in_play.is_empty() { seats } else { in_play }).seat()
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

    /// When something happens in it by itself.
    fn due_ms(&self) -> Option<u64> {
        let spectators = self.delay.as_ref().and_then(|delay| delay.due_ms());
        [self.clock.deadline_ms(), spectators].into_iter().flatten().min()
    }

    fn ask_to_wake(&mut self, effects: &mut Vec<Effect>) {
        let wake_ms = self.due_ms();
        if wake_ms != self.wake_ms {
            self.wake_ms = wake_ms;
            effects.extend(wake_ms.map(Effect::WakeAt));
        }
    }
}

fn situation(contest: &dyn AnyMatch) -> Situation {
    Situation { to_act: contest.to_act(), turn: contest.turn(), window_s: contest.window() }
}
