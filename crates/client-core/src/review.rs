//! A match looked at again with a bot: how it stood, move by move, and which moves turned it.
//!
//! Two standings in a row are those of two seats, each by its own hand, so that more than the move lies
//! between them. A move is blamed only if there was another, if the bot prefers that one, and if with
//! the same hands that one would have kept more.

use game_api::Seat;

use crate::rules::{Advice, Judgement};

/// Who loses so much of a standing by a move has turned the match.
const TURN_MIN: i32 = 20;
/// More than these nobody wants to read.
const TURNS_MAX: usize = 6;

/// A move after which its player stood worse than it had to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// So many entries came before it.
    pub ply: u32,
    /// How much of a standing it cost.
    pub loss: i32,
    /// What the bot prefers, as it would be written down.
    pub instead: String,
}

/// What was found at a moment.
#[derive(Clone, Debug)]
struct Moment {
    ply: u32,
    judgement: Judgement,
    /// How whoever was to act would have stood after the preferred action, if that was tried.
    kept: Option<i32>,
}

#[derive(Clone, Copy, Debug)]
enum Progress {
    Looking,
    Done,
    BrokenOff,
}

/// A match, as far as it was looked at.
#[derive(Clone, Debug)]
pub struct Review {
    plies: u32,
    seats: usize,
    moments: Vec<Moment>,
    progress: Progress,
}

impl Review {
    /// Nothing was looked at yet.
    pub fn new(plies: u32, seats: usize) -> Review {
        Review { plies, seats, moments: Vec::new(), progress: Progress::Looking }
    }

    /// How many entries the match has.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Takes what was found at a moment; they come in order.
    pub fn note(&mut self, ply: u32, judgement: Judgement) {
        self.moments.push(Moment { ply, judgement, kept: None });
    }

    /// Where the last move seems to have turned the match: the ply, and the action that is to be tried
    /// there instead.
    pub fn doubt(&self) -> Option<(u32, String)> {
        let [.., moment, after] = &self.moments[..] else { return None };
        self.loss(moment, after).filter(|loss| *loss >= TURN_MIN)?;
        Some((moment.ply, moment.judgement.advice.action.clone()))
    }

    /// Takes what was found after the action that was tried.
    pub fn settle(&mut self, tried: &Advice) {
        if let [.., moment, _] = &mut self.moments[..] {
            moment.kept = standing(tried, moment.judgement.advice.seat, self.seats);
        }
    }

    /// All was looked at.
    pub fn finish(&mut self) {
        self.progress = Progress::Done;
    }

    /// The bot has failed; what was found stays.
    pub fn break_off(&mut self) {
        self.progress = Progress::BrokenOff;
    }

    /// How a seat stood, ply by ply, where that is known.
    pub fn line(&self, seat: Seat) -> Vec<(u32, i32)> {
        let stood = |it: &Moment| Some((it.ply, standing(&it.judgement.advice, seat, self.seats)?));
        self.moments.iter().filter_map(stood).collect()
    }

    /// The moves that cost most, in order.
    pub fn turns(&self) -> Vec<Turn> {
        let turn = |pair: &[Moment]| {
            let [moment, after] = pair else { return None };
            let loss = self.loss(moment, after).filter(|loss| *loss >= TURN_MIN)?;
            let instead = moment.judgement.advice.notation.clone();
            Some(Turn { ply: moment.ply, loss, instead })
        };
        let mut turns: Vec<Turn> = self.moments.windows(2).filter_map(turn).collect();
        turns.sort_by_key(|turn| -turn.loss);
        turns.truncate(TURNS_MAX);
        turns.sort_by_key(|turn| turn.ply);
        turns
    }

    /// How far it is, and what stands below.
    pub fn sentence(&self) -> String {
        let (seen, plies) = (self.moments.len(), self.plies);
        match (self.progress, self.turns().is_empty()) {
            (Progress::Looking, _) => format!("Looking: {seen} of {plies}…"),
            _ if seen == 0 && plies > 0 => "The bot could not be started.".to_owned(),
            (Progress::BrokenOff, true) => {
                format!(
                    "The bot failed after {seen} of {plies}; until then no single move turned it."
                )
            }
            (Progress::BrokenOff, false) => {
                format!("The bot failed after {seen} of {plies}. Until then it turned here:")
            }
            (Progress::Done, true) => "No single move turned it.".to_owned(),
            (Progress::Done, false) => "Where it turned:".to_owned(),
        }
    }

    /// What a move cost: nothing that could have been kept is none of its doing.
    fn loss(&self, moment: &Moment, after: &Moment) -> Option<i32> {
        let Judgement { advice, played, is_forced } = &moment.judgement;
        let is_other = played.as_ref().is_some_and(|played| *played != advice.action);
        if *is_forced || !is_other || after.ply != moment.ply + 1 {
            return None;
        }
        let had = moment.kept.map_or(advice.standing, |kept| kept.min(advice.standing));
        Some(had - standing(&after.judgement.advice, advice.seat, self.seats)?)
    }
}

/// How a seat stood, by what was found; with more than two seats nothing is known while others act.
fn standing(advice: &Advice, seat: Seat, seats: usize) -> Option<i32> {
    if advice.seat == seat {
        return Some(advice.standing);
    }
    (seats == 2).then_some(-advice.standing)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who was to act, and how it stood; what it did, and whether it had to. The bot prefers `best`.
    type Told = (u8, i32, Option<&'static str>, bool);

    fn advice(seat: u8, standing: i32) -> Advice {
        let seat = Seat::new(seat).unwrap();
        Advice { seat, action: "best".to_owned(), notation: "Best".to_owned(), standing }
    }

    fn judgement((seat, standing, played, is_forced): Told) -> Judgement {
        let played = played.map(str::to_owned);
        Judgement { advice: advice(seat, standing), played, is_forced }
    }

    fn reviewed(seats: usize, told: &[Told]) -> Review {
        let mut review = Review::new(u32::try_from(told.len()).unwrap(), seats);
        for (ply, told) in (0..).zip(told) {
            review.note(ply, judgement(*told));
        }
        review
    }

    fn turned(review: &Review) -> Vec<(u32, i32)> {
        review.turns().iter().map(|turn| (turn.ply, turn.loss)).collect()
    }

    const BEST: Option<&str> = Some("best");
    const OTHER: Option<&str> = Some("other");

    #[test]
    fn a_move_is_blamed_if_it_lost_much_and_another_was_preferred() {
        for (what, seats, told, expected) in [
            ("a blunder", 2, &[(0, 10, OTHER, false), (1, 60, None, false)][..], &[(0, 70)][..]),
            ("a small slip", 2, &[(0, 10, OTHER, false), (1, 9, None, false)], &[]),
            ("the preferred move", 2, &[(0, 10, BEST, false), (1, 60, None, false)], &[]),
            ("the only move", 2, &[(0, 10, OTHER, true), (1, 60, None, false)], &[]),
            ("no move at all", 2, &[(0, 10, None, false), (1, 60, None, false)], &[]),
            ("the same seat again", 2, &[(0, 10, OTHER, false), (0, -30, None, false)], &[(0, 40)]),
            ("one of three", 3, &[(0, 10, OTHER, false), (1, 60, None, false)], &[]),
            ("one of three, again", 3, &[(2, 10, OTHER, false), (2, -30, None, false)], &[(0, 40)]),
            (
                "a blunder for a blunder",
                2,
                &[(0, 0, OTHER, false), (1, 50, OTHER, false), (0, 20, None, false)],
                &[(0, 50), (1, 70)],
            ),
        ] {
            assert_eq!(turned(&reviewed(seats, told)), expected, "{what}");
        }
    }

    /// The other's hand was the better one all along: no move could have kept what was never there.
    #[test]
    fn a_move_is_not_blamed_for_what_the_preferred_one_would_have_lost_too() {
        let told = [(0, 40, OTHER, false), (1, 30, None, false)];
        for (what, tried, expected) in [
            ("all of it", advice(1, 30), &[][..]),
            ("nearly all", advice(1, 15), &[]),
            ("some of it", advice(1, 5), &[(0, 25)]),
            ("nothing", advice(1, -40), &[(0, 70)]),
            ("less than nothing", advice(1, -90), &[(0, 70)]),
            ("nothing, and one goes on", advice(0, 40), &[(0, 70)]),
        ] {
            let mut review = reviewed(2, &told);
            assert_eq!(review.doubt(), Some((0, "best".to_owned())), "{what}");
            review.settle(&tried);
            assert_eq!(turned(&review), expected, "{what}");
        }
        let calm = reviewed(2, &[(0, 40, BEST, false), (1, 30, None, false)]);
        assert_eq!((calm.doubt(), reviewed(2, &told[..1]).doubt()), (None, None));
    }

    #[test]
    fn what_was_not_looked_at_is_not_charged_to_the_move_before() {
        let mut review = Review::new(3, 2);
        review.note(0, judgement((0, 90, OTHER, false)));
        review.note(2, judgement((0, -90, OTHER, false)));
        assert_eq!(turned(&review), []);
    }

    #[test]
    fn the_worst_moves_are_told_in_order() {
        let fall = |loss: i32| [(0, 0, OTHER, false), (0, -loss, BEST, false)];
        let told: Vec<Told> = [30, 80, 21, 40, 50, 60, 70].into_iter().flat_map(fall).collect();
        let expected = [(0, 30), (2, 80), (6, 40), (8, 50), (10, 60), (12, 70)];
        assert_eq!(turned(&reviewed(2, &told)), expected);
    }

    #[test]
    fn a_review_says_how_far_it_came_and_what_it_found() {
        let (quiet, loud) = ((0, 0, BEST, false), (1, 0, OTHER, false));
        let go_on: fn(&mut Review) = |_| {};
        let finish: fn(&mut Review) = Review::finish;
        let break_off: fn(&mut Review) = Review::break_off;
        for (told, end, expected) in [
            (&[quiet][..], go_on, "Looking: 1 of 9…"),
            (&[], go_on, "Looking: 0 of 9…"),
            (&[], finish, "The bot could not be started."),
            (&[], break_off, "The bot could not be started."),
            (&[quiet, loud], finish, "No single move turned it."),
            (
                &[quiet, loud],
                break_off,
                "The bot failed after 2 of 9; until then no single move turned it.",
            ),
            (&[loud, (0, 50, BEST, false)], finish, "Where it turned:"),
            (
                &[loud, (0, 50, BEST, false)],
                break_off,
                "The bot failed after 2 of 9. Until then it turned here:",
            ),
        ] {
            let mut review = Review { plies: 9, ..reviewed(2, told) };
            end(&mut review);
            assert_eq!(review.sentence(), expected);
        }
        let mut empty = Review::new(0, 2);
        empty.finish();
        assert_eq!(empty.sentence(), "No single move turned it.");
    }

    #[test]
    fn a_line_is_one_seats_side_of_it() {
        let told = [(0, 10, BEST, false), (1, 20, BEST, false)];
        let second = Seat::new(1).unwrap();
        assert_eq!(reviewed(2, &told).line(Seat::FIRST), [(0, 10), (1, -20)]);
        assert_eq!(reviewed(2, &told).line(second), [(0, -10), (1, 20)]);
        assert_eq!(reviewed(3, &told).line(second), [(1, 20)]);
    }
}
