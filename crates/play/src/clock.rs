//! The match clock: what each seat has left, whose time runs, and when it is up.
//!
//! It reads no time source (the time comes in), knows no rules (a [`Situation`] is all it needs of a
//! match) and ends nothing: what follows when a time is up is the room's and the game's to say.
//!
//! Its rules:
//!
//! - **C1** The time of the seats to act runs, of several at once. It stands while the match is over,
//!   paused, or has a window open.
//! - **C2** While a window is open, all seats to act have the same time, from its start on, whatever
//!   the setting; also if there is none. It is the same window until it closes or the turn changes.
//!   A pause stops it.
//! - **C3** Per move and per days: a countdown from the full time, which starts anew with each turn,
//!   and when a seat gets to act that had not. A window only interrupts it. Who is not to act has the
//!   full time; at the end of the match all stays as it was.
//! - **C4** Fischer: a stock that falls while it runs. A seat whose own action completes its turn
//!   gets the increment, once a turn. A reaction within a window completes no turn.
//! - **C5** Delay: a stock too; the first seconds of each turn of a seat are free.
//! - **C6** A pause charges what ran until then. Going on charges nothing of what passed before it,
//!   be it a pause or the server's absence.
//! - **C7** A takeback takes back the increments of what is undone and gives back no time that was
//!   used: of a countdown, free seconds and a window there is as much as when the first of what is
//!   undone was done; a stock stays as it is.
//! - **C8** Time that goes back is time that stands. What is left is never negative, and rises only
//!   by an increment or a new countdown.
//! - **C9** A time is up as soon as nothing is left, free seconds included; never while all stands.

use game_api::{MAX_SEATS, Seat, SeatSet};
use protocol::{ClockFace, ClockSetting};

/// What of a match the clock depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// Who may act; nobody when the match is over.
    pub to_act: SeatSet,
    /// Rises with each turn.
    pub turn: u32,
    /// Seconds in which others may react, while they may.
    pub window_s: Option<u32>,
}

impl Situation {
    fn is_over(&self) -> bool {
        self.to_act.is_empty()
    }

    fn has_window(&self) -> bool {
        self.window_s.is_some() && !self.is_over()
    }
}

/// Which increments the seats got up to a ply.
#[derive(Clone, Copy, Debug, Default)]
struct Gains {
    counts: [u32; MAX_SEATS as usize],
    in_this_turn: SeatSet,
}

/// What one seat has.
#[derive(Clone, Copy, Debug, Default)]
struct Purse {
    left_ms: u64,
    /// What may pass in this turn before `left_ms` falls.
    free_ms: u64,
}

impl Purse {
    /// How long it lasts.
    fn lasts_ms(self) -> u64 {
        self.free_ms.saturating_add(self.left_ms)
    }
}

/// The clock of one match. All amounts are as of `since_ms`.
#[derive(Clone, Copy, Debug)]
pub struct MatchClock {
    setting: ClockSetting,
    seats: u8,
    situation: Situation,
    since_ms: u64,
    is_paused: bool,
    /// What was left of the window, if one is open.
    window_ms: u64,
    purses: [Purse; MAX_SEATS as usize],
    gains: Gains,
}

const fn ms(seconds: u32) -> u64 {
    seconds as u64 * 1000
}

const DAY_S: u64 = 86_400;

impl MatchClock {
    /// The clock of a match that begins now.
    pub fn start(setting: ClockSetting, seats: u8, now_ms: u64, situation: Situation) -> Self {
        let left_ms = match setting {
            ClockSetting::Fischer { initial_s, .. } | ClockSetting::Delay { initial_s, .. } => {
                ms(initial_s)
            }
            // A countdown is set when its turn begins.
            ClockSetting::None | ClockSetting::PerMove { .. } | ClockSetting::Days { .. } => 0,
        };
        let mut clock = MatchClock {
            setting,
            seats,
            situation,
            since_ms: now_ms,
            is_paused: false,
            window_ms: 0,
            purses: [Purse { left_ms, free_ms: 0 }; MAX_SEATS as usize],
            gains: Gains::default(),
        };
        clock.begin(situation);
        clock
    }

    /// An entry was made, and this is how the match stands after it. `by` is the seat that acted of
    /// its own accord: nobody, if somebody gave up or a time was up.
    pub fn follow(&mut self, now_ms: u64, by: Option<Seat>, situation: Situation) {
        self.charge(now_ms);
        let before = self.situation;
        let is_new_turn = situation.turn != before.turn;

        if let Some(seat) = by {
            let is_own_turn = before.to_act.contains(seat) && !before.has_window();
            if is_own_turn && (is_new_turn || !situation.to_act.contains(seat)) {
                self.reward(seat);
            }
        }
        if is_new_turn {
            self.gains.in_this_turn = SeatSet::EMPTY;
        }
        // C3: at the end all stays as it was, so that a time that was up is seen to be.
        if !situation.is_over() {
            for seat in Seat::all(MAX_SEATS) {
                let has_left = !situation.has_window() && !situation.to_act.contains(seat);
                if is_new_turn || has_left {
                    self.begin_turn(seat);
                }
            }
        }
        if is_new_turn || !before.has_window() {
            self.window_ms = situation.window_s.map_or(0, ms);
        }
        self.situation = situation;
    }

    /// All agreed to pause: everything stands.
    pub fn pause(&mut self, now_ms: u64) {
        self.charge(now_ms);
        self.is_paused = true;
    }

    /// Runs on from now, after a pause or after the server was away. Only here may the time be
    /// earlier than before: the machine's may have been set meanwhile.
    pub fn resume(&mut self, now_ms: u64) {
        self.since_ms = now_ms;
        self.is_paused = false;
    }

    /// The match went back to before an entry; `then` is what the clock was when that was made.
    ///
    /// Who lived on increments that are undone can have nothing left after it.
    pub fn take_back(&mut self, now_ms: u64, then: &MatchClock) {
        self.charge(now_ms);
        for seat in Seat::all(MAX_SEATS) {
            let count = |clock: &MatchClock| u64::from(clock.gains.counts[seat.index()]);
            let undone = count(self).saturating_sub(count(then));
            let undone_ms = self.increment_ms().saturating_mul(undone);
            let Purse { left_ms, free_ms } = then.purses[seat.index()];
            let purse = &mut self.purses[seat.index()];
            purse.free_ms = free_ms;
            purse.left_ms = match self.setting {
                ClockSetting::PerMove { .. } | ClockSetting::Days { .. } => left_ms,
                _ => purse.left_ms.saturating_sub(undone_ms),
            };
        }
        self.window_ms = then.window_ms;
        self.gains = then.gains;
        self.situation = then.situation;
    }

    /// With all that ran until now charged: to be kept for a takeback to before what happens now.
    #[must_use]
    pub fn charged(mut self, now_ms: u64) -> MatchClock {
        self.charge(now_ms);
        self
    }

    /// What a seat has left; `None` if no time is measured.
    pub fn remaining_ms(&self, seat: Seat, now_ms: u64) -> Option<u64> {
        let is_measured = self.setting != ClockSetting::None && seat.index() < self.seats.into();
        is_measured.then(|| self.left_ms(seat, now_ms))
    }

    /// Whose time is up, or who let a window pass.
    pub fn expired(&self, now_ms: u64) -> SeatSet {
        let passed_ms = self.passed_ms(now_ms);
        let is_up = |(_, lasts_ms): &(Seat, u64)| *lasts_ms <= passed_ms;
        self.countdowns().filter(is_up).map(|(seat, _)| seat).collect()
    }

    /// When somebody's time is up, if nothing happens before.
    pub fn deadline_ms(&self) -> Option<u64> {
        let lasts_ms = self.countdowns().map(|(_, lasts_ms)| lasts_ms).min()?;
        Some(self.since_ms.saturating_add(lasts_ms))
    }

    /// What is shown of the clock.
    pub fn face(&self, now_ms: u64) -> ClockFace {
        let seats = Seat::all(self.seats);
        ClockFace {
            remaining_ms: seats.filter_map(|seat| self.remaining_ms(seat, now_ms)).collect(),
            running: self.running(),
            window_ms: self.window_left_ms(now_ms),
        }
    }

    /// C1
    fn running(&self) -> SeatSet {
        let stands =
            self.is_paused || self.situation.has_window() || self.setting == ClockSetting::None;
        if stands { SeatSet::EMPTY } else { self.situation.to_act }
    }

    /// Who is expired how long after `since_ms`, if nothing happens before.
    fn countdowns(&self) -> impl Iterator<Item = (Seat, u64)> {
        let has_window = self.situation.has_window() && !self.is_paused;
        let seats = if has_window { self.situation.to_act } else { self.running() };
        seats.iter().map(move |seat| {
            let purse = self.purses[seat.index()];
            (seat, if has_window { self.window_ms } else { purse.lasts_ms() })
        })
    }

    fn passed_ms(&self, now_ms: u64) -> u64 {
        if self.is_paused { 0 } else { now_ms.saturating_sub(self.since_ms) }
    }

    fn left_ms(&self, seat: Seat, now_ms: u64) -> u64 {
        let Purse { left_ms, free_ms } = self.purses[seat.index()];
        let ran_ms = if self.running().contains(seat) { self.passed_ms(now_ms) } else { 0 };
        left_ms.saturating_sub(ran_ms.saturating_sub(free_ms))
    }

    fn window_left_ms(&self, now_ms: u64) -> Option<u64> {
        let left_ms = self.window_ms.saturating_sub(self.passed_ms(now_ms));
        self.situation.has_window().then_some(left_ms)
    }

    /// Takes what ran until now from those for whom it ran.
    fn charge(&mut self, now_ms: u64) {
        let passed_ms = self.passed_ms(now_ms);
        for seat in self.running().iter() {
            let left_ms = self.left_ms(seat, now_ms);
            let purse = &mut self.purses[seat.index()];
            *purse = Purse { left_ms, free_ms: purse.free_ms.saturating_sub(passed_ms) };
        }
        self.window_ms = self.window_left_ms(now_ms).unwrap_or(0);
        self.since_ms = self.since_ms.max(now_ms);
    }

    /// Everybody's turn begins, as does a window.
    fn begin(&mut self, situation: Situation) {
        Seat::all(MAX_SEATS).for_each(|seat| self.begin_turn(seat));
        self.window_ms = situation.window_s.map_or(0, ms);
        self.situation = situation;
    }

    fn begin_turn(&mut self, seat: Seat) {
        let purse = &mut self.purses[seat.index()];
        match self.setting {
            ClockSetting::PerMove { seconds } => purse.left_ms = ms(seconds),
            ClockSetting::Days { days } => purse.left_ms = ms(days) * DAY_S,
            ClockSetting::Delay { delay_s, .. } => purse.free_ms = ms(delay_s),
            ClockSetting::None | ClockSetting::Fischer { .. } => {}
        }
    }

    /// C4
    fn reward(&mut self, seat: Seat) {
        if self.gains.in_this_turn.contains(seat) {
            return;
        }
        let increment_ms = self.increment_ms();
        let left_ms = &mut self.purses[seat.index()].left_ms;
        *left_ms = left_ms.saturating_add(increment_ms);
        let count = &mut self.gains.counts[seat.index()];
        *count = count.saturating_add(1);
        self.gains.in_this_turn = self.gains.in_this_turn.with(seat);
    }

    fn increment_ms(&self) -> u64 {
        match self.setting {
            ClockSetting::Fischer { increment_s, .. } => ms(increment_s),
            _ => 0,
        }
    }
}
