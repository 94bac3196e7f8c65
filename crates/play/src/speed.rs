//! How fast a match is by its clock, so that ratings compare like with like. What a rating is, is not
//! said here.

use protocol::ClockSetting;

/// The turns of a seat in a match of usual length: what an increment or a delay counts for.
const USUAL_TURNS: u64 = 40;

/// The name of the speed under which a match with this clock is rated.
///
/// A stock of time is judged by what a seat has in a match of usual length. A countdown a move is
/// judged by itself, since hardly anybody uses it up at each move: taken forty times, already the
/// shortest would count as classical.
pub fn speed(setting: ClockSetting) -> &'static str {
    let (initial_s, each_turn_s) = match setting {
        ClockSetting::None => return "untimed",
        ClockSetting::Days { .. } => return "correspondence",
        ClockSetting::PerMove { seconds: ..180 } => return "rapid",
        ClockSetting::PerMove { .. } => return "classical",
        ClockSetting::Fischer { initial_s, increment_s } => (initial_s, increment_s),
        ClockSetting::Delay { initial_s, delay_s } => (initial_s, delay_s),
    };
    match u64::from(initial_s) + USUAL_TURNS * u64::from(each_turn_s) {
        ..180 => "bullet",
        180..480 => "blitz",
        480..1500 => "rapid",
        1500.. => "classical",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_has_the_speed_that_its_clock_gives_it() {
        let fischer = |initial_s, increment_s| ClockSetting::Fischer { initial_s, increment_s };
        let delay = |initial_s, delay_s| ClockSetting::Delay { initial_s, delay_s };
        let per_move = |seconds| ClockSetting::PerMove { seconds };
        for (setting, expected) in [
            (ClockSetting::None, "untimed"),
            (fischer(15, 0), "bullet"),
            (fischer(179, 0), "bullet"),
            (fischer(60, 2), "bullet"),
            (fischer(180, 0), "blitz"),
            (fischer(60, 3), "blitz"),
            (fischer(479, 0), "blitz"),
            (fischer(480, 0), "rapid"),
            (fischer(300, 5), "rapid"),
            (fischer(1499, 0), "rapid"),
            (fischer(1500, 0), "classical"),
            (fischer(u32::MAX, u32::MAX), "classical"),
            (delay(15, 4), "bullet"),
            (delay(180, 7), "blitz"),
            (delay(300, 180), "classical"),
            (per_move(60), "rapid"),
            (per_move(179), "rapid"),
            (per_move(180), "classical"),
            (per_move(900), "classical"),
            (ClockSetting::Days { days: 1 }, "correspondence"),
        ] {
            assert_eq!(speed(setting), expected, "{setting:?}");
        }
    }
}
