//! How strong players are, as far as their matches tell.
//!
//! Two seats are rated by Glicko-2, more by Weng and Lin's Bradley-Terry model; both formulas are
//! the crate `skillratings`'. A player has one rating in a game however many sit down, so both work
//! on Glicko's scale. Weng-Lin has no scale of its own: only differences and ratios of ratings,
//! deviations and its constant `beta` count in it. With [`WENG_LIN_BETA`] a distance between
//! players who are well known means the same chance to win in both. Volatility is Glicko's alone
//! and stays as it is in a match of more.
//!
//! A match is rated when it ends, as a rating period of its own. Nothing here is stored, and time
//! without matches changes nothing.

use std::f64::consts::FRAC_1_SQRT_2;
use std::ops::RangeInclusive;

use domain::PlayerId;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2};
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};
use skillratings::{MultiTeamOutcome, Outcomes};

/// 400 / ln 10, points for a unit of Glicko-2's inner scale. Without deviations Weng-Lin divides a
/// distance by `beta` times the root of two.
const WENG_LIN_BETA: f64 = 173.7178 * FRAC_1_SQRT_2;

/// Beyond it a result is a foregone conclusion, and the formulas lose their digits.
const RATINGS: RangeInclusive<f64> = 100.0..=4000.0;
/// Below the smallest a rating would hardly move any more; above that of a newcomer nothing is
/// known less.
const DEVIATIONS: RangeInclusive<f64> = 45.0..=350.0;
/// Around the usual 0.06; one strange result must not make a rating jump for long.
const VOLATILITIES: RangeInclusive<f64> = 0.01..=0.1;

/// How strong a player is in one game at one speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rated {
    /// The estimate.
    pub rating: f64,
    /// How far off it may be: with 95 in 100 within twice as much.
    pub deviation: f64,
    /// How much the strength itself goes up and down.
    pub volatility: f64,
}

impl Rated {
    /// Somebody without a match.
    pub const NEW: Rated = Rated { rating: 1500.0, deviation: 350.0, volatility: 0.06 };

    fn bounded(self) -> Rated {
        let bound = |value: f64, range: RangeInclusive<f64>, new: f64| {
            // A clamp lets through what is no number.
            if value.is_nan() { new } else { value.clamp(*range.start(), *range.end()) }
        };
        Rated {
            rating: bound(self.rating, RATINGS, Rated::NEW.rating),
            deviation: bound(self.deviation, DEVIATIONS, Rated::NEW.deviation),
            volatility: bound(self.volatility, VOLATILITIES, Rated::NEW.volatility),
        }
    }
}

/// The ratings after a match, by seat. `places` are an outcome's: 1 is the best, equal ones a tie.
///
/// With fewer than two seats, or not a place for each, nobody's rating changes.
pub fn rate(before: &[Rated], places: &[u8]) -> Vec<Rated> {
    let known: Vec<Rated> = before.iter().map(|rated| rated.bounded()).collect();
    let after = match (known.as_slice(), places) {
        ([first, second], [first_place, second_place]) => {
            let outcome = match first_place.cmp(second_place) {
                std::cmp::Ordering::Less => Outcomes::WIN,
                std::cmp::Ordering::Equal => Outcomes::DRAW,
                std::cmp::Ordering::Greater => Outcomes::LOSS,
            };
            rate_two(*first, *second, outcome).to_vec()
        }
        ([_, _, _, ..], _) if known.len() == places.len() => rate_many(&known, places),
        _ => return before.to_vec(),
    };
    after.into_iter().map(Rated::bounded).collect()
}

fn rate_two(first: Rated, second: Rated, outcome: Outcomes) -> [Rated; 2] {
    let (first, second) =
        glicko2(&first.into(), &second.into(), &outcome, &Glicko2Config::default());
    [first.into(), second.into()]
}

fn rate_many(before: &[Rated], places: &[u8]) -> Vec<Rated> {
    let alone: Vec<[WengLinRating; 1]> =
        before.iter().map(|rated| [weng_lin_rating(*rated)]).collect();
    let teams: Vec<_> = alone
        .iter()
        .zip(places)
        .map(|(team, place)| (team.as_slice(), MultiTeamOutcome::new(usize::from(*place))))
        .collect();
    let after = weng_lin_multi_team(&teams, &weng_lin_config()).into_iter().flatten();
    let volatilities = before.iter().map(|rated| rated.volatility);
    after
        .zip(volatilities)
        .map(|(after, volatility)| Rated {
            rating: after.rating,
            deviation: after.uncertainty,
            volatility,
        })
        .collect()
}

fn weng_lin_config() -> WengLinConfig {
    WengLinConfig { beta: WENG_LIN_BETA, ..WengLinConfig::default() }
}

fn weng_lin_rating(rated: Rated) -> WengLinRating {
    WengLinRating { rating: rated.rating, uncertainty: rated.deviation }
}

impl From<Rated> for Glicko2Rating {
    fn from(rated: Rated) -> Self {
        let Rated { rating, deviation, volatility } = rated;
        Glicko2Rating { rating, deviation, volatility }
    }
}

impl From<Glicko2Rating> for Rated {
    fn from(rated: Glicko2Rating) -> Self {
        let Glicko2Rating { rating, deviation, volatility } = rated;
        Rated { rating, deviation, volatility }
    }
}

/// What decides whether a match changes ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing<'a> {
    /// Whose account sits in each seat; none for a guest, a bot or a hot seat.
    pub accounts: &'a [Option<PlayerId>],
    /// Whether the options are a preset's.
    pub is_preset: bool,
    /// Whether it was set up instead of dealt.
    pub is_from_position: bool,
    /// Whether somebody took an action back.
    pub has_takeback: bool,
}

/// Whether a match counts: two or more registered people, nobody twice, a preset's options, no
/// position set up, no takeback.
pub fn is_rated(match_is: Standing<'_>) -> bool {
    let seats = match_is.accounts;
    let is_alone = |(seat, account): (usize, &Option<PlayerId>)| {
        account.is_some() && !seats[..seat].contains(account)
    };
    seats.len() >= 2
        && seats.iter().enumerate().all(is_alone)
        && match_is.is_preset
        && !match_is.is_from_position
        && !match_is.has_takeback
}

#[cfg(test)]
mod tests {
    use domain::PlayerId;
    use skillratings::Outcomes;
    use skillratings::glicko2::{self, Glicko2Config, Glicko2Rating};
    use skillratings::weng_lin;

    use super::{
        DEVIATIONS, RATINGS, Rated, Standing, VOLATILITIES, is_rated, rate, weng_lin_config,
        weng_lin_rating,
    };

    fn rated(rating: f64, deviation: f64) -> Rated {
        Rated { rating, deviation, ..Rated::NEW }
    }

    fn is_near(found: f64, expected: f64, tolerance: f64) -> bool {
        (found - expected).abs() <= tolerance
    }

    /// Ratings before, places, and what they become, to a tenth of a point.
    #[track_caller]
    fn check(before: &[(f64, f64)], places: &[u8], expected: &[(f64, f64)]) {
        let before: Vec<Rated> = before.iter().map(|(r, d)| rated(*r, *d)).collect();
        let after = rate(&before, places);
        let is_expected = after.len() == expected.len()
            && after.iter().zip(expected).all(|(after, (rating, deviation))| {
                is_near(after.rating, *rating, 0.05) && is_near(after.deviation, *deviation, 0.05)
            });
        assert!(is_expected, "{after:?}, not {expected:?}");
    }

    #[test]
    fn the_crate_gives_glickmans_published_example() {
        let player = Glicko2Rating::from(rated(1500.0, 200.0));
        let results = [
            (rated(1400.0, 30.0).into(), Outcomes::WIN),
            (rated(1550.0, 100.0).into(), Outcomes::LOSS),
            (rated(1700.0, 300.0).into(), Outcomes::LOSS),
        ];
        let after = glicko2::glicko2_rating_period(&player, &results, &Glicko2Config::default());
        assert!(is_near(after.rating, 1464.06, 0.01), "{after:?}");
        assert!(is_near(after.deviation, 151.52, 0.01), "{after:?}");
        assert!(is_near(after.volatility, 0.05999, 0.000_01), "{after:?}");
    }

    #[test]
    fn the_winner_gains_what_an_equal_loser_loses() {
        check(&[(1500.0, 350.0); 2], &[1, 2], &[(1662.3, 290.3), (1337.7, 290.3)]);
        check(&[(1500.0, 350.0); 2], &[2, 1], &[(1337.7, 290.3), (1662.3, 290.3)]);
    }

    #[test]
    fn a_draw_between_equals_says_only_that_the_ratings_were_right() {
        check(&[(1500.0, 350.0); 2], &[1, 1], &[(1500.0, 290.3); 2]);
        let four = rate(&[rated(1600.0, 200.0); 4], &[1; 4]);
        for after in four {
            assert!(is_near(after.rating, 1600.0, 1e-9) && after.deviation < 200.0, "{after:?}");
        }
    }

    #[test]
    fn a_draw_moves_unequals_together() {
        let after = rate(&[rated(1800.0, 80.0), rated(1500.0, 80.0)], &[1, 1]);
        assert!(after[0].rating < 1800.0 && after[1].rating > 1500.0, "{after:?}");
    }

    #[test]
    fn of_four_the_places_decide_and_ties_end_up_together() {
        let after = rate(&[Rated::NEW; 4], &[2, 1, 4, 2]);
        assert!(after[1].rating > after[0].rating, "{after:?}");
        assert!(after[0].rating > after[2].rating, "{after:?}");
        assert_eq!(after[0], after[3]);
        let sum: f64 = after.iter().map(|rated| rated.rating).sum();
        assert!(is_near(sum, 4.0 * 1500.0, 1e-6), "among equals nothing is lost: {after:?}");
    }

    #[test]
    fn a_distance_between_well_known_players_means_the_same_in_both_formulas() {
        for rating in [100.0, 1300.0, 1500.0, 1700.0, 2300.0] {
            let [one, other] = [rated(rating, 0.0), rated(1500.0, 0.0)];
            let (of_two, _) = glicko2::expected_score(&one.into(), &other.into());
            let [one, other] = [one, other].map(weng_lin_rating);
            let (of_many, _) = weng_lin::expected_score(&one, &other, &weng_lin_config());
            assert!(is_near(of_two, of_many, 1e-9), "{rating}: {of_two} {of_many}");
        }
    }

    fn chosen(chooser: &mut fastrand::Rng) -> Rated {
        let odd =
            [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 0.0, -1.0, 1e-300];
        let mut choose = |usual: f64| match chooser.usize(..odd.len() * 3) {
            place if place < odd.len() => odd[place],
            _ => usual * 2.0 * chooser.f64(),
        };
        Rated { rating: choose(1500.0), deviation: choose(175.0), volatility: choose(0.06) }
    }

    #[test]
    fn whatever_goes_in_numbers_within_bounds_come_out() {
        for seed in 0..20_000 {
            let mut chooser = fastrand::Rng::with_seed(seed);
            let before: Vec<Rated> =
                (0..chooser.usize(2..=6)).map(|_| chosen(&mut chooser)).collect();
            let places: Vec<u8> = before.iter().map(|_| chooser.u8(..)).collect();
            let after = rate(&before, &places);
            assert_eq!(after.len(), before.len(), "seed {seed}");
            for rated in after {
                let is_bounded = RATINGS.contains(&rated.rating)
                    && DEVIATIONS.contains(&rated.deviation)
                    && VOLATILITIES.contains(&rated.volatility);
                assert!(is_bounded, "seed {seed}: {rated:?}");
            }
        }
    }

    #[test]
    fn a_spoiled_rating_does_not_spoil_the_others() {
        for spoiled in [f64::NAN, f64::INFINITY] {
            let known = [rated(1800.0, 80.0), rated(1600.0, 80.0)];
            let odd = Rated { rating: 1500.0, deviation: spoiled, volatility: spoiled };
            let sound = odd.bounded();
            assert_eq!(rate(&[odd, known[0]], &[2, 1]), rate(&[sound, known[0]], &[2, 1]));
            let of_three = |odd: Rated| rate(&[odd, known[0], known[1]], &[2, 1, 3]);
            assert_eq!(of_three(odd), of_three(sound));
        }
    }

    #[test]
    fn who_sits_where_does_not_matter() {
        for seed in 0..500 {
            let mut chooser = fastrand::Rng::with_seed(seed);
            let mut seats: Vec<(Rated, u8)> = (0..chooser.usize(2..=6))
                .map(|_| {
                    let rating = 1000.0 + 1000.0 * chooser.f64();
                    (rated(rating, 50.0 + 300.0 * chooser.f64()), chooser.u8(1..=4))
                })
                .collect();
            let by_rating = |seats: &[(Rated, u8)]| {
                let (before, places): (Vec<Rated>, Vec<u8>) = seats.iter().copied().unzip();
                let mut pairs: Vec<(Rated, Rated)> =
                    before.iter().copied().zip(rate(&before, &places)).collect();
                pairs.sort_by(|one, other| one.0.rating.total_cmp(&other.0.rating));
                pairs
            };
            let here = by_rating(&seats);
            chooser.shuffle(&mut seats);
            for (one, other) in here.iter().zip(by_rating(&seats)) {
                let is_same = one.0 == other.0
                    && is_near(one.1.rating, other.1.rating, 1e-6)
                    && is_near(one.1.deviation, other.1.deviation, 1e-6);
                assert!(is_same, "seed {seed}: {one:?} {other:?}");
            }
        }
    }

    #[test]
    fn a_first_place_never_loses_points_and_a_last_one_never_gains_any() {
        for seed in 0..2_000 {
            let mut chooser = fastrand::Rng::with_seed(seed);
            let seats = chooser.u8(2..=6);
            let before: Vec<Rated> = (0..seats)
                .map(|_| rated(1000.0 + 1500.0 * chooser.f64(), 50.0 + 300.0 * chooser.f64()))
                .collect();
            let mut places: Vec<u8> = (1..=seats).collect();
            chooser.shuffle(&mut places);
            let after = rate(&before, &places);
            for (place, (before, after)) in places.iter().zip(before.iter().zip(&after)) {
                assert!(*place != 1 || after.rating >= before.rating, "seed {seed}");
                assert!(*place != seats || after.rating <= before.rating, "seed {seed}");
            }
        }
    }

    #[test]
    fn without_opponents_or_places_nothing_changes() {
        assert_eq!(rate(&[], &[]), []);
        assert_eq!(rate(&[Rated::NEW], &[1]), [Rated::NEW]);
        assert_eq!(rate(&[Rated::NEW; 2], &[1]), [Rated::NEW; 2]);
        assert_eq!(rate(&[Rated::NEW; 3], &[1, 2]), [Rated::NEW; 3]);
    }

    #[test]
    fn only_a_regular_match_between_different_accounts_is_rated() {
        let accounts = [1, 2, 3].map(|number| PlayerId::from_number(number).ok());
        let [ada, bob, eve] = accounts;
        let regular = Standing {
            accounts: &[ada, bob],
            is_preset: true,
            is_from_position: false,
            has_takeback: false,
        };
        let check = |standing: Standing<'_>, expected: bool| {
            assert_eq!(is_rated(standing), expected, "{standing:?}");
        };
        check(regular, true);
        check(Standing { accounts: &[ada, bob, eve], ..regular }, true);
        check(Standing { accounts: &[ada, None], ..regular }, false);
        check(Standing { accounts: &[None, None], ..regular }, false);
        check(Standing { accounts: &[ada, ada], ..regular }, false);
        check(Standing { accounts: &[ada, bob, ada], ..regular }, false);
        check(Standing { accounts: &[ada], ..regular }, false);
        check(Standing { accounts: &[], ..regular }, false);
        check(Standing { is_preset: false, ..regular }, false);
        check(Standing { is_from_position: true, ..regular }, false);
        check(Standing { has_takeback: true, ..regular }, false);
    }
}
