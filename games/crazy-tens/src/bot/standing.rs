//! How likely a match is won, by the totals between two rounds.

use std::sync::LazyLock;

/// The table goes so far; with more points to go, only their proportion counts.
const MISSING_MAX: usize = 64;

/// Of about a thousand rounds, how many bring 1 to 4 points, 5 to 8, and so on, when the bot plays
/// against itself and against random play.
const ROUNDS: [u16; 20] =
    [80, 90, 140, 100, 110, 85, 70, 52, 58, 43, 30, 30, 20, 20, 12, 15, 10, 8, 5, 8];
const STEP: usize = 4;

/// What the match is worth, from 0 to 1, to a seat that misses `own` points and the other `others`.
/// Who starts the next round matters too little to be told apart.
pub(super) fn worth(own: u16, others: u16) -> f32 {
    let most = usize::from(own.max(others)).max(MISSING_MAX);
    let scaled = |missing: u16| (usize::from(missing) * MISSING_MAX).div_ceil(most);
    TABLE[scaled(own)][scaled(others)]
}

type Table = [[f32; MISSING_MAX + 1]; MISSING_MAX + 1];

static TABLE: LazyLock<Box<Table>> = LazyLock::new(|| {
    // Who misses nothing has won.
    let mut table = Box::new([[0.0; MISSING_MAX + 1]; MISSING_MAX + 1]);
    table[0] = [1.0; MISSING_MAX + 1];
    let all: f32 = ROUNDS.iter().copied().map(f32::from).sum();
    for own in 1..=MISSING_MAX {
        for others in 1..=MISSING_MAX {
            let after = |points: usize| {
                let won = table[own.saturating_sub(points)][others];
                won + table[own][others.saturating_sub(points)]
            };
            let bucket = |at: usize| (1..=STEP).map(|more| after(STEP * at + more)).sum::<f32>();
            let sum: f32 =
                (0..).zip(ROUNDS).map(|(at, rounds)| f32::from(rounds) * bucket(at)).sum();
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let worth = sum / (2.0 * all * STEP as f32);
            table[own][others] = worth;
        }
    }
    table
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_to_the_target_the_better_and_even_is_even() {
        for missing in 1..=200 {
            assert!((worth(missing, missing) - 0.5).abs() < 1e-4, "{missing}");
            assert!((worth(missing, 30) + worth(30, missing) - 1.0).abs() < 1e-4, "{missing}");
            assert!(worth(missing, 50) >= worth(missing + 1, 50), "{missing}");
        }
        assert!(worth(0, 50) > 0.999 && worth(50, 0) < 0.001 && worth(10, 50) > 0.7);
    }
}
