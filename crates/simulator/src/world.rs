//! The world of a run: it lets things happen, one after the other, and checks after each.

use domain::{PlayerId, Role};
use play::room::Input;
use storage::{Change, NewPlayer, Player};

use crate::agenda::Event;
use crate::client::Client;
use crate::finish;
use crate::ground::Ground;
use crate::house::House;
use crate::plan::Plan;
use crate::tally::Tally;
use crate::violated;

/// Clocks are off by at most this much.
const SKEW_MAX_MS: i64 = 20_000;
/// Every so many seeds a run has hundreds of clients.
const CROWD_EVERY: u64 = 50;
/// How long it may take until all is well after the last fault: longer than clocks are off, leases
/// last and spectators wait, together.
const CALM_MS: u64 = 120_000;
const CALM_STEP_MS: u64 = 5_000;
/// One step in so many all rooms are compared with a replay, and not only those that it touched.
const REPLAY_EVERY: u64 = 500;

pub(crate) struct World {
    ground: Ground,
    houses: Vec<House>,
    clients: Vec<Client>,
    players: Vec<PlayerId>,
    steps_max: u64,
}

impl World {
    pub(crate) fn new(plan: Plan) -> World {
        let mut ground = Ground::new(plan);
        let is_crowd = plan.seed % CROWD_EVERY == CROWD_EVERY - 1;
        let matches = if is_crowd { 50 } else { ground.rng.usize(1..6) };
        let houses = if ground.chance(60) { 2 } else { 1 };
        let skews = (0..houses).map(|_| ground.rng.i64(-2_000..2_000)).collect::<Vec<_>>();
        let houses = skews.into_iter().enumerate().map(|(id, skew)| House::new(id, skew)).collect();
        let mut world = World {
            ground,
            houses,
            clients: Vec::new(),
            players: Vec::new(),
            steps_max: if is_crowd { 15_000 } else { 3_000 },
        };
        world.invite(matches * 3 + 4);
        for house in &mut world.houses {
            house.start(&mut world.ground);
        }
        for _ in 0..matches {
            world.seat();
        }
        world.ground.after(1_000, Event::Trouble);
        world
    }

    fn invite(&mut self, count: usize) {
        for number in 0..count {
            let id = PlayerId::new(self.ground.now_ms, number as u64);
            let player = Player {
                id,
                name: format!("player{number}"),
                role: Role::Player,
                avatar: String::new(),
                created_ms: self.ground.now_ms,
            };
            let new = NewPlayer { player, device: None };
            if let Err(error) = self.ground.store.prepare(vec![Change::CreatePlayer(new)]) {
                violated("a player can be made", error);
            }
            self.players.push(id);
        }
    }

    /// Makes a match with players and spectators.
    fn seat(&mut self) {
        let ground = &mut self.ground;
        let seats = if ground.chance(60) { 2 } else { ground.rng.usize(2..=4) };
        ground.rng.shuffle(&mut self.players);
        let is_hot_seat = ground.chance(8);
        let players: Vec<PlayerId> =
            (0..seats).map(|seat| self.players[if is_hot_seat { 0 } else { seat }]).collect();
        // A bot in the last seat, or in all but one, or in all.
        let bots = match ground.rng.u32(0..100) {
            0..15 => 1,
            15..20 => seats - 1,
            20..22 => seats,
            _ => 0,
        };
        let players = players[..seats - bots].to_vec();
        let house = ground.rng.usize(0..self.houses.len());
        let new = ground.plan_match(&players, bots, self.houses[house].name.clone());
        let match_id = new.id;
        ground.prepare(new);
        self.houses[house].open(ground, match_id);
        let mut followers: Vec<(PlayerId, bool)> =
            players.iter().map(|player| (*player, true)).collect();
        followers.dedup();
        if ground.chance(15) {
            followers.extend(players.first().map(|player| (*player, true)));
        }
        for _ in 0..ground.rng.usize(0..=3) {
            let player = self.players[ground.rng.usize(seats..self.players.len())];
            followers.push((player, false));
        }
        for (player, is_seated) in followers {
            let id = self.clients.len();
            let client = Client::new(id, player, match_id, is_seated, ground);
            self.clients.push(client);
            let delay_ms = ground.rng.u64(1..500);
            ground.after(delay_ms, Event::Think { client: id });
        }
    }

    pub(crate) fn run(mut self) -> Tally {
        while self.ground.tally.steps < self.steps_max {
            self.step();
        }
        self.calm_down();
        self.ground.tally
    }

    /// No more faults: all must come right, and be seen to.
    fn calm_down(&mut self) {
        self.ground.is_calm = true;
        for house in &mut self.houses {
            house.fuse = None;
        }
        for wire in self.ground.wires.values_mut() {
            wire.pace_ms = 5;
        }
        let begin_ms = self.ground.now_ms;
        loop {
            let until_ms = self.ground.now_ms + CALM_STEP_MS;
            while self.ground.now_ms < until_ms {
                self.step();
            }
            match self.missing() {
                None => break,
                Some((invariant, what)) if begin_ms + CALM_MS < until_ms => {
                    violated(invariant, what);
                }
                Some(_) => {}
            }
        }
        for ledger in self.ground.ledgers.values() {
            ledger.check_log(&self.ground.store.entries(ledger.id(), 0));
        }
        self.check(true);
        finish::check(&self.ground, &self.players);
    }

    /// What is not as it must be in the end, and the invariant that says so.
    fn missing(&self) -> Option<(&'static str, String)> {
        const ANSWERED: &str = "every input is answered";
        let waiting = self.houses.iter().find_map(House::waiting);
        if let Some(match_id) = waiting {
            return Some((ANSWERED, format!("{match_id} still waits")));
        }
        if let Some(ask) = self.ground.open_ask() {
            return Some((ANSWERED, format!("{ask:?} is not")));
        }
        let silent = self.houses.iter().find_map(|house| house.silent_bot(&self.ground));
        if let Some(match_id) = silent {
            return Some(("a bot that is to act is asked", format!("{match_id} waits")));
        }
        let unknowing = self.clients.iter().find_map(|client| client.missing(&self.ground));
        unknowing.map(|what| ("every client comes to know all", what))
    }

    fn step(&mut self) {
        let Some((at_ms, event)) = self.ground.agenda.next() else {
            violated("a world goes on", "nothing happens");
        };
        self.ground.now_ms = self.ground.now_ms.max(at_ms);
        self.ground.tally.steps += 1;
        self.happen(event);
        let is_thorough = self.ground.tally.steps.is_multiple_of(REPLAY_EVERY);
        self.check(is_thorough);
    }

    fn check(&mut self, is_thorough: bool) {
        let touched = std::mem::take(&mut self.ground.touched);
        for house in &self.houses {
            house.check(&mut self.ground, if is_thorough { None } else { Some(&touched) });
        }
    }

    /// For which house an event is, in which of its lives.
    fn recipient(&self, event: &Event) -> Option<(usize, u32)> {
        let of_wire = |wire| self.ground.wires.get(wire).map(|wire| (wire.house, wire.life));
        match event {
            Event::Hear { wire, .. } | Event::Gone { wire } => of_wire(wire),
            Event::Answer { commit } => self.ground.store.sender(*commit),
            Event::Load { house, life, .. }
            | Event::Wake { house, life }
            | Event::Decide { house, life, .. }
            | Event::Sweep { house, life } => Some((*house, *life)),
            Event::Read { .. }
            | Event::Think { .. }
            | Event::Land { .. }
            | Event::Restart { .. }
            | Event::Trouble => None,
        }
    }

    fn happen(&mut self, event: Event) {
        let Some((house, life)) = self.recipient(&event) else {
            return self.happen_outside(&event);
        };
        let ground = &mut self.ground;
        let house = &mut self.houses[house];
        let is_there = house.is_up && house.life == life;
        if is_there && house.stalled_until_ms > ground.now_ms {
            return ground.agenda.add(house.stalled_until_ms, event);
        }
        match event {
            Event::Answer { commit } => {
                let answer = ground.store.answer(commit);
                if let (Some((job, answer)), true) = (answer, is_there) {
                    house.finish(ground, job, answer);
                }
            }
            Event::Gone { wire } if is_there => house.lose(ground, wire),
            Event::Gone { wire } => drop(ground.wires.remove(&wire)),
            _ if !is_there => {}
            Event::Hear { wire, message } => house.hear(ground, wire, message),
            Event::Load { match_id, held, .. } => house.load(ground, match_id, held),
            Event::Wake { .. } => house.tick(ground),
            Event::Decide { match_id, input, .. } => house.take(ground, match_id, input, None),
            Event::Sweep { .. } => house.sweep(ground),
            _ => {}
        }
    }

    fn happen_outside(&mut self, event: &Event) {
        match *event {
            Event::Read { wire } => self.read(wire),
            Event::Think { client } => {
                let up: Vec<(usize, u32)> = self
                    .houses
                    .iter()
                    .filter(|house| house.is_up)
                    .map(|house| (house.id, house.life))
                    .collect();
                self.clients[client].think(&mut self.ground, &up);
                let delay_ms = self.ground.rng.u64(30..900);
                self.ground.after(delay_ms, Event::Think { client });
            }
            Event::Land { commit } => self.ground.land(commit),
            Event::Restart { house } => {
                if self.ground.fault(400) {
                    self.ground.tally.clock_jumps += 1;
                    let skew_ms = self.ground.rng.i64(-SKEW_MAX_MS..SKEW_MAX_MS);
                    self.houses[house].skew_ms = skew_ms;
                }
                self.houses[house].start(&mut self.ground);
            }
            Event::Trouble if !self.ground.is_calm => {
                self.make_trouble();
                let delay_ms = self.ground.rng.u64(300..6_000);
                self.ground.after(delay_ms, Event::Trouble);
            }
            _ => {}
        }
    }

    fn read(&mut self, number: u64) {
        let Some(wire) = self.ground.wires.get_mut(&number).filter(|wire| wire.is_open) else {
            return;
        };
        let letter = wire.outbox.pop_front();
        wire.is_read_due = !wire.outbox.is_empty();
        let (client, pace_ms) = (wire.client, wire.pace_ms);
        if wire.is_read_due {
            self.ground.after(pace_ms, Event::Read { wire: number });
        }
        if let Some(letter) = letter {
            self.clients[client].read(&mut self.ground, number, &letter);
        }
    }

    fn make_trouble(&mut self) {
        let ground = &mut self.ground;
        let at = ground.rng.usize(0..self.houses.len());
        let house = &mut self.houses[at];
        if !house.is_up {
            return;
        }
        match ground.rng.u32(0..100) {
            0..20 => house.fuse = Some(ground.rng.u32(1..60)),
            20..25 => house.crash(ground),
            25..45 => {
                ground.tally.stalls += 1;
                house.stalled_until_ms = ground.now_ms + ground.rng.u64(500..15_000);
            }
            45..60 => {
                ground.tally.clock_jumps += 1;
                let most_ms = (SKEW_MAX_MS - house.skew_ms).min(10_000);
                let ahead_ms = ground.rng.i64(0..=most_ms);
                house.jump(ground, ahead_ms);
            }
            60..85 => {
                // Everybody at once, or a few.
                let percent = if ground.chance(20) { 100 } else { 20 };
                let wires: Vec<u64> = ground.wires.keys().copied().collect();
                for wire in wires {
                    if ground.chance(percent) {
                        ground.cut(wire);
                    }
                }
            }
            85..87 if !self.clients.is_empty() => {
                let client = &self.clients[ground.rng.usize(0..self.clients.len())];
                let depart = Input::Depart { player: client.player };
                house.take(ground, client.match_id, depart, None);
            }
            _ => {}
        }
    }
}
