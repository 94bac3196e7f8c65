//! A hall: one task that holds many rooms, and does for each what it decides.
//!
//! A room that waits for the database takes no input; its inputs wait in a short queue of its own,
//! and the hall goes on with the others. A room that panics is made anew from its log, alone.

use std::cmp::Reverse;
use std::collections::hash_map::Entry as Slots;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use audit::{Context, GameplayEvent};
use domain::{MatchId, PlayerId};
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use game_api::Seat;
use play::room::{Append, Effect, Input, Letter, MemberId, Note, Question, Room, To};
use protocol::Code;
use protocol::ws::{Refused, ServerMessage};
use storage::{Change, Counted, StorageError, Store, Unit};
use tokio::sync::{Mutex, mpsc};
use tokio::task::{AbortHandle, yield_now};
use tokio::time::sleep_until;

use super::begin::FIRST_EPOCH;
use super::crowd::Crowd;
use super::load::{Held, Loaded, Unloadable, load};
use super::{SteadyTime, Thinkers, begin, finish};
use crate::bus::{Ask, Bus, Haste};
use crate::notes::Notes;
use crate::outage::Outage;
use crate::roster::Roster;

/// Inputs of all rooms of a hall that wait; more make the sockets wait.
pub(crate) const INBOX: usize = 1024;
/// Inputs of one room that wait for its database; more are refused as `busy`.
const QUEUE_MAX: usize = 64;
/// How many inputs are taken before the answers of the database are looked at.
const BATCH: usize = 256;
/// A room that nobody follows is let go of after this time; its next input replays it.
const IDLE_MS: u64 = 60_000;
const SWEEP: Duration = Duration::from_secs(10);
/// How long a server may be believed to hold a match without a word.
pub(super) const LEASE_MS: u64 = 60_000;
/// Long before its end a lease is prolonged.
const RENEW_MS: u64 = 30_000;

/// What every hall can reach.
pub(crate) struct House {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) notes: Arc<Notes>,
    pub(crate) time: SteadyTime,
    pub(crate) games: crate::Games,
    pub(crate) bots: Arc<Roster>,
    pub(crate) thinkers: Thinkers,
    pub(crate) outage: Arc<Outage>,
    /// This server's name as an owner of matches.
    pub(crate) owner: String,
    /// The turn of the one match whose players are rated again, since others of theirs ended at the same
    /// time. That is rare, so one turn is enough for all players.
    pub(crate) rating_again: Mutex<()>,
    /// Whether a player may have only so many matches at once.
    pub(crate) has_match_limit: bool,
}

/// More running matches than anybody plays: each is kept, and may ask a bot to think at any time.
pub(crate) const MATCHES_MAX: u32 = 100;

impl House {
    /// What refuses one running match too many.
    pub(crate) fn match_limit(&self, player: PlayerId) -> Option<Change> {
        let limit = Change::Limit { player, of: Counted::RunningMatches, most: MATCHES_MAX };
        self.has_match_limit.then_some(limit)
    }
}

/// A task's rooms.
pub(crate) struct Hall {
    house: Arc<House>,
    inbox: mpsc::Receiver<Ask>,
    slots: HashMap<MatchId, Slot>,
    /// Matches that were let go of and are still ours.
    evicted: HashMap<MatchId, Evicted>,
    work: FuturesUnordered<BoxFuture<'static, Done>>,
    wakes: BinaryHeap<Reverse<(u64, MatchId)>>,
    effects: Vec<Effect>,
    /// What rooms wait for, to be handed to the store together.
    appends: Vec<(MatchId, Unit)>,
    crowd: Crowd,
}

struct Evicted {
    epoch: u32,
    lease_until_ms: u64,
    /// Whether something happens in it by itself.
    is_timed: bool,
}

/// Where a match's room is.
struct Slot {
    state: State,
    queue: VecDeque<Input>,
    /// When it is looked at next: never later than its room wants.
    wake_ms: Option<u64>,
    /// The ply at which it panicked last.
    panicked_at: Option<u32>,
    used_ms: u64,
    epoch: u32,
    lease_until_ms: u64,
    /// What its bots were asked; a later question makes an earlier one of the same seat idle.
    thoughts: Vec<(Seat, Thought)>,
    /// Another match like it is being made, which this seat offered.
    rematch_by: Option<Seat>,
}

/// A bot's task, which ends when nobody wants its answer.
struct Thought(AbortHandle);

impl Drop for Thought {
    fn drop(&mut self) {
        self.0.abort();
    }
}

enum State {
    /// Being read; what was there before, if anything.
    Loading(Option<Box<Room>>),
    /// Taking inputs.
    Ready(Box<Room>),
    /// Waiting for an entry to be stored.
    Storing { room: Box<Room>, rest: Vec<Effect>, asker: Asker },
    /// It panicked twice at the same entry: an operator must look.
    Frozen,
}

/// Who is to be told if something could not be stored.
#[derive(Clone, Copy, Default)]
struct Asker {
    member: Option<MemberId>,
    nonce: Option<u64>,
}

/// Something that a hall waited for.
enum Done {
    Stored(MatchId, Result<(), StorageError>),
    StoredEach(Vec<(MatchId, Result<(), StorageError>)>),
    Loaded(MatchId, Result<Loaded, Unloadable>),
    Renewed(MatchId, Result<u64, StorageError>),
    Rematch(MatchId, Option<MatchId>),
}

impl Done {
    /// How many rooms it lets go on.
    fn stored_rooms(&self) -> usize {
        match self {
            Done::Stored(..) => 1,
            Done::StoredEach(all) => all.len(),
            Done::Loaded(..) | Done::Renewed(..) | Done::Rematch(..) => 0,
        }
    }
}

impl Hall {
    pub(crate) fn new(house: Arc<House>, inbox: mpsc::Receiver<Ask>) -> Hall {
        Hall {
            house,
            inbox,
            slots: HashMap::new(),
            evicted: HashMap::new(),
            work: FuturesUnordered::new(),
            wakes: BinaryHeap::new(),
            effects: Vec::new(),
            appends: Vec::new(),
            crowd: Crowd::default(),
        }
    }

    /// Runs until it hears [`Ask::Close`], or nobody is left to ask, and then until all is stored.
    pub(crate) async fn run(mut self) {
        let mut asks = Vec::with_capacity(BATCH);
        let mut is_closing = false;
        let mut sweep = tokio::time::interval(SWEEP);
        loop {
            let wake = self.wakes.peek().map(|Reverse((at_ms, _))| self.house.time.instant(*at_ms));
            let woken = async {
                match wake {
                    Some(at) => sleep_until(at).await,
                    None => pending().await,
                }
            };
            self.store_appends();
            tokio::select! {
                Some(done) = self.work.next(), if !self.work.is_empty() => {
                    self.finish_with_all(done);
                }
                count = self.inbox.recv_many(&mut asks, BATCH) => {
                    if count == 0 {
                        break;
                    }
                    // The sockets that are readable too come first, so that what they bring is
                    // stored together.
                    yield_now().await;
                    while asks.len() < BATCH
                        && let Ok(ask) = self.inbox.try_recv()
                    {
                        asks.push(ask);
                    }
                    for ask in asks.drain(..) {
                        match ask {
                            Ask::Take(match_id, input) => self.take(match_id, input),
                            Ask::Open(room) => self.open(room),
                            Ask::Close => is_closing = true,
                        }
                    }
                    if is_closing {
                        break;
                    }
                }
                () = woken => self.tick(),
                _ = sweep.tick() => self.sweep(),
            }
        }
        loop {
            self.store_appends();
            let Some(done) = self.work.next().await else { return };
            self.finish(done);
        }
    }

    /// Hands the store what has come together since the last time.
    fn store_appends(&mut self) {
        if self.appends.is_empty() {
            return;
        }
        let (rooms, units): (Vec<MatchId>, Vec<Unit>) = self.appends.drain(..).unzip();
        let house = self.house.clone();
        self.work.push(Box::pin(async move {
            let stored = house.store.commit_each(units).await;
            Done::StoredEach(rooms.into_iter().zip(stored).collect())
        }));
    }

    /// Takes the other answers that are there already too: a commit answers many rooms at once.
    fn finish_with_all(&mut self, first: Done) {
        let mut all = vec![first];
        while let Some(Some(done)) = self.work.next().now_or_never() {
            all.push(done);
        }
        self.crowd.came(all.iter().map(Done::stored_rooms).sum());
        for done in all {
            self.finish(done);
        }
    }

    fn take(&mut self, match_id: MatchId, input: Input) {
        let now_ms = self.house.time.now_ms();
        let slot = match self.slots.entry(match_id) {
            Slots::Occupied(slot) => slot.into_mut(),
            // Nobody is there who could leave.
            Slots::Vacant(_) if matches!(input, Input::Leave { .. } | Input::Expel { .. }) => {
                return;
            }
            // Nothing happens by itself in a match that sleeps and has no clock.
            Slots::Vacant(_)
                if matches!(input, Input::Tick)
                    && self.evicted.get(&match_id).is_some_and(|it| !it.is_timed) =>
            {
                return;
            }
            Slots::Vacant(vacant) => {
                let evicted = self.evicted.remove(&match_id);
                let slot = vacant.insert(Slot {
                    state: State::Loading(None),
                    queue: VecDeque::new(),
                    wake_ms: None,
                    panicked_at: None,
                    used_ms: now_ms,
                    epoch: 0,
                    lease_until_ms: evicted.as_ref().map_or(0, |it| it.lease_until_ms),
                    thoughts: Vec::new(),
                    rematch_by: None,
                });
                let held = evicted.map(|it| Held { epoch: it.epoch, is_unsure: false });
                self.work.push(Box::pin(loading(self.house.clone(), match_id, held)));
                slot
            }
        };
        slot.used_ms = now_ms;
        match &slot.state {
            State::Ready(_) => self.handle(match_id, input),
            State::Frozen => {
                let asker = Asker::of(&input);
                self.answer(match_id, asker, Code::Frozen);
            }
            State::Loading(_) | State::Storing { .. } if slot.queue.len() < QUEUE_MAX => {
                slot.queue.push_back(input);
            }
            State::Loading(_) | State::Storing { .. } => {
                // What has happened has, however much there is to do; and nobody asks a bot again.
                if matches!(
                    input,
                    Input::Leave { .. }
                        | Input::Expel { .. }
                        | Input::Depart { .. }
                        | Input::BotChose { .. }
                        | Input::RematchMade { .. }
                        | Input::RematchFailed { .. }
                ) {
                    slot.queue.push_back(input);
                } else {
                    self.answer(match_id, Asker::of(&input), Code::Busy);
                }
            }
        }
    }

    /// Takes a room that has just begun.
    fn open(&mut self, room: Box<Room>) {
        let match_id = room.id();
        let now_ms = self.house.time.now_ms();
        let earlier = self.slots.insert(
            match_id,
            Slot {
                state: State::Ready(room),
                queue: VecDeque::new(),
                wake_ms: None,
                panicked_at: None,
                used_ms: now_ms,
                epoch: FIRST_EPOCH,
                lease_until_ms: now_ms + LEASE_MS,
                thoughts: Vec::new(),
                rematch_by: None,
            },
        );
        // Its time runs, whether anybody comes or not.
        self.take(match_id, Input::Tick);
        // Somebody may have asked before it was here: what was being read is not needed.
        for input in earlier.into_iter().flat_map(|slot| slot.queue) {
            self.take(match_id, input);
        }
    }

    /// Lets a room that is ready take an input.
    fn handle(&mut self, match_id: MatchId, input: Input) {
        let Some(slot) = self.slots.get_mut(&match_id) else {
            return;
        };
        let State::Ready(room) = &mut slot.state else {
            slot.queue.push_back(input);
            return;
        };
        let asker = Asker::of(&input);
        let now_ms = self.house.time.now_ms();
        let effects = &mut self.effects;
        let handled = catch_unwind(AssertUnwindSafe(|| room.handle(now_ms, input, effects)));
        if handled.is_err() {
            self.effects.clear();
            self.restart_after_panic(match_id, asker);
            return;
        }
        self.perform(match_id, asker, Haste::AtOnce);
    }

    /// Does the effects that were decided, up to one that must be waited for.
    fn perform(&mut self, match_id: MatchId, asker: Asker, haste: Haste) {
        let mut letters: Vec<(To, Letter)> = Vec::new();
        let mut effects = std::mem::take(&mut self.effects);
        let mut queue = effects.drain(..);
        while let Some(effect) = queue.next() {
            match effect {
                Effect::Send { to, letter } => letters.push((to, letter)),
                Effect::Admit { member, viewer } => {
                    self.house.bus.admit(match_id, member, viewer);
                }
                Effect::Dismiss { member } => self.house.bus.dismiss(match_id, member),
                Effect::WakeAt(at_ms) => self.wake_at(match_id, at_ms),
                Effect::Note(note) => self.note(match_id, note),
                Effect::Rematch { seat } => self.rematch(match_id, seat),
                Effect::AskBot(question) => self.ask_bot(match_id, question),
                Effect::Append(append) => {
                    let rest = queue.by_ref().collect();
                    self.store(match_id, append, rest, asker);
                }
                Effect::Reload => self.reload(match_id, false),
            }
        }
        drop(queue);
        self.effects = effects;
        if !letters.is_empty() {
            self.house.bus.tell(match_id, &letters, haste);
        }
    }

    fn store(&mut self, match_id: MatchId, append: Append, rest: Vec<Effect>, asker: Asker) {
        let Some(slot) = self.slots.get_mut(&match_id) else {
            return;
        };
        let State::Ready(room) = std::mem::replace(&mut slot.state, State::Loading(None)) else {
            return;
        };
        let Append { entry, ending } = append;
        match ending {
            None => self.appends.push((match_id, vec![Change::Append { match_id, entry }])),
            Some(ending) => {
                let end = finish::End::of(&room, entry, ending);
                self.work.push(Box::pin(store_end(self.house.clone(), match_id, end)));
            }
        }
        slot.state = State::Storing { room, rest, asker };
    }

    fn finish(&mut self, done: Done) {
        match done {
            Done::Stored(match_id, stored) => self.answered(match_id, stored),
            Done::StoredEach(all) => {
                for (match_id, stored) in all {
                    self.answered(match_id, stored);
                }
            }
            Done::Loaded(match_id, Ok(loaded)) => self.loaded(match_id, loaded),
            Done::Loaded(match_id, Err(unloadable)) => self.not_loaded(match_id, &unloadable),
            Done::Renewed(match_id, Ok(until_ms)) => {
                if let Some(slot) = self.slots.get_mut(&match_id) {
                    slot.lease_until_ms = until_ms;
                } else if let Some(evicted) = self.evicted.get_mut(&match_id) {
                    evicted.lease_until_ms = until_ms;
                }
            }
            Done::Renewed(match_id, Err(error)) => {
                if !self.house.outage.counts(&error) {
                    tracing::warn!(%error, %match_id, "a lease was not renewed");
                }
                // Another server has it now: whoever follows it here would wait for nothing.
                if matches!(error, StorageError::Conflict(_)) {
                    self.evicted.remove(&match_id);
                    self.reload(match_id, false);
                }
            }
            Done::Rematch(match_id, next) => {
                let slot = self.slots.get_mut(&match_id);
                let seat = slot.and_then(|slot| slot.rematch_by.take());
                let failed = seat.map(|seat| Input::RematchFailed { seat });
                if let Some(input) = next.map(|next| Input::RematchMade { next }).or(failed) {
                    self.take(match_id, input);
                }
            }
        }
    }

    fn answered(&mut self, match_id: MatchId, stored: Result<(), StorageError>) {
        match stored {
            Ok(()) => self.stored(match_id),
            Err(error) => self.not_stored(match_id, &error),
        }
    }

    fn stored(&mut self, match_id: MatchId) {
        let Some(slot) = self.slots.get_mut(&match_id) else {
            return;
        };
        let (room, rest, asker) = match std::mem::replace(&mut slot.state, State::Loading(None)) {
            State::Storing { room, rest, asker } => (room, rest, asker),
            other => {
                slot.state = other;
                return;
            }
        };
        if room.is_over() {
            slot.thoughts.clear();
        }
        let haste = if self.crowd.is_large() && !room.is_over() {
            Haste::DecidersFirst(room.contest().to_act())
        } else {
            Haste::AtOnce
        };
        slot.state = State::Ready(room);
        self.effects = rest;
        self.perform(match_id, asker, haste);
        self.go_on(match_id);
    }

    /// What is in memory is not what is stored: the room is made anew.
    fn not_stored(&mut self, match_id: MatchId, error: &StorageError) {
        let Some(slot) = self.slots.get_mut(&match_id) else {
            return;
        };
        let state = std::mem::replace(&mut slot.state, State::Loading(None));
        let State::Storing { room, rest, asker } = state else {
            return;
        };
        if !self.house.outage.counts(error) {
            tracing::warn!(%error, %match_id, "an entry was not stored");
        }
        slot.state = State::Ready(room);
        self.answer(match_id, asker, Code::Unavailable);
        // Who came or went with it has come or gone all the same.
        for effect in rest {
            match effect {
                Effect::Admit { member, viewer } => {
                    self.house.bus.admit(match_id, member, viewer);
                }
                Effect::Dismiss { member } => self.house.bus.dismiss(match_id, member),
                _ => {}
            }
        }
        // An entry that is not known to be refused may be stored later.
        let is_refused = matches!(error, StorageError::Conflict(_) | StorageError::NotFound(_));
        self.reload(match_id, !is_refused);
    }

    /// Hands a room what waited while it was busy.
    fn go_on(&mut self, match_id: MatchId) {
        loop {
            let Some(slot) = self.slots.get_mut(&match_id) else {
                return;
            };
            if !matches!(slot.state, State::Ready(_)) {
                return;
            }
            let Some(input) = slot.queue.pop_front() else {
                return;
            };
            self.handle(match_id, input);
        }
    }

    /// Makes a room anew from its log; in a new epoch, unless what is stored in this one is known.
    fn reload(&mut self, match_id: MatchId, is_unsure: bool) {
        let Some(slot) = self.slots.get_mut(&match_id) else {
            return;
        };
        let room = match std::mem::replace(&mut slot.state, State::Loading(None)) {
            State::Ready(room) => room,
            // It is being stored or read already, and finds out by itself.
            busy => {
                slot.state = busy;
                return;
            }
        };
        slot.thoughts.clear();
        slot.state = State::Loading(Some(room));
        let held = Some(Held { epoch: slot.epoch, is_unsure });
        self.work.push(Box::pin(loading(self.house.clone(), match_id, held)));
    }

    fn loaded(&mut self, match_id: MatchId, loaded: Loaded) {
        let Some(slot) = self.slots.get_mut(&match_id) else {
            return;
        };
        let Loaded { mut room, epoch, lease_until_ms } = loaded;
        let earlier = match std::mem::replace(&mut slot.state, State::Loading(None)) {
            State::Loading(earlier) => earlier,
            // It was opened meanwhile, in an epoch that ended when this one was read.
            State::Ready(room) => Some(room),
            // Its entry will not be stored, and then it is read again.
            other => {
                slot.state = other;
                return;
            }
        };
        slot.epoch = epoch;
        slot.lease_until_ms = lease_until_ms.unwrap_or(slot.lease_until_ms);
        match earlier {
            Some(earlier) => room.adopt(&earlier, &mut self.effects),
            None => self.effects.extend(room.wake_at().map(Effect::WakeAt)),
        }
        slot.state = State::Ready(room);
        self.perform(match_id, Asker::default(), Haste::AtOnce);
        self.take(match_id, Input::Tick);
        self.go_on(match_id);
    }

    fn not_loaded(&mut self, match_id: MatchId, unloadable: &Unloadable) {
        let Some(slot) = self.slots.remove(&match_id) else {
            return;
        };
        let code = unloadable.code();
        let is_outage = match unloadable {
            Unloadable::Store(error) => self.house.outage.counts(error),
            _ => false,
        };
        if code != Code::MatchNotFound && !is_outage {
            tracing::error!(error = %unloadable, %match_id, "a match was not loaded");
        }
        for input in &slot.queue {
            self.answer(match_id, Asker::of(input), code);
        }
        // Who followed it must come again, or would wait for nothing.
        if let State::Loading(Some(earlier)) = slot.state {
            for member in earlier.members() {
                self.answer(match_id, Asker { member: Some(member), nonce: None }, code);
                self.house.bus.dismiss(match_id, member);
            }
        }
    }

    fn restart_after_panic(&mut self, match_id: MatchId, asker: Asker) {
        self.answer(match_id, asker, Code::Internal);
        let Some(slot) = self.slots.get_mut(&match_id) else {
            return;
        };
        let State::Ready(room) = &slot.state else {
            return;
        };
        let ply = room.ply();
        tracing::error!(%match_id, ply, "a room panicked");
        if slot.panicked_at.replace(ply) == Some(ply) {
            let members: Vec<MemberId> = room.members().collect();
            slot.state = State::Frozen;
            for input in std::mem::take(&mut slot.queue) {
                self.answer(match_id, Asker::of(&input), Code::Frozen);
            }
            // Nobody would let go of them any more.
            for member in members {
                self.answer(match_id, Asker { member: Some(member), nonce: None }, Code::Frozen);
                self.house.bus.dismiss(match_id, member);
            }
        } else {
            self.reload(match_id, false);
        }
    }

    /// Notes when a room wants to be looked at, unless it is looked at earlier anyway: a room puts its
    /// wake-up off with every move, and each would be an entry.
    fn wake_at(&mut self, match_id: MatchId, at_ms: u64) {
        if let Some(slot) = self.slots.get_mut(&match_id)
            && slot.wake_ms.is_none_or(|wake_ms| at_ms < wake_ms)
        {
            slot.wake_ms = Some(at_ms);
            self.wakes.push(Reverse((at_ms, match_id)));
        }
    }

    fn tick(&mut self) {
        let now_ms = self.house.time.now_ms();
        while let Some(Reverse((at_ms, match_id))) = self.wakes.peek().copied() {
            if at_ms > now_ms {
                return;
            }
            self.wakes.pop();
            let Some(slot) = self.slots.get_mut(&match_id) else {
                if self.evicted.contains_key(&match_id) {
                    self.take(match_id, Input::Tick);
                }
                continue;
            };
            slot.wake_ms = None;
            match &slot.state {
                // It may have put its wake-up off since.
                State::Ready(room) => match room.wake_at() {
                    Some(later_ms) if later_ms > now_ms => self.wake_at(match_id, later_ms),
                    Some(_) => self.take(match_id, Input::Tick),
                    None => {}
                },
                State::Loading(_) | State::Storing { .. } => self.take(match_id, Input::Tick),
                State::Frozen => {}
            }
        }
    }

    /// Lets go of rooms that nobody needs, and keeps the leases of the others. Of a match that sleeps
    /// and has a clock too: another owner would give back the time for which nobody had it.
    fn sweep(&mut self) {
        let now_ms = self.house.time.now_ms();
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
            let house = self.house.clone();
            self.work.push(Box::pin(async move {
                let until_ms = now_ms + LEASE_MS;
                let renew = Change::RenewLease { match_id, epoch, until_ms };
                let renewed = house.store.commit(vec![renew]).await;
                Done::Renewed(match_id, renewed.map(|()| until_ms))
            }));
        }
        for match_id in idle {
            self.evict(match_id);
        }
    }

    fn evict(&mut self, match_id: MatchId) {
        let Some(slot) = self.slots.remove(&match_id) else {
            return;
        };
        if let State::Ready(room) = slot.state
            && !room.is_over()
        {
            let Slot { epoch, lease_until_ms, .. } = slot;
            // The room that comes after it counts anew.
            if !room.refusals().is_empty() {
                let event = GameplayEvent::ActionsRefused { counts: finish::refusals(&room) };
                let context = Context { match_id: Some(match_id), ..Context::default() };
                self.house.notes.note(&event, context);
            }
            let is_timed = room.wake_at().is_some();
            self.evicted.insert(match_id, Evicted { epoch, lease_until_ms, is_timed });
        }
    }

    fn note(&self, match_id: MatchId, note: Note) {
        let (event, user) = match note {
            Note::SeatJoined { seat, player } => {
                let seat = u8::try_from(seat.index()).unwrap_or(u8::MAX);
                (GameplayEvent::SeatJoined { seat }, player)
            }
            Note::SpectatorJoined { player } => (GameplayEvent::SpectatorJoined, player),
        };
        let context = Context { user: Some(user), match_id: Some(match_id), ..Context::default() };
        self.house.notes.note(&event, context);
    }

    /// Lets a bot think elsewhere. Its answer comes as any input; a hall that closes does not wait.
    fn ask_bot(&mut self, match_id: MatchId, question: Box<Question>) {
        let Some(slot) = self.slots.get_mut(&match_id) else {
            return;
        };
        let house = self.house.clone();
        let (seat, ply) = (question.seat, question.ply);
        let thinking = tokio::spawn(async move {
            if let Ok(choice) = house.thinkers.ask(question).await {
                // The rooms may be closing too.
                let _ = house.bus.ask(match_id, Input::BotChose { seat, ply, choice }).await;
            }
        });
        slot.thoughts.retain(|(other, _)| *other != seat);
        slot.thoughts.push((seat, Thought(thinking.abort_handle())));
    }

    fn rematch(&mut self, match_id: MatchId, seat: Seat) {
        let Some(slot) = self.slots.get_mut(&match_id).filter(|slot| slot.rematch_by.is_none())
        else {
            return;
        };
        slot.rematch_by = Some(seat);
        let house = self.house.clone();
        self.work.push(Box::pin(async move {
            let next = begin::rematch(&house, match_id).await;
            if let Err(error) = &next {
                tracing::warn!(%error, %match_id, "no rematch was made");
            }
            Done::Rematch(match_id, next.ok())
        }));
    }

    /// Tells whoever asked that it was not done, and why.
    fn answer(&self, match_id: MatchId, asker: Asker, code: Code) {
        let Some(member) = asker.member else {
            return;
        };
        let refused = Refused {
            match_id,
            nonce: asker.nonce,
            code: code.as_str().into(),
            message: code.title().into(),
            ply: None,
        };
        let letter = serde_json::to_vec(&ServerMessage::Refused(refused)).unwrap_or_default();
        self.house.bus.tell(match_id, &[(To::Member(member), letter)], Haste::AtOnce);
    }
}

impl Asker {
    fn of(input: &Input) -> Asker {
        let nonce = match input {
            Input::Act { nonce, .. } => Some(*nonce),
            _ => None,
        };
        let member = match input {
            Input::Join { member, .. }
            | Input::Act { member, .. }
            | Input::Legal { member }
            | Input::Resign { member }
            | Input::Claim { member }
            | Input::Offer { member, .. }
            | Input::Answer { member, .. }
            | Input::Chat { member, .. } => Some(*member),
            Input::Leave { .. }
            | Input::Expel { .. }
            | Input::Depart { .. }
            | Input::BotChose { .. }
            | Input::RematchMade { .. }
            | Input::RematchFailed { .. }
            | Input::Tick => None,
        };
        Asker { member, nonce }
    }
}

async fn loading(house: Arc<House>, match_id: MatchId, held: Option<Held>) -> Done {
    let loaded = AssertUnwindSafe(load(&house, match_id, held)).catch_unwind().await;
    Done::Loaded(match_id, loaded.unwrap_or(Err(Unloadable::Panicked)))
}

/// Stores the end of a match; its rules are asked once more, and a panic of theirs is this match's
/// alone.
async fn store_end(house: Arc<House>, match_id: MatchId, end: finish::End) -> Done {
    let stored = AssertUnwindSafe(end.store(&house)).catch_unwind().await;
    let panicked = || Err(StorageError::unavailable("the rules panicked at the end"));
    Done::Stored(match_id, stored.unwrap_or_else(|_| panicked()))
}
