//! Seats that bots play: what they are asked, and what comes of their answers.
//!
//! The room knows no bot. It asks with what the seat may see, and takes the answer whenever it
//! comes, if the decision is still the same. Bots grant what they are asked for, but a draw only
//! if the match is worth no more to them; nothing of what a bot thought is stored.

use domain::SeatHolder;
use game_api::{Forfeit, MAX_SEATS, Seat, SeatSet, Viewer};
use protocol::ws::{OfferKind, OfferState};

use super::offers::Answered;
use super::{BotChoice, Effect, Question, Room, SeatOwner};

/// What a room knows of its bots.
#[derive(Default)]
pub(super) struct Bots {
    /// The ply at which each was asked last, unless it has answered.
    asked: [Option<u32>; MAX_SEATS as usize],
    /// What the match was worth to each when it decided last.
    values: [Option<i32>; MAX_SEATS as usize],
}

impl Bots {
    /// None if there is none.
    pub(super) fn of(seats: &[SeatOwner]) -> Option<Box<Bots>> {
        let is_any = seats.iter().any(|seat| matches!(seat.holder, SeatHolder::Bot(_)));
        is_any.then(Box::default)
    }
}

impl Room {
    /// Whether a bot sits here.
    pub fn is_bot(&self, seat: Seat) -> bool {
        let seat = self.seats.get(seat.index());
        seat.is_some_and(|seat| matches!(seat.holder, SeatHolder::Bot(_)))
    }

    /// Asks the bots that are to act, each once for a decision.
    pub(super) fn ask_bots(&mut self, effects: &mut Vec<Effect>) {
        let Some(bots) = self.bots.as_mut().filter(|_| !self.is_paused) else {
            return;
        };
        let person = |seat: &SeatOwner| match seat.holder {
            SeatHolder::Player(player) => Some(player),
            _ => None,
        };
        for seat in self.contest.to_act().iter() {
            let SeatHolder::Bot(bot) = &self.seats[seat.index()].holder else {
                continue;
            };
            let (asked, ply) = (&mut bots.asked[seat.index()], self.contest.ply());
            if asked.is_some_and(|asked| asked >= self.opened[seat.index()]) {
                continue;
            }
            *asked = Some(ply);
            let face = self.clock.face(self.now_ms);
            let left_ms = self.clock.remaining_ms(seat, self.now_ms);
            effects.push(Effect::AskBot(Box::new(Question {
                seat,
                bot: bot.clone(),
                ply,
                game: self.contest.meta().id,
                options: self.contest.options(),
                seats: self.contest.seats(),
                view: self.contest.view(Viewer::Seat(seat)).unwrap_or_default(),
                left_ms: face.window_ms.or(left_ms),
                people: self.seats.iter().filter_map(person).collect(),
            })));
        }
    }

    /// A bot has decided, or failed to.
    pub(super) fn bot_chose(
        &mut self,
        seat: Seat,
        ply: u32,
        choice: Option<BotChoice>,
        is_expired: bool,
        effects: &mut Vec<Effect>,
    ) {
        if !self.is_bot(seat) {
            return;
        }
        let is_open = self.contest.to_act().contains(seat)
            && (self.opened[seat.index()]..=self.ply()).contains(&ply);
        let Some(bots) = self.bots.as_mut() else {
            return;
        };
        bots.asked[seat.index()].take_if(|asked| *asked == ply);
        if is_expired || self.is_paused || !is_open {
            return;
        }
        let answered = match &choice {
            Some(choice) => {
                bots.values[seat.index()] = Some(choice.value);
                self.answer_draw(seat, choice.value)
            }
            None => None,
        };
        match answered {
            Some(answered) if answered.state == OfferState::Accepted => {
                // If the game takes no draw just now, the bot is asked again.
                self.settle(OfferKind::Draw, answered, effects).ok();
                return;
            }
            _ => {}
        }
        self.act_for_bot(seat, ply, choice, effects);
        // After the entry: nobody is told anything before it is stored.
        if let Some(Answered { seat, state }) = answered {
            self.tell_offer(OfferKind::Draw, seat, state, effects);
        }
    }

    fn act_for_bot(
        &mut self,
        seat: Seat,
        ply: u32,
        choice: Option<BotChoice>,
        effects: &mut Vec<Effect>,
    ) {
        if let Some(choice) = choice {
            let Err(refused) = self.perform(seat, choice.action, None, effects) else {
                return;
            };
            *self.refusals.entry(refused.code).or_default() += 1;
            // Others have acted since it was asked: it is asked again.
            if ply < self.ply() {
                return;
            }
        }
        // It failed, or broke the rules: any action that they allow is better than none.
        let mut actions = self.contest.legal(seat).map(|it| it.actions).unwrap_or_default();
        let any = usize::try_from(self.now_ms).unwrap_or(0).checked_rem(actions.len());
        let done = any.map(|any| self.perform(seat, actions.swap_remove(any), None, effects));
        if !matches!(done, Some(Ok(()))) {
            self.forfeit(seat, Forfeit::Resigned, effects).ok();
        }
    }

    /// The bots that are not about to decide answer an offer of a draw at once, if they know what the
    /// match is worth to them; the others with their next decision.
    pub(super) fn answer_for_bots(&mut self, kind: OfferKind, offered: Answered) -> Answered {
        let values = match &self.bots {
            Some(bots) if kind == OfferKind::Draw => bots.values,
            _ => return offered,
        };
        let mut answered = offered;
        for seat in Seat::all(self.contest.seats()) {
            let is_deciding = self.contest.to_act().contains(seat);
            if let Some(value) = values[seat.index()].filter(|_| !is_deciding) {
                answered = self.answer_draw(seat, value).unwrap_or(answered);
            }
        }
        answered
    }

    /// A bot takes a draw if the match is worth no more to it; nothing if nobody asks it.
    fn answer_draw(&mut self, seat: Seat, value: i32) -> Option<Answered> {
        if !self.offers.is_missing(OfferKind::Draw, seat) {
            return None;
        }
        let held = SeatSet::only(seat);
        self.offers.answer(OfferKind::Draw, held, value <= 0, self.contest.ply()).ok()
    }
}
