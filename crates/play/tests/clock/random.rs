//! Random histories, timed by the clock and by a slow one that was written apart from it.

use game_api::{Seat, SeatSet};
use play::clock::{MatchClock, Situation};
use protocol::ClockSetting;

use crate::naive::{Event, NaiveClock};
use crate::seat;

/// How a match may go on from `before`.
fn any_situation(before: Situation, seats: u8, chooser: &mut fastrand::Rng) -> Situation {
    let is_over = chooser.u8(..20) == 0;
    let some: SeatSet = Seat::all(seats).filter(|_| chooser.bool()).collect();
    let one = SeatSet::only(seat(chooser.u8(..seats)));
    Situation {
        to_act: match some {
            _ if is_over => SeatSet::EMPTY,
            some if some.is_empty() || chooser.bool() => one,
            some => some,
        },
        turn: before.turn + u32::from(chooser.bool()),
        window_s: (chooser.u8(..3) == 0).then(|| chooser.u32(..8)),
    }
}

fn any_setting(chooser: &mut fastrand::Rng) -> ClockSetting {
    let initial_s = chooser.u32(1..30);
    match chooser.u8(..5) {
        0 => ClockSetting::None,
        1 => ClockSetting::PerMove { seconds: chooser.u32(1..10) },
        2 => ClockSetting::Fischer { initial_s, increment_s: chooser.u32(..5) },
        3 => ClockSetting::Delay { initial_s, delay_s: chooser.u32(1..4) },
        _ => ClockSetting::Days { days: 1 },
    }
}

/// Lives through a random history with both clocks; returns how often somebody was expired.
fn compare(number: u64) -> usize {
    let mut chooser = fastrand::Rng::with_seed(number);
    let seats = chooser.u8(1..5);
    let setting = any_setting(&mut chooser);
    // Long enough that countdowns of days are over at times, too.
    let step_ms = if matches!(setting, ClockSetting::Days { .. }) { 60_000_000 } else { 6_000 };
    let mut now_ms = chooser.u64(..1_000_000);
    let start = Situation { to_act: SeatSet::all(seats), turn: 0, window_s: None };
    let mut situation = any_situation(start, seats, &mut chooser);
    let mut fast = MatchClock::start(setting, seats, now_ms, situation);
    let mut slow = NaiveClock::start(setting, now_ms, situation);
    // The line that was not taken back: how it stood after each entry, and the clock at its end.
    let mut line = vec![(situation, None)];
    let mut expirations = 0;

    for step in 0..chooser.u32(..40) {
        now_ms += chooser.u64(..step_ms);
        let event = match chooser.u8(..20) {
            0 => Event::Pause,
            1..3 => Event::Resume,
            3..5 => {
                line.truncate(chooser.usize(1..=line.len()));
                let last = line.len() - 1;
                let (then, left) = line[last];
                line[last].1 = None;
                fast.take_back(now_ms, &left.unwrap_or(fast.charged(now_ms)));
                situation = then;
                Event::TakeBack(line.len(), then)
            }
            _ if situation.to_act.is_empty() => Event::Pause,
            _ => {
                let by = Some(seat(chooser.u8(..seats))).filter(|_| chooser.u8(..4) != 0);
                situation = any_situation(situation, seats, &mut chooser);
                line.last_mut().unwrap().1 = Some(fast.charged(now_ms));
                fast.follow(now_ms, by, situation);
                line.push((situation, None));
                Event::Entry(by, situation)
            }
        };
        match event {
            Event::Pause => fast.pause(now_ms),
            Event::Resume => fast.resume(now_ms),
            Event::Entry(..) | Event::TakeBack(..) => {}
        }
        slow.push(now_ms, event);

        // At times this is before the event: time that goes back.
        let look_ms = (now_ms + chooser.u64(..step_ms)).saturating_sub(500);
        for at_ms in [now_ms, look_ms] {
            let place = format!("step {step}, at {at_ms} ms: {setting:?} {slow:?}");
            for seat in Seat::all(seats) {
                let slow = slow.remaining_ms(seat, at_ms);
                assert_eq!(fast.remaining_ms(seat, at_ms), slow, "seat {seat}, {place}");
            }
            assert_eq!(fast.expired(at_ms), slow.expired(at_ms), "{place}");
            expirations += usize::from(!fast.expired(at_ms).is_empty());
        }
        let place = format!("step {step}: {setting:?} {slow:?}");
        match fast.deadline_ms() {
            Some(deadline_ms) => {
                assert!(!slow.expired(deadline_ms).is_empty(), "late: {place}");
                let is_first = deadline_ms == now_ms || slow.expired(deadline_ms - 1).is_empty();
                assert!(is_first, "early: {place}");
            }
            None => assert!(slow.expired(u64::MAX).is_empty(), "missed: {place}"),
        }
    }
    expirations
}

#[test]
fn random_histories_are_timed_alike() {
    let histories = if std::env::var_os("PARLOR_SOAK").is_some() { 400_000 } else { 4_000 };
    let mut expirations = 0;
    for number in 0..histories {
        let result = std::panic::catch_unwind(|| compare(number));
        expirations += result.unwrap_or_else(|cause| {
            eprintln!("this was history {number}");
            std::panic::resume_unwind(cause)
        });
    }
    assert!(expirations > 1_000, "only {expirations} were compared in which a time was up");
}
