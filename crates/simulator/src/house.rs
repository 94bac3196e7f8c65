//! A house: a server's rooms, and what it does with what they decide. A likeness of
//! `server::actors::hall`, without a runtime.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use domain::MatchId;
use game_api::{Entry, Seat};
use play::room::{Append, Effect, Ending, Input, MemberId, Room};
use protocol::Code;
use storage::{Change, StorageError, Thing};

use crate::agenda::Event;
use crate::door::Follower;
use crate::finish;
use crate::ground::{Ask, Ground, LEASE_MS};
use crate::load::{Held, Loading};
use crate::plan::Sabotage;
use crate::store::{Job, is_fenced, is_refusal};
use crate::violated;

/// As in a hall.
const QUEUE_MAX: usize = 64;
const RATING_TRIES: u32 = 8;
/// Shorter than in a hall, so that more of it happens.
const IDLE_MS: u64 = 3_000;
const RENEW_MS: u64 = 3_000;
const SWEEP_MS: u64 = 1_000;
/// Within this time a house does what is due.
const NOTICE_MS: u64 = 1_000;

pub(crate) struct House {
    pub(crate) id: usize,
    pub(crate) name: String,
    /// How often it has started.
    pub(crate) life: u32,
    pub(crate) is_up: bool,
    /// It does nothing before this time of the world.
    pub(crate) stalled_until_ms: u64,
    /// How far its clock is off.
    pub(crate) skew_ms: i64,
    /// It crashes after so many effects.
    pub(crate) fuse: Option<u32>,
    pub(crate) slots: BTreeMap<MatchId, Slot>,
    /// Matches that were let go of and are still ours.
    evicted: BTreeMap<MatchId, Evicted>,
    pub(crate) followers: BTreeMap<MatchId, Vec<Follower>>,
    wakes: BTreeSet<(u64, MatchId)>,
}

struct Evicted {
    epoch: u32,
    lease_until_ms: u64,
    /// Whether something happens in it by itself.
    is_timed: bool,
}

pub(crate) struct Slot {
    pub(crate) state: State,
    queue: VecDeque<(Input, Option<Ask>)>,
    used_ms: u64,
    pub(crate) epoch: u32,
    pub(crate) lease_until_ms: u64,
}

pub(crate) enum State {
    Loading(Loading),
    Ready(Box<Room>),
    Storing(Storing),
}

/// A room that waits for an entry to be stored.
pub(crate) struct Storing {
    pub(crate) room: Box<Room>,
    rest: Vec<Effect>,
    ask: Option<Ask>,
    entry: Entry,
    ending: Option<Ending>,
    tries: u32,
}

impl House {
    pub(crate) fn new(id: usize, skew_ms: i64) -> House {
        House {
            id,
            name: format!("house {id}"),
            life: 0,
            is_up: true,
            stalled_until_ms: 0,
            skew_ms,
            fuse: None,
            slots: BTreeMap::new(),
            evicted: BTreeMap::new(),
            followers: BTreeMap::new(),
            wakes: BTreeSet::new(),
        }
    }

    /// What its clock shows. It is never set back while the house is up.
    pub(crate) fn now_ms(&self, ground: &Ground) -> u64 {
        ground.now_ms.saturating_add_signed(self.skew_ms)
    }

    pub(crate) fn start(&mut self, ground: &mut Ground) {
        self.is_up = true;
        self.life += 1;
        ground.after(SWEEP_MS, Event::Sweep { house: self.id, life: self.life });
    }

    /// Everything in memory is gone, and every connection is.
    pub(crate) fn crash(&mut self, ground: &mut Ground) {
        ground.tally.crashes += 1;
        self.is_up = false;
        self.fuse = None;
        self.slots.clear();
        self.evicted.clear();
        self.followers.clear();
        self.wakes.clear();
        let wires: Vec<u64> = ground
            .wires
            .iter()
            .filter(|(_, wire)| wire.house == self.id && wire.is_open)
            .map(|(number, _)| *number)
            .collect();
        for wire in wires {
            ground.cut(wire);
        }
        let mut rng = ground.rng.fork();
        ground.store.forget(self.id, || rng.bool());
        let delay_ms = ground.rng.u64(100..4_000);
        ground.after(delay_ms, Event::Restart { house: self.id });
    }

    pub(crate) fn take(
        &mut self,
        ground: &mut Ground,
        match_id: MatchId,
        input: Input,
        ask: Option<Ask>,
    ) {
        if !self.is_up {
            return;
        }
        let used_ms = self.now_ms(ground);
        if !self.slots.contains_key(&match_id) {
            if matches!(input, Input::Leave { .. }) {
                return;
            }
            let evicted = self.evicted.remove(&match_id);
            let state = State::Loading(Loading::default());
            let lease_until_ms = evicted.as_ref().map_or(0, |it| it.lease_until_ms);
            let slot = Slot { state, queue: VecDeque::new(), used_ms, epoch: 0, lease_until_ms };
            self.slots.insert(match_id, slot);
            let held = evicted.map(|it| Held { epoch: it.epoch, is_unsure: false });
            self.begin_load(ground, match_id, held);
        }
        let Some(slot) = self.slots.get_mut(&match_id) else {
            return;
        };
        slot.used_ms = used_ms;
        if matches!(slot.state, State::Ready(_)) {
            self.handle(ground, match_id, input, ask);
        } else if slot.queue.len() < QUEUE_MAX || ask.is_none() {
            slot.queue.push_back((input, ask));
        } else {
            self.answer(ground, match_id, ask, Code::Busy);
        }
    }

    /// Takes a match that has just begun.
    pub(crate) fn open(&mut self, ground: &mut Ground, match_id: MatchId) {
        let Some(ledger) = ground.ledgers.get(&match_id) else {
            return;
        };
        let now_ms = self.now_ms(ground);
        let slot = Slot {
            state: State::Ready(Box::new(Room::open(ledger.setup(0)))),
            queue: VecDeque::new(),
            used_ms: now_ms,
            epoch: 0,
            lease_until_ms: now_ms + LEASE_MS,
        };
        self.slots.insert(match_id, slot);
        // Its time runs, whether anybody comes or not.
        self.take(ground, match_id, Input::Tick, None);
    }

    fn handle(&mut self, ground: &mut Ground, match_id: MatchId, input: Input, ask: Option<Ask>) {
        let now_ms = self.now_ms(ground);
        let Some(Slot { state: State::Ready(room), .. }) = self.slots.get_mut(&match_id) else {
            return;
        };
        let mut effects = Vec::new();
        room.handle(now_ms, input, &mut effects);
        self.perform(ground, match_id, effects, ask);
    }

    /// Does the effects that were decided, up to one that must be waited for.
    pub(crate) fn perform(
        &mut self,
        ground: &mut Ground,
        match_id: MatchId,
        effects: Vec<Effect>,
        ask: Option<Ask>,
    ) {
        let mut effects: VecDeque<Effect> = effects.into();
        ground.touched.insert(match_id);
        while let Some(effect) = effects.pop_front() {
            if let Some(fuse) = &mut self.fuse {
                *fuse = fuse.saturating_sub(1);
                if *fuse == 0 {
                    return self.crash(ground);
                }
            }
            match effect {
                Effect::Send { to, letter } => self.tell(ground, match_id, to, &letter, ask),
                Effect::Admit { member, viewer } => {
                    let wire = member.0;
                    let followers = self.followers.entry(match_id).or_default();
                    followers.retain(|follower| follower.wire != wire);
                    followers.push(Follower { wire, viewer });
                }
                Effect::Dismiss { member } => self.dismiss(match_id, member),
                Effect::WakeAt(at_ms) => self.wake_at(ground, at_ms, match_id),
                Effect::Note(_) => {}
                Effect::Rematch { seat } => self.rematch(ground, match_id, seat),
                Effect::AskBot(question) => self.ask_bot(ground, match_id, &question),
                Effect::Append(append) if ground.is_sabotaged(Sabotage::TellBeforeStore) => {
                    let rest = effects.drain(..).collect();
                    self.store(ground, match_id, append, Vec::new(), ask);
                    self.perform(ground, match_id, rest, ask);
                }
                Effect::Append(append) => {
                    let rest = effects.drain(..).collect();
                    self.store(ground, match_id, append, rest, ask);
                }
                Effect::Reload => self.reload(ground, match_id, false),
            }
        }
    }

    fn dismiss(&mut self, match_id: MatchId, member: MemberId) {
        if let Some(followers) = self.followers.get_mut(&match_id) {
            followers.retain(|follower| follower.wire != member.0);
        }
    }

    fn store(
        &mut self,
        ground: &mut Ground,
        match_id: MatchId,
        append: Append,
        rest: Vec<Effect>,
        ask: Option<Ask>,
    ) {
        let Some(slot) = self.slots.get_mut(&match_id) else {
            return;
        };
        let state = std::mem::replace(&mut slot.state, State::Loading(Loading::default()));
        let State::Ready(room) = state else {
            violated("a room that is stored was ready", match_id);
        };
        let Append { entry, ending } = append;
        slot.state = State::Storing(Storing { room, rest, ask, entry, ending, tries: 0 });
        self.send(ground, match_id);
    }

    /// Gives the store what a room waits for.
    fn send(&mut self, ground: &mut Ground, match_id: MatchId) {
        let Some(Slot { state: State::Storing(storing), .. }) = self.slots.get(&match_id) else {
            return;
        };
        let append = Change::Append { match_id, entry: storing.entry.clone() };
        let mut unit = vec![append];
        if let Some(ending) = &storing.ending {
            let end = finish::end(ground, &storing.room, &storing.entry, &ending.outcome);
            if ground.is_sabotaged(Sabotage::BookApart) {
                let (result, booking) =
                    end.into_iter().partition(|change| matches!(change, Change::EndMatch(_)));
                unit.extend::<Vec<Change>>(result);
                ground.commit(self.id, self.life, Job::Apart, booking);
            } else {
                unit.extend(end);
            }
        }
        ground.commit(self.id, self.life, Job::Append(match_id), unit);
    }

    /// The store has answered.
    pub(crate) fn finish(
        &mut self,
        ground: &mut Ground,
        job: Job,
        answer: Result<(), StorageError>,
    ) {
        match job {
            Job::Append(match_id) => self.stored(ground, match_id, answer),
            Job::Take(match_id) => self.taken(ground, match_id, answer),
            Job::Renew(match_id, until_ms) => match answer {
                Ok(()) => {
                    if let Some(slot) = self.slots.get_mut(&match_id) {
                        slot.lease_until_ms = until_ms;
                    } else if let Some(evicted) = self.evicted.get_mut(&match_id) {
                        evicted.lease_until_ms = until_ms;
                    }
                }
                // Another house has it: whoever follows it here must know.
                Err(StorageError::Conflict(_)) => {
                    self.evicted.remove(&match_id);
                    self.reload(ground, match_id, false);
                }
                Err(_) => {}
            },
            Job::Rematch { match_id, seat, next } => {
                let input = if answer.is_ok() {
                    self.open(ground, next);
                    Input::RematchMade { next }
                } else {
                    Input::RematchFailed { seat }
                };
                self.take(ground, match_id, input, None);
            }
            Job::Apart => {}
        }
    }

    fn stored(&mut self, ground: &mut Ground, match_id: MatchId, answer: Result<(), StorageError>) {
        ground.tally.fenced += u64::from(is_fenced(&answer));
        let Some(slot) = self.slots.get_mut(&match_id) else {
            return;
        };
        let State::Storing(storing) = &mut slot.state else {
            return;
        };
        if answer == Err(StorageError::Conflict(Thing::Rating)) && storing.tries < RATING_TRIES {
            storing.tries += 1;
            return self.send(ground, match_id);
        }
        let state = std::mem::replace(&mut slot.state, State::Loading(Loading::default()));
        let State::Storing(Storing { room, rest, ask, .. }) = state else {
            return;
        };
        slot.state = State::Ready(room);
        match answer {
            Err(error) if !ground.is_sabotaged(Sabotage::IgnoreFailure) => {
                self.answer(ground, match_id, ask, Code::Unavailable);
                self.follow(match_id, &rest);
                // An entry that is not known to be refused may be stored later.
                let is_unsure = !is_refusal(&error) && !ground.is_sabotaged(Sabotage::NoFence);
                self.reload(ground, match_id, is_unsure);
            }
            _ => {
                self.perform(ground, match_id, rest, ask);
                self.go_on(ground, match_id);
            }
        }
    }

    /// Who came or went with something that was not stored has come or gone all the same.
    fn follow(&mut self, match_id: MatchId, rest: &[Effect]) {
        for effect in rest {
            match effect {
                Effect::Admit { member, viewer } => {
                    let follower = Follower { wire: member.0, viewer: *viewer };
                    self.followers.entry(match_id).or_default().push(follower);
                }
                Effect::Dismiss { member } => self.dismiss(match_id, *member),
                _ => {}
            }
        }
    }

    /// Hands a room what waited while it was busy.
    pub(crate) fn go_on(&mut self, ground: &mut Ground, match_id: MatchId) {
        while let Some(slot) = self.slots.get_mut(&match_id)
            && matches!(slot.state, State::Ready(_))
            && let Some((input, ask)) = slot.queue.pop_front()
        {
            self.handle(ground, match_id, input, ask);
        }
    }

    /// Makes a room anew from its log; in a new epoch, unless what is stored in this one is known.
    fn reload(&mut self, ground: &mut Ground, match_id: MatchId, is_unsure: bool) {
        let Some(slot) = self.slots.get_mut(&match_id) else {
            return;
        };
        let state = std::mem::replace(&mut slot.state, State::Loading(Loading::default()));
        match state {
            State::Ready(room) => {
                if ground.is_sabotaged(Sabotage::ForgetQueue) {
                    slot.queue.clear();
                }
                slot.state = State::Loading(Loading::after(room));
                let held = Some(Held { epoch: slot.epoch, is_unsure });
                self.begin_load(ground, match_id, held);
            }
            state => slot.state = state,
        }
    }

    fn begin_load(&mut self, ground: &mut Ground, match_id: MatchId, held: Option<Held>) {
        let delay_ms = ground.delay_ms(20);
        let (house, life) = (self.id, self.life);
        ground.after(delay_ms, Event::Load { house, life, match_id, held });
    }

    /// There is no room: whoever waits for it is told, and must come again.
    pub(crate) fn not_loaded(&mut self, ground: &mut Ground, match_id: MatchId, code: Code) {
        let Some(slot) = self.slots.remove(&match_id) else {
            return;
        };
        for (_, ask) in slot.queue {
            self.answer(ground, match_id, ask, code);
        }
        if let State::Loading(loading) = slot.state {
            for member in loading.members() {
                self.tell_code(ground, match_id, (member.0, None), code, None);
                self.dismiss(match_id, member);
            }
        }
    }

    pub(crate) fn wake_at(&mut self, ground: &mut Ground, at_ms: u64, match_id: MatchId) {
        self.wakes.insert((at_ms, match_id));
        let delay_ms = at_ms.saturating_sub(self.now_ms(ground));
        ground.after(delay_ms, Event::Wake { house: self.id, life: self.life });
    }

    pub(crate) fn tick(&mut self, ground: &mut Ground) {
        let now_ms = self.now_ms(ground);
        while let Some((at_ms, match_id)) = self.wakes.first().copied()
            && at_ms <= now_ms
        {
            self.wakes.pop_first();
            let is_due = match self.slots.get(&match_id).map(|slot| &slot.state) {
                Some(State::Ready(room)) => room.wake_at().is_some_and(|at_ms| at_ms <= now_ms),
                Some(State::Loading(_) | State::Storing(_)) => true,
                None => self.evicted.contains_key(&match_id),
            };
            if is_due {
                self.take(ground, match_id, Input::Tick, None);
            }
        }
    }

    /// Lets go of rooms that nobody needs, and keeps the leases of the others.
    pub(crate) fn sweep(&mut self, ground: &mut Ground) {
        let now_ms = self.now_ms(ground);
        let is_due = |lease_until_ms: u64| lease_until_ms < now_ms + RENEW_MS;
        let asleep = self.evicted.iter().filter(|(_, it)| it.is_timed && is_due(it.lease_until_ms));
        let mut due: Vec<(MatchId, u32)> = asleep.map(|(id, it)| (*id, it.epoch)).collect();
        let mut idle = Vec::new();
        for (match_id, slot) in &self.slots {
            let State::Ready(room) = &slot.state else {
                continue;
            };
            if slot.used_ms + IDLE_MS <= now_ms && room.members().next().is_none() {
                idle.push(*match_id);
            } else if !room.is_over() && is_due(slot.lease_until_ms) {
                due.push((*match_id, slot.epoch));
            }
        }
        for (match_id, epoch) in due {
            let until_ms = now_ms + LEASE_MS;
            let unit = vec![Change::RenewLease { match_id, epoch, until_ms }];
            ground.commit(self.id, self.life, Job::Renew(match_id, until_ms), unit);
        }
        for match_id in idle {
            self.evict(ground, match_id);
        }
        ground.after(SWEEP_MS, Event::Sweep { house: self.id, life: self.life });
    }

    fn evict(&mut self, ground: &mut Ground, match_id: MatchId) {
        let Some(Slot { state: State::Ready(room), epoch, lease_until_ms, .. }) =
            self.slots.remove(&match_id)
        else {
            return;
        };
        if !room.is_over() {
            ground.tally.evictions += 1;
            let is_timed = room.wake_at().is_some();
            self.evicted.insert(match_id, Evicted { epoch, lease_until_ms, is_timed });
        }
    }

    fn rematch(&mut self, ground: &mut Ground, match_id: MatchId, seat: Seat) {
        let Some(ledger) = ground.ledgers.get(&match_id) else {
            return;
        };
        let row = ledger.row().clone();
        let settings = *ledger.settings();
        let mut seats = row.seats;
        seats.rotate_left(1);
        let new = ground.new_match(&row.game, &row.options, &settings, seats, self.name.clone());
        let job = Job::Rematch { match_id, seat, next: new.id };
        ground.commit(self.id, self.life, job, vec![Change::CreateMatch(new)]);
    }

    /// Holds these rooms, or all, against what is stored of their matches, and that replayed.
    pub(crate) fn check(&self, ground: &mut Ground, only: Option<&BTreeSet<MatchId>>) {
        let now_ms = self.now_ms(ground);
        let is_checked = |id: &MatchId| only.is_none_or(|only| only.contains(id));
        for (match_id, slot) in self.slots.iter().filter(|(id, _)| is_checked(id)) {
            let Some(ledger) = ground.ledgers.get(match_id) else {
                continue;
            };
            let State::Ready(room) = &slot.state else {
                continue;
            };
            let is_owner = ground.store.row(*match_id).is_some_and(|row| row.epoch == slot.epoch);
            ledger.check_memory(room, is_owner);
            if is_owner {
                ledger.check_replay(room, slot.epoch, now_ms);
                ground.tally.replays += 1;
            }
            // A house that stood still needs a moment.
            let is_awake = ground.is_calm && self.stalled_until_ms + NOTICE_MS < ground.now_ms;
            let deadline_ms = room.clock().deadline_ms();
            if is_awake && deadline_ms.is_some_and(|at_ms| at_ms + NOTICE_MS < now_ms) {
                let what = format!("{match_id}: {deadline_ms:?} at {now_ms}");
                violated("a time that is up is noticed", what);
            }
        }
    }

    /// Its clock is set forward, and what was to come is nearer.
    pub(crate) fn jump(&mut self, ground: &mut Ground, ahead_ms: i64) {
        self.skew_ms += ahead_ms;
        for (at_ms, match_id) in self.wakes.clone() {
            self.wake_at(ground, at_ms, match_id);
        }
    }

    /// A match that still waits for something.
    pub(crate) fn waiting(&self) -> Option<MatchId> {
        let is_waiting =
            |slot: &Slot| !matches!(slot.state, State::Ready(_)) || !slot.queue.is_empty();
        self.slots.iter().find(|(_, slot)| is_waiting(slot)).map(|(match_id, _)| *match_id)
    }
}
