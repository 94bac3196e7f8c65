//! Two bots against each other: every match twice, with seats swapped and chance the same.

use game_api::{AnyGame, AnyMatch, Refused, Seed, Seen, Telling, Viewer};

use crate::{AnyBot, Budget, Level};

/// One of the two.
#[derive(Clone, Copy)]
pub struct Duellist<'a> {
    /// Who plays.
    pub bot: &'a dyn AnyBot,
    /// How well.
    pub level: Level,
    /// With so many nodes for each action.
    pub nodes: u64,
}

/// What is played.
pub struct Duel<'a> {
    /// Which game, for two.
    pub game: &'a dyn AnyGame,
    /// Its options, as JSON.
    pub options: &'a str,
    /// So many actions are drawn by lot before the duellists begin, so that no two pairs of matches
    /// are the same.
    pub opening: u32,
    /// If time is to be bounded too: begins to count, and says when it is up.
    pub clock: Option<&'a StartClock>,
}

/// Starts a clock for one decision.
pub type StartClock = dyn Fn() -> Box<dyn Fn() -> bool> + Sync;

/// How two matches with seats swapped ended.
pub struct PairEnd {
    /// The half points of the first duellist, from 0 to 4.
    pub half_points: usize,
    /// What all saw at the end, as JSON: of the match in which the first duellist sat in seat 0, and
    /// of the other.
    pub views: [Vec<u8>; 2],
}

impl Duel<'_> {
    /// Plays both matches of a pair.
    pub fn play_pair(&self, duellists: [Duellist<'_>; 2], number: u64) -> Result<PairEnd, Refused> {
        let [first, second] = duellists;
        let (there, there_view) = self.play([first, second], number)?;
        let (back, back_view) = self.play([second, first], number)?;
        Ok(PairEnd { half_points: there + 2 - back, views: [there_view, back_view] })
    }

    /// The half points of seat 0, from 0 to 2, and the last view.
    fn play(&self, duellists: [Duellist<'_>; 2], number: u64) -> Result<(usize, Vec<u8>), Refused> {
        let mut contest = self.open(number)?;
        let options = contest.options();
        while let Some(seat) = contest.to_act().iter().next() {
            let view = String::from_utf8(contest.view(Viewer::Seat(seat))?).unwrap_or_default();
            let seen = Seen { options: &options, seats: 2, seat, view: &view };
            let Duellist { bot, level, nodes } = duellists[seat.index()];
            // One seed a decision; both duellists have the same chances in the same place.
            let chance = Seed::from_number(number << 32 | u64::from(contest.ply()) << 1);
            let is_time_up = self.clock.map(|start| start());
            let budget = is_time_up.as_deref().map_or(Budget::of_nodes(nodes), Budget::until);
            let advice = bot.choose(&seen, level, &budget.capped(nodes), &chance)?;
            contest.act(seat, &advice.action, &mut Telling::default())?;
        }
        let places = contest.outcome().map(|outcome| outcome.places).unwrap_or_default();
        let half_points = match places[..] {
            [1, 2] => 2,
            [2, 1] => 0,
            _ => 1,
        };
        Ok((half_points, contest.view(Viewer::Spectator)?))
    }

    fn open(&self, number: u64) -> Result<Box<dyn AnyMatch>, Refused> {
        let mut dice = fastrand::Rng::with_seed(number);
        let mut contest = self.game.start(self.options, 2, Seed::from_number(number))?;
        for _ in 0..self.opening {
            let Some(seat) = contest.to_act().iter().next() else { break };
            let actions = contest.legal(seat)?.actions;
            let Some(action) = dice.choice(&actions) else { break };
            contest.act(seat, action, &mut Telling::default())?;
        }
        Ok(contest)
    }
}

/// How often the first duellist had 0 to 4 half points in a pair of matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally(pub [u32; 5]);

impl Tally {
    /// Pairs of matches.
    pub fn pairs(&self) -> u32 {
        self.0.iter().sum()
    }

    /// The first duellist's share of all points.
    pub fn share(&self) -> f64 {
        self.mean(f64::from)
    }

    /// How far from the true share it may well be: the half of a 95 % interval, pairs being
    /// independent of each other and the two matches of a pair not.
    pub fn error(&self) -> f64 {
        let share = self.share();
        let variance = self.mean(|points| 4.0 * (f64::from(points) / 4.0 - share).powi(2));
        1.96 * (variance / f64::from(self.pairs().max(2) - 1)).sqrt()
    }

    fn mean(&self, of: impl Fn(u32) -> f64) -> f64 {
        let sum: f64 = (0..).zip(self.0).map(|(points, count)| of(points) * f64::from(count)).sum();
        sum / f64::from(4 * self.pairs().max(1))
    }
}

/// The difference in Elo points that a share of the points stands for.
pub fn elo(share: f64) -> f64 {
    let share = share.clamp(0.001, 0.999);
    -400.0 * (1.0 / share - 1.0).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_has_a_share_and_an_error() {
        let even = Tally([10, 0, 80, 0, 10]);
        assert!((even.share() - 0.5).abs() < 1e-9);
        // Four fifths of the pairs are even: the variance of a pair's share is 0.05.
        assert!((even.error() - 1.96 * (0.05_f64 / 99.0).sqrt()).abs() < 1e-9);
        assert!((Tally([0, 0, 0, 0, 3]).share() - 1.0).abs() < 1e-9);
        assert!((elo(0.5)).abs() < 1e-9 && (elo(0.64) - 100.0).abs() < 1.0);
    }
}
