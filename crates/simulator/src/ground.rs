//! What houses and clients stand on: time, chance, the store, the lines between them, and the
//! ledgers by which all of it is judged.

use std::collections::{BTreeMap, BTreeSet};

use domain::{MatchId, PlayerId, SeatHolder};
use game_api::{Seed, Viewer};
use play::Settings;
use play::room::Letter;
use protocol::ClockSetting;
use protocol::ws::{ClientMessage, ServerMessage};
use storage::{Change, NewMatch, Unit};

use crate::agenda::{Agenda, Event};
use crate::ledger::{Ledger, Receiver};
use crate::plan::{Plan, Sabotage};
use crate::store::{Fate, Job, SimStore};
use crate::tally::Tally;
use crate::violated;
use crate::wire::{OUTBOX_MAX, Wire};

/// 2026, so that ids are like real ones.
const BEGIN_MS: u64 = 1_790_000_000_000;
/// How long a house may be believed to hold a match without a word: short, so that many leases end.
pub(crate) const LEASE_MS: u64 = 6_000;

pub(crate) struct Ground {
    pub(crate) now_ms: u64,
    pub(crate) rng: fastrand::Rng,
    pub(crate) agenda: Agenda,
    pub(crate) store: SimStore,
    pub(crate) ledgers: BTreeMap<MatchId, Ledger>,
    pub(crate) wires: BTreeMap<u64, Wire>,
    /// Requests that a house has heard and not answered.
    asks: BTreeMap<u64, Ask>,
    ask_count: u64,
    /// No more faults: everything must come right.
    pub(crate) is_calm: bool,
    pub(crate) tally: Tally,
    /// The matches with which something happened in this step.
    pub(crate) touched: BTreeSet<MatchId>,
    sabotage: Option<Sabotage>,
    match_count: u64,
}

/// Whose request it is, and what would answer it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ask {
    pub(crate) number: u64,
    pub(crate) wire: u64,
    pub(crate) kind: AskKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AskKind {
    Join,
    Act(u64),
    Legal,
    GiveUp,
    Offer,
    Chat,
}

/// Where a letter goes, and from which time of a house.
pub(crate) struct Sent {
    pub(crate) wire: u64,
    pub(crate) viewer: Option<Viewer>,
    pub(crate) now_ms: u64,
}

impl Ask {
    fn is_answered_by(self, message: &ServerMessage<'_>) -> bool {
        match (self.kind, message) {
            (AskKind::Act(nonce), ServerMessage::Refused(refused)) => refused.nonce == Some(nonce),
            (AskKind::Act(nonce), ServerMessage::Ack(ack)) => ack.nonce == nonce,
            (AskKind::Act(_), _) => false,
            (_, ServerMessage::Refused(refused)) => refused.nonce.is_none(),
            (AskKind::Join | AskKind::GiveUp | AskKind::Offer, ServerMessage::Snapshot(_))
            | (AskKind::Legal, ServerMessage::Legal(_))
            | (AskKind::Offer, ServerMessage::Offer(_))
            | (AskKind::Chat, ServerMessage::Chat(_)) => true,
            _ => false,
        }
    }
}

impl Ground {
    pub(crate) fn new(plan: Plan) -> Ground {
        Ground {
            now_ms: BEGIN_MS,
            rng: fastrand::Rng::with_seed(plan.seed),
            agenda: Agenda::default(),
            store: SimStore::new(plan.sabotage),
            ledgers: BTreeMap::new(),
            wires: BTreeMap::new(),
            asks: BTreeMap::new(),
            ask_count: 0,
            is_calm: false,
            tally: Tally::default(),
            touched: BTreeSet::new(),
            sabotage: plan.sabotage,
            match_count: 0,
        }
    }

    pub(crate) fn is_sabotaged(&self, by: Sabotage) -> bool {
        self.sabotage == Some(by)
    }

    /// True so many times in a hundred.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(0..100) < percent
    }

    /// A fault so many times in a thousand, while there are faults.
    pub(crate) fn fault(&mut self, per_mille: u32) -> bool {
        !self.is_calm && self.rng.u32(0..1000) < per_mille
    }

    pub(crate) fn after(&mut self, delay_ms: u64, event: Event) {
        self.agenda.add(self.now_ms + delay_ms, event);
    }

    /// A number of milliseconds, mostly small.
    pub(crate) fn delay_ms(&mut self, usual_ms: u64) -> u64 {
        let most_ms = if self.fault(30) { usual_ms * 40 } else { usual_ms };
        self.rng.u64(1..=most_ms)
    }

    /// Gives the store a unit, with whatever becomes of it.
    pub(crate) fn commit(&mut self, house: usize, life: u32, job: Job, unit: Unit) {
        let fate = match self.rng.u32(0..1000) {
            _ if self.is_calm => Fate::Done,
            0..25 => Fate::Failed,
            25..60 => Fate::AnswerLost,
            60..90 => Fate::Repeated,
            _ => Fate::Done,
        };
        let commit = self.store.send(house, life, job, unit, fate);
        // Between reading a match and becoming its owner much can happen.
        let lands_ms = self.delay_ms(if matches!(job, Job::Take(_)) { 150 } else { 20 });
        match fate {
            Fate::Done => {
                self.after(lands_ms, Event::Land { commit });
                self.after(lands_ms, Event::Answer { commit });
            }
            Fate::Failed => self.after(lands_ms, Event::Answer { commit }),
            Fate::AnswerLost => {
                self.tally.lost_answers += 1;
                // The one or the other is first.
                let lands_ms = self.rng.u64(1..=400);
                let answer_ms = self.rng.u64(1..=400);
                self.after(lands_ms, Event::Land { commit });
                self.after(answer_ms, Event::Answer { commit });
            }
            Fate::Repeated => {
                self.tally.repeats += 1;
                let again_ms = lands_ms + self.delay_ms(30);
                self.after(lands_ms, Event::Land { commit });
                self.after(again_ms, Event::Land { commit });
                self.after(again_ms, Event::Answer { commit });
            }
        }
    }

    /// The store does a unit; whatever is new in it is followed.
    pub(crate) fn land(&mut self, commit: u64) {
        for match_id in self.store.land(commit) {
            self.absorb(match_id);
        }
    }

    pub(crate) fn absorb(&mut self, match_id: MatchId) {
        let Some(row) = self.store.row(match_id) else {
            return;
        };
        let epoch = row.epoch;
        self.touched.insert(match_id);
        let ledger = self.ledgers.entry(match_id).or_insert_with(|| {
            self.tally.matches += 1;
            Ledger::new(row)
        });
        for entry in self.store.entries(match_id, ledger.plies()) {
            ledger.absorb(entry, epoch, &mut self.tally);
        }
    }

    /// A match that is to be, between these players and so many bots.
    pub(crate) fn plan_match(
        &mut self,
        players: &[PlayerId],
        bots: usize,
        owner: String,
    ) -> NewMatch {
        let count = players.len() + bots;
        let games = crate::games::all();
        let fitting: Vec<_> = games
            .into_iter()
            .filter(|game| game.meta().seats.contains(&u8::try_from(count).unwrap_or(u8::MAX)))
            .collect();
        let game = fitting[self.rng.usize(0..fitting.len())];
        let presets = game.presets();
        let options = presets[self.rng.usize(0..presets.len())].1.clone();
        let mut settings = Settings { clock: self.plan_clock(), ..Settings::default() };
        settings.spectator_delay_s = if self.chance(20) { self.rng.u32(1..=10) } else { 0 };
        let mut distinct = players.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        settings.is_rated = distinct.len() == count && self.chance(70);
        let bots = (0..bots).map(|_| SeatHolder::Bot("1".to_owned()));
        let seats = players.iter().copied().map(SeatHolder::Player).chain(bots).collect();
        self.new_match(game.meta().id, &options, &settings, seats, owner)
    }

    pub(crate) fn new_match(
        &mut self,
        game: &str,
        options: &str,
        settings: &Settings,
        seats: Vec<SeatHolder>,
        owner: String,
    ) -> NewMatch {
        self.match_count += 1;
        let seed = Seed::from_number(self.rng.u64(..));
        let count = u8::try_from(seats.len()).unwrap_or(u8::MAX);
        let dealt = crate::games::find(game).and_then(|game| {
            let start = |options: &str| game.start(options, count, seed).ok();
            Some((game, start(options).or_else(|| start("{}"))?))
        });
        let Some((game, contest)) = dealt else {
            violated("every game can be dealt", game);
        };
        NewMatch {
            // As random as the server's: their order is that of no time.
            id: MatchId::random(self.match_count.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            game: game.meta().id.to_owned(),
            rules_version: game.meta().rules_version,
            options: contest.options(),
            from_position: None,
            seed,
            commitment: contest.commitment(),
            settings: serde_json::to_string(settings).unwrap_or_default(),
            seats,
            is_public: false,
            founder: None,
            created_ms: self.now_ms,
            owner: Some(owner),
            lease_until_ms: self.now_ms + LEASE_MS,
        }
    }

    fn plan_clock(&mut self) -> ClockSetting {
        let increment_s = self.rng.u32(0..4);
        match self.rng.u32(0..8) {
            0 | 1 => ClockSetting::None,
            2 => ClockSetting::PerMove { seconds: 60 },
            3 => ClockSetting::Fischer { initial_s: 15, increment_s },
            4 | 5 => ClockSetting::Fischer { initial_s: self.rng.u32(60..600), increment_s },
            6 => ClockSetting::Delay { initial_s: self.rng.u32(15..120), delay_s: 1 + increment_s },
            _ => ClockSetting::Days { days: 1 },
        }
    }

    /// A message goes to the house: perhaps not, perhaps twice, in any order.
    pub(crate) fn say(&mut self, wire: u64, message: ClientMessage) {
        if self.fault(40) {
            // A client cannot tell the answer to it from what it would be told anyway, so it is
            // lost only with its line.
            if matches!(message, ClientMessage::Join { .. }) {
                self.cut(wire);
            }
            return;
        }
        if self.fault(60) {
            let delay_ms = self.delay_ms(100);
            self.after(delay_ms, Event::Hear { wire, message: message.clone() });
        }
        let delay_ms = self.delay_ms(40);
        self.after(delay_ms, Event::Hear { wire, message });
    }

    /// A letter goes to a client, if the connection still stands and its reader keeps up.
    pub(crate) fn deliver(&mut self, number: u64, letter: &Letter) {
        let now_ms = self.now_ms;
        let Some(wire) = self.wires.get_mut(&number).filter(|wire| wire.is_open) else {
            return;
        };
        wire.outbox.push_back(letter.clone());
        if wire.outbox.len() > OUTBOX_MAX {
            self.tally.slow_readers += 1;
            self.cut(number);
        } else if !wire.is_read_due {
            wire.is_read_due = true;
            let at_ms = now_ms + wire.pace_ms;
            self.agenda.add(at_ms, Event::Read { wire: number });
        }
    }

    /// A connection breaks; the house notices later.
    pub(crate) fn cut(&mut self, number: u64) {
        let Some(wire) = self.wires.get_mut(&number).filter(|wire| wire.is_open) else {
            return;
        };
        wire.is_open = false;
        wire.outbox.clear();
        self.asks.retain(|_, ask| ask.wire != number);
        let delay_ms = self.delay_ms(200);
        self.after(delay_ms, Event::Gone { wire: number });
    }

    /// A house has heard a request and owes an answer.
    pub(crate) fn ask(&mut self, wire: u64, kind: AskKind) -> Ask {
        self.ask_count += 1;
        self.tally.inputs += 1;
        let ask = Ask { number: self.ask_count, wire, kind };
        self.asks.insert(ask.number, ask);
        ask
    }

    /// Checks a letter and, if it answers the request, crosses this off.
    pub(crate) fn check_letter(
        &mut self,
        match_id: MatchId,
        message: &ServerMessage<'_>,
        sent: &Sent,
        ask: Option<Ask>,
    ) {
        let Sent { wire, viewer, now_ms } = *sent;
        let Some(player) = self.wires.get(&wire).map(|wire| wire.player) else {
            return;
        };
        self.tally.letters += 1;
        if let ServerMessage::Rematch(rematch) = message
            && !self.ledgers.contains_key(&rematch.next)
        {
            violated("nothing is told before it is stored", format!("{rematch:?}"));
        }
        if let Some(ledger) = self.ledgers.get_mut(&match_id) {
            let receiver = Receiver { player, viewer, now_ms };
            ledger.check_letter(message, &receiver, &mut self.tally);
        }
        if let Some(ask) = ask
            && ask.wire == wire
            && ask.is_answered_by(message)
        {
            self.asks.remove(&ask.number);
        }
    }

    /// A request that waits for its answer, from a client that waits too.
    pub(crate) fn open_ask(&self) -> Option<Ask> {
        self.asks.values().next().copied()
    }

    /// Makes a match at once.
    pub(crate) fn prepare(&mut self, new: NewMatch) {
        let id = new.id;
        if let Err(error) = self.store.prepare(vec![Change::CreateMatch(new)]) {
            violated("a match can be made", error);
        }
        self.absorb(id);
    }
}
