//! A draw that is offered to bots on one screen. They answer as those in a room do: each takes it if
//! the match was worth no more to it when it decided last, and all must.

use game_api::{MAX_SEATS, Seat, SeatSet};

/// What bots were asked and have said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawOffer {
    /// How each stood when it decided last.
    standings: [Option<i32>; MAX_SEATS as usize],
    /// Who has not answered yet.
    asked: SeatSet,
    is_declined: bool,
}

impl DrawOffer {
    /// Offers it. The bots that are about to decide answer with that decision, and so do those that
    /// have made none yet. The answer is there as soon as one declines or all accept.
    pub fn make(&mut self, bots: SeatSet, to_act: SeatSet) -> Option<bool> {
        self.asked = bots;
        self.is_declined = false;
        let known = |seat: Seat| Some((seat, self.standings[seat.index()]?));
        let waiting = bots.iter().filter(|seat| !to_act.contains(*seat));
        let known: Vec<(Seat, i32)> = waiting.filter_map(known).collect();
        known
            .into_iter()
            .fold(None, |answer, (seat, standing)| answer.or(self.answer(seat, standing)))
    }

    /// A bot has decided; gives the answer to an offer, if this was what it waited for.
    pub fn decide(&mut self, seat: Seat, standing: i32) -> Option<bool> {
        self.standings[seat.index()] = Some(standing);
        self.asked.contains(seat).then(|| self.answer(seat, standing))?
    }

    /// Whoever offered has acted: what was said before is no news any more.
    pub fn go_on(&mut self) {
        self.is_declined = false;
    }

    /// Is an answer missing?
    pub fn is_open(&self) -> bool {
        !self.asked.is_empty()
    }

    /// How it stands, for whoever offered.
    pub fn sentence(&self) -> &'static str {
        match (self.is_open(), self.is_declined) {
            (true, _) => "You offered a draw. The bot answers with its next move.",
            (_, true) => "The bot declines: it plays on.",
            _ => "",
        }
    }

    fn answer(&mut self, seat: Seat, standing: i32) -> Option<bool> {
        self.asked = self.asked.without(seat);
        if standing > 0 {
            self.asked = SeatSet::EMPTY;
            self.is_declined = true;
            return Some(false);
        }
        self.asked.is_empty().then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One step of a match with a person at seat 0.
    enum Step {
        /// The person offers, while this seat is to act.
        Offer(u8),
        /// A bot decides, by this standing.
        Decide(u8, i32),
    }
    use Step::{Decide, Offer};

    fn seat(number: u8) -> Seat {
        Seat::new(number).unwrap()
    }

    /// The bots sit at all seats but the first; gives what comes of the last step too.
    fn after(seats: u8, steps: &[Step]) -> (DrawOffer, Option<bool>) {
        let bots = SeatSet::all(seats).without(Seat::FIRST);
        let step = |(mut offer, _): (DrawOffer, Option<bool>), step: &Step| {
            let answer = match step {
                Offer(to_act) => offer.make(bots, SeatSet::only(seat(*to_act))),
                Decide(bot, standing) => offer.decide(seat(*bot), *standing),
            };
            (offer, answer)
        };
        steps.iter().fold((DrawOffer::default(), None), step)
    }

    #[track_caller]
    fn check(seats: u8, steps: &[Step], expected: Option<bool>) {
        assert_eq!(after(seats, steps).1, expected);
    }

    #[test]
    fn a_bot_that_stands_no_better_takes_it() {
        for (standing, expected) in [(-30, true), (0, true), (1, false), (90, false)] {
            check(2, &[Decide(1, standing), Offer(0)], Some(expected));
            check(2, &[Offer(0), Decide(1, standing)], Some(expected));
        }
    }

    #[test]
    fn a_bot_that_is_about_to_decide_answers_by_that_decision() {
        check(2, &[Decide(1, -30), Offer(1)], None);
        check(2, &[Decide(1, -30), Offer(1), Decide(1, 30)], Some(false));
        check(2, &[Decide(1, 30), Offer(1), Decide(1, -30)], Some(true));
    }

    #[test]
    fn what_was_declined_can_be_offered_again() {
        check(2, &[Decide(1, 30), Offer(0), Decide(1, 0)], None);
        check(2, &[Decide(1, 30), Offer(0), Decide(1, 0), Offer(0)], Some(true));
    }

    #[test]
    fn of_several_bots_all_must_take_it() {
        check(3, &[Decide(1, 0), Offer(0)], None);
        check(3, &[Decide(1, 0), Offer(0), Decide(2, 0)], Some(true));
        check(3, &[Decide(1, 0), Offer(0), Decide(2, 9)], Some(false));
        check(3, &[Decide(1, 9), Offer(0)], Some(false));
    }

    #[test]
    fn whoever_offers_is_told_until_the_next_move() {
        let asked = "You offered a draw. The bot answers with its next move.";
        let declined = "The bot declines: it plays on.";
        for (steps, said, said_later) in [
            (&[Decide(1, 30)][..], "", ""),
            (&[Offer(0)], asked, asked),
            (&[Offer(0), Decide(1, 30)], declined, ""),
            (&[Decide(1, 30), Offer(0), Decide(1, 0)], declined, ""),
            (&[Decide(1, 30), Offer(0), Offer(1)], asked, asked),
        ] {
            let (mut offer, _) = after(2, steps);
            assert_eq!(offer.sentence(), said);
            offer.go_on();
            assert_eq!(offer.sentence(), said_later);
        }
    }
}
