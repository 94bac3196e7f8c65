//! Bots that look no further than the next action: measures for others, and a beginner's friends.

use game_api::{Game, GameRng};

use crate::bot::result;
use crate::{Bot, Budget, Choice, Level, Puzzled, Searched, Situation, WIN};

/// Any legal action, each equally likely.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl<G: Game> Bot<G> for Random {
    fn choose(
        &self,
        situation: &Situation<'_, G>,
        _level: Level,
        _budget: &Budget<'_>,
        rng: &mut GameRng,
    ) -> Result<Choice<G::Action>, Puzzled> {
        let state = situation.sample(rng)?;
        let mut actions = situation.actions(&state)?;
        let action = actions.swap_remove(rng.below(actions.len()));
        Ok(Choice { action, value: 0 })
    }
}

/// The action after which the game likes the state best; of equal ones any. With hidden information
/// it looks at one state that could be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy;

impl<G: Searched> Bot<G> for Greedy {
    fn choose(
        &self,
        situation: &Situation<'_, G>,
        _level: Level,
        _budget: &Budget<'_>,
        rng: &mut GameRng,
    ) -> Result<Choice<G::Action>, Puzzled> {
        let Situation { game, seat, .. } = *situation;
        let state = situation.sample(rng)?;
        let mut actions = situation.actions(&state)?;
        rng.shuffle(&mut actions);
        let judged = actions.into_iter().filter_map(|action| {
            let after = game.after(&state, seat, &action)?;
            let ended = result(game, &after, seat).map(|result| result * WIN);
            let value = ended.unwrap_or_else(|| game.evaluate(&after, seat));
            Some(Choice { action, value })
        });
        judged.max_by_key(|choice| choice.value).ok_or(Puzzled::NothingToDo(seat))
    }
}
