//! A bot without type parameters, for whoever holds many of them.

use game_api::{Game, GameRng, Refused, Seed, Seen};

use crate::{Bot, Budget, Level, Puzzled, Situation};

/// A bot of the catalogue.
pub trait AnyBot: Send + Sync {
    /// An action for the seat, by what it sees.
    fn choose(
        &self,
        seen: &Seen<'_>,
        level: Level,
        budget: &Budget<'_>,
        chance: &Seed,
    ) -> Result<Advice, Refused>;

    /// What people should know of a level, in a sentence.
    fn remark(&self, level: Level) -> Option<String>;
}

/// An action's text, and how its bot likes it: see [`crate::Choice`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What to do.
    pub action: String,
    /// What the seat's match is worth then.
    pub value: i32,
}

/// The adapter that makes a [`Bot`] an [`AnyBot`].
pub struct ErasedBot<G, B> {
    game: G,
    bot: B,
}

impl<G: Game, B: Bot<G>> ErasedBot<G, B> {
    /// Holds the rules and the bot for all its matches.
    pub fn new(game: G, bot: B) -> Self {
        ErasedBot { game, bot }
    }
}

impl<G: Game, B: Bot<G>> AnyBot for ErasedBot<G, B> {
    fn choose(
        &self,
        seen: &Seen<'_>,
        level: Level,
        budget: &Budget<'_>,
        chance: &Seed,
    ) -> Result<Advice, Refused> {
        let (options, view) = seen.read::<G>()?;
        let Seen { seats, seat, .. } = *seen;
        let situation = Situation { game: &self.game, options: &options, seats, seat, view: &view };
        let choice = self.bot.choose(&situation, level, budget, &mut GameRng::new(chance))?;
        Ok(Advice { action: choice.action.to_string(), value: choice.value })
    }

    fn remark(&self, level: Level) -> Option<String> {
        self.bot.remark(level)
    }
}

impl From<Puzzled> for Refused {
    fn from(puzzled: Puzzled) -> Self {
        let code = match puzzled {
            Puzzled::View(_) => "bad_view",
            Puzzled::NothingToDo(_) => "not_your_turn",
        };
        Refused { code, message: puzzled.to_string() }
    }
}
