//! M14: what a profile says, made from what the server tells: a line a game, and how its matches went.

use protocol::{GameStatistics, MatchSummary, Rating};

/// How a match went for the one whose history it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// First alone.
    Won,
    /// First with another.
    Drawn,
    /// Any other place.
    Lost,
    /// It was called off, or nobody is known to have sat there.
    NoResult,
}

impl Ending {
    /// Of a match in a history.
    pub fn of(summary: &MatchSummary) -> Ending {
        let places = summary.seats.iter().map(|seat| seat.place);
        let own =
            summary.your_seat.and_then(|seat| places.clone().nth(usize::from(seat))).flatten();
        match own {
            None => Ending::NoResult,
            Some(1) if places.filter(|place| *place == Some(1)).count() > 1 => Ending::Drawn,
            Some(1) => Ending::Won,
            Some(_) => Ending::Lost,
        }
    }

    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Ending::Won => "won",
            Ending::Drawn => "drawn",
            Ending::Lost => "lost",
            Ending::NoResult => "no result",
        }
    }

    /// What it adds to the wins that are ahead of the losses.
    fn step(self) -> i32 {
        match self {
            Ending::Won => 1,
            Ending::Lost => -1,
            Ending::Drawn | Ending::NoResult => 0,
        }
    }
}

/// All that is counted of one game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// How often it was played, and how it went.
    pub counts: GameStatistics,
    /// A strength for each speed that was rated.
    pub ratings: Vec<Rating>,
}

/// A record for each game that was played or rated, the most played first.
pub fn records(statistics: &[GameStatistics], ratings: &[Rating]) -> Vec<GameRecord> {
    let mut records: Vec<GameRecord> = statistics
        .iter()
        .map(|counts| GameRecord { counts: counts.clone(), ratings: Vec::new() })
        .collect();
    for rating in ratings {
        let place = records.iter().position(|it| it.counts.game == rating.game);
        let place = place.unwrap_or_else(|| {
            let game = rating.game.clone();
            let counts = GameStatistics { game, played: 0, won: 0, drawn: 0, lost: 0 };
            records.push(GameRecord { counts, ratings: Vec::new() });
            records.len() - 1
        });
        records[place].ratings.push(rating.clone());
    }
    records.sort_by_key(|it| std::cmp::Reverse(it.counts.played));
    records
}

/// A match of one game, and how far the wins were ahead of the losses after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// When the match ended, in milliseconds since 1970.
    pub at_ms: u64,
    /// How it went.
    pub ending: Ending,
    /// Wins less losses, since the first match that is told.
    pub lead: i32,
}

/// The matches of one game that had a result, the earliest first; `history` has the latest first.
pub fn standings(history: &[MatchSummary], game: &str) -> Vec<Standing> {
    let told = history.iter().rev().filter(|summary| summary.game == game);
    let told = told.map(|summary| (summary.ended_at_ms, Ending::of(summary)));
    let mut lead = 0;
    told.filter(|(_, ending)| *ending != Ending::NoResult)
        .map(|(at_ms, ending)| {
            lead += ending.step();
            Standing { at_ms, ending, lead }
        })
        .collect()
}

/// How many of a hundred; nothing of nothing.
pub fn percent(part: u64, whole: u64) -> Option<u64> {
    (part * 100 + whole / 2).checked_div(whole)
}

#[cfg(test)]
mod tests {
    use domain::MatchId;
    use protocol::SeatSummary;

    use super::*;

    fn summary(game: &str, your_seat: Option<u8>, places: &[Option<u8>]) -> MatchSummary {
        let seat = |place: &Option<u8>| SeatSummary { name: None, bot: None, place: *place };
        MatchSummary {
            id: MatchId::from_number(1).unwrap(),
            game: game.to_owned(),
            started_at_ms: 0,
            ended_at_ms: 7,
            seats: places.iter().map(seat).collect(),
            reason: "resigned".to_owned(),
            your_seat,
        }
    }

    fn rating(game: &str, speed: &str) -> Rating {
        Rating { game: game.to_owned(), speed: speed.to_owned(), rating: 1500.0, deviation: 100.0 }
    }

    #[test]
    fn a_match_was_won_drawn_lost_or_called_off() {
        for (your_seat, places, expected) in [
            (Some(0), &[Some(1), Some(2)][..], Ending::Won),
            (Some(1), &[Some(1), Some(2)], Ending::Lost),
            (Some(1), &[Some(1), Some(1)], Ending::Drawn),
            (Some(2), &[Some(1), Some(2), Some(2)], Ending::Lost),
            (Some(0), &[None, None], Ending::NoResult),
            (Some(9), &[Some(1), Some(2)], Ending::NoResult),
            (None, &[Some(1), Some(2)], Ending::NoResult),
        ] {
            assert_eq!(Ending::of(&summary("chess", your_seat, places)), expected, "{places:?}");
        }
    }

    #[test]
    fn a_record_has_the_counts_and_the_ratings_of_its_game() {
        let counts = |game: &str, played| GameStatistics {
            game: game.to_owned(),
            played,
            won: played,
            drawn: 0,
            lost: 0,
        };
        let statistics = [counts("chess", 2), counts("santorini", 9)];
        let ratings = [rating("chess", "blitz"), rating("go", "slow"), rating("chess", "slow")];
        let found = records(&statistics, &ratings);
        let shown: Vec<_> =
            found.iter().map(|it| (&*it.counts.game, it.counts.played, it.ratings.len())).collect();
        assert_eq!(shown, [("santorini", 9, 0), ("chess", 2, 2), ("go", 0, 1)]);
    }

    #[test]
    fn a_lead_grows_with_wins_and_falls_with_losses_from_the_earliest_match_on() {
        let (won, lost, drawn) = ([Some(1), Some(2)], [Some(2), Some(1)], [Some(1), Some(1)]);
        let latest_first = [
            summary("chess", Some(0), &won),
            summary("go", Some(0), &won),
            summary("chess", Some(0), &drawn),
            summary("chess", Some(0), &[None, None]),
            summary("chess", Some(0), &lost),
        ];
        let leads: Vec<i32> = standings(&latest_first, "chess").iter().map(|it| it.lead).collect();
        assert_eq!(leads, [-1, -1, 0]);
    }

    #[test]
    fn shares_are_rounded_and_nothing_has_none() {
        assert_eq!([percent(1, 3), percent(2, 3), percent(5, 5)], [Some(33), Some(67), Some(100)]);
        assert_eq!(percent(0, 0), None);
    }
}
