//! Several tabs of one player, over a network that breaks between any two messages, loses what is
//! under way and falls silent. In the end every action that was said to be stored is in the log
//! once, no other is, and every tab shows what the server has.
//!
//! `PARLOR_SEED=123 cargo test -p client-link one_seed -- --nocapture` repeats one run.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{catch_unwind, resume_unwind};

use client_core::{ActionState, Connection, Effect, Failure, Input, Link, News, SocketId, Wish};
use domain::MatchId;
use fastrand::Rng;
use protocol::ws::ServerMessage;
use serde_json::Value;

use crate::model::{Letter, Server};

const TABS: usize = 3;
const MATCHES: i64 = 2;
const STEPS: usize = 400;
/// By then a lost connection is shown.
const SHOWN_MS: u64 = 5_000;
/// Longer than the longest wait of a link, and all that follows it, many times over.
const HEALING_MS: u64 = 120_000;
/// More than all tabs do in that time.
const HEALING_STEPS: u32 = 5_000;

#[derive(Default)]
struct Tally {
    breaks: u32,
    silences: u32,
    repeated_acks: u32,
    untold: u32,
    unjudged: u32,
    stored: usize,
    refused: usize,
    failed: usize,
}

struct World {
    rng: Rng,
    now_ms: u64,
    is_calm: bool,
    server: Server,
    tabs: Vec<Tab>,
    wires: BTreeMap<u64, Wire>,
    wires_made: u64,
    tally: Tally,
}

/// What is under way between a socket and the server.
struct Wire {
    tab: usize,
    socket: SocketId,
    up: VecDeque<String>,
    down: VecDeque<String>,
    is_welcomed: bool,
    /// Since when nothing gets through any more, without anybody being told.
    silent_ms: Option<u64>,
}

/// A page with its link.
struct Tab {
    link: Link,
    wake_ms: Option<u64>,
    wire: Option<u64>,
    connection: Connection,
    /// Ply and view.
    shown: BTreeMap<MatchId, (u32, Value)>,
    intents: u32,
    /// What is said of each action's number.
    actions: BTreeMap<u64, (String, Fate)>,
    failed: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Sent,
    Stored,
    Refused,
}

fn run(seed: u64) -> Tally {
    let mut rng = Rng::with_seed(seed);
    let tabs = (0..TABS).map(|_| Tab {
        link: Link::new(rng.u64(..)),
        wake_ms: None,
        wire: None,
        connection: Connection::Offline,
        shown: BTreeMap::new(),
        intents: 0,
        actions: BTreeMap::new(),
        failed: BTreeSet::new(),
    });
    let tabs = tabs.collect();
    let mut world = World {
        rng,
        now_ms: 1_000,
        is_calm: false,
        server: Server::default(),
        tabs,
        wires: BTreeMap::new(),
        wires_made: 0,
        tally: Tally::default(),
    };
    for tab in 0..TABS {
        for number in 0..MATCHES {
            world.tell(tab, Input::Wish(Wish::Follow(match_id(number))));
        }
        world.tell(tab, Input::Connect);
    }
    for _ in 0..STEPS {
        world.step();
    }
    world.heal();
    world.check();
    world.tally
}

fn match_id(number: i64) -> MatchId {
    MatchId::from_number(number).unwrap()
}

impl World {
    fn step(&mut self) {
        let tab = self.rng.usize(..TABS);
        match self.rng.u32(..100) {
            0..60 => {
                self.carry_one();
            }
            60..72 => self.wish_act(tab),
            72..78 => {
                let id = match_id(self.rng.i64(0..MATCHES));
                let action = (self.rng.u32(..4) > 0).then(|| format!("other {}", self.rng.u64(..)));
                let letters = self.server.happen(id, action, Some(&mut self.rng));
                self.post(letters);
            }
            78..88 => self.pass_time(),
            88..91 => self.break_wire(tab),
            91..92 => {
                if let Some(wire) = self.tabs[tab].wire.and_then(|wire| self.wires.get_mut(&wire)) {
                    wire.silent_ms.get_or_insert(self.now_ms);
                    self.tally.silences += 1;
                }
            }
            92..94 => {
                let is_up = self.rng.bool();
                self.tell(tab, Input::Network { is_up });
            }
            94..95 => self.tell(tab, Input::Disconnect),
            95..97 => self.tell(tab, Input::Connect),
            _ => {
                let id = match_id(self.rng.i64(0..MATCHES));
                self.tell(tab, Input::Wish(Wish::Follow(id)));
            }
        }
    }

    fn wish_act(&mut self, tab: usize) {
        let id = match_id(self.rng.i64(0..MATCHES));
        let page = &mut self.tabs[tab];
        page.intents += 1;
        let end = if self.rng.u32(..10) == 0 { "bad" } else { "good" };
        let action = format!("tab {tab} intent {} {end}", page.intents);
        let ply = page.shown.get(&id).map_or(0, |shown| shown.0);
        self.tell(tab, Input::Wish(Wish::Act { match_id: id, ply, action }));
    }

    /// Time goes on to some moment before or at the next wake-up.
    fn pass_time(&mut self) {
        let due = (0..TABS).filter_map(|tab| Some((self.tabs[tab].wake_ms?, tab))).min();
        let Some((due_ms, tab)) = due else {
            return;
        };
        if !self.is_calm && self.rng.bool() && self.now_ms < due_ms {
            self.now_ms = self.rng.u64(self.now_ms..=due_ms);
            return;
        }
        self.now_ms = self.now_ms.max(due_ms);
        self.tabs[tab].wake_ms = None;
        self.tell(tab, Input::Tick);
        for wire in self.wires.values() {
            let is_shown = self.tabs[wire.tab].connection != Connection::Online;
            let silent_ms = wire.silent_ms.unwrap_or(self.now_ms);
            assert!(is_shown || self.now_ms - silent_ms <= SHOWN_MS, "nobody saw that it is lost");
        }
    }

    /// One message arrives somewhere. Gives whether one was under way.
    fn carry_one(&mut self) -> bool {
        let busy = self.wires.iter().filter(|(_, wire)| wire.has_news());
        let busy: Vec<u64> = busy.map(|(number, _)| *number).collect();
        let Some(number) = self.rng.choice(busy) else {
            return false;
        };
        let wire = self.wires.get_mut(&number).unwrap();
        let (tab, socket) = (wire.tab, wire.socket);
        if !wire.is_welcomed {
            wire.is_welcomed = true;
            let letter = self.server.connect(number);
            self.post(vec![letter]);
        } else if wire.down.is_empty() || !wire.up.is_empty() && self.rng.bool() {
            let text = wire.up.pop_front().unwrap();
            let faults = (!self.is_calm).then_some(&mut self.rng);
            let letters = self.server.hear(number, &text, faults);
            self.post(letters);
        } else {
            let text = wire.down.pop_front().unwrap();
            self.tell(tab, Input::Received { socket, text: &text });
        }
        true
    }

    fn post(&mut self, letters: Vec<Letter>) {
        for (connection, text) in letters {
            if let Some(wire) = self.wires.get_mut(&connection) {
                wire.down.push_back(text);
            }
        }
    }

    fn break_wire(&mut self, tab: usize) {
        let Some(wire) = self.tabs[tab].wire else {
            return;
        };
        let socket = self.drop_wire(wire);
        self.tally.breaks += 1;
        let code = self.rng.choice([1001, 1006, 4002, 4003, 4004]).unwrap();
        self.tell(tab, Input::Closed { socket, code });
    }

    /// The server may still have read some of what was under way; the rest is lost.
    fn drop_wire(&mut self, number: u64) -> SocketId {
        let mut wire = self.wires.remove(&number).unwrap();
        while wire.is_welcomed && wire.silent_ms.is_none() && self.rng.bool() {
            let Some(text) = wire.up.pop_front() else {
                break;
            };
            let faults = (!self.is_calm).then_some(&mut self.rng);
            let letters = self.server.hear(number, &text, faults);
            self.post(letters);
        }
        self.server.disconnect(number);
        self.tabs[wire.tab].wire = None;
        wire.socket
    }

    fn tell(&mut self, tab: usize, input: Input<'_>) {
        let asked = match &input {
            Input::Wish(Wish::Act { action, .. }) => Some(action.clone()),
            _ => None,
        };
        for effect in self.tabs[tab].link.handle(self.now_ms, input) {
            match effect {
                Effect::Open(socket) => {
                    assert!(self.tabs[tab].wire.is_none(), "two sockets at once");
                    self.wires_made += 1;
                    let wire = Wire {
                        tab,
                        socket,
                        up: VecDeque::new(),
                        down: VecDeque::new(),
                        is_welcomed: false,
                        silent_ms: None,
                    };
                    self.wires.insert(self.wires_made, wire);
                    self.tabs[tab].wire = Some(self.wires_made);
                }
                Effect::Close(_) => {
                    let wire = self.tabs[tab].wire.unwrap();
                    self.drop_wire(wire);
                }
                Effect::Send(text) => {
                    let wire = self.tabs[tab].wire.unwrap();
                    self.wires.get_mut(&wire).unwrap().up.push_back(text);
                }
                Effect::WakeAt(at_ms) => self.tabs[tab].wake_ms = Some(at_ms),
                Effect::Tell(news) => self.tabs[tab].read(news, asked.as_deref()),
            }
        }
    }

    /// The network is good again, and everybody wants to be there. A connection that fell silent
    /// stays so: its link has to find out.
    fn heal(&mut self) {
        self.is_calm = true;
        for tab in 0..TABS {
            self.tell(tab, Input::Connect);
        }
        let until_ms = self.now_ms + HEALING_MS;
        for step in 0.. {
            assert!(step < HEALING_STEPS, "it does not come to rest");
            if self.now_ms >= until_ms {
                break;
            }
            if !self.carry_one() {
                self.pass_time();
            }
        }
        // What nobody was told of is found out with the next event.
        for number in 0..MATCHES {
            let action = Some("the last".to_owned() + &number.to_string());
            let letters = self.server.happen(match_id(number), action, None);
            self.post(letters);
        }
        while self.carry_one() {}
    }

    fn check(&mut self) {
        let mut times: BTreeMap<&str, u32> = BTreeMap::new();
        let entries = self.server.matches.values().flat_map(|contest| &contest.log);
        for action in entries.filter_map(|entry| entry.action.as_deref()) {
            *times.entry(action).or_default() += 1;
        }
        assert!(times.values().all(|times| *times == 1), "an action happened twice: {times:?}");
        for (at, tab) in self.tabs.iter().enumerate() {
            assert_eq!(tab.connection, Connection::Online, "tab {at}");
            for (action, fate) in tab.actions.values() {
                let is_there = times.contains_key(action.as_str());
                assert_ne!(*fate, Fate::Sent, "{action} has no answer");
                assert_eq!(is_there, *fate == Fate::Stored, "{action} is said to be {fate:?}");
            }
            let is_there = |action: &&String| times.contains_key(action.as_str());
            assert_eq!(tab.failed.iter().find(is_there), None, "it was never sent");
            for (id, contest) in &self.server.matches {
                let known = (contest.ply(), contest.view());
                assert_eq!(tab.shown.get(id), Some(&known), "tab {at}");
            }
            let count = |fate| tab.actions.values().filter(|it| it.1 == fate).count();
            self.tally.stored += count(Fate::Stored);
            self.tally.refused += count(Fate::Refused);
            self.tally.failed += tab.failed.len();
        }
        self.tally.repeated_acks = self.server.repeated_acks;
        self.tally.untold = self.server.untold;
        self.tally.unjudged = self.server.unjudged;
    }
}

impl Wire {
    fn has_news(&self) -> bool {
        self.silent_ms.is_none()
            && (!self.is_welcomed || !self.up.is_empty() || !self.down.is_empty())
    }
}

impl Tab {
    fn read(&mut self, news: News<'_>, asked: Option<&str>) {
        match news {
            News::Connection(connection) => {
                assert_ne!(self.connection, connection, "told twice");
                self.connection = connection;
            }
            News::Action { nonce, state: ActionState::Sent, .. } => {
                let action = asked.unwrap().to_owned();
                assert_eq!(self.actions.insert(nonce, (action, Fate::Sent)), None);
            }
            News::Action { nonce, state, .. } => {
                let (action, fate) = self.actions.get_mut(&nonce).unwrap();
                assert_eq!(*fate, Fate::Sent, "{action} was answered already");
                *fate = if state == ActionState::Stored { Fate::Stored } else { Fate::Refused };
            }
            News::Failed { wish: Wish::Act { action, .. }, why } => {
                assert!(matches!(why, Failure::ConnectionFailed | Failure::TooManyActions));
                self.failed.insert(action);
            }
            News::Failed { wish, why } => panic!("{wish:?}: {why:?}"),
            News::Message(ServerMessage::Snapshot(it)) => {
                let known = self.shown.get(&it.match_id).map(|shown| shown.0);
                assert!(known.is_none_or(|known| it.ply >= known), "an old snapshot");
                let missed: Vec<u32> = it.events.iter().map(|missed| missed.ply).collect();
                if !missed.is_empty() {
                    let all: Vec<u32> = (known.unwrap() + 1..=it.ply).collect();
                    assert_eq!(missed, all, "events that were known, or not all");
                }
                self.show(it.match_id, it.ply, it.view.get());
            }
            News::Message(ServerMessage::Event(it)) => {
                assert_eq!(self.shown[&it.match_id].0 + 1, it.ply, "old, or a gap");
                self.show(it.match_id, it.ply, it.view.get());
            }
            News::Message(_) => {}
        }
    }

    fn show(&mut self, id: MatchId, ply: u32, view: &str) {
        self.shown.insert(id, (ply, serde_json::from_str(view).unwrap()));
    }
}

#[test]
fn every_stored_action_is_in_the_log_once_and_every_tab_shows_it() {
    let seeds = if std::env::var_os("PARLOR_SOAK").is_some() { 20_000 } else { 400 };
    let mut total = Tally::default();
    for seed in 0..seeds {
        let tally = catch_unwind(|| run(seed)).unwrap_or_else(|cause| {
            eprintln!(
                "again: PARLOR_SEED={seed} cargo test -p client-link one_seed -- --nocapture"
            );
            resume_unwind(cause)
        });
        total.breaks += tally.breaks;
        total.silences += tally.silences;
        total.repeated_acks += tally.repeated_acks;
        total.untold += tally.untold;
        total.unjudged += tally.unjudged;
        total.stored += tally.stored;
        total.refused += tally.refused;
        total.failed += tally.failed;
    }
    // A run in which nothing goes wrong shows nothing.
    for (what, count) in [
        ("broken connections", total.breaks as usize),
        ("connections that fell silent", total.silences as usize),
        ("repeated acknowledgements", total.repeated_acks as usize),
        ("gaps", total.untold as usize),
        ("requests without a judgement", total.unjudged as usize),
        ("stored actions", total.stored),
        ("refused actions", total.refused),
        ("actions that were never sent", total.failed),
    ] {
        println!("{count} {what}");
        assert!(count >= 100, "only {count} {what}");
    }
}

#[test]
fn one_seed() {
    let seed = std::env::var("PARLOR_SEED").ok().and_then(|text| text.parse().ok());
    run(seed.unwrap_or(0));
}
