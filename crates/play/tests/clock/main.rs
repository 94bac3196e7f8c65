//! The rules of the match clock, a test for each, by number; `random.rs` compares it with a slow one.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod naive;
mod random;

use std::fmt::Write;
use std::time::Duration;

use game_api::Seat;
use play::clock::{MatchClock, Situation};
use protocol::ClockSetting;

const UNTIMED: ClockSetting = ClockSetting::None;
const PER_MOVE: ClockSetting = ClockSetting::PerMove { seconds: 60 };
const FISCHER: ClockSetting = ClockSetting::Fischer { initial_s: 60, increment_s: 5 };
const DELAY: ClockSetting = ClockSetting::Delay { initial_s: 60, delay_s: 10 };

fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

fn turn(turn: u32, to_act: &[u8]) -> Situation {
    let to_act = to_act.iter().map(|number| seat(*number)).collect();
    Situation { to_act, turn, window_s: None }
}

fn window(number: u32, to_act: &[u8], seconds: u32) -> Situation {
    Situation { window_s: Some(seconds), ..turn(number, to_act) }
}

enum Step {
    /// A seat acted of its own accord.
    Act(u8, Situation),
    /// Any other entry.
    Entry(Situation),
    Pause,
    Resume,
    /// Back to how it was before that step of the script.
    Back(usize),
    Look,
}
use Step::{Act, Back, Entry, Look, Pause, Resume};

/// All that a clock tells: what each seat has left, with a star while it runs; the window; who is
/// expired; when the next will be.
fn show(clock: &MatchClock, now_ms: u64) -> String {
    let face = clock.face(now_ms);
    let mut text = String::new();
    for (number, left_ms) in (0..).zip(&face.remaining_ms) {
        assert_eq!(clock.remaining_ms(seat(number), now_ms), Some(*left_ms));
        let star = if face.running.contains(seat(number)) { "*" } else { "" };
        write!(text, "{star}{:?} ", Duration::from_millis(*left_ms)).unwrap();
    }
    if let Some(left_ms) = face.window_ms {
        write!(text, "window {:?} ", Duration::from_millis(left_ms)).unwrap();
    }
    if !clock.expired(now_ms).is_empty() {
        write!(text, "up {} ", clock.expired(now_ms)).unwrap();
    }
    if let Some(deadline_ms) = clock.deadline_ms() {
        write!(text, "due {:?}", Duration::from_millis(deadline_ms)).unwrap();
    }
    text.trim_end().to_owned()
}

/// In a match that begins at 0, each step is made at its time, in milliseconds, and then the clock
/// shows the text.
#[track_caller]
fn check(setting: ClockSetting, seats: u8, start: Situation, script: &[(u64, Step, &str)]) {
    let mut clock = MatchClock::start(setting, seats, 0, start);
    let mut before = Vec::new();
    for (index, (now_ms, step, expected)) in script.iter().enumerate() {
        before.push(clock.charged(*now_ms));
        match step {
            Act(by, situation) => clock.follow(*now_ms, Some(seat(*by)), *situation),
            Entry(situation) => clock.follow(*now_ms, None, *situation),
            Pause => clock.pause(*now_ms),
            Resume => clock.resume(*now_ms),
            Back(to) => clock.take_back(*now_ms, &before[*to]),
            Look => {}
        }
        assert_eq!(show(&clock, *now_ms), *expected, "step {index}, at {now_ms} ms");
    }
}

#[test]
fn c1_the_time_of_who_is_to_act_runs() {
    check(
        FISCHER,
        2,
        turn(1, &[0]),
        &[
            (0, Look, "*60s 60s due 60s"),
            (20_000, Look, "*40s 60s due 60s"),
            (20_000, Act(0, turn(2, &[1])), "45s *60s due 80s"),
            (30_000, Look, "45s *50s due 80s"),
        ],
    );
}

#[test]
fn c1_of_several_to_act_all_run_at_once() {
    check(
        FISCHER,
        3,
        turn(1, &[0, 2]),
        &[
            (10_000, Look, "*50s 60s *50s due 60s"),
            (10_000, Act(2, turn(1, &[0])), "*50s 60s 55s due 60s"),
            (20_000, Look, "*40s 60s 55s due 60s"),
        ],
    );
}

#[test]
fn c1_after_the_end_all_stands() {
    check(
        FISCHER,
        2,
        turn(1, &[0]),
        &[(10_000, Entry(turn(1, &[])), "50s 60s"), (900_000, Look, "50s 60s")],
    );
}

#[test]
fn c2_a_window_stops_the_turn_and_has_its_own_time() {
    check(
        FISCHER,
        3,
        turn(1, &[0]),
        &[
            (10_000, Act(0, window(1, &[1, 2], 20)), "55s 60s 60s window 20s due 30s"),
            (18_000, Look, "55s 60s 60s window 12s due 30s"),
            // A vote does not start it anew, whatever time it names.
            (20_000, Act(1, window(1, &[2], 30)), "55s 60s 60s window 10s due 30s"),
            (30_000, Look, "55s 60s 60s window 0ns up 2 due 30s"),
            (31_000, Entry(turn(1, &[0])), "*55s 60s 60s due 86s"),
            // Once closed, the next is another one, also in the same turn.
            (32_000, Act(0, window(1, &[1, 2], 20)), "54s 60s 60s window 20s due 52s"),
            (60_000, Look, "54s 60s 60s window 0ns up 1 2 due 52s"),
            (60_000, Entry(window(2, &[0, 2], 7)), "54s 60s 60s window 7s due 67s"),
        ],
    );
}

#[test]
fn c2_a_window_passes_also_where_no_time_is_measured() {
    check(
        UNTIMED,
        2,
        turn(1, &[0]),
        &[
            (0, Look, ""),
            (10_000, Act(0, window(1, &[1], 20)), "window 20s due 30s"),
            (30_000, Look, "window 0ns up 1 due 30s"),
            (30_000, Entry(turn(2, &[1])), ""),
        ],
    );
}

#[test]
fn c2_a_match_can_begin_with_a_window_and_end_in_it() {
    check(
        PER_MOVE,
        2,
        window(0, &[0, 1], 20),
        &[
            (5_000, Look, "60s 60s window 15s due 20s"),
            (5_000, Entry(window(0, &[], 20)), "60s 60s"),
            (90_000, Look, "60s 60s"),
        ],
    );
}

#[test]
fn c2_a_pause_stops_a_window() {
    check(
        UNTIMED,
        2,
        window(0, &[0, 1], 20),
        &[
            (5_000, Pause, "window 15s"),
            (90_000, Act(1, window(0, &[0], 20)), "window 15s"),
            (90_000, Resume, "window 15s due 105s"),
        ],
    );
}

#[test]
fn c3_a_countdown_starts_anew_with_each_turn() {
    check(
        PER_MOVE,
        2,
        turn(1, &[0]),
        &[
            (20_000, Look, "*40s 60s due 60s"),
            (20_000, Act(0, turn(2, &[1])), "60s *60s due 80s"),
            (30_000, Act(1, turn(3, &[0])), "*60s 60s due 90s"),
            // The same seat's next turn.
            (80_000, Act(0, turn(4, &[0])), "*60s 60s due 140s"),
        ],
    );
}

#[test]
fn c3_a_turn_of_several_actions_has_one_countdown() {
    check(
        PER_MOVE,
        2,
        turn(1, &[0]),
        &[
            (20_000, Act(0, turn(1, &[0])), "*40s 60s due 60s"),
            (30_000, Act(0, turn(1, &[0])), "*30s 60s due 60s"),
        ],
    );
}

#[test]
fn c3_who_gets_to_act_within_a_turn_has_the_whole_countdown() {
    check(
        PER_MOVE,
        3,
        turn(1, &[0]),
        &[
            (20_000, Act(0, turn(1, &[0, 1])), "*40s *60s 60s due 60s"),
            (30_000, Act(0, turn(1, &[1])), "60s *50s 60s due 80s"),
            (40_000, Act(1, turn(1, &[0, 1])), "*60s *40s 60s due 80s"),
        ],
    );
}

#[test]
fn c3_a_window_only_interrupts_a_countdown() {
    check(
        PER_MOVE,
        3,
        turn(1, &[0]),
        &[
            (20_000, Act(0, window(1, &[1, 2], 10)), "40s 60s 60s window 10s due 30s"),
            (30_000, Entry(turn(1, &[0])), "*40s 60s 60s due 70s"),
            (31_000, Act(0, window(2, &[1], 10)), "60s 60s 60s window 10s due 41s"),
        ],
    );
}

#[test]
fn c3_at_the_end_it_is_seen_whose_countdown_was_over() {
    check(
        PER_MOVE,
        2,
        turn(1, &[0]),
        &[
            (60_000, Look, "*0ns 60s up 0 due 60s"),
            (60_001, Entry(turn(2, &[])), "0ns 60s"),
            (90_000, Look, "0ns 60s"),
        ],
    );
}

#[test]
fn c3_days_are_a_long_countdown() {
    check(
        ClockSetting::Days { days: 14 },
        2,
        turn(1, &[0]),
        &[
            (1_000, Look, "*1209599s 1209600s due 1209600s"),
            (86_400_000, Act(0, turn(2, &[1])), "1209600s *1209600s due 1296000s"),
        ],
    );
}

#[test]
fn c4_the_increment_comes_with_the_end_of_the_turn() {
    check(
        FISCHER,
        2,
        turn(1, &[0]),
        &[
            (10_000, Act(0, turn(1, &[0])), "*50s 60s due 60s"),
            (20_000, Act(0, turn(2, &[1])), "45s *60s due 80s"),
            // Giving up and running out of time are no actions.
            (30_000, Entry(turn(3, &[0])), "*45s 50s due 75s"),
            // Neither is what another seat does.
            (40_000, Act(1, turn(4, &[1])), "35s *50s due 90s"),
        ],
    );
}

#[test]
fn c4_the_increment_comes_once_a_turn() {
    check(
        FISCHER,
        2,
        turn(1, &[0, 1]),
        &[
            (10_000, Act(0, turn(1, &[1])), "55s *50s due 60s"),
            (10_000, Entry(turn(1, &[0, 1])), "*55s *50s due 60s"),
            (20_000, Act(0, turn(1, &[1])), "45s *40s due 60s"),
            (20_000, Act(1, turn(2, &[0, 1])), "*45s *45s due 65s"),
            (20_000, Act(0, turn(2, &[1])), "50s *45s due 65s"),
        ],
    );
}

#[test]
fn c4_a_reaction_earns_no_increment() {
    check(
        FISCHER,
        3,
        turn(1, &[0]),
        &[
            (10_000, Act(0, window(1, &[1, 2], 20)), "55s 60s 60s window 20s due 30s"),
            (15_000, Act(1, window(1, &[2], 20)), "55s 60s 60s window 15s due 30s"),
            (16_000, Act(2, turn(2, &[1])), "55s *60s 60s due 76s"),
        ],
    );
}

#[test]
fn c5_the_first_seconds_of_a_turn_are_free() {
    check(
        DELAY,
        2,
        turn(1, &[0]),
        &[
            (7_000, Look, "*60s 60s due 70s"),
            (7_000, Act(0, turn(1, &[0])), "*60s 60s due 70s"),
            (13_000, Look, "*57s 60s due 70s"),
            (13_000, Act(0, turn(2, &[1])), "57s *60s due 83s"),
            (18_000, Act(1, turn(3, &[0])), "*57s 60s due 85s"),
            (28_500, Look, "*56.5s 60s due 85s"),
            (85_000, Look, "*0ns 60s up 0 due 85s"),
        ],
    );
}

#[test]
fn c5_neither_a_window_nor_a_pause_makes_more_seconds_free() {
    check(
        DELAY,
        2,
        turn(1, &[0]),
        &[
            (7_000, Pause, "60s 60s"),
            (50_000, Resume, "*60s 60s due 113s"),
            (51_000, Act(0, window(1, &[1], 20)), "60s 60s window 20s due 71s"),
            (60_000, Entry(turn(1, &[0])), "*60s 60s due 122s"),
            (64_000, Look, "*58s 60s due 122s"),
        ],
    );
}

#[test]
fn c6_a_pause_charges_what_ran_and_then_nothing() {
    check(
        PER_MOVE,
        2,
        turn(1, &[0]),
        &[
            (20_000, Pause, "40s 60s"),
            (500_000, Look, "40s 60s"),
            (500_000, Pause, "40s 60s"),
            (600_000, Resume, "*40s 60s due 640s"),
            (610_000, Look, "*30s 60s due 640s"),
        ],
    );
}

#[test]
fn c6_what_is_entered_during_a_pause_does_not_end_it() {
    check(
        FISCHER,
        3,
        turn(1, &[0]),
        &[
            (20_000, Pause, "40s 60s 60s"),
            (30_000, Entry(turn(2, &[1])), "40s 60s 60s"),
            (600_000, Resume, "40s *60s 60s due 660s"),
        ],
    );
}

#[test]
fn c6_the_servers_absence_is_charged_to_nobody() {
    check(
        FISCHER,
        2,
        turn(1, &[0]),
        &[
            (20_000, Act(0, turn(2, &[1])), "45s *60s due 80s"),
            (600_000, Resume, "45s *60s due 660s"),
            (601_000, Look, "45s *59s due 660s"),
            // The machine's time was set back meanwhile.
            (5_000, Resume, "45s *60s due 65s"),
            (6_000, Look, "45s *59s due 65s"),
        ],
    );
}

#[test]
fn c7_a_takeback_gives_no_time_back_and_takes_the_increment() {
    check(
        FISCHER,
        2,
        turn(1, &[0]),
        &[
            (0, Look, "*60s 60s due 60s"),
            (20_000, Act(0, turn(2, &[1])), "45s *60s due 80s"),
            (30_000, Act(1, turn(3, &[0])), "*45s 55s due 75s"),
            (33_000, Back(2), "42s *50s due 83s"),
            (35_000, Back(1), "*37s 48s due 72s"),
            // Done again, it is rewarded again.
            (36_000, Act(0, turn(2, &[1])), "41s *48s due 84s"),
        ],
    );
}

#[test]
fn c7_a_takeback_within_a_turn_rewards_nobody_twice() {
    check(
        FISCHER,
        2,
        turn(1, &[0, 1]),
        &[
            (0, Act(0, turn(1, &[1])), "65s *60s due 60s"),
            (0, Act(1, turn(2, &[0])), "*65s 65s due 65s"),
            (0, Back(1), "65s *60s due 60s"),
            (0, Entry(turn(1, &[0, 1])), "*65s *60s due 60s"),
            (0, Act(0, turn(1, &[1])), "65s *60s due 60s"),
        ],
    );
}

#[test]
fn c7_who_lived_on_undone_increments_has_nothing_left() {
    check(
        FISCHER,
        2,
        turn(1, &[0]),
        &[
            (59_000, Look, "*1s 60s due 60s"),
            (59_000, Act(0, turn(2, &[0])), "*6s 60s due 65s"),
            (62_000, Back(1), "*0ns 60s up 0 due 62s"),
        ],
    );
}

#[test]
fn c7_after_a_takeback_there_is_as_much_as_when_it_was_done() {
    let start = turn(1, &[0]);
    check(
        PER_MOVE,
        2,
        start,
        &[
            (0, Look, "*60s 60s due 60s"),
            (20_000, Act(0, turn(2, &[1])), "60s *60s due 80s"),
            (30_000, Back(1), "*40s 60s due 70s"),
            // However often it is done.
            (35_000, Act(0, turn(2, &[1])), "60s *60s due 95s"),
            (40_000, Act(1, turn(3, &[0])), "*60s 60s due 100s"),
            (50_000, Back(3), "*35s 60s due 85s"),
        ],
    );
    check(
        DELAY,
        2,
        start,
        &[
            (0, Look, "*60s 60s due 70s"),
            (4_000, Act(0, turn(2, &[1])), "60s *60s due 74s"),
            (24_000, Back(1), "*60s 50s due 90s"),
            (31_000, Act(0, turn(2, &[1])), "59s *50s due 91s"),
            (31_000, Back(3), "*59s 50s due 90s"),
        ],
    );
    check(
        UNTIMED,
        2,
        window(1, &[0, 1], 20),
        &[
            (0, Look, "window 20s due 20s"),
            (5_000, Act(0, window(1, &[1], 20)), "window 15s due 20s"),
            (8_000, Back(1), "window 15s due 23s"),
        ],
    );
}

#[test]
fn c8_time_that_goes_back_stands() {
    check(
        FISCHER,
        2,
        turn(1, &[0]),
        &[
            (20_000, Act(0, turn(2, &[1])), "45s *60s due 80s"),
            (10_000, Look, "45s *60s due 80s"),
            (10_000, Act(1, turn(3, &[0])), "*45s 65s due 65s"),
            (15_000, Pause, "45s 65s"),
            (30_000, Resume, "*45s 65s due 75s"),
        ],
    );
}

#[test]
fn c8_nothing_is_less_than_nothing_or_more_than_a_number_holds() {
    let most = u32::MAX;
    check(
        ClockSetting::Fischer { initial_s: 1, increment_s: 1 },
        1,
        turn(1, &[0]),
        &[(u64::MAX, Act(0, turn(2, &[0])), "*1s due 18446744073709551.615s")],
    );
    for setting in [
        ClockSetting::PerMove { seconds: most },
        ClockSetting::Days { days: most },
        ClockSetting::Fischer { initial_s: most, increment_s: most },
        ClockSetting::Delay { initial_s: most, delay_s: most },
    ] {
        let mut clock = MatchClock::start(setting, u8::MAX, u64::MAX - 1, turn(0, &[7]));
        assert_eq!(clock.deadline_ms(), Some(u64::MAX), "{setting:?}");
        clock.follow(u64::MAX, Some(seat(7)), window(1, &[7], most));
        assert_eq!(clock.deadline_ms(), Some(u64::MAX), "{setting:?}");
    }
}

#[test]
fn c9_a_time_is_up_to_the_millisecond() {
    check(
        PER_MOVE,
        2,
        turn(1, &[0]),
        &[
            (59_999, Look, "*1ms 60s due 60s"),
            (60_000, Look, "*0ns 60s up 0 due 60s"),
            (60_001, Look, "*0ns 60s up 0 due 60s"),
            (60_001, Pause, "0ns 60s"),
            (60_002, Resume, "*0ns 60s up 0 due 60.002s"),
        ],
    );
}

#[test]
fn c9_free_seconds_are_there_to_act_in_also_when_nothing_else_is_left() {
    check(
        DELAY,
        2,
        turn(1, &[0]),
        &[
            (70_000, Look, "*0ns 60s up 0 due 70s"),
            (70_000, Act(0, turn(2, &[0])), "*0ns 60s due 80s"),
            (80_000, Look, "*0ns 60s up 0 due 80s"),
        ],
    );
}

#[test]
fn a_clock_is_small_beside_its_match() {
    assert!(size_of::<MatchClock>() <= 256, "{}", size_of::<MatchClock>());
}
