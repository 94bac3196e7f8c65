//! A slow match clock: it keeps the whole history and answers each question from its beginning.
//!
//! It carries nothing over from event to event. A history is cut into the spans between its events,
//! and each question is one about spans: in which a seat's time ran, and since which event its turn
//! or its window lasts.

use std::cmp::max;

use game_api::{Seat, SeatSet};
use play::clock::Situation;
use protocol::ClockSetting;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    Entry(Option<Seat>, Situation),
    Pause,
    Resume,
    /// So many entries stay, the match's beginning among them.
    TakeBack(usize, Situation),
}

#[derive(Debug)]
pub(crate) struct NaiveClock {
    setting: ClockSetting,
    /// The first is the beginning of the match.
    history: Vec<(u64, Event)>,
}

impl NaiveClock {
    pub(crate) fn start(setting: ClockSetting, now_ms: u64, situation: Situation) -> Self {
        NaiveClock { setting, history: vec![(now_ms, Event::Entry(None, situation))] }
    }

    pub(crate) fn push(&mut self, now_ms: u64, event: Event) {
        self.history.push((now_ms, event));
    }

    pub(crate) fn remaining_ms(&self, seat: Seat, now_ms: u64) -> Option<u64> {
        let last = self.history.len() - 1;
        match self.setting {
            ClockSetting::None => None,
            ClockSetting::PerMove { seconds } => {
                Some((u64::from(seconds) * 1000).saturating_sub(self.turn_ms(seat, last, now_ms)))
            }
            ClockSetting::Days { days } => {
                let all_ms = u64::from(days) * 24 * 60 * 60 * 1000;
                Some(all_ms.saturating_sub(self.turn_ms(seat, last, now_ms)))
            }
            ClockSetting::Fischer { initial_s, increment_s } => {
                let mut left_ms = u64::from(initial_s) * 1000;
                let mut gained = 0;
                for span in 0..=last {
                    let gains =
                        self.gains(span).iter().filter(|(by, _)| *by == seat).count() as u64;
                    let increment_ms = u64::from(increment_s) * 1000;
                    left_ms = (left_ms + gains.saturating_sub(gained) * increment_ms)
                        .saturating_sub(gained.saturating_sub(gains) * increment_ms)
                        .saturating_sub(self.ran_ms(seat, span, now_ms));
                    gained = gains;
                }
                Some(left_ms)
            }
            ClockSetting::Delay { initial_s, delay_s } => {
                let used_ms = (0..=last).map(|span| {
                    let turn_ms = self.turn_ms(seat, span, now_ms);
                    let before_ms = turn_ms - self.ran_ms(seat, span, now_ms);
                    let paid_ms = |ms: u64| ms.saturating_sub(u64::from(delay_s) * 1000);
                    paid_ms(turn_ms) - paid_ms(before_ms)
                });
                Some((u64::from(initial_s) * 1000).saturating_sub(used_ms.sum()))
            }
        }
    }

    pub(crate) fn expired(&self, now_ms: u64) -> SeatSet {
        let last = self.history.len() - 1;
        let Situation { to_act, .. } = self.situation(last);
        if self.is_paused(last) {
            return SeatSet::EMPTY;
        }
        let Some(open) = self.window_spans(last) else {
            let free_s = match self.setting {
                ClockSetting::Delay { delay_s, .. } => delay_s,
                _ => 0,
            };
            let is_up = |seat: &Seat| {
                let is_free = self.turn_ms(*seat, last, now_ms) < u64::from(free_s) * 1000;
                self.remaining_ms(*seat, now_ms) == Some(0) && !is_free
            };
            return to_act.iter().filter(is_up).collect();
        };
        let passed_ms: u64 = open.iter().map(|span| self.span_ms(*span, now_ms)).sum();
        let seconds = self.situation(open[0]).window_s.unwrap_or_default();
        if u64::from(seconds) * 1000 <= passed_ms { to_act } else { SeatSet::EMPTY }
    }

    /// How the match stands after the event `span`.
    fn situation(&self, span: usize) -> Situation {
        let mut events = self.history[..=span].iter().rev();
        let situation = events.find_map(|(_, event)| match event {
            Event::Entry(_, situation) | Event::TakeBack(_, situation) => Some(*situation),
            Event::Pause | Event::Resume => None,
        });
        situation.unwrap()
    }

    fn is_paused(&self, span: usize) -> bool {
        let mut events = self.history[..=span].iter().rev();
        let event = events.find(|(_, event)| matches!(event, Event::Pause | Event::Resume));
        matches!(event, Some((_, Event::Pause)))
    }

    /// How long the span after this event is; nothing if it counts for nobody.
    fn span_ms(&self, span: usize, now_ms: u64) -> u64 {
        let (from_ms, _) = self.history[span];
        let to_ms = match self.history.get(span + 1) {
            _ if self.is_paused(span) => from_ms,
            Some((_, Event::Resume)) => from_ms,
            Some((to_ms, _)) => *to_ms,
            None => max(from_ms, now_ms),
        };
        to_ms - from_ms
    }

    fn has_window(&self, span: usize) -> bool {
        let Situation { to_act, window_s, .. } = self.situation(span);
        window_s.is_some() && !to_act.is_empty()
    }

    /// How long the seat's time ran in that span.
    fn ran_ms(&self, seat: Seat, span: usize, now_ms: u64) -> u64 {
        let runs = self.situation(span).to_act.contains(seat) && !self.has_window(span);
        if runs { self.span_ms(span, now_ms) } else { 0 }
    }

    /// The spans up to this one, but for those that were taken back: from what was undone on, up to
    /// the takeback.
    fn line(&self, span: usize) -> Vec<usize> {
        let mut line: Vec<usize> = Vec::new();
        for (index, (_, event)) in self.history[..=span].iter().enumerate() {
            if let Event::TakeBack(kept, _) = event {
                let is_entry = |span: &usize| matches!(self.history[*span].1, Event::Entry(..));
                let undone = (0..line.len()).filter(|at| is_entry(&line[*at])).nth(*kept);
                line.truncate(undone.unwrap_or(line.len()));
            }
            line.push(index);
        }
        line
    }

    fn is_new_turn(&self, line: &[usize], at: usize) -> bool {
        at == 0 || self.situation(line[at]).turn != self.situation(line[at - 1]).turn
    }

    /// How long the seat's time ran in its turn, up to the end of this span.
    fn turn_ms(&self, seat: Seat, span: usize, now_ms: u64) -> u64 {
        let line = self.line(span);
        // Where the turn began or was yet to begin.
        let begins = |at: &usize| {
            let Situation { to_act, .. } = self.situation(line[*at]);
            let is_away = !self.has_window(line[*at]) && !to_act.contains(seat);
            *at == 0 || (!to_act.is_empty() && (self.is_new_turn(&line, *at) || is_away))
        };
        let start = (0..line.len()).rev().find(begins).unwrap();
        line[start..].iter().map(|span| self.ran_ms(seat, *span, now_ms)).sum()
    }

    /// The spans of the window which is open in this one.
    fn window_spans(&self, span: usize) -> Option<Vec<usize>> {
        if !self.has_window(span) {
            return None;
        }
        let line = self.line(span);
        let opens = |at: &usize| self.is_new_turn(&line, *at) || !self.has_window(line[*at - 1]);
        let start = (0..line.len()).rev().find(opens)?;
        Some(line[start..].to_vec())
    }

    /// Who got an increment in which turn, but for what was taken back by then.
    fn gains(&self, span: usize) -> Vec<(Seat, u32)> {
        let mut line: Vec<(Option<Seat>, usize)> = Vec::new();
        for (index, (_, event)) in self.history[..=span].iter().enumerate() {
            match event {
                Event::Entry(by, _) => line.push((*by, index)),
                Event::TakeBack(kept, _) => line.truncate(*kept),
                Event::Pause | Event::Resume => {}
            }
        }
        let mut gains = Vec::new();
        for (by, index) in line {
            let Some(seat) = by else { continue };
            let (before, after) = (self.situation(index - 1), self.situation(index));
            let was_own = before.to_act.contains(seat) && !self.has_window(index - 1);
            let is_done = before.turn != after.turn || !after.to_act.contains(seat);
            if was_own && is_done && !gains.contains(&(seat, before.turn)) {
                gains.push((seat, before.turn));
            }
        }
        gains
    }
}
