//! Many tables that play their scripts over sockets, every receipt checked.
//!
//! A move is done when every seat has seen its event and its actor the acknowledgement.

use std::collections::VecDeque;
use std::io::Write as _;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use game_api::{MAX_SEATS, Seat};

use super::message::Message;
use super::net::{Net, PATIENCE};
use super::progress::Progress;
use super::script::Script;

/// Unlike any ply, so that one cannot pass for the other.
const FIRST_NONCE: u64 = 1_000_000;
/// So many faults are told of; the others are counted.
const FAULTS_TOLD: usize = 20;
/// How often a run looks at its progress, in turns of its loop.
const TURNS_BETWEEN_LOOKS: u32 = 64;

/// A match to be played.
pub(super) struct Round {
    pub(super) match_id: String,
    pub(super) script: Rc<Script>,
    /// Its first so many actions; the script's length unless it is to stay unfinished.
    pub(super) plies: u32,
}

/// Players who sit together and play one match after another.
pub(super) struct Table {
    /// The socket of the first seat; the others' follow.
    first_socket: usize,
    seats: u8,
    rounds: Vec<Round>,
    round: usize,
    /// Of this round: so many actions were sent, so many are done.
    sent: u32,
    done: u32,
    /// Of each seat: so many events were seen; the ply of the first action without acknowledgement.
    seen: [u32; MAX_SEATS as usize],
    unacked: [u32; MAX_SEATS as usize],
    /// When those that are not done were due.
    in_flight: VecDeque<Instant>,
    /// When those that are not sent were due; only on a schedule.
    owed: VecDeque<Instant>,
}

impl Table {
    pub(super) fn new(number: usize, seats: u8, rounds: Vec<Round>) -> Table {
        let mut table = Table {
            first_socket: number * usize::from(seats),
            seats,
            rounds,
            round: 0,
            sent: 0,
            done: 0,
            seen: [0; MAX_SEATS as usize],
            unacked: [0; MAX_SEATS as usize],
            in_flight: VecDeque::new(),
            owed: VecDeque::new(),
        };
        table.begin_round();
        table
    }

    /// The rounds that were begun, with how many of their actions are done.
    pub(super) fn played(&self) -> impl Iterator<Item = (&Round, u32)> {
        let begun = self.rounds.iter().take(self.round + 1).enumerate();
        let done = |number| if number < self.round { None } else { Some(self.done) };
        begun
            .map(move |(number, round)| (round, done(number).unwrap_or(round.plies)))
            .filter(|(_, done)| *done > 0)
    }

    /// Goes on with the last match, which was to stay unfinished, up to so many actions.
    pub(super) fn continue_to(&mut self, plies: u32) {
        if let Some(last) = self.rounds.last_mut() {
            last.plies = plies.min(last.script.len());
            self.round = self.rounds.len() - 1;
        }
    }

    /// The match that was played last.
    pub(super) fn last_match(&self) -> &str {
        self.rounds.last().map_or("", |round| &round.match_id)
    }

    fn begin_round(&mut self) {
        self.sent = 0;
        self.done = 0;
        self.seen = [0; MAX_SEATS as usize];
        if let Some(round) = self.rounds.get(self.round) {
            for seat in Seat::all(self.seats) {
                self.unacked[seat.index()] = round.script.next_of(seat, 0);
            }
        }
    }

    /// The seat that can act now, as far as it can see.
    fn next_actor(&self) -> Option<Seat> {
        let round = self.rounds.get(self.round)?;
        let seat = round.script.actor(self.sent)?;
        let may_act = self.sent < round.plies && self.seen[seat.index()] == self.sent;
        may_act.then_some(seat)
    }

    /// Takes what a seat has heard; false if it should not have come. True also says nothing new.
    fn hear(&mut self, seat: Seat, message: Message<'_>) -> bool {
        let index = seat.index();
        let current = |table: &Self, id: &[u8]| {
            table.rounds.get(table.round).is_some_and(|round| round.match_id.as_bytes() == id)
        };
        match message {
            Message::Event { match_id, ply } => {
                let is_next =
                    current(self, match_id) && ply == self.seen[index] + 1 && ply <= self.sent;
                if is_next {
                    self.seen[index] = ply;
                }
                is_next
            }
            Message::Ack { match_id, nonce, ply } => {
                let awaited = self.unacked[index];
                let is_next = current(self, match_id)
                    && nonce == FIRST_NONCE + u64::from(awaited)
                    && ply == awaited + 1
                    && awaited < self.sent;
                if is_next && let Some(round) = self.rounds.get(self.round) {
                    self.unacked[index] = round.script.next_of(seat, ply);
                }
                is_next
            }
            Message::Trouble(_) => false,
            Message::Welcome
            | Message::Snapshot { .. }
            | Message::Over { .. }
            | Message::Left
            | Message::Pong
            | Message::Other => true,
        }
    }

    /// How many actions of this round are done by what was heard.
    fn count_done(&self) -> u32 {
        let seats = usize::from(self.seats);
        let all = self.seen[..seats].iter().chain(&self.unacked[..seats]);
        all.copied().min().unwrap_or(0)
    }
}

/// When actions are sent.
#[derive(Clone, Copy)]
pub(super) enum Pace {
    /// As soon as the actor sees the state.
    AtOnce,
    /// So many a second of all tables together, whatever became of the earlier ones.
    PerSecond(f64),
}

/// What a run found.
#[derive(Default)]
pub(super) struct Played {
    pub(super) moves: u64,
    pub(super) time: Duration,
    /// From when each was due until all had seen it.
    pub(super) latencies: Vec<Duration>,
    /// The first faults.
    pub(super) faults: Vec<String>,
    pub(super) fault_count: u64,
    /// A table had no script left.
    pub(super) is_cut_short: bool,
}

impl Played {
    /// Moves a second.
    #[expect(clippy::cast_precision_loss, reason = "a run has millions, not 2^52")]
    pub(super) fn rate(&self) -> f64 {
        self.moves as f64 / self.time.as_secs_f64()
    }

    fn blame(&mut self, fault: impl FnOnce() -> String) {
        self.fault_count += 1;
        if self.faults.len() < FAULTS_TOLD {
            self.faults.push(fault());
        }
    }
}

/// The tables in play.
pub(super) struct Floor<'f> {
    net: &'f mut Net,
    tables: &'f mut [Table],
    seats: usize,
    /// So many tables have no more to play.
    finished: usize,
    text: Vec<u8>,
    played: Played,
}

impl<'f> Floor<'f> {
    pub(super) fn new(net: &'f mut Net, tables: &'f mut [Table]) -> Floor<'f> {
        let seats = tables.first().map_or(1, |table| usize::from(table.seats));
        Floor { net, tables, seats, finished: 0, text: Vec::new(), played: Played::default() }
    }

    /// Seats everybody in all rounds, and waits until each has the snapshot of each.
    pub(super) fn join_all(&mut self) -> anyhow::Result<()> {
        let mut awaited = 0_usize;
        for table in &*self.tables {
            for round in &table.rounds {
                let join = format!(r#"{{"type":"join","match":"{}"}}"#, round.match_id);
                for socket in table.first_socket..table.first_socket + self.seats {
                    self.net.send(socket, join.as_bytes())?;
                    awaited += 1;
                }
            }
        }
        await_each(self.net, awaited, |message| matches!(message, Message::Snapshot { ply: 0, .. }))
    }

    /// Plays for so long, or until a table has no more to play; with no time, until none has.
    pub(super) fn play(mut self, pace: Pace, time: Option<Duration>) -> anyhow::Result<Played> {
        let progress = Progress::of_time("moves", time.unwrap_or_default());
        let begin = Instant::now();
        let end = time.map(|time| begin + time);
        if matches!(pace, Pace::AtOnce) {
            for table in 0..self.tables.len() {
                self.go_on(table, pace)?;
            }
        }
        let mut due = 0_u32;
        let mut turns = 0_u32;
        loop {
            let now = Instant::now();
            if end.is_some_and(|end| now >= end) || self.finished == self.tables.len() {
                break;
            }
            if time.is_some() && self.finished > 0 {
                self.played.is_cut_short = true;
                break;
            }
            // It never sleeps: to wake it would be the server's work, and late.
            let mut wait = Duration::ZERO;
            if let Pace::PerSecond(rate) = pace {
                let at = |due: u32| begin + Duration::from_secs_f64(f64::from(due) / rate);
                while at(due) <= now {
                    let table = due as usize % self.tables.len();
                    self.tables[table].owed.push_back(at(due));
                    self.go_on(table, pace)?;
                    due += 1;
                }
                // A wait is whole milliseconds, and a late send counts: the rest is spun away.
                let left = at(due).saturating_duration_since(now);
                wait = Duration::from_millis(u64::try_from(left.as_millis())?);
            }
            self.turn(wait, pace)?;
            turns += 1;
            if turns.is_multiple_of(TURNS_BETWEEN_LOOKS) {
                progress.set_time(begin.elapsed());
            }
        }
        self.played.time = begin.elapsed();
        let counted = self.played.moves;
        self.drain()?;
        // What came later is checked, but does not count.
        self.played.moves = counted;
        Ok(self.played)
    }

    /// Waits for what is under way, without sending more.
    fn drain(&mut self) -> anyhow::Result<()> {
        let begin = Instant::now();
        let in_flight = |floor: &Self| -> usize {
            floor.tables.iter().map(|table| table.in_flight.len()).sum()
        };
        // Nothing is owed any more, so that nothing is sent.
        self.tables.iter_mut().for_each(|table| table.owed.clear());
        while in_flight(self) > 0 && begin.elapsed() < PATIENCE {
            self.turn(Duration::from_millis(100), Pace::PerSecond(1.0))?;
        }
        let lost = in_flight(self);
        if lost > 0 {
            self.played.blame(|| format!("{lost} actions were never seen by all"));
        }
        Ok(())
    }

    fn turn(&mut self, wait: Duration, pace: Pace) -> anyhow::Result<()> {
        self.net.wait(Some(wait))?;
        for at in 0..self.net.ready() {
            let socket = self.net.ready_at(at);
            let number = socket / self.seats;
            let (tables, played) = (&mut *self.tables, &mut self.played);
            let Some(table) = tables.get_mut(number) else { continue };
            let Some(seat) = u8::try_from(socket % self.seats).ok().and_then(Seat::new) else {
                continue;
            };
            self.net.read(socket, |message| {
                if !table.hear(seat, message) {
                    played.blame(|| describe(number, seat, message));
                }
            })?;
            self.book(number);
            self.go_on(number, pace)?;
        }
        Ok(())
    }

    /// Counts what has become done, and goes to the next round after the last.
    fn book(&mut self, number: usize) {
        let table = &mut self.tables[number];
        let done = table.count_done();
        if done == table.done {
            return;
        }
        let now = Instant::now();
        while table.done < done {
            let Some(due) = table.in_flight.pop_front() else { break };
            table.done += 1;
            self.played.moves += 1;
            self.played.latencies.push(now - due);
        }
        if table.rounds.get(table.round).is_some_and(|round| table.done == round.plies) {
            table.round += 1;
            if table.round < table.rounds.len() {
                table.begin_round();
            } else {
                self.finished += 1;
            }
        }
    }

    /// Sends the next action, if its actor sees the state and it is due.
    fn go_on(&mut self, number: usize, pace: Pace) -> anyhow::Result<()> {
        let table = &mut self.tables[number];
        let Some(seat) = table.next_actor() else { return Ok(()) };
        let due = match pace {
            Pace::AtOnce => Instant::now(),
            Pace::PerSecond(_) => match table.owed.pop_front() {
                Some(due) => due,
                None => return Ok(()),
            },
        };
        let Some(round) = table.rounds.get(table.round) else { return Ok(()) };
        let Some((_, action)) = round.script.steps.get(table.sent as usize) else { return Ok(()) };
        let ply = table.sent;
        self.text.clear();
        write!(
            self.text,
            r#"{{"type":"act","match":"{}","ply":{ply},"action":"{action}","nonce":{}}}"#,
            round.match_id,
            FIRST_NONCE + u64::from(ply),
        )?;
        table.sent += 1;
        table.in_flight.push_back(due);
        self.net.send(table.first_socket + seat.index(), &self.text)
    }
}

/// Waits until so many messages of a kind have come.
pub(super) fn await_each(
    net: &mut Net,
    count: usize,
    is_it: impl Fn(&Message<'_>) -> bool,
) -> anyhow::Result<()> {
    let begin = Instant::now();
    let mut left = count;
    while left > 0 {
        ensure!(begin.elapsed() < PATIENCE, "{left} of {count} answers did not come");
        // It never sleeps here either.
        net.wait(Some(Duration::ZERO))?;
        for at in 0..net.ready() {
            let mut trouble = None;
            net.read(net.ready_at(at), |message| match message {
                Message::Trouble(said) => {
                    trouble = Some(String::from_utf8_lossy(said).into_owned());
                }
                message if is_it(&message) => left = left.saturating_sub(1),
                _ => {}
            })?;
            ensure!(trouble.is_none(), "a socket heard: {}", trouble.unwrap_or_default());
        }
    }
    Ok(())
}

fn describe(table: usize, seat: Seat, message: Message<'_>) -> String {
    let what = match message {
        Message::Trouble(said) => String::from_utf8_lossy(said).into_owned(),
        Message::Event { match_id, ply } => {
            format!("an event out of line: {} ply {ply}", String::from_utf8_lossy(match_id))
        }
        Message::Ack { match_id, nonce, ply } => {
            let match_id = String::from_utf8_lossy(match_id);
            format!("an acknowledgement out of line: {match_id} nonce {nonce} ply {ply}")
        }
        other => format!("{other:?}"),
    };
    format!("table {table} seat {seat}: {what}")
}
