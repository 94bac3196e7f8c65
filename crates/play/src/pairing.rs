//! The pairing queue: who wants to play the same, and who of them play together (M3).
//!
//! A group is the one who has waited longest and the next who are near enough in rating for that
//! one. How near is near enough widens with the wait, so nobody waits for ever for a perfect
//! opponent. Storing a wish and starting the match are the caller's.

use std::collections::BTreeMap;

use domain::PlayerId;
use serde::{Deserialize, Serialize};

use crate::Terms;

/// More than a house can serve at once; it bounds the memory that wishes nobody shares can take.
pub const WISHES_MAX: usize = 10_000;

/// At this distance the weaker one still wins about every fourth match.
const WINDOW_START: f64 = 200.0;
const WINDOW_STEP: f64 = 100.0;
const WINDOW_STEP_MS: u64 = 10_000;
/// After a minute any opponent is better than none.
const WINDOW_OPENS_MS: u64 = 60_000;
/// Whoever is still there has asked again by then; nobody is to play against somebody who left.
pub const WISH_LASTS_MS: u64 = 120_000;

/// Somebody's wish to be paired. As JSON it is the body of its row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wish {
    /// Who.
    pub player: PlayerId,
    /// What the others will read.
    pub name: String,
    /// What is to be played.
    pub terms: Terms,
    /// How strong the player is at it.
    pub rating: f64,
    /// Since when.
    pub since_ms: u64,
    /// When it was said last.
    #[serde(default)]
    pub asked_ms: u64,
}

impl Wish {
    /// Does it still hold, or has its player gone away?
    pub fn holds(&self, now_ms: u64) -> bool {
        now_ms.saturating_sub(self.asked_ms) < WISH_LASTS_MS
    }
}

/// There are [`WISHES_MAX`] wishes already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many players are waiting")]
pub struct QueueFull;

/// The key of those who can be paired: the same game, options, seats and clock.
pub fn pool(terms: &Terms) -> String {
    // A clock always has a JSON; it has no blanks, and neither has a game's key.
    let clock = serde_json::to_string(&terms.clock()).unwrap_or_default();
    format!("{} {} {clock} {}", terms.game(), terms.seats(), terms.options())
}

/// All wishes that wait, one a player.
#[derive(Clone, Debug, Default)]
pub struct PairingQueue {
    /// In each pool the longest waiting first; of those who came together, the older player. No
    /// pool is empty.
    pools: BTreeMap<String, Vec<Wish>>,
}

impl PairingQueue {
    /// Adds a wish in place of the player's other one. Who wants the same again keeps the place.
    pub fn add(&mut self, mut wish: Wish) -> Result<(), QueueFull> {
        let earlier = self.remove(wish.player);
        if self.len() >= WISHES_MAX {
            return Err(QueueFull);
        }
        let key = pool(&wish.terms);
        if let Some(earlier) = earlier.filter(|earlier| pool(&earlier.terms) == key) {
            wish.since_ms = wish.since_ms.min(earlier.since_ms);
        }
        let waiting = self.pools.entry(key).or_default();
        let place = waiting.partition_point(|other| order(other) < order(&wish));
        waiting.insert(place, wish);
        Ok(())
    }

    /// Takes a player's wish back.
    pub fn remove(&mut self, player: PlayerId) -> Option<Wish> {
        let mut waiting = self.pools.values_mut();
        let found = waiting.find_map(|waiting| {
            let place = waiting.iter().position(|wish| wish.player == player)?;
            Some(waiting.remove(place))
        });
        self.pools.retain(|_, waiting| !waiting.is_empty());
        found
    }

    /// Takes out a group that can play, in the order of their seats, which `chance` decides. To be
    /// asked again until there is none, whenever somebody came and now and then as time goes by.
    pub fn pair(&mut self, now_ms: u64, chance: u64) -> Option<Vec<Wish>> {
        let mut pools = self.pools.values_mut();
        let mut group = pools.find_map(|waiting| {
            let places = find_group(waiting, now_ms)?;
            let taken = places.into_iter().rev().map(|place| waiting.remove(place));
            Some(taken.collect::<Vec<Wish>>())
        })?;
        self.pools.retain(|_, waiting| !waiting.is_empty());
        shuffle(&mut group, chance);
        Some(group)
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.pools.values().map(Vec::len).sum()
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.pools.is_empty()
    }
}

fn order(wish: &Wish) -> (u64, PlayerId) {
    (wish.since_ms, wish.player)
}

/// The places, ascending, of the first group of one pool.
///
/// Its longest waiting alone judges a group, so nobody is looked for among those before.
fn find_group(waiting: &[Wish], now_ms: u64) -> Option<Vec<usize>> {
    waiting.iter().enumerate().find_map(|(first, longest)| {
        let others = (first + 1..waiting.len())
            .filter(|other| accepts(longest, &waiting[*other], now_ms))
            .take(usize::from(longest.terms.seats()).saturating_sub(1));
        let group: Vec<usize> = std::iter::once(first).chain(others).collect();
        (group.len() == usize::from(longest.terms.seats())).then_some(group)
    })
}

fn accepts(longest: &Wish, other: &Wish, now_ms: u64) -> bool {
    // Another server's time may be a little ahead.
    let waited_ms = now_ms.saturating_sub(longest.since_ms);
    window(waited_ms).is_none_or(|window| (longest.rating - other.rating).abs() <= window)
}

/// How far ratings may lie apart after this wait; `None` if that no longer matters.
fn window(waited_ms: u64) -> Option<f64> {
    let steps = u8::try_from(waited_ms / WINDOW_STEP_MS).ok()?;
    (waited_ms < WINDOW_OPENS_MS).then(|| WINDOW_START + WINDOW_STEP * f64::from(steps))
}

/// Every order is equally likely if every number is: 20 seats have fewer orders than there are
/// numbers.
fn shuffle<T>(seats: &mut [T], mut chance: u64) {
    for last in (1..seats.len()).rev() {
        let choices = last as u64 + 1;
        #[expect(clippy::cast_possible_truncation, reason = "it is at most `last`")]
        let chosen = (chance % choices) as usize;
        chance /= choices;
        seats.swap(last, chosen);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use domain::PlayerId;
    use game_api::Erased;

    use super::{PairingQueue, QueueFull, WISHES_MAX, Wish, order, pool, shuffle, window};
    use crate::Terms;

    fn terms(json: &str) -> Terms {
        let terms = serde_json::from_str(json).unwrap();
        Terms::parse(terms, &Erased::new(template::Template)).unwrap()
    }

    fn of_seats(seats: u8) -> Terms {
        terms(&format!(r#"{{"game": "template", "seats": {seats}}}"#))
    }

    fn wish(number: i64, terms: &Terms, rating: f64, since_ms: u64) -> Wish {
        let player = PlayerId::from_number(number).unwrap();
        let (name, terms) = (format!("p{number}"), terms.clone());
        Wish { player, name, terms, rating, since_ms, asked_ms: since_ms }
    }

    fn queue(wishes: &[Wish]) -> PairingQueue {
        let mut queue = PairingQueue::default();
        for wish in wishes {
            queue.add(wish.clone()).unwrap();
        }
        queue
    }

    fn numbers(group: &[Wish]) -> BTreeSet<i64> {
        group.iter().map(|wish| wish.player.number()).collect()
    }

    /// Players 0, 1, … with a rating and since when; the groups that come out, one after the other.
    #[track_caller]
    fn check(seats: u8, waiting: &[(f64, u64)], now_ms: u64, expected: &[&[i64]]) {
        let terms = of_seats(seats);
        let wishes: Vec<Wish> = (0..)
            .zip(waiting)
            .map(|(number, (rating, since_ms))| wish(number, &terms, *rating, *since_ms))
            .collect();
        let mut queue = queue(&wishes);
        for group in expected {
            let found = queue.pair(now_ms, 0).map(|group| numbers(&group));
            assert_eq!(found, Some(group.iter().copied().collect()));
        }
        assert_eq!(queue.pair(now_ms, 0), None);
    }

    #[test]
    fn the_longest_waiting_go_first() {
        check(2, &[(1500.0, 30), (1500.0, 20), (1500.0, 10)], 40, &[&[2, 1]]);
        check(2, &[(1500.0, 5), (1500.0, 5), (1500.0, 5), (1500.0, 5)], 5, &[&[0, 1], &[2, 3]]);
        check(3, &[(1500.0, 4), (1500.0, 3), (1500.0, 2), (1500.0, 1)], 5, &[&[3, 2, 1]]);
        check(4, &[(1500.0, 4), (1500.0, 3), (1500.0, 2)], 5, &[]);
    }

    #[test]
    fn the_window_widens_with_the_wait() {
        let windows = [0, 9_999, 10_000, 59_999, 60_000, u64::MAX].map(window);
        let expected = [Some(200.0), Some(200.0), Some(300.0), Some(700.0), None, None];
        assert_eq!(windows, expected);
        check(2, &[(1500.0, 0), (1700.0, 0)], 0, &[&[0, 1]]);
        check(2, &[(1500.0, 0), (1701.0, 0)], 9_999, &[]);
        check(2, &[(1500.0, 0), (1701.0, 9_000)], 10_000, &[&[0, 1]]);
        check(2, &[(100.0, 0), (4000.0, 59_999)], 59_999, &[]);
        check(2, &[(100.0, 0), (4000.0, 60_000)], 60_000, &[&[0, 1]]);
        check(2, &[(1500.0, 9), (1500.0, 9)], 0, &[&[0, 1]]);
    }

    #[test]
    fn who_finds_nobody_does_not_hold_up_the_others() {
        check(2, &[(3000.0, 0), (1500.0, 1), (1510.0, 2)], 3, &[&[1, 2]]);
        check(3, &[(3000.0, 0), (1500.0, 1), (1510.0, 2), (1520.0, 3)], 3, &[&[1, 2, 3]]);
    }

    #[test]
    fn only_who_wants_the_same_is_paired() {
        let usual = of_seats(2);
        for other in [
            r#"{"game": "template", "seats": 3}"#,
            r#"{"game": "template", "preset": "short"}"#,
            r#"{"game": "template", "clock": {"mode": "days", "days": 1}}"#,
        ] {
            let mut queue = queue(&[wish(0, &usual, 1500.0, 0), wish(1, &terms(other), 1500.0, 0)]);
            assert_eq!(queue.pair(u64::MAX, 0), None, "{other}");
        }
        let spelled_out = terms(r#"{"game": "template", "options": {"hand": 3}}"#);
        assert_eq!(pool(&usual), pool(&spelled_out));
    }

    #[test]
    fn a_wish_holds_for_two_minutes_after_it_was_said() {
        let wish = wish(0, &of_seats(2), 1500.0, 1000);
        assert!(wish.holds(0) && wish.holds(1000) && wish.holds(120_999));
        assert!(!wish.holds(121_000));
    }

    #[test]
    fn a_player_has_one_wish_and_keeps_the_place_by_asking_again() {
        let (two, three) = (of_seats(2), of_seats(3));
        let mut queue = queue(&[wish(0, &two, 1500.0, 10), wish(0, &two, 1600.0, 20)]);
        assert_eq!((queue.len(), queue.pair(u64::MAX, 0)), (1, None));
        let player = PlayerId::from_number(0).unwrap();
        let kept = Wish { asked_ms: 20, ..wish(0, &two, 1600.0, 10) };
        assert_eq!(queue.remove(player), Some(kept));
        queue.add(wish(0, &two, 1500.0, 10)).unwrap();
        queue.add(wish(0, &three, 1500.0, 20)).unwrap();
        assert_eq!(queue.remove(player), Some(wish(0, &three, 1500.0, 20)));
        assert_eq!((queue.remove(player), queue.is_empty()), (None, true));
    }

    #[test]
    fn a_full_queue_refuses() {
        let terms = of_seats(2);
        let mut queue = PairingQueue::default();
        for number in 0..i64::try_from(WISHES_MAX).unwrap() {
            let wish = wish(number, &terms, 1500.0, number.cast_unsigned());
            queue.pools.entry(pool(&terms)).or_default().push(wish);
        }
        assert_eq!(queue.add(wish(i64::MAX, &terms, 1500.0, 0)), Err(QueueFull));
        assert_eq!(queue.add(wish(3, &terms, 1500.0, 0)), Ok(()), "in place of the same player's");
    }

    #[test]
    fn every_order_of_seats_comes_up_equally_often() {
        let mut counts = std::collections::BTreeMap::new();
        for chance in 0..24 * 5 {
            let mut seats = [0, 1, 2, 3];
            shuffle(&mut seats, chance);
            *counts.entry(seats).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 24);
        assert!(counts.values().all(|count| *count == 5), "{counts:?}");
    }

    #[test]
    fn a_wish_survives_its_row() {
        let wish = wish(1, &of_seats(2), 1512.345, 7);
        let body = serde_json::to_string(&wish).unwrap();
        assert_eq!(serde_json::from_str::<Wish>(&body).unwrap(), wish);
    }

    /// All groups there are, tried in the order of waiting, as the header of this file says it.
    fn naive_group(waiting: &[Wish], seats: u8, now_ms: u64) -> Option<BTreeSet<i64>> {
        fn choose(from: &[Wish], count: usize) -> Vec<Vec<Wish>> {
            if count == 0 {
                return vec![Vec::new()];
            }
            let mut groups = Vec::new();
            for (place, first) in from.iter().enumerate() {
                for mut rest in choose(&from[place + 1..], count - 1) {
                    rest.insert(0, first.clone());
                    groups.push(rest);
                }
            }
            groups
        }
        let is_group = |group: &&Vec<Wish>| {
            let waited_s = (now_ms - group[0].since_ms) / 1000;
            group.iter().all(|other| {
                let distance = (other.rating - group[0].rating).abs();
                let steps = (0..waited_s / 10).map(|_| 100.0).sum::<f64>();
                waited_s >= 60 || distance <= 200.0 + steps
            })
        };
        let mut waiting = waiting.to_vec();
        waiting.sort_by_key(order);
        let groups = choose(&waiting, usize::from(seats));
        groups.iter().find(is_group).map(|group| numbers(group))
    }

    #[test]
    fn the_queue_pairs_as_trying_all_groups_does_and_leaves_nobody_who_could_play() {
        for seed in 0..400 {
            let mut chooser = fastrand::Rng::with_seed(seed);
            let seats = chooser.u8(2..=4);
            let terms = of_seats(seats);
            let mut now_ms = 100_000;
            let mut waiting: Vec<Wish> = (0..chooser.i64(0..12))
                .map(|number| {
                    let rating = f64::from(chooser.u32(1000..3000));
                    wish(number, &terms, rating, now_ms - chooser.u64(0..40_000))
                })
                .collect();
            chooser.shuffle(&mut waiting);
            let mut queue = queue(&waiting);
            for _ in 0..5 {
                loop {
                    let expected = naive_group(&waiting, seats, now_ms);
                    let found = queue.pair(now_ms, chooser.u64(..)).map(|group| numbers(&group));
                    assert_eq!(found, expected, "seed {seed}");
                    let Some(gone) = found else { break };
                    waiting.retain(|wish| !gone.contains(&wish.player.number()));
                }
                assert_eq!(queue.len(), waiting.len(), "seed {seed}");
                now_ms += 15_000;
            }
            assert!(waiting.len() < usize::from(seats), "seed {seed}: all have waited a minute");
        }
    }
}
