//! The bots of a house: they decide by chance, soon or late, and now and then fail. A likeness of
//! `server::actors::thinkers`.

use domain::MatchId;
use game_api::Seat;
use play::room::{BotChoice, Input, Question};

use crate::agenda::Event;
use crate::ground::Ground;
use crate::house::{House, State};
use crate::violated;

const CALM_MS: u64 = 30_000;

impl House {
    pub(crate) fn ask_bot(&mut self, ground: &mut Ground, match_id: MatchId, asked: &Question) {
        ground.tally.bot_decisions += 1;
        let Question { seat, ply, .. } = *asked;
        let Some(State::Ready(room)) = self.slots.get(&match_id).map(|slot| &slot.state) else {
            violated("a room that asks is ready", match_id);
        };
        let legal = room.contest().legal(seat).map(|legal| legal.actions).unwrap_or_default();
        let value = ground.rng.i32(-5..5);
        let choice = match ground.rng.u32(0..100) {
            0..3 => None,
            3..6 => Some("no action of any game".to_owned()),
            _ => ground.rng.choice(legal),
        };
        let choice = choice.map(|action| BotChoice { action, value });
        let input = Input::BotChose { seat, ply, choice };
        // In the end they are slow, so that there are moments in which everybody can know all.
        let delay_ms = if ground.is_calm { CALM_MS } else { ground.delay_ms(300) };
        let (house, life) = (self.id, self.life);
        ground.after(delay_ms, Event::Decide { house, life, match_id, input });
    }

    /// A match in which a bot is to act and nobody waits for its decision.
    pub(crate) fn silent_bot(&self, ground: &Ground) -> Option<MatchId> {
        let is_awake = self.is_up && self.stalled_until_ms < ground.now_ms;
        let is_silent = |match_id: &MatchId| {
            let Some(State::Ready(room)) = self.slots.get(match_id).map(|slot| &slot.state) else {
                return false;
            };
            let to_act = room.contest().to_act();
            let is_decision = |event: &Event, seat: Seat| match event {
                Event::Decide { house, life, match_id: of, input } => {
                    let is_its = matches!(input, Input::BotChose { seat: by, .. } if *by == seat);
                    is_its && (*house, *life, of) == (self.id, self.life, match_id)
                }
                _ => false,
            };
            let is_asked = |seat| ground.agenda.has(|event| is_decision(event, seat));
            !room.is_paused() && to_act.iter().any(|seat| room.is_bot(seat) && !is_asked(seat))
        };
        self.slots.keys().copied().filter(|_| is_awake).find(is_silent)
    }
}
